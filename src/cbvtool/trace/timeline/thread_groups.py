"""Threads that call the same functions equally often form groups (TV-3)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cbvtool.progress import Progress, silent
from cbvtool.trace.model.trace import Trace


@dataclass(frozen=True, eq=False)
class ThreadGroups:
    """threads: of each group, its representative first; functions: (function, calls) of each group, most first."""

    threads: tuple[tuple[int, ...], ...]
    functions: tuple[tuple[tuple[int, int], ...], ...]


def thread_groups(trace: Trace, progress: Progress = silent) -> ThreadGroups:
    """The groups of a trace, in the order of their first threads. Linear in the calls. May raise Cancelled."""
    ptr = trace.threads.ptr.tolist()
    found: dict[tuple[bytes, bytes], int] = {}
    members: list[list[int]] = []
    functions: list[tuple[tuple[int, int], ...]] = []
    for thread in range(len(trace.threads)):
        if thread % 64 == 0 or ptr[thread + 1] - ptr[thread] > 1 << 16:
            progress("Comparing threads", thread, len(trace.threads))
        which, count = np.unique(trace.calls.function[ptr[thread] : ptr[thread + 1]], return_counts=True)
        key = which.tobytes(), count.tobytes()
        group = found.setdefault(key, len(members))
        if group == len(members):
            order = np.argsort(-count, kind="stable")
            members.append([])
            functions.append(tuple(zip(which[order].tolist(), count[order].tolist(), strict=True)))
        members[group].append(thread)
    return ThreadGroups(tuple(map(tuple, members)), tuple(functions))
