"""The treemap of the code: cells, their cushions, borders, names, and frames around what stands out (VF-1, VF-2)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cbvtool.api import Bars, Cushion, Graph, Labels, Segments, Theme, ViewContext, frames_around

from .cells import CellLayout, CellTree
from .focus import Focused, selected_cells
from .palette import Colors
from .scene import Prepared, Scene

Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
CELLS = "cells"  # the layer that is picked
_MOST_NAMES = 500
_BORDER = 1.0  # logical pixels on each side of a border
_DARKEST = 0.5  # what is left of a colour where a cushion is darkest
_LETTER = 6.0  # logical pixels, about
Layers = list[Bars | Labels | Segments]


def structure_layers(context: ViewContext, scene: Scene, colors: Colors, far: Colors) -> Layers:
    """From below: colours, which follow the pointer, `far` those of what ran elsewhere; cushions, borders and names."""
    prepared, layout, theme, memo = scene.prepared, scene.layout, context.theme, context.memo
    return [
        memo(_cells, layout, colors),
        memo(_far, scene, far),
        memo(_cushions, prepared.tree, layout),
        memo(_borders, prepared.tree, layout, theme),
        *memo(_names, prepared, layout, context.graph, theme),
    ]


def frames(context: ViewContext, scene: Scene, focus: Focused) -> Layers:
    """Around the subtree that is brushed, and the nodes that are selected."""
    theme, found = context.theme, Layers()
    chosen = selected_cells(context, scene)
    if chosen:
        found.append(_frame("selected cells", scene.layout, [scene.layout.within[cell] for cell in chosen], theme, 2.0))
    if focus.root >= 0:
        found.append(_frame("brushed cell", scene.layout, [focus.root], theme, 3.0))
        found.append(_title(scene, focus.root, context.graph, theme))
    return found


def _cells(layout: CellLayout, colors: Colors) -> Bars:
    box = layout.box[layout.leaf]
    return Bars(
        name=CELLS,
        x0=box[:, 0],
        x1=box[:, 2],
        y0=box[:, 1],
        y1=box[:, 3],
        color=colors,
        item=layout.leaf.astype(np.int32),
        wheel=True,
    )


def _far(scene: Scene, colors: Colors) -> Bars:
    """Striped, so that what ran elsewhere is told from what did not run without telling two blues apart."""
    leaf = scene.layout.leaf
    box = scene.layout.box[leaf[scene.elsewhere[leaf]]]
    x0, y0, x1, y1 = box.T
    return Bars(name="elsewhere", x0=x0, x1=x1, y0=y0, y1=y1, color=colors, pattern="diagonal")


def _cushions(tree: CellTree, layout: CellLayout) -> Bars:
    """Of all cells that are shown, those around others first: shades of all that cover a place are multiplied.

    An only child is the same cell as its parent.
    """
    alone = np.append(False, tree.nested[1:] == tree.nested[tree.parent[1:]])
    rows = np.flatnonzero(layout.shown & ~alone)
    box = layout.box[rows]
    return Bars(
        name="cushions",
        x0=box[:, 0],
        x1=box[:, 2],
        y0=box[:, 1],
        y1=box[:, 3],
        color=(0, 0, 0, 255),
        shade=Cushion(depth=tree.nested[rows], ambient=_DARKEST, shadow=True),
    )


def _borders(tree: CellTree, layout: CellLayout, theme: Theme) -> Bars:
    """Two pixels between cells of the topmost level."""
    x0, y0, x1, y1 = layout.box[tree.top()].T
    far, low = x1 - _BORDER, y1 - _BORDER
    return Bars(
        name="borders",
        x0=np.concatenate((x0, far, x0, x0)),
        x1=np.concatenate((x0 + _BORDER, x1, x1, x1)),
        y0=np.concatenate((y0, y0, y0, low)),
        y1=np.concatenate((y1, y1, y0 + _BORDER, y1)),
        color=theme.ground,
    )


def _names(prepared: Prepared, layout: CellLayout, graph: Graph, theme: Theme) -> tuple[Bars | Labels, ...]:
    """Of folders of the topmost level, on plates, and of innermost cells with room for theirs."""
    top = prepared.tree.top()
    leaves = layout.leaf[~np.isin(layout.leaf, top)]
    box = layout.box[leaves]
    wide, high = box[:, 2] - box[:, 0], box[:, 3] - box[:, 1]
    room = np.flatnonzero((wide > 30) & (high > 14))
    room = np.sort(room[np.argsort(-(wide * high)[room], kind="stable")[:_MOST_NAMES]])
    names = [graph.names[int(key)] for key in prepared.tree.key[leaves[room]]]
    fits = np.array(
        [_LETTER * min(len(name), 14) <= space - 6 for name, space in zip(names, wide[room], strict=True)], np.bool_
    )
    fits &= ~_under(_plate_boxes(top, prepared.tree, layout, graph)[1], box[room], names)
    which = room[fits]
    inner = Labels(
        name="names",
        x=(box[which, 0] + box[which, 2]) / 2,
        y=(box[which, 1] + box[which, 3]) / 2,
        text=tuple(name for name, good in zip(names, fits, strict=True) if good),
        room=wide[which] - 4,
        color=(*theme.text[:3], 225),
        size=10.5,
        anchor="center",
        halo=(*theme.ground[:3], 200),
    )
    return (inner, *_plates(top, prepared.tree, layout, graph, theme))


def _plates(top: Rows, tree: CellTree, layout: CellLayout, graph: Graph, theme: Theme) -> tuple[Bars, Labels]:
    which, box = _plate_boxes(top, tree, layout, graph)
    x0, y0, x1, y1 = box.T
    texts = tuple(graph.names[int(key)] for key in tree.key[which])
    return (
        Bars(name="plates", x0=x0, x1=x1, y0=y0, y1=y1, color=(*theme.ground[:3], 215)),
        Labels(
            name="names of packages",
            x=x0 + 5,
            y=(y0 + y1) / 2,
            text=texts,
            color=theme.text,
            size=12.0,
            bold=True,
            room=x1 - x0 - 6,
        ),
    )


def _plate_boxes(top: Rows, tree: CellTree, layout: CellLayout, graph: Graph) -> tuple[Rows, npt.NDArray[np.float64]]:
    """(cells with room for a plate, float64[p, 4] where it lies)."""
    box = layout.box[top]
    which = np.flatnonzero((box[:, 2] - box[:, 0] > 36) & (box[:, 3] - box[:, 1] > 20))
    box = box[which] + np.array([_BORDER, _BORDER, -_BORDER, 0.0])
    needs = np.array([7.6 * len(graph.names[int(key)]) + 12 for key in tree.key[top[which]]])
    right, bottom = np.minimum(box[:, 0] + needs, box[:, 2]), box[:, 1] + 18
    return top[which], np.column_stack((box[:, 0], box[:, 1], right, bottom))


def _under(plates: npt.NDArray[np.float64], box: npt.NDArray[np.float64], names: list[str]) -> Mask:
    """bool[n]: the names in the middle of boxes that a plate would cover."""
    half = np.array([_LETTER * min(len(name), 14) / 2 for name in names])
    x, y = ((box[:, [0, 1]] + box[:, [2, 3]]) / 2).T
    over = (x - half < plates[:, 2:3]) & (x + half > plates[:, 0:1])
    found: Mask = (over & (y - 7 < plates[:, 3:4]) & (y + 7 > plates[:, 1:2])).any(axis=0)
    return found


def _frame(name: str, layout: CellLayout, cells: list[int], theme: Theme, width: float) -> Segments:
    x0, y0, x1, y1 = layout.box[cells].T + np.array([[1.0], [1.0], [-1.0], [-1.0]])
    return frames_around(name, x0, x1, y0, y1, theme.accent, width=width)


def _title(scene: Scene, cell: int, graph: Graph, theme: Theme) -> Labels:
    x0, y0, x1 = scene.layout.box[cell, :3]
    text = graph.path(int(scene.prepared.tree.key[cell])) or graph.name
    high = y0 - 9 if y0 - 18 > scene.box[1] else y0 + 11
    return Labels(
        name="brushed name",
        x=np.array([x0 + 4]),
        y=np.array([high]),
        text=(text,),
        color=theme.accent,
        bold=True,
        size=12.0,
        halo=(*theme.ground[:3], 235),
        room=np.array([max(scene.box[2] - x0 - 12, x1 - x0)]),
    )
