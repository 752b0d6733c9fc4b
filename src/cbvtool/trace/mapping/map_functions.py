"""The map m: which node of a graph each function of a trace is (Trümper 2014, §5.1.3)."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

import numpy as np

from cbvtool.graph import Graph
from cbvtool.progress import stopping
from cbvtool.trace.mapping.files import FOREIGN, NOT_A_FILE, SEVERAL_FILES, match_files
from cbvtool.trace.mapping.named_nodes import NamedNodes
from cbvtool.trace.mapping.names import UNKNOWN, Qualified, taken_apart
from cbvtool.trace.mapping.node_map import NO_NODE, NodeMap
from cbvtool.trace.model.trace import Functions

BY_LINE = "by file, line and name"
BY_FILE = "by file and name: its line is another one in the graph"
BY_NAME = "by its qualified name"
BODY = "the body of a file"
INSIDE = "without a node of its own: counts for what is around it"
BY_LINE_ALONE = "by file and line alone: counts for what is around its line"
SEVERAL_IN_FILE = "one of several of its name in a file: counts for what holds them all"
SEVERAL_NAMES = "several nodes have its name"
UNNAMED = "no node has its name"
REASONS = (
    BY_LINE,
    BY_FILE,
    BY_NAME,
    BODY,
    INSIDE,
    BY_LINE_ALONE,
    SEVERAL_IN_FILE,
    NOT_A_FILE,
    FOREIGN,
    SEVERAL_FILES,
    SEVERAL_NAMES,
    UNNAMED,
)
_WHY = {reason: number for number, reason in enumerate(REASONS)}

# Files of languages whose names are not those of folders: what stands before the name in the file is a namespace.
_C = (".c", ".cc", ".cpp", ".cxx", ".c++", ".h", ".hh", ".hpp", ".hxx", ".inl", ".m", ".mm", ".cu")
_FREE = frozenset((*_C, ".rs", ".cs", ".php", ".rb", ".swift", ".kt", ".scala"))
_STANDARD = frozenset({"std", "__gnu_cxx", "__cxxabiv1", "core", "alloc", "__interceptor"})
_LIBRARY = re.compile(r"\.(so|dll|dylib|exe|a)(\.\d+)*$|/")

Hit = tuple[int, str]  # key and reason
MISS = NO_NODE


def map_functions(functions: Functions, graph: Graph, root: Path | str | None = None) -> NodeMap:
    """The node of each function. To be made anew when another graph gives nodes other keys. May raise Cancelled.

    root  where the code of the graph lies on this machine; None = somewhere else

    Where a function has a file, its node is looked for there: by its qualified name and its line, which may be that of
    the first decorator; lambdas, comprehensions and anonymous classes count for what is around them, bodies of modules
    for the file. Else its qualified name decides: what stands before the name in the file must agree with the path of
    the file, or be a namespace. Linear in functions and nodes.
    """
    nodes = NamedNodes(graph)
    found = match_files(functions.file, nodes.key_of_path, None if root is None else str(root))
    number_of = {path: number for number, path in enumerate(graph.files)}
    file = np.array([-1 if each.path is None else number_of.get(each.path, -1) for each in found], np.int32)
    innermost = nodes.innermost(file, functions.line).tolist()
    finder = _Finder(nodes, functions)
    node, why = np.full(len(functions), NO_NODE, np.int32), np.zeros(len(functions), np.int8)
    rows = zip(functions.name, functions.module, functions.line.tolist(), file.tolist(), innermost, found, strict=True)
    for row, (name, module, line, at, inner, where) in enumerate(stopping(rows, 4096)):
        given = taken_apart(name)
        if at >= 0:
            assert where.path is not None
            hit = finder.in_file(given, at, where.path, line, inner)
        elif where.path is not None:
            hit = nodes.key_of_path[where.path], BODY if given.body else INSIDE
        elif where.reason == NOT_A_FILE:
            hit = finder.by_name(given, module, bare=not finder.has_files)
            if hit[0] == MISS and functions.file[row]:
                hit = MISS, NOT_A_FILE
        else:
            hit = MISS, where.reason
        node[row], why[row] = hit[0], _WHY[hit[1]]
    return NodeMap(node, why, REASONS)


class _Finder:
    """Finds nodes for the functions of one recording.

    has_files  it says of some functions in which file they are
    """

    def __init__(self, nodes: NamedNodes, functions: Functions) -> None:
        self._nodes = nodes
        self._line, self._end_line = nodes.graph.line.tolist(), nodes.graph.end_line.tolist()
        self.has_files = any(functions.file)
        # A recording that says `f.<locals>.g` says it of every function; in others a lambda has no name at all.
        self._qualified = any("<locals>" in name or "." in name for name in functions.name if name[:1] != "<")

    def in_file(self, given: Qualified, file: int, path: str, line: int, innermost: int) -> Hit:
        """The node in a file: among those of the name, the innermost one that holds the line."""
        nodes = self._nodes
        whole = nodes.key_of_path[path]
        if given.body:
            return whole, BODY
        if not given.parts:
            if given.inside and self._qualified and not given.spaced:
                return whole, INSIDE
            return (innermost, INSIDE if given.inside else BY_LINE_ALONE) if innermost >= 0 else (whole, INSIDE)
        reason = INSIDE if given.inside else BY_LINE
        named: list[int] = []
        for skipped in range(len(given.parts)):
            named = nodes.in_file.get((file, ".".join(given.parts[skipped:])), [])
            if named:
                break
        if line:
            holding = [key for key in named if self._line[key] <= line <= self._end_line[key]]
            if len(holding) == 1:
                return holding[0], reason
            if holding:
                return max(holding, key=lambda key: (self._line[key], nodes.graph.tree.depth[key])), reason
            key = innermost
            while key >= 0 and nodes.name(key).rpartition(".")[2] != given.parts[-1]:
                key = nodes.around[key]
            if key >= 0:
                return key, reason
        if named:
            if len(named) == 1:
                return named[0], INSIDE if given.inside else BY_FILE
            return self._one_of(named, given)
        if innermost >= 0:
            return innermost, BY_LINE_ALONE
        return (whole, BY_LINE_ALONE) if line else (MISS, UNNAMED)

    def by_name(self, given: Qualified, module: str, *, bare: bool) -> Hit:
        """The node of a qualified name, in whichever file.

        bare   a name of one part may be any function of that name
        """
        if given.body or not given.parts:
            return self._file_of(module, given)
        outer: tuple[str, ...] = ()
        if module and not given.spaced and given.parameters == UNKNOWN and not _LIBRARY.search(module):
            outer = tuple(module.split("."))
            if given.parts[: len(outer)] == outer:
                outer = ()
        parts = outer + given.parts
        best = 0
        hits: list[int] = []
        for key in self._nodes.by_last.get(parts[-1], ()):
            name = self._nodes.name(key)
            depth = name.count(".") + 1
            if depth > len(parts) or depth < best or name != ".".join(parts[-depth:]):
                continue
            if not self._agrees(parts[:-depth], self._nodes.path(key), given, bare):
                continue
            if depth > best:
                best, hits = depth, []
            hits.append(key)
        if not hits:
            return MISS, UNNAMED
        if len(hits) > 1:
            return self._one_of(hits, given)
        return hits[0], INSIDE if given.inside else BY_NAME

    def _agrees(self, before: tuple[str, ...], path: str, given: Qualified, bare: bool) -> bool:
        """Whether what stands before a name fits the file: as its folders, or as a namespace."""
        stem, suffix = posixpath.splitext(path)
        if suffix in _FREE:
            return not before or before[0] not in _STANDARD
        if not before:
            return bare or len(given.parts) > 1
        folders = stem.split("/")
        if folders[-1] in ("__init__", "__main__", "index", "mod"):
            folders.pop()
        return any(_same_end(before, each) for each in (folders, stem.split("/")[:-1]) if each)

    def _one_of(self, keys: list[int], given: Qualified) -> Hit:
        """One of several nodes of a name: by the number of parameters, or what holds them all."""
        graph = self._nodes.graph
        counts = graph.values.get("parameters")
        if given.parameters != UNKNOWN and counts is not None:
            fitting = [key for key in keys if counts[key] == given.parameters]
            if len(fitting) == 1:
                return fitting[0], INSIDE if given.inside else BY_NAME
            keys = fitting or keys
        if len({int(graph.file[key]) for key in keys}) > 1:
            return MISS, SEVERAL_NAMES
        first, last = min(int(graph.line[key]) for key in keys), max(int(graph.end_line[key]) for key in keys)
        key = self._nodes.around.get(keys[0], -1)
        while key >= 0 and not (graph.line[key] <= first and last <= graph.end_line[key]):
            key = self._nodes.around[key]
        return key if key >= 0 else self._nodes.key_of_path[self._nodes.path(keys[0])], SEVERAL_IN_FILE

    def _file_of(self, module: str, given: Qualified) -> Hit:
        """The file of a module by its dotted name."""
        if not module or _LIBRARY.search(module):
            return MISS, NOT_A_FILE
        found = self._nodes.by_module.get(module, [])
        if len(found) == 1:
            return found[0], BODY if given.body else INSIDE
        return MISS, SEVERAL_FILES if found else FOREIGN


def _same_end(before: tuple[str, ...], folders: list[str]) -> bool:
    """Whether the shorter one is the end of the longer one."""
    length = min(len(before), len(folders))
    return list(before[-length:]) == folders[-length:]
