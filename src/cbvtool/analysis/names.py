"""Resolver of names to definitions by scopes, imports, inheritance and declared types, for all such languages.

A language supplies the names that imports and packages make visible (`Binding`), and its keywords (`NameRules`); the
search itself is here. It never guesses silently: a match by the name of a member alone is marked GUESS.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from cbvtool.analysis import resolution as kinds
from cbvtool.analysis.circular import Circular, Searches
from cbvtool.analysis.facts import (
    ALWAYS,
    ASSIGN,
    CALL,
    CREATE,
    DECLARE,
    EXACT,
    GUESS,
    INHERIT,
    OUTER,
    REFER,
    RESOLVED,
    TYPE,
    Definition,
    FileFacts,
    Use,
)
from cbvtool.analysis.resolution import Place, Relations, rows_of

TYPES = frozenset({"class", "interface", "struct", "union", "enum", "trait", "object", "module", "type"})
_FUNCTION = "function"
DEEPEST = 40  # steps from one name to another before a search is given up: real chains have a few
_KIND = {
    CALL: kinds.CALL,
    CREATE: kinds.INSTANTIATE,
    INHERIT: kinds.INHERIT,
    TYPE: kinds.TYPE_USE,
    REFER: kinds.REFERENCE,
}


class FoundPlaces(NamedTuple):
    """The meaning of a name: places that fit equally (overloads, parts of a type), and the confidence.

    value  whether the name is a variable; then `places` is the class of its value
    """

    places: tuple[Place, ...]
    confidence: int = RESOLVED
    value: bool = False

    def less(self, confidence: int) -> FoundPlaces:
        """The same, at most as certain as `confidence`."""
        return self if self.confidence >= confidence else self._replace(confidence=confidence)


@dataclass(frozen=True)
class NameRules:
    """The keywords of a language and the rules of its scopes.

    own          words for the object that a method belongs to (`self`, `this`), and for its class (`cls`)
    above        words for its base class (`super`, `base`)
    bare_members whether members of a class are visible in its methods without `self.`
    common       names of members so frequent outside the project that a guess by them means nothing
    most         a member's name with more matches than this is not guessed
    apart        kinds of uses that never refer to a variable of that name
    calls_apart  whether a call without a receiver never refers to a variable, either
    """

    own: frozenset[str] = frozenset({"this"})
    above: frozenset[str] = frozenset({"super"})
    bare_members: bool = True
    common: frozenset[str] = frozenset()
    most: int = 1
    apart: frozenset[int] = frozenset({TYPE, CREATE, INHERIT})
    calls_apart: bool = False


# The variables to which a name may refer: none, only members of a class, or all.
NO_VARIABLE, MEMBER, ANY_VARIABLE = range(3)
# A variable of unknown type: it only hides the meaning of its name in outer scopes.
_UNKNOWN = FoundPlaces((), RESOLVED, value=True)
MOST_ANCESTORS = 200  # of one class; only hostile code has more


class NameIndex:
    """The definitions of a language family by name, and the search for them.

    facts    of the family's files, by row
    binding  (file, name) -> meaning of a name at the top of a file by imports, package or includes; None = none.
             It is asked last, after the scopes in the file.
    exported (file, name) -> meaning of `name` for files that import it from this file, in addition to the file's own
             top-level definitions; None = none
    """

    def __init__(
        self,
        facts: Mapping[int, FileFacts],
        rules: NameRules,
        binding: Callable[[int, str], FoundPlaces | None],
        exported: Callable[[int, str], FoundPlaces | None] | None = None,
    ) -> None:
        self.facts, self.rules, self.binding = facts, rules, binding
        self.exported = exported or (lambda file, name: None)
        self._members: dict[Place, dict[str, list[Place]]] = defaultdict(dict)
        self._named: dict[str, list[Place]] = defaultdict(list)  # members of types, by name
        # Class -> (name of a base as written, place).
        self._bases: dict[Place, list[tuple[str, Place]]] = defaultdict(list)
        self._types: dict[tuple[Place, str], str] = {}  # (scope, variable) -> declared type
        self._means: dict[tuple[Place, str], str] = {}  # (scope, alias) -> name
        self._ancestors: dict[Place, tuple[Place, ...]] = {}
        self._known_bases: dict[Place, list[Place]] = {}
        self._local: dict[Place, set[str]] = defaultdict(set)  # definition -> names declared inside it
        self._heads: dict[str, str] = {}  # first part of a dotted name, without `()`
        self.searches = Searches()
        self._values = Circular[tuple[Place, str, int], FoundPlaces | None](self.searches, DEEPEST)
        for file, found in facts.items():
            for row, definition in enumerate(found.definitions):
                place, parent = Place(file, row), Place(file, definition.parent)
                self._members[parent].setdefault(definition.name, []).append(place)
                if definition.parent >= 0:
                    self._local[parent].add(definition.name)
                if definition.parent >= 0 and found.definitions[definition.parent].kind in TYPES:
                    self._named[definition.name].append(place)
            for scope, kind, name, other, _ in rows_of(found.uses):
                if kind == INHERIT:
                    where = Place(file, scope)
                    self._bases[where].append((name, where))
                elif kind in (DECLARE, ASSIGN):
                    key = self._holder(Place(file, scope), name), name.rpartition(".")[2]
                    (self._types if kind == DECLARE else self._means).setdefault(key, other)
                    self._local[key[0]].add(key[1])

    # -- definitions -------------------------------------------------------------------------------------------

    def definition(self, place: Place) -> Definition | None:
        """The definition at `place`; None for a file."""
        return None if place.definition < 0 else self.facts[place.file].definitions[place.definition]

    def kind(self, place: Place) -> str:
        """Kind of the definition at `place`; `file` for a file."""
        return "file" if place.definition < 0 else self.facts[place.file].definitions[place.definition].kind

    def around(self, place: Place) -> Iterator[Place]:
        """`place`, the definitions around it, innermost first, and its file."""
        while place.definition >= 0:
            yield place
            place = Place(place.file, self.facts[place.file].definitions[place.definition].parent)
        yield place

    def type_around(self, place: Place) -> Place | None:
        """The innermost class or other type at or around `place`."""
        return next((at for at in self.around(place) if at.definition >= 0 and self.kind(at) in TYPES), None)

    def _holder(self, where: Place, name: str) -> Place:
        """The scope of a variable declared in `where`: the class for `self.x`."""
        if name.partition(".")[0] in self.rules.own and "." in name:
            return self.type_around(where) or where
        return where

    def own_members(self, place: Place, name: str) -> tuple[Place, ...]:
        """Definitions called `name` directly inside `place`."""
        return tuple(self._members[place].get(name, ())) if place in self._members else ()

    def ancestors(self, place: Place) -> tuple[Place, ...]:
        """The class at `place` and all its base classes, nearest first, each once."""
        known = self._ancestors.get(place)
        if known is None:
            self._ancestors[place] = (place,)  # guards against a class that inherits from itself
            order = {place: None}
            todo = self._bases_of(place)[::-1]
            while todo and len(order) < MOST_ANCESTORS:
                above = todo.pop()
                if above not in order:
                    order[above] = None
                    todo += self._bases_of(above)[::-1]
            known = self._ancestors[place] = tuple(order)
        return known

    def _bases_of(self, place: Place) -> list[Place]:
        """The result of `bases`, cached."""
        found = self._known_bases.get(place)
        if found is None:
            found = self._known_bases[place] = self.bases(place)
        return found

    def bases(self, place: Place) -> list[Place]:
        """The named bases of the class at `place` that are below the folder."""
        found = []
        for name, where in self._bases.get(place, ()):
            outer = next(iter(list(self.around(where))[1:]), where)  # names of bases are resolved outside the class
            hit = self.lookup(outer, name, NO_VARIABLE if INHERIT in self.rules.apart else ANY_VARIABLE)
            found += [base for base in hit.places if self.kind(base) in TYPES and base != place] if hit else []
        return found

    def member(self, place: Place, name: str) -> FoundPlaces | None:
        """The member `name` of `place`: of a file, a namespace, or a class with its base classes."""
        if place.definition < 0:
            own = self.own_members(place, name)
            return FoundPlaces(own, EXACT) if own else self._variable(place, name) or self.exported(place.file, name)
        for above in self.ancestors(place) if self.kind(place) in TYPES else (place,):
            own = self.own_members(above, name)
            if own:
                return FoundPlaces(own, RESOLVED)
            value = self._variable(above, name)
            if value:
                return value
        return None

    # -- names -------------------------------------------------------------------------------------------------

    def lookup(self, scope: Place, name: str, variables: int = ANY_VARIABLE) -> FoundPlaces | None:
        """The meaning of the dotted `name` in `scope`; for a variable, the class of its value.

        variables  to which variables its first part may refer
        """
        if name.startswith(OUTER):
            name, variables = name[len(OUTER) :], min(variables, MEMBER)
        scope = self._seen_from(scope, name)
        return self._values.find_or(None, (scope, name, variables), self._lookup)

    def _seen_from(self, scope: Place, name: str) -> Place:
        """The innermost definition, `scope` or one around it, on which the meaning of `name` may depend."""
        head = self._heads.get(name)
        if head is None:
            head = self._heads[name] = name.partition(".")[0].removesuffix("()")
        rules = self.rules
        if scope.definition < 0 or head in rules.own or head in rules.above:
            return scope
        definitions, at = self.facts[scope.file].definitions, scope
        while at.definition >= 0:
            definition = definitions[at.definition]
            if definition.kind in TYPES:
                if rules.bare_members or at is scope:
                    break
            elif definition.kind != _FUNCTION or head in self._local.get(at, ()):
                break
            at = Place(at.file, definition.parent)
        return at

    def _lookup(self, key: tuple[Place, str, int]) -> FoundPlaces | None:
        scope, name, variables = key
        head, *rest = name.split(".")
        found = self.simple(scope, head.removesuffix("()"), variables) if head else None
        if head.endswith("()") and head[:-2] not in self.rules.own | self.rules.above:
            found = self._result(found)
        for part in rest:
            if found is None:
                return None
            found = self._step(found, part.removesuffix("()"))
            if part.endswith("()"):
                found = self._result(found)
        return found

    def _result(self, called: FoundPlaces | None) -> FoundPlaces | None:
        """The class of the result of calling `called`: for a class, itself; for a function, its declared result."""
        results: list[Place] = []
        for place in called.places if called is not None and not called.value else ():
            definition = self.definition(place)
            if definition is not None and definition.kind in TYPES:
                results.append(place)
            elif definition is not None and definition.type:
                of = self.value(Place(place.file, definition.parent), definition.type)
                results += of.places if of else ()
        return FoundPlaces(tuple(dict.fromkeys(results)), RESOLVED, value=True) if results else None

    def _step(self, found: FoundPlaces, part: str) -> FoundPlaces | None:
        hits = [
            hit.less(max(found.confidence, hit.confidence))
            for place in found.places
            if (hit := self.member(self._object(place), part))
        ]
        if not hits:
            return None
        places = tuple(dict.fromkeys(place for hit in hits for place in hit.places))
        return FoundPlaces(places, max(hit.confidence for hit in hits), all(hit.value for hit in hits))

    def _object(self, place: Place) -> Place:
        """The type whose members `place` has when used as an object: for a function (a property), its result type."""
        definition = self.definition(place)
        if definition is not None and definition.kind not in TYPES and definition.type:
            hit = self.value(Place(place.file, definition.parent), definition.type)
            if hit and len(hit.places) == 1:
                return hit.places[0]
        return place

    def simple(self, scope: Place, name: str, variables: int = ANY_VARIABLE) -> FoundPlaces | None:
        """The meaning of a name without dots in `scope`, where it may refer to these `variables`."""
        rules = self.rules
        if name in rules.own or name in rules.above:
            own = self.type_around(scope)
            if own is None:
                return None
            if name in rules.own:
                return FoundPlaces((own,), EXACT)
            return FoundPlaces(tuple(self.ancestors(own)[1:2]), RESOLVED) if len(self.ancestors(own)) > 1 else None
        for at in self.around(scope):
            if at.definition >= 0 and self.kind(at) in TYPES:
                if at != scope and not rules.bare_members:
                    continue
                if name == self.facts[at.file].definitions[at.definition].name:
                    return FoundPlaces((at,), EXACT)
                hit = self.member(at, name) if variables >= MEMBER else self._defined(at, name)
                if hit is None and variables >= MEMBER and rules.bare_members:
                    hit = self._hiding(at, name)
                if hit:
                    return hit
                continue
            is_seen = variables == ANY_VARIABLE or (variables == MEMBER and at.definition < 0)
            value = self._variable(at, name) if is_seen else None
            if value:
                return value
            own_places = self.own_members(at, name)
            if own_places:
                return FoundPlaces(own_places, EXACT)
            if is_seen and at.definition >= 0 and (hiding := self._hiding(at, name)):
                return hiding
        return self.binding(scope.file, name)

    def _variable(self, at: Place, name: str) -> FoundPlaces | None:
        """The class of the value of the variable `name` declared in `at`."""
        text = self._types.get((at, name))
        if text is not None:
            return self.value(at, text, name)
        other = self._means.get((at, name))
        return self.lookup(at, other) if other is not None and other != name else None

    def _hiding(self, at: Place, name: str) -> FoundPlaces | None:
        """A variable `name` declared in `at` with a type outside the folder; None = there is none."""
        return _UNKNOWN if (at, name) in self._types else None

    def _defined(self, at: Place, name: str) -> FoundPlaces | None:
        """The member `name` of the class at `at`, or of its base classes."""
        return next((FoundPlaces(own) for above in self.ancestors(at) if (own := self.own_members(above, name))), None)

    def value(self, scope: Place, text: str, of: str = "") -> FoundPlaces | None:
        """The class for a declared type, or for the result of a call (`f()`), in `scope`.

        of  the variable that has the type; if the name of a type may be a variable, too, it is not this one
        """
        is_type = "()" not in text and (text == of or {TYPE, CREATE} <= self.rules.apart)
        hit = self.lookup(scope, text, NO_VARIABLE if is_type else ANY_VARIABLE)
        if hit is None and is_type and "." in text:  # a type inside a value
            hit = self.lookup(scope, text)
        return None if hit is None else FoundPlaces(hit.places, RESOLVED, value=True)

    def guess(self, name: str) -> FoundPlaces | None:
        """Members of any type whose name is the last part of `name`, if there are few enough."""
        last = name.rpartition(".")[2]
        if last in self.rules.common:
            return None
        places = self._named.get(last, ())
        return FoundPlaces(tuple(places), GUESS) if 0 < len(places) <= self.rules.most else None

    # -- relations ---------------------------------------------------------------------------------------------

    def relate(
        self, relations: Relations, choose: Callable[[Use, Sequence[Place]], Sequence[Place]] | None = None
    ) -> int:
        """Add a relation for every use that can be resolved; returns the number of unresolved calls.

        choose  which of several places that fit equally (overloads) a use refers to; default: all
        """
        unknown = 0
        for file, found in self.facts.items():
            known: dict[tuple[int, int, str], list[tuple[Place, str, int]] | None] = {}
            for scope, use, name, _, line in rows_of(found.uses):
                if use not in _KIND:
                    continue
                key = scope, use, name
                if key not in known:
                    known[key] = self._targets(Place(file, scope), Use(scope, use, name, "", line), choose)
                targets = known[key]
                if targets is None:
                    unknown += use == CALL
                    continue
                for target, kind, confidence in targets:
                    relations.add((file, scope), target, kind, line, ALWAYS, confidence)
        return unknown

    def _targets(
        self, source: Place, use: Use, choose: Callable[[Use, Sequence[Place]], Sequence[Place]] | None
    ) -> list[tuple[Place, str, int]] | None:
        """Resolve `use`: target, kind of relation and confidence; None = unknown."""
        hit = self.find(source, use)
        if hit is None or hit.value:
            return None
        targets = []
        for target in choose(use, hit.places) if choose and len(hit.places) > 1 else hit.places:
            if target.definition < 0 or target == source:
                continue  # a module used as a value has its relation by the import already
            is_made = use.kind == CALL and self.kind(target) in TYPES
            targets.append((target, kinds.INSTANTIATE if is_made else _KIND[use.kind], hit.confidence))
        return targets

    def find(self, source: Place, use: Use) -> FoundPlaces | None:
        """The meaning of `use` in `source`."""
        scope = source
        if use.kind == INHERIT:
            scope = next(iter(list(self.around(source))[1:]), source)
        is_apart = use.kind in self.rules.apart or (
            use.kind == CALL and self.rules.calls_apart and "." not in use.name and "()" not in use.name
        )
        hit = self.lookup(scope, use.name, NO_VARIABLE if is_apart else ANY_VARIABLE)
        if hit is None and is_apart and "." in use.name:  # a member of a value
            hit = self.lookup(scope, use.name)
        if hit is None and use.kind == CALL and "." in use.name:
            hit = self.guess(use.name)
        return hit
