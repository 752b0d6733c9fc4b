"""The header of a Paje trace: which fields the events with each number have, and where.

Source: "Paje trace file format" (Schnorr, Stein, Chassin de Kergommeaux); older names of fields are read, too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

# Event -> its fields that are looked at, in an order of ours. Those in brackets may be missing.
EVENTS = {
    "PajeDefineContainerType": ("name", "type", "[alias]"),
    "PajeDefineStateType": ("name", "type", "[alias]"),
    "PajeDefineEventType": ("name", "type", "[alias]"),
    "PajeDefineVariableType": ("name", "type", "[alias]"),
    "PajeDefineLinkType": ("name", "type", "[alias]"),
    "PajeDefineEntityValue": ("name", "type", "[alias]"),
    "PajeCreateContainer": ("time", "name", "type", "container", "[alias]"),
    "PajeDestroyContainer": ("time", "name", "[type]"),
    "PajeNewEvent": ("time", "type", "container", "value"),
    "PajeSetState": ("time", "type", "container", "value"),
    "PajePushState": ("time", "type", "container", "value"),
    "PajePopState": ("time", "type", "container"),
    "PajeResetState": ("time", "type", "container"),
    "PajeSetVariable": ("time", "type", "container", "value"),
    "PajeAddVariable": ("time", "type", "container", "value"),
    "PajeSubVariable": ("time", "type", "container", "value"),
    "PajeStartLink": ("time", "type", "container", "value", "startcontainer", "key"),
    "PajeEndLink": ("time", "type", "container", "value", "endcontainer", "key"),
}
_SAME = {
    "containertype": "type",
    "entitytype": "type",
    "sourcecontainer": "startcontainer",
    "destcontainer": "endcontainer",
    "newname": "name",
    "newcontainer": "alias",
    "newtype": "alias",
}
_LONGEST = 200  # fields of one event


@dataclass(frozen=True)
class Shape:
    """Where in a line of an event its fields stand.

    event  its name
    at     word of each field of `EVENTS`, -1 = it has none
    words  how many words a line has at least
    """

    event: str
    at: tuple[int, ...]
    words: int


@dataclass
class PajeHeader:
    """What the lines that begin with `%` say. `faults`: events without a field that is needed."""

    shapes: dict[str, Shape] = field(default_factory=dict)
    faults: int = 0
    _name: str = ""
    _number: str = ""
    _fields: list[str] = field(default_factory=list)

    def line(self, text: str) -> None:
        """One line of the header."""
        words = text.replace("%", " ").split()
        if not words:
            return
        if words[0] == "EventDef":
            self._name, self._number = (*words[1:3], "", "")[:2]
            self._fields = []
        elif words[0] == "EndEventDef":
            self._close()
        elif len(self._fields) < _LONGEST:
            name = words[0].lower()
            self._fields.append(_SAME.get(name, name))

    def _close(self) -> None:
        wanted = EVENTS.get(self._name)
        if wanted is None or not self._number:
            self.faults += 1
            return
        places = {name: at + 1 for at, name in reversed(list(enumerate(self._fields)))}
        at = tuple(places.get(name.strip("[]"), -1) for name in wanted)
        if any(place < 0 and not name.startswith("[") for place, name in zip(at, wanted, strict=True)):
            self.faults += 1
            return
        self.shapes[self._number] = Shape(self._name, at, max(at) + 1)


_WORD = re.compile(r'"([^"\n]*+)"|([^\s"]\S*+)')


def words_of(line: str) -> list[str]:
    """The words of a line; what stands in quotation marks is one word."""
    if '"' not in line:
        return line.split()
    return [word[1] if word[2] is None else word[2] for word in _WORD.finditer(line)]
