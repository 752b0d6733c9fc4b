"""NEW-22: what is called back counts nowhere as a dependency, and everywhere as code in use."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cbvtool.asking.impact import impact
from cbvtool.asking.matrix import children_of, matrix, subtrees_of
from cbvtool.asking.paths import shortest_paths
from cbvtool.asking.steps import steps
from cbvtool.cli import main
from cbvtool.formats.graph_json import graph_text
from cbvtool.geometry.scene.scene import Pipeline
from cbvtool.geometry.state.view_state import Mapping, RelationFilter, ViewState
from cbvtool.graph import CALLS_BACK, Graph, GraphBuilder
from cbvtool.metrics import METRICS
from cbvtool.metrics.metric import Subject
from cbvtool.metrics.structure.unused import unused
from cbvtool.plan import Extract, Split, run
from cbvtool.rules import Deny, Rules, breaking, cycles, files, folders, tangles, violations
from cbvtool.view.panels.partners import partners

LIB, RUN, APP, SHOP, JOB = "lib", "lib/run.py::run", "app", "app/shop.py", "app/shop.py::job"
NO_DEPENDENCIES = (CALLS_BACK, "run-time call", "co-change")


def framework(kind: str | None) -> Graph:
    """A shop, whose `job` calls `run` of a framework, which has a relation of that kind (None = none) with it."""
    builder = GraphBuilder("project")
    for folder in (LIB, APP, "mid"):
        builder.add_node(folder, "", folder, "folder")
    for path in ("lib/run.py", SHOP, "app/main.py", "mid/x.py"):
        folder, _, name = path.rpartition("/")
        builder.add_node(path, folder, name, "file", file=path, values={"sloc": 10.0})
    builder.add_node(RUN, "lib/run.py", "run", "function", file="lib/run.py", values={"sloc": 5.0})
    builder.add_node(JOB, SHOP, "job", "function", file=SHOP, values={"sloc": 5.0})

    def relate(source: str, target: str, kind: str) -> None:
        builder.add_edge(builder.key(source), builder.key(target), kind, sites=[(source.partition("::")[0], 3)])

    relate("app/main.py", RUN, "call")
    relate(SHOP, "lib/run.py", "import")
    relate(JOB, RUN, "call")
    if kind is not None:
        relate(RUN, JOB, kind)
        relate("mid/x.py", "app/main.py", kind)
    return builder.freeze()


def metric(name: str) -> Callable[[Graph], object]:
    return lambda graph: METRICS[name].compute(Subject(graph)).tolist()


def found_paths(graph: Graph) -> object:
    return shortest_paths(graph, steps(graph), graph.key_of[LIB], graph.key_of[APP]).length


def dependants(graph: Graph) -> object:
    return impact(graph, steps(graph), (graph.key_of[JOB],)).node.tolist()


def cells(graph: Graph) -> object:
    made = matrix(graph.edges, subtrees_of(graph, [graph.key_of[LIB], graph.key_of[APP]]))
    return made.row.tolist(), made.column.tolist(), made.count.tolist(), made.cycle.tolist()


def refused(*operations: Split | Extract) -> Callable[[Graph], object]:
    return lambda graph: [refusal.reason for refusal in run(graph, operations).refusals]


def in_cycles(graph: Graph) -> object:
    """Number of relations in the picture by the filter for cycles."""
    view = ViewState(
        mapping=Mapping("sloc", "sloc", "sloc"),
        kinds_off=frozenset(),
        filter=RelationFilter(cycles=True),
        expanded=frozenset(range(len(graph))),
    )
    return len(Pipeline().scene(graph, None, view).curve_source)


def list_of_uses(graph: Graph) -> object:
    found = partners(graph, [graph.key_of["lib/run.py"]])
    return found.uses, found.count_uses


DENY = Rules(deny=(Deny(LIB, APP),))
CONSUMERS: dict[str, Callable[[Graph], object]] = {
    "layers": lambda graph: violations(graph, Rules(layers=(APP, LIB))),
    "deny": lambda graph: violations(graph, DENY),
    "no cycles": lambda graph: violations(graph, Rules(forbid_cycles=True)),
    "breaking": lambda graph: breaking(graph, DENY).sum(),
    "cycles": cycles,
    "cycles with type checking": lambda graph: cycles(graph, type_checking=True),
    "tangles of files": lambda graph: tangles(graph, files(graph)),
    "tangles of folders": lambda graph: tangles(graph, folders(graph, 1)),
    "filter for cycles": in_cycles,
    **{name: metric(name) for name in ("fan_in", "fan_out", "instability", "transitive_users", "transitive_uses")},
    "paths": found_paths,
    "impact": dependants,
    "matrix": cells,
    "own row of a matrix": lambda graph: children_of(graph, graph.key_of["mid/x.py"]).own.tolist(),
    "list of uses": list_of_uses,
    "split": refused(Split(LIB, APP, "mid", "invert")),
    "pull out": refused(Extract("mid", APP, LIB)),
}


@pytest.mark.parametrize("kind", NO_DEPENDENCIES)
@pytest.mark.parametrize("name", CONSUMERS)
def test_no_dependency(name: str, kind: str) -> None:
    """A relation of the kind changes nothing; a call in its place does."""
    consumer = CONSUMERS[name]
    assert str(consumer(framework(kind))) == str(consumer(framework(None)))
    assert str(consumer(framework("call"))) != str(consumer(framework(None)))


@pytest.mark.parametrize("kind", ["call", CALLS_BACK, "run-time call"])
def test_what_is_called_back_is_in_use(kind: str) -> None:
    """CBV-10: unused code errs on the side of keeping."""
    entries = ("app/main.py",)
    assert _unused(framework(None), entries) == {SHOP}
    assert _unused(framework(kind), entries) == set()


def _unused(graph: Graph, entries: tuple[str, ...]) -> set[str]:
    found = unused(graph, entries)
    assert found is not None
    names = {graph.ids[key] for one in found for key in one.keys}
    return names - {"mid", "mid/x.py"}


def test_hidden_until_asked_for() -> None:
    """The picture draws them by a switch of their own."""
    graph = framework(CALLS_BACK)
    view = ViewState(mapping=Mapping("sloc", "sloc", "sloc"), expanded=frozenset(range(len(graph))))
    shown = {CALLS_BACK: view.kinds_off, "all": frozenset[str]()}
    drawn = {
        name: len(Pipeline().scene(graph, None, ViewState(**{**vars(view), "kinds_off": off})).lifted.source)
        for name, off in shown.items()
    }
    assert drawn["all"] == drawn[CALLS_BACK] + 2


def test_impact_refuses_a_kind_that_is_no_dependency(tmp_path: Path) -> None:
    """Instead of an empty answer."""
    file = tmp_path / "g.json"
    file.write_bytes(b"".join(graph_text(framework(CALLS_BACK))))
    assert main(["impact", str(file), JOB, "--kind", CALLS_BACK]) == 2
