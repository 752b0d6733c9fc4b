"""All that a plugin may import. Young: a plugin says for which version it was written, and is refused by others."""

from __future__ import annotations

from typing import Protocol

from cbvtool.graph import NO_PARENT, REMOVED, Confidence, Edges, Graph, TreeIndex, When
from cbvtool.metrics import Column, Metric, Subject, evaluate
from cbvtool.mining.changes import Changes

API_VERSION = "0.1"

__all__ = [
    "API_VERSION",
    "NO_PARENT",
    "REMOVED",
    "Changes",
    "Column",
    "Confidence",
    "Edges",
    "Graph",
    "Metric",
    "Registry",
    "Subject",
    "TreeIndex",
    "When",
    "evaluate",
]


class Registry(Protocol):
    """What `register` of a plugin is given."""

    def add_metric(self, metric: Metric) -> None:
        """Offer `metric` wherever metrics are chosen. Raises ValueError when its name is taken."""
