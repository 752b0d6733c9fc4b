"""Whether the code, analysed anew, depends as the plan said that it would."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from cbvtool.graph import Graph
from cbvtool.plan.place import file_of, place

_Edge = tuple[str, str]


@dataclass(frozen=True)
class GraphProof:
    """What differs between the import graph that was planned and that of the result: (importer, imported) by path.

    missing   planned, and not there
    extra     there, and not planned
    declared  there and not planned as imports, and known to be so: what was a dotted use of a module
    imports   how many imports are as planned
    """

    missing: tuple[_Edge, ...]
    extra: tuple[_Edge, ...]
    declared: tuple[_Edge, ...]
    imports: int

    @property
    def holds(self) -> bool:
        """Whether the two graphs are equal."""
        return not self.missing and not self.extra


def compared(
    planned: Graph,
    found: Graph,
    misled: Iterable[_Edge] = (),
    forwards: Mapping[str, str] | None = None,
    is_implied: Callable[[str, str], bool] = lambda importer, imported: False,
) -> GraphProof:
    """The import graph that was planned beside that of the result.

    misled    edges that say nothing: an import takes what a package calls as it calls a module
    forwards  file that was left under an old name -> the file that it leads to; it imports that, and nothing imports it
    is_implied  tells whether a file sees another one without an import; then any use of it is as good as the import
    """
    leading = dict(forwards or {})
    wanted, there = _imports(planned, "import"), _imports(found, "import")
    wanted |= set(leading.items())
    there = {edge for edge in there if edge[0] not in leading or edge[1] == leading[edge[0]]}
    used = _imports(planned, "")
    void = set(misled)
    wanted -= void - there
    there |= {edge for edge in (wanted - there) & _imports(found, "") if is_implied(*edge)}
    over = there - wanted
    declared = {edge for edge in over if edge in used or edge in void}
    return GraphProof(
        tuple(sorted(wanted - there)), tuple(sorted(over - declared)), tuple(sorted(declared)), len(wanted & there)
    )


def _imports(graph: Graph, kind: str) -> set[_Edge]:
    """Pairs of paths of files, of which the first imports the second; of any relation if no kind is given."""
    edges = graph.edges
    rows = np.arange(len(edges.source))
    if kind:
        number = edges.kind_names.index(kind) if kind in edges.kind_names else -1
        rows = np.flatnonzero(edges.kind == number)
    path: dict[int, str] = {}
    for key in np.unique(np.concatenate([edges.source[rows], edges.target[rows]])).tolist():
        file = file_of(graph, key)
        path[key] = place(graph, file) if file >= 0 else ""
    pairs = zip(edges.source[rows].tolist(), edges.target[rows].tolist(), strict=True)
    found = {(path[source], path[target]) for source, target in pairs}
    return {(source, target) for source, target in found if source and target and source != target}
