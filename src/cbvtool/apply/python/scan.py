"""What a file imports, what its scopes bind, and the dotted names that it uses."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

from cbvtool.apply.source import PythonFile

Statement = ast.Import | ast.ImportFrom


@dataclass(eq=False)
class NameScope:
    """A module, class or function.

    imports  name -> the aliases of import statements that bind it
    others   names that are bound in another way
    outside  names that are declared global or nonlocal
    """

    kind: Literal["module", "class", "function"]
    above: NameScope | None = None
    imports: dict[str, list[Binding]] = field(default_factory=dict)
    others: set[str] = field(default_factory=set)
    outside: set[str] = field(default_factory=set)

    def binding(self, name: str) -> NameScope | None:
        """The scope that a use of `name` in this one takes it from; None = builtin, or from a star import."""
        scope: NameScope | None = self
        while scope is not None:
            seen = scope is self or scope.kind != "class"
            if seen and name not in scope.outside and (name in scope.imports or name in scope.others):
                return scope
            scope = scope.above
        return None


@dataclass(frozen=True, eq=False)
class Binding:
    """One alias of an import statement."""

    statement: Statement
    alias: ast.alias
    scope: NameScope

    @property
    def local(self) -> str:
        """The name that it binds; empty for `*`."""
        if self.alias.asname:
            return self.alias.asname
        if isinstance(self.statement, ast.Import):
            return self.alias.name.partition(".")[0]
        return "" if self.alias.name == "*" else self.alias.name


@dataclass(frozen=True, eq=False)
class Chain:
    """A use of a name and of its attributes, as `a.b.c`: `nodes` are those of `a`, `a.b` and `a.b.c`."""

    scope: NameScope
    names: tuple[str, ...]
    nodes: tuple[ast.expr, ...]


@dataclass(frozen=True, eq=False)
class Scanned:
    """What is to be known of a file.

    statements  its import statements, in the order of the text
    bindings    statement -> its aliases
    chains      its dotted names
    scopes      all of them, that of the module first
    """

    statements: list[Statement]
    bindings: dict[Statement, list[Binding]]
    chains: list[Chain]
    scopes: list[NameScope]

    @property
    def top(self) -> NameScope:
        """The scope of the module."""
        return self.scopes[0]

    def names(self) -> set[str]:
        """All names that are bound or used anywhere."""
        found = {chain.names[0] for chain in self.chains}
        for scope in self.scopes:
            found |= scope.imports.keys() | scope.others | scope.outside
        return found


@lru_cache(maxsize=20_000)
def scanned(source: PythonFile) -> Scanned:
    """See `Scanned`."""
    visitor = _Visitor()
    visitor.visit(source.tree)
    return visitor.found


class _Visitor(ast.NodeVisitor):
    def __init__(self) -> None:
        self.scope = NameScope("module")
        self.found = Scanned([], {}, [], [self.scope])

    def _within(self, kind: Literal["class", "function"], nodes: Iterator[ast.AST], bound: set[str]) -> None:
        before = self.scope
        self.scope = NameScope(kind, before, others=bound)
        self.found.scopes.append(self.scope)
        for node in nodes:
            self.visit(node)
        self.scope = before

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self.scope.others.add(node.name)
        outer: list[ast.AST] = [*node.decorator_list]
        if node.returns is not None:
            outer.append(node.returns)
        for part in outer:
            self.visit(part)
        self._arguments(node.args)
        inner = [*getattr(node, "type_params", ()), *node.body]
        self._within("function", iter(inner), _parameters(node.args))

    visit_FunctionDef = _function
    visit_AsyncFunctionDef = _function

    def _arguments(self, arguments: ast.arguments) -> None:
        for part in ast.iter_child_nodes(arguments):
            self.visit(part)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._arguments(node.args)
        self._within("function", iter([node.body]), _parameters(node.args))

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.scope.others.add(node.name)
        for part in (*node.decorator_list, *node.bases, *node.keywords):
            self.visit(part)
        self._within("class", iter([*getattr(node, "type_params", ()), *node.body]), set())

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp) -> None:
        first = node.generators[0]
        self.visit(first.iter)
        parts = [part for part in ast.iter_child_nodes(node) if part is not first]
        inner = [first.target, *first.ifs, *(part for part in parts if isinstance(part, ast.comprehension))]
        self._within("function", iter([*inner, *(part for part in parts if part not in inner)]), set())

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension

    def _import(self, node: Statement) -> None:
        self.found.statements.append(node)
        bindings = self.found.bindings[node] = [Binding(node, alias, self.scope) for alias in node.names]
        for binding in bindings:
            if binding.local:
                self.scope.imports.setdefault(binding.local, []).append(binding)

    visit_Import = visit_ImportFrom = _import

    def visit_Global(self, node: ast.Global | ast.Nonlocal) -> None:
        self.scope.outside.update(node.names)
        self.found.top.others.update(node.names)

    visit_Nonlocal = visit_Global

    def visit_Name(self, node: ast.Name) -> None:
        if not isinstance(node.ctx, ast.Load):
            self.scope.others.add(node.id)
        else:
            self.found.chains.append(Chain(self.scope, (node.id,), (node,)))

    def visit_Attribute(self, node: ast.Attribute) -> None:
        nodes: list[ast.expr] = [node]
        while isinstance(inner := nodes[-1], ast.Attribute):
            nodes.append(inner.value)
        if isinstance(name := nodes[-1], ast.Name):
            nodes.reverse()
            rest = [part.attr for part in nodes if isinstance(part, ast.Attribute)]
            self.found.chains.append(Chain(self.scope, (name.id, *rest), tuple(nodes)))
        else:
            self.visit(nodes[-1])

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name:
            self.scope.others.add(node.name)
        self.generic_visit(node)

    def _capture(self, node: ast.MatchAs | ast.MatchStar) -> None:
        if node.name:
            self.scope.others.add(node.name)
        self.generic_visit(node)

    visit_MatchAs = visit_MatchStar = _capture

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        if node.rest:
            self.scope.others.add(node.rest)
        self.generic_visit(node)

    def generic_visit(self, node: ast.AST) -> None:
        if type(node).__name__ in ("TypeVar", "ParamSpec", "TypeVarTuple"):  # parameters of types, from 3.12 on
            self.scope.others.add(getattr(node, "name", ""))
        super().generic_visit(node)


def _parameters(arguments: ast.arguments) -> set[str]:
    listed = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    return {argument.arg for argument in listed if argument is not None}
