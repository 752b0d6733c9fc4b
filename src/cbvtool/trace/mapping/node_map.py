"""The map from functions of a trace to nodes of a graph, as a value."""

from __future__ import annotations

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
