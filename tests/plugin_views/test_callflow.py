"""CallFlow without a display (CF-1 to CF-5): what it draws, tells and answers, on made-up ensembles."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cbvtool.api import (
    Curves,
    EventKind,
    Hit,
    Plot,
    Profile,
    Range,
    SelectNodes,
    SetValue,
    ViewEvent,
    Viewport,
    ViewTable,
)
from cbvtool.cli import main
from cbvtool.session.plugin_views.instance import ViewInstance
from cbvtool.session.plugin_views.surroundings import own_inputs
from plugins.callflow.figures import differences, spread_of
from plugins.callflow.picture import axis_y
from plugins.callflow.preparing import FlowModel, model_in
from plugins.callflow.view import CallFlowView
from tests.plugin_views.opened import drawn_plot, layer, opened
from tests.plugin_views.views import small_trace
from tests.trace.ensemble.made import Paths, profile, series, tree_paths

VIEW = Viewport(1000.0, 500.0)
S = 1e9
MAIN, WORK, WAIT, BACK = "app.main", "math.work", "mpi.wait", "app.again"


def program(work: float, wait: float | None, back: float = 0.0) -> Profile:
    """main calls work, which may wait, and which calls the module of main again."""
    paths: Paths = {(MAIN,): 1 * S, (MAIN, WORK): work * S}
    if wait is not None:
        paths[(MAIN, WORK, WAIT)] = wait * S
    if back:
        paths[(MAIN, WORK, BACK)] = back * S
    return profile(paths)


RUNS = (program(4, 1), program(4, 3), program(6, None), program(5, 2, 1))


def started(*runs: Profile, **values: object) -> ViewInstance:
    """The view with all that it needs."""
    said: list[str] = []
    instance = opened(CallFlowView(), *(runs or RUNS), values=values, said=said)
    names = tuple(f"run{number}" for number in range(1, len(runs or RUNS) + 1))
    instance.take_inputs(replace(instance.inputs, names=names))
    instance.settle()
    drawn_plot(instance, "main", VIEW)
    assert said == []
    return instance


def model_of(instance: ViewInstance) -> FlowModel:
    found = model_in(instance.context)
    assert found is not None
    return found


def plot(instance: ViewInstance, part: str = "main") -> Plot:
    return drawn_plot(instance, part, VIEW)


def table(instance: ViewInstance, part: str) -> dict[str, list[object]]:
    drawn = instance.draw(part, VIEW)
    assert isinstance(drawn, ViewTable)
    return {column.name: list(column.values) for column in drawn.columns}


def words(drawn: Plot) -> str:
    return " | ".join(text for each in drawn.layers for text in getattr(each, "text", ()))


def beside(instance: ViewInstance, name: str) -> str:
    """What stands behind the name of a box."""
    drawn = plot(instance)
    return str(layer(drawn, "values").text[list(layer(drawn, "names").text).index(name)])


def at(model: FlowModel, name: str) -> int:
    return model.graph.name.index(name)


def test_boxes_and_bins_hold_all_runs_that_have_the_module() -> None:
    """CF-2: one scale of counts; bins tile each box; a module that a run lacks is not counted as 0."""
    instance = started(bins=4)
    model, drawn = model_of(instance), plot(instance)
    boxes, bins = layer(drawn, "boxes"), layer(drawn, "bins")
    assert len(boxes.x0) == len(model.graph) == 3
    spread = spread_of(model.graph.inclusive, 4)
    assert spread.count.sum(axis=1).tolist() == [4, 4, 3]
    assert spread.count[at(model, "mpi")].tolist() == [1, 0, 1, 1]  # 1, 2 and 3 s of waiting
    assert (bins.y0 >= boxes.y0[bins.item // 4] - 1e-9).all()
    assert (bins.y1 <= boxes.y1[bins.item // 4] + 1e-9).all()
    share = np.array([1.0, 0.0])
    assert axis_y(model, np.full(3, share[0]))[0] < axis_y(model, np.full(3, share[1]))[0]  # the largest on top
    said = words(drawn)
    assert "4 runs" in said
    assert "in a box: the slowest run on top" in said
    assert "3 s" in said  # most of the waiting, at the end of its axis


def test_bins_say_how_many_runs_they_hold_and_select_them() -> None:
    """CF-2: the number is written where there is room; Shift and a click select the runs of a bin, and let go."""
    instance = started(bins=4)
    counts, bins = layer(plot(instance), "counts"), layer(plot(instance), "bins")
    spread = spread_of(model_of(instance).graph.inclusive, 4)
    assert len(counts.text) == len(bins.item)  # all are high enough
    assert [int(text) for text in counts.text] == spread.count.reshape(-1)[bins.item].tolist()
    mpi = at(model_of(instance), "mpi")
    click = ViewEvent(EventKind.CLICK, "main", hit=Hit("bins", mpi * 4 + 3), modifiers=frozenset({"shift"}))
    send(instance, click)
    assert (instance.state.runs, instance.state.module) == ((1,), "")
    assert layer(plot(instance), "counts") is None  # halves are too narrow
    send(instance, replace(click, hit=Hit("bins", mpi * 4)))
    assert instance.state.runs == (0, 1)
    send(instance, click)
    assert instance.state.runs == (0,)


def test_a_call_back_into_a_module_is_drawn_as_an_arc_below() -> None:
    """CF-2: what closes a cycle is not dropped; it runs below all boxes."""
    instance = started()
    model, drawn = model_of(instance), plot(instance)
    [flow] = np.flatnonzero(model.layout.back).tolist()
    arcs = [each for each in drawn.layers if each.name.startswith("back")]
    assert [each.item.tolist() for each in arcs] == [[flow]]
    assert arcs[0].points[:, 1].max() > model.layout.height
    assert flow not in layer(drawn, "flows").item.tolist()
    lines = instance.tell("main", Hit(arcs[0].name, flow))
    assert lines[0] == "math → app"
    assert "leads back: it closes a cycle" in lines


def test_target_stands_at_its_value_and_what_it_lacks_is_empty() -> None:
    """CF-4: a line in each box that the run has; flows over those of the ensemble; the rest is unfilled."""
    instance = started(mode="target", target=3)
    model, drawn = model_of(instance), plot(instance)
    assert len(layer(drawn, "target").x0) == 2
    lacking = layer(drawn, "lacking")
    assert lacking.y0.tolist() == [model.layout.top[at(model, "mpi")]]
    assert len(layer(drawn, "target flows").ptr) - 1 == 1  # app -> math alone
    assert beside(instance, "mpi") == "not in this run"
    assert "run3: lacks it" in instance.tell("main", Hit("boxes", at(model, "mpi")))
    highest = started(mode="target", target=2)
    line = layer(plot(highest), "target")
    mpi = at(model_of(highest), "mpi")
    box = layer(plot(highest), "boxes")
    assert line.y0[mpi] - box.y0[mpi] < 3.0  # the most of all: on top


def test_difference_is_the_second_run_minus_the_target() -> None:
    """CF-4: written out, with its scale; nothing is white; who lacks a module spent nothing there."""
    instance = started(mode="difference", target=1, second=2)
    model, drawn = model_of(instance), plot(instance)
    said = words(drawn)
    assert "B minus A: run2 minus run1, +2 s" in said
    assert beside(instance, "mpi") == "+2 s"
    assert "-2 s" in said  # the other end of the scale
    box = layer(drawn, "boxes")
    red, _, blue, _ = box.color[at(model, "mpi")].tolist()
    assert red > blue  # more: orange
    back = started(mode="difference", target=2, second=1)
    red, _, blue, _ = layer(plot(back), "boxes").color[at(model, "mpi")].tolist()
    assert blue > red  # less: blue
    equal = started(mode="difference", target=1, second=1)
    assert (layer(plot(equal), "boxes").color[:, :3] == 255).all()
    alone = started(mode="difference", target=1, second=3)
    assert beside(alone, "mpi") == "-1 s  only in A"
    thesis = started(mode="difference", target=1, second=2, colors="red-green")
    assert layer(plot(thesis), "boxes").color[at(model, "mpi"), 0] == instance.context.theme.worse[0]


def test_differences_of_what_both_lack_are_missing() -> None:
    """CF-1, CF-4: missing is not 0."""
    values = np.array([[1.0, np.nan, np.nan], [3.0, 2.0, np.nan]])
    assert differences(values, 0, 1)[:2].tolist() == [2.0, 2.0]
    assert np.isnan(differences(values, 0, 1)[2])


def test_layout_is_unmoved_by_target_mode_and_colour() -> None:
    """CF-2: what is compared changes no place, and makes nothing anew."""
    instance = started()
    before, boxes = model_of(instance), layer(plot(instance), "boxes")
    changes = (
        ("mode", "target"),
        ("target", 3),
        ("mode", "difference"),
        ("second", 4),
        ("colors", "red-green"),
        ("value", "exclusive"),
        ("bins", 7),
    )
    for name, value in changes:
        instance.set_value(name, value)
        assert not instance.wanted()
        assert model_of(instance) is before
        now = layer(plot(instance), "boxes")
        for axis in ("x0", "x1", "y0", "y1"):
            assert (getattr(now, axis) == getattr(boxes, axis)).all()
    again = started()
    assert (layer(plot(again), "boxes").y0 == boxes.y0).all()  # and the same input gives the same picture


def test_rows_clicks_and_keys_feed_one_selection() -> None:
    """CF-3: a row chooses the run, a box its module and its code, a call path its modules; Escape lets go."""
    instance = started()
    model = model_of(instance)
    send(instance, ViewEvent(EventKind.ROW, "runs", hit=Hit("", 2)))
    assert instance.values["target"] == 3
    assert instance.values["mode"] == "target"
    send(instance, ViewEvent(EventKind.KEY, "main", key="]"))
    assert instance.values["target"] == 4
    send(instance, ViewEvent(EventKind.KEY, "main", key="]"))
    assert instance.values["target"] == 1
    send(instance, ViewEvent(EventKind.KEY, "main", key="["))
    assert instance.values["target"] == 4
    send(instance, ViewEvent(EventKind.CHECK, "runs", hit=Hit("", 1)))
    assert (instance.values["second"], instance.values["mode"]) == (2, "difference")
    send(instance, ViewEvent(EventKind.KEY, "main", key="m"))
    assert instance.values["mode"] == "summary"
    requests = send(instance, ViewEvent(EventKind.CLICK, "main", "plane", hit=Hit("boxes", at(model, "mpi"))))
    assert instance.state.module == "mpi"
    [selected] = [each for each in requests if isinstance(each, SelectNodes)]
    graph = instance.context.graph
    assert {graph.names[key] for key in selected.keys} == {"wait"}
    assert table(instance, "sites")["Function"] == ["mpi.wait"]
    assert np.array(table(instance, "runs")["mpi"])[[0, 1, 3]].tolist() == [1.0, 3.0, 2.0]
    assert "mpi: 3 runs, 1 lack it" in words(plot(instance, "spread"))
    site = int(np.flatnonzero(model.graph.of_node == at(model, "mpi"))[0])
    send(instance, ViewEvent(EventKind.ROW, "sites", hit=Hit("", site)))
    drawn = plot(instance)
    assert len(layer(drawn, "path").x0) == 4 * 3  # app, math and mpi are framed
    assert len(layer(drawn, "path flows").ptr) - 1 == 2
    send(instance, ViewEvent(EventKind.KEY, "main", key="Escape"))
    assert (instance.state.module, instance.state.site) == ("", -1)
    send(instance, ViewEvent(EventKind.CLICK, "spread", "runs", hit=Hit("runs", 0)))
    assert (instance.values["target"], instance.values["mode"]) == (1, "target")


def send(instance: ViewInstance, event: ViewEvent) -> tuple[object, ...]:
    """An event, whose requests about values are followed as the host does."""
    _, requests = instance.on(event)
    assert not any(isinstance(each, SetValue) for each in requests)
    instance.settle()
    plot(instance)
    return requests


def test_zooming_moves_the_picture_and_f_shows_all() -> None:
    """CF-2: what lies where on the layout stays."""
    instance = started()
    home = plot(instance).pane("plane")
    send(instance, ViewEvent(EventKind.RANGE, "main", "plane", range=Range((0.2, 0.8), (100.0, 300.0))))
    assert plot(instance).pane("plane").y == (100.0, 300.0)
    assert home.home is not None
    send(instance, ViewEvent(EventKind.RANGE, "main", "plane", range=Range(home.home, (100.0, 300.0))))
    assert (instance.state.x, instance.state.y) == (None, None)
    assert plot(instance).pane("plane") == home


def test_call_paths_have_the_figures_of_all_runs() -> None:
    """CF-3: ends and median over the runs that have it, the target's, the difference."""
    instance = started(target=1, second=2)
    found = table(instance, "sites")
    row = found["Function"].index("mpi.wait")
    assert found["Called from"][row] == "app.main → math.work"
    assert [found[name][row] for name in ("Runs", "Min", "Median", "Max")] == [3, 1.0, 2.0, 3.0]
    assert (found["Target"][row], found["B minus A"][row]) == (1.0, 2.0)


def test_one_profile_is_an_ensemble_of_one_and_traces_are_runs() -> None:
    """CF-4: nothing is special about one run; CF-1: traces are folded."""
    alone = started(RUNS[0])
    assert "1 run " in words(plot(alone))
    assert len(layer(plot(alone), "bins").x0) == 3
    instance = opened(CallFlowView(), small_trace(), small_trace("other.py"), RUNS[0])
    instance.settle()
    assert "unrelated" not in words(plot(instance))
    assert len(model_of(instance).ensemble) == 3
    assert model_of(instance).ensemble.names[:2] == ("app.py", "other.py")


@pytest.mark.parametrize(
    ("values", "sentence"),
    [({"metric": "cycles"}, "There is no metric 'cycles'"), ({"table": "[1]"}, "A table of modules is JSON")],
)
def test_what_cannot_be_drawn_is_a_sentence(values: dict[str, object], sentence: str) -> None:
    """CF-1: a metric that there is not, a table that is none."""
    instance = opened(CallFlowView(), *RUNS, values=values)
    instance.settle()
    for part in ("main", "spread"):
        assert sentence in words(plot(instance, part))
    drawn = instance.draw("sites", VIEW)
    assert isinstance(drawn, ViewTable)
    assert sentence in drawn.empty


def test_every_part_answers_every_pointer() -> None:
    """CF-3: tooltips of all that is drawn, in all modes; states of documents that say anything."""
    paths = tree_paths(np.random.default_rng(3), 60)
    times = np.random.default_rng(4).uniform(1, 9, (20, 60)) * S
    runs = [each.profile for each in series(paths, times)]
    for mode in ("summary", "target", "difference"):
        for modules in ("module", "function"):
            instance = started(*runs, mode=mode, modules=modules)
            for part in ("main", "spread"):
                for each in plot(instance, part).layers:
                    items = getattr(each, "item", None)
                    for item in [] if items is None else items.tolist()[:40]:
                        assert instance.tell(part, Hit(each.name, item))
    bad = opened(CallFlowView(), *RUNS, data={"x": [3, 1], "site": 10**9, "module": "none"})
    assert bad.state == CallFlowView().start(bad.context)
    far = opened(CallFlowView(), *RUNS, data={"site": 10**9, "module": "no such"})
    far.settle()
    assert "4 runs" in words(plot(far))


def test_a_module_that_calls_itself_has_a_loop() -> None:
    """CF-2: on its box, in the tooltip and the legend; a click on it selects the box. No other module has one."""
    own: Paths = {(MAIN,): 1 * S, (MAIN, WORK): 4 * S, (MAIN, WORK, "math.add"): 2 * S, (MAIN, WAIT): 1 * S}
    instance = started(profile(own), program(4, 1))
    model, drawn = model_of(instance), drawn_plot(instance, "main", Viewport(1200.0, 500.0))
    box = at(model, "math")
    [loop] = [each for each in drawn.layers if each.name == "loops"]
    assert isinstance(loop, Curves)
    assert loop.item is not None
    assert loop.item.tolist() == [box]
    assert loop.points[:, 1].max() == model.layout.top[box]
    assert "loop: calls itself" in words(drawn)
    lines = CallFlowView().tell(instance.context, instance.state, "main", Hit("loops", box))
    assert lines[-1] == "calls itself: at most 2 s in these calls"
    instance.on(ViewEvent(EventKind.CLICK, "main", "plane", hit=Hit("loops", box)))
    assert instance.state.module == "math"
    without = started(program(4, 1))
    assert "loop" not in words(plot(without))
    assert not any(
        "calls itself" in line for line in CallFlowView().tell(without.context, without.state, "main", Hit("boxes", 0))
    )


def test_rendering_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    """CF-9: PNG and SVG without a window."""
    files = []
    for number, wait in enumerate((1, 3)):
        file = tmp_path / f"run{number}.txt"
        file.write_text(f"main;work {5 + number}\nmain;work;wait {wait}\n")
        files.append(str(file))
    for ending in ("png", "svg"):
        made = []
        for again in range(2):
            out = tmp_path / f"{again}.{ending}"
            assert main(["trace", "render", "callflow", *files, "-o", str(out), "--size", "600x400"]) == 0
            made.append(out.read_bytes())
        assert made[0] == made[1]
        assert len(made[0]) > 1000


def test_nothing_open_is_said() -> None:
    """CF-1: a view of any number of runs still needs one."""
    from cbvtool.session.plugin_views.surroundings import why_not

    takes = CallFlowView().takes
    assert why_not(takes, []) == "it takes any number of traces and any number of profiles, and there is nothing"
    assert why_not(takes, ["trace", "profile", "profile"]) == ""
    assert own_inputs(RUNS).names == ()
