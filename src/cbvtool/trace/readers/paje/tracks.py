"""States of a container as they were recorded: pushed, popped, set and reset; and as begins and ends of calls."""

from __future__ import annotations

from array import array

import numpy as np
import numpy.typing as npt

from cbvtool.trace.kernels import kernel
from cbvtool.trace.making.builder import ThreadEvents
from cbvtool.trace.making.matching import ANY_FUNCTION, BEGIN, END

PUSH, POP, SET, RESET = range(4)


class Track:
    """The states of one type of one container, in the order in which they were read. Times are ns."""

    def __init__(self) -> None:
        self.kind, self.value, self.time = array("B"), array("I"), array("q")
        self.note = self.kind.append, self.value.append, self.time.append
        self.spans: list[tuple[int, int, int, int]] = []  # start, level, end, value: whole states, in place of events

    def span(self, value: int, start: int, end: int, level: int) -> None:
        """A whole state, and how many lie around it. A track has these alone, or none."""
        self.spans.append((start, level, max(start, end), value))

    def events(self) -> tuple[ThreadEvents, int]:
        """Begins and ends in the order of time, and how many were not in it."""
        if self.spans:
            self._note_spans()
        kind = np.frombuffer(self.kind, np.uint8)
        value, time = np.frombuffer(self.value, np.uint32), np.frombuffer(self.time, np.int64)
        late = int(np.count_nonzero(np.diff(time) < 0))
        if late:
            order = np.argsort(time, kind="stable")
            kind, value, time = kind[order], value[order], time[order]
        if not (kind >= SET).any():
            function = np.where(kind == PUSH, value, np.uint32(ANY_FUNCTION)).astype(np.uint32)
            whole = np.where(kind == PUSH, BEGIN, END).astype(np.uint8)
            return ThreadEvents(whole, function, time, np.zeros(len(time), np.int64)), late
        size = 2 * len(kind)  # each state ends once at most
        made, function, when = np.empty(size, np.uint8), np.empty(size, np.uint32), np.empty(size, np.int64)
        count = unfold(kind, value, time, BEGIN, END, ANY_FUNCTION, made, function, when)
        return ThreadEvents(made[:count], function[:count], when[:count], np.zeros(count, np.int64)), late

    def _note_spans(self) -> None:
        """Whole states as pushes and pops: a state ends before the next one of its level, or of one around it."""
        ends: list[int] = []
        kind, value, time = self.note
        for start, level, end, what in sorted(self.spans):
            while len(ends) > max(level, 0):
                kind(POP)
                value(0)
                time(min(ends.pop(), start))
            kind(PUSH)
            value(what)
            time(start)
            ends.append(end)
        while ends:
            kind(POP)
            value(0)
            time(ends.pop())
        self.spans = []


@kernel
def unfold(
    kind: npt.NDArray[np.uint8],
    value: npt.NDArray[np.uint32],
    time: npt.NDArray[np.int64],
    begin: int,
    end: int,
    any_function: int,
    made: npt.NDArray[np.uint8],
    function: npt.NDArray[np.uint32],
    when: npt.NDArray[np.int64],
) -> int:
    """Write begins and ends; setting and resetting end all states that are open. How many there are."""
    count = height = 0
    for row in range(len(kind)):
        what = kind[row]
        ends = 0
        if what >= 2:
            ends = height
        elif what == 1:
            ends = 1
        for _ in range(ends):
            made[count], function[count], when[count] = end, any_function, time[row]
            count += 1
            height = max(height - 1, 0)
        if what == 0 or what == 2:
            made[count], function[count], when[count] = begin, value[row], time[row]
            count += 1
            height += 1
    return count
