"""Unused code: the largest sets that could be removed together (CBV-10)."""

from __future__ import annotations

import numpy as np

from cbvtool.findings.finding import Examined, Finding
from cbvtool.metrics.combine import own, total
from cbvtool.metrics.structure.entry_points import patterns_of
from cbvtool.metrics.structure.unused import unused

MOST = 10


def unused_code(examined: Examined, most: int = MOST) -> list[Finding]:
    """Sets of nodes that no entry point reaches, most source lines first. Nothing where no entry point is known."""
    graph = examined.graph
    found = unused(graph, patterns_of(graph, examined.entries), examined.progress) or []
    lines = total(graph, own(graph, "sloc"))
    whole = float(np.nansum(own(graph, "sloc")))
    findings: list[Finding] = []
    for one in found:
        if len(findings) == most:
            break
        if not examined.counts[list(one.keys)].all():
            continue
        heads = sorted(one.heads or one.keys, key=lambda key: (-np.nan_to_num(lines[key]), key))
        rest = f" and {len(one.keys) - 1:,} more" if len(one.keys) > 1 else ""
        findings.append(
            Finding(
                "unused",
                f"Nothing seems to use {graph.ids[heads[0]]}{rest}: {one.size}",
                (*heads, *(key for key in one.keys if key not in set(heads))),
                figures={"sloc": one.sloc, "nodes": len(one.keys)},
                share=one.sloc / whole if whole else 0.0,
            )
        )
    return findings
