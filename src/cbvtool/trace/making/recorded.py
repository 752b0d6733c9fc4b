"""From the tags and values that the recorder writes to calls in preorder: one compiled pass for each thread."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from cbvtool.trace.kernels import kernel

# The tags of `record/recorder.py`, which imports nothing of ours and is imported by nothing: a test compares them.
IGNORED, RESUMED, FRAME, CPU, OBJECT, WAIT_BEGIN, WAIT_END, RELEASE = range(8)
THREAD_CREATED, PROCESS_CREATED, FORKED, TASK, READ_BEGIN, WRITE_BEGIN, IO_END, IO_BYTES = range(8, 16)
ARGUMENT, VALUE, RETURNED, STOPPED = range(16, 20)
FIRST_FUNCTION = 32
NO_NUMBER = -1


@kernel
def decode(  # noqa: C901, PLR0913 -- one compiled loop, which takes columns, not objects
    tags: npt.NDArray[np.uint32],
    values: npt.NDArray[np.int64],
    functions: npt.NDArray[np.uint32],
    base: int,
    last: int,
    function: npt.NDArray[np.uint32],
    start: npt.NDArray[np.int64],
    end: npt.NDArray[np.int64],
    depth: npt.NDArray[np.uint32],
    end_row: npt.NDArray[np.uint32],
    is_open: npt.NDArray[np.bool_],
    cpu: npt.NDArray[np.int64],
    extra: npt.NDArray[np.int64],
) -> Any:
    """Write the calls of one thread into columns; (calls, extras, ends without a begin, times that went back).

    tags, values  as recorded: a tag for each value that is not negative
    functions     row of each function by its tag
    base          row of the thread's first call: what `end_row` counts from
    last          ns, where open calls end
    function ...  columns of the calls, as long as there are tags of functions
    cpu           ns between begin and end, -1 where it was not measured
    extra         int64[x, 3]: tag, value and call (from 0 in this thread, -1 = none) of all other tags but CPU

    What happens in a method of a lock that the recorder wraps belongs to the method, or to the call around it.
    """
    stack = np.full(64, -1, np.int64)  # calls, -1 where one is ignored
    inner = np.full(64, -1, np.int64)  # the last call that each made
    begun = np.full(64, -1, np.int64)  # CPU time at its begin
    height = row = extras = shown = unmatched = backward = at = 0
    clock = np.int64(0)
    ending = np.int64(-1)  # CPU time before an end
    behind_begin = stopped = False  # an end right behind a stop is of a call that the stop has closed
    for value in values:
        if value < 0:
            backward += -value < clock and not stopped
            clock = max(clock, -value)
            if height == 0:
                unmatched += not stopped
                continue
            height -= 1
            call = stack[height]
            if call >= 0:
                shown -= 1
                end[call] = clock
                end_row[call] = base + row
                if ending >= 0 and begun[height] >= 0:
                    cpu[call] = ending - begun[height]
                if height:
                    inner[height - 1] = call
            ending = np.int64(-1)
            behind_begin = False
            continue
        if at == len(tags):
            continue
        tag = tags[at]
        at += 1
        if tag >= FIRST_FUNCTION or tag == IGNORED:
            if height == len(stack):
                more = np.full(height, -1, np.int64)
                stack, inner, begun = (
                    np.concatenate((stack, more)),
                    np.concatenate((inner, more)),
                    np.concatenate((begun, more)),
                )
            stack[height] = -1
            inner[height] = -1
            begun[height] = -1
            if tag != IGNORED:
                backward += value < clock and not stopped
                clock = max(clock, value)
                stack[height] = row
                function[row] = functions[tag] if tag < len(functions) else 0
                start[row] = clock
                depth[row] = shown
                cpu[row] = -1
                is_open[row] = False
                row += 1
                shown += 1
                behind_begin = True
            height += 1
            stopped = False
        elif tag == CPU:
            if behind_begin:
                begun[height - 1] = value
            else:
                ending = value
            behind_begin = False
        elif tag == STOPPED:  # from another thread: the clock may have been read before the calls around it here
            clock = max(clock, value)
            while height:
                height -= 1
                if stack[height] >= 0:
                    end[stack[height]] = clock
                    end_row[stack[height]] = base + row
            shown = 0
            behind_begin = False
            stopped = True
        else:
            call = np.int64(-1)
            around = height - 1
            while tag >= OBJECT and call < 0 and around >= 0 and stack[around] < 0:
                call = inner[around]
                around -= 1
            while call < 0 and around >= 0:
                call = stack[around]
                around -= 1
            extra[extras, 0] = tag
            extra[extras, 1] = value
            extra[extras, 2] = call
            extras += 1
    clock = max(clock, np.int64(last))
    while height:
        height -= 1
        if stack[height] >= 0:
            end[stack[height]] = clock
            end_row[stack[height]] = base + row
            is_open[stack[height]] = True
    return row, extras, unmatched, backward
