"""Where every file goes, and what each module is called then."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from types import MappingProxyType

from cbvtool.apply.python.modules import Module, ModuleTree, dotted, module_of
from cbvtool.apply.source import is_python
from cbvtool.apply.stopped import Stopped

INIT = "__init__.py"
_USUAL_ROOTS = ((), ("src",), ("lib",), ("python",))


class Relocation:
    """Files that change places.

    moved   old path -> new path, None = removed; those that stay are left out
    made    paths of `__init__.py` files that are to be made
    joined  old path -> new path of the `__init__.py` that takes its place: its package becomes one with another one
    """

    def __init__(
        self,
        paths: Iterable[str],
        moved: Mapping[str, str | None],
        packages: Iterable[str] = (),
        made: Iterable[str] | None = None,
        joined: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """Where the files at `paths` go.

        packages  folders that the plan makes as packages, as they are called in the target
        made      files that were made, where that is known
        """
        self.paths = frozenset(paths)
        self.moved = {old: new for old, new in moved.items() if new != old}
        self.joined = joined
        self.base = ModuleTree(self.paths)
        self.kept = {path: new for path in self.paths if (new := self.moved.get(path, path)) is not None}
        self.made = _new_packages(self.base, self.kept, frozenset(packages)) if made is None else tuple(sorted(made))
        self.target = ModuleTree([*self.kept.values(), *self.made])
        self._folders: dict[Module, Module | None] = {}

    def new_path(self, path: str) -> str | None:
        """Where the file is in the target; None = it is gone."""
        return self.moved.get(path, path)

    def new(self, module: Module) -> Module | None:
        """What the module is in the target; None = it is gone, or its files go to several places."""
        path = self.base.file.get(module)
        if path is not None:
            new = self.joined.get(path, self.new_path(path))
            return None if new is None else module_of(new)
        if module not in self._folders:
            self._folders[module] = self._new_folder(module)
        return self._folders[module]

    def _new_folder(self, module: Module) -> Module | None:
        """The same of a folder without `__init__.py`."""
        if module in self.target:
            return module
        start = "/".join(module) + "/"
        found = set()
        for path in self.base.paths:
            new = self.new_path(path)
            if path.startswith(start) and new is not None:
                rest = path[len(start) :]
                found.add(new.removesuffix("/" + rest) if new.endswith("/" + rest) else "")
        return tuple(found.pop().split("/")) if len(found) == 1 and "" not in found else None

    @cached_property
    def changed(self) -> dict[Module, Module | None]:
        """Modules that are called otherwise, or gone."""
        return {module: new for module in self.base.file if (new := self.new(module)) != module}

    def reaches(self, path: str, module: Module, roots: Callable[[], Mapping[Module, frozenset[Module]]]) -> bool:
        """Whether a file at the new `path` can import `module` of the target by its absolute name.

        roots  gives root -> roots from which files there import today
        """
        own, there = self.target.root(module_of(path)), self.target.root(module)
        if own == there:
            return True
        seen = roots()
        if there in seen.get(own, ()):
            return True
        libraries = {root for start, roots in seen.items() for root in roots if root != start}
        return there in libraries and own not in libraries

    def absolute(self, path: str, module: Module, hint: Module | None = None) -> Module:
        """The absolute name by which a file at the new `path` imports `module` of the target.

        hint  root from which the name began before

        Raises Stopped if there is none.
        """
        for root in (hint, self.target.root(module)):
            if root is None or module[: len(root)] != root or len(module) == len(root):
                continue
            name = module[len(root) :]
            if root not in self.target.packages and self.target.absolute(path, name) == module:
                return name
        raise Stopped(f"{path} could not import {'/'.join(module)}: no folder makes it known by a name.", path)

    def relative(self, path: str, module: Module) -> str | None:
        """The relative name by which a file at the new `path` imports `module`; None = they share no package."""
        target = self.target
        here = tuple(path.split("/")[:-1])
        root = target.root(module_of(path))
        shared = 0
        while shared < min(len(here), len(module)) and here[shared] == module[shared]:
            shared += 1
        if shared <= len(root) or target.root(module) != root:
            return None
        return "." * (len(here) - shared + 1) + dotted(module[shared:])


def _new_packages(base: ModuleTree, kept: Mapping[str, str], packages: frozenset[str]) -> tuple[str, ...]:
    """Paths of the `__init__.py` files to be made.

    A folder gets one if it has its first Python file in the target and lies in a package, or if the plan makes it as a
    package, or if what moves there was in a package. One that holds Python files without `__init__.py` today is
    imported without one, and stays so.
    """
    new = {path for path in kept.values() if is_python(path)}
    before = {"/".join(path.split("/")[:depth]) for path in base.paths for depth in range(1, path.count("/") + 1)}
    comes_from = {new_path: old for old, new_path in kept.items()}
    have = {path.rpartition("/")[0] for path in new if path.rpartition("/")[2] == INIT}
    made: set[str] = set()
    folders = {"/".join(path.split("/")[:depth]) for path in new for depth in range(1, path.count("/") + 1)}
    moved_into = {path: old for path, old in comes_from.items() if old != path}
    # A folder that moves as a whole, and has no `__init__.py` today, goes on without one.
    without = {
        path.rpartition("/")[0]
        for path, old in moved_into.items()
        if is_python(path)
        and tuple(old.split("/")[:-1]) not in base.packages
        and path.rpartition("/")[2] == old.rpartition("/")[2]
    }
    for folder in sorted(folders, key=lambda name: name.count("/")):
        if folder in have or folder in before:
            continue
        above = folder.rpartition("/")[0]
        if above in have or above in made or folder in packages:
            if folder in without and folder not in packages and above not in made and above not in have:
                continue
            made.add(folder)
            continue
        first = [old for path, old in moved_into.items() if path.startswith(folder + "/") and is_python(path)]
        if any(tuple(old.split("/")[:-1]) in base.packages for old in first) and _holds_packages(base, above):
            made.add(folder)
    return tuple(sorted(f"{folder}/{INIT}" for folder in made))


def _holds_packages(base: ModuleTree, folder: str) -> bool:
    place = tuple(folder.split("/")) if folder else ()
    return any(package[:-1] == place for package in base.packages)


def _name(path: str) -> str:
    return path.rpartition("/")[2]
