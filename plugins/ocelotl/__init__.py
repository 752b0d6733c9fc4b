"""Ocelotl: where in time and on which resources a run goes wrong (OC-1 to OC-6; Dosimont et al. 2014)."""

from __future__ import annotations

from cbvtool.api import Registry

from .view import OcelotlView

API = "0.2"
__version__ = "1.0"


def register(registry: Registry) -> None:
    """Offer the view."""
    registry.add_view(OcelotlView())
