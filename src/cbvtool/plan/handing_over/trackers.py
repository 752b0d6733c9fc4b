"""Tasks as issues of GitHub, GitLab and Jira, and as the checklist of a pull request."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from cbvtool.plan import effort
from cbvtool.plan.export import About, Issue, as_csv, as_list, by_reason, issues
from cbvtool.plan.site_words import line_words, sites_in_files, where
from cbvtool.plan.sites.site import Site
from cbvtool.plan.task import Task, TaskWork
from cbvtool.plan.tasks import TaskList
from cbvtool.words import as_utf8, code_span, escaped, one_line

GITLAB_COLUMNS = ("title", "description")
JIRA_COLUMNS = ("Summary", "Issue Type", "Description", "Labels", "Labels", "Assignee", "Original Estimate")
_USER = re.compile(r"@?([A-Za-z0-9][A-Za-z0-9_.-]{0,254})")
_LONGEST_TITLE = 255  # characters, the least of the three


def to_github(tasks: TaskList | Sequence[Task], about: About, *, expanded: bool = False) -> str:
    """JSON: a list of what GitHub's REST interface takes to create an issue each.

    `gh api repos/OWNER/NAME/issues --input -` makes one of each member.
    """
    made = [
        {
            "title": _title(one),
            "body": f"{one.description}\n\nEstimated effort: {effort.show(one.work.minutes)}.",
            "labels": list(one.labels),
            "assignees": _users(one.task),
        }
        for one in issues(tasks, about, expanded=expanded)
    ]
    return json.dumps(made, indent=2, ensure_ascii=True) + "\n"


def to_gitlab(tasks: TaskList | Sequence[Task], about: About, *, expanded: bool = False) -> str:
    """CSV for GitLab's import; labels, estimate and assignee are quick actions at the end of a description."""
    rows = []
    for one in issues(tasks, about, expanded=expanded):
        actions = [f"/label {' '.join(f'~{label}' for label in one.labels)}"]
        actions.append(f"/estimate {one.work.minutes}m")
        actions += [f"/assign @{user}" for user in _users(one.task)]
        rows.append((_title(one), "\n".join([one.description, "", *actions])))
    return as_csv(GITLAB_COLUMNS, rows)


def to_jira(tasks: TaskList | Sequence[Task], about: About, *, expanded: bool = False) -> str:
    """CSV for Jira's import: descriptions in its own markup, the estimate in seconds."""
    rows = [
        (
            _title(one),
            "Task",
            "\n".join(_jira_lines(one.work, about)),
            *one.labels,
            one.task.assignee.removeprefix("@"),
            60 * one.work.minutes,
        )
        for one in issues(tasks, about, expanded=expanded)
    ]
    return as_csv(JIRA_COLUMNS, rows)


def to_checklist(tasks: TaskList | Sequence[Task], about: About, *, expanded: bool = False) -> str:
    """Markdown for the description of a pull request: a box for each task, and those for what to look at after it."""
    found = as_list(tasks)
    at = f" (planned on commit {code_span(about.commit)})" if about.commit else ""
    lines = [f"### {escaped(about.plan)} for {escaped(about.subject)}: task list{at}", ""]
    done = {task.key: task.done for task in found.tasks}
    for work in found.steps if expanded else found.tasks:
        key = work.key if isinstance(work, Task) else work.task
        lines.append(f"- [{'x' if done[key] else ' '}] {work.number}. {escaped(work.title)} ({escaped(work.impact)})")
        lines += [f"  - Mind: {escaped(note)}" for note in work.notes]
        for reason, sites in by_reason(work.check):
            why = f" ({escaped(reason)})" if reason else ""
            lines.append(f"  - [ ] Checked {sites_in_files(sites)}{why}")
    if not found.tasks:
        lines.append("Nothing to do: the plan changes nothing.")
    lines += [
        "- [ ] The tests pass",
        "- [ ] `cbvtool check` finds no new violation",
        "- [ ] The rules of the plan hold (`cbvtool tasks --format import-linter`, `archunit`, `dependency-cruiser`)",
    ]
    return as_utf8("\n".join([*lines, ""]))


def _title(one: Issue) -> str:
    said = one_line(one.work.title)
    return said if len(said) <= _LONGEST_TITLE else f"{said[: _LONGEST_TITLE - 1]}…"


def _users(task: Task) -> list[str]:
    """The account that a task is assigned to; nothing where the name cannot be one."""
    found = _USER.fullmatch(task.assignee.strip())
    return [found[1]] if found else []


def _jira_lines(work: TaskWork, about: About) -> Iterator[str]:
    yield f"{_jira(work.impact)}; about {effort.show(work.minutes)}."
    titles = [step.title for step in work.steps] if isinstance(work, Task) else [work.title]
    yield from (f"* {_jira(title)}" for title in titles)
    for what, sites in (
        ("Change", work.must),
        *((f"Check ({reason})", some) for reason, some in by_reason(work.check)),
    ):
        if sites:
            yield f"* {_jira(what)} {sites_in_files(sites)}"
            yield from _jira_files(sites)
    yield from (f"bq. {_jira(note)}" for note in work.notes)
    at = f"commit {about.commit}" if about.commit else "the code as it was analysed"
    yield f"Task {_jira(work.key)} of {_jira(about.plan)} for {_jira(about.subject)}; paths and lines: {_jira(at)}."


def _jira_files(sites: Sequence[Site]) -> Iterator[str]:
    for file, group in groupby(sorted(sites, key=where), key=lambda site: site.file):
        told = dict.fromkeys(f"{_site_words(site)} {line_words(site)}" for site in group)
        yield f"** {_jira(file)}: {_jira(', '.join(told))}"


def _site_words(site: Site) -> str:
    """`call`; `import shop.core.Money` for a line that is to be added."""
    return site.kind if site.line is not None else f"import {', '.join(site.names) or 'what is missing'}"


def _jira(words: str) -> str:
    """Words in Jira's markup: nothing in them is a macro, a link or a picture."""
    return re.sub(r"([{}\[\]*_|!^~+?\\-])", r"\\\1", one_line(words))
