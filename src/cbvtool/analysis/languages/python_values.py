"""What Python expressions may be the value of: functions, classes, objects, modules. Nothing is executed.

`python_flow` makes the constraints, `python_propagation` solves them. First everything is worked out that functions are
given below the folder: the callee of each argument is asked for, what is found is given on, and so on until nothing new
is. From then on nothing changes any more, and answers do not depend on the order of the questions.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from typing import NamedTuple

import msgspec

from cbvtool.analysis.facts import FileFacts, Import
from cbvtool.analysis.languages.python_classes import Classes
from cbvtool.analysis.languages.python_flow import Flow, Given
from cbvtool.analysis.languages.python_links import Links
from cbvtool.analysis.languages.python_naming import Value, Values
from cbvtool.analysis.languages.python_propagation import DIRECT, NOTHING, UNKNOWN
from cbvtool.analysis.languages.python_scopes import Scope, is_dotted, parsed
from cbvtool.analysis.resolution import Place

Slot = tuple[int, str]  # of an argument: its position, or -1 and its keyword
_FIRST = (0, "")


class Known(NamedTuple):
    """A value that an expression may be.

    kind, place  see `Value`
    row          its number in this process
    is_given     it comes only by an argument, a registration, or a container that another file fills
    """

    kind: str
    place: Place
    row: int
    is_given: bool


class _Prepared(NamedTuple):
    given: list[tuple[Place, str, list[Given]]]


_prepared_from = msgspec.msgpack.Decoder(_Prepared).decode


class World(Links):
    """What everything may be."""

    def __init__(
        self, facts: Mapping[int, FileFacts],
        modules_of: Callable[[int, Import], tuple[int, ...]],
        children: Callable[[int], Mapping[str, int]],
        prepared: bytes = b"",
    ) -> None:  # fmt: skip
        """`prepared`: what another one of the same told in `prepared`."""
        super().__init__(facts, modules_of, children)
        self.things = Values()
        self.classes = Classes(self, self.things)
        self.flow = Flow(self, self.classes, self.things)
        self._known: dict[int, tuple[Known, ...]] = {}
        self._variables: dict[tuple[Place, str], bool] = {}
        if not (prepared and self._take(prepared)):
            self._give_arguments()

    def prepared(self) -> bytes:
        """What took longest to work out of all files together."""
        given = [(place, name, list(found)) for (place, name), found in self.flow.given.items()]
        return msgspec.msgpack.encode(_Prepared(given))

    def _take(self, prepared: bytes) -> bool:
        """Whether it can be read."""
        try:
            found = _prepared_from(prepared)
        except msgspec.DecodeError:
            return False
        for place, name, given in found.given:
            self.flow.given[place, name] = dict.fromkeys(given)
        return True

    # -- what functions are given ------------------------------------------------------------------------------

    def _give_arguments(self) -> None:
        """Give functions what they are called with, until that leads to no other function."""
        flow = self.flow
        calls: dict[int, dict[tuple[Slot, Given], None]] = defaultdict(dict)
        for (scope, text, line), call in self.arguments:
            callee = _callee(call)
            node = flow.expression(scope, callee, line) if callee else NOTHING
            if node and (slot := _slot_of(call, text)):
                calls[node][slot, Given(scope, text, line)] = None
        for place, texts in self.decorators.items():
            for text in texts if place.definition >= 0 else ():  # a syntax error may leave one of nothing
                node = flow.expression(self.parent(place), text, 0)
                if node:
                    calls[node][_FIRST, Given(place, "", 0)] = None
        found: list[tuple[int, int]] = []
        for node in calls:
            flow.rule(node, partial(_note, found, node))
        flow.run()
        while found:
            new = list(dict.fromkeys(found))
            found.clear()
            for node, value in new:
                if value in flow.values[node]:  # there were not too many in the end
                    self._give(self.things[value], calls[node])
            flow.run()

    def _give(self, callee: Value, arguments: Mapping[tuple[Slot, Given], None]) -> None:
        function: Place | None = callee.place
        skipped = int(callee.kind in ("method", "class", "object"))
        if callee.kind in ("class", "object"):
            function = self.classes.method(callee.place, "__init__" if callee.kind == "class" else "__call__")
        elif callee.kind not in ("function", "method"):
            return
        if function is None:
            return
        names = [name for name, _, _ in self.parameters(function)]
        for (position, keyword), given in arguments:
            if position < 0:
                if keyword in names:
                    self._give_to(function, keyword, given)
            elif position + skipped < len(names) and "*" not in names[position + skipped]:
                self._give_to(function, names[position + skipped], given)

    def _give_to(self, function: Place, name: str, given: Given) -> None:
        """Expressions that mean the same are given once."""
        if given.text:
            home, since = self.home(given.scope, given.text, given.line)
            given = Given(home, given.text, since)
        self.flow.give(function, name, given)

    # -- answers -----------------------------------------------------------------------------------------------

    def read(self, scope: Scope, text: str, line: int = 0) -> tuple[Known, ...]:
        """What the expression `text` may be in `scope`, at `line` of it; 0 = at any."""
        return self._values_of(self.flow.expression(scope, text, line))

    def value(self, scope: Scope, node: ast.expr) -> tuple[Known, ...]:
        """What an expression may be."""
        return self._values_of(self.flow.value(scope, 0, node, 0))

    def member(self, of: Known, name: str) -> tuple[Known, ...]:
        """What the attribute `name` of a value may be, a property itself."""
        return self._values_of(self.flow.member(of.row, name))

    def result(self, of: Known) -> tuple[Known, ...]:
        """What calling it may give."""
        node = self.flow.node()
        self.flow.call(None, node, of.row, DIRECT)
        return self._values_of(node)

    def _values_of(self, node: int) -> tuple[Known, ...]:
        known = self._known.get(node)
        if known is None:
            self.flow.run()
            found = [
                (self.things[value], value, plane)
                for value, plane in self.flow.values[node].items() if value > UNKNOWN
            ]  # fmt: skip
            if len(found) > 1:
                found.sort()
            known = self._known[node] = tuple(
                Known(value.kind, value.place, row, plane != DIRECT) for value, row, plane in found
            )
        return known

    def is_variable(self, scope: Scope, name: str) -> bool:
        """Whether `name` is a variable or parameter in `scope`, and nothing else."""
        for at, names in self.visible(scope):
            if name in names:
                held = self.is_parameter(at, name) or (at in self.assigned and name in self.assigned[at])
                return held and not any(at in table and name in table[at] for table in (self.members, self.bound))
        return False

    def holds_values(self, at: Place, name: str) -> bool:
        """Whether `name` is a variable, or imported as one, in the scope `at`."""
        known = self._variables.get((at, name))
        if known is None:
            self._variables[at, name] = False  # a package may import itself
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
        """Whether an expression certainly is nothing of the project: of an imported package, or of an own class."""
        while isinstance(node, ast.Attribute | ast.Call | ast.Subscript | ast.Await):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super":
                return True
            if not isinstance(node, ast.Await) and self.value(scope, node):
                return True
            node = node.func if isinstance(node, ast.Call) else node.value
        if not isinstance(node, ast.Name):
            return True
        if self.value(scope, node):
            return True  # what it is is known, and does not have the member
        if node.id in self.tops(scope.file) or self._is_builtin(scope, node.id):
            return True
        return any(node.id in self.bound[at] for at in self.around(scope) if at in self.bound)

    def _is_builtin(self, scope: Scope, name: str) -> bool:
        return hasattr(builtins, name) and all(name not in self.names(at) for at in self.around(scope))


def _note(found: list[tuple[int, int]], node: int, value: int, _: int) -> None:
    if value > UNKNOWN:
        found.append((node, value))


def _callee(text: str) -> str:
    """The name in `text`, a call from its name to an argument."""
    name = text.partition("(")[0]
    return name if ")" not in text and (name.isidentifier() or is_dotted(name)) else _called_in(text)


@lru_cache(1 << 14)
def _called_in(text: str) -> str:
    node = parsed(f"{text}_)")
    try:
        return ast.unparse(node.func) if isinstance(node, ast.Call) else ""
    except RecursionError:  # a sum of thousands
        return ""


def _slot_of(text: str, argument: str) -> Slot | None:
    """Where in the call that begins with `text` the next argument stands, `argument`, as if it were its last one."""
    if text[-1] == "(" and text[:-1].isidentifier():
        return _FIRST
    return _slot_in(text, argument)


@lru_cache(1 << 16)
def _slot_in(text: str, argument: str) -> Slot | None:
    """Where in the call that begins with `text` the next argument stands, `argument`, as if it were its last one."""
    if is_dotted(argument) and (plain := _PLAIN_CALL.fullmatch(text)):
        return (-1, plain[1]) if plain[1] else (text.count(","), "")
    node = parsed(f"{text}{argument})")
    if not isinstance(node, ast.Call) or any(isinstance(argument, ast.Starred) for argument in node.args):
        return None
    last = node.keywords[-1].value if node.keywords else node.args[-1] if node.args else None
    try:
        if last is None or ast.unparse(last) != argument:
            return None
    except RecursionError:
        return None
    return (-1, node.keywords[-1].arg or "") if node.keywords else (len(node.args) - 1, "")


_WORD = r"[^\W\d]\w*"
_PLAIN_CALL = re.compile(rf"{_WORD}(?:\.{_WORD})*\((?:(?:{_WORD}(?:\.{_WORD})*|\d+), *)*(?:({_WORD})=)?")
