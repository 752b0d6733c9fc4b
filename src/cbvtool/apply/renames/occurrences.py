"""Where a word stands in a Python file, and what it is there: a name of a scope, an attribute, an import, a text."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from cbvtool.apply.source import PythonFile

Role = Literal[
    "definition",
    "name",
    "attribute",
    "import",
    "local",
    "module",
    "keyword",
    "parameter",
    "outside",
    "string",
    "comment",
    "unknown",
]
Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Defined = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@dataclass(eq=False)
class LexicalScope:
    """A module, class, function or comprehension.

    node     what it is the inside of
    bound    name -> how often it is bound there
    outside  names that are declared global or nonlocal
    """

    kind: Literal["module", "class", "function", "comprehension"]
    node: ast.AST
    above: LexicalScope | None = None
    bound: Counter[str] = field(default_factory=Counter)
    outside: set[str] = field(default_factory=set)

    def binding(self, name: str) -> LexicalScope | None:
        """The scope that a use of `name` in this one takes it from; None = builtin, or from a star import."""
        scope: LexicalScope | None = self
        while scope is not None:
            if (scope is self or scope.kind != "class") and name not in scope.outside and scope.bound[name]:
                return scope
            scope = scope.above
        return None

    def around(self) -> Iterator[LexicalScope]:
        """This scope and those around it, from the inside out."""
        scope: LexicalScope | None = self
        while scope is not None:
            yield scope
            scope = scope.above


@dataclass(frozen=True, eq=False)
class Occurrence:
    """One place where the word stands.

    start  index in the text of its first character
    line   counted from 1
    role   `import`: what a `from` import takes; `local`: what it is called here; `module`: a part of a module's name;
           `outside`: in `global` or `nonlocal`; `unknown`: nobody knows
    scope  that it stands in; that of the module for texts
    node   of the syntax tree that it belongs to; None for texts and what is unknown
    """

    start: int
    line: int
    role: Role
    scope: LexicalScope
    node: ast.AST | None = None


@dataclass(frozen=True, eq=False)
class Scoped:
    """The scopes of a file, and what stands where.

    scopes   all of them, that of the module first
    scope    node -> the scope that it stands in
    inside   definition, lambda -> the scope of its inside
    parents  node -> the node around it
    """

    scopes: list[LexicalScope]
    scope: dict[ast.AST, LexicalScope]
    inside: dict[ast.AST, LexicalScope]
    parents: dict[ast.AST, ast.AST]

    @property
    def top(self) -> LexicalScope:
        """The scope of the module."""
        return self.scopes[0]


class WordFile:
    """A Python file, looked at for words."""

    def __init__(self, source: PythonFile) -> None:
        self.source = source

    @cached_property
    def scoped(self) -> Scoped:
        """Its scopes."""
        visitor = _Visitor(self.source.tree)
        visitor.visit_all(self.source.tree.body)
        return visitor.found

    @cached_property
    def _texts(self) -> list[tuple[int, int, Role]]:
        """(start, end, role) of its strings and comments."""
        text = self.source.text
        starts = [0, *(match.end() for match in re.finditer("\n", text))]
        found: list[tuple[int, int, Role]] = []
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type in (tokenize.STRING, tokenize.COMMENT):
                start, end = (starts[row - 1] + column for row, column in (token.start, token.end))
                found.append((start, end, "string" if token.type == tokenize.STRING else "comment"))
        return found

    def occurrences(self, word: str) -> list[Occurrence]:
        """Every place where the word stands as a whole, in the order of the text."""
        source, scoped = self.source, self.scoped
        known = {start: (role, scope, node) for start, role, scope, node in self._in_code(word)}
        found = []
        for match in re.finditer(rf"(?<!\w){re.escape(word)}(?!\w)", source.text):
            start = match.start()
            line = source.text.count("\n", 0, start) + 1
            if start in known:
                role, scope, node = known.pop(start)
                found.append(Occurrence(start, line, role, scope, node))
                continue
            role = next((role for begin, end, role in self._texts if begin <= start < end), "unknown")
            found.append(Occurrence(start, line, role, scoped.top))
        for start, (_, scope, node) in known.items():  # in a formatted string whose places Python does not tell
            found.append(Occurrence(start, getattr(node, "lineno", 1), "unknown", scope, node))
        return found

    def _in_code(self, word: str) -> Iterator[tuple[int, Role, LexicalScope, ast.AST]]:
        source, scoped = self.source, self.scoped
        for node, scope in scoped.scope.items():
            match node:
                case ast.Name(id=name) if name == word:
                    yield source.span(node)[0], "name", scope, node
                case ast.Attribute(attr=name) if name == word:
                    yield source.span(node)[1] - len(word), "attribute", scope, node
                case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                    if name == word:
                        yield self.name_of(node), "definition", scope, node
                case ast.Import() | ast.ImportFrom():
                    for start, part_role, part in self._imported(node, word):
                        yield start, part_role, scope, part
                case ast.arg(arg=name) | ast.keyword(arg=name) if name == word:
                    role: Role = "parameter" if isinstance(node, ast.arg) else "keyword"
                    yield source.at(node.lineno, node.col_offset), role, scope, node
                case ast.Global(names=names) | ast.Nonlocal(names=names) if word in names:
                    for start in self._words(word, *source.span(node)):
                        yield start, "outside", scope, node

    def _imported(self, node: ast.Import | ast.ImportFrom, word: str) -> Iterator[tuple[int, Role, ast.AST]]:
        """(start, role, alias or statement) of the word in an import statement."""
        source = self.source
        first = source.span(node.names[0])[0]
        if isinstance(node, ast.ImportFrom) and word in (node.module or "").split("."):
            yield from ((start, "module", node) for start in self._words(word, source.span(node)[0], first))
        for alias in node.names:
            start, end = source.span(alias)
            if isinstance(node, ast.Import) and word in alias.name.split("."):
                behind = end - len(alias.asname or "")
                yield from ((place, "module", node) for place in self._words(word, start, behind))
            elif alias.name == word:
                yield start, "import", alias
            if alias.asname == word:
                yield end - len(word), "local", alias

    def _words(self, word: str, start: int, end: int) -> Iterator[int]:
        for match in re.finditer(rf"(?<!\w){re.escape(word)}(?!\w)", self.source.text[start:end]):
            yield start + match.start()

    def name_of(self, node: Defined) -> int:
        """Index of the name behind `def` or `class`."""
        start = self.source.span(node)[0]
        found = re.compile(r"(?:async(?:\s|\\\r?\n)+)?(?:def|class)(?:\s|\\\r?\n)+").match(self.source.text, start)
        assert found is not None, "a definition without its word"
        return found.end()

    def definitions(self, names: tuple[str, ...]) -> list[Defined]:
        """The definitions that are reached by these names, one inside the other."""
        scopes = [self.scoped.top]
        found: list[Defined] = []
        for name in names:
            found = [
                node
                for node, scope in self.scoped.scope.items()
                if isinstance(node, Defined) and node.name == name and scope in scopes
            ]
            scopes = [self.scoped.inside[node] for node in found]
        return found


class _Visitor(ast.NodeVisitor):
    def __init__(self, tree: ast.Module) -> None:
        self.scope = LexicalScope("module", tree)
        self.found = Scoped([self.scope], {tree: self.scope}, {tree: self.scope}, {})

    def visit_all(self, nodes: Iterable[ast.AST | None], above: ast.AST | None = None) -> None:
        for node in nodes:
            if node is not None:
                if above is not None:
                    self.found.parents[node] = above
                self.visit(node)

    def visit(self, node: ast.AST) -> None:
        self.found.scope[node] = self.scope
        for inner in ast.iter_child_nodes(node):
            self.found.parents[inner] = node
        super().visit(node)

    def _within(
        self, kind: Literal["class", "function", "comprehension"], node: ast.AST, parts: Iterable[ast.AST | None]
    ) -> None:
        before = self.scope
        self.scope = self.found.inside[node] = LexicalScope(kind, node, before)
        self.found.scopes.append(self.scope)
        if isinstance(node, Function):
            self.scope.bound.update(argument.arg for argument in parameters(node.args))
        self.visit_all(parts)
        self.scope = before

    def _bind(self, name: str) -> None:
        self.scope.bound[name] += 1

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._bind(node.name)
        self.visit_all([*node.decorator_list, node.args, node.returns])
        self._within("function", node, [*getattr(node, "type_params", ()), *node.body])

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self.visit(node.args)
        self._within("function", node, [node.body])

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._bind(node.name)
        self.visit_all([*node.decorator_list, *node.bases, *node.keywords])
        self._within("class", node, [*getattr(node, "type_params", ()), *node.body])

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp) -> None:
        first, *others = node.generators
        self.found.scope[first] = self.scope
        self.found.parents[first.iter] = self.found.parents[first.target] = first
        self.visit(first.iter)
        results = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        self._within("comprehension", node, [first.target, *first.ifs, *others, *results])

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        holder = next(scope for scope in self.scope.around() if scope.kind != "comprehension")
        if isinstance(node.target, ast.Name):
            holder.bound[node.target.id] += 1
            self.found.scope[node.target] = holder
        self.visit(node.value)

    def visit_Import(self, node: ast.Import | ast.ImportFrom) -> None:
        for alias in node.names:
            name = alias.asname or (alias.name.partition(".")[0] if isinstance(node, ast.Import) else alias.name)
            if name != "*":
                self._bind(name)

    visit_ImportFrom = visit_Import

    def visit_Global(self, node: ast.Global | ast.Nonlocal) -> None:
        self.scope.outside.update(node.names)

    visit_Nonlocal = visit_Global

    def visit_Name(self, node: ast.Name) -> None:
        if not isinstance(node.ctx, ast.Load):
            self._bind(node.id)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name:
            self._bind(node.name)
        self.generic_visit(node)

    def _capture(self, node: ast.MatchAs | ast.MatchStar) -> None:
        if node.name:
            self._bind(node.name)
        self.generic_visit(node)

    visit_MatchAs = visit_MatchStar = _capture

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        if node.rest:
            self._bind(node.rest)
        self.generic_visit(node)

    def generic_visit(self, node: ast.AST) -> None:
        if type(node).__name__ in ("TypeVar", "ParamSpec", "TypeVarTuple"):  # parameters of types, from 3.12 on
            self._bind(getattr(node, "name", ""))
        super().generic_visit(node)


def parameters(arguments: ast.arguments) -> list[ast.arg]:
    """All parameters of a function, in the order of the text as far as they have one."""
    found = [*arguments.posonlyargs, *arguments.args, arguments.vararg, *arguments.kwonlyargs, arguments.kwarg]
    return [argument for argument in found if argument is not None]
