"""A software trace: the calls of each thread as columns, and everything else that the recording holds.

Source: Trümper 2014, §2.1.4.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from cbvtool.trace.model.strings import Strings
from cbvtool.trace.model.table import Table

NO_CALL = -1


@dataclass(frozen=True)
class Header:
    """Where a trace comes from. Empty, -1 or None: not known.

    program     what ran, as it was started
    arguments   its arguments
    commit      id of the commit of its source
    dirty       whether the source differed from that commit
    hash_seed   of Python's hashes, as text
    run         number of the run in a series, from 1
    machine     host, processor, system
    clock       what times are: "monotonic", "cpu", "unix" (ns since 1970), "samples" (each counts one), "" = unknown
    began       start of the trace, ns since 1970; 0 = unknown
    format      the reader's name
    recorder    program that recorded, with its version
    parameters  what else the recording says of the run, by name
    unknown     JSON fields of the header that this version does not know; they are written back unchanged
    """

    program: str = ""
    arguments: tuple[str, ...] = ()
    commit: str = ""
    dirty: bool | None = None
    hash_seed: str = ""
    run: int = 0
    machine: str = ""
    clock: str = ""
    began: int = 0
    format: str = ""
    recorder: str = ""
    parameters: Mapping[str, str] = field(default_factory=dict)
    unknown: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Functions:
    """f functions: qualified name, module (package, library), file as recorded, 1-based line of the definition.

    Unknown: empty, 0. `name` is the qualified name alone, without module: `Shop.order`.
    """

    name: tuple[str, ...]
    module: tuple[str, ...]
    file: tuple[str, ...]
    line: npt.NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.name)


@dataclass(frozen=True, eq=False)
class Calls:
    """n calls in the order (thread, preorder): a call stands before those that it made.

    function  uint32[n]  row of `Functions`
    start     int64[n]   ns
    end       int64[n]   ns, `end >= start`; of an open call the end of its thread
    depth     uint16[n]  0 = called by nobody in the trace (uint32 where a thread is deeper)
    end_row   uint32[n]  the row after the last call below this one
    cpu       int64[n]   ns of thread CPU time between start and end, -1 = not measured; None = measured for no call
    """

    function: npt.NDArray[np.uint32]
    start: npt.NDArray[np.int64]
    end: npt.NDArray[np.int64]
    depth: npt.NDArray[np.uint16] | npt.NDArray[np.uint32]
    end_row: npt.NDArray[np.uint32]
    cpu: npt.NDArray[np.int64] | None = None

    def __post_init__(self) -> None:
        for column in (self.function, self.start, self.end, self.depth, self.end_row, self.cpu):
            if column is not None:
                if len(column) != len(self.function):
                    raise ValueError("columns of calls of different lengths")
                column.flags.writeable = False

    def __len__(self) -> int:
        return len(self.function)


@dataclass(frozen=True, eq=False)
class Threads:
    """t rows of calls: threads, and tracks of what is no thread (asynchronous work, tasks).

    process       int64[t]  id
    id            int64[t]
    name          str[t]
    process_name  str[t]
    kind          str[t]    "thread", "async", "task"
    sampled       bool[t]   its calls were put together from samples: their number means nothing
    creator       int64[t]  row of the call that created it, `NO_CALL`
    first, last   int64[t]  ns, its life span
    ptr           int64[t + 1]  the calls of thread i are rows `ptr[i]:ptr[i + 1]`
    """

    process: npt.NDArray[np.int64]
    id: npt.NDArray[np.int64]
    name: tuple[str, ...]
    process_name: tuple[str, ...]
    kind: tuple[str, ...]
    sampled: npt.NDArray[np.bool_]
    creator: npt.NDArray[np.int64]
    first: npt.NDArray[np.int64]
    last: npt.NDArray[np.int64]
    ptr: npt.NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.name)

    @cached_property
    def repeated_names(self) -> frozenset[str]:
        """Names that several rows have."""
        return frozenset(name for name, count in Counter(self.name).items() if count > 1)

    def counted(self, chosen: Collection[int] | None = None) -> list[int]:
        """The rows whose calls are added up, of those that are chosen; None = all.

        The track of a task repeats calls of the threads that ran it: it counts only where no thread is chosen.
        """
        rows = sorted(set(range(len(self)) if chosen is None else chosen))
        return [row for row in rows if self.kind[row] != "task"] or rows


@dataclass(frozen=True, eq=False)
class Resources:
    """A tree of what was observed: machines, processes, threads, processors. States and counters refer to its rows.

    name    str[r]
    kind    str[r]    "machine", "process", "thread", "cpu", ...
    parent  int32[r]  row of the parent, which stands before it; -1 = none
    thread  int32[r]  row of `Threads`, -1 = none
    """

    name: tuple[str, ...]
    kind: tuple[str, ...]
    parent: npt.NDArray[np.int32]
    thread: npt.NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.name)


@dataclass(frozen=True, eq=False)
class Trace:
    """One recorded run.

    open_rows  uint32[o]  rows of the calls that were still running at the end, ascending; complete data, not a repair
    tables     sparse tables by name (`table.SCHEMAS`); one that is not there has no rows
    repairs    how much was mended, by kind, in words: "ends without a begin"
    omissions  how much was left out, by kind
    path       the folder that it is mapped from; None = in memory alone
    """

    header: Header
    functions: Functions
    calls: Calls
    threads: Threads
    resources: Resources
    strings: Strings
    open_rows: npt.NDArray[np.uint32]
    tables: Mapping[str, Table] = field(default_factory=dict)
    repairs: Mapping[str, int] = field(default_factory=dict)
    omissions: Mapping[str, int] = field(default_factory=dict)
    path: Path | None = None

    def table(self, name: str) -> Table:
        """The known table `name`, with no rows where the trace has none."""
        return self.tables.get(name) or Table.empty(name)

    @cached_property
    def span(self) -> tuple[int, int]:
        """First and last time of any thread, ns; (0, 0) without threads."""
        if not len(self.threads):
            return 0, 0
        return int(self.threads.first.min()), int(self.threads.last.max())

    @property
    def length(self) -> float:
        """ns that it spans, at least 1."""
        return max(float(self.span[1] - self.span[0]), 1.0)

    @property
    def sampled(self) -> bool:
        """Whether the calls of any thread come from samples; the number of such calls means nothing."""
        return bool(self.threads.sampled.any())

    def thread_of(self, rows: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
        """The thread of each call."""
        found: npt.NDArray[np.int64] = np.searchsorted(self.threads.ptr, rows, "right") - 1
        return found
