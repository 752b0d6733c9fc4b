"""One Java file as it has to be once types are in other packages."""

from __future__ import annotations

import re
from collections.abc import Mapping

from cbvtool.apply.java.names import JavaNames, TypeName
from cbvtool.apply.java.source import PUBLIC, DottedName, ImportLine, NamePart
from cbvtool.apply.source import Edit
from cbvtool.apply.stopped import Stopped

_TAGGED = re.compile(
    rb"(?:\{@(?:link|linkplain|value)|@(?:see|throws|exception))\s+(?P<name>[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*)"
)
_LAST_LINE = re.compile(rb"[^\n]*\n?")


class PackageChanges:
    """The packages of a tree before and after.

    names   those before
    after   path today -> package in the target, of every file that is kept
    tops    (package, name) in the target -> path today
    """

    def __init__(self, names: JavaNames, after: Mapping[str, str]) -> None:
        """The change to the packages in `after`. Raises Stopped where two types would have one name."""
        self.names, self.after = names, after
        self.tops: dict[tuple[str, str], str] = {}
        self.packages: dict[str, set[str]] = {}
        for path, package in after.items():
            self.packages.setdefault(names.packages[path], set()).add(package)
        self._kept = frozenset(after.values())
        for (package, name), files in names.tops.items():
            moving = [path for path in files if after.get(path, "") != package]
            if moving and len(files) > 1:
                raise Stopped(f"{files[0]} and {files[1]} both declare {package}.{name}: move them by hand.", files[0])
            for path in files:
                if path not in after:
                    continue
                other = self.tops.setdefault((after[path], name), path)
                if other == path:
                    continue
                for one, there in ((path, other), (other, path)):
                    if after[one] != names.packages[one]:
                        raise Stopped(f"{one} would be in a package that has a type {name} already: {there}.", one)
        for path, package in after.items():
            if package != names.packages[path]:
                self._check_clash(path, package)

    def _check_clash(self, path: str, package: str) -> None:
        words = package.split(".")
        for count in range(1, len(words)):
            if (".".join(words[:count]), words[count]) in self.tops:
                raise Stopped(f"{path} cannot be in a package {package}, for that is the name of a type.", path)
        for name in (name for name, _ in self.names.access.items() if name[0] == path):
            inner = f"{package}.{name[1]}"
            if any(other == inner or other.startswith(f"{inner}.") for other in self._kept):
                raise Stopped(f"{path} would be {inner}, which is the name of a package.", path)

    def is_left(self, package: str) -> bool:
        """Whether a file is in the package in the target."""
        return package in self._kept

    def whole(self, package: str) -> str | None:
        """Where all files of a package go; None = to several ones, or it has none."""
        found = self.packages.get(package, set())
        return next(iter(found)) if len(found) == 1 else None


def rewritten(path: str, changes: PackageChanges) -> list[Edit]:
    """The edits, in bytes, of the file that is at `path` today. Raises Stopped where nobody can say what to write."""
    return _Rewriting(path, changes).edits()


class _Rewriting:
    def __init__(self, path: str, changes: PackageChanges) -> None:
        self._path, self._changes, self._names = path, changes, changes.names
        self._source = changes.names.source(path)
        self._package = changes.after[path]
        self._edits: list[Edit] = []
        self._meant: dict[str, TypeName | None] = {}
        self._unsure: set[str] = set()
        self._single: dict[str, TypeName | None] = {}
        self._stars: list[str] = []

    def edits(self) -> list[Edit]:
        """See `rewritten`."""
        self._own_package()
        for name in self._source.names:
            self._read(name)
        for line in self._source.imports:
            self._import(line)
        self._add(sorted(self._missing()))
        for start, end in self._source.comments:
            self._comment(start, end)
        if self._edits and self._source.broken:
            raise Stopped(f"{self._path} would have to be changed, and not all of its syntax can be read.", self._path)
        return self._edits

    def _stop(self, reason: str) -> Stopped:
        return Stopped(f"{self._path} {reason}", self._path)

    def _own_package(self) -> None:
        if self._package == self._names.packages[self._path]:
            return
        if self._source.at is not None:
            self._edits.append(Edit(*self._source.at, self._package))
        else:
            first, end = self._source.first, self._source.line_end
            self._edits.append(Edit(first, first, f"package {self._package};{end}{end}"))

    def _new(self, file: str, name: str) -> str:
        """The package in the target of a type at the top of a file. Raises Stopped if this file could not name it."""
        package = self._changes.after.get(file)
        if package is None:
            raise self._stop(f"uses {name}, which would be gone.")
        is_public = self._names.access.get((file, name), PUBLIC) == PUBLIC
        if package != self._package and not is_public:
            raise self._stop(f"uses {name} of {file}, which only its own package sees: make it public first.")
        if not package and self._package:
            raise self._stop(f"uses {name}, and nothing can be imported from the unnamed package.")
        return package

    def _read(self, dotted: DottedName) -> None:
        """Learn what the first of the names means, and change a full name."""
        names, head = self._names, dotted.parts[0].name
        if names.inside(self._path, dotted.scope, head)[0]:
            return
        is_variable = not dotted.is_type and head in self._source.variables
        meant = names.at_top(self._path, head)
        if meant is not None or len(dotted.parts) == 1 or head not in names.parts:
            if is_variable:
                self._unsure.add(head)
            elif dotted.is_type or meant is not None or head[:1].isupper():
                self._meant[head] = meant
            return
        found = names.top(tuple(part.name for part in dotted.parts))
        if found is None or is_variable:
            return
        self._prefix(dotted.parts, *found)

    def _prefix(self, parts: tuple[NamePart, ...], count: int, file: str) -> str:
        """Change the package in a full name; it is returned."""
        package = self._new(file, parts[count].name)
        if package != self._names.packages[file]:
            self._edits.append(Edit(parts[0].start, parts[count - 1].end, package))
        return package

    # -- imports

    def _import(self, line: ImportLine) -> None:
        parts = tuple(part.name for part in line.parts)
        found = self._names.top(parts)
        if found is None:
            if line.is_star and not line.is_static:
                self._whole_package(line)
            elif not line.is_star:
                self._single.setdefault(parts[-1], None)
            return
        count, file = found
        package = self._new(file, parts[count])
        is_own = package == self._package != self._names.packages[file]
        if is_own and not line.is_static and not line.is_star and len(parts) == count + 1 and parts[-1] in self._meant:
            self._drop(line)
            return
        self._prefix(line.parts, count, file)
        if not line.is_star and (not line.is_static or parts[-1] in self._meant):
            self._single.setdefault(parts[-1], self._names.full(parts))

    def _whole_package(self, line: ImportLine) -> None:
        package = line.name
        if package not in self._names.files or self._changes.is_left(package):
            self._stars.append(package)
            return
        new = self._changes.whole(package)
        if new is None or new == self._package:
            self._drop(line)
        else:
            self._edits.append(Edit(line.parts[0].start, line.parts[-1].end, new))
            self._stars.append(new)

    def _drop(self, line: ImportLine) -> None:
        content = self._source.content
        start = content.rfind(b"\n", 0, line.start) + 1
        rest = _LAST_LINE.match(content, line.end)
        alone = not content[start : line.start].strip() and rest is not None and not rest[0].strip()
        if alone and rest is not None:
            self._edits.append(Edit(start, rest.end(), ""))
        else:
            self._edits.append(Edit(line.start, line.end, ""))

    def _missing(self) -> set[str]:
        """Full names to be imported. Raises Stopped where a name would mean something else."""
        found = set()
        for head, meant in self._meant.items():
            if head in self._single or (head,) in self._source.types:
                continue
            there = self._seen(head)
            if there == ([] if meant is None else [meant.file]) and (meant is None or len(meant.path) == 1):
                continue
            if meant is None:
                raise self._stop(f"uses {head}, and {there[0]} would hide it.")
            if len(meant.path) > 1:
                if there:
                    raise self._stop(f"uses {head} of {meant.file}, and {there[0]} would hide it.")
                continue
            package = self._new(meant.file, head)
            found.add(f"{package}.{head}")
        for head in self._unsure - self._meant.keys():
            meant = self._names.at_top(self._path, head)
            there = self._seen(head)
            if meant is not None and head not in self._single and there != [meant.file]:
                raise self._stop(f"calls a variable {head}, as {meant.file} calls a type: which one is meant?")
        return found

    def _seen(self, name: str) -> list[str]:
        """Files of the types of that name that are seen in the target without an import of their own."""
        own = self._changes.tops.get((self._package, name))
        if own is not None:
            return [own]
        return [file for package in self._stars if (file := self._changes.tops.get((package, name))) is not None]

    def _add(self, full: list[str]) -> None:
        """Import these types: each in its place among the imports, if those are sorted."""
        if not full:
            return
        end = self._source.line_end
        kept = [line for line in self._source.imports if not line.is_static]
        names = [line.name for line in kept]
        is_sorted = names == sorted(names)
        before: dict[int, list[str]] = {}
        behind: dict[int, list[str]] = {}
        for name in full:
            text = f"import {name};"
            if not kept:
                self._add_first(text)
                continue
            after = next((line for line in kept if line.name > name), None) if is_sorted else None
            if after is not None:
                before.setdefault(after.start, []).append(text)
            else:
                behind.setdefault(kept[-1].end, []).append(text)
        for at, texts in before.items():
            self._edits.append(Edit(at, at, "".join(f"{text}{end}" for text in texts)))
        for at, texts in behind.items():
            self._edits.append(Edit(at, at, "".join(f"{end}{text}" for text in texts)))

    def _add_first(self, text: str) -> None:
        source, end = self._source, self._source.line_end
        if source.imports:
            at = source.imports[0].start
            self._edits.append(Edit(at, at, f"{text}{end}"))
        elif source.at is not None:
            at = source.content.find(b";", source.at[1]) + 1
            is_next = any(edit.start == at for edit in self._edits)
            self._edits.append(Edit(at, at, f"{end}{text}" if is_next else f"{end}{end}{text}"))
        else:
            self._edits.append(Edit(source.first, source.first, f"{text}{end}{end}"))

    # -- comments

    def _comment(self, start: int, end: int) -> None:
        """Full names, and names of types that the file sees no more, in links of Javadoc."""
        content = self._source.content
        if not content.startswith(b"/**", start):
            return
        for match in _TAGGED.finditer(content, start, end):
            at = match.start("name")
            parts = tuple(match["name"].decode().split("."))
            meant = self._names.at_top(self._path, parts[0])
            if meant is not None:
                self._linked(at, parts[0], meant)
                continue
            found = self._names.top(parts)
            if found is not None:
                file = found[1]
                new, old = self._changes.after.get(file), self._names.packages[file]
                if new is not None and new != old:
                    self._edits.append(Edit(at, at + len(old), new))

    def _linked(self, at: int, name: str, meant: TypeName) -> None:
        if len(meant.path) > 1 or meant.file == self._path or name in self._single or name in self._meant:
            return
        package = self._changes.after.get(meant.file)
        if package and self._seen(name) != [meant.file]:
            self._edits.append(Edit(at, at, f"{package}."))
