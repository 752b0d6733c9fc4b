"""Keys that are typed before a dialog is there go into its field, and start no command of the window behind."""

from __future__ import annotations

from qtpy.QtCore import QEvent, QObject
from qtpy.QtGui import QKeyEvent
from qtpy.QtWidgets import QApplication, QDialog, QWidget


class TypeAhead(QObject):
    """Begins with the command that asks, and ends once the dialog is the active window, or is left.

    field   what takes the keys
    """

    def __init__(self, dialog: QDialog, field: QWidget) -> None:
        super().__init__(dialog)
        self._dialog, self._field = dialog, field
        self._application = QApplication.instance()
        if self._application is not None:
            self._application.installEventFilter(self)
        dialog.finished.connect(self._end)

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Take the keys that another window is given."""
        if event is None or watched is None or watched is self._field:
            return False
        if event.type() == QEvent.Type.WindowActivate and watched is self._dialog:
            self._end()
        elif event.type() == QEvent.Type.ShortcutOverride:
            event.accept()  # else it starts a command
            return True
        elif isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            again = QKeyEvent(
                event.type(), event.key(), event.modifiers(), event.text(), event.isAutoRepeat(), event.count()
            )
            QApplication.sendEvent(self._field, again)
            return True
        return False

    def _end(self) -> None:
        if self._application is not None:
            self._application.removeEventFilter(self)
            self._application = None
