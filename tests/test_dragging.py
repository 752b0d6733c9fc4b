"""What a drop where the pointer is would do, without a window (DND-1 to DND-4)."""

from __future__ import annotations

import pytest

from cbvtool.plan import Extract, Form, Merge, Move, Split
from cbvtool.session import Session
from cbvtool.session.dragging.gestures import bundle_of, free_name
from tests.test_session import key, shop


@pytest.fixture
def session() -> Session:
    opened = Session()
    opened.open(shop())
    return opened


def _done(session: Session) -> int:
    assert session.history is not None
    return len(session.history.done)


def test_the_candidate_is_what_the_drop_does(session: Session) -> None:
    """DND-1: nothing is a candidate before something is aimed at; what is dropped is what was said."""
    assert session.candidate().operations == ()
    session.begin_drag([key(session, "core/bill.py")])
    assert session.candidate().operation is None
    session.drag_over(key(session, "ui"))
    candidate = session.candidate()
    assert candidate.operation == Move(("core/bill.py",), "ui")
    assert candidate.refusal is None
    assert session.drop() is None
    assert session.history is not None
    assert session.history.operations == candidate.operations


def test_what_is_at_home_has_no_candidate_and_no_refusal(session: Session) -> None:
    session.begin_drag([key(session, "core/bill.py")])
    session.drag_over(key(session, "core"))
    candidate = session.candidate()
    assert candidate.at_home
    assert candidate.operations == ()
    assert candidate.refusal is None
    assert session.drop() is None
    assert _done(session) == 0


def test_a_drop_is_meant_for_what_can_hold_it(session: Session) -> None:
    """DND-1: on a file the folder around it is meant, when a file is held; a class goes into the file itself."""
    dragging, page = session.dragging, key(session, "ui/page.py")
    session.begin_drag([key(session, "core/bill.py")])
    assert dragging.target_at(page) == key(session, "ui")
    session.cancel_drag()
    session.begin_drag([key(session, "core/bill.py::Bill")])
    assert dragging.target_at(page) == page


def test_merging_wants_something_of_its_own_sort(session: Session) -> None:
    """DND-2: with Shift a file goes into another file, a folder into another folder; one step, with its name."""
    dragging = session.dragging
    session.begin_drag([key(session, "core/model")])
    dragging.merge_instead(True)
    assert dragging.target_at(key(session, "ui/page.py")) == key(session, "ui")
    session.drag_over(key(session, "ui"))
    assert session.candidate().operation == Merge("core/model", "ui")
    dragging.merge_instead(False)
    assert session.candidate().operation == Move(("core/model",), "ui")
    dragging.merge_instead(True)
    assert session.drop() is None
    assert session.history is not None
    assert session.history.label_undo == "Undo merge of model into ui"
    assert session.graph.parent[key(session, "core/model/item.py")] == key(session, "ui")
    session.undo()
    assert session.graph.parent[key(session, "core/model/item.py")] == key(session, "core/model")


def test_several_are_merged_in_one_step(session: Session) -> None:
    """DND-2: all that is held is merged into the target."""
    session.begin_drag([key(session, "ui/page.py"), key(session, "ui/cart.py")])
    session.dragging.merge_instead(True)
    session.drag_over(key(session, "core/bill.py"))
    assert session.drop() is None
    assert _done(session) == 1
    assert "ui/page.py" not in {session.graph.ids[one] for one in session.graph.children(key(session, "ui"))}
    session.undo()
    assert _done(session) == 0


def test_a_relation_in_front_of_a_collapsed_node_holds_the_children_that_take_part(session: Session) -> None:
    """DND-4: exactly those, whichever end of the relation they are at; of a leaf the leaf itself."""
    ui, core = key(session, "ui"), key(session, "core")
    session.dragging.begin_pull(ui, core)
    drag = session.view.drag
    assert drag is not None
    assert drag.keys == (key(session, "ui/cart.py"),)
    session.drag_over(core)
    assert session.candidate().operation == Extract("ui", "core", "core")
    assert session.drop() is None
    assert session.history is not None
    assert session.history.label_undo == "Undo pull-out of cart.py out of ui to core"
    assert session.graph.parent[key(session, "ui/cart.py")] == core
    session.undo()
    session.dragging.begin_pull(key(session, "ui/cart.py"), core)
    session.drag_over(core)
    assert session.candidate().operation == Move(("ui/cart.py",), "core")


def test_where_nothing_takes_part_nothing_is_held_and_the_reason_is_said(session: Session) -> None:
    session.dragging.begin_pull(key(session, "ui"), key(session, "core/model"))
    assert session.view.drag is not None
    assert session.view.drag.keys == ()
    assert session.drag_over(key(session, "core")) == "ui has no relation with model."
    assert session.drop() == "ui has no relation with model."
    assert _done(session) == 0


@pytest.mark.parametrize(
    ("form", "label"), [("invert", "both use model_port.py"), ("route", "routed via model_port.py")]
)
def test_a_split_over_a_folder_makes_a_file_in_it(session: Session, form: Form, label: str) -> None:
    """DND-3: one step to undo, which names the form; what is led over is a file, not a folder."""
    core, ui, model = (key(session, node) for node in ("core", "ui", "core/model"))
    session.dragging.begin_split(core, ui)
    session.drag_over(model)
    assert session.dragging.asks
    assert session.dragging.usual_name() == "ui_interface.py"
    assert session.dragging.answer(act=form, name="model_port.py") is None
    assert session.candidate().operations == (Split("core", "ui", "core/model", form, "model_port.py"),)
    assert session.drop() is None
    assert session.history is not None
    assert session.history.label_undo == f"Undo split of core → ui: {label}"
    made = {session.graph.names[k] for k in session.graph.children(model).tolist()}
    assert made == {"item.py", "model_port.py"}
    session.undo()
    assert len(session.graph.children(model)) == 1
    assert _done(session) == 0


def test_a_split_over_a_file_goes_over_that_file(session: Session) -> None:
    """DND-3: a third node that has code is the third one itself."""
    session.dragging.begin_split(key(session, "core/bill.py"), key(session, "ui/cart.py"))
    session.drag_over(key(session, "core/model/item.py"))
    assert session.candidate().operations == (Split("core/bill.py", "ui/cart.py", "core/model/item.py", "invert"),)


def test_a_split_outside_makes_the_container_too(session: Session) -> None:
    """DND-3: on empty space a new file is offered first; in a new folder there is a file, too."""
    session.dragging.begin_split(key(session, "core"), key(session, "ui"))
    session.drag_over(session.graph.root, fresh=True)
    assert session.dragging.kinds()[0] == "file"
    assert [one.row.op for one in session.candidate().operations] == ["split"]
    session.dragging.answer(kind="folder", name="ports")
    assert [one.row.op for one in session.candidate().operations] == ["create", "split"]
    assert session.drop() is None
    ports = next(k for k in session.graph.children(session.graph.root).tolist() if session.graph.names[k] == "ports")
    (file,) = session.graph.children(ports).tolist()
    assert session.graph.names[file] == "ui_interface.py"
    assert set(session.graph.edges.target.tolist()) >= {file}
    session.undo()
    assert _done(session) == 0


def test_the_bundle_says_what_a_split_cuts(session: Session) -> None:
    """DND-3: counts by kind, of what the operation cuts."""
    bundle = bundle_of((key(session, "core"), key(session, "ui")), session.graph)
    assert bundle.counts == (("import", 1),)
    assert bundle_of((key(session, "ui"), key(session, "core")), session.graph).total == 0


def test_a_drop_into_a_new_container_is_one_step(session: Session) -> None:
    """DND-2: create and move are undone together, under the name of the grouping."""
    session.begin_drag([key(session, "ui/page.py"), key(session, "core/bill.py")])
    session.drag_over(session.graph.root, fresh=True)
    session.dragging.answer(kind="folder", name="shared")
    assert session.drop() is None
    assert session.history is not None
    assert session.history.label_undo == "Undo grouping of page.py and bill.py in shared"
    assert {session.graph.names[k] for k in session.graph.children(key(session, "plan:1"))} == {"page.py", "bill.py"}
    session.undo()
    assert _done(session) == 0


@pytest.mark.parametrize("name", ["a/b", "..", "ui", "\x07", "\\"])
def test_a_new_container_of_a_bad_name_is_refused(session: Session, name: str) -> None:
    """A name with a slash, or one that is there: the reason, and nothing changed."""
    session.begin_drag([key(session, "ui/page.py")])
    session.drag_over(session.graph.root, fresh=True)
    assert session.dragging.answer(kind="folder", name=name)
    assert session.drop()
    assert session.view.drag is None
    assert _done(session) == 0


def test_a_clash_is_refused_with_the_reason(session: Session) -> None:
    """What would stand beside another of its name: the reason at the pointer, nothing changed."""
    assert session.rename(key(session, "core/model/item.py"), "bill.py") is None
    session.begin_drag([key(session, "core/bill.py")])
    assert session.drag_over(key(session, "core/model")) == "model already holds bill.py: rename one of the two first."
    assert session.drop() is not None
    session.begin_drag([key(session, "core/model")])
    session.dragging.merge_instead(True)
    assert session.drag_over(key(session, "core")) == "core already holds bill.py: rename one of the two first."
    session.drop()
    session.begin_drag([key(session, "core/bill.py"), key(session, "core/model/item.py")])
    assert session.drag_over(key(session, "ui")) == "Two of them are called bill.py: rename one first."
    session.drop()
    assert _done(session) == 1


def test_what_is_opened_closes_again_unless_something_is_dropped_into_it(session: Session) -> None:
    """DND-1: a closed target that opened under the pointer; going back does not pass through it."""
    core, model = key(session, "core"), key(session, "core/model")
    session.collapse([core])
    places = session.can_go_back
    session.begin_drag([key(session, "ui/page.py")])
    session.dragging.open_closed(core)
    assert session.scene().tree.represent[model] != session.scene().tree.represent[core]
    session.cancel_drag()
    assert core not in session.view.expanded
    assert session.can_go_back == places
    session.begin_drag([key(session, "ui/page.py")])
    session.dragging.open_closed(core)
    session.dragging.open_closed(model)
    session.drag_over(core)
    assert session.drop() is None
    assert core in session.view.expanded
    assert model not in session.view.expanded


def test_a_free_name_is_one_that_nothing_has(session: Session) -> None:
    assert free_name("page.py", key(session, "ui"), session.graph) == "page_2.py"
    assert free_name("bill.py", key(session, "ui"), session.graph) == "bill.py"
