"""Keys typed before a dialog is there reach its field, every one and in order (NEW-13): real keys, in one burst."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from qtpy.QtCore import QTimer
from qtpy.QtWidgets import QApplication, QDialog, QLineEdit

from cbvtool.view.commands import editing
from cbvtool.view.toolkit.plain import ask_line
from cbvtool.view.window.main_window import MainWindow
from tests.gui.hand import FUNCTION_KEYS, Hand, key

LAST = "z"  # typed once the dialog has the focus: when it is seen, so is all that was typed before


def burst(hand: Hand, *names: str) -> None:
    """Press keys one after the other, as fast as the X server takes them."""
    hand._send("key", "--delay", "0", *(FUNCTION_KEYS.get(name, name) for name in names))


class Asked:
    """Ends each dialog as soon as `LAST` stands in the field that has its focus.

    seen   texts of these fields
    """

    def __init__(self, hand: Hand) -> None:
        self._hand = hand
        self._typed: QDialog | None = None
        self.seen: list[str] = []
        self._timer = QTimer()
        self._timer.setInterval(5)
        self._timer.timeout.connect(self._look)
        self._timer.start()

    def stop(self) -> None:
        self._timer.stop()

    def _look(self) -> None:
        dialog = QApplication.activeModalWidget()
        if not isinstance(dialog, QDialog) or not dialog.isActiveWindow():
            return
        if dialog is not self._typed:
            self._typed = dialog
            self._hand.type(LAST)
        field = dialog.focusWidget()
        text = field.text() if isinstance(field, QLineEdit) else ""
        if text.endswith(LAST):
            self.seen.append(text)
            dialog.reject()


@pytest.fixture
def asked(hand: Hand) -> Iterator[Asked]:
    result = Asked(hand)
    yield result
    result.stop()


@pytest.fixture
def chosen(window: MainWindow, hand: Hand) -> Callable[..., None]:
    """Selects nodes; the picture has the keys."""

    def choose(*nodes: str) -> None:
        window.canvas.setFocus()
        window.session.select([key(window, node) for node in nodes])
        hand.wait_until(lambda: window.canvas.stage.is_still and window.canvas.hasFocus())

    return choose


@pytest.mark.parametrize(
    ("keys", "nodes"),
    [
        (("F2",), ("shop/ui",)),
        (("m",), ("shop/ui",)),
        (("shift+m",), ("shop/ui",)),
        (("shift+i",), ("shop/ui", "shop/services")),
        (("shift+o", "Return"), ("shop/ui", "shop/services")),
        (("ctrl+shift+p",), ()),
        (("ctrl+shift+p", *["m", "o", "v", "e", "space", "t", "o"], "Return"), ("shop/ui",)),
    ],
)
def test_every_key_reaches_the_field(
    window: MainWindow,
    hand: Hand,
    asked: Asked,
    chosen: Callable[..., None],
    keys: tuple[str, ...],
    nodes: tuple[str, ...],
) -> None:
    """The burst is over before the dialog is on the screen."""
    chosen(*nodes)
    done = window.session.history.done
    burst(hand, *keys, *"databar")
    hand.wait_until(lambda: bool(asked.seen))
    assert asked.seen == [f"databar{LAST}"]
    assert window.session.history.done == done


def test_a_name_and_enter_at_once(window: MainWindow, hand: Hand, asked: Asked, chosen: Callable[..., None]) -> None:
    """F2, a name, Enter: nobody has to see the dialog."""
    chosen("shop/ui")
    burst(hand, "F2", *"databar", "Return")
    hand.wait_until(lambda: bool(asked.seen) or bool(window.session.history.done))
    assert not asked.seen
    assert window.session.graph.names[key(window, "shop/ui")] == "databar"


def test_what_follows_the_answer_goes_on(
    window: MainWindow, hand: Hand, asked: Asked, chosen: Callable[..., None]
) -> None:
    """Two commands in one burst."""
    chosen("shop/ui")
    burst(hand, "F2", *"databar", "Return", "F2", *"tables", "Return")
    hand.wait_until(lambda: bool(asked.seen) or len(window.session.history.done) == 2)
    assert not asked.seen
    assert window.session.graph.names[key(window, "shop/ui")] == "tables"


def test_escape_at_once_leaves_it(
    window: MainWindow, hand: Hand, asked: Asked, chosen: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is typed afterwards belongs to the next dialog."""
    answers: list[str | None] = []
    monkeypatch.setattr(editing, "ask_line", lambda *texts: answers.append(ask_line(*texts)))
    chosen("shop/ui")
    burst(hand, "F2", "x", "Escape")
    hand.wait_until(lambda: bool(answers))
    assert answers == [None]
    assert not asked.seen
    burst(hand, "m", *"cat")
    hand.wait_until(lambda: bool(asked.seen))
    assert asked.seen == [f"cat{LAST}"]


def test_the_card_for_a_new_container(window: MainWindow, hand: Hand, chosen: Callable[..., None]) -> None:
    chosen("shop/ui")
    burst(hand, "n", *"databar", "Return")
    hand.wait_until(lambda: bool(window.session.history.done))
    assert "databar" in window.session.graph.names
