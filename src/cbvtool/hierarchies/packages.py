"""The packages of files, by their names in the source rather than by where they lie.

The graph keeps which folders are packages: those with an `__init__.py` (Python), those that the files in them say they
are (Java), those with Go files. Where the name of a package begins among the folders follows from the layout of the
language. Languages without them have the folders with a manifest (`package.json`, `Cargo.toml`).
"""

from __future__ import annotations

import re

from cbvtool.graph import EXTERNAL, Graph, IntColumn
from cbvtool.hierarchies.classes import OTHER, GroupPath
from cbvtool.hierarchies.workspace import MANIFESTS
from cbvtool.mining.changes import Changes

_JVM = (".java", ".kt", ".kts", ".scala", ".groovy")
# Everything up to here is where the sources lie: Maven's and Gradle's layout, the JDK's, a bare `src`.
_SOURCES = re.compile(
    r"(?:|.*/)(?:src/[^/]+/(?:java|kotlin|scala|groovy)|(?:share|unix|windows|linux|macosx|aix)/classes)/"
)
_FIRST = re.compile(r"(?:^|/)((?:org|com|net|io|edu|gov|java|javax|jakarta|jdk|sun|kotlin|scala)(?:/.*)?)$")


def packages(graph: Graph, changes: Changes | None, keys: IntColumn) -> list[GroupPath]:
    """The package of each file, from the outermost: `org`, `apache`, `commons`."""
    known: dict[int, tuple[GroupPath, GroupPath]] = {}
    return [_of(graph, key, known) for key in keys.tolist()]


def _of(graph: Graph, key: int, known: dict[int, tuple[GroupPath, GroupPath]]) -> GroupPath:
    if graph.kind(key) == EXTERNAL:
        return ()
    row, folder = int(graph.file[key]), int(graph.parent[key])
    path = graph.files[row] if row >= 0 else graph.ids[key]
    if path.endswith(_JVM) and (found := _SOURCES.match(path)):
        return tuple(path[found.end() :].split("/")[:-1]) or (OTHER,)
    if path.endswith(".go") and folder == graph.root:
        return (graph.name,)
    if folder not in known:
        known[folder] = _around(graph, folder)
    package, inside = known[folder]
    return package + inside if path.endswith((".py", ".pyi")) and package != (OTHER,) else package  # PEP 420


def _around(graph: Graph, folder: int) -> tuple[GroupPath, GroupPath]:
    """(the innermost package, or folder with a manifest, that a folder is or lies in; the folders on the way there)."""
    path = [folder, *graph.ancestors(folder)][:-1]
    for number, key in enumerate(path):
        inside = tuple(graph.names[inner] for inner in reversed(path[:number]))
        if graph.kind(key) == "package":
            return _name(graph, path[number:]), inside
        if any(f"{graph.ids[key]}/{manifest}" in graph.key_of for manifest in MANIFESTS):
            return _names(graph, path[number:]), inside
    return (OTHER,), ()


def _name(graph: Graph, path: list[int]) -> GroupPath:
    """What a package is called. `path`: keys from it to the topmost folder around it."""
    place = graph.ids[path[0]]
    if found := _SOURCES.match(f"{place}/"):
        return tuple(place[found.end() :].split("/"))
    if f"{place}/__init__.py" in graph.key_of:
        own = next((n for n, key in enumerate(path) if graph.kind(key) != "package"), len(path))
        return _names(graph, path[:own])
    is_jvm = any(graph.names[key].endswith(_JVM) for key in graph.children(path[0]).tolist())
    if is_jvm and (first := _FIRST.search(place)):
        return tuple(first[1].split("/"))
    return _names(graph, path)


def _names(graph: Graph, path: list[int]) -> GroupPath:
    return tuple(graph.names[key] for key in reversed(path))
