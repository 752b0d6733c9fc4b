"""Tooltips: the call, the pair, the box, the similar part under the pointer."""

from __future__ import annotations

import numpy as np

from cbvtool.api import Hit, ViewContext, duration, function_title, time_text

from .bundle import CURVES, RING
from .highlight import highlighted
from .scene import Scene, part_figures_in, scene_in, whole_figures
from .sequence import GROUND, OVERVIEW
from .similar import FOUND, similar_in
from .state import ExtraVisState
from .tree import BOXES, box_name


def tell_hit(context: ViewContext, state: ExtraVisState, part: str, hit: Hit) -> tuple[str, ...]:
    """Lines on what is under the pointer."""
    scene = scene_in(context, state)
    if scene is None or not hit:
        return ()
    if hit.layer in {BOXES, f"{BOXES} 1", RING}:
        return _box(context, state, scene, hit.item)
    if hit.layer in {CURVES, "highlighted curves"}:
        return _pair(context, state, scene, hit.item)
    if hit.layer == FOUND:
        return _similar(context, state, scene, hit.item)
    if hit.layer == OVERVIEW:
        return ("The whole trace; a drag chooses the rows that are shown",)
    if hit.layer == GROUND and state.kind == "pair" and 0 <= state.at < len(scene.pairs):
        return (*_call(context, state, scene), *_pair(context, state, scene, state.at))
    return ()


def _call(context: ViewContext, state: ExtraVisState, scene: Scene) -> tuple[str, ...]:
    """The call that the pointer was last on, as `reacting` noted it."""
    if state.row < 0 or state.row >= scene.length or state.lane >= len(scene.lanes):
        return ()
    place = scene.lanes[state.lane].at(state.row)
    if place < 0:
        return ()
    prepared = scene.columns.prepared[state.lane]
    trace, row = prepared.trace, prepared.row(place)
    caller, callee = prepared.functions(place)
    start, long = int(trace.calls.start[row]), int(trace.calls.end[row] - trace.calls.start[row])
    return (
        f"{function_title(trace.functions, caller)} calls {function_title(trace.functions, callee)}",
        f"call {place + 1:,} of {len(prepared.sequence):,}, at {time_text(float(start - trace.span[0]), 1.0)}, "
        f"for {duration(long)}",
    )


def _pair(context: ViewContext, state: ExtraVisState, scene: Scene, one: int) -> tuple[str, ...]:
    if not 0 <= one < len(scene.pairs):
        return ()
    ends = (int(scene.pairs.caller[one]), int(scene.pairs.callee[one]))
    names = [box_name(context.graph, scene, int(scene.icicle.column[end])) for end in ends]
    back = np.flatnonzero((scene.pairs.caller == ends[1]) & (scene.pairs.callee == ends[0]))
    lines = [f"{names[0]} → {names[1]}"]
    for number in range(len(scene.lanes)):
        here = int(part_figures_in(context, state, scene, number).count[one])
        whole = int(whole_figures(context, scene, number).count[one])
        word = "" if len(scene.lanes) == 1 else f"{'AB'[number]}: "
        lines.append(f"{word}{here:,} call{'' if here == 1 else 's'} in this part, {whole:,} in all")
    if len(scene.lanes) == 2:
        lines.append(_difference(*(int(whole_figures(context, scene, number).count[one]) for number in range(2))))
    if len(back) and ends[0] != ends[1]:
        counts = [int(whole_figures(context, scene, number).count[back[0]]) for number in range(len(scene.lanes))]
        both = "" if len(counts) == 1 else " in A"
        lines.append(f"{counts[0]:,} the other way round{both}" + "".join(f", {count:,} in B" for count in counts[1:]))
    return tuple(lines)


def _difference(before: int, after: int) -> str:
    """What two recordings have of the calls of a pair, in a sentence."""
    if not before or not after:
        return f"{'B' if after else 'A'} alone makes these calls"
    if before == after:
        return "Both make as many of these calls"
    by, more = abs(after - before), "more" if after > before else "fewer"
    return f"B makes {by:,} {more} of these calls than A"


def _box(context: ViewContext, state: ExtraVisState, scene: Scene, box: int) -> tuple[str, ...]:
    shown, graph = scene.icicle, context.graph
    if not 0 <= box < len(shown.key):
        return ()
    key = int(shown.key[box])
    title = "code that is not open, or has no node" if key < 0 else graph.path(key) or graph.name
    mask = highlighted(context, scene, ("box", (box,)))
    figures = part_figures_in(context, state, scene)
    inside = (scene.pairs.callee >= shown.first[box]) & (scene.pairs.callee < shown.last[box])
    made = int(figures.count[mask & ~inside].sum())
    into = int(figures.count[mask & inside].sum())
    lines = [f"{title}, what it does itself" if shown.own[box] else title]
    lines.append(f"{into:,} calls of it, {made:,} calls that it makes of others, in this part")
    if shown.closed[box]:
        lines.append("closed: a double click opens it")
    elif shown.last[box] - shown.first[box] > 1:
        lines.append(f"{shown.last[box] - shown.first[box]:,} columns; a double click closes it")
    return tuple(lines)


def _similar(context: ViewContext, state: ExtraVisState, scene: Scene, item: int) -> tuple[str, ...]:
    similar = similar_in(context, state)
    if similar is None or similar.found is None or not 0 <= item < len(similar.found):
        return ("The marked part",)
    found = similar.found
    calls = f"{int(found.high[item] - found.low[item]):,} calls"
    if found.low[item] == similar.mark[0]:
        return ("The marked part", calls)
    return (
        f"{100 * found.similarity[item]:.0f} % like the marked part",
        f"{calls}, {int(found.edits[item]):,} of them put in, taken out or replaced",
        "A click looks at it",
    )
