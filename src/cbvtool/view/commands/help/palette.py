"""What the command palette and the list of shortcuts offer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from qtpy.QtGui import QKeySequence
from qtpy.QtWidgets import QAction

from cbvtool.findings.finding import Finding
from cbvtool.graph import Graph
from cbvtool.metrics.structure.users import of_kinds
from cbvtool.view.commands.commands import COMMANDS, MOUSE, Command
from cbvtool.view.commands.keys import shown
from cbvtool.view.commands.menus import Actions
from cbvtool.view.desk import Desk
from cbvtool.view.panels.findings_panel import WORDS, FindingsPanel
from cbvtool.view.toolkit.chooser import ChooserRow, choose
from cbvtool.view.toolkit.plain import text_of, tooltip_of
from cbvtool.words import one_line

FOUND_KINDS = ("file", "folder", "package")
MOST_FILES = 50_000  # offered
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


def finding_choices(found: Sequence[Finding]) -> list[ChooserRow]:
    """The findings, the most important first; their values are themselves."""
    return [ChooserRow(one_line(one.title), "finding", one, words=f"finding {WORDS[one.kind]}") for one in found]


def file_choices(graph: Graph) -> list[ChooserRow]:
    """The files and folders by their paths; their values are keys."""
    return [
        ChooserRow(one_line(graph.path(key)), graph.kind(key), key)
        for key in np.flatnonzero(of_kinds(graph, FOUND_KINDS))[:MOST_FILES].tolist()
    ]


def all_choices(desk: Desk) -> list[ChooserRow]:
    """Commands (presets and saved views among them), findings, files: values are `str`, `Finding`, `int`."""
    choices = command_choices(desk.part(Actions).by_name)
    if desk.session.is_open:
        choices += finding_choices(desk.panel(FindingsPanel).listed)
        choices += file_choices(desk.session.graph)
    return choices


def show_palette(desk: Desk) -> None:
    """Choose any command, preset, view, finding or file by its name."""
    chosen = choose("Commands", "Type a command, file, preset, view or finding", all_choices(desk), desk.widget)
    if isinstance(chosen, str):
        desk.part(Actions).by_name[chosen].trigger()
    elif isinstance(chosen, Finding):
        desk.panel(FindingsPanel).show_finding(chosen)
    elif isinstance(chosen, int):
        desk.reveal(chosen)


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
