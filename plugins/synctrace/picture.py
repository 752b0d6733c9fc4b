"""The picture: the straight view, the semicircle, and who waits for whom between them (ST-3 to ST-5)."""

from __future__ import annotations

from itertools import chain

import numpy as np

from cbvtool.api import Labels, Pane, Plot, Segments, ViewContext, Viewport, frames_around, levels_in

from .arranging import Arrangement, arrangement, frame_of
from .bars import bar_layers, bars_in, label_layer
from .curves import color_choice, curve_layers, lit_layers, mark_layers
from .estimates import estimate_layers
from .furniture import Layer, ground_layers, overview, time_axis
from .gathered import path_layers
from .legend import legend_layers
from .more_curves import more_in
from .names import name_layers, window_label
from .pairs import has_links, known_in, seen_in
from .pathway import chain_layers
from .state import SyncState
from .threads import colors_of

_ON_TOP = (
    "thread names",
    "main name",
    "discs",
    "radius",
    "splitter",
    "thread bands",
    "estimate",
    "lit releases",
    "curves releases",
    "more releases",
    "never ended",
    "timed out",
)
_BELOW = ("lit", "curves", "more curves", "path leaps", "gathered")


def draw_picture(context: ViewContext, state: SyncState, viewport: Viewport) -> Plot:
    """All threads that are drawn, and all that is between them."""
    at, frame = arrangement(context, state, viewport), frame_of(context, state, viewport)
    if at is None or frame is None:
        return _sentence(context, viewport)
    known, colors = known_in(context), colors_of(context, state)
    main, ring = at.at.main, at.at.ring
    panes: list[Pane] = [at.panes[thread] for thread in at.at.every]
    lit = state.hover if state.hover >= 0 else state.wait
    seen = seen_in(context, at, known) if known is not None and context.values["curves"] else None
    more = None if viewport.moving else more_in(context, at)
    below, above = (
        ((), ())
        if known is None or seen is None
        else curve_layers(context, at, known, seen, colors, state.hover, viewport.moving)
    )
    shown = [bar_layers(context, at, thread, known) for thread in (main, *ring)]
    layers: list[Layer | None] = [*ground_layers(context, frame)]
    paths = path_layers(context, at, known, state.over, colors) if known is not None else ()
    layers += paths[:1]
    layers += [more.below if more else None, *below, *chain.from_iterable(shown)]
    layers += [label_layer(context, at, thread) for thread in (main, *ring)]
    for row, thread in enumerate((main, at.wide) if at.wide >= 0 else (main,)):
        pane, strip = overview(context, at, thread, row, known, colors[thread], viewport.width)
        panes.append(pane)
        layers += strip
    layers += time_axis(context, state, at, viewport)
    told: tuple[Layer, ...] = ()
    layers += paths[1:]
    if known is not None:
        layers += (
            more.above if more else None,
            *above,
            *mark_layers(context, at, known),
            *chain_layers(context, state, at, known),
        )
        told = lit_layers(context, at, known, lit, colors)
        layers += told[:-1]
    label = window_label(context, at, viewport)
    layers += (*name_layers(context, frame, colors, viewport), label)
    if known is not None:
        left = float(label.x[0]) + viewport.measure(label.text[0], 11.0, False) + 16
        layers += estimate_layers(context, state, at, known, viewport, left)
    layers += told[-1:]  # its time, above the bands of the threads
    layers += _chosen(context, state, at)
    drawn = 0 if seen is None else len(seen.rows) + (more.count if more else 0)
    count = (drawn, 0 if seen is None else seen.count)
    compared, saved = color_choice(context, state.hover)[1] >= 0, known is not None and state.change is not None
    waits = None if known is None else len(known.group) > 0
    links = known is not None and context.memo(has_links, known)
    layers += legend_layers(context, waits, count, viewport, compared=compared, saved=saved, links=links)
    names = tuple(layer.name for layers_ in shown for layer in layers_[:1])
    return Plot(tuple(panes), tuple(layer for layer in layers if layer is not None), input=(*_ON_TOP, *names, *_BELOW))


def _chosen(context: ViewContext, state: SyncState, at: Arrangement) -> tuple[Segments, ...]:
    """A frame around the selected call."""
    trace, row = context.trace(), state.selected
    if not 0 <= row < len(trace.calls):
        return ()
    thread = int(trace.thread_of(np.array([row]))[0])
    if thread not in at.panes:
        return ()
    bars = bars_in(context, at, thread)
    which = np.flatnonzero((bars.row <= row) & (row <= bars.last) & (bars.depth == trace.calls.depth[row]))[:1]
    y0, y1 = at.tops[bars.depth[which]], at.tops[bars.depth[which] + 1] - 0.05
    pane = at.panes[thread].name
    return (frames_around("selected", bars.x0[which], bars.x1[which], y0, y1, context.theme.text, pane=pane),)


def _sentence(context: ViewContext, viewport: Viewport) -> Plot:
    sorting = levels_in(context) is None
    say = "Sorting the calls of the trace …" if sorting else "No thread with calls is shown. Tick some in the table."
    text = Labels(
        name="empty",
        x=np.array([viewport.width / 2]),
        y=np.array([viewport.height / 2]),
        text=(say,),
        color=context.theme.muted,
        anchor="center",
        size=13.0,
    )
    return Plot((), (text,))
