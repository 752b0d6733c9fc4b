"""Callgrind's profiles, as `valgrind --tool=callgrind` and other programs write them: functions and pairs of them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from cbvtool.budget import Budget
from cbvtool.progress import Progress
from cbvtool.trace.making.profile_builder import ProfileBuilder
from cbvtool.trace.model.profile import Profile
from cbvtool.trace.readers.lines import head_lines, text_lines
from cbvtool.trace.readers.reader import Part
from cbvtool.trace.readers.source import TraceSource, UnreadableTrace

NAME = "callgrind"
LABEL = "Callgrind"

_SNIFFED = re.compile(r"(?:#\s*callgrind format|events:\s*\w+|positions:\s*(?:line|instr)|creator:\s*callgrind)")
_FUNCTION = re.compile(r"c?fn=")
_NAME = re.compile(r"\((\d+)\)(?:\s(.*))?$")
_SPECIFICATION = re.compile(r"(fn|fl|fi|fe|ob|cfn|cfi|cfl|cob)=\s?(.*)$")
_HEADER = re.compile(r"([a-zA-Z]+):\s*(.*)$")
_KINDS = {
    "fn": "fn",
    "cfn": "fn",
    "fl": "fl",
    "fi": "fl",
    "fe": "fl",
    "cfi": "fl",
    "cfl": "fl",
    "ob": "ob",
    "cob": "ob",
}
_UNITS = {"Ir": "instructions", "ns": "ns", "us": "us", "ms": "ms", "Samples": "samples"}
_LARGEST = 2**63 - 1
_BAD = "lines that cannot be read"
_NO_NAME = "names by a number that was not named before"
_NO_FUNCTION = "costs before any function"
_MOST_NAMES = 64  # of headers that are kept


@dataclass
class _Reading:
    """Where the reading stands, and what it has found."""

    builder: ProfileBuilder
    budget: Budget
    names: dict[tuple[str, str], str] = field(default_factory=dict)
    header: dict[str, str] = field(default_factory=dict)
    events: list[str] = field(default_factory=lambda: ["cost"])
    positions: int = 1
    thread: int = 0
    threads: set[int] = field(default_factory=set)
    here: dict[str, str] = field(default_factory=lambda: {"fn": "", "fl": "", "ob": ""})
    inlined_from: str = ""  # file of the cost lines, where it is not the function's own
    line: int = 0
    called: dict[str, str] = field(default_factory=dict)
    calls: int = -1  # of the line whose cost comes next
    function: int = -1
    callee: int = -1
    # (thread, function) -> sums; (caller, callee) -> (calls, sums)
    own: dict[tuple[int, int], list[int]] = field(default_factory=dict)
    pairs: dict[tuple[int, int, int], list[int]] = field(default_factory=dict)
    totals: list[int] = field(default_factory=list)

    def no(self, what: str) -> None:
        self.builder.omissions[what] += 1


def sniff(source: TraceSource) -> bool:
    """Whether the first lines hold a header of the format, and a function."""
    if source.is_folder or source.head[:1] in b"{[<":
        return False
    lines = head_lines(source)
    return any(_SNIFFED.match(line) for line in lines[:50]) and any(_FUNCTION.match(line) for line in lines)


def read(source: TraceSource, budget: Budget, progress: Progress) -> list[Part]:
    """One profile of all parts of the file: a call graph, not a tree.

    The format says what a function costs itself, and what the calls from one function to another cost with all below
    them; on which path of calls that was spent it does not say. So each function is a root with its own cost, its
    cost with what it calls, and how often it was called; `Profile.pairs` has the calls and cost of each pair. The cost
    of a function that calls itself is not added to its cost twice; that of longer cycles is, as in callgrind_annotate.
    Costs of several threads are also kept by thread.
    """
    reading = _Reading(ProfileBuilder(NAME, budget), budget)
    for line in text_lines(source, budget, progress):
        _line(reading, line.strip())
    if not reading.own and not reading.pairs:
        raise UnreadableTrace("it has no costs of functions")
    return [_profile(reading)]


def _line(reading: _Reading, line: str) -> None:
    """What one line adds."""
    if not line or line.startswith("#"):
        return
    if line[0].isdigit() or line[0] in "+-*":
        _cost(reading, line)
    elif found := _SPECIFICATION.match(line):
        _name(reading, found[1], found[2])
    elif line.startswith("calls="):
        count = _number(line[6:].split(" ")[0])
        reading.calls = -1 if count is None else count
        if count is None:
            reading.no(_BAD)
    elif line.startswith(("jump=", "jcnd=")):
        pass  # the line behind it has a position and no cost
    elif found := _HEADER.match(line):
        _header(reading, found[1], found[2])
    else:
        reading.no(_BAD)


def _header(reading: _Reading, name: str, value: str) -> None:
    if name == "events":
        reading.events = value.split()[:_MOST_NAMES] or ["cost"]
    elif name == "positions":
        reading.positions = max(1, len(value.split()))
    elif name == "thread":
        reading.thread = _number(value) or 0
    elif name in ("summary", "totals"):
        numbers = [_number(word) or 0 for word in value.split()]
        if name == "totals":
            reading.totals = [a + b for a, b in zip(_padded(reading.totals, numbers), numbers, strict=True)]
    elif name == "part":
        reading.here.update(fn="", fl="", ob="")
        reading.function, reading.line = -1, 0
    if len(reading.header) < _MOST_NAMES:
        reading.header.setdefault(name, value)


def _padded(sums: list[int], numbers: list[int]) -> list[int]:
    return (sums + [0] * len(numbers))[: len(numbers)]


def _name(reading: _Reading, kind: str, text: str) -> None:
    """A name, or the number of one that was given before."""
    shared = _KINDS.get(kind, "fl")
    name = text
    if compressed := _NAME.match(text):
        key = (shared, compressed[1])
        if compressed[2]:
            reading.budget.spend(size=len(compressed[2]) + 100)
            reading.names[key] = compressed[2]
        elif key not in reading.names:
            reading.no(_NO_NAME)
        name = reading.names.get(key, text)
    if kind in ("cfn", "cfi", "cfl", "cob"):
        reading.called[shared] = name
        if kind == "cfn":
            reading.callee = _function(reading, reading.called)
            reading.called = {}
        return
    if kind in ("fi", "fe"):
        reading.inlined_from = name
        return
    reading.here[shared] = name
    if kind == "fl":
        reading.inlined_from = name
    if kind == "fn":
        reading.inlined_from = reading.here["fl"]
        reading.function = _function(reading, {})


def _function(reading: _Reading, called: dict[str, str]) -> int:
    """The function that the names in force say; what a callee does not say is as where the call stands."""
    file = called.get("fl", reading.inlined_from if called else reading.here["fl"])
    module = called.get("ob", reading.here["ob"])
    name = called.get("fn", reading.here["fn"])
    return reading.builder.function(name, _plain(module), _plain(file))


def _plain(path: str) -> str:
    """The path, empty if it says that it is unknown."""
    return "" if path in ("???", "(unknown)") else path


def _cost(reading: _Reading, line: str) -> None:
    """Positions and costs of a line: of the function itself, or of the calls that the line before announced."""
    words = line.split()
    costs = [_number(word) for word in words[reading.positions : reading.positions + len(reading.events)]]
    if any(cost is None for cost in costs):
        reading.no(_BAD)
        return
    numbers = [cost or 0 for cost in costs]
    reading.budget.spend(count=1)
    calls, reading.calls = reading.calls, -1
    if reading.function < 0:
        reading.no(_NO_FUNCTION)
        return
    if calls >= 0 and reading.callee >= 0:
        key = (reading.thread, reading.function, reading.callee)
        sums = reading.pairs.get(key)
        if sums is None:
            sums = reading.pairs[key] = [0]
        sums[0] += calls
        _add(sums, 1, numbers)
        return
    if numbers:
        reading.threads.add(reading.thread)
        own = reading.own.setdefault((reading.thread, reading.function), [])
        _add(own, 0, numbers)


def _add(sums: list[int], first: int, numbers: list[int]) -> None:
    sums.extend([0] * (first + len(numbers) - len(sums)))
    for place, number in enumerate(numbers, first):
        sums[place] = min(_LARGEST, sums[place] + number)


def _number(text: str) -> int | None:
    """A count, decimal or hexadecimal; None if it is none, or larger than 64 bits hold."""
    try:
        number = int(text, 16) if text[:2] in ("0x", "0X") else int(text)
    except ValueError:
        return None
    return number if 0 <= number <= _LARGEST else None


def _profile(reading: _Reading) -> Profile:
    builder = reading.builder
    places = len(reading.threads) > 1
    called: dict[tuple[int, int], int] = {}
    whole: dict[tuple[int, int], list[int]] = {key: list(sums) for key, sums in reading.own.items()}
    for (thread, caller, callee), sums in reading.pairs.items():
        builder.pair(caller, callee, "calls", sums[0], unit="calls")
        for event, cost in zip(reading.events, sums[1:], strict=False):
            builder.pair(caller, callee, event, cost, unit=_unit(event), inclusive=True)
        called[thread, callee] = called.get((thread, callee), 0) + sums[0]
        whole.setdefault((thread, callee), [])
        if caller != callee:
            _add(whole.setdefault((thread, caller), []), 0, sums[1:])
    nodes: dict[int, int] = {}
    for thread, function in whole:
        node = nodes.get(function)
        if node is None:
            node = nodes[function] = builder.node(function)
        place = (0, thread) if places else None
        if count := called.get((thread, function)):
            builder.add(node, "calls", count, unit="calls", place=place)
        sums = reading.own.get((thread, function), [])
        for event, cost in zip(reading.events, sums, strict=False):
            builder.add(node, event, cost, unit=_unit(event), place=place)
        for event, cost in zip(reading.events, whole[thread, function], strict=False):
            builder.add(node, event, cost, unit=_unit(event), inclusive=True, place=place)
    _describe(reading)
    return builder.profile(call_graph=True)


def _describe(reading: _Reading) -> None:
    header = reading.header
    command = header.get("cmd", "").split(" ")
    sums = [0] * len(reading.events)
    for own in reading.own.values():
        for place, number in enumerate(own):
            sums[place] += number
    if reading.totals and reading.totals[: len(sums)] != sums[: len(reading.totals)]:
        reading.builder.repairs["totals that differ from the sum of the costs"] += 1
    reading.builder.describe(
        program=command[0],
        arguments=tuple(command[1:]),
        recorder=header.get("creator", ""),
        parameters={key: header[key] for key in ("desc", "pid", "version") if key in header},
    )


def _unit(event: str) -> str:
    return _UNITS.get(event, "events")
