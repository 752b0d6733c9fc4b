"""What the command palette and the list of shortcuts offer."""

from __future__ import annotations

from collections.abc import Mapping

from qtpy.QtGui import QKeySequence
from qtpy.QtWidgets import QAction

from cbvtool.view.commands.commands import COMMANDS, MOUSE, Command
from cbvtool.view.commands.keys import shown
from cbvtool.view.commands.menus import Actions
from cbvtool.view.desk import Desk
from cbvtool.view.toolkit.chooser import ChooserRow, choose
from cbvtool.view.toolkit.plain import text_of, tooltip_of

NOT_NOW = "not now"


def command_choices(actions: Mapping[str, QAction]) -> list[ChooserRow]:
    """The commands, each with its first key, those that can be done now first; their tips tell what they are for."""
    choices = [
        ChooserRow(
            text_of(action).rstrip("."),
            action.shortcut().toString(QKeySequence.SequenceFormat.NativeText),
            name,
            refused="" if action.isEnabled() else NOT_NOW,
            words=tooltip_of(action),
        )
        for name, action in actions.items()
        if action.isVisible() and name != "palette"
    ]
    return sorted(choices, key=lambda choice: bool(choice.refused))


def shortcut_choices(actions: Mapping[str, QAction]) -> list[ChooserRow]:
    """The commands that have keys, what the mouse does, and the way to other keys."""
    keys = [
        ChooserRow(c.text.rstrip("."), shown(actions[c.name].shortcuts()), c.name, words=_more(c, actions))
        for c in COMMANDS
        if actions[c.name].shortcuts()
    ]
    mouse = [ChooserRow(what, how, words=how) for what, how in MOUSE]
    return [*keys, *mouse, ChooserRow("Change shortcuts", "", "change_keys")]


def show_palette(desk: Desk) -> None:
    """Choose any command by its name."""
    actions = desk.part(Actions)
    choices = command_choices(actions.by_name)
    if (name := choose("Commands", "Type what you want to do", choices, desk.widget)) is not None:
        actions.by_name[name].trigger()


def show_shortcuts(desk: Desk) -> None:
    """List keys and mouse; taking one that can be done does it."""
    actions = desk.part(Actions)
    choices = shortcut_choices(actions.by_name)
    if (name := choose("All shortcuts", "Type a part of what it does", choices, desk.widget)) is not None:
        actions.by_name[name].trigger()


def _more(command: Command, actions: Mapping[str, QAction]) -> str:
    """Its keys, its menu and what it is for: a list of keys is also asked what a key does."""
    keys = shown(actions[command.name].shortcuts())
    return f"{keys} in {command.menu}. {command.tip}".strip() if command.menu else keys
