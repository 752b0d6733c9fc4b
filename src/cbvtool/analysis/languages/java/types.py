"""Types in Java sources, their members and base types, by the rules of The Java Language Specification.

JLS n: Java SE 25 Edition, section n. A type's name is looked up in the enclosing scopes, then in single-type imports,
in the same file, in the same package, in imports on demand, and in java.lang (JLS 6.4.1, 7.5).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from cbvtool.analysis.circular import Circular, Memo, Searches
from cbvtool.analysis.facts import DECLARE, INHERIT, Definition, FileFacts, Import, seen_elsewhere
from cbvtool.analysis.marks import Module, Record
from cbvtool.analysis.names import MOST_ANCESTORS
from cbvtool.analysis.resolution import Place, rows_of

TYPES = frozenset({"class", "interface", "enum"})
PRIMITIVE = frozenset({"boolean", "byte", "char", "double", "float", "int", "long", "short"})
_DECLARED = frozenset({DECLARE, INHERIT})
ELSEWHERE = Place(-1, -1)  # stands for a type outside the folder

# Methods of common external types: a guess by these names would be wrong most of the time.
_COMMON = frozenset(
    {
        "accept",
        "add",
        "addAll",
        "allMatch",
        "andThen",
        "anyMatch",
        "append",
        "apply",
        "asList",
        "charAt",
        "clear",
        "close",
        "collect",
        "compare",
        "compareTo",
        "compute",
        "computeIfAbsent",
        "contains",
        "containsAll",
        "containsKey",
        "containsValue",
        "copy",
        "count",
        "create",
        "delete",
        "distinct",
        "endsWith",
        "entrySet",
        "equals",
        "error",
        "execute",
        "exists",
        "filter",
        "find",
        "findAny",
        "findFirst",
        "first",
        "flatMap",
        "flush",
        "forEach",
        "format",
        "from",
        "get",
        "getBytes",
        "getClass",
        "getKey",
        "getMessage",
        "getName",
        "getOrDefault",
        "getType",
        "getValue",
        "hasNext",
        "hashCode",
        "id",
        "ifPresent",
        "indexOf",
        "info",
        "init",
        "intValue",
        "isEmpty",
        "isPresent",
        "iterator",
        "join",
        "keySet",
        "last",
        "length",
        "limit",
        "list",
        "load",
        "lock",
        "log",
        "map",
        "mapToInt",
        "match",
        "matches",
        "max",
        "merge",
        "min",
        "name",
        "next",
        "noneMatch",
        "notify",
        "of",
        "offer",
        "open",
        "or",
        "orElse",
        "orElseGet",
        "orElseThrow",
        "ordinal",
        "parse",
        "peek",
        "poll",
        "pop",
        "print",
        "printf",
        "println",
        "process",
        "push",
        "put",
        "putAll",
        "putIfAbsent",
        "read",
        "remove",
        "removeAll",
        "removeIf",
        "replace",
        "reset",
        "reverse",
        "run",
        "save",
        "send",
        "set",
        "setValue",
        "size",
        "skip",
        "sort",
        "sorted",
        "split",
        "start",
        "startsWith",
        "stop",
        "stream",
        "subList",
        "submit",
        "substring",
        "sum",
        "test",
        "toArray",
        "toList",
        "toLowerCase",
        "toString",
        "toUpperCase",
        "trim",
        "type",
        "unlock",
        "update",
        "value",
        "valueOf",
        "values",
        "wait",
        "warn",
        "write",
    }
)


def offered(found: FileFacts) -> FileFacts:
    """See `Reader`: all uses except inherited types, fields, and parameter types of methods are left out."""
    definitions = found.definitions
    left = [row.parameters for row in definitions]
    seen: list[tuple[int, int, str, str, int]] = []
    for scope, kind, name, other, _ in rows_of(found.uses, _DECLARED):
        if kind == INHERIT or (scope >= 0 and definitions[scope].kind in TYPES):
            seen.append((scope, kind, name, other, 0))
        elif scope >= 0 and (left[scope] > 0 or other.endswith("...")):
            is_parameter = other != "-" and not name.endswith("()")
            left[scope] -= is_parameter
            seen.append((scope, kind, "" if is_parameter else name, other, 0))
    return seen_elsewhere(found, seen)


class ChainValue(NamedTuple):
    """The meaning of a chain.

    type      the type that it names, or the type of its value; None = not known
    array     array dimensions of the value
    is_value  whether it has a value; otherwise it names a type
    targets   the called methods, or the constructor
    touched   types whose fields or names it uses, after the last call before its end
    met       types of values of its fields that are not named in the chain
    """

    type: Place | None
    array: int = 0
    is_value: bool = True
    targets: tuple[Place, ...] = ()
    touched: tuple[Place, ...] = ()
    met: tuple[Place, ...] = ()


UNKNOWN = ChainValue(None)


class Types:
    """All types in the Java files of a folder.

    tops                    top-level types by package and name
    packages                files by package
    inner                   types inside types and methods
    methods, fields         of types; types of fields as written
    written_bases           types that each type extends and implements, as written
    modules                 module -> file that declares it
    records                 types that are records
    places, anchors         by file: the place of each definition, and the innermost scope in which names of types are
                            looked up; the last entry is that of the file itself, row -1
    demanded                by file: the other files for which imports on demand were needed, and the lines of these
                            imports
    """

    def __init__(self, paths: Sequence[str], facts: Mapping[int, FileFacts]) -> None:
        self.paths, self.facts = paths, facts
        self.tops: dict[tuple[str, str], list[Place]] = defaultdict(list)
        self.packages: dict[str, list[int]] = defaultdict(list)
        self.inner: dict[Place, dict[str, Place]] = defaultdict(dict)
        self.methods: dict[Place, dict[str, list[Place]]] = defaultdict(dict)
        self.fields: dict[Place, dict[str, str]] = defaultdict(dict)
        self.written_bases: dict[Place, list[str]] = defaultdict(list)
        self.modules: dict[str, int] = {}
        self.records: set[Place] = set()
        self.places: dict[int, list[Place]] = {}
        self.anchors: dict[int, list[int]] = {}
        self.demanded: dict[int, set[tuple[int, int]]] = defaultdict(set)
        self._open_ended: set[Place] = set()  # methods with variable arguments
        self._by_name: dict[str, list[Place]] = defaultdict(list)  # methods of types, for guesses
        searches = Searches()
        self._types = Circular[tuple[Place, str], Place | None](searches)
        self._bases = Circular[Place, tuple[Place, ...]](searches)
        self._lines = Memo[Place, tuple[Place, ...]](searches)
        self._fields_of: dict[Place, tuple[tuple[Place, dict[str, str]], ...]] = {}
        self._inner_of: dict[Place, tuple[dict[str, Place], ...]] = {}
        self._methods: dict[tuple[Place, str, int], tuple[Place, ...]] = {}
        self._nearest: dict[tuple[int, tuple[str, str]], Place] = {}
        self._parameters: dict[int, dict[int, list[str]]] = {}
        self._imports: dict[int, tuple[dict[str, list[Import]], list[Import]]] = {}
        for file, found in facts.items():
            self._enter(file, found)

    def _enter(self, file: int, found: FileFacts) -> None:
        """Index the declarations of the file."""
        definitions = found.definitions
        places = self.places[file] = [Place(file, row) for row in range(len(definitions))] + [Place(file)]
        self.packages[found.package].append(file)
        for place, definition in zip(places, definitions, strict=False):
            parent = definition.parent
            if definition.kind in TYPES:
                if parent < 0:
                    self.tops[found.package, definition.name].append(place)
                else:
                    self.inner[places[parent]].setdefault(definition.name, place)
            elif parent >= 0:
                self.methods[places[parent]].setdefault(definition.name, []).append(place)
                self._by_name[definition.name].append(place)
        anchors = self.anchors[file] = []
        for place, definition in zip(places, definitions, strict=False):
            own = definition.kind in TYPES or place in self.inner
            anchors.append(place.definition if own else anchors[definition.parent] if definition.parent >= 0 else -1)
        anchors.append(-1)
        stem = self.paths[file].rpartition("/")[2].removesuffix(".java")
        if not self.tops.get((found.package, stem)) and "-" not in stem:
            self.tops[found.package, stem].append(Place(file))  # only its imports were read, or it has a syntax error
        for mark in found.marks:
            if isinstance(mark, Module):
                self.modules[mark.name] = file
            elif isinstance(mark, Record):
                self.records.add(Place(file, mark.row))
        for scope, kind, name, other, _ in rows_of(found.uses, _DECLARED):
            if kind == DECLARE and scope >= 0:
                if definitions[scope].kind in TYPES:
                    self.fields[places[scope]].setdefault(name, other)
                elif other.endswith("..."):
                    self._open_ended.add(places[scope])
            elif kind == INHERIT:
                self.written_bases[places[scope]].append(name)

    def definition(self, place: Place) -> Definition:
        """The definition at `place`, which is not a file."""
        return self.facts[place.file].definitions[place.definition]

    def above(self, place: Place) -> Place:
        """The definition, or finally the file, around the definition at `place`."""
        return self.places[place.file][self.definition(place).parent]

    # -- types -------------------------------------------------------------------------------------------------------

    def named(self, file: int, name: str) -> tuple[Place | None, bool]:
        """The type with that full name, as seen from `file`.

        The second value says whether it is this type itself, or only one around it.
        """
        parts = name.split(".")
        for i in range(len(parts) - 1, -1, -1):
            key = ".".join(parts[:i]), parts[i]
            if key in self.tops:
                place = self.nearest(file, key)
                for part in parts[i + 1 :]:
                    inner = self.member_type(place, part)
                    if inner is None:
                        return place, False
                    place = inner
                return place, True
        return None, False

    def nearest(self, file: int, key: tuple[str, str]) -> Place:
        """Of several top-level types with one name: the one nearest to `file` by folders, preferably not a test."""
        places = self.tops[key]
        if len(places) == 1:
            return places[0]
        found = self._nearest.get((file, key))
        if found is None:
            here = self.paths[file].split("/")
            found = self._nearest[file, key] = min(places, key=lambda place: _distance(here, self.paths[place.file]))
        return found

    def type_in(self, scope: Place, name: str) -> Place | None:
        """The type that the dotted `name` refers to in `scope` (JLS 6.5.5); None = none below the folder."""
        scope = self.places[scope.file][self.anchors[scope.file][scope.definition]]
        return self._types.find_or(None, (scope, name), self._type_in)

    def _type_in(self, key: tuple[Place, str]) -> Place | None:
        scope, name = key
        head, dot, rest = name.partition(".")
        found = self._simple_type(scope, head)
        if dot:
            if found is not None and found != ELSEWHERE:
                for part in rest.split("."):
                    found = self.member_type(found, part) if found else None
            elif found is None:
                full, complete = self.named(scope.file, name)
                found = full if complete else None
        return found

    def _simple_type(self, scope: Place, name: str) -> Place | None:
        if scope.definition < 0:
            return self._type_at_top(scope.file, name)
        definition = self.definition(scope)
        if definition.kind not in TYPES:
            found = self.inner[scope].get(name) if scope in self.inner else None
        elif definition.name == name:
            return scope
        else:
            found = self.member_type(scope, name)
        return found or self.type_in(self.places[scope.file][definition.parent], name)

    def _type_at_top(self, file: int, name: str) -> Place | None:
        """The type for a simple name, as seen outside of the types of the file (JLS 6.4.1, 7.5)."""
        single, demand = self.imports_of(file)
        for statement in single.get(name, ()):
            found, complete = self.named(file, statement.module)
            if statement.form:
                found = self.member_type(found, name) if found else None
            elif not complete:
                return ELSEWHERE
            if found:
                return found
        package = self.facts[file].package
        if (package, name) in self.tops:
            return self.nearest(file, (package, name))
        for statement in demand:
            if not statement.form and (statement.module, name) in self.tops:
                found = self.nearest(file, (statement.module, name))
                self.demanded[file].add((found.file, statement.line))
                return found
            around, complete = self.named(file, statement.module)
            found = self.member_type(around, name) if around and complete else None
            if found:
                return found
        return self.standard(file, name)

    def standard(self, file: int, name: str) -> Place | None:
        """The type of that name in `java.lang`, as seen from `file`; it is below the folder only in the JDK itself."""
        return self.nearest(file, ("java.lang", name)) if ("java.lang", name) in self.tops else None

    def imports_of(self, file: int) -> tuple[dict[str, list[Import]], list[Import]]:
        """(simple name -> imports that declare it, imports on demand)."""
        known = self._imports.get(file)
        if known is None:
            single: dict[str, list[Import]] = defaultdict(list)
            demand: list[Import] = []
            for statement in self.facts[file].imports:
                if statement.form == "module":
                    continue
                if statement.names == ("*",):
                    demand.append(statement)
                else:
                    name = statement.names[0] if statement.names else statement.module.rpartition(".")[2]
                    single[name].append(statement)
            known = self._imports[file] = single, demand
        return known

    def member_type(self, place: Place, name: str) -> Place | None:
        """The type `name` that the type at `place` declares or inherits."""
        own = self.inner[place].get(name) if place in self.inner else None
        if own is not None or place.definition < 0:
            return own
        known = self._inner_of.get(place)
        if known is None:
            known = tuple(self.inner[above] for above in self.line(place) if above in self.inner)
            if place in self._lines.known:
                self._inner_of[place] = known
        return next((types[name] for types in known if name in types), None)

    def bases(self, place: Place) -> tuple[Place, ...]:
        """The explicit base types of the type at `place` that are below the folder, in order."""
        return self._bases.find_or((), place, self._bases_of) if place in self.written_bases else ()

    def _bases_of(self, place: Place) -> tuple[Place, ...]:
        scope = self.above(place)
        hits = [self.type_in(scope, name) for name in self.written_bases[place]]
        return tuple(hit for hit in hits if hit and hit != place and hit.definition >= 0)

    def line(self, place: Place) -> tuple[Place, ...]:
        """The type at `place` and all its base types, superclasses before their interfaces, each once."""
        return self._lines.find(place, self._line_of)

    def _line_of(self, place: Place) -> tuple[Place, ...]:
        order = {place: None}
        todo = list(reversed(self.bases(place)))
        while todo and len(order) < MOST_ANCESTORS:
            above = todo.pop()
            if above not in order:
                order[above] = None
                todo += reversed(self.bases(above))
        return (*order, *self.implicit_bases(place))

    def implicit_bases(self, place: Place) -> Iterator[Place]:
        """The implicit base types of the type at `place` (JLS 8.1.4, 8.9, 8.10).

        They are below the folder only in the JDK itself.
        """
        if place.definition >= 0:
            kind = self.definition(place).kind
            for name in (
                *(["Enum"] if kind == "enum" else []),
                *(["Record"] if place in self.records else []),
                "Object",
            ):
                yield from self.tops.get(("java.lang", name), ())[:1]

    def superclass(self, place: Place) -> Place:
        """The class that the class at `place` extends; `ELSEWHERE` = none below the folder."""
        return next((base for base in self.bases(place) if self.definition(base).kind == "class"), ELSEWHERE)

    def value_of_type(self, scope: Place, text: str) -> ChainValue:
        """A value of the type that is declared in `scope` by `text` (see java/reader.py)."""
        name = text.rstrip("[].")
        if not name:
            return UNKNOWN
        array = text.count("[]", len(name)) + text.endswith("...")
        return ChainValue(self.type_in(scope, name) or ELSEWHERE, array)

    # -- members -----------------------------------------------------------------------------------------------------

    def field(self, place: Place, name: str) -> tuple[Place, str] | None:
        """The type that declares the field `name` of the type at `place`, and the field's type as written."""
        known = self._fields_of.get(place)
        if known is None:
            known = tuple((above, self.fields[above]) for above in self.line(place) if above in self.fields)
            if place in self._lines.known:
                self._fields_of[place] = known
        for above, fields in known:
            if name in fields:
                return above, fields[name]
        return None

    def method(self, place: Place, name: str, count: int) -> tuple[Place, ...]:
        """The methods `name` of the type at `place` for `count` arguments (-1: any number), own or inherited.

        All are of one type, the nearest with a method that takes `count` arguments, or else the nearest with the
        name. Methods with exactly `count` parameters exclude the others.
        """
        key = place, name, count
        found = self._methods.get(key)
        if found is None:
            owners = [at for at in self.line(place) if at in self.methods and name in self.methods[at]]
            levels = [self.methods[at][name] for at in self._overriding_first(owners)]
            fitting = ([method for method in level if self.takes(method, count)] for level in levels)
            found = tuple(next(filter(None, fitting), levels[0] if levels else ()))
            exact = tuple(method for method in found if self.definition(method).parameters == count)
            found = self._methods[key] = exact or found
        return found

    def _overriding_first(self, types: list[Place]) -> list[Place]:
        """The types in the same order, except that base types of other ones come last."""
        if len(types) < 2:
            return types
        return sorted(types, key=lambda at: any(at != below and at in self.line(below) for below in types))

    def takes(self, method: Place, count: int) -> bool:
        """Whether the method can be called with `count` arguments; a negative count fits any method."""
        wanted = self.definition(method).parameters
        if wanted == count or count < 0:
            return True
        return method in self._open_ended and count >= wanted - 1

    def parameter(self, method: Place, position: int) -> str:
        """The declared type of the parameter for the argument at `position`; empty = not known."""
        found = self._parameters.get(method.file)
        if found is None:
            definitions = self.facts[method.file].definitions
            found = self._parameters[method.file] = defaultdict(list)
            for scope, kind, name, other, _ in rows_of(self.facts[method.file].uses):
                if kind == DECLARE and scope >= 0 and other != "-" and not name.endswith("()"):
                    types = found[scope]  # the first variables of a method are its parameters
                    if len(types) < definitions[scope].parameters:
                        types.append(other)
        types = found.get(method.definition, [])
        if position >= len(types) and method in self._open_ended:
            position = len(types) - 1
        return types[position].removesuffix("...") if position < len(types) else ""

    def functional(self, method: Place, position: int) -> Place | None:
        """The interface that a lambda or method reference at `position` implements.

        `ELSEWHERE`: perhaps an external one. None = this parameter accepts no lambda.
        """
        text = self.parameter(method, position)
        if text in PRIMITIVE or text.endswith("]"):
            return None
        found = self.value_of_type(method, text).type
        if found is None or found.definition < 0:
            return ELSEWHERE
        return found if self.definition(found).kind == "interface" else None

    def guess(self, name: str, count: int) -> Place | None:
        """The method of that name, if there is exactly one and the name is specific enough."""
        places = self._by_name.get(name, ())
        return places[0] if len(places) == 1 and name not in _COMMON and self.takes(places[0], count) else None


def _distance(here: list[str], path: str) -> tuple[int, bool, int, str]:
    """Distance of a file from the one at `here`: more shared folders come first; tests and deep files last."""
    parts = path.split("/")
    shared = next((i for i, (a, b) in enumerate(zip(here, parts, strict=False)) if a != b), min(len(here), len(parts)))
    return -shared, "test" in parts, len(parts), path
