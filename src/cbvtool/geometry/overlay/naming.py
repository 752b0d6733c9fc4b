"""The names of segments, the number of files that they stand for, and where a name differs from its siblings."""

from __future__ import annotations

import re
from collections import Counter
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from cbvtool.geometry.scene.closed import collapsed, files_within
from cbvtool.geometry.scene.scene import Scene
from cbvtool.layout.visible import VisibleTree
from cbvtool.metrics.structure.users import of_kinds
from cbvtool.words import one_line

MANY_ALIKE = 3  # if so many siblings begin alike, that beginning is left out first
_WORD_ENDS = re.compile(r"[_\-. ]+|(?<=[a-z0-9])(?=[A-Z])")

# Caches for each tree that is alive: how many files its collapsed containers stand for; below each item, how many names
# begin in each way.
_FILES: WeakKeyDictionary[VisibleTree, npt.NDArray[np.int64]] = WeakKeyDictionary()
_STARTS: WeakKeyDictionary[VisibleTree, dict[int, Counter[str]]] = WeakKeyDictionary()


def name_of(scene: Scene, item: int) -> str:
    """The name of an item on the ring."""
    return "(module)" if scene.tree.slot[item] else one_line(scene.graph.names[int(scene.tree.key[item])])


def counted_name(scene: Scene, item: int) -> str:
    """The name of a collapsed container with the number of files that it stands for (OC-4); empty for other items."""
    count = int(_files_counted(scene)[item])
    return f"{name_of(scene, item)} · {count:,} files" if count > 1 else ""


def files_of(scene: Scene, item: int) -> npt.NDArray[np.int64]:
    """int64[f]: keys of the files that a collapsed container stands for; nothing for other items."""
    if not _files_counted(scene)[item]:
        return np.empty(0, np.int64)
    graph, tree, key = scene.graph, scene.graph.tree, int(scene.tree.key[item])
    below = tree.order[tree.pos[key] : tree.end[key]]
    return below[of_kinds(graph, ("file",))[below]].astype(np.int64)


def _files_counted(scene: Scene) -> npt.NDArray[np.int64]:
    """int64[v]: number of files that each item stands for; 0 = it is not a collapsed container."""
    counts = _FILES.get(scene.tree)
    if counts is None:
        closed = collapsed(scene.tree)
        counts = _FILES[scene.tree] = np.where(closed, files_within(scene.graph)[scene.tree.key], 0)
    return counts


def starts(name: str) -> list[str]:
    """The beginnings of a name up to each place where a word ends: `test_`, `test_cli_` of `test_cli_run.py`."""
    return [name[: found.end()] for found in _WORD_ENDS.finditer(name) if found.end() < len(name)]


def shared_start(scene: Scene, item: int, name: str) -> int:
    """Number of leading letters that the name shares with many of its siblings."""
    tree, parent = scene.tree, int(scene.tree.parent[item])
    known = _STARTS.setdefault(tree, {})
    if parent not in known:
        siblings = np.flatnonzero(tree.parent == parent).tolist()
        known[parent] = Counter(start for sibling in siblings for start in starts(name_of(scene, sibling)))
    return max((len(start) for start in starts(name) if known[parent][start] >= MANY_ALIKE), default=0)
