"""Ocelotl without a display (OC-1 to OC-6): what it draws, tells and answers, on a run with two slow processes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from cbvtool.api import EventKind, Hit, Plot, SetFocus, Trace, ViewEvent, Viewport, ViewTable
from cbvtool.session.plugin_views.instance import ViewInstance
from plugins.ocelotl.figures import items_of, place_of
from plugins.ocelotl.picture import shapes_in
from plugins.ocelotl.preparing import model_in, optima_of, shown
from plugins.ocelotl.view import OcelotlView
from tests.plugin_views.opened import drawn_plot, opened
from tests.trace.resources.runs import MS, Planted, free_run

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
        bars = [layer for layer in drawn.layers if layer.name in {"cells", "areas", "merged"}]
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
    from tests.trace.resources.runs import run_of

    instance = started(run_of([]))
    texts = [text for layer in plot(instance).layers for text in getattr(layer, "text", ())]
    assert texts == ["The trace holds no resource for which this was recorded."]
