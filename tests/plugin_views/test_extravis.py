"""ExtraVis without a display (EX-1 to EX-6): what it draws against plain counting, and what it answers."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cbvtool.api import (
    Budget,
    EventKind,
    Graph,
    Hit,
    Labels,
    Menu,
    NodeMap,
    OpenSource,
    Plot,
    Range,
    Raster,
    Say,
    SelectNodes,
    SetFocus,
    Trace,
    TraceBuilder,
    ViewEvent,
    Viewport,
    ViewTable,
    call_weights,
    locate,
    paint_sequence,
    pixel_spans,
)
from cbvtool.cli import DONE, main
from cbvtool.geometry.colors import DARK, LIGHT
from cbvtool.graph import GraphBuilder
from cbvtool.plots.filling import fill
from cbvtool.plots.picking import pick
from cbvtool.session.plugin_views.instance import ViewInstance
from cbvtool.session.plugin_views.surroundings import ViewInputs, ViewSurroundings
from cbvtool.trace.sequence.leaf_order import call_length
from cbvtool.trace.store.folder import write_folder
from plugins.extravis.bundle import thickness
from plugins.extravis.differences import only_shares
from plugins.extravis.hierarchy import closed_at
from plugins.extravis.room import room_of
from plugins.extravis.scene import Scene, part_in, scene_in
from plugins.extravis.sequence import ROWS
from plugins.extravis.state import ExtraVisState
from plugins.extravis.view import ExtraVisView
from tests.plugin_views.opened import drawn_plot, layer

VIEW = Viewport(700.0, 600.0)
SQUARE = Viewport(500.0, 540.0)
FIGURES = ("new", "square", "line", "square", "circle", "text")  # of a drawing


def graph() -> Graph:
    """app (session.py (Session (run, create))), shapes (line.py, ...), paint.py (draw), a library."""
    made = GraphBuilder("project")
    made.add_node("app", "", "app", "folder")
    made.add_node("app/session.py", "app", "session.py", "file", file="app/session.py")
    made.add_node("app/session.py::Session", "app/session.py", "Session", "class", file="app/session.py", line=1)
    for name in ("run", "create"):
        made.add_node(f"app/session.py::Session.{name}", "app/session.py::Session", name, "function", line=2)
    made.add_node("shapes", "", "shapes", "folder")
    for name in sorted(set(FIGURES)):
        made.add_node(f"shapes/{name}.py", "shapes", f"{name}.py", "file", file=f"shapes/{name}.py")
        made.add_node(f"shapes/{name}.py::make", f"shapes/{name}.py", f"make_{name}", "function", line=1)
    made.add_node("paint.py", "", "paint.py", "file", file="paint.py")
    made.add_node("paint.py::draw", "paint.py", "draw", "function", line=1)
    return made.freeze()


def session(repeats: int = 3, extra: int = 0, seed: int = 1) -> Trace:
    """A session: drawings made one after the other, each of six figures that are drawn; between, other calls.

    extra   so many figures more in the last drawing
    """
    rng, made = np.random.default_rng(seed), TraceBuilder("test", Budget("The trace"))
    names = {"run": "app/session.py::Session.run", "create": "app/session.py::Session.create", "draw": "paint.py::draw"}
    names |= {name: f"shapes/{name}.py::make" for name in FIGURES}
    numbers = {name: made.function(name, "", place, 1) for name, place in names.items()}
    numbers["log"] = made.function("log", "library", "", 1)
    thread, time = made.thread(1, 1), 0

    def begin(name: str) -> None:
        nonlocal time
        time += 10
        made.begin(thread, numbers[name], time)

    def end() -> None:
        nonlocal time
        time += 10
        made.end(thread, time)

    begin("run")
    for number in range(repeats):
        for _ in range(20 + 10 * number):
            begin("log")
            begin("draw" if rng.random() < 0.5 else "text")
            end()
            end()
        figures = [*FIGURES, *(["line"] * extra if number == repeats - 1 else [])]
        for figure in figures:
            begin("create")
            begin(figure)
            begin("draw")
            end()
            end()
            end()
    end()
    return made.trace(made.build(), {})


def mapped(trace: Trace, of: Graph) -> NodeMap:
    """By the id that each function has for its file."""
    node = np.array([of.key_of.get(place, -1) if place else -1 for place in trace.functions.file], np.int32)
    return NodeMap(node, np.zeros(len(node), np.int8), ("by hand",))


def opened(
    *traces: Trace,
    around: ViewSurroundings | None = None,
    data: Any = None,
    said: list[str] | None = None,
    **values: object,
) -> ViewInstance:
    of, faults = graph(), [] if said is None else said
    traces = traces or (session(),)
    inputs = ViewInputs(traces, tuple(mapped(each, of) for each in traces), tuple(range(len(traces))), of)
    instance = ViewInstance(
        ExtraVisView(), inputs, around or ViewSurroundings(), faults.append, values=values, data=data
    )
    instance.settle()
    assert not faults
    return instance


def plot(instance: ViewInstance, part: str = "sequence", viewport: Viewport = VIEW) -> Plot:
    return drawn_plot(instance, part, viewport)


def scene_of(instance: ViewInstance) -> Scene:
    found = scene_in(instance.context, instance.state)
    assert found is not None
    return found


def names(instance: ViewInstance) -> list[str]:
    """Of the columns."""
    shown = scene_of(instance).icicle
    of = instance.context.graph.names
    return ["elsewhere" if shown.key[box] < 0 else of[int(shown.key[box])] for box in shown.column]


def say(instance: ViewInstance, kind: EventKind, part: str = "sequence", **more: Any) -> tuple[Any, ...]:
    """An event at a place; what is asked of the host. The needs that follow are made."""
    viewport = VIEW if part == "sequence" else SQUARE
    drawn = plot(instance, part, viewport) if part in {"sequence", "bundle"} else None
    if drawn is not None and "px" in more and "hit" not in more:
        more["hit"] = pick(fill(drawn, viewport), more["px"], more["py"])
    requests = instance.on(ViewEvent(kind, part, size=(viewport.width, viewport.height), **more))[1]
    instance.settle()
    return requests


def drag(instance: ViewInstance, low: float, high: float) -> tuple[Any, ...]:
    """The rows from one to the other are chosen."""
    start = ViewEvent(EventKind.PRESS, "sequence", ROWS, 300.0, low, 300.0, 300.0)
    return say(instance, EventKind.DROP, pane=ROWS, x=300.0, y=high, start=start)


def test_rows_are_painted_by_the_formula() -> None:
    """EX-2, EX-3: the calls below the columns, first at the top, as the painter of the room paints them."""
    instance = opened(own=False, columns="functions")
    scene, drawn = scene_of(instance), plot(instance)
    assert names(instance) == [
        "create",
        "run",
        "make_circle",
        "make_line",
        "make_new",
        "make_square",
        "make_text",
        "draw",
        "elsewhere",
    ]
    picture = layer(drawn, "rows 0")
    assert isinstance(picture, Raster)
    x0, y0, x1, y1 = picture.box
    size = (round(x1 - x0), round(y1 - y0))
    edges, pairs, known = np.linspace(0, size[0], 10), scene.pairs, scene.columns.identities[0].of_call
    spans = pixel_spans(pairs.caller, pairs.callee, edges[:-1], edges[1:], size[0])
    colors = ((16, 140, 60, 255), (214, 32, 32, 255), LIGHT.ground)
    expected = paint_sequence(known, call_weights(known, 25, -1.0), spans, (0.0, len(known)), size, colors)
    assert np.array_equal(picture.image, expected)
    strong = opened(own=False, columns="functions", power=-4.0, window=9)
    assert not np.array_equal(layer(plot(strong), "rows 0").image, expected)


def test_other_code_folds_into_its_callers() -> None:
    """EX-2: calls of code that is not open are left out; what they call is called by their caller."""
    instance = opened(columns="functions")
    assert "elsewhere" not in names(instance)
    scene = scene_of(instance)
    sequence = scene.columns.prepared[0].sequence
    functions = scene.columns.prepared[0].trace.functions.name
    called = {(functions[a], functions[b]) for a, b in zip(sequence.caller, sequence.callee, strict=True)}
    assert ("run", "draw") in called
    assert not any("log" in pair for pair in called)
    assert len(sequence) == (20 + 30 + 40) + 3 * 18


@pytest.mark.parametrize(
    ("level", "columns"),
    [
        ("functions", ["create", "run", "make_circle", "make_line", "make_new", "make_square", "make_text", "draw"]),
        ("classes", ["Session", "make_circle", "make_line", "make_new", "make_square", "make_text", "draw"]),
        ("files", ["session.py", "circle.py", "line.py", "new.py", "square.py", "text.py", "paint.py"]),
        ("packages", ["app", "shapes", "paint.py"]),
    ],
)
def test_levels_close_containers(level: str, columns: list[str]) -> None:
    """EX-2: a level, and single containers opened and closed by a double click."""
    instance = opened(columns=level)
    found = names(instance)
    if level == "packages":
        assert found[:2] == columns[:2]
    else:
        assert found == columns
    assert not closed_at(instance.context.graph, "functions").any()


def test_a_double_click_closes_and_opens() -> None:
    """EX-2: the container under the pointer; the state names it by its id."""
    instance = opened(columns="functions")
    scene = scene_of(instance)
    shapes = int(np.flatnonzero(scene.icicle.key == instance.context.graph.key_of["shapes"])[0])
    say(instance, EventKind.DOUBLE, hit=Hit("boxes", shapes))
    assert names(instance) == ["create", "run", "shapes", "draw"]
    assert instance.state.toggled == ("shapes",)
    box = int(scene_of(instance).icicle.column[2])
    assert "closed: a double click opens it" in instance.tell("bundle", Hit("ring", box))
    say(instance, EventKind.DOUBLE, "bundle", hit=Hit("ring", box))
    assert len(names(instance)) == 8
    leaf = int(scene_of(instance).icicle.column[0])  # `create` holds nothing: its class closes
    say(instance, EventKind.DOUBLE, hit=Hit("boxes", leaf))
    assert names(instance)[0] == "Session"


def test_a_range_of_rows_is_the_window_of_the_bundle() -> None:
    """EX-1, EX-4: dragged in the sequence, told to the others, counted by hand."""
    instance = opened(columns="functions")
    whole = layer(plot(instance, "bundle", SQUARE), "bundle legend").text[0]
    asked = drag(instance, 20.0, 38.0)
    scene = scene_of(instance)
    sequence = scene.columns.prepared[0].sequence
    focus = next(each.focus for each in asked if isinstance(each, SetFocus))
    assert focus.window == (sequence.start[20], sequence.start[37])
    assert part_in(instance.context, instance.state, scene) == (20, 38)
    text = layer(plot(instance, "bundle", SQUARE), "bundle legend").text[0]
    assert whole.startswith("144 calls of 13 pairs")
    assert text.startswith("18 calls of 11 pairs")
    table = instance.draw("pairs", VIEW)
    assert isinstance(table, ViewTable)
    assert int(np.asarray(table.columns[2].values).sum()) == 18
    assert layer(plot(instance), "part") is not None
    # Another view looks elsewhere: the rows follow.
    instance.look_at(replace(instance.focus, window=(int(sequence.start[5]), int(sequence.start[9]))))
    assert part_in(instance.context, instance.state, scene) == (5, 10)
    say(instance, EventKind.KEY, key="a")
    assert part_in(instance.context, instance.state, scene) == (0, 144)


def test_rows_can_be_those_of_the_window() -> None:
    """EX-2: the whole trace, or the window."""
    instance = opened(columns="functions", rows="window")
    drag(instance, 20.0, 38.0)
    assert plot(instance).pane(ROWS).y == (20.0, 38.0)
    assert layer(plot(instance), "part") is None


def test_wheel_and_miniature_choose_the_rows() -> None:
    """EX-2: a range of the pane, never beyond the sequence; a drag in the miniature."""
    instance = opened(columns="functions")
    say(instance, EventKind.RANGE, pane=ROWS, range=Range((0.0, 1.0), (30.0, 60.0)))
    assert plot(instance).pane(ROWS).y == (30.0, 60.0)
    assert layer(plot(instance), "overview frame") is not None
    for odd in ((-50.0, -20.0), (130.0, 190.0), (40.0, 40.1)):
        say(instance, EventKind.RANGE, pane=ROWS, range=Range((0.0, 1.0), odd))
        low, high = plot(instance).pane(ROWS).y
        assert 0 <= low < high <= 144
    say(instance, EventKind.RANGE, pane=ROWS, range=Range((0.0, 1.0), (-1e9, 1e9)))
    assert instance.state.shown is None
    start = ViewEvent(EventKind.PRESS, "sequence", "whole", 0.5, 10.0, 5.0, 200.0)
    say(instance, EventKind.DRAG, pane="whole", x=0.5, y=70.0, start=start)
    assert instance.state.shown == (10.0, 70.0)
    drag(instance, 20.0, 38.0)
    say(instance, EventKind.KEY, key="z")
    assert instance.state.shown == (20.0, 38.0)
    say(instance, EventKind.KEY, key="z")
    assert instance.state.shown is None


def middle_of_row(instance: ViewInstance, row: int, column: int) -> tuple[float, float]:
    """Pixels of the canvas."""
    scene, drawn = scene_of(instance), plot(instance)
    room = room_of(scene, VIEW)
    edges = room.borders(scene)
    _, py = locate(drawn.pane(ROWS), 0.0, row + 0.5)
    return float(edges[column] + edges[column + 1]) / 2, float(py)


def test_both_views_highlight_what_the_pointer_is_on() -> None:
    """EX-4: a call in the rows, a curve, a box; the rest fades in both; tooltips; source; selection."""
    instance = opened(columns="functions")
    say(instance, EventKind.RANGE, pane=ROWS, range=Range((0.0, 1.0), (20.0, 38.0)))
    scene = scene_of(instance)
    sequence = scene.columns.prepared[0].sequence
    place = 21
    one = int(scene.columns.identities[0].of_call[place])
    column = int(scene.pairs.callee[one])
    px, py = middle_of_row(instance, place, column)
    say(instance, EventKind.HOVER, pane=ROWS, px=px, py=py)
    assert (instance.state.kind, instance.state.at, instance.state.row) == ("pair", one, place)
    rows, ring = layer(plot(instance), "highlight 0"), layer(plot(instance, "bundle", SQUARE), "highlighted curves")
    assert set(np.unique(ring.item)) == {-1, one}
    seen = rows.image[..., 3] > 0
    same = [at for at in range(20, 38) if scene.columns.identities[0].of_call[at] == one]
    high = rows.image.shape[0] / 18
    inner = np.floor((np.arange(18) + 0.5) * high).astype(int)
    assert [at for at in range(20, 38) if seen[inner[at - 20]].any()] == same
    lines = instance.tell("sequence", Hit("calls", 0))
    assert lines[0] == "create calls new"
    assert lines[1].startswith(f"call {place + 1} of {len(sequence)}, at ")
    assert "3 calls in this part, 3 in all" in lines
    assert isinstance(say(instance, EventKind.KEY, key="s")[0], OpenSource)
    asked = say(instance, EventKind.CLICK, pane=ROWS, px=px, py=py)
    assert any(isinstance(each, SelectNodes) for each in asked)
    focus = next(each.focus for each in asked if isinstance(each, SetFocus))
    assert focus.calls == (scene.columns.prepared[0].row(place),)
    say(instance, EventKind.LEAVE)
    assert layer(plot(instance), "highlight 0") is not None  # it is selected
    say(instance, EventKind.KEY, key="Escape")
    assert layer(plot(instance), "highlight 0") is None
    curve = layer(plot(instance, "bundle", SQUARE), "curves")
    assert one in curve.item
    say(instance, EventKind.HOVER, "bundle", hit=Hit("curves", one))
    assert layer(plot(instance), "highlight 0") is not None
    assert instance.tell("bundle", Hit("curves", one))[0] == "create → make_new"
    box = int(scene.icicle.column[0])
    say(instance, EventKind.HOVER, "bundle", hit=Hit("ring", box))
    assert "calls of create" in " ".join(layer(plot(instance), "legend texts").text)
    asked = say(instance, EventKind.CLICK, "bundle", hit=Hit("ring", box))
    assert asked == (SelectNodes((int(scene.icicle.key[box]),)),)


def test_nodes_selected_elsewhere_stand_out() -> None:
    """EX-4: a package that is selected in the picture of the code."""
    key = graph().key_of["shapes"]
    instance = opened(around=ViewSurroundings(selected=(key,)), columns="functions")
    texts = " ".join(layer(plot(instance), "legend texts").text)
    assert "calls of shapes, 11 pairs" in texts


def test_temporal_mode_and_minimum_blending() -> None:
    """EX-1, EX-4: colours by the last call; the darker colour where curves cross, the lighter one on a dark ground."""
    plain, timed = opened(columns="functions"), opened(columns="functions", color="time")
    one, two = (layer(plot(each, "bundle", SQUARE), "curves").image for each in (plain, timed))
    assert not np.array_equal(one, two)
    assert "called last" in layer(plot(timed, "bundle", SQUARE), "bundle legend").text
    for theme in (LIGHT, DARK):
        over, least = (
            layer(plot(each, "bundle", SQUARE), "curves").image.astype(int)
            for each in (
                opened(around=ViewSurroundings(theme=theme), columns="functions", minimum=minimum)
                for minimum in (False, True)
            )
        )
        change = (least - over)[(over[..., 3] > 0) & (least[..., 3] > 0)][:, :3]
        assert (change < -20).any() if theme is LIGHT else (change > 20).any()


def test_thickness_grows_with_calls() -> None:
    """EX-1: more calls, thicker; none the thinnest."""
    width = thickness(np.array([0, 1, 10, 100, 1000]))
    assert (np.diff(width) > 0).all() or width[0] == 0.8
    assert width[-1] == pytest.approx(9.0)


def test_leaves_are_ordered_by_calls() -> None:
    """EX-6: shorter lines within the same containers; identities stay those of the calls."""
    plain, ordered = opened(columns="functions"), opened(columns="functions", order="calls")
    length = []
    for each in (plain, ordered):
        scene = scene_of(each)
        count = np.bincount(scene.columns.identities[0].of_call, minlength=len(scene.pairs))
        length.append(call_length(scene.pairs.caller, scene.pairs.callee, count, np.arange(len(scene.icicle))))
    assert length[1] < length[0]
    assert sorted(names(plain)) == sorted(names(ordered))
    for each in (plain, ordered):
        scene, of = scene_of(each), each.context.graph
        sequence = scene.columns.prepared[0].sequence
        node = scene.columns.prepared[0].node
        for place in (0, 30, 100):
            one = int(scene.columns.identities[0].of_call[place])
            callee = int(scene.icicle.key[scene.icicle.column[scene.pairs.callee[one]]])
            assert of.ids[callee] == of.ids[int(node[sequence.callee[sequence.pair[place]]])]
    closed = opened(columns="files", order="calls")
    assert sorted(names(closed)) == sorted(names(opened(columns="files")))
    assert scene_of(closed).icicle.closed.any()


def found(instance: ViewInstance) -> list[tuple[int, int, float]]:
    """(first row, rows, similarity) of each similar part."""
    table = instance.draw("similar", VIEW)
    assert isinstance(table, ViewTable)
    if not table.columns:
        return []
    similar = instance.context.found["similar"].found
    return list(
        zip(similar.low.tolist(), (similar.high - similar.low).tolist(), similar.similarity.tolist(), strict=True)
    )


def test_similar_parts_are_found() -> None:
    """EX-5: a drawing marked; the two others are found, the longer one as less similar; steps from one to the next."""
    instance = opened(session(extra=2), columns="functions", similarity=60.0)
    assert isinstance(say(instance, EventKind.KEY, key="m")[0], Say)  # nothing is marked yet
    drag(instance, 20.0, 38.0)
    say(instance, EventKind.KEY, key="m")
    assert instance.state.mark == (20, 38)
    assert found(instance) == [(20, 18, 1.0), (68, 18, 1.0), (126, 18, 1.0)]
    longer = opened(session(extra=2), columns="functions", similarity=60.0)
    drag(longer, 126.0, 150.0)
    say(longer, EventKind.KEY, key="m")
    assert [(low, share) for low, _, share in found(longer)] == [(20, 0.75), (68, 0.75), (126, 1.0)]
    say(instance, EventKind.KEY, key="n")
    assert part_in(instance.context, instance.state, scene_of(instance)) == (68, 86)
    say(instance, EventKind.ROW, "similar", hit=Hit("", 2))
    assert part_in(instance.context, instance.state, scene_of(instance)) == (126, 144)
    marks = layer(plot(instance), "found")
    assert len(marks.item) == 3
    assert instance.tell("sequence", Hit("found", 1))[0] == "100 % like the marked part"
    say(instance, EventKind.KEY, key="Escape")
    assert layer(plot(instance), "found") is None


def test_infrequent_calls_are_emphasised() -> None:
    """TR-3: pairs with few calls in the whole trace keep their colours."""
    instance = opened(columns="functions", emphasis="rare", rare=3)
    scene = scene_of(instance)
    count = np.bincount(scene.columns.identities[0].of_call, minlength=len(scene.pairs))
    texts = " ".join(layer(plot(instance), "legend texts").text)
    assert f"{int((count <= 3).sum())} pairs with at most 3 calls" in texts


def test_calls_against_rules_are_emphasised() -> None:
    """TR-3: what breaks a rule keeps its colours, where rules apply to run-time calls."""
    keys = graph().key_of
    broken = ((keys["shapes/line.py::make"], keys["paint.py::draw"]), (keys["paint.py::draw"], keys["shapes"]))
    instance = opened(around=ViewSurroundings(against_rules=broken), columns="functions", emphasis="rules")
    assert "against the rules: 1 pair" in " ".join(layer(plot(instance), "legend texts").text)
    assert layer(plot(instance), "highlight 0").image[..., 3].any()
    none = opened(columns="functions", emphasis="rules")
    assert layer(plot(none), "veil 0") is None  # nothing fades for nothing
    assert "no call is, or Traces > Apply rules" in " ".join(layer(plot(none), "legend texts").text)


def test_two_traces_stand_row_by_row() -> None:
    """EX-6: what both call stands beside each other, the rest is marked; counts are told for both."""
    instance = opened(session(), session(extra=2), columns="functions", color="differs", emphasis="differs")
    scene = scene_of(instance)
    alignment = scene.alignment
    assert alignment is not None
    assert int(alignment.same.sum()) == 144
    assert scene.length == 150
    share = only_shares(scene, (0.0, 150.0), 150)
    assert share[:, 0].sum() == 0
    assert share[:, 1].sum() == 6
    drawn = plot(instance)
    assert layer(drawn, "differences") is not None
    assert layer(drawn, "titles").text[1].startswith("B: ")
    instance.take_inputs(replace(instance.inputs, names=("monday", "tuesday")))
    assert [title.partition(",")[0] for title in layer(plot(instance), "titles").text] == ["A: monday", "B: tuesday"]
    assert "B alone" in layer(drawn, "legend texts").text
    for lane in scene.lanes:
        assert lane.place is not None
        known = lane.place[lane.place >= 0]
        assert np.array_equal(known, np.arange(len(known)))
    table = instance.draw("pairs", VIEW)
    assert isinstance(table, ViewTable)
    columns = {column.name: column.values for column in table.columns}
    assert int(np.asarray(columns["More in B"]).sum()) == 6
    assert "more calls in B" in layer(plot(instance, "bundle", SQUARE), "bundle legend").text
    drag(instance, 145.0, 150.0)
    assert instance.focus.trace == 1 or part_in(instance.context, instance.state, scene)[1] == 150


def test_ex_6_keys_go_from_difference_to_difference() -> None:
    """EX-6: N and P show the next rows that one recording has alone, round the end; the same calls: a sentence."""
    instance = opened(session(), session(extra=2), columns="functions")
    scene = scene_of(instance)
    assert scene.alignment is not None
    alone = np.flatnonzero(~scene.alignment.same)
    runs = [int(run[0]) for run in np.split(alone, np.flatnonzero(np.diff(alone) > 1) + 1)]
    visited = []
    for _ in range(len(runs) + 1):
        (said,) = say(instance, EventKind.KEY, key="n")
        assert isinstance(said, Say)
        low, high = instance.state.shown
        visited.append(next(row for row in runs if row >= low))
        assert low <= visited[-1] < high
    assert visited == [*runs, runs[0]]
    assert said.text.startswith(f"Difference 1 of {len(runs)}: ")
    assert "of B alone" in said.text
    say(instance, EventKind.KEY, key="p")
    assert instance.state.difference == len(runs) - 1
    same = opened(session(), session(), columns="functions")
    assert say(same, EventKind.KEY, key="n") == (Say("Both recordings have the same calls in the same order."),)


def test_ex_6_a_pair_tells_what_differs_of_its_calls() -> None:
    """EX-6: A alone, B alone, so many more or fewer, as many."""
    lots = (RUN, CREATE), (RUN, DRAW), (RUN, DRAW), (CREATE, DRAW)
    some = (RUN, CREATE), (RUN, DRAW), (DRAW, CREATE)
    for pair, words in (
        ((called(*lots), called(*some)), {"Both make as many", "B makes 1 fewer", "A alone", "B alone"}),
        ((called(*some), called(*lots)), {"Both make as many", "B makes 1 more", "A alone", "B alone"}),
    ):
        instance = opened(*pair, columns="functions")
        scene = scene_of(instance)
        told = [instance.tell("bundle", Hit("curves", row)) for row in range(len(scene.pairs))]
        sentences = [next(line for line in lines if "these calls" in line) for lines in told]
        assert len(sentences) == len(words)
        assert all(any(line.startswith(word) for line in sentences) for word in words)
        turned = [line for lines in told for line in lines if "the other way round" in line]
        assert sorted(turned) == ["0 the other way round in A, 1 in B", "1 the other way round in A, 0 in B"]


def test_ex_4_names_of_the_circle_grow_with_their_size() -> None:
    """EX-4: letters are as large as asked for, never too small to be read; the ring takes the room inside."""
    small, usual, large = (opened(columns="functions", labels=size) for size in (0.85, 1.0, 2.0))
    rings = [layer(plot(each, "bundle", SQUARE), "ring") for each in (small, usual, large)]
    thick = [float(np.max(ring.y1) - np.min(ring.y0)) for ring in rings]
    assert thick[0] < thick[1] < thick[2]
    sizes = [layer(plot(each, "bundle", SQUARE), "container names").size for each in (small, usual, large)]
    assert sizes == [11.0 * 0.85, 11.0, 22.0]
    assert min(sizes) >= 9.0
    for each in (usual, large):
        for name in ("column names", "container names"):
            names = layer(plot(each, "bundle", SQUARE), name)
            assert (np.hypot(names.x - SQUARE.width / 2, names.y - SQUARE.height / 2) <= SQUARE.height / 2).all()


def test_ex_2_times_beside_rows_tell_neighbours_apart() -> None:
    """EX-2: many calls in little time, then a pause: no two labels of different moments read the same."""
    made = TraceBuilder("test", Budget("The trace"))
    thread, time = made.thread(1, 1), 1_000_000
    run, create = made.function(RUN, "", RUN, 1), made.function(CREATE, "", CREATE, 1)
    made.begin(thread, run, time)
    for number in range(600):
        time += 50_000_000 if number == 550 else 400
        made.span(thread, create, time, time + 100)
    made.end(thread, time + 1000)
    labels = layer(plot(opened(made.trace(made.build(), {}), columns="functions")), "times").text
    assert len(labels) > 5
    assert len(set(labels)) == len(labels)


RUN, CREATE, DRAW = "app/session.py::Session.run", "app/session.py::Session.create", "paint.py::draw"


def called(*pairs: tuple[str, str]) -> Trace:
    """A trace of calls of some nodes, each by another one."""
    made = TraceBuilder("test", Budget("The trace"))
    thread, time = made.thread(1, 1), 0
    for pair in pairs:
        for place in pair:
            made.begin(thread, made.function(place, "", place, 1), time := time + 1)
        for _ in pair:
            made.end(thread, time := time + 1)
    return made.trace(made.build(), {})


def test_odd_pairs_stand_side_by_side_or_get_a_sentence() -> None:
    """EX-6: no call in common, an empty trace beside one with calls, two empty ones."""
    one, other = called((RUN, CREATE), (RUN, DRAW)), called((CREATE, DRAW))
    scene = scene_of(opened(one, other, columns="functions"))
    assert scene.alignment is not None
    assert not scene.alignment.same.any()
    assert scene.length == 3
    for pair in ((one, called()), (called(), one)):
        instance = opened(*pair, columns="functions")
        assert scene_of(instance).length == 2
        for part in ("sequence", "bundle", "pairs", "similar"):
            instance.draw(part, VIEW)
    nothing = plot(opened(called(), called()))
    assert layer(nothing, "empty").text == ("The trace holds no calls.",)


def test_of_two_traces_one_can_be_shown_alone() -> None:
    """EX-6: A alone, or B alone; what is looked at is a window of that one."""
    for which, calls in (("first", 144), ("second", 150)):
        instance = opened(session(), session(extra=2), columns="functions", traces=which)
        scene = scene_of(instance)
        assert scene.alignment is None
        assert scene.length == calls
        asked = drag(instance, 20.0, 38.0)
        assert [each.focus.trace for each in asked if isinstance(each, SetFocus)] == [int(which == "second")]
        assert part_in(instance.context, instance.state, scene) == (20, 38)
        assert layer(plot(instance), "differences") is None


def test_menu_and_odd_events() -> None:
    """EX-4: what can be done; hits and keys that mean nothing change nothing."""
    instance = opened(columns="functions")
    menu = say(instance, EventKind.MENU, hit=Hit("boxes", 1))[0]
    assert isinstance(menu, Menu)
    assert menu.entries[0] == ("toggle=1", "Close")
    say(instance, EventKind.KEY, key="toggle=1")
    assert instance.state.toggled
    assert isinstance(say(instance, EventKind.MENU)[0], Menu)
    for event in (
        ViewEvent(EventKind.DOUBLE, "bundle", hit=Hit("ring", 9_999)),
        ViewEvent(EventKind.CLICK, "sequence", hit=Hit("found", 7)),
        ViewEvent(EventKind.ROW, "pairs", hit=Hit("", 9_999)),
        ViewEvent(EventKind.KEY, "sequence", key="toggle=x"),
        ViewEvent(EventKind.KEY, "sequence", key="source=99999"),
    ):
        instance.on(event)
        assert isinstance(instance.draw("sequence", VIEW), Plot)


def test_the_state_is_kept_and_checked() -> None:
    """NEW-15: a document brings back what was looked at; nonsense opens afresh."""
    instance = opened(columns="functions")
    drag(instance, 20.0, 38.0)
    say(instance, EventKind.KEY, key="m")
    again = opened(data=instance.data(), columns="functions")
    assert again.state.mark == (20, 38)
    for odd in ({"shown": [5.0, 2.0]}, {"mark": [-1, 3]}, {"toggled": ["x"] * 6_000}, {"part": "all"}):
        assert opened(data=odd).state == ExtraVisState()
    assert asdict(again.state)["pair"] == -1


@pytest.mark.parametrize("parts", [1, 2])
def test_two_runs_of_the_command_are_the_same(tmp_path: Path, parts: int) -> None:
    """EX-1, EX-2, EX-6: `cbvtool trace render extravis`, of one recording and of two."""
    folders = []
    for number in range(parts):
        folders.append(str(tmp_path / f"run{number}"))
        write_folder(Path(folders[-1]), session(extra=number))
    written = []
    for name in ("a.png", "b.png"):
        file = tmp_path / name
        assert main(["trace", "render", "extravis", *folders, "-o", str(file), "--size", "640x400"]) == DONE
        written.append(file.read_bytes())
    assert written[0] == written[1]


def test_what_is_drawn_is_kept(tmp_path: Path) -> None:
    """EX-3: the pointer paints no rows anew."""
    instance = opened(columns="functions")
    before = layer(plot(instance), "rows 0")
    say(instance, EventKind.HOVER, hit=Hit("boxes", 1))
    after = plot(instance)
    assert layer(after, "rows 0") is before
    assert isinstance(layer(after, "names"), Labels)


def test_escape_with_nothing_marked_is_left_to_the_window() -> None:
    """NEW-13: a view that has nothing to end says so, and the window ends what it has."""
    assert opened().on(ViewEvent(EventKind.KEY, "sequence", key="Escape")) == (False, ())
