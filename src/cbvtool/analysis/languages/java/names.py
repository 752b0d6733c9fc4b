"""Relations between the Java files and definitions of a folder.

Types, variables and methods have separate scopes in Java (JLS 6.3, 6.5), so that it has a resolver of its own:
java/types.py resolves names of types, java/uses.py the uses in one file. This module relates imports, packages, and
implicit base types. JLS n: The Java Language Specification, Java SE 25 Edition, section n.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property

from cbvtool.analysis import resolution as kinds
from cbvtool.analysis.facts import ALWAYS, EXACT, RESOLVED, FileFacts, Import
from cbvtool.analysis.languages import Divided
from cbvtool.analysis.languages.java.edits import mentioning, offering, touched
from cbvtool.analysis.languages.java.types import TYPES, Types
from cbvtool.analysis.languages.java.uses import Reading, outside, package_of
from cbvtool.analysis.resolution import Folder, Place, Resolution


def divided(folder: Folder, facts: Mapping[int, FileFacts]) -> Divided:
    """See `DividedResolver`."""
    return _Files(folder, facts)


class _Files:
    """All Java files of a folder."""

    def __init__(self, folder: Folder, facts: Mapping[int, FileFacts]) -> None:
        self.paths, self.facts = folder.paths, dict(facts)
        self.found = Resolution()

    @cached_property
    def types(self) -> Types:
        """The index of their types."""
        return Types(self.paths, self.facts)

    @cached_property
    def others(self) -> dict[str, int]:
        """See `_other_sources`."""
        return _other_sources(self.paths)

    def renew(self, new: Mapping[int, FileFacts]) -> Collection[int] | None:
        """See `Lasting`."""
        before = {file: self.facts[file] for file in new}
        self.facts |= new
        self.__dict__.pop("types", None)
        if all(found.offered and found.offered == before[file].offered for file, found in new.items()):
            return new.keys()
        types, names = set[str](), set[str]()
        for file, found in before.items():
            if (one := touched(found, new[file])) is None:
                return None
            types |= one[0]
            names |= one[1]
        named = mentioning(self.facts, types)
        if offering({file: self.facts[file] for file in named - new.keys()}, types):
            return None
        return {*new, *named, *mentioning(self.facts, names)}

    def relate(self, files: Sequence[int]) -> Resolution:
        """The relations of the uses in `files`, and of the imports on demand that their names need."""
        found = Resolution()
        for file in files:
            Reading(self.types, found, file).relate()
        for file in files:
            for target, line in sorted(self.types.demanded.get(file, ())):
                found.relations.add((file, -1), (target, -1), kinds.IMPORT, line, ALWAYS, RESOLVED)
        return found

    def rest(self) -> Resolution:
        """Imports, packages, and implicit base types."""
        self.found = Resolution()
        generated = 0
        for file, found in self.facts.items():
            for statement in found.imports:
                generated += self._relate_import(file, statement)
            self._note_package(file, found.package)
        if ("java.lang", "Object") in self.types.tops:
            self._relate_implicit_bases()
        if generated:
            self.found.notes.append(
                f"{generated} Java import{'s' * (generated > 1)} of own packages "
                f"{'name types' if generated > 1 else 'names a type'} that no file declares; they may be generated."
            )
        return self.found

    def _relate_implicit_bases(self) -> None:
        """Relate types to their implicit base types, which are below the folder only in the JDK itself."""
        for file, found in self.facts.items():
            for row, definition in enumerate(found.definitions):
                place = Place(file, row)
                if definition.kind not in TYPES or definition.kind == "interface":
                    continue
                bases = self.types.bases(place)
                says = any(self.types.definition(base).kind == "class" for base in bases)
                if not says and len(bases) == len(self.types.written_bases.get(place, ())):
                    base = next(self.types.implicit_bases(place))
                    if base != place:
                        self.found.relations.add((file, row), base, kinds.INHERIT, definition.line, ALWAYS, RESOLVED)

    def _relate_import(self, file: int, statement: Import) -> int:
        """Relate the file to the target of the import.

        Returns 1 if the target should exist below the folder but does not.
        """
        relations, line, module = self.found.relations, statement.line, statement.module
        if statement.form == "module":
            target = self.types.modules.get(module)
            if target is None:
                self.found.outside.append(outside(file, module, line))
            else:
                relations.add((file, -1), (target, -1), kinds.IMPORT, line)
            return 0
        place, complete = self.types.named(file, module)
        if place is not None:
            sure = EXACT if complete and self._is_only(place) else RESOLVED
            relations.add((file, -1), (place.file, -1), kinds.IMPORT, line, ALWAYS, sure)
            return 0
        if statement.names == ("*",) and not statement.form:
            if module not in self.types.packages:
                self.found.outside.append(outside(file, module, line))
            return 0
        package = package_of(module)
        other = self.others.get(f"/{module.replace('.', '/')}")
        if other is not None:
            relations.add((file, -1), (other, -1), kinds.IMPORT, line, ALWAYS, RESOLVED)
        elif package in self.types.packages:
            return 1
        else:
            self.found.outside.append(outside(file, package, line))
        return 0

    def _is_only(self, place: Place) -> bool:
        """Whether no other file declares a top-level type of the same full name."""
        while place.definition >= 0 and self.types.definition(place).parent >= 0:
            place = self.types.above(place)
        name = self.types.definition(place).name if place.definition >= 0 else self._stem(place.file)
        return len(self.types.tops[self.facts[place.file].package, name]) == 1

    def _stem(self, file: int) -> str:
        return self.paths[file].rpartition("/")[2].removesuffix(".java")

    def _note_package(self, file: int, package: str) -> None:
        """Mark the folder of a file as a package if its path ends like the package that the file declares."""
        folder = self.paths[file].rpartition("/")[0]
        if package and f"/{folder}".endswith("/" + package.replace(".", "/")):
            self.found.packages.add(folder)


def _other_sources(paths: Iterable[str]) -> dict[str, int]:
    """Files of other JVM languages, by the ends of their paths: `/a/b/C`."""
    found: dict[str, int] = {}
    for row, path in enumerate(paths):
        stem, dot, suffix = path.rpartition(".")
        if dot and suffix in ("kt", "scala", "groovy"):
            parts = stem.split("/")
            for i in range(len(parts)):
                found.setdefault("/" + "/".join(parts[i:]), row)
    return found
