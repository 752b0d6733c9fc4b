"""Sums over a calling context tree: exclusive and inclusive values, flat profile, callers and callees, checks."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from cbvtool.trace.kernels import Kernel, kernel
from cbvtool.trace.model.profile import CallPairs, Profile, ProfileMetric, Values

Rows = npt.NDArray[np.int32]
# Below this, the loop as Python runs it is done before Numba would be loaded.
_WORTH_COMPILING = 50_000
_WORTH_STACKING = 20  # rows: a step of NumPy costs as much as so many of Python
_ROUNDING = 1e-6  # of the value: what sums of printed numbers may differ by


def exclusive_of(inclusive: Values, parent: Rows) -> Values:
    """What a node costs without the nodes below it: its value less those of its children.

    inclusive  float64[n], NaN = missing: stays missing; as a child it counts nothing
    parent     int32[n]
    """
    below = np.flatnonzero((parent >= 0) & ~np.isnan(inclusive))
    result: Values = inclusive - np.bincount(parent[below], weights=inclusive[below], minlength=len(parent))
    return result


def inclusive_of(exclusive: Values, parent: Rows) -> Values:
    """What a node and all nodes below it cost; missing where none of them is known.

    exclusive  float64[n], NaN = missing
    parent     int32[n], each a row before its child
    """
    result = exclusive.copy()
    _run(_sum_up, len(parent))(result, parent)
    return result


def exclusive_of_each(inclusive: Values, parent: Rows) -> Values:
    """`exclusive_of` for each row of float64[r, n]."""
    if _one_by_one(inclusive):
        return np.stack([exclusive_of(each, parent) for each in inclusive])
    columns = np.nan_to_num(inclusive).T
    below = np.zeros(columns.shape)
    for row, above in enumerate(parent.tolist()):
        if above >= 0:
            below[above] += columns[row]
    result: Values = inclusive - below.T
    return result


def inclusive_of_each(exclusive: Values, parent: Rows) -> Values:
    """`inclusive_of` for each row of float64[r, n]."""
    if _one_by_one(exclusive):
        return np.stack([inclusive_of(each, parent) for each in exclusive])
    known = ~np.isnan(exclusive.T)
    sums = np.nan_to_num(exclusive).T.copy()
    for row in range(len(parent) - 1, -1, -1):
        if parent[row] >= 0:
            sums[parent[row]] += sums[row]
            known[parent[row]] |= known[row]
    result: Values = np.where(known, sums, np.nan).T.copy()
    return result


def _one_by_one(values: Values) -> bool:
    """Whether a loop over the nodes, with all rows at once, is not worth it."""
    rows, nodes = len(values), values.shape[1]
    return bool(rows < _WORTH_STACKING or nodes >= _WORTH_COMPILING)


@kernel
def _sum_up(value: Values, parent: Rows) -> None:
    """Add each value to that of its parent, the last row first; NaN adds nothing."""
    for row in range(len(parent) - 1, -1, -1):
        above = parent[row]
        if above >= 0 and not np.isnan(value[row]):
            if np.isnan(value[above]):
                value[above] = value[row]
            else:
                value[above] += value[row]


def outermost(group: npt.NDArray[np.int64], end_row: Rows) -> npt.NDArray[np.bool_]:
    """Whether no node around a node is of the same group: what sums over these count recursion once (004, CF-1).

    group    int64[n], from 0 on: functions, modules, pairs, ...; -1 = of no group, never outermost
    end_row  int32[n]
    """
    result = np.zeros(len(group), np.bool_)
    _run(_outermost, len(group))(group, end_row, int(group.max(initial=-1)) + 1, result)
    return result


@kernel
def _outermost(group: npt.NDArray[np.int64], end_row: Rows, groups: int, out: npt.NDArray[np.bool_]) -> None:
    """A group is open until the row where its outermost node ends."""
    until = np.zeros(groups, np.int64)
    for row in range(len(group)):
        if group[row] >= 0 and until[group[row]] <= row:
            out[row] = True
            until[group[row]] = end_row[row]


def preorder(parent: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], Rows]:
    """Rows of n nodes that were numbered as they came, each after its parent: siblings keep their order.

    parent  int64[n], -1 for roots. Returns the new row of each node int64[n], and `end_row` int32[n] by new row.
    """
    row, end_row = np.empty(len(parent), np.int64), np.empty(len(parent), np.int32)
    _run(_preorder, len(parent))(parent, row, end_row)
    return row, end_row


@kernel
def _preorder(parent: npt.NDArray[np.int64], row: npt.NDArray[np.int64], end_row: Rows) -> None:
    """Sizes of the subtrees from the last node up, then places from the first one down."""
    size = np.ones(len(parent), np.int64)
    for node in range(len(parent) - 1, -1, -1):
        if parent[node] >= 0:
            size[parent[node]] += size[node]
    free = np.empty(len(parent), np.int64)  # where the next child of a node goes
    root = 0
    for node in range(len(parent)):
        if parent[node] < 0:
            row[node] = root
            root += size[node]
        else:
            row[node] = free[parent[node]]
            free[parent[node]] += size[node]
        free[node] = row[node] + 1
        end_row[row[node]] = row[node] + size[node]


def call_pairs(profile: Profile) -> CallPairs:
    """Who calls whom: as recorded, or from the tree, inclusive values over the outermost nodes of the pair alone."""
    if profile.pairs is not None:
        return profile.pairs
    below = profile.parent >= 0
    functions = max(1, len(profile.functions))
    key = np.full(len(profile), -1, np.int64)
    key[below] = profile.function[profile.parent[below]].astype(np.int64) * functions + profile.function[below]
    distinct, of = np.unique(key[below], return_inverse=True)
    group = np.full(len(profile), -1, np.int64)
    group[below] = of
    outer = outermost(group, profile.end_row)
    return CallPairs(
        (distinct // functions).astype(np.uint32),
        (distinct % functions).astype(np.uint32),
        tuple(
            _grouped(metric, group, outer if metric.inclusive else below, len(distinct)) for metric in profile.metrics
        ),
    )


def _grouped(
    metric: ProfileMetric, group: npt.NDArray[np.int64], which: npt.NDArray[np.bool_] | None, groups: int
) -> ProfileMetric:
    """The metric summed by group over some nodes, None = all. The range of a sum over ranks is unknown without them."""
    if metric.by_place is not None:
        by_place = np.stack([_sums(values, group, which, groups) for values in metric.by_place])
        return measured(metric.name, metric.unit, metric.inclusive, by_place)
    mean = _sums(metric.mean, group, which, groups)
    if not metric.summarised:
        return ProfileMetric(metric.name, metric.unit, metric.inclusive, mean, mean, mean)
    known = ~np.isnan(metric.mean) if which is None else which & ~np.isnan(metric.mean)
    single = np.bincount(group[known], minlength=groups) == 1
    low = np.where(single, _sums(metric.low, group, which, groups), np.nan)
    high = np.where(single, _sums(metric.high, group, which, groups), np.nan)
    return ProfileMetric(metric.name, metric.unit, metric.inclusive, mean, low, high, summarised=True)


def _sums(values: Values, group: npt.NDArray[np.int64], which: npt.NDArray[np.bool_] | None, groups: int) -> Values:
    known = ~np.isnan(values) if which is None else which & ~np.isnan(values)
    sums = np.bincount(group[known], weights=values[known], minlength=groups)
    return np.where(np.bincount(group[known], minlength=groups) > 0, sums, np.nan)


def measured(name: str, unit: str, inclusive: bool, by_place: Values) -> ProfileMetric:
    """A metric from its values at each place: mean, lowest and highest over those where it is known.

    by_place  float64[p, n]
    """
    known = ~np.isnan(by_place)
    count = known.sum(axis=0)
    with np.errstate(invalid="ignore"):
        mean = np.where(count > 0, np.where(known, by_place, 0).sum(axis=0) / np.maximum(count, 1), np.nan)
    low = np.where(count > 0, np.where(known, by_place, np.inf).min(axis=0, initial=np.inf), np.nan)
    high = np.where(count > 0, np.where(known, by_place, -np.inf).max(axis=0, initial=-np.inf), np.nan)
    return ProfileMetric(name, unit, inclusive, mean, low, high, by_place)


def faults(profile: Profile) -> list[str]:
    """What is wrong with a profile, in words; empty = it is well formed, and its values do not contradict the tree."""
    found = structure_faults(profile)
    if not found:
        for metric in profile.metrics:
            found += _metric_faults(metric, profile)
    return found


def structure_faults(profile: Profile) -> list[str]:
    """What is wrong with the tree and the lengths of the columns, in words; empty = it is a forest in preorder."""
    found = _shape_faults(profile)
    if found:
        return found
    rows, parent = np.arange(len(profile)), profile.parent
    below = parent >= 0
    if (parent >= rows).any() or (parent < -1).any():
        found.append("a parent does not stand before its child")
    elif (profile.end_row <= rows).any() or (profile.end_row > len(profile)).any():
        found.append("a subtree ends outside the profile")
    elif (profile.end_row[below] > profile.end_row[parent[below]]).any() or (
        rows[below] >= profile.end_row[parent[below]]
    ).any():
        found.append("a child lies outside its parent's subtree")
    elif (parent != _parents(profile.end_row)).any():
        found.append("parents and subtrees contradict one another")
    if len(profile) and int(profile.function.max()) >= len(profile.functions):
        found.append("a node's function is not in the table")
    return found


def _shape_faults(profile: Profile) -> list[str]:
    found = []
    n = len(profile)
    columns = (profile.parent, profile.end_row, profile.site_file, profile.site_line)
    if any(len(column) != n for column in columns):
        found.append("columns of nodes of different lengths")
    for metric in profile.metrics:
        if any(values.shape != (n,) for values in (metric.mean, metric.low, metric.high)):
            found.append(f"{metric.name} has not one value for each node")
        if metric.by_place is not None and metric.by_place.shape != (len(profile.places), n):
            found.append(f"{metric.name} has not one value for each node and place")
    return found


def _metric_faults(metric: ProfileMetric, profile: Profile) -> list[str]:
    found = []
    missing = np.isnan(metric.mean)
    slack = _ROUNDING * np.maximum(1, np.abs(metric.mean))
    if ((metric.low > metric.mean + slack) | (metric.mean > metric.high + slack))[~missing].any():
        found.append(f"{metric.name}: a mean outside its range")
    if metric.inclusive:
        below = np.flatnonzero((profile.parent >= 0) & ~missing)
        sums = np.bincount(profile.parent[below], weights=metric.mean[below], minlength=len(profile))
        if (sums > metric.mean + slack * 10)[~missing].any() and metric.by_place is None:
            found.append(f"{metric.name}: children cost more than their parent, whose value is said to hold theirs")
    return found


def _parents(end_row: Rows) -> Rows:
    """The parent of each node, from where subtrees end. `end_row` must be nested."""
    parent = np.full(len(end_row), -1, np.int32)
    stack: list[int] = []
    for row, end in enumerate(end_row.tolist()):
        while stack and end_row[stack[-1]] <= row:
            stack.pop()
        if stack:
            parent[row] = stack[-1]
        if end > row + 1:
            stack.append(row)
    return parent


def _run(loop: Kernel[..., Any], size: int) -> Any:
    """The loop, compiled where that is worth it."""
    return loop if size >= _WORTH_COMPILING else loop.source
