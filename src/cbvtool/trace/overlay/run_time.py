"""What a trace tells of the code: who called whom, how often and how long, in a window of time (CBV-12)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, eq=False)
class RunTime:
    """Of the calls that overlap `window`, their times clipped to it; e pairs of nodes, n nodes of the graph.

    caller, callee  int32[e]  keys: the nearest call around it whose function has a node, and the function called
    count           int64[e]  calls
    time            int64[e]  ns; of calls that stand in one another for the same pair, the outermost alone
    calls           int64[n]  calls of the node itself
    self_time       int64[n]  ns, without calls below
    total_time      int64[n]  ns, of outermost calls of the node itself
    subtree_time    int64[n]  ns, of the outermost calls of anything in the subtree of the node: no sum of the parts
    window          ns, first and last
    sampled         counts are samples, not calls
    unit            of the times: ns; of a profile that has none, that of what it has, such as "samples" or "Ir";
                    empty = nothing was measured
    counted         whether calls were counted; of a profile without counts, `count` and `calls` tell only who and whom
    """

    caller: npt.NDArray[np.int32]
    callee: npt.NDArray[np.int32]
    count: npt.NDArray[np.int64]
    time: npt.NDArray[np.int64]
    calls: npt.NDArray[np.int64]
    self_time: npt.NDArray[np.int64]
    total_time: npt.NDArray[np.int64]
    subtree_time: npt.NDArray[np.int64]
    window: tuple[int, int]
    sampled: bool = False
    unit: str = "ns"
    counted: bool = True

    @property
    def counts(self) -> str:
        """What `count` and `calls` count, one of it; empty = nothing was counted."""
        return ("sample" if self.sampled else "call") if self.counted else ""

    def __len__(self) -> int:
        """Number of pairs."""
        return len(self.caller)
