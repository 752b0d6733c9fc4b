"""Names that uftrace does not record: a lock is named by the function that waits for it, a thread by what it runs."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
import numpy.typing as npt

from cbvtool.trace.kernels import kernel
from cbvtool.trace.model.trace import Calls, Threads

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Depth = npt.NDArray[np.uint16] | npt.NDArray[np.uint32]

_CALLERS = 8  # above a wait that are looked at: wrappers are not nested more deeply
_NONE = -1


def waiting_places(calls: Calls, functions: int, waits: Ints, ends: Collection[int]) -> Ints:
    """int64[waits]: the function in which each wait stands, -1 = the wait has no caller.

    functions  how many there are
    waits      int64[waits], rows of calls that wait
    ends       functions that wait or release by themselves

    It is the nearest caller that is no wrapper; a wrapper calls nothing but `ends` and other wrappers, as
    `port::Mutex::Lock` does. Where all callers are wrappers, it is the outermost one that is known.
    """
    if not len(waits):
        return np.empty(0, np.int64)
    depth = int(calls.depth.max()) + 1
    rows, back = np.unique(waits, return_inverse=True)
    chain = np.full((len(rows), _CALLERS), _NONE, np.int64)
    _callers(calls.function, calls.depth, rows, np.zeros(depth, np.int64), chain)
    above = np.unique(chain[chain >= 0])
    number = np.full(functions, _NONE, np.int64)
    number[above] = np.arange(len(above))
    calls_it = np.zeros((len(above), functions), np.bool_)
    _callees(calls.function, calls.depth, number, np.zeros(depth, np.int64), calls_it)
    inner = np.zeros(functions, np.bool_)
    inner[np.array(sorted(ends), np.int64)] = True
    while len(more := above[~inner[above] & ~(calls_it & ~inner).any(axis=1)]):
        inner[more] = True
    known = chain >= 0
    place = known & ~np.append(inner, False)[chain]
    last = np.maximum(known.sum(axis=1) - 1, 0)
    at = np.where(place.any(axis=1), place.argmax(axis=1), last)
    found: Ints = chain[np.arange(len(rows)), at]
    return found[back]


def object_names(
    objects: Sequence[tuple[int, int, str]], waits: Ints, time: Ints, place: Ints, names: Sequence[str]
) -> list[str]:
    """The name of each object: the function that waited for it longest; "" = nobody waited.

    objects  (process, address, kind)
    waits    int64[w], the object of each wait
    time     int64[w], ns
    place    int64[w], a function, -1 = none
    names    of functions

    Objects of one kind that are waited for in the same function get their addresses behind it.
    """
    found = [""] * len(objects)
    rows = np.flatnonzero(place >= 0)
    pairs, pair = np.unique(np.stack((waits[rows], place[rows]), axis=1), axis=0, return_inverse=True)
    total = np.bincount(pair.reshape(-1), weights=time[rows], minlength=len(pairs))
    for at in np.argsort(total, kind="stable").tolist():  # the longest comes last
        found[int(pairs[at, 0])] = names[int(pairs[at, 1])]
    several: dict[tuple[int, str, str], int] = {}
    for (process, _, kind), name in zip(objects, found, strict=True):
        several[process, kind, name] = several.get((process, kind, name), 0) + 1
    return [
        f"{name} {address:#x}" if name and several[process, kind, name] > 1 else name
        for (process, address, kind), name in zip(objects, found, strict=True)
    ]


def thread_names(calls: Calls, threads: Threads, names: Sequence[str]) -> tuple[str, ...]:
    """The name of each thread; of one without a name the function that it runs, without its class."""
    found = []
    for row, name in enumerate(threads.name):
        first = int(threads.ptr[row])
        if not name and first < int(threads.ptr[row + 1]):
            name = names[int(calls.function[first])].rpartition("::")[2]
        found.append(name)
    return tuple(found)


@kernel
def _callers(function: npt.NDArray[np.uint32], depth: Depth, rows: Ints, stack: Ints, out: Ints) -> None:
    """Write the functions above some calls, the nearest first. `rows` ascend; `stack` has room for each depth."""
    at = 0
    for row in range(len(function)):
        level = int(depth[row])
        stack[level] = function[row]
        while at < len(rows) and rows[at] == row:
            for up in range(min(out.shape[1], level)):
                out[at, up] = stack[level - 1 - up]
            at += 1


@kernel
def _callees(function: npt.NDArray[np.uint32], depth: Depth, number: Ints, stack: Ints, out: Bools) -> None:
    """Mark which functions each of some functions calls. `number` is the row in `out` of these, -1 of all others."""
    for row in range(len(function)):
        level = int(depth[row])
        stack[level] = function[row]
        if level and number[stack[level - 1]] >= 0:
            out[number[stack[level - 1]], function[row]] = True
