"""CBV-13, DND-1: a session that shows packages plans in them; the plan is one of folders, the picture stays."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from cbvtool.findings.finding import Examined
from cbvtool.findings.ranked import findings
from cbvtool.graph.regroup import node_words
from cbvtool.plan import Create, Move
from cbvtool.project import open_project
from cbvtool.proposals.proposal import Proposal
from cbvtool.session import Session
from cbvtool.session.dragging.gestures import common_parent
from cbvtool.versions import compared
from cbvtool.view.panels.proposals_panel import said_in_folders
from tests.layouts import LAYOUTS

CORE, OFFICE = "shop-core/src/main/java/com/shop", "shop-office/src/main/java/com/shop"
QUERY = f"{CORE}/orders/Query.java"
ORDERS, STOCK, STORE = (f"package:com/shop/{name}" for name in ("orders", "stock", "store"))


@pytest.fixture
def session(tmp_path: Path) -> Session:
    """The Maven layout in packages."""
    LAYOUTS["Maven"](tmp_path)
    opened = Session()
    opened.open(open_project(tmp_path, jobs=1))
    opened.show_in("packages")
    return opened


def key(session: Session, node: str) -> int:
    return session.graph.key_of[node]


def above(session: Session, node: str) -> str:
    return session.graph.ids[int(session.graph.parent[key(session, node)])]


def test_a_drop_on_a_package_moves_to_its_folder(session: Session) -> None:
    """CBV-13, DND-1: undone and done again; packages are shown all the time, and what was open stays open."""
    assert session.rename(key(session, QUERY), "Ask.java") is None
    session.expand([key(session, "package:com/shop"), key(session, STOCK)])
    session.begin_drag([key(session, QUERY)])
    assert session.drag_over(key(session, STOCK)) is None
    assert session.candidate().operations == (Move((QUERY,), f"{CORE}/stock"),)
    assert session.drop() is None
    assert session.history is not None
    assert session.history.label_undo == "Undo move of Ask.java to stock"
    (task,) = session.tasks()
    assert task.title == f"Move Query.java from {CORE}/orders to {CORE}/stock and rename it to Ask.java"
    assert session.view.hierarchy == "packages"
    assert above(session, QUERY) == STOCK
    assert key(session, STOCK) in session.view.expanded
    session.undo()
    assert above(session, QUERY) == ORDERS
    session.redo()
    assert above(session, QUERY) == STOCK


def test_a_package_takes_its_selection_and_what_is_open_along(session: Session) -> None:
    """CBV-13: its id changes with its place."""
    session.expand([key(session, "package:com/shop"), key(session, ORDERS), key(session, STOCK)])
    session.select([key(session, ORDERS)])
    assert session.move([key(session, ORDERS)], key(session, STOCK)) is None
    inner = key(session, "package:com/shop/stock/orders")
    assert session.view.selected == (inner,)
    assert inner in session.view.expanded
    assert above(session, QUERY) == "package:com/shop/stock/orders"


def test_a_place_is_asked_for_where_the_source_root_does_not_decide(session: Session) -> None:
    """CBV-13: the package lies in another module of the build."""
    assert session.rename(key(session, QUERY), "Ask.java") is None
    session.begin_drag([key(session, QUERY)])
    session.drag_over(key(session, STORE))
    assert session.dragging.asks
    other = session.candidate().places[1]
    assert other.path == f"{OFFICE}/store"
    assert session.dragging.answer(place=other.root) is None
    assert session.drop() is None
    assert session.history is not None
    assert session.history.done[-1].operations == (Move((QUERY,), f"{OFFICE}/store"),)


def test_an_empty_package_is_seen(session: Session) -> None:
    """DND-2, CBV-13: a new one, although no file is in it."""
    assert session.create(key(session, STOCK), "deep", "package") is None
    assert "package:com/shop/stock/deep" in session.graph.key_of
    assert key(session, STOCK) in session.view.expanded
    assert session.history is not None
    (made,) = session.history.done[-1].operations
    assert isinstance(made, Create)
    assert made.parent == f"{CORE}/stock"


def test_a_drop_on_files_of_no_package_is_refused_before_it(session: Session) -> None:
    """CBV-13: in one sentence, while the pointer is there; nothing is planned."""
    session.begin_drag([key(session, QUERY)])
    reason = session.drag_over(key(session, "package:(other)"))
    assert reason is not None
    assert "no folder of its own" in reason
    assert session.drop() == reason
    assert session.history is not None
    assert not session.history.done


def test_a_plan_in_packages_is_judged_as_in_folders(session: Session) -> None:
    """NEW-1, CBV-13: it is the same plan, so it has the same figures."""
    assert session.move([key(session, ORDERS)], key(session, STOCK)) is None
    preparing = session.judging.preparing()
    assert preparing is not None
    here = preparing().plan()
    session.show_in("")
    preparing = session.judging.preparing()
    assert preparing is not None
    there = preparing().plan()
    assert (here.before, here.after) == (there.before, there.after)
    assert here.before != here.after


def test_what_is_selected_is_selected_in_the_folders(session: Session) -> None:
    """CBV-13: a package by its folders, and they by their package."""
    session.select([key(session, ORDERS), key(session, QUERY)])
    session.show_in("")
    assert [session.graph.ids[k] for k in session.view.selected] == [f"{CORE}/orders", QUERY]
    session.show_in("packages")
    assert [session.graph.ids[k] for k in session.view.selected] == [ORDERS, QUERY]


def test_what_is_found_names_packages_in_words(session: Session) -> None:
    """CBV-13, NEW-21: packages are the modules there, and no id of a group is told."""
    found = findings(Examined(session.graph, base=session.graph))
    cycle = next(one for one in found if one.kind == "cycle")
    assert cycle.title.startswith("com.shop.")
    assert {session.graph.kind(key) for key in cycle.nodes} == {"package"}
    assert not any("package:" in one.title for one in found)
    assert node_words(session.graph, key(session, ORDERS)) == "com.shop.orders"
    assert node_words(session.graph, session.graph.root) == session.graph.name
    assert session.create(key(session, STOCK), "deep", "package") is None
    session.show_in("")
    made = next(k for k, name in enumerate(session.graph.names) if name == "deep")
    assert node_words(session.graph, made) == f"{CORE}/stock/deep"


def test_a_proposal_for_packages_is_priced_and_taken_in_folders(session: Session) -> None:
    """NEW-2, CBV-13: its price is that of the step on folders, and the step is what is recorded."""
    where = session.hierarchy.folders
    assert where is not None
    preparing = session.judging.preparing()
    assert preparing is not None
    same = preparing().plan()
    group = Proposal("move", "Move", "because", (Move((QUERY,), "package:com/shop"),), same)
    refused = replace(group, operations=(Move((QUERY,), "package:(other)"),))
    ((one, folders),) = said_in_folders([group, refused], where)
    assert one is group
    assert folders.operations == (Move((QUERY,), CORE),)
    assert session.do(*one.operations, label="proposal") is None
    assert session.history is not None
    assert session.history.done[-1].operations == folders.operations
    assert session.history.label_undo == "Undo proposal"


def test_a_new_package_goes_below_the_source_root_that_is_chosen(session: Session) -> None:
    """DND-2, CBV-13: where there are several the places are told; the first is taken unless another is chosen."""
    made = Create("plan:new", "package:com/shop", "deep", "package")
    places = session.planning.places(made)
    assert [place.path for place in places[:2]] == [CORE, OFFICE]
    assert session.create(key(session, "package:com/shop"), "deep", "package", places[1].root) is None
    assert session.history is not None
    (done,) = session.history.done[-1].operations
    assert isinstance(done, Create)
    assert done.parent == OFFICE


def test_the_picture_marks_what_the_plan_does_to_packages(session: Session) -> None:
    """NEW-23: what moved has a rim and an empty place where it was; `before` shows packages, at the same angles."""
    session.expand([key(session, node) for node in ("package:com/shop", STOCK, ORDERS)])
    assert session.scene().marks is None
    assert session.rename(key(session, QUERY), "Ask.java") is None
    assert session.move([key(session, QUERY)], key(session, STOCK)) is None
    scene, moved = session.scene(), key(session, QUERY)
    assert scene.marks is not None
    assert [scene.graph.ids[one] for one in scene.marks.keys] == [QUERY]
    assert scene.marks.words(moved) == "Moved from com.shop.orders, renamed from Query.java"
    assert scene.ghosts is not None
    assert [int(one) for one in scene.ghosts.key] == [moved]
    stays = key(session, STORE)
    assert session.show_before(True) is None
    before = session.scene()
    assert before.state.hierarchy == "packages"
    assert before.graph.ids[int(before.graph.parent[moved])] == ORDERS
    here, there = (int(one.tree.represent[stays]) for one in (scene, before))
    assert scene.layout.a0[here] == pytest.approx(before.layout.a0[there])
    session.show_before(False)
    for _ in range(2):
        session.undo()
    assert session.scene().marks is None


def test_a_package_that_moves_is_marked_as_one(session: Session) -> None:
    """NEW-23: not each of its files; one that is new is marked, too, and one that is gone was there before."""
    session.expand([key(session, "package:com/shop"), key(session, STOCK), key(session, ORDERS)])
    assert session.move([key(session, ORDERS)], key(session, STOCK)) is None
    planned = session.planning.planned
    assert planned is not None
    assert [session.graph.names[one] for one in planned.keys] == ["orders"]
    assert planned.summary() == "1 moved"
    assert session.create(key(session, STOCK), "shelf") is None
    planned = session.planning.planned
    assert planned is not None
    assert planned.summary() == "1 moved, 1 new"
    assert {session.versions.next_change(step) for step in (1, 1)} >= {key(session, "package:com/shop/stock/orders")}


@pytest.mark.parametrize("layout", ["flat Python", "Maven", "npm workspace", "Go"])
def test_whatever_is_selected_can_be_grouped_or_the_reason_is_told(layout: str, tmp_path: Path) -> None:
    """DND-2: packages, files, classes and methods, each inside whatever holds it."""
    LAYOUTS[layout](tmp_path)
    session = Session()
    session.open(open_project(tmp_path, jobs=1))
    session.show_in("packages")
    graph, found = session.graph, dict[tuple[str, ...], int]()
    for node in graph.tree.order[1:].tolist():
        path = [node, *graph.ancestors(node)][:-1]
        found.setdefault((graph.kind(node), graph.kind(path[1]) if path[1:] else "", graph.names[path[-1]]), node)
    grouped = set[str]()
    for (kind, *_), node in found.items():
        assert session.begin_drag([node]) is None
        session.drag_over(common_parent([node], graph), fresh=True)
        candidate = session.candidate()
        assert bool(candidate.operations) != bool(candidate.refusal)
        if candidate.operations:
            assert session.drop() is None
            grouped.add(kind)
            session.undo()
            graph = session.graph
        session.cancel_drag()
    assert {"package", "file", "function"} <= grouped


def test_a_package_stays_selected_over_a_comparison(session: Session) -> None:
    """NEW-6: its folder is selected meanwhile; afterwards packages are shown as they were."""
    assert session.history is not None
    orders, graph, shown = key(session, ORDERS), session.history.graph, session.graph
    session.expand([key(session, "package:com/shop")])
    session.select([orders])
    expanded = session.view.expanded
    session.versions.show(compared(graph, graph, "v1"))
    assert [session.graph.ids[k] for k in session.view.selected] == [f"{CORE}/orders"]
    session.versions.end()
    assert session.graph is shown
    assert session.view.selected == (orders,)
    assert session.view.expanded == expanded


def test_the_picture_depends_on_the_plan_alone(session: Session) -> None:
    """CBV-13: a package that a step made beside `com.shop` leaves no trace once the step is undone."""

    def names() -> list[str]:
        graph = session.graph
        return [graph.names[one] for one in graph.children(graph.root).tolist()]

    assert session.rename(key(session, QUERY), "Ask.java") is None
    before = names()
    assert "com.shop" in before
    session.show_in("")
    assert session.create(session.graph.key_of["shop-core/src/main/java/com"], "tools", "package") is None
    session.show_in("packages")
    assert "com" in names()
    session.undo()
    assert names() == before
