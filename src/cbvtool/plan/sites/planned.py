"""A plan as the search for sites sees it: what moves where, who uses it, and the text of the files concerned."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple, assert_never

import numpy as np
import numpy.typing as npt

from cbvtool.graph import REMOVED, Confidence, Graph, When, are_dependencies
from cbvtool.plan.place import file_of, place
from cbvtool.plan.primitives import AddEdge, CreateNode, CutEdge, MoveTo, Primitive, RemoveNode, RenameNode
from cbvtool.plan.sites.code import Code, Mention
from cbvtool.plan.sites.text import CodeText
from cbvtool.progress import checkpoint

_GUESS, _TYPING = int(Confidence.GUESS), int(When.TYPE_CHECKING)
_KEPT = 64_000_000  # characters of the files that are kept at a time


class FileChange(NamedTuple):
    """A file that lies elsewhere, has another name, or is gone.

    old, new  its path as analysed, and by the plan; None = it is removed
    cause     index of the primitive that does it, be it to a folder around
    """

    key: int
    old: str
    new: str | None
    cause: int


class PartChange(NamedTuple):
    """A class, function, ... in a file that is renamed, removed, or leaves for another file.

    name, new_name  what it is called, without its class; None = it is removed
    file            path, as analysed, of the file that it lies in
    new_file        of the file that it goes to: its path as analysed, or, for one that the plan makes, as planned;
                    `file` = it stays; None = it is removed, or goes where no file is
    above           name of the class that it lies in; empty = it stands directly in the file
    kind            kind of the node: `class`, `function`, ...
    """

    key: int
    name: str
    new_name: str | None
    file: str
    new_file: str | None
    above: str
    kind: str
    cause: int

    @property
    def is_renamed(self) -> bool:
        """Whether it gets another name; not if it is removed."""
        return self.new_name is not None and self.new_name != self.name

    @property
    def leaves(self) -> bool:
        """Whether the file does not hold it any more."""
        return self.new_file != self.file


class PlannedUse(NamedTuple):
    """One place where a relation of the graph stands.

    source, target  keys of what uses and of what is used
    is_sure         the relation is more than a guess
    is_typing       it is there for a type checker alone
    """

    file: str
    line: int
    kind: str
    is_sure: bool
    is_typing: bool
    source: int
    target: int


class Planned:
    """What a plan does to the code, and what the analysis and the code say about the places concerned.

    base, target  the graph as analysed and as planned
    primitives    the compressed plan that leads from one to the other
    """

    def __init__(self, base: Graph, target: Graph, primitives: Sequence[Primitive], code: Code) -> None:
        self.base, self.target, self.primitives = base, target, tuple(primitives)
        self._code = code
        self._texts: dict[str, CodeText] = {}
        self._kept = 0
        self._mentions: dict[str, list[Mention]] = {}
        self.changed, self.removed = nearest_causes(base, target, primitives)

    # -- what the plan does ------------------------------------------------------------------------------------

    @cached_property
    def files(self) -> tuple[FileChange, ...]:
        """The files whose paths change, and those that are removed, by their old paths."""
        found = []
        base, target = self.base, self.target
        concerned = np.flatnonzero((self.changed[: len(base)] >= 0) | (self.removed >= 0))
        for key in concerned.tolist():
            if base.kind(key) != "file":
                continue
            old = place(base, key)
            if target.parent[key] == REMOVED:
                found.append(FileChange(key, old, None, int(self.removed[key])))
            elif (new := place(target, key)) != old:
                found.append(FileChange(key, old, new, int(self.changed[key])))
        return tuple(sorted(found, key=lambda change: change.old))

    @cached_property
    def new_paths(self) -> Mapping[str, str | None]:
        """Old path -> new path of each file of `files`."""
        return {change.old: change.new for change in self.files}

    def new_path(self, file: str) -> str | None:
        """Where the file lies in the target; None = it is removed."""
        return self.new_paths.get(file, file)

    @cached_property
    def parts(self) -> tuple[PartChange, ...]:
        """What is renamed, removed or moved within files that stay, in the order of the primitives, each once."""
        base, target = self.base, self.target
        found: dict[int, PartChange] = {}
        for index, primitive in enumerate(self.primitives):
            if not isinstance(primitive, MoveTo | RenameNode | RemoveNode) or primitive.node not in base.key_of:
                continue
            key = base.key_of[primitive.node]
            file = file_of(base, key)
            if file in (-1, key) or (key in found and not isinstance(primitive, MoveTo)):
                continue
            here = place(base, file)
            above = int(base.parent[key])
            said, name = split_name(base.names[key])
            owner = said or ("" if above == file else split_name(base.names[above])[1])
            kind = base.kind(key)
            if isinstance(primitive, RemoveNode):
                found[key] = PartChange(key, name, None, here, None, owner, kind, index)
                continue
            now = file_of(target, key)
            there = here if now == file else None if now < 0 else place(base if now < len(base) else target, now)
            found[key] = PartChange(key, name, split_name(target.names[key])[1], here, there, owner, kind, index)
        return tuple(found.values())

    # -- what the graph says -----------------------------------------------------------------------------------

    @cached_property
    def paths(self) -> Mapping[str, int]:
        """Path -> key of every file, as analysed."""
        base = self.base
        rows = [kind == "file" for kind in base.kind_names]
        is_file = np.array(rows, np.bool_)[base.kinds] if rows else np.zeros(len(base), np.bool_)
        keys = np.flatnonzero(is_file & (base.parent != REMOVED)).tolist()
        return {place(base, key): key for key in keys}

    @cached_property
    def is_as_analysed(self) -> bool:
        """Whether every file of the base lies where its text was read: not where the base is a plan half done."""
        base = self.base
        return all(base.file[key] < 0 or base.files[base.file[key]] == path for path, key in self.paths.items())

    def file_of(self, key: int) -> str:
        """Path, as analysed, of the file that a node of the base is or lies in; empty for what lies in none."""
        file = file_of(self.base, key)
        return place(self.base, file) if file >= 0 else ""

    @cached_property
    def dependencies(self) -> npt.NDArray[np.bool_]:
        """bool[m]: the relations of the base that count."""
        return are_dependencies(self.base.edges)

    def uses_of(self, keys: Iterable[int]) -> list[PlannedUse]:
        """Where anything uses one of the nodes, by file and line."""
        return self._uses(self.base.edges.target, keys)

    def uses_by(self, keys: Iterable[int]) -> list[PlannedUse]:
        """Where one of the nodes uses anything, by file and line."""
        return self._uses(self.base.edges.source, keys)

    def _uses(self, end: npt.NDArray[np.int32], keys: Iterable[int]) -> list[PlannedUse]:
        wanted = np.zeros(len(self.base), np.bool_)
        wanted[list(keys)] = True
        found: list[PlannedUse] = []
        for row in np.flatnonzero(wanted[end] & self.dependencies).tolist():
            found += self.uses_in(row)
        found.sort()
        return found

    def uses_in(self, row: int) -> Iterator[PlannedUse]:
        """Where the relation `row` of the base stands."""
        edges = self.base.edges
        kind = edges.kind_names[int(edges.kind[row])]
        sure, typing = int(edges.confidence[row]) != _GUESS, int(edges.when[row]) == _TYPING
        source, target = int(edges.source[row]), int(edges.target[row])
        for file, line in edges.sites(row):
            yield PlannedUse(self.base.files[file], line, kind, sure, typing, source, target)

    def lines_of(self, key: int) -> range:
        """The lines, from 1, that a node of the base takes up; empty where that is not known."""
        first, last = int(self.base.line[key]), int(self.base.end_line[key])
        return range(first, max(first, last) + 1) if first else range(0)

    # -- what the code says ------------------------------------------------------------------------------------

    def text(self, file: str) -> CodeText:
        """The text of a file as analysed; without lines where it cannot be read."""
        text = self._texts.get(file)
        if text is None:
            checkpoint()
            if self._kept > _KEPT:
                self._texts.clear()
                self._kept = 0
            text = self._texts[file] = CodeText(file, self._code.lines(file))
            self._kept += sum(map(len, text.lines))
        return text

    def search(self, words: Iterable[str]) -> None:
        """Look for all these words in all files at once, so that `mentions` need not read the files again."""
        new = sorted({word for word in words if word} - self._mentions.keys())
        self._mentions |= {word: [] for word in new}
        for mention in self._code.mentions(new) if new else ():
            self._mentions[mention.word].append(mention)

    def mentions(self, word: str) -> Sequence[Mention]:
        """The lines of all files that hold the word, dotted or slashed too, as a whole."""
        if word not in self._mentions:
            self.search([word])
        return self._mentions.get(word, ())

    def files_with(self, words: Iterable[str]) -> set[str]:
        """The files that mention one of the words."""
        return {mention.file for word in words for mention in self.mentions(word)}


def split_name(name: str) -> tuple[str, str]:
    """The class that a name says, empty = none, and the rest: of `Shape::area`, and of Go's `Shape.Area`."""
    for mark in ("::", "."):
        above, found, last = name.rpartition(mark)
        if found and above and last and "operator" not in name:
            return re.split(r"::|\.", above)[-1], last
    return "", name


def grouped(uses: Iterable[PlannedUse]) -> dict[str, dict[int, list[PlannedUse]]]:
    """File -> line -> the uses that stand there."""
    found: dict[str, dict[int, list[PlannedUse]]] = defaultdict(lambda: defaultdict(list))
    for use in uses:
        found[use.file][use.line].append(use)
    return found


def nearest_causes(
    base: Graph, target: Graph, primitives: Sequence[Primitive]
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """int32[n] each: the primitive that moved or renamed the nearest thing at or above; that removed it; -1 = none."""
    changed = np.full(len(target), -1, np.int32)
    removed = np.full(len(base), -1, np.int32)
    for index, primitive in enumerate(primitives):
        match primitive:
            case MoveTo(node):
                changed[target.key_of[node]] = index
            case RenameNode(node):
                if changed[target.key_of[node]] < 0:
                    changed[target.key_of[node]] = index
            case RemoveNode(node):
                removed[base.key_of[node]] = index
            case CreateNode() | AddEdge() | CutEdge():
                pass
            case _:
                assert_never(primitive)
    _inherit(changed, target)
    _inherit(removed, base)
    return changed, removed


def _inherit(column: npt.NDArray[np.int32], graph: Graph) -> None:
    tree = graph.tree
    for level in range(1, int(tree.depth.max(initial=0)) + 1):
        keys = np.flatnonzero((tree.depth == level) & (column < 0))
        column[keys] = column[graph.parent[keys]]
