"""The ruler: times of the warped axis, where time is squeezed, and marks with notes."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cbvtool.api import (
    Bars,
    Labels,
    Points,
    Segments,
    Theme,
    TimeGrid,
    ViewContext,
    Viewport,
    duration,
    squeezed,
    time_ruler,
    time_text,
)

from .state import TraceVisState

Floats = npt.NDArray[np.float64]
_SQUEEZED = 4.0  # times as much time in a pixel as usual
_HEIGHT = 26.0


def ruler_layers(
    context: ViewContext, state: TraceVisState, grid: TimeGrid, times: Floats, viewport: Viewport
) -> tuple[Bars | Labels | Points | Segments, ...]:
    """On top of all: the ground of the ruler, its labels, what is squeezed, marks."""
    theme = context.theme
    layers = context.memo(_fixed, grid, times, viewport.width, viewport.top, theme)
    return (*layers, *_marks(state, grid, viewport, theme))


def _fixed(
    grid: TimeGrid, times: Floats, width: float, top: float, theme: Theme
) -> tuple[Bars | Labels | Segments, ...]:
    """What does not follow the pointer."""
    ground, ticks, labels = time_ruler(grid, times, width, top, _HEIGHT, theme)
    return (ground, *_squeezes(grid, width, top, theme), ticks, labels)


def _squeezes(grid: TimeGrid, width: float, top: float, theme: Theme) -> tuple[Bars | Labels, ...]:
    """Hatched stretches in which far more time lies than elsewhere, with how much it is."""
    if grid.warp.theta == 0.0:
        return ()
    columns = max(int(width / 4), 1)
    share = squeezed(grid.warp, grid.window, columns)
    much = np.concatenate(([False], share > _SQUEEZED * np.median(share), [False]))
    turns = np.flatnonzero(much[1:] != much[:-1])
    first, last = turns[::2].astype(np.float64), turns[1::2].astype(np.float64)
    if not len(first):
        return ()
    x0, x1 = first * width / columns, last * width / columns
    per = (grid.right - grid.left) / columns
    times = grid.warp.inverse(np.stack((grid.left + first * per, grid.left + last * per)))
    texts = tuple(f"{duration(long)}" for long in (times[1] - times[0]).tolist())
    y = np.full(len(x0), top + _HEIGHT - 5)
    wide = x1 - x0 >= 46
    return (
        Bars(
            name="squeezed",
            x0=x0,
            x1=np.maximum(x1, x0 + 3),
            y0=y,
            y1=y + 5,
            color=(*theme.warning[:3], 150),
            pattern="diagonal",
        ),
        Labels(
            name="squeezed times",
            x=((x0 + x1) / 2)[wide],
            y=np.full(int(wide.sum()), top + _HEIGHT + 8),
            text=tuple(text for text, shows in zip(texts, wide.tolist(), strict=True) if shows),
            color=theme.warning,
            size=10.0,
            anchor="center",
            halo=theme.halo,
            room=(x1 - x0)[wide],
        ),
    )


def _marks(
    state: TraceVisState, grid: TimeGrid, viewport: Viewport, theme: Theme
) -> tuple[Labels | Points | Segments, ...]:
    """Marks with notes, and the moment under the pointer."""
    scale = viewport.width / (grid.right - grid.left)
    layers: list[Labels | Points | Segments] = []
    kept = [mark for mark in state.marks if grid.window[0] <= mark[0] <= grid.window[1]]
    if kept:
        x = (grid.warp.forward(np.array([time for time, _ in kept])) - grid.left) * scale
        y = np.full(len(x), viewport.top + 22.0)
        layers += [
            Points(name="marks", x=x, y=y, color=theme.accent, shape="diamond", size=8.0),
            Segments(name="mark lines", x0=x, x1=x, y0=y, y1=y + 1e5, color=(*theme.accent[:3], 130), dashed=True),
            Labels(
                name="notes",
                x=x + 8,
                y=y + 14,
                text=tuple(note for _, note in kept),
                color=theme.accent,
                size=11.0,
                halo=theme.halo,
                room=np.full(len(x), 180.0),
            ),
        ]
    if state.hover is not None and grid.left <= state.hover[1] <= grid.right:
        place = np.array([(state.hover[1] - grid.left) * scale])
        time = float(grid.warp.inverse(state.hover[1]))
        step = (grid.window[1] - grid.window[0]) / max(viewport.width, 1.0)
        y = np.array([viewport.top])
        layers += [
            Segments(name="pointer line", x0=place, x1=place, y0=y + 20, y1=y + 1e5, color=(*theme.muted[:3], 120)),
            Labels(
                name="pointer time",
                x=place,
                y=y + 22,
                text=(time_text(time, step),),
                color=theme.text,
                size=11.0,
                anchor="center",
                bold=True,
                halo=(*theme.ground[:3], 255),
            ),
        ]
    return tuple(layers)
