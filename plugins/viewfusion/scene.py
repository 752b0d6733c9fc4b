"""What is shown, before any pointer: the calls of a thread, the cells of the code, figures of the window."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.api import (
    NO_NODE,
    Graph,
    LevelFolding,
    Levels,
    Need,
    NeedProgress,
    NodeMap,
    OwnCalls,
    PartFigures,
    TimeBars,
    TimeGrid,
    Trace,
    ViewContext,
    Viewport,
    bars_of,
    grid_of,
    level_tops,
    levels_of,
    outermost_time,
    own_calls,
    part_figures,
)

from .cells import CellLayout, CellTree, Packages, cell_layout, cell_tree, packages_of
from .state import ViewFusionState, Window, thread_of, window_of

RULER = 24.0  # logical pixels
SHARE = 0.55  # of the height, that stacks take at most: what is called most often lies below
AT_ONCE = 20_000  # calls, or nodes: so few are prepared without a worker
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Prepared:
    """What does not depend on the window: calls of the thread by depth, and cells.

    trace  the recording, or the calls of the open code alone
    own    None where all calls are shown
    cell   int64[f]  innermost cell of each function, -1
    ever   int64[f]  calls of each function in the recording, on any thread
    ranges rows of the calls that count for values of code: first and the one after the last, of the thread or of each
    """

    trace: Trace
    own: OwnCalls | None
    thread: int
    levels: Levels
    tree: CellTree
    cell: npt.NDArray[np.int64]
    ever: npt.NDArray[np.int64]
    ranges: tuple[tuple[int, int], ...]

    def here(self, row: int) -> int:
        """The row of a call of the recording among those that are shown, `NO_CALL` if it is not."""
        return row if self.own is None else self.own.row_here(row)

    def there(self, row: int) -> int:
        """The other way round."""
        return row if self.own is None else self.own.row_there(row)

    @property
    def rows(self) -> tuple[int, int]:
        """First call of the thread, and the one after its last."""
        ptr = self.trace.threads.ptr
        return int(ptr[self.thread]), int(ptr[self.thread + 1])

    @property
    def of_all(self) -> bool:
        """Whether calls of other threads count for values of code."""
        return self.ranges != (self.rows,)


@dataclass(frozen=True)
class Part:
    """Which calls are measured. window: in which they lie, ns; rows, path: see `part_figures`; base: the depth at
    which they begin.
    """

    window: tuple[float, float]
    rows: tuple[tuple[int, int], ...]
    path: tuple[int, ...] = ()
    base: int = 0


@dataclass(frozen=True, eq=False)
class Scene:
    """What is drawn in a viewport, before any pointer.

    layout    of the cells, below the ruler; box: x, y, width and height of it
    bars      of the thread in the window; tops: y of its levels, from the upper border of the box
    figures   of all calls in the window
    calls     int64[m]  how many of them each cell that is shown holds, innermost cells alone
    elsewhere bool[m]  of these cells, those without such a call that ran in another thread, or at another time
    packages  those of `level`
    """

    prepared: Prepared
    layout: CellLayout
    box: tuple[float, float, float, float]
    grid: TimeGrid
    bars: TimeBars
    tops: Floats
    figures: PartFigures
    calls: npt.NDArray[np.int64]
    elsewhere: npt.NDArray[np.bool_]
    packages: Packages

    @property
    def window(self) -> Window:
        """ns since the start of the trace."""
        return self.grid.window

    @property
    def part(self) -> Part:
        """All calls of the window that count."""
        return Part(self.window, self.prepared.ranges)

    def columns(self) -> Floats:
        """float64[k, 2]: left and right of each bar, logical pixels."""
        scale = self.box[2] / (self.grid.right - self.grid.left)
        return (np.column_stack((self.bars.x0, self.bars.x1)) - self.grid.left) * scale


def preparing(context: ViewContext, state: ViewFusionState) -> tuple[Need, ...]:
    """The slow work before anything is drawn; none while the map is not known, or where there is little to do."""
    found = _inputs(context, state)
    if found is None or _few(context):
        return ()
    return (Need("prepared", "laying calls over the code", make_prepared, found),)


def prepared_in(context: ViewContext, state: ViewFusionState) -> Prepared | None:
    """None while it is being made."""
    found = _inputs(context, state)
    if found is None:
        return None
    if _few(context):
        return context.memo(_prepared, *found)
    made: Prepared | None = context.found.get("prepared")
    return made


def _inputs(context: ViewContext, state: ViewFusionState) -> tuple[Trace, int, Graph, NodeMap, bool, str, bool] | None:
    known, thread = context.maps[0], thread_of(context, state)
    if known is None or thread < 0:
        return None
    own, area = bool(context.values["own"]), str(context.values["area"])
    return context.trace(), thread, context.graph, known, own, area, context.values["threads"] == "all"


def _few(context: ViewContext) -> bool:
    return len(context.trace().calls) <= AT_ONCE and len(context.graph) <= AT_ONCE


def make_prepared(
    trace: Trace, thread: int, graph: Graph, known: NodeMap, own: bool, area: str, every: bool, progress: NeedProgress
) -> Prepared:
    """`_prepared`, as a need."""
    progress("Laying calls over the code", 0, 0)
    return _prepared(trace, thread, graph, known, own, area, every)


def _prepared(trace: Trace, thread: int, graph: Graph, known: NodeMap, own: bool, area: str, every: bool) -> Prepared:
    f = len(trace.functions)
    low, high = trace.threads.ptr[thread : thread + 2].tolist()
    ever = np.bincount(trace.calls.function, minlength=f).astype(np.int64)
    count = ever if every else np.bincount(trace.calls.function[low:high], minlength=f).astype(np.int64)
    tree = cell_tree(graph, known.node, count, area, ever)
    some = own_calls(trace, known.node != NO_NODE) if own and not known.mapped.all() else None
    shown = trace if some is None else some.trace
    ptr = shown.threads.ptr.tolist()
    rows = list(itertools.pairwise(ptr))
    ranges = tuple(rows if every else rows[thread : thread + 1])
    return Prepared(shown, some, thread, levels_of(shown), tree, tree.of_functions(known.node), ever, ranges)


def legend_height(viewport: Viewport) -> float:
    """Logical pixels: two lines, or one where there is little room. Places of cells follow from the size alone."""
    return 46.0 if viewport.height >= 360.0 else 26.0


def box_of(viewport: Viewport) -> tuple[float, float, float, float]:
    """x, y, width and height of what calls and code share."""
    return 0.0, RULER, viewport.width, max(viewport.height - RULER - legend_height(viewport), 10.0)


def scene_in(context: ViewContext, state: ViewFusionState, viewport: Viewport) -> Scene | None:
    """What is drawn; None while it is being prepared."""
    prepared = prepared_in(context, state)
    if prepared is None:
        return None
    memo, window, box = context.memo, window_of(context, state), box_of(viewport)
    x, y, width, height = box
    layout = memo(cell_layout, prepared.tree, (x, y, x + width, y + height))
    grid = memo(grid_of, window, max(width, 1.0))
    bars = memo(bars_of, prepared.trace, prepared.levels, prepared.thread, grid)
    depth = max(prepared.levels.depth_of(prepared.thread), 1)
    tops = memo(_tops, min(float(context.values["height"]), height * SHARE / depth), depth)
    figures = memo(window_figures, prepared, window)
    calls = memo(calls_of_cells, prepared, layout, figures)
    elsewhere = memo(_elsewhere, prepared, layout, calls)
    packages = memo(packages_of, prepared.tree, int(context.values["level"]))
    return memo(Scene, prepared, layout, box, grid, bars, tops, figures, calls, elsewhere, packages)


def _tops(row: float, depth: int) -> Floats:
    return level_tops(LevelFolding(unfolded=row), depth - 1)


def window_figures(prepared: Prepared, window: Window) -> PartFigures:
    """Figures of all calls that count in a window."""
    return part_figures(prepared.trace, window, prepared.ranges)


def calls_of_cells(prepared: Prepared, layout: CellLayout, figures: PartFigures) -> npt.NDArray[np.int64]:
    """int64[m]: calls of each cell that is shown, innermost cells alone."""
    return _in_cells(prepared, layout, figures.count)


def _in_cells(prepared: Prepared, layout: CellLayout, count: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    known = prepared.cell >= 0
    cells = layout.within[prepared.cell[known]]
    return np.bincount(cells, weights=count[known], minlength=len(prepared.tree)).astype(np.int64)


def _elsewhere(prepared: Prepared, layout: CellLayout, calls: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    found: npt.NDArray[np.bool_] = (calls == 0) & (_in_cells(prepared, layout, prepared.ever) > 0)
    return found


def times_of_files(prepared: Prepared, window: Window) -> npt.NDArray[np.int64]:
    """int64[m]: how long each file runs in a window, ns; its calls within one another count once."""
    file = np.where(prepared.cell >= 0, prepared.tree.file[prepared.cell], -1)
    return outermost_time(prepared.trace, window, prepared.ranges, (), file, len(prepared.tree))


def time_of_cell(prepared: Prepared, window: Window, cell: int) -> int:
    """The same of one cell with all that is in it."""
    group = np.where(prepared.cell >= 0, prepared.tree.below(cell)[prepared.cell], False).astype(np.int64) - 1
    return int(outermost_time(prepared.trace, window, prepared.ranges, (), group, 1)[0])
