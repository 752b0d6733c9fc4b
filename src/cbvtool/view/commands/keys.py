"""Which keys do what: the usual ones of the table of commands, or the user's own (NEW-13)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from qtpy.QtGui import QKeySequence
from qtpy.QtWidgets import QAction

from cbvtool.view.commands.commands import COMMANDS, Command

Keys = Mapping[str, Sequence[str]]  # name of a command -> its keys, as Qt writes them


def usual_keys(command: Command) -> tuple[str, ...]:
    """The keys that the table gives a command."""
    return tuple(QKeySequence(key).toString() for key in command.keys)


def keys_of(own: Keys) -> dict[str, tuple[str, ...]]:
    """The keys of every command; what Qt does not understand in the user's own is left out."""
    return {
        command.name: tuple(dict.fromkeys(text for key in own[command.name] if (text := QKeySequence(key).toString())))
        if command.name in own
        else usual_keys(command)
        for command in COMMANDS
    }


def own_part(keys: Keys) -> dict[str, list[str]]:
    """What differs from the usual ones, for the settings."""
    return {c.name: list(keys[c.name]) for c in COMMANDS if tuple(keys[c.name]) != usual_keys(c)}


def conflicts(keys: Keys) -> dict[str, list[str]]:
    """Keys that several commands have, with the names of these. A key for the picture alone is a key all the same."""
    users: dict[str, list[str]] = {}
    for name, sequences in keys.items():
        for key in sequences:
            users.setdefault(key, []).append(name)
    return {key: names for key, names in users.items() if len(names) > 1}


def shown(keys: Iterable[QKeySequence]) -> str:
    """Keys for people."""
    return ", ".join(key.toString(QKeySequence.SequenceFormat.NativeText) for key in keys)


def apply_keys(actions: Mapping[str, QAction], own: Keys) -> None:
    """Give the actions of commands the keys of the settings."""
    for name, keys in keys_of(own).items():
        actions[name].setShortcuts([QKeySequence(key) for key in keys])
