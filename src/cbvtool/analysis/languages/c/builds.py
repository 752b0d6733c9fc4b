"""Includes as a build resolves them: by the include paths of each translation unit, passed from header to header."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from cbvtool.analysis.facts import EXACT, GUESS, RESOLVED, FileFacts, Import
from cbvtool.analysis.languages.c.clang import inclusions
from cbvtool.analysis.languages.c.commands import Unit
from cbvtool.analysis.languages.c.includes import Includes, IncludeTarget

Paths = tuple[tuple[str, ...], tuple[str, ...]]  # include paths for quotes only, for all includes
Found = dict[tuple[int, int], dict[int, None]]  # (file, line of a directive) -> files that it includes


class Build:
    """The includes of the translation units of a build.

    taken     includes that the preprocessor carried out
    possible  includes along the include paths, whatever the conditions
    seen      files that some unit reads
    """

    def __init__(self, includes: Includes, taken: Found, possible: Found, seen: set[int]) -> None:
        self.includes, self._taken, self._possible, self._seen = includes, taken, possible, seen

    def find(self, source: int, directive: Import) -> IncludeTarget:
        """The files that `directive` in the file `source` includes.

        If no unit finds a file for it, the most probable ones.
        """
        place = source, directive.line
        if (files := self._taken.get(place)) is not None:
            return IncludeTarget(tuple(files), EXACT)
        if (files := self._possible.get(place)) is not None:
            return IncludeTarget(tuple(files), RESOLVED if self._taken else EXACT)
        likely = self.includes.find(source, directive)
        # A unit reads the file but finds nothing: the target is for another platform, or generated later.
        return IncludeTarget(likely.files, GUESS) if source in self._seen and likely.files else likely


def by_clang(root: str, units: Sequence[Unit], includes: Includes) -> tuple[Found, int]:
    """The includes of the units as libclang resolves them, and the number of units for which it failed."""
    found: Found = defaultdict(dict)
    left = 0
    for directives in inclusions(root, units):
        left += directives is None
        for source, line, target in directives or ():
            if source in includes.row and target in includes.row:
                found[includes.row[source], line][includes.row[target]] = None
    return found, left


def by_search(units: Sequence[Unit], includes: Includes, facts: Mapping[int, FileFacts]) -> tuple[Found, set[int]]:
    """The includes of the units, and the files that they read, by searching their include paths for every directive.

    All branches of `#if` are followed, because only preprocessing would tell which ones are taken.
    """
    found: Found = defaultdict(dict)
    everything: set[int] = set()
    groups: dict[Paths, dict[int, None]] = defaultdict(dict)
    for unit in units:
        for path in (unit.source, *unit.forced):
            if (row := includes.row.get(path)) is not None:
                groups[unit.quote, unit.angle][row] = None
    for paths, sources in groups.items():
        todo, seen = list(sources), set(sources)
        known: dict[tuple[str, str, str], int | None] = {}
        while todo:
            file = todo.pop()
            here = includes.paths[file].rpartition("/")[0]
            for directive in facts[file].imports if file in facts else ():
                for name, form in _spellings(includes, file, directive):
                    key = (here, name, form)
                    if key not in known:
                        known[key] = _search(includes, file, name, form, paths)
                    target = known[key]
                    if target is not None:
                        found[file, directive.line][target] = None
                        if target not in seen:
                            seen.add(target)
                            todo.append(target)
        everything |= seen
    return found, everything


def _spellings(includes: Includes, file: int, directive: Import) -> list[tuple[str, str]]:
    """(path as written, form) that a directive may include; several if it names a macro."""
    if directive.form == "macro":
        return includes.macro_paths(file, directive.module)
    return [] if directive.form == "module" else [(directive.module, directive.form)]


def _search(includes: Includes, file: int, name: str, form: str, paths: Paths) -> int | None:
    """The first file of that name in the folders of the search path, in order; None = none."""
    here = includes.paths[file].rpartition("/")[0]
    quote, angle = paths
    folders = angle if form.endswith("angle") else (here, *quote, *angle)
    if form.startswith("next"):
        return _after(includes, file, name, angle)
    for folder in folders:
        row = includes.below(folder, name)
        if row is not None:
            return row
    return None


def _after(includes: Includes, file: int, name: str, folders: Sequence[str]) -> int | None:
    """#include_next: the search continues after the folder in which the including file was found."""
    rows = [row for folder in folders if (row := includes.below(folder, name)) is not None]
    behind = rows[rows.index(file) + 1 :] if file in rows else rows
    return next((row for row in behind if row != file), None)
