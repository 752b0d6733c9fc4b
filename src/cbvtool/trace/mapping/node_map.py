"""The map from functions of a trace to nodes of a graph, as a value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

NO_NODE = -1


@dataclass(frozen=True, eq=False)
class NodeMap:
    """m for f functions.

    node     int32[f]  key of the node, `NO_NODE`
    why      int8[f]   index into `reasons`: by what it was found, or why it was not
    reasons  texts; `unmapped` reasons are those of functions without a node
    """

    node: npt.NDArray[np.int32]
    why: npt.NDArray[np.int8]
    reasons: tuple[str, ...]

    def __post_init__(self) -> None:
        if len(self.node) != len(self.why):
            raise ValueError("a node and a reason for each function")
        self.node.flags.writeable = self.why.flags.writeable = False

    def __len__(self) -> int:
        """Number of functions."""
        return len(self.node)

    @property
    def mapped(self) -> npt.NDArray[np.bool_]:
        """bool[f]: the functions that have a node."""
        mapped: npt.NDArray[np.bool_] = self.node != NO_NODE
        return mapped

    def found(self) -> Mapping[str, int]:
        """Reason -> how many functions have a node for it, most first."""
        return self._counts(self.mapped)

    def unmapped(self) -> Mapping[str, int]:
        """Reason -> how many functions have no node for it, most first."""
        return self._counts(~self.mapped)

    def reason(self, function: int) -> str:
        """Why a function has its node, or none."""
        return self.reasons[int(self.why[function])]

    def _counts(self, rows: npt.NDArray[np.bool_]) -> dict[str, int]:
        counts = np.bincount(self.why[rows], minlength=len(self.reasons)).tolist()
        by_count = sorted(zip(self.reasons, counts, strict=True), key=lambda row: -row[1])
        return {reason: count for reason, count in by_count if count}
