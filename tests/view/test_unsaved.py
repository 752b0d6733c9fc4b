"""Unsaved plans in the window: copies, offers, and the questions before anything is lost."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from qtpy.QtCore import QTimer
from qtpy.QtGui import QTextDocumentFragment
from qtpy.QtWidgets import QApplication, QMessageBox, QPushButton

from cbvtool.errors import InputError
from cbvtool.graph.records import edge_records, graph_of, node_records
from cbvtool.plan import Group, Move
from cbvtool.plan.document import ChangedOnDisk, Document, Plan, TraceFile, read_document, write_document
from cbvtool.plan.recovery import OwnCopies, list_copies
from cbvtool.progress import Progress
from cbvtool.project import Project
from cbvtool.session import Session
from cbvtool.session.traces.files import Imported
from cbvtool.view.commands.documents import OVERWRITE, SAVE_AS
from cbvtool.view.commands.unsaved import WRITE
from cbvtool.view.panels.recovery_bar import MOST_ROWS, describe
from cbvtool.view.toolkit.settings import Settings
from cbvtool.view.window import opening as opening_module
from cbvtool.view.window.main_window import MainWindow
from tests.plugin_views.views import small_trace

pytestmark = pytest.mark.usefixtures("real_boxes")

NewWindow = Callable[[], MainWindow]


def move(window: MainWindow, node: str, target: str) -> None:
    key_of = window.session.graph.key_of
    assert window.session.move([key_of[node]], key_of[target]) is None


def kept(window: MainWindow, qtbot) -> None:
    """Wait until there is nothing to write any more."""
    qtbot.waitUntil(lambda: window.unsaved.is_kept)


def killed(window: MainWindow, qtbot) -> None:
    """What the system does to the lock of a process that is killed."""
    kept(window, qtbot)
    lock = window.unsaved.own._lock
    assert lock is not None
    lock.release(remove=False)


def leave_plan(subject: Path, *moves: tuple[str, str], opened: Path | None = None) -> None:
    """A dead window has left an unsaved plan."""
    own = OwnCopies()
    own.write(planned(subject, *moves), opened or subject, "")
    own.close()


def planned(subject: Path, *moves: tuple[str, str]) -> Document:
    done = tuple(Group(f"move of {node} to {to}", (Move((node,), to),)) for node, to in moves)
    return Document(subject, subject.name, plans=(Plan(done=done),))


def click(window: MainWindow, text: str, row: int = 0) -> None:
    [button for button in window.unsaved.bar.findChildren(QPushButton) if button.text() == text][row].click()


@pytest.fixture
def new_window(qtbot, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> NewWindow:
    """Makes windows that are not shown, so nothing is drawn; they ask nothing."""

    def make() -> MainWindow:
        window = MainWindow(Session(), settings)
        monkeypatch.setattr(window.documents, "ask_unsaved", lambda: int(QMessageBox.StandardButton.Discard))
        qtbot.addWidget(window)
        return window

    return make


@pytest.fixture
def window(new_window: NewWindow, shop: Project) -> MainWindow:
    window = new_window()
    window.session.open(shop)
    return window


def opened(window: MainWindow, path: Path, qtbot) -> None:
    window.open(path)
    qtbot.waitUntil(lambda: not window.opening.busy and not window.unsaved.is_looking)


# -- copies and offers -------------------------------------------------------------------------------------------


def test_unsaved_work_is_recovered(window: MainWindow, new_window: NewWindow, shop: Project, qtbot) -> None:
    """After a crash, the next opening offers what was not saved; what is restored is unsaved and has a copy."""
    move(window, "scripts", "tests")
    killed(window, qtbot)
    (left,) = list_copies()
    other = new_window()
    opened(other, shop.path, qtbot)
    assert "1 step, move of scripts to tests" in other.unsaved.bar.text
    assert not other.session.history.done
    click(other, "Restore")
    assert other.session.history.operations == (Move(("scripts",), "tests"),)
    assert other.session.unsaved
    assert other.unsaved.bar.isHidden()
    kept(other, qtbot)
    (copy,) = list_copies()
    assert copy.path == other.unsaved.own.present != left.path
    other.session.undo()
    kept(other, qtbot)
    other.session.redo()
    kept(other, qtbot)
    assert other.documents._save(shop.path.parent / "plan.cbv")
    assert list_copies() == []


def test_nothing_is_offered_while_its_window_lives(
    window: MainWindow, new_window: NewWindow, shop: Project, qtbot
) -> None:
    """Two windows on one folder, without a document: each keeps its own plan."""
    move(window, "scripts", "tests")
    kept(window, qtbot)
    other = new_window()
    opened(other, shop.path, qtbot)
    assert other.unsaved.bar.copies == ()
    move(other, "scripts", "shop")
    kept(other, qtbot)
    assert {copy.last for copy in list_copies()} == {"move of scripts to tests", "move of scripts to shop"}
    other.session.undo()
    kept(other, qtbot)
    assert [copy.last for copy in list_copies()] == ["move of scripts to tests"]


def test_all_copies_are_offered(new_window: NewWindow, shop: Project, qtbot, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each with its date and steps, a few at once; the next one comes up when one is answered."""
    for number in range(MOST_ROWS + 2):
        leave_plan(shop.path, *[("scripts", "tests")] * (number + 1))
    window = new_window()
    opened(window, shop.path, qtbot)
    bar = window.unsaved.bar
    assert len(bar.copies) == MOST_ROWS + 2
    assert "2 more unsaved plans" in bar.text
    assert bar.text.count("Unsaved plan of") == MOST_ROWS
    assert "5 steps, last: move of scripts to tests" in bar.text
    answers = [False, True]
    monkeypatch.setattr(window.unsaved, "ask_discard", lambda copy: answers.pop(0))
    click(window, "Discard...", 1)
    assert len(list_copies()) == MOST_ROWS + 2
    click(window, "Discard...", 1)
    assert [copy.steps for copy in bar.copies] == [5, 3, 2, 1]
    assert len(list_copies()) == MOST_ROWS + 1
    bar.hide()
    other = new_window()
    opened(other, shop.path, qtbot)
    assert [copy.steps for copy in other.unsaved.bar.copies] == [5, 3, 2, 1], "who puts it off is asked again"


def test_an_offer_that_was_answered_elsewhere_is_told(new_window: NewWindow, shop: Project, qtbot) -> None:
    """Two windows offer the same copy: one gets it."""
    leave_plan(shop.path, ("scripts", "tests"))
    first, second = new_window(), new_window()
    for window in (first, second):
        opened(window, shop.path, qtbot)
    click(first, "Restore")
    click(second, "Restore")
    assert first.session.history.done
    assert not second.session.history.done
    assert "another window" in second.message.text
    assert second.unsaved.bar.isHidden()


def test_what_is_planned_here_is_asked_about_before_another_plan_is_restored(
    window: MainWindow, shop: Project, qtbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cancel leaves both as they are; Discard is an answer."""
    leave_plan(shop.path, ("scripts", "tests"))
    window.unsaved.offer()
    qtbot.waitUntil(lambda: len(window.unsaved.bar.copies) == 1)
    move(window, "scripts", "shop")
    monkeypatch.setattr(window.documents, "ask_unsaved", lambda: int(QMessageBox.StandardButton.Cancel))
    click(window, "Restore")
    assert window.session.history.operations == (Move(("scripts",), "shop"),)
    assert len(window.unsaved.bar.copies) == 1
    monkeypatch.setattr(window.documents, "ask_unsaved", lambda: int(QMessageBox.StandardButton.Discard))
    click(window, "Restore")
    assert window.session.history.operations == (Move(("scripts",), "tests"),)
    kept(window, qtbot)
    assert [copy.last for copy in list_copies()] == ["move of scripts to tests"]


def test_a_damaged_copy_can_only_be_discarded(new_window: NewWindow, shop: Project, qtbot) -> None:
    """The bar says why."""
    leave_plan(shop.path, ("scripts", "tests"))
    (copy,) = list_copies()
    copy.path.write_text("{")
    window = new_window()
    opened(window, shop.path, qtbot)
    assert "cannot be read" in window.unsaved.bar.text
    assert {button.text() for button in window.unsaved.bar.findChildren(QPushButton)} == {"Discard..."}
    window.unsaved.restore(window.unsaved.bar.copies[0])
    assert copy.path.exists()


def test_the_plan_of_a_document_that_is_gone_becomes_one_without_a_file(
    new_window: NewWindow, shop: Project, tmp_path: Path, qtbot
) -> None:
    leave_plan(shop.path, ("scripts", "tests"), opened=tmp_path / "gone.cbv")
    window = new_window()
    opened(window, shop.path, qtbot)
    assert "for gone.cbv, which is not there any more" in window.unsaved.bar.text
    click(window, "Restore")
    assert window.session.file is None
    assert window.session.unsaved


def test_discarding_an_offer_asks_by_a_verb(window: MainWindow, shop: Project) -> None:
    """Enter keeps the plan; names of steps are no markup."""
    leave_plan(shop.path, ("<b>scripts</b>", "tests"))
    (copy,) = list_copies()
    said: list[str] = []

    def answer(button: str) -> None:
        box = QApplication.activeModalWidget()
        assert isinstance(box, QMessageBox)
        said.append(QTextDocumentFragment.fromHtml(box.informativeText()).toPlainText())
        assert box.defaultButton().text().replace("&", "") == "Cancel"
        next(b for b in box.findChildren(QPushButton) if b.text().replace("&", "") == button).click()

    for button, sure in (("Cancel", False), ("Discard", True)):
        QTimer.singleShot(0, lambda button=button: answer(button))
        assert window.unsaved.ask_discard(copy) is sure
    assert "move of <b>scripts</b> to tests" in said[0]
    assert describe(copy) in said[0]


def test_a_copy_that_cannot_be_written_is_said_once(window: MainWindow, qtbot, monkeypatch: pytest.MonkeyPatch) -> None:
    """Disk full: the plan goes on without a copy, and gets one again when there is room."""
    full = True

    def fsync(_file: int) -> None:
        if full:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fsync)
    move(window, "scripts", "tests")
    qtbot.waitUntil(lambda: "No space left" in window.message.text)
    assert "save it to be safe" in window.message.text
    window.message.hide()
    move(window, "scripts", "shop")
    qtbot.waitUntil(
        lambda: not window.jobs.is_busy(window.unsaved, WRITE) and window.unsaved._timer.remainingTime() > 1000
    )
    assert window.message.text == ""
    full = False
    window.unsaved.keep()
    qtbot.waitUntil(lambda: len(list_copies()) == 1)


def test_a_step_planned_while_a_copy_is_written_is_written_next(
    window: MainWindow, qtbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on = threading.Event()
    write = window.unsaved.own.write

    def slow(document: Document, opened: Path, digest: str) -> Path:
        go_on.wait(60)
        return write(document, opened, digest)

    monkeypatch.setattr(window.unsaved.own, "write", slow)
    move(window, "scripts", "tests")
    qtbot.waitUntil(lambda: window.jobs.is_busy(window.unsaved, WRITE))
    move(window, "scripts", "shop")
    window.unsaved.keep()
    go_on.set()
    kept(window, qtbot)
    (copy,) = list_copies()
    assert copy.steps == 2


@pytest.mark.parametrize("answer", ["Discard", "Save"])
def test_closing_leaves_no_copy(
    window: MainWindow, tmp_path: Path, qtbot, monkeypatch: pytest.MonkeyPatch, answer: str
) -> None:
    """An answer removes the window's own copy and its lock, and no other."""
    leave_plan(window.session.project.path, ("shop", "tests"))
    window.session.file = tmp_path / "plan.cbv"
    move(window, "scripts", "tests")
    kept(window, qtbot)
    assert len(list_copies()) == 2
    button = getattr(QMessageBox.StandardButton, answer)
    monkeypatch.setattr(window.documents, "ask_unsaved", lambda: int(button))
    assert window.close()
    (copy,) = list_copies()
    assert copy.last == "move of shop to tests"
    assert list(copy.path.parent.glob("*.lock")) == []


# -- analysed again ------------------------------------------------------------------------------------------------


def again_slowly(monkeypatch: pytest.MonkeyPatch, result: Project) -> threading.Event:
    """The next analysis ends when the event is set."""
    go_on = threading.Event()

    def slow(path: Path, *_traces: object, progress: Progress, **_how: object) -> Project:
        while not go_on.wait(0.01):
            progress("Reading sources", 1, 2)
        return result

    monkeypatch.setattr(opening_module, "open_project", slow)
    monkeypatch.setattr(opening_module, "open_subject", slow)
    return go_on


def test_what_is_done_while_the_subject_is_analysed_again_stays(
    window: MainWindow, shop: Project, tmp_path: Path, qtbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Steps, saving and undoing; what was saved last is known afterwards, too."""
    fresh = replace(shop)
    move(window, "scripts", "tests")
    go_on = again_slowly(monkeypatch, fresh)
    window.documents.again()
    move(window, "shop/ui", "tests")
    assert window.documents._save(tmp_path / "plan.cbv")
    move(window, "shop/domain", "tests")
    go_on.set()
    qtbot.waitUntil(lambda: window.session.project is fresh)
    assert len(window.session.history.done) == 3
    assert window.session.file == tmp_path / "plan.cbv"
    assert window.session.unsaved
    window.session.undo()
    assert not window.session.unsaved


def test_steps_that_do_not_fit_any_more_stay_in_the_plan(
    window: MainWindow, shop: Project, tmp_path: Path, qtbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The window says so, and they are saved."""
    move(window, "scripts", "tests")
    move(window, "README.md", "tests")
    nodes = [node for node in node_records(shop.graph) if not node["id"].startswith("scripts")]
    there = {node["id"] for node in nodes}
    edges = [edge for edge in edge_records(shop.graph) if {edge["source"], edge["target"]} <= there]
    fresh = replace(shop, graph=graph_of(shop.graph.name, nodes, edges))
    again_slowly(monkeypatch, fresh).set()
    window.documents.again()
    qtbot.waitUntil(lambda: window.session.project is fresh)
    assert "1 planned step no longer fits" in window.message.text
    assert "It stays in the plan without effect" in window.message.text
    assert window.session.unsaved
    kept(window, qtbot)
    assert [copy.steps for copy in list_copies()] == [2]
    assert window.documents._save(tmp_path / "plan.cbv")
    assert len(read_document(tmp_path / "plan.cbv").plan.done) == 2


# -- leaving for something that takes long to read -------------------------------------------------------------------


def test_what_is_planned_while_something_else_is_read_is_asked_about(
    window: MainWindow, shop: Project, qtbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Opening takes minutes: an answer holds for what was planned when it was given."""
    other = replace(shop, name="other")
    asked: list[str] = []
    answer = QMessageBox.StandardButton.Discard

    def ask() -> int:
        asked.append("unsaved")
        return int(answer)

    monkeypatch.setattr(window.documents, "ask_unsaved", ask)
    move(window, "scripts", "tests")
    go_on = again_slowly(monkeypatch, other)
    window.open(shop.path)
    kept(window, qtbot)
    assert len(asked) == len(list_copies()) == 1, "until the other one is there, the plan is"
    answer = QMessageBox.StandardButton.Cancel
    move(window, "shop/ui", "tests")
    go_on.set()
    qtbot.waitUntil(lambda: len(asked) == 2)
    qtbot.waitUntil(lambda: not window.opening.busy)
    assert window.session.project is shop
    assert len(window.session.history.done) == 2
    kept(window, qtbot)
    assert [copy.steps for copy in list_copies()] == [2]
    answer = QMessageBox.StandardButton.Discard
    window.open(shop.path)
    qtbot.waitUntil(lambda: window.session.project is other)
    assert len(asked) == 3, "once for what did not change"
    assert list_copies() == []


def test_it_is_asked_about_once_for_both_stages(
    window: MainWindow, shop: Project, qtbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second stage may arrive while a question waits: the first one is left out then."""
    asked: list[Project | None] = []
    monkeypatch.setattr(
        window.documents,
        "ask_unsaved",
        lambda: asked.append(window.session.project) or int(QMessageBox.StandardButton.Discard),
    )
    go_on = threading.Event()
    stages = [replace(shop, name="first"), replace(shop, name="second")]

    def slow(path: Path, *, progress: Progress, on_first: Callable[[Project], None]) -> Project:
        go_on.wait(60)
        on_first(stages[0])
        return stages[1]

    monkeypatch.setattr(opening_module, "open_project", slow)
    window.open(shop.path)
    move(window, "scripts", "tests")
    go_on.set()
    qtbot.waitUntil(lambda: window.session.project is stages[1])
    assert asked == [shop]


def test_an_answer_holds_for_one_opening(
    window: MainWindow, shop: Project, tmp_path: Path, qtbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing else was opened in the end: the plan is still there, and so is its copy."""
    asked: list[str] = []
    monkeypatch.setattr(
        window.documents, "ask_unsaved", lambda: asked.append("") or int(QMessageBox.StandardButton.Discard)
    )
    move(window, "scripts", "tests")
    window.open(tmp_path / "nowhere")
    qtbot.waitUntil(lambda: not window.opening.busy)
    kept(window, qtbot)
    assert len(list_copies()) == 1
    assert not window.documents._given_up
    assert window.close()
    assert len(asked) == 2


# -- documents that somebody else has changed ------------------------------------------------------------------------


@pytest.fixture
def two(window: MainWindow, new_window: NewWindow, tmp_path: Path, qtbot) -> tuple[MainWindow, MainWindow, Path]:
    """Two windows on one document; the first has saved a step since, the second has another one that is unsaved."""
    file = tmp_path / "plan.cbv"
    assert window.documents._save(file)
    other = new_window()
    opened(other, file, qtbot)
    move(window, "scripts", "tests")
    assert window.documents._save(file)
    move(other, "scripts", "shop")
    return window, other, file


@pytest.mark.parametrize("answer", [OVERWRITE, SAVE_AS, ""])
def test_a_document_that_somebody_else_saved_is_asked_about(
    two: tuple[MainWindow, MainWindow, Path], tmp_path: Path, qtbot, monkeypatch: pytest.MonkeyPatch, answer: str
) -> None:
    first, second, file = two
    kept(second, qtbot)
    monkeypatch.setattr(second.documents, "ask_changed", lambda change: answer)
    monkeypatch.setattr("cbvtool.view.commands.documents.ask_where_to_save", lambda *_: tmp_path / "other.cbv")
    assert second.documents.save() is bool(answer)
    theirs, ours = (Move(("scripts",), "tests"),), (Move(("scripts",), "shop"),)
    assert read_document(file).plan.done[0].operations == (ours if answer == OVERWRITE else theirs)
    assert second.session.unsaved is not bool(answer)
    assert len(list_copies()) == (0 if answer else 1)
    if answer == SAVE_AS:
        assert read_document(tmp_path / "other.cbv").plan.done[0].operations == ours
    if answer == OVERWRITE:
        with pytest.raises(InputError, match="changed by another"):
            first.session.save(file)


@pytest.mark.parametrize("gone", [False, True])
def test_the_question_says_what_would_be_lost(window: MainWindow, tmp_path: Path, gone: bool) -> None:
    """Enter saves under another name, which loses nothing; Esc does nothing."""
    file = tmp_path / "plan.cbv"
    write_document(planned(tmp_path, ("a", "b"), ("b", "c")), file)
    if gone:
        file.unlink()
    move(window, "scripts", "tests")

    def press(button: str) -> None:
        box = QApplication.activeModalWidget()
        assert isinstance(box, QMessageBox)
        assert file.name in box.text()
        words = box.informativeText()
        assert ("deleted, moved or renamed" if gone else "It holds 2 steps now, your plan 1 step") in words
        assert box.defaultButton().text().replace("&", "") == "Save as..."
        next(b for b in box.findChildren(QPushButton) if b.text().replace("&", "") == button).click()

    overwrite = "Save it again" if gone else "Overwrite"
    for button, answer in ((overwrite, OVERWRITE), ("Save as...", SAVE_AS), ("Cancel", "")):
        QTimer.singleShot(0, lambda button=button: press(button))
        assert window.documents.ask_changed(ChangedOnDisk(file, gone=gone)) == answer


def test_a_restored_plan_knows_the_document_that_it_began_with(
    two: tuple[MainWindow, MainWindow, Path], new_window: NewWindow, qtbot
) -> None:
    """Somebody saved the document since: restoring the copy and saving it asks, too."""
    _, second, file = two
    killed(second, qtbot)
    third = new_window()
    opened(third, file, qtbot)
    click(third, "Restore")
    with pytest.raises(InputError, match="changed by another"):
        third.session.save(file)


@pytest.mark.parametrize("planned_too", [False, True])
def test_recordings_that_are_open_are_no_plan(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, planned_too: bool
) -> None:
    """DND-9, TR-1: who has planned nothing is not asked about a plan."""
    asked: list[str] = []

    class Box:
        def exec_(self) -> int:
            return int(QMessageBox.StandardButton.Cancel)

    def box(_parent: object, _title: str, question: str, *_: object) -> Box:
        asked.append(question)
        return Box()

    monkeypatch.setattr("cbvtool.view.commands.documents.message_box", box)
    file = TraceFile(tmp_path / "run.json", "test", "0" * 64, 10, 20)
    window.session.traces.add(Imported(file, (small_trace(),), ()))
    if planned_too:
        move(window, "shop/domain/money.py", "shop/ui")
    assert window.session.unsaved
    type(window.documents).ask_unsaved(window.documents)  # that of the window here answers by itself
    assert asked == ["Save the plan for shop?" if planned_too else "Save which recordings are open with shop?"]
