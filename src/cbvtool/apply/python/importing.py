"""Importing, followed without running anything: what each module body has bound so far, and where it fails.

The order is that of the import system of Python (reference, section 5): the packages around a module come before it; a
module that is under way counts as imported, with what it has bound so far; a submodule becomes an attribute of its
package once its body is done; `from package import name` takes the attribute, else imports the submodule, else takes
the submodule that is under way. Functions are not followed, so that deferred imports cause no failure here, and what a
module takes from outside the tree is taken to be there.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from cbvtool.apply.python.bodies import Binds, Importing, Lists, Step, Tries, UsesName, body
from cbvtool.apply.python.modules import Module, ModuleTree, dotted
from cbvtool.apply.source import PythonFile

_DEEP = 50_000  # levels of calls: as many imports may be under way as there are modules
# A body that gives itself names in a way that its syntax does not show; reading `globals()` is none.
_MAKES_NAMES = re.compile(
    r"(?:globals|vars|locals)\(\)(?:\.(?:update|setdefault)\(|\[[^\]\n]*\][ \t]*=(?!=))"
    r"|sys\.modules\[__name__\](?!\.__(?:doc|file|name))"
)
_OWN_NAMES = frozenset({"globals", "locals", "vars"})


class BoundTo(NamedTuple):
    """What a name stands for: a module, or `name` of the module that defines it."""

    module: Module
    name: str = ""


class Fails(Exception):
    """An import fails; the text says at which line of which module, and why."""


@dataclass(eq=False)
class ImportState:
    """What is imported.

    spaces     module -> name -> what it stands for, None = something from outside
    lists      module -> its `__all__`, None = not known
    unknown    modules that may have any name
    owned      modules whose names are of this state alone, and may be changed
    under_way  modules whose bodies have begun, in that order
    """

    spaces: dict[Module, dict[str, BoundTo | None]] = field(default_factory=dict)
    lists: dict[Module, list[str] | None] = field(default_factory=dict)
    unknown: set[Module] = field(default_factory=set)
    owned: set[Module] = field(default_factory=set)
    under_way: list[Module] = field(default_factory=list)

    def bind(self, module: Module, name: str, value: BoundTo | None) -> None:
        """Give a name of a module a value."""
        if module not in self.owned:
            self.spaces[module] = dict(self.spaces[module])
            self.owned.add(module)
        self.spaces[module][name] = value

    def adopt(self, other: ImportState) -> None:
        """Take over what another state holds; it is not changed by that."""
        self.spaces.update(other.spaces)
        self.lists.update(other.lists)
        self.unknown |= other.unknown
        self.owned -= other.spaces.keys()


@dataclass(frozen=True)
class ImportOutcome:
    """What came of importing a module first.

    failure  where it fails; empty if it does not
    """

    state: ImportState
    failure: str = ""


class Imports:
    """The imports of a tree.

    source  gives the file at a path; None = Python cannot read it
    """

    def __init__(self, modules: ModuleTree, source: Callable[[str], PythonFile | None]) -> None:
        self.modules, self.read = modules, source
        self._fresh: dict[Module, ImportOutcome] = {}
        self._making: set[Module] = set()

    def first(self, module: Module) -> ImportOutcome:
        """What comes of importing the module in a fresh interpreter."""
        top = self._top(module)
        start = self.fresh(top)
        if module == top or start.failure or module in start.state.spaces:
            return start
        state = ImportState()
        state.adopt(start.state)
        return self._outcome(module, state)

    def fresh(self, module: Module) -> ImportOutcome:
        """The same, kept: for packages that many others begin with."""
        if module not in self._fresh:
            self._making.add(module)
            self._fresh[module] = self._outcome(module, ImportState())
            self._making.discard(module)
        return self._fresh[module]

    def failures(self, modules: Sequence[Module]) -> Mapping[Module, str]:
        """Those that fail when they are imported first, and where."""
        found = {module: self.first(module).failure for module in modules}
        return {module: failure for module, failure in found.items() if failure}

    # -- inside

    def _outcome(self, module: Module, state: ImportState) -> ImportOutcome:
        with _deep():
            try:
                self._load(module, state)
            except Fails as failure:
                return ImportOutcome(state, str(failure))
        return ImportOutcome(state)

    def _top(self, module: Module) -> Module:
        return module[: len(self.modules.root(module)) + 1]

    def _load(self, module: Module, state: ImportState) -> None:
        if module in state.spaces:
            return
        modules = self.modules
        root = modules.root(module)
        above = module[:-1]
        if len(above) > len(root):
            self._load(above, state)
            if module in state.spaces:
                return
        elif module not in self._making and modules.is_package(module):
            outcome = self.fresh(module)
            if not outcome.failure and state.spaces.keys().isdisjoint(outcome.state.spaces):
                state.adopt(outcome.state)
                return
        state.spaces[module] = {}
        state.owned.add(module)
        path = modules.file.get(module)
        source = self.read(path) if path is not None else None
        if path is not None and source is None:
            state.unknown.add(module)
        elif source is not None:
            if _makes_names(source):
                state.unknown.add(module)
            state.under_way.append(module)
            try:
                self._run(module, path or "", body(source), state)
            except Fails:
                del state.spaces[module]
                raise
            finally:
                state.under_way.pop()
        if len(above) > len(root):
            state.bind(above, module[-1], BoundTo(module))

    def _run(self, module: Module, path: str, steps: Sequence[Step], state: ImportState) -> None:
        for step in steps:
            match step:
                case Binds(names):
                    for name in names:
                        state.bind(module, name, BoundTo(module, name))
                case UsesName(names, line):
                    self._use(module, path, names, line, state)
                case Importing(node, binds):
                    if isinstance(node, ast.Import):
                        self._import(module, path, node, binds, state)
                    else:
                        self._take(module, path, node, binds, state)
                case Lists(names, adds):
                    known = state.lists.get(module, []) if adds else []
                    state.lists[module] = None if names is None or known is None else [*known, *names]
                    state.bind(module, "__all__", BoundTo(module, "__all__"))
                case Tries(inner, handlers, after):
                    self._try(module, path, inner, handlers, state)
                    self._run(module, path, after, state)

    def _try(
        self, module: Module, path: str, inner: Sequence[Step], handlers: Sequence[Step], state: ImportState
    ) -> None:
        try:
            self._run(module, path, inner, state)
        except Fails:
            self._run(module, path, handlers, state)
            return
        if any(isinstance(step, Importing) and self._is_outside(step, path) for step in inner):
            try:
                self._run(module, path, handlers, state)
            except Fails:
                return  # they need not run: what is outside may be there

    def _is_outside(self, step: Importing, path: str) -> bool:
        node = step.node
        if isinstance(node, ast.Import):
            return any(self.modules.absolute(path, tuple(alias.name.split("."))) is None for alias in node.names)
        return self.modules.named(path, node.level, _parts(node.module)) is None

    def _import(self, module: Module, path: str, node: ast.Import, binds: bool, state: ImportState) -> None:
        for alias in node.names:
            name = tuple(alias.name.split("."))
            found = self.modules.absolute(path, name)
            if found is not None:
                self._load(found, state)
            else:
                self._load_part(path, name, module, node.lineno, state)
            if not binds:
                continue
            if alias.asname:
                state.bind(module, alias.asname, None if found is None else BoundTo(found))
                continue
            top = found[: len(found) - len(name) + 1] if found else self.modules.absolute(path, name[:1])
            state.bind(module, name[0], None if top is None else BoundTo(top))

    def _load_part(self, path: str, name: Module, module: Module, line: int, state: ImportState) -> None:
        """`import a.b` of which only `a` is here."""
        top = self.modules.absolute(path, name[:1])
        if top is not None and len(name) > 1 and top in self.modules.packages:
            raise Fails(self._said(module, line, f"there is no module {dotted(name)}", state))

    def _take(self, module: Module, path: str, node: ast.ImportFrom, binds: bool, state: ImportState) -> None:
        name = _parts(node.module)
        found = self.modules.source_of(path, node.level, name, (alias.name for alias in node.names))
        if found is None:
            top = self.modules.absolute(path, name[:1]) if name and not node.level else None
            if node.level or (top is not None and top in self.modules.packages):
                raise Fails(
                    self._said(module, node.lineno, f"there is no module {'.' * node.level}{dotted(name)}", state)
                )
            for alias in node.names if binds else ():
                if alias.name == "*":
                    state.unknown.add(module)
                else:
                    state.bind(module, alias.asname or alias.name, None)
            return
        self._load(found, state)
        for alias in node.names:
            if alias.name == "*":
                self._take_all(module, found, node.lineno, state)
                continue
            value = self._member(found, alias.name, module, node.lineno, state)
            if binds:
                state.bind(module, alias.asname or alias.name, value)

    def _take_all(self, module: Module, found: Module, line: int, state: ImportState) -> None:
        listed = state.lists.get(found)
        space = state.spaces[found]
        names = [name for name in space if not name.startswith("_")] if listed is None else listed
        if found in state.unknown or (found in state.lists and listed is None):
            state.unknown.add(module)
        for name in names:
            state.bind(module, name, self._member(found, name, module, line, state))

    def _member(self, found: Module, name: str, module: Module, line: int, state: ImportState) -> BoundTo | None:
        """What `from found import name` takes."""
        space = state.spaces[found]
        if name in space:
            return space[name]
        inner = (*found, name)
        if self.modules.is_package(found) and inner in self.modules:
            self._load(inner, state)
            return BoundTo(inner)
        if found in state.unknown or "__getattr__" in space or name.startswith("__"):
            return None
        under_way = " yet" if found in state.under_way else ""
        raise Fails(self._said(module, line, f"{self._name(found)} has no {name}{under_way}", state))

    def _use(self, module: Module, path: str, names: tuple[str, ...], line: int, state: ImportState) -> None:
        value = state.spaces[module].get(names[0])
        for name in names[1:]:
            if value is None or value.name or value.module not in state.spaces:
                return
            space = state.spaces[value.module]
            if name not in space:
                is_open = value.module in state.unknown or "__getattr__" in space or name.startswith("__")
                if is_open or self.modules.file.get(value.module, ".pyi").endswith(".pyi"):
                    return
                under_way = " yet" if value.module in state.under_way else ""
                raise Fails(self._said(module, line, f"{self._name(value.module)} has no {name}{under_way}", state))
            value = space[name]

    def _name(self, module: Module) -> str:
        return dotted(self.modules.name(module))

    def _said(self, module: Module, line: int, what: str, state: ImportState) -> str:
        chain = " → ".join(self._name(one) for one in state.under_way)
        return f"{self.modules.file.get(module, self._name(module))}:{line}: {what} (imported by {chain})"


@lru_cache(maxsize=20_000)
def _makes_names(source: PythonFile) -> bool:
    if _MAKES_NAMES.search(source.text):
        return True
    return "exec(" in source.text and any(_executes(source.tree, False))


def _executes(node: ast.AST, inside: bool) -> Iterator[bool]:
    """Whether each call of `exec` gives the module names: at its top level, or into what `globals()` returns.

    inside  whether the node is in a function, where code without a place of its own gives the module nothing
    """
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "exec":
        places = [*node.args[1:], *(keyword.value for keyword in node.keywords)]
        inner = [part for place in places for part in ast.walk(place)]
        asks = any(isinstance(part, ast.Name) and part.id in _OWN_NAMES for part in inner)
        yield asks or (not places and not inside)
    inside = inside or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
    for child in ast.iter_child_nodes(node):
        yield from _executes(child, inside)


def _parts(name: str | None) -> Module:
    return tuple(name.split(".")) if name else ()


@contextmanager
def _deep() -> Iterator[None]:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _DEEP))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
