"""Aggregated correspondences of one thread: a path for each cluster of merged calls and releasing thread (ST-5)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.api import MUTEX, Areas, TimeBars, ViewContext, clustered

from .arranging import Arrangement
from .bars import bars_in
from .curves import Anchors, bent, widened
from .pairs import Known
from .palette import thread_color

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
_HOLLOW = 0.45  # of the way to the centre that the release side is bent


@dataclass(frozen=True, eq=False)
class Gathered:
    """p paths; times are ns since the start.

    releasing        int64[p]: thread
    begin, end       float64[p]: of the cluster
    depth            int64[p]: its level
    first, last      float64[p]: the earliest and the latest release
    count            int64[p]: how many correspondences each stands for
    member           int64[c]: the path of each correspondence in `rows`
    rows             int64[c]: of the correspondences
    """

    releasing: Ints
    begin: Floats
    end: Floats
    depth: Ints
    first: Floats
    last: Floats
    count: Ints
    member: Ints
    rows: Ints


def gathered(at: Arrangement, known: Known, thread: int, bars: TimeBars) -> Gathered:
    """The paths of the waits of a thread that lie in clusters of its picture, to threads that are drawn."""
    pairs, origin = known.pairs, at.trace.span[0]
    boxes, _ = clustered(bars)
    many = np.flatnonzero(boxes.count > 1)
    many = many[np.argsort(boxes.x0[many], kind="stable")]
    drawn = np.zeros(len(at.trace.threads) + 1, np.bool_)
    drawn[list(at.panes)] = True
    rows = np.flatnonzero((pairs.waiting_thread == thread) & (pairs.kind <= MUTEX) & drawn[pairs.releasing_thread])
    low, high = (pairs.wait_start[rows] - origin).astype(np.float64), (pairs.wait_end[rows] - origin).astype(np.float64)
    place = np.searchsorted(boxes.x0[many], low, "right") - 1
    fits = place >= 0
    box = many[place[fits]] if len(many) else np.empty(0, np.int64)
    rows, low, high = rows[fits], low[fits], high[fits]
    inside = (high <= boxes.x1[box]) & (at.trace.calls.depth[pairs.waiting[rows]] >= boxes.depth[box])
    rows, box = rows[inside], box[inside]
    keys = np.stack((box, pairs.releasing_thread[rows].astype(np.int64)))
    groups, member = np.unique(keys, axis=1, return_inverse=True)
    member = member.reshape(-1)
    moment = (pairs.moment[rows] - origin).astype(np.float64)
    first, last = np.full(groups.shape[1], np.inf), np.full(groups.shape[1], -np.inf)
    np.minimum.at(first, member, moment)
    np.maximum.at(last, member, moment)
    count = np.bincount(member, minlength=groups.shape[1])
    clusters = groups[0].astype(np.int64)
    begin, end, depth = boxes.x0[clusters], boxes.x1[clusters], boxes.depth[clusters].astype(np.int64)
    return Gathered(groups[1].astype(np.int64), begin, end, depth, first, last, count, member, rows)


def path_outlines(at: Arrangement, thread: int, found: Gathered) -> Floats:
    """float64[p, q, 2]: from the cluster's begin to the earliest release, hollow to the latest, and back to its end."""
    waiter = np.full(len(found.begin), thread, np.int64)
    level = at.toward_center(waiter, found.depth)
    ground = at.toward_center(found.releasing, np.zeros(len(found.begin), np.int64))
    start, end = at.places(waiter, found.begin, level), at.places(waiter, found.end, level)
    first, last = at.places(found.releasing, found.first, ground), at.places(found.releasing, found.last, ground)
    where = Anchors(widened(start, end), widened(end, start), first, np.ones(len(start), np.bool_))
    first, last = widened(first, last), widened(last, first)
    out = bent(where.start, first, at.center)
    t = np.linspace(0.0, 1.0, out.shape[1])[:, None]
    middle = (first + last) / 2
    pull = np.minimum(np.hypot(*(last - first).T)[:, None] / np.maximum(_length(at, middle), 1.0), 1.0) * _HOLLOW
    hollow = middle + 2 * pull * (np.array(at.center) - middle)
    across = first[:, None] * (1 - t) ** 2 + hollow[:, None] * (2 * t * (1 - t)) + last[:, None] * t**2
    back = bent(where.end, last, at.center)[:, ::-1]
    found_: Floats = np.concatenate((out, across, back), axis=1)
    return found_


def _length(at: Arrangement, place: Floats) -> Floats:
    away: Floats = np.hypot(*(place - np.array(at.center)).T)[:, None]
    return away


def path_layers(
    context: ViewContext, at: Arrangement, known: Known, thread: int, colors: dict[int, int]
) -> tuple[Areas, ...]:
    """The paths of the thread under the pointer; none of a thread that is not drawn."""
    if thread not in at.panes:
        return ()
    found = context.memo(gathered, at, known, thread, bars_in(context, at, thread))
    if not len(found.begin):
        return ()
    return context.memo(_areas, at, thread, found, colors.get(thread, 0))


def _areas(at: Arrangement, thread: int, found: Gathered, number: int) -> tuple[Areas, ...]:
    shape = path_outlines(at, thread, found)
    ptr = np.arange(len(shape) + 1, dtype=np.int64) * shape.shape[1]
    return (
        Areas(
            name="gathered",
            points=shape.reshape(-1, 2),
            ptr=ptr,
            color=(*thread_color(number)[:3], 120),
            item=found.releasing.astype(np.int32),
        ),
    )
