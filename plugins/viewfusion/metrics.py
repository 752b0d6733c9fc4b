"""What colours mean: values of files and of calls (VF-5)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.api import NEVER, PartFigures, duration, outermost_time, time_text

from .cells import CellLayout, CellTree
from .scene import Part, Prepared, Scene

Floats = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int64]

METRICS = (
    ("package", "Package"),
    ("start", "Start"),
    ("depth", "Relative depth"),
    ("deepest", "Deepest call of the file"),
    ("calls", "Calls of the file"),
    ("time", "Time of the file"),
)
OF_CALLS = ("start", "depth")  # of which each call has a value of its own


@dataclass(frozen=True, eq=False)
class Shares:
    """Values of cells and functions as shares of their range, 0..1, NaN = no call; packages are ranks, -1 = none.

    metric     its name
    cell       float64[m] of the innermost cells that are shown
    function   float64[f]
    low, high  the ends of the range
    base       the depth from which depths are counted
    """

    metric: str
    cell: Floats
    function: Floats
    low: float
    high: float
    base: float = 0.0

    def of_calls(self, value: Floats) -> Floats:
        """float64[k] of start times or depths of calls."""
        return np.clip((value - self.base - self.low) / ((self.high - self.low) or 1.0), 0.0, 1.0)


def shares_of(
    scene: Scene,
    figures: PartFigures,
    part: Part,
    metric: str,
    own: bool,
    by_cell: bool,
    only: npt.NDArray[np.bool_] | None = None,
    times: Rows | None = None,
) -> Shares:
    """Values over some calls; the time of a file is that of its outermost calls (VF-5).

    own      times without the calls below; by_cell: values are those of each cell, not of the file around it
    only     bool[m]: cells in which calls count; None = all
    times    `group_times` of the same, if they are known
    """
    prepared, layout, tree = scene.prepared, scene.layout, scene.prepared.tree
    m = len(tree)
    known = np.flatnonzero((prepared.cell >= 0) & (figures.count > 0))
    cells = layout.within[prepared.cell[known]]
    group, parted = _groups(tree, by_cell), False
    if only is not None:
        inside = only[cells]
        parted = len(np.intersect1d(group[cells[inside]], group[cells[~inside]])) > 0
        known, cells = known[inside], cells[inside]
    of = group[cells]
    if metric == "package":
        ranks = scene.packages.of_cell
        cell, function = np.full(m, np.nan), np.full(len(figures.count), np.nan)
        cell[cells], function[known] = ranks[cells], ranks[cells]
        return Shares(metric, cell, function, 0.0, float(len(scene.packages.cells)))
    count = np.bincount(of, weights=figures.count[known], minlength=m)
    low, high = np.nan, np.nan
    if metric == "start":
        value = np.full(m, float(NEVER))
        np.minimum.at(value, of, figures.first[known].astype(np.float64))
        low, high = part.window
    elif metric == "depth":
        value = np.bincount(of, weights=figures.depths[known], minlength=m) / np.maximum(count, 1) - part.base
        low, high = 0.0, float(max(figures.deepest.max(initial=0) - part.base, 0))
    elif metric == "deepest":
        value = np.full(m, -1.0)
        np.maximum.at(value, of, figures.deepest[known].astype(np.float64))
    elif metric == "calls":
        value = count
    elif own:
        value = np.bincount(of, weights=figures.own[known], minlength=m)
    elif times is None or parted:  # some calls of a file count, and hold none of the others
        measures = np.full(len(figures.count), -1)
        measures[known] = of
        value = outermost_time(prepared.trace, part.window, part.rows, part.path, measures, m).astype(np.float64)
    else:
        value = times.astype(np.float64)
    measured = np.where(count > 0, value, np.nan)
    if not low <= high:
        some = measured[~np.isnan(measured)]
        low, high = (float(some.min()), float(some.max())) if len(some) else (0.0, 0.0)
    share = np.clip((measured - low) / ((high - low) or 1.0), 0.0, 1.0)
    cell, function = np.full(m, np.nan), np.full(len(figures.count), np.nan)
    cell[cells] = share[group[cells]]
    function[known] = share[of]
    return Shares(metric, cell, function, low, high, float(part.base) if metric == "depth" else 0.0)


def group_times(prepared: Prepared, layout: CellLayout, part: Part, by_cell: bool) -> Rows:
    """int64[m], ns: how long each file, or each cell that is shown, runs; its calls within one another count once."""
    known = prepared.cell >= 0
    group = np.full(len(known), -1)
    group[known] = _groups(prepared.tree, by_cell)[layout.within[prepared.cell[known]]]
    return outermost_time(prepared.trace, part.window, part.rows, part.path, group, len(prepared.tree))


def _groups(tree: CellTree, by_cell: bool) -> Rows:
    """int64[m]: the cell of which each cell shows the value: itself, or the file around it."""
    own = np.arange(len(tree))
    return own if by_cell else np.where(tree.file >= 0, tree.file, own)


def written(metric: str, value: float, range_: float) -> str:
    """A value with its unit. range_: of all values, which says how many digits tell them apart."""
    if metric == "start":
        return time_text(value, max(range_ / 200, 1.0))
    if metric == "time":
        return duration(int(value))
    if metric in {"depth", "deepest"}:
        return f"depth {value:.0f}"
    return f"{value:,.0f} call{'' if value == 1 else 's'}"
