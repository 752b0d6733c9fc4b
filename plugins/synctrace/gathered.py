"""Aggregated correspondences of one thread: a path for each cluster of merged calls and releasing thread (ST-5)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from cbvtool.api import MUTEX, Areas, TimeBars, ViewContext, clustered, locate

from .arranging import Arrangement
from .bars import bars_in
from .curves import bent
from .pairs import Known
from .palette import thread_color

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
ACROSS = 24  # straight pieces along a thread
_HOLLOW = 0.45  # depth of the hollow of the release side, as a share of its width
_LEVEL = 0.7  # of a level: the deepest hollow
_ASIDE = 2.0  # logical pixels between anchors and the outline around them
_OVER = 0.4  # of the opacity, over bars


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


def path_outlines(at: Arrangement, known: Known, thread: int, found: Gathered) -> Floats:
    """float64[p, q, 2]: closed outlines that hold all anchors of their members.

    From the cluster's begin to the earliest release, across to the latest one, hollow, and back to the cluster's end.
    On both sides an outline goes along its levels as far as the anchors of its members lie. The release side is bent
    toward the centre behind the outermost of them: a hollow before them would leave them outside.
    """
    pairs, depth, count = known.pairs, at.trace.calls.depth, len(found.begin)
    waiter = np.full(count, thread, np.int64)
    waits, releases = depth[pairs.waiting[found.rows]], depth[pairs.releasing[found.rows]]
    wait = _Side(at, waiter, (found.begin, found.end), _reach(at, waiter, waits.astype(np.int64), found.member))
    release = _Side(
        at,
        found.releasing,
        (found.first, found.last),
        _reach(at, found.releasing, releases.astype(np.int64), found.member),
    )
    turn = np.linspace(0.0, 1.0, ACROSS + 1)[None]
    out = bent(wait.corner(0), release.corner(0), at.center)
    back = bent(wait.corner(1), release.corner(1), at.center)[:, ::-1]
    across = release.far(turn, release.horn()[:, None] * (2 * turn - 1) ** 2)
    closing = wait.far(1 - turn, np.zeros((count, 1)))
    shape: Floats = np.concatenate((out, across, back, closing), axis=1)
    return shape


def _reach(at: Arrangement, thread: Ints, depth: Ints, member: Ints) -> tuple[Floats, Floats]:
    """y of the anchors of each path: the nearest to the centre, and the farthest from it."""
    y = at.toward_center(thread[member], depth)
    low, high = np.full(len(thread), np.inf), np.full(len(thread), -np.inf)
    np.minimum.at(low, member, y)
    np.maximum.at(high, member, y)
    down = thread == at.at.main  # the straight view stands on its head: deep levels are near to the centre
    return np.where(down, high, low), np.where(down, low, high)


class _Side:
    """One end of each path: two moments of a thread, and the levels between which anchors lie."""

    def __init__(
        self, at: Arrangement, thread: Ints, times: tuple[Floats, Floats], reach: tuple[Floats, Floats]
    ) -> None:
        self._at, self._thread, self._times = at, thread, times
        self._level = np.array([max(at.level_height(one), 1e-6) for one in thread.tolist()])  # logical pixels
        self._out = np.where(thread == at.at.main, -1.0, 1.0) / self._level  # levels of a pixel away from the centre
        self._near, self._far = reach[0] - _ASIDE * self._out, reach[1] + _ASIDE * self._out

    def corner(self, which: int) -> Floats:
        """float64[p, 2]: the begin (0) or the end (1) of the side that is turned to the centre."""
        turn = np.full((len(self._thread), 1), float(which))
        return self._place(turn, self._near[:, None])[:, 0]

    def far(self, turn: Floats, more: Floats) -> Floats:
        """float64[p, t, 2]: places of the side turned away from the centre, at shares of its time. more: pixels out."""
        return self._place(turn, self._far[:, None] + more * self._out[:, None])

    def horn(self) -> Floats:
        """float64[p]: logical pixels by which both ends of the hollow stand out; at most to the end of their level."""
        first, last = self.corner(0), self.corner(1)
        most = np.maximum(_LEVEL * self._level, _ASIDE)
        found: Floats = np.clip(_HOLLOW * np.hypot(*(last - first).T), _ASIDE, most)
        return found

    def _place(self, turn: Floats, y: Floats) -> Floats:
        turn, y = np.broadcast_arrays(turn, y)
        shape = np.broadcast_shapes(turn.shape, (len(self._thread), 1))
        result = np.zeros((*shape, 2))
        for one in np.unique(self._thread).tolist():
            here = np.flatnonzero(self._thread == one)
            pane, (low, high) = self._at.panes[one], self._at.windows[one]
            begin, end = (np.clip(time[here], low, high) for time in self._times)
            # a hairline beside the first and the last anchor
            more = _ASIDE * (high - low) / max(self._at.pixels[one], 1.0)
            time = begin[:, None] - more + (end - begin + 2 * more)[:, None] * turn[here]
            px, py = locate(pane, time, y[here])
            result[here, :, 0], result[here, :, 1] = px, py
        return result


def gathered_in(context: ViewContext, at: Arrangement, known: Known, thread: int) -> Gathered | None:
    """The paths of a thread; None of one that is not drawn."""
    if thread not in at.panes:
        return None
    return context.memo(gathered, at, known, thread, bars_in(context, at, thread))


def path_layers(
    context: ViewContext, at: Arrangement, known: Known, thread: int, colors: dict[int, int]
) -> tuple[Areas, ...]:
    """The paths of the thread under the pointer: below the bars, and once more, paler, over them."""
    found = gathered_in(context, at, known, thread)
    if found is None or not len(found.begin):
        return ()
    return context.memo(_areas, at, known, thread, found, colors.get(thread, 0))


def _areas(at: Arrangement, known: Known, thread: int, found: Gathered, number: int) -> tuple[Areas, Areas]:
    shape = path_outlines(at, known, thread, found)
    ptr = np.arange(len(shape) + 1, dtype=np.int64) * shape.shape[1]
    red, green, blue = thread_color(number)[:3]
    below = Areas(
        name="gathered",
        points=shape.reshape(-1, 2),
        ptr=ptr,
        color=(red, green, blue, 120),
        item=np.arange(len(shape), dtype=np.int32),
    )
    over = replace(below, name="gathered over bars", color=(red, green, blue, round(120 * _OVER)), item=None)
    return below, over
