"""Modules split, looked into, and what their ranks and parameters say (CF-3, CF-4)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from cbvtool.trace.ensemble.box_statistics import box_statistics
from cbvtool.trace.ensemble.by_rank import values_by_rank
from cbvtool.trace.ensemble.ensemble import Ensemble, RankValues, united
from cbvtool.trace.ensemble.grouping import grouped
from cbvtool.trace.ensemble.groups import SuperGraph, super_graph
from cbvtool.trace.ensemble.hierarchy import module_hierarchy
from cbvtool.trace.ensemble.parameters import parameters_of
from cbvtool.trace.ensemble.similarity.features import parameter_points, point_distances
from cbvtool.trace.ensemble.splitting import SPLITS, ModuleSplit
from tests.trace.ensemble.made import Paths, run, series, tree_paths

MAIN, INSERT, GET, FIND = "app.main", "tree.insert", "tree.get", "tree.find"
RECURSIVE: Paths = {
    (MAIN,): 1,
    (MAIN, INSERT): 10,
    (MAIN, INSERT, GET): 20,
    (MAIN, INSERT, "octree.split", INSERT): 5,
    (MAIN, INSERT, "octree.split", INSERT, GET): 40,
    (MAIN, FIND): 3,
    (MAIN, FIND, GET): 7,
    (MAIN, "io.write", FIND): 2,
}


def ensemble_of(*paths: Paths) -> Ensemble:
    return united([run(f"run{number}", each) for number, each in enumerate(paths)])


def split_graph(ensemble: Ensemble, *splits: ModuleSplit) -> SuperGraph:
    return super_graph(ensemble, grouped(ensemble.functions), splits)


def taken(graph: SuperGraph) -> dict[str, tuple[float, float]]:
    """Inclusive and exclusive value of each module in the first run."""
    values = zip(graph.inclusive[0].tolist(), graph.exclusive[0].tolist(), strict=True)
    return dict(zip(graph.name, values, strict=True))


def test_split_by_entry_function_counts_recursion_once() -> None:
    """CF-4: all that happens below an entry function goes with it, also where it calls back through a module."""
    found = taken(split_graph(ensemble_of(RECURSIVE), ModuleSplit("tree", "entry")))
    assert found["tree › tree.insert"] == (75, 75)
    assert found["tree › tree.find"] == (12, 12)
    assert "tree" not in found
    assert found["app"] == (88, 1)


def test_split_by_call_site_names_the_caller() -> None:
    """CF-4: the same function called from two places is two parts."""
    found = taken(split_graph(ensemble_of(RECURSIVE), ModuleSplit("tree", "site")))
    assert found["tree › tree.find from app.main"] == (10, 10)
    assert found["tree › tree.find from io.write"] == (2, 2)
    assert found["tree › tree.insert from app.main"] == (75, 30)
    assert found["tree › tree.insert from octree.split"] == (45, 45)


def test_split_by_callee_leaves_the_entry_functions_and_walks_down() -> None:
    """CF-4: what entry functions call within the module; what is left may be split again."""
    ensemble = ensemble_of(RECURSIVE)
    graph = split_graph(ensemble, ModuleSplit("tree", "callee"))
    found = taken(graph)
    assert found["tree › tree.get"] == (67, 67)
    assert found["tree"][1] == 20
    flows = {
        (graph.name[source], graph.name[target])
        for source, target in zip(graph.source.tolist(), graph.target.tolist(), strict=True)
    }
    assert ("tree", "tree › tree.get") in flows
    again = split_graph(ensemble, ModuleSplit("tree", "callee"), ModuleSplit("tree", "entry"))
    assert {"tree › tree.insert", "tree › tree.find", "tree › tree.get"} < set(again.name)


def test_splits_that_change_nothing() -> None:
    """CF-4: of a module that there is not, of one with a single part."""
    ensemble = ensemble_of(RECURSIVE)
    before = split_graph(ensemble)
    for split in (ModuleSplit("none", "entry"), ModuleSplit("io", "entry"), ModuleSplit("io", "callee")):
        assert split_graph(ensemble, split).name == before.name
    twice = split_graph(ensemble, ModuleSplit("tree", "entry"), ModuleSplit("tree", "entry"))
    assert twice.name == split_graph(ensemble, ModuleSplit("tree", "entry")).name


@given(st.integers(0, 10**6), st.lists(st.tuples(st.integers(0, 7), st.sampled_from(SPLITS)), min_size=1, max_size=4))
def test_no_split_loses_or_adds_time(seed: int, chosen: list[tuple[int, str]]) -> None:
    """CF-4: exclusive times add up to those of the module; a part is within its module; others are as they were."""
    rng = np.random.default_rng(seed)
    ensemble = united(series(tree_paths(rng, 40), rng.uniform(1, 9, (3, 40))))
    splits = [ModuleSplit(f"m{number}", by) for number, by in chosen]
    whole, parts = split_graph(ensemble), split_graph(ensemble, *splits)
    split = {each.module for each in splits}
    for row, name in enumerate(whole.name):
        own = [at for at, other in enumerate(parts.name) if other == name or other.startswith(f"{name} › ")]
        assert np.allclose(np.nansum(parts.exclusive[:, own], axis=1), np.nan_to_num(whole.exclusive[:, row]))
        most = np.nan_to_num(parts.inclusive[:, own]).max(axis=1)
        assert (most <= np.nan_to_num(whole.inclusive[:, row]) * (1 + 1e-9)).all()
        if name not in split:
            assert len(own) == 1
            assert np.allclose(parts.inclusive[:, own[0]], whole.inclusive[:, row], equal_nan=True)


def test_parts_have_names_of_their_own() -> None:
    """CF-4: where another module is called like a part already."""
    paths: Paths = {(MAIN, INSERT): 1, (MAIN, "tree"): 1, (MAIN, "tree › tree.x"): 1}
    graph = split_graph(ensemble_of(paths), ModuleSplit("tree", "entry"))
    assert len(set(graph.name)) == len(graph.name)
    assert "tree › tree (2)" in graph.name


def test_the_hierarchy_of_a_module_has_equal_paths_once() -> None:
    """CF-3: below its entry functions; recursion through others is not counted twice; what a run lacks is missing."""
    ensemble = ensemble_of(RECURSIVE, {(MAIN, FIND): 4})
    graph = split_graph(ensemble)
    tree = module_hierarchy(ensemble, graph.of_node == graph.name.index("tree"))
    names = [ensemble.functions.name[each] for each in tree.function.tolist()]
    paths = [(names[above] if above >= 0 else "", name) for above, name in zip(tree.parent, names, strict=True)]
    assert paths == [("", INSERT), (INSERT, GET), ("", FIND), (FIND, GET)]
    assert tree.depth.tolist() == [0, 1, 0, 1]
    assert tree.inclusive[0].tolist() == [75, 60, 12, 7]
    assert tree.exclusive[0].tolist() == [15, 60, 5, 7]
    assert np.isnan(tree.inclusive[1]).tolist() == [True, True, False, True]
    assert (tree.of_node[tree.site] == np.arange(4)).all()
    assert (tree.of_node >= 0).tolist() == (graph.of_node == graph.name.index("tree")).tolist()
    everything = module_hierarchy(ensemble, np.ones(len(ensemble.parent), np.bool_))
    assert everything.parent.tolist() == ensemble.parent.tolist()  # no two siblings are alike here
    assert len(module_hierarchy(ensemble, np.zeros(len(ensemble.parent), np.bool_))) == 0


@given(
    arrays(np.float64, st.tuples(st.integers(1, 12), st.integers(1, 4)), elements=st.integers(-5, 50) | st.just(np.nan))
)
def test_boxes_have_the_quartiles_of_numpy(values: np.ndarray) -> None:
    """CF-3: outliers lie beyond 1.5 interquartile ranges, whiskers end at the furthest values that are none."""
    found = box_statistics(values)
    for column in range(values.shape[1]):
        known = values[~np.isnan(values[:, column]), column]
        assert found.count[column] == len(known)
        if not len(known):
            assert np.isnan(found.quartile[:, column]).all()
            continue
        expected = np.quantile(known, (0.25, 0.5, 0.75))
        assert np.allclose(found.quartile[:, column], expected)
        reach = 1.5 * (expected[2] - expected[0])
        inner = known[(known >= expected[0] - reach) & (known <= expected[2] + reach)]
        assert (found.low[column], found.high[column]) == (inner.min(), inner.max())
        assert found.is_outlier[:, column].sum() == len(known) - len(inner)


def test_ranks_of_all_runs_are_summed_by_group() -> None:
    """CF-3: recursion once; a run without ranks has its mean; a rank that lacks the group is missing."""
    ensemble = ensemble_of(RECURSIVE, RECURSIVE)
    nodes = len(ensemble.parent)
    by_rank = np.stack((ensemble.inclusive[0] * 0.5, ensemble.inclusive[0] * 1.5))
    graph = split_graph(ensemble)
    tree, io = graph.name.index("tree"), graph.name.index("io")
    by_rank[0, graph.of_node == io] = np.nan
    known = replace(ensemble, ranks=(RankValues(np.arange(nodes), by_rank), None))
    found = values_by_rank(known, graph.of_node.astype(np.int64), len(graph))
    assert (found.run.tolist(), found.rank.tolist()) == ([0, 0, 1], [0, 1, 0])
    assert found.apart.tolist() == [True, True, False]
    assert found.inclusive[:, tree].tolist() == [0.5 * 87, 1.5 * 87, 87]
    assert np.isnan(found.inclusive[:, io]).tolist() == [True, False, False]


def test_categories_are_one_hot() -> None:
    """CF-3: no two categories are nearer to each other than two others, whatever order they are named in."""
    said = [{"stream": stream, "size": str(size)} for stream in ("rows", "columns", "bands") for size in (1, 2, 3)]
    apart = point_distances(parameter_points(parameters_of(said), len(said)))
    assert apart[0, 1] == pytest.approx(0.5)
    assert apart[0, 2] == pytest.approx(1.0)
    assert apart[0, 3] == pytest.approx(1.0)
    assert apart[0, 6] == pytest.approx(1.0)
    assert apart[3, 6] == pytest.approx(1.0)
    unknown = [*said, {"size": "2"}]
    apart = point_distances(parameter_points(parameters_of(unknown), len(unknown)))
    assert apart[-1, [1, 4, 7]] == pytest.approx(np.sqrt(0.5))
    assert parameter_points([], 3).shape == (3, 0)
    far = parameter_points(parameters_of([{"seed": "1e308"}, {"seed": "-1e308"}, {"seed": "0"}]), 3)
    assert far[:, 0].tolist() == [1.0, 0.0, 0.5]
