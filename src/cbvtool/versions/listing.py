"""A difference as text for people, as CSV and as JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from typing import Any

from cbvtool.versions.difference import BrokenRule, ChangedNode, Difference, RelationEnds
from cbvtool.words import harmless, one_line

FORMAT, VERSION = "cbvtool-diff", 2
COLUMNS = ("part", "change", "id", "target", "kind", "new_id", "new_target", "metric", "before", "after")
_LISTED = 40  # most entries of one part, in the text for people


def to_json(found: Difference, before: str, after: str) -> str:
    """`counts` of nodes, the `nodes` and `relations` that differ, and `rules` broken and mended.

    before, after   ids of the commits
    """
    nodes = found.nodes
    content = {
        "format": FORMAT,
        "version": VERSION,
        "before": before,
        "after": after,
        "counts": {sort: tally._asdict() for sort, tally in nodes.tallies._asdict().items()},
        "nodes": {
            "added": list(nodes.added),
            "removed": list(nodes.removed),
            "moved": [{"from": old, "to": new} for old, new in nodes.moved],
            "renamed": [{"from": old, "to": new} for old, new in nodes.renamed],
            "changed": [
                {"id": node.id, "from": node.before_id, "before": node.before, "after": node.after}
                for node in nodes.changed
            ],
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


def to_csv(found: Difference) -> str:
    """One line for each change, and for each metric of a node that differs: see COLUMNS."""
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, restval="", lineterminator="\n")
    writer.writeheader()
    for row in _rows(found):
        writer.writerow({name: harmless(cell) if isinstance(cell, str) else cell for name, cell in row.items()})
    return text.getvalue()


def _rows(found: Difference) -> Iterator[dict[str, Any]]:
    nodes = found.nodes
    yield from ({"part": "node", "change": "added", "id": id_} for id_ in nodes.added)
    yield from ({"part": "node", "change": "removed", "id": id_} for id_ in nodes.removed)
    yield from ({"part": "node", "change": "moved", "id": old, "new_id": new} for old, new in nodes.moved)
    yield from ({"part": "node", "change": "renamed", "id": old, "new_id": new} for old, new in nodes.renamed)
    for node in nodes.changed:
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
    nodes, wide = found.nodes, 13
    lines = [title]
    lines += [f"{sort:<{wide}}{tally.words}" for sort, tally in nodes.tallies._asdict().items()]
    relations = (found.relations_added, found.relations_removed, found.relations_moved, found.relations_changed)
    numbers = zip(map(len, relations), ("added", "removed", "moved", "changed"), strict=True)
    lines.append(f"{'relations':<{wide}}" + ", ".join(f"{number:,} {word}" for number, word in numbers))
    if found.broken or found.mended:
        lines.append(f"{'rules':<{wide}}{len(found.broken):,} broken, {len(found.mended):,} mended")
    lines += _part("Added", [f"+ {id_}" for id_ in nodes.added])
    lines += _part("Removed", [f"- {id_}" for id_ in nodes.removed])
    lines += _part("Moved", [f"> {old} -> {new}" for old, new in nodes.moved])
    lines += _part("Renamed", [f"> {old} -> {new}" for old, new in nodes.renamed])
    lines += _part("Changed", [f"~ {node.id}: {_differs(node)}" for node in nodes.changed])
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
    """Measures before and after; contents and text alone where no measure differs."""
    ids = [name for name in ("contents", "text") if name in node.after]
    names = [name for name in node.after if name not in ids]
    if not names:
        return f"another {'content' if 'contents' in ids else 'text'}, measures as before"
    return ", ".join(f"{name} {_said(node.before[name])} -> {_said(node.after[name])}" for name in names)


def _said(value: object) -> str:
    return "-" if value is None else f"{value:,g}" if isinstance(value, float) else str(value)


def _arrow(relation: RelationEnds) -> str:
    return f"{relation.source} -> {relation.target} ({relation.kind})"


def _rule(rule: BrokenRule) -> str:
    return f"{rule.source} -> {rule.target}: {rule.rule}"
