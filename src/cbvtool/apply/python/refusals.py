"""Names that modules must not get."""

from __future__ import annotations

import ast
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping

from cbvtool.apply.python.modules import Module, module_of
from cbvtool.apply.python.relocation import Relocation
from cbvtool.apply.python.scan import scanned
from cbvtool.apply.python.spaces import Spaces
from cbvtool.apply.stopped import Stopped
from cbvtool.plan.naming.language_names import is_python_name


def check_places(relocation: Relocation) -> None:
    """Raise Stopped where two files would get one place, or a module the name of another one."""
    old_of: dict[str, str] = {}
    folded: dict[str, str] = {}
    stay = {path for path, new in relocation.kept.items() if path == new}
    folders = {
        "/".join(path.split("/")[:depth])
        for path in relocation.kept.values()
        for depth in range(1, path.count("/") + 1)
    }
    for old, new in sorted(relocation.kept.items(), key=lambda item: item[0] not in stay):
        if new in old_of:
            raise Stopped(f"{old} cannot become {new}: that name is taken by {old_of[new]}.", old)
        if new in folders:
            there = f"cannot become {new}" if old != new else "cannot stay"
            raise Stopped(f"{old} {there}: a folder has that name.", old)
        if old != new and new.casefold() in folded:
            raise Stopped(f"{old} cannot become {new}: {folded[new.casefold()]} differs in capitals alone.", old)
        old_of[new] = old
        folded[new.casefold()] = new
    for module, new_module in relocation.changed.items():
        if new_module is not None and relocation.base.file[module] not in relocation.joined:
            _check_name(relocation, module, new_module)


def _check_name(relocation: Relocation, module: Module, new: Module) -> None:
    path = relocation.base.file[module]
    if not new:
        raise Stopped(f"{path} would make a package of the top folder: move it by hand.", path)
    name = new[-1]
    if name != module[-1] and not is_python_name(name) and module[-1].isidentifier():
        raise Stopped(f"{path} cannot be called {name}: no import could name it.", path)
    new_path = relocation.new_path(path)
    other = relocation.target.file.get(new)
    if other != new_path:
        raise Stopped(f"{path} cannot become {new_path}: {other} has the same module name.", path)
    if new_path is None or new_path.endswith("/__init__.py"):
        return
    inside = "/".join(new) + "/"
    if any(other.startswith(inside) for other in relocation.target.paths):
        raise Stopped(f"{path} cannot become {new_path}: the folder {inside} holds modules of that name.", path)


def check_hiding(relocation: Relocation, before: Spaces, after: Spaces) -> None:
    """Raise Stopped for a module that would hide another one, or be hidden by a name of its new package."""
    outside = _outside(before)
    for module, new in relocation.changed.items():
        path = relocation.base.file[module]
        if new is None or path in relocation.joined:
            continue
        root = relocation.target.root(new)
        if len(new) == len(root) + 1 and len(module) > len(relocation.base.root(module)) + 1:
            if new[-1] in sys.stdlib_module_names:
                raise Stopped(f"{path} would hide the standard module {new[-1]} there.", path)
            if new[-1] in outside:
                raise Stopped(f"{path} would hide {new[-1]}, another package, which the code uses.", path)
        elif len(new) == len(root) + 1 and new[-1] != module[-1] and new[-1] in sys.stdlib_module_names | outside:
            raise Stopped(f"{path} would hide the module {new[-1]} of another package.", path)
        if len(new) > len(root) + 1 and after.is_said(new[:-1], new[-1]):
            value = after.member(new[:-1], new[-1])
            if value is None or value.module != new:
                raise Stopped(
                    f"{path} would get a name that {'/'.join(new[:-1])} has already for something else.", path
                )


def _outside(spaces: Spaces) -> frozenset[str]:
    """First names of what is imported from outside the tree."""
    found = set()
    for path in spaces.modules.paths:
        source = spaces.imports.read(path)
        for node in scanned(source).statements if source is not None else ():
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            else:
                names = [node.module] if node.module and not node.level else []
            for name in names:
                parts = tuple(name.split("."))
                if spaces.modules.absolute(path, parts[:1]) is None:
                    found.add(parts[0])
    return frozenset(found)


def imported_roots(spaces: Spaces) -> Mapping[Module, frozenset[Module]]:
    """Root -> the other roots from which files there import something by an absolute name."""
    found: dict[Module, set[Module]] = defaultdict(set)
    for path in spaces.modules.paths:
        for own, there in _crossings(path, spaces):
            found[own].add(there)
    return {root: frozenset(roots) for root, roots in found.items()}


def _crossings(path: str, spaces: Spaces) -> Iterator[tuple[Module, Module]]:
    source = spaces.imports.read(path)
    if source is None:
        return
    modules = spaces.modules
    own = modules.root(module_of(path))
    for node in scanned(source).statements:
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
        if isinstance(node, ast.ImportFrom) and node.level:
            continue
        for name in names:
            parts = tuple(name.split("."))
            found = modules.absolute(path, parts) if name else None
            if found is not None and found[: len(found) - len(parts)] != own:
                yield own, found[: len(found) - len(parts)]
