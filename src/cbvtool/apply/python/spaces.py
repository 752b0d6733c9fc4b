"""What names mean once everything is imported: of packages, and of import statements in all scopes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from cbvtool.apply.python.bodies import Binds, Importing, Step, Tries, body
from cbvtool.apply.python.importing import BoundTo, Imports
from cbvtool.apply.python.modules import Module
from cbvtool.apply.python.scan import Binding, Chain, scanned
from cbvtool.apply.source import PythonFile


class Taken(NamedTuple):
    """What an alias of an import statement leads to.

    source  module that the statement names; None = it is not of this tree
    value   what is bound; of `import a.b` the module `a.b`, though the name binds `a`
    """

    source: Module | None
    value: BoundTo | None


class Spaces:
    """The names of one state of a tree."""

    def __init__(self, imports: Imports) -> None:
        self.imports, self.modules = imports, imports.modules
        self._space = cache(self._find_space)
        self._said = cache(self._find_said)

    def source(self, module: Module) -> PythonFile | None:
        """The file of a module."""
        path = self.modules.file.get(module)
        return None if path is None else self.imports.read(path)

    def member(self, module: Module, name: str) -> BoundTo | None:
        """What `name` of a module is: a module, something that a module defines, or None for what nobody knows."""
        space = self._space(module)
        if name in space:
            return space[name]
        inner = (*module, name)
        return BoundTo(inner) if self.modules.is_package(module) and inner in self.modules else None

    def is_said(self, module: Module, name: str) -> bool:
        """Whether the file of the module itself binds the name, and not the import of the submodule alone."""
        return name in self._said(module)

    def taken(self, path: str, binding: Binding) -> Taken:
        """What an alias in the file at `path` leads to."""
        node, alias = binding.statement, binding.alias
        if isinstance(node, ast.Import):
            found = self.modules.absolute(path, tuple(alias.name.split(".")))
            return Taken(found, None if found is None else BoundTo(found))
        name = tuple(node.module.split(".")) if node.module else ()
        found = self.modules.source_of(path, node.level, name, (one.name for one in node.names))
        if found is None:
            return Taken(None, None)
        if alias.name == "*":
            return Taken(found, BoundTo(found, "*"))
        return Taken(found, self.member(found, alias.name))

    def root(self, path: str, chain: Chain) -> tuple[Binding, Module] | None:
        """The import that binds the first name of a chain, and the module that this name is; None = it is no module."""
        scope = chain.scope.binding(chain.names[0])
        if scope is None or chain.names[0] not in scope.imports:
            return None
        for binding in scope.imports[chain.names[0]]:
            value = self.taken(path, binding).value
            if value is None or value.name:
                continue
            if isinstance(binding.statement, ast.Import) and not binding.alias.asname:
                return binding, value.module[: len(value.module) - binding.alias.name.count(".")]
            return binding, value.module
        return None

    def _find_space(self, module: Module) -> dict[str, BoundTo | None]:
        return self.imports.first(module).state.spaces.get(module, {})

    def _find_said(self, module: Module) -> frozenset[str]:
        source = self.source(module)
        return frozenset() if source is None else frozenset(self._bound(module, body(source)))

    def _bound(self, module: Module, steps: tuple[Step, ...]) -> Iterator[str]:
        for step in steps:
            match step:
                case Binds(names):
                    yield from names
                case Tries(inner, handlers, after):
                    yield from self._bound(module, (*inner, *handlers, *after))
                case Importing(node, True):
                    for alias in node.names:
                        if alias.name == "*":
                            yield from self._all(module, node)
                        elif isinstance(node, ast.ImportFrom):
                            yield alias.asname or alias.name
                        else:
                            yield alias.asname or alias.name.partition(".")[0]

    def _all(self, module: Module, node: ast.Import | ast.ImportFrom) -> Iterator[str]:
        assert isinstance(node, ast.ImportFrom)
        name = tuple(node.module.split(".")) if node.module else ()
        found = self.modules.named(self.modules.file[module], node.level, name)
        if found is not None and found != module:
            yield from (name for name in self._space(found) if not name.startswith("_"))


def misleading(spaces: Spaces, path: str) -> Iterator[tuple[Module, Module]]:
    """(package, submodule) of each `from package import name` in a file that does not take the submodule `name`.

    The package gives the name to something else, which an analysis of imports alone does not see.
    """
    source = spaces.imports.read(path)
    found = scanned(source) if source is not None else None
    for node in found.statements if found is not None else ():
        for binding in found.bindings[node] if found is not None else ():
            taken = spaces.taken(path, binding)
            inner = (*(taken.source or ()), binding.alias.name)
            is_module = isinstance(node, ast.ImportFrom) and inner in spaces.modules
            if taken.source is not None and is_module and taken.value != BoundTo(inner):
                yield taken.source, inner
