"""The decorations around the ring: title, and the lines of a tooltip. Names on the ring are in `labels`.

Everything is a Picture in logical pixels, for any painter. Decorations stand in the corners, which the ring leaves
free, on cards in the colour of the ground, so that they stay legible when the view is zoomed in.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cbvtool.geometry.colors import THEMES
from cbvtool.geometry.overlay.headline import headline
from cbvtool.geometry.overlay.labels import Measure, labels, rough_width, shorten
from cbvtool.geometry.overlay.legends import (
    BODY,
    MARGIN,
    PAD,
    TITLE,
    card_at,
    color_legend,
    corners,
    height_legend,
    legends,
    relation_legend,
)
from cbvtool.geometry.overlay.naming import files_of
from cbvtool.geometry.picture import Item, Picture, Text
from cbvtool.geometry.scene.planned import Sort, ghost_words
from cbvtool.geometry.scene.scene import Scene, item_values
from cbvtool.metrics.run_time import CALLS, SELF_TIME
from cbvtool.words import one_line

__all__ = [
    "Measure",
    "card_at",
    "color_legend",
    "corners",
    "ghost_lines",
    "height_legend",
    "labels",
    "legends",
    "plan_lines",
    "relation_legend",
    "rough_width",
    "sort_of",
    "title",
    "tooltip_lines",
]

IntColumn = npt.NDArray[np.int32]


def title(
    scene: Scene, width: int, height: int, name: str = "", *, commit: str = "", measure: Measure = rough_width
) -> Picture:
    """Top left: the name of the subject, and how many files and relations it has.

    name     of the subject; empty = the name of the graph
    commit   id of the commit that is shown, if any
    """
    theme = THEMES[scene.state.theme]
    graph = scene.graph
    files = sum(
        int(np.count_nonzero(graph.kinds == row)) for row, kind in enumerate(graph.kind_names) if kind == "file"
    )
    facts = [_counted(files, "file"), _counted(len(graph.edges), "relation")]
    if commit:
        facts.append(f"commit {commit[:10]}")
    x, y = MARGIN + PAD, MARGIN + PAD + TITLE / 2
    heading = shorten(one_line(name or graph.name), width * 0.4, TITLE, measure)
    items: list[Item] = [
        Text(heading, x, y, TITLE, theme.text, "left", bold=True),
        Text("  ·  ".join(facts), x, y + 24, BODY, theme.muted, "left"),
    ]
    if scene.state.root != graph.root:
        items.append(Text(f"Only {one_line(graph.path(scene.state.root))}", x, y + 42, BODY, theme.muted, "left"))
    elif said := headline(scene):
        items.append(Text(said, x, y + 42, BODY, theme.text, "left"))
    return Picture(width, height, tuple(items))


def tooltip_lines(scene: Scene, item: int) -> list[str]:
    """The tooltip of an item: its path, its kind and place in the source, and the absolute values with their units."""
    graph, tree = scene.graph, scene.tree
    key = int(tree.key[item])
    slot = bool(tree.slot[item])
    lines = [one_line(graph.path(key)) + (" (module)" if slot else "")]
    lines.append(sort_of(scene, item))
    lines += plan_lines(scene, key)
    shown = {variable.metric.label: variable for variable in scene.variables.values()}
    for label, variable in shown.items():
        if scene.values.takes_long(variable.metric.name):
            continue  # this metric is still being measured
        value = item_values(tree, variable.column, variable.metric)[item]
        lines.append(f"{label}: {variable.metric.show(float(value))}")
    lines += standing_for_lines(scene, item)
    lines += run_time_lines(scene, item)
    inside = slice(item, int(tree.end[item]))
    users = _crossing(scene.lifted.target, scene.lifted.source, inside, scene.lifted.count)
    used = _crossing(scene.lifted.source, scene.lifted.target, inside, scene.lifted.count)
    lines.append(f"Uses {_counted(used, 'relation')}, used by {_counted(users, 'relation')}")
    return lines


def standing_for_lines(scene: Scene, item: int) -> list[str]:
    """The lines about a collapsed container: what it merges, and its highest file, which is hidden in it."""
    files = files_of(scene, item)
    if len(files) < 2:
        return []
    lines, shown = [f"Stands for {len(files):,} files"], scene.variables["height"]
    if not scene.values.takes_long(shown.metric.name) and np.nanmax(shown.column[files], initial=0.0) > 0:
        highest = int(files[np.nanargmax(shown.column[files])])
        most = shown.metric.show(float(shown.column[highest]))
        lines.append(f"  the highest of them: {one_line(scene.graph.names[highest])}, {most}")
    return lines


def run_time_lines(scene: Scene, item: int) -> list[str]:
    """What a trace says of an item: `1,204 calls, 35.2 ms of its own`, or that it was not called or recorded."""
    values, shown = scene.values, {variable.metric.name for variable in scene.variables.values()}
    if CALLS not in values.metrics or {CALLS, SELF_TIME} <= shown:
        return []
    calls, own = (
        float(item_values(scene.tree, values[name], values.metrics[name])[item]) for name in (CALLS, SELF_TIME)
    )
    if np.isnan(calls):
        missing = values.metrics[CALLS].missing
        return [f"At run time: {missing}"]
    if not calls:
        return ["At run time: not called in this window of time"]
    return [f"At run time: {values.metrics[CALLS].show(calls)}, {values.metrics[SELF_TIME].show(own)} of its own"]


def plan_lines(scene: Scene, key: int) -> list[str]:
    """What the plan does to a node: where it was, or, in the picture before the plan, where it will be."""
    plan = scene.marks
    if plan is None:
        return []
    return [line for line in [plan.will(key)] if line] if scene.state.before else plan.lines(key)


def ghost_lines(scene: Scene, key: int) -> list[str]:
    """The tooltip of an empty place: which node was there and where it is now, or which node will be there."""
    ghosts, plan = scene.ghosts, scene.plan
    if ghosts is None or plan is None:
        return []
    name = one_line(ghosts.graph.names[key])
    if scene.state.before:
        return [name, "Will be here after the plan"]
    is_there = Sort.REMOVED not in plan.sorts(key)
    return [name, ghost_words(plan, key), *(["Click to go there"] if is_there else [])]


def sort_of(scene: Scene, item: int) -> str:
    """Kind of an item, and its place in the source."""
    graph, key = scene.graph, int(scene.tree.key[item])
    sort = graph.kind(key)
    if scene.tree.slot[item]:
        sort = f"own content of {one_line(graph.names[key])}"
    elif graph.file[key] >= 0 and sort not in ("folder", "package", "project"):
        place = one_line(graph.files[graph.file[key]])
        sort = f"{sort} · {place}" + (f":{graph.line[key]}" if graph.line[key] > 0 else "")
    return sort[:1].upper() + sort[1:]


def _crossing(end: IntColumn, other: IntColumn, inside: slice, count: npt.NDArray[np.int64]) -> int:
    """Relations with one end among the items of `inside` and the other outside."""
    here = (end >= inside.start) & (end < inside.stop)
    there = (other >= inside.start) & (other < inside.stop)
    return int(count[here & ~there].sum())


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}" + ("" if count == 1 else "s")
