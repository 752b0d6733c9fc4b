"""One change of places, carried out on the contents of files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from types import MappingProxyType

from cbvtool.apply.python.importing import Imports
from cbvtool.apply.python.modules import Module, ModuleTree, module_of
from cbvtool.apply.python.refusals import check_hiding, check_places, imported_roots
from cbvtool.apply.python.relocation import Relocation
from cbvtool.apply.python.rewrite import rewritten
from cbvtool.apply.python.same_names import must_mean_the_same
from cbvtool.apply.python.spaces import Spaces
from cbvtool.apply.source import PythonFile, is_python, must_compile, parsed
from cbvtool.apply.stopped import Stopped

_RELATIVE = re.compile(rb"^\s*(?:from\s*\.|import\s*\.)", re.MULTILINE)


@dataclass(frozen=True, eq=False)
class FileTree:
    """The files of one state.

    paths     of all files
    contents  of the files in languages that are rewritten, by path; links have none
    links     path of each symbolic link -> what it says
    """

    paths: frozenset[str]
    contents: Mapping[str, bytes]
    links: Mapping[str, str] = field(default_factory=dict)
    _parsed: dict[str, PythonFile | None] = field(default_factory=dict, repr=False)

    def changed(self, paths: Iterable[str], contents: Mapping[str, bytes]) -> FileTree:
        """The tree with other files and the same links."""
        return FileTree(frozenset(paths), contents, self.links)

    def read(self, path: str) -> PythonFile | None:
        """The Python file at a path; None = Python cannot read it."""
        if path not in self._parsed:
            content = self.contents.get(path)
            self._parsed[path] = parsed(content) if content is not None and is_python(path) else None
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


def move(
    tree: FileTree,
    moved: Mapping[str, str | None],
    packages: Iterable[str] = (),
    joined: Mapping[str, str] = MappingProxyType({}),
) -> Moved:
    """Carry out a change of places on the Python files: old path -> new path, None = removed.

    packages  folders that the plan makes as packages
    joined    see `Relocation`

    Raises Stopped, with nothing done.
    """
    relocation = Relocation(tree.paths, moved, packages, joined=joined)
    check_places(relocation)
    before = tree.spaces(relocation.base)
    roots = cache(lambda: imported_roots(before))
    contents: dict[str, bytes] = dict.fromkeys(relocation.made, b"")
    others = ((relocation.new_path(path), content) for path, content in tree.contents.items() if not is_python(path))
    contents |= {new_path: content for new_path, content in others if new_path is not None}
    changed = []
    words = _words(relocation)
    for path in sorted(relocation.base.paths):
        new_path = relocation.new_path(path)
        if new_path is None:
            continue
        content = tree.contents.get(path)
        if content is None:  # a link: it says nothing itself
            continue
        if path != new_path or not words.isdisjoint(_words_of(content)):
            source = tree.read(path)
            if source is None:
                if not _words_in_imports(words, content) and (path == new_path or not _RELATIVE.search(content)):
                    contents[new_path] = content
                    continue
                raise Stopped(
                    f"{path} would have to be changed, and Python cannot read it: mend its syntax first.", path
                )
            edits = rewritten(path, source, relocation, before, roots)
            if edits:
                content = source.changed(edits, path)
                must_compile(content, new_path)
                changed.append(new_path)
        contents[new_path] = content
    paths = frozenset([*relocation.kept.values(), *relocation.made])
    return Moved(tree.changed(paths, contents), relocation, tuple(changed))


def must_mean_what_it_did(
    start: FileTree, tree: FileTree, places: Mapping[str, str | None], joined: Mapping[str, str] = MappingProxyType({})
) -> None:
    """Raise Stopped for a name in `tree` that leads elsewhere than it did in `start`, or would come to.

    places  path in `start` -> path in `tree`, None = gone
    joined  see `Relocation`
    """
    kept = {new for new in places.values() if new is not None}
    relocation = Relocation(start.paths, places, made=tree.paths - kept, joined=joined)
    before, after = start.spaces(relocation.base), tree.spaces(relocation.target)
    words = _words(relocation)
    concerned = [
        path
        for path in sorted(relocation.base.paths)
        if path in relocation.moved or not words.isdisjoint(_words_of(start.contents.get(path, b"")))
    ]
    check_hiding(relocation, before, after)
    must_mean_the_same(concerned, relocation, before, after)


def _words_in_imports(words: frozenset[bytes], content: bytes) -> bool:
    """Whether one of the words stands in a line that imports something."""
    return any(b"import" in line and not words.isdisjoint(_words_of(line)) for line in content.splitlines())


@lru_cache(maxsize=20_000)
def _words_of(content: bytes) -> frozenset[bytes]:
    return frozenset(re.findall(rb"[\w\x80-\xff]+", content))


def _words(relocation: Relocation) -> frozenset[bytes]:
    """The last names of the modules, packages and folders that move; what moves with its folder has that one's name."""
    names = {_leading(relocation, module)[-1] for module in relocation.changed}
    for path, new_path in relocation.moved.items():
        if path.endswith(".pyi") and new_path is not None:
            names.update(module_of(path)[-2:])
    return frozenset(name.encode() for name in names)


def _leading(relocation: Relocation, module: Module) -> Module:
    """The highest folder that moves with all of its names down to the module; else the module."""
    while len(module) > 1 and (new := relocation.new(module)) is not None:
        if relocation.new(module[:-1]) != new[:-1] or module[-1] != new[-1]:
            break
        module = module[:-1]
    return module
