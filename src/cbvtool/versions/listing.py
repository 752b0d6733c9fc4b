"""A difference as text for people, as CSV and as JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from typing import Any

from cbvtool.versions.difference import BrokenRule, ChangedNode, Difference, RelationEnds, Values
from cbvtool.words import harmless, one_line

FORMAT, VERSION = "cbvtool-diff", 1
COLUMNS = ("part", "change", "id", "target", "kind", "new_id", "new_target", "metric", "before", "after")
_LISTED = 40  # most entries of one part, in the text for people


def to_json(found: Difference, before: str, after: str) -> str:
    """`nodes` and `relations`, each with what was added, removed, moved and changed; `rules` broken and mended.

    before, after   ids of the commits
    """
    moved = {(node.before_id, node.id): node for node in found.moved_changed}
    content = {
        "format": FORMAT,
        "version": VERSION,
        "before": before,
        "after": after,
        "nodes": {
            "added": list(found.added),
            "removed": list(found.removed),
            "moved": [{"from": old, "to": new, **_values(moved.get((old, new)))} for old, new in found.moved],
            "changed": [{"id": node.id, **_values(node)} for node in found.changed],
        },
        "relations": {
            "added": [relation._asdict() for relation in found.relations_added],
            "removed": [relation._asdict() for relation in found.relations_removed],
            "moved": [{"from": old._asdict(), "to": new._asdict()} for old, new in found.relations_moved],
            "changed": [
                {"id": one.id._asdict(), "before": {"weight": one.before}, "after": {"weight": one.after}}
                for one in found.relations_changed
            ],
        },
        "rules": {
            "broken": [rule._asdict() for rule in found.broken],
            "mended": [rule._asdict() for rule in found.mended],
        },
    }
    return json.dumps(content, indent=1, allow_nan=False) + "\n"


def _values(node: ChangedNode | None) -> dict[str, Values]:
    return {} if node is None else {"before": node.before, "after": node.after}


def to_csv(found: Difference) -> str:
    """One line for each change, and for each metric of a node that differs: see COLUMNS."""
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, restval="", lineterminator="\n")
    writer.writeheader()
    for row in _rows(found):
        writer.writerow({name: harmless(cell) if isinstance(cell, str) else cell for name, cell in row.items()})
    return text.getvalue()


def _rows(found: Difference) -> Iterator[dict[str, Any]]:
    yield from ({"part": "node", "change": "added", "id": id_} for id_ in found.added)
    yield from ({"part": "node", "change": "removed", "id": id_} for id_ in found.removed)
    yield from ({"part": "node", "change": "moved", "id": old, "new_id": new} for old, new in found.moved)
    for node in (*found.changed, *found.moved_changed):
        for name in node.after:
            row = {"part": "node", "change": "changed", "id": node.id, "metric": name}
            yield row | {"before": node.before[name], "after": node.after[name]}
    yield from ({"change": "added", **_ends(relation)} for relation in found.relations_added)
    yield from ({"change": "removed", **_ends(relation)} for relation in found.relations_removed)
    for old, new in found.relations_moved:
        yield {"change": "moved", **_ends(old), "new_id": new.source, "new_target": new.target}
    for one in found.relations_changed:
        yield {"change": "changed", **_ends(one.id), "metric": "weight", "before": one.before, "after": one.after}
    for change, rules in (("broken", found.broken), ("mended", found.mended)):
        for rule in rules:
            yield {"part": "rule", "change": change, "id": rule.source, "target": rule.target, "kind": rule.rule}


def _ends(relation: RelationEnds) -> dict[str, str]:
    return {"part": "relation", "id": relation.source, "target": relation.target, "kind": relation.kind}


def to_text(found: Difference, title: str) -> str:
    """A text for people: numbers first, then the changed files with the changes in them, relations, and rules."""
    parts = [
        ("nodes", len(found.added), len(found.removed), len(found.moved), len(found.changed)),
        (
            "relations",
            len(found.relations_added),
            len(found.relations_removed),
            len(found.relations_moved),
            len(found.relations_changed),
        ),
    ]
    lines = [title]
    for name, *numbers in parts:
        words = zip(numbers, ("added", "removed", "moved", "changed"), strict=True)
        lines.append(f"{name:<10}" + ", ".join(f"{number:,} {word}" for number, word in words))
    if found.broken or found.mended:
        lines.append(f"{'rules':<10}{len(found.broken):,} broken, {len(found.mended):,} mended")
    lines += _part("Added", [f"+ {id_}" for id_ in found.added])
    lines += _part("Removed", [f"- {id_}" for id_ in found.removed])
    lines += _part("Moved", [f"> {old} -> {new}" for old, new in found.moved])
    altered = (*found.changed, *found.moved_changed)
    lines += _part("Changed", [f"~ {node.id}: {_differs(node)}" for node in altered])
    lines += _part("Relations added", [f"+ {_arrow(one)}" for one in found.relations_added])
    lines += _part("Relations removed", [f"- {_arrow(one)}" for one in found.relations_removed])
    lines += _part("Rules broken", [f"! {_rule(one)}" for one in found.broken])
    lines += _part("Rules mended", [f"+ {_rule(one)}" for one in found.mended])
    return "".join(f"{one_line(line)}\n" for line in lines)


def _part(heading: str, lines: list[str]) -> list[str]:
    if not lines:
        return []
    more = len(lines) - _LISTED
    rest = [f"  ... and {more:,} more: --format json or csv lists them"] if more > 0 else []
    return ["", f"{heading} ({len(lines):,})", *(f"  {line}" for line in lines[:_LISTED]), *rest]


def _differs(node: ChangedNode) -> str:
    return ", ".join(f"{name} {_said(node.before[name])} -> {_said(node.after[name])}" for name in node.after)


def _said(value: object) -> str:
    return "-" if value is None else f"{value:,g}" if isinstance(value, float) else str(value)


def _arrow(relation: RelationEnds) -> str:
    return f"{relation.source} -> {relation.target} ({relation.kind})"


def _rule(rule: BrokenRule) -> str:
    return f"{rule.source} -> {rule.target}: {rule.rule}"
