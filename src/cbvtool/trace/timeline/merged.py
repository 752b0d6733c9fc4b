"""Calls of a part of a trace merged by their stacks, the heaviest to the left: an icicle without time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.budget import Budget
from cbvtool.progress import Progress, silent
from cbvtool.trace.kernels import kernel
from cbvtool.trace.making.folding import folded
from cbvtool.trace.model.trace import Trace

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class MergedCalls:
    """n stacks, callers before callees: calls of one function under the same callers are one box.

    function  uint32[n]
    parent    int32[n], -1 = outermost
    depth     int32[n]
    count     int64[n]  calls
    own       float64[n]  ns without the calls below
    x0, x1    float64[n]  ns from the left; x1 - x0 is the time of all its calls
    """

    function: npt.NDArray[np.uint32]
    parent: npt.NDArray[np.int32]
    depth: npt.NDArray[np.int32]
    count: npt.NDArray[np.int64]
    own: Floats
    x0: Floats
    x1: Floats

    @property
    def width(self) -> float:
        """ns of all that is outermost, at least 1."""
        return max(float(self.x1.max(initial=1.0)), 1.0)


def merged_calls(
    trace: Trace,
    window: tuple[float, float],
    threads: tuple[int, ...] | None = None,
    rows: tuple[int, int] | None = None,
    progress: Progress = silent,
) -> MergedCalls:
    """The calls of some threads (None = all) that overlap a window (ns since the start of the trace), merged.

    rows  only calls of this range: a call and all below it. Linear in the calls. May raise Cancelled, InputError.
    """
    budget = Budget("Merging calls", cancel=lambda: progress("Merging calls", 0, 0))
    origin = trace.span[0]
    ends = (int(window[0]) + origin, int(np.ceil(window[1])) + origin)
    tree = folded(trace, ends, budget=budget, threads=threads, rows=rows)
    count, total, own = (metric.mean for metric in tree.metrics[:3])
    parent, n = tree.parent.astype(np.int64), len(tree.parent)
    # Beside each other by weight: where a box begins among its siblings is the sum of the heavier ones.
    order = np.lexsort((np.arange(n), -total, parent))
    ends_at = np.cumsum(total[order])
    first = np.concatenate(([True], np.diff(parent[order]) != 0)) if n else np.zeros(0, np.bool_)
    before = ends_at - total[order]
    within = np.empty(n)
    within[order] = before - before[np.maximum.accumulate(np.where(first, np.arange(n), 0))] if n else before
    depth = np.zeros(n, np.int32)
    _down(tree.parent, within, depth)
    return MergedCalls(tree.function, tree.parent, depth, count.astype(np.int64), own, within, within + total)


@kernel
def _down(parent: npt.NDArray[np.int32], x0: Floats, depth: npt.NDArray[np.int32]) -> None:
    """Make places within the parent places from the left, and set depths. Parents come before."""
    for row in range(len(parent)):
        above = parent[row]
        if above >= 0:
            depth[row] = depth[above] + 1
            x0[row] += x0[above]
