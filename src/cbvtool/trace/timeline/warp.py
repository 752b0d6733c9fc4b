"""The warp of time (TV-4; 002 §4.1.3 and §4.1.4): logscale(dt, theta) = ln(1 + theta * dt) / theta.

It is applied to the differences of the merged event queue of all chosen threads, so that order and simultaneity hold
across them. Times are ns since an origin; what is warped has the unit of ns, too. Between two events it is linear.

Sums of logarithms are logarithms of products: one multiplication an event, one logarithm for some hundred. So another
theta costs about a nanosecond an event, and a place within a block of `BLOCK` events is found exactly when it is asked
for; nothing is tabulated but where blocks begin.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from cbvtool.progress import Progress, silent
from cbvtool.trace.kernels import kernel
from cbvtool.trace.model.trace import Trace

Floats = npt.NDArray[np.float64]
Times = npt.NDArray[np.int64]
BLOCK = 32  # events between two places whose warped time is kept
_HUGE = 1e250  # of a product, before its logarithm is taken
_SMALL = 1e-3  # below this, 1 + x would lose digits of x: the series of the logarithm is taken


def event_queue(trace: Trace, threads: tuple[int, ...] | None = None, progress: Progress = silent) -> Times:
    """int64[m]: the distinct times at which calls of these threads begin or end, ns since the start of the trace.

    Its start and its end are events, too: else what lies before the first call would never shrink.

    threads  rows of them; None = all. May raise Cancelled. O(n log n).
    """
    calls, ptr, origin = trace.calls, trace.threads.ptr.tolist(), trace.span[0]
    chosen = range(len(trace.threads)) if threads is None else threads
    parts = [np.array(trace.span, np.int64)]
    for done, thread in enumerate(chosen):
        progress("Merging events", done, len(chosen))
        rows = slice(ptr[thread], ptr[thread + 1])
        parts += [calls.start[rows], calls.end[rows]]
    events = np.concatenate(parts)
    del parts
    progress("Sorting events", 0, 0)
    events.sort()
    events -= origin
    return events[: _distinct(events)]


@kernel
def _distinct(values: Times) -> int:
    """Move each distinct one of ascending values to the front; how many there are."""
    kept = 1
    for row in range(1, len(values)):
        if values[row] != values[kept - 1]:
            values[kept] = values[row]
            kept += 1
    return kept


def _no_floats() -> Floats:
    return np.zeros(1, np.float64)


@dataclass(frozen=True, eq=False)
class Warp:
    """A monotone map from time to warped time. theta 0 is exactly linear.

    theta   1/ns
    events  int64[m], ascending and distinct: `event_queue`
    blocks  int64[b]    times of the events 0, BLOCK, 2 * BLOCK, ...
    at      float64[b]  warped times of these; the first event stays where it is
    """

    theta: float = 0.0
    events: Times = field(default_factory=lambda: np.zeros(1, np.int64))
    blocks: Times = field(default_factory=lambda: np.zeros(1, np.int64))
    at: Floats = field(default_factory=_no_floats)

    def forward(self, time: npt.ArrayLike) -> Floats:
        """Warped times of these times, both of any shape."""
        times = np.asarray(time, np.float64)
        if self.theta == 0.0:
            return times
        found = np.empty(times.size)
        _forward(times.ravel(), self.theta, self.events, self.blocks, self.at, found)
        return found.reshape(times.shape)

    def inverse(self, warped: npt.ArrayLike) -> Floats:
        """Times of these warped times: the inverse of `forward`."""
        places = np.asarray(warped, np.float64)
        if self.theta == 0.0:
            return places
        found = np.empty(places.size)
        _inverse(places.ravel(), self.theta, self.events, self.blocks, self.at, found)
        return found.reshape(places.shape)


LINEAR = Warp()
_CHUNK = 64  # blocks that one line may stand for
_BLOCK_PIXELS, _LINE_PIXELS = (
    0.005,
    0.0025,
)  # of a block that is taken as linear; by which a line may miss a block's end


@dataclass(frozen=True, eq=False)
class WarpKnots:
    """A warp within a window, exact to 0.0075 pixels: lines between some of its blocks. Empty where theta is 0.

    knot    int64[k]: blocks; a segment of one block that is wider than `slack` is found exactly in `Warp.events`
    time    int64[k], at float64[k]: of these
    slack   warped time
    """

    knot: Times = field(default_factory=lambda: np.zeros(2, np.int64))
    time: Times = field(default_factory=lambda: np.zeros(2, np.int64))
    at: Floats = field(default_factory=lambda: np.zeros(2, np.float64))
    slack: float = 0.0

    def columns(self, warp: Warp) -> tuple[float, Times, Floats, Times, Times, Floats, float]:
        """What kernels take: theta, events and places of blocks; knots, their times and places; slack."""
        return warp.theta, warp.events, warp.at, self.knot, self.time, self.at, self.slack

    def inverse(self, warp: Warp, warped: npt.ArrayLike) -> Floats:
        """Times of warped times within the window."""
        places = np.asarray(warped, np.float64)
        if warp.theta == 0.0:
            return places
        segment = np.clip(np.searchsorted(self.at, places, side="right") - 1, 0, len(self.at) - 2)
        long = self.at[segment + 1] - self.at[segment]
        lined = (self.knot[segment + 1] - self.knot[segment] > 1) | (long < self.slack)
        with np.errstate(divide="ignore", invalid="ignore"):
            share = (places - self.at[segment]) / long
        found = self.time[segment] + (self.time[segment + 1] - self.time[segment]) * share
        exact = ~lined | (share < 0) | (share > 1)
        found[exact] = warp.inverse(places[exact])
        return found


def knots_of(warp: Warp, window: tuple[float, float], pixel: float) -> WarpKnots:
    """The warp in a window (ns), as exact as pixels of this width (warped time) need it."""
    if warp.theta == 0.0:
        return WarpKnots()
    last = max(len(warp.blocks) - 1, 0)
    moments = np.floor(window).astype(np.int64)  # of the type of the blocks: else they would all be copied
    first, end = np.searchsorted(warp.blocks, moments, side="right").tolist()
    knot = _lines(warp.blocks, warp.at, max(first - 1, 0), min(end, last), pixel * _BLOCK_PIXELS, pixel * _LINE_PIXELS)
    time, at = warp.blocks[knot], warp.at[knot]
    if knot[-1] == last:  # the last block has no next one that ends it: it ends with the queue
        knot = np.append(knot, last + 1)
        ends = warp.forward(np.array([warp.events[-1]], np.float64))
        time, at = np.append(time, warp.events[-1]), np.append(at, ends)
    return WarpKnots(knot, time, at, pixel * _BLOCK_PIXELS)


@kernel
def _lines(blocks: Times, at: Floats, first: int, last: int, slack: float, most: float) -> Times:
    """int64[k]: of the blocks `first` to `last` those between which lines are exact enough."""
    knots = np.empty(last - first + 1, np.int64)
    knots[0] = first
    count, low, long = 1, first, _CHUNK
    while low < last:
        long = min(2 * long, _CHUNK, last - low)  # what was too long a line before is so here, most often
        while long > 1:
            slope = (at[low + long] - at[low]) / (blocks[low + long] - blocks[low])
            high, deep, wide, before = 0.0, 0.0, 0.0, at[low]
            for block in range(low + 1, low + long + 1):
                here = at[block]
                off = here - at[low] - slope * (blocks[block] - blocks[low])
                high = off if off > high else high
                deep = off if off < deep else deep
                wide = here - before if here - before > wide else wide
                before = here
            if high <= most and deep >= -most and wide <= slack:
                break
            long //= 2
        low += long
        knots[count] = low
        count += 1
    return knots[:count].copy()


def warp_of(events: Times, theta: float) -> Warp:
    """The warp of an event queue. Raises ValueError where theta is negative or no number."""
    if not (theta >= 0.0 and math.isfinite(theta)):
        raise ValueError("theta is a number from 0 on")
    if theta == 0.0 or len(events) < 2:
        return LINEAR
    blocks = np.ascontiguousarray(events[::BLOCK])
    at = np.empty(len(blocks))
    _tabulate(events, theta, at)
    return Warp(theta, events, blocks, at)


def held(
    before: Warp, after: Warp, window: tuple[float, float], moment: float, limit: tuple[float, float]
) -> tuple[float, float]:
    """The window that shows `moment` at the same share of its width when one warp replaces another.

    window, moment, limit  ns; the result lies in `limit`, and is as long in warped time as `window` after the change
    """
    moment = min(max(moment, window[0]), window[1])
    left, middle, right = before.forward(np.array([window[0], moment, window[1]])).tolist()
    share = (middle - left) / (right - left) if right > left else 0.5
    ends = after.forward(np.array([window[0], window[1], moment, *limit])).tolist()
    length, centre = ends[1] - ends[0], ends[2]
    low = min(max(centre - share * length, ends[3]), max(ends[4] - length, ends[3]))
    first, last = after.inverse(np.array([low, low + length])).tolist()
    return max(first, limit[0]), min(last, limit[1])


@kernel
def _tabulate(events: Times, theta: float, at: Floats) -> None:
    """Warped times of every `BLOCK`th event.

    Four products a block, so that no multiplication waits for the one before.
    """
    total = float(events[0])
    last = len(events) - 1
    for block in range(len(at)):
        at[block] = total
        low, high = block * BLOCK, min((block + 1) * BLOCK, last)
        if high - low < BLOCK or theta * (events[high] - events[low]) < _SMALL:
            total += _sum_of_logs(events, low, high, theta) / theta
            continue
        a, b, c, d = 1.0, 1.0, 1.0, 1.0
        for row in range(low, high, 4):
            a *= 1.0 + theta * (events[row + 1] - events[row])
            b *= 1.0 + theta * (events[row + 2] - events[row + 1])
            c *= 1.0 + theta * (events[row + 3] - events[row + 2])
            d *= 1.0 + theta * (events[row + 4] - events[row + 3])
        product = (a * b) * (c * d)
        total += (math.log(product) if product < _HUGE else _sum_of_logs(events, low, high, theta)) / theta


@kernel
def _sum_of_logs(events: Times, first: int, last: int, theta: float) -> float:
    """ln(1 + theta * gap), summed over the gaps between the events `first` and `last`."""
    product, sums = 1.0, 0.0
    for row in range(first, last):
        step = theta * (events[row + 1] - events[row])
        if step < _SMALL:
            sums += step * (1.0 - step * (0.5 - step * (1.0 / 3.0 - step * 0.25)))
        else:
            product *= 1.0 + step
            if product > _HUGE:
                sums += math.log(product)
                product = 1.0
    return sums + math.log(product)


@kernel
def block_of(value: float, values: npt.NDArray[Any], hint: int) -> int:
    """The last block whose value is at most `value`, at least 0: by growing steps from `hint` on, then by halves."""
    low, high = 0, len(values)
    if 0 <= hint < high:
        if values[hint] <= value:
            low, step = hint, 1
            while low + step < high and values[low + step] <= value:
                low += step
                step *= 2
            high = min(high, low + step)
        else:
            high = hint
    while high - low > 1:
        middle = (low + high) // 2
        if values[middle] <= value:
            low = middle
        else:
            high = middle
    return low


@kernel
def warped_in(time: float, block: int, theta: float, events: Times, at: Floats, slack: float) -> float:
    """The warped time of a time in a block; linear across blocks that are shorter than `slack`."""
    last = len(events) - 1
    if time <= events[0]:
        return time
    if time >= events[last]:
        block = len(at) - 1
    first = block * BLOCK
    final = min(first + BLOCK, last)
    if block + 1 < len(at) and at[block + 1] - at[block] < slack:
        share = (time - events[first]) / (events[final] - events[first])
        return float(at[block] + (at[block + 1] - at[block]) * share)
    product, sums, part = 1.0, 0.0, 0.0
    for row in range(first, final):
        gap = events[row + 1] - events[row]
        step = theta * gap
        if time < events[row + 1]:
            part = math.log1p(step) * ((time - events[row]) / gap)
            break
        if step < _SMALL:
            sums += step * (1.0 - step * (0.5 - step * (1.0 / 3.0 - step * 0.25)))
        else:
            product *= 1.0 + step
            if product > _HUGE:
                sums += math.log(product)
                product = 1.0
    beyond = max(time - events[last], 0.0)
    return float(at[block] + (sums + math.log(product) + part) / theta + beyond)


@kernel
def _forward(times: Floats, theta: float, events: Times, blocks: Times, at: Floats, out: Floats) -> None:
    """Warped times, one by one; fast where they ascend."""
    block = 0
    for row in range(len(times)):
        block = block_of(times[row], blocks, block)
        out[row] = warped_in(times[row], block, theta, events, at, 0.0)


@kernel
def _inverse(warped: Floats, theta: float, events: Times, blocks: Times, at: Floats, out: Floats) -> None:
    """Times of warped times: the block, then its events one by one."""
    block = 0
    last = len(events) - 1
    for row in range(len(warped)):
        value = warped[row]
        if value <= at[0]:
            out[row] = value
            continue
        block = block_of(value, at, block)
        reached = at[block]
        found = -1.0
        for event in range(block * BLOCK, min((block + 1) * BLOCK, last)):
            gap = events[event + 1] - events[event]
            long = math.log1p(theta * gap) / theta
            if value < reached + long:
                found = events[event] + gap * ((value - reached) / long)
                break
            reached += long
        if found < 0.0:
            end = min((block + 1) * BLOCK, last)
            found = events[end] + (value - reached if end == last else 0.0)
        out[row] = found


def squeezed(warp: Warp, window: tuple[float, float], columns: int) -> Floats:
    """float64[columns]: how many ns lie in each column of the window, relative to the least of all columns.

    1 = not squeezed; what is far above stands for time that was squeezed. All 1 where theta is 0.
    """
    ends = warp.forward(np.array(window)).tolist()
    if warp.theta == 0.0 or columns < 1 or ends[1] <= ends[0]:
        return np.ones(max(columns, 0))
    share = np.diff(warp.inverse(np.linspace(ends[0], ends[1], columns + 1)))
    least = max(float(share.min()), (window[1] - window[0]) * 1e-12)
    return np.asarray(np.maximum(share / least, 1.0))
