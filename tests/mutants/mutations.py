"""Small faults that can be planted in Python source: one change of its syntax tree each, written into its text."""

from __future__ import annotations

import ast
import copy
import random
from collections.abc import Iterator
from typing import NamedTuple

_COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
_ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Div,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitOr,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
_ANY_ORDER = {"min", "max", "minimum", "maximum", "hypot", "logical_and", "logical_or", "isclose"}
_NO_MUTANT = (ast.JoinedStr, ast.Slice, ast.Starred, ast.keyword)  # their text cannot stand in parentheses


class Mutation(NamedTuple):
    """A change of one place: the bytes `start` to `end` of the source become `after`. `line` is 1-based."""

    line: int
    kind: str
    before: str
    after: str
    start: int
    end: int

    def applied(self, source: str) -> str:
        """The source with this fault."""
        data = source.encode()
        return (data[: self.start] + self.after.encode() + data[self.end :]).decode()


class _Site(NamedTuple):
    """A place in the tree: `new` would stand in `field` of `parent` (at `at`, if that is a list)."""

    kind: str
    parent: ast.AST
    field: str
    at: int | None
    new: ast.AST
    anchor: ast.expr | ast.stmt  # the smallest node around the change whose text can be replaced; of the old tree


class Sites:
    """The places of one file where a fault can be planted, in the order of the text.

    Raises SyntaxError for what is no Python.
    """

    def __init__(self, source: str) -> None:
        self._source = source
        self._tree = ast.parse(source)
        self._clean = ast.dump(self._tree)
        self._lines = [0]
        for line in source.encode().splitlines(keepends=True):
            self._lines.append(self._lines[-1] + len(line))
        self._sites = list(_sites(self._tree))
        self.statements = sum(isinstance(node, ast.stmt) for node in ast.walk(self._tree))

    def __len__(self) -> int:
        return len(self._sites)

    def kinds(self) -> list[str]:
        """The kinds of fault that there is a place for, sorted."""
        return sorted({site.kind for site in self._sites})

    def choose(self, chance: random.Random) -> Mutation | None:
        """One of them: first the kind, then the place. None where no text could be made of it."""
        if not self._sites:
            return None
        kind = chance.choice(self.kinds())
        return self._mutation(chance.choice([site for site in self._sites if site.kind == kind]))

    def all(self) -> list[Mutation]:
        """Every fault that a text can be made of."""
        return [found for site in self._sites if (found := self._mutation(site)) is not None]

    def _mutation(self, site: _Site) -> Mutation | None:
        """The change as text. None if the changed text would not be read as exactly the changed tree."""
        held = getattr(site.parent, site.field)
        whole = site.anchor is (held if site.at is None else held[site.at])
        if site.at is None:
            setattr(site.parent, site.field, site.new)
        else:
            setattr(site.parent, site.field, [*held[: site.at], site.new, *held[site.at + 1 :]])
        try:
            after = ast.unparse(site.new if whole else site.anchor)
            wanted = ast.dump(self._tree)
        except ValueError:  # an f-string whose new text would need a backslash
            return None
        finally:
            setattr(site.parent, site.field, held)
        if isinstance(site.anchor, ast.expr):
            after = f"({after})"
        assert site.anchor.end_lineno is not None
        assert site.anchor.end_col_offset is not None
        start = self._lines[site.anchor.lineno - 1] + site.anchor.col_offset
        end = self._lines[site.anchor.end_lineno - 1] + site.anchor.end_col_offset
        before = self._source.encode()[start:end].decode()
        found = Mutation(site.anchor.lineno, site.kind, before, after, start, end)
        try:
            became = ast.dump(ast.parse(found.applied(self._source)))
        except SyntaxError:
            return None
        return found if became == wanted != self._clean else None


def _sites(tree: ast.AST) -> Iterator[_Site]:
    """All places below a node, but for those in what `_skipped` names."""
    yield from _below(tree, None, in_function=False)


def _below(node: ast.AST, text: ast.AST | None, *, in_function: bool) -> Iterator[_Site]:
    """text: the outermost f-string around `node`, whose inner places have no position of their own in Python 3.11."""
    in_function = in_function or isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
    for field, value in ast.iter_fields(node):
        for index, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if not isinstance(child, ast.AST) or _skipped(node, field, child, in_function=in_function):
                continue
            anchor = text or child
            for kind, new, around in _changes(child, in_function=in_function):
                place = text or around or anchor
                if text is not None or not isinstance(place, _NO_MUTANT):
                    assert isinstance(place, (ast.expr, ast.stmt))
                    yield _Site(kind, node, field, index, new, place)
            inner = text or (child if isinstance(child, ast.JoinedStr) else None)
            yield from _below(child, inner, in_function=in_function)


def _skipped(parent: ast.AST, field: str, child: ast.AST, *, in_function: bool) -> bool:
    """Whether nothing in `child` does anything when the program runs, or it only declares or reports something."""
    if field in ("annotation", "returns", "decorator_list", "type_params", "bases", "format_spec"):
        return True
    if isinstance(parent, ast.ClassDef) and field == "keywords":
        return True
    if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):  # docstrings and `...`
        return True
    if isinstance(child, (ast.Import, ast.ImportFrom, ast.Assert)):
        return True
    if isinstance(child, ast.If) and _named(child.test, "TYPE_CHECKING", "__name__", "platform"):
        return True
    if isinstance(child, ast.Expr) and _is_logging(child.value):
        return True
    if isinstance(child, ast.keyword) and child.arg == "strict" and _called(parent) == "zip":
        return True
    if isinstance(child, ast.Compare) and _named(child.left, "platform"):
        return True
    if isinstance(parent, ast.Call) and _called(parent) in ("cast", "TypeVar", "NewType") and field == "args":
        return child is parent.args[0]
    return isinstance(child, ast.Assign) and not in_function and _is_type(child.value)


def _named(node: ast.AST, *names: str) -> bool:
    return any(
        (isinstance(one, ast.Name) and one.id in names) or (isinstance(one, ast.Attribute) and one.attr in names)
        for one in ast.walk(node)
    )


def _called(node: ast.AST) -> str:
    """The last name of what a call calls."""
    if not isinstance(node, ast.Call):
        return ""
    return node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")


def _is_logging(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id.strip("_").lower() in ("log", "logger", "logging")
    )


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes)))


def _is_type(node: ast.expr) -> bool:
    """Whether this reads like `Callable[[int], str | None]`, outside of functions."""
    parts = (ast.Name, ast.Attribute, ast.Subscript, ast.Tuple, ast.List, ast.Constant, ast.BinOp, ast.BitOr, ast.Load)
    shape = isinstance(node, ast.Subscript) or (isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr))
    return shape and all(isinstance(one, parts) for one in ast.walk(node))


def _changes(node: ast.AST, *, in_function: bool) -> Iterator[tuple[str, ast.AST, ast.AST | None]]:
    """(kind, changed node, node whose text is to be replaced, if not this one) for each fault at this very node."""
    if isinstance(node, ast.Compare):
        for at, operator in enumerate(node.ops):
            for other in _COMPARISONS[type(operator)]:
                new = copy.copy(node)
                new.ops = [*node.ops[:at], other(), *node.ops[at + 1 :]]
                yield "comparison", new, None
    elif isinstance(node, (ast.BinOp, ast.AugAssign)) and type(node.op) in _ARITHMETIC:
        if not (isinstance(node, ast.BinOp) and _is_text(node.left)):
            calculated = copy.copy(node)
            calculated.op = _ARITHMETIC[type(node.op)]()
            yield "arithmetic", calculated, None
    elif isinstance(node, ast.BoolOp):
        joined = copy.copy(node)
        joined.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield "and/or", joined, None
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield "not", node.operand, None
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield "arithmetic", node.operand, None
    elif isinstance(node, (ast.If, ast.IfExp, ast.While)) and not isinstance(node.test, (ast.Compare, ast.UnaryOp)):
        turned = copy.copy(node)
        turned.test = ast.UnaryOp(ast.Not(), node.test)
        yield "not", turned, node if isinstance(node, ast.IfExp) else None
    elif isinstance(node, ast.Constant):
        yield from _other_constants(node)
    elif isinstance(node, ast.Call):
        yield from _swapped(node)
    elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
        yield from _other_ends(node)
    if in_function and isinstance(node, ast.stmt):
        yield from _other_statements(node)


def _other_constants(node: ast.Constant) -> Iterator[tuple[str, ast.AST, ast.AST | None]]:
    if isinstance(node.value, bool):
        yield "constant", ast.Constant(not node.value), None
    elif isinstance(node.value, (int, float)):
        for step in (1, -1):
            value = node.value + step
            yield "constant", ast.Constant(value) if value >= 0 else ast.UnaryOp(ast.USub(), ast.Constant(-value)), None


def _swapped(node: ast.Call) -> Iterator[tuple[str, ast.AST, ast.AST | None]]:
    if _called(node) in _ANY_ORDER or any(isinstance(one, ast.Starred) for one in node.args):
        return
    for at, (first, second) in enumerate(zip(node.args, node.args[1:], strict=False)):
        if ast.dump(first) != ast.dump(second):
            new = copy.copy(node)
            new.args = [*node.args[:at], second, first, *node.args[at + 2 :]]
            yield "swapped arguments", new, None


def _other_ends(node: ast.Subscript) -> Iterator[tuple[str, ast.AST, ast.AST | None]]:
    old = node.slice
    assert isinstance(old, ast.Slice)
    for end in ("lower", "upper"):
        if (value := getattr(old, end)) is not None:
            for other in (None, ast.BinOp(value, ast.Add(), ast.Constant(1))):
                new, cut = copy.copy(node), copy.copy(old)
                setattr(cut, end, other)
                new.slice = cut
                yield "slice", new, None


def _other_statements(node: ast.stmt) -> Iterator[tuple[str, ast.AST, ast.AST | None]]:
    """Statements go where what follows still finds its variables; else every test would notice."""
    if isinstance(node, ast.Return) and node.value is not None and not isinstance(node.value, ast.Constant):
        yield "return value", ast.Return(ast.Constant(None)), None
    to_places = isinstance(node, ast.Assign) and all(
        isinstance(target, (ast.Attribute, ast.Subscript)) for target in node.targets
    )
    no_else = isinstance(node, ast.If) and not node.orelse
    acts = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    leaves = isinstance(node, (ast.Raise, ast.Continue, ast.Break)) or (
        isinstance(node, ast.Return) and node.value is None
    )
    if to_places or no_else or acts or leaves or isinstance(node, ast.AugAssign):
        yield "deleted statement", ast.Pass(), None
