"""Two plans side by side as rich text: figures, effort, and the tasks of one of them alone."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from cbvtool.assessment.comparing import PlanComparison
from cbvtool.assessment.comparison_text import table
from cbvtool.plan import effort
from cbvtool.plan.alternatives.named_plans import AS_IS
from cbvtool.plan.task import Task
from cbvtool.view.toolkit.plain import breakable, muted
from cbvtool.words import one_line

SHOWN_TASKS = 100  # of one list; `cbvtool plan compare` prints all
_KINDS = {"+": "better", "−": "worse"}  # sign -> class in the style sheet
_CELL = Markup("<td align='right' class='{}'>{}&nbsp;</td>")


def comparison_html(found: PlanComparison, first: str, second: str) -> Markup:
    """The table, then the tasks; `first` and `second` are what the two are called.

    The code as it is has a column of its own, unless it is one of the two.
    """
    names = [one_line(first), one_line(second)]
    has_code = any(one.name == AS_IS and not one.history.done for one in (found.first, found.second))
    heads = names if has_code else ["as it is", *names]
    head = Markup("<tr><th></th>{}<th></th></tr>").format(
        Markup("").join(Markup("<th align='right'>{}&nbsp;</th>").format(name) for name in heads)
    )
    lines = Markup("").join(_row_html(*row, with_code=not has_code) for row in table(found))
    html = Markup("<table cellspacing='0' cellpadding='3' width='98%'>{}{}</table>").format(head, lines)
    html += muted(f"+ and −: {names[1]} is better or worse than {names[0]}. Effort is an estimate.")
    for title, tasks in (
        (f"Only in {names[0]}", found.only_first),
        (f"Only in {names[1]}", found.only_second),
        ("In both", found.both),
    ):
        html += _tasks_html(title, tasks)
    for name, one in zip(names, (found.first, found.second), strict=True):
        if one.refusals:
            html += Markup("<h4>Steps of {} that do not fit the code ({:,})</h4>").format(name, len(one.refusals))
            html += Markup("").join(Markup("<p style='margin:0'>{}</p>").format(reason) for reason in one.refusals)
    return html


def _row_html(name: str, as_is: str, first: str, second: str, sign: str, *, with_code: bool) -> Markup:
    kind = _KINDS.get(sign, "")
    cells = (
        (_CELL.format("muted", as_is) if with_code else Markup(""))
        + _CELL.format("", first)
        + _CELL.format(kind, second)
    )
    return Markup("<tr><td>{}</td>{}<td width='14'><span class='{}'><b>{}</b></span></td></tr>").format(
        name, cells, kind, sign
    )


def _tasks_html(title: str, tasks: Sequence[Task]) -> Markup:
    if not tasks:
        return Markup("")
    minutes = sum(task.minutes for task in tasks if not task.done)
    count = f"{len(tasks):,} task{'' if len(tasks) == 1 else 's'}, {effort.show(minutes)}"
    html = Markup("<h4>{} ({})</h4>").format(title, count)
    for task in tasks[:SHOWN_TASKS]:
        html += Markup("<p style='margin:0'>{}</p>").format(breakable(task.title))
    more = len(tasks) - SHOWN_TASKS
    return html + (muted(f"and {more:,} more") if more > 0 else Markup(""))
