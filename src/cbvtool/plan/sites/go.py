"""Go: import paths of packages that move, package lines, and names that are said with their package or without."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping

from cbvtool.plan.sites.planned import PartChange, Planned, PlannedUse
from cbvtool.plan.sites.site import Certainty, Site
from cbvtool.plan.sites.words import (
    BY_NAME,
    bare_word,
    definition_site,
    is_read,
    is_telling,
    member_word,
    same_name,
    site_kind,
    use_sites,
    word,
)

_SUFFIXES = ("go",)
_PACKAGE = re.compile(r"^[ \t]*package[ \t]+(\w+)", re.MULTILINE)
_IMPORT = re.compile(r"\s*(?:import\s+)?(?:\(\s*)?(?:[\w.]+\s+)?\"[^\"]+\"\s*\)?\s*$")
_LONG = 500  # characters of a line that imports nothing


class Go:
    """See `Language`."""

    suffixes = _SUFFIXES

    def words(self, planned: Planned) -> Iterable[str]:
        """The names of parts."""
        return (part.name for part in planned.parts if is_go(part.file))

    def sites(self, planned: Planned) -> Iterator[Site]:
        """See `Language.sites`."""
        folders: dict[str, set[str]] = defaultdict(set)  # of a package that moves as a whole: where to
        for file in planned.paths:
            if is_go(file) and (new := planned.new_path(file)) is not None:
                folders[_folder(file)].add(_folder(new))
        whole = {old: new.pop() for old, new in folders.items() if len(new) == 1}
        yield from _path_sites(planned, whole)
        for change in planned.files:
            if is_go(change.old) and change.new is not None and _folder(change.new) != _folder(change.old):
                if _folder(change.old) not in whole:
                    inside = planned.base.subtree(change.key).tolist()
                    yield from _moved_sites(planned, inside, change.old, _folder(change.new), change.cause, True)
            elif is_go(change.old) and change.new is None:
                yield from _gone_sites(planned, planned.base.subtree(change.key).tolist(), change.cause)
        for part in planned.parts:
            if is_go(part.file):
                yield from _part_sites(planned, part)

    def spellings(self, planned: Planned) -> Iterable[tuple[str, int]]:
        """Nothing but paths, which need not be told."""
        del planned
        return ()


def is_go(path: str) -> bool:
    """Whether a file holds Go."""
    return path.endswith(".go")


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _path_sites(planned: Planned, whole: Mapping[str, str]) -> Iterator[Site]:
    """Import lines of packages whose folders move, or get another name, with all that lies in them."""
    base = planned.base
    for old, new in sorted(whole.items()):
        key = base.key_of.get(old, -1)
        if old == new or key < 0:
            continue
        cause = int(planned.changed[key]) if planned.changed[key] >= 0 else -1
        if cause < 0:  # each of its files moves by itself
            cause = next(change.cause for change in planned.files if _folder(change.old) == old)
        for use in planned.uses_of([key]):
            if use.kind == "import" and is_read(planned, use.file, _SUFFIXES):
                yield Site(use.file, use.line, "import", "must", names=(old,), cause=cause)


def _package(planned: Planned, folder: str, but: str = "") -> str:
    """What the package in a folder calls itself; empty where no file but `but` is there to say it."""
    for file in sorted(planned.paths):
        if is_go(file) and _folder(file) == folder and file != but and not file.endswith("_test.go"):
            found = _PACKAGE.search(planned.text(file).whole_code)
            if found:
                return found[1]
    return ""


def _moved_sites(
    planned: Planned, inside: Collection[int], file: str, folder: str, cause: int, is_file: bool
) -> Iterator[Site]:
    """Sites of parts, the nodes `inside`, that go from the package of `file` to that in `folder`."""
    base, old = planned.base, _folder(file)
    moving = set(inside)
    new_name = _package(planned, folder) or folder.rpartition("/")[2]
    text = planned.text(file)
    said = _PACKAGE.search(text.whole_code)
    if is_file and said and said[1].removesuffix("_test") != new_name and is_read(planned, file, _SUFFIXES):
        yield Site(file, text.line_at(said.start(1)), "package", "must", names=(said[1],), cause=cause)
    users: dict[str, list[PlannedUse]] = defaultdict(list)
    for use in planned.uses_of(moving):
        if use.is_sure and use.source not in moving and use.kind != "import":
            users[use.file].append(use)
    for user, uses in sorted(users.items()):
        if not is_read(planned, user, _SUFFIXES):
            continue
        named = [use for use in uses if "." not in base.names[use.target] and _is_top(planned, use.target)]
        for use in named:
            if planned.text(user).has(use.line, word(base.names[use.target])):
                names = (base.names[use.target],)
                yield Site(user, use.line, site_kind(use.kind), "must", names=names, cause=cause)
        if named and _folder(user) != folder:
            yield _added(planned, user, folder, cause)
        if named and _folder(user) != old:
            yield from _dropped(planned, user, old, moving, cause)
    needed = {}
    for use in planned.uses_by(moving):
        there = planned.file_of(use.target)
        if use.is_sure and use.target not in moving and is_go(there) and _is_top(planned, use.target):
            if _folder(there) == old and is_file:
                names = (base.names[use.target],)
                yield Site(use.file, use.line, site_kind(use.kind), "must", names=names, cause=cause)
            needed[_folder(there)] = use.file
    if is_file and old in needed and old != folder:
        yield _added(planned, file, old, cause)


def _dropped(planned: Planned, user: str, folder: str, moving: set[int], cause: int) -> Iterator[Site]:
    """The import of a package of which the file uses nothing else."""
    file = planned.paths[user]
    uses = planned.uses_by(planned.base.subtree(file).tolist())
    rest = [use for use in uses if use.target not in moving and _folder(planned.file_of(use.target)) == folder]
    if not any(use.kind != "import" for use in rest):
        package = planned.base.key_of.get(folder, -1)
        for use in uses:
            if use.target == package and use.kind == "import":
                yield Site(user, use.line, "drop-import", "must", names=(folder,), cause=cause)


def _gone_sites(planned: Planned, inside: Collection[int], cause: int) -> Iterator[Site]:
    for use in planned.uses_of(inside):
        if use.source not in inside and is_read(planned, use.file, _SUFFIXES):
            sure = use.is_sure
            yield Site(
                use.file,
                use.line,
                site_kind(use.kind),
                "must" if sure else "check",
                names=(planned.base.names[use.target],),
                reason="" if sure else BY_NAME,
                cause=cause,
            )


def _is_top(planned: Planned, key: int) -> bool:
    """Whether a part stands directly in its file, so that it is said with its package."""
    return planned.base.kind(int(planned.base.parent[key])) == "file"


def _added(planned: Planned, file: str, folder: str, cause: int) -> Site:
    text = planned.text(file)
    lines = [number for number, line in enumerate(text.bare, 1) if len(line) < _LONG and _IMPORT.match(line)]
    said = _PACKAGE.search(text.whole_code)
    after = max(lines, default=text.line_at(said.start(1)) if said else 0)
    return Site(file, None, "add-import", "must", after=after, names=(folder,), cause=cause)


# -- names -----------------------------------------------------------------------------------------------------


def _part_sites(planned: Planned, part: PartChange) -> Iterator[Site]:
    if is_read(planned, part.file, _SUFFIXES):
        yield from definition_site(planned, part)
    if part.is_renamed:
        yield from _renamed_sites(planned, part)
    if part.new_file is None:
        yield from _gone_sites(planned, planned.base.subtree(part.key).tolist(), part.cause)
    elif part.leaves and _folder(part.new_file) != _folder(part.file):
        inside = planned.base.subtree(part.key).tolist()
        yield from _moved_sites(planned, inside, part.file, _folder(part.new_file), part.cause, False)


def _renamed_sites(planned: Planned, part: PartChange) -> Iterator[Site]:
    """The uses that the graph knows; in the package each word of the name, elsewhere each behind the package's name."""
    yield from use_sites(planned, planned.uses_of([part.key]), part, _SUFFIXES)
    is_only = is_telling(part.name) and same_name(planned, part.name, _SUFFIXES) == [part.key]
    is_top = not part.above
    for file in sorted(planned.files_with([part.name])):
        if not is_read(planned, file, _SUFFIXES):
            continue
        text = planned.text(file)
        if is_top and _folder(file) == _folder(part.file):
            for line in text.lines_with(bare_word(part.name), holding=part.name):
                yield Site(file, line, "reference", "must", names=(part.name,), cause=part.cause)
        for line in text.lines_with(member_word(part.name)):
            certainty: Certainty = "must" if is_only else "check"
            reason = "" if is_only else BY_NAME
            yield Site(file, line, "reference", certainty, names=(part.name,), reason=reason, cause=part.cause)
