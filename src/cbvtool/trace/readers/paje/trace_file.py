"""A trace in the Paje format, line by line: definitions, containers, states, variables, links, events."""

from __future__ import annotations

from collections.abc import Callable

from cbvtool.budget import Budget
from cbvtool.progress import Progress
from cbvtool.trace.making.builder import TraceBuilder
from cbvtool.trace.readers.lines import text_lines
from cbvtool.trace.readers.paje.containers import (
    DAMAGED,
    HALF,
    UNKNOWN_CONTAINER,
    UNKNOWN_TYPE,
    Containers,
    nanoseconds,
    unit_of,
)
from cbvtool.trace.readers.paje.definitions import EVENTS, PajeHeader, Shape, words_of
from cbvtool.trace.readers.paje.tracks import POP, PUSH, RESET, SET, Track
from cbvtool.trace.readers.reader import Part
from cbvtool.trace.readers.source import TraceSource, UnreadableTrace

NAME = "paje"
LABEL = "Paje (SimGrid, StarPU)"
_MARK = b"%EventDef"
_STATES = {"PajePushState": PUSH, "PajePopState": POP, "PajeSetState": SET, "PajeResetState": RESET}
_VARIABLES = {"PajeSetVariable": 0, "PajeAddVariable": 1, "PajeSubVariable": -1}
_MOST_NAMES = 5_000_000  # containers, types, values
_ROOTS = {"0", ""}
_FAULTS = "definitions of events that are not of Paje, or lack a field"


def sniff(source: TraceSource) -> bool:
    """Definitions of events near the beginning."""
    return _MARK in source.head or b"% EventDef" in source.head


def read(source: TraceSource, budget: Budget, progress: Progress) -> list[Part]:
    """One trace. The states of a container are its calls: their value is the function, their type the module."""
    made = TraceBuilder(NAME, budget)
    reading = _Reading(made, unit_of(source.head, made))
    for number, line in enumerate(text_lines(source, budget, progress)):
        if not number % 4096:
            budget.spend(count=4096, size=4096 * 40)
        reading.line(line)
    return [reading.trace()]


class _Reading:
    """What was read so far."""

    def __init__(self, made: TraceBuilder, unit: float) -> None:
        self.made, self._unit = made, unit
        self.into = Containers(made)
        self.header = PajeHeader()
        self._types: dict[str, str] = {}  # alias -> name; a name stands for itself
        self._values: dict[tuple[str, str], str] = {}  # (type, alias) -> name
        self._containers: dict[str, int] = {}  # by alias
        self._named: dict[str, int] = {}  # by name, where no alias is the same
        self._tracks: dict[tuple[str, str], Track] = {}  # as lines name them
        self._functions: dict[tuple[str, str], int] = {}
        self._pending: dict[tuple[str, str], tuple[bool, int, int, str]] = {}
        self._hot: dict[str, tuple[int, int, int, int, int]] = {}  # number of an event about states -> kind, places
        self._type_names: set[str] = set()
        self._names = 0
        self._lines = 0
        makers: dict[str, Callable[[Shape, list[str]], None]] = {
            "PajeCreateContainer": self._create,
            "PajeDestroyContainer": self._destroy,
            "PajeNewEvent": self._mark,
            "PajeStartLink": self._link,
            "PajeEndLink": self._link,
            "PajeDefineEntityValue": self._define_value,
        }
        for event in EVENTS:
            if event.startswith("PajeDefine"):
                makers.setdefault(event, self._define_type)
        makers.update(dict.fromkeys(_VARIABLES, self._variable))
        self._makers = makers

    def line(self, line: str) -> None:
        """One line."""
        words = line.split() if '"' not in line else words_of(line)
        if not words or words[0].startswith("#"):
            return
        hot = self._hot.get(words[0])
        try:
            if hot is not None:
                self._state(hot, words)
            elif words[0].startswith("%"):
                self.header.line(line)
                if "EndEventDef" in line:
                    self._hot = {
                        number: (_STATES[shape.event], shape.at[0], shape.at[1], shape.at[2], (*shape.at, -1)[3])
                        for number, shape in self.header.shapes.items()
                        if shape.event in _STATES
                    }
            else:
                shape = self.header.shapes[words[0]]
                self._lines += 1
                self._makers[shape.event](shape, words)
        except (KeyError, IndexError, ValueError, OverflowError):
            self.made.omissions[DAMAGED] += 1

    def _state(self, hot: tuple[int, int, int, int, int], words: list[str]) -> None:
        kind, time_at, type_at, container_at, value_at = hot
        time = round(float(words[time_at]) * self._unit)
        if not -(2**62) < time < 2**62:
            raise OverflowError
        key = words[container_at], words[type_at]
        track = self._tracks.get(key)
        if track is None:
            track = self._tracks[key] = self.into.track(self._container(key[0], time), self._type(key[1]))
        function = 0
        if value_at >= 0:
            what = key[1], words[value_at]
            found = self._functions.get(what)
            function = self._function(what) if found is None else found
        note = track.note
        note[0](kind)
        note[1](function)
        note[2](time)
        if time > self.into.latest:
            self.into.latest = time

    def _function(self, what: tuple[str, str]) -> int:
        self._count()
        kind = self._type(what[0])
        found = self._functions[what] = self.made.function(self._values.get((kind, what[1]), what[1]), kind)
        return found

    def _count(self) -> None:
        self._names += 1
        if self._names > _MOST_NAMES:
            raise UnreadableTrace(f"it names more than {_MOST_NAMES:,} containers, types and values")

    def _time(self, shape: Shape, words: list[str]) -> int:
        time = nanoseconds(float(words[shape.at[0]]), self._unit)
        self.into.latest = max(self.into.latest, time)
        return time

    def _type(self, name: str) -> str:
        found = self._types.get(name)
        if found is None:
            found = name
            if name not in self._type_names:
                self._count()
                self._type_names.add(name)
                self.made.repairs[UNKNOWN_TYPE] += 1
        return found

    def _container(self, name: str, time: int) -> int:
        found = self._containers.get(name, self._named.get(name))
        if found is None:
            self._count()
            if name not in _ROOTS:
                self.made.repairs[UNKNOWN_CONTAINER] += 1
            found = self._containers[name] = self.into.add(name if name not in _ROOTS else "root", "", -1, time)
        return found

    def _define_type(self, shape: Shape, words: list[str]) -> None:
        self._count()
        name = words[shape.at[0]]
        self._type_names.add(name)
        if shape.at[2] >= 0:
            self._types[words[shape.at[2]]] = name

    def _define_value(self, shape: Shape, words: list[str]) -> None:
        self._count()
        name, kind = words[shape.at[0]], self._type(words[shape.at[1]])
        if shape.at[2] >= 0:
            self._values[kind, words[shape.at[2]]] = name

    def _create(self, shape: Shape, words: list[str]) -> None:
        self._count()
        time, name = self._time(shape, words), words[shape.at[1]]
        above = words[shape.at[3]]
        alias = words[shape.at[4]] if shape.at[4] >= 0 else name
        parent = -1 if above in _ROOTS and above not in self._containers else self._container(above, time)
        if alias in self._containers or alias in self._named or name in self._named:
            self._tracks = {key: track for key, track in self._tracks.items() if key[0] not in (alias, name)}
        number = self.into.add(name, self._type(words[shape.at[2]]), parent, time)
        self._named[name] = number
        self._containers[alias] = number

    def _destroy(self, shape: Shape, words: list[str]) -> None:
        time, name = self._time(shape, words), words[shape.at[1]]
        found = self._containers.get(name, self._named.get(name))
        if found is not None:
            self.into.destroy(found, time)
        elif name not in _ROOTS:
            self.made.repairs[UNKNOWN_CONTAINER] += 1

    def _variable(self, shape: Shape, words: list[str]) -> None:
        time, value = self._time(shape, words), float(words[shape.at[3]])
        values = self.into.variable(self._container(words[shape.at[2]], time), self._type(words[shape.at[1]]))
        sign = _VARIABLES[shape.event]
        before = values[-1][1] if values and sign else 0.0
        values.append((time, before + (sign or 1) * value))

    def _mark(self, shape: Shape, words: list[str]) -> None:
        time = self._time(shape, words)
        kind = self._type(words[shape.at[1]])
        value = self._values.get((kind, words[shape.at[3]]), words[shape.at[3]])
        self.into.marks.append((self._container(words[shape.at[2]], time), time, kind, value))

    def _link(self, shape: Shape, words: list[str]) -> None:
        time, starts = self._time(shape, words), shape.event == "PajeStartLink"
        kind = self._type(words[shape.at[1]])
        value = self._values.get((kind, words[shape.at[3]]), words[shape.at[3]])
        end = self._container(words[shape.at[4]], time)
        key = kind, words[shape.at[5]]
        other = self._pending.pop(key, None)
        if other is None or other[0] == starts:
            if other is not None:
                self.made.omissions[HALF] += 1
            self._pending[key] = starts, end, time, value
            return
        source, target = ((end, time), other[1:3]) if starts else (other[1:3], (end, time))
        self.into.links.append((source[0], target[0], source[1], target[1], kind, value))

    def trace(self) -> Part:
        """The trace. Raises UnreadableTrace where no line could be read."""
        if self.header.faults:
            self.made.omissions[_FAULTS] += self.header.faults
        if self._pending:
            self.made.omissions[HALF] += len(self._pending)
        if not self.header.shapes or not (self.into.name or self._lines):
            raise UnreadableTrace("it defines events of Paje, but has none that can be read")
        return self.into.trace()
