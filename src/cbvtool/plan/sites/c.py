"""C and C++: includes whose written path no longer leads to the header, and names that are seen everywhere."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from posixpath import normpath

from cbvtool.plan.place import place
from cbvtool.plan.sites.planned import PartChange, Planned, PlannedUse, grouped, split_name
from cbvtool.plan.sites.site import Certainty, Site
from cbvtool.plan.sites.words import (
    BY_NAME,
    definition_site,
    is_read,
    is_telling,
    same_name,
    site_kind,
    use_sites,
    word,
)

_HEADERS = ("h", "hh", "hpp", "hxx", "h++", "H", "inc", "inl", "ipp", "tpp", "txx", "cuh")
_SUFFIXES = frozenset((*_HEADERS, "c", "cc", "cpp", "cxx", "c++", "C", "ixx", "cppm", "cu", "m", "mm"))
_INCLUDE = re.compile(r"""^\s*#\s*(?:include|include_next|import)\s*(?P<open>["<])(?P<path>[^">]+)""")
_TYPES = frozenset({"class", "struct", "union", "enum", "type", "interface"})


class CFamily:
    """See `Language`."""

    suffixes = _SUFFIXES

    def words(self, planned: Planned) -> Iterable[str]:
        """Names of parts, and of headers."""
        yield from (part.name for part in planned.parts if is_c(part.file))

    def sites(self, planned: Planned) -> Iterator[Site]:
        """See `Language.sites`."""
        yield from _include_sites(planned)
        for part in planned.parts:
            if is_c(part.file):
                yield from _part_sites(planned, part)

    def spellings(self, planned: Planned) -> Iterable[tuple[str, int]]:
        """What is made of a source file, as makefiles name it."""
        for change in planned.files:
            stem, _, suffix = change.old.rpartition("/")[2].rpartition(".")
            if suffix in _SUFFIXES and suffix not in _HEADERS:
                yield f"{stem}.o", change.cause


def is_c(path: str) -> bool:
    """Whether a file holds C or C++."""
    return path.rpartition(".")[2] in _SUFFIXES


def _include_sites(planned: Planned) -> Iterator[Site]:
    """Includes of files that lie elsewhere, and those in such files."""
    changes = {change.key: change for change in planned.files}
    if not any(is_c(change.old) for change in changes.values()):
        return
    uses = {use for use in (*planned.uses_of(changes), *planned.uses_by(changes)) if use.kind == "include"}
    roots: dict[str, set[str]] = {}
    for use in sorted(uses):
        if not is_read(planned, use.file, _SUFFIXES) or planned.new_path(use.file) is None:
            continue
        change = changes.get(use.target) or changes.get(use.source)
        target = planned.file_of(use.target)
        found = _INCLUDE.match(planned.text(use.file).lines[use.line - 1]) if use.line else None
        if change is None or not target:
            continue
        if found is None:
            reason = "a macro says what is included: look whether it is still right"
            yield Site(use.file, use.line, "include", "check", reason=reason, cause=change.cause)
        else:
            path, is_quoted = found["path"], found["open"] == '"'
            reason = "" if use.is_sure else BY_NAME
            if _holds(planned, use.file, path, is_quoted, target, roots):
                if not is_quoted or _is_beside(use.file, path, target):
                    continue
                if not _is_beside(planned.new_path(use.file) or "", path, planned.new_path(target) or ""):
                    continue
                reason = "found from another folder before, and beside the file now: change it if that is not meant"
            certainty: Certainty = "check" if reason else "must"
            yield Site(use.file, use.line, "include", certainty, names=(path,), reason=reason, cause=change.cause)


def _holds(planned: Planned, file: str, path: str, is_quoted: bool, target: str, roots: dict[str, set[str]]) -> bool:
    """Whether `file` finds `target` by the written `path` in the target, too.

    roots  file -> folders that its other includes are found from, filled here
    """
    new, here = planned.new_path(target), planned.new_path(file)
    if new is None or here is None:
        return False
    if is_quoted and _is_beside(here, path, new):
        return True
    if is_quoted and _is_beside(file, path, target) and not f"/{new}".endswith(f"/{path}"):
        return False
    root = _root(target, path)
    new_root = _root(new, path)
    if new_root is None:
        return False
    beside = is_quoted and root == _folder(file)
    if new_root == root and (not beside or here == file):
        return True
    if root is not None and not beside and new_root == _new_folder(planned, root):
        return True  # the folder that includes begin at is what moves
    if file not in roots:
        roots[file] = set(_other_roots(planned, file))
    return new_root in roots[file]


def _is_beside(file: str, path: str, target: str) -> bool:
    """Whether `path`, from the folder of `file` on, leads to `target`."""
    return normpath(f"{_folder(file)}/{path}".lstrip("/")) == target


def _other_roots(planned: Planned, file: str) -> Iterator[str]:
    key = planned.paths.get(file)
    for use in planned.uses_by([key]) if key is not None else ():
        lines = planned.text(file).lines
        found = _INCLUDE.match(lines[use.line - 1]) if use.kind == "include" and 0 < use.line <= len(lines) else None
        target = planned.file_of(use.target)
        if found is not None and planned.new_path(target) == target:
            root = _root(target, found["path"])
            if root is not None and (root != _folder(file) or found["open"] == "<"):
                yield root


def _root(path: str, written: str) -> str | None:
    """The folder from which `path` is called `written`; None = it is not called so from any."""
    written = normpath(written)
    return path[: -len(written)].rstrip("/") if f"/{path}".endswith(f"/{written}") else None


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _new_folder(planned: Planned, folder: str) -> str:
    key = planned.base.key_of.get(folder, -1)
    return place(planned.target, key) if key >= 0 and folder and planned.target.tree.pos[key] >= 0 else folder


# -- functions and types ---------------------------------------------------------------------------------------


def _part_sites(planned: Planned, part: PartChange) -> Iterator[Site]:
    if is_read(planned, part.file, _SUFFIXES):
        yield from definition_site(planned, part)
    if part.is_renamed or part.new_file is None:
        yield from _name_sites(planned, part)
    elif part.leaves and part.file.rpartition(".")[2] in _HEADERS:
        yield from _header_sites(planned, part)


def _name_sites(planned: Planned, part: PartChange) -> Iterator[Site]:
    """Where the name of a part stands, declarations included: there is one name for all files."""
    family = _family(planned, part)
    others = [key for key in same_name(planned, part.name, _SUFFIXES) if key not in family]
    uses = planned.uses_of(family)
    goes = planned.lines_of(part.key) if part.new_file is None else range(0)
    kept = [use for use in uses if use.file != part.file or use.line not in goes]
    yield from use_sites(planned, kept, part, _SUFFIXES)
    for key in family:
        if key != part.key and part.is_renamed:
            yield from definition_site(planned, part._replace(key=key, file=planned.file_of(key)))
    is_type = part.kind in _TYPES
    pattern = word(part.name)
    plain = re.compile(rf"(?<!\w)(?<!\.)(?<!->){re.escape(part.name)}(?!\w)")
    qualified = re.compile(rf"(?<!\w){re.escape(part.above)}\s*::\s*~?{re.escape(part.name)}(?!\w)")
    known = grouped(uses)
    strangers = {planned.file_of(key) for key in others}
    own = {planned.file_of(key) for key in family}
    is_only = not others and (is_type or not part.above or is_telling(part.name))
    for file in sorted(planned.files_with([part.name])):
        if not is_read(planned, file, _SUFFIXES):
            continue
        text = planned.text(file)
        if not part.above or is_type:
            sure = is_only or (file not in strangers and (file in own or file in known))
            for line in text.lines_with(plain, holding=part.name):
                if not (file == part.file and line in goes):
                    yield _named(planned, part, file, line, known, sure)
            continue
        for line in text.lines_with(qualified, holding=part.above):
            yield _named(planned, part, file, line, known, True)
        for line in text.lines_with(pattern, holding=part.name):
            yield _named(planned, part, file, line, known, is_only)


def _named(
    planned: Planned, part: PartChange, file: str, line: int, known: dict[str, dict[int, list[PlannedUse]]], sure: bool
) -> Site:
    there = known.get(file, {}).get(line, ())
    if there:
        kind = site_kind(there[0].kind)
        sure = sure or any(use.is_sure for use in there)
    elif part.kind in _TYPES:
        kind = "type-use"
    else:
        kind = "call" if planned.text(file).has(line, re.compile(rf"{re.escape(part.name)}\s*\(")) else "reference"
    return Site(
        file,
        line,
        kind,
        "must" if sure else "check",
        names=(part.name,),
        reason="" if sure else BY_NAME,
        cause=part.cause,
    )


def _family(planned: Planned, part: PartChange) -> list[int]:
    """A part and, of a method, those of the same name in classes that inherit from its own, or it from them."""
    base = planned.base
    if not part.above or part.kind in _TYPES:
        return [part.key]
    own = int(base.parent[part.key])
    owners = [own] if base.kind(own) in _TYPES else _classes(planned, {part.above})
    found, todo = set(owners), owners
    while todo:
        for use in planned.uses_of([todo.pop()]):
            if use.kind == "inherit" and use.is_sure and use.source not in found:
                found.add(use.source)
                todo.append(use.source)
    names = {split_name(base.names[cls])[1] for cls in found}
    members = same_name(planned, part.name, _SUFFIXES)
    return sorted(
        {key for key in members if int(base.parent[key]) in found or split_name(base.names[key])[0] in names}
        | {part.key}
    )


def _classes(planned: Planned, names: set[str]) -> list[int]:
    """The classes and structs of these names."""
    found = {key for name in names for key in same_name(planned, name, _SUFFIXES)}
    return sorted(key for key in found if planned.base.kind(key) in _TYPES)


def _header_sites(planned: Planned, part: PartChange) -> Iterator[Site]:
    """Files that use a part of a header which goes to another one need that one."""
    if part.new_file is None:
        return
    there = planned.paths.get(part.new_file, -1)
    having = {use.file for use in planned.uses_of([there]) if use.kind == "include"} if there >= 0 else set()
    inside = planned.base.subtree(part.key).tolist()
    users = {use.file for use in planned.uses_of(inside) if use.is_sure and use.source not in inside}
    for file in sorted(users - having - {part.new_file}):
        if is_read(planned, file, _SUFFIXES):
            yield _added(planned, file, part.new_file, part)
    needed = {
        planned.file_of(use.target) for use in planned.uses_by(inside) if use.is_sure and use.target not in inside
    }
    has = {planned.file_of(use.target) for use in planned.uses_by([there])} if there >= 0 else set()
    for file in sorted(needed - has - {part.new_file, ""}):
        if file.rpartition(".")[2] in _HEADERS and is_read(planned, part.new_file, _SUFFIXES):
            yield _added(planned, part.new_file, file, part)


def _added(planned: Planned, file: str, header: str, part: PartChange) -> Site:
    lines = planned.text(file).lines
    after = max((number for number, line in enumerate(lines, 1) if _INCLUDE.match(line)), default=0)
    return Site(file, None, "add-import", "must", after=after, names=(header.rpartition("/")[2],), cause=part.cause)
