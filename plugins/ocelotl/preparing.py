"""What the view needs: the model, the list of optimal partitions and the findings of what is looked at."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from cbvtool.api import (
    Deviation,
    Information,
    Need,
    NeedProgress,
    Optima,
    Partition,
    ResourceCells,
    Trace,
    ViewContext,
    all_optima,
    amount_of,
    cells_of,
    deviations,
    first_optima,
    information_of,
    own_time,
)

from .state import Look, OcelotlState, look_of

Floats = npt.NDArray[np.float64]
_LACKING = {"time": "No states are recorded", "calls": "No calls are recorded", "counters": "No counters are recorded"}
_SHOWN = {"time": "time is shown", "calls": "numbers of calls are shown", "counters": "values of counters are shown"}


@dataclass(frozen=True, eq=False)
class Prepared:
    """What is known of what is looked at; the last three come one after the other.

    look         that
    cells        the model; None where there is none, of which `fault` tells why in a sentence
    information  of all aggregates
    first        partitions for a few p
    findings     None = not there yet
    every        all optimal partitions, None = not there yet
    """

    look: Look
    fault: str = ""
    cells: ResourceCells | None = None
    information: Information | None = None
    first: Optima | None = None
    findings: tuple[Deviation, ...] | None = None
    every: Optima | None = None


@dataclass(frozen=True, eq=False)
class Model:
    """A `Prepared` that can be drawn.

    sums  float64[n, k + 1, x]: amounts of each resource before each slice
    """

    look: Look
    cells: ResourceCells
    information: Information
    first: Optima
    findings: tuple[Deviation, ...] | None
    every: Optima | None
    sums: Floats

    @property
    def origin(self) -> float:
        """ns of the first slice's begin, absolute."""
        return float(self.cells.edges[0])

    def amounts(self, row: int, first: int, last: int) -> Floats:
        """float64[x]: of the slices `first` to `last` of a resource."""
        found: Floats = self.sums[row, last + 1] - self.sums[row, first]
        return found


def preparing(context: ViewContext, state: OcelotlState) -> tuple[Need, ...]:
    """First the order of the states, then the model with all that follows from it."""
    trace, values = context.trace(), context.values
    weight = context.found.get("order")
    needs = [Need("order", "ordering states", _order, (trace,))]
    if weight is not None:
        look = look_of(context, state)
        asked = (str(values["amount"]), str(values["states"]), int(values["slices"]))
        groups = (str(values["groups"]), str(values["table"]))
        needs.append(Need("model", "finding partitions", prepared, (trace, *asked, look, *groups, weight)))
    return tuple(needs)


def _order(trace: Trace, progress: NeedProgress) -> Floats:
    return own_time(trace)


def prepared(
    trace: Trace,
    what: str,
    by: str,
    slices: int,
    look: Look,
    pattern: str,
    table: str,
    weight: Floats,
    progress: NeedProgress,
) -> Prepared:
    """The model, then its partitions; a first picture is handed over as soon as there is one."""
    try:
        amount = amount_of(trace, what, by)
        cells = cells_of(trace, amount, slices, look.window, pattern, table, weight, progress)
        if amount.what != what:
            cells = replace(cells, notes=(*cells.notes, f"{_LACKING[what]}: {_SHOWN[amount.what]}."))
        if look.resource:
            cells = _inside(cells, look.resource)
        information = information_of(cells)
    except ValueError as error:
        return Prepared(look, str(error))
    made = Prepared(look, "", cells, information, first_optima(information))
    progress.first(made)
    made = replace(made, findings=deviations(cells))
    progress.first(made)
    return replace(made, every=all_optima(information, progress))


def _inside(cells: ResourceCells, resource: str) -> ResourceCells:
    for row in range(1, len(cells.tree)):
        if cells.tree.path(row) == resource:
            return cells.below(row)
    raise ValueError(f"No resource is called {resource} now; B leads back.")


def model_in(context: ViewContext) -> Model | None:
    """What there is to draw; None = nothing yet, or nothing at all."""
    made: Prepared | None = context.found.get("model")
    if made is None or made.cells is None or made.information is None or made.first is None:
        return None
    sums = context.memo(_sums, made.cells)
    return context.memo(Model, made.look, made.cells, made.information, made.first, made.findings, made.every, sums)


def _sums(cells: ResourceCells) -> Floats:
    tree, amount = cells.tree, cells.amount
    sums: Floats = np.zeros((len(tree), cells.slices + 1, amount.shape[2]))
    sums[tree.leaves, 1:] = np.cumsum(amount, axis=1)
    for row in range(len(tree) - 1, 0, -1):
        sums[tree.parent[row]] += sums[row]
    return sums


def fault_in(context: ViewContext) -> str:
    """Why there is nothing to draw; "" = it is being made."""
    made: Prepared | None = context.found.get("model")
    return "" if made is None else made.fault


def optima_of(model: Model) -> Optima:
    """All partitions, or those of the first picture."""
    return model.every or model.first


def suggested(model: Model) -> int:
    """The partition of the first picture, as its number in what there is now: it stays when the list is complete."""
    first = model.first
    if model.every is None:
        return first.clearest
    return model.every.at(float(first.low[first.clearest]))


def shown(context: ViewContext, model: Model) -> tuple[int, Partition]:
    """The partition that is drawn, and its number from 0 on."""
    step: Any = int(context.values["step"])
    every = optima_of(model)
    number = suggested(model) if step <= 0 or model.every is None else min(step - 1, len(every) - 1)
    return number, every.partitions[number]
