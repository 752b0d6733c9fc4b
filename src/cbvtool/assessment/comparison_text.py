"""Two plans side by side, as text and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from cbvtool.assessment.comparing import Alternative, ComparedFigure, PlanComparison, as_it_is
from cbvtool.assessment.rows import as_data
from cbvtool.plan import effort
from cbvtool.plan.export import About
from cbvtool.plan.task import Task, counted
from cbvtool.words import one_line

FORMAT, VERSION = "cbvtool-plan-comparison", 2
_SHORT = 7
_GAP = "  "


def to_text(found: PlanComparison, about: About) -> str:
    """The comparison for people."""
    return "\n".join(line.rstrip() for line in _lines(found, about)) + "\n"


def table(found: PlanComparison) -> list[tuple[str, str, str, str, str]]:
    """(what, as it is, first, second, `+` or `−` = the second is better or worse) of figures, then of the work."""
    first, second = found.first, found.second
    return [
        *((row.name, row.as_is, row.first, row.second, row.row.sign) for row in found.figures),
        ("tasks", "", f"{len(first.tasks):,}", f"{len(second.tasks):,}", ""),
    ]


def _lines(found: PlanComparison, about: About) -> Iterator[str]:
    names = [one_line(found.first.name), one_line(found.second.name)]
    at = f", commit {about.commit[:_SHORT]}" if about.commit else ""
    yield f"Plans compared: {names[0]} and {names[1]} of {one_line(about.subject)}{at}"
    yield ""
    rows = [("", "as it is", *names, ""), *table(found)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [
            row[0].ljust(widths[0]),
            *(cell.rjust(width) for cell, width in zip(row[1:4], widths[1:4], strict=True)),
        ]
        yield _GAP.join([*cells, row[4]])
    yield f"+ and −: {names[1]} is better or worse than {names[0]}"
    for title, tasks in (
        (f"Only in {names[0]}", found.only_first),
        (f"Only in {names[1]}", found.only_second),
        ("In both", found.both),
    ):
        yield ""
        yield f"{title} ({counted(len(tasks), 'task')}{_work(tasks)})"
        yield from (f"  {one_line(task.title)}" for task in tasks)
    for one in (found.first, found.second):
        if one.refusals:
            yield ""
            yield f"Steps of {one_line(one.name)} that do not fit the code ({len(one.refusals):,})"
            yield from (f"  {one_line(reason)}" for reason in one.refusals)


def _work(tasks: Sequence[Task]) -> str:
    return f", {effort.show(sum(task.minutes for task in tasks if not task.done))}" if tasks else ""


def to_json(found: PlanComparison, about: About) -> str:
    """The comparison for programs."""
    data = {
        "format": FORMAT,
        "version": VERSION,
        "subject": about.subject,
        "commit": about.commit,
        "first": _alternative(found.first),
        "second": _alternative(found.second),
        "as_is": as_data(as_it_is(found.first.judged.base.figures)),
        "figures": [_figure(row) for row in found.figures],
        "only_first": [task.key for task in found.only_first],
        "only_second": [task.key for task in found.only_second],
        "both": [task.key for task in found.both],
    }
    return json.dumps(data, indent=2) + "\n"


def _alternative(one: Alternative) -> dict[str, Any]:
    tasks = [{"key": task.key, "title": task.title, "minutes": task.minutes, "done": task.done} for task in one.tasks]
    return {
        "name": one.name,
        "steps": len(one.history.done),
        "figures": as_data(one.judgement.after),
        "tasks": tasks,
        "left_out": list(one.refusals),
    }


def _figure(row: ComparedFigure) -> dict[str, str]:
    return {
        "name": row.name,
        "as_is": row.as_is,
        "first": row.first,
        "second": row.second,
        "second_is": row.row.verdict,
    }
