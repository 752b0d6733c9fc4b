"""The nodes of a graph as recordings speak of them: by lines of a file, and by qualified names."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cached_property

import numpy as np
import numpy.typing as npt

from cbvtool.graph import REMOVED, Graph
from cbvtool.trace.mapping.files import paths_of

_NUMBER = re.compile(r"#\d+(?=\.|::|$)")  # of the second node of a name
_PARTS = re.compile(r"::|\.(?=[^.])")


class NamedNodes:
    """Indexes of a graph: made once for a map.

    graph  whose nodes these are
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.key_of_path = paths_of(graph)
        there = ((graph.file >= 0) & (graph.parent != REMOVED)).tolist()
        self._inner = [key for key, node in enumerate(graph.ids) if there[key] and "::" in node]  # what lies in files
        self._names = {key: inner_name(graph.ids[key]) for key in self._inner}

    def name(self, key: int) -> str:
        """The qualified name of a node below its file, parts joined by `.`; of a file the empty one."""
        return self._names.get(key, "")

    def path(self, key: int) -> str:
        """The path of the file that a node lies in, when it was analysed."""
        return self.graph.files[int(self.graph.file[key])]

    @cached_property
    def in_file(self) -> dict[tuple[int, str], list[int]]:
        """(file, qualified name) -> keys."""
        found: dict[tuple[int, str], list[int]] = defaultdict(list)
        files = self.graph.file.tolist()
        for key, name in self._names.items():
            found[files[key], name].append(key)
        return dict(found)

    @cached_property
    def by_last(self) -> dict[str, list[int]]:
        """Last part of the qualified name -> keys."""
        found: dict[str, list[int]] = defaultdict(list)
        for key, name in self._names.items():
            found[name.rpartition(".")[2]].append(key)
        return dict(found)

    @cached_property
    def by_module(self) -> dict[str, list[int]]:
        """Dotted name of a module, or an end of it, -> keys of files."""
        found: dict[str, list[int]] = defaultdict(list)
        for path, key in self.key_of_path.items():
            parts = path.rpartition(".")[0].removesuffix("/__init__").split("/")
            for first in range(len(parts)):
                found[".".join(parts[first:])].append(key)
        return dict(found)

    @cached_property
    def around(self) -> dict[int, int]:
        """Node -> the innermost other one of its file whose lines hold its lines; -1 = none."""
        graph = self.graph
        file, end = graph.file.tolist(), graph.end_line.tolist()
        around: dict[int, int] = {}
        stack: list[int] = []
        lined = self._lined
        order = np.lexsort((graph.tree.depth[lined], -graph.end_line[lined], graph.line[lined], graph.file[lined]))
        for key in lined[order].tolist():
            while stack and (file[stack[-1]] != file[key] or end[stack[-1]] < end[key]):
                stack.pop()
            around[key] = stack[-1] if stack else -1
            stack.append(key)
        return around

    @property
    def _lined(self) -> npt.NDArray[np.int64]:
        inner = np.array(self._inner, np.int64)
        return inner[self.graph.line[inner] > 0]

    def innermost(self, file: npt.NDArray[np.int32], line: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        """int32[k]: the innermost node in each of k files whose lines hold a line; -1 = none."""
        graph = self.graph
        keys = np.array(list(self.around), np.int64)  # by file and line
        if not len(keys):
            return np.full(len(file), -1, np.int32)
        above = np.full(len(graph), -1, np.int64)
        above[keys] = list(self.around.values())
        place = graph.file[keys].astype(np.int64) << 32 | graph.line[keys]
        found = np.searchsorted(place, file.astype(np.int64) << 32 | line, "right") - 1
        node = np.where(found >= 0, keys[np.maximum(found, 0)], -1)
        node[(node >= 0) & (graph.file[node] != file)] = -1
        while True:
            outside = np.flatnonzero((node >= 0) & (graph.end_line[node] < line))
            if not len(outside):
                return node.astype(np.int32)
            node[outside] = above[node[outside]]


def inner_name(node: str) -> str:
    """The qualified name in the id of a node: `src/a.cpp::ns::C.m#2` as `ns.C.m`."""
    inner = node.partition("::")[2]
    if "#" in inner:
        inner = _NUMBER.sub("", inner)
    return ".".join(_PARTS.split(inner)) if "::" in inner else inner
