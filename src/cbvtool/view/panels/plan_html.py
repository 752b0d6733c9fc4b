"""The judgement of a plan and its tasks as rich text."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from markupsafe import Markup

from cbvtool.assessment.rows import FIRST, FigureRow
from cbvtool.plan import effort
from cbvtool.plan.export import by_reason
from cbvtool.plan.listing.annotations import Overtaken
from cbvtool.plan.site_words import sites_in_files, where
from cbvtool.plan.sites.site import Site
from cbvtool.plan.task import Task, TaskWork
from cbvtool.plan.tasks import TaskList
from cbvtool.view.panels.place_links import place_link
from cbvtool.view.toolkit.plain import breakable, link, muted

NOTHING = "Nothing is planned yet"
HOW = (
    "Drag a segment onto a folder to plan a move.",
    "Press M to choose where the selection goes, N for a new folder, F2 for another name.",
    "Your code is not touched: you leave with a list of tasks.",
)
WAITING = "Working out what the plan comes to ..."
SHOWN_FILES = 60  # of one task, in the panel; the export holds all
_SMALL = Markup("<p class='muted' style='margin:0 0 0 10px'>{}</p>")


@dataclass(frozen=True)
class Shown:
    """What of the list is open.

    expanded   the steps of all tasks are listed in place of these
    opened     keys of the tasks whose sites are listed
    figures    names of the figures that are explained
    more       all figures, not only those that stand first
    """

    expanded: bool = False
    opened: Collection[str] = frozenset()
    figures: Collection[str] = field(default_factory=frozenset)
    more: bool = False


@dataclass(frozen=True)
class Told:
    """The figures of a plan, and what to say of them.

    modules  what counts as a module, in words
    what     what changed
    """

    rows: Sequence[FigureRow] = ()
    modules: str = ""
    what: str = ""


def empty_html(told: Told | None = None, shown: Shown | None = None) -> Markup:
    """What to do while nothing is planned, below the figures of the code as it is."""
    lines = Markup("").join(Markup("<p class='muted' style='margin:6px 0'>{}</p>").format(line) for line in HOW)
    figures = judgement_html(told or Told(), shown or Shown(), "Figures")
    return Markup("<h3>{}</h3>{}{}").format(NOTHING, lines, figures)


def plan_html(told: Told, listed: TaskList, shown: Shown) -> Markup:
    """Judgement, then tasks or their steps, then notes on tasks that are gone."""
    work = steps_html(listed) if shown.expanded and listed.tasks else tasks_html(listed.tasks, shown)
    return judgement_html(told, shown) + work + _overtaken_html(listed.overtaken)


def judgement_html(told: Told, shown: Shown, title: str = "Judgement") -> Markup:
    """A line for each figure: before, after, and a sign that says whether that is better; what the modules are."""
    if not told.rows:
        return Markup("")
    listed = [row for row in told.rows if shown.more or row.name in FIRST]
    lines = Markup("").join(_row_html(row, row.name in shown.figures) for row in listed)
    head = Markup("<h3>{}</h3>").format(title) + (muted(told.what) if told.what else Markup(""))
    table = Markup("<table cellspacing='0' cellpadding='2' width='96%'>{}</table>").format(lines)
    more = link("more:0", "Less" if shown.more else "More", tip="All figures, or the first three", sort="task")
    change = link("modules:0", "change", tip="What counts as a module", sort="task")
    below = Markup("<p class='muted' style='margin:2px 0 12px 0'>{} · Modules: {} ({})</p>")
    return head + table + below.format(more, breakable(told.modules), change)


def _row_html(row: FigureRow, is_open: bool) -> Markup:
    kind = "muted" if row.verdict == "same" or row.cost else row.verdict
    now = row.after if row.verdict == "same" else Markup("{} → <b>{}</b>").format(row.before, row.after)
    name = link(f"figure:{row.name}", row.name, tip=row.explanation, sort="place")
    sign = "" if row.cost else row.sign
    html = Markup(
        "<tr><td>{}</td><td align='right'><span class='{}'>{}</span></td>"
        "<td width='14'><span class='{}'><b>{}</b></span></td></tr>"
    ).format(name, kind, now, kind, sign)
    if is_open:
        html += Markup("<tr><td colspan='3' class='muted'>{}</td></tr>").format(row.explanation)
    return html


def tasks_html(tasks: Sequence[Task], shown: Shown) -> Markup:
    """The task list."""
    if not tasks:
        return muted("Nothing is left to do: the steps come to nothing.")
    left = [task for task in tasks if not task.done]
    total = effort.show(sum(task.minutes for task in left))
    count = f"{len(tasks):,} task{'' if len(tasks) == 1 else 's'}"
    done = f", {len(tasks) - len(left):,} done" if len(left) < len(tasks) else ""
    parts = [Markup("<h3>{}</h3>").format(count + done), muted(f"about {total} (estimate)")]
    parts += [_task_html(task, task.key in shown.opened) for task in tasks]
    return Markup("").join(parts)


def _task_html(task: Task, is_open: bool) -> Markup:
    box = link(f"done:{task.number}", "☑" if task.done else "☐", tip="Done, or not", sort="task")
    title = link(f"node:{task.number}", breakable(task.title), tip="Show where it is", sort="task")
    html = Markup("<p style='margin:10px 0 0 0'>{} <span class='muted'>{}.</span> {}</p>").format(
        box, task.number, Markup("<s>{}</s>").format(title) if task.done else title
    )
    about = [task.impact, f"about {effort.show(task.minutes)}"]
    if task.assignee:
        about.append(f"for {task.assignee}")
    elif task.people:
        about.append(task.people[0].name + (f" and {len(task.people) - 1} more" if len(task.people) > 1 else ""))
    html += Markup("<p class='muted' style='margin:0'>{}</p>").format(" · ".join(about))
    if task.note:
        html += Markup("<p style='margin:2px 0 0 10px'><i>{}</i></p>").format(task.note)
    html += _told(task)
    more = link(f"sites:{task.number}", f"{'Hide' if is_open else 'Show'} places")
    if not is_open:
        return html + Markup("<p style='margin:0'>{}</p>").format(more)
    html += Markup("<p style='margin:0'>{}</p>").format(Markup(" · ").join([more, *_ways(task)]))
    for step in task.steps:
        html += Markup("<p style='margin:0 0 0 10px'>{}</p>").format(breakable(step.title))
    return html + _places(task)


def _ways(task: Task) -> list[Markup]:
    """What people can note about a task."""
    note, assign = f"note:{task.number}", f"assign:{task.number}"
    gone = [link(f"un{note}", "Remove note")] if task.note else []
    free = [link(f"un{assign}", "Unassign")] if task.assignee else []
    earlier = link(f"up:{task.number}", "▲", tip="Do it earlier")
    later = link(f"down:{task.number}", "▼", tip="Do it later")
    return [link(note, "Note..."), *gone, link(assign, "Assign..."), *free, earlier, later]


def _told(work: TaskWork) -> Markup:
    """What to mind, and which rules it mends and breaks."""
    html = Markup("")
    for note in work.notes:
        html += Markup("<p class='note' style='margin:2px 0'>{}</p>").format(note)
    for kind, sign, said in (("better", "+", work.mended), ("worse", "−", work.broken)):
        if said:
            what = f"{len(said):,} violation{'' if len(said) == 1 else 's'} {'less' if sign == '+' else 'more'}"
            line = Markup("<p class='{}' style='margin:2px 0'><b>{}</b> {}: {}</p>")
            html += line.format(kind, sign, what, breakable(said[0] + (" ..." if len(said) > 1 else "")))
    return html


def _places(work: TaskWork) -> Markup:
    html = _sites_html(f"Change {sites_in_files(work.must)}", work.must) if work.must else Markup("")
    for reason, sites in by_reason(work.check):
        html += _sites_html(f"Check {sites_in_files(sites)}" + (f": {reason}" if reason else ""), sites)
    return html


def steps_html(listed: TaskList) -> Markup:
    """All steps of all tasks, each with its places, in an order in which the code builds after each."""
    steps = listed.steps
    count = f"{len(steps):,} small step{'' if len(steps) == 1 else 's'}"
    parts = [Markup("<h3>{}</h3>").format(count), muted("each one refactoring; the code builds after each")]
    for step in steps:
        line = Markup("<p style='margin:10px 0 0 0'><span class='muted'>{}.</span> {}</p>")
        parts.append(line.format(step.number, link(f"step:{step.number}", breakable(step.title), sort="task")))
        parts += [_told(step), _places(step)]
    return Markup("").join(parts)


def _overtaken_html(overtaken: Sequence[Overtaken]) -> Markup:
    if not overtaken:
        return Markup("")
    html = Markup("<h4>Noted about tasks that are not in the plan any more</h4>")
    for entry in overtaken:
        noted = entry.annotation
        said = ", ".join(part for part in (noted.note, noted.assignee, "done" if noted.done else "") if part)
        forget = link(f"forget:{entry.key}", "Forget")
        html += Markup("<p style='margin:2px 0'>{}: {} · {}</p>").format(breakable(noted.title), said, forget)
    return html


def _sites_html(title: str, sites: Sequence[Site]) -> Markup:
    rows = []
    for file, group in groupby(sorted(sites, key=where), key=lambda site: site.file):
        numbers = dict.fromkeys(site.line if site.line is not None else -(site.after or 0) for site in group)
        lines = Markup(", ").join(
            place_link(file, line, f"{line:,}")
            if line > 0
            else place_link(file, max(1, -line), f"after {-line:,}" if line else "at the top")
            for line in numbers
        )
        rows.append(_SMALL.format(Markup("{}: {}").format(breakable(file), lines)))
    more = len(rows) - SHOWN_FILES
    rest = _SMALL.format(f"and {more:,} more files") if more > 0 else ""
    head = Markup("<p style='margin:4px 0 0 10px'>{}</p>").format(title)
    return head + Markup("").join(rows[:SHOWN_FILES]) + rest
