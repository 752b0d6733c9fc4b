"""Functions and classes get other names in a tree of files: all uses, or nothing."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from cbvtool.apply.python.modules import ModuleTree, module_of
from cbvtool.apply.python.moving import FileTree
from cbvtool.apply.python.spaces import Spaces
from cbvtool.apply.renames.by_text import check_computed, check_named_after
from cbvtool.apply.renames.members import ClassFamily, check_own_name
from cbvtool.apply.renames.occurrences import WordFile
from cbvtool.apply.renames.target import RenamedDefinition, found_definition
from cbvtool.apply.renames.uses import FileUses, NameUses
from cbvtool.apply.source import Edit, is_python, must_compile
from cbvtool.apply.stopped import Stopped
from cbvtool.graph import Confidence, Graph, are_dependencies
from cbvtool.plan.place import file_of, place


@dataclass(frozen=True, eq=False)
class RenamedTree:
    """A tree in which a definition has another name.

    tree       the new state; the paths are the same
    rewritten  paths of the files whose content differs
    places     path -> which of the occurrences of the old name, counted from 0, have changed
    texts      (path, line) of strings and comments with the old name, in files that changed
    """

    tree: FileTree
    rewritten: tuple[str, ...]
    places: Mapping[str, frozenset[int]]
    texts: tuple[tuple[str, int], ...]


def renamed(tree: FileTree, graph: Graph, key: int, new: str) -> RenamedTree:
    """Give the function or class `key` of the graph, which is that of the tree, the name `new`.

    Raises Stopped, with nothing done, where one of its uses is not sure, or where the new name means something already.
    """
    path = place(graph, file_of(graph, key))
    if not path.endswith(".py"):
        raise Stopped(f"{place(graph, key)} is not in a Python file: rename it by hand.", path)
    names = tuple(place(graph, key).partition("::")[2].split("."))
    files: dict[str, WordFile | None] = {}

    def read(there: str) -> WordFile | None:
        if there not in files:
            source = tree.read(there)
            files[there] = None if source is None else WordFile(source)
        return files[there]

    file = read(path)
    if file is None:
        raise Stopped(f"Python cannot read {path}: mend its syntax first.", path)
    target = found_definition(path, module_of(path), file, names, new, key)
    check_named_after(graph, target.said, key, path)
    sources = [(there, source) for there in sorted(tree.contents) if (source := tree.read(there)) is not None]
    if target.scope.kind in ("class", "module"):
        check_computed(target.old, target.said, sources)
    spaces = _spaces(tree)
    if target.scope.kind == "module":
        _check_module(target, spaces)
    family = ClassFamily(graph, target, read) if target.scope.kind == "class" else None
    if isinstance(target.node, ast.ClassDef):
        check_own_name(graph, target, read)
    uses = NameUses(target, spaces, _related(graph, target.old), family)
    if target.scope.kind == "module":
        uses.check_listed(sources)
    found: dict[str, FileUses] = {}
    for there in _holding(tree, target.old):
        other = read(there)
        if other is None or there.endswith(".pyi"):
            raise Stopped(f"{there} holds the word {target.old}, and nobody can tell what it is there.", there)
        if target.scope.kind not in ("module", "class") and there != path:
            continue
        found[there] = uses.of(there, other)
    _check_uses(target, found)
    return _with_edits(tree, target, found, family, spaces)


@lru_cache(maxsize=2)
def _spaces(tree: FileTree) -> Spaces:
    """What names mean in a tree; it is asked for more than one definition."""
    return tree.spaces(ModuleTree(tree.paths))


def carried_over(
    named: FileTree, tree: FileTree, places: Mapping[str, str | None], done: RenamedTree, old: str, new: str
) -> FileTree:
    """The same renaming in a tree whose files lie elsewhere, and import what moved by other names.

    named   the tree that was renamed, as it was before
    places  path in `named` -> path in `tree`

    Raises Stopped where the old name does not stand in the same places of a file.
    """
    contents = dict(tree.contents)
    for path, numbers in done.places.items():
        there = places.get(path)
        before, now = named.read(path), tree.read(there) if there is not None else None
        if there is None or now is None or before is None:
            raise Stopped(f"{path} is gone, and holds {old}.", path)
        found = WordFile(now).occurrences(old)
        if [one.role for one in found] != [one.role for one in WordFile(before).occurrences(old)]:
            raise Stopped(f"{path} was changed by what moves, and holds {old}: rename it in a plan of its own.", path)
        edits = [Edit(found[number].start, found[number].start + len(old), new) for number in sorted(numbers)]
        contents[there] = now.changed(edits, there)
        must_compile(contents[there], there)
    return tree.changed(tree.paths, contents)


def _check_module(target: RenamedDefinition, spaces: Spaces) -> None:
    """Raise Stopped where a module has the new name, or a submodule the old one."""
    inner = (*target.module, target.old)
    if target.path.endswith("/__init__.py") and (
        inner in spaces.modules or (*target.module, target.new) in spaces.modules
    ):
        raise Stopped(f"{target.said}: a module has that name, too.", target.path)
    for module in spaces.modules.file:
        if spaces.member(module, target.old) == (target.module, target.old) and (
            spaces.is_said(module, target.new) or spaces.member(module, target.new) is not None
        ):
            raise Stopped(f"{target.said}: {'.'.join(module)} has {target.new} already.", target.path)


def _related(graph: Graph, word: str) -> dict[tuple[str, int], dict[int, bool]]:
    """(path, line) -> node called `word` that is used there -> whether that is sure."""
    edges = graph.edges
    named = [key for key, name in enumerate(graph.names) if name == word]
    found: dict[tuple[str, int], dict[int, bool]] = defaultdict(dict)
    for row in np.flatnonzero(are_dependencies(edges) & np.isin(edges.target, named)).tolist():
        target = int(edges.target[row])
        is_sure = int(edges.confidence[row]) != int(Confidence.GUESS)
        for file, line in edges.sites(row):
            there = found[graph.files[file], line]
            there[target] = there.get(target, False) or is_sure
    return dict(found)


def _holding(tree: FileTree, word: str) -> list[str]:
    pattern = re.compile(rb"(?<!\w)" + re.escape(word.encode()) + rb"(?!\w)")
    return [path for path in sorted(tree.contents) if is_python(path) and pattern.search(tree.contents[path])]


def _pattern(word: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(word)}(?!\w)")


def _check_uses(target: RenamedDefinition, found: Mapping[str, FileUses]) -> None:
    used = sum(len(uses.places) for uses in found.values())
    is_public = not target.old.startswith("_")
    if target.scope.kind == "class" and is_public and used <= 1:
        raise Stopped(f"{target.said}: nothing here uses it, so code elsewhere may.", target.path)


def _with_edits(
    tree: FileTree, target: RenamedDefinition, found: Mapping[str, FileUses], family: ClassFamily | None, spaces: Spaces
) -> RenamedTree:
    contents, changed = dict(tree.contents), dict[str, frozenset[int]]()
    texts = list[tuple[str, int]]()
    for path, uses in sorted(found.items()):
        if not uses.places:
            continue
        source = tree.read(path)
        assert source is not None
        file = WordFile(source)
        if target.scope.kind == "class":
            _must_be_free_in(target, path, file, family, spaces)
        else:
            _must_be_free(target, path, file)
        starts = [match.start() for match in _pattern(target.old).finditer(source.text)]
        changed[path] = frozenset(starts.index(start) for start in uses.places)
        contents[path] = source.changed(
            [Edit(start, start + len(target.old), target.new) for start in sorted(uses.places)], path
        )
        must_compile(contents[path], path)
        texts += [(path, line) for line in sorted(uses.texts)]
    return RenamedTree(tree.changed(tree.paths, contents), tuple(changed), changed, tuple(texts))


def _must_be_free(target: RenamedDefinition, path: str, file: WordFile) -> None:
    """Raise Stopped if a file that is to be changed has the new name for something else."""
    for one in file.occurrences(target.new):
        if one.role not in ("attribute", "keyword", "module", "string", "comment"):
            raise Stopped(f"{path}:{one.line}: {target.new} is the name of something else there.", path)


def _must_be_free_in(
    target: RenamedDefinition, path: str, file: WordFile, family: ClassFamily | None, spaces: Spaces
) -> None:
    """Raise Stopped if an object of the family has an attribute with the new name."""
    for one in file.occurrences(target.new):
        node = one.node
        if family is None or not isinstance(node, ast.Attribute):
            continue
        if family.has(path, file, one.scope, node.value, spaces) is not False:
            raise Stopped(f"{path}:{one.line}: {target.new} may be something else there.", path)
