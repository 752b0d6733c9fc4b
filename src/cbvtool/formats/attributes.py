"""The meaning of attributes of nodes and relations in files of other programs, by their names."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping, Sequence

# Role -> lower-case names; if several occur, the earlier one counts.
NODE = {
    "name": ("label", "name", "title", "displayname", "display_name"),
    "kind": ("kind", "type", "category", "nodetype", "node_type", "stereotype", "class"),
    "parent": ("parent", "parent_id", "parentid", "parent id", "container", "belongs_to", "reports_to", "manager"),
    "file": ("file", "filename", "source_file", "sourcefile"),
    "line": ("line", "lineno", "start_line", "startline"),
    "end_line": ("end_line", "endline", "end_lineno"),
}
EDGE = {
    "kind": ("kind", "type", "relation", "relationship", "interaction", "edgetype", "edge_type", "label", "edge label"),
    "weight": ("weight", "count", "strength", "value"),
    "confidence": ("confidence",),
    "when": ("when",),
    "sites": ("sites",),
}


def _ranked(names: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, int]]:
    return {name: (role, rank) for role, several in names.items() for rank, name in enumerate(several)}


_NODE, _EDGE = _ranked(NODE), _ranked(EDGE)
METRIC_MARK = "metric:"  # prefix for the name of a metric that would otherwise be taken for another role
_NO_KIND = frozenset({"directed", "undirected", "mutual"})  # values of Gephi's column Type

# Kinds of relations that state the hierarchy: from container to content, and the reverse.
CONTAINS = frozenset({"contain", "contains", "level", "encloses", "owns", "parentof", "parent_of", "haschild"})
CONTAINED = frozenset({"enclosing", "partof", "part_of", "belongsto", "belongs_to", "childof", "child_of", "isin"})


def node_roles(given: Mapping[str, str]) -> dict[str, str]:
    """The roles of a node's attributes: role (a key of NODE) -> text, without empty ones."""
    return _roles(given, _NODE)


def edge_roles(given: Mapping[str, str]) -> dict[str, str]:
    """The roles of a relation's attributes: role (a key of EDGE) -> text, without empty ones."""
    return _roles(given, _EDGE)


def _roles(given: Mapping[str, str], meanings: Mapping[str, tuple[str, int]]) -> dict[str, str]:
    found: dict[str, str] = {}
    ranks: dict[str, int] = {}
    for name, text in given.items():
        role, rank = meanings.get(name) or meanings.get(name.lower()) or ("", 0)
        if not role or not text or rank >= ranks.get(role, len(meanings)):
            continue
        if role == "kind" and text.lower() in _NO_KIND:
            continue
        found[role], ranks[role] = text, rank
    return found


def number(text: str) -> float | None:
    """The finite number in `text`, booleans as 1 and 0; None for anything else."""
    try:
        value = float(text)
    except ValueError:
        return {"true": 1.0, "false": 0.0}.get(text.strip().lower())
    return value if math.isfinite(value) and "_" not in text else None


def whole(text: str) -> int:
    """The line number in `text`; 0 for anything else."""
    value = int(text) if text.isascii() and text.isdigit() and len(text) <= 10 else 0
    return value if value < 2**31 else 0


def metric_name(column: str) -> str | None:
    """The metric in a node attribute of this name; None if the attribute has another meaning."""
    if column.startswith(METRIC_MARK):
        return column.removeprefix(METRIC_MARK)
    return None if column.lower() in _NODE or not column else column


def metric_column(metric: str, taken: Collection[str] = ()) -> str:
    """The attribute name for `metric`: its own name, or a prefixed one if that has another meaning."""
    plain = metric_name(metric) == metric and metric.lower() not in taken and metric == metric.strip()
    return metric if plain else METRIC_MARK + metric


def plain_number(value: float) -> str:
    """`value` with the fewest digits from which the same float is read."""
    return str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)


def sites_text(sites: Collection[tuple[str, int]]) -> str:
    """Sites in the source as one text; empty for none."""
    return json.dumps(list(sites), separators=(",", ":")) if sites else ""


def sites(text: str) -> list[tuple[str, int]]:
    """The sites from the output of `sites_text`; empty for any other text."""
    if not text.startswith("[["):
        return []
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return []
    return [(place[0], place[1]) for place in found if _is_site(place)]


def _is_site(place: object) -> bool:
    return (
        isinstance(place, list)
        and len(place) == 2
        and isinstance(place[0], str)
        and type(place[1]) is int
        and 0 < place[1] < 2**31
    )
