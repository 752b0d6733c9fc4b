"""The task list as Markdown for people, CSV for spreadsheets and issue trackers, JSON for tools."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from cbvtool.plan import effort
from cbvtool.plan.site_words import count_of_sites, line_words, place_words, sites_in_files, where
from cbvtool.plan.sites.site import Site
from cbvtool.plan.task import Step, Task, TaskWork, counted
from cbvtool.plan.tasks import TaskList
from cbvtool.words import as_utf8, code_span, escaped, harmless

FORMAT = "cbvtool-tasks"
VERSION = 2

_PEOPLE_SHOWN = 3
_NAMES_SHOWN = 5
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
    "key",
    "dependants",
    "rules mended",
    "rules broken",
    "assignee",
    "done",
    "note",
)
TRACKER_COLUMNS = ("title", "description", "labels", "assignee", "estimate")


class PlanWorth(NamedTuple):
    """What a plan is worth, as it is told everywhere.

    modules        what counts as a module, in words
    rows           (figure, as it is, as planned), for people
    before, after  the figures by their keys, for programs
    """

    modules: str
    rows: tuple[tuple[str, str, str], ...]
    before: Mapping[str, float | None]
    after: Mapping[str, float | None]


class About(NamedTuple):
    """What a list is about.

    subject   what the code base is called
    plan      what the plan is called
    commit    commit that paths and line numbers refer to; empty without one
    outcome   None = nobody has assessed the plan
    """

    subject: str
    plan: str
    commit: str = ""
    outcome: PlanWorth | None = None


class Issue(NamedTuple):
    """A task, or a step of it, for an issue tracker.

    description   Markdown, none of whose lines begins with `/`, which would be an order for GitLab
    """

    work: TaskWork
    task: Task
    description: str
    labels: tuple[str, ...]


def to_markdown(tasks: TaskList | Sequence[Task], about: About, *, expanded: bool = False) -> str:
    """The list as Markdown: what it all comes to, a table, then every task as a check list; or every step of it."""
    found = as_list(tasks)
    title = f"# {_text(about.plan)} for {_text(about.subject)}: task list"
    if not found.tasks:
        return "\n".join([title, "", "Nothing to do: the plan changes nothing.", *_overtaken(found), ""])
    if expanded:
        numbers = {task.key: task.number for task in found.tasks}
        sections = [line for step in found.steps for line in section(step, numbers[step.task])]
    else:
        sections = [line for task in found.tasks for line in section(task)]
    return "\n".join(
        [
            title,
            "",
            *_summary(found, about.commit, expanded=expanded),
            "",
            *_figures(about.outcome),
            *_table(found.tasks),
            *sections,
            *_overtaken(found),
            "",
            "---",
            "",
            found.weights.explanation,
            "",
        ]
    )


def to_csv(tasks: TaskList | Sequence[Task], *, expanded: bool = False) -> str:
    """One row per task, or per step, columns as in `COLUMNS`; lists are joined by `; `."""
    found = as_list(tasks)
    rows: list[tuple[object, ...]] = []
    of_key = {task.key: task for task in found.tasks}
    for work in found.steps if expanded else found.tasks:
        task = of_key[work.task] if isinstance(work, Step) else work
        assert isinstance(task, Task)
        rows.append(
            (
                work.number,
                task.kind,
                work.title,
                task.before,
                task.after,
                len(work.nodes),
                count_of_sites(work.must),
                work.files,
                work.to_check,
                work.minutes,
                "; ".join(person.name for person in work.people),
                _joined(work.must),
                _joined(work.check),
                "; ".join(step.title for step in work.steps) if isinstance(work, Task) else "",
                " ".join(work.notes),
                work.key,
                "; ".join(work.dependants),
                "; ".join(work.mended),
                "; ".join(work.broken),
                task.assignee,
                "yes" if task.done else "",
                task.note if isinstance(work, Task) else "",
            )
        )
    return as_csv(COLUMNS, rows)


def to_tracker(tasks: TaskList | Sequence[Task], about: About, *, expanded: bool = False) -> str:
    """CSV that issue trackers import, one issue for each task, or step, that is not done; columns `TRACKER_COLUMNS`.

    Title and description (Markdown) are what GitLab reads; GitHub's and Jira's importers map all five columns.
    """
    rows = [
        (one.work.title, one.description, ",".join(one.labels), one.task.assignee, f"{one.work.minutes}m")
        for one in issues(tasks, about, expanded=expanded)
    ]
    return as_csv(TRACKER_COLUMNS, rows)


def issues(tasks: TaskList | Sequence[Task], about: About, *, expanded: bool = False) -> list[Issue]:
    """One issue for each task, or step, that is not done."""
    found = as_list(tasks)
    of_key = {task.key: task for task in found.tasks}
    at = f"commit {code_span(about.commit)}" if about.commit else "the code as it was analysed"
    listed = []
    for work in found.steps if expanded else found.tasks:
        task = of_key[work.task] if isinstance(work, Step) else work
        assert isinstance(task, Task)
        if task.done:
            continue
        words = "\n".join(section(work, task.number if isinstance(work, Step) else None)[3:])
        source = f"Task {code_span(work.key)} of {_text(about.plan)} for {_text(about.subject)}; paths and lines: {at}."
        labels = ("restructuring", task.kind.replace(" ", "-"))
        listed.append(Issue(work, task, f"{words}\n\n{source}", labels))
    return listed


def to_json(tasks: TaskList | Sequence[Task], about: About, *, expanded: bool = False) -> str:
    """The list as JSON, format `cbvtool-tasks`, described in `docs/plan-format.md` and `docs/tasks.schema.json`."""
    found = as_list(tasks)
    data: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "subject": about.subject,
        "plan": about.plan,
        "commit": about.commit,
        "estimate": found.weights.explanation,
        "tasks": [
            {
                **_as_data(task),
                "kind": task.kind,
                "operation": task.origin,
                "before": task.before,
                "after": task.after,
                "steps": [step.title for step in task.steps],
                "note": task.note,
                "assignee": task.assignee,
                "done": task.done,
            }
            for task in found.tasks
        ],
    }
    if about.outcome is not None:
        modules, _, before, after = about.outcome
        data["assessment"] = {"modules": modules, "before": dict(before), "after": dict(after)}
    if expanded:
        data["steps"] = [{**_as_data(step), "task": step.task} for step in found.steps]
    if found.overtaken:
        data["overtaken"] = [
            {
                "key": entry.key,
                "title": entry.annotation.title,
                "note": entry.annotation.note,
                "assignee": entry.annotation.assignee,
                "done": entry.annotation.done,
            }
            for entry in found.overtaken
        ]
    # ASCII escapes also carry file names that are not UTF-8.
    return json.dumps(data, indent=2, ensure_ascii=True) + "\n"


def as_list(tasks: TaskList | Sequence[Task]) -> TaskList:
    """Tasks alone as a list without more."""
    return tasks if isinstance(tasks, TaskList) else TaskList(tuple(tasks))


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


def by_reason(sites: Iterable[Site]) -> list[tuple[str, list[Site]]]:
    """(why they are only to be checked, the sites), by reason."""
    reasons: dict[str, list[Site]] = {}
    for site in sites:
        reasons.setdefault(site.reason, []).append(site)
    return sorted(reasons.items())


# -- inside ----------------------------------------------------------------------------------------------------


def _as_data(work: TaskWork) -> dict[str, Any]:
    return {
        "key": work.key,
        "number": work.number,
        "title": work.title,
        "nodes": list(work.nodes),
        "places": list(work.places),
        "sites": [site_as_data(site) for site in work.sites],
        "files": work.files,
        "to_check": work.to_check,
        "dependants": list(work.dependants),
        "people": [{"name": person.name, "share": round(person.share, 2)} for person in work.people],
        "mended": list(work.mended),
        "broken": list(work.broken),
        "minutes": work.minutes,
        "notes": list(work.notes),
    }


def as_csv(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table with a head, in which no cell begins like a formula."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([harmless(cell) for cell in row] for row in rows)
    return as_utf8(text.getvalue())


def _summary(found: TaskList, commit: str, *, expanded: bool) -> list[str]:
    tasks = found.tasks
    change = [site for task in tasks for site in task.must]
    told = {where(site) for site in change}
    check = [site for task in tasks for site in task.check if where(site) not in told]
    people = list(dict.fromkeys(person.name for task in tasks for person in task.people))
    total = effort.show(sum(task.minutes for task in tasks if not task.done))
    steps = f" in **{counted(len(found.steps), 'step')}**" if expanded else ""
    lines = [f"- **{counted(len(tasks), 'task')}**{steps}, about **{total}** (estimate)"]
    if done := [task for task in tasks if task.done]:
        lines.append(f"- **{len(done):,}** of them done")
    lines.append(f"- **{sites_in_files(change)}** must change" if change else "- no site must change")
    if sum(count_of_sites(task.must) for task in tasks) > count_of_sites(change):
        lines.append("- a place that several tasks change counts once in all")
    if check:
        lines.append(f"- {sites_in_files(check)} to check: whether they must change depends on how they are written")
    mended, broken = _all(tasks, "mended"), _all(tasks, "broken")  # what is both is over when the plan is done
    for word, sentences in (
        ("mended", [sentence for sentence in mended if sentence not in broken]),
        ("broken", [sentence for sentence in broken if sentence not in mended]),
    ):
        if sentences:
            lines.append(f"- {counted(len(sentences), 'violation')} of rules {word}")
    if people:
        lines.append(f"- last authors of the files concerned: {escaped(', '.join(people))}")
    lines.append(
        f"- paths and lines are those of {f'commit {code_span(commit)}' if commit else 'the code as it was analysed'}"
    )
    return lines


def _figures(outcome: PlanWorth | None) -> list[str]:
    if outcome is None:
        return []
    rows = [f"| {_text(name)} | {_text(before)} | {_text(after)} |" for name, before, after in outcome.rows]
    head = f"| {_text(outcome.modules)} | as it is | as planned |"
    return [head, "|:--|--:|--:|", *rows, ""]


def _all(tasks: Sequence[Task], name: str) -> list[str]:
    return list(dict.fromkeys(sentence for task in tasks for sentence in getattr(task, name)))


def _table(tasks: Sequence[Task]) -> list[str]:
    lines = ["| # | Task | Places | Files | To check | Effort | People |", "|--:|:--|--:|--:|--:|--:|:--|"]
    for task in tasks:
        more = len(task.people) - _PEOPLE_SHOWN
        people = ", ".join(person.name for person in task.people[:_PEOPLE_SHOWN])
        people += f" and {more} more" if more > 0 else ""
        numbers = (count_of_sites(task.must), task.files, task.to_check)
        title = f"~~{_text(task.title)}~~" if task.done else _text(task.title)
        cells = [f"{task.number}", title, *(f"{n:,}" if n else "–" for n in numbers)]
        lines.append(f"| {' | '.join([*cells, effort.show(task.minutes), escaped(task.assignee or people)])} |")
    return lines


def section(work: TaskWork, of_task: int | None = None) -> list[str]:
    """A task, or a step of a task, in Markdown, from its heading on."""
    lines = ["", f"## {work.number}. {_text(work.title)}", ""]
    about = [f"{_about(work)}; about {effort.show(work.minutes)}"]
    if of_task is not None:
        about.append(f"Part of task {of_task}")
    if work.dependants:
        more = len(work.dependants) - _NAMES_SHOWN
        names = ", ".join(code_span(path) for path in work.dependants[:_NAMES_SHOWN])
        about.append(
            f"Used by {counted(len(work.dependants), 'file')}: {names}{f' and {more:,} more' if more > 0 else ''}"
        )
    if work.people:
        about.append(f"Last authors: {escaped(', '.join(map(str, work.people)))}")
    lines += [*(f"{sentence}." for sentence in about), ""]
    if isinstance(work, Task):
        if work.assignee:
            lines += [f"Assigned to {escaped(work.assignee)}.", ""]
        if work.note:
            lines += [f"> {_text(line)}" for line in work.note.splitlines()] + [""]
    lines += [line for note in work.notes for line in (f"> **Mind:** {_text(note)}", "")]
    lines += [line for told in work.broken for line in (f"> **Breaks a rule:** {_text(told)}", "")]
    lines += [line for told in work.mended for line in (f"> Mends: {_text(told)}", "")]
    box = "- [x]" if isinstance(work, Task) and work.done else "- [ ]"
    titles = [step.title for step in work.steps] if isinstance(work, Task) else [work.title]
    lines += [f"{box} {_text(title)}" for title in titles]
    if work.must:
        lines.append(f"{box} Change {sites_in_files(work.must)}")
        lines += _per_file(work.must, box)
    for reason, sites in by_reason(work.check):
        lines.append(f"{box} Check {sites_in_files(sites)}" + (f" ({_text(reason)})" if reason else ""))
        lines += _per_file(sites, box)
    return lines


def _about(work: TaskWork) -> str:
    change = f"{sites_in_files(work.must)} must change" if work.must else "no site must change"
    return change[0].upper() + change[1:] + (f", {work.to_check:,} to check" if work.to_check else "")


def _overtaken(found: TaskList) -> list[str]:
    if not found.overtaken:
        return []
    lines = ["", "## Overtaken", "", "These notes are about tasks that the plan does not have any more:", ""]
    for entry in found.overtaken:
        said = [_text(entry.annotation.title or entry.key), *map(_text, entry.annotation.note.splitlines())]
        if entry.annotation.assignee:
            said.append(f"assigned to {escaped(entry.annotation.assignee)}")
        if entry.annotation.done:
            said.append("done")
        lines.append(f"- {'; '.join(said)}")
    return lines


def _per_file(sites: Sequence[Site], box: str) -> list[str]:
    """One line for each file, with the lines of each class of site."""
    lines = []
    for file, group in groupby(sorted(sites, key=where), key=lambda site: site.file):
        found: dict[str, list[Site]] = {}
        for site in group:
            found.setdefault(site.kind, []).append(site)
        told = "; ".join(_lines_of(kind, some) for kind, some in found.items())
        lines.append(f"  {box} {code_span(file)}: {told}")
    return lines


def _lines_of(kind: str, sites: Sequence[Site]) -> str:
    """`call: lines 3, 17`; `import shop.core.Money after line 4` for a line that is to be added."""
    if all(site.line is not None for site in sites):
        numbers = list(dict.fromkeys(str(site.line) for site in sites))
        return f"{kind}: line{'s' if len(numbers) > 1 else ''} {', '.join(numbers)}"
    added = (
        f"import {', '.join(map(code_span, site.names)) or 'what is missing'} {line_words(site)}" for site in sites
    )
    return ", ".join(dict.fromkeys(added))


def _text(words: str) -> str:
    """Words in Markdown; what looks like a path or file name becomes a code span."""
    parts = _PATH.split(words)  # every second part is a match
    return "".join(code_span(part) if number % 2 else escaped(part) for number, part in enumerate(parts))


def _joined(sites: Iterable[Site]) -> str:
    return "; ".join(dict.fromkeys(place_words(site) for site in sorted(sites, key=where)))
