"""What names of types mean in the Java files of one state of a tree (JLS 6.4.1, 6.5, 7.5)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

from cbvtool.apply.java.source import DeclaredType, JavaSource, TypeScope, java_head

_DEEPEST = 60  # levels of inheritance


class TypeName(NamedTuple):
    """A type below the folder: path of its file, names of the types down to it from the top of the file."""

    file: str
    path: tuple[str, ...]


class JavaNames:
    """The types of a tree.

    contents  of the files, by path
    packages  path of each file -> its package
    tops      (package, name) -> paths of the files that declare such a type at their top
    """

    def __init__(self, contents: Mapping[str, bytes], source: Callable[[str], JavaSource]) -> None:
        """The names in the files with these contents, by path; `source` reads one of them."""
        self.contents, self.source = contents, source
        self.packages: dict[str, str] = {}
        self.tops: dict[tuple[str, str], list[str]] = defaultdict(list)
        self.access: dict[tuple[str, str], int] = {}
        self.files: dict[str, list[str]] = defaultdict(list)
        for path, content in sorted(contents.items()):
            package, tops = java_head(content)
            self.packages[path] = package
            self.files[package].append(path)
            for name, access in tops:
                self.tops[package, name].append(path)
                self.access[path, name] = access

    @cached_property
    def parts(self) -> frozenset[str]:
        """The first names of all packages."""
        return frozenset(package.partition(".")[0] for package in self.files if package)

    # -- by full names

    def top(self, parts: tuple[str, ...]) -> tuple[int, str] | None:
        """(how many of the names are the package, path of the file) of the type that a full name begins with."""
        for count in range(len(parts) - 1, 0, -1):
            files = self.tops.get((".".join(parts[:count]), parts[count]))
            if files:
                return count, files[0]
        return None

    def full(self, parts: tuple[str, ...]) -> TypeName | None:
        """The type with this full name."""
        found = self.top(parts)
        if found is None:
            return None
        count, file = found
        name: TypeName | None = TypeName(file, (parts[count],))
        for part in parts[count + 1 :]:
            name = self.member(name, part) if name is not None else None
        return name

    # -- members

    def declared(self, name: TypeName) -> DeclaredType | None:
        """The declaration of a type."""
        return self.source(name.file).types.get(name.path)

    def member(self, name: TypeName, inner: str, deep: int = 0) -> TypeName | None:
        """A type that is a member of another one, its own or an inherited one."""
        source = self.source(name.file)
        declared = source.types.get(name.path)
        if declared is None or deep > _DEEPEST:
            return None
        body = source.scopes[declared.scope]
        own = body.names.get(inner)
        if own is not None:
            return TypeName(name.file, own)
        return self._inherited(name.file, body, inner, deep + 1)

    def _inherited(self, file: str, body: TypeScope, inner: str, deep: int) -> TypeName | None:
        for base in body.bases:
            above = self._base(file, body, base, deep)
            found = self.member(above, inner, deep) if above is not None else None
            if found is not None:
                return found
        return None

    def _base(self, file: str, body: TypeScope, base: str, deep: int) -> TypeName | None:
        return self.meaning(file, body.parent, tuple(base.split(".")), deep) if deep <= _DEEPEST else None

    def lines(self, file: str, scope: int) -> Iterator[TypeName]:
        """The types below the folder that the type with this body inherits from."""
        todo, seen = [(file, scope)], set[TypeName]()
        while todo:
            at, row = todo.pop()
            body = self.source(at).scopes[row]
            for base in body.bases:
                found = self._base(at, body, base, 0)
                if found is not None and found not in seen:
                    seen.add(found)
                    yield found
                    if (declared := self.declared(found)) is not None:
                        todo.append((found.file, declared.scope))

    # -- by names in a file

    def meaning(self, file: str, scope: int, parts: tuple[str, ...], deep: int = 0) -> TypeName | None:
        """What a dotted name of a type means there; None = nothing below the folder, or no type with a name."""
        is_local, found = self.inside(file, scope, parts[0], deep)
        if found is None and not is_local:
            found = self.at_top(file, parts[0])
            if found is None:
                return self.full(parts) if len(parts) > 1 else None
        for part in parts[1:]:
            found = self.member(found, part, deep + 1) if found is not None else None
        return found

    def inside(self, file: str, scope: int, name: str, deep: int = 0) -> tuple[bool, TypeName | None]:
        """Whether a type of that name is declared or inherited around there, and which; None = one without a name."""
        scopes = self.source(file).scopes
        while scope > 0:
            body = scopes[scope]
            if name in body.names:
                own = body.names[name]
                return True, None if own is None else TypeName(file, own)
            found = self._inherited(file, body, name, deep + 1)
            if found is not None:
                return True, found
            scope = body.parent
        return False, None

    def at_top(self, file: str, name: str) -> TypeName | None:
        """What a simple name means outside of the types of a file."""
        source = self.source(file)
        for line in source.imports:
            if not line.is_star and line.parts[-1].name == name:
                found = self.full(tuple(part.name for part in line.parts))
                if found is not None or not line.is_static:
                    return found
        if (name,) in source.types:
            return TypeName(file, (name,))
        package = self.packages[file]
        same = self.tops.get((package, name))
        if same:
            return TypeName(same[0], (name,))
        for line in source.imports:
            if line.is_star:
                parts = tuple(part.name for part in line.parts)
                files = () if line.is_static else self.tops.get((line.name, name), ())
                if files:
                    return TypeName(files[0], (name,))
                around = self.full(parts)
                found = self.member(around, name) if around is not None else None
                if found is not None:
                    return found
        return None
