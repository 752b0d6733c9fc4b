"""Which relations count as uses, and how many files outside a subtree have one with it.

This is decided here for all metrics and rules (`is_sure`, `uses`):

- Changing together is not a use. A call at run time of code that is not named (`calls back`) is not a dependency, so
  that it does not count for fan-in; but the target is in use (`unused`).
- A guess, a relation found by name alone, does not count, because figures must be certain. Only `unused`, which
  suggests removal, counts guesses, because there a guess speaks for keeping code.
- Code outside the project is not a file and not a dependant. But external packages have dependants.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import numpy.typing as npt

from cbvtool.graph import EXTERNAL, REMOVED, Confidence, Graph, are_dependencies, are_uses
from cbvtool.metrics.combine import Column, IntColumn, distinct_below

Mask = npt.NDArray[np.bool_]

# Importing a file runs it, and naming a namespace opens it: neither uses everything inside.
_NOT_WHOLE = frozenset({"file", "namespace"})
_FOLDERS = frozenset({"project", "folder", "package"})
_NO_CLASS = frozenset({"namespace", "function", "section", "paragraph"})  # kinds of definitions without members


def related_files(graph: Graph, near: IntColumn, far: IntColumn) -> Column:
    """float64[n]: for each node v, number of files outside v that are related to something in v.

    near, far  int32[m]  keys: relation i counts the file of `far[i]` for every node that contains `near[i]`

    A file is outside v when it neither lies in v nor contains v. A far end outside of files counts as a file itself.
    NaN for removed nodes.
    """
    tree = graph.tree
    there = (tree.pos[near] >= 0) & (tree.pos[far] >= 0)
    near, file = near[there], file_of(graph)[far[there]]
    apart = (tree.pos[near] < tree.pos[file]) | (tree.pos[near] >= tree.end[file])
    pair = np.unique(file[apart].astype(np.int64) * len(graph) + near[apart])
    file, near = (pair // len(graph)).astype(np.int32), (pair % len(graph)).astype(np.int32)
    held = distinct_below(tree, file, near)
    # This also counts a file for nodes that contain both the file and something related to it. They are the ancestors
    # of the deepest least common ancestor of the file with a node related to it.
    joint = tree.lowest_common_ancestor(file, near)
    deepest = np.lexsort((tree.depth[joint], file))
    last = np.append(file[deepest][1:] != file[deepest][:-1], True)[: len(file)]
    inside = tree.subtree_sum(np.bincount(joint[deepest][last], minlength=len(graph)).astype(np.float64))
    return np.where(graph.parent == REMOVED, np.nan, held - inside)


def is_sure(graph: Graph) -> Mask:
    """bool[m]: relations that are more than a guess."""
    return np.not_equal(graph.edges.confidence, Confidence.GUESS)


def uses(
    graph: Graph, *, external: bool = False, guesses: bool = False, called_back: bool = False
) -> tuple[IntColumn, IntColumn]:
    """The two ends (user, used) of all relations by which one node uses another.

    external     include uses of packages outside the project
    guesses      include relations found by name alone
    called_back  include relations that are not dependencies: calls of arguments, and calls seen at run time
    """
    edges, outside = graph.edges, of_kinds(graph, (EXTERNAL,))
    there = graph.parent != REMOVED
    rows = are_uses(edges) if called_back else are_dependencies(edges)
    rows &= there[edges.source] & there[edges.target] & ~outside[edges.source]
    if not external:
        rows &= ~outside[edges.target]
    if not guesses:
        rows &= is_sure(graph)
    return edges.source[rows], edges.target[rows]


def parts(graph: Graph) -> tuple[IntColumn, IntColumn]:
    """(whole, part) of all pairs of nodes for which using the whole means using the part: a class and its methods,
    wherever they are written, and a folder and its files. Not a file and its definitions, and not a folder and its
    subfolders: an import of a package in Go uses nothing of the packages below it.
    """
    child = np.flatnonzero(graph.parent >= 0).astype(np.int32)
    folder = of_kinds(graph, _FOLDERS)
    child = child[~of_kinds(graph, _NOT_WHOLE)[graph.parent[child]] & ~(folder[child] & folder[graph.parent[child]])]
    whole, part = written_apart(graph)
    return np.concatenate((graph.parent[child], whole)), np.concatenate((child, part))


def written_apart(graph: Graph, *, all_of_that_name: bool = False) -> tuple[IntColumn, IntColumn]:
    """(class, member) for members written outside of their class, as in C++ (`Shop::open`) and Go (`Shop.open`).

    Of several classes with that name, it is the one in the same file, else the only one in the same folder, else the
    only one at all; with `all_of_that_name`, all of them. There may be none.
    """
    is_file, file = of_kinds(graph, ("file",)), file_of(graph)
    inner = is_file[file] & ~is_file & (graph.parent != REMOVED)
    classes: dict[str, list[int]] = {}
    for key in np.flatnonzero(inner & ~of_kinds(graph, _NO_CLASS)).tolist():
        classes.setdefault(_qualified(graph.names[key])[-1], []).append(key)
    pairs = []
    folder = graph.parent[file]
    for member in np.flatnonzero(inner & is_file[graph.parent]).tolist():
        owner = _qualified(graph.names[member])[:-1]
        found = [key for key in classes.get(owner[-1], ()) if key != member] if owner else []
        if not all_of_that_name and len(found) > 1:
            here = [key for key in found if file[key] == file[member]]
            found = here or [key for key in found if folder[key] == folder[member]]
            found = found if len(found) == 1 else []
        pairs += [(key, member) for key in found]
    whole, part = np.array(pairs, np.int32).reshape(-1, 2).T
    return whole, part


def _qualified(name: str) -> list[str]:
    """`a::b.c` as [a, b, c]."""
    return name.replace("::", ".").split(".")


def of_kinds(graph: Graph, kinds: Collection[str]) -> Mask:
    """bool[n]: nodes of one of these kinds."""
    return np.array([name in kinds for name in graph.kind_names], np.bool_)[graph.kinds]


def file_of(graph: Graph) -> IntColumn:
    """int32[n]: key of the innermost file at or above each node; of the node itself if there is none."""
    key, is_file = np.arange(len(graph), dtype=np.int32), of_kinds(graph, ("file",))
    above = np.where(is_file | (graph.parent < 0), key, graph.parent)
    while np.any((farther := above[above]) != above):  # each time twice as far
        above = farther
    return np.where(is_file[above], above, key)
