"""What a plan has done to every node, for pictures, lists and people: moved, renamed, created, removed (NEW-23)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntFlag
from functools import cached_property

import numpy as np
import numpy.typing as npt

from cbvtool.graph import NO_PARENT, REMOVED, Graph
from cbvtool.plan.place import place
from cbvtool.plan.task import counted
from cbvtool.versions.aligned import ToldChanges
from cbvtool.words import one_line

# (base, target), whose first keys are those of the base; behind them what the base is called where it is a version or
# another plan, and what differs between the versions.
Pair = tuple[Graph, Graph] | tuple[Graph, Graph, str, ToldChanges | None]
Flags = npt.NDArray[np.uint8]
Counts = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


class Sort(IntFlag):
    """What happened to a node; it may be moved, renamed, and have more, fewer, or as many other lines of its own."""

    MOVED = 1
    RENAMED = 2
    CREATED = 4
    REMOVED = 8
    GROWN = 16
    SHRUNK = 32
    CHANGED = 64


WORDS = {
    Sort.MOVED: "moved",
    Sort.RENAMED: "renamed",
    Sort.CREATED: "new",
    Sort.REMOVED: "removed",
    Sort.GROWN: "grown",
    Sort.SHRUNK: "shrunk",
    Sort.CHANGED: "changed",
}
# How the words of `Tally` are marked in the picture, in the order of a card.
MARKS = {
    "moved": Sort.MOVED,
    "renamed": Sort.RENAMED,
    "added": Sort.CREATED,
    "removed": Sort.REMOVED,
    "changed": Sort.CHANGED,
}
SORT_OF = {word: sort for sort, word in WORDS.items()}
_SIZES = ("sloc", "bytes")  # what a node grows by: the first one that was measured on both sides


@dataclass(frozen=True, eq=False)
class PlannedChanges:
    """The difference between the base and the target of a plan, whose first keys are those of the base.

    sort     uint8[n]  flags of `Sort` by key of the target; of what is removed, the topmost nodes alone have one
    inside   int64[n]  how many other changed nodes lie in the subtree of each one, or did before
    version  name of the base, if it is an earlier version or another plan, and no plan leads to the target
    told     what differs, if the base is an earlier version
    fresh    bool[m]   relations of the target that the base lacks
    gone     bool[m']  relations of the base that the target lacks
    """

    base: Graph
    target: Graph
    sort: Flags
    inside: Counts
    version: str = ""
    told: ToldChanges | None = None

    @cached_property
    def fresh(self) -> Mask:
        """See the class."""
        return ~_among(self.target, self.base)

    @cached_property
    def gone(self) -> Mask:
        """See the class."""
        return ~_among(self.base, self.target)

    @property
    def keys(self) -> list[int]:
        """Keys of the changed nodes, ascending."""
        return np.flatnonzero(self.sort).tolist()

    def __len__(self) -> int:
        return int(np.count_nonzero(self.sort))

    def sorts(self, key: int) -> list[Sort]:
        """What happened to a node."""
        return [sort for sort in Sort if self.sort[key] & sort] if 0 <= key < len(self.sort) else []

    def words(self, key: int) -> str:
        """The changes of a node: `Moved from src/flask, renamed from cli.py`; empty if it did not change."""
        said = ", ".join(_happened(self, key, sort) for sort in self.sorts(key))
        return said[:1].upper() + said[1:]

    def summary(self) -> str:
        """`3 moved, 1 new`; between versions, the rows of the card."""
        if self.version:
            return ", ".join(text for _, text in self.rows())
        return _counted(Counter(sort for key in self.keys for sort in self.sorts(key)))

    def rows(self) -> list[tuple[Sort, str]]:
        """(mark, text) for each row of the card about a version: `12 files, 3 definitions changed`; of a plan, nodes.

        The numbers of versions are those of `difference`: an own mark has only the topmost of what moved or is gone.
        """
        if self.told is None:
            return [(sort, f"{count:,} {WORDS[sort]}") for sort, count in self._counts().items() if count]
        files, definitions = self.told.tallies.files._asdict(), self.told.tallies.definitions._asdict()
        found = []
        for word, sort in MARKS.items():
            inside = f", {counted(definitions[word], 'definition')}" if definitions[word] else ""
            if files[word] or inside:
                found.append((sort, f"{counted(files[word], 'file')}{inside} {word}"))
        return found

    def _counts(self) -> dict[Sort, int]:
        """Number of nodes by sort: all of them, while `sort` marks only the topmost removed nodes."""
        count = Counter(sort for key in self.keys for sort in self.sorts(key))
        gone = (self.base.parent != REMOVED) & (self.target.parent[: len(self.base)] == REMOVED)
        count[Sort.REMOVED] = int(np.count_nonzero(gone))
        return {sort: count[sort] for sort in Sort}

    def inside_words(self, key: int) -> str:
        """`2 planned changes inside`; empty if there are none."""
        count = int(self.inside[key]) if 0 <= key < len(self.inside) else 0
        return (
            f"{count:,} {'' if self.version else 'planned '}change{'' if count == 1 else 's'} inside" if count else ""
        )

    def lines(self, key: int) -> list[str]:
        """The tooltip lines of a node, in the picture of the target."""
        return [line for line in (self.words(key), self.inside_words(key)) if line]

    def will(self, key: int) -> str:
        """The tooltip line in the picture of the base: `Will be moved to sansio`."""
        said = []
        for sort in self.sorts(key):
            if sort == Sort.MOVED:
                said.append(f"moved to {where(self.target, int(self.target.parent[key]))}")
            elif sort == Sort.RENAMED:
                said.append(f"renamed to {one_line(self.target.names[key])}")
            elif sort == Sort.REMOVED:
                said.append("removed")
        return f"Will be {' and '.join(said)}" if said else ""

    def sentences(self) -> Iterator[str]:
        """One for each change: `cli.py: moved from src/flask to src/flask/sansio`."""
        for key in self.keys:
            sorts = self.sorts(key)
            graph = self.base if Sort.REMOVED in sorts else self.target
            said = ", ".join(_happened(self, key, sort) for sort in sorts)
            to = f" to {where(self.target, int(self.target.parent[key]))}" if Sort.MOVED in sorts else ""
            yield f"{one_line(graph.names[key])}: {said}{to}"


def ghost_words(plan: PlannedChanges, key: int) -> str:
    """The text for the empty place of a node: where the node is now, or that it is gone."""
    sorts = plan.sorts(key)
    if Sort.REMOVED in sorts:
        return f"Was here in {plan.version}; is gone" if plan.version else "Was here; the plan removes it"
    if Sort.MOVED not in sorts:
        return f"Was here under this name; now {one_line(plan.target.names[key])}"
    return f"Was here; now in {where(plan.target, int(plan.target.parent[key]))}"


def where(graph: Graph, key: int) -> str:
    """A container in words: its path, or that it is the top level."""
    return "the top level" if key == graph.root else one_line(place(graph, key))


def _happened(planned: PlannedChanges, key: int, sort: Sort) -> str:
    base, target = planned.base, planned.target
    if sort == Sort.MOVED:
        return f"moved from {where(base, int(base.parent[key]))}"
    if sort == Sort.RENAMED:
        return f"renamed from {one_line(base.names[key])}"
    if sort in (Sort.GROWN, Sort.SHRUNK):
        return f"{WORDS[sort]}: {_sizes(planned, key)}"
    if sort == Sort.CHANGED:
        return "changed, as long as before"
    if sort == Sort.REMOVED:
        return f"removed from {where(base, int(base.parent[key]))}"
    return f"{'new' if planned.told is None else 'added'} in {where(target, int(target.parent[key]))}"


def _counted(count: Counter[Sort]) -> str:
    return ", ".join(f"{count[sort]:,} {word}" for sort, word in WORDS.items() if count[sort])


def planned_of(base: Graph, target: Graph, version: str = "", told: ToldChanges | None = None) -> PlannedChanges | None:
    """The changes of the nodes by a plan, or since `version`; None = there is no plan.

    The first keys of `target` are those of `base`; in `base`, nodes that the plan creates may be REMOVED. Between
    versions, nodes that changed by what is `told` are included, too.
    """
    if base is target:
        return None
    known, size = len(base), len(target)
    sort = np.zeros(size, np.uint8)
    before, after = base.parent, target.parent
    there = before >= 0
    gone = there & (after[:known] == REMOVED)
    sort[:known][there & ~gone & (after[:known] != before)] = Sort.MOVED
    sort[:known][gone & ~gone[before]] = Sort.REMOVED
    if target.names[:known] != base.names:
        for key in range(known):
            if base.names[key] != target.names[key] and after[key] != REMOVED:
                sort[key] |= Sort.RENAMED
    sort[known:][after[known:] >= 0] = Sort.CREATED
    sort[:known][(before == REMOVED) & (after[:known] >= 0)] = Sort.CREATED
    if version:
        changed = np.ones(size, np.bool_) if told is None else told.changed
        sort[:known] |= _growth(base, target, changed[:known])
    if told is not None:
        _mark_alike(target, sort, told.changed)
    sort.flags.writeable = False
    return PlannedChanges(base, target, sort, _inside(base, target, sort), version, told)


def _growth(base: Graph, target: Graph, changed: Mask) -> Flags:
    """uint8[b]: GROWN or SHRUNK, by the node's own size, of those that `changed` (bool[b])."""
    found = np.zeros(len(base), np.uint8)
    stays = changed & (base.parent != REMOVED) & (target.parent[: len(base)] != REMOVED)
    for name in reversed(_SIZES):
        if name in base.values and name in target.values:
            was, now = base.values[name], target.values[name][: len(base)]
            both = stays & ~np.isnan(was) & ~np.isnan(now)
            found[both] = 0
            found[both & (now > was)] = Sort.GROWN
            found[both & (now < was)] = Sort.SHRUNK
    return found


def _mark_alike(target: Graph, sort: Flags, changed: Mask) -> None:
    """Mark as CHANGED, in `sort`, what `changed` (bool[n]) and is as long as before, unless something in it is marked.

    A file whose definitions have changed holds these changes, and has none of its own that could be shown.
    """
    alike = np.flatnonzero(changed & (target.parent != REMOVED) & (sort & np.uint8(Sort.GROWN | Sort.SHRUNK) == 0))
    for key in alike[np.argsort(-target.tree.depth[alike], kind="stable")].tolist():
        if not sort[target.subtree(key)[1:]].any():
            sort[key] |= Sort.CHANGED


def _sizes(planned: PlannedChanges, key: int) -> str:
    """`120 to 140 lines`: the node's own size before and after."""
    for name in _SIZES:
        if name in planned.base.values and name in planned.target.values:
            was, now = float(planned.base.values[name][key]), float(planned.target.values[name][key])
            if not (np.isnan(was) or np.isnan(now)):
                return f"{was:,g} to {now:,g} {'lines' if name == 'sloc' else name}"
    return ""


def _among(graph: Graph, other: Graph) -> Mask:
    """bool[m]: the relations of `graph` that `other`, which has the same keys, has too: same kind, same ends."""
    kinds = {name: row for row, name in enumerate(dict.fromkeys((*graph.edges.kind_names, *other.edges.kind_names)))}
    size = max(len(graph), len(other))

    def numbers(one: Graph) -> npt.NDArray[np.int64]:
        edges = one.edges
        kind = np.array([kinds[name] for name in edges.kind_names] or [0], np.int64)[edges.kind]
        return (kind * size + edges.source) * size + edges.target

    return np.isin(numbers(graph), numbers(other))


def unchanged_tops(plan: PlannedChanges, graph: Graph) -> frozenset[int]:
    """Keys of the topmost nodes of `graph` (base or target) that did not change and hold no change, before or after.

    Nodes inside a node that is new, moved, renamed or removed count as changed with it.
    """
    size = len(graph)
    whole = np.uint8(Sort.MOVED | Sort.RENAMED | Sort.CREATED | Sort.REMOVED)
    changed = plan.sort[:size] > 0
    shown = graph.tree.below(np.flatnonzero((plan.sort[:size] & whole > 0) & (graph.parent >= 0)))
    weight = np.where(changed & (graph.parent >= 0), 1.0, 0.0)
    holds = (graph.tree.subtree_sum(weight) > 0) | (plan.inside[:size] > 0) | shown
    holds[graph.root] = True
    above = np.where(graph.parent >= 0, graph.parent, graph.root)
    return frozenset(np.flatnonzero(~holds & holds[above] & (graph.parent >= 0)).tolist())


def _inside(base: Graph, target: Graph, sort: Flags) -> Counts:
    """int64[n]: number of changes inside each node; a change counts at its place in the target and at that in the base.

    A node that holds both places of a change counts it once: the second count is subtracted at the lowest common
    ancestor.
    """
    weight = np.zeros(len(target))
    weight[(sort > 0) & (target.parent >= 0)] = 1
    left = np.flatnonzero(sort & np.uint8(Sort.MOVED | Sort.REMOVED))
    for key in left.tolist():
        above = int(base.parent[key])
        while above != NO_PARENT and target.parent[above] == REMOVED:
            above = int(base.parent[above])
        if above == NO_PARENT:
            continue
        weight[above] += 1
        if target.parent[key] >= 0:
            pair = (np.array([key], np.int32), np.array([above], np.int32))
            weight[target.tree.lowest_common_ancestor(*pair)] -= 1
    below = target.tree.subtree_sum(weight)
    own = (sort > 0) & (target.parent >= 0)
    inside = np.rint(below).astype(np.int64) - own
    inside[target.parent == REMOVED] = 0
    inside.flags.writeable = False
    return inside
