"""The resources of a trace as a tree: as recorded, grouped by a pattern of their names, or by a table of users."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Mapping

import numpy as np

from cbvtool.matching import PatternError, compiled
from cbvtool.trace.model.titles import thread_title
from cbvtool.trace.model.trace import Trace
from cbvtool.trace.resources.resource_tree import ResourceGroup, ResourceTree, tree_of

MOST_LEAVES = 4_096
_DEEPEST = 64  # most groups on one path
_MOST_ROWS = 1_000_000  # of a table


def recorded_paths(trace: Trace) -> list[tuple[ResourceGroup, ...]]:
    """The path from the root to each resource of a trace.

    If it is absurdly deep, only the innermost groups are kept.
    """
    resources = trace.resources
    found = []
    for row in range(len(resources)):
        path: list[ResourceGroup] = []
        at = row
        while at >= 0 and len(path) < _DEEPEST:
            path.append(ResourceGroup(at, _title(trace, at), resources.kind[at]))
            at = int(resources.parent[at])
        found.append(tuple(reversed(path)))
    return found


def _title(trace: Trace, row: int) -> str:
    thread = int(trace.resources.thread[row])
    name = trace.resources.name[row]
    if thread >= 0 and (not name or name.lstrip("-").isdecimal()):
        return thread_title(trace.threads, thread)
    if trace.resources.kind[row] == "process" and name.isdecimal():
        return f"process {name}"
    return name or f"resource {row}"


def resource_tree(
    trace: Trace, measured: Collection[int], pattern: str = "", table: str = ""
) -> tuple[ResourceTree, list[str]]:
    """The tree of the measured resources, whose rows are the sources of its leaves; and notes for the user.

    measured  rows of `Trace.resources`; if there are more than `MOST_LEAVES`, only the first ones count
    pattern   regular expressions, separated by blanks: the first match of each in the resource's name is a group that
              contains the resource, outermost group first
    table     CSV without a header: name of a resource, then its groups, outermost first. It takes precedence over the
              pattern

    Raises ValueError, with a sentence as text, for an invalid pattern, or if there is no resource.
    """
    rows = sorted(set(measured))
    if not rows:
        raise ValueError("The trace holds no resource for which this was recorded.")
    notes = []
    if len(rows) > MOST_LEAVES:
        notes.append(f"{len(rows):,} resources; the first {MOST_LEAVES:,} are shown.")
        rows = rows[:MOST_LEAVES]
    paths = recorded_paths(trace)
    if table.strip():
        groups = groups_of_table(table)
        missing = sum(_title(trace, row) not in groups for row in rows)
        if missing:
            notes.append(f"The table does not name {missing:,} of {len(rows):,} resources.")
        chosen = [_grouped(trace, row, groups.get(_title(trace, row))) for row in rows]
    elif pattern:
        chosen, missing = _by_pattern(trace, rows, pattern)
        if missing:
            notes.append(f"The pattern fits none of the names of {missing:,} of {len(rows):,} resources.")
    else:
        chosen = [paths[row] for row in rows]
    tree = tree_of(chosen)
    source = np.where(tree.source >= 0, np.array(rows, np.int32)[tree.source], -1).astype(np.int32)
    return ResourceTree(tree.name, tree.kind, tree.parent, tree.end, source), notes


def _grouped(trace: Trace, row: int, groups: tuple[str, ...] | None) -> tuple[ResourceGroup, ...]:
    leaf = ResourceGroup(("leaf", row), _title(trace, row), trace.resources.kind[row])
    if groups is None:
        return (ResourceGroup("not grouped", "not grouped"), leaf)
    return (*(ResourceGroup(group, group) for group in groups[:_DEEPEST]), leaf)


def _by_pattern(trace: Trace, rows: list[int], pattern: str) -> tuple[list[tuple[ResourceGroup, ...]], int]:
    try:
        asked = [compiled(each) for each in pattern.split()[:_DEEPEST]]
    except PatternError as error:
        raise ValueError(f"{pattern} is no pattern of names: {error}.") from None
    found, missing = [], 0
    for row in rows:
        groups = tuple(each for each in (one.first(_title(trace, row)) for one in asked) if each)
        missing += not groups
        found.append(_grouped(trace, row, groups or None))
    return found, missing


def groups_of_table(text: str) -> Mapping[str, tuple[str, ...]]:
    """Name of a resource -> its groups, from a CSV; the first row of a name counts.

    Raises ValueError with a sentence.
    """
    found: dict[str, tuple[str, ...]] = {}
    try:
        for number, cells in enumerate(csv.reader(io.StringIO(text))):
            if number >= _MOST_ROWS:
                raise ValueError(f"The table of resources has more than {_MOST_ROWS:,} rows.")
            words = [cell.strip() for cell in cells]
            if len(words) > 1 and words[0]:
                found.setdefault(words[0], tuple(word for word in words[1:] if word))
    except csv.Error as error:
        raise ValueError(f"The table of resources is no CSV: {error}.") from None
    if not found:
        raise ValueError("The table of resources has no row with a name and a group.")
    return found
