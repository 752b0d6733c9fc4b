"""Names of what moves in strings, build files, configuration and documentation: sites to check, in measure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from cbvtool.plan.sites.languages import LANGUAGES, answers_for
from cbvtool.plan.sites.planned import Planned
from cbvtool.plan.sites.site import Site
from cbvtool.plan.sites.words import IN_STRING, word

_BUILD = re.compile(
    r"(?:^|/)(?:[Mm]akefile[^/]*|GNUmakefile|CMakeLists\.txt|BUILD(?:\.bazel)?|WORKSPACE|meson\.build|SConstruct|SConscript"
    r"|pom\.xml|build\.xml|setup\.(?:py|cfg)|MANIFEST\.in|Dockerfile[^/]*|package\.json|tsconfig[^/]*\.json|TARGETS"
    r"|[^/]+\.(?:mk|cmake|am|ac|gradle|kts|toml|cfg|ini|ya?ml|bazel|bzl|gn|gni|gyp|gypi|sbt|csproj|vcxproj|sln|conf))$"
)
_HISTORY = re.compile(r"(?:^|/)(?:CHANGE(?:S|LOG)|HISTORY|NEWS|RELEASE|00-RELEASENOTES)[^/]*$", re.IGNORECASE)
_IMPORTING = re.compile(r"^\s*(?:#\s*(?:include|import)|import\b|export\b)|\b(?:require|import)\s*\(|\bfrom\s*[\"']")
_LEAST = 3  # sites to check that an operation may have, however few must change

IN_BUILD = "a build or configuration file names it"
IN_TEXT = "a text names it"


def mention_words(planned: Planned) -> list[str]:
    """All the words that `mention_sites` asks for."""
    return [name for name, _ in _spellings(planned)]


def _spellings(planned: Planned) -> list[tuple[str, int]]:
    """(name, cause) of everything that moves, as texts write it."""
    found = [pair for language in LANGUAGES for pair in language.spellings(planned)]
    names = Counter(path.rpartition("/")[2] for path in planned.paths)
    for change in planned.files:
        parts = change.old.split("/")
        found.append(("/".join(parts[-2:]), change.cause))
        if len(parts) > 1 and names[parts[-1]] == 1 and "." in parts[-1]:
            found.append((parts[-1], change.cause))
    folders = {}
    for change in planned.files:
        folder = change.old.rpartition("/")[0]
        while folder and folder not in folders:
            key = planned.base.key_of.get(folder, -1)
            folders[folder] = int(planned.changed[key]) if key >= 0 and planned.target.tree.pos[key] >= 0 else -1
            folder = folder.rpartition("/")[0]
    found += [(folder, cause) for folder, cause in folders.items() if cause >= 0 and "/" in folder]
    return found


def mention_sites(planned: Planned) -> Iterator[Site]:
    """Where texts of any kind name what moves: in strings of code, in build files, in documentation."""
    for name, cause in _spellings(planned):
        for mention in planned.mentions(name):
            if _HISTORY.search(mention.file) or planned.new_path(mention.file) is None:
                continue
            if answers_for(mention.file) is not None:
                text = planned.text(mention.file)
                if not text.has(mention.line, word(name), "bare") or text.has(mention.line, word(name), "code"):
                    continue  # a comment, or code, which is the language's
                if text.has(mention.line, _IMPORTING, "bare"):
                    continue  # the language's, too
                reason = IN_STRING
            elif _BUILD.search(mention.file):
                reason = IN_BUILD
            else:
                reason = IN_TEXT
            yield Site(mention.file, mention.line, "text", "check", names=(name,), reason=reason, cause=cause)


def within_measure(planned: Planned, sites: Iterable[Site]) -> Iterator[Site]:
    """The same with no more sites to check than must change, or than a few: of each operation, and of the whole plan.

    The likeliest stay: first those that a language or the graph tells, then build files, then strings in code, then
    texts. The last one that stays of an operation, else of all, says how many were left out behind it.
    """
    sure: Counter[int] = Counter()
    checks: list[Site] = []
    for site in sites:
        if site.certainty == "must":
            sure[planned.primitives[site.cause].origin] += 1
            yield site
        else:
            checks.append(site)
    rank = {IN_BUILD: 1, IN_STRING: 2, IN_TEXT: 3}
    checks.sort(key=lambda site: (rank.get(site.reason, 0), site.file, site.line or 0, site.cause))
    left, most = Counter(sure), max(sum(sure.values()), _LEAST)
    kept: list[Site] = []
    last: dict[int, int] = {}  # origin -> index of its last site in `kept`
    out: Counter[int] = Counter()
    for site in checks:
        origin = planned.primitives[site.cause].origin
        if most > 0 and left[origin] + max(_LEAST - sure[origin], 0) > 0:
            left[origin] -= 1
            most -= 1
            last[origin] = len(kept)
            kept.append(site)
        else:
            out[origin] += 1
    more: Counter[int] = Counter()
    for origin, count in out.items():
        more[last.get(origin, len(kept) - 1)] += count
    yield from (replace(site, more=more[index]) for index, site in enumerate(kept))
