"""Widgets and helpers that show names as plain text, never as markup.

Names of files, nodes, kinds, plans, views and people come from outside. Qt treats a text that looks like HTML as HTML
(in labels, tooltips, message boxes), and then opens the files named in it. In buttons and menus it underlines the
letter after an `&`. So every text goes through this module, and rich text is `Markup`, which escapes inserted values.
tests/test_names_are_text.py fails if code uses another way.
"""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup, escape
from qtpy.QtCore import QPoint, Qt
from qtpy.QtGui import QStandardItem
from qtpy.QtWidgets import (
    QAbstractButton,
    QAction,
    QComboBox,
    QFormLayout,
    QInputDialog,
    QLabel,
    QLineEdit,
    QListWidgetItem,
    QMenu,
    QMessageBox,
    QToolTip,
    QTreeWidgetItem,
    QWidget,
)

from cbvtool.view.toolkit.type_ahead import run_dialog
from cbvtool.words import one_line

_GIVEN = "given_tooltip"  # property with the tooltip as it was given
Buttons = QMessageBox.StandardButton
Roles = QMessageBox.ButtonRole


class Label(QLabel):
    """A label that shows its text as it is."""

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setText(text)


class RichLabel(QLabel):
    """A label with rich text."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.RichText)

    def show_html(self, html: Markup) -> None:
        """Show a rich text."""
        self.setText(html)


def add_row(form: QFormLayout, text: str, field: QWidget) -> Label:
    """Add a row to a form; in `text`, an `&` precedes the letter of the shortcut to `field`."""
    label = Label(text, form.parentWidget())
    label.setBuddy(field)
    form.addRow(label, field)
    return label


# -- tooltips ------------------------------------------------------------------------------------------------


def tooltip(text: str) -> str:
    """The value for Qt's tooltips and roles that shows `text` as it is."""
    if "<" not in text and "&" not in text:  # Qt treats no other text as rich text
        return text
    return Markup("<p style='white-space:pre-wrap'>{}</p>").format(text)


def set_tooltip(target: QWidget | QAction | QStandardItem | QListWidgetItem, text: str) -> None:
    """Give a widget, an action or an item a tooltip."""
    target.setToolTip(tooltip(text))
    if isinstance(target, QWidget | QAction):
        target.setProperty(_GIVEN, text)


def tooltip_of(target: QWidget | QAction) -> str:
    """The tooltip of a widget or action, as it was given."""
    given = target.property(_GIVEN)
    return given if isinstance(given, str) else target.toolTip()


def set_cell_tooltip(item: QTreeWidgetItem, column: int, text: str) -> None:
    """Give a cell of a tree a tooltip."""
    item.setToolTip(column, tooltip(text))


def set_row_tooltip(choice: QComboBox, row: int, text: str) -> None:
    """Set or, with an empty text, remove the tooltip of a row in a list."""
    choice.setItemData(row, tooltip(text) or None, Qt.ItemDataRole.ToolTipRole)


def show_tooltip(place: QPoint, text: str, widget: QWidget) -> None:
    """Show a tooltip at a global position; an empty text hides it."""
    QToolTip.showText(place, tooltip(text), widget)


# -- buttons and menus ---------------------------------------------------------------------------------------


def caption(text: str) -> str:
    """The value for a button's or action's text that shows `text` as it is."""
    return one_line(text).replace("&", "&&")


def text_of(target: QAbstractButton | QAction) -> str:
    """The text that a button or an action shows."""
    return target.text().replace("&&", "&")


def set_caption(target: QAbstractButton | QAction, text: str) -> None:
    """Set the text that a button or an action shows."""
    target.setText(caption(text))


def add_action(menu: QMenu, text: str) -> QAction:
    """Add an action with this text to a menu."""
    action = QAction(caption(text), menu)
    set_tooltip(action, one_line(text))
    menu.addAction(action)
    return action


def titled(text: str) -> str:
    """The value for a part of a window's title that shows `text` as it is: `[*]` is Qt's mark of changes."""
    return one_line(text).replace("[*]", "[*][*]")


# -- message boxes and rich text -----------------------------------------------------------------------------


def message_box(parent: QWidget, title: str, text: str, more: str = "", buttons: Sequence[Buttons] = ()) -> QMessageBox:
    """A message box, not shown yet; the first of its buttons is the default."""
    box = QMessageBox(parent)
    box.setIcon(QMessageBox.Icon.Question)
    box.setWindowTitle(title)
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setText(text)
    box.setInformativeText(tooltip(more))  # this text has no format setting of its own
    for button in buttons:
        made = box.addButton(button)
        if button == buttons[0]:
            box.setDefaultButton(made)
    return box


def ask_line(parent: QWidget, title: str, label: str, text: str = "", *, may_be_empty: bool = False) -> str | None:
    """Ask for a line of text, initially `text`. None = cancelled, or only blanks were typed.

    may_be_empty  only blanks are an answer, too: an empty text
    """
    dialog = QInputDialog(parent)
    dialog.setWindowTitle(title)
    dialog.setLabelText(tooltip(label))
    dialog.setTextValue(text)
    taken, answer = run_dialog(dialog, dialog.findChild(QLineEdit)), dialog.textValue()
    dialog.deleteLater()
    if not taken:
        return None
    return answer.strip() or ("" if may_be_empty else None)


def show_about(parent: QWidget, title: str, html: Markup) -> None:
    """Show rich text in a box of its own."""
    QMessageBox.about(parent, title, html)


def muted(text: str) -> Markup:
    """A paragraph of rich text in grey."""
    return Markup("<p class='muted'>{}</p>").format(text)


def link(address: str, text: str | Markup, tip: str = "", sort: str = "") -> Markup:
    """A link in rich text; `sort` is its class in the style sheet."""
    more = Markup(" title='{}'").format(tip) if tip else Markup("")  # Qt escapes a title itself
    kind = Markup(" class='{}'").format(sort) if sort else Markup("")
    return Markup("<a href='{}'{}{}>{}</a>").format(address, kind, more, text)


def breakable(text: str) -> Markup:
    """Rich text in which long paths may break after slashes."""
    return escape(text.replace("/", "/\u200b"))
