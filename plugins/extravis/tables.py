"""Tables: pairs of columns that call each other in the part that is looked at, parts like the marked one."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cbvtool.api import Graph, IdentityFigures, ViewColumn, ViewContext, ViewTable

from .scene import Scene, part_figures_in, scene_in, whole_figures
from .similar import Similar, similar_in
from .state import ExtraVisState

_MOST = 100_000
_PARTS = 3  # of a path that are written
_NOTHING = np.empty(0, np.int32)
_HOW = "Drag over rows, then press M: parts like those are listed here."


def draw_table(context: ViewContext, state: ExtraVisState, part: str) -> ViewTable:
    """One of the tables."""
    scene = scene_in(context, state)
    if scene is None:
        return ViewTable((), _NOTHING, empty="Reading calls in order …")
    if part == "similar":
        return _similar_table(context, state, scene)
    numbers = range(len(scene.lanes))
    here = tuple(part_figures_in(context, state, scene, number) for number in numbers)
    whole = tuple(whole_figures(context, scene, number) for number in numbers)
    columns, items, more = context.memo(_pairs, scene, context.graph, here, whole)
    chosen = frozenset({state.pair}) if state.pair >= 0 else frozenset[int]()
    return ViewTable(columns, items, more, chosen, empty="No call is in this part.")


def _pairs(
    scene: Scene, graph: Graph, here: tuple[IdentityFigures, ...], whole: tuple[IdentityFigures, ...]
) -> tuple[tuple[ViewColumn, ...], npt.NDArray[np.int32], int]:
    total = np.asarray(sum(each.count for each in here))
    rows = np.flatnonzero(total > 0)
    rows = rows[np.argsort(-total[rows], kind="stable")]
    more, rows = max(len(rows) - _MOST, 0), rows[:_MOST]
    paths = [_path(graph, scene, box) for box in scene.icicle.column.tolist()]
    pairs = scene.pairs
    columns = [
        ViewColumn("Caller", [paths[end] for end in pairs.caller[rows].tolist()], kind="text"),
        ViewColumn("Callee", [paths[end] for end in pairs.callee[rows].tolist()], kind="text"),
    ]
    if len(here) == 1:
        start = scene.columns.prepared[0].sequence.start - scene.columns.prepared[0].trace.span[0]
        columns += [
            ViewColumn("Calls", here[0].count[rows], kind="bar", help="In the part that is looked at"),
            ViewColumn("In all", whole[0].count[rows], help="In the whole trace: few are infrequent calls"),
            ViewColumn("First", start[here[0].first[rows]], kind="time", help="Begin of its first call in the part"),
            ViewColumn("Last", start[here[0].last[rows]], kind="time", help="Begin of its last call in the part"),
        ]
    else:
        change = here[1].count[rows] - here[0].count[rows]
        columns += [
            ViewColumn("Calls in A", here[0].count[rows], kind="bar"),
            ViewColumn("Calls in B", here[1].count[rows], kind="bar"),
            ViewColumn("More in B", change, help="Fewer are negative"),
        ]
    return tuple(columns), rows.astype(np.int32), more


def _path(graph: Graph, scene: Scene, box: int) -> str:
    key = int(scene.icicle.key[box])
    if key < 0:
        return "other code"
    parts = (graph.path(key) or graph.name).split(" > ")
    return " > ".join(["…", *parts[-_PARTS:]] if len(parts) > _PARTS + 1 else parts)


def _similar_table(context: ViewContext, state: ExtraVisState, scene: Scene) -> ViewTable:
    if state.mark is None:
        return ViewTable((), _NOTHING, empty=_HOW)
    similar = similar_in(context, state)
    if similar is None:
        return ViewTable((), _NOTHING, empty="Looking for similar parts …")
    if similar.found is None:
        return ViewTable((), _NOTHING, empty=similar.why)
    columns, items = context.memo(_similar, scene, similar)
    more = f" At most {len(items):,} are shown." if similar.found.more else ""
    return ViewTable(columns, items, int(similar.found.more), empty=f"No part is like it.{more}")


def _similar(scene: Scene, similar: Similar) -> tuple[tuple[ViewColumn, ...], npt.NDArray[np.int32]]:
    found = similar.found
    assert found is not None
    lane, prepared = scene.lanes[0], scene.columns.prepared[0]
    ends = [lane.places(low, high) for low, high in zip(found.low.tolist(), found.high.tolist(), strict=True)]
    start = prepared.sequence.start
    begin = np.array([int(start[first]) - prepared.trace.span[0] if last > first else -1 for first, last in ends])
    end = np.array([int(start[last - 1]) - prepared.trace.span[0] if last > first else -1 for first, last in ends])
    return (
        ViewColumn("Begins", begin, kind="time"),
        ViewColumn("Last call", end, kind="time"),
        ViewColumn("Calls", found.high - found.low),
        ViewColumn("Similarity", np.round(100 * found.similarity, 1), unit="%", kind="bar"),
        ViewColumn("Differ", found.edits, unit="calls", help="Put in, taken out or replaced"),
    ), np.arange(len(found), dtype=np.int32)
