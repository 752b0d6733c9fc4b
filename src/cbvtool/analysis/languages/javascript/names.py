"""Relations between files and definitions of JavaScript and TypeScript, which import each other freely."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial

from cbvtool.analysis.circular import Circular
from cbvtool.analysis.facts import CREATE, EXACT, INHERIT, RESOLVED, TYPE, FileFacts, Use
from cbvtool.analysis.languages.javascript.imports import EXPORTED
from cbvtool.analysis.languages.javascript.modules import Modules
from cbvtool.analysis.marks import Loose, VisibleEverywhere
from cbvtool.analysis.names import DEEPEST, TYPES, FoundPlaces, NameIndex, NameRules
from cbvtool.analysis.resolution import IMPORT, Folder, Outside, Place, Resolution

_RULES = NameRules(
    own=frozenset({"this"}),
    above=frozenset({"super"}),
    bare_members=False,
    apart=frozenset({TYPE}),
    common=frozenset(
        {
            "add",
            "all",
            "append",
            "apply",
            "assign",
            "at",
            "bind",
            "call",
            "catch",
            "charAt",
            "clear",
            "clone",
            "close",
            "concat",
            "constructor",
            "create",
            "delete",
            "destroy",
            "emit",
            "end",
            "entries",
            "error",
            "every",
            "execute",
            "exists",
            "exec",
            "fill",
            "filter",
            "finally",
            "find",
            "findIndex",
            "flat",
            "flatMap",
            "forEach",
            "from",
            "get",
            "getItem",
            "handle",
            "has",
            "hasOwnProperty",
            "includes",
            "indexOf",
            "info",
            "init",
            "isArray",
            "join",
            "keys",
            "lastIndexOf",
            "length",
            "load",
            "log",
            "map",
            "match",
            "next",
            "now",
            "of",
            "off",
            "on",
            "once",
            "open",
            "parse",
            "pipe",
            "pop",
            "post",
            "push",
            "put",
            "query",
            "read",
            "reduce",
            "register",
            "remove",
            "render",
            "repeat",
            "replace",
            "reset",
            "resolve",
            "return",
            "reverse",
            "run",
            "save",
            "search",
            "send",
            "set",
            "setItem",
            "shift",
            "slice",
            "some",
            "sort",
            "splice",
            "split",
            "start",
            "startsWith",
            "stop",
            "stringify",
            "subscribe",
            "substr",
            "substring",
            "test",
            "then",
            "throw",
            "toJSON",
            "toString",
            "toUpperCase",
            "toLowerCase",
            "trim",
            "unshift",
            "update",
            "use",
            "value",
            "valueOf",
            "values",
            "warn",
            "write",
        }
    ),
)
_LISTED = 10  # external packages that a note lists


def resolve(folder: Folder, facts: Mapping[int, FileFacts]) -> Resolution:
    """Relations between the files and definitions of `facts`, JavaScript and TypeScript together."""
    modules = Modules(folder)
    everywhere = {file for file, found in facts.items() if VisibleEverywhere() in found.marks}
    result = Resolution(by_import=True, everywhere=everywhere)
    files: dict[int, list[int]] = {}  # for each file, the target file of each of its imports; -1 = none
    missing = 0
    for source in sorted(facts):
        targets = files[source] = []
        for statement in facts[source].imports:
            found = modules.find(source, statement)
            targets.append(found.file)
            if found.file >= 0:
                if found.file != source:
                    result.relations.add(
                        (source, -1), (found.file, -1), IMPORT, statement.line, statement.when, found.confidence
                    )
            elif found.outside:
                result.outside.append(
                    Outside(source, found.outside, statement.line, statement.when, statement.optional, found.standard)
                )
            else:
                missing += 1
    bindings = _Bindings(facts, files)
    names = _Names(facts, bindings)
    names.relate(result.relations, partial(_fitting, names))
    result.notes = _notes(result.outside, missing)
    return result


def _notes(outside: Sequence[Outside], missing: int) -> list[str]:
    """One sentence each about imports of external packages, and of files that do not exist."""
    notes = []
    standard = sum(use.standard for use in outside)
    if standard:
        notes.append(f"{standard:,} imports of Node's own modules are not shown.")
    counts = Counter(use.package for use in outside if not use.standard)
    if counts:
        optional = {use.package for use in outside if use.optional}
        first = sorted(counts, key=lambda name: (-counts[name], name))[:_LISTED]
        listed = [f"{name} (optional)" if name in optional else name for name in first]
        if len(counts) > _LISTED:
            listed.append("...")
        notes.append(f"{counts.total():,} imports of {len(counts):,} npm packages are not shown: {', '.join(listed)}.")
    if missing:
        notes.append(f"{missing:,} imports of JavaScript or TypeScript name a file that is not there (generated?).")
    return notes


class _Bindings:
    """Names bound by imports: in the file itself, and for files that import them from there."""

    def __init__(self, facts: Mapping[int, FileFacts], files: Mapping[int, list[int]]) -> None:
        self.here: dict[tuple[int, str], tuple[int, str]] = {}  # (file, name) -> (file, its name there, or `*`)
        self.passed: dict[int, list[int]] = {}  # `export * from`: file -> files whose exports it passes on
        for source, targets in files.items():
            for statement, target in zip(facts[source].imports, targets, strict=True):
                if target < 0:
                    continue
                if statement.names is None:
                    for alias in statement.aliases:
                        whole = EXPORTED if statement.form in ("require", "dynamic") else "*"
                        self.here.setdefault((source, alias), (target, whole))
                    continue
                if statement.form == "export" and statement.names == ("*",):
                    self.passed.setdefault(source, []).append(target)
                    continue
                for name, alias in zip(statement.names, statement.aliases, strict=False):
                    self.here.setdefault((source, alias), (target, name))
        self.everywhere: dict[str, list[Place]] = {}
        for file, found in facts.items():
            if VisibleEverywhere() in found.marks:
                for row, definition in enumerate(found.definitions):
                    if definition.parent < 0:
                        self.everywhere.setdefault(definition.name, []).append(Place(file, row))

    def attach(self, names: _Names) -> None:
        """Connect with the name index: imported names are resolved in other files, which may import them in turn."""
        self.names = names
        self._imports = Circular[tuple[int, str], FoundPlaces | None](names.searches)
        self._exports = Circular[tuple[int, str], FoundPlaces | None](names.searches, DEEPEST // 2, patient=True)

    def find(self, file: int, name: str) -> FoundPlaces | None:
        """The meaning of `name` in `file` by an import, or as a global of a script; None = none."""
        if (file, name) in self.here:
            return self._imported(file, name)
        everywhere = self.everywhere.get(name)
        return FoundPlaces(tuple(everywhere), RESOLVED) if everywhere else None

    def _imported(self, file: int, name: str) -> FoundPlaces | None:
        key = (file, name)
        return self._imports.find_or(None, key, self._bound) if key in self.here else None

    def _bound(self, key: tuple[int, str]) -> FoundPlaces | None:
        target, wanted = self.here[key]
        if wanted == "*":
            return FoundPlaces((Place(target),), EXACT)
        if wanted == EXPORTED:
            return self.names.member(Place(target), EXPORTED) or FoundPlaces((Place(target),), EXACT)
        found = self.names.member(Place(target), wanted)
        if found is None and wanted == "default":  # the default export of a CommonJS module is the module
            found = self.names.member(Place(target), EXPORTED) or FoundPlaces((Place(target),), RESOLVED)
        return found

    def exported(self, file: int, name: str) -> FoundPlaces | None:
        """The meaning of `name` for files that import it from `file`, apart from the file's own definitions."""
        return self._exports.find_or(None, (file, name), self._exported)

    def _exported(self, key: tuple[int, str]) -> FoundPlaces | None:
        return self._imported(*key) or self._passed_on(*key)

    def _passed_on(self, file: int, name: str) -> FoundPlaces | None:
        """The meaning of `name` by what `file` re-exports as a whole (`export * from`, `module.exports = x`)."""
        if name in ("default", EXPORTED):
            return None
        for target in self.passed.get(file, ()):
            found = self.names.member(Place(target), name)
            if found is not None:
                return found
        if (file, EXPORTED) in self.here:  # module.exports = require("./x")
            target, _ = self.here[file, EXPORTED]
            return self.names.member(Place(target), name)
        whole = self.names.lookup(Place(file), EXPORTED)
        if whole is not None and whole.places[0] != Place(file):
            for place in whole.places:
                found = self.names.member(place, name)
                if found is not None:
                    return found
        return None


class _Names(NameIndex):
    """Name index in which methods of objects are invisible in the enclosing scope."""

    def __init__(self, facts: Mapping[int, FileFacts], bindings: _Bindings) -> None:
        self._loose = {
            Place(file, mark.row) for file, found in facts.items() for mark in found.marks if isinstance(mark, Loose)
        }
        super().__init__(facts, _RULES, bindings.find, bindings.exported)
        bindings.attach(self)

    def own_members(self, place: Place, name: str) -> tuple[Place, ...]:
        """Definitions called `name` directly inside `place` that are visible by name there."""
        found = super().own_members(place, name)
        return tuple(member for member in found if member not in self._loose) if self._loose else found

    def member(self, place: Place, name: str) -> FoundPlaces | None:
        """The member `name` of `place`, methods of objects included."""
        found = super().member(place, name)
        if found is None and self._loose and (loose := super().own_members(place, name)):
            return FoundPlaces(loose, RESOLVED)
        if found is None and place.definition >= 0 and (Place(place.file), EXPORTED) in self._means:
            whole = self.lookup(Place(place.file), EXPORTED)  # module.exports = f; module.exports.g = ...
            if whole is not None and place in whole.places:
                return super().member(Place(place.file), name)
        return found


def _fitting(names: NameIndex, use: Use, places: Sequence[Place]) -> Sequence[Place]:
    """The first of several definitions of a name (interface, class) that fits the use; if none fits, the first."""
    wanted = [place for place in places if (names.kind(place) in TYPES) == (use.kind in (TYPE, INHERIT, CREATE))]
    return (wanted or places)[:1]
