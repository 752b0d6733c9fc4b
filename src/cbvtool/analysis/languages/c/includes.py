"""Which file an #include refers to: by declared include paths if there are any, else by common project layouts.

The order is that of compilers as far as it is known (C17 6.10.2, and GCC's manual, "Search Path"): first the folder of
the including file (quotes only), and the declared include paths. Then, with less confidence: the folders `include`,
`inc` and `src` of the enclosing folders, and these folders themselves. Last, the only file in the whole tree whose path
ends with the included path. If there are several, it is the one in a folder from which nearby files include
others, or else the nearest one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from posixpath import normpath
from typing import NamedTuple

from cbvtool.analysis.facts import EXACT, GUESS, RESOLVED, FileFacts, Import
from cbvtool.analysis.languages.c.standard import is_standard, is_system
from cbvtool.analysis.marks import Module, PathMacro
from cbvtool.analysis.resolution import Folder

_CONVENTIONAL = ("include", "inc", "src", "")


class IncludeTarget(NamedTuple):
    """Files that a directive may refer to (several = ambiguous), and the confidence; empty = outside the folder."""

    files: tuple[int, ...]
    confidence: int = EXACT


NOWHERE = IncludeTarget(())


class Includes:
    """Index of the files of a folder, for looking up included files.

    paths     include paths relative to the root, declared by the user or by a build
    """

    def __init__(self, folder: Folder, facts: Mapping[int, FileFacts], paths: Sequence[str] = ()) -> None:
        self.paths = folder.paths
        self.row = {**folder.linked, **{path: row for row, path in enumerate(folder.paths)}}
        self.declared = tuple(
            dict.fromkeys(path for path in map(inside, (*folder.include_paths, *paths)) if path is not None)
        )
        self._named: dict[str, list[int]] = defaultdict(list)
        for row, path in enumerate(folder.paths):
            self._named[path.rpartition("/")[2]].append(row)
        self._found: dict[tuple[str, str, str], IncludeTarget] = {}
        self._facts = facts
        self._roots: dict[str, Counter[str]] | None = None  # see `_roots_around`
        self._macros = _Macros(facts)
        self._modules: dict[str, list[int]] = defaultdict(list)
        for row, found in facts.items():
            for mark in found.marks:
                if isinstance(mark, Module):
                    self._modules[mark.name].append(row)

    def find(self, source: int, directive: Import) -> IncludeTarget:
        """The files that `directive` in the file `source` refers to."""
        if directive.form == "module":
            owners = tuple(row for row in self._modules.get(directive.module, ()) if row != source)
            return IncludeTarget(owners, EXACT if len(owners) == 1 else RESOLVED)
        if directive.form == "macro":
            return self._by_macro(source, directive.module)
        found = self._at(self.paths[source].rpartition("/")[0], directive.module, directive.form)
        if source in found.files and directive.form.startswith("next"):
            return NOWHERE
        return found

    def _at(self, here: str, name: str, form: str) -> IncludeTarget:
        key = (here, name, form)
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = self._search(here, name.replace("\\", "/"), form)
        return found

    def _search(self, here: str, name: str, form: str) -> IncludeTarget:
        if not name or name.startswith("/"):
            return NOWHERE
        if form == "quote" and (row := self.below(here, name)) is not None:
            return IncludeTarget((row,))
        if not form.startswith("next"):
            for folder in self.declared:
                if (row := self.below(folder, name)) is not None:
                    return IncludeTarget((row,))
        system = form != "quote" and is_system(name)
        if system and ("/" not in name or form.startswith("next")):
            return NOWHERE
        if form.startswith("next"):
            return self._by_suffix(here, name, but=here)
        for around in above(here):
            for conventional in _CONVENTIONAL:
                row = self.below(f"{around}/{conventional}".strip("/"), name)
                if row is not None:
                    return IncludeTarget((row,), RESOLVED)
        found = self._by_suffix(here, name)
        return found._replace(confidence=GUESS) if system and found.files else found  # maybe the system's is meant

    def below(self, folder: str, name: str) -> int | None:
        """The row of the file `name` relative to `folder`; None if it does not exist, or is outside the root."""
        row = self.row.get(f"{folder}/{name}" if folder else name)
        if row is None and ("./" in name or "//" in name):
            row = self.row.get(normpath(f"{folder}/{name}" if folder else name))
        return row

    def _by_suffix(self, here: str, name: str, but: str | None = None) -> IncludeTarget:
        """The file whose path ends with `name`: the only one, or one in a known include folder, or the nearest."""
        name = normpath(name)
        while name.startswith("../"):
            name = name[3:]
        rows = [row for row in self._ending(name) if but is None or self.paths[row].rpartition("/")[0] != but]
        if not rows:
            return NOWHERE
        if len(rows) == 1:
            return IncludeTarget((rows[0],), RESOLVED)
        for known in self._roots_around(here):
            likely = {row: known[root] for row in rows if (root := self._root(row, name)) in known}
            if likely:
                row = max(likely, key=lambda row: (likely[row], -row))
                return IncludeTarget((row,), RESOLVED if len(likely) == 1 else GUESS)
        return IncludeTarget((min(rows, key=lambda row: _distance(here, self.paths[row])),), GUESS)

    def _ending(self, name: str) -> list[int]:
        """The files whose path ends with `name`."""
        ending = f"/{name}"
        return [row for row in self._named.get(name.rpartition("/")[2], ()) if f"/{self.paths[row]}".endswith(ending)]

    def _root(self, row: int, name: str) -> str:
        """The folder relative to which the file has the path `name`."""
        return self.paths[row][: -len(name)].rstrip("/")

    def _roots_around(self, here: str) -> Iterator[Counter[str]]:
        """Counts of include folders, implied by unambiguous includes: in `here`, then in each enclosing folder."""
        if self._roots is None:
            self._roots = defaultdict(Counter)
            only: dict[str, str | None] = {}
            for source, found in self._facts.items():
                folder = self.paths[source].rpartition("/")[0]
                for directive in found.imports:
                    name, form = directive.module, directive.form
                    if form == "angle" and is_system(name):
                        continue
                    if form == "quote" and self.below(folder, name) is not None:
                        continue
                    if name not in only:
                        rows = self._ending(name)
                        only[name] = self._root(rows[0], name) if len(rows) == 1 else None
                    root = only[name]
                    if root is not None:
                        self._roots[folder][root] += 1
            for folder, roots in list(self._roots.items()):
                for around in above(folder)[1:]:
                    self._roots[around].update(roots)
        return (self._roots[around] for around in above(here) if around in self._roots)

    def _by_macro(self, source: int, macro: str) -> IncludeTarget:
        here = self.paths[source].rpartition("/")[0]
        written = self.macro_paths(source, macro)
        files = dict.fromkeys(row for path, form in written for row in self._at(here, path, form).files)
        return IncludeTarget(tuple(files), RESOLVED if len(written) == 1 else GUESS) if len(files) <= _MOST else NOWHERE

    def macro_paths(self, source: int, macro: str) -> list[tuple[str, str]]:
        """(path, form) that the macro stands for: by its definitions in the same file, else by all in the folder."""
        written = self._macros.own.get((source, macro)) or self._macros.anywhere.get(macro, [])
        return [(path[1:-1], "quote" if path[0] == '"' else "angle") for path in dict.fromkeys(written)]


_MOST = 8  # a macro that may stand for more files is ignored


class _Macros:
    """Macros that stand for a path: (file, name) -> paths as written, and name -> paths."""

    def __init__(self, facts: Mapping[int, FileFacts]) -> None:
        self.own: dict[tuple[int, str], list[str]] = defaultdict(list)
        self.anywhere: dict[str, list[str]] = defaultdict(list)
        for row, found in facts.items():
            for mark in found.marks:
                if isinstance(mark, PathMacro):
                    self.own[row, mark.name].append(mark.path)
                    self.anywhere[mark.name].append(mark.path)


def above(folder: str) -> list[str]:
    """`folder` and those around it, innermost first, "" last."""
    found = [folder]
    while folder:
        folder = folder.rpartition("/")[0]
        found.append(folder)
    return found


def inside(folder: str) -> str | None:
    """Prefix of paths in a folder ("" for the root); None if it is not below the root."""
    folder = normpath(folder.replace("\\", "/")) if folder else ""
    if folder.startswith(("..", "/")):
        return None
    return "" if folder == "." else folder


def _distance(here: str, path: str) -> tuple[int, int, str]:
    """Distance of `path` from the folder `here`: steps up and down, then its own depth."""
    a, b = here.split("/") if here else [], path.split("/")[:-1]
    shared = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    return len(a) + len(b) - 2 * shared, len(b), path


def outside_name(directive: Import) -> tuple[str, bool]:
    """Usual name of an external header or library, and whether it comes with the language: `stdio.h`, `boost`."""
    name = normpath(directive.module.replace("\\", "/")) if directive.module else "?"
    if is_standard(name):
        return name, True
    first, slash, _ = name.lstrip("/").partition("/")
    return (first if slash and first not in ("", ".", "..") and not is_system(name) else name), False
