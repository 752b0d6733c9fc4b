"""Resolver of Python imports: the file for each import statement, by the rules of the language, without executing.

Paths are looked up below *source roots*: folders that would be on `sys.path`. From a file, these are, nearest first:
its own root (the first folder above it without `__init__.py`), the folders above that one, and then the roots of the
project as a whole: the analysed folder, its `src`, `lib` and `python`, the same in every folder with a project file,
and every folder that holds a package. Roots inside a folder of tests or examples count only for files in that folder.
`import a.b.c` refers to the file of `a.b.c`; `from a.b import c` refers to the module `a.b.c` if it exists, else to
`a.b` (as in grimp).
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from cbvtool.analysis.facts import EXACT, GUESS, RESOLVED, FileFacts, Import
from cbvtool.analysis.languages import Divided
from cbvtool.analysis.languages.python.classes import Classes
from cbvtool.analysis.languages.python.links import Links
from cbvtool.analysis.languages.python.naming import ValueNumbers
from cbvtool.analysis.languages.python.relations import inheritance, relate
from cbvtool.analysis.languages.python.values import World
from cbvtool.analysis.resolution import IMPORT, Folder, Outside, Resolution

_LISTED = 10  # external packages that a note lists
# Two files may define the same module: the suffix that comes first here wins. cbvtool does not read compiled and
# Cython modules, but imports can lead to them.
_COMPILED = (".so", ".pyd")
_SUFFIXES = (".py", ".pyw", ".pyi", ".pyx", *_COMPILED)
_ROOT_NAMES = ("src", "lib", "python")
_PROJECT_FILES = frozenset({"pyproject.toml", "setup.py", "setup.cfg"})
_ASIDE = frozenset(
    {
        "test",
        "tests",
        "testing",
        "testdata",
        "test_data",
        "data",
        "fixtures",
        "corpus",
        "example",
        "examples",
        "sample",
        "samples",
        "sample_projects",
        "demo",
        "demos",
        "doc",
        "docs",
        "benchmark",
        "benchmarks",
        "tutorial",
        "tutorials",
    }
)
# The standard library of every supported Python, so that a graph does not depend on which one runs: what
# 3.12 and 3.13 removed (PEP 594, PEP 632) and what 3.12 to 3.14 added.
STANDARD_LIBRARY = sys.stdlib_module_names | {
    "aifc",
    "asynchat",
    "asyncore",
    "audioop",
    "cgi",
    "cgitb",
    "chunk",
    "crypt",
    "distutils",
    "imghdr",
    "imp",
    "lib2to3",
    "mailcap",
    "msilib",
    "nis",
    "nntplib",
    "ossaudiodev",
    "pipes",
    "smtpd",
    "sndhdr",
    "spwd",
    "sunau",
    "telnetlib",
    "uu",
    "xdrlib",
    "annotationlib",
    "compression",
}


class FoundFiles(NamedTuple):
    """Files to which an import refers, the confidence, and whether the whole name was found."""

    targets: tuple[int, ...]
    confidence: int = EXACT
    complete: bool = True


_NOTHING = FoundFiles((), GUESS, False)
_NONE: Mapping[str, int] = {}


STAGED = True  # finding inheritance is much faster than finding calls


def divided(folder: Folder, facts: Mapping[int, FileFacts]) -> Divided:
    """See `DividedResolver`."""
    return _Files(folder, facts)


class _Files:
    """The Python files that were read."""

    def __init__(self, folder: Folder, facts: Mapping[int, FileFacts]) -> None:
        self._folder, self._facts = folder, dict(facts)
        self._taken = 0  # number of entries of `known` (see `Prepared.share`) read so far
        self._is_prepared = False
        self._related: set[int] = set()  # the files whose relations were asked for
        self._modules = _Modules(folder.above, folder.paths, folder.linked, facts)

    @cached_property
    def _world(self) -> World:
        world = self._without_arguments
        if not self._is_prepared:
            world.give_arguments()
        return world

    @cached_property
    def _without_arguments(self) -> World:
        return World(self._facts, self._modules.reliable, self._modules.submodules)

    def share(self, files: Sequence[int], known: Sequence[bytes]) -> bytes:
        """See `Prepared`."""
        world = self._without_arguments
        for data in known[self._taken :]:
            world.take(data)
        self._taken = len(known)
        world.collect(files)
        return world.new_arguments()

    def prepared(self) -> bytes:
        """See `Prepared`."""
        return self._world.prepared()

    def prepare(self, known: Sequence[bytes], whole: bool = True) -> None:
        """See `Prepared`. Unreadable data is computed again."""
        readable = [self._without_arguments.take(data) for data in known]
        self._is_prepared = whole and all(readable)

    def renew(self, new: Mapping[int, FileFacts]) -> Collection[int] | None:
        """See `Lasting`."""
        before = {file: self._facts[file] for file in new}
        self._facts |= new
        if all(found.offered and found.offered == before[file].offered for file, found in new.items()):
            if "_without_arguments" in self.__dict__:
                self._world.facts.update(new)
            return new.keys()
        modules = _Modules(self._folder.above, self._folder.paths, self._folder.linked, self._facts)
        is_known = not self._is_prepared and self._related == self._facts.keys()
        if is_known and modules.roots == self._modules.roots and modules.homes == self._modules.homes:
            return self._world.renew(new)
        return None

    def structure(self) -> Resolution:
        """See `Staged`."""
        links = Links(self._facts, self._modules.reliable, self._modules.submodules)
        return Resolution(inheritance(links, Classes(links, ValueNumbers())))

    def relate(self, files: Sequence[int]) -> Resolution:
        """The relations that the code in `files` implies: calls, inheritance and other uses, but no imports."""
        self._related.update(files)
        return Resolution(relate(self._world, files))

    def rest(self) -> Resolution:
        """The imports of all files: as relations, as uses of packages outside, and as notes on what is missing."""
        modules, result = self._modules, Resolution(by_import=True)
        outside: dict[str, list[bool]] = {}
        missing = 0
        for source in sorted(self._facts):
            beside = not modules.names_own(source, self._facts[source].imports)
            for statement in self._facts[source].imports:
                found = modules.find(source, statement, beside)
                for target in found.targets:
                    if target != source:
                        result.relations.add(
                            (source, -1), (target, -1), IMPORT, statement.line, statement.when, found.confidence
                        )
                if not found.targets:
                    top = statement.module.partition(".")[0]
                    if statement.level or modules.is_own(source, top):
                        missing += 1
                    else:
                        outside.setdefault(top, []).append(statement.optional)
                        result.outside.append(
                            Outside(
                                source, top, statement.line, statement.when, statement.optional, top in STANDARD_LIBRARY
                            )
                        )
        result.notes = _notes(outside, missing)
        return result


def _notes(outside: Mapping[str, list[bool]], missing: int) -> list[str]:
    """Sentences about the imports that lead to no file of the project.

    outside   name of a package outside -> for each import of it, whether it is optional
    missing   number of imports of a module that belongs to the project but is not there
    """
    notes = []
    standard = sum(len(sites) for name, sites in outside.items() if name in STANDARD_LIBRARY)
    others = {name: sites for name, sites in outside.items() if name not in STANDARD_LIBRARY}
    if standard:
        notes.append(f"{standard:,} imports of Python's standard library are not shown.")
    if others:
        first = sorted(others, key=lambda name: (-len(others[name]), name))[:_LISTED]
        listed = [f"{name} (optional)" if all(others[name]) else name for name in first]
        if len(others) > _LISTED:
            listed.append("...")
        count = sum(map(len, others.values()))
        notes.append(f"{count:,} imports of {len(others):,} other packages are not shown: {', '.join(listed)}.")
    if missing:
        notes.append(f"{missing:,} imports name a module of the project that is not there (generated or compiled?).")
    return notes


class _Modules:
    """The modules below the analysed folder, by path without suffix.

    Paths begin with the packages around the analysed folder. So if a user opens `a/b` alone, paths begin with `a/b`,
    and `import a.b` is resolved. The empty path is the folder above all of these packages.

    packages  folder with an `__init__.py` -> file; -1 = it lies above the analysed folder
    modules   any other module -> file
    folders   folders with a module at any depth; those without an `__init__.py` are namespace packages (PEP 420)
    homes     folder -> source root of its files
    roots     source root of the project -> folder in which an importing file must be
    """

    def __init__(
        self, above: tuple[str, ...], paths: list[str], linked: Mapping[str, int], facts: Mapping[int, FileFacts]
    ) -> None:
        self.top = "/".join(above)
        self.places = [f"{self.top}/{path}" for path in paths]
        by_links = ((f"{self.top}/{path}", row) for path, row in linked.items())
        self.packages, self.modules = _by_path([*((place, row) for row, place in enumerate(self.places)), *by_links])
        self.folders = _all_above((*self.packages, *self.modules))
        if self.top in self.packages:
            self.packages |= {folder: -1 for folder in _above(self.top) if folder}
        self.homes = self._found_homes({_folder(place) for place in self.places})
        namespaces = self._namespaces(facts)
        self.homes = {folder: namespaces.get(home, home) for folder, home in self.homes.items()}
        self.roots = {root: seen for root, seen in self._roots().items() if root not in namespaces}
        self._holders = self._by_name(self.roots)
        self._scripts = self._by_name(self.homes.values())
        self._submodules = self._by_package()
        self._cache: dict[tuple[str, str, str, tuple[str, ...] | None], FoundFiles] = {}

    def find(self, source: int, statement: Import, beside: bool = True) -> FoundFiles:
        """The files to which `statement` in file `source` refers; empty if it is not about this project.

        beside  whether a bare name may be guessed to be a module in the same package
        """
        folder = _folder(self.places[source])
        parts = [part for part in statement.module.split(".") if part]
        if statement.level:
            for _ in range(statement.level - 1):
                if folder == "":
                    return _NOTHING
                folder = _folder(folder)
            found = self._at(folder, parts, statement.names)
            if found and _is_in(self.top, folder) and folder not in self.packages:
                # correct only if the opened folder is a namespace package
                found = found._replace(confidence=max(found.confidence, RESOLVED))
            return found or _NOTHING
        if not parts:
            return _NOTHING
        home, package = self.homes[folder], self._package(source)
        key = (home, package, statement.module, statement.names)
        found = self._cache.get(key)
        if found is None:
            found = self._cache[key] = self._absolute(home, package, parts, statement.names) or _NOTHING
        if not found.targets and parts[0] not in STANDARD_LIBRARY:
            return self._guess(source, parts, statement.names, beside) or _NOTHING
        return found

    def reliable(self, source: int, statement: Import) -> tuple[int, ...]:
        """The files of `find`, if the whole name was found and not by a guess; otherwise empty."""
        found = self.find(source, statement)
        return found.targets if found.complete and found.confidence != GUESS else ()

    def submodules(self, file: int) -> Mapping[str, int]:
        """The modules in the package whose `__init__` is `file`, by name."""
        return self._submodules.get(file, _NONE)

    def _by_package(self) -> dict[int, dict[str, int]]:
        found: dict[int, dict[str, int]] = {}
        for path, file in (*self.modules.items(), *self.packages.items()):
            package = self.packages.get(_folder(path), -1) if path else -1
            if package >= 0:
                found.setdefault(package, {})[path.rpartition("/")[2]] = file
        return found

    def names_own(self, source: int, statements: Iterable[Import]) -> bool:
        """Whether one of the imports is relative, or has the full name of a module in the top package of file `source`.

        Such a file writes its own package in front of its neighbours' names. So a bare name in it refers to an external
        package, even if a neighbour has that name.
        """
        own = self._package(source)
        return any(row.level or (own and row.module.partition(".")[0] == own) for row in statements)

    def is_own(self, source: int, name: str) -> bool:
        """Whether `name` is the top package of file `source`, with an `__init__.py`, so that all of it is here."""
        home = self.homes[_folder(self.places[source])]
        return bool(name) and name == self._package(source) and _join(home, name) in self.packages

    def _package(self, source: int) -> str:
        """Name of the top package of file `source`; empty for a module outside of packages."""
        home = self.homes[_folder(self.places[source])]
        inside = self.places[source].removeprefix(f"{home}/" if home else "")
        return inside.partition("/")[0] if "/" in inside else ""

    def _absolute(self, home: str, package: str, parts: list[str], names: tuple[str, ...] | None) -> FoundFiles | None:
        top = parts[0]
        at_home = self._at(home, parts, names)
        if top in STANDARD_LIBRARY and any(folder in self.packages for folder in _above(home)):
            return None  # a folder inside of a package is no place where names begin, though it has no `__init__`
        if at_home and (top == package or (top not in STANDARD_LIBRARY and at_home.complete)):
            return at_home
        if top in STANDARD_LIBRARY:  # a module beside a script shadows the library; a folder does not
            shadows = at_home and self._is_regular(_join(home, top))
            return at_home._replace(confidence=RESOLVED) if at_home and shadows else None
        line = [folder for folder in (home, *_above(home)) if folder != "" and self._holds(folder, top)]
        others = [root for root in self._holders.get(top, ()) if root not in line and _is_in(home, self.roots[root])]
        others.sort(key=lambda root: (-_shared(home, root), root.count("/"), root))
        found = [(root, self._at(root, parts, names)) for root in (*line, *others)]
        for complete in (True, False):
            hits = [(root, hit) for root, hit in found if hit and hit.complete == complete]
            if hits:
                root, hit = hits[0]
                unique = complete and len({other.targets for _, other in hits}) == 1 and root in self.roots
                return hit if unique else hit._replace(confidence=max(hit.confidence, RESOLVED))
        beside = self._at("", parts, names) if top == self.top else None  # the analysed folder as a namespace package
        return beside._replace(confidence=RESOLVED) if beside and beside.complete else None

    def _guess(self, source: int, parts: list[str], names: tuple[str, ...] | None, beside: bool) -> FoundFiles | None:
        """A module in the folder of the file (as in Python 2), or in another folder of scripts that the file sees."""
        folder = _folder(self.places[source])
        scripts = [root for root in self._scripts.get(parts[0], ()) if _is_in(folder, self._seen_from(root))]
        scripts.sort(key=lambda root: (-_shared(folder, root), root))
        for root in (*(folder,) * beside, *scripts):
            found = self._at(root, parts, names) if self._is_regular(_join(root, parts[0])) else None
            if found and found.complete and source not in found.targets:
                return found._replace(confidence=GUESS)
        return None

    def _at(self, root: str, parts: list[str], names: tuple[str, ...] | None) -> FoundFiles | None:
        """The target of the dotted name, looked up from the folder `root`."""
        path, reached = root, -1
        for i, part in enumerate(parts):
            path = _join(path, part)
            if path in self.packages:
                reached = self.packages[path]
            elif path in self.modules:
                behind = len(parts) - 1 - i
                return _partly(self.modules[path], behind, names) if behind else FoundFiles((self.modules[path],))
            elif path not in self.folders:
                return _partly(reached, len(parts) - i, names) if reached >= 0 else None
        own = self.packages.get(path, -1)
        if names is None:
            return FoundFiles((own,)) if own >= 0 else None
        inside = [self._module(_join(path, name)) for name in names]
        targets = {own if file is None else file for file in inside} - {-1}
        return FoundFiles(tuple(sorted(targets)), complete=own >= 0 or None not in inside) if targets else None

    def _module(self, path: str) -> int | None:
        file = self.packages.get(path)
        return self.modules.get(path) if file is None else file

    def _is_regular(self, path: str) -> bool:
        return path in self.packages or path in self.modules

    def _holds(self, folder: str, name: str) -> bool:
        path = _join(folder, name)
        return path in self.packages or path in self.modules or path in self.folders

    def _found_homes(self, folders: Iterable[str]) -> dict[str, str]:
        """Folder -> the innermost folder at or above it that is not a package; linear for nested folders."""
        homes: dict[str, str] = {}
        for folder in folders:
            home, passed = folder, []
            while home not in homes and home in self.packages:
                passed.append(home)
                home = _folder(home)
            homes.update(dict.fromkeys((folder, *passed), homes.get(home, home)))
        return homes

    def _namespaces(self, facts: Mapping[int, FileFacts]) -> dict[str, str]:
        """Homes inside a namespace package (PEP 420) -> the folder that holds that package: their true source root.

        `src/a` has no `__init__.py`. It counts as a namespace package if its files import `a.x` more often than `x`.
        """
        votes: dict[str, Counter[str]] = defaultdict(Counter)
        for source, found in facts.items():
            home = self.homes[_folder(self.places[source])]
            for statement in found.imports:
                parts = statement.module.split(".")
                if statement.level or parts[0] in STANDARD_LIBRARY:
                    continue
                for root in self._called_so(home, parts):
                    inside = self._at(root, parts, statement.names)
                    if inside and inside.complete:
                        votes[home][root] += 1
                        break
        most = {home: max(counts, key=lambda root: (counts[root], len(root))) for home, counts in votes.items()}
        return {home: root for home, root in most.items() if root != home}

    def _called_so(self, home: str, parts: list[str]) -> Iterator[str]:
        """`home`, and the folders above it where the path down to `home` agrees with `parts` as far as both go."""
        yield home
        names = home.split("/")
        for row in range(len(names) - 1, -1, -1):
            called = names[row:]
            if parts[: len(called)] == called[: len(parts)]:
                yield "/".join(names[:row])

    def _roots(self) -> dict[str, str]:
        """Source roots of the project -> the folder that sees them."""
        projects = {_folder(place) for place in self.places if place.rpartition("/")[2] in _PROJECT_FILES}
        projects.add(self.top)
        roots = projects | {_join(project, name) for project in projects for name in _ROOT_NAMES}
        roots |= {_folder(package) for package in self.packages if _folder(package) not in self.packages}
        return {root: self._seen_from(root) for root in sorted(roots) if root not in self.packages}

    def _seen_from(self, root: str) -> str:
        """The innermost folder of tests or examples at or above `root`; "" = the project as a whole."""
        inside = root.removeprefix(self.top).split("/")
        last = max((i for i, name in enumerate(inside) if name.lower() in _ASIDE), default=None)
        return "" if last is None else self.top + "/".join(inside[: last + 1])

    def _by_name(self, roots: Iterable[str]) -> dict[str, list[str]]:
        """Name of a module, package or folder -> those of `roots` that hold it."""
        chosen = set(roots)
        found: dict[str, list[str]] = {}
        for path in sorted({*self.packages, *self.modules, *self.folders} - {""}):
            if _folder(path) in chosen:
                found.setdefault(path.rpartition("/")[2], []).append(_folder(path))
        return found


def _partly(file: int, behind: int, names: tuple[str, ...] | None) -> FoundFiles:
    """The result for a dotted name that is found only in part: up to `file`, without its last `behind` parts.

    `import a.b` runs `a` first, so that it reaches `a` even if there is no `b`. `from a.b import c` is a guess then:
    `b` may be generated or compiled, or `a` creates it at run time (as `six` creates `six.moves`).
    """
    return FoundFiles((file,), RESOLVED if behind == 1 and names is None else GUESS, False)


def _by_path(places: Iterable[tuple[str, int]]) -> tuple[dict[str, int], dict[str, int]]:
    """(packages, modules), each: path without suffix -> row. Of files that differ by suffix only, the first kind wins.

    places   (path with suffix, row) of each file
    """
    best: dict[str, tuple[int, int]] = {}
    for place, row in places:
        folder, _, name = place.rpartition("/")
        stem, dot, suffix = name.rpartition(".")
        rank = _SUFFIXES.index(dot + suffix) if dot + suffix in _SUFFIXES else -1
        if dot + suffix in _COMPILED:
            stem = stem.partition(".")[0]  # `name.cpython-311-x86_64-linux-gnu.so` is `name`
        if rank < 0 or not stem or "." in stem:
            continue
        path = f"{folder}/{stem}"
        best[path] = min(best.get(path, (rank, row)), (rank, row))
    packages, modules = {}, {}
    for path, (_, row) in best.items():
        folder, _, name = path.rpartition("/")
        if name == "__init__":
            packages[folder] = row
        modules[path] = row
    for path in packages:
        modules.pop(path, None)  # a package takes precedence over a module of its name
    return packages, modules


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _join(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def _above(path: str) -> list[str]:
    """The folders above `path`, innermost first, "" last."""
    found = []
    while path:
        path = _folder(path)
        found.append(path)
    return found


def _all_above(paths: Iterable[str]) -> set[str]:
    """The folders above any of the paths, each visited once."""
    found: set[str] = set()
    for path in paths:
        while path and (path := _folder(path)) not in found:
            found.add(path)
    return found


def _is_in(path: str, folder: str) -> bool:
    return not folder or path == folder or path.startswith(f"{folder}/")


def _shared(a: str, b: str) -> int:
    """Number of leading folders that both paths share."""
    count = 0
    for x, y in zip(a.split("/"), b.split("/"), strict=False):
        if x != y:
            break
        count += 1
    return count
