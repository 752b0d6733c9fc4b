"""Ring and relations coloured by how near each is to what changes (DND-10)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cbvtool.asking.impact import Dependants
from cbvtool.geometry.colors import THEMES, Theme
from cbvtool.geometry.picture import Color
from cbvtool.graph import LiftedEdges
from cbvtool.layout.visible import VisibleTree

Colors = npt.NDArray[np.uint8]
IntColumn = npt.NDArray[np.int32]

FADES_BY, PALEST = 0.62, 0.16  # share of the colour left after each further step; smallest share
SHOWN_STEPS = 6  # number of steps that have different colours


def item_distance(tree: VisibleTree, impact: Dependants) -> IntColumn:
    """int32[v]: steps from each item, or its nearest content, to the change; 0 = it changes itself; -1 = not affected.

    Nodes inside an affected node are as near as that: if a file imports the change, everything in it is affected.
    """
    far = np.iinfo(np.int32).max
    by_key = np.full(len(tree.represent), far, np.int32)
    by_key[impact.node] = impact.distance
    by_key[list(impact.changed)] = 0
    nearest = by_key[tree.key]
    for level in range(1, tree.rings + 1):
        items = np.flatnonzero(tree.level == level)
        nearest[items] = np.minimum(nearest[items], nearest[tree.parent[items]])
    keys = np.flatnonzero((by_key < far) & (tree.represent >= 0))
    np.minimum.at(nearest, tree.represent[keys], by_key[keys])
    for level in range(tree.rings, 0, -1):
        items = np.flatnonzero(tree.level == level)
        np.minimum.at(nearest, tree.parent[items], nearest[items])
    return np.where(nearest == far, -1, nearest).astype(np.int32)


def affected_colors(tree: VisibleTree, color: Colors, impact: Dependants, theme: str) -> Colors:
    """uint8[v, 4]: changed items in the accent colour, affected ones paler with each step, all others in grey."""
    look = THEMES[theme]
    distance = item_distance(tree, impact)
    result = color.copy()
    for step in range(-1, int(distance.max(initial=0)) + 1):
        result[tree.leaf & (distance == step)] = step_color(look, step)
    result.flags.writeable = False
    return result


def of_impact(lifted: LiftedEdges, impact: Dependants) -> LiftedEdges:
    """Only those relations over which a change affects something."""
    found = lifted.of_edge[impact.row]
    kept = np.zeros(len(lifted.source), np.bool_)
    kept[found[found >= 0]] = True
    return lifted.take(kept)


def affected_curves(color: Colors, tree: VisibleTree, source: IntColumn, impact: Dependants, theme: str) -> Colors:
    """uint8[e, S, 4]: each curve in the colour of its dependant's (int32[e]) distance, with the opacity it had."""
    steps = np.minimum(item_distance(tree, impact)[source], SHOWN_STEPS)
    look = np.array([step_color(THEMES[theme], step)[:3] for step in range(1, SHOWN_STEPS + 1)], np.uint8)
    result = np.array(color)
    result[:, :, :3] = look[np.maximum(steps, 1) - 1][:, None]
    return result


def step_color(look: Theme, step: int) -> Color:
    """The colour of a node `step` relations away from the change: 0 = it changes itself, -1 = not affected."""
    if step == 0:
        return look.accent
    rest = look.inner[0][1]
    if step < 0:
        return rest
    share = max(FADES_BY ** (min(step, SHOWN_STEPS) - 1), PALEST)
    red, green, blue = (round(a * share + b * (1 - share)) for a, b in zip(look.affected[:3], rest[:3], strict=True))
    return red, green, blue, 255
