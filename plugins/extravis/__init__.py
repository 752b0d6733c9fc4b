"""ExtraVis: the calls of a run as rows over a hierarchy, and bundled in a circle (EX-1 to EX-6; Holten et al. 2007)."""

from __future__ import annotations

from cbvtool.api import Registry

from .view import ExtraVisView

API = "0.2"
__version__ = "1.0"


def register(registry: Registry) -> None:
    """Offer the view."""
    registry.add_view(ExtraVisView())
