"""The packages of files, by their names in the source rather than by where they lie.

The graph keeps which folders are packages: those with an `__init__.py` (Python), those that the files in them say they
are (Java), those with Go files. Where the name of a package begins among the folders follows from the layout of the
language. Languages without them have the folders with a manifest (`package.json`, `Cargo.toml`). What a plan has moved
is in the package of the place where it is then.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cached_property, lru_cache

import numpy as np

from cbvtool.analysis.languages import language_of
from cbvtool.graph import EXTERNAL, REMOVED, Graph, IntColumn
from cbvtool.hierarchies.classes import OTHER, GroupPath
from cbvtool.hierarchies.workspace import MANIFESTS
from cbvtool.mining.changes import Changes

_JVM = (".java", ".kt", ".kts", ".scala", ".groovy")
_PYTHON = (".py", ".pyi")
_GO = ".go"
_INIT = "__init__.py"
# Everything up to here is where the sources lie: Maven's and Gradle's layout, the JDK's, a bare `src`.
_SOURCES = re.compile(
    r"(?:|.*/)(?:src/[^/]+/(?:java|kotlin|scala|groovy)|(?:share|unix|windows|linux|macosx|aix)/classes)/"
)
_SAMPLE = 1_000  # files below a folder that are looked at
_FIRST = re.compile(r"(?:^|/)((?:org|com|net|io|edu|gov|java|javax|jakarta|jdk|sun|kotlin|scala)(?:/.*)?)$")
_ROOTS = frozenset({"src", "source", "sources", "main", "java", "kotlin", "scala", "test", "tests", "lib"})
_COMPANIES = frozenset({"org", "com", "net", "io", "edu", "gov", "javax", "jakarta"})
_FOLDERS = frozenset({"folder", "package"})


def packages(graph: Graph, changes: Changes | None, keys: IntColumn) -> list[GroupPath]:
    """The package of each file, from the outermost: `org`, `apache`, `commons`."""
    names = PackageNames(graph)
    return [names.of(key) for key in keys.tolist()]


def _language(name: str) -> str:
    """What a file of this name says of the folder that it lies in, see `PackageNames.language`; empty = nothing."""
    if name.endswith(_JVM):
        return "java" if name.endswith(".java") else "jvm"
    if name.endswith((*_PYTHON, _GO)):
        return "go" if name.endswith(_GO) else "python"
    return "other" if name in MANIFESTS or language_of(name) is not None else ""


def empty_packages(graph: Graph) -> list[GroupPath]:
    """The packages that folders without any content stand for: those that a plan has made, or emptied."""
    names = PackageNames(graph)
    found = (names.of_folder(folder) for folder in names.empty)
    return [path for path in found if path not in ((), (OTHER,))]


@lru_cache(maxsize=4)  # graphs are values compared by identity
def package_names(graph: Graph) -> PackageNames:
    """Those of a graph that is asked about again and again: of each place that something could be moved to, say."""
    return PackageNames(graph)


class PackageNames:
    """The package of what lies in each folder of a graph."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._known: dict[int, tuple[GroupPath, GroupPath]] = {}
        self._places: dict[int, str] = {graph.root: ""}

    def of(self, key: int) -> GroupPath:
        """The package of a leaf of the hierarchy; () = it lies outside the project."""
        graph = self._graph
        if graph.kind(key) == EXTERNAL:
            return ()
        row, folder = int(graph.file[key]), int(graph.parent[key])
        path = graph.files[row] if row >= 0 else graph.ids[key]
        if graph.kind(key) == "file" and (row < 0 or graph.ids[key] == path):
            path = f"{self.place(folder)}/{graph.names[key]}".lstrip("/")  # where it lies in the plan
        return self._of(path, folder)

    def of_file(self, folder: int, name: str) -> GroupPath:
        """The package that a file `name` would be in if it lay in `folder`."""
        path = f"{self.place(folder)}/{name}".lstrip("/")
        if name.endswith((*_JVM, _GO)) and not _SOURCES.match(path) and self._graph.kind(folder) in _FOLDERS:
            return self._name([folder, *self._graph.ancestors(folder)][:-1])  # a source file makes its folder a package
        return self._of(path, folder)

    def of_folder(self, folder: int) -> GroupPath:
        """The package that a folder without content stands for."""
        place = self.place(folder)
        if found := _SOURCES.match(f"{place}/"):
            return tuple(part for part in place[found.end() :].split("/") if part)
        package, inside = self._around(folder)
        return package + inside if package != (OTHER,) and self._is_python(folder) else package

    def place(self, folder: int) -> str:
        """The path of a folder, by the names that it and those around it have in the plan."""
        if folder not in self._places:
            graph = self._graph
            above = self.place(int(graph.parent[folder])) if graph.parent[folder] >= 0 else ""
            self._places[folder] = f"{above}/{graph.names[folder]}".lstrip("/")
        return self._places[folder]

    def language(self, folder: int) -> str:
        """What makes packages of folders in `folder`: `java`, `jvm` (others of its kind), `python`, `go`.

        `other`: another language, in which the name of a folder is no name of a package. By most of the source files in
        it, or, where there are none, in what is around it; empty = there are none at all.
        """
        graph = self._graph
        for key in (folder, *graph.ancestors(folder)):
            if found := self._most_in(key):
                return found
            if _SOURCES.match(f"{self.place(key)}/"):
                return "jvm" if re.search(r"/(?:kotlin|scala|groovy)(?:/|$)", self.place(key)) else "java"
        return ""

    def outer_folders(self, folder: int) -> int:
        """How many of the folders on the way to one with files of the JVM are beyond doubt part of no package's name.

        -1 = nobody knows from which one packages begin.
        """
        place = self.place(folder)
        if found := _SOURCES.match(f"{place}/"):
            return place[: found.end()].count("/") + (len(place) < found.end())
        names = place.split("/")
        start = 1 + max((number for number, name in enumerate(names) if name in _ROOTS), default=-1)
        if start < len(names) and names[start] in _COMPANIES:
            return start
        return len(names) - 1 if self._graph.kind(folder) == "package" and "jvm" in self._marks(folder) else -1

    def is_source_root(self, folder: int) -> bool:
        """Whether packages of the JVM begin right below a folder, so that a file in it is in none."""
        place = f"{self.place(folder)}/"
        found = _SOURCES.match(place)
        return found is not None and found.end() == len(place)

    def below_sources(self, folder: int) -> str:
        """The path of a folder from where the sources of the JVM lie, `com/shop`; empty = it is no package there."""
        place = f"{self.place(folder)}/"
        found = _SOURCES.match(place)
        return "" if found is None else place[found.end() :].rstrip("/")

    def _most_in(self, folder: int) -> str:
        """The language, see `language`, of most source files in a folder, at any depth; empty = there are none."""
        graph = self._graph
        if "file" not in graph.kind_names:
            return ""
        below = graph.subtree(folder)
        files = below[graph.kinds[below] == graph.kind_names.index("file")][:_SAMPLE].tolist()
        counts = Counter(found for key in files if (found := _language(graph.names[key])))
        return max(counts, key=lambda name: (counts[name], name), default="")

    @cached_property
    def empty(self) -> list[int]:
        """Keys of the folders that hold nothing."""
        graph = self._graph
        kinds = [number for number, kind in enumerate(graph.kind_names) if kind in _FOLDERS]
        childless = np.diff(graph.tree.child_ptr) == 0
        found: list[int] = np.flatnonzero(np.isin(graph.kinds, kinds) & (graph.parent >= 0) & childless).tolist()
        return found

    @cached_property
    def _holds(self) -> dict[int, set[str]]:
        """What tells of packages, by folder: endings of the source files in it, `__init__.py`, manifests.

        `moved`: one of the source files was put there by a plan.
        """
        graph, found = self._graph, dict[int, set[str]]()
        if "file" not in graph.kind_names:
            return found
        is_file = (graph.kinds == graph.kind_names.index("file")) & (graph.parent != REMOVED)
        for key in np.flatnonzero(is_file).tolist():
            name, folder = graph.names[key], int(graph.parent[key])
            marks = found.setdefault(folder, set())
            if name in MANIFESTS:
                marks.add("manifest")
            elif name.endswith(_PYTHON):
                marks |= {"python", _INIT} if name == _INIT else {"python"}
            elif name.endswith((*_JVM, _GO)):
                marks.add("go" if name.endswith(_GO) else "jvm")
                row = int(graph.file[key])
                path = f"{self.place(folder)}/{name}".lstrip("/")
                if row < 0 or (graph.ids[key] == graph.files[row] and path != graph.ids[key]):
                    marks.add("moved")
        return found

    def _marks(self, folder: int) -> set[str]:
        return self._holds.get(folder, set())

    def _is_python(self, folder: int) -> bool:
        """Whether a folder holds Python, or, where it holds no source file, what is beside and above it does."""
        graph = self._graph
        own = self._marks(folder) & {"python", "go", "jvm"}
        if own or graph.parent[folder] < 0:
            return "python" in own
        parent = int(graph.parent[folder])
        near = [_INIT in self._marks(beside) for beside in (parent, *graph.children(parent).tolist())]
        return any(near)

    def _of(self, path: str, folder: int) -> GroupPath:
        if path.endswith(_JVM) and (found := _SOURCES.match(path)):
            return tuple(path[found.end() :].split("/")[:-1]) or (OTHER,)
        if path.endswith(_GO) and folder == self._graph.root:
            return (self._graph.name,)
        package, inside = self._around(folder)
        return package + inside if path.endswith(_PYTHON) and package != (OTHER,) else package  # PEP 420

    def _around(self, folder: int) -> tuple[GroupPath, GroupPath]:
        """(the innermost package, or folder with a manifest, that a folder is or lies in; the folders on the way)."""
        if folder not in self._known:
            self._known[folder] = self._found_around(folder)
        return self._known[folder]

    def _found_around(self, folder: int) -> tuple[GroupPath, GroupPath]:
        graph = self._graph
        path = [folder, *graph.ancestors(folder)][:-1]
        for number, key in enumerate(path):
            inside = tuple(graph.names[inner] for inner in reversed(path[:number]))
            if graph.kind(key) == "package" or "moved" in self._marks(key):
                return self._name(path[number:]), inside
            if "manifest" in self._marks(key):
                return self._names(path[number:]), inside
        return (OTHER,), ()

    def _name(self, path: list[int]) -> GroupPath:
        """What a package is called. `path`: keys from it to the topmost folder around it."""
        graph, place = self._graph, self.place(path[0])
        if found := _SOURCES.match(f"{place}/"):
            return tuple(part for part in place[found.end() :].split("/") if part) or (OTHER,)
        if _INIT in self._marks(path[0]) or self._is_python(path[0]):
            own = next((n for n, key in enumerate(path) if graph.kind(key) != "package"), len(path))
            return self._names(path[: max(own, 1)])
        if "jvm" in self._marks(path[0]) and (first := _FIRST.search(place)):
            return tuple(first[1].split("/"))
        return self._names(path)

    def _names(self, path: list[int]) -> GroupPath:
        return tuple(self._graph.names[key] for key in reversed(path))
