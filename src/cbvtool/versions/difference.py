"""The difference between two graphs: nodes and relations added, removed, moved, changed; rules broken and mended.

Two nodes are the same if their ids are equal, or if their file was moved and they have the same name in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from cbvtool.graph import EXTERNAL, REMOVED, Graph
from cbvtool.rules import Rules, violations

IntColumn = npt.NDArray[np.int32]
Values = dict[str, Any]  # a node's own measured values, and its `kind`
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
    """A node in both graphs: its differing values before and after. `before_id` differs from `id` if it was moved."""

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
class Difference:
    """From one graph to another. Ids ascend; `moved` (old id, new id) is repeated in `moved_changed` only.

    moved_changed      moved nodes whose values have changed
    """

    added: tuple[str, ...]
    removed: tuple[str, ...]
    moved: tuple[tuple[str, str], ...]
    changed: tuple[ChangedNode, ...]
    moved_changed: tuple[ChangedNode, ...]
    relations_added: tuple[RelationEnds, ...]
    relations_removed: tuple[RelationEnds, ...]
    relations_moved: tuple[tuple[RelationEnds, RelationEnds], ...]
    relations_changed: tuple[ChangedRelation, ...]
    broken: tuple[BrokenRule, ...] = ()
    mended: tuple[BrokenRule, ...] = ()

    def __bool__(self) -> bool:
        parts = (self.added, self.removed, self.moved, self.changed, self.relations_added, self.relations_removed)
        return any((*parts, self.relations_moved, self.relations_changed, self.broken, self.mended))


def same_nodes(before: Graph, after: Graph, renames: Mapping[str, str]) -> IntColumn:
    """int32[b]: the key in `after` of each key of `before`, -1 = it is gone.

    renames  ids of moved files, from -> to; their content moves with them. Ignored if `after` still has the old id, if
             `before` has the new one or `after` lacks it, or if an earlier entry has the same new id
    """
    taken = after.key_of
    used, follow = set[str](), dict[str, str]()
    for old, new in renames.items():
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
    before: Graph, after: Graph, renames: Mapping[str, str] | None = None, rules: Rules | None = None
) -> Difference:
    """The difference from `before` to `after`.

    renames  see `same_nodes`
    rules    for both; None = no rules
    """
    there = same_nodes(before, after, renames or {})
    kept = np.flatnonzero(there >= 0).tolist()
    new_id = {before.ids[key]: after.ids[there[key]] for key in kept}
    back = {new: old for old, new in new_id.items()}
    moved = sorted((old, new) for old, new in new_id.items() if old != new and before.key_of[old] != before.root)
    names = sorted((before.values.keys() | after.values.keys()) - _MEASURED_ELSEWHERE)
    altered = [
        ChangedNode(before.ids[key], after.ids[there[key]], *values)
        for key in kept
        if (values := _altered(before, key, after, int(there[key]), names)) is not None
    ]
    altered.sort(key=lambda node: node.id)
    stays = {new for _, new in moved}
    was, now = _relations(before, new_id), _relations(after, {id_: id_ for id_ in after.key_of})
    was_id = {_renamed(relation, new_id): relation for relation in _relations(before, {})}
    both = sorted(was.keys() & now.keys())
    gone, come = _broken(before, after, new_id, rules)
    return Difference(
        tuple(sorted(after.key_of.keys() - back.keys())),
        tuple(sorted(before.key_of.keys() - new_id.keys())),
        tuple(moved),
        tuple(node for node in altered if node.id not in stays),
        tuple(node for node in altered if node.id in stays),
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


def _altered(before: Graph, old: int, after: Graph, new: int, names: Iterable[str]) -> tuple[Values, Values] | None:
    was, now = Values(), Values()
    if before.kind(old) != after.kind(new):
        was["kind"], now["kind"] = before.kind(old), after.kind(new)
    for name in names:
        left = float(before.values[name][old]) if name in before.values else np.nan
        right = float(after.values[name][new]) if name in after.values else np.nan
        if left != right and not (np.isnan(left) and np.isnan(right)):
            was[name], now[name] = _number(left), _number(right)
    return (was, now) if was else None


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
