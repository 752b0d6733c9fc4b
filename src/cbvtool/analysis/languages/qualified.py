"""Resolver for languages whose types have qualified names of package and name: C#, Kotlin, PHP, Ruby, Scala, Swift.

A name in an import is looked up among all definitions of the folder. An import of a whole package (`import a.b.*`, C#'s
`using A.B;`) refers to those of its files that the importing file really uses.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from cbvtool.analysis.facts import CALL, EXACT, INHERIT, OUTER, RESOLVED, TYPE, FileFacts, Import, Use
from cbvtool.analysis.names import TYPES, FoundPlaces, NameIndex, NameRules
from cbvtool.analysis.resolution import IMPORT, Outside, Place, Resolution, outside_notes

EXTENSION = "extension "  # prefix of the name of a type's extension
_CONTAINERS = TYPES | {"namespace", "extension"}


@dataclass(frozen=True)
class Scheme:
    """The naming rules of a language.

    language         name, for people
    rules            its keywords
    standard         first parts of the packages of its standard library
    nested_packages  whether code in `a.b` sees the names in `a` (C#, Scala)
    depth            missing names up to this many levels below a project package count as generated, so as the
                     project's; with 1, `Own.Other.Thing` belongs to another package of the same vendor. None = any
                     level
    family           external import path -> usual name of its package
    """

    language: str
    rules: NameRules = field(default_factory=NameRules)
    standard: frozenset[str] = frozenset()
    nested_packages: bool = False
    depth: int | None = None
    family: Callable[[str], str] = lambda module: ".".join(module.split(".")[:2])


def resolve(scheme: Scheme, facts: Mapping[int, FileFacts]) -> Resolution:
    """Relations between the files of one language."""
    result = Resolution()
    table = _Table(facts, scheme.depth)
    everywhere = [row for found in facts.values() for row in found.imports if row.form == "global"]
    imports = {file: _Imports(table, file, found.imports, everywhere) for file, found in facts.items()}

    def binding(file: int, name: str) -> FoundPlaces | None:
        return imports[file].binding(name, scheme.nested_packages)

    names = QualifiedNames(facts, scheme.rules, binding, table, imports)
    names.relate(result.relations)
    missing = 0
    for file, visible in sorted(imports.items()):
        for statement, places, confidence in visible.named:
            for target in dict.fromkeys(place.file for place in places):
                result.relations.add((file, -1), (target, -1), IMPORT, statement.line, statement.when, confidence)
        for target, line in sorted(visible.used):
            if target != file:
                result.relations.add((file, -1), (target, -1), IMPORT, line, confidence=RESOLVED)
        for statement in visible.unknown:
            name = scheme.family(statement.module)
            standard = statement.module.partition(".")[0] in scheme.standard or name in scheme.standard
            # A file that adds to the standard library does not make it the project's.
            if table.is_own(statement.module) and not standard:
                missing += 1
            else:
                result.outside.append(Outside(file, name, statement.line, statement.when, standard=standard))
    result.notes = outside_notes(scheme.language, f"{scheme.language} packages", result.outside)
    if missing:
        result.notes.append(
            f"{missing:,} {scheme.language} imports name something of the project that is no class or function here: "
            "a constant, or generated."
        )
    return result


class _Table:
    """All definitions by their qualified names.

    of        qualified name -> places
    name_of   place of a type, or of a part of one -> its qualified name
    packages  every declared package or namespace, and the packages that contain these
    declared  only the declared ones
    depth     see Scheme
    """

    def __init__(self, facts: Mapping[int, FileFacts], depth: int | None) -> None:
        self.depth = depth
        self.of: dict[str, list[Place]] = defaultdict(list)
        self.name_of: dict[Place, str] = {}
        self.packages: set[str] = set()
        self.declared: set[str] = set()
        self.facts = facts
        for file, found in facts.items():
            self._add_package(found.package)
            self.declared.add(found.package)
            qualified: list[str | None] = []
            for row, definition in enumerate(found.definitions):
                above = found.package if definition.parent < 0 else qualified[definition.parent]
                if above is None:  # inside a function, invisible elsewhere
                    qualified.append(None)
                    continue
                own = definition.name.removeprefix(EXTENSION)
                name = f"{above}.{own}" if above else own
                inside = definition.kind in _CONTAINERS
                qualified.append(name if inside else None)
                if inside:
                    self.name_of[Place(file, row)] = name
                if definition.kind == "namespace":
                    self._add_package(name)
                    self.declared.add(name)
                else:
                    self.of[name].append(Place(file, row))

    def _add_package(self, package: str) -> None:
        while package and package not in self.packages:
            self.packages.add(package)
            package = package.rpartition(".")[0]

    def is_own(self, module: str) -> bool:
        """Whether `module` is a declared package of the project, or would lie in one."""
        return any(name in self.declared for name in (module, *_above(module)[: self.depth]))

    def package_of(self, file: int) -> str:
        """The package that the file declares; else its first namespace."""
        found = self.facts[file]
        if found.package:
            return found.package
        first = next((row for row in found.definitions if row.kind == "namespace" and row.parent < 0), None)
        return first.name if first else ""


class QualifiedNames(NameIndex):
    """Name index for code with fully qualified names, and for types whose parts are in several files."""

    def __init__(
        self,
        facts: Mapping[int, FileFacts],
        rules: NameRules,
        binding: Callable[[int, str], FoundPlaces | None],
        table: _Table,
        imports: Mapping[int, _Imports],
    ) -> None:
        self._table, self._imports = table, imports
        super().__init__(facts, rules, binding)

    def own_members(self, place: Place, name: str) -> tuple[Place, ...]:
        """The members of all parts of a type: partial classes, extensions, reopened classes."""
        qualified = self._table.name_of.get(place)
        if qualified is None:
            return super().own_members(place, name)
        return tuple(self._table.of.get(f"{qualified}.{name}", ()))

    def _targets(
        self, source: Place, use: Use, choose: Callable[[Use, Sequence[Place]], Sequence[Place]] | None
    ) -> list[tuple[Place, str, int]] | None:
        """As in `NameIndex`, without extensions: a name of a type refers to the type, not to extensions of it.

        In the position of a type, functions and companion objects of the same name do not count.
        """
        targets = super()._targets(source, use, choose)
        if targets and use.kind in (TYPE, INHERIT):
            kind, sure = targets[0][1:]
            named = dict.fromkeys(place for row in targets for place in self._beside(row[0]))
            targets = [(place, kind, sure) for place in named if place != source]
        head = use.name.removeprefix(OUTER).partition(".")[0].removesuffix("()")
        if (whole := self._imports[source.file].by_whole.get(head)) is not None:
            self._imports[source.file].used |= {(place.file, whole.line) for place in self._meant(use, whole.places)}
        if targets:
            meant = self._meant(use, [row[0] for row in targets])
            targets = [row for row in targets if row[0] in meant]
        return targets

    def _beside(self, place: Place) -> Iterable[Place]:
        """`place`, and if that is an object, the types of the same name."""
        if self.kind(place) != "object":
            return (place,)
        return self._table.of.get(self._table.name_of.get(place, ""), (place,))

    def _meant(self, use: Use, places: Iterable[Place]) -> set[Place]:
        """Those of the places to which `use` can refer."""
        kinds = {place: self.kind(place) for place in places}
        besides = {"extension"}
        if use.kind == CALL and "function" in kinds.values():
            besides.add("interface")
        if use.kind in (TYPE, INHERIT):
            besides.add("function")
            if any(kind in TYPES and kind != "object" for kind in kinds.values()):
                besides.add("object")
        return {place for place, kind in kinds.items() if kind not in besides}

    def _lookup(self, key: tuple[Place, str, int]) -> FoundPlaces | None:
        scope, name, variables = key
        if name.startswith("/."):  # absolute
            return self._absolute(name[2:])
        found = super()._lookup(key)
        if found is not None or "." not in name or name.startswith("."):
            return found
        head = self.simple(scope, name.partition(".")[0].removesuffix("()"), variables)
        return None if head is not None and head.value else self._absolute(name)

    def _absolute(self, name: str) -> FoundPlaces | None:
        of, parts = self._table.of, name.split(".")
        for end in range(len(parts), 0, -1):
            places = of.get(".".join(parts[:end]))
            if places:
                found: FoundPlaces | None = FoundPlaces(tuple(places), EXACT)
                for part in parts[end:]:
                    found = self._step(found, part.removesuffix("()")) if found else None
                return found
        return None


class _Whole(NamedTuple):
    """The meaning of a name through the import at `line`."""

    places: tuple[Place, ...]
    line: int


class _Imports:
    """The names that the imports of one file make visible.

    named     imports of definitions here, by name or of an object's members: statement, targets, confidence
    by_whole  name -> meaning through an import of a whole package
    used      (file, line): files of which something is used through such an import
    unknown   imports without a target here
    """

    def __init__(self, table: _Table, file: int, statements: tuple[Import, ...], everywhere: Iterable[Import]) -> None:
        self.table, self.file = table, file
        self.package = table.package_of(file)
        self.named: list[tuple[Import, list[Place], int]] = []
        self.by_whole: dict[str, _Whole] = {}
        self.used: set[tuple[int, int]] = set()
        self.unknown: list[Import] = []
        self._visible: dict[str, FoundPlaces] = {}
        # Imported packages, and types whose members are imported, with their lines.
        self._whole: list[tuple[str, int]] = []
        for statement in statements:
            self._add(statement)
        # Global imports, valid in every file.
        self._around = [(row.module, 0) for row in everywhere if row.names is not None]

    def _add(self, statement: Import) -> None:
        module, of = statement.module, self.table.of
        if statement.names is not None and "*" in statement.names:
            if module in self.table.packages or module in of:
                self._whole.append((module, statement.line))
                # A type or object. What is also a package counts only by what is used of it.
                if module in of and module not in self.table.packages:
                    self.named.append((statement, of[module], EXACT))
            else:
                self.unknown.append(statement)
            return
        for name, alias in self._each(statement):
            places, confidence = self._best(name)
            if places:
                self.named.append((statement, places, confidence))
                if name in of:
                    self._visible[alias] = FoundPlaces(tuple(places), EXACT)
            elif name not in self.table.packages:
                self.unknown.append(statement._replace(module=name))

    @staticmethod
    def _each(statement: Import) -> Iterator[tuple[str, str]]:
        """(qualified name, local name) of everything that the statement names."""
        if statement.names is None:
            last = statement.module.rpartition(".")[2]
            yield statement.module, statement.aliases[0] if statement.aliases else last
            return
        aliases = statement.aliases or statement.names
        for name, alias in zip(statement.names, aliases, strict=True):
            yield f"{statement.module}.{name}".strip("."), alias

    def _best(self, name: str) -> tuple[list[Place], int]:
        """The places of `name`, or of the type of which it is a member."""
        of = self.table.of
        if name in of:
            return of[name], EXACT
        for above in _above(name):
            if above in of:
                return of[above], RESOLVED
            if above in self.table.packages:
                break
        return [], RESOLVED

    def binding(self, name: str, nested_packages: bool) -> FoundPlaces | None:
        """The meaning of a simple name not defined in the file: by imports of it, own package, then whole packages."""
        found = self._visible.get(name)
        if found:
            return found
        of = self.table.of
        packages = [self.package, *(_above(self.package) if nested_packages else ())]
        for package in packages:
            places = of.get(f"{package}.{name}" if package else name)
            if places:
                return FoundPlaces(tuple(places), EXACT)
        for package, line in (*self._whole, *self._around):
            places = of.get(f"{package}.{name}")
            if places:
                if line:
                    self.by_whole[name] = _Whole(tuple(places), line)
                return FoundPlaces(tuple(places), RESOLVED)
        return None


def _above(name: str) -> list[str]:
    """The enclosing packages: `a.b` and `a` for `a.b.c`."""
    found = []
    while "." in name:
        name = name.rpartition(".")[0]
        found.append(name)
    return found
