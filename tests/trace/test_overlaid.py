"""CBV-12, NEW-7, NEW-14: the graph with its run-time calls, relations that weigh calls, profiles, tests per module."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.assessment.modules import ModuleChoice
from cbvtool.assessment.prepared import prepare
from cbvtool.graph import Confidence, Graph, GraphBuilder
from cbvtool.graph.kinds import RUN_TIME_CALL, are_dependencies
from cbvtool.rules import Rules
from cbvtool.trace.coverage.reached_by import reached_by, test_functions
from cbvtool.trace.mapping.node_map import NodeMap
from cbvtool.trace.model.profile import Profile, ProfileMetric
from cbvtool.trace.model.trace import Functions, Header
from cbvtool.trace.overlay.calls_seen import calls_seen, run_time_rows
from cbvtool.trace.overlay.of_profile import run_time_of_profile
from cbvtool.trace.overlay.relations import with_run_time
from cbvtool.trace.overlay.run_time import RunTime
from cbvtool.trace.overlay.weighed import UNSEEN, weighed
from cbvtool.trace.overlay.windows import classes_of, run_time
from tests.trace.test_run_time import BODY, GRAPH, KEYS, NODES, UNMAPPED, F, G, Steps, of, trace


def shop() -> Graph:
    made = GraphBuilder("shop")
    for folder, file in (("ui", "view"), ("ui", "page"), ("core", "rates"), ("core", "money")):
        if folder not in made:
            made.add_node(folder, "", folder, "folder")
        path = f"{folder}/{file}.py"
        made.add_node(path, folder, f"{file}.py", "file", file=path)
        made.add_node(f"{path}::run", path, "run", "function", file=path)
        made.add_node(f"{path}::Box", path, "Box", "class", file=path)
        made.add_node(f"{path}::Box.__init__", f"{path}::Box", "__init__", "function", file=path)
    key = made.key
    made.add_edge(key("ui/view.py::run"), key("core/rates.py::run"), "call")
    made.add_edge(key("ui/view.py::run"), key("ui/page.py::run"), "call")
    made.add_edge(key("ui/view.py::run"), key("core/money.py::Box"), "instantiate")
    made.add_edge(key("core/money.py"), key("core/rates.py"), "import")
    made.add_edge(key("core/money.py::run"), key("ui/page.py::Box"), "instantiate", confidence=Confidence.RESOLVED)
    return made.freeze()


SHOP = shop()


def seen(graph: Graph, **counts: int) -> RunTime:
    """Calls by ends such as `view__rates`, of the functions `run`; `view__money_Box` for a constructor."""
    of_file = {path.rpartition("/")[2][:-3]: path for path in graph.files or ()}

    def key(word: str) -> int:
        file, _, box = word.partition("_")
        return graph.key_of[f"{of_file[file]}::{'Box.__init__' if box else 'run'}"]

    ends = [tuple(key(word) for word in pair.split("__")) for pair in counts]
    count = np.array(list(counts.values()), np.int64)
    calls = np.zeros(len(graph), np.int64)
    np.add.at(calls, [callee for _, callee in ends], count)
    return RunTime(
        np.array([caller for caller, _ in ends], np.int32),
        np.array([callee for _, callee in ends], np.int32),
        count,
        count * 10,
        calls,
        calls * 7,
        calls * 10,
        calls * 10,
        (0, 100),
    )


def rows(graph: Graph, mask) -> set[tuple[str, str, str]]:
    edges = graph.edges
    ends = [(graph.ids[edges.source[row]], graph.ids[edges.target[row]]) for row in np.flatnonzero(mask)]
    kinds = [edges.kind_names[edges.kind[row]] for row in np.flatnonzero(mask)]
    return {(a.partition("/")[2], b.partition("/")[2], kind) for (a, b), kind in zip(ends, kinds, strict=True)}


def test_run_time_calls_are_relations_with_count_and_time() -> None:
    """After those of the source, which stay; a function that calls itself has none."""
    found = seen(SHOP, view__rates=3, rates__rates=9, money__view=2)
    observed = with_run_time(SHOP, found)
    graph, ran = observed.graph, run_time_rows(observed.graph)
    assert graph.edges.weight[ran].tolist() == observed.count[ran].tolist() == [3, 2]
    assert observed.time[ran].tolist() == [30, 20]
    assert not observed.count[~ran].any()
    assert graph.edges.source[ran].tolist() == found.caller[found.caller != found.callee].tolist()
    assert len(graph.edges) == len(SHOP.edges) + 2
    assert graph.ids == SHOP.ids
    assert not are_dependencies(graph.edges)[ran].any()


def test_relations_seen_only_at_run_time_only_in_the_source_and_in_both() -> None:
    graph = with_run_time(SHOP, seen(SHOP, view__rates=3, view__money_Box=1, rates__view=2)).graph
    found = calls_seen(graph)
    assert rows(graph, found.only_run_time) == {("rates.py::run", "view.py::run", RUN_TIME_CALL)}
    assert rows(graph, found.only_source) == {
        ("view.py::run", "page.py::run", "call"),
        ("money.py::run", "page.py::Box", "instantiate"),
    }
    assert rows(graph, found.both) == {
        ("view.py::run", "rates.py::run", "call"),
        ("view.py::run", "rates.py::run", RUN_TIME_CALL),
        ("view.py::run", "money.py::Box", "instantiate"),
        ("view.py::run", "money.py::Box.__init__", RUN_TIME_CALL),
    }


def test_dependencies_weigh_the_calls_that_went_along_them() -> None:
    """Of the very pair, of what the callee lies in, of the files; callbacks have no dependency to go along."""
    found = seen(SHOP, view__rates=8, view__money_Box=5, money__rates_Box=3, rates__view=100)
    graph = weighed(SHOP, found)
    weights = {row: float(weight) for row, weight in enumerate(graph.edges.weight.tolist())}
    assert weights == pytest.approx({0: 8 + UNSEEN, 1: UNSEEN, 2: 5 + UNSEEN, 3: 3 + UNSEEN, 4: UNSEEN})
    assert weighed(SHOP, found, "time").edges.weight[0] == pytest.approx(80, abs=0.01)
    assert len(graph.edges) == len(SHOP.edges)


def test_the_judgement_of_a_plan_follows_the_calls() -> None:
    """NEW-7: the same modules are good ones where the calls stay inside them, and bad ones where these cross."""

    def q(**counts: int) -> float:
        base = weighed(SHOP, seen(SHOP, **counts))
        return prepare(base, base, Rules(), ModuleChoice()).figures.modularity

    assert q(view__page=1000, money__rates=1000) > 0.4
    assert q(view__rates=1000, money__page=1) < 0.1


@given(st.lists(st.tuples(st.integers(-1, UNMAPPED), st.integers(0, 3)), max_size=30))
def test_a_profile_folded_from_calls_has_their_pairs_counts_and_times(steps: Steps) -> None:
    subject = trace([steps])
    calls = subject.calls
    parent: list[int] = []
    stack: list[int] = []
    for row in range(len(calls)):
        del stack[int(calls.depth[row]) :]
        parent.append(stack[-1] if stack else -1)
        stack.append(row)
    duration = (calls.end - calls.start).astype(np.float64)
    own = duration.copy()
    for row, above in enumerate(parent):
        if above >= 0:
            own[above] -= duration[row]
    for inclusive, values in ((True, duration), (False, own)):
        time = ProfileMetric("time", "us", inclusive, values / 1000, values, values)
        ones = np.ones(len(calls))
        profile = Profile(
            Header(),
            subject.functions,
            calls.function,
            np.array(parent, np.int32),
            calls.end_row.astype(np.int32),
            ("",) * len(calls),
            np.zeros(len(calls), np.int32),
            (time, ProfileMetric("count", "calls", False, ones, ones, ones)),
        )
        found, expected = run_time_of_profile(profile, NODES, GRAPH), of(subject)
        for name in ("caller", "callee", "count", "time", "calls", "self_time", "total_time", "subtree_time"):
            np.testing.assert_allclose(getattr(found, name), getattr(expected, name), atol=1, err_msg=name)


def test_samples_of_a_profile_are_said_and_count_for_all_that_is_around_them() -> None:
    hits = np.array([0.0, np.nan, 4.0])
    profile = Profile(
        Header(),
        Functions(("f", "g", "x"), ("",) * 3, ("",) * 3, np.zeros(3, np.int32)),
        np.array([0, 2, 1], np.uint32),
        np.array([-1, 0, 1], np.int32),
        np.array([3, 3, 3], np.int32),
        ("",) * 3,
        np.zeros(3, np.int32),
        (ProfileMetric("samples", "samples", False, hits, hits, hits),),
    )
    nodes = NodeMap(np.array([KEYS[F], KEYS[G], -1], np.int32), np.zeros(3, np.int8), ("given",))
    found = run_time_of_profile(profile, nodes, GRAPH)
    assert found.sampled
    assert found.calls[[KEYS[F], KEYS[G]]].tolist() == [4, 4]
    assert found.count.tolist() == [4]
    with pytest.raises(KeyError):
        run_time_of_profile(profile, nodes, GRAPH, time="nothing")


def test_tests_per_module() -> None:
    """NEW-14: the outermost test counts; what lies in its own file is no module that it reaches."""
    subject = trace(
        [[(BODY, 0), (G, 1), (F, 1), (-1, 1), (F, 1), (-1, 1), (-1, 1), (-1, 1)], [(G, 0), (BODY, 1), (-1, 1), (-1, 1)]]
    )
    tests = np.zeros(len(GRAPH), np.bool_)
    tests[[KEYS[BODY], KEYS[G]]] = True
    module = np.full(len(GRAPH), -1, np.int32)
    for key in range(len(GRAPH)):
        if GRAPH.ids[key].partition("::")[0] in ("a/m.py", "b/m.py"):
            module[key] = GRAPH.key_of[GRAPH.ids[key].partition("::")[0]]
    found = reached_by(subject, NODES, GRAPH, tests, module)
    rows = zip(found.test.tolist(), found.module.tolist(), found.calls.tolist(), strict=True)
    assert {(GRAPH.ids[test], GRAPH.ids[key], calls) for test, key, calls in rows} == {
        ("b/m.py", "a/m.py", 3),
        ("a/m.py::g", "b/m.py", 1),
    }


def test_test_functions_are_known_by_name_and_file() -> None:
    made = GraphBuilder("p")
    for path, test in (("a.py", 0.0), ("test_a.py", 1.0)):
        made.add_node(path, "", path, "file", file=path, values={"test": test})
        made.add_node(f"{path}::test_it", path, "test_it", "function", file=path)
        made.add_node(f"{path}::helper", path, "helper", "function", file=path)
    graph = made.freeze()
    assert [graph.ids[key] for key in np.flatnonzero(test_functions(graph))] == ["test_a.py::test_it"]


def test_classes_are_made_once_for_many_windows() -> None:
    subject = trace([[(F, 0), (G, 1), (-1, 1), (-1, 1)]])
    classes = classes_of(subject, NODES, GRAPH)
    windows = [run_time(subject, classes, (at, at)).calls.sum() for at in range(4)]
    assert windows == [1, 2, 2, 1]
