"""JavaScript, TypeScript: paths in imports and re-exports, both ways; names that modules export and pass on; methods.

A path in an import is right in the target if it leads, by the rules by which it is resolved (suffixes left out, index
files, `.js` for `.ts`), from where the file lies then to where the other lies then. So what moves together stays right.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Set
from functools import cached_property, lru_cache
from posixpath import dirname, join, normpath, splitext
from typing import NamedTuple

from cbvtool.plan.sites.planned import PartChange, Planned, PlannedUse, grouped
from cbvtool.plan.sites.site import Certainty, Site, SiteKind
from cbvtool.plan.sites.words import (
    BY_NAME,
    IN_STRING,
    definition_site,
    is_read,
    is_telling,
    member_word,
    same_name,
    site_kind,
    word,
)

_SUFFIXES = ("js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "vue", "svelte")
_ENDS = (".ts", ".tsx", ".d.ts", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".json", ".vue", ".svelte", ".css")
_COMPILED = {".js": (".ts", ".tsx", ".d.ts"), ".jsx": (".tsx",), ".mjs": (".mts",), ".cjs": (".cts",)}
_TYPES = frozenset({"class", "interface", "enum", "type", "namespace", "module"})
_PATH_IN_STRING = "the path stands in a string: change it if it means this file"

_QUOTED = r"""(?P<quote>['"`])(?P<path>[^'"`\n]+)(?P=quote)"""
_IMPORT = re.compile(
    r"(?<![\w$.])(?P<word>import|export)\b(?P<names>(?:(?!\bimport\b|\bexport\b)[^'\"`;=()]|=\s*(?=require\b))*?)"
    rf"(?:(?<![\w$])from\s*|(?<=import)\s*|require\s*\(\s*){_QUOTED}"
)
_CALLED = re.compile(
    r"(?:(?<![\w$])(?:const|let|var)\s+(?P<names>[\w$]+|\{[^{}]*\})\s*=\s*(?:await\s+)?)?(?<![\w$.])"
    r"(?:require(?:\.\w+)?|import(?:\.meta\.\w+)?|(?:jest|vi|td|rewiremock)(?:\.\w+)+|proxyquire|new\s+(?:URL|Worker))"
    rf"\s*\(\s*{_QUOTED}\s*[,)](?P<rest>\s*\.\s*(?P<member>[\w$]+))?"
)
_REFERENCE = re.compile(
    r"""^[ \t]*///[ \t]*<reference[ \t]+path=(?P<quote>['"])(?P<path>[^'"\n]+)(?P=quote)""", re.MULTILINE
)
_RELATIVE = re.compile(r"""(?P<quote>['"`])(?P<path>\.{1,2}/[^'"`\n]+)(?P=quote)""")
_SPACE = re.compile(r"\*\s*as\s+([\w$]+)")
_ALIASED = re.compile(r"(?:^|(?<=[{,\s]))(?:type\s+)?([\w$]+)(?:\s+as\s+([\w$]+)|\s*:\s*([\w$]+))?")


class Statement(NamedTuple):
    """One path that a file imports or passes on.

    line, path  where the path stands, and as it is written
    first       line that the statement begins on
    names       imported name -> what it is called in the file
    space       name that all of it is called in the file; empty = none
    is_passed   it is exported again
    is_all      by a star
    is_import   it stands in an import or a call that imports; not in any other string
    """

    line: int
    path: str
    first: int
    names: Mapping[str, str]
    space: str
    is_passed: bool
    is_all: bool
    is_import: bool


class JavaScript:
    """See `Language`."""

    suffixes = _SUFFIXES

    def words(self, planned: Planned) -> Iterable[str]:
        """The names of files without suffix, or of their folders, and those of parts."""
        for change in planned.files:
            if change.old.endswith(_ENDS):
                yield _called(change.old)
        for part in planned.parts:
            if is_script(part.file):
                yield part.name

    def sites(self, planned: Planned) -> Iterator[Site]:
        """See `Language.sites`."""
        rules = _Rules(planned)
        if planned.files:
            yield from rules.path_sites()
        for part in planned.parts:
            if is_script(part.file):
                yield from rules.part_sites(part)

    def spellings(self, planned: Planned) -> Iterable[tuple[str, int]]:
        """The path without suffix, of the last two names."""
        for change in planned.files:
            if is_script(change.old) and "/" in change.old:
                stem = splitext(change.old)[0].removesuffix(".d")
                yield "/".join(stem.split("/")[-2:]), change.cause


def is_script(path: str) -> bool:
    """Whether a file holds JavaScript or TypeScript."""
    return path.rpartition(".")[2] in _SUFFIXES


def statements(bare: str, code: str) -> tuple[Statement, ...]:
    """What a file imports, and its other strings that are relative paths, in the order of the text.

    bare, code  its text without comments; without strings, too
    """
    found: dict[int, Statement] = {}
    line = _Lines(bare)
    for match in _IMPORT.finditer(bare):
        if code[match.start()] == " ":
            continue
        names, text = {}, match["names"]
        braces = text[text.find("{") + 1 : text.rfind("}")] if "{" in text else ""
        for own, alias, _ in _ALIASED.findall(braces):
            names[own] = alias or own
        before = text.partition("{")[0].replace("type ", "").strip(" ,\n\t=")
        star = _SPACE.search(text)
        space = before if "=" in text else str(star[1]) if star else ""
        if before and not space and before.isidentifier():
            names["default"] = before
        is_passed = match["word"] == "export"
        found[match.start("path")] = Statement(
            line(match.start("path")),
            match["path"],
            line(match.start()),
            names,
            space,
            is_passed,
            is_passed and "*" in text,
            True,
        )
    for match in _CALLED.finditer(bare):
        if code[match.start()] == " " or match.start("path") in found:
            continue
        called, member = match["names"] or "", match["member"]
        names = {}
        if called.startswith("{"):
            names = {own: alias or own for own, _, alias in _ALIASED.findall(called[1:-1])}
        elif member:
            names = {member: called}
        space = "" if called.startswith("{") or member else called
        at = line(match.start("path"))
        found[match.start("path")] = Statement(at, match["path"], line(match.start()), names, space, False, False, True)
    for match in _RELATIVE.finditer(bare):
        if match.start("path") not in found:
            at = line(match.start("path"))
            found[match.start("path")] = Statement(at, match["path"], at, {}, "", False, False, False)
    return tuple(found[at] for at in sorted(found))


class _Rules:
    """The rules for one plan."""

    def __init__(self, planned: Planned) -> None:
        self._planned = planned
        self._imports: dict[str, dict[int, set[str]]] = {}
        self._said: dict[str, tuple[Statement, ...]] = {}

    @cached_property
    def _new_files(self) -> Set[str]:
        found = (self._planned.new_path(file) for file in self._planned.paths)
        return {path for path in found if path is not None}

    def _statements(self, file: str) -> tuple[Statement, ...]:
        found = self._said.get(file)
        if found is None:
            text = self._planned.text(file)
            found = self._said[file] = statements(text.whole_bare, text.whole_code)
        return found

    def _targets(self, file: str, said: Statement) -> set[str]:
        """The files, as analysed, that a path leads to: by its form where it is relative, else by the graph."""
        if said.path.startswith("."):
            found = resolved(said.path, file, self._planned.paths.keys())
            return {found} if found else set()
        if file not in self._imports:
            there: dict[int, set[str]] = defaultdict(set)
            key = self._planned.paths.get(file)
            for use in self._planned.uses_by([key]) if key is not None else ():
                if use.kind == "import":
                    there[use.line].add(self._planned.file_of(use.target))
            self._imports[file] = there
        known = self._imports[file]
        return {path for line in range(said.first, said.line + 1) for path in known.get(line, ()) if path}

    # -- files that move ---------------------------------------------------------------------------------------

    def path_sites(self) -> Iterator[Site]:
        """Paths that do not lead to where the other file lies in the target."""
        planned = self._planned
        changes = {change.old: change for change in planned.files}
        keys = [key for change in changes.values() for key in planned.base.subtree(change.key).tolist()]
        users = {use.file for use in planned.uses_of(keys)}
        users |= {file for file in changes if is_script(file)}
        users |= planned.files_with(_called(file) for file in changes if file.endswith(_ENDS))
        for file in sorted(users):
            new = planned.new_path(file)
            if new is None or not is_read(planned, file, _SUFFIXES):
                continue
            for said in self._statements(file):
                for target in sorted(self._targets(file, said)):
                    change = changes.get(target) or changes.get(file)
                    if change is None or self._holds(file, new, said.path, target):
                        continue
                    if not said.is_import and target not in changes:
                        continue
                    kind: SiteKind = "import" if said.is_import else "text"
                    reason = "" if said.is_import else _PATH_IN_STRING
                    certainty: Certainty = "must" if said.is_import else "check"
                    yield Site(file, said.line, kind, certainty, names=(said.path,), reason=reason, cause=change.cause)
            for match in _REFERENCE.finditer(planned.text(file).whole):
                target = resolved(f"./{match['path']}", file, planned.paths.keys())
                change = changes.get(target) or changes.get(file)
                if target and change is not None and not self._holds(file, new, f"./{match['path']}", target):
                    line = planned.text(file).line_at(match.start("path"))
                    yield Site(file, line, "import", "must", names=(match["path"],), cause=change.cause)

    def _holds(self, file: str, new: str, path: str, target: str) -> bool:
        """Whether the path that `file` writes, which lies at `new` then, leads to `target` in the target, too."""
        there = self._planned.new_path(target)
        if there is None:
            return False
        if path.startswith("."):
            return resolved(path, new, self._new_files) == there
        before, after = (_module(name).split("/") for name in (target, there))
        tail = path.removesuffix("/").split("/")[1:]
        while tail and before[-len(tail) :] != tail and _module(path).split("/")[-len(tail) :] != before[-len(tail) :]:
            tail = tail[1:]
        return not tail or before == after or after[-len(tail) :] == before[-len(tail) :]

    # -- what is called otherwise ------------------------------------------------------------------------------

    def part_sites(self, part: PartChange) -> Iterator[Site]:
        """A function, class or method that is renamed, removed, or goes to another file."""
        planned = self._planned
        if is_read(planned, part.file, _SUFFIXES):
            yield from definition_site(planned, part)
        if part.above and part.kind not in _TYPES:
            yield from self._method_sites(part)
            return
        yield from self._export_sites(part)
        if part.is_renamed and self._is_assigned(part):
            yield from self._method_sites(part)

    def _is_assigned(self, part: PartChange) -> bool:
        """Whether it is defined as a member of something: `app.use = function`."""
        line = int(self._planned.base.line[part.key])
        return self._planned.text(part.file).has(line, re.compile(rf"\.\s*{re.escape(part.name)}\s*=(?!=)"))

    def _exporters(self, part: PartChange) -> set[str]:
        """The files that give others the name: its own, and those that pass on what these export."""
        planned = self._planned
        found, todo = {part.file}, [part.file]
        while todo:
            key = planned.paths.get(todo.pop())
            for use in planned.uses_of([key]) if key is not None else ():
                if use.kind != "import" or use.file in found or not is_read(planned, use.file, _SUFFIXES):
                    continue
                for said in self._statements(use.file):
                    passes = said.is_all or (said.is_passed and part.name in said.names)
                    if not passes and part.name in said.names:
                        passes = self._exports(use.file, said.names[part.name])
                    if passes and self._targets(use.file, said) & found:
                        found.add(use.file)
                        todo.append(use.file)
                        break
        return found

    def _exports(self, file: str, name: str) -> bool:
        code = self._planned.text(file).whole_code
        return re.search(rf"\bexports?\b[^;{{}}]*\{{[^{{}}]*(?<![\w$]){re.escape(name)}(?![\w$])", code) is not None

    def _export_sites(self, part: PartChange) -> Iterator[Site]:
        planned = self._planned
        exporters = self._exporters(part)
        uses = grouped(planned.uses_of(planned.base.subtree(part.key).tolist()))
        others = [key for key in same_name(planned, part.name, _SUFFIXES) if key != part.key]
        is_only = not others and is_telling(part.name) and part.is_renamed
        for file in sorted({*planned.files_with([part.name]), *uses} - {part.file}):
            if not is_read(planned, file, _SUFFIXES):
                continue
            known = uses.get(file, {})
            lines = self._naming_lines(part, file, exporters, known)
            for line, kind in lines.items():
                yield _named(part, file, line, known.get(line, ()), kind)
            for line in planned.text(file).lines_with(_free(part.name)) if is_only and not lines else ():
                yield Site(file, line, "reference", "check", names=(part.name,), reason=BY_NAME, cause=part.cause)
            if is_only:
                yield from _in_strings(planned, part, file)
        if is_read(planned, part.file, _SUFFIXES):
            goes = planned.lines_of(part.key) if part.new_file is None else range(0)
            own = planned.text(part.file).lines_with(_free(part.name)) if part.is_renamed else uses.get(part.file, ())
            for line in own:
                if line not in goes:
                    yield _named(part, part.file, line, uses.get(part.file, {}).get(line, ()), "reference")

    def _naming_lines(
        self, part: PartChange, file: str, exporters: Set[str], known: Mapping[int, list[PlannedUse]]
    ) -> dict[int, SiteKind]:
        """The lines of another file that name a part: in imports, and, where it is renamed, behind them."""
        planned = self._planned
        text = planned.text(file)
        lines: dict[int, SiteKind] = {}
        behind: list[re.Pattern[str]] = []
        for said in self._statements(file):
            if not said.is_import or not self._targets(file, said) & exporters:
                continue
            if part.name in said.names:
                there = range(said.first, said.line + 1)
                lines |= {line: "import" for line in there if text.has(line, word(part.name))}
                behind += [_free(part.name)] if said.names[part.name] == part.name else []
            elif said.space:
                member = _member_of(said.space, part.name)
                behind.append(member)
                if re.search(rf"(?<![\w$.]){re.escape(part.name)}\s*=\s*{member.pattern}", text.whole_code):
                    behind.append(_free(part.name))
        if part.is_renamed:
            for pattern in behind:
                for line in text.lines_with(pattern):
                    lines.setdefault(line, "reference")
            for line, uses in known.items():
                if any(use.is_sure for use in uses) and text.has(line, word(part.name)):
                    lines.setdefault(line, "reference")
        return lines

    # -- methods -----------------------------------------------------------------------------------------------

    def _method_sites(self, part: PartChange) -> Iterator[Site]:
        """Where a member of that name is used: surely where the graph knows, or where nothing else has the name."""
        planned = self._planned
        if not part.is_renamed:
            return
        family = self._family(part)
        too = {other.key for other in planned.parts if other.name == part.name and other.is_renamed}
        others = [key for key in same_name(planned, part.name, _SUFFIXES) if key not in family | too]
        for key in sorted(family):
            yield from definition_site(planned, part._replace(key=key, file=planned.file_of(key)))
        known = grouped(planned.uses_of(family))
        owners = {int(planned.base.parent[key]) for key in family}
        close = {planned.file_of(key) for key in owners} | {use.file for use in planned.uses_of(owners)} | {*known}
        for file in sorted({*planned.files_with([part.name]), *known}):
            if not is_read(planned, file, _SUFFIXES):
                continue
            text = planned.text(file)
            for line in text.lines_with(member_word(part.name)):
                sure = any(use.is_sure for use in known.get(file, {}).get(line, ()))
                sure = sure or (not others and (is_telling(part.name) or file in close))
                if sure or not others or file in close or is_telling(part.name):
                    yield Site(
                        file,
                        line,
                        "call",
                        "must" if sure else "check",
                        names=(part.name,),
                        reason="" if sure else BY_NAME,
                        cause=part.cause,
                    )
            if not others and is_telling(part.name):
                yield from _in_strings(planned, part, file)

    def _family(self, part: PartChange) -> set[int]:
        """A method, those that it overrides, and those that override one of them."""
        planned = self._planned
        base = planned.base
        found = {part.key}
        todo = [int(base.parent[part.key])] if part.above else []
        seen = set(todo)
        while todo:
            owner = todo.pop()
            own = {key for key in base.children(owner).tolist() if base.names[key] == part.name}
            if own:
                found |= own
                around = [use.source for use in planned.uses_of([owner]) if use.kind == "inherit"]
                around += [use.target for use in planned.uses_by([owner]) if use.kind == "inherit"]
                todo += [key for key in around if key not in seen]
                seen |= {*around}
        return found


def resolved(path: str, file: str, files: Set[str]) -> str:
    """The file that a relative path in `file` leads to; empty where it leads to none of `files`."""
    top = normpath(join(dirname(file), path.partition("?")[0])).removeprefix("./")
    if path.rstrip("/") != path or path.endswith((".", "..")):
        candidates = [f"{top}/index{end}".removeprefix("./") for end in _ENDS]
    else:
        stem, suffix = splitext(top)
        candidates = [top, *(stem + end for end in _COMPILED.get(suffix, ())), *(top + end for end in _ENDS)]
        candidates += [f"{top}/index{end}" for end in _ENDS]
    return next((candidate for candidate in candidates if candidate in files), "")


def _module(path: str) -> str:
    """A path as imports write it: without its suffix, and without `index`."""
    stem = splitext(path)[0].removesuffix(".d") if splitext(path)[1] in _ENDS else path
    return stem.removesuffix("/index")


def _called(path: str) -> str:
    """The word by which imports that lead to a file can be found."""
    return _module(path).rpartition("/")[2]


@lru_cache(256)
def _free(name: str) -> re.Pattern[str]:
    """Finds a name that no dot stands before, and that is no key of an object."""
    return re.compile(rf"(?<![\w$.#])(?:\.\.\.)?{re.escape(name)}(?![\w$])|(?<=\.\.\.){re.escape(name)}(?![\w$])")


@lru_cache(256)
def _member_of(space: str, name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w$.]){re.escape(space)}\s*\??\.\s*{re.escape(name)}(?![\w$])")


def _named(part: PartChange, file: str, line: int, uses: Iterable[PlannedUse], kind: SiteKind) -> Site:
    """The site of a line that names a part; what the graph knows of it says more than `reference`."""
    kinds = sorted(use.kind for use in uses if use.kind != "import")
    meant = site_kind(kinds[0]) if kinds and kind != "import" else kind
    return Site(file, line, meant, "must", names=(part.name,), cause=part.cause)


def _in_strings(planned: Planned, part: PartChange, file: str) -> Iterator[Site]:
    """Strings that hold the name, as titles of tests do."""
    text, name = planned.text(file), word(part.name)
    for line in text.lines_with(name, "bare"):
        if not text.has(line, name):
            yield Site(file, line, "text", "check", names=(part.name,), reason=IN_STRING, cause=part.cause)


class _Lines:
    """Tells the line of an offset, for offsets that mostly grow."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at, self._line = 0, 1

    def __call__(self, offset: int) -> int:
        if offset < self._at:
            self._at, self._line = 0, 1
        self._line += self._text.count("\n", self._at, offset)
        self._at = offset
        return self._line
