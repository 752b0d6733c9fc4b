"""The Python files of a tree as modules: what a name means, and what a module is called."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable

from cbvtool.apply.source import is_python
from cbvtool.plan.sites.python_modules import Module, from_folder, module_of

__all__ = ["USUAL_ROOTS", "Module", "ModuleTree", "dotted", "module_of"]

USUAL_ROOTS = ("src", "lib", "python")


class ModuleTree:
    """The modules and packages of one state of a tree.

    A module is the names of the folders from the top on, then its own: `("src", "flask", "cli")`. Its *root* is the
    folder in which its absolute name begins, `("src",)`: never one inside of a package.

    paths     of all Python files, stubs too
    file      module -> path of its file
    packages  those that have an `__init__.py`
    """

    def __init__(self, paths: Iterable[str]) -> None:
        self.paths = frozenset(path for path in paths if is_python(path))
        self.file: dict[Module, str] = {}
        for path in sorted(self.paths):
            module = () if path.endswith(".pyi") else module_of(path)
            if module and (module not in self.file or path.endswith("/__init__.py")):
                self.file[module] = path
        self.packages = {module for module, path in self.file.items() if path.endswith("/__init__.py")}
        folders = {module[:depth] for module in self.file for depth in range(1, len(module))}
        self._all = folders | self.file.keys()
        self._by_name: dict[str, list[Module]] = defaultdict(list)
        for module in sorted(self._all):
            self._by_name[module[-1]].append(module)
        self._roots: dict[Module, Module] = {}
        self._found: dict[tuple[Module, Module], Module | None] = {}

    def __contains__(self, module: Module) -> bool:
        return module in self._all

    def is_package(self, module: Module) -> bool:
        """Whether it can hold modules: a folder, with `__init__.py` or without."""
        return module in self.packages or (module in self._all and module not in self.file)

    def root(self, module: Module) -> Module:
        """The folder in which the name of the module begins."""
        if module not in self._roots:
            self._roots[module] = self._root(module)
        return self._roots[module]

    def _root(self, module: Module) -> Module:
        for depth in range(1, len(module) + 1):
            if module[:depth] in self.packages:
                return module[: depth - 1]
        start = 0  # in no package: by its folders, but for usual roots
        while start < len(module) - 1 and module[start] in USUAL_ROOTS:
            start += 1
        return module[:start]

    def name(self, module: Module) -> Module:
        """What an absolute import calls it."""
        return module[len(self.root(module)) :]

    def is_root(self, folder: Module) -> bool:
        """Whether names may begin in the folder: neither it nor what it lies in is a package."""
        return not any(folder[:depth] in self.packages for depth in range(1, len(folder) + 1))

    def absolute(self, path: str, name: Module) -> Module | None:
        """What the absolute name means in the file at `path`; None = nothing here."""
        folder = tuple(path.split("/")[:-1])
        key = folder, name
        if key not in self._found:
            self._found[key] = self._absolute(folder, name) if name else None
        return self._found[key]

    def _absolute(self, folder: Module, name: Module) -> Module | None:
        best, best_rank = None, (0, 0, 0)
        for module in self._by_name.get(name[-1], ()):
            root = module[: len(module) - len(name)]
            if module[len(root) :] != name or not self.is_root(root):
                continue
            top = module[: len(root) + 1]
            around = folder[: len(root)] == root
            is_file = top in self.file
            if not is_file and name[0] in sys.stdlib_module_names:
                continue  # a folder without `__init__.py` comes last
            if not around and root and root[-1] not in USUAL_ROOTS and (len(name) == 1 and module not in self.packages):
                continue
            rank = (1 + is_file, 1 if around else 0, len(root) if around else -len(root))
            if best is None or rank > best_rank:
                best, best_rank = module, rank
        return best

    def relative(self, path: str, level: int, name: Module) -> Module | None:
        """What a relative name means in the file at `path`; None = nothing here."""
        found = from_folder(tuple(path.split("/")[:-1]), level, name)
        return found if found in self._all else None

    def named(self, path: str, level: int, name: Module) -> Module | None:
        """What an import means in the file at `path`; None = nothing here."""
        return self.relative(path, level, name) if level else self.absolute(path, name)

    def source_of(self, path: str, level: int, name: Module, taken: Iterable[str]) -> Module | None:
        """What `from name import taken` takes it from; a mere folder only if it has modules of these names."""
        found = self.named(path, level, name)
        if found is None or found in self.file or any((*found, one) in self for one in taken):
            return found
        return None


def dotted(module: Iterable[str]) -> str:
    """`a.b.c`."""
    return ".".join(module)
