"""CBV-13: another hierarchy has the same leaves, relations and values."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.graph import REMOVED, Graph, GraphBuilder
from cbvtool.graph.records import edge_records
from cbvtool.graph.regroup import leaves, regroup
from tests.graph.strategies import graphs

GROUP = st.sampled_from(["ada", "ben", "", "a/b", "(other)"])
PATH = st.lists(GROUP, max_size=3).map(tuple)


@st.composite
def regrouped(draw: st.DrawFn) -> tuple[Graph, Graph, list[tuple[str, ...]]]:
    graph = draw(graphs())
    keys = leaves(graph)
    paths = draw(st.lists(PATH, min_size=len(keys), max_size=len(keys)))
    return graph, regroup(graph, keys, paths, "owner", draw(st.sampled_from(["", "."]))).graph, paths


def group_names(graph: Graph, key: int) -> list[str]:
    """Names of what is around a node, the outermost first, without the root."""
    return [graph.names[above] for above in graph.ancestors(key)][-2::-1]


@given(regrouped())
def test_every_leaf_is_there_once_in_its_group(case) -> None:
    """CBV-13: nothing is lost or doubled; keys and ids stay; groups are called as asked, joined or not."""
    graph, other, paths = case
    keys = leaves(graph)
    assert sorted(leaves(other)) == sorted(keys)
    for key, path in zip(keys.tolist(), paths, strict=True):
        assert other.ids[key] == graph.ids[key]
        assert other.key_of[graph.ids[key]] == key
        assert ".".join(group_names(other, key)) == ".".join(path)
        if len(group_names(other, key)) == len(path):
            assert tuple(group_names(other, key)) == path
    below = {int(inner) for key in keys for inner in graph.subtree(key) if inner in set(graph_inside(graph, keys))}
    assert below == {key for key in range(len(graph)) if other.parent[key] not in (REMOVED, -1)}
    assert len(set(other.key_of)) == int(np.count_nonzero(other.parent != REMOVED))


def graph_inside(graph: Graph, keys: np.ndarray) -> list[int]:
    """Leaves and what lies in those of them that are no containers, found by walking up."""
    units = set(keys.tolist())
    found = []
    for key in range(len(graph)):
        if graph.parent[key] == REMOVED:
            continue
        chain = [key, *graph.ancestors(key)]
        first = next((above for above in chain if above in units), None)
        if first == key or (first is not None and not is_container(graph, first)):
            found.append(key)
    return found


def is_container(graph: Graph, key: int) -> bool:
    inner = bool(len(graph.children(key)))
    return key == graph.root or (graph.kind(key) != "file" and (inner or graph.kind(key) == "folder"))


@given(regrouped())
def test_relations_and_values_are_kept(case) -> None:
    """CBV-13: each relation with its places and marks, and each own value that is not the root's."""
    graph, other, _ = case
    assert sorted(edge_records(other), key=str) == sorted(edge_records(graph), key=str)
    for name in graph.values:
        assert np.array_equal(kept_values(other, name), kept_values(graph, name))


def kept_values(graph: Graph, name: str) -> np.ndarray:
    """What is measured on the nodes that are there, in order."""
    column = graph.values[name][graph.parent != REMOVED]
    return np.sort(column[~np.isnan(column)])


@given(regrouped())
def test_back_to_folders_gives_the_original(case) -> None:
    """CBV-13: grouped by what they lay in, all leaves lie there again."""
    graph, other, _ = case
    keys = leaves(graph)
    home = [tuple(graph.ids[above] for above in graph.ancestors(key))[-2::-1] for key in keys.tolist()]
    again = regroup(other, keys, home, "folder").graph
    for key, path in zip(keys.tolist(), home, strict=True):
        assert tuple(group_names(again, key)) == path
    for key in range(len(graph)):
        if again.parent[key] != REMOVED and key not in set(keys.tolist()):
            assert again.parent[key] == graph.parent[key]


@pytest.fixture
def shop() -> Graph:
    builder = GraphBuilder("shop")
    for folder in ("ui", "core"):
        builder.add_node(folder, "", folder, "package")
    for path, lines in (("ui/page.py", 10.0), ("ui/cart.py", 20.0), ("core/bill.py", 5.0)):
        builder.add_node(path, path.split("/")[0], path.split("/")[1], "file", file=path, values={"sloc": lines})
    builder.add_node("ui/page.py::Page", "ui/page.py", "Page", "class", file="ui/page.py", values={"sloc": 3.0})
    builder.add_edge(builder.key("ui/page.py"), builder.key("core"), "import", sites=[("ui/page.py", 1)])
    return builder.freeze()


def test_sums_are_those_of_the_leaves(shop: Graph) -> None:
    """CBV-13: lines of groups add up to those of the project."""
    keys = leaves(shop)
    owner = {"ui/page.py": ("ada",), "ui/cart.py": ("ben",), "core/bill.py": ("ada",), "core": ("ada",)}
    other = regroup(shop, keys, [owner[shop.ids[key]] for key in keys], "owner").graph
    lines = other.tree.subtree_sum(other.values["sloc"])
    assert {node: lines[other.key_of[node]] for node in ("", "owner:ada", "owner:ben")} == {
        "": 38.0,
        "owner:ada": 18.0,
        "owner:ben": 20.0,
    }


def test_a_container_with_relations_is_a_leaf_of_its_own(shop: Graph) -> None:
    """CBV-13: `import core` still ends at `core`; `ui`, which nobody names, is gone."""
    assert [shop.ids[key] for key in leaves(shop)] == ["core", "core/bill.py", "ui/cart.py", "ui/page.py"]
    other = regroup(shop, leaves(shop), [("x",)] * 4, "group").graph
    assert "ui" not in other.key_of
    assert other.kind(other.key_of["core"]) == "package"
    assert not len(other.children(other.key_of["core"]))


def test_lone_groups_are_joined(shop: Graph) -> None:
    """CBV-13: org, apache and commons, which hold nothing but one another, are one ring."""
    paths = [("org", "shop"), ("org", "shop"), ("org", "shop", "ui"), ("org", "shop", "ui")]
    other = regroup(shop, leaves(shop), paths, "package", ".").graph
    assert [other.names[key] for key in other.children(other.root)] == ["org.shop"]
    assert group_names(other, other.key_of["ui/page.py"]) == ["org.shop", "ui"]


def test_an_id_that_is_taken_is_not_given_twice() -> None:
    """CBV-13: a file may be called like a group."""
    builder = GraphBuilder("odd")
    builder.add_node("owner:ada", "", "owner:ada", "file")
    graph = builder.freeze()
    other = regroup(graph, leaves(graph), [("ada",)], "owner").graph
    assert set(other.key_of) == {"", "owner:ada", "owner:ada#2"}
    assert other.names[other.key_of["owner:ada#2"]] == "ada"
