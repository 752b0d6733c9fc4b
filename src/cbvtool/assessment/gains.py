"""How much each possible target of a move would gain: one number, to tint what is seen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from cbvtool.assessment.after import judge_change
from cbvtool.assessment.change import StepChange, change, moving
from cbvtool.assessment.figures import Figures, Judgement
from cbvtool.assessment.prepared import PreparedGraph
from cbvtool.plan.carried import NeededImport, come_along, needed_imports
from cbvtool.plan.draft import Draft
from cbvtool.plan.primitives import MoveTo

LEAST_Q = 0.0005  # a smaller difference of Q does not count
STRENGTH = (1.0, 0.75, 0.5)  # of the tint, by the figure that decides


class Worth(NamedTuple):
    """What a move is worth, in the order in which it counts; more is better.

    rules    violations that it mends, less those that it makes
    cycles   modules that leave cycles and the largest tangle, less those that enter
    q        what modularity Q gains
    """

    rules: float
    cycles: float
    q: float


def worth(judgement: Judgement) -> Worth:
    """What a judgement says, as what it is worth."""
    before, after = judgement.before, judgement.after
    q = after.modularity - before.modularity
    return Worth(
        (before.violations or 0) - (after.violations or 0),
        _tangled(before) - _tangled(after),
        q if abs(q) >= LEAST_Q else 0,
    )


def _tangled(figures: Figures) -> int:
    return figures.tangled + figures.largest


def gains(
    prepared: PreparedGraph,
    keys: Iterable[int],
    targets: Iterable[int],
    fits: Callable[[int], bool],
    going_on: Callable[[], None] = lambda: None,
) -> dict[int, float]:
    """Target -> -1 (worst) to 1 (best), for a move of `keys` to each of `targets` that `fits`.

    The first figure of `Worth` that changes decides, by its share of the largest such change among the targets; so a
    target is good if it mends more violations than it makes, and Q speaks only where neither rules nor cycles do.
    Targets that lie in the same module, layer and file are judged once. `going_on` is called before each judgement and
    may raise.
    """
    keys = tuple(keys)
    known: dict[tuple[object, ...], Worth] = {}
    found: dict[int, Worth] = {}
    draft = Draft(prepared.graph)
    needed: dict[tuple[int, ...], list[NeededImport]] = {}
    for target in targets:
        away = [key for key in keys if prepared.graph.parent[key] != target]
        if not away or not fits(target):
            continue
        kind = _kind_of(prepared, target, len(away))
        if kind not in known:
            going_on()
            going = tuple(away)
            if going not in needed:
                needed[going] = needed_imports(draft, going)
            known[kind] = worth(judge_change(prepared, _step(prepared, draft, needed[going], going, target)))
        found[target] = known[kind]
    most = [max((abs(each[i]) for each in found.values()), default=0.0) for i in range(len(STRENGTH))]
    return {target: _gain(each, most) for target, each in found.items()}


def _step(
    prepared: PreparedGraph, draft: Draft, needed: Sequence[NeededImport], keys: Sequence[int], target: int
) -> StepChange:
    """A move of `keys`, with the imports that come along."""
    along = come_along(draft, needed, keys, target)
    if not along:
        return moving(keys, target)
    ids = prepared.graph.ids
    return change(prepared, [*(MoveTo(ids[key], ids[target]) for key in keys), *along])


def _gain(each: Worth, most: list[float]) -> float:
    for value, largest, strength in zip(each, most, STRENGTH, strict=True):
        if value:
            return value / largest * strength
    return 0.0


def _kind_of(prepared: PreparedGraph, target: int, moved: int) -> tuple[object, ...]:
    """What a target decides of the figures in `Worth`."""
    place, mark = prepared.places, prepared.marks
    item = int(place.item[target])
    return (
        moved,
        int(place.module[target]),
        min(int(place.level[target]), mark.modules.depth),
        int(place.layer[target]),
        place.guards[target].tobytes(),
        bool(place.apart[target]),
        item if mark.file[item] else -1,
    )
