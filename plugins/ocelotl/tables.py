"""Tables: findings, figures of what is selected beside what it is compared with, resources (OC-5, OC-6)."""

from __future__ import annotations

import numpy as np

from cbvtool.api import Deviation, ResourceCells, ViewColumn, ViewContext, ViewTable

from .headline import headline_text
from .picture import usable_region
from .preparing import Model, fault_in, model_in
from .reacting import region_amounts
from .state import OcelotlState, Region

_NONE = np.empty(0, np.int32)
_WAIT = "Summing up resources and time …"


def draw_table(context: ViewContext, state: OcelotlState, part: str) -> ViewTable:
    """One of the tables."""
    model = model_in(context)
    if model is None:
        return ViewTable((), _NONE, empty=fault_in(context) or _WAIT)
    if part == "findings":
        if model.findings is None:
            return ViewTable((), _NONE, empty="Comparing resources …")
        columns, items = context.memo(_findings, model.cells, model.findings, context.trace().span[0])
        return ViewTable(columns, items, empty=f"{headline_text(model, context.trace().span[0])}.")
    if part == "resources":
        columns, items = context.memo(_resources, model)
        return ViewTable(columns, items)
    return _statistics(state, model)


def _findings(
    cells: ResourceCells, findings: tuple[Deviation, ...], origin: int
) -> tuple[tuple[ViewColumn, ...], np.ndarray[tuple[int], np.dtype[np.int32]]]:
    tree, edges = cells.tree, cells.edges - origin
    scale = 1e9 if cells.what == "time" else 1.0
    amount = np.array([each.seconds * scale for each in findings], np.float64)
    deviates = (
        ViewColumn("Deviates", amount.astype(np.int64), kind="time", help="Time in which it does something else")
        if cells.what == "time"
        else ViewColumn("Deviates", amount)
    )
    return (
        ViewColumn("No.", np.arange(1, len(findings) + 1)),
        ViewColumn("Resource", [tree.path(each.row) for each in findings], kind="text"),
        ViewColumn("From", np.array([edges[each.first] for each in findings], np.int64), kind="time"),
        ViewColumn("Until", np.array([edges[each.last + 1] for each in findings], np.int64), kind="time"),
        deviates,
        ViewColumn("More", [each.more for each in findings], kind="text", help="State that it has more than its peers"),
        ViewColumn("Less", [each.less for each in findings], kind="text"),
        ViewColumn("What", [finding_words(cells, each) for each in findings], kind="text"),
    ), np.arange(len(findings), dtype=np.int32)


def finding_words(cells: ResourceCells, found: Deviation) -> str:
    """In words: noise, who it waits for, or how often it happens."""
    if found.noise:
        return "within the noise: a single slice, as others have"
    if found.behind >= 0:
        return f"waits while {cells.tree.name[found.behind]} is busy"
    often = {"always": "most of the time", "rotating": "one after another", "passing": "for a while"}[found.pattern]
    return f"{'waits more' if found.waits else 'works more'}, {often}"


def _resources(model: Model) -> tuple[tuple[ViewColumn, ...], np.ndarray[tuple[int], np.dtype[np.int32]]]:
    cells, tree = model.cells, model.cells.tree
    rows = np.arange(min(len(tree), 100_000), dtype=np.int32)
    amounts = model.sums[rows, -1] - model.sums[rows, 0]
    mode = np.argmax(amounts, axis=1)
    total = np.maximum(amounts.sum(axis=1), 1e-300)
    share = np.round(100 * amounts[np.arange(len(rows)), mode] / total, 1)
    return (
        ViewColumn("Resource", [tree.path(row) for row in rows.tolist()], kind="text"),
        ViewColumn("Kind", [tree.kind[row] for row in rows.tolist()], kind="text"),
        ViewColumn("Leaves", tree.size[rows].astype(np.int64)),
        ViewColumn("Mostly", [cells.state[each] for each in mode.tolist()], kind="text"),
        ViewColumn("Share", share, unit="%", kind="bar", help="Of all states"),
    ), rows


def _statistics(state: OcelotlState, model: Model) -> ViewTable:
    """Amounts of the selection, or of all; beside them those of the second one."""
    cells = model.cells
    whole = Region(0, len(cells.tree.leaves), 0, cells.slices - 1)
    selected = state.selected if state.selected is not None and usable_region(model, state.selected) else whole
    amounts = region_amounts(model, selected)
    order = np.argsort(-amounts, kind="stable")
    share = np.round(100 * amounts / max(float(amounts.sum()), 1e-300), 2)
    time = cells.what == "time"
    columns = [
        ViewColumn("State", [cells.state[each] for each in order.tolist()], kind="text"),
        ViewColumn(
            "Amount", amounts[order].astype(np.int64) if time else amounts[order], kind="time" if time else "number"
        ),
        ViewColumn("Share", share[order], unit="%", kind="bar"),
    ]
    if state.second is not None and usable_region(model, state.second):
        other = region_amounts(model, state.second)
        others = np.round(100 * other / max(float(other.sum()), 1e-300), 2)
        columns += [
            ViewColumn("Compared", others[order], unit="%", kind="bar", help="Share in the region of Ctrl + drag"),
            ViewColumn("Difference", np.round(share - others, 2)[order], unit="%", help="Selected minus compared"),
        ]
    return ViewTable(tuple(columns), order.astype(np.int32))
