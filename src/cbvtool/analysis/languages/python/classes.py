"""Bases, method resolution order and annotated types of Python classes, without following values."""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet

from cbvtool.analysis.languages.python.links import Links
from cbvtool.analysis.languages.python.naming import Definitions, Value, ValueNumbers
from cbvtool.analysis.languages.python.scopes import Scope
from cbvtool.analysis.languages.python.texts import is_dotted, parsed
from cbvtool.analysis.resolution import Place

_MOST_BASES = 50
_LONGEST = 100  # classes in one method resolution order
_MOST_BELOW = 12
_DEEPEST = 50  # brackets in an annotation
_NOT_UNKNOWN = ("object", "Generic", "Protocol", "ABC")
_EITHER = frozenset(
    {
        "Optional",
        "Union",
        "Annotated",
        "ClassVar",
        "Final",
        "Required",
        "NotRequired",
        "InitVar",
        "Awaitable",
        "Coroutine",
        "ContextManager",
        "AsyncContextManager",
    }
)
_MAPPINGS = frozenset({"dict", "Dict", "Mapping", "MutableMapping", "defaultdict", "DefaultDict", "OrderedDict"})
_SEQUENCES = frozenset(
    {
        "list",
        "List",
        "set",
        "Set",
        "frozenset",
        "FrozenSet",
        "tuple",
        "Tuple",
        "Sequence",
        "MutableSequence",
        "Iterable",
        "Iterator",
        "Collection",
        "AbstractSet",
        "deque",
        "Deque",
        "Generator",
        "AsyncIterator",
        "AsyncIterable",
        "AsyncGenerator",
    }
)


class Classes:
    """Index of classes and annotated types; each answer is computed once, when needed."""

    def __init__(self, links: Links, things: ValueNumbers) -> None:
        self.links, self.things = links, things
        self.definitions = Definitions(links, things)
        self._bases: dict[Place, tuple[Place, ...]] = {}
        self._orders: dict[Place, tuple[Place, ...]] = {}
        self._with_unknown_base: dict[Place, bool] = {}
        self._derived: dict[Place, list[Place]] | None = None
        self._types: dict[tuple[Scope, str], tuple[int, ...]] = {}
        self._methods: dict[tuple[Place, str], Place | None] = {}

    def bases(self, place: Place) -> tuple[Place, ...]:
        """The named bases of the class at `place` that are below the folder."""
        known = self._bases.get(place)
        if known is None:
            links, found = self.links, dict[Place, None]()
            for text in links.base_texts.get(place, ())[:_MOST_BASES]:
                for value in self.definitions.read(links.parent(place), text):
                    if value.kind == "class" and value.place != place:
                        found[value.place] = None
            known = self._bases[place] = tuple(found)
        return known

    def order(self, place: Place) -> tuple[Place, ...]:
        """Method resolution order (C3); if that does not exist, the bases from left to right."""
        known = self._orders.get(place)
        if known is not None:
            return known
        self._orders[place] = (place,)  # guards against a class that inherits from itself
        path = [(place, iter(self.bases(place)))]
        while path:
            at, bases = path[-1]
            for base in bases:
                if base not in self._orders:
                    self._orders[base] = (base,)
                    path.append((base, iter(self.bases(base))))
                    break
            else:
                path.pop()
                own = self.bases(at)
                lines = [self._orders[base] for base in own]
                self._orders[at] = (at, *(_merged([*lines, own]) if len(own) > 1 else _merged(lines)))
        return self._orders[place]

    def has_unknown_base(self, place: Place) -> bool:
        """Whether the class or one of its bases has a base that is not found below the folder."""
        known = self._with_unknown_base.get(place)
        if known is None:
            known = self._with_unknown_base[place] = any(
                text not in _NOT_UNKNOWN and not self.definitions.read(self.links.parent(at), text)
                for at in self.order(place)
                for text in self.links.base_texts.get(at, ())
            )
        return known

    def below(self, place: Place) -> list[Place]:
        """Direct and transitive subclasses of the class at `place`; incomplete from about `_MOST_BELOW` on."""
        if self._derived is None:
            self._derived = defaultdict(list)
            for at in sorted(self.links.base_texts):
                for base in self.bases(at):
                    self._derived[base].append(at)
        found: dict[Place, None] = {}
        todo = [place]
        while todo and len(found) < _MOST_BELOW:
            new = [at for at in self._derived.get(todo.pop(), ())[:_MOST_BELOW] if at not in found]
            found.update(dict.fromkeys(new))
            todo += new
        return list(found)

    def known(self) -> list[Place]:
        """The classes whose order was asked for."""
        return list(self._orders)

    def method(self, place: Place, name: str) -> Place | None:
        """The function of that name that objects of the class have, by the method resolution order."""
        key = place, name
        if key not in self._methods:
            links = self.links
            found = ((at, links.own(at, name)) for at in self.order(place))
            self._methods[key] = next((own[-1] for _, own in found if own and not links.is_class(own[-1])), None)
        return self._methods[key]

    def differing(
        self, before: Classes, edited: AbstractSet[int], moved: Mapping[Place, Place]
    ) -> tuple[set[int], set[Place]]:
        """(files in which a name or annotated type, places at which a class is another one than it was before an edit).

        Only what `before` was asked for counts, and only in files that were not edited.

        moved  the definitions in `edited` files -> where they are now
        """

        def now(values: Iterable[Value]) -> list[Value]:
            return [value._replace(place=moved.get(value.place, value.place)) for value in values]

        def numbered(classes: Classes, rows: Iterable[int]) -> list[Value]:
            return [classes.things[row] for row in rows]

        def line(places: Iterable[Place]) -> list[Place]:
            return [moved.get(place, place) for place in places]

        found = {
            scope.file
            for (scope, text), values in before.definitions.answers()
            if scope.file not in edited and sorted(now(values)) != sorted(self.definitions.read(scope, text))
        }
        found |= {
            home.file
            for (home, text), rows in before._types.items()
            if home.file not in edited and now(numbered(before, rows)) != numbered(self, self.types(home, text))
        }
        places = {
            place
            for place, order in before._orders.items()
            if place.file not in edited
            and (
                line(order) != list(self.order(place))
                or before._with_unknown_base.get(place, self.has_unknown_base(place)) != self.has_unknown_base(place)
            )
        }
        if before._derived is not None:
            self.below(Place(-1))
            derived, earlier = self._derived or {}, before._derived
            bases = derived.keys() | {moved.get(base, base) for base in earlier}
            then = {moved.get(base, base): line(below) for base, below in earlier.items()}
            changed = {base for base in bases if then.get(base, []) != derived.get(base, [])}
            places |= {above for base in changed for above in (*self.order(base), *before._orders.get(base, ()))}
        return found, places

    # -- types -------------------------------------------------------------------------------------------------

    def types(self, scope: Scope, text: str) -> tuple[int, ...]:
        """Numbers of the values to which the annotated type `text` refers."""
        text = text.replace('"', "").replace("'", "")
        home = self.links.home(scope, text, 0)[0]
        known = self._types.get((home, text))
        if known is None:
            if is_dotted(text):
                found = self._objects(home, text)
            else:
                node = parsed(text)
                found = self._type(home, node, 0) if node is not None else []
            known = self._types[home, text] = tuple(dict.fromkeys(found))
        return known

    def _objects(self, scope: Scope, text: str) -> list[int]:
        found = self.definitions.read(scope, text)
        return [self.things.number("object", value.place) for value in found if value.kind == "class"]

    def _type(self, scope: Scope, node: ast.expr, depth: int) -> list[int]:
        if depth > _DEEPEST:
            return []
        match node:
            case ast.Name() | ast.Attribute():
                dotted = dotted_of(node)
                return self._objects(scope, dotted) if dotted else []
            case ast.BinOp(op=ast.BitOr()):
                return [*self._type(scope, node.left, depth + 1), *self._type(scope, node.right, depth + 1)]
            case ast.Subscript():
                inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
                word = dotted_of(node.value).rpartition(".")[2]
                if word in _EITHER:
                    return [found for part in inner for found in self._type(scope, part, depth + 1)]
                if word in ("type", "Type"):
                    objects = [found for part in inner for found in self._type(scope, part, depth + 1)]
                    return [self.things.number("class", self.things[found].place) for found in objects]
                if inner and (word in _MAPPINGS or word in _SEQUENCES):
                    element = inner[-1] if word in _MAPPINGS else inner[0]
                    text = ast.unparse(element)
                    return [self.things.number("boxed", scope, text)] if self._type(scope, element, depth + 1) else []
                return self._type(scope, node.value, depth + 1)
        return []


def _merged(lines: list[tuple[Place, ...]]) -> list[Place]:
    """The merge of C3 linearisation (Barrett et al. 1996); if that fails, the rest follows in the order of the bases.

    Its time grows with the total length of `lines` times their number.
    """
    lines = [line for line in lines if line]
    if len(lines) == 1:
        return list(lines[0][:_LONGEST])
    behind = Counter(place for line in lines for place in line[1:])  # how often each class is not the head of a line
    at = [0] * len(lines)
    order: list[Place] = []
    done: set[Place] = set()
    while len(order) < _LONGEST:
        heads = [line[row] for line, row in zip(lines, at, strict=True) if row < len(line)]
        if not heads:
            break
        head = next((place for place in heads if not behind[place]), heads[0])
        order.append(head)
        done.add(head)
        for number, line in enumerate(lines):
            while at[number] < len(line) and line[at[number]] in done:
                at[number] += 1
                if at[number] < len(line):
                    behind[line[at[number]]] -= 1
    return order


def dotted_of(node: ast.expr) -> str:
    """`a.b.c`; empty if anything else stands between the dots."""
    names = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return ".".join(reversed([*names, node.id])) if isinstance(node, ast.Name) else ""
