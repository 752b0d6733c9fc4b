"""A summary of an analysis, as lines of text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from cbvtool.graph import Graph, Report

LISTED = 10  # most paths listed under one heading; the graph file has all of them


def summary(graph: Graph) -> list[str]:
    """Files by language, skipped files by reason, lines not understood, nodes and relations by kind, notes.

    File names may contain line breaks; the caller decides how to show them.
    """
    report, edges, there = graph.report, graph.edges, graph.tree.pos >= 0
    kept = there[edges.source] & there[edges.target]
    return [
        f"files         {report.files:,}",
        *_by_language(report),
        f"skipped       {len(report.skipped):,}",
        *_by_reason(report),
        f"syntax errors {not_understood(report) or 'none'}",
        *_listed(_most_lost_first(report)),
        f"nodes         {int(there.sum()):,}",
        *_by_kind(graph.kinds[there].tolist(), graph.kind_names),
        f"relations     {int(kept.sum()):,}",
        *_by_kind(edges.kind[kept].tolist(), edges.kind_names),
        *(f"note          {note}" for note in report.notes),
    ]


def not_understood(report: Report) -> str:
    """`0.8 % of the lines not understood, in 312 files, mostly because of macros`; empty without syntax errors.

    A graph from another program may lack numbers of lines: `312 files with syntax errors`.
    """
    count = len(report.parse_errors)
    files = f"{count:,} file{'' if count == 1 else 's'}"
    lines = sum(share.lines for share in report.languages)
    if not count:
        return ""
    if not lines or len(report.lost_lines) != count:
        return f"{files} with syntax errors"
    lost = sum(report.lost_lines)
    macros = sum(share.lost_to_macros for share in report.languages)
    why = ", mostly because of macros" if macros * 2 > lost else ""
    return f"{_percent(lost, lines)} of the lines not understood, in {files}{why}"


def _percent(part: int, whole: int) -> str:
    share = 100 * part / max(whole, 1)
    return f"{share:.1f} %" if share >= 0.05 or not part else "less than 0.1 %"


def _most_lost_first(report: Report) -> list[str]:
    """The files with syntax errors, and how much of each was not understood, in descending order."""
    if len(report.lost_lines) != len(report.parse_errors):
        return list(report.parse_errors)
    rows = sorted(zip(report.lost_lines, report.parse_errors, strict=True), key=lambda row: (-row[0], row[1]))
    return [f"{path}: {lost:,} line{'' if lost == 1 else 's'}" for lost, path in rows]


def _by_kind(kinds: Sequence[int], names: Sequence[str]) -> Iterator[str]:
    for number, count in Counter(kinds).most_common():
        yield f"    {count:>9,} {names[number]}"


def _by_language(report: Report) -> Iterator[str]:
    for share in report.languages:
        errors = f", {_percent(share.lost_lines, share.lines)} of them not understood" if share.with_errors else ""
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
