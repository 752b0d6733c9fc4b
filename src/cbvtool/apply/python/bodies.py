"""The steps that the body of a module executes when it is imported, in order."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from cbvtool.apply.source import PythonFile

_TYPE_CHECKING = frozenset({"TYPE_CHECKING", "MYPY", "MYPY_CHECK_RUNNING"})


@dataclass(frozen=True, eq=False)
class Importing:
    """`import a.b` or `from a import b`.

    `binds` is False in the body of a class, where it binds no name of the module.
    """

    node: ast.Import | ast.ImportFrom
    binds: bool


@dataclass(frozen=True, eq=False)
class Binds:
    """Names that are bound to a value other than a module."""

    names: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class UsesName:
    """A dotted name whose value is needed at import time."""

    names: tuple[str, ...]
    line: int


@dataclass(frozen=True, eq=False)
class Lists:
    """`__all__` is set to these names, or they are added to it; None = the names are unknown."""

    names: tuple[str, ...] | None
    adds: bool


@dataclass(frozen=True, eq=False)
class Tries:
    """A `try` statement."""

    body: tuple[Step, ...]
    handlers: tuple[Step, ...]
    after: tuple[Step, ...]


Step = Importing | Binds | UsesName | Lists | Tries


@lru_cache(maxsize=20_000)
def body(source: PythonFile) -> tuple[Step, ...]:
    """The steps of a module. If a condition is unknown, both branches count."""
    return tuple(_statements(source.tree.body, binds=True, late=_late_annotations(source.tree)))


def _late_annotations(tree: ast.Module) -> bool:
    return any(
        isinstance(node, ast.ImportFrom)
        and node.module == "__future__"
        and any(a.name == "annotations" for a in node.names)
        for node in tree.body
    )


def _statements(nodes: Iterable[ast.stmt], *, binds: bool, late: bool) -> Iterator[Step]:
    for node in nodes:
        yield from _statement(node, binds, late)


def _statement(node: ast.stmt, binds: bool, late: bool) -> Iterator[Step]:
    match node:
        case ast.Import() | ast.ImportFrom():
            yield Importing(node, binds)
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            yield from _uses(_outer(node, late))
            if binds:
                yield Binds((node.name,))
        case ast.ClassDef():
            yield from _uses([*node.decorator_list, *node.bases, *(keyword.value for keyword in node.keywords)])
            yield from _statements(node.body, binds=False, late=late)
            if binds:
                yield Binds((node.name,))
        case ast.If():
            holds = _holds(node.test)
            yield from _uses([node.test])
            if holds is not False:
                yield from _statements(node.body, binds=binds, late=late)
            if holds is not True:
                yield from _statements(node.orelse, binds=binds, late=late)
        case ast.Try() | ast.TryStar():
            handlers = [*(_bound_by(handler) for handler in node.handlers)]
            yield Tries(
                tuple(_statements(node.body, binds=binds, late=late)),
                tuple(
                    step
                    for names, handler in zip(handlers, node.handlers, strict=True)
                    for step in (*names, *_statements(handler.body, binds=binds, late=late))
                ),
                tuple(_statements([*node.orelse, *node.finalbody], binds=binds, late=late)),
            )
        case ast.For() | ast.AsyncFor() | ast.While() | ast.With() | ast.AsyncWith():
            yield from _loops(node, binds, late)
        case ast.Match():
            yield from _uses([node.subject])
            for case in node.cases:
                yield from _statements(case.body, binds=binds, late=late)
        case _:
            yield from _simple(node, binds, late)


def _loops(
    node: ast.For | ast.AsyncFor | ast.While | ast.With | ast.AsyncWith, binds: bool, late: bool
) -> Iterator[Step]:
    targets: list[ast.expr] = []
    if isinstance(node, ast.For | ast.AsyncFor):
        yield from _uses([node.iter])
        targets.append(node.target)
    elif isinstance(node, ast.While):
        yield from _uses([node.test])
    else:
        yield from _uses([item.context_expr for item in node.items])
        targets += [item.optional_vars for item in node.items if item.optional_vars is not None]
    if binds:
        yield from _targets(targets)
    yield from _statements(node.body, binds=binds, late=late)
    yield from _statements(getattr(node, "orelse", []), binds=binds, late=late)


def _simple(node: ast.stmt, binds: bool, late: bool) -> Iterator[Step]:
    match node:
        case ast.Assign(targets=targets, value=value):
            yield from _uses([value])
            if binds and any(isinstance(target, ast.Name) and target.id == "__all__" for target in targets):
                yield Lists(_texts(value), adds=False)
        case ast.AugAssign(target=target, value=value):
            yield from _uses([value])
            targets = [target]
            if binds and isinstance(target, ast.Name) and target.id == "__all__":
                yield Lists(_texts(value), adds=True)
        case ast.AnnAssign():
            yield from _uses([*([] if late else [node.annotation]), *([node.value] if node.value else [])])
            targets = [node.target] if node.value is not None else []
            if binds and isinstance(node.target, ast.Name) and node.target.id == "__all__" and node.value:
                yield Lists(_texts(node.value), adds=False)
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id="__all__"), attr=attr), args=[value])):
            listed = ast.List([value]) if attr == "append" else value
            yield Lists(_texts(listed), adds=True)
            return
        case _:
            yield from _uses(part for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr))
            targets = []
    if binds:
        yield from _targets(targets)


def _targets(targets: Sequence[ast.expr]) -> Iterator[Binds]:
    names = tuple(
        node.id
        for target in targets
        for node in ast.walk(target)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    )
    if names:
        yield Binds(names)


def _bound_by(handler: ast.ExceptHandler) -> list[Step]:
    return [Binds((handler.name,))] if handler.name else []


def _outer(node: ast.FunctionDef | ast.AsyncFunctionDef, late: bool) -> Iterator[ast.expr]:
    """The expressions that a definition evaluates at once."""
    yield from node.decorator_list
    arguments = node.args
    yield from arguments.defaults
    yield from (value for value in arguments.kw_defaults if value is not None)
    if not late:
        listed = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
        yield from (argument.annotation for argument in listed if argument is not None and argument.annotation)
        if node.returns is not None:
            yield node.returns


def _uses(nodes: Iterable[ast.expr]) -> Iterator[Step]:
    todo: list[ast.AST] = [*nodes]
    todo.reverse()
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Lambda):
            continue
        if isinstance(node, ast.NamedExpr):
            yield from _uses([node.value])
            yield from _targets([node.target])
            continue
        names: list[str] = []
        inner: ast.AST = node
        while isinstance(inner, ast.Attribute):
            names.append(inner.attr)
            inner = inner.value
        if isinstance(inner, ast.Name):
            if isinstance(inner.ctx, ast.Load):
                yield UsesName((inner.id, *reversed(names)), inner.lineno)
            continue
        todo += list(ast.iter_child_nodes(node))[::-1]


def _texts(value: ast.expr) -> tuple[str, ...] | None:
    """The strings in a list or tuple; None = it has other items."""
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
        left, right = _texts(value.left), _texts(value.right)
        return None if left is None or right is None else left + right
    if not isinstance(value, ast.List | ast.Tuple | ast.Set):
        return None
    found = [part.value for part in value.elts if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    return tuple(found) if len(found) == len(value.elts) else None


def _holds(test: ast.expr) -> bool | None:
    """Whether a condition holds at run time; None = unknown."""
    match test:
        case ast.Name(id=name) | ast.Attribute(attr=name) if name in _TYPE_CHECKING:
            return False
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            inner = _holds(operand)
            return None if inner is None else not inner
        case ast.Constant(value=value):
            return bool(value)
        case ast.BoolOp(op=op, values=values):
            found = [_holds(value) for value in values]
            stop = isinstance(op, ast.Or)
            return stop if stop in found else None if None in found else not stop
        case ast.Compare(left=ast.Name(id="__name__"), comparators=[ast.Constant(value="__main__")]):
            return False
        case ast.Compare(left=left, ops=[op], comparators=[ast.Tuple(elts=elts)]) if _is_version(left):
            parts = [part.value for part in elts if isinstance(part, ast.Constant)]
            if len(parts) == len(elts) and all(isinstance(part, int) for part in parts):
                return _compared(op, tuple(part for part in parts if isinstance(part, int)))
    return None


def _is_version(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "version_info"


def _compared(op: ast.cmpop, wanted: tuple[int, ...]) -> bool | None:
    ours = tuple(sys.version_info[:3])
    match op:
        case ast.GtE():
            return ours >= wanted
        case ast.Gt():
            return ours > wanted
        case ast.Lt():
            return ours < wanted
        case ast.LtE():
            return ours <= wanted
    return None
