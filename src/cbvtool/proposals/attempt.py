"""A move that is tried before it is proposed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from cbvtool.graph import Graph
from cbvtool.plan import Move

PACKAGE_FILES = frozenset({"__init__.py", "__init__.pyi", "package-info.java", "mod.rs"})  # they say what a folder is


@dataclass(frozen=True)
class Attempt:
    """A move to try: keys."""

    node: int
    target: int

    def operation(self, graph: Graph) -> Move:
        """The step of a plan that does it."""
        return Move((graph.ids[self.node],), graph.ids[self.target])


def without_clashes(graph: Graph, attempts: Iterable[Attempt]) -> Iterator[Attempt]:
    """Those whose target holds nothing of that name as yet, in their order."""
    names: dict[int, set[str]] = {}
    for attempt in attempts:
        if attempt.target not in names:
            names[attempt.target] = {graph.names[key] for key in graph.children(attempt.target).tolist()}
        if graph.names[attempt.node] not in names[attempt.target]:
            yield attempt
