"""Users and uses against definitions taken literally (CBV-10)."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from cbvtool.graph import EXTERNAL, REMOVED, Confidence, Graph, GraphBuilder
from cbvtool.metrics import Subject, evaluate
from cbvtool.metrics.structure import reach as reach_module
from cbvtool.metrics.structure.reach import condensed, files_over_others
from cbvtool.metrics.structure.users import uses, written_apart
from tests.metrics.test_against_brute_force import below, same
from tests.metrics.test_against_brute_force import graphs as any_graphs

KINDS = ("project", "folder", "file", "class", "function", "namespace", EXTERNAL)


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Also namespaces, nodes outside the project, and guesses; any kind of node anywhere."""
    graph = draw(any_graphs())
    kinds = np.array([0, *(draw(st.sampled_from((1, 2, 2, 2, 3, 4, 5, 6))) for _ in graph.ids[1:])], np.int16)
    rows = len(graph.edges)
    sure = draw(st.lists(st.integers(0, 2), min_size=rows, max_size=rows))
    edges = graph.edges
    guessed = type(edges)(
        edges.source,
        edges.target,
        edges.kind,
        edges.weight,
        np.array(sure, np.uint8),
        edges.when,
        edges.site_ptr,
        edges.site_file,
        edges.site_line,
        edges.kind_names,
    )
    names = ("", *(draw(st.sampled_from(("A", "B", "A::f", "B.f", "x::A", "f", "."))) for _ in graph.ids[1:]))
    return graph.with_(kinds=kinds, kind_names=KINDS, edges=guessed, names=names)


def relations(graph: Graph, external: bool, guesses: bool = False, called_back: bool = False) -> list[tuple[int, int]]:
    """Both ends of every use, edge by edge."""
    edges, found = graph.edges, []
    for row in range(len(edges)):
        user, used = int(edges.source[row]), int(edges.target[row])
        kind = edges.kind_names[edges.kind[row]]
        if kind == "co-change" or (kind == "calls back" and not called_back):
            continue
        if REMOVED in (graph.parent[user], graph.parent[used]):
            continue
        if edges.confidence[row] == Confidence.GUESS and not guesses:
            continue
        if graph.kind(user) == EXTERNAL or (graph.kind(used) == EXTERNAL and not external):
            continue
        found.append((user, used))
    return found


def with_parts(graph: Graph, key: int) -> set[int]:
    """What is used by whoever uses `key`."""
    found = {key}
    for owner, member in apart(graph):
        if owner == key:
            found.add(member)
    if graph.kind(key) not in ("file", "namespace"):
        for child in graph.children(key).tolist():
            if not (is_folder(graph, key) and is_folder(graph, child)):
                found |= with_parts(graph, child)
    return found


def is_folder(graph: Graph, key: int) -> bool:
    return graph.kind(key) in ("project", "folder", "package")


def apart(graph: Graph) -> list[tuple[int, int]]:
    """Classes with the members that are written outside of them, by their names `K::m` or `K.m`."""
    found = []
    for member, name in enumerate(graph.names):
        owner, _, _ = name.replace("::", ".").rpartition(".")
        parent = int(graph.parent[member])
        if not owner or parent < 0 or graph.kind(parent) != "file" or graph.kind(member) == "file":
            continue
        classes = [
            key
            for key, other in enumerate(graph.names)
            if other.replace("::", ".").rpartition(".")[2] == owner.rpartition(".")[2]
            and key != member
            and graph.parent[key] >= 0
            and graph.kind(key) not in ("file", "namespace", "function")
            and graph.kind(file_of(graph, key)) == "file"
        ]
        if len(classes) > 1:
            home = file_of(graph, member)
            beside = [key for key in classes if file_of(graph, key) == home]
            near = [key for key in classes if graph.parent[file_of(graph, key)] == graph.parent[home]]
            classes = beside if beside else near
            classes = classes if len(classes) == 1 else []
        found += [(key, member) for key in classes]
    return found


def over_others(graph: Graph, rows: list[tuple[int, int]]) -> dict[int, set[int]]:
    """What each node uses, path by path."""
    found = {}
    for start in range(len(graph)):
        seen: set[int] = set()
        waiting = [start]
        while waiting:
            at = waiting.pop()
            new = {part for user, used in rows if user == at for part in with_parts(graph, used)} - seen
            seen |= new
            waiting += new
        found[start] = seen
    return found


def file_of(graph: Graph, key: int) -> int:
    files = [at for at in (key, *graph.ancestors(key)) if graph.kind(at) == "file"]
    return files[0] if files else key


@given(graphs())
def test_uses_are_sure_and_between_own_code(graph: Graph) -> None:
    """Guesses, packages outside and what is called back count only where they are asked for."""
    for external, guesses, called_back in product((False, True), repeat=3):
        user, used = uses(graph, external=external, guesses=guesses, called_back=called_back)
        assert list(zip(user.tolist(), used.tolist(), strict=True)) == relations(graph, external, guesses, called_back)


@given(graphs(), st.sampled_from([8, 1 << 20]))
def test_transitive_users_and_uses(graph: Graph, memory: int) -> None:
    """CBV-10: different files that neither lie in a node nor hold it, over any number of relations."""
    before, reach_module._MEMORY = reach_module._MEMORY, memory  # also with one word of bits at a time
    try:
        users = files_over_others(graph, *uses(graph, external=True), users=True)
        used = files_over_others(graph, *uses(graph), users=False)
    finally:
        reach_module._MEMORY = before
    expected_users, expected_used = [], []
    outward, ends = over_others(graph, relations(graph, False)), {end for _, end in relations(graph, False)}
    inward = over_others(graph, relations(graph, True))
    for key in range(len(graph)):
        if graph.parent[key] == REMOVED:
            expected_users.append(math.nan)
            expected_used.append(math.nan)
            continue
        inside = below(graph, key)

        def outside(file: int, key: int = key, inside: set[int] = inside) -> bool:
            return file not in inside and key not in below(graph, file)

        reached = {end for start in inside for end in outward[start]}
        counted = {
            file_of(graph, end)
            for end in reached
            if graph.kind(file_of(graph, end)) == "file"
            or (end in ends and not any(graph.kind(k) == "file" for k in below(graph, end)))
        }
        expected_used.append(float(sum(outside(file) for file in counted)))
        starts = {file_of(graph, start) for start, found in inward.items() if found & inside}
        expected_users.append(float(sum(outside(file) for file in starts)))
    same(users, expected_users)
    same(used, expected_used)
    event(f"most {max(expected_used[:1] + [x for x in expected_used if x == x])}")


@given(graphs())
def test_transitive_users_hold_the_direct_ones(graph: Graph) -> None:
    """CBV-10: nobody is lost on the way."""
    direct, all_ = (evaluate(name, Subject(graph)) for name in ("fan_in", "transitive_users"))
    there = graph.parent != REMOVED
    assert (all_[there] >= direct[there]).all()


@given(graphs())
def test_instability(graph: Graph) -> None:
    """Ce / (Ca + Ce), own code alone; not measured where there are no relations."""

    def files(key: int, near: int) -> int:
        inside = below(graph, key)
        found = {file_of(graph, row[1 - near]) for row in relations(graph, False) if row[near] in inside}
        return sum(file not in inside and key not in below(graph, file) for file in found)

    expected = []
    for key in range(len(graph)):
        uses_, users = files(key, 0), files(key, 1)
        expected.append(uses_ / (uses_ + users) if uses_ + users else math.nan)
    same(evaluate("instability", Subject(graph)), expected)


@given(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=20))
def test_condensing_leaves_no_cycle(rows: list[tuple[int, int]]) -> None:
    """Nodes are together exactly when each reaches the other; what is left between them is sorted, once each."""
    source, target = np.array(rows, np.int32).reshape(-1, 2).T
    component, begin, end = condensed(8, source, target)

    def reached(start: int) -> set[int]:
        seen, waiting = {start}, [start]
        while waiting:
            at = waiting.pop()
            new = {b for a, b in rows if a == at} - seen
            seen |= new
            waiting += new
        return seen

    closure = [reached(node) for node in range(8)]
    for a in range(8):
        for b in range(8):
            assert (component[a] == component[b]) == (a in closure[b] and b in closure[a])
    pairs = list(zip(begin.tolist(), end.tolist(), strict=True))
    assert pairs == sorted({(int(component[a]), int(component[b])) for a, b in rows if component[a] != component[b]})


@pytest.fixture
def graph() -> Graph:
    """app uses shop.Cart, Cart.total uses tax.rate, tax imports log and numpy; Cart.drop and tax.old stand aside."""
    builder = GraphBuilder("p")
    for path in ("app.py", "shop.py", "tax.py", "log.py"):
        builder.add_node(path, "", path, "file", file=path, values={"sloc": 10})
    builder.add_node("shop.py::Cart", "shop.py", "Cart", "class")
    for name in ("total", "drop"):
        builder.add_node(f"shop.py::Cart.{name}", "shop.py::Cart", name, "function")
    for name in ("rate", "old"):
        builder.add_node(f"tax.py::{name}", "tax.py", name, "function")
    builder.add_node("external", "", "(external)", EXTERNAL)
    builder.add_node("external:numpy", "external", "numpy", EXTERNAL)
    builder.add_node("external:os", "external", "os", EXTERNAL)
    for user, used, kind, confidence in (
        ("app.py", "shop.py::Cart", "instantiate", 1),
        ("shop.py::Cart.total", "tax.py::rate", "call", 1),
        ("shop.py", "tax.py", "import", 0),
        ("tax.py", "log.py", "import", 0),
        ("log.py", "app.py", "call", 2),
        ("tax.py", "external:numpy", "import", 0),
        ("shop.py", "external:os", "import", 0),
    ):
        builder.add_edge(builder.key(user), builder.key(used), kind, confidence=confidence)
    return builder.freeze()


def values(graph: Graph, name: str) -> dict[str, float]:
    column = evaluate(name, Subject(graph))
    return {graph.ids[key]: column[key] for key in range(len(graph)) if column[key] == column[key] and column[key]}


def test_users_and_uses_by_hand(graph: Graph) -> None:
    """CBV-10: over a class to its methods, but not over an import to a definition; numpy has users and is none."""
    assert values(graph, "transitive_users") == {
        "shop.py": 1,
        "shop.py::Cart": 1,
        "shop.py::Cart.total": 1,
        "shop.py::Cart.drop": 1,
        "tax.py": 2,
        "tax.py::rate": 2,
        "log.py": 2,
        "external": 2,
        "external:numpy": 2,
        "external:os": 1,
    }
    assert values(graph, "transitive_uses") == {
        "app.py": 2,
        "shop.py": 2,
        "shop.py::Cart": 1,
        "shop.py::Cart.total": 1,
        "tax.py": 1,
    }
    assert values(graph, "fan_out") == {
        "app.py": 1,
        "shop.py": 1,
        "shop.py::Cart": 1,
        "shop.py::Cart.total": 1,
        "tax.py": 1,
    }
    assert values(graph, "fan_in")["external"] == 2
    assert values(graph, "instability") == {
        "app.py": 1,
        "shop.py": 0.5,
        "shop.py::Cart": 0.5,
        "shop.py::Cart.total": 1,
        "tax.py": 0.5,
    }


def test_guesses_do_not_count(graph: Graph) -> None:
    """What is found by name alone changes no figure."""
    assert "app.py" not in values(graph, "fan_in")
    assert "log.py" not in values(graph, "fan_out")
    edges = graph.edges
    sure = type(edges)(
        edges.source,
        edges.target,
        edges.kind,
        edges.weight,
        np.zeros(len(edges), np.uint8),
        edges.when,
        edges.site_ptr,
        edges.site_file,
        edges.site_line,
        edges.kind_names,
    )
    assert values(graph.with_(edges=sure), "transitive_users")["app.py"] == 3, "log, and over it all that use log"


def test_members_that_are_written_outside_of_their_class() -> None:
    """C++ and Go: the class in the same file, else in the same folder, else the only one of that name."""
    builder = GraphBuilder("p")
    for folder in ("a", "b", "c"):
        builder.add_node(folder, "", folder, "folder")
    for path in ("a/shop.h", "a/shop.cc", "b/shop.h", "b/main.cc", "c/one.h", "c/two.h", "c/bag.cc"):
        builder.add_node(path, path[0], path[2:], "file", file=path)
    for node, name, kind in (
        ("a/shop.h::Shop", "Shop", "class"),
        ("b/shop.h::Shop", "Shop", "struct"),
        ("b/shop.h::Till", "Till", "class"),
        ("a/shop.cc::Shop::open", "Shop::open", "function"),
        ("b/main.cc::n::Shop::close", "n::Shop::close", "function"),
        ("a/shop.cc::Till::drop", "Till::drop", "function"),
        ("a/shop.cc::Shop", "Shop", "class"),
        ("c/one.h::Bag", "Bag", "class"),
        ("c/two.h::Bag", "Bag", "class"),
        ("c/bag.cc::Bag::put", "Bag::put", "function"),
        ("b/main.cc::Nobody.knows", "Nobody.knows", "function"),
        ("a/shop.h::Shop.Shop::x", "Shop::x", "function"),
    ):
        parent = node.partition("::")[0] if not node.endswith("::x") else "a/shop.h::Shop"
        builder.add_node(node, parent, name, kind)
    graph = builder.freeze()

    def named(*pairs: np.ndarray) -> set[tuple[str, str]]:
        return {(graph.ids[a], graph.ids[b]) for a, b in zip(*pairs, strict=True)}

    assert named(*written_apart(graph)) == {
        ("a/shop.cc::Shop", "a/shop.cc::Shop::open"),
        ("b/shop.h::Shop", "b/main.cc::n::Shop::close"),
        ("b/shop.h::Till", "a/shop.cc::Till::drop"),
    }
    assert len(named(*written_apart(graph, all_of_that_name=True))) == 9


def test_who_uses_a_folder_uses_nothing_of_the_folders_in_it() -> None:
    """NEW-5: in Go, who imports the package at the top does not use every package below it."""
    builder = GraphBuilder("top")
    for folder in ("cmd", "modules"):
        builder.add_node(folder, "", folder, "package")
    for file in ("cmd/main.go", "modules/log.go", "top.go"):
        above, _, name = file.rpartition("/")
        builder.add_node(file, above, name, "file", file=file)
    builder.add_edge(builder.key("cmd/main.go"), builder.key(""), "import")
    graph = builder.freeze()
    users = evaluate("transitive_users", Subject(graph))
    assert [users[graph.key_of[file]] for file in ("top.go", "modules/log.go")] == [1, 0]
