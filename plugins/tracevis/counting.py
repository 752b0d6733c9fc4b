"""Counters of a trace along time: the highest value in each column of the window."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.api import TimeGrid, Trace

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CounterTrack:
    """A counter of a resource. time: int64[n], ns since the start of the trace, ascending; value: float64[n]."""

    name: str
    time: npt.NDArray[np.int64]
    value: Floats


def counter_tracks(trace: Trace) -> tuple[CounterTrack, ...]:
    """The counters of a trace, those with most values first. Values that are no numbers are left out."""
    table = trace.table("counters")
    good = np.flatnonzero(np.isfinite(table["value"]))
    resource, name, time = (table[column][good] for column in ("resource", "name", "time"))
    order = np.lexsort((time, name, resource))
    turns = np.flatnonzero((np.diff(resource[order]) != 0) | (np.diff(name[order]) != 0)) + 1
    found = []
    for rows in np.split(order, turns) if len(order) else []:
        owner = int(resource[rows[0]])
        of = trace.resources.name[owner] if 0 <= owner < len(trace.resources) else ""
        words = trace.strings[int(name[rows[0]])]
        title = f"{words} of {of}" if of else words
        found.append(CounterTrack(title, time[rows] - trace.span[0], table["value"][good][rows]))
    return tuple(sorted(found, key=lambda track: -len(track.time)))


def column_values(track: CounterTrack, grid: TimeGrid) -> Floats:
    """float64[columns]: the highest value in each column of the window; NaN before the first value."""
    first = np.searchsorted(track.time, grid.edges, "right")
    found = np.full(len(grid.edges) - 1, np.nan)
    before = first[:-1] - 1  # the value that a column begins with
    known = before >= 0
    found[known] = track.value[before[known]]
    within = np.flatnonzero(first[1:] > first[:-1])
    if len(within):
        ends = np.column_stack((first[:-1][within], first[1:][within])).ravel()
        padded = np.append(track.value, -np.inf)
        found[within] = np.fmax(found[within], np.maximum.reduceat(padded, ends)[::2])
    return found


def value_at(track: CounterTrack, time: float) -> float:
    """The value at a time, NaN before the first one."""
    place = int(np.searchsorted(track.time, time, "right")) - 1
    return float(track.value[place]) if place >= 0 else float("nan")
