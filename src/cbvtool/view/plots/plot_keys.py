"""Keys and modifiers of a plot: what they are called in events, and which of them change ranges."""

from __future__ import annotations

from qtpy.QtCore import QEvent, Qt
from qtpy.QtGui import QKeyEvent, QKeySequence

from cbvtool.plots.panes import Pane
from cbvtool.view.plots.gestures import Ranges, stepped, whole, zoomed_in_middle

_ARROWS = {Qt.Key.Key_Left: (-1, 0), Qt.Key.Key_Right: (1, 0), Qt.Key.Key_Up: (0, -1), Qt.Key.Key_Down: (0, 1)}
_ZOOM_KEYS = {Qt.Key.Key_Plus: 1, Qt.Key.Key_Equal: 1, Qt.Key.Key_Minus: -1}
_MOVES = (Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)
_ENDS = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Backspace, *_MOVES)
_KEY_NAMES = {
    Qt.Key.Key_Escape: "Escape",
    Qt.Key.Key_Left: "Left",
    Qt.Key.Key_Right: "Right",
    Qt.Key.Key_Up: "Up",
    Qt.Key.Key_Down: "Down",
    Qt.Key.Key_Return: "Enter",
    Qt.Key.Key_Enter: "Enter",
    Qt.Key.Key_Space: "Space",
    Qt.Key.Key_Home: "Home",
    Qt.Key.Key_End: "End",
    Qt.Key.Key_PageUp: "PageUp",
    Qt.Key.Key_PageDown: "PageDown",
    Qt.Key.Key_Delete: "Delete",
    Qt.Key.Key_Backspace: "Backspace",
    Qt.Key.Key_Tab: "Tab",
    Qt.Key.Key_Shift: "Shift",
    Qt.Key.Key_Control: "Ctrl",
    Qt.Key.Key_Alt: "Alt",
}
_HELD = (Qt.Key.Key_Shift, Qt.Key.Key_Control, Qt.Key.Key_Alt)
_MODIFIERS = (
    (Qt.KeyboardModifier.ShiftModifier, "shift"),
    (Qt.KeyboardModifier.ControlModifier, "ctrl"),
    (Qt.KeyboardModifier.AltModifier, "alt"),
)


def held_names(modifiers: Qt.KeyboardModifiers) -> frozenset[str]:
    """Of "shift", "ctrl" and "alt" those that are held."""
    return frozenset(name for bit, name in _MODIFIERS if modifiers & bit)


def key_name(event: QKeyEvent) -> str:
    """What an event calls a key; "" for one that is no key of a view."""
    name = _KEY_NAMES.get(Qt.Key(event.key()), "") or event.text()
    if not name.isprintable() or not name:  # with Ctrl, letters have no text
        name = QKeySequence(event.key()).toString().lower()
    return name if name.isprintable() else ""


def may_change_ranges(event: QKeyEvent) -> bool:
    """Whether no modifier gives the key another meaning."""
    held = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
    return held == Qt.KeyboardModifier.NoModifier or (event.key() in _ZOOM_KEYS and held == _MODIFIERS[0][0])


def ranges_after(pane: Pane, shown: Ranges, key: Qt.Key) -> Ranges | None:
    """Ranges of a pane that shows `shown`, after a key of the grammar; None for other keys."""
    if key == Qt.Key.Key_F:
        return whole(pane)
    if key in _ZOOM_KEYS:
        return zoomed_in_middle(pane, shown, _ZOOM_KEYS[key])
    right, down = _ARROWS.get(key, (0, 0))
    if (right and "x" in pane.zoom) or (down and "y" in pane.zoom):
        return stepped(pane, shown, right, down)
    return None


def modifier_alone(event: QKeyEvent, before: int) -> int:
    """The modifier that is held while nothing else happens, after a key went down; 0 = none. before: until then."""
    key = event.key()
    return key if key in _HELD and before in (0, key) else 0


def claims(event: QEvent | None, escape: bool) -> bool:
    """Whether a key is for the plot that has the focus, and not for a shortcut of the window: letters and keys of the
    grammar, and with `escape` ESC.
    """
    if not isinstance(event, QKeyEvent) or event.type() != QEvent.Type.ShortcutOverride:
        return False
    letter = event.text().isprintable() and event.text() not in ("", "?")  # "?" lists the shortcuts
    grammar = letter or event.key() in (*_ARROWS, *_ZOOM_KEYS, *_ENDS)
    held = event.modifiers() & ~(Qt.KeyboardModifier.KeypadModifier | Qt.KeyboardModifier.ShiftModifier)
    return (grammar and not held) or (event.key() == Qt.Key.Key_Escape and escape)
