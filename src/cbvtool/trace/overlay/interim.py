"""Until the overlay is there."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import numpy.typing as npt

from cbvtool.progress import Progress
from cbvtool.trace.mapping.node_map import NodeMap
from cbvtool.trace.model.trace import Trace
from cbvtool.trace.overlay.run_time import RunTime


def run_time(
    trace: Trace,
    node_map: NodeMap,
    nodes: int,
    window: tuple[int, int],
    threads: npt.NDArray[np.bool_] | None,
    progress: Progress,
) -> RunTime:
    """Slow and simple."""
    calls = trace.calls
    count: dict[tuple[int, int], int] = defaultdict(int)
    time: dict[tuple[int, int], int] = defaultdict(int)
    own, self_time, total = (np.zeros(nodes, np.int64) for _ in range(3))
    for thread in range(len(trace.threads)):
        if threads is not None and not threads[thread]:
            continue
        stack: list[tuple[int, int]] = []
        for row in range(int(trace.threads.ptr[thread]), int(trace.threads.ptr[thread + 1])):
            if row % 4096 == 0:
                progress("Adding up calls", row, len(calls))
            while stack and stack[-1][0] <= row:
                stack.pop()
            if calls.end[row] < window[0] or calls.start[row] > window[1]:
                continue
            node = int(node_map.node[calls.function[row]])
            clipped = int(min(calls.end[row], window[1]) - max(calls.start[row], window[0]))
            around = next((n for _, n in reversed(stack) if n >= 0), -1)
            if node >= 0:
                own[node] += 1
                self_time[node] += clipped
                if node not in [n for _, n in stack]:
                    total[node] += clipped
                if around >= 0:
                    self_time[around] -= clipped
                    count[around, node] += 1
                    time[around, node] += clipped
            stack.append((int(calls.end_row[row]), node))
    pairs = np.array(list(count), np.int32).reshape(-1, 2)
    return RunTime(
        pairs[:, 0].copy(),
        pairs[:, 1].copy(),
        np.array(list(count.values()), np.int64),
        np.array(list(time.values()), np.int64),
        own,
        self_time,
        total,
        window,
        trace.sampled,
    )
