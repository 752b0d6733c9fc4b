"""ViewFusion: one thread's calls along time over a treemap of the code they belong to (VF-1 to VF-6; 002 §5.1)."""

from __future__ import annotations

from cbvtool.api import Registry

from .view import ViewFusionView

API = "0.2"
__version__ = "1.0"


def register(registry: Registry) -> None:
    """Offer the view."""
    registry.add_view(ViewFusionView())
