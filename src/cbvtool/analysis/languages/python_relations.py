"""From the uses in Python files to relations: which definition each call, base, type and reference means."""

from __future__ import annotations

import array
import ast
import collections
import datetime
import io
import pathlib
import re

from cbvtool.analysis.facts import ALWAYS, ASSIGN, CALL, CREATE, EXACT, GUESS, INHERIT, REFER, RESOLVED, TYPE, Use
from cbvtool.analysis.languages.python_values import Value, World, parsed
from cbvtool.analysis.resolution import CALL as CALLS
from cbvtool.analysis.resolution import INHERIT as INHERITS
from cbvtool.analysis.resolution import INSTANTIATE, REFERENCE, TYPE_USE, Place, Relations

# Members of types that come with Python: a call of one is no sign that a method of the project is meant.
_COMMON = frozenset(
    name
    for kind in (
        str, bytes, bytearray, memoryview, list, dict, set, frozenset, tuple, int, float, complex, property,
        BaseException, array.array, collections.deque, collections.OrderedDict, collections.Counter,
        datetime.datetime, datetime.timedelta, io.TextIOWrapper, io.BytesIO, io.StringIO, pathlib.Path,
        re.Pattern, re.Match, type(_ for _ in ()),
    )
    for name in dir(kind)
) | {
    "acquire", "add_argument", "add_argument_group", "add_parser", "add_subparsers", "communicate", "critical",
    "debug", "error", "exception", "find", "findall", "findtext", "get_nowait", "getroot", "info", "is_alive", "is_set",
    "kill", "log", "notify", "notify_all", "parse_args", "poll", "put", "put_nowait", "qsize", "release", "start",
    "task_done", "terminate", "wait", "warn", "warning",
    "close", "commit", "connect", "cursor", "execute", "executemany", "fetchall", "fetchone", "rollback",
}  # fmt: skip


def relate(world: World, relations: Relations) -> None:
    """Add a relation for every use that is understood."""
    for file, found in world.facts.items():
        for use in found.uses.unpack():
            scope = Place(file, use.scope)
            try:
                targets = targets_of(world, scope, use)
            except RecursionError:  # somebody's endless chain
                targets = []
            for target, kind, confidence in dict.fromkeys(targets):
                relations.add(scope, target, kind, use.line, ALWAYS, confidence)


Target = tuple[Place, str, int]


def targets_of(world: World, scope: Place, use: Use) -> list[Target]:
    """What `use` in `scope` leads to: place, kind of relation, confidence."""
    kind, name = use.kind, use.name
    if kind == CALL:
        values = _raw(world, scope, name, use.line)
        called = _called(world, values, _confidence(world, scope, name, values))
        return _read_before(world, scope, name, use.line) + (called or ([] if values else _guess(world, scope, name)))
    if kind in (INHERIT, TYPE, CREATE):
        outside = world.parent(scope) if kind == INHERIT and scope.definition >= 0 else scope
        values = tuple(value for value in world.read(outside, name, use.line) if value.kind == "class")
        confidence = _confidence(world, outside, name, values)
        relation = {INHERIT: INHERITS, TYPE: TYPE_USE, CREATE: INSTANTIATE}[kind]
        return [(value.place, relation, confidence) for value in values]
    if kind == REFER:
        values = _raw(world, scope, name, use.line)
        confidence = _confidence(world, scope, name, values)
        found = [(value.place, CALLS, confidence) for value in values if value.kind == "property"]
        if _is_named(world, values, name):
            found += [
                (value.place, REFERENCE, confidence) for value in values
                if value.kind in ("function", "method", "class")
            ]  # fmt: skip
        return found
    if kind == ASSIGN and name == "@" and scope.definition >= 0:
        values = world.read(world.parent(scope), use.other, use.line)
        return _called(world, values, _confidence(world, world.parent(scope), use.other, values))
    if kind == ASSIGN and use.other.endswith(")[...]"):
        return _protocol(world, world.read(scope, use.other[:-5], use.line), ("__iter__", "__next__"))
    if kind == ASSIGN and use.other.endswith(").__enter__()"):
        return _protocol(
            world, world.read(scope, use.other[: -len(".__enter__()")], use.line), ("__enter__", "__exit__")
        )
    return []


def _read_before(world: World, scope: Place, name: str, line: int) -> list[Target]:
    """Properties that are read on the way to a member: `b` in `a.b.c`."""
    found: list[Target] = []
    node = parsed(name) if name.count(".") > 1 else None
    while isinstance(node, ast.Attribute | ast.Call | ast.Subscript):
        node = node.func if isinstance(node, ast.Call) else node.value
        if isinstance(node, ast.Attribute):
            found += [
                (value.place, CALLS, RESOLVED)
                for of in world.read(scope, ast.unparse(node.value), line) for value in world.member(of, node.attr)
                if value.kind == "property"
            ]  # fmt: skip
    return found


def _raw(world: World, scope: Place, name: str, line: int) -> tuple[Value, ...]:
    """What `name` may be, a property as itself."""
    head, dot, last = name.rpartition(".")
    if not dot or not last.isidentifier() or not head:
        return world.read(scope, name, line)
    whole = world.read(scope, name, line)
    if all(value.kind in ("module", "class", "function", "method") for value in whole) and whole:
        return whole
    found = [value for of in world.read(scope, head, line) if of.kind != "module" for value in world.member(of, last)]
    return tuple(dict.fromkeys(value for value in found if value.kind == "property")) or whole


def _called(world: World, values: tuple[Value, ...], confidence: int) -> list[Target]:
    found: list[Target] = []
    for value in values:
        if value.kind == "class":
            found.append((value.place, INSTANTIATE, confidence))
        elif value.kind in ("function", "method", "property"):
            found.append((value.place, CALLS, confidence))
        elif value.kind == "object":
            found += [
                (inner.place, CALLS, RESOLVED) for inner in world.member(value, "__call__") if inner.kind == "method"
            ]
    return found


def _protocol(world: World, values: tuple[Value, ...], names: tuple[str, str]) -> list[Target]:
    """What a loop (`__iter__`, then `__next__` of what it gives) or a `with` calls."""
    found: list[Target] = []
    for value in values:
        if value.kind != "object":
            continue
        first = [inner for inner in world.member(value, names[0]) if inner.kind == "method"]
        found += [(inner.place, CALLS, RESOLVED) for inner in first]
        holders = [made for inner in first for made in world.result(inner)] if names[0] == "__iter__" else [value]
        found += [
            (inner.place, CALLS, RESOLVED)
            for holder in dict.fromkeys(holders) if holder.kind == "object"
            for inner in world.member(holder, names[1]) if inner.kind == "method"
        ]  # fmt: skip
    return found


def _is_named(world: World, values: tuple[Value, ...], name: str) -> bool:
    """Whether `name` is what the definitions are called, or were imported as: a variable that holds one is no use."""
    return any(value.place.definition >= 0 for value in values) and "(" not in name


def _confidence(world: World, scope: Place, name: str, values: tuple[Value, ...]) -> int:
    """EXACT when the one definition is named itself, through scopes and imports alone."""
    if len(values) != 1 or values[0].place.definition < 0 or values[0].kind not in ("function", "method", "class"):
        return RESOLVED
    return EXACT if _is_lexical(world, scope, name, values[0].place) else RESOLVED


def _is_lexical(world: World, scope: Place, name: str, target: Place) -> bool:
    """Whether scopes, imports and the bodies of classes alone tell what the dotted `name` is."""
    before, dot, _ = name.rpartition(".")
    if dot:
        return all(
            of.kind == "module" or (of.kind == "class" and world.parent(target) == of.place)
            for of in world.read(scope, before)
        ) and _is_lexical(world, scope, before, target)
    for at in world.around(scope):
        if at != scope and world.is_class(at):
            continue
        if world.binding(at, name) is not None:
            return not world.holds_values(at, name)
    return False


def _guess(world: World, scope: Place, name: str) -> list[Target]:
    """The only method of the project with the name, unless types that come with Python have it, too."""
    head, dot, last = name.rpartition(".")
    places = world.methods.get(last, [])
    if not dot or last in _COMMON or len(places) != 1 or (head and not _may_be_own(world, scope, head)):
        return []
    return [(places[0], CALLS, GUESS)]


def _may_be_own(world: World, scope: Place, head: str) -> bool:
    """Whether nothing tells that `head` is something from outside."""
    node = parsed(head)
    return node is not None and not world.is_outside(scope, node)
