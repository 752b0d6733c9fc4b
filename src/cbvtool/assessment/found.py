"""The modules of the product, found by how a code base is laid out, so that nobody has to choose them first.

The product is the code apart from tests, generated and vendored files, documents and examples. Where packages are its
structure (Python, Go, languages of the JVM), its packages are the modules. Else the members of a workspace are. Else a
single chain of folders is walked down, and what lies directly at the first fork are the modules.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from cbvtool.analysis.languages import language_of
from cbvtool.graph import EXTERNAL, REMOVED, Graph
from cbvtool.hierarchies.workspace import has_manifest
from cbvtool.metrics.structure.users import of_kinds
from cbvtool.rules import dependencies, files

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Keys = npt.NDArray[np.int32]

BESIDE = frozenset(
    {
        "doc",
        "docs",
        "documentation",
        "example",
        "examples",
        "sample",
        "samples",
        "demo",
        "demos",
        "benchmark",
        "benchmarks",
    }
)  # what folders beside the product are called
MARKS = ("test", "generated", "vendored")  # values of files that are not the product
MOST_BESIDE = 0.5  # of the code: where more has such names, they are the product
IN_PACKAGES = 0.5  # of the product, from which packages are the structure
IN_MEMBERS = 0.8  # of the product, from which the members of a workspace are
IN_ONE = (
    0.8  # of what lies in a folder, from which one folder in it is walked down into, if nothing ties it to the rest
)


@dataclass(frozen=True, eq=False)
class FoundModules:
    """The modules of a graph of n nodes.

    by      `packages`, `members` of a workspace, or `children` of the fork
    fork    key of the node where the product first divides
    member  bool[n]: folders that are members; of files outside them, none is in a module
    aside   bool[n]: nodes that are not the product, nor is what lies below them
    """

    by: str
    fork: int
    member: Bools
    aside: Bools


@lru_cache(maxsize=8)  # graphs are values compared by identity
def found_modules(graph: Graph, root: int) -> FoundModules:
    """Those of what lies below `root` (a key), in a graph that no plan has changed."""
    none = np.zeros(len(graph), np.bool_)
    inside = np.zeros(len(graph), np.bool_)
    inside[graph.subtree(root)] = True
    is_file = of_kinds(graph, ("file",))
    if any(is_file[key] for key in (root, *graph.ancestors(root))):
        return FoundModules("children", root, none, none)
    weight = np.where(inside & ~outside(graph), _code(graph, is_file), 0.0)
    marked = np.zeros(len(graph), np.bool_)
    for name in MARKS:
        if name in graph.values:
            marked |= np.nan_to_num(graph.values[name]) > 0
    if not weight[~marked].any():  # all of it is a test, say
        marked = none
    beside = _beside(graph, root, np.where(marked, 0.0, weight))
    aside = marked | beside
    product = np.where(graph.tree.below(np.flatnonzero(aside)), 0.0, weight)
    held = graph.tree.subtree_sum(product)
    fork = _fork(graph, root, product, held)
    whole = max(float(held[root]), 1e-12)
    parent = np.maximum(graph.parent, 0)
    packaged = float(product[of_kinds(graph, ("package",))[parent] & is_file].sum())
    if packaged >= IN_PACKAGES * whole:
        return FoundModules("packages", fork, none, aside)
    member = has_manifest(graph) & inside & ~graph.tree.below(np.flatnonzero(aside))
    member[root] = False
    if _divides(graph, member, product, whole):
        return FoundModules("members", graph.tree.common_ancestor(graph.parent[member]), member, aside)
    return FoundModules("children", fork, none, aside)


def outside(graph: Graph) -> Bools:
    """bool[n]: what is not part of the project, with all below it."""
    return graph.tree.below(np.flatnonzero(of_kinds(graph, (EXTERNAL,))))


def _code(graph: Graph, is_file: Bools) -> Floats:
    """float64[n]: 1 for each file of code that depends on another file or is used by one, which lone scripts and copies
    of libraries are not; for each file of code where none does; for whatever has relations in a graph of other tools,
    which has no languages.
    """
    there = is_file & (graph.parent != REMOVED)
    known = np.array([language_of(path) is not None for path in graph.files], np.bool_)
    code = there & (graph.file >= 0)
    code[code] = known[graph.file[code]]
    item, rows, is_outside = files(graph), dependencies(graph, type_checking=True), outside(graph)
    source, target = item[graph.edges.source[rows]], item[graph.edges.target[rows]]
    inside = (source != target) & (source >= 0) & (target >= 0) & ~is_outside[source] & ~is_outside[target]
    related = np.zeros(len(graph), np.bool_)
    related[source[inside]] = related[target[inside]] = True
    for candidate in (code & related, code, there & related, related, there):
        if candidate.any():
            return candidate.astype(np.float64)
    return np.zeros(len(graph))


def _beside(graph: Graph, root: int, weight: Floats) -> Bools:
    """bool[n]: folders that are called as what lies beside a product; none where most of the code lies in them."""
    folder = of_kinds(graph, ("folder",))
    named = np.zeros(len(graph), np.bool_)
    rows = np.flatnonzero(folder)
    named[rows] = [graph.names[key].lower() in BESIDE for key in rows.tolist()]
    named &= ~graph.tree.below(np.flatnonzero(of_kinds(graph, ("package",))))
    named[root] = False
    held = float(weight[graph.tree.below(np.flatnonzero(named))].sum())
    return named if held <= MOST_BESIDE * float(weight.sum()) else np.zeros(len(graph), np.bool_)


def _fork(graph: Graph, root: int, product: Floats, held: Floats) -> int:
    """Key of the node at or below `root` at which the product first divides: single chains are walked down.

    What holds nearly all of it counts as the only one, if no dependency ties it to the rest, which is there to build
    it, say.
    """
    item, rows = files(graph), dependencies(graph, type_checking=True)
    source, target = item[graph.edges.source[rows]], item[graph.edges.target[rows]]
    holds = of_kinds(graph, ("folder", "package"))
    fork = root
    while True:
        inner = graph.children(fork)
        inner = inner[holds[inner] & (held[inner] > 0)]
        if not len(inner):
            return fork
        widest = int(inner[np.argmax(held[inner])])
        if held[widest] < held[fork] and (
            held[widest] < IN_ONE * held[fork] or _tied(graph, fork, widest, source, target, product)
        ):
            return fork
        fork = widest


def _tied(graph: Graph, fork: int, inner: int, source: Keys, target: Keys, product: Floats) -> bool:
    """Whether a dependency leads from files of the product in `inner` to others in `fork`, or back."""
    tree = graph.tree

    def lies(keys: Keys, below: int) -> Bools:
        result: Bools = (tree.pos[keys] >= tree.pos[below]) & (tree.pos[keys] < tree.end[below]) & (product[keys] > 0)
        return result

    one, other = lies(source, inner), lies(target, inner)
    return bool(((one != other) & lies(source, fork) & lies(target, fork)).any())


def _divides(graph: Graph, member: Bools, product: Floats, whole: float) -> bool:
    """Whether two members or more hold the product."""
    nearest = np.full(len(graph), -1, np.int64)
    tree = graph.tree
    for level in range(int(tree.depth.max(initial=0)) + 1):
        keys = np.flatnonzero(tree.depth == level)
        above = np.where(graph.parent[keys] >= 0, nearest[np.maximum(graph.parent[keys], 0)], -1)
        nearest[keys] = np.where(member[keys], keys, above)
    held = np.bincount(nearest[nearest >= 0], product[nearest >= 0], len(graph))
    return int(np.count_nonzero(held)) > 1 and float(held.sum()) >= IN_MEMBERS * whole
