"""One change of places, carried out on the contents of files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache

from cbvtool.apply.importing import Imports
from cbvtool.apply.modules import ModuleTree
from cbvtool.apply.refusals import check_hiding, check_places, imported_roots
from cbvtool.apply.relocation import Relocation
from cbvtool.apply.rewrite import rewritten
from cbvtool.apply.same_names import must_mean_the_same
from cbvtool.apply.source import PythonFile, is_python, must_compile, parsed
from cbvtool.apply.spaces import Spaces
from cbvtool.apply.stopped import Stopped


@dataclass(frozen=True, eq=False)
class FileTree:
    """The files of one state.

    paths     of all files
    contents  of the Python files, by path
    """

    paths: frozenset[str]
    contents: Mapping[str, bytes]
    _parsed: dict[str, PythonFile | None] = field(default_factory=dict, repr=False)

    def read(self, path: str) -> PythonFile | None:
        """The Python file at a path; None = Python cannot read it."""
        if path not in self._parsed:
            content = self.contents.get(path)
            self._parsed[path] = None if content is None else parsed(content)
        return self._parsed[path]

    def spaces(self, modules: ModuleTree) -> Spaces:
        """What names mean in it."""
        return Spaces(Imports(modules, self.read))


@dataclass(frozen=True, eq=False)
class Moved:
    """What came of a change of places.

    tree        the new state
    relocation  where the files went
    rewritten   new paths of the files whose content differs
    """

    tree: FileTree
    relocation: Relocation
    rewritten: tuple[str, ...]


def move(tree: FileTree, moved: Mapping[str, str | None], packages: Iterable[str] = ()) -> Moved:
    """Carry out a change of places: old path -> new path, None = removed.

    packages  folders that the plan makes as packages

    Raises Stopped, with nothing done.
    """
    relocation = Relocation(tree.paths, moved, packages)
    check_places(relocation)
    before = tree.spaces(relocation.base)
    roots = cache(lambda: imported_roots(before))
    contents: dict[str, bytes] = dict.fromkeys(relocation.made, b"")
    changed = []
    words = _words(relocation)
    for path in sorted(relocation.base.paths):
        new_path = relocation.new_path(path)
        if new_path is None:
            continue
        content = tree.contents[path]
        if path != new_path or (words is not None and words.search(content)):
            source = tree.read(path)
            if source is None:
                if path == new_path and not _words_in_imports(words, content):
                    contents[new_path] = content
                    continue
                raise Stopped(
                    f"{path} would have to be changed, and Python cannot read it: mend its syntax first.", path
                )
            edits = rewritten(path, source, relocation, before, roots)
            if edits:
                content = source.changed(edits)
                must_compile(content, new_path)
                changed.append(new_path)
        contents[new_path] = content
    paths = frozenset([*relocation.kept.values(), *relocation.made])
    return Moved(FileTree(paths, contents), relocation, tuple(changed))


def must_mean_what_it_did(start: FileTree, tree: FileTree, places: Mapping[str, str | None]) -> None:
    """Raise Stopped for a name in `tree` that leads elsewhere than it did in `start`, or would come to.

    places  path in `start` -> path in `tree`, None = gone
    """
    kept = {new for new in places.values() if new is not None}
    relocation = Relocation(start.paths, places, made=tree.paths - kept)
    before, after = start.spaces(relocation.base), tree.spaces(relocation.target)
    words = _words(relocation)
    concerned = [
        path
        for path in sorted(relocation.base.paths)
        if path in relocation.moved or (words is not None and words.search(start.contents[path]))
    ]
    check_hiding(relocation, before, after)
    must_mean_the_same(concerned, relocation, before, after)


def _words_in_imports(words: re.Pattern[bytes] | None, content: bytes) -> bool:
    """Whether one of the words stands in a line that imports something."""
    lines = (line for line in content.splitlines() if b"import" in line)
    return words is not None and any(words.search(line) for line in lines)


def _words(relocation: Relocation) -> re.Pattern[bytes] | None:
    """Finds the last names of the modules and packages that move; what moves with its package is found by that."""
    names = set[str]()
    for module, new in relocation.changed.items():
        goes_along = new is not None and relocation.new(module[:-1]) == new[:-1] and module[-1] == new[-1]
        if not goes_along or len(module) == 1:
            names.add(module[-1])
    for path, new_path in relocation.moved.items():
        if is_python(path) and new_path is not None:
            names.update(_folders_that_move(path, new_path))
    if not names:
        return None
    return re.compile(rb"(?<!\w)(?:" + b"|".join(re.escape(name.encode()) for name in sorted(names)) + rb")(?!\w)")


def _folders_that_move(path: str, new_path: str) -> set[str]:
    """The last name of the highest folder that went to another place with the file, as it was called."""
    old, new = path.split("/"), new_path.split("/")
    while len(old) > 1 and len(new) > 1 and old[-1] == new[-1]:
        old, new = old[:-1], new[:-1]
    return {old[-1].removesuffix(".py")}
