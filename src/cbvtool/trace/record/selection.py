"""Choose which functions are not recorded (Trümper 2014, §2.1.4): ranked by calls and time, proposed by threshold."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from cbvtool.trace.model.trace import Trace

CALLS, MEAN_NS = 10_000, 2_000.0


@dataclass(frozen=True)
class RankedFunction:
    """How often a function was called, and its time in ns with what it called, each call counted."""

    module: str
    name: str
    file: str
    line: int
    count: int
    total_ns: int

    @property
    def mean_ns(self) -> float:
        """Time of a call."""
        return self.total_ns / self.count

    @property
    def pattern(self) -> str:
        """What excludes it: a line of a file of exclusions."""
        return f"{self.module}:{self.name}"


def ranked(trace: Trace) -> list[RankedFunction]:
    """The functions of a trace, those with the most calls first, of these the shortest ones first."""
    functions = len(trace.functions)
    own = int(trace.threads.ptr[trace.threads.kind.index("task")]) if "task" in trace.threads.kind else len(trace.calls)
    function = trace.calls.function[:own]  # tracks of tasks repeat calls of threads, and stand behind them
    count = np.bincount(function, minlength=functions)
    time = (trace.calls.end[:own] - trace.calls.start[:own]).astype(np.float64)
    total = np.bincount(function, time, functions)
    rows = [
        RankedFunction(
            trace.functions.module[row],
            trace.functions.name[row],
            trace.functions.file[row],
            int(trace.functions.line[row]),
            int(count[row]),
            int(total[row]),
        )
        for row in np.flatnonzero(count).tolist()
    ]
    return sorted(rows, key=lambda row: (-row.count, row.mean_ns, row.pattern))


def proposed(rows: Sequence[RankedFunction], calls: int = CALLS, mean_ns: float = MEAN_NS) -> list[RankedFunction]:
    """Those called at least so often whose calls take at most so long: they cost most and tell least."""
    return [row for row in rows if row.count >= calls and row.mean_ns <= mean_ns]


def exclusion_text(rows: Iterable[RankedFunction]) -> str:
    """A file of exclusions, to be edited and given to `--exclude-file`."""
    lines = [
        "# Functions that are not recorded, one a line; * and ? stand for any characters. Delete what you want to see."
    ]
    lines += [f"{row.pattern}  # {row.count:,} calls, {row.mean_ns:,.0f} ns each" for row in rows]
    return "\n".join(lines) + "\n"
