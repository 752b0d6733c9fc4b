"""Plans are never lost. Real mouse and keys here; the other window is a process that is killed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from qtpy.QtCore import QPoint, QTimer
from qtpy.QtTest import QTest
from qtpy.QtWidgets import QApplication, QMessageBox, QPushButton, QWidget

from cbvtool.analysis import folder
from cbvtool.plan.document import Document, read_document, write_document
from cbvtool.project import Project
from cbvtool.session import Session
from cbvtool.session.change import Change
from cbvtool.view.toolkit.settings import Settings
from cbvtool.view.window.main_window import MainWindow
from tests.gui.hand import Hand, drag
from tests.view.plan_window import Driven

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("real_boxes")]

AT_REST = 2_500  # ms: whatever timers do after a change is done


@pytest.fixture
def drive() -> Iterator[Callable[[Path], Driven]]:
    """Opens windows in processes of their own; none of them outlives the test."""
    made: list[Driven] = []

    def start(path: Path) -> Driven:
        made.append(Driven(path))
        return made[-1]

    yield start
    for window in made:
        if window.process.poll() is None:
            window.kill()


@pytest.fixture
def empty(
    hand: Hand, qtbot, settings: Settings, shop: Project, monkeypatch: pytest.MonkeyPatch
) -> Iterator[MainWindow]:
    """The window with its start page, which offers the sample project; asked about nothing once the test is over."""
    settings.add_recent(shop.path)
    window = MainWindow(Session(), settings)
    window.opening.how = {"jobs": 1}
    qtbot.addWidget(window, before_close_func=ask_nothing)
    window.show()
    hand.wait_until(window.isActiveWindow)
    return window


def ask_nothing(window: MainWindow) -> None:
    window.documents.ask_unsaved = lambda: int(QMessageBox.StandardButton.Discard)


def button(parent: QWidget, words: str) -> QPushButton:
    """The first button that is seen and begins with these words, once it is there and has its place."""
    found: list[QPushButton] = []
    deadline = time.monotonic() + 60
    while not found and time.monotonic() < deadline:
        QTest.qWait(100)  # what was just put there is shown by the next event
        seen = [button for button in parent.findChildren(QPushButton) if button.isVisible()]
        found = [button for button in seen if button.text().replace("&", "").startswith(words)]
    assert found, f"{words} is not offered"
    return found[0]


def click(hand: Hand, widget: QWidget) -> None:
    hand.click(widget, QPoint(widget.width() // 2, widget.height() // 2))


def settled(window: MainWindow, hand: Hand) -> None:
    """Everything is read, and timers have done what they do."""
    hand.wait_until(lambda: window.session.is_open and not window.opening.busy)
    QTest.qWait(AT_REST)


def move_by_hand(window: MainWindow, hand: Hand, node: str, target: str) -> None:
    """Drag a segment onto another one, seen from above."""
    window.session.set_view(expanded=frozenset({window.session.graph.key_of["shop"]}))
    window.canvas.stage.toggle_top()
    hand.wait_until(lambda: window.canvas.stage.is_still)
    drag(window, hand, node, target)
    QTest.qWait(AT_REST)


def steps(window: MainWindow) -> list[str]:
    assert window.session.history is not None
    return [group.label for group in window.session.history.done]


class Answer:
    """Clicks a button of the next question, with the real mouse."""

    def __init__(self, hand: Hand, words: str) -> None:
        self.asked = ""
        self._hand, self._words = hand, words
        self._timer = QTimer()
        self._timer.timeout.connect(self._look)
        self._timer.start(50)

    def _look(self) -> None:
        box = QApplication.activeModalWidget()
        if isinstance(box, QMessageBox) and box.isActiveWindow():
            self._timer.stop()
            self.asked = f"{box.text()} {box.informativeText()}"
            click(self._hand, button(box, self._words))


def test_an_offer_outlives_the_second_stage(
    empty: MainWindow, hand: Hand, shop: Project, drive: Callable[[Path], Driven], monkeypatch: pytest.MonkeyPatch
) -> None:
    """(a): imports are seen first, the rest comes later; what is offered meanwhile is still there."""
    killed = drive(shop.path)
    killed.tell("move", "shop/domain", "shop/ui")
    killed.kill()
    monkeypatch.setattr(folder, "FIRST_BYTES", 0)
    stages: list[Change] = []
    empty.session.subscribe(stages.append)
    click(hand, button(empty.start, "shop"))
    settled(empty, hand)
    assert Change.DEPTH in stages, "there were two stages"
    click(hand, button(empty, "Restore"))
    hand.wait_until(lambda: steps(empty) == ["move of domain to ui"])
    assert empty.session.unsaved


def test_an_offer_outlives_new_planning(
    empty: MainWindow, hand: Hand, shop: Project, drive: Callable[[Path], Driven]
) -> None:
    """(b): two windows are killed, the second of which left the offer unanswered; a third does so, too."""
    for node, target in (("shop/domain", "shop/ui"), ("scripts", "tests")):
        window = drive(shop.path)
        window.tell("move", node, target)
        window.kill()
    click(hand, button(empty.start, "shop"))
    settled(empty, hand)
    move_by_hand(empty, hand, "shop/infrastructure", "shop/ui")
    answer = Answer(hand, "Discard")
    click(hand, button(empty, "Restore"))
    hand.wait_until(lambda: steps(empty) == ["move of scripts to tests"])
    assert "Save the plan" in answer.asked
    answer = Answer(hand, "Discard")
    click(hand, button(empty, "Restore"))
    hand.wait_until(lambda: steps(empty) == ["move of domain to ui"])
    assert "Save the plan" in answer.asked


def test_what_is_unsaved_stays_so_when_the_code_is_analysed_again(
    empty: MainWindow, hand: Hand, shop: Project, drive: Callable[[Path], Driven]
) -> None:
    """(c): F5, and then closing asks; a window that is killed after F5 leaves an offer."""
    killed = drive(shop.path)
    killed.tell("move", "shop/domain", "shop/ui")
    assert killed.tell("again")["done"] == ["move of domain to ui"]
    killed.kill()
    click(hand, button(empty.start, "shop"))
    settled(empty, hand)
    click(hand, button(empty, "Restore"))
    hand.wait_until(lambda: steps(empty) == ["move of domain to ui"])
    before = empty.session.project
    hand.keys("F5")
    hand.wait_until(lambda: empty.session.project is not before and not empty.opening.busy)
    QTest.qWait(AT_REST)
    assert empty.isWindowModified()
    answer = Answer(hand, "Cancel")
    hand.keys("ctrl+q")
    hand.wait_until(lambda: bool(answer.asked) or not empty.isVisible())
    assert "Save the plan" in answer.asked
    assert empty.isVisible()
    assert steps(empty) == ["move of domain to ui"]


def test_two_windows_on_one_document(
    empty: MainWindow, hand: Hand, shop: Project, drive: Callable[[Path], Driven], tmp_path: Path
) -> None:
    """(d): who saves last is asked; the copy of each is its own, and that of the one that is killed is offered."""
    file = tmp_path / "plan.cbv"
    write_document(Document(shop.path, shop.name), file)
    other = drive(file)
    empty.open(file)
    settled(empty, hand)
    other.tell("move", "shop/domain", "shop/ui")
    other.tell("save", str(file))
    move_by_hand(empty, hand, "shop/infrastructure", "shop/ui")
    answer = Answer(hand, "Cancel")
    hand.keys("ctrl+s")
    hand.wait_until(lambda: bool(answer.asked) or not empty.session.unsaved)
    assert "changed" in answer.asked
    assert "It holds 1 step now, your plan 1 step" in answer.asked
    assert [group.label for group in read_document(file).plan.done] == ["move of domain to ui"]
    other.tell("move", "scripts", "tests")
    answer = Answer(hand, "Overwrite")
    hand.keys("ctrl+s")
    hand.wait_until(lambda: not empty.session.unsaved)
    assert [group.label for group in read_document(file).plan.done] == ["move of infrastructure to ui"]
    other.kill()
    QTest.qWait(AT_REST)
    empty.open(file)
    settled(empty, hand)
    click(hand, button(empty, "Restore"))
    hand.wait_until(lambda: steps(empty) == ["move of domain to ui", "move of scripts to tests"])
