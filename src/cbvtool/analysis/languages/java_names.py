"""What the names in Java sources mean, by the rules of The Java Language Specification (JLS, Java SE 25 Edition).

Types, variables and methods have separate scopes (JLS 6.3, 6.5), so Java has a resolver of its own. A type is what the
scopes around say, then single-type imports, the types of the same file, of the same package, of imports on demand, and
of java.lang (JLS 6.4.1, 7.5). The receiver of a call is typed from left to right: variables by their declared types,
calls by the declared result of the method found. Type arguments are not followed: what comes out of a `List<T>` is not
known, and a call on it is at most a guess.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from cbvtool.analysis import resolution as kinds
from cbvtool.analysis.facts import (
    ALWAYS,
    ASSIGN,
    CALL,
    CREATE,
    DECLARE,
    EXACT,
    GUESS,
    INHERIT,
    REFER,
    RESOLVED,
    TYPE,
    Definition,
    FileFacts,
    Import,
)  # fmt: skip
from cbvtool.analysis.resolution import Folder, Outside, Place, Resolution, rows_of

TYPES = frozenset({"class", "interface", "enum"})
_ELSEWHERE = Place(-1, -1)  # the type is known not to be below the folder
_KIND = {TYPE: kinds.TYPE_USE, CREATE: kinds.INSTANTIATE, INHERIT: kinds.INHERIT}

# What comes with the JDK; `javax` holds much that does not.
_STANDARD = (
    "java.", "jdk.", "sun.", "org.w3c.dom.", "org.xml.sax.", "org.ietf.jgss.", "javax.accessibility.",
    "javax.annotation.processing.", "javax.crypto.", "javax.imageio.", "javax.lang.model.", "javax.management.",
    "javax.naming.", "javax.net.", "javax.print.", "javax.rmi.", "javax.script.", "javax.security.",
    "javax.smartcardio.", "javax.sound.", "javax.sql.", "javax.swing.", "javax.tools.", "javax.transaction.xa.",
    "javax.xml.",
)  # fmt: skip
# Methods of types that nearly every program has from outside: a guess by these names would be wrong most of the time.
_COMMON = frozenset({
    "accept", "add", "addAll", "allMatch", "andThen", "anyMatch", "append", "apply", "asList", "charAt", "clear",
    "close", "collect", "compare", "compareTo", "compute", "computeIfAbsent", "contains", "containsAll",
    "containsKey", "containsValue", "copy", "count", "create", "delete", "distinct", "endsWith", "entrySet", "equals",
    "error", "execute", "exists", "filter", "find", "findAny", "findFirst", "first", "flatMap", "flush", "forEach",
    "format", "from", "get", "getBytes", "getClass", "getKey", "getMessage", "getName", "getOrDefault", "getType",
    "getValue", "hasNext", "hashCode", "id", "ifPresent", "indexOf", "info", "init", "intValue", "isEmpty",
    "isPresent", "iterator", "join", "keySet", "last", "length", "limit", "list", "load", "lock", "log", "map",
    "mapToInt", "match", "matches", "max", "merge", "min", "name", "next", "noneMatch", "notify", "of", "offer",
    "open", "or", "orElse", "orElseGet", "orElseThrow", "ordinal", "parse", "peek", "poll", "pop", "print", "printf",
    "println", "process", "push", "put", "putAll", "putIfAbsent", "read", "remove", "removeAll", "removeIf",
    "replace", "reset", "reverse", "run", "save", "send", "set", "setValue", "size", "skip", "sort", "sorted",
    "split", "start", "startsWith", "stop", "stream", "subList", "submit", "substring", "sum", "test", "toArray",
    "toList", "toLowerCase", "toString", "toUpperCase", "trim", "type", "unlock", "update", "value", "valueOf",
    "values", "wait", "warn", "write",
})  # fmt: skip


class Value(NamedTuple):
    """What a chain means.

    type      the type that it names, or that its value has; None = not known
    array     dimensions of the array that the value is
    is_value  it has a value: it does not name a type
    targets   the methods called, or the constructor
    touched   types whose fields or names were used on the way, after the last call before
    """

    type: Place | None
    array: int = 0
    is_value: bool = True
    targets: tuple[Place, ...] = ()
    touched: tuple[Place, ...] = ()


_UNKNOWN = Value(None)


class _Part(NamedTuple):
    """A chain, taken apart: what comes before the last part, and that.

    left        empty if there is but one part
    arguments   number of arguments; None = no call, -1 = any
    dimensions  taken off the value of the last part
    head        the variable, or with `()` the method, that the chain begins with; empty for a cast
    """

    left: str
    name: str
    arguments: int | None
    dimensions: int
    head: str


class _Call(NamedTuple):
    """What a call leads to: methods of equal right, types that are named on the way, a method to guess."""

    targets: tuple[Place, ...]
    touched: tuple[Place, ...]
    guess: Place | None


def resolve(folder: Folder, facts: Mapping[int, FileFacts]) -> Resolution:
    """Relations between the files and definitions of `facts`, by row of `folder.paths`."""
    return _Java(folder, facts).resolution()


class _Java:
    """All Java files of a folder."""

    def __init__(self, folder: Folder, facts: Mapping[int, FileFacts]) -> None:
        self.paths, self.facts = folder.paths, facts
        self.found = Resolution()
        self.tops: dict[tuple[str, str], list[Place]] = defaultdict(list)  # top-level types by package and name
        self.packages: dict[str, list[int]] = defaultdict(list)  # files
        self.inner: dict[Place, dict[str, Place]] = defaultdict(dict)  # types in types and methods
        self.methods: dict[Place, dict[str, list[Place]]] = defaultdict(dict)
        self.fields: dict[Place, dict[str, str]] = defaultdict(dict)
        self.written_bases: dict[Place, list[str]] = defaultdict(list)
        self.open_ended: set[Place] = set()  # methods with variable arguments
        self.by_name: dict[str, list[Place]] = defaultdict(list)  # methods of types, for guesses
        self.modules: dict[str, int] = {}
        self.records: set[Place] = set()
        # By file; the last entry stands for the file itself, so that its row, -1, finds it.
        self.places: dict[int, list[Place]] = {}
        self.anchors: dict[int, list[int]] = {}  # the innermost definition that types are looked for in
        self._types: dict[tuple[Place, str], Place | None] = {}
        self._bases: dict[Place, tuple[Place, ...]] = {}
        self._lines: dict[Place, tuple[Place, ...]] = {}
        self._fields_of: dict[Place, tuple[tuple[Place, dict[str, str]], ...]] = {}
        self._inner_of: dict[Place, tuple[dict[str, Place], ...]] = {}
        self._methods: dict[tuple[Place, str, int], tuple[Place, ...]] = {}
        self._nearest: dict[tuple[int, tuple[str, str]], Place] = {}
        self._imports: dict[int, tuple[dict[str, list[Import]], list[Import]]] = {}
        self._demanded: set[tuple[int, int, int]] = set()  # file, file, line of the import on demand
        self._parts: dict[str, _Part] = {}
        self._busy: set[object] = set()
        self._cut = 0  # how often a search was cut short because it came back to its beginning
        for file, found in facts.items():
            self._enter(file, found)
        self.others = _other_sources(folder.paths)

    def _enter(self, file: int, found: FileFacts) -> None:
        """Note what the file declares."""
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
                self.by_name[definition.name].append(place)
        anchors = self.anchors[file] = []
        for place, definition in zip(places, definitions, strict=False):
            own = definition.kind in TYPES or place in self.inner
            anchors.append(place.definition if own else anchors[definition.parent] if definition.parent >= 0 else -1)
        anchors.append(-1)
        stem = self.paths[file].rpartition("/")[2].removesuffix(".java")
        if not self.tops.get((found.package, stem)) and "-" not in stem:
            self.tops[found.package, stem].append(Place(file))  # read for its imports only, or with a syntax error
        for mark in found.marks:
            what, _, which = mark.partition(" ")
            if what == "module":
                self.modules[which] = file
            else:
                self.records.add(Place(file, int(which)))
        for scope, kind, name, other, _ in rows_of(found.uses):
            if kind == DECLARE and scope >= 0:
                if definitions[scope].kind in TYPES:
                    self.fields[places[scope]].setdefault(name, other)
                elif other.endswith("..."):
                    self.open_ended.add(places[scope])
            elif kind == INHERIT:
                self.written_bases[places[scope]].append(name)

    def resolution(self) -> Resolution:
        """All relations."""
        generated = 0
        for file, found in self.facts.items():
            _Reading(self, file).relate()
            for statement in found.imports:
                generated += self._relate_import(file, statement)
            self._note_package(file, found.package)
        if ("java.lang", "Object") in self.tops:
            self._relate_implicit_bases()
        for source, target, line in sorted(self._demanded):
            self.found.relations.add((source, -1), (target, -1), kinds.IMPORT, line, ALWAYS, RESOLVED)
        if generated:
            self.found.notes.append(
                f"{generated} Java import{'s' * (generated > 1)} of own packages "
                f"{'name types' if generated > 1 else 'names a type'} that no file declares; they may be generated."
            )
        return self.found

    def _relate_implicit_bases(self) -> None:
        """What a class, an enum or a record extends without saying so: in the JDK itself, that is below the folder."""
        for file, found in self.facts.items():
            for row, definition in enumerate(found.definitions):
                place = Place(file, row)
                if definition.kind not in TYPES or definition.kind == "interface":
                    continue
                bases = self.bases(place)
                says = any(self.definition(base).kind == "class" for base in bases)
                if not says and len(bases) == len(self.written_bases.get(place, ())):
                    base = next(self._implicit_bases(place))
                    if base != place:
                        self.found.relations.add((file, row), base, kinds.INHERIT, definition.line, ALWAYS, RESOLVED)

    def definition(self, place: Place) -> Definition:
        """The definition at `place`, which is not a file."""
        return self.facts[place.file].definitions[place.definition]

    def above(self, place: Place) -> Place:
        """The definition, or at last the file, around the definition at `place`."""
        return self.places[place.file][self.definition(place).parent]

    def part(self, chain: str) -> _Part:
        """The chain, taken apart."""
        found = self._parts.get(chain)
        if found is None:
            left, member = _split(chain)
            name, count, dimensions = _parse(member)
            own = "" if chain[0] == "(" else name if count is None else f"{name}()"
            head = self.part(left).head if left else own
            found = self._parts[chain] = _Part(left, name, count, dimensions, head)
        return found

    # -- imports -------------------------------------------------------------------------------------------------

    def _relate_import(self, file: int, statement: Import) -> int:
        """Relate the file to what the statement imports; returns 1 if that should be here but is not."""
        relations, line, module = self.found.relations, statement.line, statement.module
        if statement.form == "module":
            target = self.modules.get(module)
            if target is None:
                self._outside(file, module, line)
            else:
                relations.add((file, -1), (target, -1), kinds.IMPORT, line)
            return 0
        place, complete = self.named(file, module)
        if place is not None:
            sure = EXACT if complete and self._is_only(place) else RESOLVED
            relations.add((file, -1), (place.file, -1), kinds.IMPORT, line, ALWAYS, sure)
            return 0
        if statement.names == ("*",) and not statement.form:
            if module not in self.packages:
                self._outside(file, module, line)
            return 0
        package = package_of(module)
        other = self.others.get(f"/{module.replace('.', '/')}")
        if other is not None:
            relations.add((file, -1), (other, -1), kinds.IMPORT, line, ALWAYS, RESOLVED)
        elif package in self.packages:
            return 1
        else:
            self._outside(file, package, line)
        return 0

    def _outside(self, file: int, package: str, line: int) -> None:
        self.found.outside.append(Outside(file, package, line, standard=f"{package}.".startswith(_STANDARD)))

    def _is_only(self, place: Place) -> bool:
        """Whether no other file declares a top-level type of the same full name."""
        while place.definition >= 0 and self.definition(place).parent >= 0:
            place = self.above(place)
        name = self.definition(place).name if place.definition >= 0 else self._stem(place.file)
        return len(self.tops[self.facts[place.file].package, name]) == 1

    def _stem(self, file: int) -> str:
        return self.paths[file].rpartition("/")[2].removesuffix(".java")

    def _note_package(self, file: int, package: str) -> None:
        """The folder of a file is a package if the file says so."""
        folder = self.paths[file].rpartition("/")[0]
        if package and f"/{folder}".endswith("/" + package.replace(".", "/")):
            self.found.packages.add(folder)

    def named(self, file: int, name: str) -> tuple[Place | None, bool]:
        """The type of that full name, as seen from `file`; and whether it is the very one, not just one around it."""
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
        """Of several top-level types of one name the one that shares most folders with `file`, and is no test."""
        places = self.tops[key]
        if len(places) == 1:
            return places[0]
        found = self._nearest.get((file, key))
        if found is None:
            here = self.paths[file].split("/")
            found = self._nearest[file, key] = min(places, key=lambda place: _distance(here, self.paths[place.file]))
        return found

    # -- types ---------------------------------------------------------------------------------------------------

    def type_in(self, scope: Place, name: str) -> Place | None:
        """The type that the dotted `name` means in `scope` (JLS 6.5.5); None = none below the folder."""
        scope = self.places[scope.file][self.anchors[scope.file][scope.definition]]
        key = scope, name
        if key in self._types:
            return self._types[key]
        if key in self._busy:
            self._cut += 1
            return None
        self._busy.add(key)
        cut = self._cut
        head, dot, rest = name.partition(".")
        found = self._simple_type(scope, head)
        if dot:
            if found is not None and found != _ELSEWHERE:
                for part in rest.split("."):
                    found = self.member_type(found, part) if found else None
            elif found is None:
                full, complete = self.named(scope.file, name)
                found = full if complete else None
        self._busy.discard(key)
        if self._cut == cut:  # what was found inside a circle may be incomplete
            self._types[key] = found
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
        """What a type's simple name means outside of the types of the file (JLS 6.4.1, 7.5)."""
        single, demand = self.imports_of(file)
        for statement in single.get(name, ()):
            found, complete = self.named(file, statement.module)
            if statement.form:
                found = self.member_type(found, name) if found else None
            elif not complete:
                return _ELSEWHERE
            if found:
                return found
        package = self.facts[file].package
        if (package, name) in self.tops:
            return self.nearest(file, (package, name))
        for statement in demand:
            if not statement.form and (statement.module, name) in self.tops:
                found = self.nearest(file, (statement.module, name))
                self._demanded.add((file, found.file, statement.line))
                return found
            around, complete = self.named(file, statement.module)
            found = self.member_type(around, name) if around and complete else None
            if found:
                return found
        return self.nearest(file, ("java.lang", name)) if ("java.lang", name) in self.tops else None

    def imports_of(self, file: int) -> tuple[dict[str, list[Import]], list[Import]]:
        """Imports by the simple name that they declare, and imports on demand."""
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
            if place in self._lines:
                self._inner_of[place] = known
        return next((types[name] for types in known if name in types), None)

    def bases(self, place: Place) -> tuple[Place, ...]:
        """The types below the folder that the type at `place` says it extends and implements, in order."""
        found = self._bases.get(place)
        if found is not None:
            return found
        if place not in self.written_bases:
            return ()
        if place in self._busy:
            self._cut += 1
            return ()
        self._busy.add(place)
        cut = self._cut
        scope = self.above(place)
        hits = [self.type_in(scope, name) for name in self.written_bases[place]]
        found = tuple(hit for hit in hits if hit and hit != place and hit.definition >= 0)
        self._busy.discard(place)
        if self._cut == cut:
            self._bases[place] = found
        return found

    def line(self, place: Place) -> tuple[Place, ...]:
        """The type at `place` and all that it inherits from, superclasses before their interfaces, each once."""
        found = self._lines.get(place)
        if found is None:
            cut = self._cut
            order = {place: None}
            todo = list(reversed(self.bases(place)))
            while todo:
                above = todo.pop()
                if above not in order:
                    order[above] = None
                    todo += reversed(self.bases(above))
            found = (*order, *self._implicit_bases(place))
            if self._cut == cut:
                self._lines[place] = found
        return found

    def _implicit_bases(self, place: Place) -> Iterator[Place]:
        """What every type inherits from (JLS 8.1.4, 8.9, 8.10): below the folder only in the JDK itself."""
        if place.definition >= 0:
            kind = self.definition(place).kind
            for name in (
                *(["Enum"] if kind == "enum" else []),
                *(["Record"] if place in self.records else []),
                "Object",
            ):
                yield from self.tops.get(("java.lang", name), ())[:1]

    def superclass(self, place: Place) -> Place:
        """The class that the class at `place` extends; `_ELSEWHERE` = none below the folder."""
        return next((base for base in self.bases(place) if self.definition(base).kind == "class"), _ELSEWHERE)

    # -- members -------------------------------------------------------------------------------------------------

    def value_of_type(self, scope: Place, text: str) -> Value:
        """A value of the type that is declared in `scope` by `text` (see java.py)."""
        name = text.rstrip("[].")
        if not name:
            return _UNKNOWN
        array = text.count("[]", len(name)) + text.endswith("...")
        return Value(self.type_in(scope, name) or _ELSEWHERE, array)

    def field(self, place: Place, name: str) -> tuple[Place, str] | None:
        """The type that declares the field `name` of the type at `place`, and the field's type as written."""
        known = self._fields_of.get(place)
        if known is None:
            known = tuple((above, self.fields[above]) for above in self.line(place) if above in self.fields)
            if place in self._lines:
                self._fields_of[place] = known
        for above, fields in known:
            if name in fields:
                return above, fields[name]
        return None

    def method(self, place: Place, name: str, count: int) -> tuple[Place, ...]:
        """The methods `name` of the type at `place` that take so many arguments (-1: whatever), nearest type first.

        Only those of one type; if none takes so many, whatever the nearest type has of that name.
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
        """The types in the same order, but for those that another one of them inherits from: they come last."""
        if len(types) < 2:
            return types
        return sorted(types, key=lambda at: any(at != below and at in self.line(below) for below in types))

    def takes(self, method: Place, count: int) -> bool:
        """Whether the method can be called with so many arguments; any if that is negative."""
        wanted = self.definition(method).parameters
        if wanted == count or count < 0:
            return True
        return method in self.open_ended and count >= wanted - 1

    def guess(self, name: str, count: int) -> Place | None:
        """The only method of that name, if there is but one and the name says enough."""
        places = self.by_name.get(name, ())
        return places[0] if len(places) == 1 and name not in _COMMON and self.takes(places[0], count) else None


class _Reading:
    """What the names in one file mean, from its first line to its last."""

    def __init__(self, java: _Java, file: int) -> None:
        self.java, self.file, self.relations = java, file, java.found.relations
        self.definitions, self.places, self.anchors = (
            java.facts[file].definitions,
            java.places[file],
            java.anchors[file],
        )
        self.around = {row.parent for row in self.definitions}  # definitions that hold others
        self.variables: dict[int, dict[str, str]] = {}  # of functions
        self.extended: dict[int, list[str]] = {}  # what anonymous classes in a definition extend
        # By the innermost definition that makes a difference; see `_seen_from`.
        self.known: dict[int, dict[str, Value]] = defaultdict(dict)
        self.calls: dict[int, dict[str, _Call]] = defaultdict(dict)
        self.types: dict[tuple[int, str], Place | None] = {}
        self.statics: dict[str, tuple[Place, ...]] = {}

    def relate(self) -> None:
        """Add the relations of all uses in the file."""
        definitions = self.definitions
        for scope, kind, name, other, line in rows_of(self.java.facts[self.file].uses):
            if kind == CALL:
                self._relate_call(scope, name, line)
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
            else:
                self._relate_type(scope, kind, name, line)

    def _declare(self, scope: int, name: str, text: str) -> None:
        """From here on `name` is a variable of that type in the function `scope`; `-`: no longer."""
        own = self.variables.setdefault(scope, {})
        if name in self.known[scope] and own.get(name) != text:
            self._forget(scope)
        if text == "-":
            own.pop(name, None)
        else:
            own[name] = text

    def _forget(self, scope: int) -> None:
        """Forget what is known in the function `scope`, and in what it holds: rows behind its own."""
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
            if "." in name and name[0].islower() and self.value(at, name.partition(".")[0]) is _UNKNOWN:
                package = package_of(name)
                if package and package not in java.packages:
                    java.found.outside.append(
                        Outside(self.file, package, line, standard=f"{package}.".startswith(_STANDARD))
                    )
        elif place.definition >= 0:
            self._add(scope, place, _KIND[kind], line)

    def _relate_call(self, scope: int, chain: str, line: int) -> None:
        at = self._seen_from(scope, chain)
        call = self.calls[at].get(chain)
        if call is None:
            call = self._call(at, chain)
            self.calls[at][chain] = call
        if call.targets:
            own = self.places[scope]  # of overloads that fit, a method more often calls another than itself
            target = next((method for method in call.targets if method != own), None)
            if target is not None:
                self._add(scope, target, kinds.CALL, line)
        if call.touched:
            self._touch(scope, call.touched, line)
        if call.guess is not None:
            self._add(scope, call.guess, kinds.CALL, line, GUESS)

    def _call(self, scope: int, chain: str) -> _Call:
        """What the call `chain` leads to, seen from `scope` (see `_seen_from`)."""
        java = self.java
        value = self._value(scope, chain)
        left, name, count, _, _ = java.part(chain)
        if not left:
            return _Call(value.targets, value.touched, None)
        base = self._value(scope, left)
        owners = {java.above(target) for target in value.targets}
        touched = tuple(place for place in base.touched if place not in owners)
        if value.targets or base.array:
            return _Call(value.targets, touched, None)
        if base.type is None:
            return _Call((), touched, java.guess(name, -1 if count is None else count))
        if base.type.definition >= 0 and base.type not in base.touched:
            touched += (base.type,)
        return _Call((), touched, None)

    def _add(self, scope: int, target: Place, kind: str, line: int, confidence: int = RESOLVED) -> None:
        self.relations.add((self.file, scope), target, kind, line, ALWAYS, confidence)

    def _touch(self, scope: int, places: Iterable[Place], line: int) -> None:
        """References to types, but for those around: what a type does with its own fields is no relation."""
        for place in places:
            if place.definition >= 0 and not self._is_around(scope, place):
                self._add(scope, place, kinds.REFERENCE, line)

    def _is_around(self, scope: int, place: Place) -> bool:
        if place.file != self.file:
            return False
        while scope >= 0 and scope != place.definition:
            scope = self.definitions[scope].parent
        return scope >= 0

    # -- values --------------------------------------------------------------------------------------------------

    def _seen_from(self, scope: int, chain: str) -> int:
        """`scope`, or the innermost definition around it that may make a difference to what the chain means."""
        head = self.java.part(chain).head
        while self.anchors[scope] != scope and scope not in self.extended and head not in self.variables.get(scope, ()):
            scope = self.definitions[scope].parent
        return scope

    def value(self, scope: int, chain: str) -> Value:
        """What the chain means in the definition `scope` of this file."""
        return self._value(self._seen_from(scope, chain), chain)

    def _value(self, scope: int, chain: str) -> Value:
        """The same for the outermost `scope` that makes no difference; the parts of a chain have the same one."""
        known = self.known[scope]
        found = known.get(chain)
        if found is None:
            known[chain] = _UNKNOWN  # `var x = x.f()` is no program
            part = self.java.part(chain)
            found = known[chain] = self._member(scope, part) if part.left else self._head(scope, chain)
        return found

    def _head(self, scope: int, text: str) -> Value:
        """What the first part of a chain means."""
        java = self.java
        if text[0] == "(":
            name, _, behind = text[1:].partition(")")
            value = java.value_of_type(self.places[scope], name)
            return value._replace(array=value.array - behind.count("[]"))
        _, name, count, dimensions, _ = java.part(text)
        if name in ("this", "super"):
            own = self._own_type(scope)
            if own is None:
                return _UNKNOWN
            place = own if name == "this" else java.superclass(own)
            if count is None or place == _ELSEWHERE:
                return Value(place)
            name = java.definition(place).name
            return Value(None, targets=java.method(place, name, count) if name in java.methods[place] else ())
        value = self._variable(scope, name) if count is None else self._bare_call(scope, name, count)
        return value._replace(array=value.array - dimensions) if dimensions else value

    def _own_type(self, scope: int) -> Place | None:
        while scope >= 0 and self.definitions[scope].kind not in TYPES:
            scope = self.definitions[scope].parent
        return self.places[scope] if scope >= 0 else None

    def _scopes(self, scope: int) -> Iterator[tuple[Place, bool]]:
        """The definitions around, innermost first, and whether they are types."""
        while scope >= 0:
            yield self.places[scope], self.definitions[scope].kind in TYPES
            scope = self.definitions[scope].parent

    def _variable(self, scope: int, name: str) -> Value:
        """What a simple name that is no call means: a variable, or else a type (JLS 6.4.2)."""
        java = self.java
        for place, is_type in self._scopes(scope):
            if not is_type:
                own = self.variables.get(place.definition)
                if own is not None and name in own:
                    return self._of_variable(place, own[name])
            elif hit := java.field(place, name):
                return java.value_of_type(*hit)
        for imported in self._static_imports(name):
            if hit := java.field(imported, name):
                return java.value_of_type(*hit)._replace(touched=(hit[0],))
        for base in self._anonymous(scope):
            if hit := java.field(base, name):
                return java.value_of_type(*hit)
        found = java.type_in(self.places[scope], name)
        if found is None:
            return _UNKNOWN
        return Value(found, is_value=False, touched=() if found == _ELSEWHERE else (found,))

    def _of_variable(self, place: Place, text: str) -> Value:
        if text.startswith("="):
            value = self.value(place.definition, text[1:])
            return Value(value.type, value.array) if value.is_value else _UNKNOWN
        return self.java.value_of_type(place, text)

    def _bare_call(self, scope: int, name: str, count: int) -> Value:
        """A call without a receiver: the innermost type that has a method of that name (JLS 15.12.1), or an import."""
        java = self.java
        for place, is_type in self._scopes(scope):
            if is_type:
                if found := java.method(place, name, count):
                    return self._called(found)
            elif f"{name}()" in self.variables.get(place.definition, ()):
                return Value(_ELSEWHERE)  # a method of an anonymous class
        for place in (*self._anonymous(scope), *self._static_imports(name)):
            if found := java.method(place, name, count):
                return self._called(found)
        return _UNKNOWN

    def _called(self, methods: tuple[Place, ...]) -> Value:
        """What the call of the first of some methods gives."""
        result = self.java.definition(methods[0]).type
        value = self.java.value_of_type(methods[0], result) if result else _UNKNOWN
        return value._replace(targets=methods)

    def _anonymous(self, scope: int) -> Iterator[Place]:
        """What the anonymous classes in and around `scope` extend, as far as it is below the folder."""
        for place, _ in self._scopes(scope):
            for name in self.extended.get(place.definition, ()):
                found = self.java.type_in(place, name)
                if found is not None and found != _ELSEWHERE:
                    yield found

    def _static_imports(self, name: str) -> tuple[Place, ...]:
        """Types that `name` may be a member of by an `import static` (JLS 7.5.3, 7.5.4)."""
        found = self.statics.get(name)
        if found is None:
            single, demand = self.java.imports_of(self.file)
            named = [
                self.java.named(self.file, statement.module)
                for statement in (*single.get(name, ()), *demand) if statement.form == "static"
            ]  # fmt: skip
            found = self.statics[name] = tuple(place for place, complete in named if place and complete)
        return found

    def _member(self, scope: int, part: _Part) -> Value:
        """A member of what the left of the chain means."""
        java = self.java
        left, name, count, dimensions, _ = part
        base = self._value(scope, left)
        if base.type is None:
            place, complete = (
                java.named(self.file, f"{left}.{name}") if count is None and "(" not in left else (None, False)
            )
            if place and complete:
                return Value(place, is_value=False, touched=(place,))
        if base.type is None or base.array or base.type.definition < 0:
            return _UNKNOWN._replace(touched=base.touched) if count is None else _UNKNOWN
        if name == "this" and count is None:
            return Value(base.type)
        if name == "super" and count is None:
            is_interface = java.definition(base.type).kind == "interface"
            return Value(base.type if is_interface else java.superclass(base.type))
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
        """Whether a record has that method by itself, and what was `found` is another type's that it implements."""
        java = self.java
        return count <= 0 and record in java.records and name in java.fields[record] and java.above(found[0]) != record

    def _field(self, base: Value, name: str) -> Value:
        """A field of a value, or a field or type in a type."""
        java = self.java
        assert base.type is not None
        if hit := java.field(base.type, name):
            return java.value_of_type(*hit)._replace(touched=(*base.touched, hit[0]))
        if not base.is_value and (place := java.member_type(base.type, name)):
            return Value(place, is_value=False, touched=(place,))
        return _UNKNOWN._replace(touched=base.touched)

    def _implicit(self, base: Value, name: str, count: int) -> Value:
        """What a method gives that nobody wrote: a record's accessor (JLS 8.10.3), an enum's `values` (JLS 8.9.3)."""
        assert base.type is not None
        if count <= 0 and (hit := self.java.field(base.type, name)):
            return self.java.value_of_type(*hit)
        if name in ("values", "valueOf") and self.java.definition(base.type).kind == "enum":
            return Value(base.type, array=int(name == "values"))
        return _UNKNOWN


def _parse(part: str) -> tuple[str, int | None, int]:
    """Name, number of arguments (None = no call, -1 = any) and dimensions taken off of a part of a chain."""
    found = _PART.fullmatch(part)
    if found is None:
        return part, None, 0
    count = None if found[2] is None else -1 if found[2] == "?" else int(found[2])
    return found[1], count, len(found[3]) // 2


_PART = re.compile(r"([^()\[\]]*)(?:\((\d+|\?)\))?((?:\[\])*)")


def _split(chain: str) -> tuple[str, str]:
    """A chain without its last part, and that; the former is empty if there is but one."""
    start = chain.find(")") + 1 if chain.startswith("(") else 0
    cut = chain.rfind(".", start)
    return (chain[:cut], chain[cut + 1 :]) if cut >= 0 else ("", chain)


def package_of(name: str) -> str:
    """The package in a full name, by the custom that types begin with a capital; else all but the last part."""
    parts = name.split(".")
    first = next((i for i, part in enumerate(parts) if part[:1].isupper()), len(parts) - 1)
    return ".".join(parts[:first])


def _distance(here: list[str], path: str) -> tuple[int, bool, int, str]:
    """How far a file is from the one at `here`: fewest shared folders, tests, and deep ones last."""
    parts = path.split("/")
    shared = next((i for i, (a, b) in enumerate(zip(here, parts, strict=False)) if a != b), min(len(here), len(parts)))
    return -shared, "test" in parts, len(parts), path


def _other_sources(paths: Iterable[str]) -> dict[str, int]:
    """Files of other languages for the same machine, by the ends of their paths: `/a/b/C`."""
    found: dict[str, int] = {}
    for row, path in enumerate(paths):
        stem, dot, suffix = path.rpartition(".")
        if dot and suffix in ("kt", "scala", "groovy"):
            parts = stem.split("/")
            for i in range(len(parts)):
                found.setdefault("/" + "/".join(parts[i:]), row)
    return found
