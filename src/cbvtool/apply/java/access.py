"""What only one package of Java sees, and files that leave it or stay behind would still use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from cbvtool.apply.java.names import JavaNames, TypeName
from cbvtool.apply.java.source import (
    PACKAGE,
    PRIVATE,
    PROTECTED,
    PUBLIC,
    DeclaredType,
    JavaMember,
    MemberUse,
    TypeOutline,
    java_outline,
    words_of,
)
from cbvtool.apply.stopped import Stopped

_ANY = -2  # arguments of a method reference


def must_stay_seen(names: JavaNames, package: str, after: Mapping[str, str]) -> None:
    """Raise Stopped for a file of the package that may use what it would see no more.

    after  path of each file that is kept -> its package then

    Where the type of a value is not known, a member of the same name is taken to be meant.
    """
    files = [path for path in names.files[package] if path in after]
    seen = _Seen(names)
    for owner in files:
        others = [path for path in files if after[path] != after[owner]]
        if not others:
            continue
        for declared in names.source(owner).types.values():
            if declared.access != PRIVATE:
                seen.check(owner, declared, others, [path for path in files if path not in others and path != owner])


class _Seen:
    """What files use of types that are no more in their package."""

    def __init__(self, names: JavaNames) -> None:
        self._names = names
        self._above: dict[str, dict[TypeName, list[int]]] = {}
        self._told: dict[TypeName, frozenset[str]] = {}

    def _inherited(self, file: str) -> dict[TypeName, list[int]]:
        """What the types of a file inherit from, and the rows of these types' bodies."""
        found = self._above.get(file)
        if found is None:
            found = self._above[file] = {}
            for row, scope in enumerate(self._names.source(file).scopes):
                if scope.bases:
                    for name in self._names.lines(file, row):
                        found.setdefault(name, []).append(row)
        return found

    def check(self, owner: str, declared: DeclaredType, others: Sequence[str], beside: Sequence[str]) -> None:
        """Raise Stopped if one of the other files may use a member of the type that only its package sees.

        beside  files that stay in one package with it
        """
        name = TypeName(owner, declared.path)
        whole = ".".join(declared.path)
        for file in others:
            rows = self._inherited(file).get(name, [])
            if rows and declared.is_sealed:
                raise Stopped(f"{whole} is sealed, and what {file} derives from it has to lie in its package.", file)
            for member in declared.members:
                access = min(member.access, declared.access)
                if access not in (PACKAGE, PROTECTED) or not self._uses(file, name, member, access, rows):
                    continue
                if rows or not self._telling(name).isdisjoint(self._words(file)):
                    who = "only its package sees" if access == PACKAGE else "only its package and subclasses see"
                    raise Stopped(f"{file} may use {whole}.{member.name}, which {who}: make it public first.", file)
            hidden = [one for one in declared.members if one.access == PACKAGE and one.kind != "constructor"]
            for user in beside if rows and hidden else ():
                self._check_through(file, user, whole, hidden)

    def _telling(self, name: TypeName) -> frozenset[str]:
        """Words, one of which a file has that has a value of this type, or names it.

        They are the names of the type, of what is derived from it or bound to it, and of the members of other types
        that say one of these.
        """
        known = self._told.get(name)
        if known is not None:
            return known
        types, before = {name.path[-1]}, 0
        outlines: list[TypeOutline] = []
        while before < len(types):
            before = len(types)
            contents = (self._names.contents[file] for file in self._names.packages)
            outlines = [one for content in contents if types & words_of(content) for one in java_outline(content)]
            types |= {one.name for one in outlines if one.named & types}
        others = (one for one in outlines if one.name not in types)
        members = {member for one in others for member, named in one.members if named & types}
        found = self._told[name] = frozenset(types | members)
        return found

    def _words(self, file: str) -> frozenset[str]:
        return words_of(self._names.contents[file])

    def _check_through(self, between: str, user: str, whole: str, hidden: Sequence[JavaMember]) -> None:
        """Raise Stopped for a member that a file may use by a type that leaves the package, and inherits it no more."""
        source = self._names.source(user)
        tops = {path[0] for path in self._names.source(between).types}
        if tops.isdisjoint(source.words | source.plain):
            return
        used = {use.name for use in source.uses} | source.plain
        for member in hidden:
            if member.name in used:
                raise Stopped(
                    f"{user} may use {whole}.{member.name}, which {between} would not inherit in another package.", user
                )

    def _uses(self, file: str, name: TypeName, member: JavaMember, access: int, rows: Sequence[int]) -> bool:
        source = self._names.source(file)
        if member.kind == "constructor":
            last = name.path[-1]
            if any(made.rpartition(".")[2] == last and _takes(member, count) for made, count in source.created):
                return True
            return access == PACKAGE and bool(rows) and not self._has_other_constructor(name)
        if member.kind == "type":
            return member.name in source.words or (member.name in source.plain and bool(rows))
        is_static_import = any(
            line.is_static
            and self._names.full(tuple(part.name for part in (line.parts if line.is_star else line.parts[:-1]))) == name
            and (line.is_star or line.parts[-1].name == member.name)
            for line in source.imports
        )
        is_near = (bool(rows) and access == PACKAGE) or is_static_import
        if member.kind == "field" and is_near and member.name in source.plain:
            return True
        if access == PACKAGE and member.kind == "method" and self._overrides(file, member, rows):
            return True
        return any(
            use.name == member.name and self._may_mean(file, use, name, member, is_near=is_near) for use in source.uses
        )

    def _has_other_constructor(self, name: TypeName) -> bool:
        declared = self._names.declared(name)
        members = declared.members if declared is not None else []
        return any(one.kind == "constructor" and one.access in (PROTECTED, PUBLIC) for one in members)

    def _overrides(self, file: str, member: JavaMember, rows: Sequence[int]) -> bool:
        source = self._names.source(file)
        own = [declared for declared in source.types.values() if declared.scope in rows]
        same = (one for declared in own for one in declared.members)
        return any(one.name == member.name and one.parameters == member.parameters for one in same)

    def _may_mean(self, file: str, use: MemberUse, name: TypeName, member: JavaMember, *, is_near: bool) -> bool:
        if (member.kind == "field") != (use.arguments == -1) or not _takes(member, use.arguments):
            return False
        if use.receiver in ("", "this"):
            return is_near
        if use.receiver.startswith("?"):
            return not self._is_outside(file, use)
        return any(found is None or self._is_related(found, name) for found in self._receivers(file, use))

    def _is_outside(self, file: str, use: MemberUse) -> bool:
        """Whether calls begin with a value from outside the folder, whose methods give no values from inside it."""
        texts = self._names.source(file).variables.get(use.receiver[1:], {""})
        return not any(
            not text
            or text.endswith("<>")
            or self._names.inside(file, use.scope, text.partition(".")[0])[0]
            or self._names.meaning(file, use.scope, tuple(text.split("."))) is not None
            for text in texts
        )

    def _receivers(self, file: str, use: MemberUse) -> Iterator[TypeName | None]:
        """The types below the folder that the receiver may have; None = any."""
        source = self._names.source(file)
        texts = source.variables.get(use.receiver)
        if texts is None:
            is_local, found = self._names.inside(file, use.scope, use.receiver)
            found = found if is_local else self._names.at_top(file, use.receiver)
            if found is not None:
                yield found
            elif is_local or not use.receiver[:1].isupper():
                yield None
            return
        for text in texts:
            if not text:
                yield None
                continue
            parts = tuple(text.removesuffix("<>").split("."))
            found = self._names.meaning(file, use.scope, parts)
            if found is not None:
                yield found
            elif self._names.inside(file, use.scope, parts[0])[0]:
                yield None

    def _is_related(self, found: TypeName, name: TypeName) -> bool:
        return found == name or name in self._lines(found) or found in self._lines(name)

    def _lines(self, name: TypeName) -> set[TypeName]:
        declared = self._names.declared(name)
        return set(self._names.lines(name.file, declared.scope)) if declared is not None else set()


def _takes(member: JavaMember, count: int) -> bool:
    if member.kind == "field" or count == _ANY:
        return True
    return member.parameters == count or (member.more and count >= member.parameters - 1)
