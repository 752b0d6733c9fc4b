"""From the uses in Python files to relations: the definition behind each call, base, type and reference."""

from __future__ import annotations

import array
import collections
import datetime
import io
import pathlib
import re
from collections.abc import Iterable

from cbvtool.analysis.facts import ALWAYS, ASSIGN, CALL, CREATE, DECLARE, EXACT, GUESS, INHERIT, REFER, RESOLVED, TYPE
from cbvtool.analysis.languages.python.classes import Classes
from cbvtool.analysis.languages.python.links import Links
from cbvtool.analysis.languages.python.texts import is_dotted, last_step, parsed, words_of
from cbvtool.analysis.languages.python.values import Known, World
from cbvtool.analysis.resolution import CALL as CALLS
from cbvtool.analysis.resolution import CALLS_BACK, INSTANTIATE, REFERENCE, TYPE_USE, Place, Relations, rows_of
from cbvtool.analysis.resolution import INHERIT as INHERITS

# Members of built-in types: a call of one does not suggest a method of the project.
_COMMON = frozenset(
    name
    for kind in (
        str,
        bytes,
        bytearray,
        memoryview,
        list,
        dict,
        set,
        frozenset,
        tuple,
        int,
        float,
        complex,
        property,
        BaseException,
        array.array,
        collections.deque,
        collections.OrderedDict,
        collections.Counter,
        datetime.datetime,
        datetime.timedelta,
        io.TextIOWrapper,
        io.BytesIO,
        io.StringIO,
        pathlib.Path,
        re.Pattern,
        re.Match,
        type(_ for _ in ()),
    )
    for name in dir(kind)
) | {
    "acquire",
    "add_argument",
    "add_argument_group",
    "add_parser",
    "add_subparsers",
    "communicate",
    "critical",
    "debug",
    "error",
    "exception",
    "find",
    "findall",
    "findtext",
    "get_nowait",
    "getroot",
    "info",
    "is_alive",
    "is_set",
    "kill",
    "log",
    "notify",
    "notify_all",
    "parse_args",
    "poll",
    "put",
    "put_nowait",
    "qsize",
    "release",
    "start",
    "task_done",
    "terminate",
    "wait",
    "warn",
    "warning",
    "close",
    "commit",
    "connect",
    "cursor",
    "execute",
    "executemany",
    "fetchall",
    "fetchone",
    "rollback",
}


# Further kinds of uses, for uses that ASSIGN rows imply.
_DECORATE, _LOOP, _ENTER, _ENTER_ASYNC = range(-4, 0)
_NAMED = {INHERIT: INHERITS, TYPE: TYPE_USE, CREATE: INSTANTIATE}

_WITH_PROPERTIES = ("object", "class", "super")

# Most targets of one use; more would mean nothing. Objects of many classes may inherit the same method.
MOST_TARGETS = 12

Target = tuple[Place, str, int]  # (place, kind of relation, confidence)


def relate(world: World, files: Iterable[int]) -> Relations:
    """A relation for every use in `files` that can be resolved; independent of earlier calls."""
    relations = Relations()
    for file in files:
        world.begin(file)
        _relate(world, file, relations)
    return relations


def inheritance(links: Links, classes: Classes) -> Relations:
    """Inheritance between classes, as far as names alone show it."""
    relations = Relations()
    for file, found in links.facts.items():
        places = links.places[file]
        for row, _, text, _, line in rows_of(found.uses, (INHERIT,)):
            if row < 0:
                continue
            for value in classes.definitions.read(links.parent(places[row + 1]), text):
                if value.kind == "class":
                    relations.add(places[row + 1], value.place, INHERITS, line, ALWAYS, RESOLVED)
    return relations


def _relate(world: World, file: int, relations: Relations) -> None:
    places = world.places[file]
    known: dict[tuple[Place, int, str, int], list[Target]] = {}
    at_once: dict[tuple[int, int, str], list[Target]] = {}  # cache for uses whose meaning does not depend on the line
    homes: dict[tuple[int, str], tuple[Place, bool]] = {}
    for row, kind, text, other, line in rows_of(world.facts[file].uses):
        if kind == ASSIGN:
            kind, text = _done(text, other)
            if not text:
                continue
        elif kind == DECLARE:
            continue
        targets = at_once.get((row, kind, text))
        if targets is None:
            scope, since = places[row + 1], 0
            if kind in (INHERIT, _DECORATE) and row >= 0:
                scope = world.parent(scope)
            if is_dotted(text):
                head = text.partition(".")[0]
                found = homes.get((scope.definition, head))
                if found is None:
                    found = homes[scope.definition, head] = world.home_of(scope, head)
                home, is_several = found
                if is_several:
                    home, since = world.home(scope, text, world.order_of(file, line))
            else:
                home, since = world.home(scope, text, world.order_of(file, line))
            targets = known.get((home, kind, text, since))
            if targets is None:
                targets = known[home, kind, text, since] = targets_of(world, home, kind, text, since)
            if not since:
                at_once[row, kind, text] = targets
        for target, relation, confidence in targets:
            relations.add((file, row), target, relation, line, ALWAYS, confidence)


def _done(name: str, value: str) -> tuple[int, str]:
    """(kind of use, expression) that an ASSIGN row `name`, `value` implies; an empty expression = none."""
    if name == "@":
        return _DECORATE, value
    if value.endswith(")[...]"):
        return _LOOP, value.removesuffix("[...]")
    for kind, method in ((_ENTER, "__enter__"), (_ENTER_ASYNC, "__aenter__")):
        if value.endswith(f").{method}()"):
            return kind, value.removesuffix(f".{method}()")
    return ASSIGN, ""


def targets_of(world: World, scope: Place, kind: int, text: str, line: int) -> list[Target]:
    """The targets of the use of the expression `text` at `line` of `scope`."""
    try:
        return list(dict.fromkeys(_targets(world, scope, kind, text, line)))
    except RecursionError:  # an extremely long chain
        return []


def _targets(world: World, scope: Place, kind: int, text: str, line: int) -> list[Target]:
    if kind == REFER and text.isidentifier() and world.is_variable(scope, text):
        return []  # its value is already related where it is assigned
    values = world.read(scope, text, line)
    if kind == CALL:
        found = _properties(world, scope, text, line)
        if values:
            return found + _few(_called(world, values, _confidence(world, scope, text, values)))
        return found or _guess(world, scope, text)
    if kind == REFER:
        found = _properties(world, scope, text, line, last=True)
        if not found and _is_named(values, text):
            confidence = _confidence(world, scope, text, values)
            found = [
                (value.place, _kind(value.is_given, REFERENCE), confidence)
                for value in values
                if value.kind in ("function", "method", "class")
            ]
        return _few(found)
    if not values:
        return []
    if kind == _LOOP:
        return _few(_protocol(world, values, ("__iter__", "__next__")))
    if kind == _ENTER:
        return _few(_protocol(world, values, ("__enter__", "__exit__")))
    if kind == _ENTER_ASYNC:
        return _few(_protocol(world, values, ("__aenter__", "__aexit__")))
    if kind == _DECORATE:
        return _few(_called(world, values, _confidence(world, scope, text, values)))
    classes = tuple(value for value in values if value.kind == "class")
    confidence = _confidence(world, scope, text, classes)
    return _few([(value.place, _NAMED[kind], confidence) for value in classes])


def _few(found: list[Target]) -> list[Target]:
    """The targets of one use, or none if there are too many."""
    return found if len(found) <= MOST_TARGETS or len(set(found)) <= MOST_TARGETS else []


def _properties(world: World, scope: Place, name: str, line: int, last: bool = False) -> list[Target]:
    """Properties that an expression reads to get a member, or only the last one: `b` and `c` in `a.b.c`."""
    found: list[Target] = []
    parts = name.split(".") if is_dotted(name) else words_of(name)
    if world.property_names.isdisjoint(parts):
        return found
    rest = name
    while rest:
        rest, member = last_step(rest)
        if member in world.property_names:
            found += _few(
                [
                    (value.place, _kind(value.is_given or is_strange), RESOLVED)
                    for of in world.read(scope, rest, line)
                    if of.kind in _WITH_PROPERTIES
                    for value in world.member(of, member)
                    if value.kind == "property"
                    for is_strange in [of.is_given and not world.knows(scope.file, value.place)]
                ]
            )
        if last:
            break
    return found


def _kind(is_given: bool, kind: str = CALLS) -> str:
    """The kind of a relation to a target that the source may not know (`is_given`)."""
    return CALLS_BACK if is_given else kind


def _called(world: World, values: tuple[Known, ...], confidence: int) -> list[Target]:
    found: list[Target] = []
    for value in values:
        if value.kind == "class":
            found.append((value.place, _kind(value.is_given, INSTANTIATE), confidence))
        elif value.kind in ("function", "method", "property"):
            found.append((value.place, _kind(value.is_given), confidence))
        elif value.kind == "object":
            found += _methods(world, value, "__call__", value.is_given)
    return found


def _methods(world: World, of: Known, name: str, is_given: bool) -> list[Target]:
    """The method that is called on an object implicitly, without naming it."""
    return [
        (inner.place, _kind(is_given or inner.is_given), RESOLVED)
        for inner in world.member(of, name)
        if inner.kind == "method"
    ]


def _protocol(world: World, values: tuple[Known, ...], names: tuple[str, str]) -> list[Target]:
    """The methods called by a loop (`__iter__`, then `__next__` of its result) or by a `with`."""
    found: list[Target] = []
    for value in values:
        if value.kind != "object":
            continue
        found += _methods(world, value, names[0], value.is_given)
        holders = [value]
        if names[0] == "__iter__":
            first = [inner for inner in world.member(value, names[0]) if inner.kind == "method"]
            holders = [made for inner in first for made in world.result(inner)]
        for holder in dict.fromkeys(holders):
            if holder.kind == "object":
                found += _methods(world, holder, names[1], value.is_given or holder.is_given)
    return found


def _is_named(values: tuple[Known, ...], name: str) -> bool:
    """Whether the definitions have, or were imported under, the name `name`; a variable that holds one is not a use."""
    return any(value.place.definition >= 0 for value in values) and "(" not in name


def _confidence(world: World, scope: Place, name: str, values: tuple[Known, ...]) -> int:
    """EXACT if scopes and imports alone lead from the name to its only definition."""
    if len(values) != 1 or values[0].place.definition < 0 or values[0].kind not in ("function", "method", "class"):
        return RESOLVED
    return EXACT if is_dotted(name) and _is_lexical(world, scope, name, values[0].place) else RESOLVED


def _is_lexical(world: World, scope: Place, name: str, target: Place) -> bool:
    """Whether scopes, imports and class bodies alone resolve the dotted `name`."""
    before, dot, _ = name.rpartition(".")
    if dot:
        return all(
            of.kind == "module" or (of.kind == "class" and world.parent(target) == of.place)
            for of in world.read(scope, before)
        ) and _is_lexical(world, scope, before, target)
    for at, names in world.visible(scope):
        if name in names:
            return not world.holds_values(at, name)
    return False


def _guess(world: World, scope: Place, name: str) -> list[Target]:
    """The only method of the project with that name, unless built-in types have it, too."""
    head, dot, last = name.rpartition(".")
    places = world.methods.get(last, [])
    if not dot or last in _COMMON or len(places) != 1 or (head and not _may_be_own(world, scope, head)):
        return []
    return [(places[0], CALLS, GUESS)]


def _may_be_own(world: World, scope: Place, head: str) -> bool:
    """Whether `head` is not known to be external."""
    node = parsed(head)
    return node is not None and not world.is_outside(scope, node)
