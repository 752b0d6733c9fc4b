"""The task list as Markdown for people, CSV for spreadsheets, JSON for tools."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

from cbvtool.plan import effort
from cbvtool.plan.site_words import count_of_sites, line_words, place_words, sites_in_files, where
from cbvtool.plan.sites.site import Site
from cbvtool.plan.task import Task, counted
from cbvtool.words import as_utf8, code_span, escaped, harmless

FORMAT = "cbvtool-tasks"
VERSION = 2

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
    "sites to change",
    "files",
    "to check",
    "minutes (estimate)",
    "people",
    "must change",
    "check",
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
        writer.writerow(
            harmless(cell)
            for cell in (
                task.number,
                task.kind,
                task.title,
                task.before,
                task.after,
                len(task.nodes),
                count_of_sites(task.must),
                task.files,
                task.to_check,
                task.minutes,
                "; ".join(task.people),
                _joined(task.must),
                _joined(task.check),
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
                "sites": [site_as_data(site) for site in task.sites],
                "files": task.files,
                "to_check": task.to_check,
                "people": task.people,
                "minutes": task.minutes,
                "notes": task.notes,
            }
            for task in tasks
        ],
    }
    # ASCII escapes also carry file names that are not UTF-8.
    return json.dumps(data, indent=2, ensure_ascii=True) + "\n"


def site_as_data(site: Site) -> dict[str, Any]:
    """A site as JSON data: `after`, `names` and `reason` only where they say something."""
    data: dict[str, Any] = {"file": site.file, "line": site.line, "kind": site.kind, "certainty": site.certainty}
    if site.line is None:
        data["after"] = site.after or 0
    if site.names:
        data["names"] = list(site.names)
    if site.reason:
        data["reason"] = site.reason
    return data


def _summary(tasks: Sequence[Task], commit: str) -> list[str]:
    change = [site for task in tasks for site in task.must]
    told = {where(site) for site in change}
    check = [site for task in tasks for site in task.check if where(site) not in told]
    people = list(dict.fromkeys(who for task in tasks for who in task.people))
    lines = [
        f"- **{counted(len(tasks), 'task')}**, about **{effort.show(sum(task.minutes for task in tasks))}** (estimate)"
    ]
    lines.append(f"- **{sites_in_files(change)}** must change" if change else "- no site must change")
    if check:
        lines.append(f"- {sites_in_files(check)} to check: whether they must change depends on how they are written")
    if people:
        lines.append(f"- last authors of the files concerned: {escaped(', '.join(people))}")
    lines.append(
        f"- paths and lines are those of {f'commit {code_span(commit)}' if commit else 'the code as it was analysed'}"
    )
    return lines


def _table(tasks: Sequence[Task]) -> list[str]:
    lines = ["| # | Task | Sites | Files | To check | Effort | People |", "|--:|:--|--:|--:|--:|--:|:--|"]
    for task in tasks:
        more = len(task.people) - _PEOPLE_SHOWN
        people = ", ".join(task.people[:_PEOPLE_SHOWN]) + (f" and {more} more" if more > 0 else "")
        numbers = (count_of_sites(task.must), task.files, task.to_check)
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
    if task.must:
        lines.append(f"- [ ] Change {sites_in_files(task.must)}")
        lines += _per_file(task.must)
    for reason, sites in by_reason(task.check):
        lines.append(f"- [ ] Check {sites_in_files(sites)}" + (f" ({_text(reason)})" if reason else ""))
        lines += _per_file(sites)
    return lines


def by_reason(sites: Iterable[Site]) -> list[tuple[str, list[Site]]]:
    """(why they are only to be checked, the sites), by reason."""
    reasons: dict[str, list[Site]] = {}
    for site in sites:
        reasons.setdefault(site.reason, []).append(site)
    return sorted(reasons.items())


def _about(task: Task) -> str:
    change = f"{sites_in_files(task.must)} must change" if task.must else "no site must change"
    return change[0].upper() + change[1:] + (f", {task.to_check:,} to check" if task.to_check else "")


def _per_file(sites: Sequence[Site]) -> list[str]:
    """One line for each file, with the lines of each class of site."""
    lines = []
    for file, group in groupby(sorted(sites, key=where), key=lambda site: site.file):
        found: dict[str, list[Site]] = {}
        for site in group:
            found.setdefault(site.kind, []).append(site)
        told = "; ".join(_lines_of(kind, some) for kind, some in found.items())
        lines.append(f"  - [ ] {code_span(file)}: {told}")
    return lines


def _lines_of(kind: str, sites: Sequence[Site]) -> str:
    """`call: lines 3, 17`; `add-import: after line 4 (shop.core.Money)`."""
    if all(site.line is not None for site in sites):
        numbers = list(dict.fromkeys(str(site.line) for site in sites))
        return f"{kind}: line{'s' if len(numbers) > 1 else ''} {', '.join(numbers)}"
    told = [line_words(site) + (f" ({escaped(', '.join(site.names))})" if site.names else "") for site in sites]
    return f"{kind}: {', '.join(dict.fromkeys(told))}"


def _text(words: str) -> str:
    """Words in Markdown; what looks like a path or file name becomes a code span."""
    parts = _PATH.split(words)  # every second part is a match
    return "".join(code_span(part) if number % 2 else escaped(part) for number, part in enumerate(parts))


def _joined(sites: Iterable[Site]) -> str:
    return "; ".join(dict.fromkeys(place_words(site) for site in sorted(sites, key=where)))
