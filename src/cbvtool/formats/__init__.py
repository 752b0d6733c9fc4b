"""Reads graphs from files and writes them to files."""

from cbvtool.formats.registry import format_of, outputs, read_graph, write_graph

__all__ = ["format_of", "outputs", "read_graph", "write_graph"]
