"""Notes on tasks, steps, plans and nodes, and undo that takes them back in their turn (NEW-6, NEW-9, NEW-15)."""

from __future__ import annotations

from pathlib import Path

import pytest

from cbvtool.errors import InputError
from cbvtool.plan.document import read_document
from cbvtool.plan.listing.annotations import annotated
from cbvtool.session import Session
from tests.test_session import shop


def key(session: Session, node: str) -> int:
    return session.graph.key_of[node]


@pytest.fixture
def session() -> Session:
    found = Session()
    found.open(shop())
    found.move([key(found, "core/bill.py")], key(found, "ui"))
    return found


def told(session: Session) -> tuple[str, str, str, str, int]:
    """Notes on the task, the step, the plan and a node; and how many steps are done."""
    assert session.history is not None
    task = next((one.note for one in session.annotations.values()), "")
    step = next((step.note for step in session.history.steps), "")
    plan = session.plan_choice.plans.current.note
    return task, step, plan, session.notes.all.get("ui", ""), len(session.history.done)


def test_undo_takes_notes_back_in_their_turn(session: Session) -> None:
    """Step, four notes, step: undo goes back through all of them, redo comes again, each with its name."""
    noting = session.noting
    states = [told(session)]
    changes = (
        lambda: session.annotate(annotated({}, session.tasks()[0], note="soon")),
        lambda: noting.note_step(0, " why "),
        lambda: noting.note_plan("Plan 1", "for spring"),
        lambda: noting.pin("ui", "ask Eve"),
        lambda: session.rename(key(session, "core"), "heart"),
    )
    names = []
    for change in changes:
        change()
        states.append(told(session))
        names.append(noting.label_undo.removeprefix("Undo "))
    assert states[-1] == ("soon", "why", "for spring", "ask Eve", 2)
    assert names == ["change of the tasks", "note on the step", "note on the plan", "note", "rename of core to heart"]
    for state, name in zip(states[-2::-1], names[::-1], strict=True):
        assert noting.label_undo == f"Undo {name}"
        session.undo()
        assert told(session) == state
        assert noting.label_redo == f"Redo {name}"
    assert noting.label_undo == "Undo move of bill.py to ui"
    for state in states[1:]:
        session.redo()
        assert told(session) == state
    assert not noting.label_redo


def test_notes_do_not_stand_in_the_way_of_steps(session: Session) -> None:
    """A note belongs to the place where it was made: steps that came later are undone first, others redone in order."""
    session.noting.note_step(0, "why")
    session.undo()
    session.undo()
    assert told(session) == ("", "", "", "", 0)
    session.redo()
    assert told(session)[1] == "", "the note was made later than the step"
    session.redo()
    assert told(session)[1] == "why"
    session.undo()
    session.remove([key(session, "core/model")])
    session.undo()
    session.redo()
    assert told(session)[4] == 2, "the step was undone last"
    session.noting.note_step(1, "twice")
    session.noting.note_step(1, "twice")
    session.undo()
    assert told(session)[4] == 2, "what changes nothing is not undone"
    assert session.history.done[1].note == ""


def test_what_was_worked_out_stays(session: Session) -> None:
    """A note on a step costs no replay, and makes the document unsaved."""
    graph = session.graph
    assert session.history is not None
    before = session.history
    session.noting.note_step(0, "why")
    assert session.history is not before
    assert session.graph is graph
    assert before.done[0].note == ""


def test_notes_on_steps_are_saved(session: Session, tmp_path: Path) -> None:
    """Also on a step that is undone; nothing of another document is taken back."""
    file = tmp_path / "shop.cbv"
    session.save(file)
    session.noting.note_step(0, "why")
    assert session.unsaved
    session.planning.undo()
    session.noting.note_step(0, "later")
    session.save(file)
    other = Session()
    other.open(shop(), read_document(file), file)
    assert [step.note for step in other.history.steps] == ["later"]
    assert not other.noting.label_undo
    session.open(shop())
    assert not session.noting.label_undo


def test_a_plan_that_is_gone(session: Session) -> None:
    """A note on it is not there to be taken back, and undo says so once."""
    choice = session.plan_choice
    choice.new("Other")
    choice.switch("Plan 1")
    session.noting.note_plan("Other", "what for")
    choice.delete("Other")
    with pytest.raises(InputError):
        session.undo()
    session.undo()
    assert told(session)[4] == 0
    with pytest.raises(InputError):
        session.noting.note_plan("Other", "again")
