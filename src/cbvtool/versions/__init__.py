"""Versions of a project: any commit analysed, and what differs between two of them."""

from cbvtool.versions.aligned import Compared, compared
from cbvtool.versions.analysed import Version, analysed
from cbvtool.versions.difference import ChangedNode, ChangedRelation, Difference, Relation, difference

__all__ = [
    "ChangedNode",
    "ChangedRelation",
    "Compared",
    "Difference",
    "Relation",
    "Version",
    "analysed",
    "compared",
    "difference",
]
