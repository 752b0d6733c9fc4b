"""The plan: what it betters, what it asks for, and what it costs."""

from __future__ import annotations

from markupsafe import Markup

from cbvtool.assessment.rows import FigureRow
from cbvtool.plan import effort
from cbvtool.plan.site_words import count_of_sites
from cbvtool.plan.task import Task
from cbvtool.report.first_screen import plan_words
from cbvtool.report.gathered import Gathered
from cbvtool.report.markup import Content, element, joined, listing, table

_WORDS = {"better": "+ better", "worse": "− worse", "same": "same"}


def plan_section(one: Gathered) -> Markup:
    """The section."""
    heading = element("h2", "The plan", id="plan")
    plan = one.plan
    if plan is None:
        nothing = "Nothing is planned. Plans are made in the window, and kept in a document (.cbv)."
        return element("section", heading, element("p", nothing), aria_labelledby="plan")
    parts: list[Content] = [heading, element("p", plan_words(plan))]
    if plan.refusals:
        parts += [element("p", "Steps that no longer fit the code, and are left out:"), listing(*plan.refusals)]
    if plan.rows:
        said = ("Figure", "#Before", "#After", "Better or worse", "What it says")
        parts.append(table("What the plan betters", said, map(_figure, plan.rows), id="judgement"))
    heads = ("Task", "#Places", "#Files", "#To check", "#Effort", "Who")
    parts.append(
        table("Tasks, in an order in which they can be done", heads, map(_task, plan.listed.tasks), id="tasks")
    )
    parts.append(element("p", plan.listed.weights.explanation, class_="more"))
    return element("section", *parts, aria_labelledby="plan")


def _figure(row: FigureRow) -> tuple[Content, ...]:
    word = "the price" if row.cost else _WORDS[row.verdict]
    kind = "neither" if row.cost else row.verdict
    name = row.name[:1].upper() + row.name[1:]
    return name, row.before, row.after, element("span", word, class_=f"verdict {kind}"), row.explanation


def _task(task: Task) -> tuple[Content, ...]:
    said: list[Content] = [f"{task.number}. {task.title}"]
    if task.done:
        said.append(element("strong", " (done)"))
    said += [element("small", f" Mends: {line}") for line in task.mended]
    said += [element("small", f" Breaks a rule: {line}") for line in task.broken]
    said += [element("small", f" Mind: {line}") for line in task.notes]
    said += [element("small", f" Note: {line}") for line in task.note.splitlines()]
    who = task.assignee or ", ".join(person.name for person in task.people[:2])
    return joined(said), count_of_sites(task.must), task.files, task.to_check, effort.show(task.minutes), who
