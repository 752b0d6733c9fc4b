"""TraceVis: what each thread did along time, as stacks of calls, with both overviews (TV-1 to TV-9; 002 §4.1, §4.2)."""

from __future__ import annotations

from cbvtool.api import Registry

from .view import TraceVisView

API = "0.2"
__version__ = "1.0"


def register(registry: Registry) -> None:
    """Offer the view."""
    registry.add_view(TraceVisView())
