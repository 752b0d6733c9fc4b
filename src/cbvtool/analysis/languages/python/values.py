"""Possible values of Python expressions: functions, classes, objects, modules. Nothing is executed.

`python.flow` makes the constraints, `python.propagation` solves them. First, all arguments of functions below the
folder are computed: the callee of each argument is resolved, the argument is passed to it, and so on until nothing new
is found. After that nothing changes any more, so that answers do not depend on the order of the requests.
"""

from __future__ import annotations

import ast
import builtins
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from functools import partial
from typing import NamedTuple

import msgspec

from cbvtool.analysis.facts import FileFacts, Import
from cbvtool.analysis.languages.python.classes import Classes
from cbvtool.analysis.languages.python.edits import FileOutline, Touch
from cbvtool.analysis.languages.python.flow import Flow, Given
from cbvtool.analysis.languages.python.links import Links
from cbvtool.analysis.languages.python.naming import Value, ValueNumbers
from cbvtool.analysis.languages.python.propagation import DIRECT, GIVEN, MOST, NOTHING, UNKNOWN
from cbvtool.analysis.languages.python.scopes import Scope
from cbvtool.analysis.languages.python.texts import is_primary, open_call
from cbvtool.analysis.resolution import Place

Slot = tuple[int, str]  # slot of an argument: its position, or -1 and its keyword
_FIRST = (0, "")
_FEW = 50_000  # nodes that take no memory and time to speak of
_LARGEST = 0.1  # share of the nodes; with more, and _FEW, to be worked out again, all are worked out anew
_WORD = re.compile(r"[^\W\d]\w*")
_Passed = tuple[tuple[Place, str], Given]  # (function, name of its parameter), argument


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


class _Argument(NamedTuple):
    """An argument of a call: the expression `text`, or with an empty text the decorated definition at `scope`."""

    scope: Scope
    text: str
    line: int
    slot: Slot


class _Prepared(NamedTuple):
    """Shared data in the form in which it is cached and sent.

    given  (function, name of its parameter, argument)
    """

    given: list[tuple[Place, str, list[Given]]]


_prepared_from = msgspec.msgpack.Decoder(_Prepared).decode


class World(Links):
    """Possible values of all expressions in the files."""

    def __init__(
        self,
        facts: Mapping[int, FileFacts],
        imported_files: Callable[[int, Import], tuple[int, ...]],
        children: Callable[[int], Mapping[str, int]],
    ) -> None:
        """Arguments are not passed yet: see `give_arguments`."""
        super().__init__(facts, imported_files, children)
        self.things = ValueNumbers()
        self.classes = Classes(self, self.things)
        self.flow = Flow(self, self.classes, self.things)
        self._known: dict[int, tuple[Known, ...]] = {}
        self._read_before: dict[tuple[Scope, str, int], tuple[Known, ...]] = {}
        self._attributes_before: dict[tuple[int, str], int] = {}
        self._imported: dict[int, set[Place]] = {}
        self._variables: dict[tuple[Place, str], bool] = {}
        self._calls: dict[int, dict[int, dict[_Argument, None]]] = {}  # callee's node -> file -> arguments in it
        self._callees: list[tuple[int, int]] = []  # nodes of `_calls` with a new value
        self._passed: dict[int, dict[int, list[_Passed]]] = {}  # callee's node -> its value -> arguments passed
        self._collected: set[int] = set()  # the files whose calls are in `_calls`
        self._read_by: dict[int, set[int]] = {}  # file -> nodes whose values its relations depend on
        self._reads: set[int] = set()  # those of the file that is read at present
        self._words_in: dict[int, tuple[FileFacts, frozenset[str]]] = {}

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
            for scope, text, line in given:
                self.flow.give(place, name, Given(scope, text, line))
        return True

    def _packed(self, given: Mapping[tuple[Place, str], Iterable[Given]]) -> bytes:
        return msgspec.msgpack.encode(_Prepared([(place, name, list(found)) for (place, name), found in given.items()]))

    def collect(self, files: Iterable[int]) -> None:
        """Resolve the callee of each argument in `files`."""
        flow, calls = self.flow, self._calls
        wanted = set(files) - self._collected
        self._collected |= wanted
        before, more = set(calls), set[int]()

        def note(node: int, argument: _Argument) -> None:
            if node:
                known = calls.setdefault(node, {}).setdefault(argument.scope.file, {})
                if argument not in known:
                    known[argument] = None
                    more.add(node)

        for file in wanted:
            for scope, text, line, call in self.arguments.get(file, ()):
                callee, slot = open_call(call)
                if slot:
                    note(flow.expression(scope, callee, line), _Argument(scope, text, line, slot))
            for place in self.places[file][1:]:
                # A syntax error may leave an empty decorator.
                for text in self.decorators.get(place, ()):
                    note(flow.expression(self.parent(place), text, 0), _Argument(place, "", 0, _FIRST))
        for node in more:
            if node in before:  # with more calls, its known values must be processed again
                self._callees += [(node, value) for value in flow.values[node] if value > UNKNOWN]
            else:
                flow.rule(node, NOTHING, partial(_note, self._callees, node))

    def new_arguments(self, below: int = GIVEN + 1) -> bytes:
        """The arguments of collected calls that were not passed yet, as bytes; empty = none.

        below  only callees that come by a lower plane

        They are only returned. Passing them at once would make results depend on the order of requests, because a
        callee with too many values counts as none.
        """
        self.flow.run()
        new = dict.fromkeys(self._callees)
        self._callees.clear()
        found: dict[tuple[Place, str], dict[Given, None]] = defaultdict(dict)
        for node, value in new:
            plane = self.flow.values[node].get(value, GIVEN + 1)
            if below <= plane <= GIVEN:
                self._callees.append((node, value))
            elif plane <= GIVEN:  # the node did not get too many values afterwards
                passed = self._passed.setdefault(node, {})[value] = list(self._arguments_of(node, self.things[value]))
                for parameter, given in passed:
                    if given not in self.flow.given.get(parameter, ()):
                        found[parameter][given] = None
        return self._packed(found) if found else b""

    def _arguments_of(self, node: int, callee: Value) -> Iterator[_Passed]:
        """The arguments that the calls of `node` pass to `callee`, one of its values."""
        function: Place | None = callee.place
        skipped = int(callee.kind in ("method", "class", "object"))
        if callee.kind in ("class", "object"):
            function = self.classes.method(callee.place, "__init__" if callee.kind == "class" else "__call__")
        elif callee.kind not in ("function", "method"):
            return
        if function is None:
            return
        names = [name for name, _, _ in self.parameters(function)]
        for arguments in self._calls[node].values():
            for scope, text, line, (position, name) in arguments:
                if position >= 0:
                    name = names[position + skipped] if position + skipped < len(names) else ""
                if name in names and "*" not in name:
                    if text:  # equivalent arguments are passed once
                        scope, line = self.home(scope, text, line)
                    yield (function, name), Given(scope, text, line)

    # -- edits -------------------------------------------------------------------------------------------------

    def renew(self, new: Mapping[int, FileFacts]) -> set[int] | None:
        """Let these be the facts of some files; returns the files whose relations may be others than before.

        None = that cannot be said: all must be asked for again, of another `World`. All files must have been collected,
        and the relations of all be known. What the edit touches is forgotten, with all that follows from it, and worked
        out again when somebody asks.
        """
        before = {file: self.outline(file) for file in new}
        classes, properties = self.classes, self.property_names
        self.replace_facts(new)
        self.classes = self.flow.classes = Classes(self, self.things)
        after = {file: self.outline(file) for file in new}
        touch = self._touched(before, after, classes, properties)
        if touch is None:
            return None
        guesses = touch.names | _guessed(before, after, self.methods)
        using = {file for file, found in self.facts.items() if not guesses.isdisjoint(self._words(file, found))}
        following = self.flow.following(self.flow.touched(touch))
        if len(following) > _LARGEST * (len(self.flow.values) - self.flow.forgotten) + _FEW:
            return None
        gone, recollected, saturated = self._forget(following, new.keys())
        self._collected -= touch.files | recollected | using
        self.collect(self.facts)
        for below in (GIVEN, GIVEN + 1):  # as from nothing, where all that is not given comes first
            while data := self.new_arguments(below):
                self.take(data)
        if not self._is_settled(saturated) or 2 * self.flow.forgotten > len(self.flow.values) + _FEW:
            return None
        gone |= self.flow.grown
        for node in gone & self._known.keys():
            del self._known[node]
        for memory in (self._read_before, self._attributes_before, self._imported, self._variables):
            memory.clear()
        return {*touch.files, *using, *(file for file, nodes in self._read_by.items() if not nodes.isdisjoint(gone))}

    def _touched(
        self,
        before: Mapping[int, FileOutline],
        after: Mapping[int, FileOutline],
        classes: Classes,
        properties: AbstractSet[str],
    ) -> Touch | None:
        """What is touched by an edit; None = too much. `classes` and `properties`: those before it."""
        names, places, moved = set(properties ^ self.property_names), set[Place](), dict[Place, Place]()
        for file, one in before.items():
            other = after[file]
            if one.stars != other.stars or (one.exported is None) != (other.exported is None):
                return None
            more, special = one.changed(other)
            names |= more
            places |= {other.places[path] for path in special}
            moved |= one.moved(other)
        files, others = self.classes.differing(classes, before.keys(), moved)
        places |= {place for place in self.classes.known() if not places.isdisjoint(self.classes.order(place))}
        return Touch(files | before.keys(), places | others, self.aliases(names))

    def _forget(self, new: set[int], edited: AbstractSet[int]) -> tuple[set[int], set[int], set[_Argument]]:
        """Forget these nodes, which are all that follow from them, and what was given by them.

        Returns the nodes, the files with calls of what they stand for, and the arguments of those of the calls whose
        callee had too many values.
        """
        flow, files, saturated = self.flow, set[int](), set[_Argument]()
        flow.grown.clear()
        gone = set(new)
        for node, calls in self._calls.items():
            if cut := edited & calls.keys():
                for file in cut:
                    del calls[file]
                for value in self._passed.get(node, ()):
                    self._passed[node][value] = list(self._arguments_of(node, self.things[value]))
        while new:
            for node in new & self._calls.keys():
                calls = self._calls.pop(node)
                files |= calls.keys()
                self._passed.pop(node, None)
                if UNKNOWN in flow.values[node]:
                    saturated.update(one for found in calls.values() for one in found)
            flow.forget(new)
            given: dict[tuple[Place, str], dict[Given, None]] = defaultdict(dict)
            for values in self._passed.values():
                for passed in values.values():
                    for parameter, one in passed:
                        given[parameter][one] = None
            new = flow.following(flow.take_back(given))
            gone |= new
        return gone, files, saturated

    def _is_settled(self, saturated: AbstractSet[_Argument]) -> bool:
        """Whether what is given is what it would be from nothing, where it is passed in rounds (see `new_arguments`).

        That may not be so where a callee gets too many values in a later round. `saturated`: arguments of calls whose
        callee had too many already.
        """
        values = self.flow.values
        return all(known.keys() <= values[node].keys() for node, known in self._passed.items()) and not any(
            values[node].get(UNKNOWN, DIRECT) != DIRECT
            and any(node in self.flow.grown and not found.keys() <= saturated for found in calls.values())
            for node, calls in self._calls.items()
        )

    def _words(self, file: int, found: FileFacts) -> AbstractSet[str]:
        """All words in the expressions in a file."""
        known = self._words_in.get(file)
        if known is None or known[0] is not found:
            words = frozenset(map(sys.intern, _WORD.findall(" ".join(found.uses.names))))
            known = self._words_in[file] = found, words
        return known[1]

    # -- answers -----------------------------------------------------------------------------------------------

    def begin(self, file: int) -> None:
        """From here on, the relations of `file` are asked for."""
        self._reads = self._read_by.setdefault(file, set())

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
        node = self._attributes_before.get((row, name))
        if node is None:
            node = self._attributes_before[row, name] = self.flow.attribute(row, name)
        return self._values_of(node)

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
        self._reads.add(node)
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


def _guessed(
    before: Mapping[int, FileOutline], after: Mapping[int, FileOutline], methods: Mapping[str, list[Place]]
) -> set[str]:
    """Names of methods that are the only one of that name before or after an edit, and not the same one.

    methods  name -> places, after it
    """
    then, now = (
        {name: found for outline in outlines.values() for name, found in outline.methods.items()}
        for outlines in (before, after)
    )
    return {
        name
        for name in then.keys() | now.keys()
        if then.get(name, []) != now.get(name, [])
        and (
            len(found := methods.get(name, [])) == 1
            or len(found) - len(now.get(name, [])) + len(then.get(name, [])) == 1
        )
    }


def _note(found: list[tuple[int, int]], node: int, value: int, _: int) -> None:
    if value > UNKNOWN:
        found.append((node, value))
