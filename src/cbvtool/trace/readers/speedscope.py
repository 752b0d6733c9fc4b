"""Speedscope's own JSON. A profile in a unit of time becomes a thread of a trace, any other one a profile."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from typing import Any, Generic, TypeVar

import msgspec
import numpy as np

from cbvtool.budget import Budget
from cbvtool.progress import Progress
from cbvtool.trace.making.builder import ThreadEvents, TraceBuilder
from cbvtool.trace.making.matching import BEGIN, END
from cbvtool.trace.making.profile_builder import NO_NODE, ProfileBuilder
from cbvtool.trace.making.samples import events_of_samples
from cbvtool.trace.readers.closed_json import closed
from cbvtool.trace.readers.content import whole
from cbvtool.trace.readers.reader import Part
from cbvtool.trace.readers.source import TraceSource, UnreadableTrace

NAME = "speedscope"
LABEL = "Speedscope"

_MARK = b"speedscope.app/file-format-schema"
_SCALES = {"seconds": 10**9, "milliseconds": 10**6, "microseconds": 10**3, "nanoseconds": 1}
_EXACT = 2**53  # above this, doubles cannot represent every integer
_LEAST, _MOST = -(2**62), 2**62
CUT_OFF = "files that were cut off"
NO_FRAME = "events and samples of frames that the file does not name"
BAD_NUMBER = "numbers beyond 64 bits"
NO_PROFILE = "profiles of an unknown type"
FEWER = "samples or weights without a partner"

N = TypeVar("N", float, Decimal)


class _Frame(msgspec.Struct):
    name: str = ""
    file: str | None = None
    line: float | None = None


class _Event(msgspec.Struct, Generic[N]):
    """Begin ("O") or end ("C") of a call. The last one of a file that was cut off lacks fields."""

    at: N | None = None
    frame: int = -1
    type: str = ""


class _Recorded(msgspec.Struct, Generic[N]):
    """A profile; its type determines which of its fields exist."""

    type: str = ""
    name: str = ""
    unit: str = "none"
    startValue: N | None = None
    endValue: N | None = None
    events: list[_Event[N]] = []
    samples: list[list[int]] = []
    weights: list[N] = []


class _Shared(msgspec.Struct):
    frames: list[_Frame] = []


class _File(msgspec.Struct, Generic[N]):
    shared: _Shared = msgspec.field(default_factory=_Shared)
    profiles: list[_Recorded[N]] = []
    name: str | None = None
    exporter: str | None = None


def sniff(source: TraceSource) -> bool:
    """Whether it is JSON that names speedscope's schema, or has the members of such a file."""
    head = source.head
    if head[:1] != b"{" and head.lstrip()[:1] != b"{":
        return False
    return _MARK in head or (b'"profiles"' in head and b'"shared"' in head and b'"frames"' in head)


def read(source: TraceSource, budget: Budget, progress: Progress) -> list[Part]:
    """A trace with a thread for each profile that has a unit of time, and a profile for each other one.

    Evented profiles contain calls; in sampled ones, calls are inferred from samples, and marked so. A truncated file is
    read up to the last complete value.
    """
    repairs: Counter[str] = Counter()
    progress("Reading", 0, 0)
    data = whole(source, budget)
    file: _File[Any] = _parsed(data, _File[float], repairs, budget)
    if any(_coarse(recorded) for recorded in file.profiles):
        file = _parsed(data, _File[Decimal], Counter(), budget)
    del data
    budget.spend(size=0)
    progress("Building calls", 0, len(file.profiles))
    if not file.profiles:
        raise UnreadableTrace("it has no profiles")
    parts: list[Part] = []
    timed = [(row, recorded) for row, recorded in enumerate(file.profiles) if recorded.unit in _SCALES]
    if timed:
        builder = TraceBuilder(NAME, budget)
        builder.repairs.update(repairs)
        builder.describe(program=file.name or "", recorder=file.exporter or "", clock="")
        functions = [builder.function(*_function(frame)) for frame in file.shared.frames]
        for row, recorded in timed:
            progress("Building calls", row, len(file.profiles))
            _add_thread(builder, row, recorded, functions, budget)
        parts.append(builder.trace(builder.build()))
    untimed = (recorded for recorded in file.profiles if recorded.unit not in _SCALES)
    parts.extend(_profile(recorded, file, budget, repairs) for recorded in untimed)
    return parts


def _parsed(data: bytes, file_type: Any, repairs: Counter[str], budget: Budget) -> _File[Any]:
    """The parsed file; `file_type` decides whether its numbers are doubles or decimals. Raises UnreadableTrace."""
    decoder: msgspec.json.Decoder[_File[Any]] = msgspec.json.Decoder(file_type, strict=False)
    try:
        return decoder.decode(data)
    except msgspec.ValidationError as error:
        raise UnreadableTrace(f"it is not as speedscope writes it: {error}") from None
    except UnicodeDecodeError:  # this error is not a subclass of msgspec's errors
        return _parsed(data.decode("utf-8", "replace").encode(), file_type, repairs, budget)
    except (msgspec.DecodeError, RecursionError):
        pass
    try:
        file = decoder.decode(closed(data, budget))
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise UnreadableTrace(f"it is not JSON: {error}") from None
    repairs[CUT_OFF] += 1
    return file


def _coarse(recorded: _Recorded[Any]) -> bool:
    """Whether doubles are too coarse for nanoseconds of these times."""
    scale = _SCALES.get(recorded.unit, 0)
    largest = max((abs(value) for value in (recorded.startValue, recorded.endValue) if value is not None), default=0.0)
    if recorded.events:
        largest = max(largest, abs(recorded.events[-1].at or 0))
    return bool(largest * scale > _EXACT)


def _function(frame: _Frame) -> tuple[str, str, str, int]:
    line = int(frame.line) if frame.line is not None and 0 <= frame.line < 2**31 else 0
    return frame.name, "", frame.file or "", line


def _ns(value: float | Decimal, scale: int) -> int | None:
    """A time in ns; None if it does not fit into 64 bits."""
    if not _LEAST < value < _MOST:  # also True for NaN
        return None
    scaled = value * scale
    return round(scaled) if _LEAST < scaled < _MOST else None


def _add_thread(
    builder: TraceBuilder, row: int, recorded: _Recorded[Any], functions: list[int], budget: Budget
) -> None:
    """Add a profile as a thread. Threads get numbers in order, because the format has only names."""
    scale = _SCALES[recorded.unit]
    if recorded.type not in ("evented", "sampled"):
        builder.omissions[NO_PROFILE] += 1
        return
    thread = builder.thread(0, row)
    builder.name_thread(thread, recorded.name)
    for value in (recorded.startValue, recorded.endValue):
        if value is not None and (time := _ns(value, scale)) is not None:
            builder.alive(thread, time)
    if recorded.type == "evented":
        _add_events(builder, thread, recorded, functions, scale)
    else:
        _add_samples(builder, thread, recorded, functions, budget)


def _add_events(builder: TraceBuilder, thread: int, recorded: _Recorded[Any], functions: list[int], scale: int) -> None:
    kinds, frames, times = [], [], []
    for event in recorded.events:
        time = None if event.at is None else _ns(event.at, scale)
        if not 0 <= event.frame < len(functions) or event.type not in ("O", "C"):
            builder.omissions[NO_FRAME] += 1
        elif time is None:
            builder.omissions[BAD_NUMBER] += 1
        else:
            kinds.append(BEGIN if event.type == "O" else END)
            frames.append(functions[event.frame])
            times.append(time)
    size = len(kinds)
    builder.bulk(
        thread,
        ThreadEvents(
            np.array(kinds, np.uint8), np.array(frames, np.uint32), np.array(times, np.int64), np.zeros(size, np.int64)
        ),
    )


def _add_samples(
    builder: TraceBuilder, thread: int, recorded: _Recorded[Any], functions: list[int], budget: Budget
) -> None:
    """Add samples one after the other from `startValue` on, each as long as its weight."""
    builder.mark_sampled(thread)
    scale = _SCALES[recorded.unit]
    if uneven := abs(len(recorded.samples) - len(recorded.weights)):
        builder.omissions[FEWER] += uneven
    lengths, frames, starts, ends = [0], [], [], []
    value = recorded.startValue or 0
    now = _ns(value, scale)
    for stack, weight in zip(recorded.samples, recorded.weights, strict=False):
        value += weight
        end = _ns(value, scale)
        if now is None or end is None or end < now:
            builder.omissions[BAD_NUMBER] += 1
            value -= weight
            continue
        known = [functions[frame] for frame in stack if 0 <= frame < len(functions)]
        if len(known) < len(stack):
            builder.omissions[NO_FRAME] += 1
        budget.spend(count=1 + len(known), size=24 + 40 * len(known))
        frames += known
        lengths.append(len(frames))
        starts.append(now)
        ends.append(end)
        now = end
    if ends:
        builder.alive(thread, starts[0])
        builder.alive(thread, ends[-1])
    ptr, given = np.array(lengths, np.int64), np.array(frames, np.uint32)
    builder.bulk(thread, events_of_samples(ptr, given, np.array(starts, np.int64), np.array(ends, np.int64)))


def _profile(recorded: _Recorded[Any], file: _File[Any], budget: Budget, repairs: Counter[str]) -> Part:
    """A profile in a unit other than time: weights by calling context.

    In an evented one, they are differences of positions.
    """
    builder = ProfileBuilder(NAME, budget)
    builder.repairs.update(repairs)
    builder.describe(program=file.name or "", recorder=file.exporter or "", parameters={"profile": recorded.name})
    functions = [builder.function(*_function(frame)) for frame in file.shared.frames]
    unit = "samples" if recorded.unit == "none" else recorded.unit
    name = "weight"
    if recorded.type == "sampled":
        if uneven := abs(len(recorded.samples) - len(recorded.weights)):
            builder.omissions[FEWER] += uneven
        for stack, weight in zip(recorded.samples, recorded.weights, strict=False):
            node = _descend(builder, [frame for frame in stack if 0 <= frame < len(functions)], functions)
            if node == NO_NODE:
                builder.omissions["samples without a stack"] += 1
            else:
                builder.add(node, name, float(weight), unit=unit)
    elif recorded.type == "evented":
        _weigh_events(builder, recorded, functions, name, unit)
    else:
        builder.omissions[NO_PROFILE] += 1
    return builder.profile(sampled=recorded.type == "sampled")


def _descend(builder: ProfileBuilder, stack: list[int], functions: list[int]) -> int:
    node = NO_NODE
    for frame in stack:
        node = builder.child(functions[frame], node)
    return node


def _weigh_events(
    builder: ProfileBuilder, recorded: _Recorded[Any], functions: list[int], name: str, unit: str
) -> None:
    """Add the difference between two events to the stack between them."""
    stack: list[tuple[int, int]] = []  # (frame, node)
    last = 0.0
    for event in recorded.events:
        at = last if event.at is None else float(event.at)
        if stack and at > last:
            builder.add(stack[-1][1], name, at - last, unit=unit)
        last = max(last, at)
        if not 0 <= event.frame < len(functions):
            builder.omissions[NO_FRAME] += 1
        elif event.type == "O":
            node = builder.child(functions[event.frame], stack[-1][1] if stack else NO_NODE)
            stack.append((event.frame, node))
        elif stack and stack[-1][0] == event.frame:
            stack.pop()
        else:
            builder.repairs["ends without a begin"] += 1
