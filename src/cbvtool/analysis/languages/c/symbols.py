"""Resolution of names in C and C++ files by scopes, namespaces, classes, declared types of variables and includes.

All files of a folder share one table, keyed by qualified names (`leveldb.DBImpl.Get`), because a namespace is open in
many files, and a method is declared in one and defined in another. A name is looked up in the function, in its class
and base classes, in the enclosing namespaces, and in the namespaces that the file is `using` ([basic.lookup]). A match
must be in the same file, or in or declared by a file that this one includes. Any other match is a guess.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from cbvtool.analysis import resolution as kinds
from cbvtool.analysis.circular import Circular, Memo, Searches
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
    FileFacts,
)
from cbvtool.analysis.marks import Bodiless, FunctionMacros, Hidden, InlineNamespace, Mark, Namespace, Prototypes
from cbvtool.analysis.resolution import Place, Relations

_TYPES = frozenset({"class", "struct", "union", "enum"})
_DEEPEST = 12  # longest chain of aliases, base classes and results that is followed
_DEEPEST_CLASSES = 60  # deepest chain of inheritance; real ones have up to ten levels
_SOURCES = (".c", ".cc", ".cpp", ".cxx", ".c++", ".C", ".cu", ".cppm", ".ixx")
_MANY = 24  # a name with more definitions, in several files, is not resolved
# Members of so many types of the standard library that a guess by name alone would mean nothing.
_COMMON = frozenset(
    [
        "add",
        "append",
        "assign",
        "at",
        "back",
        "begin",
        "begin_",
        "c_str",
        "capacity",
        "cbegin",
        "cend",
        "clear",
        "clone",
        "close",
        "copy",
        "count",
        "create",
        "data",
        "deref",
        "dump",
        "emplace",
        "emplace_back",
        "empty",
        "end",
        "equals",
        "erase",
        "find",
        "first",
        "flush",
        "front",
        "get",
        "getName",
        "getType",
        "getValue",
        "has",
        "hash",
        "id",
        "init",
        "insert",
        "is_open",
        "join",
        "key",
        "last",
        "length",
        "load",
        "lock",
        "map",
        "max",
        "min",
        "name",
        "next",
        "notify_all",
        "notify_one",
        "open",
        "pop",
        "pop_back",
        "pop_front",
        "print",
        "push",
        "push_back",
        "push_front",
        "put",
        "rbegin",
        "read",
        "release",
        "remove",
        "rend",
        "reserve",
        "reset",
        "resize",
        "run",
        "second",
        "seek",
        "set",
        "size",
        "start",
        "stop",
        "store",
        "str",
        "string",
        "substr",
        "swap",
        "take",
        "test",
        "to_string",
        "toString",
        "tell",
        "top",
        "type",
        "unlock",
        "update",
        "value",
        "wait",
        "what",
        "write",
    ]
)


class Context(NamedTuple):
    """Where a name is used: the file, and the qualified name of the enclosing class or namespace."""

    file: int
    around: str


class FoundSymbol(NamedTuple):
    """Definitions that a name refers to, and the confidence."""

    places: tuple[Place, ...]
    confidence: int


class SymbolTarget(NamedTuple):
    """Target of a use: a place, the kind of the relation, the confidence."""

    place: Place
    kind: str
    confidence: int


class _Homonyms(NamedTuple):
    """The definitions of one name; only those with bodies, if there are any.

    of_file  by file
    public   definitions that other files can refer to without including their file
    """

    of_file: dict[int, tuple[Place, ...]]
    public: tuple[Place, ...]


class Symbols:
    """The definitions of all C and C++ files, by qualified name.

    facts     of the files, by row
    included  for each file, the files that it includes
    paths     of all files of the folder, by row
    """

    def __init__(
        self, facts: Mapping[int, FileFacts], included: Mapping[int, Mapping[int, None]], paths: Sequence[str]
    ) -> None:
        self.facts, self.included, self.paths = facts, included, paths
        self.places: dict[str, list[Place]] = defaultdict(list)
        self.types: dict[str, list[Place]] = defaultdict(list)
        self.namespaces: set[str] = set()
        self.qualified: dict[int, list[str]] = {}  # file -> qualified name of each of its definitions
        self._spans: dict[int, list[tuple[str, int, int]]] = {}  # file -> (namespace, first line, last line)
        self._static: set[Place] = set()
        self._bodiless: set[Place] = set()
        self._declaring: dict[str, set[int]] = defaultdict(set)  # function -> files with its prototype
        self._macros: dict[str, set[int]] = defaultdict(set)
        self._naming: dict[str, set[int]] = defaultdict(set)  # type of a source file -> files naming it at top level
        self._fields: dict[tuple[str, str], tuple[str, Context]] = {}  # (class, name) -> class of its values
        self._globals: dict[tuple[int, str], str] = {}  # (file, name) -> class of its values
        self._aliases: dict[str, tuple[str, Context]] = {}  # of headers: valid where included
        self._own_aliases: dict[int, dict[str, tuple[str, Context]]] = defaultdict(dict)  # of other files, valid there
        self._using: dict[int, list[str]] = defaultdict(list)
        self._bases: dict[str, list[tuple[str, Context]]] = defaultdict(list)
        self._functions: dict[str, list[Place]] = defaultdict(list)  # methods and free functions by unqualified name
        self._methods: dict[str, list[Place]] = defaultdict(list)
        searches = Searches()
        self._known_types = Memo[tuple[str, str], str | None](searches)
        self._known_aliases = Circular[tuple[str, Context], str | None](searches, _DEEPEST, patient=True)
        self._lineages = Circular[str, tuple[str, ...]](searches, _DEEPEST_CLASSES, patient=True)
        self._homonyms: dict[tuple[int, str], _Homonyms] = {}
        for file, found in facts.items():
            self._read_marks(file, found.marks)
            self._enter_types(file, found)
        private = {
            name.rpartition(".")[2]
            for name, places in self.types.items()
            if all(self._is_source(place.file) for place in places)
        }
        for file, found in facts.items():
            self._read_uses(file, found, private)
        for file, found in facts.items():
            self._enter_functions(file, found)

    # -- tables ------------------------------------------------------------------------------------------------

    def _read_marks(self, file: int, marks: Sequence[Mark]) -> None:
        spans = []
        for mark in marks:
            match mark:
                case Namespace():
                    path = mark.path
                    spans.append((path, mark.first, mark.last))
                    while path:
                        self.namespaces.add(path)
                        path = path.rpartition(".")[0]
                case InlineNamespace():
                    self._aliases[mark.path] = (mark.path.rpartition(".")[0], Context(file, ""))
                case Hidden():
                    self._static.update(Place(file, row) for row in mark.rows)
                case Bodiless():
                    self._bodiless.update(Place(file, row) for row in mark.rows)
                case Prototypes():
                    for name in mark.names:
                        self._declaring[name].add(file)
                case FunctionMacros():
                    for name in mark.names:
                        self._macros[name].add(file)
        if spans:
            self._spans[file] = spans

    def _namespace(self, file: int, line: int) -> str:
        """The namespace that contains a line."""
        inner = ""
        for path, first, last in self._spans.get(file, ()):
            if first <= line <= last:
                inner = path
        return inner

    def _enter_types(self, file: int, found: FileFacts) -> None:
        names: list[str] = []
        for row, definition in enumerate(found.definitions):
            name = definition.name.replace("::", ".")
            around = names[definition.parent] if definition.parent >= 0 else self._namespace(file, definition.line)
            names.append(f"{around}.{name}" if around else name)
            if definition.kind in _TYPES:
                self.types[names[-1]].append(Place(file, row))
        self.qualified[file] = names

    def _enter_functions(self, file: int, found: FileFacts) -> None:
        names = self.qualified[file]
        for row, definition in enumerate(found.definitions):
            if definition.kind in _TYPES:
                continue
            place = Place(file, row)
            if "::" in definition.name:
                names[row] = self._of_class(file, names[row], definition.name)
            name = names[row]
            self.places[name].append(place)
            of, _, last = name.rpartition(".")
            (self._methods if of in self.types else self._functions)[last].append(place)

    def _of_class(self, file: int, name: str, written: str) -> str:
        """Qualified name of a function that is defined outside of its class or namespace, as `A::f`."""
        of = name.rpartition(".")[0]
        if of in self.types or of in self.namespaces:
            return name
        scope, _, last = written.replace("::", ".").rpartition(".")
        around = name[: -len(written.replace("::", "."))].rstrip(".")
        found = self.type_named(Context(file, around), scope)
        return f"{found}.{last}" if found else name

    def _read_uses(self, file: int, found: FileFacts, private: set[str]) -> None:
        names = found.uses.names
        for scope, kind, name, other, line in _rows(found):
            if kind == TYPE and scope < 0 and names[name] in private:
                self._naming[names[name]].add(file)
            if kind < INHERIT or kind in (TYPE, REFER):
                continue
            text = names[name]
            outer = self._outer(file, scope, line)
            if kind == INHERIT:
                if scope >= 0:
                    self._bases[self.qualified[file][scope]].append((text, outer))
            elif kind == ASSIGN:
                if text == "*":
                    self._using[file].append(names[other])
                elif scope < 0 or found.definitions[scope].kind in _TYPES:
                    inner = outer.around if scope < 0 else self.qualified[file][scope]
                    aliases = self._own_aliases[file] if self._is_source(file) else self._aliases
                    aliases.setdefault(f"{inner}.{text}" if inner else text, (names[other], outer))
            elif scope < 0:
                self._globals.setdefault((file, text), names[other])
            elif found.definitions[scope].kind in _TYPES:
                self._fields.setdefault(
                    (self.qualified[file][scope], text), (names[other], Context(file, self.qualified[file][scope]))
                )

    def _outer(self, file: int, scope: int, line: int) -> Context:
        """The class or namespace around a definition, or around a line of the file itself."""
        if scope < 0:
            return Context(file, self._namespace(file, line))
        return Context(file, self.qualified[file][scope].rpartition(".")[0])

    # -- types -------------------------------------------------------------------------------------------------

    def type_named(self, context: Context, name: str) -> str | None:
        """Qualified name of the type or namespace to which `name` (dotted) refers in `context`."""
        head, _, rest = name.partition(".")
        found = self._simple_type(context, head)
        while rest and found is not None:
            head, _, rest = rest.partition(".")
            found = self._inner_type(found, head)
        return found

    def _followed(self, alias: tuple[str, Context]) -> str | None:
        """The type behind an alias, cached; None if aliases only refer to each other."""
        return self._known_aliases.find_or(None, alias, self._of_alias)

    def _of_alias(self, alias: tuple[str, Context]) -> str | None:
        return self.type_named(alias[1], alias[0])

    def _is_source(self, file: int) -> bool:
        """Whether this is a source file, which others as a rule do not include."""
        return self.paths[file].endswith(_SOURCES)

    def alias(self, context: Context, name: str) -> tuple[str, Context] | None:
        """Target of the alias `name`, by the file's own typedefs and using-declarations."""
        own = self._own_aliases.get(context.file)
        if not own:
            return None
        around = context.around
        while around:
            if (found := own.get(f"{around}.{name}")) is not None:
                return found
            around = around.rpartition(".")[0]
        return own.get(name)

    def _simple_type(self, context: Context, name: str) -> str | None:
        around = context.around
        if around.rpartition(".")[2] == name and around in self.types:
            return around
        own = self.alias(context, name)
        if own is not None and (found := self._followed(own)) is not None:
            return found
        found = self._known_types.find((around, name), self._surrounding)
        if found is None:
            for space in self._using.get(context.file, ()):
                found = self._inner_type(space, name)
                if found is not None:
                    break
        return found

    def _surrounding(self, key: tuple[str, str]) -> str | None:
        """The type or namespace of that name in the innermost enclosing scope that has one."""
        around, name = key
        found = None
        while found is None:
            found = self._inner_type(around, name)
            if not around:
                break
            around = around.rpartition(".")[0]
        return found

    def _inner_type(self, around: str, name: str) -> str | None:
        """The type or namespace `name` directly in `around`, or in its base classes."""
        for of in self.lineage(around) if around in self.types else (around,):
            full = f"{of}.{name}" if of else name
            alias = self._aliases.get(full)
            if full in self.namespaces or (full in self.types and (alias is None or not self._private(full))):
                return full
            if alias is not None:
                found = self._followed(alias)
                if found is not None:
                    return found
            if full in self.types:
                return full
        return None

    def _private(self, name: str) -> bool:
        """Whether all definitions of the type are in source files: then a header's typedef does not refer to it."""
        return all(self._is_source(place.file) for place in self.types[name])

    def lineage(self, name: str) -> tuple[str, ...]:
        """The class and all its base classes, nearest first."""
        return self._lineages.find_or((name,), name, self._lineage)  # ambiguous names may make a class its own base

    def _lineage(self, name: str) -> tuple[str, ...]:
        order = {name: None}
        for base, context in self._bases.get(name, ()):
            found = self.type_named(context, base)
            if found is not None and found in self.types:
                order.update(dict.fromkeys(self.lineage(found)))
        return tuple(order)

    def homonyms(self, table: Mapping[str, Sequence[Place]], name: str) -> _Homonyms:
        """The definitions of `name` in `table`, one of the tables of this object."""
        key = (id(table), name)
        found = self._homonyms.get(key)
        if found is None:
            places = table.get(name, ())
            bodies = [place for place in places if place not in self._bodiless] or places
            of_file = {file: tuple(own) for file, own in groupby(bodies, key=itemgetter(0))}
            public = tuple(place for place in bodies if place not in self._static)
            found = self._homonyms[key] = _Homonyms(of_file, public)
        return found

    # -- what a file sees --------------------------------------------------------------------------------------

    def visible(self, file: int) -> set[int]:
        """The files that `file` includes, directly or transitively, and itself."""
        seen, todo = {file}, [file]
        while todo:
            for target in self.included.get(todo.pop(), ()):
                if target not in seen:
                    seen.add(target)
                    todo.append(target)
        return seen


class _File:
    """Resolves the names of one file; results are cached as long as this object lives."""

    def __init__(self, symbols: Symbols, file: int) -> None:
        self.symbols, self.file = symbols, file
        self.found = symbols.facts[file]
        self.visible = symbols.visible(file)
        self._locals: dict[int, dict[str, str]] = {}  # scope -> class of the values of its variables
        self._contexts: dict[int, Context] = {}
        searches = Searches()
        self._heads = Memo[tuple[str, Context], str | None](searches)
        self._fields = Memo[tuple[str, str], str | None](searches)
        self._values = Circular[tuple[int, str, Context], str | None](searches, _DEEPEST)
        self._members: dict[tuple[str, str], FoundSymbol | None] = {}
        self._types: dict[str, FoundSymbol | None] = {}
        names = self.found.uses.names
        for scope, kind, name, other, _ in _rows(self.found):
            if kind == DECLARE and scope >= 0 and self.found.definitions[scope].kind not in _TYPES:
                self._locals.setdefault(scope, {}).setdefault(names[name], names[other])

    def context(self, scope: int, line: int) -> Context:
        """The class or namespace in which names in the definition `scope`, at `line`, are looked up first."""
        if scope < 0:
            return Context(self.file, self.symbols._namespace(self.file, line))
        found = self._contexts.get(scope)
        if found is None:
            name = self.symbols.qualified[self.file][scope]
            if self.found.definitions[scope].kind not in _TYPES:
                name = name.rpartition(".")[0]
            found = self._contexts[scope] = Context(self.file, name)
        return found

    def relate(self, relations: Relations) -> int:
        """Add a relation for every use that can be resolved; returns the number of unresolved calls."""
        unknown = 0
        names = self.found.uses.names
        heads = [name.partition(".")[0] for name in names]
        known: dict[tuple[int, int, int, str], tuple[SymbolTarget, ...] | None] = {}
        for scope, use, number, _, line in _rows(self.found):
            if use not in _KIND:
                continue
            context = self.context(scope, line)
            # Functions of one class or namespace resolve names alike, except for their own variables.
            is_own = use == INHERIT or heads[number] in self._locals.get(scope, ())
            key = (use, number, scope if is_own else -1, context.around)
            if key not in known:
                known[key] = self._targets(key[2], use, names[number], context)
            targets = known[key]
            if targets is None:
                unknown += use == CALL
                continue
            for place, kind, confidence in targets:
                relations.add((self.file, scope), place, kind, line, ALWAYS, confidence)
        return unknown

    def _targets(self, scope: int, use: int, name: str, context: Context) -> tuple[SymbolTarget, ...] | None:
        """Targets of a use of `name`; None = unknown."""
        if name.startswith("::"):
            hit = self._find(-1, use, name[2:], Context(self.file, ""))
        else:
            hit = self._find(scope, use, name, context)
        if hit is None or (use == CALL and "." not in name and self._is_macro(name)):
            return None
        return tuple(SymbolTarget(place, self._kind(use, place), hit.confidence) for place in hit.places)

    def _kind(self, use: int, target: Place) -> str:
        """The kind of relation for a use of `target`."""
        is_type = self.symbols.facts[target.file].definitions[target.definition].kind in _TYPES
        if is_type and use == CALL:
            return kinds.INSTANTIATE
        if use in (TYPE, REFER):
            return kinds.TYPE_USE if is_type else kinds.REFERENCE
        return _KIND[use]

    def _find(self, scope: int, kind: int, name: str, context: Context) -> FoundSymbol | None:
        symbols = self.symbols
        if kind == INHERIT and scope >= 0:
            context = Context(self.file, symbols.qualified[self.file][scope].rpartition(".")[0])
        if kind in (TYPE, CREATE, INHERIT):
            full = symbols.type_named(context, name)
            if full is not None and full in symbols.types:
                return self._type(full)
            if kind != TYPE or "." not in name:
                return None
        found = self._function(scope, name, context)
        if found is None and kind == CALL:
            found = self._guess(name)
        return found

    def _function(self, scope: int, name: str, context: Context) -> FoundSymbol | None:
        """The functions, or the class, that a call of `name` refers to."""
        symbols = self.symbols
        *path, last = name.split(".")
        if not path:
            return self._free(scope, last, context)
        of = self._path(scope, path, context)
        if of is None:
            return None
        if of in symbols.types:
            return self._member(of, last)
        full = f"{of}.{last}"
        if full in symbols.types:
            return self._type(full)
        return self._choose(symbols.places, full, declared=last) if full in symbols.places else None

    def _free(self, scope: int, name: str, context: Context) -> FoundSymbol | None:
        """Target of an unqualified call: a method of the same class, a function, or a class that is instantiated."""
        symbols = self.symbols
        if name in self._locals.get(scope, ()):
            return None
        around = context.around
        while True:
            if around in symbols.types:
                if (own := self._member(around, name)) is not None:
                    return own
            elif (full := f"{around}.{name}" if around else name) in symbols.places and (
                found := self._choose(symbols.places, full, declared=name)
            ) is not None:
                return found
            if not around:
                break
            around = around.rpartition(".")[0]
        made = symbols.type_named(context, name)
        if made is not None and made in symbols.types:
            return self._type(made)
        for space in symbols._using.get(self.file, ()):
            if (full := f"{space}.{name}") in symbols.places:
                return self._choose(symbols.places, full, declared=name)
        alias = symbols.alias(context, name) or symbols._aliases.get(name)
        if alias is not None and alias[0] != name and alias[0] in symbols.places:  # using a::f;
            return self._choose(symbols.places, alias[0], declared=name)
        return None

    def _member(self, of: str, name: str) -> FoundSymbol | None:
        """The methods called `name` of the class `of` or its nearest base class that has any."""
        key = (of, name)
        if key not in self._members:
            self._members[key] = self._find_member(of, name)
        return self._members[key]

    def _find_member(self, of: str, name: str) -> FoundSymbol | None:
        symbols = self.symbols
        for above in symbols.lineage(of):
            full = f"{above}.{name}"
            if full in symbols.places:
                return self._choose(symbols.places, full, of_class=True)
            if full in symbols.types:
                return self._type(full)
        return None

    def _type(self, name: str) -> FoundSymbol | None:
        """The type with that qualified name."""
        if name not in self._types:
            self._types[name] = self._choose(self.symbols.types, name, is_type=True)
        return self._types[name]

    def _path(self, scope: int, path: Sequence[str], context: Context) -> str | None:
        """Qualified name of the class or namespace that `path` refers to, whose member is used."""
        head, *rest = path
        of = self._head(scope, head, context)
        for part in rest:
            if of is None:
                return None
            of = self._step(of, part)
        return of

    def _head(self, scope: int, head: str, context: Context) -> str | None:
        if head in (own := self._locals.get(scope, {})):
            return self._value(own[head], context, scope)
        return self._heads.find((head, context), self._shared_head)

    def _shared_head(self, key: tuple[str, Context]) -> str | None:
        """As `_path`, for a first part that is not a local variable."""
        head, context = key
        symbols = self.symbols
        if head == "this":
            return context.around if context.around in symbols.types else None
        if context.around in symbols.types and (of := self._field(context.around, head)) is not None:
            return of
        found = symbols.type_named(context, head)
        if found is not None:
            return found
        for file in (self.file, *self.symbols.included.get(self.file, ())):
            if (written := symbols._globals.get((file, head))) is not None:
                return self._value(written, Context(file, ""))
        called = self._free(-1, head, context)
        return self._result(called) if called is not None else None

    def _field(self, of: str, name: str) -> str | None:
        """The class of the field `name` of the class `of`."""
        return self._fields.find((of, name), self._declared)

    def _declared(self, key: tuple[str, str]) -> str | None:
        of, name = key
        declared = (self.symbols._fields.get((above, name)) for above in self.symbols.lineage(of))
        field = next(filter(None, declared), None)
        return self._value(*field) if field is not None else None

    def _step(self, of: str, part: str) -> str | None:
        """The class of the member `part`, or the nested type or namespace of that name, in `of`."""
        found = self._field(of, part) if of in self.symbols.types else None
        if found is None:
            found = self.symbols._inner_type(of, part)
        if found is None and of in self.symbols.types:
            called = self._member(of, part)
            found = self._result(called) if called is not None else None
        return found

    def _value(self, written: str, context: Context, scope: int = -1) -> str | None:
        """The class behind a declared type, or of the result of a call (`f()`)."""
        if not written.endswith("()"):
            return self.symbols.type_named(context, written)
        return self._values.find_or(None, (scope, written, context), self._called)  # auto x = x.f();

    def _called(self, key: tuple[int, str, Context]) -> str | None:
        scope, written, context = key
        called = self._function(scope, written[:-2], context)
        return self._result(called) if called is not None else None

    def _result(self, called: FoundSymbol) -> str | None:
        """The class of a function's result; for a class that is instantiated, the class itself."""
        symbols = self.symbols
        for place in called.places:
            definition = symbols.facts[place.file].definitions[place.definition]
            name = symbols.qualified[place.file][place.definition]
            if definition.kind in _TYPES:
                return name
            if definition.type:
                return symbols.type_named(Context(place.file, name.rpartition(".")[0]), definition.type)
        return None

    def _choose(
        self,
        table: Mapping[str, Sequence[Place]],
        name: str,
        *,
        declared: str = "",
        of_class: bool = False,
        is_type: bool = False,
    ) -> FoundSymbol | None:
        """The definitions of one qualified name that a use in this file refers to.

        declared  name of a function whose prototype makes its definition visible
        of_class  the class that contains it is known: then it is visible
        is_type   it is a type, so that a forward declaration is enough
        """
        symbols = self.symbols
        of_file, places = symbols.homonyms(table, name)
        if self.file in of_file:
            return FoundSymbol(of_file[self.file], EXACT)
        seen = self._visible_of(of_file)
        if seen:
            return FoundSymbol(seen, RESOLVED) if seen[0].file == seen[-1].file else self._nearest(seen)
        if not places:
            return None
        if places[0].file != places[-1].file:
            return self._nearest(places)
        if of_class or (declared and not symbols._declaring.get(declared, _NO_FILES).isdisjoint(self.visible)):
            return FoundSymbol(places, RESOLVED)
        if is_type and self._is_declared(places[0]):
            return FoundSymbol(places, RESOLVED)
        return FoundSymbol(places, GUESS)

    def _visible_of(self, of_file: Mapping[int, tuple[Place, ...]]) -> tuple[Place, ...]:
        """The definitions in visible files, in the order of files."""
        if len(of_file) == 1:
            (file,) = of_file
            return of_file[file] if file in self.visible else ()
        return tuple(place for file in sorted(of_file.keys() & self.visible) for place in of_file[file])

    def _is_declared(self, place: Place) -> bool:
        """Whether the invisible type at `place` may be known by a forward declaration."""
        symbols = self.symbols
        if not symbols._is_source(place.file):
            return True
        name = symbols.qualified[place.file][place.definition].rpartition(".")[2]
        return not symbols._naming.get(name, _NO_FILES).isdisjoint(self.visible)

    def _nearest(self, places: Sequence[Place]) -> FoundSymbol | None:
        """Definitions in the file that shares most of its path with this one, as a guess."""
        if len(places) > _MANY:
            return None
        here = self.symbols.paths[self.file].split("/")

        def shared(file: int) -> int:
            parts = self.symbols.paths[file].split("/")
            return next((i for i, (a, b) in enumerate(zip(here, parts, strict=False)) if a != b), 0)

        best = max(places, key=lambda place: (shared(place.file), -place.file)).file
        return FoundSymbol(tuple(place for place in places if place.file == best), GUESS)

    def _guess(self, name: str) -> FoundSymbol | None:
        """The only definition of that name in the folder, as a guess."""
        symbols = self.symbols
        path, _, last = name.rpartition(".")
        if last in _COMMON or (not path and not name.startswith(".") and self._is_macro(last)):
            return None
        table = symbols._methods if path or name.startswith(".") else symbols._functions
        of_file, public = symbols.homonyms(table, last)
        if len(public) > 1:
            return None
        places = {*public, *self._visible_of(of_file)}
        return FoundSymbol(tuple(places), GUESS) if len(places) == 1 else None

    def _is_macro(self, name: str) -> bool:
        return not self.symbols._macros.get(name, _NO_FILES).isdisjoint(self.visible)


_NO_FILES: frozenset[int] = frozenset()
_KIND = {
    CALL: kinds.CALL,
    CREATE: kinds.INSTANTIATE,
    INHERIT: kinds.INHERIT,
    TYPE: kinds.TYPE_USE,
    REFER: kinds.REFERENCE,
}


def relate(symbols: Symbols, relations: Relations) -> int:
    """Add a relation for every use that can be resolved; returns the number of unresolved calls."""
    return sum(_File(symbols, file).relate(relations) for file, found in symbols.facts.items() if len(found.uses))


def defined_elsewhere(symbols: Symbols) -> Iterator[Place]:
    """Functions declared in a class and defined elsewhere: one function at two places."""
    for name, places in symbols.places.items():
        bodies = [place for place in places if place not in symbols._bodiless]
        if bodies and len(bodies) < len(places) and name.rpartition(".")[0] in symbols.types:
            yield from (place for place in places if place in symbols._bodiless)


def _rows(found: FileFacts) -> Iterator[tuple[int, int, int, int, int]]:
    """Scope, kind, index of name, index of other, and line of each use."""
    rows = array("i", found.uses.rows)
    return zip(rows[0::5], rows[1::5], rows[2::5], rows[3::5], rows[4::5], strict=True)
