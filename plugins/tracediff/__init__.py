"""TraceDiff: two threads against each other, and what of them is alike (TD-1 to TD-8; Trümper, Döllner, Telea 2013)."""

from __future__ import annotations

from cbvtool.api import Registry

from .code_overlay import OVERLAY
from .hierarchies.view import HierarchiesView
from .view import TraceDiffView

API = "0.2"
__version__ = "1.0"


def register(registry: Registry) -> None:
    """Offer both views, and the overlay."""
    registry.add_view(TraceDiffView())
    registry.add_view(HierarchiesView())
    registry.add_overlay(OVERLAY)
