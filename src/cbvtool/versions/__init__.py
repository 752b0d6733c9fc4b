"""Versions of a project: any commit analysed, and what differs between two of them."""

from cbvtool.versions.aligned import Compared, ToldChanges, compared, plans_compared
from cbvtool.versions.analysed import Version, analysed
from cbvtool.versions.between import VersionPair, pair_with_present, version_pair
from cbvtool.versions.difference import ChangedNode, ChangedRelation, Difference, RelationEnds, difference

__all__ = [
    "ChangedNode",
    "ChangedRelation",
    "Compared",
    "Difference",
    "RelationEnds",
    "ToldChanges",
    "Version",
    "VersionPair",
    "analysed",
    "compared",
    "difference",
    "pair_with_present",
    "plans_compared",
    "version_pair",
]
