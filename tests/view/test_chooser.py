"""Lists to choose from by typing: the command palette, Move to..., the keys (NEW-13)."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from qtpy.QtCore import Qt
from qtpy.QtWidgets import QDialogButtonBox

from cbvtool.view.commands.help.palette import NOT_NOW, command_choices, shortcut_choices
from cbvtool.view.commands.keys_dialog import NOTHING, KeysDialog
from cbvtool.view.toolkit.chooser import Chooser, ChooserRow
from cbvtool.view.toolkit.type_ahead import TypeAhead
from cbvtool.view.window.main_window import MainWindow

PLACES = ("src", "src > core", "src > core > model", "src > ui > core_view", "tests > core")


def shown(chooser: Chooser) -> list[str]:
    return [str(chooser._rows.index(row, 0).data()) for row in range(chooser._rows.rowCount())]


def chooser_of(qtbot, choices: Sequence[ChooserRow]) -> Chooser:
    made = Chooser("Choose", "Type", choices)
    qtbot.addWidget(made)
    made.show()
    return made


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("src/core", ["src > core", "src > core > model"]),
        ("src > core", ["src > core", "src > core > model"]),
        ("model src", ["src > core > model"]),
        ("CORE", ["src > core", "src > core > model", "src > ui > core_view", "tests > core"]),
        ("ore", ["src > core", "src > core > model", "src > ui > core_view", "tests > core"]),
        ("tests core", ["tests > core"]),
        ("nowhere", []),
    ],
)
def test_words_in_any_order_and_ways_with_strokes(qtbot, typed: str, found: list[str]) -> None:
    """A path is typed as one knows it."""
    chooser = chooser_of(qtbot, [ChooserRow(place) for place in PLACES])
    qtbot.keyClicks(chooser.filter, typed)
    assert shown(chooser) == found


def test_what_begins_as_typed_comes_first(qtbot) -> None:
    """Then where a word begins so, then what holds it, then what is found by other words, then what is refused."""
    choices = [
        ChooserRow("Picture", refused="no"),
        ChooserRow("Write", words="a picture"),
        ChooserRow("Apicture"),
        ChooserRow("Copy picture"),
        ChooserRow("Picture size"),
    ]
    chooser = chooser_of(qtbot, choices)
    assert shown(chooser)[0] == "Picture"
    qtbot.keyClicks(chooser.filter, "pic")
    assert shown(chooser) == ["Picture size", "Copy picture", "Apicture", "Write", "Picture"]


def test_names_that_match_come_first(qtbot) -> None:
    """Whole names at the top, then with an ending, then what begins so; otherwise the order is kept."""
    names = ("a/Use of Detector", "b/DetectorTest", "c/Detector.html", "d/Detector", "e/MyDetector", "f/Detectors")
    rows = [ChooserRow(text, name=text.rpartition("/")[2]) for text in names]
    chooser = chooser_of(qtbot, rows)
    qtbot.keyClicks(chooser.filter, "detector")
    order = ["d/Detector", "c/Detector.html", "b/DetectorTest", "f/Detectors", "a/Use of Detector", "e/MyDetector"]
    assert shown(chooser) == order
    assert chooser.list.currentIndex().data() == "d/Detector"


def test_the_keys_of_a_list_work_in_the_field(qtbot) -> None:
    """Down passes over what is refused; Page Down goes on by a page."""
    choices = [
        ChooserRow("a", value=0),
        ChooserRow("b", value=1, refused="no"),
        *(ChooserRow(f"c{i}", value=i) for i in range(90)),
    ]
    chooser = chooser_of(qtbot, choices)
    qtbot.keyClick(chooser.filter, Qt.Key.Key_Down)
    assert chooser.list.currentIndex().row() == 2
    qtbot.keyClick(chooser.filter, Qt.Key.Key_PageDown)
    assert chooser.list.currentIndex().row() > 6
    qtbot.keyClick(chooser.filter, Qt.Key.Key_PageUp)
    qtbot.keyClick(chooser.filter, Qt.Key.Key_Return)
    assert chooser.chosen == 0


def test_the_palette_finds_by_what_a_command_is_for(qtbot, window: MainWindow) -> None:
    """No name has "png" in it; what cannot be done now is listed, greyed, below what can."""
    chooser = chooser_of(qtbot, command_choices(window.actions_by_name))
    qtbot.keyClicks(chooser.filter, "png")
    assert shown(chooser) == ["Export view", "Save picture"]
    chooser.filter.clear()
    qtbot.keyClicks(chooser.filter, "merge")
    assert shown(chooser)[0] == "Merge into"
    assert chooser._count.text() == "Nothing that matches can be chosen now"
    assert not chooser._rows.index(0, 0).flags() & Qt.ItemFlag.ItemIsEnabled
    refused = [choice.refused for choice in command_choices(window.actions_by_name)]
    assert refused == sorted(refused)
    assert set(refused) == {"", NOT_NOW}


def test_the_list_of_keys_tells_what_a_key_does(qtbot, window: MainWindow) -> None:
    """It is found by the command, by the key, and by the menu."""
    chooser = chooser_of(qtbot, shortcut_choices(window.actions_by_name))
    for typed, found in (("ctrl+shift+e", "Export view"), ("relations only violations", "Only violations")):
        chooser.filter.clear()
        qtbot.keyClicks(chooser.filter, typed)
        assert shown(chooser) == [found]


def test_keys_go_to_the_command_that_is_seen(qtbot, window: MainWindow) -> None:
    """Filtering chooses what is found: keys never go to a row that is hidden."""
    dialog = KeysDialog({}, window)
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.activateWindow()
    qtbot.waitUntil(dialog.isActiveWindow)  # else keys are still shortcuts of the window
    qtbot.keyClicks(dialog.filter, "view fit")
    assert "“Fit view”" in dialog.about.text()
    qtbot.keyClick(dialog.filter, Qt.Key.Key_Return)
    assert dialog.focusWidget() is dialog.edit
    qtbot.keyClick(dialog.edit, Qt.Key.Key_F9)
    dialog.set.click()
    assert dialog.own() == {"fit": ["F9"]}
    dialog.filter.setText("no such command")
    assert dialog.about.text() == NOTHING
    assert not dialog.edit.isEnabled()
    assert not dialog.remove.isEnabled()
    dialog.filter.setText("level")
    first = dialog.about.text()
    qtbot.keyClick(dialog.filter, Qt.Key.Key_Down)
    assert "level" in dialog.about.text()
    assert dialog.about.text() != first


def test_ok_keeps_what_was_pressed(qtbot, window: MainWindow) -> None:
    """Without a click on Set first; a clash keeps the dialog open."""
    dialog = KeysDialog({}, window)
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.activateWindow()
    qtbot.waitUntil(dialog.isActiveWindow)  # else keys are still shortcuts of the window
    dialog.choose("fit")
    ok = dialog.buttons.button(QDialogButtonBox.StandardButton.Ok)
    assert ok is not None
    qtbot.keyClick(dialog.edit, Qt.Key.Key_T)
    ok.click()
    assert dialog.isVisible()
    assert "T belongs to “Fit view” and “View from above”" in dialog.note.text()
    dialog.reset.click()
    qtbot.keyClick(dialog.edit, Qt.Key.Key_F9)
    ok.click()
    assert not dialog.isVisible()
    assert dialog.own() == {"fit": ["F9"]}


def test_keys_typed_ahead_go_into_the_field(window: MainWindow, qtbot) -> None:
    """A letter that comes before the dialog is the active window starts no command of the window behind."""
    started = []
    window.actions_by_name["guide"].triggered.connect(lambda: started.append("guide"))
    chooser = Chooser("Choose", "Type", [ChooserRow("model", value=1)], window)
    qtbot.addWidget(chooser)
    ahead = TypeAhead(chooser, chooser.filter)
    for key in (Qt.Key.Key_M, Qt.Key.Key_O, Qt.Key.Key_F1):
        qtbot.keyClick(window, key)
    chooser.show()
    qtbot.waitUntil(lambda: chooser.filter.text() == "mo")  # they are kept until it is there
    assert started == []
    chooser.done(0)
    qtbot.keyClick(window.canvas, Qt.Key.Key_X)
    assert ahead.parent() is chooser
    assert chooser.filter.text() == "mo"  # once it is left, keys go where they always do
