"""Curves beyond those that are drawn at once: on a worker, the longest waits first, as two images (ST-4)."""

from __future__ import annotations

from dataclasses import dataclass

from cbvtool.api import Areas, Need, NeedProgress, Raster, Theme, ViewContext, Viewport, flattened

from .arranging import Arrangement, arrangement
from .curves import color_choice, curve_shapes, over_bars, same_layer
from .pairs import Ints, Known, known_in, seen_in
from .state import SyncState
from .threads import colors_of

NAME = "more curves"
PIECE = 1000  # curves that are filled at a time; those of the first piece have circles and markers


@dataclass(frozen=True, eq=False)
class MoreCurves:
    """at: where they lie; below and above: what lies below the bars and over them; count: how many curves they hold."""

    at: Arrangement
    below: Raster
    above: Raster
    count: int


def more_needs(context: ViewContext, state: SyncState) -> tuple[Need, ...]:
    """The curves that are not drawn at once, where the picture rests."""
    viewport, known = context.viewports.get("main"), known_in(context)
    if viewport is None or viewport.moving or known is None or not context.values["curves"]:
        return ()
    at = arrangement(context, state, viewport)
    if at is None:
        return ()
    rows = seen_in(context, at, known).rest
    if not len(rows):
        return ()
    by, lit = color_choice(context, state.hover)
    numbers = tuple(colors_of(context, state).items())
    of = (at, known, rows, numbers, by, lit, context.theme, viewport)
    return (Need(NAME, "drawing more waits", make_more, of),)


def make_more(
    at: Arrangement,
    known: Known,
    rows: Ints,
    numbers: tuple[tuple[int, int], ...],
    by: str,
    lit: int,
    theme: Theme,
    viewport: Viewport,
    *,
    progress: NeedProgress,
) -> MoreCurves:
    """Fill curves in pieces, each below those of longer waits; what there is, is shown whenever it has doubled."""
    panes, found, shown = tuple(at.panes.values()), None, 0
    for first in range(0, len(rows), PIECE):
        progress("drawing more waits", first, len(rows))
        piece = rows[first : first + PIECE]
        how = (at, known, piece, numbers, by, lit, theme)
        area, rims, discs = curve_shapes(*how)
        over = over_bars(area, *how, marked=first == 0)
        rim = same_layer(area, known, piece, by, lit, theme)
        below: tuple[Areas | Raster, ...] = (area, *rim) if found is None else (area, *rim, found.below)
        above = (*over, rims, discs) if found is None else (*over, found.above)
        found = MoreCurves(
            at,
            flattened("more curves", below, panes, viewport),
            flattened("more releases", above, panes, viewport),
            first + len(piece),
        )
        if found.count >= 2 * shown:
            shown = found.count
            progress.first(found)
    assert found is not None
    return found


def more_in(context: ViewContext, at: Arrangement) -> MoreCurves | None:
    """What was drawn of them for this picture."""
    found: MoreCurves | None = context.found.get(NAME)
    return found if found is not None and found.at is at and context.values["curves"] else None
