"""The compound graph: frozen columns with stable keys, and what follows from them alone."""

from cbvtool.graph.build import GraphBuilder
from cbvtool.graph.graph import Confidence, Edges, Graph, Report, Skipped, When
from cbvtool.graph.lift import LiftedEdges, lift
from cbvtool.graph.tree import NO_PARENT, REMOVED, TreeIndex

__all__ = [
    "NO_PARENT", "REMOVED", "Confidence", "Edges", "Graph", "GraphBuilder", "LiftedEdges", "Report",
    "Skipped", "TreeIndex", "When", "lift",
]  # fmt: skip
