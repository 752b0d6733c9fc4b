"""The open document without a window: what a user can do, and what listeners are told (issue item 8, DND-1)."""

from dataclasses import replace
from pathlib import Path

import pytest

from cbvtool.graph import GraphBuilder
from cbvtool.plan.document import read_document
from cbvtool.project import Project
from cbvtool.session import Session


def shop() -> Project:
    builder = GraphBuilder("shop")
    for folder in ("ui", "core", "core/model"):
        above, _, name = folder.rpartition("/")
        builder.add_node(folder, above, name, "folder")
    for path in ("ui/page.py", "ui/cart.py", "core/bill.py", "core/model/item.py"):
        folder, _, name = path.rpartition("/")
        builder.add_node(path, folder, name, "file", file=path, values={"sloc": 10.0})
    builder.add_node("core/bill.py::Bill", "core/bill.py", "Bill", "class", file="core/bill.py", values={"sloc": 5.0})
    for source, target, line in (("ui/page.py", "ui/cart.py", 1), ("core/bill.py", "ui/cart.py", 3)):
        ends = builder.key(source), builder.key(target)
        builder.add_edge(*ends, "import", sites=[(source, line)])
    return Project(Path("shop").absolute(), "shop", builder.freeze(), None, "abc123", "folder")


@pytest.fixture
def session() -> Session:
    opened = Session()
    opened.open(shop())
    return opened


def key(session: Session, node: str) -> int:
    return session.graph.key_of[node]


def test_first_picture_shows_top_levels_with_files_closed(session: Session) -> None:
    """CBV-6: the first picture does not open files."""
    assert key(session, "core/bill.py") not in session.view.expanded
    assert session.graph.root in session.view.expanded


def test_a_drag_aims_drops_and_is_one_step_to_undo(session: Session) -> None:
    """DND-1: drop records a move; undo takes it back, redo does it again."""
    bill, ui = key(session, "core/bill.py"), key(session, "ui")
    session.begin_drag([bill])
    assert session.drag_over(ui) is None
    assert session.drop() is None
    assert session.graph.parent[bill] == ui
    assert session.view.drag is None
    assert session.history is not None
    assert "bill.py" in session.history.label_undo
    session.undo()
    assert session.graph.parent[bill] == key(session, "core")
    session.redo()
    assert session.graph.parent[bill] == ui


def test_escape_cancels_the_drag_first_and_leaves_the_plan_alone(session: Session) -> None:
    """DND-1 and the ESC line of UI.md: drag, then selection, then restriction."""
    bill, core = key(session, "core/bill.py"), key(session, "core")
    session.restrict(core)
    session.select([bill])
    session.begin_drag([bill])
    session.drag_over(key(session, "ui"))
    assert session.escape()
    assert session.view.drag is None
    assert session.view.selected == (bill,)
    assert session.escape()
    assert session.view.selected == ()
    assert session.escape()
    assert session.view.root == session.graph.root
    assert not session.escape()
    assert session.history is not None
    assert session.history.done == ()


def test_a_drop_into_itself_is_refused_with_a_reason(session: Session) -> None:
    core = key(session, "core")
    session.begin_drag([core])
    assert session.drag_over(key(session, "core/model"))
    assert session.drop()
    assert session.history is not None
    assert session.history.done == ()


def test_a_drop_beside_every_container_records_nothing(session: Session) -> None:
    session.begin_drag([key(session, "core/bill.py")])
    session.drag_over(-1)
    assert session.drop() is None
    assert session.history is not None
    assert session.history.done == ()


def test_a_selection_with_nested_nodes_moves_only_the_topmost(session: Session) -> None:
    """DND-1: several selected nodes move together, each with its subtree."""
    chosen = [key(session, node) for node in ("core/bill.py::Bill", "core/bill.py", "core/model")]
    assert session.move(chosen, key(session, "ui")) is None
    assert [session.graph.parent[k] == key(session, "ui") for k in chosen] == [False, True, True]


def test_undoing_a_creation_prunes_the_view(session: Session) -> None:
    assert session.create(session.graph.root, "billing") is None
    made = key(session, "plan:1")
    session.select([made])
    session.undo()
    assert session.view.selected == ()
    assert all(k < len(session.graph) for k in session.view.expanded)


def test_a_gesture_is_done_whole_or_not_at_all(session: Session) -> None:
    from cbvtool.plan import Move

    before = session.graph
    reason = session.do(Move(("core/bill.py",), "ui"), Move(("ui",), "ui"))
    assert reason
    assert session.graph is before


def test_back_and_forward_go_through_places_apart_from_undo(session: Session) -> None:
    """DND-8: view history."""
    start = session.view.expanded
    core = key(session, "core")
    session.restrict(core)
    session.select([core])
    assert session.can_go_back
    session.go_back()
    assert session.view.root == session.graph.root
    assert session.view.expanded == start
    assert session.view.selected == (core,), "a selection is not a place"
    session.go_forward()
    assert session.view.root == core
    assert not session.can_go_forward


def test_collapsing_a_leaf_collapses_its_parent_and_forgets_what_was_open_below(session: Session) -> None:
    session.show_depth(9)
    session.collapse([key(session, "core/bill.py::Bill")])
    assert key(session, "core/bill.py") not in session.view.expanded
    session.collapse([key(session, "core")])
    assert key(session, "core/model") not in session.view.expanded


def test_depth_steps_one_level_at_a_time_and_stops_at_both_ends(session: Session) -> None:
    """CBV-6: expand and collapse by a whole level."""
    session.show_depth(1)
    assert session.view.expanded == {session.graph.root}
    session.step_depth(+1)
    assert key(session, "core") in session.view.expanded
    for _ in range(9):
        session.step_depth(+1)
    everything = session.view.expanded
    session.step_depth(+1)
    assert session.view.expanded == everything
    for _ in range(9):
        session.step_depth(-1)
    assert session.view.expanded == {session.graph.root}


def test_listeners_are_told_what_changed_and_can_leave(session: Session) -> None:
    heard: list[str] = []
    leave = session.subscribe(heard.append)
    session.select([key(session, "ui")])
    session.select([key(session, "ui")])
    assert heard == ["view"], "setting what is set already tells nobody"
    session.move([key(session, "core/bill.py")], key(session, "ui"))
    assert heard == ["view", "plan", "view", "file"]
    leave()
    session.undo()
    assert len(heard) == 4


def test_a_saved_document_brings_back_plan_and_view(session: Session, tmp_path: Path) -> None:
    """Issue item 12: subject's path and commit, the plan, the view state; by ids, not by keys."""
    session.move([key(session, "core/bill.py")], key(session, "ui"))
    session.create(key(session, "core"), "billing")
    session.set_view(beta=0.5, root=key(session, "core"), hidden=frozenset({key(session, "core/model")}))
    assert session.unsaved
    session.save(tmp_path / "shop.cbv")
    assert not session.unsaved

    other = Session()
    document = read_document(tmp_path / "shop.cbv")
    other.open(shop(), document, tmp_path / "shop.cbv")
    assert document.commit == "abc123"
    assert other.graph.ids == session.graph.ids
    assert (other.graph.parent == session.graph.parent).all()
    assert replace(other.view, selected=()) == replace(session.view, selected=())
    assert not other.unsaved


def test_a_document_view_of_nodes_that_are_gone_is_ignored(session: Session, tmp_path: Path) -> None:
    file = tmp_path / "shop.cbv"
    session.save(file)
    text = file.read_text().replace('"beta": 0.8', '"beta": "high"').replace('"expanded": [', '"expanded": ["gone", 7,')
    text = text.replace('"height": "change_frequency"', '"height": "metric of a plugin that is not installed"')
    file.write_text(text)
    other = Session()
    other.open(shop(), read_document(file), file)
    assert other.view.beta == 0.8
    assert other.view.mapping == session.view.mapping
    assert other.graph.root in other.view.expanded


def test_the_tasks_are_the_net_moves(session: Session) -> None:
    """DND-5: there and back leaves nothing to do."""
    bill, ui, core = (key(session, node) for node in ("core/bill.py", "ui", "core"))
    session.move([bill], ui)
    session.move([bill], core)
    assert session.tasks() == ()
    session.move([bill], ui)
    session.move([bill], key(session, "core/model"))
    (task,) = session.tasks()
    assert "bill.py" in task.title


def test_nothing_is_open_at_first() -> None:
    empty = Session()
    assert not empty.is_open
    assert not empty.unsaved
    assert not empty.escape()
    assert empty.tasks() == ()
    assert empty.do() is not None
    with pytest.raises(LookupError):
        _ = empty.graph
