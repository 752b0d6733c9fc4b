"""The same groups before and after a plan: by their paths; those that it renames or moves, by their files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from cbvtool.graph import Graph
from cbvtool.hierarchies import Hierarchy, hierarchy
from cbvtool.hierarchies.classes import GroupPath
from cbvtool.mining.changes import Changes

Plan = tuple[Graph, Graph]  # (base, target), in folders


@dataclass(frozen=True, eq=False)
class GroupedPlan:
    """The base and the target in another hierarchy; without a plan, they are one graph.

    Both have the same keys: those of the target in folders, then its groups, then groups that are gone.
    """

    base: Graph
    target: Graph


def shown_plan(plan: Plan, grouped: GroupedPlan | None) -> Plan:
    """(base, target) as they are shown; `grouped`: None = in folders."""
    return plan if grouped is None else (grouped.base, grouped.target)


def same_plan(one: Plan, other: Plan) -> bool:
    """Whether both are the same two graphs."""
    return one[0] is other[0] and one[1] is other[1]


def before_and_after(
    base: Graph, target: Graph, changes: Changes | None, name: str, alone: Hierarchy | None = None
) -> tuple[Hierarchy, Hierarchy]:
    """`base` and `target` of a plan in the hierarchy `name`: a group that is in both has one name in both.

    A package is joined with the only one that it holds where that is so before and after.

    alone   `base` in that hierarchy without a plan, if it was made already

    Raises what `hierarchy` does.
    """
    before = alone or hierarchy(base, changes, name)
    after = hierarchy(target, changes, name, before.groups.keys())
    joined = {path[:length] for path in before.groups for length in range(1, len(path))} - before.groups.keys()
    if joined & after.groups.keys():
        before = hierarchy(base, changes, name, after.groups.keys())
    return before, after


def same_groups(before: Hierarchy, after: Hierarchy) -> dict[int, int]:
    """Key of each group before -> its key after, of those that are there after.

    A group that is gone is the new one to which most of what it held went, if that kept its place within it.
    """
    known, now = before.groups, after.groups
    found = {key: now[path] for path, key in known.items() if path in now}
    fresh = now.keys() - known.keys()
    went: dict[GroupPath, Counter[GroupPath | None]] = {}
    for (old, new), count in _moves(before, after).items():
        for path, place in _upward(old, new):
            if path in known and path not in now:
                went.setdefault(path, Counter())[place if place in fresh else None] += count
    claims = sorted(
        (
            (-count, path, place)
            for path, places in went.items()
            for place, count in places.most_common(1)
            if place is not None and 2 * count > places.total()
        )
    )
    taken = set[GroupPath]()
    for _, path, place in claims:
        if place not in taken:
            taken.add(place)
            found[known[path]] = now[place]
    return found


def _moves(before: Hierarchy, after: Hierarchy) -> Counter[tuple[GroupPath, GroupPath]]:
    """(path of the group before, path after) -> how many leaves went from one to the other."""
    olds, news = _path_of(before.groups), _path_of(after.groups)
    first = min(before.groups.values(), default=0)  # from here on, keys are those of groups
    parents = zip(before.graph.parent[:first].tolist(), after.graph.parent[:first].tolist(), strict=True)
    return Counter((olds[old], news[new]) for old, new in parents if old in olds and new in news)


def _path_of(groups: Mapping[GroupPath, int]) -> dict[int, GroupPath]:
    return {key: path for path, key in groups.items()}


def _upward(old: GroupPath, new: GroupPath) -> Iterator[tuple[GroupPath, GroupPath | None]]:
    """A group and those around it, each with what it is afterwards, if what lay in it went there."""
    place: GroupPath | None = new
    while old:
        yield old, place
        place = place[:-1] if place and old[-1] == place[-1] else None
        old = old[:-1]
