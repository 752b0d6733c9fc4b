"""What proposals are worth and cost when one is taken: the figures that the plan will have then."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from cbvtool.assessment.after import compare
from cbvtool.assessment.comparing import with_work
from cbvtool.assessment.judged import Judged, judged
from cbvtool.plan.history import Group, History
from cbvtool.plan.tasks import TaskList
from cbvtool.progress import Progress, silent
from cbvtool.proposals.proposal import Proposal


def priced(
    found: Sequence[Proposal],
    now: Judged,
    history: History,
    list_tasks: Callable[[History], TaskList],
    progress: Progress = silent,
) -> list[Proposal]:
    """The proposals with the figures before and after, as the plan is judged; of those that end a cycle, the ones that
    change the fewest places come first.

    now         the plan so far as it is judged; `history` is its steps
    list_tasks  lists what a plan comes to

    Raises what `progress` raises.
    """
    before = list_tasks(history)
    told = list[Proposal]()
    for number, one in enumerate(found):
        progress("counting places to change", number, len(found))
        after = history.do(Group(one.title, one.operations)) if one.operations else history
        planned = judged(replace(now.asked, planned=after.graph), now).planned
        told.append(replace(one, told=with_work(compare(now.planned, planned), list_tasks(after), before)))
    breaking = [one for one in told if one.kind == "break-cycle"]
    breaking.sort(key=lambda one: (not one.ends, _places(one)))  # stable: the search has ranked them
    cycles = iter(breaking)
    return [next(cycles) if one.kind == "break-cycle" else one for one in told]


def _places(one: Proposal) -> int:
    work = None if one.told is None else one.told.after.work
    return 0 if work is None else work.places
