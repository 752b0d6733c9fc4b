"""Questions about quality: findings, violations of rules, hot spots."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from msgspec import Meta, Struct

from cbvtool.assistants.pages import SHOWN_PLACES, Answer, Limit, Offset, page, place_words, some
from cbvtool.assistants.snapshot import CodeSnapshot
from cbvtool.errors import InputError
from cbvtool.findings.finding import Finding
from cbvtool.findings.kinds import KINDS
from cbvtool.rules.promise import BrokenPromise
from cbvtool.words import one_line

_MOST_NODES = 20  # of a finding
_MOST_LINKS = 20  # of the chain of a violation


class AskFindings(Struct, forbid_unknown_fields=True):
    """Which findings."""

    kind: Annotated[Literal["", *KINDS], Meta(description="of one kind; empty = of all")] = ""  # type: ignore[valid-type]  # its words are those of a list
    limit: Limit = 20
    offset: Offset = 0


class AskCheck(Struct, forbid_unknown_fields=True):
    """Which violations."""

    path: Annotated[str, Meta(max_length=4096, description="only those from or to ids that begin so")] = ""
    limit: Limit = 20
    offset: Offset = 0


class AskHotSpots(Struct, forbid_unknown_fields=True):
    """Which hot spots."""

    limit: Limit = 20
    offset: Offset = 0


def findings(now: CodeSnapshot, asked: AskFindings) -> Answer:
    """What is worth a look, the most important first; tests are left out."""
    graph = now.graph
    found = [one for one in now.findings if asked.kind in ("", one.kind)]

    def row(one: Finding) -> Answer:
        return {
            "kind": one.kind,
            "title": one_line(one.title),
            **some([graph.ids[key] for key in one.nodes], _MOST_NODES, "nodes"),
            **some(place_words(one.sites), SHOWN_PLACES, "places"),
            "figures": dict(one.figures),
        }

    return page(found, asked.offset, asked.limit, row, "findings")


def check(now: CodeSnapshot, asked: AskCheck) -> Answer:
    """What breaks the rules of the folder's `cbvtool.toml`."""
    if not now.code.rules:
        note = "The folder states no rules in cbvtool.toml."
        return {"total": 0, "violations": [], "note": note, "assessment": dict(now.assessed.as_data)}
    found = [one for one in now.violations if one.source.startswith(asked.path) or one.target.startswith(asked.path)]

    def row(one: BrokenPromise) -> Answer:
        chain = [
            {"importer": link.importer, "imported": link.imported, "place": f"{link.file}:{link.line}"}
            for link in one.chain
        ]
        detail = {name: said for name in ("detail", "reason") if (said := getattr(one, name))}
        return {
            "rule": one.rule,
            "kind": one.kind,
            "source": one.source,
            "target": one.target,
            **detail,
            **some(chain, _MOST_LINKS, "chain"),
        }

    return {**page(found, asked.offset, asked.limit, row, "violations"), "assessment": dict(now.assessed.as_data)}


def hot_spots(now: CodeSnapshot, asked: AskHotSpots) -> Answer:
    """The files with the most complexity times commits of the last six months."""
    changes, graph, values = now.project.changes, now.graph, now.values
    if changes is None or not changes.sha:
        raise InputError(changes.notes[0] if changes is not None and changes.notes else "There is no history.")
    rank = values["hot_spot_rank"]
    ranked = [key for key in np.flatnonzero(~np.isnan(rank)).tolist() if graph.kind(key) == "file"]
    ranked.sort(key=lambda key: (rank[key], graph.ids[key]))

    def row(key: int) -> Answer:
        figures = {
            name: int(values[name][key]) for name in ("commits", "complexity") if values[name][key] == values[name][key]
        }
        return {"rank": int(rank[key]), "id": graph.ids[key], "points": int(values["hot_spots"][key]), **figures}

    return page(ranked, asked.offset, asked.limit, row, "files")
