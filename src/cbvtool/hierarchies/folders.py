"""Where the packages of a hierarchy lie among the folders: below one source root, or below several."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from cbvtool.graph import EXTERNAL, REMOVED, Graph
from cbvtool.hierarchies.classes import OTHER, GroupPath
from cbvtool.hierarchies.packages import PackageNames

_TESTS = ("test", "tests", "it", "testing")


@dataclass(frozen=True)
class PackageHome:
    """Where a file lies.

    root     key of the source root: the folder from which its package is counted
    package  path of its package
    inside   names of the folders between that of the package and the file
    """

    root: int
    package: GroupPath
    inside: tuple[str, ...] = ()


@dataclass(eq=False)
class PackageFolders:
    """The folders of all packages of one graph.

    folders  the graph in the hierarchy of folders
    grouped  the same in that of packages, whose groups have the keys after all others
    """

    folders: Graph
    grouped: Graph
    names: PackageNames = field(init=False)
    _folder: dict[GroupPath, dict[int, int]] = field(init=False)
    _files: dict[int, int] = field(init=False)
    _homes: dict[tuple[int, GroupPath], PackageHome | None] = field(init=False)

    def __post_init__(self) -> None:
        self.names = PackageNames(self.folders)
        self._folder, self._files, self._homes = {}, {}, {}
        graph = self.folders
        if "file" in graph.kind_names:
            is_file = (graph.kinds == graph.kind_names.index("file")) & (graph.parent != REMOVED)
            for key in np.flatnonzero(is_file).tolist():
                if (home := self.home(key)) is not None:
                    self._files[home.root] = self._files.get(home.root, 0) + 1
                    self._note(home, int(graph.parent[key]))
        for folder in self.names.empty:
            package = self.names.of_folder(folder)
            if package and package != (OTHER,) and (home := self._home(folder, package)) is not None:
                self._note(home, folder)

    # -- groups

    def is_group(self, key: int) -> bool:
        """Whether a key of the regrouped graph is that of a group, or of its root."""
        return key >= len(self.folders) or key == self.grouped.root

    def path_of(self, key: int) -> GroupPath:
        """The path of a group; () = the root."""
        if key == self.grouped.root:
            return ()
        node = self.grouped.ids[key]
        plain, mark, number = node.rpartition("#")
        if mark and number.isdigit() and plain in self.grouped.key_of:
            node = plain
        return tuple(node.partition(":")[2].split("/"))

    def outermost(self, key: int) -> GroupPath:
        """The path of the outermost folder of a group, whose name may join those of several: `com` of `com.shop`."""
        above = len(self.path_of(int(self.grouped.parent[key])))
        return self.path_of(key)[: above + 1]

    # -- folders

    def home(self, key: int) -> PackageHome | None:
        """Where a file lies; None = in no package."""
        graph = self.folders
        if graph.kind(key) == EXTERNAL or graph.parent[key] < 0:
            return None
        package = self.names.of(key)
        return None if package in ((), (OTHER,)) else self._home(int(graph.parent[key]), package)

    def of(self, package: GroupPath) -> dict[int, int]:
        """Source root -> folder of a package below it, those with the most files first, tests last."""
        found = self._folder.get(package, {})
        order = sorted(found, key=lambda root: (self.is_test(root), -self._files.get(root, 0), self.names.place(root)))
        return {root: found[root] for root in order}

    def group_of(self, folder: int) -> tuple[int, ...]:
        """Key of the innermost group for the package that a folder is, () = it is none."""
        path = next((path for path, known in self._folder.items() if path and folder in known.values()), None)
        groups = range(len(self.folders), len(self.grouped))
        return tuple(key for key in groups if self.path_of(key) == path)[:1]

    def is_test(self, root: int) -> bool:
        """Whether a source root is one of tests, by the names on the way there."""
        return any(part.lower() in _TESTS for part in self.names.place(root).split("/"))

    def _home(self, folder: int, package: GroupPath) -> PackageHome | None:
        if (folder, package) not in self._homes:
            self._homes[folder, package] = self._found_home(folder, package)
        return self._homes[folder, package]

    def _found_home(self, folder: int, package: GroupPath) -> PackageHome | None:
        graph = self.folders
        if folder == graph.root:
            return PackageHome(folder, package) if package == (graph.name,) else None
        inside: list[str] = []
        for place in self._upward(folder):
            chain = list(self._upward(place))[: len(package)]
            if tuple(graph.names[key] for key in reversed(chain)) == package:
                return PackageHome(int(graph.parent[chain[-1]]), package, tuple(reversed(inside)))
            inside.append(graph.names[place])
        return None

    def _upward(self, folder: int) -> Iterator[int]:
        """A folder, and those around it, without the root of the graph."""
        while folder != self.folders.root:
            yield folder
            folder = int(self.folders.parent[folder])

    def _note(self, home: PackageHome, folder: int) -> None:
        """Know the folders of a package, and of those around it, from one that lies in it."""
        graph, package = self.folders, home.package
        if folder == graph.root:
            self._folder.setdefault(package, {}).setdefault(home.root, folder)
            return
        chain = list(self._upward(folder))[len(home.inside) :]
        if self._folder.get(package, {}).get(home.root) == chain[0]:
            return
        for number in range(len(package)):
            self._folder.setdefault(package[: len(package) - number], {}).setdefault(home.root, chain[number])
        self._folder.setdefault((), {}).setdefault(home.root, home.root)
