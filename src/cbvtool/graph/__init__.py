"""The compound graph: frozen columns with stable keys, and what follows from them alone."""

from cbvtool.graph.build import GraphBuilder
from cbvtool.graph.distinct import distinct
from cbvtool.graph.graph import (
    CALLABLE,
    EXTERNAL,
    Confidence,
    Configuration,
    Edges,
    Graph,
    IntColumn,
    LanguageShare,
    Report,
    Skipped,
    When,
)
from cbvtool.graph.kinds import CALLS_BACK, HIDDEN, NO_DEPENDENCY, are_dependencies, are_uses
from cbvtool.graph.lift import LiftedEdges, lift
from cbvtool.graph.tree import NO_PARENT, REMOVED, TreeIndex

__all__ = [
    "CALLABLE",
    "CALLS_BACK",
    "EXTERNAL",
    "HIDDEN",
    "NO_DEPENDENCY",
    "NO_PARENT",
    "REMOVED",
    "Confidence",
    "Configuration",
    "Edges",
    "Graph",
    "GraphBuilder",
    "IntColumn",
    "LanguageShare",
    "LiftedEdges",
    "Report",
    "Skipped",
    "TreeIndex",
    "When",
    "are_dependencies",
    "are_uses",
    "distinct",
    "lift",
]
