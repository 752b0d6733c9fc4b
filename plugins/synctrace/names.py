"""Names of threads: of the straight one above, of the others outside of the semicircle, none over another one."""

from __future__ import annotations

import math

import numpy as np

from cbvtool.api import (
    Areas,
    Labels,
    Points,
    SectorShape,
    Segments,
    Theme,
    ViewContext,
    Viewport,
    duration,
    thread_title,
    time_text,
)

from .arranging import HEADER, LINE, NAME_SIZE, Arrangement
from .furniture import ARC, ring_outline
from .palette import thread_color

_OUTSIDE = 10.0  # logical pixels from the outer radius to a name
_BAND = 5.0  # logical pixels of the band in a thread's colour, inside of the zero level


def name_layers(
    context: ViewContext, at: Arrangement, colors: dict[int, int], viewport: Viewport
) -> tuple[Areas | Labels | Points | Segments, ...]:
    """What tells the threads apart: a name with a disc, and a band along the zero level, in the thread's colour."""
    numbers = tuple(colors[thread] for thread in at.at.every)
    return context.memo(_layers, at, numbers, viewport.measure, context.theme)


def window_label(context: ViewContext, at: Arrangement, viewport: Viewport) -> Labels:
    """What the straight view shows of the trace: where it begins, and how long it is."""
    low, high = at.windows[at.at.main]
    seen = window_text(low, high, at.trace.length)
    left = 34.0 + viewport.measure(thread_title(at.trace.threads, at.at.main), 13.0, True)
    return Labels(
        name="main window",
        x=np.array([left]),
        y=np.array([HEADER / 2]),
        text=(seen,),
        color=context.theme.muted,
        size=11.0,
    )


def window_text(low: float, high: float, whole: float) -> str:
    """A window of a trace in words: `from 1.20 s on, 350 ms of 3 s`. All of it in ns."""
    if low <= 0 and high >= whole:
        return f"all {duration(round(whole))}"
    begin = time_text(low, max((high - low) / 100, 1.0))
    return f"from {begin} on, {duration(round(high - low))} of {duration(round(whole))}"


def short_name(name: str, room: float, measure: object) -> str:
    """A name without its middle where it is longer than its room: the ends tell threads of a pool apart."""
    wide = measure  # (text, size, bold) -> logical pixels
    assert callable(wide)
    if wide(name, NAME_SIZE, False) <= room:
        return name
    for kept in range(min(len(name) - 1, 60), 1, -1):
        tail = (kept + 1) // 2
        text = f"{name[: kept - tail]}…{name[-tail:]}"
        if wide(text, NAME_SIZE, False) <= room:
            return text
    return name[-2:]


def label_boxes(at: Arrangement, wide: list[float]) -> list[tuple[float, float]]:
    """Where the names of the threads of the semicircle stand, centred: each outside of its sector; no two overlap.

    wide  logical pixels of each name
    """
    boxes: list[tuple[float, float, float, float]] = []
    found: list[tuple[float, float]] = []
    for thread, width in zip(at.at.ring, wide, strict=True):
        shape = at.panes[thread].shape
        assert isinstance(shape, SectorShape)
        angle = (shape.a0 + shape.a1) / 2
        cos, sin = math.cos(angle), math.sin(angle)
        for step in range(200):
            radius = at.radii[1] + _OUTSIDE + 2.0 * step
            x = at.center[0] + radius * cos + cos * (width + 6) / 2
            y = at.center[1] + radius * sin + sin * LINE / 2
            box = (x - width / 2 - 9, y - LINE / 2, x + width / 2 + 2, y + LINE / 2)
            if not any(box[0] < b[2] and b[0] < box[2] and box[1] < b[3] and b[1] < box[3] for b in boxes):
                break
        boxes.append(box)
        found.append((x, y))
    return found


def _layers(
    at: Arrangement, numbers: tuple[int, ...], measure: object, theme: Theme
) -> tuple[Areas | Labels | Points | Segments, ...]:
    ring = at.at.ring
    assert callable(measure)
    color = np.array([thread_color(number) for number in numbers], np.uint8).reshape(-1, 4)
    texts = tuple(short_name(thread_title(at.trace.threads, thread), at.name, measure) for thread in ring)
    wide = [float(measure(text, NAME_SIZE, False)) for text in texts]
    places = np.array(label_boxes(at, wide)).reshape(-1, 2)
    item = np.array(at.at.every, np.int32)
    main = thread_title(at.trace.threads, at.at.main)
    x = places[:, 0]
    y = np.append(HEADER / 2, places[:, 1])
    left = np.append(12.0, x - np.array(wide) / 2 - 5) if ring else np.array([12.0])
    around: tuple[Areas | Segments, ...] = (_bands(at, color[1:]), *_leaders(at, places, theme)) if ring else ()
    return (
        *around,
        Points(name="discs", x=left, y=y, color=color, size=8.0, item=item, grab=True),
        Labels(
            name="thread names",
            x=x,
            y=places[:, 1],
            text=texts,
            color=theme.text,
            size=NAME_SIZE,
            anchor="center",
            halo=theme.halo,
            item=item[1:],
            grab=True,
        ),
        Labels(
            name="main name",
            x=np.array([22.0]),
            y=y[:1],
            text=(main,),
            color=theme.text,
            size=13.0,
            bold=True,
            item=item[:1],
            grab=True,
        ),
    )


def _bands(at: Arrangement, color: np.ndarray) -> Areas:
    """A band along the zero level of each sector."""
    far = at.radii[0] - 1.0
    rings = [ring_outline(at.panes[thread].shape, far - _BAND, far) for thread in at.at.ring]
    return Areas(
        name="thread bands",
        points=np.concatenate(rings),
        ptr=np.arange(len(rings) + 1, dtype=np.int64) * 2 * ARC,
        color=color,
        item=np.array(at.at.ring, np.int32),
        grab=True,
    )


def _leaders(at: Arrangement, places: np.ndarray, theme: Theme) -> tuple[Segments, ...]:
    """Lines to names that do not stand right at their sectors."""
    starts = []
    for thread in at.at.ring:
        shape = at.panes[thread].shape
        assert isinstance(shape, SectorShape)
        turn = (shape.a0 + shape.a1) / 2
        starts.append((shape.cx + shape.r1 * math.cos(turn), shape.cy + shape.r1 * math.sin(turn)))
    start = np.array(starts)
    far = np.hypot(*(places - start).T) > 28
    if not far.any():
        return ()
    end = start[far] + (places[far] - start[far]) * np.maximum(1 - 9 / np.hypot(*(places - start)[far].T), 0)[:, None]
    return (
        Segments(
            name="leaders",
            x0=start[far, 0],
            y0=start[far, 1],
            x1=end[:, 0],
            y1=end[:, 1],
            color=(*theme.muted[:3], 110),
            width=1.0,
        ),
    )
