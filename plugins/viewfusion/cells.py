"""The code as a tree of cells: folders, files, and what is in files; and where each cell lies (VF-1, VF-4)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from cbvtool.api import NO_NODE, Graph, strip_boxes

Rows = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

# What lies in files. Everything else holds files, or is one.
_CODE = frozenset(
    {
        "namespace",
        "program",
        "class",
        "interface",
        "struct",
        "union",
        "enum",
        "trait",
        "object",
        "module",
        "extension",
        "type",
        "function",
        "section",
        "paragraph",
    }
)
_EXTERNAL = "external"
WIDE, HIGH = 90.0, 54.0  # logical pixels that a cell has before what is in it is shown,
ROOM = 1100.0  # and so many square ones for each cell in it


@dataclass(frozen=True, eq=False)
class CellTree:
    """m cells, parents before children. Where something has parts, what it holds itself is a cell beside them.

    parent  int64[m]  -1 for the root, which is cell 0
    key     int32[m]  its node; that of the node around it where the cell is what this holds itself
    weight  float64[m]  of leaves
    calls   float64[m]  calls of the thread in all of it
    depth   int32[m]
    nested  int32[m]  the same, where an only child is no deeper than its parent: both lie in the same place
    file    int64[m]  the file in which it lies, itself for files; -1 above files
    of_node int64[n]  the innermost cell for what a node does itself, -1
    """

    parent: Rows
    key: npt.NDArray[np.int32]
    weight: Floats
    calls: Floats
    depth: npt.NDArray[np.int32]
    nested: npt.NDArray[np.int32]
    file: Rows
    of_node: Rows

    def __len__(self) -> int:
        return len(self.parent)

    def of_functions(self, node: npt.NDArray[np.int32]) -> Rows:
        """int64[f]: the innermost cell of each function, -1 = none. node: int32[f]."""
        found: Rows = np.where(node == NO_NODE, -1, self.of_node[node])
        return found

    def above(self, cell: int, height: int) -> int:
        """The cell so many levels above another one, the root at most."""
        for _ in range(height):
            if self.parent[cell] < 0:
                break
            cell = int(self.parent[cell])
        return cell

    def below(self, cells: npt.ArrayLike) -> Mask:
        """bool[m]: these cells and all in them."""
        found = np.zeros(len(self), np.bool_)
        found[np.asarray(cells, np.int64)] = True
        for level in range(1, int(self.depth.max(initial=0)) + 1):
            rows = np.flatnonzero(self.depth == level)
            found[rows] |= found[self.parent[rows]]
        return found

    def top(self) -> Rows:
        """The cells of the topmost level at which there are several."""
        children = np.bincount(self.parent[1:], minlength=len(self))
        row = 0
        while children[row] == 1:
            row = int(np.flatnonzero(self.parent == row)[0])
        return np.flatnonzero(self.parent == row) if children[row] else np.array([row])


def cell_tree(graph: Graph, node: npt.NDArray[np.int32], count: Rows, area: str, ever: Rows | None = None) -> CellTree:
    """The cells of a graph.

    node   int32[f] of functions
    count  int64[f], their calls, by which cells are ordered
    area   "lines" or "files"
    ever   int64[f], all of their calls, which have a cell even where `count` has none; None = `count`
    """
    mapped = node != NO_NODE
    calls, ran = (
        np.bincount(node[mapped], weights=of[mapped], minlength=len(graph)).astype(np.float64)
        for of in (count, count if ever is None else ever)
    )
    order, given = _cells_of(graph, calls, ran)
    split, files = _with_own_files(given)
    every, own = _with_own_parts(split)
    innermost = np.where(files >= 0, files, np.arange(len(files)))
    innermost = np.where(own[innermost] >= 0, own[innermost], innermost)
    depth = _depths(every.parent)
    by_depth = np.argsort(depth, kind="stable")
    place = np.empty(len(depth), np.int64)
    place[by_depth] = np.arange(len(depth))
    parent = np.where(every.parent >= 0, place[every.parent], -1)[by_depth]
    found = every.take(by_depth)
    depth = depth[by_depth]
    of_node = np.full(len(graph), -1, np.int64)
    of_node[order] = place[innermost]
    file = _files(parent, found.code, depth)
    summed = found.calls.copy()
    for level in range(int(depth.max(initial=0)), 0, -1):
        rows = np.flatnonzero(depth == level)
        summed += np.bincount(parent[rows], weights=summed[rows], minlength=len(parent))
    weight = _weights(parent, file, found.lines, area)
    nested = _nested(parent, depth)
    return CellTree(parent, found.key.astype(np.int32), weight, summed, depth, nested, file, of_node)


@dataclass(frozen=True, eq=False)
class _Cells:
    """Cells in the making: parent int64[m], key int64[m], code bool[m]; float64[m] of each itself: lines, calls that
    count and all that it ever ran.
    """

    parent: Rows
    key: Rows
    code: Mask
    lines: Floats
    calls: Floats
    ran: Floats

    def take(self, rows: Rows) -> _Cells:
        """Some of them; parents are numbered as before."""
        own = (self.lines[rows], self.calls[rows], self.ran[rows])
        return _Cells(self.parent[rows], self.key[rows], self.code[rows], *own)

    def beside(self, rows: Rows, code: Mask) -> _Cells:
        """One more in each of `rows`, which takes what these hold themselves."""
        lines, calls, ran = (np.concatenate((of, of[rows])) for of in (self.lines, self.calls, self.ran))
        lines[rows] = calls[rows] = ran[rows] = 0.0
        key, kinds = np.concatenate((self.key, self.key[rows])), np.concatenate((self.code, code))
        return _Cells(np.concatenate((self.parent, rows)), key, kinds, lines, calls, ran)


def _cells_of(graph: Graph, calls: Floats, ran: Floats) -> tuple[Rows, _Cells]:
    """(keys of the nodes of the project in preorder, a cell for each)."""
    tree, order = graph.tree, graph.tree.order.astype(np.int64)
    kinds, outside = (
        np.array([name in names for name in graph.kind_names] or [False]) for names in (_CODE, {_EXTERNAL})
    )
    for key in np.flatnonzero((tree.depth == 1) & outside[graph.kinds]).tolist():  # what is not part of the project
        order = order[(tree.pos[order] < tree.pos[key]) | (tree.pos[order] >= tree.end[key])]
    row_of = np.full(len(graph), -1, np.int64)
    row_of[order] = np.arange(len(order))
    above = graph.parent[order]
    lines = np.nan_to_num(graph.values.get("sloc", np.full(len(graph), np.nan)))[order]
    parent = np.where(above >= 0, row_of[above], -1)
    return order, _Cells(parent, order, kinds[graph.kinds[order]], lines, calls[order], ran[order])


def _with_own_files(cells: _Cells) -> tuple[_Cells, Rows]:
    """(the cells; int64[m], the new one of each, -1): code of a folder or package beside files is like a file in it."""
    mixed = np.flatnonzero(_has(cells.parent, cells.code) & _has(cells.parent, ~cells.code))
    place = np.full(len(cells.parent), -1, np.int64)
    place[mixed] = len(place) + np.arange(len(mixed))
    moves = cells.code & (cells.parent >= 0)
    moves[moves] = place[cells.parent[moves]] >= 0
    parent = np.where(moves, place[cells.parent], cells.parent)
    return replace(cells, parent=parent).beside(mixed, np.zeros(len(mixed), np.bool_)), place


def _with_own_parts(cells: _Cells) -> tuple[_Cells, Rows]:
    """(the cells; int64[m], the new one of each, -1): what something with parts holds itself is one of them."""
    parts = _has(cells.parent, np.ones(len(cells.parent), np.bool_))
    own = np.flatnonzero(parts & ((cells.lines > 0) | (cells.ran > 0)))
    place = np.full(len(cells.parent), -1, np.int64)
    place[own] = len(place) + np.arange(len(own))
    return cells.beside(own, ~_has(cells.parent, ~cells.code)[own]), place


def _weights(parent: Rows, file: Rows, lines: Floats, area: str) -> Floats:
    """float64[m] of leaves: lines, at least one; or shares of their file."""
    leaf = ~_has(parent, np.ones(len(parent), np.bool_))
    weight = np.where(leaf, np.maximum(lines, 1.0), 0.0)
    if area == "files":
        whole = np.bincount(np.maximum(file, 0), weights=weight, minlength=len(parent))
        weight = np.where(file >= 0, weight / np.maximum(whole[np.maximum(file, 0)], 1.0), weight)
    return weight


def _has(parent: Rows, which: Mask) -> Mask:
    """bool[m]: the cells with a child of some."""
    rows = np.flatnonzero(which & (parent >= 0))
    return np.bincount(parent[rows], minlength=len(parent)) > 0


def _depths(parent: Rows) -> npt.NDArray[np.int32]:
    depth, at = np.zeros(len(parent), np.int32), parent.copy()
    while (alive := at >= 0).any():
        depth[alive] += 1
        at[alive] = parent[at[alive]]
    return depth


def _nested(parent: Rows, depth: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """int32[m]: see `CellTree`."""
    found, children = np.zeros(len(parent), np.int32), np.bincount(parent[1:], minlength=len(parent))
    for level in range(1, int(depth.max(initial=0)) + 1):
        rows = np.flatnonzero(depth == level)
        found[rows] = found[parent[rows]] + (children[parent[rows]] > 1)
    return found


def _files(parent: Rows, code: Mask, depth: npt.NDArray[np.int32]) -> Rows:
    """int64[m]: see `CellTree`: a file is what holds no files."""
    found = np.where(code | _has(parent, ~code), -1, np.arange(len(parent)))
    for level in range(1, int(depth.max(initial=0)) + 1):
        rows = np.flatnonzero((depth == level) & code)
        found[rows] = found[parent[rows]]
    return found


@dataclass(frozen=True, eq=False)
class CellLayout:
    """Where the cells lie.

    box     float64[m, 4]  x0, y0, x1, y1, logical pixels
    shown   bool[m]  all down to files, and below where there is room
    leaf    int64[k]  the cells that are shown and in which none is, by their order
    within  int64[m]  the innermost cell that is shown of those around each cell and itself
    """

    box: Floats
    shown: Mask
    leaf: Rows
    within: Rows

    def at(self, x: float, y: float) -> int:
        """The innermost cell at a place, -1 = none."""
        box = self.box[self.leaf]
        inside = np.flatnonzero((box[:, 0] <= x) & (x < box[:, 2]) & (box[:, 1] <= y) & (y < box[:, 3]))
        return int(self.leaf[inside[-1]]) if len(inside) else -1


def cell_layout(tree: CellTree, box: tuple[float, float, float, float]) -> CellLayout:
    """The strip layout, those with most calls at the bottom left of their folder; places follow from nothing else."""
    boxes = strip_boxes(tree.parent, tree.weight, tree.calls, box)
    wide, high = boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]
    children = np.bincount(tree.parent[1:], minlength=len(tree))
    opened = (wide >= WIDE) & (high >= HIGH) & (wide * high >= ROOM * children)
    opened |= tree.file < 0
    shown, within = np.ones(len(tree), np.bool_), np.arange(len(tree))
    for level in range(1, int(tree.depth.max(initial=0)) + 1):
        rows = np.flatnonzero(tree.depth == level)
        above = tree.parent[rows]
        shown[rows] = shown[above] & opened[above]
        within[rows] = np.where(shown[rows], rows, within[above])
    leaf = np.flatnonzero(shown & ~((children > 0) & opened))
    return CellLayout(boxes, shown, leaf, within)


@dataclass(frozen=True, eq=False)
class Packages:
    """of_cell: int64[m], row of `cells` or -1; cells: int64[p], those with most calls first."""

    of_cell: Rows
    cells: Rows


ENOUGH = 4  # packages with calls, by which the level is chosen


def packages_of(tree: CellTree, level: int) -> Packages:
    """The packages at a level below the root, and files above it; 0 = the first level at which enough are called."""
    deepest = int(tree.depth.max(initial=0))
    if level <= 0:
        known = [_at_level(tree, depth) for depth in range(min(1, deepest), deepest + 1)]
        called = [int((tree.calls[cells] > 0).sum()) for _, cells in known]
        most = max(called)
        of_cell, cells = known[next(at for at, count in enumerate(called) if count >= min(ENOUGH, most))]
    else:
        of_cell, cells = _at_level(tree, min(level, max(deepest, 1)))
    order = np.argsort(-tree.calls[cells], kind="stable")
    rank = np.full(len(tree), -1)
    rank[cells[order]] = np.arange(len(cells))
    return Packages(np.where(of_cell >= 0, rank[of_cell], -1), cells[order])


def _at_level(tree: CellTree, level: int) -> tuple[Rows, Rows]:
    """(the cell at a level, or the file above it, of each cell or -1; all of them)."""
    rows = np.arange(len(tree))
    inside = (tree.file >= 0) & (tree.file != rows)  # what is in files is no package
    here = ~inside & ((tree.depth == level) | ((tree.depth < level) & (tree.file == rows)))
    of_cell = np.where(here, rows, -1)
    for depth in range(1, int(tree.depth.max(initial=0)) + 1):
        below = np.flatnonzero((tree.depth == depth) & (of_cell < 0))
        of_cell[below] = of_cell[tree.parent[below]]
    return of_cell, np.flatnonzero(here)
