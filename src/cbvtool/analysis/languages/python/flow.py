"""Constraints of Python expressions: what variables, attributes, results and containers may hold.

A variable may hold whatever is assigned to it in its scope; if it is read in that scope, only assignments that can
reach the line. A parameter may hold the arguments of calls below the folder. A result is what the function returns,
with parameters replaced by the call's arguments. Annotations take precedence. Attributes follow the method resolution
order.
"""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from functools import cached_property, partial
from typing import NamedTuple

from cbvtool.analysis.languages.python.classes import Classes, dotted_of
from cbvtool.analysis.languages.python.edits import Touch, take_out
from cbvtool.analysis.languages.python.links import Links
from cbvtool.analysis.languages.python.naming import BY_PLANE, Naming, ValueNumbers
from cbvtool.analysis.languages.python.propagation import (
    AS_GIVEN,
    NOT_DIRECT,
    NOTHING,
    RETURN,
    RETURN_GIVEN,
    RETURN_NOT_DIRECT,
    SAME,
    STORE,
    UNKNOWN,
)
from cbvtool.analysis.languages.python.scopes import Scope, line_of
from cbvtool.analysis.languages.python.texts import element_of, is_arithmetic, is_primary, parsed, single_call, start_of
from cbvtool.analysis.resolution import Place

_DEEPEST = 100  # nesting of expressions
_LONGEST_PATH = 2  # steps from a parameter to a result
_RETURNS = (RETURN, RETURN_NOT_DIRECT, RETURN_GIVEN)
_CLASS_METHODS = ("classmethod", "__new__", "__init_subclass__", "__class_getitem__")
_TAKING_OUT = frozenset({"get", "pop", "setdefault", "popleft", "popitem", "__enter__", "__next__", "__aenter__"})
_WHOLE = frozenset({"values", "copy"})
_CONTAINERS = frozenset({"box", "boxed", "results"})
_SPECIAL = frozenset(
    {
        "super",
        "type",
        "next",
        "cast",
        "partial",
        "list",
        "tuple",
        "set",
        "frozenset",
        "sorted",
        "reversed",
        "iter",
        "dict",
    }
)


Making = Callable[[int, int, int], None]  # called with a node, a value and its plane


class Given(NamedTuple):
    """An argument for a parameter: an expression, or with an empty text the definition at `scope`."""

    scope: Scope
    text: str
    line: int


class ParameterSymbol(NamedTuple):
    """A placeholder for a parameter, or for what a path of attributes and (empty) calls reaches from it."""

    place: Place
    name: str
    path: tuple[str, ...]


class Box(NamedTuple):
    """A container literal written in `scope`."""

    scope: Scope
    line: int
    node: ast.expr


class Flow(Naming):
    """Constraint nodes for the requested expressions, and for everything that they depend on.

    given  arguments by function and name of parameter
    """

    def __init__(self, links: Links, classes: Classes, things: ValueNumbers) -> None:
        super().__init__(links, things)
        self.classes = classes
        self.given: dict[tuple[Place, str], dict[Given, None]] = defaultdict(dict)
        self._parameters: dict[tuple[Place, str], int] = {}  # nodes of parameters
        self._taking_what_is_given: set[tuple[Place, str]] = set()  # parameters known by their arguments only
        self._symbols: list[ParameterSymbol] = []  # placeholders of parameters, as values -1, -2, ...
        self._symbol_rows: dict[ParameterSymbol, int] = {}
        self._boxes: list[Box] = []
        self._giving_back: dict[Place, bool] = {}
        self._texts: dict[tuple[Scope, str, int], int] = {}
        self._made: dict[tuple[Scope, int, int], tuple[int, ast.expr]] = {}

    def touched(self, by: Touch) -> set[int]:
        """See `Naming`."""
        self.__dict__.pop("_having", None)
        take_out(self._giving_back, by.is_place)
        found = super().touched(by)
        found |= take_out(self._parameters, lambda key: by.is_place(key[0]))
        found |= take_out(self._texts, lambda key: by.is_place(key[0]) or by.is_in_text(key[1]))
        made = [key for key, (_, node) in self._made.items() if by.is_place(key[0]) or by.is_in_tree(node)]
        return found | {self._made.pop(key)[0] for key in made}

    def touched_values(self, by: Touch) -> set[int]:
        """See `Naming`."""
        symbols = (-row for row, symbol in enumerate(self._symbols, 1) if by.is_place(symbol.place))
        return super().touched_values(by).union(symbols)

    def forget(self, nodes: AbstractSet[int]) -> None:
        """See `Propagation`."""
        super().forget(nodes)
        self._texts = {key: node for key, node in self._texts.items() if node not in nodes}
        self._made = {key: made for key, made in self._made.items() if made[0] not in nodes}
        self._parameters = {key: node for key, node in self._parameters.items() if node not in nodes}
        self._taking_what_is_given &= self._parameters.keys()

    def take_back(self, given: Mapping[tuple[Place, str], Mapping[Given, None]]) -> set[int]:
        """Let `given` be all arguments. Returns the nodes of the parameters that have lost some."""
        before, self.given = self.given, defaultdict(dict, {key: dict(found) for key, found in given.items()})
        return {
            self._parameters[key]
            for key, found in before.items()
            if key in self._parameters and not found.keys() <= self.given.get(key, {}).keys()
        }

    # -- names -------------------------------------------------------------------------------------------------

    def bound(self, at: Place, name: str, line: int) -> int:
        """Values of a name bound directly in `at`, at `line`; 0 = at any line."""
        links = self.links
        if line and name in links.several.get(at, ()) and not self._declared(at, name):
            end = bisect_left(links.assigned[at][name], line, key=line_of)
            if end:
                return self.known(self._reaching, at, name, end)
        return self.binding(at, name)

    def _declared(self, at: Place, name: str) -> tuple[int, ...]:
        declared = self.links.declared[at].get(name) if at in self.links.declared else None
        return self.classes.types(at, declared) if declared else ()

    def _binding(self, node: int, at: Place, name: str) -> None:
        if typed := self._declared(at, name):
            for value in typed:
                self.add(node, value)
            return
        self._unassigned(node, at, name)
        for text, line, _ in self.links.assigned[at].get(name, ()) if at in self.links.assigned else ():
            self.edge(self.expression(at, text, line), node)

    def _unassigned(self, node: int, at: Place, name: str) -> None:
        """Add the values of a name that do not come from assignments."""
        self.add_defined(node, at, name)
        if self.links.is_parameter(at, name):
            self.edge(self.parameter(at, name), node)

    def _reaching(self, node: int, at: Place, name: str, end: int) -> None:
        """Add the values of a name after its first `end` assignments. Loops are not followed."""
        text, line, always = self.links.assigned[at][name][end - 1]
        self.edge(self.expression(at, text, line), node)
        if always or end == 1:
            self.edge(self.known(self._unassigned, at, name), node)
        else:
            self.edge(self.known(self._reaching, at, name, end - 1), node)

    def parameter(self, place: Place, name: str) -> int:
        """Values of a parameter of the function at `place`."""
        node = self._parameters.get((place, name))
        if node is None:
            node = self._parameters[place, name] = self.node()
            self.later(self._parameter, node, place, name)
        return node

    def _parameter(self, node: int, place: Place, name: str) -> None:
        links = self.links
        outside = links.parent(place)
        for row, (word, annotation, default) in enumerate(links.parameters(place)):
            if word != name:
                continue
            if row == 0 and links.is_class(outside) and not links.is_decorated(place, "staticmethod"):
                of_class = links.is_decorated(place, "classmethod") or links.definition(place).name in _CLASS_METHODS
                self.add(node, self.things.number("class" if of_class else "object", outside))
                return
            if annotation and (typed := self.classes.types(outside, annotation)):
                for value in typed:
                    self.add(node, value)
                return
            if default:
                self.edge(self.expression(outside, default, 0), node)
            if self._gives_back(place):
                self.add(node, self._symbol(ParameterSymbol(place, name, ())))
            self._taking_what_is_given.add((place, name))
            for given in self.given.get((place, name), ()):
                self._give(node, given)
            return

    def _symbol(self, symbol: ParameterSymbol) -> int:
        known = self._symbol_rows.get(symbol)
        if known is None:
            self._symbols.append(symbol)
            known = self._symbol_rows[symbol] = -len(self._symbols)
        return known

    def follow(self, node: int, symbol: int, name: str) -> None:
        """Add values one step beyond a parameter: an attribute, or with an empty name a call."""
        place, parameter, path = self._symbols[-symbol - 1]
        if len(path) < _LONGEST_PATH:
            self.add(node, self._symbol(ParameterSymbol(place, parameter, (*path, name))))

    def _give(self, node: int, given: Given) -> None:
        if given.text:
            self.edge(self.expression(*given), node, AS_GIVEN)
        else:
            kind = "class" if self.links.is_class(given.scope) else "function"
            self.edge(self.constant(kind, given.scope), node, AS_GIVEN)

    def give(self, place: Place, name: str, given: Given) -> None:
        """Add an argument for a parameter; it may come after the parameter was asked for."""
        known = self.given[place, name]
        if given not in known:
            known[given] = None
            if (place, name) in self._taking_what_is_given:
                self._give(self._parameters[place, name], given)

    def _gives_back(self, place: Place) -> bool:
        """Whether the function's result may depend on its parameters."""
        known = self._giving_back.get(place)
        if known is None:
            links = self.links
            words = links.returned(place) if place in links.results or place in links.yielded else ()
            known = bool(words) and any(name in words for name, _, _ in links.parameters(place))
            self._giving_back[place] = known
        return known

    # -- expressions -------------------------------------------------------------------------------------------

    def expression(self, scope: Scope, text: str, line: int) -> int:
        """Values of the expression `text` in `scope`, at `line`; 0 = at any line."""
        if text.isidentifier():
            return self.name(scope, text, line)
        key = scope, text, line
        node = self._texts.get(key)
        if node is None:
            node = self._texts[key] = self._text(scope, text, line)
        return node

    def _text(self, scope: Scope, text: str, line: int) -> int:
        core, row = element_of(text)
        if core:
            base = self.expression(scope, core, line)
            return self._derived(base, partial(self._item, scope, row)) if base else NOTHING
        head, _, last = text.rpartition(".")
        if head and last.isidentifier() and text.count(".") < _DEEPEST and is_primary(head):
            return self.imported_dotted(scope.file, text) or self.load(self.expression(scope, head, line), last)
        start = start_of(text)
        if start and start.rpartition(".")[2] not in _SPECIAL:
            base = self.expression(scope, start, line)
            if not base:
                return NOTHING  # most names are external, and have no values
            if single_call(text):
                return self._derived(base, partial(self.call, Call(scope, line, text)))
            node = self.node()
            self.rule(base, node, partial(self._parse_once, [], node, scope, text, line))
            return node
        if is_arithmetic(text):
            return NOTHING
        node = self.node()
        self.later(self._parse, node, scope, text, line)
        return node

    def _parse_once(
        self, done: list[bool], node: int, scope: Scope, text: str, line: int, value: int, plane: int
    ) -> None:
        if not done:
            done.append(True)
            self._parse(node, scope, text, line)

    def _parse(self, node: int, scope: Scope, text: str, line: int) -> None:
        tree = parsed(text)
        if tree is not None:
            self.edge(self.value(scope, line, tree, 0), node)

    def value(self, scope: Scope, line: int, node: ast.expr, depth: int) -> int:
        """Values of an expression."""
        if isinstance(node, ast.Name):
            return self.name(scope, node.id, line)
        key = scope, line, id(node)
        known = self._made.get(key)
        if known is None:
            made = NOTHING if depth > _DEEPEST else self._value(scope, line, node, depth + 1)
            known = self._made[key] = made, node  # keeping the node keeps its `id` valid
        return known[0]

    def _value(self, scope: Scope, line: int, node: ast.expr, depth: int) -> int:
        match node:
            case ast.Attribute():
                imported = NOTHING
                if scope.file in self.links.dotted:
                    imported = self.imported_dotted(scope.file, dotted_of(node))
                return imported or self.load(self.value(scope, line, node.value, depth), node.attr)
            case ast.Call():
                return self._call(scope, line, node, depth)
            case ast.Subscript():
                base = self.value(scope, line, node.value, depth)
                return self._derived(base, partial(self._item, scope, node.slice)) if base else NOTHING
            case ast.Await() | ast.NamedExpr() | ast.Starred():
                return self.value(scope, line, node.value, depth)
            case ast.IfExp():
                return self._union([self.value(scope, line, inner, depth) for inner in (node.body, node.orelse)])
            case ast.BoolOp():
                return self._union([self.value(scope, line, inner, depth) for inner in node.values])
            case (
                ast.List() | ast.Tuple() | ast.Set() | ast.Dict() | ast.ListComp() | ast.SetComp() | ast.GeneratorExp()
            ):
                self._boxes.append(Box(scope, line, node))
                made = self.node()
                self.add(made, self.things.number("box", scope, "", len(self._boxes) - 1))
                return made
        return NOTHING

    def _union(self, parts: list[int]) -> int:
        parts = [part for part in parts if part]
        if len(parts) <= 1:
            return parts[0] if parts else NOTHING
        node = self.node()
        for part in parts:
            self.edge(part, node)
        return node

    def _derived(self, base: int, rule: Making) -> int:
        """A node derived by a rule, called with (node, value, plane) for each value of `base`."""
        node = self.node()
        self.rule(base, node, partial(_derive, self, rule, node))
        return node

    # -- attributes --------------------------------------------------------------------------------------------

    def attribute(self, value: int, name: str) -> int:
        """Values of an attribute of a value; for a property, its result."""
        kind, place, _, _ = self.things[value]
        if kind == "module":
            return self.in_module(place.file, name) if place.file in self.links.facts else NOTHING
        member = self.member(value, name)
        if member and name in self.links.property_names and kind in ("object", "class", "super"):
            return self.known(self._read, member)
        return member

    def _read(self, node: int, member: int) -> None:
        self.rule(member, node, partial(self._read_of, node))

    def _read_of(self, node: int, value: int, plane: int) -> None:
        if value > UNKNOWN and self.things[value].kind == "property":
            self.edge(self.result(self.things[value].place), node, _RETURNS[plane])
        elif value >= UNKNOWN:
            self.add(node, value, plane)

    def member(self, value: int, name: str) -> int:
        """As `attribute`, but a property stays a value of kind `property`."""
        kind, place, _, _ = self.things[value]
        if kind == "module":
            return self.attribute(value, name)
        if kind in ("object", "class", "super"):
            return self.known(self._in_class, kind, place, name) if name in self._having else NOTHING
        if kind in _CONTAINERS and (name in _TAKING_OUT or name in _WHOLE):
            return self.known(self._taking, value, "element" if name in _TAKING_OUT else "whole")
        return NOTHING

    def _taking(self, node: int, value: int, kind: str) -> None:
        self.add(node, self.things.number(kind, self.things[value].place, "", value))

    def _in_class(self, node: int, kind: str, place: Place, name: str) -> None:
        """Add the attribute from the order's classes up to the first that defines it, or else from subclasses."""
        having = self._having[name]
        is_object = kind != "class"
        some = False
        for at in self.classes.order(place)[kind == "super" :]:
            if at in having:
                some |= self._slot(node, at, name, is_object)
                if self._defines(at, name):
                    return
        if not some and kind != "super" and not self.classes.has_unknown_base(place):
            for at in self.classes.below(place):
                if at in having:
                    self._slot(node, at, name, is_object)

    @cached_property
    def _having(self) -> dict[str, set[Place]]:
        """Name of an attribute -> classes that have it."""
        links, found = self.links, dict[str, set[Place]]()
        for table in (links.members, links.assigned, links.bound, links.declared, links.attributes):
            for at, names in table.items():
                if links.is_class(at):
                    for name in names:
                        found.setdefault(name, set()).add(at)
        return found

    def _slot(self, node: int, at: Place, name: str, is_object: bool) -> bool:
        """Add the attribute as the class at `at` alone has it; returns whether it does."""
        links = self.links
        some = False
        if is_object:
            if typed := self._declared(at, name):
                for value in typed:
                    self.add(node, value)
                return True
            if at in links.attributes and name in links.attributes[at]:
                self.edge(self.known(self._stored, at, name), node)
                some = True
        if self._defines(at, name):
            self.edge(self.known(self._defined, at, name, is_object), node)
            some = True
        return some

    def _defines(self, at: Place, name: str) -> bool:
        """Whether the class at `at` itself has the attribute, not only a declaration of it."""
        links = self.links
        return (
            (at in links.members and name in links.members[at])
            or (at in links.assigned and name in links.assigned[at])
            or (at in links.bound and name in links.bound[at])
            or bool(self._declared(at, name))
        )

    def _stored(self, node: int, at: Place, name: str) -> None:
        for written in self.links.attributes[at][name]:
            self.edge(self.expression(*written), node, STORE)

    def _defined(self, node: int, at: Place, name: str, is_object: bool) -> None:
        self.rule(self.binding(at, name), node, partial(self._member_of, node, is_object))

    def _member_of(self, node: int, is_object: bool, value: int, plane: int) -> None:
        if value < UNKNOWN:
            return
        kind, place, _, _ = self.things[value]
        if kind == "function":
            links = self.links
            if links.is_property(place):
                value = self.things.number("property", place)
            elif (is_object or links.is_decorated(place, "classmethod")) and not links.is_decorated(
                place, "staticmethod"
            ):
                value = self.things.number("method", place)
        self.add(node, value, plane)

    # -- calls -------------------------------------------------------------------------------------------------

    def _call(self, scope: Scope, line: int, node: ast.Call, depth: int) -> int:
        callee = node.func
        word = callee.id if isinstance(callee, ast.Name) else callee.attr if isinstance(callee, ast.Attribute) else ""
        if word in _SPECIAL and self._is_pythons(scope, callee):
            return self._special(scope, line, word, node, depth)
        called = self.value(scope, line, callee, depth)
        return self._derived(called, partial(self.call, Call(scope, line, node))) if called else NOTHING

    def _is_pythons(self, scope: Scope, callee: ast.expr) -> bool:
        """Whether the called function is external."""
        name = dotted_of(callee)
        head = name.partition(".")[0]
        if not head:
            return False
        links = self.links
        for at, names in links.visible(scope):
            if head in names:
                ours = links.is_own(at, head) or links.is_parameter(at, head)
                return not ours and not self.classes.definitions.read(scope, name)
        return links.star_source(scope.file, head) is None

    def _special(self, scope: Scope, line: int, word: str, node: ast.Call, depth: int) -> int:
        """Results of some built-in functions of Python."""
        first = node.args[0] if node.args else None
        if word == "super":
            own = self.links.class_around(scope)
            if first is not None and (dotted := dotted_of(first)):
                named = [value.place for value in self.classes.definitions.read(scope, dotted) if value.kind == "class"]
                own = named[0] if named else own
            return self.constant("super", own) if own is not None else NOTHING
        if first is None:
            return NOTHING
        if word == "cast":
            made = self.node()
            for value in self.classes.types(scope, ast.unparse(first)):
                self.add(made, value)
            return made
        given = self.value(scope, line, first, depth)
        if word == "type" and given:
            return self._derived(given, self._type_of)
        if word == "next" and given:
            return self._derived(given, self._element_of)
        return given

    def _type_of(self, node: int, value: int, plane: int) -> None:
        if self.things[value].kind == "object":
            self.add(node, self.things.number("class", self.things[value].place), plane)

    def call(self, call: Call | None, node: int, value: int, plane: int) -> None:
        """Add the results of calling `value`."""
        kind, place, _, row = self.things[value]
        match kind:
            case "class":
                self.add(node, self.things.number("object", place), plane)
                new = self.classes.method(place, "__new__")
                if new is not None:
                    self._result_of(call, node, new, 1, plane)
            case "function" | "method":
                self._result_of(call, node, place, int(kind == "method"), plane)
            case "object":
                member = self.member(value, "__call__")
                if member:
                    self.rule(member, node, partial(self._call_of_object, call, node, plane))
            case "element":
                elements = self.elements(row)
                self.edge(elements, node, BY_PLANE[plane])
            case "whole":
                self.add(node, row, plane)

    def _call_of_object(self, call: Call | None, node: int, plane: int, value: int, other: int) -> None:
        if value == UNKNOWN:
            self.add(node, UNKNOWN, max(plane, other))
        elif value > UNKNOWN and self.things[value].kind in ("function", "method"):
            self.call(call, node, value, max(plane, other))

    def _result_of(self, call: Call | None, node: int, place: Place, skipped: int, plane: int) -> None:
        result = self.result(place)
        self.edge(result, node, _RETURNS[plane])
        if call is not None and self._gives_back(place):
            self.rule(result, node, partial(self._given_back, call, node, place, skipped, plane))

    def _given_back(self, call: Call, node: int, place: Place, skipped: int, plane: int, value: int, _: int) -> None:
        """Add what a call returns by a parameter: the argument, or what the placeholder's path reaches from it."""
        if value >= UNKNOWN:
            return
        origin, name, path = self._symbols[-value - 1]
        if origin != place:
            return
        tree = parsed(call.code) if isinstance(call.code, str) else call.code
        if not isinstance(tree, ast.Call):
            return
        words = [word for word, _, _ in self.links.parameters(place)]
        row = words.index(name) - skipped
        given = next((word.value for word in tree.keywords if word.arg == name), None)
        if given is None and 0 <= row < len(tree.args):
            if any(isinstance(one, ast.Starred) for one in tree.args[: row + 1]):
                return
            given = tree.args[row]
        if given is not None:
            source = self.value(call.scope, call.line, given, 0)
            for step in path:
                if source:
                    source = self.load(source, step) if step else self._derived(source, partial(self.call, None))
            self.edge(source, node, BY_PLANE[plane])

    def result(self, place: Place) -> int:
        """Results of the function at `place`, with placeholders for its parameters."""
        return self.known(self._result, place)

    def _result(self, node: int, place: Place) -> None:
        links = self.links
        definition = links.definition(place)
        if definition.type == "Self" and (own := links.class_around(place)) is not None:
            self.add(node, self.things.number("object", own))
        elif definition.type and (typed := self.classes.types(links.parent(place), definition.type)):
            for value in typed:
                self.add(node, value)
        elif place in links.yielded:
            self.add(node, self.things.number("results", place))
        else:
            for written in links.results.get(place, ()):
                self.edge(self.expression(*written), node)

    # -- containers --------------------------------------------------------------------------------------------

    def elements(self, value: int) -> int:
        """Values from iterating over a value, or its values if it is a mapping."""
        return self.known(self._elements, value)

    def _elements(self, node: int, value: int) -> None:
        kind, place, text, row = self.things[value]
        if kind == "box":
            box = self._boxes[row]
            for part in _parts(box.node):
                self._part(node, box, part)
        elif kind == "boxed":
            for typed in self.classes.types(place, text):
                self.add(node, typed)
        elif kind == "results":
            for written in self.links.yielded.get(place, ()):
                self.edge(self.expression(*written), node)
        elif kind == "object" and (member := self.member(value, "__iter__")):
            iterators = self._derived(member, partial(self.call, None))
            self.rule(iterators, node, partial(self._iterated, node))

    def _part(self, node: int, box: Box, part: ast.expr) -> None:
        if isinstance(part, ast.Starred):
            inner = self.value(box.scope, box.line, part.value, 0)
            if inner:
                self.rule(inner, node, partial(_derive, self, self._element_of, node))
        else:
            self.edge(self.value(box.scope, box.line, part, 0), node)

    def _element_of(self, node: int, value: int, plane: int) -> None:
        self.edge(self.elements(value), node, BY_PLANE[plane])

    def _iterated(self, node: int, value: int, plane: int) -> None:
        if value == UNKNOWN:
            self.add(node, UNKNOWN, plane)
        elif value > UNKNOWN and self.things[value].kind == "object":
            member = self.member(value, "__next__")
            if member:
                self.rule(member, node, partial(self._call_of_object, None, node, plane))
        elif value > UNKNOWN:
            self._element_of(node, value, plane)

    def _item(self, scope: Scope, key: ast.expr | int | None, node: int, value: int, plane: int) -> None:
        """Add values of `value[key]`; None stands for any key."""
        kind, _, _, row = self.things[value]
        if isinstance(key, ast.Constant) and key.value is ...:
            key = None
        is_any = key is None
        if not is_any and (kind == "class" or isinstance(key, ast.Slice)):
            self.add(node, value, plane)  # a generic class with type arguments; a slice of a container
            return
        if not is_any and kind == "object":
            member = self.member(value, "__getitem__")
            if member:
                self.rule(member, node, partial(self._call_of_object, None, node, plane))
            return
        how = BY_PLANE[plane]
        if kind == "box":
            box = self._boxes[row]
            if box.scope.file != scope.file and how == SAME:
                how = NOT_DIRECT  # another file has filled it
            exact = None
            if isinstance(key, int):
                exact = _exact(box.node, key)
            elif isinstance(key, ast.Constant):
                exact = _exact(box.node, key.value)
            if exact is not None:
                for part in exact:
                    self.edge(self.value(box.scope, box.line, part, 0), node, how)
                return
        self.edge(self.elements(value), node, how)


class Call(NamedTuple):
    """A call written in `scope`; its code stays text until its arguments are needed."""

    scope: Scope
    line: int
    code: str | ast.Call


def _derive(flow: Flow, rule: Making, node: int, value: int, plane: int) -> None:
    if value > UNKNOWN:
        rule(node, value, plane)
    elif value < UNKNOWN:
        if isinstance(rule, partial) and rule.func == flow.call:
            flow.follow(node, value, "")
    elif value == UNKNOWN:
        flow.add(node, UNKNOWN, plane)


def _exact(node: ast.expr, key: object) -> list[ast.expr] | None:
    """The parts of a container to which a constant key leads; None = not certain."""
    if isinstance(node, ast.Dict):
        return [value for at, value in zip(node.keys, node.values, strict=True) if _may_equal(at, key)]
    parts = _parts(node)
    if (
        isinstance(key, int)
        and isinstance(node, ast.List | ast.Tuple)
        and not any(isinstance(part, ast.Starred) for part in parts)
    ):
        return [parts[key]] if -len(parts) <= key < len(parts) else []
    return None


def _may_equal(key: ast.expr | None, value: object) -> bool:
    """Whether this key of a dictionary literal may equal `value`; None stands for an unpacked dictionary."""
    return not isinstance(key, ast.Constant) or (type(key.value), key.value) == (type(value), value)


def _parts(node: ast.expr | None) -> list[ast.expr]:
    match node:
        case ast.List() | ast.Tuple() | ast.Set():
            return node.elts
        case ast.Dict():
            return node.values
        case ast.ListComp() | ast.SetComp() | ast.GeneratorExp():
            return [node.elt]
    return []
