"""What `pj_dump` writes: containers, states, variables, links and events of a Paje trace as lines with commas."""

from __future__ import annotations

import re

from cbvtool.budget import Budget
from cbvtool.progress import Progress
from cbvtool.trace.making.builder import TraceBuilder
from cbvtool.trace.readers.lines import text_lines
from cbvtool.trace.readers.paje.containers import DAMAGED, UNKNOWN_CONTAINER, Containers, nanoseconds, unit_of
from cbvtool.trace.readers.reader import Part
from cbvtool.trace.readers.source import TraceSource, UnreadableTrace

NAME = "pj_dump"
LABEL = "CSV of pj_dump (Paje)"
_WORDS = {"Container": 7, "State": 8, "Variable": 7, "Link": 9, "Event": 5}
_LINE = re.compile(
    rb"(?m)^(?:Container, [^\n,]*, [^\n,]*, |(?:State|Variable|Link|Event), [^\n,]*, [^\n,]*, )-?\d[^\n]*, "
)
_ROOTS = {"0", ""}


def sniff(source: TraceSource) -> bool:
    """The first lines name what they are, and have numbers where times stand."""
    lines = [line for line in source.head.split(b"\n", 6)[:5] if line.strip()]
    return bool(lines) and any(_LINE.match(line) for line in lines) and not source.head.lstrip().startswith(b"%")


def read(source: TraceSource, budget: Budget, progress: Progress) -> list[Part]:
    """One trace, as of the file that it was made from."""
    made = TraceBuilder(NAME, budget)
    reading = _Reading(made, unit_of(source.head, made))
    titles = 0
    for number, line in enumerate(text_lines(source, budget, progress)):
        if not number % 4096:
            budget.spend(count=4096, size=4096 * 150)
        if not number and line.startswith("Nature, "):
            titles = line.count(", ") + 1
        try:
            reading.take(_words(line, titles))
        except (IndexError, KeyError, ValueError, OverflowError):
            if line.strip() and (number or line[-1:].isdecimal()):  # the first line may be titles
                made.omissions[DAMAGED] += 1
    if not reading.into.name:
        raise UnreadableTrace("it has no container")
    return [reading.trace()]


def _words(line: str, titles: int) -> list[str]:
    """The words of a line, of which the last may hold commas. titles: columns that the first line names, 0 = no title.

    Columns beyond those of pj_dump are fields that a program added to its states, as StarPU does.
    """
    most = _WORDS.get(line.partition(",")[0], 1)
    if titles > most and line.count(", ") + 1 == titles:
        return line.split(", ")[:most]
    return line.split(", ", most - 1)


class _Reading:
    """What was read so far. Containers are known by their names; of equal names the last one."""

    def __init__(self, made: TraceBuilder, unit: float) -> None:
        self.made, self.into, self._unit = made, Containers(made), unit
        self._known: dict[str, int] = {}
        self._links: list[tuple[str, str, int, int, str, str]] = []  # as `Containers` has them, with names
        self._marks: list[tuple[str, int, str, str]] = []

    def take(self, words: list[str]) -> None:
        """One line. Raises where it is not what its first word promises."""
        match words:
            case ["Container", above, kind, start, end, _, name]:
                if name == above == kind:  # the root of pj_dump, which no trace has
                    self.into.latest = max(self.into.latest, self._time(end))
                    return
                parent = -1 if above in _ROOTS and above not in self._known else self._container(above)
                self._known[name] = self.into.add(name, kind, parent, self._time(start))
                self.into.destroy(self._known[name], self._time(end))
            case ["State", container, kind, start, end, _, level, value]:
                function = self.made.function(value, kind)
                times = self._time(start), self._time(end)
                self.into.track(self._container(container), kind).span(function, *times, int(float(level)))
            case ["Variable", container, kind, start, _, _, value]:
                values = self.into.variable(self._container(container), kind)
                values.append((self._time(start), float(value)))
            case ["Link", _, kind, start, end, _, value, source, target]:
                times = self._time(start), self._time(end)
                self._links.append((source, target.partition(", ")[0], *times, kind, value))
            case ["Event", container, kind, time, value]:
                self._marks.append((container, self._time(time), kind, value))
            case _:
                raise ValueError("not a line of pj_dump")

    def trace(self) -> Part:
        """The trace. Links stand before the containers that they join, so that these are looked up last."""
        for source, target, begin, end, kind, value in self._links:
            self.into.links.append((self._container(source), self._container(target), begin, end, kind, value))
        for container, time, kind, value in self._marks:
            self.into.marks.append((self._container(container), time, kind, value))
        return self.into.trace()

    def _time(self, word: str) -> int:
        return nanoseconds(float(word), self._unit)

    def _container(self, name: str) -> int:
        found = self._known.get(name)
        if found is None:
            if name not in _ROOTS:
                self.made.repairs[UNKNOWN_CONTAINER] += 1
            found = self._known[name] = self.into.add(name if name not in _ROOTS else "root", "", -1, 0)
        return found
