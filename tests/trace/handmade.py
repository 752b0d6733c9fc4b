"""Traces that tests make by hand."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path

from cbvtool.budget import Budget
from cbvtool.graph import Graph
from cbvtool.plan.document import TraceFile
from cbvtool.session.traces.files import Imported
from cbvtool.trace.making.builder import TraceBuilder
from cbvtool.trace.model.trace import Trace

MS = 1_000_000  # ns


def builder() -> TraceBuilder:
    """One that may spend what it likes."""
    return TraceBuilder("test", Budget("A test", seconds=math.inf))


def of_nodes(graph: Graph, spans: Iterable[tuple[int, str, int, int]]) -> Trace:
    """A trace of calls: (thread id, node id, first and last ms) each; an id that is no node is a function elsewhere."""
    made = builder()
    for thread, node, start, end in spans:
        file, _, name = node.partition("::")
        key = graph.key_of.get(node)
        line = 0 if key is None else int(graph.line[key])
        function = made.function(name or "<module>", "", f"/somewhere/{file}", line)
        made.span(made.thread(1, thread), function, start * MS, end * MS)
    made.describe(program="shop.py", began=1_700_000_000_000_000_000)
    return made.trace(made.build())


def imported(trace: Trace, name: str = "run.json") -> Imported:
    """A trace as if it was read from a file."""
    return Imported(TraceFile(Path("/nowhere") / name, "test", "0" * 64, 10, 20), (trace,))
