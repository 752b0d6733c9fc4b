"""Tooltips: all shares of an area, what is merged in it, and what that loses (OC-4)."""

from __future__ import annotations

import numpy as np

from cbvtool.api import Hit, ViewContext, duration, painted, time_text

from .figures import place_of, quality
from .picture import SHAPES
from .preparing import Model, model_in, shown
from .state import OcelotlState

_MOST = 8  # states


def tell_hit(context: ViewContext, state: OcelotlState, hit: Hit) -> tuple[str, ...]:
    """Lines on what is under the pointer."""
    model = model_in(context)
    if model is None:
        return ()
    if hit.layer == "resources" and 0 <= hit.item < len(model.cells.tree):
        return _resource(model, hit.item)
    cells = model.cells
    row, first, last = place_of(cells.slices, hit.item)
    if hit.layer not in SHAPES or hit.item < 0 or row >= len(cells.tree):
        return ()
    merging = _merging(context, model, row, first, last)
    return (*_place(context, model, row, first, last), *shares(model, row, first, last), merging)


def _resource(model: Model, row: int) -> tuple[str, ...]:
    tree = model.cells.tree
    size = int(tree.size[row])
    kind = f"{tree.kind[row]} of {size:,} resources" if size > 1 else tree.kind[row]
    last = model.cells.slices - 1
    return (tree.path(row), kind.strip(), *shares(model, row, 0, last), "double click: look into it")


def _place(context: ViewContext, model: Model, row: int, first: int, last: int) -> tuple[str, str]:
    edges = model.cells.edges - context.trace().span[0]
    begin, end = float(edges[first]), float(edges[last + 1])
    step = max((end - begin) / 10, 1.0)
    return model.cells.tree.path(row), f"{time_text(begin, step)} to {time_text(end, step)}, {duration(end - begin)}"


def shares(model: Model, row: int, first: int, last: int) -> tuple[str, ...]:
    """The share of each state, the largest first; of time also that of no state."""
    cells = model.cells
    amounts = model.amounts(row, first, last)
    length = float(cells.edges[last + 1] - cells.edges[first]) * float(cells.tree.size[row])
    total = length if cells.what == "time" else float(amounts.sum())
    found = [
        f"{cells.state[state]}: {amounts[state] / total:.1%}, {written(cells.what, amounts[state])}"
        for state in np.argsort(-amounts, kind="stable").tolist()
        if amounts[state] > 0
    ]
    rest = length - float(amounts.sum())
    if cells.what == "time" and rest > length * 5e-4:
        found.append(f"no state: {rest / length:.1%}")
    return (*found[:_MOST], *((f"and {len(found) - _MOST:,} more",) if len(found) > _MOST else ()))


def written(what: str, amount: float) -> str:
    """An amount with its unit."""
    if what == "time":
        return duration(amount)
    return f"{amount:,.0f} calls" if what == "calls" else f"{amount / 1e9:,.4g} x s"


def _merging(context: ViewContext, model: Model, row: int, first: int, last: int) -> str:
    """What the shape stands for, and what it costs."""
    tree, slices = model.cells.tree, last - first + 1
    leaves = int(tree.size[row])
    if leaves * slices == 1:
        return "one resource in one slice: nothing is merged"
    parts = f"merges {leaves:,} resource{'' if leaves == 1 else 's'} x {slices:,} slice{'' if slices == 1 else 's'}"
    _, partition = shown(context, model)
    numbers = context.memo(painted, tree, partition, model.cells.slices)
    inside = np.unique(numbers[tree.first_leaf[row] : tree.first_leaf[tree.end[row]], first : last + 1])
    if len(inside) > 1:
        same = len({(int(partition.first[area]), int(partition.last[area])) for area in inside}) == 1
        how = "at the same times" if same else "at different times"
        return f"{parts}; stands for {len(inside):,} areas too low to be drawn, cut {how}"
    gain, loss = quality(model, row, first, last)
    return f"{parts}; loses {loss:.2%} of the information, saves {gain:.1%} of the complexity"
