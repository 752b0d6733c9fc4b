"""Findings as text for a terminal, as Markdown, and as JSON for tools."""

from __future__ import annotations

import json
from collections.abc import Sequence

from cbvtool.findings.finding import Finding
from cbvtool.graph import Graph
from cbvtool.words import as_utf8, code_span, escaped, one_line

FORMAT, VERSION = "cbvtool-findings", 1
_SITES = 5  # of a finding, in text for people


def to_text(graph: Graph, found: Sequence[Finding], headline: str = "") -> str:
    """A paragraph for each finding: what it is, and the first places."""
    lines = [f"Findings in {one_line(graph.name)}: {len(found):,}"]
    if headline:
        lines += [f"{headline}."]
    for number, one in enumerate(found, 1):
        lines += ["", f"{number}. {one_line(one.title)}"]
        lines += [f"   {one_line(path)}:{line}" for path, line in one.sites[:_SITES]]
        if len(one.sites) > _SITES:
            lines.append(f"   and {len(one.sites) - _SITES:,} more places")
    return as_utf8("\n".join([*lines, ""]))


def to_markdown(graph: Graph, found: Sequence[Finding], headline: str = "") -> str:
    """The same as a list that can be pasted into a report."""
    lines = [f"# Findings in {escaped(graph.name)}", ""]
    if headline:
        lines += [f"**{headline}.**", ""]
    for number, one in enumerate(found, 1):
        lines.append(f"{number}. {escaped(one.title)}")
        lines += [f"   - {code_span(f'{path}:{line}')}" for path, line in one.sites[:_SITES]]
        if len(one.sites) > _SITES:
            lines.append(f"   - and {len(one.sites) - _SITES:,} more places")
    return as_utf8("\n".join([*lines, ""]))


def to_json(graph: Graph, found: Sequence[Finding], headline: str = "") -> str:
    """Format `cbvtool-findings`, described in `docs/findings.md`."""
    content = {
        "format": FORMAT,
        "version": VERSION,
        "subject": graph.name,
        "headline": headline,
        "findings": [
            {
                "kind": one.kind,
                "title": one.title,
                "nodes": [graph.ids[key] for key in one.nodes],
                "sites": [{"file": path, "line": line} for path, line in one.sites],
                "figures": dict(one.figures),
            }
            for one in found
        ],
    }
    return json.dumps(content, indent=1, allow_nan=False) + "\n"
