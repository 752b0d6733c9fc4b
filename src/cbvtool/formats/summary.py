"""What an analysis found, as lines of text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from cbvtool.graph import Graph, Report

LISTED = 10  # paths under one heading; all of them are in the graph file


def summary(graph: Graph) -> list[str]:
    """Files by language, those skipped by reason, those with syntax errors, nodes and relations by kind, notes.

    Names of files may hold line breaks; the caller decides how to show them.
    """
    report, edges, there = graph.report, graph.edges, graph.tree.pos >= 0
    kept = there[edges.source] & there[edges.target]
    return [
        f"files         {report.files:,}",
        *_by_language(report),
        f"skipped       {len(report.skipped):,}",
        *_by_reason(report),
        f"syntax errors {len(report.parse_errors):,}",
        *_listed(report.parse_errors),
        f"nodes         {int(there.sum()):,}",
        *_by_kind(graph.kinds[there].tolist(), graph.kind_names),
        f"relations     {int(kept.sum()):,}",
        *_by_kind(edges.kind[kept].tolist(), edges.kind_names),
        *(f"note          {note}" for note in report.notes),
    ]


def _by_kind(kinds: Sequence[int], names: Sequence[str]) -> Iterator[str]:
    for number, count in Counter(kinds).most_common():
        yield f"    {count:>9,} {names[number]}"


def _by_language(report: Report) -> Iterator[str]:
    for share in report.languages:
        errors = (
            f", {100 * share.with_errors / share.files:.0f} % of them with syntax errors" if share.with_errors else ""
        )
        yield f"    {share.files:>9,} {share.name}, {share.lines:,} lines{errors}"


def _by_reason(report: Report) -> Iterator[str]:
    paths: dict[str, list[str]] = {}
    for skipped in report.skipped:
        paths.setdefault(skipped.reason, []).append(skipped.path)
    for reason, found in sorted(paths.items(), key=lambda item: (-len(item[1]), item[0])):
        yield f"    {reason}: {len(found):,}"
        yield from _listed(found)


def _listed(paths: Sequence[str]) -> Iterator[str]:
    yield from (f"              {path}" for path in paths[:LISTED])
    if len(paths) > LISTED:
        yield f"              and {len(paths) - LISTED:,} more"
