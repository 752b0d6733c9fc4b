"""The progress of a plan as Markdown for people, CSV for spreadsheets, JSON for tools."""

from __future__ import annotations

import csv
import datetime
import io
import json
from typing import Any

from cbvtool.plan.export import About
from cbvtool.tracking.marks import STATES
from cbvtool.tracking.progress_of_plan import CommitMarks, PlanProgress, since
from cbvtool.words import as_utf8, code_span, escaped, harmless, one_line

FORMAT, VERSION = "cbvtool-task-status", 1
COLUMNS = ("number", "key", "title", "status", "sites done", "sites", "commit", "reason")
_SHORT = 7  # characters of an id


def to_json(found: PlanProgress, about: About) -> str:
    """`tasks` with their marks, `commits` with how many tasks have each mark, `broken` rules, what was `left_out`."""
    content = {
        "format": FORMAT,
        "version": VERSION,
        "subject": as_utf8(about.subject),
        "plan": as_utf8(about.plan),
        "commit": found.commit,
        "at": found.now.sha,
        "tasks": [{name: as_utf8(v) if isinstance(v, str) else v for name, v in row.items()} for row in _rows(found)],
        "commits": [{"commit": row.sha, "time": row.time, **row.counts} for row in found.rows],
        "broken": [rule._asdict() for rule in found.broken],
        "left_out": [as_utf8(sentence) for sentence in found.left_out],
    }
    return json.dumps(content, indent=1, allow_nan=False, ensure_ascii=True) + "\n"


def to_csv(found: PlanProgress) -> str:
    """One row for each task."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in _rows(found):
        cells = (row[name.replace(" ", "_")] for name in COLUMNS)
        writer.writerow([harmless(cell) if isinstance(cell, str) else "" if cell is None else cell for cell in cells])
    return text.getvalue()


def to_markdown(found: PlanProgress, about: About) -> str:
    """Numbers first, then every task with its mark, new violations, and how many were left at each commit."""
    counts = found.now.counts
    lines = [
        f"# {_text(about.plan)} for {_text(about.subject)}: what is done",
        "",
        f"Made on commit {code_span(found.commit[:_SHORT])}, looked at {code_span(found.now.sha[:_SHORT])}: "
        + ", ".join(f"{counts[state]:,} {state}" for state in STATES)
        + f" of {len(found.tasks):,} tasks.",
        "",
        "| # | task | mark | since commit | what to know |",
        "|---:|---|---|---|---|",
    ]
    for row, mark in zip(_rows(found), found.now.marks, strict=True):
        commit = code_span(row["commit"][:_SHORT]) if row["commit"] else ""
        lines.append(f"| {row['number']} | {_text(row['title'])} | {mark.words} | {commit} | {_text(row['reason'])} |")
    if found.broken:
        lines += ["", f"## New violations of rules since then ({len(found.broken):,})", ""]
        lines += [f"- {_text(rule.source)} uses {_text(rule.target)}: {_text(rule.rule)}" for rule in found.broken]
    lines += ["", "## Commits at which marks changed", "", "| commit | day | open | partly | done | overtaken |"]
    lines += ["|---|---|---:|---:|---:|---:|", *(_burnt(row) for row in found.changes)]
    return "\n".join([*lines, ""])


def _rows(found: PlanProgress) -> list[dict[str, Any]]:
    rows = []
    for index, (task, mark) in enumerate(zip(found.tasks, found.now.marks, strict=True)):
        row = since(found.rows, index)
        rows.append(
            {
                "number": task.number,
                "key": task.key,
                "title": task.title,
                "status": mark.state,
                "sites_done": mark.done,
                "sites": mark.sites,
                "commit": found.rows[row].sha if row else None,
                "reason": mark.reason,
            }
        )
    return rows


def _burnt(row: CommitMarks) -> str:
    day = datetime.datetime.fromtimestamp(row.time, datetime.UTC).date().isoformat()
    return f"| {code_span(row.sha[:_SHORT])} | {day} | " + " | ".join(f"{row.counts[s]:,}" for s in STATES) + " |"


def _text(text: str) -> str:
    return escaped(one_line(text))
