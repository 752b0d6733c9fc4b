"""The critical path back from a chosen moment: a chain along the threads, and a list with times."""

from __future__ import annotations

import numpy as np

from cbvtool.api import Areas, Bars, CriticalStep, Points, Trace, ViewContext, critical_path

from .arranging import Arrangement
from .curves import PIECES, anchors, bent, ribbons
from .pairs import Known
from .state import SyncState

_WIDTH = 1.6  # logical pixels: half of a leap from thread to thread


def path_of(context: ViewContext, state: SyncState, known: Known | None) -> tuple[CriticalStep, ...]:
    """What the chosen moment depended on, the earliest first; none is chosen, none is told."""
    if state.path is None or known is None:
        return ()
    return context.memo(_steps, context.trace(), known, *state.path)


def _steps(trace: Trace, known: Known, thread: int, moment: float) -> tuple[CriticalStep, ...]:
    return critical_path(trace, known.pairs, thread, round(moment) + trace.span[0])


def chain_layers(
    context: ViewContext, state: SyncState, at: Arrangement, known: Known
) -> tuple[Areas | Bars | Points, ...]:
    """The stretches of the path on each thread that is drawn, and the leaps between them."""
    steps = path_of(context, state, known)
    return context.memo(_chain, at, known, steps, context.theme.accent) if steps else ()


def _chain(
    at: Arrangement, known: Known, steps: tuple[CriticalStep, ...], color: tuple[int, int, int, int]
) -> tuple[Areas | Bars | Points, ...]:
    origin = at.trace.span[0]
    layers: list[Areas | Bars | Points] = []
    for thread in sorted({step.thread for step in steps} & set(at.panes)):
        own = [step for step in steps if step.thread == thread]
        x0 = np.array([float(step.start - origin) for step in own])
        x1 = np.array([float(step.end - origin) for step in own])
        pane = at.panes[thread]
        thin = 4.0 / max(at.level_height(thread), 1e-6)  # in levels
        low = pane.y[1] - thin if thread == at.at.main else 0.0
        y0 = np.full(len(own), low)
        layers.append(Bars(name=f"path {pane.name}", pane=pane.name, x0=x0, x1=x1, y0=y0, y1=y0 + thin, color=color))
    rows = np.array([step.row for step in steps if step.row >= 0], np.int64)
    drawn = np.isin(known.pairs.waiting_thread[rows], list(at.panes))
    rows = rows[drawn & np.isin(known.pairs.releasing_thread[rows], list(at.panes))]
    if len(rows):
        where = anchors(at, known, rows)
        shape = ribbons(bent(where.end, where.release, at.center), _WIDTH)
        layers.append(
            Areas(
                name="path leaps",
                points=shape.reshape(-1, 2),
                color=(*color[:3], 220),
                ptr=np.arange(len(rows) + 1, dtype=np.int64) * (2 * PIECES + 2),
                item=rows.astype(np.int32),
            )
        )
    return tuple(layers)
