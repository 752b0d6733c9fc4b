"""The dialog in which saved views and presets are renamed, sorted and deleted (CBV-11)."""

from __future__ import annotations

from qtpy.QtCore import Qt
from qtpy.QtWidgets import QDialogButtonBox

from cbvtool.view.toolkit.names_dialog import NamesDialog


def test_names_are_sorted_and_deleted_by_keys_too(qtbot) -> None:
    """Del forgets the chosen one; OK stands apart from what works on the list."""
    dialog = NamesDialog("Saved views", ["one", "two", "three"], "view", "Note")
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.activateWindow()
    qtbot.waitUntil(dialog.isActiveWindow)
    dialog.list.setFocus()
    qtbot.keyClick(dialog.list, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: dialog.chosen() == [(1, "two"), (2, "three")])
    dialog.down.click()
    assert dialog.chosen() == [(2, "three"), (1, "two")]
    [box] = dialog.findChildren(QDialogButtonBox)
    assert box.geometry().top() >= dialog.delete.geometry().bottom()
