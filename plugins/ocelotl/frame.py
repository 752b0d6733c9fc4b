"""Where things lie on the canvas: names at the left, times above, the legend below, the plane between them."""

from __future__ import annotations

from dataclasses import dataclass

from cbvtool.api import BoxShape, Pane, ViewContext, Viewport

from .preparing import Model
from .state import OcelotlState

PLANE, NAMES = "plane", "names"
STATUS, RULER = 20.0, 18.0  # logical pixels: the line with the figures, the times
LEGEND = 24.0


@dataclass(frozen=True)
class Frame:
    """Logical pixels. leaf: height of a leaf."""

    left: float
    top: float
    width: float
    height: float
    leaf: float


def frame_of(model: Model, viewport: Viewport) -> Frame:
    """The plane takes what the names leave; of a single resource there are none."""
    left = 0.0 if len(model.cells.tree) == 1 else min(max(viewport.width * 0.2, 60.0), 210.0)
    top = STATUS + RULER
    height = max(viewport.height - top - LEGEND, 4.0)
    return Frame(left, top, max(viewport.width - left, 4.0), height, height / max(len(model.cells.tree.leaves), 1))


def plane_of(context: ViewContext, state: OcelotlState, model: Model, frame: Frame) -> Pane:
    """Time along x, ns since the start of the trace; leaves along y. Wheel and keys change the window."""
    trace = context.trace()
    origin = trace.span[0]
    low, high = state.moving or model.cells.window
    whole = (0.0, max(trace.length, float(model.cells.edges[-1] - origin)))
    leaves = float(max(len(model.cells.tree.leaves), 1))
    shape = BoxShape(frame.left, frame.top, frame.width, frame.height)
    return Pane(
        PLANE,
        shape,
        (float(low - origin), float(high - origin)),
        (0.0, leaves),
        zoom="x",
        pan="",
        limit=whole,
        home=whole,
    )
