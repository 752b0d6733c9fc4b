"""The progress of a plan as rich text: counts, how many tasks were left at each commit, every task with its mark."""

from __future__ import annotations

import datetime
from collections.abc import Sequence

from markupsafe import Markup

from cbvtool.plan.task import Task
from cbvtool.tracking import STATES, CommitMarks, MarkState, PlanProgress, TaskMark, since
from cbvtool.view.toolkit.plain import breakable, link, muted

_SHORT = 7  # characters of an id
_WIDTH = 10  # characters of the longest bar
_BLANK = "\u00a0"  # the same for a blank
_UNBROKEN = "\u2011"  # a hyphen at which no line ends
SHOWN_COMMITS = 30  # in the burn-down, the newest ones; the export holds all
SHOWN_VIOLATIONS = 20
_SIGNS: dict[MarkState, tuple[str, str]] = {  # sign and class in the style sheet
    "open": ("○", "muted"),
    "partly": ("◐", "note"),
    "done": ("●", "better"),
    "overtaken": ("⊘", "worse"),
}
_MEANINGS: dict[MarkState, str] = {
    "open": "Nothing of it is done",
    "partly": "Some of its sites are done",
    "done": "All of its sites are done",
    "overtaken": "What it names is gone or lies elsewhere",
}
LEFT = "The bar: tasks that are open or partly done. A click compares the present code with the commit."


def waiting_html(why: str) -> Markup:
    """What there is to say while the progress is not known, and a way to look again."""
    return muted(why) + Markup("<p>{}</p>").format(link("track:again", "Look again", tip="Look at the commits anew"))


def progress_html(found: PlanProgress) -> Markup:
    """Counts first, then the burn-down, the tasks, new violations, and what could not be looked at."""
    counts = found.now.counts
    said = ", ".join(f"{counts[state]:,} {state}" for state in STATES if counts[state])
    head = Markup("<h3>{:,} of {:,} tasks done in the code</h3>").format(counts["done"], len(found.tasks))
    looked_at = found.now.sha[:_SHORT] or "the files as they are saved"
    about = muted(f"{said}. Made on {found.commit[:_SHORT]}, looked at {looked_at}.")
    tasks = Markup("").join(
        _task_html(task, mark, found.rows, row)
        for row, (task, mark) in enumerate(zip(found.tasks, found.now.marks, strict=True))
    )
    return head + about + _burn_down(found) + tasks + _broken_html(found) + _left_out_html(found)


def _burn_down(found: PlanProgress) -> Markup:
    """A line for each commit at which marks changed: how many tasks are left."""
    rows = found.changes
    lines = Markup("").join(_commit_html(row, len(found.tasks)) for row in rows[-SHOWN_COMMITS:])
    more = len(rows) - SHOWN_COMMITS
    table = Markup("<table cellspacing='0' cellpadding='1'>{}</table>").format(lines)
    earlier = muted(f"and {more:,} earlier commits") if more > 0 else Markup("")
    return Markup("<h4>Tasks left</h4>") + table + earlier


def _commit_html(row: CommitMarks, tasks: int) -> Markup:
    counts = row.counts
    left = counts["open"] + counts["partly"]
    day = datetime.datetime.fromtimestamp(row.time, datetime.UTC).date().isoformat()
    tip = f"{day}: " + ", ".join(f"{counts[state]:,} {state}" for state in STATES) + f". {LEFT}"
    bar = "█" * (left and max(1, round(left * _WIDTH / tasks)))
    commit: str | Markup = "saved"
    if row.sha:
        commit = link(f"commit:{row.sha}", row.sha[:_SHORT], tip=tip)
    else:
        day = "not committed"
    return Markup(
        "<tr><td>{}</td><td class='muted'>&nbsp;{}&nbsp;</td><td align='right'>{:,}&nbsp;</td><td>{}</td></tr>"
    ).format(commit, day.replace("-", _UNBROKEN).replace(" ", _BLANK), left, bar)


def _task_html(task: Task, mark: TaskMark, rows: Sequence[CommitMarks], number: int) -> Markup:
    sign, kind = _SIGNS[mark.state]
    title = link(f"tracked:{task.number}", breakable(task.title), tip="Show where it is", sort="task")
    html = Markup("<p style='margin:10px 0 0 0'><span class='{}'>{}</span> <span class='muted'>{}.</span> {}</p>")
    html = html.format(kind, sign, task.number, title)
    row = since(rows, number)
    by = Markup(" since {}").format(_by(rows[row].sha)) if row else Markup("")
    html += Markup("<p style='margin:0'><span class='{}'>{}</span><span class='muted'>{}{}</span></p>").format(
        kind, mark.words, by, f": {_MEANINGS[mark.state].lower()}" if mark.state == "overtaken" else ""
    )
    if mark.reason:
        html += Markup("<p class='note' style='margin:0'>{}</p>").format(breakable(mark.reason))
    return html


def _by(sha: str) -> Markup:
    if not sha:
        return Markup("what is saved and not committed")
    return link(f"commit:{sha}", sha[:_SHORT], tip="The commit since which it is so: compare the present code with it")


def _broken_html(found: PlanProgress) -> Markup:
    if not found.broken:
        return Markup("")
    lines = [
        Markup("<p style='margin:0'>{} uses {}: {}</p>").format(breakable(r.source), breakable(r.target), r.rule)
        for r in found.broken[:SHOWN_VIOLATIONS]
    ]
    more = len(found.broken) - SHOWN_VIOLATIONS
    rest = muted(f"and {more:,} more") if more > 0 else Markup("")
    head = Markup("<h4>New violations of rules since the plan ({:,})</h4>").format(len(found.broken))
    return head + Markup("").join(lines) + rest


def _left_out_html(found: PlanProgress) -> Markup:
    return Markup("").join(muted(sentence) for sentence in found.left_out)
