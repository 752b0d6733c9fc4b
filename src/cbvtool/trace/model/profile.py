"""A calling context tree with measured values at its nodes: what a run cost in sum, without when."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from cbvtool.trace.model.trace import Functions, Header


@dataclass(frozen=True, eq=False)
class ProfileMetric:
    """What was measured at the nodes of a profile.

    unit       "ns", "calls", "samples", "bytes", ...
    inclusive  whether a node's value holds those of the nodes below it
    mean, low, high  float64[n], NaN = missing, which is not 0: over ranks and threads, or the one value three times
    by_place   float64[p, n] for each (rank, thread) of `Profile.places`, None = only mean, low and high are known
    """

    name: str
    unit: str
    inclusive: bool
    mean: npt.NDArray[np.float64]
    low: npt.NDArray[np.float64]
    high: npt.NDArray[np.float64]
    by_place: npt.NDArray[np.float64] | None = None


@dataclass(frozen=True, eq=False)
class Profile:
    """n nodes in preorder, a forest in which siblings may have equal names.

    function  uint32[n]  row of `functions`
    parent    int32[n]   a row before it, -1 for a root
    end_row   int32[n]   the row after the last node below it
    site_file str[n], site_line int32[n]: where the call stands, empty and 0 where unknown
    places    (rank, thread) of the rows of `ProfileMetric.by_place`
    """

    header: Header
    functions: Functions
    function: npt.NDArray[np.uint32]
    parent: npt.NDArray[np.int32]
    end_row: npt.NDArray[np.int32]
    site_file: tuple[str, ...]
    site_line: npt.NDArray[np.int32]
    metrics: tuple[ProfileMetric, ...]
    places: tuple[tuple[int, int], ...] = ()
    sampled: bool = False
    repairs: Mapping[str, int] = field(default_factory=dict)
    omissions: Mapping[str, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.function)
