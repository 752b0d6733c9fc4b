"""When threads ran: the events that the kernel gives uftrace (`perf-cpu*.dat`), to states of threads."""

from __future__ import annotations

import struct
from array import array
from collections import Counter
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from cbvtool.budget import Budget
from cbvtool.trace.readers.uftrace.folder import Folder

_HEADER = struct.Struct("<IHH")  # kind, flags, size of the whole
_SAMPLE = struct.Struct("<IIQ")  # process, thread, time
_COMM, _EXIT, _FORK, _SWITCH = 3, 4, 7, 14
_OUT, _PREEMPTED = 1 << 13, 1 << 14
OFF_CPU, PREEMPTED = "off the processor", "pre-empted"
_UNPAIRED = "scheduling events without a partner"
_CUT = "bytes of scheduling events that cannot be read"


@dataclass
class Scheduling:
    """Events by thread id: time in ns, and whether it left the processor (1), was pushed off it (2), came back (0)."""

    thread: array[int] = field(default_factory=lambda: array("q"))
    time: array[int] = field(default_factory=lambda: array("q"))
    leaves: array[int] = field(default_factory=lambda: array("B"))
    names: dict[int, str] = field(default_factory=dict)


def read_scheduling(folder: Folder, budget: Budget, omissions: Counter[str]) -> Scheduling:
    """All events of all processors. Source: `perf_event.h` of Linux; samples end with process, thread and time."""
    found = Scheduling()
    for name in folder.names(".dat"):
        if not name.startswith("perf-cpu"):
            continue
        rest = b""
        for block in folder.blocks(name, 1 << 20):
            data = rest + block
            used = _read_block(found, data)
            budget.spend(count=1 + used // 24, size=17 * (used // 24))
            rest = data[used:]
            if len(rest) > 1 << 16:  # no event is longer
                break
        if rest:
            omissions[_CUT] += len(rest)
    return found


def _read_block(found: Scheduling, data: bytes) -> int:
    """Take the whole events of a block; return how many bytes they are."""
    at = 0
    while at + _HEADER.size <= len(data):
        kind, flags, size = _HEADER.unpack_from(data, at)
        if size < _HEADER.size:
            return at
        if at + size > len(data):
            break
        if kind == _SWITCH and size >= _HEADER.size + _SAMPLE.size:
            _, thread, time = _SAMPLE.unpack_from(data, at + size - _SAMPLE.size)
            found.thread.append(thread)
            found.time.append(min(time, 2**63 - 1))
            found.leaves.append(0 if not flags & _OUT else 2 if flags & _PREEMPTED else 1)
        elif kind == _COMM and size >= _HEADER.size + 8 + _SAMPLE.size:
            thread = int.from_bytes(data[at + 12 : at + 16], "little")
            text = data[at + 16 : at + size - _SAMPLE.size].split(b"\0")[0]
            found.names[thread] = text.decode("utf-8", "replace")
        at += size
    return at


@dataclass(frozen=True, eq=False)
class Absences:
    """When threads were off the processor: thread id, start and end in ns, whether they were pushed off it.

    end  -1 = until the end of the recording
    """

    thread: npt.NDArray[np.int64]
    start: npt.NDArray[np.int64]
    end: npt.NDArray[np.int64]
    preempted: npt.NDArray[np.bool_]


def absences(events: Scheduling, repairs: Counter[str]) -> Absences:
    """Pairs of leaving and coming back of the same thread."""
    thread, time = np.array(events.thread, np.int64), np.array(events.time, np.int64)
    leaves = np.array(events.leaves, np.uint8)
    order = np.lexsort((time, thread))
    thread, time, leaves = thread[order], time[order], leaves[order]
    following = np.roll(thread, -1) == thread
    if len(thread):
        following[-1] = False
    out = leaves > 0
    back = following & (np.roll(leaves, -1) == 0)
    last = ~following
    paired = out & (back | last)
    unpaired = int(np.count_nonzero(out & ~paired))
    comes = ~out
    before = np.roll(out, 1) & (np.roll(thread, 1) == thread)
    if len(before):
        before[0] = False
    first = np.roll(thread, 1) != thread
    if len(first):
        first[0] = True
    unpaired += int(np.count_nonzero(comes & ~before & ~first))
    if unpaired:
        repairs[_UNPAIRED] += unpaired
    end = np.where(back, np.roll(time, -1), -1)
    return Absences(thread[paired], time[paired], end[paired], leaves[paired] == 2)
