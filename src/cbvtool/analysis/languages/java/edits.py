"""What an edit of a Java file touches in others: the names that they see otherwise.

A type is known by its name alone, and a member by its name in an expression. So a file that contains none of the names
finds what it found before, as long as types, their bases and the meaning of names in signatures stay.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from collections.abc import Set as AbstractSet

from cbvtool.analysis.facts import INHERIT, FileFacts, Path, paths
from cbvtool.analysis.languages.java.types import TYPES, offered
from cbvtool.analysis.marks import Record
from cbvtool.analysis.resolution import rows_of

_Seen = dict[Path, object]  # definition or field -> all that others see of it


def touched(before: FileFacts, after: FileFacts) -> tuple[set[str], set[str]] | None:
    """(names of types that are only in one of both, names of members that are others); None = all may be touched."""
    if _around(before) != _around(after):
        return None
    one, other = _seen(before), _seen(after)
    types, members = set[str](), set[str]()
    for key in one.keys() | other.keys():
        if one.get(key) == other.get(key):
            continue
        name, kind, _ = key[-1]
        if kind not in TYPES:
            members.add(name)
        elif key in one and key in other:
            return None
        else:
            types.add(name)
    return types, members


def mentioning(facts: Mapping[int, FileFacts], names: AbstractSet[str]) -> set[int]:
    """The files with one of the names in a use, a type or an import."""
    if not names:
        return set()
    search = re.compile(rf"\b(?:{'|'.join(re.escape(name) for name in sorted(names))})\b").search
    return {
        file
        for file, found in facts.items()
        if search("\n".join(found.uses.names))
        or any(search(row.type) for row in found.definitions if row.type)
        or any(search(row.module) or not names.isdisjoint(row.names or ()) for row in found.imports)
    }


def offering(facts: Mapping[int, FileFacts], names: AbstractSet[str]) -> bool:
    """Whether one of the names stands in a signature, or where a type is extended."""
    return bool(mentioning({file: offered(found) for file, found in facts.items()}, names))


def _around(found: FileFacts) -> tuple[object, ...]:
    """What the meaning of all names in the file's signatures depends on."""
    at = paths(found.definitions)
    marks = [at[mark.row] if isinstance(mark, Record) else mark for mark in found.marks]
    return found.package, marks, [row._replace(line=0, scope=-1) for row in found.imports]


def _seen(found: FileFacts) -> _Seen:
    at = paths(found.definitions)
    rows: dict[int, list[tuple[object, ...]]] = defaultdict(list)
    seen: _Seen = {}
    for scope, kind, name, other, _ in rows_of(offered(found).uses):
        if name and scope >= 0 and found.definitions[scope].kind in TYPES and kind != INHERIT:
            seen[(*at[scope], (name, "field", 0))] = other
        else:
            rows[scope].append((kind, name, other))
    for row, definition in enumerate(found.definitions):
        seen[at[row]] = definition.parameters, definition.type, rows[row]
    return seen
