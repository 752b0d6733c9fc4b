"""What matters, in words over the picture and as frames in it; which partition is shown (OC-3, OC-5)."""

from __future__ import annotations

import numpy as np

from cbvtool.api import (
    Deviation,
    Labels,
    Pane,
    ResourceCells,
    Segments,
    Theme,
    ViewContext,
    Viewport,
    frames_around,
    time_text,
)

from .frame import PLANE, STATUS, Frame
from .preparing import Model, optima_of, shown

_SIZE = 12.0
_MARKED = 3  # findings that have a frame
_STATUS = 180.0  # logical pixels that the partition has at least
_NEAR = 16.0  # logical pixels for the number of a frame


def clear_findings(model: Model) -> tuple[Deviation, ...]:
    """Those that are no noise and wait for no other one; they stand first."""
    return tuple(each for each in model.findings or () if not each.noise and each.behind < 0)


def headline_text(model: Model, origin: int) -> str:
    """The first finding, and how many more there are."""
    if model.findings is None:
        return "Comparing resources …"
    found, count = clear_findings(model), len(model.cells.tree.leaves)
    if not found:
        few = "One resource: nothing to compare it with" if count == 1 else "Two resources: too few to compare"
        return few if count < 3 else "No resource deviates from its peers"
    more = f", and {len(found) - 1:,} more" if len(found) > 1 else ""
    return f"{finding_text(model.cells, found[0], origin)}{more}"


def finding_text(cells: ResourceCells, found: Deviation, origin: int) -> str:
    """Who does what in place of what, and when."""
    edges = cells.edges - origin
    begin, end = float(edges[found.first]), float(edges[found.last + 1])
    step = max((end - begin) / 10, 1.0)
    does = found.more or f"less {found.less}"
    instead = f" instead of {found.less}" if found.more and found.less else ""
    return f"{cells.tree.path(found.row)}: {does}{instead} from {time_text(begin, step)} to {time_text(end, step)}"


def percent(share: float) -> str:
    """With a digit behind the point; nothing and all are only what is nothing and all."""
    if share in {0.0, 1.0}:
        return f"{share:.0%}"
    return "<0.1%" if share < 5e-4 else ">99.9%" if share >= 0.9995 else f"{share:.1%}"


def status_text(context: ViewContext, model: Model) -> str:
    """Which partition is shown, what it saves and what it loses."""
    number, partition = shown(context, model)
    every = optima_of(model)
    areas = f"{len(partition):,} area{'' if len(partition) == 1 else 's'}"
    quality = f"{percent(every.gain[number])} simpler, {percent(every.loss[number])} of the information lost"
    if model.every is None:
        return f"{areas}: {quality} (first picture; finding all partitions …)"
    return f"Partition {number + 1:,} of {len(every):,}: {areas}, {quality}"


def headline(context: ViewContext, model: Model, viewport: Viewport) -> tuple[Labels, ...]:
    """The finding at the left, as long as it needs; the partition at the right, as far as there is room for it."""
    say = headline_text(model, context.trace().span[0])
    status = "  ·  ".join((*model.cells.notes, status_text(context, model)))
    looks_at = f"{model.look.resource}  ·  " if model.look.resource else ""
    say = f"{looks_at}{say}"
    whole = max(viewport.width - 16.0, 0.0)
    took = min(viewport.measure(say, _SIZE, True), max(whole - _STATUS, 0.0))
    y = np.array([STATUS / 2])
    warns = bool(clear_findings(model))
    return (
        Labels(
            name="headline",
            x=np.array([8.0]),
            y=y,
            text=(say,),
            size=_SIZE,
            bold=True,
            room=np.array([took + 1.0]),
            color=context.theme.warning if warns else context.theme.text,
        ),
        Labels(
            name="status",
            x=np.array([viewport.width - 8.0]),
            y=y,
            text=(status,),
            size=_SIZE,
            anchor="right",
            color=context.theme.muted,
            room=np.array([max(whole - took - (20.0 if say else 0.0), 0.0)]),
        ),
    )


def marked_findings(origin: int, model: Model, pane: Pane, frame: Frame, theme: Theme) -> tuple[Segments | Labels, ...]:
    """Frames around the first findings, with their numbers in the table."""
    found = clear_findings(model)[:_MARKED]
    tree, edges = model.cells.tree, (model.cells.edges - origin).astype(np.float64)
    x0 = np.array([edges[each.first] for each in found])
    x1 = np.array([edges[each.last + 1] for each in found])
    y0 = np.array([tree.first_leaf[each.row] for each in found], np.float64)
    y1 = np.array([tree.first_leaf[tree.end[each.row]] for each in found], np.float64)
    aside = 1.0 / frame.leaf  # a logical pixel, so that of a low resource something is left
    y0, y1 = np.maximum(y0 - aside, pane.y[0] + aside), np.minimum(y1 + aside, pane.y[1] - aside)
    layers: list[Segments | Labels] = [frames_around("findings", x0, x1, y0, y1, theme.warning, pane=PLANE, width=1.6)]
    pixel = (pane.x[1] - pane.x[0]) / frame.width
    told = list[tuple[float, float]]()
    for number in range(len(found)):
        before = x0[number] > pane.x[0] + _NEAR * pixel
        x, y = float(x0[number] - 4 * pixel if before else x1[number] + 4 * pixel), float(y0[number] + y1[number]) / 2
        beside = [at for at in told if abs(at[0] - x) < _NEAR * pixel and abs(at[1] - y) * frame.leaf < _SIZE]
        x += (-1 if before else 1) * len(beside) * _NEAR * pixel
        told.append((x, y))
        layers.append(
            Labels(
                name=f"finding {number + 1}",
                pane=PLANE,
                x=np.array([x]),
                y=np.array([y]),
                text=(f"{number + 1}",),
                color=theme.warning,
                anchor="right" if before else "left",
                size=_SIZE,
                bold=True,
                halo=(*theme.ground[:3], 220),
            )
        )
    return tuple(layers)
