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
_LEVEL = re.compile(r"'(\d{1,9})$")  # fib'2 is fib, called by fib
_NAME = re.compile(r"\((\d+)\)(?:\s(.*))?$")
_SPECIFICATION = re.compile(r"(fn|fl|fi|fe|ob|cfn|cfi|cfl|cob|jfn|jfi)=\s?(.*)$")
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
    # Functions at a level of recursion are numbered: (name, module, file) as recorded -> number -> (row, level).
    variants: dict[tuple[str, str, str], int] = field(default_factory=dict)
    levels: list[tuple[int, int]] = field(default_factory=list)
    # (thread, variant) -> sums of costs; (thread, caller, callee) -> calls and sums of costs
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
    cost with what it calls, and how often it was called; `Profile.pairs` has the calls and cost of each pair. Costs of
    several threads are also kept by thread.

    Callgrind tells the outermost call of a recursive function (`fib`) from those within (`fib'2`): that is one
    function here. Its cost with what it calls is that of the outermost calls; that of a pair is that of calls of which
    one side is outermost. Where the levels are not told apart, the costs of longer cycles are counted more than once.
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
    if kind in ("jfn", "jfi"):  # where a jump leads
        return
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
    """The variant that the names in force say; what a callee does not say is as where the call stands."""
    file = called.get("fl", reading.inlined_from if called else reading.here["fl"])
    module = called.get("ob", reading.here["ob"])
    key = (called.get("fn", reading.here["fn"]), _plain(module), _plain(file))
    number = reading.variants.get(key)
    if number is None:
        number = reading.variants[key] = len(reading.levels)
        level = _LEVEL.search(key[0])
        name = key[0][: level.start()] if level else key[0]
        reading.levels.append((reading.builder.function(name, *key[1:]), int(level[1]) if level else 1))
    return number


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
    """A count, decimal or hexadecimal; None if it is no number, or needs more than 64 bits."""
    try:
        number = int(text, 16) if text[:2] in ("0x", "0X") else int(text)
    except ValueError:
        return None
    return number if 0 <= number <= _LARGEST else None


def _profile(reading: _Reading) -> Profile:
    builder, levels = reading.builder, reading.levels
    places = len(reading.threads) > 1
    calls: dict[tuple[int, int], int] = {}
    own: dict[tuple[int, int], list[int]] = {}
    whole: dict[tuple[int, int], list[int]] = {}
    for (thread, variant), sums in reading.own.items():
        function, level = levels[variant]
        _add(own.setdefault((thread, function), []), 0, sums)
        _add(whole.setdefault((thread, function), []), 0, sums if level == 1 else [])
    for (thread, caller_variant, callee_variant), sums in reading.pairs.items():
        (caller, outer), (callee, inner) = levels[caller_variant], levels[callee_variant]
        builder.pair(caller, callee, "calls", sums[0], unit="calls")
        if (outer == 1 or inner == 1) and (caller != callee or caller_variant != callee_variant):
            for event, cost in zip(reading.events, sums[1:], strict=False):
                builder.pair(caller, callee, event, cost, unit=_unit(event), inclusive=True)
        calls[thread, callee] = calls.get((thread, callee), 0) + sums[0]
        whole.setdefault((thread, callee), [])
        costs = whole.setdefault((thread, caller), [])
        if outer == 1 and caller_variant != callee_variant:
            _add(costs, 0, sums[1:])
    nodes: dict[int, int] = {}
    for (thread, function), costs in whole.items():
        node = nodes.get(function)
        if node is None:
            node = nodes[function] = builder.node(function)
        place = (0, thread) if places else None
        if count := calls.get((thread, function)):
            builder.add(node, "calls", count, unit="calls", place=place)
        for event, cost in zip(reading.events, own.get((thread, function), []), strict=False):
            builder.add(node, event, cost, unit=_unit(event), place=place)
        for event, cost in zip(reading.events, costs, strict=False):
            builder.add(node, event, cost, unit=_unit(event), inclusive=True, place=place)
    _describe(reading)
    return builder.profile(call_graph=True)


def _describe(reading: _Reading) -> None:
    header = reading.header
    command = header.get("cmd", "").split(" ")
    sums = [0] * len(reading.events)
    for own in reading.own.values():
        for place, number in enumerate(own[: len(sums)]):
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
