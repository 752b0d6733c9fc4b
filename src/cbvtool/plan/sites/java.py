"""Java, Kotlin, Scala, Groovy: package lines, imports to change, add and drop, full names, classes, methods.

What a file defines at its top is seen by its full name (`org.shop.Cart`), without an import in its own package, and
where an import names it or all of its package. So a file that moves to another package needs imports where it was seen
without, there and in itself, and makes those superfluous that it leads into its new package.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache
from typing import NamedTuple

from cbvtool.plan.sites.planned import FileChange, PartChange, Planned, PlannedUse, grouped
from cbvtool.plan.sites.site import Certainty, Site, SiteKind
from cbvtool.plan.sites.words import BY_NAME, definition_site, is_read, same_name, site_kind, use_sites, word

_SUFFIXES = ("java", "kt", "scala", "groovy")
_TYPES = frozenset({"class", "interface", "enum", "struct", "object", "trait", "type", "extension"})
_PACKAGE = re.compile(r"^[ \t]*package[ \t]+([\w.]+)", re.MULTILINE)
_IMPORT = re.compile(
    r"^[ \t]*import[ \t]+(?P<static>static[ \t]+)?(?P<name>[\w.]+?)"
    r"(?:\.(?P<star>[*_])|\.\{(?P<some>[^{}]*)\}|[ \t]+as[ \t]+(?P<alias>\w+))?[ \t]*;?[ \t]*$",
    re.MULTILINE,
)
_ROOT = re.compile(r"^(?:.*/)?(?:java|kotlin|scala|groovy)(?=/|$)")
_ARGUMENTS = 2_000  # characters of the arguments of one call that are read
_HEAD = 12  # lines from where a definition begins, in which its name stands
_MANY = 1_000  # arguments
_STAYS = "whether the package changes, the path does not tell"
_UNSEEN = "only its own package sees it, and another one is to use it: make it public"
_PUBLIC = re.compile(r"(?<!\w)public(?!\w)")
_SUPERFLUOUS = "superfluous: both are in one package"


class JavaImport(NamedTuple):
    """What one import makes visible.

    name   full name, of the package or class where all that is in it is meant
    local  what it is called in the file; empty = all that is in `name`
    """

    line: int
    name: str
    local: str
    is_static: bool


class JavaUnit(NamedTuple):
    """The head of a file.

    line     of the package; 0 = there is none
    imports  in their order
    """

    package: str
    line: int
    imports: tuple[JavaImport, ...]

    @property
    def after(self) -> int:
        """The line behind which an import can be added."""
        return max([self.line, *(item.line for item in self.imports)])

    def shows(self, package: str, name: str) -> JavaImport | None:
        """The import by which `name` of `package` is seen; None = there is none."""
        whole = f"{package}.{name}"
        for item in self.imports:
            if item.local == name and item.name == whole:
                return item
        return next((item for item in self.imports if not item.local and item.name == package), None)

    def hides(self, package: str, name: str) -> bool:
        """Whether an import gives the name to something else."""
        return any(item.local == name and item.name != f"{package}.{name}" for item in self.imports)


class _Type(NamedTuple):
    """Something at the top of a file whose full name changes, or that is removed (`new` is None).

    old, new  (package, name); the new package is None where the path does not tell
    """

    key: int
    file: str
    old: tuple[str, str]
    new: tuple[str | None, str] | None
    cause: int
    is_part: bool

    @property
    def is_renamed(self) -> bool:
        return self.new is None or self.new[1] != self.old[1]


class Java:
    """See `Language`."""

    suffixes = _SUFFIXES

    def words(self, planned: Planned) -> Iterable[str]:
        """The names of what is at the top of files that move, of parts, and the packages left."""
        base = planned.base
        for change in planned.files:
            if is_jvm(change.old):
                yield from (base.names[key] for key in base.children(change.key).tolist())
                yield unit_of(planned.text(change.old).whole_bare).package
        for part in planned.parts:
            if is_jvm(part.file):
                yield part.name

    def sites(self, planned: Planned) -> Iterator[Site]:
        """See `Language.sites`."""
        if _concerns(planned):
            yield from _Rules(planned).sites()

    def spellings(self, planned: Planned) -> Iterable[tuple[str, int]]:
        """`org.shop.Cart` of a class."""
        for moved in _Rules(planned).types if _concerns(planned) else ():
            if moved.old[0]:
                yield ".".join(moved.old), moved.cause


def _concerns(planned: Planned) -> bool:
    """Whether the plan changes anything in these languages."""
    return any(is_jvm(change.old) for change in planned.files) or any(is_jvm(part.file) for part in planned.parts)


def is_jvm(path: str) -> bool:
    """Whether a file holds Java, or a language with its packages."""
    return path.rpartition(".")[2] in _SUFFIXES


def unit_of(text: str) -> JavaUnit:
    """The head of a file, from its text without comments."""
    found = _PACKAGE.search(text)
    imports: list[JavaImport] = []
    for match in _IMPORT.finditer(text):
        line = text.count("\n", 0, match.start("name")) + 1
        static, name = match["static"] is not None, match["name"]
        if match["star"]:
            imports.append(JavaImport(line, name, "", static))
        elif match["some"] is not None:  # Scala: `import a.{B, C => D, _}`
            for piece in match["some"].split(","):
                own, _, local = (word.strip() for word in piece.partition("=>"))
                imports.append(
                    JavaImport(
                        line, name if own == "_" else f"{name}.{own}", "" if own == "_" else local or own, static
                    )
                )
        else:
            imports.append(JavaImport(line, name, match["alias"] or name.rpartition(".")[2], static))
    line = text.count("\n", 0, found.start(1)) + 1 if found else 0
    return JavaUnit(found[1] if found else "", line, tuple(imports))


@lru_cache(256)
def _free(name: str) -> re.Pattern[str]:
    """Finds a name, dotted or not, that no dot stands before."""
    return re.compile(rf"(?<![\w.$]){re.escape(name)}(?![\w$])")


@lru_cache(256)
def _called(name: str) -> re.Pattern[str]:
    """Finds where a method is called, overridden or referred to."""
    return re.compile(rf"(?<![\w$]){re.escape(name)}\s*\(|::\s*{re.escape(name)}(?![\w$])")


class _Rules:
    """The rules for one plan."""

    def __init__(self, planned: Planned) -> None:
        self._planned = planned
        self._units: dict[str, JavaUnit] = {}
        self._packages: dict[str, str | None] = {}
        self._by_folder: dict[str, list[str]] = defaultdict(list)
        for path in planned.paths:
            if is_jvm(path):
                self._by_folder[path.rpartition("/")[0]].append(path)
        self._changes = {change.old: change for change in planned.files if is_jvm(change.old)}

    def sites(self) -> Iterator[Site]:
        """All sites of the plan in files of this family."""
        for moved in self.types:
            yield from self._type_sites(moved)
        for change in self._changes.values():
            if change.new is not None and is_read(self._planned, change.old, _SUFFIXES):
                yield from self._own_sites(change)
        for package, cause in self._empty.items():
            yield from self._star_sites(package, cause)
        tops = {moved.key for moved in self.types}
        for part in self._planned.parts:
            if is_jvm(part.file) and part.key not in tops:
                yield from self._part_sites(part)

    # -- packages ----------------------------------------------------------------------------------------------

    def unit(self, file: str) -> JavaUnit:
        """The head of a file as analysed."""
        found = self._units.get(file)
        if found is None:
            found = self._units[file] = unit_of(self._planned.text(file).whole_bare)
        return found

    def package(self, file: str) -> str | None:
        """The package of a file in the target; None = the path does not tell."""
        if file not in self._packages:
            change = self._changes.get(file)
            new = None if change is None else change.new
            self._packages[file] = self.unit(file).package if new is None else self._new_package(file, new)
        return self._packages[file]

    def _new_package(self, old: str, new: str) -> str | None:
        package = self.unit(old).package
        here, there = old.rpartition("/")[0], new.rpartition("/")[0]
        if here == there:
            return package
        root = _root(here, package)
        if root is None:
            return None
        if package and f"/{there}".endswith(f"/{package.replace('.', '/')}"):
            return package
        for neighbour in self._by_folder.get(there, ()):
            if neighbour not in self._changes:
                return self.unit(neighbour).package
        if not root or there == root or there.startswith(f"{root}/"):
            return there[len(root) :].strip("/").replace("/", ".")
        nearest = max(self._by_folder, key=lambda folder: _shared(folder, there))
        near = next(iter(self._by_folder[nearest]))
        top = _root(nearest, self.unit(near).package)
        if top and there.startswith(f"{top}/"):
            return there[len(top) + 1 :].replace("/", ".")
        found = _ROOT.match(there)
        return there[found.end() :].strip("/").replace("/", ".") if found else None

    @cached_property
    def types(self) -> tuple[_Type, ...]:
        """What is at the top of files and has another full name in the target, or is removed."""
        return tuple(self._types())

    def _types(self) -> Iterator[_Type]:
        planned = self._planned
        base = planned.base
        parts = {part.key: part for part in planned.parts if is_jvm(part.file) and not part.above}
        for change in self._changes.values():
            old, new = (_stem(path or "") for path in (change.old, change.new))
            package = self.unit(change.old).package
            for key in base.children(change.key).tolist():
                name = base.names[key]
                part = parts.pop(key, None)
                if change.new is None:
                    yield _Type(key, change.old, (package, name), None, change.cause, False)
                    continue
                renamed = planned.target.names[key] if part is None or part.new_name else None
                if part is None and name == old and old != new and base.kind(key) in _TYPES:
                    renamed = new
                there = self.package(change.old)
                if renamed != name or there != package:
                    cause = part.cause if part is not None and renamed != name else change.cause
                    meant = None if renamed is None else (there, renamed)
                    yield _Type(key, change.old, (package, name), meant, cause, part is not None)
        for part in parts.values():
            package = self.unit(part.file).package
            if part.new_name is None or part.new_file is None:
                yield _Type(part.key, part.file, (package, part.name), None, part.cause, True)
                continue
            there = self.package(part.new_file) if part.leaves else package
            if (there, part.new_name) != (package, part.name):
                yield _Type(part.key, part.file, (package, part.name), (there, part.new_name), part.cause, True)

    @cached_property
    def _empty(self) -> dict[str, int]:
        """Packages that no file is left in -> whose doing it is."""
        found: dict[str, int] = {}
        for change in self._changes.values():
            package = self.unit(change.old).package
            if not package or package in found:
                continue
            tail = f"/{package.replace('.', '/')}"
            inside = [
                path for folder, paths in self._by_folder.items() if f"/{folder}".endswith(tail) for path in paths
            ]
            if all(path in self._changes and self.package(path) != package for path in inside):
                found[package] = change.cause
        return found

    # -- what is at the top of a file --------------------------------------------------------------------------

    def _type_sites(self, moved: _Type) -> Iterator[Site]:
        planned = self._planned
        keys = planned.base.subtree(moved.key).tolist()
        uses = grouped(planned.uses_of(keys))
        name = moved.old[1]
        files = {*uses, *planned.files_with([name])}
        if moved.is_renamed and moved.new is not None and is_read(planned, moved.file, _SUFFIXES):
            line = _name_line(planned, moved.file, moved.key)
            names = (
                (name, f"{moved.new[1]}.{moved.file.rpartition('.')[2]}")
                if _stem(moved.file) == name and moved.is_part
                else (name,)
            )
            yield Site(moved.file, line, "definition", "must", names=names, cause=moved.cause)
            for line in planned.text(moved.file).lines_with(_free(name)):
                yield self._used(moved, moved.file, line, uses.get(moved.file, {}))
        is_outside = False
        for file in sorted(files - {moved.file}):
            if is_read(planned, file, _SUFFIXES) and planned.new_path(file) is not None:
                found = list(self._user_sites(moved, file, uses.get(file, {})))
                is_outside |= bool(found) and moved.new is not None and self.package(file) != moved.new[0]
                yield from found
        if is_outside and moved.new is not None and moved.new[0] != moved.old[0]:
            yield from self._unseen(moved.key, moved.cause)

    def _user_sites(self, moved: _Type, file: str, uses: dict[int, list[PlannedUse]]) -> Iterator[Site]:
        planned = self._planned
        unit, text = self.unit(file), planned.text(file)
        package, name = moved.old
        whole = f"{package}.{name}".lstrip(".")
        new = None if moved.new is None else moved.new[0]
        here = self.package(file)
        changed: set[int] = set()
        for item in unit.imports:
            if item.name == whole or item.name.startswith(f"{whole}."):
                changed.add(item.line)
                is_superfluous = item.name == whole and item.local == name and new is not None and new == here
                kind: SiteKind = (
                    "drop-import" if moved.new is None or (is_superfluous and not item.is_static) else "import"
                )
                yield Site(file, item.line, kind, "must", names=(whole,), cause=moved.cause)
        if package:
            for line in text.lines_with(_free(whole)):
                if line not in changed and line != unit.line:
                    yield self._used(moved, file, line, uses)
        shown = unit.shows(package, name)
        is_seen = shown is not None or (unit.package == package and not unit.hides(package, name))
        if not is_seen or self._has_own(file, name) or (shown and not shown.local and unit.hides(package, name)):
            return
        lines = [line for line in text.lines_with(_free(name)) if line not in {item.line for item in unit.imports}]
        if moved.is_renamed:
            for line in lines:
                yield self._used(moved, file, line, uses)
        if moved.new is None or new is None or new == package or not lines or here == new:
            return
        if shown is not None and (shown.local or package in self._empty):
            return  # the import itself is changed
        if not any(not item.local and item.name == new for item in unit.imports):
            yield _added(file, unit, f"{new}.{moved.new[1]}".lstrip("."), moved.cause)

    def _used(self, moved: _Type, file: str, line: int, uses: dict[int, list[PlannedUse]]) -> Site:
        there = uses.get(line, ())
        kinds = sorted(use.kind for use in there if use.kind != "import")
        return Site(
            file, line, site_kind(kinds[0]) if kinds else "type-use", "must", names=(moved.old[1],), cause=moved.cause
        )

    def _has_own(self, file: str, name: str) -> bool:
        """Whether a class inside the file has the name, and so hides the other."""
        base = self._planned.base
        inside = base.subtree(self._planned.paths[file]).tolist() if file in self._planned.paths else []
        return any(base.names[key] == name and base.kind(key) in _TYPES for key in inside)

    def _star_sites(self, package: str, cause: int) -> Iterator[Site]:
        """Imports of all that is in a package which no file is left in."""
        for file in sorted(self._planned.files_with([package])):
            if is_read(self._planned, file, _SUFFIXES) and self._planned.new_path(file) is not None:
                for item in self.unit(file).imports:
                    if not item.local and item.name == package:
                        yield Site(file, item.line, "import", "must", names=(f"{package}.*",), cause=cause)

    # -- a file that moves -------------------------------------------------------------------------------------

    def _own_sites(self, change: FileChange) -> Iterator[Site]:
        """Its package line, imports that it needs now, and those that it needs no more."""
        planned = self._planned
        file, cause = change.old, change.cause
        unit, new = self.unit(file), self.package(file)
        if new == unit.package:
            return
        names = (new or "",)
        if new is None:
            if unit.line and change.old.rpartition("/")[0] != (change.new or "").rpartition("/")[0]:
                yield Site(file, unit.line, "package", "check", names=(unit.package,), reason=_STAYS, cause=cause)
            return
        if unit.line:
            yield Site(file, unit.line, "package", "must", names=names, cause=cause)
        else:
            yield Site(file, None, "package", "must", after=0, names=names, cause=cause)
        renamed = {moved.key: moved for moved in self.types}
        text = planned.text(file)
        for key in sorted(self._neighbours(change)):
            name = planned.base.names[key]
            other = renamed.get(key)
            there = self.package(planned.file_of(key)) if other is None or other.new is None else other.new[0]
            if there == new or there is None or unit.hides(unit.package, name) or self._has_own(file, name):
                continue
            seen = unit.shows(unit.package, name)
            if seen is None and any(text.lines_with(_free(name))):
                now = name if other is None or other.new is None else other.new[1]
                yield _added(file, unit, f"{there}.{now}".lstrip("."), cause)
                yield from self._unseen(key, cause)
        for item in unit.imports:
            if not item.is_static and (item.name if not item.local else item.name.rpartition(".")[0]) == new:
                yield Site(
                    file, item.line, "drop-import", "check", names=(item.name,), reason=_SUPERFLUOUS, cause=cause
                )

    def _unseen(self, key: int, cause: int) -> Iterator[Site]:
        """The line of a class that only its own package sees, where another one is to use it."""
        planned = self._planned
        file, name = planned.file_of(key), planned.base.names[key]
        if file.endswith(".java") and is_read(planned, file, _SUFFIXES):
            line = _name_line(planned, file, key)
            if not planned.text(file).has(line, _PUBLIC):
                yield Site(file, line, "definition", "check", names=(name,), reason=_UNSEEN, cause=cause)

    def _neighbours(self, change: FileChange) -> set[int]:
        """Keys of what a file uses of the other files of its package, each at the top of its file."""
        planned = self._planned
        base = planned.base
        package = self.unit(change.old).package
        found: set[int] = set()
        for use in planned.uses_by(base.subtree(change.key).tolist()):
            path = planned.file_of(use.target)
            if path == change.old or not is_jvm(path) or not is_read(planned, path, _SUFFIXES):
                continue
            if self.unit(path).package == package and planned.new_path(path) is not None:
                top, file = use.target, planned.paths[path]
                while top != file and int(base.parent[top]) != file:
                    top = int(base.parent[top])
                if top != file:
                    found.add(top)
        return found

    # -- nested classes, methods -------------------------------------------------------------------------------

    def _part_sites(self, part: PartChange) -> Iterator[Site]:
        planned = self._planned
        if part.is_renamed and part.kind in _TYPES and part.above:
            yield from definition_site(planned, part)
            yield from self._nested_sites(part)
        elif part.is_renamed and part.kind not in _TYPES:
            yield from self._method_sites(part)
        else:
            yield from use_sites(planned, planned.uses_of(planned.base.subtree(part.key).tolist()), part, _SUFFIXES)

    def _nested_sites(self, part: PartChange) -> Iterator[Site]:
        """A class inside another is called by both names, or by its own where it is imported, or in its own file."""
        planned = self._planned
        uses = planned.uses_of(planned.base.subtree(part.key).tolist())
        yield from use_sites(planned, uses, part, _SUFFIXES)
        owner = f"{part.above.rpartition('.')[2]}.{part.name}"
        both = re.compile(rf"(?<![\w$]){re.escape(owner)}(?![\w$])")
        using = {use.file for use in uses}
        for file in sorted(planned.files_with([part.name])):
            if not is_read(planned, file, _SUFFIXES):
                continue
            imported = [item for item in self.unit(file).imports if f".{item.name}.".find(f".{owner}.") >= 0]
            for item in imported:
                yield Site(file, item.line, "import", "must", names=(part.name,), cause=part.cause)
            free = file == part.file or any(item.local == part.name for item in imported) or file in using
            pattern = _free(part.name) if free else both
            for line in planned.text(file).lines_with(pattern):
                yield Site(file, line, "type-use", "must", names=(part.name,), cause=part.cause)
            if free:
                for line in planned.text(file).lines_with(both):
                    yield Site(file, line, "type-use", "must", names=(part.name,), cause=part.cause)

    def _method_sites(self, part: PartChange) -> Iterator[Site]:
        """A method is renamed with all that it overrides, and that overrides it; not with those of other parameters."""
        planned = self._planned
        count = self._parameters(part.key, part.name)
        family = self._family(part, count)
        renamed_too = {other.key for other in planned.parts if other.name == part.name and other.is_renamed}
        others = [key for key in same_name(planned, part.name, _SUFFIXES) if key not in family | renamed_too]
        other_counts = [self._parameters(key, part.name) for key in others]
        for key in sorted(family):
            yield from definition_site(planned, part._replace(key=key, file=planned.file_of(key)))
        uses = planned.uses_of(family)
        known = grouped(uses)
        owners = {int(planned.base.parent[key]) for key in family}
        close = {planned.file_of(key) for key in owners} | {use.file for use in planned.uses_of(owners)} | {*known}
        definitions = {(planned.file_of(key), line) for key in family for line in planned.lines_of(key)[:1]}
        for file in sorted({*planned.files_with([part.name]), *known}):
            if not is_read(planned, file, _SUFFIXES):
                continue
            for item in self.unit(file).imports:
                if item.is_static and item.local == part.name and item.name.endswith(f".{part.above}.{part.name}"):
                    yield Site(file, item.line, "import", "must", names=(part.name,), cause=part.cause)
            text = planned.text(file)
            for match in _called(part.name).finditer(text.whole_code):
                line = text.line_at(match.start())
                given = _count(text.whole_code, text.whole_bare, match.end()) if match[0].endswith("(") else None
                if (given is not None and not _may_be(given, count)) or (file, line) in definitions:
                    continue
                sure = any(use.is_sure for use in known.get(file, {}).get(line, ()))
                may_be_other = any(given is None or _may_be(given, other) for other in other_counts)
                if sure or not may_be_other or file in close:
                    sure = sure or not may_be_other
                    reason = "" if sure else BY_NAME
                    certainty: Certainty = "must" if sure else "check"
                    yield Site(file, line, "call", certainty, names=(part.name,), reason=reason, cause=part.cause)

    def _family(self, part: PartChange, count: tuple[int, int]) -> set[int]:
        """A method, those that it overrides, and those that override one of them."""
        planned = self._planned
        base = planned.base
        found: set[int] = {part.key}
        todo = [int(base.parent[part.key])] if part.above else []
        seen = set(todo)
        while todo:
            owner = todo.pop()
            own = {
                key
                for key in base.children(owner).tolist()
                if base.names[key] == part.name and self._parameters(key, part.name) == count
            }
            if not own:
                continue
            found |= own
            around = [use.source for use in planned.uses_of([owner]) if use.kind == "inherit"]
            around += [use.target for use in planned.uses_by([owner]) if use.kind == "inherit"]
            todo += [key for key in around if key not in seen]
            seen |= {*around}
        return found

    def _parameters(self, key: int, name: str) -> tuple[int, int]:
        """The least and the greatest number of arguments that a method takes."""
        planned = self._planned
        file = planned.file_of(key)
        if not is_read(planned, file, _SUFFIXES):
            return 0, _MANY
        first = max(1, int(planned.base.line[key]))
        head = "\n".join(planned.text(file).code[first - 1 : first + _HEAD])
        match = _called(name).search(head)
        if match is None or not match[0].endswith("("):
            return 0, _MANY
        count = _count(head, head, match.end(), types=True)
        if count is None:
            return 0, _MANY
        inside = head[match.end() : match.end() + _ARGUMENTS]
        return (max(0, count - 1), _MANY) if "..." in inside.partition(")")[0] else (count, count)


def _count(code: str, bare: str, start: int, types: bool = False) -> int | None:
    """How many arguments stand between the parenthesis before `start` and its end; None = there is no end near.

    code   without strings, of which `bare` tells whether there is one
    types  parameters with their types: what stands in `<...>` is part of one
    """
    depth, count, is_empty = 0, 0, True
    opening, closing = ("([{<", ")]}>") if types else ("([{", ")]}")
    for at in range(start, min(len(code), start + _ARGUMENTS)):
        character = code[at]
        if character in opening:
            depth += 1
        elif character in closing and not (character == ">" and code[at - 1] in "-="):
            if not depth:
                return 0 if is_empty else count + 1
            depth -= 1
        elif character == "," and not depth:
            count += 1
        is_empty = is_empty and bare[at].isspace()
    return None


def _may_be(given: int, count: tuple[int, int]) -> bool:
    return count[0] <= given <= count[1]


def _added(file: str, unit: JavaUnit, name: str, cause: int) -> Site:
    return Site(file, None, "add-import", "must", after=unit.after, names=(name,), cause=cause)


def _name_line(planned: Planned, file: str, key: int) -> int:
    """The line, from where a class begins, that holds its name: annotations stand before."""
    first = max(1, int(planned.base.line[key]))
    text, name = planned.text(file), word(planned.base.names[key])
    return next((line for line in range(first, first + _HEAD) if text.has(line, name)), first)


def _root(folder: str, package: str) -> str | None:
    """The folder that a package begins in; None = the folder is not called like the package."""
    tail = package.replace(".", "/")
    if not tail:
        return folder
    return folder[: -len(tail)].rstrip("/") if f"/{folder}".endswith(f"/{tail}") else None


def _shared(one: str, other: str) -> int:
    """How many folders two paths begin with alike."""
    count = 0
    for left, right in zip(one.split("/"), other.split("/"), strict=False):
        if left != right:
            break
        count += 1
    return count


def _stem(path: str) -> str:
    return path.rpartition("/")[2].rpartition(".")[0]
