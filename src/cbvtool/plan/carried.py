"""Imports that move along: a definition that moves to another file takes the imports that it needs with it.

An import belongs to a file, not to the class that needs it. If only the moving definitions need it, it moves with them.
If the rest of the file needs it too, both files have it afterwards. A definition needs an import if it has a relation
to the imported node or into it. An import that no definition needs stays where it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from cbvtool.graph import NO_DEPENDENCY, Confidence
from cbvtool.plan.draft import Draft
from cbvtool.plan.primitives import AddEdge, CutEdge

IMPORTING = frozenset({"import", "include"})


@dataclass(frozen=True)
class NeededImport:
    """An import that definitions need which leave its file.

    file, used  keys of the file, and of what it imports
    edge        the relation as it stands
    part        key of the first of the definitions that need it
    stays       the rest of the file needs it, too
    goes        the new file needs it: the definitions use something in `used` that does not move with them
    """

    file: int
    used: int
    edge: AddEdge
    part: int
    stays: bool
    goes: bool


def needed_imports(draft: Draft, keys: Sequence[int]) -> list[NeededImport]:
    """The imports of their files that the definitions `keys` need. Files and containers among `keys` need none."""
    parts_of: dict[int, list[int]] = {}
    for key in keys:
        file = _file_around(draft, key)
        if file is not None and file != key:
            parts_of.setdefault(file, []).append(key)
    leaving = {part for parts in parts_of.values() for part in parts}
    return [need for file, parts in parts_of.items() for need in _needed_of(draft, file, parts, leaving)]


def come_along(draft: Draft, needed: Iterable[NeededImport], keys: Sequence[int], into: int) -> list[AddEdge | CutEdge]:
    """The relations that change where `keys` go into the node `into`, by what `needed_imports` says of them.

    If the base has the same import in the new file, that one is restored as it was: moving there and back changes
    nothing.
    """
    there = _file_around(draft, into)
    cut: list[AddEdge | CutEdge] = []
    put: dict[tuple[int, str], AddEdge] = {}
    for need in needed:
        if there is None or need.file == there:
            continue
        edge, node = need.edge, draft.id(need.part)
        if not need.stays:
            cut.append(CutEdge(edge.source, edge.target, edge.kind, along=node))
        if not need.goes:
            continue
        is_inside = draft.is_below(need.used, there) or draft.is_below(there, need.used)
        if is_inside or any(draft.is_below(need.used, key) for key in keys) or (need.used, edge.kind) in put:
            continue
        if draft.standing(there, need.used, edge.kind) is None:
            before = draft.in_base(there, need.used, edge.kind)
            put[need.used, edge.kind] = replace(before or edge, source=draft.id(there), along=node)
    return [*cut, *put.values()]


def _file_around(draft: Draft, key: int) -> int | None:
    return next((above for above in draft.upward(key) if draft.kind(above) == "file"), None)


def _needed_of(draft: Draft, file: int, parts: Sequence[int], leaving: set[int]) -> list[NeededImport]:
    everywhere = np.ones(len(draft.parent), np.bool_)
    inside = draft.subtree(file)
    imports: dict[int, list[AddEdge]] = {}
    users: dict[int, list[int | None]] = {}  # what is imported -> the parts that need it; None = what stays
    staying: set[int] = set()  # imported nodes in which a moving definition uses something that does not move
    relations = draft.relations(inside, everywhere & ~inside)
    for user, used, edge in relations:
        if user == file and edge.kind in IMPORTING and not draft.is_below(file, used):
            imports.setdefault(used, []).append(edge)
    if not imports:
        return []
    for user, used, edge in relations:
        if edge.kind in NO_DEPENDENCY or (user == file and edge.kind in IMPORTING):
            continue
        part = next((above for above in draft.upward(user) if above in leaving), None)
        if part is None or edge.confidence != Confidence.GUESS:
            way = list(draft.upward(used))
            for above in way:
                if above in imports:
                    users.setdefault(above, []).append(part)
                    if part is not None and leaving.isdisjoint(way):
                        staying.add(above)
    return [
        NeededImport(file, used, edge, needing[0], None in users[used], used in staying)
        for used, edges in imports.items()
        if (needing := [part for part in parts if part in users.get(used, ())])
        for edge in edges
    ]
