"""The task list as Markdown for people, CSV for spreadsheets, JSON for tools."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Sequence
from itertools import groupby

from cbvtool.plan import effort
from cbvtool.plan.primitives import Site
from cbvtool.plan.task import Task, counted, sites_in_files
from cbvtool.words import as_utf8, code_span, escaped, harmless

FORMAT = "cbvtool-tasks"
VERSION = 1

_PEOPLE_SHOWN = 3
_COMMIT_SHOWN = 12
_PATH = re.compile(r"(?<!\S)([^\s`|]*\w[/._][^\s`|]*\w)")
COLUMNS = (
    "number",
    "kind",
    "title",
    "before",
    "after",
    "items",
    "import sites",
    "files",
    "to check",
    "minutes (estimate)",
    "people",
    "sites",
    "sites to check",
    "steps",
    "notes",
)


def to_markdown(tasks: Sequence[Task], subject: str, plan: str, commit: str = "") -> str:
    """The list as Markdown: what it all comes to, a table, then every task as a check list.

    subject   what the code base is called
    plan      what the plan is called
    commit    commit that paths and line numbers refer to; empty without one
    """
    title = f"# {_text(plan)} for {_text(subject)}: task list"
    if not tasks:
        return f"{title}\n\nNothing to do: the plan changes nothing.\n"
    return "\n".join(
        [
            title,
            "",
            *_summary(tasks, commit),
            "",
            *_table(tasks),
            *(line for task in tasks for line in _section(task)),
            "",
            "---",
            "",
            effort.EXPLANATION,
            "",
        ]
    )


def to_csv(tasks: Sequence[Task]) -> str:
    """One row per task, columns as in `COLUMNS`; lists are joined by `; `."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for task in tasks:
        to_check = [site for _, sites in task.checks for site in sites]
        writer.writerow(
            harmless(cell)
            for cell in (
                task.number,
                task.kind,
                task.title,
                task.before,
                task.after,
                len(task.nodes),
                len(set(task.sites)),
                task.files,
                task.to_check,
                task.minutes,
                "; ".join(task.people),
                _joined(task.sites),
                _joined(to_check),
                "; ".join(task.steps),
                " ".join(task.notes),
            )
        )
    return as_utf8(text.getvalue())


def to_json(tasks: Sequence[Task], subject: str, plan: str, commit: str = "") -> str:
    """The list as JSON, format `cbvtool-tasks`, described in `docs/plan-format.md`."""
    data = {
        "format": FORMAT,
        "version": VERSION,
        "subject": subject,
        "plan": plan,
        "commit": commit,
        "estimate": effort.EXPLANATION,
        "tasks": [
            {
                "number": task.number,
                "kind": task.kind,
                "title": task.title,
                "nodes": task.nodes,
                "operation": task.origin,
                "before": task.before,
                "after": task.after,
                "steps": task.steps,
                "sites": task.sites,
                "files": task.files,
                "checks": [{"reason": reason, "sites": sites} for reason, sites in task.checks],
                "people": task.people,
                "minutes": task.minutes,
                "notes": task.notes,
            }
            for task in tasks
        ],
    }
    # ASCII escapes also carry file names that are not UTF-8.
    return json.dumps(data, indent=2, ensure_ascii=True) + "\n"


def _summary(tasks: Sequence[Task], commit: str) -> list[str]:
    change = {site for task in tasks for site in task.sites}
    check = {site for task in tasks for _, sites in task.checks for site in sites} - change
    people = list(dict.fromkeys(who for task in tasks for who in task.people))
    lines = [
        f"- **{counted(len(tasks), 'task')}**, about **{effort.show(sum(task.minutes for task in tasks))}** (estimate)"
    ]
    lines.append(f"- **{sites_in_files(change)}** must change" if change else "- no import site must change")
    if check:
        lines.append(f"- {sites_in_files(check)} to check: whether they must change depends on how they are written")
    if people:
        lines.append(f"- last authors of the files concerned: {escaped(', '.join(people))}")
    lines.append(
        f"- paths and lines are those of {f'commit {code_span(commit)}' if commit else 'the code as it was analysed'}"
    )
    return lines


def _table(tasks: Sequence[Task]) -> list[str]:
    lines = ["| # | Task | Import sites | Files | To check | Effort | People |", "|--:|:--|--:|--:|--:|--:|:--|"]
    for task in tasks:
        more = len(task.people) - _PEOPLE_SHOWN
        people = ", ".join(task.people[:_PEOPLE_SHOWN]) + (f" and {more} more" if more > 0 else "")
        numbers = (len(set(task.sites)), task.files, task.to_check)
        cells = [f"{task.number}", _text(task.title), *(f"{n:,}" if n else "–" for n in numbers)]
        lines.append(f"| {' | '.join([*cells, effort.show(task.minutes), escaped(people)])} |")
    return lines


def _section(task: Task) -> list[str]:
    lines = ["", f"## {task.number}. {_text(task.title)}", ""]
    about = [f"{_about(task)}; about {effort.show(task.minutes)}"]
    if task.people:
        about.append(f"Last authors: {escaped(', '.join(task.people))}")
    lines += [f"{'. '.join(about)}.", ""]
    lines += [line for note in task.notes for line in (f"> **Mind:** {_text(note)}", "")]
    lines += [f"- [ ] {_text(step)}" for step in task.steps]
    if task.sites:
        lines.append(f"- [ ] Change {sites_in_files(task.sites)}")
        lines += _per_file(task.sites)
    for reason, sites in task.checks:
        lines.append(f"- [ ] Check {sites_in_files(sites)} ({reason})")
        lines += _per_file(sites)
    return lines


def _about(task: Task) -> str:
    change = f"{sites_in_files(task.sites)} must change" if task.sites else "no import site must change"
    return change[0].upper() + change[1:] + (f", {task.to_check:,} to check" if task.to_check else "")


def _per_file(sites: Sequence[Site]) -> list[str]:
    lines = []
    for file, group in groupby(sorted(set(sites)), key=lambda site: site[0]):
        numbers = [str(line) for _, line in group]
        lines.append(f"  - [ ] {code_span(file)}: line{'s' if len(numbers) > 1 else ''} {', '.join(numbers)}")
    return lines


def _text(words: str) -> str:
    """Words in Markdown; what looks like a path or file name becomes a code span."""
    parts = _PATH.split(words)  # every second part is a match
    return "".join(code_span(part) if number % 2 else escaped(part) for number, part in enumerate(parts))


def _joined(sites: Iterable[Site]) -> str:
    return "; ".join(f"{file}:{line}" for file, line in sorted(set(sites)))
