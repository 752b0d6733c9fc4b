"""Whether the rows of a trace are what the model says: one compiled pass over its calls, for folders from elsewhere."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from cbvtool.trace.kernels import kernel
from cbvtool.trace.model.table import NO_ROW, SCHEMAS
from cbvtool.trace.model.trace import Trace

# Columns of known tables -> what they are rows of, and the number that means none. In any table, `call` is a call.
_ROWS = {
    "call": ("calls", NO_ROW),
    "source": ("calls", NO_ROW),
    "target": ("calls", NO_ROW),
    "object": ("objects", NO_ROW),
    "resource": ("resources", -1),
    "thread": ("threads", -1),
}
_TEXTS = {
    "objects": ("kind", "name"),
    "links": ("kind",),
    "counters": ("name",),
    "instants": ("name", "text"),
    "states": ("name",),
    "arguments": ("name", "value"),
    "returns": ("value",),
    "call_sites": ("file",),
}


@kernel
def first_fault(
    function: npt.NDArray[np.uint32],
    start: npt.NDArray[np.int64],
    end: npt.NDArray[np.int64],
    depth: npt.NDArray[Any],
    end_row: npt.NDArray[np.uint32],
    functions: int,
    low: int,
    high: int,
) -> int:
    """The first row of a thread (rows `low` to `high`) that no trace has, -1 = none.

    Functions within `functions`; a call within the one around it in time and rows; depth that of its ancestors; in
    order of time.
    """
    stack = np.empty(64, np.int64)
    height = 0
    before = -(2**63)
    for row in range(low, high):
        while height and end_row[stack[height - 1]] <= row:
            height -= 1
        limit = high
        if height:
            above = stack[height - 1]
            limit = end_row[above]
            if start[row] < start[above] or end[row] > end[above]:
                return row
        if function[row] >= functions or depth[row] != height or end[row] < start[row] or start[row] < before:
            return row
        if end_row[row] <= row or end_row[row] > limit:
            return row
        before = start[row]
        if height == len(stack):
            stack = np.concatenate((stack, np.empty(height, np.int64)))
        stack[height] = row
        height += 1
    return -1


def faults(trace: Trace) -> str:
    """The first thing that is wrong with the rows of a trace, as the end of a sentence; empty = nothing."""
    calls, ptr = trace.calls, trace.threads.ptr
    columns = (calls.function, calls.start, calls.end, calls.depth, calls.end_row)
    for thread in range(len(trace.threads)):
        row = first_fault(*columns, len(trace.functions), int(ptr[thread]), int(ptr[thread + 1]))
        if row >= 0:
            return f"call {row:,} of its calls fits neither its function nor the calls around it"
    lengths = {
        "calls": len(calls),
        "objects": len(trace.table("objects")),
        "resources": len(trace.resources),
        "threads": len(trace.threads),
    }
    for name, table in trace.tables.items():
        for column, values in table.columns.items():
            if column in _TEXTS.get(name, ()):
                most, none = len(trace.strings), 0
            elif column in _ROWS and (column == "call" or name in SCHEMAS):
                what, none = _ROWS[column]
                most = lengths[what]
            else:
                continue
            if values.dtype.kind not in "iu" or bool((((values < 0) | (values >= most)) & (values != none)).any()):
                return f"column {column} of its table {name} names rows that do not exist"
    return ""
