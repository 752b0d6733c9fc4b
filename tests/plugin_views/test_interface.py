"""The interface of views: real views that it must be able to say, driven without a window."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from cbvtool.api import (
    Areas,
    Bands,
    Bars,
    BoxShape,
    Copy,
    EventKind,
    Hit,
    OpenSource,
    Plot,
    Range,
    Say,
    SectorShape,
    SelectNodes,
    SetFocus,
    ViewEvent,
    Viewport,
    ViewTable,
    locate,
    place,
)
from cbvtool.errors import Cancelled, InputError
from cbvtool.extensions import discover
from cbvtool.plugin.parts import parts_of
from cbvtool.session.plugin_views.instance import ViewInstance
from cbvtool.session.plugin_views.needs import make
from cbvtool.session.plugin_views.rendering import BORDER, places, render_part, render_whole
from cbvtool.session.plugin_views.tables import table_text
from tests.plugin_views.opened import drawn_plot, layer, opened
from tests.plugin_views.views import DiffView, RunsView, SyncView, small_profile, small_trace

ROOT = Path(__file__).parents[2]
VIEWPORT = Viewport(400, 300)


def plot_of(instance: ViewInstance, part: str = "main", viewport: Viewport = VIEWPORT) -> Plot:
    return drawn_plot(instance, part, viewport)


# -- SyncTrace --


def test_the_same_bars_are_shown_straight_and_bent() -> None:
    """One layer object in both shapes of its pane: it is not made again, and what is picked is what is seen."""
    instance = opened(SyncView(), small_trace())
    bent = plot_of(instance)
    assert isinstance(bent.pane("below").shape, SectorShape)
    instance.set_value("bent", False)
    straight = plot_of(instance)
    assert isinstance(straight.pane("below").shape, BoxShape)
    for name in ("above", "below"):
        assert layer(bent, name) is layer(straight, name)
    bars = layer(bent, "below")
    for plot in (bent, straight):
        pane = plot.pane("below")
        px, py = locate(pane, (bars.x0 + bars.x1) / 2, (bars.y0 + bars.y1) / 2)
        x, y = place(pane, px, py)
        np.testing.assert_allclose(x, (bars.x0 + bars.x1) / 2)
        np.testing.assert_allclose(y, (bars.y0 + bars.y1) / 2)


def test_areas_join_calls_of_two_panes() -> None:
    """The corners of an area lie on the edges of its two calls, on the bent side as well."""
    plot = plot_of(opened(SyncView(), small_trace()))
    areas, trace = layer(plot, "across"), small_trace()
    assert isinstance(areas, Areas)
    assert len(areas.ptr) == 2
    assert trace.functions.name[trace.calls.function[2]] == "work"
    px, py = locate(plot.pane("below"), [60e6, 95e6], 0.0)
    corners = {(round(x, 6), round(y, 6)) for x, y in areas.points.tolist()}
    assert {(round(float(x), 6), round(float(y), 6)) for x, y in zip(px, py, strict=True)} <= corners


def test_a_dragged_handle_changes_the_radius_until_escape() -> None:
    """ESC in a drag brings back the state of its press; without one it reaches the view."""
    instance = opened(SyncView(), small_trace())
    hit = Hit("handle", 0)
    press = ViewEvent(EventKind.PRESS, "main", px=260, py=150, hit=hit)
    instance.on(press)
    assert instance.on(ViewEvent(EventKind.DRAG, "main", px=280, py=150, start=press))[0]
    assert instance.state.radius == 80
    assert instance.is_dragging
    changed, _ = instance.on(ViewEvent(EventKind.KEY, "main", key="Escape"))
    assert changed
    assert instance.state.radius == 60
    assert not instance.is_dragging
    assert instance.on(ViewEvent(EventKind.KEY, "main", key="Escape")) == (False, ())


def test_zooming_one_pane_moves_the_focus_of_all() -> None:
    """A range event becomes a request for the others; the state keeps the exact range; ESC takes both back."""
    instance = opened(SyncView(), small_trace())
    instance.on(ViewEvent(EventKind.PRESS, "main"))
    event = ViewEvent(EventKind.RANGE, "main", "above", range=Range((10e6, 20e6), (0, 4)))
    changed, requests = instance.on(event)
    assert changed
    assert [request.focus.window for request in requests if isinstance(request, SetFocus)] == [(10_000_000, 20_000_000)]
    assert plot_of(instance).pane("above").x == (10e6, 20e6)
    _, back = instance.on(ViewEvent(EventKind.KEY, key="Escape"))
    assert [request.focus.window for request in back if isinstance(request, SetFocus)] == [None]
    assert instance.focus.window is None


# -- two traces --


def test_a_need_shows_a_first_result_and_then_the_whole_one() -> None:
    """The view draws without it, then what is visible, then all."""
    instance = opened(DiffView(), small_trace("old"), small_trace("new", 5))
    assert len(layer(plot_of(instance), "bands").ptr) == 1
    (need,) = instance.wanted()
    assert instance.wanted() == ()  # it is being made
    seen = []

    def first(value: object) -> None:
        instance.needs.first(need, value)
        seen.append(len(layer(plot_of(instance), "bands").ptr) - 1)

    assert instance.needs.take(need, make(need, first=first))
    bands = layer(plot_of(instance), "bands")
    assert isinstance(bands, Bands)
    assert seen == [2]
    assert len(bands.ptr) - 1 == 5
    assert instance.wanted() == ()
    for side in (bands.left, bands.right):
        assert side.shape == (20, 2)


def test_a_click_on_a_band_is_answered() -> None:
    instance = opened(DiffView(), small_trace(), small_trace())
    instance.settle()
    assert instance.on(ViewEvent(EventKind.CLICK, "main", hit=Hit("bands", 3))) == (True, (Say("Match 3"),))
    assert instance.data() == {"chosen": 3}


def test_work_that_nobody_waits_for_any_more_is_stopped() -> None:
    """Cancel reaches the work through its progress."""
    (need,) = opened(DiffView(), small_trace(), small_trace()).wanted()

    def stop(what: str, done: int, total: int) -> None:
        assert (what, total) == ("Comparing calls", 5)
        raise Cancelled

    with pytest.raises(Cancelled):
        make(need, stop)


# -- ten profiles --


def test_ten_profiles_in_three_parts_with_a_table() -> None:
    """A table with ticks, bars beside it, tabs: every part is drawn from one state, and has its place."""
    instance = opened(RunsView(), *map(small_profile, range(10)))
    assert [part.name for part in parts_of(instance.layout())] == ["runs", "bars", "flame"]
    table = instance.draw("runs", VIEWPORT)
    assert isinstance(table, ViewTable)
    assert table.marked == frozenset({0})
    assert table_text(table).splitlines()[:3] == ["Run\tOwn (ns)", "run0\t15", "run1\t16"]
    assert instance.on(ViewEvent(EventKind.CHECK, "runs", hit=Hit("", 4)))[0]
    table = instance.draw("runs", VIEWPORT)
    assert isinstance(table, ViewTable)
    assert table.marked == frozenset({0, 4})
    _, requests = instance.on(ViewEvent(EventKind.CLICK, "flame", hit=Hit("node", 1)))
    assert requests == (OpenSource(file="src/app.py", line=3), Copy("work"))


def test_every_part_has_its_place_on_a_picture_of_the_whole() -> None:
    """Shares divide what is left between the borders; a table is drawn as text; no layer is lost."""
    instance = opened(RunsView(), *map(small_profile, range(10)))
    found = {part.name: box for part, box in places(instance.layout(), BoxShape(0, 0, 406, 306))}
    assert found["runs"] == BoxShape(0, 0, 100, 100)
    assert found["bars"] == BoxShape(0, 100 + BORDER, 100, 200)
    assert found["flame"] == BoxShape(100 + BORDER, 0, 300, 306)
    whole = render_whole(instance, Viewport(406, 306), instance.around.theme)
    names = [each.name for each in whole.layers]
    assert {"bars/bar", "flame/node", "runs/column 0", "runs/column 1"} <= set(names)
    assert whole.pane("flame/flame").shape == found["flame"]
    with pytest.raises(InputError, match="no part 'nothing': it has runs, bars, flame"):
        render_part(instance, "nothing", VIEWPORT)


# -- the example --


def test_the_example_view_of_the_documentation() -> None:
    """plugins/busy.py: which functions a trace spends its time in."""
    registry, problems = discover([ROOT / "plugins"], [])
    assert problems == []
    instance = opened(registry.views["busy"], small_trace())
    bars = layer(plot_of(instance), "bars")
    assert isinstance(bars, Bars)
    assert bars.item is not None
    names = [instance.context.trace().functions.name[row] for row in bars.item.tolist()]
    assert list(zip(names, (np.asarray(bars.x1, np.float64) / 1e6).tolist(), strict=True)) == [
        ("main", 100),
        ("work", 85),
        ("load", 30),
    ]
    work = bars.item[1]
    changed, requests = instance.on(ViewEvent(EventKind.CLICK, "main", hit=Hit("bars", int(work))))
    assert changed
    (node,) = next(request.keys for request in requests if isinstance(request, SelectNodes))
    assert instance.inputs.graph.names[node] == "work"
    assert instance.focus.function == work
    assert instance.tell("main", Hit("bars", int(work))) == ("work", "85 ms")
    again = opened(registry.views["busy"], small_trace(), data=instance.data())
    assert again.state == instance.state


def test_the_example_is_as_short_as_it_is_said_to_be() -> None:
    """docs/plugins.md: a view in 60 lines."""
    lines = (ROOT / "plugins" / "busy.py").read_text().splitlines()
    assert len([line for line in lines if line.strip()]) <= 60


def test_a_bent_pane_turns_back() -> None:
    """SyncTrace's arc runs from the left over the bottom to the right; the middle of time lies straight below."""
    pane = plot_of(opened(SyncView(), small_trace())).pane("below")
    px, py = locate(pane, 50e6, 0.0)
    assert math.isclose(float(px), 200.0, abs_tol=1e-9)
    assert float(py) > 150
