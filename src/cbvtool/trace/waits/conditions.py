"""Which signal woke which of the threads that wait for a condition: a signal wakes one of them, the first in line."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cbvtool.trace.kernels import kernel
from cbvtool.trace.model.trace import Trace
from cbvtool.trace.waits.events import Releases, Waits

Ints = npt.NDArray[np.int64]
_TO_ALL = ("broadcast", "notifyall", "wakeallcondition")  # in names of functions, without underscores
_BEGIN, _SIGNAL, _FINISH = range(3)


def signals_in_turn(trace: Trace, waits: Waits, releases: Releases) -> Ints:
    """int64[w]: row of `releases` that woke each wait for a condition; -1 = of none, or no wait for a condition.

    A woken thread is often still waiting for its mutex while others are signalled, so the latest signal within the wait
    is that of another one. Signals go to the threads in the order of their waits; a broadcast goes to all (by the name
    of its function). Where a recording shows no broadcast as such, the threads behind the first have -1.
    """
    result = np.full(len(waits), -1, np.int64)
    objects = trace.table("objects")
    kinds = np.unique(objects["kind"])
    conditions = kinds[[trace.strings[kind] == "condition" for kind in kinds.tolist()]] if len(kinds) else kinds
    things = np.flatnonzero(np.isin(objects["kind"], conditions))
    asked, sent = np.flatnonzero(np.isin(waits.object, things)), np.flatnonzero(np.isin(releases.object, things))
    if not len(asked) or not len(sent):
        return result
    names = [name.lower().replace("_", "") for name in trace.functions.name]
    to_all = np.array([any(word in name for word in _TO_ALL) for name in names])
    thing = np.concatenate((waits.object[asked], releases.object[sent], waits.object[asked]))
    time = np.concatenate((waits.start[asked], releases.time[sent], waits.end[asked]))
    what = np.repeat(np.array([_BEGIN, _SIGNAL, _FINISH]), (len(asked), len(sent), len(asked)))
    item = np.concatenate((asked, sent, asked))
    order = np.lexsort((what, time, thing))
    everybody = to_all[trace.calls.function[releases.call]]
    _take_turns(
        thing[order],
        what[order],
        item[order],
        waits.thread,
        releases.thread,
        everybody,
        np.empty(len(asked), np.int64),
        result,
    )
    return result


@kernel
def _take_turns(
    thing: Ints,
    what: Ints,
    item: Ints,
    waiting: Ints,
    signalling: Ints,
    everybody: npt.NDArray[np.bool_],
    line: Ints,
    result: Ints,
) -> None:
    """Go through the events of each object in the order of time. `line` is room for the waits that are under way."""
    length = 0
    for event in range(len(thing)):
        if event and thing[event] != thing[event - 1]:
            length = 0
        row = item[event]
        if what[event] == 0:
            line[length] = row
            length += 1
            continue
        kept = 0
        woken = False
        for place in range(length):
            wait = line[place]
            if what[event] == 2 and wait == row:
                continue
            if what[event] == 1 and waiting[wait] != signalling[row] and (everybody[row] or not woken):
                woken = True
                result[wait] = row
                continue
            line[kept] = wait
            kept += 1
        length = kept
