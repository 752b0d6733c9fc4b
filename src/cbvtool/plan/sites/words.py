"""Names as words in text: patterns, and the sites of a class or function that gets another name."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from typing import cast, get_args

from cbvtool.plan.sites.planned import PartChange, Planned, PlannedUse, grouped, split_name
from cbvtool.plan.sites.site import Site, SiteKind
from cbvtool.plan.sites.text import Form

_KINDS = frozenset(get_args(SiteKind))
_STATEMENT = 12  # lines of a statement in which a name is looked for behind the line that the graph knows
IN_STRING = "the name stands in a string: change it if it means this"
BY_NAME = "found by name alone: change it if it means this"


@lru_cache(256)
def word(name: str) -> re.Pattern[str]:
    """Finds a name, be it dotted or slashed, as a whole."""
    return re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])")


@lru_cache(256)
def bare_word(name: str) -> re.Pattern[str]:
    """Finds a name as a whole that no dot, arrow or `::` stands before, nor `=` as of an argument by name behind."""
    return re.compile(rf"(?<![\w$.])(?<!->)(?<!::){re.escape(name)}(?![\w$])(?!\s*=[^=])")


@lru_cache(256)
def member_word(name: str) -> re.Pattern[str]:
    """Finds a name as a whole behind a dot, an arrow or `::`."""
    return re.compile(rf"(?:\.|->|::)\s*{re.escape(name)}(?![\w$])")


def site_kind(kind: str) -> SiteKind:
    """The kind of a relation as a kind of site; `relation` for one that an imported graph brought along."""
    return cast(SiteKind, kind) if kind in _KINDS else "relation"


def line_with(planned: Planned, file: str, line: int, pattern: re.Pattern[str], form: Form = "bare") -> int:
    """The first line, from `line` on, of the statement there that `pattern` is found on; 0 = none."""
    text = planned.text(file)
    for at in range(line, min(line + _STATEMENT, len(text)) + 1):
        if text.has(at, pattern, form):
            return at
    return 0


def definition_site(planned: Planned, part: PartChange) -> Iterator[Site]:
    """The line that gives a renamed part its name; the line that the graph knows where the text cannot be read."""
    first = int(planned.base.line[part.key])
    if not part.is_renamed or not first:
        return
    line = line_with(planned, part.file, first, word(part.name), "code") or first
    yield Site(part.file, line, "definition", "must", names=(part.name,), cause=part.cause)


def use_sites(
    planned: Planned, uses: Iterable[PlannedUse], part: PartChange, suffixes: Collection[str]
) -> Iterator[Site]:
    """The `uses` of a part, in files with these suffixes that can be read, whose lines hold its name.

    A line on which the name does not stand uses the part by another name, as after `import f as g`: no site.
    """
    pattern = word(part.name)
    for file, lines in grouped(uses).items():
        if not is_read(planned, file, suffixes):
            continue
        for line, there in lines.items():
            at = line_with(planned, file, line, pattern)
            if at:
                sure = any(use.is_sure for use in there)
                best = min(there, key=lambda use: (not use.is_sure, use.kind in ("reference", "import"), use.kind))
                yield Site(
                    file,
                    at,
                    site_kind(best.kind),
                    "must" if sure else "check",
                    names=(part.name,),
                    reason="" if sure else BY_NAME,
                    cause=part.cause,
                )


def is_read(planned: Planned, file: str, suffixes: Collection[str]) -> bool:
    """Whether the file has one of the suffixes, and a text that can be read."""
    return file.rpartition(".")[2] in suffixes and len(planned.text(file)) > 0


def is_telling(name: str) -> bool:
    """Whether a name is made of several words (`list_create`, `listCreate`), so that few libraries have it, too."""
    return len(name) > 5 and ("_" in name.strip("_") or re.search(r"[a-z0-9][A-Z]", name) is not None)


def same_name(planned: Planned, name: str, suffixes: Collection[str]) -> list[int]:
    """Keys of the classes, functions, ... in files with these suffixes that have this name, without their class."""
    base, files = planned.base, planned.base.files
    keys = [key for key, other in enumerate(base.names) if other.endswith(name) and split_name(other)[1] == name]
    return [key for key in keys if base.file[key] >= 0 and files[base.file[key]].rpartition(".")[2] in suffixes]
