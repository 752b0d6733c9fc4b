"""Tables of CallFlow that say why runs differ (CF-6 to CF-8), on made-up ensembles, without a display."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cbvtool.api import EventKind, Hit, Profile, ViewEvent, Viewport, ViewTable
from cbvtool.geometry.colors import THEMES
from cbvtool.plots.layers import Labels
from cbvtool.session.plugin_views.instance import ViewInstance
from cbvtool.session.plugin_views.tables import table_plot
from plugins.callflow.preparing import model_in
from plugins.callflow.view import CallFlowView
from tests.plugin_views.many_runs import ODD, many_runs, processes_of
from tests.plugin_views.opened import opened
from tests.trace.ensemble.made import Paths, profile

VIEW = Viewport(1000.0, 500.0)
S = 1e9


def started(runs: list[Profile], **values: object) -> ViewInstance:
    said: list[str] = []
    instance = opened(CallFlowView(), *runs, values=values, said=said)
    instance.take_inputs(replace(instance.inputs, names=tuple(f"run{number}" for number in range(1, len(runs) + 1))))
    instance.settle()
    assert said == []
    return instance


def table(instance: ViewInstance, part: str) -> ViewTable:
    drawn = instance.draw(part, VIEW)
    assert isinstance(drawn, ViewTable)
    return drawn


def column(drawn: ViewTable, name: str) -> list[object]:
    return list(next(each.values for each in drawn.columns if each.name == name))


def press(instance: ViewInstance, part: str, item: int, kind: EventKind = EventKind.ROW) -> None:
    instance.on(ViewEvent(kind, part, hit=Hit("", item)))
    instance.settle()


def measured(work: float, wait: float, **parameters: object) -> Profile:
    """A run with what it was run with."""
    paths: Paths = {("app.main",): S, ("app.main", "math.work"): work * S, ("app.main", "mpi.wait"): wait * S}
    made = profile(paths)
    said = {name: str(value) for name, value in parameters.items()}
    return replace(made, header=replace(made.header, parameters=said))


def test_why_ranks_what_explains_a_box_and_greys_what_chance_can_do() -> None:
    """CF-8: processes explain waiting and computation, the node explains nothing; a row leads to the box's paths."""
    instance = started(many_runs(40))
    why = table(instance, "why")
    rows = list(zip(column(why, "Box"), column(why, "Parameter"), column(why, "Verdict"), strict=True))
    assert ("mpi", "processes", "beyond chance") in rows
    assert ("physics", "processes", "beyond chance") in rows
    assert {verdict for _, parameter, verdict in rows if parameter == "node"} == {"may be chance"}
    assert len(set(why.item.tolist())) == len(why.item)  # a box stands in a row for each parameter
    verdicts = dict(zip(why.item.tolist(), column(why, "Verdict"), strict=True))
    assert why.faint == {item for item, verdict in verdicts.items() if verdict == "may be chance"}
    press(instance, "why", int(why.item[rows.index(("mpi", "node", "may be chance"))]))
    assert instance.state is not None
    assert instance.state.module == "mpi"
    inside = table(instance, "why")
    assert {"Allreduce", "Sendrecv", "Barrier"} <= {str(each).rpartition(".")[2] for each in column(inside, "Function")}
    press(instance, "why", int(inside.item[0]))
    assert instance.state.site >= 0


def test_why_says_what_is_missing() -> None:
    """CF-8: without parameters, or with three runs, a sentence stands there."""
    assert "No parameter differs" in table(started([measured(4, 1), measured(5, 1)]), "why").empty
    three = [measured(each, 1, size=each) for each in (1, 2, 3)]
    assert "4 runs are needed" in table(started(three), "why").empty


def repeats(seed: int = 3) -> list[Profile]:
    """Ten repeats before and after a change: work takes a fifth more, waiting only scatters."""
    rng = np.random.default_rng(seed)
    return [
        measured(10.0 * (1.2 if commit == "b" else 1.0) * rng.normal(1, 0.01), 3.0 * rng.normal(1, 0.2), commit=commit)
        for commit in "ab"
        for _ in range(10)
    ]


def test_differences_within_the_noise_of_repeats_are_grey_and_named_so() -> None:
    """CF-8: runs of one commit are repeats; what these have among themselves is noise."""
    instance = started(repeats(), along="commit", target=1, second=20)
    noise = table(instance, "noise")
    verdict = dict(zip(column(noise, "Box"), column(noise, "Verdict"), strict=True))
    assert verdict["math"] == "beyond the noise"
    assert verdict["mpi"] == "within the noise"
    faint = {name for name, item in zip(column(noise, "Box"), noise.item.tolist(), strict=True) if item in noise.faint}
    assert "mpi" in faint
    assert "math" not in faint
    change = dict(zip(column(noise, "Box"), column(noise, "B minus A"), strict=True))
    assert 1.8 < float(str(change["math"])) < 2.2
    drawn = table_plot(noise, VIEW, THEMES["light"])
    names = next(each for each in drawn.layers if isinstance(each, Labels) and each.name == "column 0")
    colors = {text: tuple(color) for text, color in zip(names.text, np.asarray(names.color).tolist(), strict=True)}
    assert colors["mpi"] == THEMES["light"].muted
    assert colors["math"] == THEMES["light"].text
    alone = table(started(repeats(), along="commit", target=1, second=2), "noise")
    assert set(column(alone, "Verdict")) == {"no repeats to tell"}
    assert "one run" in table(started(repeats(), target=2, second=2), "noise").empty


def test_runs_in_the_order_of_commits_step_where_the_program_changed() -> None:
    """CF-6: positions as the runs come, a step at the sixth; of a box once it is selected; a row is the target."""
    rng = np.random.default_rng(1)
    runs = [
        measured(10.0 * (1.3 if at >= 6 else 1.0) * rng.normal(1, 0.005), 3.0, commit=f"c{at}")
        for at in range(12)
        for _ in range(2)
    ]
    instance = started(runs, along="commit")
    order = table(instance, "trend")
    assert column(order, "commit") == [f"c{at}" for at in range(12)]
    said = column(order, "What")
    assert [at for at, each in enumerate(said) if str(each).startswith("step")] == [6]
    assert order.item.tolist() == list(range(0, 24, 2))
    instance.set_value("target", 14)
    assert table(instance, "trend").selected == {12}  # the seventh position has runs 13 and 14
    press(instance, "trend", 4)
    assert (instance.context.values["target"], instance.context.values["mode"]) == (5, "target")


def test_the_order_is_of_what_its_heading_names() -> None:
    """CF-6: of a box with what it calls; once a split has taken the box away, of the whole runs again."""
    instance = started(many_runs(12))
    whole = table(instance, "trend").columns[2]
    assert whole.name == "Whole run"
    rows = table(instance, "why")
    press(instance, "why", int(rows.item[column(rows, "Box").index("mpi")]))
    of_box = table(instance, "trend").columns[2]
    assert of_box.name == "mpi"
    assert list(of_box.values) != list(whole.values)
    instance.on(ViewEvent(EventKind.KEY, "main", key="e"))
    assert instance.state is not None
    assert instance.state.splits
    instance.settle()
    again, name = table(instance, "trend").columns[2], instance.state.module
    model = model_in(instance.context)
    assert model is not None
    assert again.name == (name if name in model.graph.name else "Whole run")
    assert (list(again.values) == list(whole.values)) is (again.name == "Whole run")


def test_a_run_that_breaks_the_trend_is_named() -> None:
    """CF-6: by the first number that differs, without being asked."""
    times = [20.0, 16.0, 13.0, 4.0, 9.0, 8.0, 7.0]
    runs = [measured(each + 0.1 * (at % 2), 1.0, processes=2**at) for at, each in enumerate(times)]
    order = table(started(runs), "trend")
    assert column(order, "processes") == [str(2**at) for at in range(7)]
    said = [str(each) for each in column(order, "What")]
    assert "breaks the trend" in said[3]
    assert not any("breaks" in each for at, each in enumerate(said) if at != 3)
    unknown = table(started(runs, along="cores"), "trend")
    assert "run1 does not say its cores." in str(column(unknown, "What")[0])


def test_alike_runs_have_the_odd_one_first() -> None:
    """CF-7: the run whose checkpoints take long; a row is the target, a tick the second run."""
    instance = started(many_runs(60))
    alike = table(instance, "alike")
    assert column(alike, "Run")[0] == f"run{ODD + 1}"
    assert column(alike, "Odd")[0] == "odd"
    assert sum(each == "odd" for each in column(alike, "Odd")) <= 3
    number = {f"run{at + 1}": processes_of(at) for at in range(60)}
    pairs = zip(column(alike, "Run"), column(alike, "Most like"), strict=True)
    assert sum(number[str(one)] == number[str(other)] for one, other in pairs) > 45
    press(instance, "alike", 7, EventKind.CHECK)
    assert (instance.context.values["second"], instance.context.values["mode"]) == (8, "difference")
    assert table(instance, "alike").marked == frozenset({7})
