"""Statistics of cProfile and profile, as `dump_stats` writes them: a call graph, not a tree.

The file is one marshalled dict: (file, line, name) -> (primitive calls, calls, own s, cumulative s, callers), where
callers are the same dict of (calls, primitive calls, own s, cumulative s), or of bare counts (`profile` of old).
Own and cumulative time are what the timer of the profiler measured; recursion counts once in cumulative time.
"""

from __future__ import annotations

from typing import Any

from cbvtool.budget import Budget
from cbvtool.progress import Progress
from cbvtool.trace.making.profile_builder import ProfileBuilder
from cbvtool.trace.readers.content import whole
from cbvtool.trace.readers.marshal_values import finite, loads
from cbvtool.trace.readers.reader import Part
from cbvtool.trace.readers.source import TraceSource, UnreadableTrace

NAME = "pstats"
LABEL = "cProfile statistics (pstats)"
_NS = 1e9
_NO_STATISTICS = "it is not what cProfile writes"
BAD_ROWS = "functions whose statistics make no sense"
BAD_CALLERS = "callers whose statistics make no sense"


def sniff(source: TraceSource) -> bool:
    """A marshalled dict whose first key is a tuple of three, or an empty one."""
    head = source.head
    if head[:1] not in (b"{", b"\xfb"):
        return False
    first = head[1] & 0x7F if len(head) > 1 else 0
    return (first == ord(")") and head[2:3] == b"\x03") or (first == ord("(") and head[2:6] == b"\x03\0\0\0")


def read(source: TraceSource, budget: Budget, progress: Progress) -> list[Part]:
    """One profile: functions as roots with calls, primitive calls, own and cumulative time, and pairs of them."""
    progress("reading", 0, 0)
    stats = loads(whole(source, budget), budget)
    if not isinstance(stats, dict):
        raise UnreadableTrace(_NO_STATISTICS)
    made = ProfileBuilder(NAME, budget)
    made.describe(recorder="cProfile", clock="")
    rows: dict[int, int] = {}  # function -> node
    for key, value in stats.items():
        function = _function(made, key)
        if function is None or function in rows:
            made.omissions[BAD_ROWS] += 1
            continue
        try:
            primitive, calls, own, total = (finite(number) for number in value[:4])
            callers = value[4]
        except (TypeError, ValueError, IndexError, KeyError, UnreadableTrace):
            made.omissions[BAD_ROWS] += 1
            continue
        node = rows[function] = made.node(function)
        made.add(node, "calls", calls, unit="calls")
        made.add(node, "primitive calls", primitive, unit="calls")
        made.add(node, "time", own * _NS, unit="ns")
        made.add(node, "time", total * _NS, unit="ns", inclusive=True)
        _read_callers(made, function, callers)
    if stats and not rows:
        raise UnreadableTrace(_NO_STATISTICS)
    return [made.profile(call_graph=True)]


def _read_callers(made: ProfileBuilder, callee: int, callers: Any) -> None:
    if not isinstance(callers, dict):
        made.omissions[BAD_CALLERS] += 1
        return
    for key, value in callers.items():
        caller = _function(made, key)
        if caller is None:
            made.omissions[BAD_CALLERS] += 1
            continue
        try:
            if isinstance(value, tuple):
                calls, primitive, own, total = (finite(number) for number in value)
                made.pair(caller, callee, "calls", calls, unit="calls")
                made.pair(caller, callee, "primitive calls", primitive, unit="calls")
                made.pair(caller, callee, "time", own * _NS, unit="ns")
                made.pair(caller, callee, "time", total * _NS, unit="ns", inclusive=True)
            else:
                made.pair(caller, callee, "calls", finite(value), unit="calls")
        except (ValueError, UnreadableTrace):
            made.omissions[BAD_CALLERS] += 1


def _function(made: ProfileBuilder, key: Any) -> int | None:
    """The function of a key; `~` as a file is how built-in functions are written."""
    if not isinstance(key, tuple) or len(key) != 3:
        return None
    file, line, name = key
    file, name = (text.decode("utf-8", "replace") if isinstance(text, bytes) else text for text in (file, name))
    if not isinstance(file, str) or not isinstance(name, str) or not isinstance(line, int):
        return None
    if file == "~":
        return made.function(name, "", "", 0)
    return made.function(name, "", file, line)
