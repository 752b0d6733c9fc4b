"""Resolver of Go: import paths to modules (`go.mod`) and packages (folders), names to definitions.

An import path refers to a folder: of the module with the longest matching module path (The Go Modules Reference,
"Resolving a package to a module"), of a local `replace`, or of a `vendor` folder. Nothing is fetched or run.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping
from posixpath import normpath

from cbvtool.analysis.facts import EXACT, RESOLVED, FileFacts, Import
from cbvtool.analysis.names import FoundPlaces, NameIndex, NameRules
from cbvtool.analysis.resolution import FOLDER, IMPORT, Folder, Outside, Place, Resolution, outside_notes

# Methods so common (in the standard library's interfaces) that a guess by name alone would mean nothing.
_COMMON = frozenset(
    {
        "Add",
        "Bytes",
        "Close",
        "Clone",
        "Copy",
        "Delete",
        "Do",
        "Done",
        "Err",
        "Error",
        "Errorf",
        "Fatal",
        "Fatalf",
        "Flush",
        "Format",
        "Get",
        "Header",
        "Init",
        "Key",
        "Len",
        "Less",
        "Load",
        "Lock",
        "Log",
        "Logf",
        "Name",
        "New",
        "Next",
        "Open",
        "Print",
        "Printf",
        "Println",
        "Put",
        "Read",
        "Remove",
        "Reset",
        "Run",
        "Seek",
        "Set",
        "Size",
        "Start",
        "Stop",
        "Store",
        "String",
        "Swap",
        "Sync",
        "Type",
        "Unlock",
        "Unmarshal",
        "Unwrap",
        "Update",
        "Value",
        "Wait",
        "Write",
    }
)
_RULES = NameRules(own=frozenset(), above=frozenset(), bare_members=False, common=_COMMON)


def resolve(folder: Folder, facts: Mapping[int, FileFacts]) -> Resolution:
    """Relations between the Go files in `facts`."""
    packages = Packages(folder, facts)
    result = Resolution(packages=set(packages.files))
    bindings: dict[int, dict[str, FoundPlaces]] = {}
    for file, found in sorted(facts.items()):
        here = packages.folder_of[file]
        visible: dict[str, FoundPlaces] = {}
        for statement in found.imports:
            target, confidence = packages.find(here, statement.module)
            if target is None:
                is_standard = "." not in statement.module.partition("/")[0]
                name = statement.module if is_standard else _module_of(statement.module)
                result.outside.append(Outside(file, name, statement.line, standard=is_standard))
                continue
            members = packages.importable(target)
            result.relations.add((file, -1), (members[0], FOLDER), IMPORT, statement.line, confidence=confidence)
            _bind(visible, statement, members, facts)
        bindings[file] = visible

    def binding(file: int, name: str) -> FoundPlaces | None:
        own = packages.member(packages.folder_of[file], facts[file].package, name)
        if file not in packages.tests:  # files of a package without its tests
            own = tuple(place for place in own if place.file not in packages.tests)
        if own:
            return FoundPlaces(own, EXACT)
        return bindings[file].get(name) or next(
            (hit for dot in _dots(bindings[file]) if (hit := names.member(dot, name))), None
        )

    names = GoNames(facts, packages, binding)
    names.relate(result.relations)
    result.notes = outside_notes("Go", "Go modules", result.outside)
    if packages.broken:
        count, first = len(packages.broken), packages.broken[0]
        result.notes.append(f"{count:,} go.mod without a module line, so that imports of it are unknown: {first}.")
    return result


def _bind(
    visible: dict[str, FoundPlaces], statement: Import, members: list[int], facts: Mapping[int, FileFacts]
) -> None:
    """Make the imported package visible, by its alias or its own name."""
    said = next((facts[file].package for file in members if file in facts), statement.module.rpartition("/")[2])
    alias = statement.aliases[0] if statement.aliases else said
    if alias != "_":
        visible[alias] = FoundPlaces(tuple(Place(member) for member in members if member in facts), EXACT)


def _dots(visible: Mapping[str, FoundPlaces]) -> tuple[Place, ...]:
    return visible["."].places if "." in visible else ()


def _module_of(path: str) -> str:
    """The probable module of an external import path: `github.com/a/b` for `github.com/a/b/c/d`."""
    parts = path.split("/")
    return "/".join(parts[: 3 if parts[0] in _THREE else 2])


_THREE = frozenset({"github.com", "gitlab.com", "bitbucket.org", "golang.org", "go.googlesource.com", "sigs.k8s.io"})
_MODULE = re.compile(r'^\s*module\s+(?:"([^"\n]+)"|`([^`\n]+)`|([^\s"`/][^\s]*))', re.MULTILINE)
_COMMENT = re.compile(r"//[^\n]*")
_REPLACE = re.compile(
    r'^\s*(?:replace\s+)?"?([^\s"=]+)"?(?:\s+v[^\s=]+)?\s*=>\s*"?(\.{1,2}(?:/[^\s"]*)?)"?\s*$', re.MULTILINE
)


class Packages:
    """The packages of a folder.

    files      folder -> rows of its Go files, ascending, whether they were read or not
    folder_of  row -> its folder
    tests      rows of test files: part of a package only when it is tested
    modules    module path -> its folder
    roots      folders of modules
    replaced   folder of a module -> import path -> folder that its go.mod substitutes
    broken     go.mod files without a module path
    """

    def __init__(self, folder: Folder, facts: Mapping[int, FileFacts]) -> None:
        self.files: dict[str, list[int]] = defaultdict(list)
        self.folder_of: dict[int, str] = {}
        self.tests: set[int] = set()
        self.facts = facts
        self._members: dict[tuple[str, str], dict[str, list[Place]]] = defaultdict(lambda: defaultdict(list))
        for file, path in enumerate(folder.paths):
            if not path.endswith(".go"):
                continue
            where = path.rpartition("/")[0]
            self.files[where].append(file)
            self.folder_of[file] = where
            if path.endswith("_test.go"):
                self.tests.add(file)
            if file not in facts:  # for example generated: it can still be imported
                continue
            table = self._members[where, facts[file].package]
            for row, definition in enumerate(facts[file].definitions):
                if definition.parent < 0:
                    table[definition.name].append(Place(file, row))
        self.modules: dict[str, str] = {}
        self.roots: dict[str, str] = {}
        self.replaced: dict[str, dict[str, str]] = {}
        self.broken: list[str] = []
        for path in folder.paths:
            if path.rpartition("/")[2] == "go.mod":
                self._read_module(folder, path)
        self._found: dict[tuple[str, str], tuple[str | None, int]] = {}

    def _read_module(self, folder: Folder, path: str) -> None:
        text = _COMMENT.sub("", (folder.read(path) or b"").decode("utf-8", "replace"))
        found = _MODULE.search(text)
        if found is None:
            self.broken.append(path)
            return
        where = path.rpartition("/")[0]
        name = found[1] or found[2] or found[3]
        self.modules.setdefault(name, where)
        self.roots[where] = name
        self.replaced[where] = {}
        for old, new in _REPLACE.findall(text):
            target = normpath(f"{where}/{new}" if where else new)
            if not target.startswith(".."):
                self.replaced[where][old] = "" if target == "." else target

    def find(self, here: str, path: str) -> tuple[str | None, int]:
        """(folder, confidence) for the import `path` in a file of folder `here`; folder None = it is external."""
        root = self._root(here)
        key = (root if root is not None else here, path)
        if key not in self._found:
            self._found[key] = self._find(here, root, path)
        return self._found[key]

    def _find(self, here: str, root: str | None, path: str) -> tuple[str | None, int]:
        if path.startswith(("./", "../")):
            return self._there(normpath(f"{here}/{path}"), EXACT)
        candidates: list[tuple[str, str]] = list(self.replaced.get(root or "", {}).items()) if root is not None else []
        if root is not None:
            candidates.append((self.roots[root], root))
        found = self._below(path, candidates)
        if found is not None:
            return found, EXACT
        for above in _above(here):  # vendored code takes precedence over other modules of the repository
            hit, confidence = self._there(_join(above, f"vendor/{path}"), EXACT)
            if hit is not None:
                return hit, confidence
        found = self._below(path, list(self.modules.items()))
        if found is not None:
            # Another module of the same repository; the build may use a released version instead.
            return found, RESOLVED
        if root is None:
            return self._by_suffix(path)
        return None, EXACT

    def _below(self, path: str, modules: list[tuple[str, str]]) -> str | None:
        best = max(
            (m for m in modules if path == m[0] or path.startswith(f"{m[0]}/")), key=lambda m: len(m[0]), default=None
        )
        if best is None:
            return None
        found = self._there(_join(best[1], path[len(best[0]) + 1 :]), EXACT)[0]
        # Not inside a nested module.
        return found if found is not None and self._root(found) in (best[1], None) else None

    def _by_suffix(self, path: str) -> tuple[str | None, int]:
        """The folder whose path ends like the import path, for projects without go.mod."""
        parts = path.split("/")
        if "." not in parts[0]:
            return self._there(path, RESOLVED) if len(parts) > 1 else (None, EXACT)
        for start in range(1, len(parts)):
            hit, _ = self._there("/".join(parts[start:]), RESOLVED)
            if hit is not None:
                return hit, RESOLVED
        return None, EXACT

    def _there(self, folder: str, confidence: int) -> tuple[str | None, int]:
        return (folder, confidence) if folder in self.files else (None, EXACT)

    def _root(self, folder: str) -> str | None:
        """The folder of the module that contains `folder`."""
        return next((above for above in _above(folder) if above in self.roots), None)

    def importable(self, folder: str) -> list[int]:
        """The files of the package that an import of `folder` refers to: neither tests nor a stray `main`."""
        files = self.files[folder]
        names = [self.facts[file].package if file in self.facts else "" for file in files]
        own = [file for file, name in zip(files, names, strict=True) if not name.endswith("_test")] or files
        libraries = [file for file in own if file not in self.facts or self.facts[file].package != "main"]
        return libraries or own

    def member(self, folder: str, package: str, name: str) -> tuple[Place, ...]:
        """The top-level definitions of `name` in `package` in `folder`."""
        table = self._members.get((folder, package))
        return tuple(table[name]) if table is not None and name in table else ()


class GoNames(NameIndex):
    """Go's members: a type has the methods that any file of its package declares for it."""

    def __init__(
        self, facts: Mapping[int, FileFacts], packages: Packages, binding: Callable[[int, str], FoundPlaces | None]
    ) -> None:
        self._packages = packages
        super().__init__(facts, _RULES, binding)
        for file, found in facts.items():
            for row, definition in enumerate(found.definitions):
                if "." in definition.name:
                    self._named[definition.name.partition(".")[2]].append(Place(file, row))

    def own_members(self, place: Place, name: str) -> tuple[Place, ...]:
        """The methods of a type, which stand at the top of files as `T.m`."""
        definition = self.definition(place)
        if definition is None:
            return super().own_members(place, name)
        folder, package = self._packages.folder_of[place.file], self.facts[place.file].package
        return self._packages.member(folder, package, f"{definition.name}.{name}")


def _join(folder: str, rest: str) -> str:
    return f"{folder}/{rest}".strip("/")


def _above(folder: str) -> list[str]:
    """`folder` and those above it, innermost first, "" last."""
    found = [folder]
    while folder:
        folder = folder.rpartition("/")[0]
        found.append(folder)
    return found
