"""A whole view, or a part of it, without a window."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypeVar

from cbvtool.errors import InputError
from cbvtool.geometry.colors import Theme
from cbvtool.plots.joining import joined
from cbvtool.plots.panes import BoxShape
from cbvtool.plots.plot import Plot, Viewport
from cbvtool.plugin.parts import Columns, Layout, Tabs, ViewPart, ViewTable, parts_of
from cbvtool.progress import Progress, silent
from cbvtool.session.plugin_views.instance import MOST_ROUNDS, ViewFailure, ViewInstance
from cbvtool.session.plugin_views.tables import table_plot

T = TypeVar("T")

BORDER = 6.0  # logical pixels between parts


def settled(instance: ViewInstance, draw: Callable[[], T], progress: Progress = silent) -> T:
    """What `draw` gives when nothing is left to be made for it: needs may depend on what the view was drawn for."""
    instance.settle(progress)
    drawn = draw()
    for _ in range(MOST_ROUNDS):
        if not instance.settle(progress):
            break
        drawn = draw()
    return drawn


def render_part(instance: ViewInstance, part: str, viewport: Viewport) -> Plot | ViewTable:
    """One part. Raises InputError where there is none of that name, or where the view fails."""
    names = [each.name for each in parts_of(instance.layout())]
    if part not in names:
        raise InputError(f"The view {instance.view.name} has no part {part!r}: it has {', '.join(names)}.")
    drawn = instance.draw(part, viewport)
    if isinstance(drawn, ViewFailure):
        raise InputError(f"{drawn.sentence.rstrip('.')}.")
    return drawn


def render_whole(instance: ViewInstance, viewport: Viewport, theme: Theme) -> Plot:
    """All parts in their places, tables as text; of tabs the first. Raises InputError where the view fails."""
    plots = []
    for part, box in places(instance.layout(), BoxShape(0.0, 0.0, viewport.width, viewport.height)):
        room = replace(viewport, width=box.width, height=box.height)
        drawn = render_part(instance, part.name, room)
        plots.append((part.name, table_plot(drawn, room, theme) if isinstance(drawn, ViewTable) else drawn, box))
    return joined(plots)


def render_each(instance: ViewInstance, viewport: Viewport) -> list[tuple[ViewPart, Plot | ViewTable, Viewport]]:
    """Every part, those of all tabs, with what it was drawn for. Raises InputError where the view fails."""
    found = []
    for part, box in places(instance.layout(), BoxShape(0.0, 0.0, viewport.width, viewport.height), all_tabs=True):
        room = replace(viewport, width=box.width, height=box.height)
        found.append((part, render_part(instance, part.name, room), room))
    return found


def places(layout: Layout, box: BoxShape, *, all_tabs: bool = False) -> Iterator[tuple[ViewPart, BoxShape]]:
    """Where each part lies that is seen: of tabs the first, or all of them, one over the other."""
    if isinstance(layout, ViewPart):
        yield layout, box
    elif isinstance(layout, Tabs):
        yield from ((part, box) for part in (layout.parts if all_tabs else layout.parts[:1]))
    else:
        side_by_side = isinstance(layout, Columns)
        length = (box.width if side_by_side else box.height) - BORDER * (len(layout.parts) - 1)
        whole = sum(max(inner.share, 0.0) for inner in layout.parts) or 1.0
        at = box.x if side_by_side else box.y
        for inner in layout.parts:
            size = max(length, 0.0) * max(inner.share, 0.0) / whole
            room = replace(box, x=at, width=size) if side_by_side else replace(box, y=at, height=size)
            yield from places(inner, room, all_tabs=all_tabs)
            at += size + BORDER
