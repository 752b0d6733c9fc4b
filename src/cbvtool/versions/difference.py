"""The difference between two graphs: what was added, removed, moved, renamed, changed; rules broken and mended.

Every view of two versions counts by `difference`. Two nodes are the same if their ids are equal, or if their file or
folder was moved and they have the same name in it.

added, removed   in one of the graphs alone
moved            a file or folder in both, in another folder
renamed          a file or folder in both, with another name; it may be moved, too
changed          a file with another content; a definition with another text of its own, or other measures

A definition goes with its file: it is neither moved nor renamed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from cbvtool.graph import EXTERNAL, REMOVED, Graph
from cbvtool.rules import Rules, violations
from cbvtool.versions.contents import FILE, Contents
from cbvtool.versions.moved_folders import moved_folders
from cbvtool.versions.tally import Tallies, tallied

IntColumn = npt.NDArray[np.int32]
Values = dict[str, Any]  # a node's own measured values, and its `kind`
_FOLDERS = ("folder", "package")
# History metrics, which only one of the versions has.
_MEASURED_ELSEWHERE = frozenset({"commits", "changes", "authors", "age"})


class RelationEnds(NamedTuple):
    """A relation by the ids of its ends, and its kind."""

    source: str
    target: str
    kind: str


class BrokenRule(NamedTuple):
    """The file `source` uses the file `target` (ids), against `rule`."""

    source: str
    target: str
    rule: str


@dataclass(frozen=True)
class ChangedNode:
    """A node in both graphs: what differs before and after. `before_id` differs from `id` if it was moved or renamed.

    Values are its own measures, and `kind`; where contents are compared, also `contents` of a file (the id that git
    has for it) and `text` of a definition (a digest of its own lines).
    """

    before_id: str
    id: str
    before: Values
    after: Values


@dataclass(frozen=True)
class ChangedRelation:
    """A relation in both graphs, with its weight (usually the number of its sites)."""

    before_id: RelationEnds
    id: RelationEnds
    before: float
    after: float


@dataclass(frozen=True)
class NodeChanges:
    """What differs of the nodes; ids ascend. The module says what each word means.

    added, removed    of all sorts
    moved, renamed    (old id, new id) of files and folders
    changed           of all sorts
    tallies           the numbers of all these, by sort of node
    """

    added: tuple[str, ...]
    removed: tuple[str, ...]
    moved: tuple[tuple[str, str], ...]
    renamed: tuple[tuple[str, str], ...]
    changed: tuple[ChangedNode, ...]
    tallies: Tallies

    def __bool__(self) -> bool:
        return any((self.added, self.removed, self.moved, self.renamed, self.changed))


@dataclass(frozen=True)
class Difference:
    """From one graph to another; ids ascend."""

    nodes: NodeChanges
    relations_added: tuple[RelationEnds, ...]
    relations_removed: tuple[RelationEnds, ...]
    relations_moved: tuple[tuple[RelationEnds, RelationEnds], ...]
    relations_changed: tuple[ChangedRelation, ...]
    broken: tuple[BrokenRule, ...] = ()
    mended: tuple[BrokenRule, ...] = ()

    def __bool__(self) -> bool:
        relations = (self.relations_added, self.relations_removed, self.relations_moved, self.relations_changed)
        return any((self.nodes, *relations, self.broken, self.mended))


def same_nodes(before: Graph, after: Graph, renames: Mapping[str, str]) -> IntColumn:
    """int32[b]: the key in `after` of each key of `before`, -1 = it is gone.

    renames  ids of moved files, from -> to; their content moves with them, and folders follow most of their files. One
             is ignored if `after` still has the old id, if `before` has the new one or `after` lacks it, or if an
             earlier entry has the same new id
    """
    taken = after.key_of
    used, follow = set[str](), dict[str, str]()
    for old, new in {**moved_folders(renames), **renames}.items():
        if new in taken and new not in before.key_of and old not in taken and new not in used:
            follow[old] = new
            used.add(new)
    found = np.full(len(before), -1, np.int32)
    for id_, key in before.key_of.items():
        file, colons, name = id_.partition("::")
        there = taken.get(f"{follow[file]}{colons}{name}" if file in follow else id_, -1)
        found[key] = there
    if before.root >= 0:
        found[before.root] = after.root
    return found


def difference(
    before: Graph,
    after: Graph,
    renames: Mapping[str, str] | None = None,
    rules: Rules | None = None,
    contents: Contents | None = None,
) -> Difference:
    """The difference from `before` to `after`.

    renames   see `same_nodes`
    rules     for both; None = no rules
    contents  decide what changed; None = they are not known, and measures alone decide
    """
    there = same_nodes(before, after, renames or {})
    kept = np.flatnonzero(there >= 0).tolist()
    new_id = {before.ids[key]: after.ids[there[key]] for key in kept}
    was, now = _relations(before, new_id), _relations(after, {id_: id_ for id_ in after.key_of})
    was_id = {_renamed(relation, new_id): relation for relation in _relations(before, {})}
    both = sorted(was.keys() & now.keys())
    gone, come = _broken(before, after, new_id, rules)
    return Difference(
        node_changes(before, after, there, contents),
        tuple(sorted(now.keys() - was.keys())),
        tuple(sorted(was_id[relation] for relation in was.keys() - now.keys())),
        tuple((was_id[relation], relation) for relation in both if was_id[relation] != relation),
        tuple(
            ChangedRelation(was_id[relation], relation, was[relation], now[relation])
            for relation in both
            if was[relation] != now[relation]
        ),
        come,
        gone,
    )


def node_changes(before: Graph, after: Graph, there: IntColumn, contents: Contents | None) -> NodeChanges:
    """What differs of the nodes; `there` as from `same_nodes`, `contents` as for `difference`."""
    kept = np.flatnonzero(there >= 0).tolist()
    new_id = {before.ids[key]: after.ids[there[key]] for key in kept}
    names = sorted((before.values.keys() | after.values.keys()) - _MEASURED_ELSEWHERE)
    altered = [
        ChangedNode(before.ids[key], after.ids[there[key]], *values)
        for key in kept
        if (values := _altered(before, key, after, int(there[key]), names, contents)) is not None
    ]
    altered.sort(key=lambda node: node.id)
    added = sorted(after.key_of.keys() - set(new_id.values()))
    removed = sorted(before.key_of.keys() - new_id.keys())
    moved, renamed = _elsewhere(before, after, there)
    told = (
        *((sort_of(after, id_), "added") for id_ in added),
        *((sort_of(before, id_), "removed") for id_ in removed),
        *((sort_of(after, id_), "moved") for _, id_ in moved),
        *((sort_of(after, id_), "renamed") for _, id_ in renamed),
        *((sort_of(after, node.id), "changed") for node in altered),
    )
    return NodeChanges(tuple(added), tuple(removed), tuple(moved), tuple(renamed), tuple(altered), tallied(told))


def sort_of(graph: Graph, id_: str) -> str:
    """The sort of a node, a field of `Tallies`."""
    key = graph.key_of[id_]
    kind = graph.kind(key)
    if kind == EXTERNAL:
        return "outside"
    if key == graph.root or kind in _FOLDERS:
        return "folders"
    return "files" if kind == FILE else "definitions"


def _elsewhere(before: Graph, after: Graph, there: IntColumn) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """((old id, new id) of each file and folder in another folder, the same of those with another name)."""
    moved, renamed = list[tuple[str, str]](), list[tuple[str, str]]()
    for key in np.flatnonzero(there >= 0).tolist():
        pair = old, new = before.ids[key], after.ids[there[key]]
        if old == new or key == before.root or sort_of(after, new) not in ("files", "folders"):
            continue
        (folder, _, name), (new_folder, _, new_name) = old.rpartition("/"), new.rpartition("/")
        if folder != new_folder:
            moved.append(pair)
        if name != new_name:
            renamed.append(pair)
    return sorted(moved), sorted(renamed)


def _altered(
    before: Graph, old: int, after: Graph, new: int, names: Iterable[str], contents: Contents | None
) -> tuple[Values, Values] | None:
    """What differs of a node, before and after; None = it did not change."""
    was, now = Values(), Values()
    if contents is not None and (blobs := _blobs(before, old, after, new, contents)) is not None:
        if blobs[0] == blobs[1]:
            return None
        if after.kind(new) == FILE:
            was["contents"], now["contents"] = blobs
        texts = contents.before.texts.get(old), contents.after.texts.get(new)
        if texts[0] != texts[1] and None not in texts:
            was["text"], now["text"] = texts
    if before.kind(old) != after.kind(new):
        was["kind"], now["kind"] = before.kind(old), after.kind(new)
    for name in names:
        left = float(before.values[name][old]) if name in before.values else np.nan
        right = float(after.values[name][new]) if name in after.values else np.nan
        if left != right and not (np.isnan(left) and np.isnan(right)):
            was[name], now[name] = _number(left), _number(right)
    return (was, now) if was else None


def _blobs(before: Graph, old: int, after: Graph, new: int, contents: Contents) -> tuple[str, str] | None:
    """Ids of the contents of the file that a node is or lies in, before and after; None = not known."""
    paths = [
        graph.files[graph.file[key]] if graph.file[key] >= 0 else "" for graph, key in ((before, old), (after, new))
    ]
    found = contents.before.blobs.get(paths[0]), contents.after.blobs.get(paths[1])
    return None if found[0] is None or found[1] is None else (found[0], found[1])


def _number(value: float) -> float | int | None:
    """A measured value: as an integer if it is one, None if it was not measured."""
    if np.isnan(value):
        return None
    return int(value) if value.is_integer() else value


def _relations(graph: Graph, new_id: Mapping[str, str]) -> dict[RelationEnds, float]:
    """Weight of each relation, by the ids of its ends in `after`."""
    edges, found = graph.edges, dict[RelationEnds, float]()
    alive = graph.parent != REMOVED
    rows = np.flatnonzero(alive[edges.source] & alive[edges.target])
    columns = (edges.source[rows], edges.target[rows], edges.kind[rows], edges.weight[rows])
    for source, target, kind, weight in zip(*(column.tolist() for column in columns), strict=True):
        ends = (graph.ids[source], graph.ids[target])
        found[RelationEnds(new_id.get(ends[0], ends[0]), new_id.get(ends[1], ends[1]), edges.kind_names[kind])] = weight
    return found


def _renamed(relation: RelationEnds, new_id: Mapping[str, str]) -> RelationEnds:
    source, target, kind = relation
    return RelationEnds(new_id.get(source, source), new_id.get(target, target), kind)


def _broken(
    before: Graph, after: Graph, new_id: Mapping[str, str], rules: Rules | None
) -> tuple[tuple[BrokenRule, ...], tuple[BrokenRule, ...]]:
    """(violations that ended, new violations)."""
    if rules is None:
        return (), ()
    was = {
        BrokenRule(new_id.get(rule.source, rule.source), new_id.get(rule.target, rule.target), rule.rule)
        for rule in broken_rules(before, rules)
    }
    now = set(broken_rules(after, rules))
    return tuple(sorted(was - now)), tuple(sorted(now - was))


def broken_rules(graph: Graph, rules: Rules) -> Sequence[BrokenRule]:
    """The violations of `rules`, by ids."""
    found = violations(graph, rules)
    return [BrokenRule(graph.ids[one.source], graph.ids[one.target], one.rule) for one in found]


def is_own(graph: Graph, key: int) -> bool:
    """Whether a node belongs to the project itself, not to external code."""
    return graph.kind(key) != EXTERNAL
