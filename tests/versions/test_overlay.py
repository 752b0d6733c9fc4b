"""NEW-6: two versions in one picture; every number of the legend is counted again from the two graphs."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.geometry.overlay.answer_legends import plan_legend, plan_rows
from cbvtool.geometry.picture import Rect, Text
from cbvtool.geometry.scene.planned import Sort, planned_of
from cbvtool.graph import Graph, GraphBuilder
from cbvtool.graph.kinds import RUN_TIME_CALL
from cbvtool.mining import open_versions
from cbvtool.plan import Create, History, Move, group, new_id
from cbvtool.project import Project
from cbvtool.session import Session
from cbvtool.session.follower import SecondSession
from cbvtool.session.overlay import Overlay
from cbvtool.session.planning.planning import COMPARED
from cbvtool.trace.overlay.run_time import RunTime
from cbvtool.versions import analysed, compared, difference, plans_compared
from cbvtool.versions.moved_folders import moved_folders
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
    """`files moved`, `definitions added`, `relations added`, ...: the numbers of the card."""
    plan = session.scene().plan
    assert plan is not None
    found: dict[str, int] = {}
    for _, text in plan_rows(session.scene(), plan):
        *_, word = text.split()
        for number, what in re.findall(r"(\d+) (file|definition|relation)s?", text):
            found[f"{what}s {word}"] = int(number)
    return found


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

    def is_file(graph: Graph, key: int) -> bool:
        return graph.kind(key) == "file"

    def is_definition(graph: Graph, key: int) -> bool:
        return "::" in graph.ids[key]

    def differs(node: str) -> bool:
        pairs = [(float(before.values[name][was[node]]), float(after.values[name][now[node]])) for name in after.values]
        return any(left != right and not np.isnan([left, right]).all() for left, right in pairs)

    sorts = (("files", is_file), ("definitions", is_definition))
    nodes = {}
    for what, of in sorts:
        nodes[f"{what} added"] = sum(of(after, now[node]) for node in now.keys() - was.keys())
        nodes[f"{what} removed"] = sum(of(before, was[node]) for node in was.keys() - now.keys())
        nodes[f"{what} changed"] = sum(of(after, now[node]) and differs(node) for node in both)
    relations = [
        {
            (ids.get(graph.ids[s], graph.ids[s]), ids.get(graph.ids[t], graph.ids[t]), graph.edges.kind_names[k])
            for s, t, k in zip(graph.edges.source, graph.edges.target, graph.edges.kind, strict=True)
        }
        for graph, ids in ((before, follow), (after, {}))
    ]
    expected = nodes | {
        "files moved": len(renames),
        "relations added": len(relations[1] - relations[0]),
        "relations removed": len(relations[0] - relations[1]),
    }
    assert expected["files moved"] == 1
    assert min(expected[f"files {word}"] for word in ("added", "removed", "changed")) > 0
    there = [name for name in expected if expected[name] or name.startswith(("files", "relations"))]
    assert counted(session) == {name: expected[name] for name in there}


def test_a_low_picture_has_a_low_card(shown: tuple[Session, Graph, Graph, dict[str, str]]) -> None:
    """All counts stand in one row, each beside its badge, so that the ring keeps its place."""
    session, *_ = shown
    scene, numbers = session.scene(), [str(n) for name, n in counted(session).items() if name.startswith("files")]
    assert scene.plan is not None
    high, low = (plan_legend(scene, scene.plan, 600, height, foot=height) for height in (900, 500))
    cards = [picture.items[0] for picture in (high, low)]
    assert all(isinstance(card, Rect) for card in cards)
    assert cards[1].height < 0.6 * cards[0].height
    rows = [item for item in low.items if isinstance(item, Text)]
    assert [row.text for row in rows if row.y == rows[1].y] == numbers
    assert max(row.x for row in rows) < 600


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
    nodes = found.nodes
    old, new = {a for a, _ in nodes.renamed}, {b for _, b in nodes.renamed}
    assert not nodes.moved
    assert set(nodes.added) | new == set(after.ids) - set(before.ids)
    assert set(nodes.removed) | old == set(before.ids) - set(after.ids)
    assert not set(nodes.added) & new
    assert not set(nodes.removed) & old
    joined = compared(before, after, "v", renames).after
    assert set(joined.key_of) == set(after.ids)
    assert {joined.ids[joined.parent[key]] for key in joined.key_of.values() if key != joined.root} <= {""}


def test_keys_stay_those_of_the_subject(shown: tuple[Session, Graph, Graph, dict[str, str]]) -> None:
    """Traces, couplings and panels speak of the same nodes while versions are compared."""
    session, _, after, _ = shown
    assert session.graph.ids[: len(after)] == after.ids
    caller, callee = after.key_of["shop/new.py"], after.key_of["shop/price.py"]
    nothing = np.zeros(len(after), np.int64)
    source, target = np.array([caller], np.int32), np.array([callee], np.int32)
    calls = RunTime(source, target, np.array([3]), np.array([5]), nothing, nothing, nothing, nothing, (0, 9))
    session.state.overlay = Overlay(calls, {})
    edges = session.graph.edges
    row = edges.kind.tolist().index(edges.kind_names.index(RUN_TIME_CALL))
    assert (session.graph.ids[edges.source[row]], session.graph.ids[edges.target[row]]) == (
        "shop/new.py",
        "shop/price.py",
    )
    assert session.versions.why_not() == ""


def test_a_second_view_compares_the_same(shown: tuple[Session, Graph, Graph, dict[str, str]]) -> None:
    """CBV-13: from its beginning on, while the first view turns to a plan and back, and when it ends."""
    first, _, after, _ = shown
    second = SecondSession(first, lambda run: run())
    second.begin(second.beginning())
    assert second.state.compared is first.versions.compared is not None
    assert counted(second) == counted(first)
    key = first.versions.next_change(1)
    assert second.view.selected == (key,)
    found = first.versions.compared
    first.versions.end()
    assert second.graph is after
    assert first.versions.show(found) is None
    assert second.scene().plan is not None


def test_two_plans() -> None:
    """Both number what they make from 1: it is the same where name and place are."""
    base = made({"a": 0, "b": 0})
    one, two = History(base), History(base)
    for name in ("core", "left"):
        one = one.do(group(one.graph, Create(new_id(one), "", name, "folder")))
    for name in ("right", "core"):
        two = two.do(group(two.graph, Create(new_id(two), "", name, "folder")))
    one = one.do(group(one.graph, Move(("a",), "plan:1")))
    two = two.do(group(two.graph, Move(("a",), "plan:2")))
    found = plans_compared(base, one.graph, two.graph, "one")
    changes = planned_of(found.before, found.after, "one")
    assert changes is not None
    assert sorted(changes.sentences()) == ["left: removed from the top level", "right: new in the top level"]


def test_a_folder_moves_with_its_files() -> None:
    """Most files decide; a file that was renamed, too, tells nothing of its folder."""
    files = {
        "flask/app.py": "src/flask/app.py",
        "flask/cli.py": "src/flask/cli.py",
        "flask/old.py": "attic/old.py",
        "flask/json/tag.py": "src/flask/json/tag.py",
        "setup.py": "tools/build.py",
    }
    assert moved_folders(files) == {"flask": "src/flask", "flask/json": "src/flask/json"}
    graphs = [GraphBuilder("root") for _ in range(2)]
    for builder, (folder, above) in zip(graphs, (("flask", ""), ("src/flask", "src")), strict=True):
        if above:
            builder.add_node(above, "", above, "folder")
        builder.add_node(folder, above, "flask", "folder")
        for name in ("app.py", "cli.py"):
            builder.add_node(f"{folder}/{name}", folder, name, "file")
    found = compared(graphs[0].freeze(), graphs[1].freeze(), "v1", files)
    changes = planned_of(found.before, found.after, "v1", found.told)
    assert changes is not None
    assert sorted(changes.sentences()) == ["flask: moved from the top level to src", "src: added in the top level"]
