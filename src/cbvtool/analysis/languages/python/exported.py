"""The public interface of Python packages: the definitions that their `__init__` imports, by name or `*` (PEP 484)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from cbvtool.analysis.facts import FileFacts, Import
from cbvtool.analysis.resolution import IMPORT, KINDS, Place, Resolution

PACKAGE_MARKS = ("__init__.py", "__init__.pyi")


def exported(
    files: Sequence[str], facts: Mapping[int, FileFacts], resolutions: Iterable[Resolution]
) -> frozenset[Place]:
    """Definitions that an `__init__` imports for all users of its package, under whatever name.

    files  ids of the files; `facts` and the relations refer to their rows

    Names with a leading underscore are private and do not count. Only one step is followed: if a package takes a name
    from the `__init__` of another one, that one has taken it from a module.
    """
    offering = {
        row: imports
        for row, found in facts.items()
        if files[row].rpartition("/")[2] in PACKAGE_MARKS
        and (imports := [each for each in found.imports if each.names and each.scope < 0])
    }
    if not offering:
        return frozenset()
    named_at: dict[tuple[int, int], list[Import]] = defaultdict(list)
    for row, imports in offering.items():
        for each in imports:
            named_at[row, each.line].append(each)
    found: set[Place] = set()
    for resolution in resolutions:
        for source, target, line in _imports(resolution, list(offering)):
            for each in named_at.get((source, line), ()) if target in facts else ():
                wanted = set(each.names or ())
                found.update(
                    Place(target, place)
                    for place, definition in enumerate(facts[target].definitions)
                    if definition.parent < 0
                    and not definition.name.startswith("_")
                    and (definition.name in wanted or "*" in wanted)
                )
    return frozenset(found)


def _imports(resolution: Resolution, sources: Sequence[int]) -> set[tuple[int, int, int]]:
    """Source file, target file and line of each import of a file by one of these files."""
    if not len(resolution.relations):
        return set()
    table = np.frombuffer(resolution.relations.columns, np.int32).reshape(-1, 8)
    rows = table[(table[:, 4] == KINDS.index(IMPORT)) & np.isin(table[:, 0], sources)]
    return set(zip(*rows[:, [0, 2, 5]].T.tolist(), strict=True))
