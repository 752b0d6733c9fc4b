"""Proposals and places as text for a terminal, and as JSON for tools."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from cbvtool.assessment.rows import as_data, rows
from cbvtool.graph import Graph
from cbvtool.graph.regroup import node_words
from cbvtool.proposals.belongs import Home
from cbvtool.proposals.proposal import Proposal
from cbvtool.words import as_utf8, one_line

FORMAT, VERSION = "cbvtool-proposals", 2


def to_text(graph: Graph, found: Sequence[Proposal], places: Sequence[Home] = ()) -> str:
    """A paragraph for each proposal: what to do, why, and the figures that change."""
    lines = [f"Proposals for {one_line(graph.name)}: {len(found) or len(places):,}"]
    for number, place in enumerate(places, 1):
        here = " (it lies there now)" if place.is_home else ""
        lines.append(f"{number}. {one_line(node_words(graph, place.target))}{here}: {place.reason}")
    for number, one in enumerate(found, 1):
        lines += ["", f"{number}. {one_line(one.title)}", f"   {one_line(one.reason)}"]
        lines.append(f"   {figures_in_words(one)}")
    return as_utf8("\n".join([*lines, ""]))


def figures_in_words(proposal: Proposal) -> str:
    """The figures that it changes, before and after."""
    changed = [row for row in rows(proposal.told or proposal.judgement) if row.before != row.after]
    return "; ".join(f"{row.name} {row.before} -> {row.after}" for row in changed) or "no figure changes"


def to_json(graph: Graph, found: Sequence[Proposal], places: Sequence[Home] = ()) -> str:
    """Format `cbvtool-proposals`, described in `docs/proposals.md`."""
    content: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "subject": graph.name,
        "proposals": [
            {
                "kind": one.kind,
                "title": one.title,
                "reason": one.reason,
                "operations": [{"op": operation.row.op, **asdict(operation)} for operation in one.operations],
                "before": as_data((one.told or one.judgement).before),
                "after": as_data((one.told or one.judgement).after),
            }
            for one in found
        ],
        "places": [
            {"node": graph.ids[place.target], "share": place.share, "reason": place.reason, "is_home": place.is_home}
            for place in places
        ],
    }
    return json.dumps(content, indent=1, allow_nan=False) + "\n"
