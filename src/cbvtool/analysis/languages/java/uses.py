"""Resolver of the uses in one Java file: targets of its calls, and types that its names refer to.

The receiver of a call is typed from left to right: variables by their declared types, calls by the declared result of
the method found. Type arguments are not followed: the type of an element of a `List<T>` is unknown, and a call on it is
at most a guess. JLS n: The Java Language Specification, Java SE 25 Edition, section n.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from cbvtool.analysis import resolution as kinds
from cbvtool.analysis.facts import ALWAYS, ASSIGN, CALL, CREATE, DECLARE, GUESS, INHERIT, REFER, RESOLVED, TYPE
from cbvtool.analysis.languages.java.types import ELSEWHERE, PRIMITIVE, TYPES, UNKNOWN, ChainValue, Types
from cbvtool.analysis.resolution import Outside, Place, Resolution, rows_of

_KIND = {TYPE: kinds.TYPE_USE, CREATE: kinds.INSTANTIATE, INHERIT: kinds.INHERIT}

# Packages of the JDK; much of `javax` does not belong to it.
_STANDARD = (
    "java.",
    "jdk.",
    "sun.",
    "org.w3c.dom.",
    "org.xml.sax.",
    "org.ietf.jgss.",
    "javax.accessibility.",
    "javax.annotation.processing.",
    "javax.crypto.",
    "javax.imageio.",
    "javax.lang.model.",
    "javax.management.",
    "javax.naming.",
    "javax.net.",
    "javax.print.",
    "javax.rmi.",
    "javax.script.",
    "javax.security.",
    "javax.smartcardio.",
    "javax.sound.",
    "javax.sql.",
    "javax.swing.",
    "javax.tools.",
    "javax.transaction.xa.",
    "javax.xml.",
)


class _Part(NamedTuple):
    """A chain, split into its last part and what comes before it.

    left        the chain before the last part; empty if there is only one part
    arguments   number of arguments; None = not a call, -1 = any
    dimensions  array dimensions that indices remove from the value of the last part
    head        the variable, or with `()` the method, at the beginning of the chain; empty for a cast
    """

    left: str
    name: str
    arguments: int | None
    dimensions: int
    head: str


class _Call(NamedTuple):
    """Targets of a call: overloads that fit equally, types named in the chain, types of values, a method to guess."""

    targets: tuple[Place, ...]
    touched: tuple[Place, ...]
    met: tuple[Place, ...] = ()
    guess: Place | None = None


class Reading:
    """Resolves the names in one file, from first line to last; adds relations to `found`."""

    def __init__(self, types: Types, found: Resolution, file: int) -> None:
        self.java, self.file, self.found, self.relations = types, file, found, found.relations
        self.definitions, self.places, self.anchors = (
            types.facts[file].definitions,
            types.places[file],
            types.anchors[file],
        )
        self.around = {row.parent for row in self.definitions}  # definitions that contain others
        self.variables: dict[int, dict[str, str]] = {}  # function -> its variables and their types
        self.extended: dict[int, list[str]] = {}  # definition -> base types of the anonymous classes in it
        # Definition -> chain -> meaning; for the key, see `_seen_from`.
        self.known: dict[int, dict[str, ChainValue]] = defaultdict(dict)
        self.calls: dict[int, dict[str, _Call]] = defaultdict(dict)
        self.types: dict[tuple[int, str], Place | None] = {}
        self.statics: dict[str, tuple[Place, ...]] = {}
        self.related: set[tuple[int, Place]] = set()  # (definition, type of which it uses something)
        # (definition, type of a value that is not named there) -> lines.
        self.met: dict[tuple[int, Place], dict[int, None]] = {}

    def relate(self) -> None:
        """Add the relations of all uses in the file."""
        definitions = self.definitions
        for scope, kind, name, other, line in rows_of(self.java.facts[self.file].uses):
            if kind == CALL:
                self._relate_call(scope, name, line, other)
            elif kind == CREATE and other:
                self._give(scope, self.value(scope, name).targets, other, line)
            elif kind == DECLARE:
                if scope >= 0 and definitions[scope].kind not in TYPES:
                    self._declare(scope, name, other)
            elif kind == ASSIGN:
                self.extended.setdefault(scope, []).append(other)
            elif kind == REFER:
                value = self.value(scope, name)
                if "." not in name and not value.is_value:
                    continue
                for target in value.targets:
                    self._add(scope, target, kinds.REFERENCE, line)
                self._touch(scope, value.touched, line)
                self._meet(scope, value.met, line)
            else:
                self._relate_type(scope, kind, name, line)
        for (scope, place), lines in self.met.items():
            if (scope, place) not in self.related:
                for line in lines:
                    self._add(scope, place, kinds.REFERENCE, line)

    def _declare(self, scope: int, name: str, text: str) -> None:
        """From here on, `name` is a variable of that type in the function `scope`; `-` ends the variable."""
        own = self.variables.setdefault(scope, {})
        if name in self.known[scope] and own.get(name) != text:
            self._forget(scope)
        if text == "-":
            own.pop(name, None)
        else:
            own[name] = text

    def _forget(self, scope: int) -> None:
        """Forget the results for the function `scope` and the definitions in it, whose rows follow its own."""
        for known in (self.known, self.calls):
            for row in [row for row in known if row >= scope] if scope in self.around else [scope]:
                known.pop(row, None)

    def _relate_type(self, scope: int, kind: int, name: str, line: int) -> None:
        java = self.java
        at = self.anchors[self.definitions[scope].parent if kind == INHERIT else scope]
        key = at, name
        if key in self.types:
            place = self.types[key]
        else:
            place = self.types[key] = java.type_in(self.places[at], name.rstrip("[]"))
        if place is None:
            at = self.definitions[scope].parent if kind == INHERIT else scope
            if "." in name and name[0].islower() and self.value(at, name.partition(".")[0]) is UNKNOWN:
                package = package_of(name)
                if package and package not in java.packages:
                    self.found.outside.append(outside(self.file, package, line))
        elif place.definition >= 0:
            self._add(scope, place, _KIND[kind], line)

    def _relate_call(self, scope: int, chain: str, line: int, how: str) -> None:
        """Relate a call. `how`: empty, `implied`, or positions of lambdas and method references (see reader.py)."""
        at = self._seen_from(scope, chain)
        call = self.calls[at].get(chain)
        if call is None:
            call = self._call(at, chain)
            self.calls[at][chain] = call
        written = how != "implied"
        targets = self._taking(call.targets, how) if how and written else call.targets
        if targets:
            own = self.places[scope]  # among fitting overloads, a method rarely calls itself
            target = next((method for method in targets if method != own), None)
            if target is not None:
                self._add(scope, target, kinds.CALL, line)
        self._meet(scope, call.met, line)
        if not written:
            return
        if how:
            self._give(scope, targets, how, line)
        if call.touched:
            self._touch(scope, call.touched, line)
        if call.guess is not None:
            self._add(scope, call.guess, kinds.CALL, line, GUESS)

    def _call(self, scope: int, chain: str) -> _Call:
        """The targets of the call `chain`, seen from `scope` (see `_seen_from`)."""
        java = self.java
        value = self._value(scope, chain)
        left, name, count, _, _ = _part(chain)
        several = len({java.definition(target).type for target in value.targets}) > 1
        result = () if value.type is None or several else (value.type,)
        if not left:
            return _Call(value.targets, value.touched, result)
        base = self._value(scope, left)
        owners = {java.above(target) for target in value.targets}
        touched = tuple(place for place in base.touched if place not in owners)
        if value.targets or base.array:
            return _Call(value.targets, touched, (*base.met, *result))
        if base.type is None:
            return _Call((), touched, base.met, java.guess(name, -1 if count is None else count))
        if base.type.definition >= 0 and base.type not in base.touched:
            touched += (base.type,)
        return _Call((), touched, (*base.met, *result))

    def _taking(self, methods: tuple[Place, ...], functions: str) -> tuple[Place, ...]:
        """The overloads that take lambdas or method references at the positions `functions`; all if there are none."""
        if len(methods) < 2:
            return methods
        positions = [int(position) for position in functions.split(",")]
        return (
            tuple(
                method
                for method in methods
                if all(self.java.functional(method, position) is not None for position in positions)
            )
            or methods
        )

    def _give(self, scope: int, methods: tuple[Place, ...], functions: str, line: int) -> None:
        """Relate lambdas and method references, as arguments, to the interfaces that they implement (JLS 15.27.4)."""
        methods = self._taking(methods, functions)
        for position in functions.split(","):
            places = {self.java.functional(method, int(position)) for method in methods}
            if len(places) == 1:  # with several, only the types of the arguments would decide
                self._meet(scope, filter(None, places), line)

    def _add(self, scope: int, target: Place, kind: str, line: int, confidence: int = RESOLVED) -> None:
        self.relations.add((self.file, scope), target, kind, line, ALWAYS, confidence)
        if confidence != GUESS:
            is_type = self.java.definition(target).kind in TYPES
            self.related.add((scope, target if is_type else self.java.above(target)))

    def _touch(self, scope: int, places: Iterable[Place], line: int) -> None:
        """Add references to types, except enclosing ones: a type's use of its own fields is not a relation."""
        for place in places:
            if place.definition >= 0 and not self._is_around(scope, place):
                self._add(scope, place, kinds.REFERENCE, line)

    def _meet(self, scope: int, places: Iterable[Place], line: int) -> None:
        """Record types of unnamed values: they become references if `scope` uses nothing else of the type."""
        for place in places:
            if place.definition >= 0 and not self._is_around(scope, place):
                self.met.setdefault((scope, place), {})[line] = None

    def _is_around(self, scope: int, place: Place) -> bool:
        if place.file != self.file:
            return False
        while scope >= 0 and scope != place.definition:
            scope = self.definitions[scope].parent
        return scope >= 0

    def _seen_from(self, scope: int, chain: str) -> int:
        """The innermost definition, `scope` or one around it, on which the meaning of the chain may depend."""
        head = _part(chain).head
        while self.anchors[scope] != scope and scope not in self.extended and head not in self.variables.get(scope, ()):
            scope = self.definitions[scope].parent
        return scope

    def value(self, scope: int, chain: str) -> ChainValue:
        """The meaning of the chain in the definition `scope` of this file."""
        return self._value(self._seen_from(scope, chain), chain)

    def _value(self, scope: int, chain: str) -> ChainValue:
        """As `value`, for a `scope` from `_seen_from`; all parts of a chain have the same one."""
        known = self.known[scope]
        found = known.get(chain)
        if found is None:
            known[chain] = UNKNOWN  # guards against `var x = x.f()`
            part = _part(chain)
            found = known[chain] = self._member(scope, part) if part.left else self._head(scope, chain)
        return found

    def _head(self, scope: int, text: str) -> ChainValue:
        """The meaning of the first part of a chain."""
        java = self.java
        if text[0] == "(":
            name, _, behind = text[1:].partition(")")
            value = java.value_of_type(self.places[scope], name)
            return value._replace(array=value.array - behind.count("[]"))
        _, name, count, dimensions, _ = _part(text)
        if name in ("this", "super"):
            own = self._own_type(scope)
            if own is None:
                return UNKNOWN
            place = own if name == "this" else java.superclass(own)
            if count is None or place == ELSEWHERE:
                return ChainValue(place)
            return ChainValue(None, targets=self._constructors(place, count))
        value = self._variable(scope, name) if count is None else self._bare_call(scope, name, count)
        return value._replace(array=value.array - dimensions) if dimensions else value

    def _constructors(self, place: Place, count: int) -> tuple[Place, ...]:
        name = self.java.definition(place).name
        return self.java.method(place, name, count) if name in self.java.methods[place] else ()

    def _own_type(self, scope: int) -> Place | None:
        while scope >= 0 and self.definitions[scope].kind not in TYPES:
            scope = self.definitions[scope].parent
        return self.places[scope] if scope >= 0 else None

    def _scopes(self, scope: int) -> Iterator[tuple[Place, bool]]:
        """The enclosing definitions, innermost first, and whether each is a type."""
        while scope >= 0:
            yield self.places[scope], self.definitions[scope].kind in TYPES
            scope = self.definitions[scope].parent

    def _variable(self, scope: int, name: str) -> ChainValue:
        """The meaning of a simple name that is not a call: a variable, or else a type (JLS 6.4.2)."""
        java = self.java
        for place, is_type in self._scopes(scope):
            if not is_type:
                own = self.variables.get(place.definition)
                if own is not None and name in own:
                    return self._of_variable(place, own[name])
            elif hit := java.field(place, name):
                return self._inherited(name, *hit) if hit[0] != place else java.value_of_type(*hit)
        for imported in self._static_imports(name):
            if hit := java.field(imported, name):
                return _met(java.value_of_type(*hit)._replace(touched=(hit[0],)))
        for base in self._anonymous(scope):
            if hit := java.field(base, name):
                return self._inherited(name, *hit)
        found = java.type_in(self.places[scope], name)
        if found is None:
            return UNKNOWN
        return ChainValue(found, is_value=False, touched=() if found == ELSEWHERE else (found,))

    def _inherited(self, name: str, owner: Place, text: str) -> ChainValue:
        """The value of an inherited field by its bare name: no use of another class, unless it is a constant."""
        value = _met(self.java.value_of_type(owner, text))
        is_constant = name.isupper() and (text == "String" or text in PRIMITIVE)  # JLS 4.12.4
        return value._replace(touched=(owner,)) if is_constant else value

    def _of_variable(self, place: Place, text: str) -> ChainValue:
        if text.startswith("="):
            value = self.value(place.definition, text[1:])
            return ChainValue(value.type, value.array) if value.is_value else UNKNOWN
        return self.java.value_of_type(place, text)

    def _bare_call(self, scope: int, name: str, count: int) -> ChainValue:
        """A call without a receiver: the innermost type that has a method of that name (JLS 15.12.1), or an import."""
        java = self.java
        for place, is_type in self._scopes(scope):
            if is_type:
                if found := java.method(place, name, count):
                    return self._called(found)
            elif f"{name}()" in self.variables.get(place.definition, ()):
                return ChainValue(ELSEWHERE)  # the call is to a method of an anonymous class
        for place in (*self._anonymous(scope), *self._static_imports(name)):
            if found := java.method(place, name, count):
                return self._called(found)
        return UNKNOWN

    def _called(self, methods: tuple[Place, ...]) -> ChainValue:
        """The result of calling the first of these methods."""
        result = self.java.definition(methods[0]).type
        value = self.java.value_of_type(methods[0], result) if result else UNKNOWN
        return value._replace(targets=methods)

    def _anonymous(self, scope: int) -> Iterator[Place]:
        """The base types of anonymous classes in and around `scope` that are below the folder."""
        for place, _ in self._scopes(scope):
            for name in self.extended.get(place.definition, ()):
                found = self.java.type_in(place, name)
                if found is not None and found != ELSEWHERE:
                    yield found

    def _static_imports(self, name: str) -> tuple[Place, ...]:
        """Types of which `name` may be a member, by `import static` (JLS 7.5.3, 7.5.4)."""
        found = self.statics.get(name)
        if found is None:
            single, demand = self.java.imports_of(self.file)
            named = [
                self.java.named(self.file, statement.module)
                for statement in (*single.get(name, ()), *demand)
                if statement.form == "static"
            ]
            found = self.statics[name] = tuple(place for place, complete in named if place and complete)
        return found

    def _member(self, scope: int, part: _Part) -> ChainValue:
        """A member of the value or type that the left part of the chain refers to."""
        java = self.java
        left, name, count, dimensions, _ = part
        base = self._value(scope, left)
        if name == "new" and count is not None and base.type is not None and base.type.definition >= 0:
            return ChainValue(base.type, targets=self._constructors(base.type, count))
        if name == "class" and count is None:  # JLS 15.8.2
            return ChainValue(java.standard(self.file, "Class") or ELSEWHERE, touched=base.touched)
        if base.type is None:
            place, complete = (
                java.named(self.file, f"{left}.{name}") if count is None and "(" not in left else (None, False)
            )
            if place and complete:
                return ChainValue(place, is_value=False, touched=(place,))
        if base.type is None or base.array or base.type.definition < 0:
            return UNKNOWN._replace(touched=base.touched, met=base.met) if count is None else UNKNOWN
        if name == "this" and count is None:
            return ChainValue(base.type)
        if name == "super" and count is None:
            is_interface = java.definition(base.type).kind == "interface"
            return ChainValue(base.type if is_interface else java.superclass(base.type))
        if count is None:
            value = self._field(base, name)
        else:
            found = java.method(base.type, name, count)
            if found and not self._is_accessor(base.type, name, count, found):
                value = self._called(found)
            else:
                value = self._implicit(base, name, count)
        return value._replace(array=value.array - dimensions) if dimensions else value

    def _is_accessor(self, record: Place, name: str, count: int, found: tuple[Place, ...]) -> bool:
        """Whether the record has this implicit accessor, and `found` has only methods of its interfaces."""
        java = self.java
        return count <= 0 and record in java.records and name in java.fields[record] and java.above(found[0]) != record

    def _field(self, base: ChainValue, name: str) -> ChainValue:
        """A field of a value, or a field or type in a type."""
        java = self.java
        assert base.type is not None
        if hit := java.field(base.type, name):
            value = java.value_of_type(*hit)
            return _met(value, base)._replace(touched=(*base.touched, hit[0]))
        if not base.is_value and (place := java.member_type(base.type, name)):
            return ChainValue(place, is_value=False, touched=(place,))
        return UNKNOWN._replace(touched=base.touched, met=base.met)

    def _implicit(self, base: ChainValue, name: str, count: int) -> ChainValue:
        """The result of an implicit method: a record's accessor (JLS 8.10.3), an enum's `values` (JLS 8.9.3)."""
        assert base.type is not None
        if count <= 0 and (hit := self.java.field(base.type, name)):
            return self.java.value_of_type(*hit)
        if name in ("values", "valueOf") and self.java.definition(base.type).kind == "enum":
            return ChainValue(base.type, array=int(name == "values"))
        return UNKNOWN


def _met(value: ChainValue, base: ChainValue = UNKNOWN) -> ChainValue:
    """The value, taken from `base`, with its type added to `met`, because the type is not named here."""
    return value._replace(met=(*base.met, value.type) if value.type is not None else base.met)


@lru_cache(1 << 16)
def _part(chain: str) -> _Part:
    """The chain, split as in `_Part`."""
    left, member = _split(chain)
    name, count, dimensions = _parse(member)
    own = "" if chain[0] == "(" else name if count is None else f"{name}()"
    return _Part(left, name, count, dimensions, _part(left).head if left else own)


def _parse(part: str) -> tuple[str, int | None, int]:
    """Name, number of arguments (None = not a call, -1 = any) and removed dimensions of a part of a chain."""
    found = _PART.fullmatch(part)
    if found is None:
        return part, None, 0
    count = None if found[2] is None else -1 if found[2] == "?" else int(found[2])
    return found[1], count, len(found[3]) // 2


_PART = re.compile(r"([^()\[\]]*)(?:\((\d+|\?)\))?((?:\[\])*)")


def _split(chain: str) -> tuple[str, str]:
    """(the chain without its last part, the last part); the former is empty if there is only one part."""
    start = chain.find(")") + 1 if chain.startswith("(") else 0
    cut = chain.rfind(".", start)
    return (chain[:cut], chain[cut + 1 :]) if cut >= 0 else ("", chain)


def outside(file: int, package: str, line: int) -> Outside:
    """The use of a package outside the folder."""
    return Outside(file, package, line, standard=f"{package}.".startswith(_STANDARD))


def package_of(name: str) -> str:
    """The package in a full name; by convention, names of types begin with a capital. Else all but the last part."""
    parts = name.split(".")
    first = next((i for i, part in enumerate(parts) if part[:1].isupper()), len(parts) - 1)
    return ".".join(parts[:first])
