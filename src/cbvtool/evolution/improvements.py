"""What became better between the first and the last commit of an evolution."""

from __future__ import annotations

from dataclasses import replace

from cbvtool.evolution.evolution import Evolution
from cbvtool.evolution.figures import ITEMS
from cbvtool.evolution.regressions import MOST, Regression, regressions
from cbvtool.metrics.history.last_change import day

_FALL = "Complexity of {name} from {after:,.0f} to {before:,.0f}"
_SHORT = 7  # characters of an id


def improvements(found: Evolution, most: int = MOST) -> list[Regression]:
    """Cycles and broken rules that were there at the first commit and are not at the last, files that became simpler.

    They are the regressions of the evolution told backwards: `commit` is the last one at which it was as before, and
    `before` the one at which it was better. What was removed from the project is none.
    """
    backwards = replace(
        found,
        commits=found.commits[::-1],
        values={name: column[::-1] for name, column in found.values.items()},
        component={name: column[::-1] for name, column in found.component.items()},
        broken=found.broken[::-1],
    )
    return [one for one in regressions(backwards, most, _FALL) if one.kind not in ITEMS or len(one.nodes) > 1]


def told_gone(one: Regression) -> str:
    """One line: what is better, and since when."""
    then, now = one.commit, one.before
    what = one.what if one.kind == "complexity" else f"Gone: {one.what[:1].lower()}{one.what[1:]}"
    return f"{what}, between {then.sha[:_SHORT]} of {day(then.time)} and {now.sha[:_SHORT]} of {day(now.time)}"
