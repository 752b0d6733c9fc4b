"""Graphs from and to files."""

from cbvtool.formats.graph_json import read_graph, write_graph

__all__ = ["read_graph", "write_graph"]
