"""Samples in a trace: `samples` with `stackFrames`, and the CPU profiles that Chromium writes in pieces."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any

import numpy as np

from cbvtool.budget import Budget
from cbvtool.trace.making.builder import ThreadEvents, TraceBuilder
from cbvtool.trace.making.matching import ANY_FUNCTION, BEGIN, END
from cbvtool.trace.readers.chrome.decoding import record
from cbvtool.trace.readers.chrome.names import FunctionName, bundle_function

DEEPEST = 2_000  # frames of a stack
_MOST_KEPT = 2_000_000  # frames of stacks that are kept for the next sample
_WITHOUT = frozenset(("(root)", "(program)", "(idle)"))  # nothing of the program runs


@dataclass
class SampledThread:
    """Samples of one thread: times in ns and the id of the innermost frame, `None` = nothing runs.

    frames  by id: function and id of the caller's frame, `None` = none
    """

    process: int
    id: int
    name: str = ""
    times: list[int] = field(default_factory=list)
    leaves: list[Any] = field(default_factory=list)
    frames: Mapping[Any, tuple[FunctionName, Any]] = field(default_factory=dict)


def whole(value: Any) -> int:
    """An id as a number; -1 if it is no number."""
    try:
        return int(value)
    except (TypeError, ValueError, OverflowError):
        return -1


def exact_ns(value: Any) -> int | None:
    """Microseconds, as number or text, in ns; None if it is no time."""
    try:
        time = Decimal(str(value)) * 1000
        return int(time.to_integral_value()) if abs(time) < 2**63 else None
    except (InvalidOperation, ValueError, OverflowError):
        return None


def hermes_samples(samples: Any, stack_frames: Any, builder: TraceBuilder) -> list[SampledThread]:
    """The threads of `samples` and `stackFrames`."""
    frames: dict[Any, tuple[FunctionName, Any]] = {}
    for id, frame in record(stack_frames).items():
        if isinstance(frame, dict):
            parent = frame.get("parent")
            frames[id] = bundle_function(str(frame.get("name", ""))), None if parent is None else str(parent)
    threads: dict[tuple[int, int], SampledThread] = {}
    for sample in samples if isinstance(samples, list) else ():
        if not isinstance(sample, dict) or (time := exact_ns(sample.get("ts"))) is None:
            builder.omissions["samples without a time"] += 1
            continue
        key = whole(sample.get("pid")), whole(sample.get("tid"))
        thread = threads.setdefault(key, SampledThread(*key, frames=frames))
        thread.times.append(time)
        thread.leaves.append(str(sample.get("sf")) if sample.get("sf") else None)
    return list(threads.values())


def chromium_profiles(
    events: Iterable[tuple[str, int, int, str, int, Any]], builder: TraceBuilder
) -> list[SampledThread]:
    """The threads of `Profile` and `ProfileChunk` events: (name, process, thread, id, ns, arguments) of each."""
    threads: dict[tuple[int, str], SampledThread] = {}
    clocks: dict[tuple[int, str], int] = {}
    for name, process, thread_id, id, time, arguments in events:
        data = record(record(arguments).get("data"))
        key = process, id
        if name == "Profile" or key not in threads:
            begun = exact_ns(data.get("startTime"))
            clocks[key] = time if begun is None else begun
            threads[key] = SampledThread(process, thread_id, frames={})
        if name != "ProfileChunk":
            continue
        thread = threads[key]
        frames = thread.frames
        assert isinstance(frames, dict)
        profile = record(data.get("cpuProfile"))
        for node in _list(profile.get("nodes")):
            call = record(record(node).get("callFrame"))
            line = whole(call.get("lineNumber")) + 1
            function = FunctionName(
                str(call.get("functionName") or "(anonymous)"), str(call.get("url") or ""), max(line, 0)
            )
            id_of, parent = record(node).get("id"), record(node).get("parent")
            if not isinstance(id_of, int):
                continue
            frames[id_of] = function, parent if isinstance(parent, int) else None
            for child in _list(record(node).get("children")):
                if isinstance(child, int) and child in frames:
                    frames[child] = frames[child][0], id_of
        leaves = _list(profile.get("samples"))
        deltas = _list(data.get("timeDeltas")) or _list(profile.get("timeDeltas"))
        for leaf, delta in zip(leaves, deltas, strict=False):
            step = exact_ns(delta)
            if step is None:
                builder.omissions["samples without a time"] += 1
                continue
            clocks[key] += step
            thread.times.append(clocks[key])
            thread.leaves.append(leaf if isinstance(leaf, int) else None)
        if len(leaves) != len(deltas):
            builder.omissions["samples without a time"] += abs(len(leaves) - len(deltas))
    return [thread for thread in threads.values() if thread.times]


def events_of(thread: SampledThread, builder: TraceBuilder, budget: Budget) -> ThreadEvents:
    """Calls put together from the samples: what two samples in a row share runs on between them."""
    kind, function, at = array("B"), array("I"), array("q")
    order = sorted(range(len(thread.times)), key=thread.times.__getitem__)
    stacks: dict[Any, list[tuple[Any, int]]] = {None: []}
    kept = 0
    running: list[tuple[Any, int]] = []
    for sample in order:
        leaf, time = thread.leaves[sample], thread.times[sample]
        stack = stacks.get(leaf)
        if stack is None:
            stack = _stack(leaf, thread.frames, builder)
            kept += len(stack)
            if kept <= _MOST_KEPT:
                stacks[leaf] = stack
        budget.spend(count=len(stack))
        shared = 0
        while shared < min(len(stack), len(running)) and stack[shared] == running[shared]:
            shared += 1
        ended, begun = len(running) - shared, [number for _, number in stack[shared:]]
        kind.extend([END] * ended + [BEGIN] * len(begun))
        function.extend([ANY_FUNCTION] * ended + begun)
        at.extend([time] * (ended + len(begun)))
        running = stack
    kind.extend([END] * len(running))
    function.extend([ANY_FUNCTION] * len(running))
    at.extend([thread.times[order[-1]]] * len(running))
    times = np.frombuffer(at, np.int64)
    return ThreadEvents(np.frombuffer(kind, np.uint8), np.frombuffer(function, np.uint32), times, times)


def _stack(leaf: Any, frames: Mapping[Any, tuple[FunctionName, Any]], builder: TraceBuilder) -> list[tuple[Any, int]]:
    """Frames and functions of a stack, the outermost first."""
    stack: list[tuple[Any, int]] = []
    while leaf is not None:
        if leaf not in frames or len(stack) > DEEPEST:
            builder.repairs["stacks of samples that lead nowhere"] += 1
            break
        (name, file, line), parent = frames[leaf]
        if name not in _WITHOUT:
            stack.append((leaf, builder.function(name, "", file, line)))
        leaf = parent
    return stack[::-1]


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
