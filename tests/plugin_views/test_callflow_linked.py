"""The linked views of CallFlow without a display (CF-3, CF-4): what they draw, and the one selection they feed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from cbvtool.api import EventKind, Hit, Menu, Plot, Profile, Range, Say, ViewEvent, Viewport, ViewTable, locate
from cbvtool.budget import Budget
from cbvtool.session.plugin_views.instance import ViewInstance
from cbvtool.trace.making.profile_builder import ProfileBuilder
from plugins.callflow.icicle import places_of
from plugins.callflow.lasso import within
from plugins.callflow.preparing import FlowModel, model_in
from plugins.callflow.seen import hierarchy_in
from plugins.callflow.state import Lasso
from plugins.callflow.view import CallFlowView
from tests.plugin_views.opened import drawn_plot, layer, opened
from tests.trace.ensemble.made import Paths, profile

VIEW = Viewport(640.0, 300.0)
S = 1e9
MAIN, INSERT, GET, WALK = "app.main", "tree.insert", "tree.get", "tree.walk"


def program(get: float, walk: float | None = 2.0, **parameters: object) -> Profile:
    """main inserts, which gets; and walks, which gets, too."""
    paths: Paths = {(MAIN,): 1 * S, (MAIN, INSERT): 2 * S, (MAIN, INSERT, GET): get * S}
    if walk is not None:
        paths[(MAIN, WALK)] = walk * S
        paths[(MAIN, WALK, GET)] = 1 * S
    made = profile(paths)
    return replace(made, header=replace(made.header, parameters={key: str(each) for key, each in parameters.items()}))


RUNS = (program(4), program(5), program(6, None), program(20))


def started(*runs: Profile, **values: object) -> ViewInstance:
    said: list[str] = []
    instance = opened(CallFlowView(), *(runs or RUNS), values=values, said=said)
    instance.take_inputs(replace(instance.inputs, names=tuple(f"run{at + 1}" for at in range(len(runs or RUNS)))))
    instance.settle()
    assert said == []
    return instance


def model_of(instance: ViewInstance) -> FlowModel:
    found = model_in(instance.context)
    assert found is not None
    return found


def send(instance: ViewInstance, kind: EventKind, part: str, **more: object) -> tuple[object, ...]:
    """An event; what is needed after it is made."""
    event = ViewEvent(kind, part, **more)  # type: ignore[arg-type]  # fields of ViewEvent
    _, requests = instance.on(event)
    instance.settle()
    return requests


def select(instance: ViewInstance, module: str) -> None:
    send(instance, EventKind.CLICK, "main", hit=Hit("boxes", model_of(instance).graph.name.index(module)))
    assert instance.state.module == module


def words(drawn: Plot) -> str:
    return " | ".join(text for each in drawn.layers for text in getattr(each, "text", ()))


def plot(instance: ViewInstance, part: str) -> Plot:
    drawn = drawn_plot(instance, part, VIEW)
    if instance.settle():
        drawn = drawn_plot(instance, part, VIEW)
    return drawn


def loop(instance: ViewInstance, part: str, x: tuple[float, float], y: tuple[float, float], *held: str) -> None:
    """Draw a rectangle round a part of the canvas, in pixels."""
    start = ViewEvent(EventKind.PRESS, part, px=x[0], py=y[0], size=(VIEW.width, VIEW.height))
    instance.on(start)
    way = ((x[1], y[0]), (x[1], y[1]), (x[0], y[1]))
    for px, py in way:
        instance.on(replace(start, kind=EventKind.DRAG, px=px, py=py, start=start))
    instance.on(replace(start, kind=EventKind.DROP, px=x[0], py=y[1], start=start, modifiers=frozenset(held)))


def test_a_box_is_split_and_put_together_again_by_keys() -> None:
    """CF-4: by entry function, call site, callee; the splits are in the state, and undone one by one."""
    instance = started()
    select(instance, "tree")
    [said] = [each.text for each in send(instance, EventKind.KEY, "main", key="e") if isinstance(each, Say)]
    assert said == "tree is split into 2 by entry function; U undoes it."
    assert set(model_of(instance).graph.name) == {"app", "tree › tree.insert", "tree › tree.walk"}
    assert "tree split" in words(plot(instance, "main"))
    assert "tree › tree.walk" in words(plot(instance, "main"))
    select(instance, "tree › tree.insert")
    send(instance, EventKind.KEY, "main", key="d")
    assert "tree › tree.insert › tree.get" in model_of(instance).graph.name
    kept = instance.data()
    again = opened(CallFlowView(), *RUNS, data=kept)
    again.settle()
    assert model_of(again).graph.name == model_of(instance).graph.name
    send(instance, EventKind.KEY, "main", key="u")
    assert set(model_of(instance).graph.name) == {"app", "tree › tree.insert", "tree › tree.walk"}
    send(instance, EventKind.KEY, "main", key="U")
    assert set(model_of(instance).graph.name) == {"app", "tree"}
    assert instance.state.module == "tree"
    assert send(instance, EventKind.KEY, "main", key="u") == (Say("Nothing is split."),)
    select(instance, "app")
    assert send(instance, EventKind.KEY, "main", key="c") == (Say("app has one call site: it is not split."),)
    assert instance.state.splits == ()


def test_the_menu_of_a_box_splits_it() -> None:
    """CF-4: the right button selects the box under the pointer; entries are the keys."""
    instance = started()
    tree = model_of(instance).graph.name.index("tree")
    [menu] = [each for each in send(instance, EventKind.MENU, "main", hit=Hit("boxes", tree)) if isinstance(each, Menu)]
    assert [key for key, _ in menu.entries] == ["e", "c", "d"]
    assert instance.state.module == "tree"
    send(instance, EventKind.KEY, "main", key="c")
    assert "tree › tree.insert from app.main" in model_of(instance).graph.name
    [menu] = [each for each in send(instance, EventKind.MENU, "main") if isinstance(each, Menu)]
    assert [key for key, _ in menu.entries] == ["e", "c", "d", "u", "U"]


def test_splits_of_a_document_are_checked() -> None:
    """CF-4: a split of a module that there is not changes nothing; one that cannot be lets the view start afresh."""
    far = opened(CallFlowView(), *RUNS, data={"splits": [{"module": "none", "by": "entry"}], "runs": [3, 1, 3, 900]})
    far.settle()
    assert model_of(far).graph.name == ("app", "tree")
    assert far.state.runs == (1, 3, 900)
    for data in (
        {"splits": [{"module": "tree", "by": "odd"}]},
        {"splits": [{"module": "m"}] * 100},
        {"inside": [2, 1]},
    ):
        bad = opened(CallFlowView(), *RUNS, data=data)
        assert bad.state == CallFlowView().start(bad.context)


def test_the_icicle_has_the_calls_of_the_module_and_reveals_their_path() -> None:
    """CF-3: as wide as the mean of all runs; a call that the target lacks is unfilled; a click shows its way."""
    instance = started(mode="target", target=3)
    select(instance, "tree")
    drawn = plot(instance, "icicle")
    assert "tree: 4 call paths" in words(drawn)
    assert "the target lacks 2" in words(drawn)
    tree = hierarchy_in(instance.context, instance.state, model_of(instance))
    calls = layer(drawn, "calls")
    lacks = np.isnan(tree.inclusive[2, calls.item])
    assert (calls.color[:, 3] == 0).tolist() == lacks.tolist()
    assert lacks.sum() == 2
    spots = places_of(tree)
    wide = spots.x1 - spots.x0
    assert wide == pytest.approx(
        np.nan_to_num(tree.inclusive).mean(axis=0) / np.nan_to_num(tree.inclusive[:, tree.depth == 0]).sum() * 4
    )
    for row, above in enumerate(tree.parent.tolist()):
        assert above < 0 or (spots.x0[above] <= spots.x0[row] and spots.x1[row] <= spots.x1[above] + 1e-12)
    get = next(row for row in range(len(tree)) if tree.parent[row] >= 0)
    send(instance, EventKind.CLICK, "icicle", hit=Hit("calls", get))
    assert instance.state.site == tree.site[get]
    main = plot(instance, "main")
    assert layer(main, "path") is not None
    assert len(layer(plot(instance, "icicle"), "call selected").x0) == 4
    assert instance.tell("icicle", Hit("calls", get))[0] == GET
    send(instance, EventKind.RANGE, "icicle", pane="calls", range=Range((0.2, 0.4), (0.0, 2.0)))
    assert plot(instance, "icicle").pane("calls").x == (0.2, 0.4)
    send(instance, EventKind.RANGE, "icicle", pane="calls", range=Range((0.0, 1.0), (0.0, 2.0)))
    assert instance.state.inside is None


def test_the_icicle_colours_differences() -> None:
    """CF-4: B minus A is written behind each call."""
    instance = started(mode="difference", target=1, second=4)
    select(instance, "tree")
    drawn = plot(instance, "icicle")
    assert "tree.get  +16 s" in words(drawn)
    strips = layer(drawn, "call differences")
    assert len(strips.x0) == 4
    assert strips.color[0, 0] > strips.color[0, 2]  # more: orange
    assert (strips.color[2:, :3] == strips.color[2, :3]).all()  # walking takes the same


def test_box_plots_show_the_target_over_all_and_outliers() -> None:
    """CF-3: modules, then call paths of the selected one; a row selects, an outlier is a run."""
    runs = [program(4 + 0.01 * at) for at in range(12)] + [program(60)]
    instance = started(*runs, mode="target", target=13)
    drawn = plot(instance, "boxplots")
    assert "Modules: median and quartiles, inclusive, over 13 runs" in words(drawn)
    assert len(layer(drawn, "all boxes").x0) == 2
    assert set(layer(drawn, "outliers").item.tolist()) == {12}
    assert len(layer(drawn, "run 0").x) == 2
    tree = model_of(instance).graph.name.index("tree")
    send(instance, EventKind.CLICK, "boxplots", hit=Hit("rows", tree))
    assert instance.state.module == "tree"
    rows = words(plot(instance, "boxplots"))
    assert "tree.get" in rows
    assert "tree.walk" in rows
    top = int(layer(plot(instance, "boxplots"), "rows").item[0])
    send(instance, EventKind.CLICK, "boxplots", hit=Hit("rows", top))
    assert instance.state.site >= 0
    told = instance.tell("boxplots", Hit("rows", top))
    assert any("1 beyond 1.5 times that range" in line for line in told)
    send(instance, EventKind.CLICK, "boxplots", hit=Hit("outliers", 12), modifiers=frozenset({"ctrl"}))
    assert (instance.values["second"], instance.values["mode"]) == (13, "difference")


def by_ranks(*times: float) -> Profile:
    """main and get, which takes another time in each rank."""
    made = ProfileBuilder("test", Budget("The profile"))
    main = made.node(made.function("app.main", "app"))
    get = made.node(made.function(GET, "tree"), main)
    for rank, seconds in enumerate(times):
        made.add(main, "time", 1 * S, unit="ns", place=(rank, 0))
        made.add(get, "time", seconds * S, unit="ns", place=(rank, 0))
    return made.profile()


def test_box_plots_and_histograms_over_ranks() -> None:
    """CF-3: the ranks of all runs, the target's as a box over them; runs whose ranks are not known are named."""
    instance = started(by_ranks(1, 2, 3, 4), by_ranks(2, 2, 9, 3), by_ranks(5), over="ranks", mode="target", target=2)
    drawn = plot(instance, "boxplots")
    assert "over 9 ranks of 3 runs; of 1 only the mean is known" in words(drawn)
    assert layer(drawn, "run 0 boxes") is not None
    instance.set_value("histogram", "ranks")
    assert "9 ranks of 3 runs" in words(plot(instance, "spread"))
    squares = layer(plot(instance, "spread"), "runs")
    assert sorted(squares.item.tolist()) == [0, 0, 0, 0, 1, 1, 1, 1, 2]
    select(instance, "tree")
    assert len(layer(plot(instance, "spread"), "runs").x0) == 9
    instance.set_value("histogram", "sites")
    drawn = plot(instance, "spread")
    assert "tree: 1 call paths, run2" in words(drawn)
    site = int(layer(drawn, "runs").item[0])
    assert instance.tell("spread", Hit("runs", site))[:2] == (GET, "called from app.main")
    send(instance, EventKind.CLICK, "spread", hit=Hit("runs", site))
    assert instance.state.site == site


def test_a_line_round_dots_selects_their_runs_everywhere() -> None:
    """CF-3: the map, the scatter plot and the histogram feed one selection; Shift adds; the ground lets go."""
    instance = started()
    select(instance, "tree")
    drawn = plot(instance, "spread")
    squares, pane = layer(drawn, "runs"), drawn.pane("runs")
    far = int(np.flatnonzero(squares.item == 3)[0])
    x, y = locate(pane, squares.x0[far], squares.y0[far])
    loop(instance, "spread", (float(x) - 4, VIEW.width - 1), (30.0, float(y) + 4))
    assert instance.state.runs == (3,)
    assert instance.state.lasso == Lasso()
    runs = instance.draw("runs", VIEW)
    assert isinstance(runs, ViewTable)
    assert list(next(each.values for each in runs.columns if each.name == "Selected")) == ["", "", "", "yes"]
    main = plot(instance, "main")
    assert len(layer(main, "selected bins").x0) == 2
    assert "1 selected" in words(main)
    drawn = plot(instance, "scatter")
    dots, pane = layer(drawn, "dots"), drawn.pane("dots")
    px, py = locate(pane, dots.x, dots.y)
    loop(instance, "scatter", (0.0, VIEW.width), (0.0, VIEW.height), "shift")
    assert instance.state.runs == (0, 1, 2, 3)
    loop(instance, "scatter", (0.0, 40.0), (0.0, 20.0))
    assert instance.state.runs == ()
    assert len(px) == len(py) == 14
    drawn = plot(instance, "map")
    assert "4 runs by call trees" in words(drawn)
    places = layer(drawn, "places")
    px, py = (each[np.argsort(places.item)] for each in locate(drawn.pane("places"), places.x, places.y))
    loop(instance, "map", (float(px[3]) - 5, float(px[3]) + 5), (float(py[3]) - 5, float(py[3]) + 5))
    assert instance.state.runs == (3,)
    send(instance, EventKind.CLICK, "map")
    assert instance.state.runs == ()
    send(instance, EventKind.CLICK, "map", hit=Hit("places", 2))
    assert (instance.values["target"], instance.values["mode"]) == (3, "target")
    send(instance, EventKind.KEY, "map", key="s")
    assert instance.state.runs == (2,)
    send(instance, EventKind.KEY, "map", key="g")
    assert 2 in instance.state.runs


def test_a_line_that_is_broken_off_selects_nothing() -> None:
    """CF-3: ESC brings back what was selected; the line is seen while it is drawn, and no document keeps it."""
    instance = started()
    start = ViewEvent(EventKind.PRESS, "spread", px=10.0, py=10.0, size=(VIEW.width, VIEW.height))
    instance.on(start)
    for px, py in ((200.0, 10.0), (200.0, 200.0), (201.0, 200.0)):
        instance.on(replace(start, kind=EventKind.DRAG, px=px, py=py, start=start))
    assert instance.state.lasso.points == (10.0, 10.0, 200.0, 10.0, 200.0, 200.0)
    assert layer(plot(instance, "spread"), "lasso") is not None
    assert layer(plot(instance, "map"), "lasso") is None
    assert opened(CallFlowView(), *RUNS, data=instance.data()).state.lasso == Lasso()
    instance.on(replace(start, kind=EventKind.KEY, key="Escape", start=start))
    assert instance.state.lasso == Lasso()
    assert instance.state.runs == ()


def test_within_a_line() -> None:
    """CF-3: also of one that crosses itself, by the even-odd rule."""
    x, y = np.array([5.0, 15.0, 5.0, 5.0]), np.array([5.0, 5.0, 2.0, 12.0])
    square = Lasso("map", (0.0, 0.0, 10.0, 0.0, 10.0, 10.0, 0.0, 10.0))
    assert within(square, x, y).tolist() == [True, False, True, False]
    eight = Lasso("map", (0.0, 0.0, 10.0, 10.0, 10.0, 0.0, 0.0, 10.0))
    assert within(eight, np.array([2.0, 5.0]), np.array([5.0, 2.0])).tolist() == [True, False]
    assert within(Lasso(), x, y).tolist() == [False] * 4


def test_the_scatter_plot_has_two_metrics() -> None:
    """CF-3: inclusive against exclusive; or another metric; a dot selects its call path and its run."""
    instance = started()
    drawn = plot(instance, "scatter")
    assert "Modules: 8 dots" in words(drawn)
    assert "time, inclusive" in words(drawn)
    select(instance, "tree")
    drawn = plot(instance, "scatter")
    assert len(layer(drawn, "dots").x) == 14
    item = int(layer(drawn, "dots").item[0])
    name, run, *ends = instance.tell("scatter", Hit("dots", item))
    assert (name[:5], run[:3], len(ends)) == ("tree.", "run", 2)
    send(instance, EventKind.CLICK, "scatter", hit=Hit("dots", item))
    assert instance.state.site >= 0
    assert instance.values["target"] == int(run[3:])
    assert "one for each run" in words(plot(instance, "scatter"))
    two = []
    for number in range(3):
        made = ProfileBuilder("test", Budget("The profile"))
        main = made.node(made.function("app.main", "app"))
        made.add(main, "time", (1.0 + number) * S, unit="ns")
        made.add(main, "misses", 30.0 - number)
        two.append(made.profile())
    instance = started(*two, other="misses")
    drawn = plot(instance, "scatter")
    dots = layer(drawn, "dots")
    assert sorted(zip(dots.x.tolist(), dots.y.tolist(), strict=True)) == [(1 * S, 30.0), (2 * S, 29.0), (3 * S, 28.0)]
    assert "misses, inclusive" in words(drawn)
    assert "correlation -1.00" in words(drawn)
    select(instance, "app")
    assert len(layer(plot(instance, "scatter"), "dots").x) == 3
    instance.set_value("other", "no such")
    instance.settle()
    assert "There is no metric 'no such'" in words(plot(instance, "scatter"))


def test_maps_by_parameters() -> None:
    """CF-3: categories one-hot; runs without parameters are said to have none."""
    runs = [program(4, stream=stream) for stream in ("rows", "rows", "bands", "bands", "bits", "bits")]
    instance = started(*runs, map="parameters")
    drawn = plot(instance, "map")
    assert "6 runs by parameters: 3 groups" in words(drawn)
    assert "run1" in words(drawn)
    instance.set_value("map", "both")
    assert "by call trees and parameters" in words(plot(instance, "map"))
    assert any("group" in line for line in instance.tell("map", Hit("places", 0)))
    alone = started(RUNS[0], RUNS[1], map="parameters")
    assert "There is no parameter that tells these runs from each other." in words(plot(alone, "map"))


def test_parameters_are_parallel_axes() -> None:
    """CF-3, CF-6: a line for each run, numbers by value, categories by level, the value of the selected box last."""
    runs = [program(4 + at, stream=("rows", "bits")[at % 2], size=2**at) for at in range(6)]
    instance = started(*runs)
    drawn = plot(instance, "parameters")
    assert "6 runs: parameters, and Total" in words(drawn)
    assert layer(drawn, "axis names").text == ("stream", "size", "Total")
    assert layer(drawn, "axis words").text == ("rows", "bits", "1", "32", "10 s", "15 s")
    lines = layer(drawn, "lines")
    assert sorted(lines.item.tolist()) == sorted([*range(6), *range(6)])
    select(instance, "tree")
    assert "and tree" in words(plot(instance, "parameters"))
    x, y = lines.x0[lines.item == 5], lines.y0[lines.item == 5]
    right = int(np.argmax(x))  # where the size is largest
    loop(instance, "parameters", (x[right] - 4, x[right] + 4), (y[right] - 4, y[right] + 4))
    assert instance.state.runs == (5,)
    assert instance.tell("parameters", Hit("lines", 5))[0] == "run6"
    send(instance, EventKind.CLICK, "parameters", hit=Hit("corners", 4))
    assert instance.values["target"] == 5
    lacking = started(program(4, stream="rows"), program(5), program(6, stream="bits"), program(7, stream="bits"))
    assert set(layer(plot(lacking, "parameters"), "lines").item.tolist()) == {0, 2, 3}
    alone = started(RUNS[0], RUNS[1])
    assert "There is no parameter that tells these runs from each other." in words(plot(alone, "parameters"))


@pytest.mark.parametrize("part", ["icicle", "boxplots", "spread", "scatter", "map", "parameters"])
def test_one_run_and_equal_runs_are_drawn(part: str) -> None:
    """CF-4: nothing divides by nothing; each mode, over runs and ranks."""
    for runs in ((RUNS[0],), (RUNS[0], RUNS[0], RUNS[0])):
        for mode in ("summary", "target", "difference"):
            instance = started(*runs, mode=mode, over="ranks", histogram="ranks")
            assert plot(instance, part).layers
            select(instance, "tree")
            drawn = plot(instance, part)
            assert drawn.layers
            for each in drawn.layers:
                for item in [] if getattr(each, "item", None) is None else each.item.tolist():
                    assert instance.tell(part, Hit(each.name, item))
