"""Widgets and helpers that show names as plain text, never as markup.

Names of files, nodes, kinds, plans, views and people are anybody's. Qt takes a text for HTML wherever it looks like it
(labels, tooltips, message boxes) and then opens the files that it names; in buttons and menus it underlines the letter
behind an `&`. So every text goes through here, and rich text is `Markup`, which escapes what is put into it.
tests/test_names_are_text.py fails where another way is used.
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

from cbvtool.words import one_line

_GIVEN = "given_tooltip"  # property that holds a tooltip as it was given
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
        """Show another text."""
        self.setText(html)


def add_row(form: QFormLayout, text: str, field: QWidget) -> Label:
    """Add a row to a form: `text` with an `&` before the letter that leads to `field`."""
    label = Label(text, form.parentWidget())
    label.setBuddy(field)
    form.addRow(label, field)
    return label


# -- tooltips ------------------------------------------------------------------------------------------------


def tooltip(text: str) -> str:
    """What a role or a tooltip of Qt has to hold so that `text` is shown as it is."""
    if "<" not in text and "&" not in text:  # Qt takes nothing else for rich text
        return text
    return Markup("<p style='white-space:pre-wrap'>{}</p>").format(text)


def set_tooltip(target: QWidget | QAction | QStandardItem | QListWidgetItem, text: str) -> None:
    """Give a widget, an action or an item a tooltip."""
    target.setToolTip(tooltip(text))
    if isinstance(target, QWidget | QAction):
        target.setProperty(_GIVEN, text)


def tooltip_of(target: QWidget | QAction) -> str:
    """The tooltip as it was given."""
    given = target.property(_GIVEN)
    return given if isinstance(given, str) else target.toolTip()


def set_cell_tooltip(item: QTreeWidgetItem, column: int, text: str) -> None:
    """Give a cell of a tree a tooltip."""
    item.setToolTip(column, tooltip(text))


def set_row_tooltip(choice: QComboBox, row: int, text: str) -> None:
    """Give a row of a list to choose from a tooltip; an empty text removes it."""
    choice.setItemData(row, tooltip(text) or None, Qt.ItemDataRole.ToolTipRole)


def show_tooltip(place: QPoint, text: str, widget: QWidget) -> None:
    """Show a tooltip at a global place, or with an empty text none."""
    QToolTip.showText(place, tooltip(text), widget)


# -- buttons and menus ---------------------------------------------------------------------------------------


def caption(text: str) -> str:
    """What the text of a button or an action has to be so that `text` is shown as it is."""
    return one_line(text).replace("&", "&&")


def text_of(target: QAbstractButton | QAction) -> str:
    """What a button or an action shows."""
    return target.text().replace("&&", "&")


def set_caption(target: QAbstractButton | QAction, text: str) -> None:
    """Give a button or an action a name to show."""
    target.setText(caption(text))


def add_action(menu: QMenu, text: str) -> QAction:
    """Add an action with a name to a menu."""
    action = QAction(caption(text), menu)
    set_tooltip(action, one_line(text))
    menu.addAction(action)
    return action


def titled(text: str) -> str:
    """What a part of a window's title has to be so that `text` is shown as it is: `[*]` is Qt's mark of changes."""
    return one_line(text).replace("[*]", "[*][*]")


# -- message boxes and rich text -----------------------------------------------------------------------------


def message_box(parent: QWidget, title: str, text: str, more: str = "", buttons: Sequence[Buttons] = ()) -> QMessageBox:
    """A question with its buttons, of which the first is the default; nothing is shown yet."""
    box = QMessageBox(parent)
    box.setIcon(QMessageBox.Icon.Question)
    box.setWindowTitle(title)
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setText(text)
    box.setInformativeText(tooltip(more))  # has no format of its own
    for button in buttons:
        made = box.addButton(button)
        if button == buttons[0]:
            box.setDefaultButton(made)
    return box


def ask_line(parent: QWidget, title: str, label: str, text: str = "", *, may_be_empty: bool = False) -> str | None:
    """Ask for a line; it begins as `text`. None = the dialog was left, or nothing but blanks was typed.

    may_be_empty  nothing but blanks is an answer, too: an empty text
    """
    usual = QLineEdit.EchoMode.Normal
    answer, taken = QInputDialog.getText(parent, title, tooltip(label), usual, text)
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
    """A link of rich text; `sort` is its class in the style sheet."""
    more = Markup(" title='{}'").format(tip) if tip else Markup("")  # Qt escapes it before it guesses
    kind = Markup(" class='{}'").format(sort) if sort else Markup("")
    return Markup("<a href='{}'{}{}>{}</a>").format(address, kind, more, text)


def breakable(text: str) -> Markup:
    """Rich text in which a long path may be broken after its slashes."""
    return escape(text.replace("/", "/\u200b"))
