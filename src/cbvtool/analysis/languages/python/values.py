"""Possible values of Python expressions: functions, classes, objects, modules. Nothing is executed.

`python.flow` makes the constraints, `python.propagation` solves them. First, all arguments of functions below the
folder are computed: the callee of each argument is resolved, the argument is passed to it, and so on until nothing new
is found. After that nothing changes any more, so that answers do not depend on the order of the requests.
"""

from __future__ import annotations

import ast
import builtins
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import NamedTuple

import msgspec

from cbvtool.analysis.facts import FileFacts, Import
from cbvtool.analysis.languages.python.classes import Classes
from cbvtool.analysis.languages.python.flow import Flow, Given
from cbvtool.analysis.languages.python.links import Links
from cbvtool.analysis.languages.python.naming import Value, ValueNumbers
from cbvtool.analysis.languages.python.propagation import DIRECT, MOST, UNKNOWN
from cbvtool.analysis.languages.python.scopes import Scope
from cbvtool.analysis.languages.python.texts import is_primary, open_call
from cbvtool.analysis.resolution import Place

Slot = tuple[int, str]  # slot of an argument: its position, or -1 and its keyword
_FIRST = (0, "")


class Known(NamedTuple):
    """A possible value of an expression.

    kind, place  see `Value`
    row          its number in this process
    is_given     whether it comes only by an argument, a registration, or a container that another file fills
    """

    kind: str
    place: Place
    row: int
    is_given: bool


class _Prepared(NamedTuple):
    """Shared data in the form in which it is cached and sent.

    given  (function, name of its parameter, argument). `World._rank_of` replaces the argument's line, so that the data
           stays valid when an edit, such as a further comment, only moves lines
    """

    given: list[tuple[Place, str, list[Given]]]


_prepared_from = msgspec.msgpack.Decoder(_Prepared).decode


class World(Links):
    """Possible values of all expressions in the files."""

    def __init__(
        self,
        facts: Mapping[int, FileFacts],
        modules_of: Callable[[int, Import], tuple[int, ...]],
        children: Callable[[int], Mapping[str, int]],
    ) -> None:
        """Arguments are not passed yet: see `give_arguments`."""
        super().__init__(facts, modules_of, children)
        self.things = ValueNumbers()
        self.classes = Classes(self, self.things)
        self.flow = Flow(self, self.classes, self.things)
        self._known: dict[int, tuple[Known, ...]] = {}
        self._read_before: dict[tuple[Scope, str, int], tuple[Known, ...]] = {}
        self._attributes_before: dict[tuple[int, str], tuple[Known, ...]] = {}
        self._imported: dict[int, set[Place]] = {}
        self._variables: dict[tuple[Place, str], bool] = {}
        self._calls: dict[int, list[tuple[Place, str, int, Slot]]] = defaultdict(list)  # callee's node -> arguments
        self._callees: list[tuple[int, int]] = []  # nodes of `_calls` with a new value
        self._collected: set[int] = set()  # the files whose calls are in `_calls`
        self._assigning: dict[Scope, list[int]] = {}  # scope -> lines with assignments, ascending

    def prepared(self) -> bytes:
        """The arguments of all functions in all files, as bytes for `take`."""
        return self._packed(self.flow.given)

    # -- what functions are given ------------------------------------------------------------------------------

    def give_arguments(self) -> None:
        """Pass the arguments of all calls to the called functions, until that reaches no further function."""
        self.collect(self.facts)
        while data := self.new_arguments():
            self.take(data)

    def take(self, data: bytes) -> bool:
        """Pass the arguments in `data`, from `prepared` or `new_arguments` for the same files; False = unreadable."""
        try:
            found = _prepared_from(data)
        except msgspec.DecodeError:
            return False
        for place, name, given in found.given:
            for scope, text, rank in given:
                self.flow.give(place, name, Given(scope, text, self._line_of(scope, rank)))
        return True

    def _packed(self, given: Mapping[tuple[Place, str], Iterable[Given]]) -> bytes:
        return msgspec.msgpack.encode(
            _Prepared(
                [
                    (place, name, [one._replace(line=self._rank_of(one.scope, one.line)) for one in found])
                    for (place, name), found in given.items()
                ]
            )
        )

    def _rank_of(self, scope: Scope, line: int) -> int:
        """1 + number of lines with assignments in `scope` before `line`, a line from `home`; 0 for 0."""
        return bisect_left(self._lines_assigning(scope), line) + 1 if line else 0

    def _line_of(self, scope: Scope, rank: int) -> int:
        """The line for a rank: the inverse of `_rank_of`."""
        return self._lines_assigning(scope)[rank - 2] + 1 if rank > 1 else rank

    def _lines_assigning(self, scope: Scope) -> list[int]:
        known = self._assigning.get(scope)
        if known is None:
            assigned = self.assigned.get(scope, {})
            known = self._assigning[scope] = sorted({one.line for found in assigned.values() for one in found})
        return known

    def collect(self, files: Iterable[int]) -> None:
        """Resolve the callee of each argument in `files`."""
        flow, calls = self.flow, self._calls
        wanted = set(files) - self._collected
        self._collected |= wanted
        before = set(calls)
        for scope, text, line, call in self.arguments:
            if scope.file in wanted:
                callee, slot = open_call(call)
                if slot and (node := flow.expression(scope, callee, line)):
                    calls[node].append((scope, text, line, slot))
        for place, texts in self.decorators.items():
            # A syntax error may leave an empty decorator.
            for text in texts if place.definition >= 0 and place.file in wanted else ():
                node = flow.expression(self.parent(place), text, 0)
                if node:
                    calls[node].append((place, "", 0, _FIRST))
        for node in calls if wanted else ():
            if node in before:  # with more calls, its known values must be processed again
                self._callees += [(node, value) for value in flow.values[node] if value > UNKNOWN]
            else:
                flow.rule(node, partial(_note, self._callees, node))

    def new_arguments(self) -> bytes:
        """The arguments of collected calls that were not passed yet, as bytes; empty = none.

        They are only returned. Passing them at once would make results depend on the order of requests, because a
        callee with too many values counts as none.
        """
        self.flow.run()
        new = dict.fromkeys(self._callees)
        self._callees.clear()
        found: dict[tuple[Place, str], dict[Given, None]] = defaultdict(dict)
        for node, value in new:
            if value in self.flow.values[node]:  # the node did not get too many values afterwards
                self._find_given(found, self.things[value], self._calls[node])
        return self._packed(found) if found else b""

    def _find_given(
        self,
        found: dict[tuple[Place, str], dict[Given, None]],
        callee: Value,
        arguments: Iterable[tuple[Place, str, int, Slot]],
    ) -> None:
        """Add to `found` the arguments in `arguments` for `callee`, without those that are known."""
        function: Place | None = callee.place
        skipped = int(callee.kind in ("method", "class", "object"))
        if callee.kind in ("class", "object"):
            function = self.classes.method(callee.place, "__init__" if callee.kind == "class" else "__call__")
        elif callee.kind not in ("function", "method"):
            return
        if function is None:
            return
        names = [name for name, _, _ in self.parameters(function)]
        for scope, text, line, (position, name) in arguments:
            if position >= 0:
                name = names[position + skipped] if position + skipped < len(names) else ""
            if name in names and "*" not in name:
                if text:  # equivalent arguments are passed once
                    scope, line = self.home(scope, text, line)
                given = Given(scope, text, line)
                if given not in self.flow.given.get((function, name), ()):
                    found[function, name][given] = None

    # -- answers -----------------------------------------------------------------------------------------------

    def read(self, scope: Scope, text: str, line: int = 0) -> tuple[Known, ...]:
        """Values of the expression `text` in `scope`, at `line`; 0 = at any line."""
        key = scope, text, line
        known = self._read_before.get(key)
        if known is None:
            head, _, last = text.rpartition(".")
            if head and last.isidentifier() and is_primary(head) and not self.flow.imported_dotted(scope.file, text):
                known = self._attributes(self.read(scope, head, line), last, scope.file)
            else:
                known = self._values_of(self.flow.expression(scope, text, line))
            self._read_before[key] = known
        return known

    def _attributes(self, of: tuple[Known, ...], name: str, file: int) -> tuple[Known, ...]:
        """Values of the attribute `name` of all of these values, as seen from `file`."""
        if len(of) == 1 and not of[0].is_given:
            return self._attribute(of[0].row, name)
        found: dict[int, Known] = {}
        for base in of:
            for value in self._attribute(base.row, name):
                if base.is_given and not value.is_given and not self.knows(file, value.place):
                    value = value._replace(is_given=True)
                if value.row not in found or found[value.row].is_given:
                    found[value.row] = value
        return tuple(sorted(found.values())) if len(found) <= MOST else ()

    def knows(self, file: int, place: Place) -> bool:
        """Whether `file` defines the class around `place`, or imports it or its module."""
        own = self.class_around(place)
        if own is None or own.file == file:
            return own is not None
        known = self._imported.get(file)
        if known is None:
            found = [
                value
                for at in self.places[file]
                if at in self.bound
                for name in self.bound[at]
                for value in self.classes.definitions.read(at, name)
            ]
            known = self._imported[file] = {value.place for value in found if value.kind in ("class", "module")}
            for module in self.dotted.get(file, ()):
                known.update(Place(target, -1) for target in self.modules(file, module))
        return own in known or Place(own.file, -1) in known

    def _attribute(self, row: int, name: str) -> tuple[Known, ...]:
        known = self._attributes_before.get((row, name))
        if known is None:
            known = self._attributes_before[row, name] = self._values_of(self.flow.attribute(row, name))
        return known

    def value(self, scope: Scope, node: ast.expr) -> tuple[Known, ...]:
        """Values of an expression."""
        return self._values_of(self.flow.value(scope, 0, node, 0))

    def member(self, of: Known, name: str) -> tuple[Known, ...]:
        """Values of the attribute `name` of a value; a property is returned as itself."""
        return self._values_of(self.flow.member(of.row, name))

    def result(self, of: Known) -> tuple[Known, ...]:
        """Values that calling it may return."""
        node = self.flow.node()
        self.flow.call(None, node, of.row, DIRECT)
        return self._values_of(node)

    def _values_of(self, node: int) -> tuple[Known, ...]:
        known = self._known.get(node)
        if known is None:
            self.flow.run()
            if not self.flow.values[node]:
                self._known[node] = ()
                return ()
            found = [
                (self.things[value], value, plane) for value, plane in self.flow.values[node].items() if value > UNKNOWN
            ]
            if len(found) > 1:
                found.sort()
            known = self._known[node] = tuple(
                Known(value.kind, value.place, row, plane != DIRECT) for value, row, plane in found
            )
        return known

    def is_variable(self, scope: Scope, name: str) -> bool:
        """Whether `name` is only a variable or parameter in `scope`."""
        for at, names in self.visible(scope):
            if name in names:
                held = self.is_parameter(at, name) or (at in self.assigned and name in self.assigned[at])
                return held and not any(at in table and name in table[at] for table in (self.members, self.bound))
        return False

    def holds_values(self, at: Place, name: str) -> bool:
        """Whether `name` in the scope `at` is a variable or parameter, or imported from a variable."""
        known = self._variables.get((at, name))
        if known is None:
            self._variables[at, name] = False  # guards against packages that import themselves
            known = self._variables[at, name] = self._holds_values(at, name)
        return known

    def _holds_values(self, at: Place, name: str) -> bool:
        if at in self.assigned and name in self.assigned[at]:
            return True
        if self.is_parameter(at, name):
            return True
        for statement, original in self.bound[at].get(name, ()) if at in self.bound else ():
            for module in self.modules(at.file, statement.module, statement.level):
                if original and module in self.facts and self.holds_values(Place(module, -1), original):
                    return True
        return False

    def is_outside(self, scope: Scope, node: ast.expr) -> bool:
        """Whether an expression is certainly not of the project: of an imported package, or of a known class."""
        while isinstance(node, ast.Attribute | ast.Call | ast.Subscript | ast.Await):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super":
                return True
            if not isinstance(node, ast.Await) and self.value(scope, node):
                return True
            node = node.func if isinstance(node, ast.Call) else node.value
        if not isinstance(node, ast.Name):
            return True
        if self.value(scope, node):
            return True  # its class is known and does not have the member
        if node.id in self.tops(scope.file) or self._is_builtin(scope, node.id):
            return True
        return any(node.id in self.bound[at] for at in self.around(scope) if at in self.bound)

    def _is_builtin(self, scope: Scope, name: str) -> bool:
        return hasattr(builtins, name) and all(name not in self.names(at) for at in self.around(scope))


def _note(found: list[tuple[int, int]], node: int, value: int, _: int) -> None:
    if value > UNKNOWN:
        found.append((node, value))
