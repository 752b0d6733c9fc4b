"""Versions of a project: any commit analysed, and what differs between two of them."""

from cbvtool.versions.aligned import Compared, compared, plans_compared
from cbvtool.versions.analysed import Version, analysed
from cbvtool.versions.difference import ChangedNode, ChangedRelation, Difference, RelationEnds, difference

__all__ = [
    "ChangedNode",
    "ChangedRelation",
    "Compared",
    "Difference",
    "RelationEnds",
    "Version",
    "analysed",
    "compared",
    "difference",
    "plans_compared",
]
