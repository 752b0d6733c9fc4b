"""The same gestures for all plots: how wheel, drags and keys change the range of a pane."""

from __future__ import annotations

from cbvtool.plots.panes import Pane, SectorShape
from cbvtool.plots.ranges import Interval, moved, shares, within, zoomed

ZOOM = 1.25  # for one notch of the wheel, or a key
STEP = 0.1  # share of the range by which an arrow key moves it

Ranges = tuple[Interval, Interval]


def zoomed_at(pane: Pane, shown: Ranges, steps: float, px: float, py: float) -> Ranges:
    """Ranges of a pane with the ranges `shown`, zoomed in by `steps` notches about a place of the content."""
    u, v = shares(pane, px, py)
    return _zoomed(pane, shown, steps, u, v)


def zoomed_in_middle(pane: Pane, shown: Ranges, steps: float) -> Ranges:
    """As `zoomed_at`, about the middle."""
    return _zoomed(pane, shown, steps, 0.5, 0.5)


def stepped(pane: Pane, shown: Ranges, right: int, down: int) -> Ranges:
    """Ranges after an arrow key: `right` and `down` are -1, 0 or 1. An axis that does not zoom stays."""
    (x0, x1), (y0, y1) = shown
    x = moved(shown[0], right * STEP * (x1 - x0), pane.limit) if "x" in pane.zoom else shown[0]
    y = moved(shown[1], down * STEP * (y1 - y0)) if "y" in pane.zoom else shown[1]
    return x, y


def dragged(pane: Pane, start: tuple[float, float], now: tuple[float, float]) -> Ranges:
    """Ranges of a pane after a drag from one place of the content to another; `pane` as it was at the start."""
    u0, v0 = shares(pane, *start)
    u1, v1 = shares(pane, *now)
    x = moved(pane.x, (u0 - u1) * (pane.x[1] - pane.x[0]), pane.limit) if "x" in pane.pan else pane.x
    y = moved(pane.y, (v0 - v1) * (pane.y[1] - pane.y[0])) if "y" in pane.pan else pane.y
    return x, y


def whole(pane: Pane) -> Ranges | None:
    """The whole range of the content; None if the pane does not tell."""
    known = pane.home or pane.limit
    if known is None or not pane.zoom:
        return None
    low, high = min(known), max(known)
    return ((low, high) if pane.x[0] <= pane.x[1] else (high, low)), pane.y


def takes_drag(pane: Pane, start: tuple[float, float], now: tuple[float, float]) -> bool:
    """Whether a drag that begins in this direction pans the pane; across the axis of `pan`, it belongs to the view."""
    if pane.pan == "xy":
        return True
    dx, dy = now[0] - start[0], now[1] - start[1]
    if isinstance(pane.shape, SectorShape):  # x runs round the centre, y outward
        out_x, out_y = start[0] - pane.shape.cx, start[1] - pane.shape.cy
        dx, dy = dx * out_y - dy * out_x, dx * out_x + dy * out_y
    along_x = abs(dx) >= abs(dy)
    return (pane.pan == "x" and along_x) or (pane.pan == "y" and not along_x)


def _zoomed(pane: Pane, shown: Ranges, steps: float, u: float, v: float) -> Ranges:
    factor = ZOOM**-steps
    x = zoomed(within(shown[0], pane.limit), factor, u, pane.limit) if "x" in pane.zoom else shown[0]
    y = zoomed(shown[1], factor, v) if "y" in pane.zoom else shown[1]
    return x, y
