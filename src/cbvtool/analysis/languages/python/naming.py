"""Possible values of names and attributes: constraints from definitions, imports and scopes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from functools import partial
from typing import NamedTuple

from cbvtool.analysis.languages.python.edits import Touch, take_out
from cbvtool.analysis.languages.python.links import Links
from cbvtool.analysis.languages.python.propagation import AS_GIVEN, NOT_DIRECT, NOTHING, SAME, UNKNOWN, Propagation
from cbvtool.analysis.languages.python.scopes import Scope
from cbvtool.analysis.languages.python.texts import is_dotted
from cbvtool.analysis.resolution import Place

BY_PLANE = (SAME, NOT_DIRECT, AS_GIVEN)  # a derived value gets at best the plane of its base


class Value(NamedTuple):
    """One possible value of an expression.

    kind   `function`, `class` (itself), `method` (a function bound to its first argument), `property`, `object` (of a
           class), `module`, `super` (access to inherited members), `box` (a container literal), `boxed` (a container
           whose elements have the annotated type `text`), `element` (a function that returns elements of a container),
           `whole` (a function that returns the container itself), `results` (the generator that a call returns)
    place  of the definition, or the scope in which `text` is to be read
    row    number of a container literal
    """

    kind: str
    place: Place
    text: str = ""
    row: int = 0


class ValueNumbers:
    """Values and their numbers, from 1 on; 0 is UNKNOWN."""

    def __init__(self) -> None:
        self.of: list[Value] = [Value("unknown", Place(-1))]
        self._rows: dict[Value, int] = {}

    def __getitem__(self, row: int) -> Value:
        return self.of[row]

    def number(self, kind: str, place: Place, text: str = "", row: int = 0) -> int:
        """The number of a value."""
        value = Value(kind, place, text, row)
        known = self._rows.get(value)
        if known is None:
            known = self._rows[value] = len(self.of)
            self.of.append(value)
        return known


class Naming(Propagation):
    """Nodes for bindings and attributes. Subclasses add assignments, and members of classes and objects."""

    def __init__(self, links: Links, things: ValueNumbers) -> None:
        super().__init__()
        self.links, self.things = links, things
        self._nodes: dict[tuple[object, ...], int] = {}
        self._bindings: dict[tuple[Place, str], int] = {}
        self._named: dict[tuple[Scope, str], tuple[Place | None, int]] = {}
        self._loads: dict[tuple[int, str], int] = {}

    def known(self, expand: Callable[..., None], *arguments: object) -> int:
        """The node that `expand(node, *arguments)` fills; made once for these arguments."""
        key = (expand.__name__, *arguments)
        node = self._nodes.get(key)
        if node is None:
            node = self._nodes[key] = self.node()
            self.later(expand, node, *arguments)
        return node

    def constant(self, kind: str, place: Place) -> int:
        """A node with that single value."""
        return self.known(self._constant, kind, place)

    def _constant(self, node: int, kind: str, place: Place) -> None:
        self.add(node, self.things.number(kind, place))

    def touched(self, by: Touch) -> set[int]:
        """The nodes that an edit touches directly: by what they stand for, or by a value.

        What is remembered of them is forgotten, also where that was that they have no values.
        """
        values = self.touched_values(by)
        found = {node for node, known in enumerate(self.values) if not values.isdisjoint(known)} if values else set()
        self._named.clear()
        found |= take_out(self._bindings, lambda key: by.is_place(key[0]) or key[1] in by.names)
        found |= take_out(self._loads, lambda key: key[1] in by.names)
        return found | take_out(self._nodes, lambda key: any(by.is_part(part, values) for part in key))

    def touched_values(self, by: Touch) -> set[int]:
        """The numbers of the values that an edit touches."""
        return {row for row, value in enumerate(self.things.of) if by.is_place(value.place)}

    def forget(self, nodes: AbstractSet[int]) -> None:
        """See `Propagation`."""
        super().forget(nodes)
        self._bindings = {key: node for key, node in self._bindings.items() if node not in nodes}
        self._loads = {key: node for key, node in self._loads.items() if node not in nodes}
        self._nodes = {key: node for key, node in self._nodes.items() if node not in nodes}

    # -- names -------------------------------------------------------------------------------------------------

    def name(self, scope: Scope, name: str, line: int = 0) -> int:
        """Values of a name without dots in `scope`, at `line`; 0 = at any line."""
        key = scope, name
        found = self._named.get(key)
        if found is None:
            found = self._named[key] = self._looked_up(scope, name)
        at, node = found
        return node if at is None else self.bound(at, name, line if at == scope else 0)

    def _looked_up(self, scope: Scope, name: str) -> tuple[Place | None, int]:
        """The scope that binds the name, if the position of the read matters; otherwise the node."""
        links = self.links
        for at, names in links.visible(scope):
            if name in names:
                return (at, NOTHING) if name in links.several.get(at, ()) else (None, self.binding(at, name))
        source = links.star_source(scope.file, name)
        return None, NOTHING if source is None else self.in_module(source, name)

    def bound(self, at: Place, name: str, line: int) -> int:
        """Values of a name bound directly in `at`, at `line`; 0 = at any line."""
        return self.binding(at, name)

    def binding(self, at: Place, name: str) -> int:
        """Values of a name bound directly in `at`."""
        key = at, name
        node = self._bindings.get(key)
        if node is None:
            origin = self.links.origin(at, name)
            if origin != key:
                node = self._bindings[key] = self.binding(*origin)
            else:
                node = self._bindings[key] = self.node()
                self.later(self._binding, node, at, name)
        return node

    def _binding(self, node: int, at: Place, name: str) -> None:
        raise NotImplementedError

    def add_defined(self, node: int, at: Place, name: str) -> None:
        """Add the definitions and imports of the name in `at`."""
        links = self.links
        for place in links.own(at, name):
            self.add(node, self.things.number("class" if links.is_class(place) else "function", place))
        file = at.file
        for statement, original in links.bound[at].get(name, ()) if at in links.bound else ():
            if original:
                modules, children = links.imported_from(file, statement, original)
                for module in modules:
                    self.edge(self.in_module(module, original), node)
            else:
                children = links.modules(file, statement.module, statement.level)
            self.add_modules(node, children)
        if at.definition < 0 and name in links.tops(file) and not links.is_own(at, name):
            self.add_modules(node, links.modules(file, name))

    def add_modules(self, node: int, files: Sequence[int]) -> None:
        """Add the modules of these files."""
        for file in files:
            self.add(node, self.things.number("module", Place(file, -1)))

    def in_module(self, file: int, name: str) -> int:
        """Values of an attribute of a module."""
        links = self.links
        child = links.children(file).get(name)
        if links.is_bound(file, name):
            if child is None or links.leads(file, name):
                return self.binding(links.places[file][0], name)
        else:
            source = links.star_source(file, name)
            if source is not None:
                return self.in_module(source, name)  # the source module binds it
        return NOTHING if child is None else self.constant("module", Place(child, -1))

    def dotted(self, scope: Scope, text: str) -> int:
        """Values of a dotted name in `scope`."""
        head, dot, last = text.rpartition(".")
        if not dot:
            return self.name(scope, text)
        return self.imported_dotted(scope.file, text) or self.load(self.dotted(scope, head), last)

    def imported_dotted(self, file: int, text: str) -> int:
        """Values of `a.b` after `import a.b`; NOTHING if there is no such import."""
        links = self.links
        if file not in links.dotted or text not in links.dotted[file]:
            return NOTHING
        modules = links.modules(file, links.dotted[file][text].module)
        return self.known(self.add_modules, modules) if modules else NOTHING

    # -- attributes --------------------------------------------------------------------------------------------

    def load(self, base: int, name: str) -> int:
        """Values of an attribute of all values of `base`."""
        if not base:
            return NOTHING
        key = base, name
        node = self._loads.get(key)
        if node is None:
            node = self._loads[key] = self.node()
            self.rule(base, node, partial(self._load_of, node, name))
        return node

    def _load_of(self, node: int, name: str, value: int, plane: int) -> None:
        if value <= UNKNOWN:
            if value == UNKNOWN:
                self.add(node, UNKNOWN, plane)
            else:
                self.follow(node, value, name)
            return
        found = self.attribute(value, name)
        if found:
            self.edge(found, node, BY_PLANE[plane])

    def attribute(self, value: int, name: str) -> int:
        """Values of an attribute of one value."""
        raise NotImplementedError

    def follow(self, node: int, symbol: int, name: str) -> None:
        """Add the values of an attribute of a parameter's placeholder."""


class Definitions(Naming):
    """Resolves dotted names by scopes, imports, aliases and class bodies only: enough for bases and annotated types."""

    def __init__(self, links: Links, things: ValueNumbers) -> None:
        super().__init__(links, things)
        self._found: dict[tuple[Scope, str], tuple[Value, ...]] = {}

    def answers(self) -> Iterable[tuple[tuple[Scope, str], tuple[Value, ...]]]:
        """What was asked for: each scope and text of `read`, with the answer."""
        return self._found.items()

    def read(self, scope: Scope, text: str) -> tuple[Value, ...]:
        """The definitions and modules to which the dotted name `text` may refer, sorted."""
        home = self.links.home(scope, text, 0)[0]
        found = self._found.get((home, text))
        if found is None:
            node = self.dotted(home, text)
            self.run()
            values = [self.things[value] for value in self.values[node] if value != UNKNOWN]
            found = self._found[home, text] = tuple(sorted(values))
        return found

    def _binding(self, node: int, at: Place, name: str) -> None:
        self.add_defined(node, at, name)
        for text, _, _ in self.links.assigned[at].get(name, ()) if at in self.links.assigned else ():
            if is_dotted(text):
                self.edge(self.dotted(at, text), node)

    def attribute(self, value: int, name: str) -> int:
        """Values of an attribute; only modules and classes have any here."""
        kind, place, _, _ = self.things[value]
        if kind == "module":
            return self.in_module(place.file, name) if place.file in self.links.facts else NOTHING
        return self.known(self._in_class, place, name) if kind == "class" else NOTHING

    def _in_class(self, node: int, place: Place, name: str) -> None:
        if name in self.links.names(place):
            self.edge(self.binding(place, name), node)
            return
        for text in self.links.base_texts.get(place, ()):
            base = self.dotted(self.links.parent(place), text)
            self.edge(self.load(base, name), node)
