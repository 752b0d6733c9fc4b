"""The list of partitions: what each saves and loses; a click or a drag walks it (OC-2, OC-3)."""

from __future__ import annotations

import numpy as np

from cbvtool.api import Bars, BoxShape, Labels, Optima, Pane, Plot, Points, Segments, Theme, ViewContext, Viewport

from .headline import percent
from .preparing import model_in, optima_of, shown

LIST = "list"
_LEFT, _TOP, _BOTTOM = 8.0, 6.0, 20.0
_TEXTS = 250.0
_LEAST = 13.0  # of a line of text


def draw_quality(context: ViewContext, viewport: Viewport) -> Plot:
    """Two curves over the list, the finest partition at the left; which one is drawn, and which one is marked."""
    model = model_in(context)
    if model is None:
        return Plot()
    every, theme = optima_of(model), context.theme
    number, _ = shown(context, model)
    width = max(viewport.width - _LEFT - _TEXTS, 20.0)
    height = max(viewport.height - _TOP - _BOTTOM, 8.0)
    count = len(every)
    pane = Pane(LIST, BoxShape(_LEFT, _TOP, width, height), (0.0, float(count)), (1.05, -0.05), "", "")
    here = np.array([number + 0.5])
    now = Segments(
        name="now",
        pane=LIST,
        x0=here,
        x1=here,
        y0=np.array([-0.05]),
        y1=np.array([1.05]),
        color=theme.accent,
        width=2.0,
    )
    ground = Bars(
        name="ground",
        pane=LIST,
        x0=np.zeros(1),
        x1=np.array([float(count)]),
        y0=np.array([-0.05]),
        y1=np.array([1.05]),
        color=theme.plane,
        item=np.zeros(1, np.int32),
        grab=True,
    )
    curves = context.memo(_curves, every, theme)
    return Plot((pane,), (ground, *curves, now, *_texts(every, number, model.every is None, viewport, theme)))


def _curves(every: Optima, theme: Theme) -> tuple[Segments | Points, ...]:
    x = np.arange(len(every)) + 0.5
    found: list[Segments | Points] = []
    for name, values, color in (("gain", every.gain, theme.better), ("loss", every.loss, theme.worse)):
        found.append(
            Segments(
                name=name,
                pane=LIST,
                x0=x[:-1],
                x1=x[1:],
                y0=values[:-1],
                y1=values[1:],
                color=color,
                width=2.0,
                dashed=name == "loss",
            )
        )
        if len(every) < 60:
            found.append(Points(name=f"{name} of each", pane=LIST, x=x, y=values, color=color, size=4.0))
    at = np.array([every.marked])
    found.append(
        Points(name="marked", pane=LIST, x=x[at], y=np.zeros(1), color=theme.accent, size=9.0, shape="triangle")
    )
    return tuple(found)


def _texts(every: Optima, number: int, partial: bool, viewport: Viewport, theme: Theme) -> tuple[Labels, ...]:
    x = viewport.width - _TEXTS + 12.0
    lines = [  # the first ones count
        (f"{percent(every.gain[number])} simpler (line)", theme.better),
        (f"{percent(every.loss[number])} of the information lost (dashes)", theme.worse),
        ("[ finer    ] coarser    0 first picture", theme.muted),
        (f"▲ before the largest step: {every.marked + 1:,}   (G)", theme.accent),
    ]
    lines = lines[: max(int((viewport.height - 8.0) / _LEAST), 1)]
    high = min((viewport.height - 8.0) / len(lines), 18.0)
    below = "few partitions; finding all …"
    if not partial:
        below = f"{len(every):,} optimal partitions, the finest at the left; this one is the best from p = "
        below += f"{every.low[number]:.3g} on"
    return (
        *(
            Labels(
                name=f"text {row}",
                x=np.array([x]),
                y=np.array([8.0 + (row + 0.5) * high]),
                text=(text,),
                color=color,
                size=11.0,
                room=np.array([_TEXTS - 16.0]),
            )
            for row, (text, color) in enumerate(lines)
        ),
        Labels(
            name="scale", pane=LIST, x=np.zeros(1), y=np.array([0.93]), text=(" 100%",), color=theme.muted, size=9.0
        ),
        Labels(
            name="below",
            x=np.array([_LEFT]),
            y=np.array([viewport.height - 9.0]),
            text=(below,),
            color=theme.muted,
            size=11.0,
        ),
    )
