"""The state of CallFlow: plain values, kept by documents."""

from __future__ import annotations

from dataclasses import dataclass, replace

from cbvtool.api import SPLITS, ModuleSplit

MOST_LETTERS = 10_000  # of the name of a module
MOST_SPLITS = 64
FAR = 1e9  # no place of a picture lies beyond


@dataclass(frozen=True)
class Lasso:
    """A line that is being drawn round runs. part: where; points: x and y in turn, logical pixels of the part."""

    part: str = ""
    points: tuple[float, ...] = ()


@dataclass(frozen=True)
class CallFlowState:
    """What is selected, and where the user looks.

    module  name of the selected module, "" = none
    site    row of the selected call path in the ensemble, -1 = none
    x, y    ranges of the picture that are seen; None = all
    inside  range of the icicle that is seen, in parts of its width; None = all
    runs    rows of the selected runs, from the first on; empty = none is selected, which is as all
    splits  what is split, in the order in which it was
    lasso   while it is drawn
    """

    module: str = ""
    site: int = -1
    x: tuple[float, float] | None = None
    y: tuple[float, float] | None = None
    inside: tuple[float, float] | None = None
    runs: tuple[int, ...] = ()
    splits: tuple[ModuleSplit, ...] = ()
    lasso: Lasso = Lasso()


def usable(state: CallFlowState) -> CallFlowState:
    """A state from a document. Raises ValueError where it looks at what no picture has, or splits what cannot be."""
    for seen in (state.x, state.y, state.inside):
        if seen is not None and not -FAR < seen[0] < seen[1] < FAR:
            raise ValueError("a range that ends before it begins, or lies beyond all pictures")
    if any(len(name) > MOST_LETTERS for name in (state.module, *(each.module for each in state.splits))):
        raise ValueError("a name of a module that is too long")
    if len(state.splits) > MOST_SPLITS or any(each.by not in SPLITS for each in state.splits):
        raise ValueError("too many splits, or one that there is not")
    runs = tuple(sorted({run for run in state.runs if run >= 0}))
    return replace(state, runs=runs, lasso=Lasso())
