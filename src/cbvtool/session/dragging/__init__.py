"""Drags: what is held, and what a drop would do. `gestures` has the pure functions, `Dragging` the state."""

from cbvtool.session.dragging.dragging import NEW, Candidate, Dragging

__all__ = ["NEW", "Candidate", "Dragging"]
