"""Keys that are typed before a dialog is there go into its field, and start no command of the window behind."""

from __future__ import annotations

import struct
from typing import Any

from qtpy.QtCore import QAbstractNativeEventFilter, QEvent, QObject
from qtpy.QtGui import QGuiApplication, QKeyEvent
from qtpy.QtWidgets import QApplication, QDialog, QWidget

_PRESS = 2  # XCB_KEY_PRESS
_SENT = 0x80  # bit of the type of an event that another program sent
_WINDOW = slice(12, 16)  # bytes of xcb_key_press_event_t: the window that has the focus
_SIZE = 32  # bytes of an event
_CLICKS = (QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonDblClick, QEvent.Type.Wheel)


def run_dialog(dialog: QDialog, field: QWidget | None = None) -> bool:
    """Show a dialog until it is answered, and whether it was accepted. Keys that come before it is there go to `field`.

    field   None = what has the focus in the dialog first
    """
    ahead = TypeAhead(dialog, field)
    try:
        ahead.take_waiting()
        return bool(dialog.exec_())
    finally:
        ahead.end()


class TypeAhead(QObject):
    """Begins with the command that asks, and ends once the dialog is the active window, or is left.

    The keys come in three ways, one after the other: those that Qt has read already for the window behind, which
    `take_waiting` delivers before the dialog blocks it; those that the X server sends there while the dialog is on its
    way to the screen (`_Redirection`); and those that the dialog is sent before it is shown in full. They are kept, in
    order, until the dialog has chosen what to select in its field.

    field   what takes the keys; None = what has the focus in the dialog first
    """

    def __init__(self, dialog: QDialog, field: QWidget | None = None) -> None:
        super().__init__(dialog)
        self._dialog = dialog
        self._kept: list[QKeyEvent] = []
        self._is_shown = self._is_active = self._sends = False
        if field is not None:
            field.setFocus()
        self._redirection: _Redirection | None = None
        self._application = QApplication.instance()
        if self._application is not None:
            self._application.installEventFilter(self)
            if QGuiApplication.platformName() == "xcb":
                self._redirection = _Redirection(int(dialog.winId()))
                self._application.installNativeEventFilter(self._redirection)
        dialog.finished.connect(self.end)

    def take_waiting(self) -> None:
        """Take the keys that Qt has read already; those for a window that a dialog blocks it throws away."""
        QApplication.sendPostedEvents()  # those that came after the answer to the dialog before
        QApplication.processEvents()

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Take the keys that any window is given."""
        if event is None or watched is None:
            return False
        if event.type() == QEvent.Type.ShortcutOverride:
            event.accept()  # else it starts a command of the window that is still the active one
            return True
        if self._sends:
            return False
        if watched is self._dialog and event.type() == QEvent.Type.WindowActivate:
            self._is_active = True
            self._end_if_there()
        elif watched is self._dialog and event.type() == QEvent.Type.Show:
            QApplication.postEvent(self, QEvent(QEvent.Type.User))  # comes when it is shown, and has the focus set
        elif isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            self._kept.append(
                QKeyEvent(
                    event.type(), event.key(), event.modifiers(), event.text(), event.isAutoRepeat(), event.count()
                )
            )
            self._send_kept()
            return True
        return not self._is_shown and event.type() in _CLICKS

    def event(self, event: QEvent | None) -> bool:
        """The dialog is shown: hand over the keys so far."""
        if event is None or event.type() != QEvent.Type.User:
            return super().event(event)
        self._is_shown = True
        self._send_kept()
        self._end_if_there()
        return True

    def _send_kept(self) -> None:
        """Hand the keys over, once the dialog is shown; a key may end it."""
        while self._is_shown and self._kept and self._application is not None:
            taker = self._dialog.focusWidget() or self._dialog
            self._sends = True  # what the field does not want goes on to the dialog
            try:
                QApplication.sendEvent(taker, self._kept.pop(0))
            finally:
                self._sends = False

    def _end_if_there(self) -> None:
        if self._is_active and self._is_shown:
            self.end()

    def end(self) -> None:
        """Leave all further keys to the windows that have the focus, and those that came after the answer, too."""
        if self._application is not None:
            self._application.removeEventFilter(self)
            if self._redirection is not None:
                self._application.removeNativeEventFilter(self._redirection)
            self._application = None
            window = None if (parent := self._dialog.parentWidget()) is None else parent.window()
            behind = None if window is None else window.windowHandle()
            while self._kept and behind is not None:
                QApplication.postEvent(behind, self._kept.pop(0))


class _Redirection(QAbstractNativeEventFilter):
    """Has the X server's key presses be for the window `into`, whichever of ours they are for.

    The window manager gives a new window the focus when it likes. Until then keys go to the window behind, for which Qt
    throws them away, because the dialog blocks it. The events of X are in order, so none is lost on the way.
    """

    def __init__(self, into: int) -> None:
        super().__init__()
        self._into = struct.pack("=I", into)

    def nativeEventFilter(self, kind: Any, message: Any) -> tuple[bool, int]:
        """Change the window in an event of X."""
        if bytes(kind) == b"xcb_generic_event_t":
            message.setsize(_SIZE)
            data = memoryview(message)
            if data[0] & ~_SENT == _PRESS:
                data[_WINDOW] = self._into
        return False, 0
