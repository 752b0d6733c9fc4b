"""A graph made from a trace alone, for recordings of programs whose source is not at hand."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Iterable

import numpy as np

from cbvtool.graph import Graph, GraphBuilder
from cbvtool.progress import stopping
from cbvtool.trace.mapping.declared import Declared, declared_graph, declared_hierarchy
from cbvtool.trace.mapping.names import Qualified, taken_apart
from cbvtool.trace.mapping.node_map import NodeMap
from cbvtool.trace.model.profile import Profile
from cbvtool.trace.model.trace import Functions, Trace

BY_TRACE = "made from the trace"
_SHOWN = 3  # processes that a group names

Place = tuple[str, ...]  # folders and file, or parts of the module's name


def graph_of(trace: Trace | Profile, declared: Declared | None = None) -> tuple[Graph, NodeMap]:
    """(graph of processes, folders or packages, files, classes and functions, node of each function).

    declared   a hierarchy that takes the place of folders and files; None = that of the trace, if it has one

    A trace of one process has no level of processes. A file whose functions ran in several has a group of them above
    it: it is there once, since a function has one node. May raise Cancelled.
    """
    functions = trace.functions
    name = (trace.header.program or trace.header.format or "trace").rpartition("/")[2]
    declared = declared_hierarchy(trace) if declared is None and isinstance(trace, Trace) else declared
    if declared:
        graph, rows = declared_graph(name, declared, functions)
        return graph, NodeMap(rows, np.zeros(len(functions), np.int8), (BY_TRACE,))
    group = _groups(trace) if isinstance(trace, Trace) else [""] * len(functions)
    places = [_place(file, module) for file, module in zip(functions.file, functions.module, strict=True)]
    of_place: dict[Place, set[str]] = defaultdict(set)
    for place, processes in zip(places, group, strict=True):
        of_place[place].add(processes)
    made = _Made(name, _common(place for place in of_place if place[:1] == ("",)))
    above = {place: _label(processes) for place, processes in of_place.items()}
    if len(set(above.values())) == 1:
        above = dict.fromkeys(above, "")
    given = [taken_apart(each) for each in functions.name]
    order = sorted(range(len(functions)), key=lambda row: (len(given[row].parts) + given[row].inside, row))
    node = np.zeros(len(functions), np.int32)
    for row in stopping(order, 4096):
        node[row] = made.function(above[places[row]], places[row], functions, row, given[row])
    return made.builder.freeze(), NodeMap(node, np.zeros(len(functions), np.int8), (BY_TRACE,))


class _Made:
    """The nodes made so far.

    root  common folders of all files, which are left out
    """

    def __init__(self, name: str, root: Place) -> None:
        self.builder = GraphBuilder(name)
        self._root = root
        self._inner: dict[tuple[str, tuple[str, ...]], str] = {}  # (file, qualified name) -> id

    def function(self, process: str, place: Place, functions: Functions, row: int, given: Qualified) -> int:
        """Key of the node of a function, and of all that is above it."""
        file = self._file(process, place, functions.file[row])
        if given.body:
            return self.builder.key(file)
        above, line, path = file, int(functions.line[row]), functions.file[row] or None
        for depth in range(1, len(given.parts) + given.inside):
            above = self._named(file, above, given.parts[:depth], path)
        name = "<...>" if given.inside else (given.parts[-1] if given.parts else functions.name[row] or "(no name)")
        if given.inside:
            name = functions.name[row].rpartition(".")[2].rpartition("::")[2] or name
        text = f"{file}::{'.'.join((*given.parts[: len(given.parts) - (not given.inside)], name))}"
        key = self.builder.add_node(text, above, name, "function", file=path, line=line, end_line=line)
        if not given.inside:
            self._inner.setdefault((file, given.parts), text)
        return key

    def _named(self, file: str, above: str, parts: tuple[str, ...], path: str | None) -> str:
        """The id of what is around a function: a function that was recorded, else a class."""
        known = self._inner.get((file, parts))
        if known is None:
            known = f"{file}::{'.'.join(parts)}"
            self.builder.add_node(known, above, parts[-1], "class", file=path)
            self._inner[file, parts] = known
        return known

    def _file(self, process: str, place: Place, path: str) -> str:
        """The id of the file, or of the module, that a function lies in."""
        above = ""
        if process:
            above = f"[{process}]"
            if above not in self.builder:
                self.builder.add_node(above, "", process, "process")
        parts = place[len(self._root) :] if place[:1] == ("",) else place
        for number, part in enumerate(parts):
            node = f"{above}/{part}" if above else part
            if node not in self.builder:
                last = number == len(parts) - 1
                kind = "package" if place[:1] != ("",) else "file" if last else "folder"
                self.builder.add_node(node, above, part, kind, file=path if last and path else None)
            above = node
        return above


def _place(file: str, module: str) -> Place:
    """Where a function lies: the parts of a path, after an empty one, or those of a module's name."""
    if file and not file.startswith(("<", "[")):
        path = tuple(part for part in posixpath.normpath(file.replace("\\", "/")).split("/") if part)
        return ("", *path) if path else (file,)
    if file:
        return (file,)
    if "/" in module:
        return (module.rpartition("/")[2] or module,)
    parts = tuple(part for part in module.split(".") if part)
    return parts if parts and all(part.isidentifier() for part in parts) else (module or "(unknown)",)


def _common(places: Iterable[Place]) -> Place:
    """The folders that all paths begin with."""
    common: Place | None = None
    for place in places:
        folders = place[:-1]
        if common is None:
            common = folders
        length = next((n for n, (a, b) in enumerate(zip(common, folders, strict=False)) if a != b), None)
        common = common[: min(len(common), len(folders))] if length is None else common[:length]
    return common or ("",)


def _groups(trace: Trace) -> list[str]:
    """The processes in which each function ran, in words; the empty text where there is one process."""
    threads, calls = trace.threads, trace.calls
    processes = sorted(set(threads.process.tolist()))
    if len(processes) < 2:
        return [""] * len(trace.functions)
    names = {int(p): threads.process_name[i] for i, p in reversed(list(enumerate(threads.process.tolist())))}
    ran: list[list[int]] = [[] for _ in range(len(trace.functions))]
    for process in processes:
        seen = np.zeros(len(trace.functions), np.bool_)
        for thread in np.flatnonzero(threads.process == process).tolist():
            seen[calls.function[int(threads.ptr[thread]) : int(threads.ptr[thread + 1])]] = True
        for function in np.flatnonzero(seen).tolist():
            ran[function].append(process)
    words = {process: f"{names[process]} ({process})" if names[process] else str(process) for process in processes}
    return ["\n".join(words[process] for process in found) for found in ran]


def _label(groups: set[str]) -> str:
    """What a set of processes is called."""
    names = sorted({name for group in groups for name in group.split("\n") if name})
    if len(names) <= _SHOWN:
        return " + ".join(names)
    return f"{len(names)} processes: {', '.join(names[:_SHOWN])}, ..."
