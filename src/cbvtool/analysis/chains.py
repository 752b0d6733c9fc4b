"""Chains of imports: which relations lead to a file that the source imports, directly or transitively, and when.

In a language in which every name of another file comes by an import, a target that no chain leads to can only have
reached the source at run time: as an argument, by a registration, in a container that others filled, or as an object
of a subclass that the source does not know. The source calls it back and does not depend on it.

A relation takes effect when its chain of imports does: always, inside functions only, or for a type checker only. If a
file imports a module for the type checker only, its uses of that module count for the type checker only. So the files
that depend on each other are those that import each other.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from cbvtool.analysis.facts import ALWAYS, DEFERRED, EXACT, TYPE_CHECKING
from cbvtool.analysis.resolution import CALLS_BACK, IMPORT, KINDS

IntTable = npt.NDArray[np.int32]
Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

_BLOCK = 4096  # targets searched for at a time: 512 bytes for each file, however many files there are
_SOURCE, _TARGET, _KIND, _WHEN, _CONFIDENCE = 0, 2, 4, 6, 7  # columns of `Relations`


def along_imports(table: IntTable, everywhere: Collection[int]) -> IntTable:
    """`table`, in which a relation between files takes effect when its chain of imports does, or is CALLS_BACK.

    table       int32[m, 8], see `Relations.columns`: all relations of one language family
    everywhere  rows of files that all others see without an import

    Imports count whatever their confidence. If no chain leads to a target, an EXACT relation, which writes the name of
    the target, counts as an import of it: `import a.b` makes `a` known, too.
    """
    source, target, kind = table[:, _SOURCE], table[:, _TARGET], table[:, _KIND]
    is_import = kind == KINDS.index(IMPORT)
    others = np.flatnonzero(~is_import & (source != target) & (kind != KINDS.index(CALLS_BACK)))
    if not len(others):
        return table
    size = int(max(source.max(), target.max())) + 1
    code = source.astype(np.int64) * size + target
    pairs, row = np.unique(code[others], return_inverse=True)
    when = np.full(len(pairs), _NO_CHAIN, np.int32)
    links = _seen_everywhere(size, everywhere)
    for level in (ALWAYS, DEFERRED, TYPE_CHECKING):
        links = np.concatenate((links, _ends(code[is_import & (table[:, _WHEN] == level)], size)), axis=1)
        when[_open_and_reached(size, links, pairs, when)] = level
    named = np.unique(row[(when[row] == _NO_CHAIN) & (table[others, _CONFIDENCE] == EXACT)])
    if len(named):
        links = np.concatenate((links, _ends(pairs[named], size)), axis=1)
        when[_open_and_reached(size, links, pairs, when)] = ALWAYS
    result = table.copy()
    result[others, _WHEN] = np.maximum(table[others, _WHEN], np.where(when == _NO_CHAIN, ALWAYS, when)[row])
    result[others[when[row] == _NO_CHAIN], _KIND] = KINDS.index(CALLS_BACK)
    return result


_NO_CHAIN = TYPE_CHECKING + 1


def _ends(pairs: Rows, size: int) -> Rows:
    """int64[2, k]: both ends of the distinct `pairs`."""
    return np.stack(np.divmod(np.unique(pairs), size))


def _seen_everywhere(size: int, everywhere: Collection[int]) -> Rows:
    """int64[2, k]: links from every file to those in `everywhere`, through an artificial file numbered `size`."""
    if not everywhere:
        return np.empty((2, 0), np.int64)
    files, seen = np.arange(size), np.array(sorted(row for row in everywhere if row < size), np.int64)
    return np.stack((np.append(files, np.full(len(seen), size)), np.append(np.full(size, size), seen)))


def _open_and_reached(size: int, links: Rows, pairs: Rows, when: IntTable) -> Rows:
    """int64[k]: the rows of `pairs` that had no chain so far and now have one along `links`."""
    still = np.flatnonzero(when == _NO_CHAIN)
    begin, end = np.divmod(pairs[still], size)
    found: Rows = still[reached(size + 1, links[0], links[1], begin, end)]
    return found


def reached(
    count: int,
    importer: npt.NDArray[np.integer],
    imported: npt.NDArray[np.integer],
    begin: npt.NDArray[np.integer],
    end: npt.NDArray[np.integer],
) -> Mask:
    """bool[k]: whether a chain of imports leads from file `begin[i]` to file `end[i]`. Each file reaches itself.

    count                number of files
    importer, imported   int[m]: in relation i, file `importer[i]` imports file `imported[i]`

    Files that import each other are merged (strongly connected components). For each component, a bit set holds the
    targets that it reaches. These sets are united along the imports, imported components first: O((count + m) k / 64)
    at worst.
    """
    imports: list[list[int]] = [[] for _ in range(count)]
    for user, used in zip(importer.tolist(), imported.tolist(), strict=True):
        imports[user].append(used)
    component = [0] * count
    below: list[set[int]] = []  # for each component, the components that it imports; these come before it
    for number, members in enumerate(_components(imports)):
        for file in members:
            component[file] = number
        below.append({component[used] for file in members for used in imports[file]} - {number})
    pairs = [(component[a], component[b]) for a, b in zip(begin.tolist(), end.tolist(), strict=True)]
    targets = sorted({b for _, b in pairs})
    found = np.zeros(len(pairs), np.bool_)
    for first in range(0, len(targets), _BLOCK):
        bit = {target: 1 << at for at, target in enumerate(targets[first : first + _BLOCK])}
        sets: list[int] = []
        for number, others in enumerate(below):
            bits = bit.get(number, 0)
            for other in others:
                bits |= sets[other]
            sets.append(bits)
        found |= [b in bit and sets[a] & bit[b] != 0 for a, b in pairs]
    return found


def _components(follows: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """The strongly connected components of a graph, each after all components that it leads to (Tarjan 1972)."""
    order = [-1] * len(follows)  # order in which each node was visited
    lowest = [0] * len(follows)
    is_open = [False] * len(follows)
    waiting: list[int] = []
    found = 0
    for start in range(len(follows)):
        if order[start] >= 0:
            continue
        path = [(start, iter(follows[start]))]
        order[start] = lowest[start] = found
        found += 1
        waiting.append(start)
        is_open[start] = True
        while path:
            node, rest = path[-1]
            for other in rest:
                if order[other] < 0:
                    order[other] = lowest[other] = found
                    found += 1
                    waiting.append(other)
                    is_open[other] = True
                    path.append((other, iter(follows[other])))
                    break
                if is_open[other]:
                    lowest[node] = min(lowest[node], order[other])
            else:
                path.pop()
                if path:
                    lowest[path[-1][0]] = min(lowest[path[-1][0]], lowest[node])
                if lowest[node] == order[node]:
                    members: list[int] = []
                    while not members or members[-1] != node:
                        members.append(waiting.pop())
                        is_open[members[-1]] = False
                    yield members
