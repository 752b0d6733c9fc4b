"""NEW-6: two versions in one picture; every number of the legend is counted again from the two graphs."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.geometry.overlay.answer_legends import plan_rows
from cbvtool.geometry.scene.planned import Sort
from cbvtool.graph import Graph, GraphBuilder
from cbvtool.mining import open_versions
from cbvtool.project import Project
from cbvtool.session import Session
from cbvtool.session.planning.planning import COMPARED
from cbvtool.versions import analysed, compared, difference
from tests.mining.conftest import Repository


@pytest.fixture
def shown(repository: Repository) -> tuple[Session, Graph, Graph, dict[str, str]]:
    """(a session on v2 compared with v1, their graphs as analysed, moved files)."""
    with open_versions(repository.root) as versions:
        before, after = (analysed(versions, name, cache=False, jobs=1) for name in ("v1", "v2"))
        renames = versions.moved(before.commit, after.commit)
    session = Session()
    session.open(Project(repository.root, "subject", after.graph, None, after.commit, "folder"))
    assert session.versions.show(compared(before.graph, after.graph, "v1", renames)) is None
    session.show_depth(5)
    return session, before.graph, after.graph, renames


def counted(session: Session) -> dict[str, int]:
    plan = session.scene().plan
    assert plan is not None
    rows = [text for _, text in plan_rows(session.scene(), plan)]
    return {words: int(number) for row in rows for number, words in re.findall(r"^(\d+) (.+)$", row)}


def test_every_number_of_the_legend(shown: tuple[Session, Graph, Graph, dict[str, str]]) -> None:
    session, before, after, renames = shown
    follow = {
        node: node.replace(old, new, 1)
        for old, new in renames.items()
        for node in before.ids
        if node == old or node.startswith(f"{old}::")
    }
    was = {follow.get(node, node): key for key, node in enumerate(before.ids)}
    now = {node: key for key, node in enumerate(after.ids)}
    both = was.keys() & now.keys()

    def above(graph: Graph, key: int) -> str:
        parent = int(graph.parent[key])
        return "" if parent < 0 else graph.ids[parent]

    def size(graph: Graph, key: int, name: str) -> float:
        return float(graph.values[name][key])

    moved = sum(above(after, now[n]) != follow.get(above(before, was[n]), above(before, was[n])) for n in both)
    growth = []
    for node in both:
        for name in ("sloc", "bytes"):
            pair = size(before, was[node], name), size(after, now[node], name)
            if not np.isnan(pair).any():
                growth.append(np.sign(pair[1] - pair[0]))
                break
    relations = [
        {
            (ids.get(graph.ids[s], graph.ids[s]), ids.get(graph.ids[t], graph.ids[t]), graph.edges.kind_names[k])
            for s, t, k in zip(graph.edges.source, graph.edges.target, graph.edges.kind, strict=True)
        }
        for graph, ids in ((before, follow), (after, {}))
    ]
    expected = {
        "moved": moved,
        "new": len(now.keys() - was.keys()),
        "removed": len(was.keys() - now.keys()),
        "grown": growth.count(1),
        "shrunk": growth.count(-1),
        "relations new": len(relations[1] - relations[0]),
        "relations gone": len(relations[0] - relations[1]),
    }
    assert expected["moved"] == 1
    assert min(expected["new"], expected["removed"], expected["grown"], expected["relations new"]) > 0
    assert counted(session) == {name: n for name, n in expected.items() if n or name.startswith("relations")}


def test_marks_of_the_ring(shown: tuple[Session, Graph, Graph, dict[str, str]]) -> None:
    session, *_ = shown
    scene = session.scene()
    assert scene.ghosts is not None
    names = {scene.ghosts.graph.names[key] for key in scene.ghosts.key}
    assert {"cart.py", "old.py"} <= names
    plan = session.changes_planned
    assert plan is not None
    assert Sort.MOVED in plan.sorts(session.graph.key_of["shop/sale/cart.py"])
    assert plan.lines(session.graph.key_of["shop/price.py::total"]) == ["Grown: 2 to 3 lines"]
    session.show_before(True)
    assert session.scene().graph.key_of.get("shop/old.py") is not None


def test_changes_only_and_stepping(shown: tuple[Session, Graph, Graph, dict[str, str]]) -> None:
    session, *_ = shown
    every = {session.graph.ids[key] for key in session.scene().tree.key}
    session.set_view(changes_only=True)
    scene = session.scene()
    there = {session.graph.ids[key] for key in scene.tree.key}
    assert "ignored.py" in every - there
    assert {"shop/new.py", "shop/price.py", "shop/sale/cart.py"} <= there
    seen = [session.graph.ids[session.versions.next_change(1)] for _ in range(20)]
    assert {"shop/new.py", "shop/price.py::total", "shop/sale/cart.py"} <= set(seen)
    again = len(dict.fromkeys(seen))
    assert seen[again:] == seen[: 20 - again], "round and round"
    assert session.graph.ids[session.versions.next_change(-1)] == seen[18]


def test_the_plan_waits(shown: tuple[Session, Graph, Graph, dict[str, str]], tmp_path: Path) -> None:
    """While versions are compared nobody plans, and a document that is saved holds the plan."""
    session, _, after, _ = shown
    key = session.graph.key_of
    assert session.move([key["shop/new.py"]], key["shop/sale"]) == COMPARED
    session.versions.end()
    assert session.graph is after
    key = session.graph.key_of
    assert session.move([key["shop/new.py"]], key["shop/sale"]) is None
    with_plan = session.graph
    assert session.versions.show(compared(after, after, "v2")) is None
    session.undo()
    assert session.history is not None
    assert len(session.history.done) == 1
    session.save(tmp_path / "plan.cbv")
    session.versions.end()
    assert session.graph is with_plan


nodes = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 3), min_size=1)


def made(names: dict[str, int]) -> Graph:
    builder = GraphBuilder("root")
    for name in sorted(names):
        builder.add_node(name, "", name, "file")
    return builder.freeze()


@given(nodes, nodes, st.dictionaries(st.sampled_from("abcdefgh"), st.sampled_from("abcdefgh")))
def test_every_node_is_told_once(was: dict[str, int], now: dict[str, int], renames: dict[str, str]) -> None:
    """What is in one alone is added, removed or moved, and nothing twice, whatever is said to have been renamed."""
    before, after = made(was), made(now)
    found = difference(before, after, renames)
    old, new = {a for a, _ in found.moved}, {b for _, b in found.moved}
    assert set(found.added) | new == set(after.ids) - set(before.ids)
    assert set(found.removed) | old == set(before.ids) - set(after.ids)
    assert not set(found.added) & new
    assert not set(found.removed) & old
    joined = compared(before, after, "v", renames).after
    assert set(joined.key_of) == set(after.ids)
    assert {joined.ids[joined.parent[key]] for key in joined.key_of.values() if key != joined.root} <= {""}
