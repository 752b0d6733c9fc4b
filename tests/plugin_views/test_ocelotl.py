"""Ocelotl without a display (OC-1 to OC-6): what it draws, tells and answers, on a run with two slow processes."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from cbvtool.api import (
    Bars,
    EventKind,
    Hit,
    Labels,
    OpenView,
    Plot,
    Request,
    Say,
    Segments,
    SetFocus,
    Trace,
    ViewEvent,
    Viewport,
    ViewTable,
    locate,
)
from cbvtool.cli import DONE, main
from cbvtool.errors import Cancelled
from cbvtool.geometry.colors import DARK, LIGHT
from cbvtool.plots.overlap import passage
from cbvtool.session.plugin_views.instance import ViewInstance
from cbvtool.session.plugin_views.needs import make
from cbvtool.trace.store.folder import write_folder
from plugins.ocelotl.figures import figures_of, items_of, place_of
from plugins.ocelotl.palette import state_colors
from plugins.ocelotl.picture import SHAPES, shape_colors, shapes_in
from plugins.ocelotl.preparing import Prepared, model_in, optima_of, shown
from plugins.ocelotl.reacting import function_of
from plugins.ocelotl.state import look_of
from plugins.ocelotl.view import OcelotlView
from tests.plugin_views.opened import drawn_plot, opened
from tests.trace.resources.runs import MS, Planted, free_run, run_of

VIEW = Viewport(900.0, 500.0)


@pytest.fixture(scope="module")
def trace() -> Trace:
    """16 processes on 2 machines; two of them wait for 0.2 s."""
    return free_run(np.random.default_rng(1), 16, 60, 0.05, Planted((5, 12), 200 * MS, 400 * MS), "send")


def started(trace: Trace, **values: object) -> ViewInstance:
    """The view with all that it needs."""
    instance = opened(OcelotlView(), trace, values={"slices": 30, **values})
    instance.settle()
    instance.settle()
    return instance


def plot(instance: ViewInstance, part: str = "main", viewport: Viewport = VIEW) -> Plot:
    return drawn_plot(instance, part, viewport)


def table(instance: ViewInstance, part: str) -> dict[str, list[object]]:
    drawn = instance.draw(part, VIEW)
    assert isinstance(drawn, ViewTable)
    return {column.name: list(column.values) for column in drawn.columns}


def test_shapes_tile_the_plane_at_every_size(trace: Trace) -> None:
    """OC-3, OC-4: a resize draws other shapes of the same partition."""
    instance = started(trace)
    model = model_in(instance.context)
    assert model is not None
    partitions = set()
    for height in (500.0, 140.0, 80.0):
        viewport = Viewport(900.0, height)
        drawn = plot(instance, viewport=viewport)
        bars = [layer for layer in drawn.layers if layer.name in SHAPES]
        area = sum([float(((each.x1 - each.x0) * (each.y1 - each.y0)).sum()) for each in bars], 0.0)
        assert area == pytest.approx(float(model.cells.edges[-1] - model.cells.edges[0]) * 16)
        partitions.add(shown(instance.context, model)[0])
    assert len(partitions) == 1


def test_items_say_their_place_and_tooltips_what_is_merged(trace: Trace) -> None:
    """OC-4: all shares, what is merged, what that loses."""
    instance = started(trace)
    model = model_in(instance.context)
    assert model is not None
    shapes = shapes_in(instance.context, model, VIEW)
    items = items_of(model.cells.slices, shapes)
    for at in range(len(shapes)):
        place = int(shapes.row[at]), int(shapes.first[at]), int(shapes.last[at])
        assert place_of(model.cells.slices, int(items[at])) == place
    lines = OcelotlView().tell(instance.context, instance.state, "main", Hit("areas", int(items[0])))
    assert any(line.startswith(("compute: ", "init: ")) for line in lines)
    assert lines[-1].startswith(("merges", "one resource"))


def test_keys_walk_the_list_of_partitions(trace: Trace) -> None:
    """OC-2: finer, coarser, the marked one, the first picture."""
    instance = started(trace)
    model = model_in(instance.context)
    assert model is not None
    assert model.every is not None
    first = shown(instance.context, model)[0]
    every = optima_of(model)
    for key, expected in (("[", first - 1), ("[", first - 2), ("]", first - 1), ("g", every.marked), ("0", first)):
        send(instance, ViewEvent(EventKind.KEY, "main", "plane", key=key))
        assert shown(instance.context, model)[0] == expected


def test_a_step_leads_from_shapes_to_shapes_by_overlap(trace: Trace) -> None:
    """OC-2: all shapes of a partition become all of the next one, in the host's hands; labels and frames do not."""
    instance = started(trace)
    model = model_in(instance.context)
    assert model is not None
    bars = []
    for step in (1, optima_of(model).marked + 1):
        instance.set_value("step", step)
        drawn = plot(instance)
        bars.append([layer for layer in drawn.layers if layer.name in drawn.gradual and isinstance(layer, Bars)])
        assert sum(len(layer.x0) for layer in bars[-1]) == len(shapes_in(instance.context, model, VIEW))
    way = passage(*bars)
    assert way is not None
    assert len(way.old) >= len(way.before) > len(way.after)


def send(instance: ViewInstance, event: ViewEvent) -> None:
    """An event, whose requests about values are followed as the host does."""
    from cbvtool.api import SetValue

    new, requests = OcelotlView().on(instance.context, instance.state, event)
    instance.state = new
    for request in requests:
        if isinstance(request, SetValue):
            instance.set_value(request.name, request.value)
        elif isinstance(request, SetFocus):
            instance.look_at(request.focus)
    instance.settle()
    instance.settle()


def test_findings_name_the_slow_processes_and_lead_to_them(trace: Trace) -> None:
    """OC-5, OC-6: opening a finding looks there with fresh slices; back leads back."""
    instance = started(trace)
    found = table(instance, "findings")
    assert {str(name).rpartition(" / ")[2] for name in found["Resource"][:2]} == {"rank 5", "rank 12"}
    send(instance, ViewEvent(EventKind.OPEN, "findings", hit=Hit("", 0)))
    model = model_in(instance.context)
    assert model is not None
    assert model.cells.window[1] - model.cells.window[0] < trace.length
    assert model.cells.slices == 30
    assert instance.focus.window == model.cells.window
    send(instance, ViewEvent(EventKind.KEY, "main", "plane", key="b"))
    model = model_in(instance.context)
    assert model is not None
    assert model.cells.window == trace.span


def texts(drawn: Plot, *layers: str) -> list[str]:
    return [text for layer in drawn.layers if layer.name in layers for text in getattr(layer, "text", ())]


def test_the_first_finding_is_said_and_the_first_three_are_framed(trace: Trace) -> None:
    """OC-5: who does what in place of what, and when, over the picture; frames have the numbers of the table."""
    instance = started(trace)
    drawn = plot(instance)
    assert texts(drawn, "headline") == ["machine 0 / rank 5: wait instead of compute from 200 ms to 400 ms, and 1 more"]
    found = table(instance, "findings")
    assert texts(drawn, "finding 1", "finding 2", "finding 3") == ["1", "2"] == [str(each) for each in found["No."][:2]]
    [frames] = [layer for layer in drawn.layers if layer.name == "findings"]
    assert isinstance(frames, Segments)
    assert len(frames.x0) == 8
    instance.set_value("marks", False)
    assert not texts(plot(instance), "finding 1")
    few = started(free_run(np.random.default_rng(1), 1, 20, 0.05))
    assert texts(plot(few), "headline") == ["One resource: nothing to compare it with"]


@pytest.mark.parametrize("height", [500.0, 240.0, 150.0, 90.0])
def test_names_of_resources_do_not_meet(trace: Trace, height: float) -> None:
    """OC-3: where resources are too low for a box, as many have a name as there is room for."""
    instance = started(trace)
    drawn = plot(instance, viewport=Viewport(900.0, height))
    layers = [layer for layer in drawn.layers if layer.name in {"resource names", "low names", "some names"}]
    places: dict[float, list[tuple[float, float]]] = {}
    for layer in layers:
        assert isinstance(layer, Labels)
        _, y = locate(drawn.pane("names"), layer.x, layer.y)
        for x, at in zip(layer.x.tolist(), y.tolist(), strict=True):
            places.setdefault(x, []).append((at, layer.size))
    for column in places.values():
        for (one, size), (other, more) in pairwise(sorted(column)):
            assert other - one >= (size + more) / 2
    assert sum(map(len, places.values())) >= {500.0: 18, 240.0: 18, 150.0: 8, 90.0: 2}[height]


def test_the_legend_shows_the_way_between_two_states_and_always_what_is_paler(trace: Trace) -> None:
    """OC-3: of many states as many as there is room for; the others are counted."""
    wide, narrow = (texts(plot(started(trace), viewport=Viewport(x, 500.0)), "legend texts") for x in (900.0, 440.0))
    assert wide[:4] == ["compute", "wait", "send", "init"]
    assert any(text.startswith("paler") for text in wide)
    assert narrow[-2:] == ["and 3 more", "paler: less of the time, blank: none"]
    two = plot(started(run_of([[("a", 0, 10 * MS), ("b", 10 * MS, 20 * MS)]] * 3), slices=4))
    assert texts(two, "legend texts")[:2] == ["a", "b"]
    [bars] = [layer for layer in two.layers if layer.name == "legend"]
    assert len({tuple(color) for color in np.atleast_2d(bars.color).tolist()}) > 10


def test_twenty_states_have_twenty_colours(trace: Trace) -> None:
    """OC-3: none is taken for another, in both themes."""
    names = [f"state {place:02}" for place in range(19)]
    spans = [[(name, place * MS, (place + 1) * MS) for place, name in enumerate(names)]] * 3
    model = model_in(started(run_of(spans)).context)
    assert model is not None
    for theme in (LIGHT, DARK):
        colors = state_colors(model.cells, theme)[:, :3].astype(float)
        far = np.abs(colors[:, None] - colors[None]).max(axis=2) + 255 * np.eye(len(colors))
        assert far.min() > 24


def test_statistics_compare_two_regions(trace: Trace) -> None:
    """OC-6: a drag selects, with Ctrl what it is compared with."""
    instance = started(trace)
    whole = table(instance, "statistics")
    assert whole["State"][0] == "compute"
    for modifiers, y in ((frozenset[str](), 5.2), (frozenset({"ctrl"}), 6.2)):
        start = ViewEvent(EventKind.PRESS, "main", "plane", x=250.0 * MS, y=y, modifiers=modifiers)
        drop = replace(start, kind=EventKind.DROP, x=350.0 * MS, y=y + 0.5, start=start)
        send(instance, drop)
    both = table(instance, "statistics")
    difference = dict(zip(both["State"], both["Difference"], strict=True))
    assert float(str(difference["compute"])) < -20


def test_a_trace_without_calls_says_why_nothing_is_drawn() -> None:
    """0 states: a sentence."""
    instance = started(run_of([]))
    texts = [text for layer in plot(instance).layers for text in getattr(layer, "text", ())]
    assert texts == ["The trace holds no resource for which this was recorded."]


def answered(instance: ViewInstance, key: str) -> tuple[Request, ...]:
    """What the view asks for at a key."""
    event = ViewEvent(EventKind.KEY, "main", "plane", key=key)
    instance.state, requests = OcelotlView().on(instance.context, instance.state, event)
    return requests


def test_keys_lead_to_calls_and_to_code_and_back_and_up(trace: Trace) -> None:
    """OC-6, NEW-13: T opens the calls of what is selected, S its code; B and Shift+B travel, U leads up."""
    instance = started(trace)
    for key in ("t", "s"):
        [say] = answered(instance, key)
        assert isinstance(say, Say)
        assert say.text.startswith("Select an area first")
    send(instance, ViewEvent(EventKind.ROW, "findings", hit=Hit("", 0)))
    assert instance.state.selected is not None
    model = model_in(instance.context)
    assert model is not None
    region = instance.state.selected
    window = int(model.cells.edges[region.first]), int(model.cells.edges[region.last + 1])
    [source] = answered(instance, "s")
    assert source == instance.context.source(function_of(instance.context, model, region))
    focus, open_view = answered(instance, "t")
    assert isinstance(focus, SetFocus)
    assert focus.focus.window == window
    assert focus.focus.threads == frozenset({int(model.cells.thread[region.top])})
    assert open_view == OpenView("tracevis")
    looks = [look_of(instance.context, instance.state)]
    send(instance, ViewEvent(EventKind.OPEN, "resources", hit=Hit("", 1)))
    looks.append(look_of(instance.context, instance.state))
    assert looks[1].resource == "machine 0"
    for key, expected in (("b", looks[0]), ("B", looks[1]), ("u", replace(looks[1], resource=""))):
        send(instance, ViewEvent(EventKind.KEY, "main", "plane", key=key))
        assert look_of(instance.context, instance.state) == expected
    [say] = answered(instance, "B")
    assert isinstance(say, Say)
    assert "nothing to go forward to" in say.text


def test_two_states_are_drawn_as_a_ratio() -> None:
    """OC-3: a slice of both has a colour between theirs; without the ratio it has that of the longer one."""
    spans = [[("a", 0, 10 * MS), ("b", 10 * MS, 20 * MS)], [("a", 0, 5 * MS), ("b", 5 * MS, 20 * MS)]]
    colors = {}
    for ratio in (True, False):
        instance = started(run_of(spans), slices=2, ratio=ratio, step=1)
        model = model_in(instance.context)
        assert model is not None
        figures = figures_of(model, shapes_in(instance.context, model, VIEW))
        found = shape_colors(model, figures, ratio, instance.context.theme)
        bars = [each for each in plot(instance).layers if each.name in SHAPES and len(each.x0)]
        drawn = {tuple(color) for each in bars for color in np.atleast_2d(each.color).tolist()}
        assert drawn == {tuple(color) for color in found.tolist()}
        colors[ratio] = {tuple(color[:3]) for color in found.tolist()}
    # a alone, half a and half b, b alone: three colours as a ratio, those of the two states without it
    assert len(colors[True]) == 3
    assert colors[True] != colors[False]


def test_the_list_of_optima_can_be_cancelled_and_the_first_picture_stays(trace: Trace) -> None:
    """OC-2: what was handed over before Cancel is drawn on; keys say that the list is not there yet."""
    kept: list[Prepared] = []

    def stop(what: str, done: int, total: int) -> None:
        if what == "finding partitions" and kept:
            raise Cancelled

    instance = opened(OcelotlView(), trace, values={"slices": 30})
    [order] = instance.wanted()
    instance.needs.take(order, make(order))
    [need] = instance.wanted()
    with pytest.raises(Cancelled):
        make(need, stop, kept.append)
    assert [made.findings is None for made in kept] == [True, False]
    assert all(made.every is None for made in kept)
    instance.needs.take(need, kept[-1])
    assert any(layer.name in SHAPES for layer in plot(instance).layers)
    [say] = answered(instance, "]")
    assert isinstance(say, Say)
    assert say.text == "All partitions are still being found."


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_a_command_draws_it_into_a_file(trace: Trace, tmp_path: Path, suffix: str) -> None:
    """OC-1, NEW-8: `cbvtool trace render ocelotl`, the same bytes each time."""
    write_folder(tmp_path / "run", trace)
    made = []
    for again in range(2):
        out = tmp_path / f"{again}.{suffix}"
        assert main(["trace", "render", "ocelotl", str(tmp_path / "run"), "-o", str(out), "--size", "500x300"]) == DONE
        made.append(out.read_bytes())
    assert made[0] == made[1]
    if suffix == "svg":
        assert b"machine 0" in made[0]
    else:
        assert len(made[0]) > 2000


def test_escape_with_nothing_selected_is_left_to_the_window(trace: Trace) -> None:
    """NEW-13: a view that has nothing to end says so, and the window ends what it has."""
    assert started(trace).on(ViewEvent(EventKind.KEY, "main", "plane", key="Escape")) == (False, ())
