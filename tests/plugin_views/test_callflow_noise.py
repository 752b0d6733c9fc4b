"""CallFlow says what matters: differences within noise are grey in the picture, too, and a headline names the rest."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from cbvtool.api import Bars, Hit, Labels, Plot, Profile, Viewport
from cbvtool.geometry.colors import THEMES
from cbvtool.session.plugin_views.instance import ViewInstance
from cbvtool.session.plugin_views.needs import make
from cbvtool.trace.ensemble.differences import run_is_odd
from plugins.callflow.palette import noise_color
from plugins.callflow.preparing import FlowModel, model_in
from tests.plugin_views.many_runs import ODD, many_runs, processes_of
from tests.plugin_views.opened import drawn_plot, layer
from tests.plugin_views.test_callflow_tables import column, measured, repeats, started, table
from tests.trace.ensemble.made import Paths, profile

WIDE = Viewport(1600.0, 700.0)
S = 1e9
GREY = noise_color(THEMES["light"])


def model_of(instance: ViewInstance) -> FlowModel:
    found = model_in(instance.context)
    assert found is not None
    return found


def drawn(instance: ViewInstance, part: str = "main") -> Plot:
    return drawn_plot(instance, part, WIDE)


def words(plot: Plot) -> str:
    return " | ".join(text for each in plot.layers for text in getattr(each, "text", ()))


def headline(instance: ViewInstance) -> str:
    said: str = layer(drawn(instance), "headline").text[0]
    return said


def value_of(plot: Plot, name: str) -> tuple[str, tuple[int, ...]]:
    """What stands behind the name of a box, and in which colour."""
    names, values = layer(plot, "names"), layer(plot, "values")
    at = list(names.text).index(name)
    return values.text[at], tuple(np.asarray(values.color)[at].tolist())


def test_differences_within_noise_are_grey_in_the_picture_and_named_so() -> None:
    """CF-8, CF-4: box, band, value, legend and tooltip say so; what is beyond the noise keeps its colour."""
    instance = started(repeats(7), along="commit", mode="difference", target=1, second=20)
    model, plot, theme = model_of(instance), drawn(instance), THEMES["light"]
    mpi, math = (model.graph.name.index(name) for name in ("mpi", "math"))
    fill = np.asarray(layer(plot, "boxes").color)
    assert tuple(fill[mpi].tolist()) == GREY
    assert tuple(fill[math].tolist()) != GREY
    hatched = layer(plot, "within noise")
    assert isinstance(hatched, Bars)
    assert (hatched.pattern, hatched.y0.tolist()) == ("hatched", [model.layout.top[mpi]])
    bands = layer(plot, "flows")
    flow = {
        model.graph.name[int(model.graph.target[row])]: np.asarray(bands.color)[at] for at, row in enumerate(bands.item)
    }
    assert flow["mpi"].tolist() == [*theme.muted[:3], 62]
    assert flow["math"].tolist() != [*theme.muted[:3], 62]
    text, color = value_of(plot, "mpi")
    assert text.endswith("noise")
    assert color == theme.muted
    assert value_of(plot, "math")[1] == theme.text
    assert "grey: within the noise of repeats" in words(plot)
    said = "the noise of 10 runs with commit a and 10 runs with commit b"
    assert f"within {said}" in instance.tell("main", Hit("boxes", mpi))
    assert f"beyond {said}" in instance.tell("main", Hit("boxes", math))
    assert f"within {said}" in instance.tell("main", Hit("flows", int(np.flatnonzero(model.graph.target == mpi)[0])))
    assert headline(instance).startswith("Beyond the noise of 10 and 10 repeats: math +")
    inside = drawn(instance, "icicle")
    strips, names = layer(inside, "call differences"), layer(inside, "call names")
    assert isinstance(names, Labels)
    assert [tuple(each) == GREY for each in np.asarray(strips.color).tolist()].count(True) >= 1
    assert any(each.startswith("mpi.wait") and each.endswith("noise") for each in names.text)


def test_without_repeats_no_difference_is_grey() -> None:
    """CF-8: the legend and the headline say that noise is not known; repeats of one another differ by noise alone."""
    instance = started([measured(4, 1, size=1), measured(6, 1, size=2)], mode="difference", target=1, second=2)
    plot = drawn(instance)
    assert "no repeats: noise is not known" in words(plot)
    assert not len(layer(plot, "within noise").x0)
    assert headline(instance) == "run2 minus run1: math +2 s  ·  without repeats of both, noise is not known"
    instance = started(repeats(), along="commit", mode="difference", target=1, second=2)
    assert headline(instance) == "run1 and run2 are repeats (commit a): what differs is noise"
    instance.set_value("second", 1)
    assert headline(instance) == "A and B are one run: tick another one as B"


def test_what_is_odd_in_one_run_is_not_lost_in_the_noise_of_its_repeats() -> None:
    """CF-7, CF-8: the mean of its repeats says nothing of it: the colour stays, and all that tells names it."""
    other = next(run for run in range(100) if processes_of(run) == 10)
    instance = started(many_runs(), mode="difference", target=ODD + 1, second=other + 1)
    model, plot = model_of(instance), drawn(instance)
    write = model.graph.name.index("io")
    assert tuple(np.asarray(layer(plot, "boxes").color)[write].tolist()) != GREY
    assert value_of(plot, "io")[0].endswith("odd in A")
    assert "A is odd among its repeats" in " ".join(instance.tell("main", Hit("boxes", write)))
    assert f"run{ODD + 1} is odd among its repeats (mpi +" in headline(instance)
    instance.set_value("modules", "function")
    instance.settle()
    noise = table(instance, "noise")
    verdict = dict(zip(column(noise, "Box"), column(noise, "Verdict"), strict=True))
    assert verdict["mpi.Gather"] == "odd in A"
    assert verdict["physics.forces"] == "beyond the noise"


def test_a_run_is_odd_seldom_by_chance() -> None:
    """CF-8: of 400 runs like their repeats at most a few are called odd in any of 20 quantities; a far one is."""
    rng = np.random.default_rng(2)
    odd = sum(run_is_odd(rng.normal(10, 1, 20), rng.normal(10, 1, (6, 20))).any() for _ in range(400))
    assert odd <= 12
    others = rng.normal(10, 1, (6, 2))
    assert run_is_odd(np.array([10.0, 40.0]), others).tolist() == [False, True]
    assert run_is_odd(np.array([5.0, np.nan]), np.array([[5.0, 1.0]] * 3)).tolist() == [False, True]
    assert not run_is_odd(np.array([5.0, 99.0]), others[:2]).any()


def test_the_headline_says_what_differs_and_what_a_run_takes_more() -> None:
    """CF-6 to CF-8: which box by which parameter, which run is odd; a run beside the others at its position."""
    instance = started(many_runs())
    said = headline(instance)
    assert said.startswith("physics differs most: ")
    assert "with processes at least 14" in said
    assert f"odd: run{ODD + 1} (mpi +" in said
    instance.set_value("target", ODD + 1)
    instance.set_value("mode", "target")
    said = headline(instance)
    assert said.startswith(f"run{ODD + 1} beside the median run: mpi +")
    assert "  ·  beside the 13 others with processes 16: mpi +" in said
    usual = next(run for run in range(ODD) if processes_of(run) == 10)
    instance.set_value("target", usual + 1)
    assert headline(instance).endswith("beside the 14 others with processes 10: nothing stands out")
    assert headline(started([measured(4, 1)])) == "math takes most by itself: 4 s, 67% of the run"
    flat = started([measured(each, 1) for each in (4, 5, 6)])
    assert headline(flat) == "math differs most: 4 s to 6 s by itself"
    alone = started([measured(4, 1)], mode="difference")
    assert headline(alone) == "There is one run: open others to compare"


def test_functions_are_boxes_where_no_module_is_known() -> None:
    """CF-1: one box for all would show nothing; the line above says so, and a table of modules is not overruled."""
    paths: Paths = {("main",): S, ("main", "solve"): 4 * S}
    runs = [without_modules(profile(paths)) for _ in range(2)]
    instance = started(runs)
    assert set(model_of(instance).graph.name) == {"main", "solve"}
    assert "no modules are known: boxes are functions" in words(drawn(instance))
    assert set(model_of(started(runs, table='{"all": ["*"]}')).graph.name) == {"all"}
    assert "boxes are functions" not in words(drawn(started(repeats())))


def test_small_boxes_become_one_and_no_time_is_lost() -> None:
    """CF-1: filtered by inclusive time, or by exclusive time, in parts of the longest run."""
    whole = started(many_runs(20), modules="function")
    total = np.nan_to_num(model_of(whole).graph.exclusive).sum()
    instance = started(many_runs(20), modules="function", least=5)
    graph = model_of(instance).graph
    longest = float(model_of(instance).ensemble.totals.max())
    [small] = [row for row, name in enumerate(graph.name) if name.endswith("below 5 %)")]
    others = [row for row in range(len(graph)) if row != small]
    assert np.nanmax(graph.inclusive[:, others], axis=0).min() >= 0.05 * longest
    assert np.nan_to_num(graph.exclusive).sum() == pytest.approx(total, rel=1e-12)
    assert len(graph) < len(model_of(whole).graph)
    instance.set_value("value", "exclusive")
    instance.settle()
    assert "app.step" in graph.name  # it takes little by itself
    assert "app.step" not in model_of(instance).graph.name
    instance.set_value("other", "time")
    instance.settle()
    assert "dots, one for each run" in words(drawn(instance, "scatter"))  # of the same boxes
    instance.set_value("least", 0)
    instance.settle()
    assert set(model_of(instance).graph.name) == set(model_of(whole).graph.name)


def without_modules(made: Profile) -> Profile:
    return replace(made, functions=replace(made.functions, module=("",) * len(made.functions)))


def test_what_was_found_of_other_boxes_is_not_told() -> None:
    """CF-8: while fewer boxes are looked into anew, neither headline nor table reads what was found of many."""
    instance = started(many_runs(20), modules="function")
    assert headline(instance)
    instance.set_value("table", '{"all": ["*"]}')
    [modules] = [each for each in instance.wanted() if each.name == "modules"]
    instance.needs.take(modules, make(modules))
    assert layer(drawn(instance), "headline") is None
    assert table(instance, "why").empty == "Testing parameters …"
    instance.settle()
    assert headline(instance).startswith("all differs most")


def test_runs_that_spend_nothing_have_a_headline_too() -> None:
    """CF-4: no time, or less than none; no mode fails."""
    still: Paths = {("app.main",): 0.0, ("app.main", "io.read"): 0.0}
    odd: Paths = {("app.main",): -1.0 * S}
    for mode in ("summary", "target", "difference"):
        for runs in ([still], [still, still], [still, odd, odd]):
            assert headline(started([profile(paths) for paths in runs], mode=mode))
