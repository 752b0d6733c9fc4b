"""Where things lie on the canvas: a line of text above, the legend below, the picture between them."""

from __future__ import annotations

from cbvtool.api import BoxShape, Pane, Viewport

from .flows import ARCS, BOX
from .preparing import FlowModel
from .state import CallFlowState

PLANE = "plane"
STATUS, LEGEND = 40.0, 26.0  # logical pixels: two lines above, one below
_LEFT, _RIGHT = 0.06, 0.73  # columns left and right of the boxes: names stand at the right, with as much room as others
_ABOVE = 6.0  # of the layout's pixels


def pane_of(model: FlowModel, state: CallFlowState, viewport: Viewport) -> Pane:
    """Columns along x, the layout's pixels along y."""
    x, y = whole_of(model)
    shape = BoxShape(0.0, STATUS, max(viewport.width, 4.0), max(viewport.height - STATUS - LEGEND, 4.0))
    return Pane(PLANE, shape, state.x or x, state.y or y, zoom="xy", pan="xy", home=x)


def whole_of(model: FlowModel) -> tuple[tuple[float, float], tuple[float, float]]:
    """The ranges of x and y that hold all boxes and names, and the arcs below them if there are any."""
    layout = model.layout
    loops = bool(layout.back.any())
    x = (-(0.2 if loops else _LEFT), max(layout.columns - 1, 0) + BOX + _RIGHT)
    return x, (-_ABOVE, layout.height + (ARCS if loops else _ABOVE))


def scales_of(pane: Pane) -> tuple[float, float]:
    """Logical pixels of a column, and of one of the layout's pixels."""
    assert isinstance(pane.shape, BoxShape)
    return pane.shape.width / (pane.x[1] - pane.x[0]), pane.shape.height / (pane.y[1] - pane.y[0])
