"""COBOL's data division: data items that may hold the name of a called program."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from cbvtool.analysis.facts import ASSIGN
from cbvtool.analysis.languages.cobol.outline import UNITS
from cbvtool.analysis.languages.cobol.statements import ACTIONS, EVERYWHERE, Statements
from cbvtool.analysis.languages.cobol.text import SourceText
from cbvtool.analysis.languages.cobol.words import NO_NAME, PROGRAM_NAME, QUOTES, literal

_MOST_VALUES = 2000  # most pairs (item of a table, value in the table)
_UNNAMED = frozenset({"FILLER", "PIC", "PICTURE", "VALUE", "REDEFINES", "USAGE", "OCCURS", "."})


class _Item(NamedTuple):
    """An entry of the data division: level, name, row of its group, name of the item that it redefines."""

    level: int
    name: str
    group: int
    redefines: str


class Data(Statements):
    """Scanner of data items.

    groups   rows of `items`: the groups that are open at the current position
    values   (item, literal, line)
    """

    def __init__(self, text: SourceText) -> None:
        super().__init__(text)
        self.items: list[_Item] = []
        self.groups: list[int] = []
        self.values: list[tuple[int, str, int]] = []

    def _data(self, i: int, end: int) -> None:
        """Read the descriptions of the environment or of data from word `i` up to word `end`."""
        upper = self.upper
        self.in_procedure = False
        begins = True
        while i < end:
            word = upper[i]
            if word == ".":
                begins = True
                i += 1
            elif word in EVERYWHERE:
                i = EVERYWHERE[word](self, i)
                begins = upper[i - 1] == "."
            elif begins and word.isdigit() and upper[i + 1] != ".":
                i = self._level(i)
                begins = False
            else:
                begins = False
                if word in ("VALUE", "VALUES", "AS"):
                    self._value(i)
                elif word == "REDEFINES" and self.items:
                    self.items[-1] = self.items[-1]._replace(redefines=upper[i + 1])
                elif word == "FUNCTION":
                    self.functions.add(upper[i + 1])
                i += 1

    def _level(self, i: int) -> int:
        """Read an entry with a level number at word `i`; returns the word after its name."""
        level = int(self.upper[i][:3])
        if level in (66, 88):
            self.items.append(_Item(level, "", -1, ""))
            return i + 2
        while self.groups and (self.items[self.groups[-1]].level >= level or level in (77, 78)):
            self.groups.pop()
        name = self.upper[i + 1]
        self.items.append(_Item(level, "" if name in _UNNAMED else name, self.groups[-1] if self.groups else -1, ""))
        self.groups.append(len(self.items) - 1)
        return i + 1 if name in _UNNAMED or name in EVERYWHERE else i + 2

    def _value(self, i: int) -> None:
        """Read VALUE at word `i`; keep it if it could be the name of a program."""
        at = i + 2 if self.upper[i + 1] in ("IS", "ARE") else i + 1
        if self.items and self.items[-1].level != 88 and self.tokens[at][:1] in QUOTES:
            value = literal(self.tokens[at])
            if PROGRAM_NAME.match(value):
                self.values.append((len(self.items) - 1, value, self.lines[at]))

    def assigned(self) -> Iterator[tuple[int, int, str, str, int]]:
        """Values of the data items by which programs are called, as uses; in a copybook, of all data items."""
        wanted = set(self.called)
        moves = list(self._moved()) if wanted else []
        sources: dict[str, set[str]] = {}
        for source, target, _ in moves:
            sources.setdefault(target, set()).add(source)
        todo = list(wanted)
        while todo:
            for source in sources.get(todo.pop(), ()):
                if source[0] not in QUOTES and source not in wanted:
                    wanted.add(source)
                    todo.append(source)
        for source, target, line in moves:
            if target in wanted:
                yield -1, ASSIGN, target, source, line
        is_copybook = not self.found or self.found[0].kind not in UNITS.values()
        for item, value, line in self.values:
            name = self.items[item].name
            if name and (is_copybook or name in wanted):
                yield -1, ASSIGN, name, f"'{value}'", line
        for name, value, line in self._tables():
            if is_copybook or name in wanted:
                yield -1, ASSIGN, name, f"table '{value}'", line

    def _moved(self) -> Iterator[tuple[str, str, int]]:
        """Source, target and line of every MOVE of an item, or of a literal that could be the name of a program."""
        upper = self.upper
        for i in self.moves:
            token = self.tokens[i + 1]
            if token[:1] in QUOTES:
                value = literal(token)
                at = i + 2
                source = f"'{value}'" if PROGRAM_NAME.match(value) else ""
            else:
                source = upper[i + 1]
                at = self.words.qualified(i + 1) + 1
            if upper[at] != "TO" or not source or (source[0] in NO_NAME and source[0] != "'"):
                continue
            at += 1
            while upper[at] not in (".", "") and upper[at] not in ACTIONS:
                yield source, upper[at], self.lines[i]
                at = self.words.qualified(at) + 1

    def _tables(self) -> Iterator[tuple[str, str, int]]:
        """Pairs of an item of a redefining group and a value of the redefined group: COBOL fills tables in this way."""
        redefined = {item.redefines for item in self.items if item.redefines}
        if not redefined or not self.values:
            return
        values: dict[str, list[tuple[str, int]]] = {}
        for item, value, line in self.values:
            for name in (self.items[group].name for group in self._group_rows(item)):
                if name in redefined:
                    values.setdefault(name, []).append((value, line))
        pairs = 0
        for row, held in enumerate(self.items):
            if held.name:
                for group in self._group_rows(row):
                    for value, line in values.get(self.items[group].redefines, ()):
                        pairs += 1
                        if pairs > _MOST_VALUES:
                            return
                        yield held.name, value, line

    def _group_rows(self, row: int) -> Iterator[int]:
        """The row of an item and those of the groups around it."""
        while row >= 0:
            yield row
            row = self.items[row].group
