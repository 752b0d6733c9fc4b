"""Drags: what is held, and what a drop would do. `gestures` has the pure functions, `DragPlanning` the state."""

from cbvtool.session.dragging.dragging import NEW, Candidate, DragPlanning

__all__ = ["NEW", "Candidate", "DragPlanning"]
