"""A calling context tree with measured values at its nodes: what a run cost in sum, without when."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from cbvtool.trace.model.trace import Functions, Header

Values = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ProfileMetric:
    """What was measured at the nodes of a profile, or of its pairs.

    unit        "ns", "calls", "samples", "bytes", ...; empty = the file does not say
    inclusive   whether a node's value holds those of the nodes below it
    mean, low, high  float64[n], NaN = missing, which is not 0: over ranks and threads, or the one value three times
    by_place    float64[p, n] for each (rank, thread) of `Profile.places`, None = only mean, low and high are known
    summarised  mean, low and high are what the file says of ranks and threads whose own values it does not have
    """

    name: str
    unit: str
    inclusive: bool
    mean: Values
    low: Values
    high: Values
    by_place: Values | None = None
    summarised: bool = False


@dataclass(frozen=True, eq=False)
class CallPairs:
    """p pairs of caller and callee, each once.

    caller, callee  uint32[p]  rows of `Functions`
    metrics         values of the pair: calls from the one to the other, their time, ...
    """

    caller: npt.NDArray[np.uint32]
    callee: npt.NDArray[np.uint32]
    metrics: tuple[ProfileMetric, ...]

    def __len__(self) -> int:
        return len(self.caller)


@dataclass(frozen=True, eq=False)
class Profile:
    """n nodes in preorder, a forest in which siblings may have equal names.

    function  uint32[n]  row of `functions`
    parent    int32[n]   a row before it, -1 for a root
    end_row   int32[n]   the row after the last node below it
    site_file str[n], site_line int32[n]: where the call stands, empty and 0 where unknown
    places    (rank, thread) of the rows of `ProfileMetric.by_place`; a thread of -1 = the rank as a whole
    pairs     callers and callees as recorded: of a call graph (cProfile, gprof), whose nodes are roots, one for each
              function; None = they follow from the tree
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
    pairs: CallPairs | None = None

    def __len__(self) -> int:
        return len(self.function)

    @property
    def is_call_graph(self) -> bool:
        """Whether contexts are unknown: the file has functions and pairs of them alone."""
        return self.pairs is not None

    def metric(self, name: str, *, inclusive: bool) -> ProfileMetric | None:
        """The metric of that name and kind; None = the profile has none."""
        return next((one for one in self.metrics if one.name == name and one.inclusive == inclusive), None)
