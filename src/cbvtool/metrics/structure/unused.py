"""Unused code: code that no entry point reaches (CBV-10). Only candidates: analysis does not see every way of use."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from cbvtool.graph import EXTERNAL, REMOVED, Graph
from cbvtool.metrics.combine import Column, IntColumn, own, share, total
from cbvtool.metrics.metric import Metric, Subject
from cbvtool.metrics.size.nl3 import percent
from cbvtool.metrics.structure.entry_points import ENTRY_POINTS, called_by_language, entry_points, patterns_of
from cbvtool.metrics.structure.reach import condensed
from cbvtool.metrics.structure.users import Mask, file_of, of_kinds, parts, uses, written_apart
from cbvtool.progress import Progress, silent


@dataclass(frozen=True)
class Unused:
    """Nodes that can be removed together, because only they themselves use them.

    keys    of the nodes, each with its subtree
    heads   those of `keys` that can be removed first: no other code uses them, except code that they use themselves
    sloc    source lines of all of it
    """

    keys: tuple[int, ...]
    heads: tuple[int, ...]
    sloc: float

    @property
    def size(self) -> str:
        """The size in words: `120 source lines in 3 places`; without lines if none were counted."""
        places = f"{len(self.keys):,} place{'' if len(self.keys) == 1 else 's'}"
        return f"{self.sloc:,.0f} source line{'' if self.sloc == 1 else 's'} in {places}" if self.sloc else places


def unused(graph: Graph, patterns: Iterable[str] = ENTRY_POINTS, progress: Progress = silent) -> list[Unused] | None:
    """Sets of nodes that no entry point reaches, largest first; nodes that use each other are in one set.

    It is cautious, because the result suggests removal. Guesses count as uses, and so does being called back. Using a
    class may use everything in it. A used function keeps its file, but a used file does not keep its functions, unless
    functions of its language have no known uses at all. None if no entry point is known, because then nothing is
    certain.

    Raises ValueError for an invalid pattern.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    entries = entry_points(graph, patterns, progress)
    if not entries.any():
        return None
    progress("looking for unused code", 0, 0)
    item = _topmost(graph, *reached(graph, entries))
    progress("looking for unused code", 0, 0)
    user, used = (item[ends] for ends in uses(graph, guesses=True, called_back=True))
    between = (user >= 0) & (used >= 0) & (user != used)
    user, used = user[between], used[between]
    n = len(graph)
    component, _, end = condensed(n, user, used)
    is_head = ~np.isin(component, end)
    connected = coo_array((np.ones(len(user), np.int8), (user, used)), shape=(n, n))
    _, island = connected_components(connected, directed=False)
    lines = np.nan_to_num(total(graph, own(graph, "sloc")))
    sets: dict[int, list[int]] = {}
    for key in graph.tree.order[item[graph.tree.order] == graph.tree.order].tolist():
        sets.setdefault(int(island[key]), []).append(key)
    found = [
        Unused(tuple(keys), tuple(key for key in keys if is_head[key]), float(lines[keys].sum()))
        for keys in sets.values()
    ]
    return sorted(found, key=lambda one: (-one.sloc, one.keys))


def compute(subject: Subject) -> Column:
    """float64[n]: share (0..1) of the source lines of each subtree that no entry point reaches.

    NaN without source code, and everywhere if no entry point is known.
    """
    graph = subject.graph
    entries = entry_points(graph, patterns_of(graph), subject.progress)
    if not entries.any():
        return np.full(len(graph), np.nan)
    subject.progress("looking for unused code", 0, 0)
    dead = _topmost(graph, *reached(graph, entries)) >= 0
    sloc = own(graph, "sloc")
    return share(total(graph, np.where(dead, sloc, 0.0)), total(graph, sloc))


def reached(graph: Graph, *entries: Mask) -> list[Mask]:
    """bool[n] for each of `entries`: nodes that these entry points use transitively, and nodes they need.

    Files that were not read as source code are not judged: they stay, and so does everything that they are known to
    use.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import breadth_first_order

    # After the nodes, for each of `entries` an artificial one that uses its entry points.
    n, size = len(graph), len(graph) + len(entries)
    stays = of_kinds(graph, ("file",)) & (graph.parent != REMOVED) & ~judged(graph)
    begin = [np.flatnonzero(one | stays) for one in entries]
    whole, part = written_apart(graph, all_of_that_name=True)
    steps = [uses(graph, guesses=True, called_back=True), parts(graph), (whole, part), (part, whole)]
    steps += [_holders(graph), _by_language(graph), _unknown(graph), _packages(graph), _offered(graph), _again(graph)]
    starts = np.repeat(np.arange(n, size), [len(one) for one in begin])
    source = np.concatenate([starts, *(step[0] for step in steps)])
    target = np.concatenate([*begin, *(step[1] for step in steps)])
    matrix = coo_array((np.ones(len(source), np.int8), (source, target)), shape=(size, size)).tocsr()
    found = np.zeros((len(entries), size), np.bool_)
    for row in range(len(entries)):
        found[row, breadth_first_order(matrix, n + row, return_predecessors=False)] = True
    return list(found[:, :n])


def _holders(graph: Graph) -> tuple[IntColumn, IntColumn]:
    """(child, parent) inside files: a used node keeps the node that contains it."""
    in_file = of_kinds(graph, ("file",))[file_of(graph)]
    child = np.flatnonzero((graph.parent >= 0) & in_file[graph.parent]).astype(np.int32)
    return child, graph.parent[child]


def _by_language(graph: Graph) -> tuple[IntColumn, IntColumn]:
    """(class or file, function in it that the language calls implicitly): if the first is used, so is the second."""
    key = np.flatnonzero(called_by_language(graph)).astype(np.int32)
    return graph.parent[key], key


def _offered(graph: Graph) -> tuple[IntColumn, IntColumn]:
    """(file, definition that its package exports): users of the package may be anywhere."""
    key = np.flatnonzero((own(graph, "exported") == 1) & (graph.parent >= 0)).astype(np.int32)
    return file_of(graph)[key], key


def _again(graph: Graph) -> tuple[IntColumn, IntColumn]:
    """(function, sibling function of the same name) in Python: stubs of overloads, setters of properties."""
    beside: dict[tuple[int, str], list[int]] = {}
    in_python = [name.endswith((".py", ".pyi")) for name in graph.names]
    file = file_of(graph)
    for key in np.flatnonzero(of_kinds(graph, ("function",)) & (graph.parent >= 0)).tolist():
        if in_python[file[key]]:
            beside.setdefault((int(graph.parent[key]), graph.names[key]), []).append(key)
    pairs = [pair for keys in beside.values() for one in keys[:-1] for pair in ((one, keys[-1]), (keys[-1], one))]
    whole, part = np.array(pairs, np.int32).reshape(-1, 2).T
    return whole, part


def _unknown(graph: Graph) -> tuple[IntColumn, IntColumn]:
    """(file, definition) for files in languages without any relation to a definition: their uses are unknown."""
    is_file, file = of_kinds(graph, ("file",)), file_of(graph)
    inner = is_file[file] & ~is_file
    suffixes: dict[str, int] = {}
    suffix = np.zeros(len(graph), np.int32)
    for one in np.flatnonzero(is_file).tolist():
        suffix[one] = suffixes.setdefault(graph.names[one].rpartition(".")[2], len(suffixes) + 1)
    language = suffix[file]
    _, used = uses(graph, guesses=True, called_back=True)
    known = np.isin(language, language[used[inner[used]]])
    key = np.flatnonzero(inner & ~known & (graph.parent != REMOVED)).astype(np.int32)
    return file[key], key


def _packages(graph: Graph) -> tuple[IntColumn, IntColumn]:
    """(module, `__init__.py` of its package or the package around): Python runs the `__init__.py` first."""
    marks = [key for key, name in enumerate(graph.names) if name == "__init__.py" and graph.parent[key] >= 0]
    init = np.full(len(graph) + 1, -1, np.int32)  # folder -> its `__init__.py`; the last entry stands for no folder
    init[graph.parent[marks]] = marks
    parent = np.where(graph.parent >= 0, graph.parent, len(graph))
    above = np.append(parent, len(graph))[parent]  # two levels up
    is_mark = np.zeros(len(graph), np.bool_)
    is_mark[marks] = True
    package = init[np.where(is_mark, above, parent)]
    module = np.flatnonzero(of_kinds(graph, ("file",)) & (package >= 0)).astype(np.int32)
    return module, package[module]


def _topmost(graph: Graph, used: Mask) -> IntColumn:
    """int32[n]: the topmost node below the root around each node in which nothing is reached; -1 = none."""
    count = graph.tree.subtree_sum
    dead = (count(used.astype(np.float64)) == 0) & (count(judged(graph).astype(np.float64)) > 0)
    item = np.full(len(graph), -1, np.int32)
    for depth in range(1, int(graph.tree.depth.max(initial=0)) + 1):
        keys = np.flatnonzero(graph.tree.depth == depth)
        above = item[graph.parent[keys]]
        item[keys] = np.where(above >= 0, above, np.where(dead[keys], keys, -1))
    return item


def judged(graph: Graph) -> Mask:
    """bool[n]: source code that was read; if no lines were counted, all files and innermost nodes."""
    is_file = of_kinds(graph, ("file",))
    innermost = np.diff(graph.tree.child_ptr) == 0
    read = ~np.isnan(graph.values["sloc"]) if "sloc" in graph.values else is_file | innermost
    code = read | (is_file[file_of(graph)] & ~is_file)
    return np.asarray(code & (graph.parent != REMOVED) & ~of_kinds(graph, (EXTERNAL,)))


UNUSED = Metric(
    "unused",
    "Unused code",
    "",
    "more",
    "mean",
    compute,
    "Share of the source lines that no entry point reaches: candidates for removal, to be looked at.",
    percent,
    slow=True,
)
