"""Where things lie on the canvas: a line of text above, the legend below, the picture between them."""

from __future__ import annotations

from cbvtool.api import BoxShape, Pane, Viewport

from .flows import ARCS, BOX
from .preparing import FlowModel
from .state import CallFlowState

PLANE = "plane"
STATUS, LEGEND = 22.0, 26.0  # logical pixels
_LEFT, _RIGHT = 0.06, 0.56  # columns left and right of the boxes: names stand at the right
_ABOVE = 6.0  # of the layout's pixels


def pane_of(model: FlowModel, state: CallFlowState, viewport: Viewport) -> Pane:
    """Columns along x, the layout's pixels along y."""
    layout = model.layout
    loops = bool(layout.back.any())
    left = 0.2 if loops else _LEFT
    whole = (-left, max(layout.columns - 1, 0) + BOX + _RIGHT)
    y = state.y or (-_ABOVE, layout.height + (ARCS if loops else _ABOVE))
    shape = BoxShape(0.0, STATUS, max(viewport.width, 4.0), max(viewport.height - STATUS - LEGEND, 4.0))
    return Pane(PLANE, shape, state.x or whole, y, zoom="xy", pan="xy", home=whole)


def scales_of(pane: Pane) -> tuple[float, float]:
    """Logical pixels of a column, and of one of the layout's pixels."""
    assert isinstance(pane.shape, BoxShape)
    return pane.shape.width / (pane.x[1] - pane.x[0]), pane.shape.height / (pane.y[1] - pane.y[0])
