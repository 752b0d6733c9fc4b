"""CallFlow: what differs among many runs of a program (CF-1 to CF-5; Kesavan et al. 2020)."""

from __future__ import annotations

from cbvtool.api import Registry

from .view import CallFlowView

API = "0.2"
__version__ = "1.0"


def register(registry: Registry) -> None:
    """Offer the view."""
    registry.add_view(CallFlowView())
