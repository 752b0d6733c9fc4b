"""The text that `gprof` writes: flat profile and call graph. A call graph, not a tree; times are sums of samples.

Of a function, own time and calls are read from its line of the call graph, or of the flat profile where there is no
call graph; of a pair, the lines above a function's. Times are printed with two decimals of a second. Source: GNU gprof
manual, "Interpreting gprof's Output".
"""

from __future__ import annotations

import re

from cbvtool.budget import Budget
from cbvtool.progress import Progress
from cbvtool.trace.making.profile_builder import ProfileBuilder
from cbvtool.trace.model.profile import Profile
from cbvtool.trace.readers.content import decimal
from cbvtool.trace.readers.lines import text_lines
from cbvtool.trace.readers.reader import Part
from cbvtool.trace.readers.source import TraceSource, UnreadableTrace

NAME = "gprof"
LABEL = "gprof output"
_FLAT = re.compile(r"^\s*%\s+cumulative\s+self")
_GRAPH = re.compile(r"^index\s+%\s*time\s+self\s+children\s+called\s+name")
# `[3]     12.5    0.10    0.20     100+5       name <cycle 1> [3]`; calls may be missing.
_OWN = re.compile(r"^\[(\d{1,9})\]\s+\S+\s+(\S+)\s+(\S+)(?:\s+(\d+)(?:\+(\d+))?)?\s+(\S.*)$")
_PAIR = re.compile(r"^\s+(?:(\S+)\s+(\S+)\s+)?(\d+)(?:\+\d+)?(?:/(\d+))?\s+(\S.*?)\s+\[(\d{1,9})\]$")
_NAME_END = re.compile(r"(?:\s+<cycle \d+>)?(?:\s+\[\d+\])?$")
_PROSE = re.compile(r"^ ?[A-Za-z]")  # the explanation below the call graph
_GAP = re.compile(r"\s{3,}")  # no column's width counts, and the patterns above are quadratic in a gap
_WHOLE_CYCLE = re.compile(r"<cycle \d+ as a whole>")
DAMAGED = "lines that are not understood"
CYCLES = "cycles as wholes: their functions are kept"


def sniff(source: TraceSource) -> bool:
    """A heading of the flat profile or of the call graph."""
    text = source.head.decode("utf-8", "replace")
    return any(_FLAT.match(line) or _GRAPH.match(line) for line in text.split("\n"))


def read(source: TraceSource, budget: Budget, progress: Progress) -> list[Part]:
    """One profile: functions as roots with calls, own and inclusive time, and the pairs of the call graph."""
    reading = _Reading(ProfileBuilder(NAME, budget))
    reading.made.describe(recorder="gprof")
    for line in text_lines(source, budget, progress):
        if _FLAT.match(line):
            reading.part = "flat"
        elif _GRAPH.match(line):
            reading.part = "graph"
        elif "\f" in line:
            reading.part = ""
        elif line.strip():
            reading.line(line)
    return [reading.profile()]


class _Reading:
    """Lines of a function's block: callers above it, then itself, callees below; the next block begins after dashes."""

    def __init__(self, made: ProfileBuilder) -> None:
        self.made = made
        self.part = ""
        self._flat: dict[str, tuple[float, float | None]] = {}  # name -> own time, calls
        self._functions: dict[int, str] = {}  # number in the call graph -> name
        self._nodes: dict[int, tuple[float, float, float | None, float]] = {}  # own, children, calls, recursive calls
        self._callers: list[tuple[str, float, float, float, int]] = []
        self._pairs: list[tuple[int, int, float, float, float]] = []
        self._is_below = False

    def line(self, line: str) -> None:
        """A line that is not empty."""
        line = _GAP.sub("  ", line)
        if self.part == "flat":
            self._flat_line(line)
        elif self.part == "graph":
            if line.startswith("---"):
                self._callers, self._is_below = [], False
            elif line.startswith("["):
                self._own_line(line)
            elif _PROSE.match(line):
                self.part = ""
            elif line[:1] in " \t" and not self._is_below:
                self._caller_line(line)

    def _flat_line(self, line: str) -> None:
        words = line.split(None, 3)
        numbers = [decimal(word) for word in words[:3]]
        if len(words) < 4 or None in numbers:
            if numbers[:1] == [None] and not line.lstrip().startswith("time"):
                self.part = ""  # the explanation below
            return
        own, rest = numbers[2] or 0.0, words[3]
        first = rest.split(None, 3)
        calls = None
        if len(first) == 4 and all(decimal(word) is not None for word in first[:3]):
            calls, rest = decimal(first[0]), first[3]
        self._flat[_NAME_END.sub("", rest)] = own, calls

    def _own_line(self, line: str) -> None:
        self._is_below = True
        found = _OWN.match(line)
        own, children = (decimal(found[2]), decimal(found[3])) if found else (None, None)
        if found is None or own is None or children is None:
            self.made.omissions[DAMAGED] += 1
            return
        number = int(found[1])
        name = _NAME_END.sub("", found[6])
        if _WHOLE_CYCLE.search(name):
            self.made.omissions[CYCLES] += 1
            return
        calls = decimal(found[4]) if found[4] else None
        self._functions[number] = name
        self._nodes[number] = own, children, calls, (decimal(found[5] or "0") or 0.0)
        self._pairs += [(caller, number, own, below, calls) for _, own, below, calls, caller in self._callers]

    def _caller_line(self, line: str) -> None:
        if "<spontaneous>" in line:
            return
        found = _PAIR.match(line)
        if found is None:
            self.made.omissions[DAMAGED] += 1
            return
        own, children = decimal(found[1] or "0"), decimal(found[2] or "0")
        calls = decimal(found[3])
        if own is None or children is None or calls is None:
            self.made.omissions[DAMAGED] += 1
        elif not _WHOLE_CYCLE.search(found[5]):
            self._callers.append((found[5], own, children, calls, int(found[6])))

    def profile(self) -> Profile:
        """What was read. Raises UnreadableTrace if there is no function."""
        made = self.made
        rows: dict[int, int] = {}
        for number, (own, children, calls, recursive) in self._nodes.items():
            function = rows[number] = made.function(self._functions[number])
            node = made.node(function)
            made.add(node, "time", own * 1e9, unit="ns")
            made.add(node, "time", (own + children) * 1e9, unit="ns", inclusive=True)
            if calls is not None:
                made.add(node, "calls", calls + recursive, unit="calls")
        for caller, callee, own, children, calls in self._pairs:
            if caller in rows and callee in rows:
                made.pair(rows[caller], rows[callee], "calls", calls, unit="calls")
                made.pair(rows[caller], rows[callee], "time", own * 1e9, unit="ns")
                made.pair(rows[caller], rows[callee], "time", (own + children) * 1e9, unit="ns", inclusive=True)
            else:
                made.omissions[DAMAGED] += 1
        known = set(self._functions.values())
        for name, (own, calls) in self._flat.items():
            if name not in known:
                node = made.node(made.function(name))
                made.add(node, "time", own * 1e9, unit="ns")
                if calls is not None:
                    made.add(node, "calls", calls, unit="calls")
        if not len(made):
            raise UnreadableTrace("it has no function")
        return made.profile(sampled=True, call_graph=True)
