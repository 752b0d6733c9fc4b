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
from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from functools import cached_property, lru_cache, partial
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
        calls: dict[int, list[tuple[Given, str]]] = defaultdict(list)
        for written, call in self.arguments:
            callee, _ = _plain(call)
            node = flow.expression(written.scope, callee, written.line) if callee else NOTHING
            if node:
                calls[node].append((Given(*written), call))
        for place, texts in self.decorators.items():
            for text in texts if place.definition >= 0 else ():  # a syntax error may leave one of nothing
                node = flow.expression(self.parent(place), text, 0)
                if node:
                    calls[node].append((Given(place, "", 0), ""))
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

    def _give(self, callee: Value, arguments: Iterable[tuple[Given, str]]) -> None:
        function: Place | None = callee.place
        skipped = int(callee.kind in ("method", "class", "object"))
        if callee.kind in ("class", "object"):
            function = self.classes.method(callee.place, "__init__" if callee.kind == "class" else "__call__")
        elif callee.kind not in ("function", "method"):
            return
        if function is None:
            return
        names = [name for name, _, _ in self.parameters(function)]
        for given, call in arguments:
            slot = _slot_of(call, given.text) if call else _FIRST
            if slot is None:
                continue
            position, keyword = slot
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
            if not self.flow.values[node]:
                self._known[node] = ()
                return ()
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

    @cached_property
    def property_names(self) -> AbstractSet[str]:
        """The names of all properties."""
        return {self.definition(place).name for place in self.decorators if place.definition >= 0 and self.is_property(place)}

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


@lru_cache(1 << 16)
def _plain(text: str) -> tuple[str, Slot | None]:
    """The name in `text`, a call from its name to an argument, and the argument's slot if that is sure."""
    name = text.partition("(")[0]
    if ")" not in text and is_dotted(name):
        plain = _PLAIN_CALL.fullmatch(text)
        return name, plain and ((-1, plain[1]) if plain[1] else (text.count(","), ""))
    node = parsed(f"{text}_)")
    try:
        return ast.unparse(node.func) if isinstance(node, ast.Call) else "", None
    except RecursionError:  # a sum of thousands
        return "", None


def _slot_of(text: str, argument: str) -> Slot | None:
    """Where in the call that begins with `text` the next argument stands, `argument`, as if it were its last one."""
    slot = _plain(text)[1]
    return slot if slot and is_dotted(argument) else _slot_in(text, argument)


@lru_cache(1 << 16)
def _slot_in(text: str, argument: str) -> Slot | None:
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
