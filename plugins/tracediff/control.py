"""Control trees (TD-5): along which points the matches of a group are bundled, on one side of the picture.

A key node is a bar that is wider than a pixel and lies outside of the band between the two icicle plots; the root of a
group always is one. The tree of the key nodes above matches is mirrored into the band: the deepest ones stand at its
edge, the root of the group beside the middle line. Other ends are attached to the nearest control point at or below the
key node they lie under.

Source: Trümper, Döllner, Telea 2013, section IV-B.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.api import kernel

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_INWARD = 0.7  # of the way to the middle line that the root of a group stands: what lies between is for crossing
WIDER = 1.0  # pixels that a key node is wider than


@dataclass(frozen=True, eq=False)
class Side:
    """The bars of one trace as they lie on the canvas, in pixels; callers stand before what they call.

    x0, x1, y0, y1  float64[k]
    above           int64[k]  the bar of the caller, -1 = none
    depth           int64[k]
    edge, middle    y of this side's edge of the band, and of the middle line
    """

    x0: Floats
    x1: Floats
    y0: Floats
    y1: Floats
    above: Ints
    depth: Ints
    edge: float
    middle: float

    def __len__(self) -> int:
        return len(self.x0)

    @property
    def x(self) -> Floats:
        """float64[k]: the middle of each bar."""
        return (self.x0 + self.x1) / 2

    @property
    def y(self) -> Floats:
        """float64[k]: likewise."""
        return (self.y0 + self.y1) / 2

    @property
    def keys(self) -> npt.NDArray[np.bool_]:
        """bool[k]: which bars are key nodes of every group."""
        outward = 1.0 if self.edge < self.middle else -1.0
        return (self.x1 - self.x0 > WIDER) & ((self.edge - self.y) * outward > 0)


def control_points(side: Side, end: Ints, group: Ints, root: Ints) -> tuple[Floats, Ints]:
    """From the ends of n matches to the roots of their groups: float64[p, 2], and int64[n + 1], where each begins.

    end    int64[n]  the bar of each match; group: int64[n], its group, equal ones stand together
    root   int64[n]  the bar of the root of that group, at or above `end`; -1 = the root has no bar (a virtual one)
    The first point of each is the middle of its bar, the last one the control point of the root.
    """
    empty = np.zeros(0, np.float64), np.zeros(0, np.float64), np.zeros(1, np.int64)
    if not len(end):
        return np.zeros((0, 2)), empty[2]
    x, y, ptr = _control_points(
        side.x,
        side.y,
        side.keys,
        side.above.astype(np.int64),
        side.depth.astype(np.int64),
        np.array([side.edge, side.middle]),
        end.astype(np.int64),
        group.astype(np.int64),
        root.astype(np.int64),
    )
    return np.stack((x, y), axis=1), ptr


def polygons(upper: tuple[Floats, Ints], lower: tuple[Floats, Ints]) -> tuple[Floats, Ints]:
    """Control polygons of whole matches, float64[p, 2] and int64[n + 1]: down the upper side, then up the lower one."""
    (one, one_ptr), (other, other_ptr) = upper, lower
    counts = np.diff(one_ptr), np.diff(other_ptr)
    ptr = np.concatenate(([0], np.cumsum(counts[0] + counts[1]))).astype(np.int64)
    points = np.empty((int(ptr[-1]), 2))
    here = np.arange(len(one)) - np.repeat(one_ptr[:-1] - ptr[:-1], counts[0])
    points[here] = one
    from_end = np.repeat(other_ptr[1:], counts[1]) - 1 - np.arange(len(other))  # the last one comes first
    points[np.repeat(ptr[:-1] + counts[0], counts[1]) + from_end] = other
    return points, ptr


@kernel
def _control_points(  # noqa: C901 -- one compiled loop over groups
    x: Floats,
    y: Floats,
    key: npt.NDArray[np.bool_],
    above: Ints,
    depth: Ints,
    band: Floats,
    end: Ints,
    group: Ints,
    root: Ints,
) -> tuple[Floats, Floats, Ints]:
    bars, n = len(x), len(end)
    stamp = np.full(bars, -1, np.int64)  # the group for which the columns below hold
    low, high = np.empty(bars), np.empty(bars)  # range of the control points below that have matches
    at_x, at_y = np.empty(bars), np.empty(bars)
    is_key, has = np.zeros(bars, np.bool_), np.zeros(bars, np.bool_)
    seen = np.empty(bars, np.int64)
    out_x, out_y = np.empty(4 * n + 16), np.empty(4 * n + 16)
    ptr = np.zeros(n + 1, np.int64)
    filled = 0
    first = 0
    while first < n:
        last = first + 1
        while last < n and group[last] == group[first]:
            last += 1
        top = root[first]
        count = 0
        for match in range(first, last):
            bar = end[match]
            while bar >= 0:
                if stamp[bar] != first:
                    stamp[bar] = first
                    low[bar], high[bar], has[bar] = np.inf, -np.inf, False
                    is_key[bar] = key[bar] or bar == top
                    seen[count] = bar
                    count += 1
                else:
                    break
                if bar == top:
                    break
                bar = above[bar]
            has[end[match]] = True
        nodes = np.sort(seen[:count])
        deepest, shallowest = -1, 1 << 40
        for place in range(count):
            bar = nodes[place]
            if is_key[bar]:
                deepest, shallowest = max(deepest, depth[bar]), min(shallowest, depth[bar])
        # Bottom-up: what lies deeper has the higher number.
        for place in range(count - 1, -1, -1):
            bar = nodes[place]
            at_x[bar], at_y[bar] = x[bar], y[bar]
            if is_key[bar]:
                if low[bar] <= high[bar]:
                    at_x[bar] = min(max(x[bar], low[bar]), high[bar])
                share = _INWARD * (deepest + 1 - depth[bar]) / (deepest + 1 - shallowest)
                at_y[bar] = band[0] + (band[1] - band[0]) * share
            if has[bar]:
                low[bar], high[bar] = min(low[bar], at_x[bar]), max(high[bar], at_x[bar])
            caller = above[bar]
            if bar != top and caller >= 0 and stamp[caller] == first:
                low[caller], high[caller] = min(low[caller], low[bar]), max(high[caller], high[bar])
        for match in range(first, last):
            bar = end[match]
            if filled + count + 2 > len(out_x):
                more = np.empty(2 * len(out_x) + count + 2)
                more[:filled] = out_x[:filled]
                out_x = more
                more = np.empty(len(out_x))
                more[:filled] = out_y[:filled]
                out_y = more
            out_x[filled], out_y[filled] = x[bar], y[bar]
            filled += 1
            at = bar
            if not is_key[bar]:
                while at >= 0 and at != top and not is_key[at]:
                    at = above[at]
                found = at >= 0 and is_key[at]
                at = _nearest(at, nodes, is_key, above, at_x, at_y, x[bar], y[bar]) if found else -1
            while at >= 0:
                if is_key[at]:
                    out_x[filled], out_y[filled] = at_x[at], at_y[at]
                    filled += 1
                if at == top:
                    break
                at = above[at]
            ptr[match + 1] = filled
        first = last
    return out_x[:filled], out_y[:filled], ptr


@kernel
def _nearest(
    top: int, nodes: Ints, is_key: npt.NDArray[np.bool_], above: Ints, at_x: Floats, at_y: Floats, x: float, y: float
) -> int:
    """Of the key nodes at or below one the one whose control point is nearest, the first of equally near ones."""
    best, least = top, (at_x[top] - x) ** 2 + (at_y[top] - y) ** 2
    for place in range(np.searchsorted(nodes, top) + 1, len(nodes)):
        bar = nodes[place]
        if not is_key[bar]:
            continue
        far = (at_x[bar] - x) ** 2 + (at_y[bar] - y) ** 2
        if far >= least:
            continue
        up = bar
        while up > top:
            up = above[up]
        if up == top:
            best, least = bar, far
    return best
