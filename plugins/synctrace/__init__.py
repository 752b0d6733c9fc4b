"""SyncTrace: which thread waits for which, over what, and who released it (ST-1 to ST-8; Trümper 2014, §4.3)."""

from __future__ import annotations

from cbvtool.api import Registry

from .view import SyncTraceView

API = "0.2"
__version__ = "1.0"


def register(registry: Registry) -> None:
    """Offer the view."""
    registry.add_view(SyncTraceView())
