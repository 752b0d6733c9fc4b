"""One run: its profile, its parameters, and the metric that is compared (CF-1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from cbvtool.errors import InputError
from cbvtool.trace.making.call_tree import exclusive_of_each, inclusive_of_each
from cbvtool.trace.making.folding import folded
from cbvtool.trace.model.profile import Profile, ProfileMetric
from cbvtool.trace.model.trace import Trace

Floats = npt.NDArray[np.float64]
_COUNTS = {"calls", "samples"}
_CELLS = 4_000_000  # worked out at once


@dataclass(frozen=True, eq=False)
class ProfiledRun:
    """What a program spent in one run. parameters: what it was run with, by name."""

    name: str
    profile: Profile
    parameters: Mapping[str, str]


class RunValues(NamedTuple):
    """One metric of a profile of n nodes: means over all ranks, of which one that lacks a node spent nothing there.

    inclusive, exclusive  float64[n]  NaN = no rank has the node, which is not 0
    low, high             float64[n]  inclusive, of the ranks that have it
    by_rank               float64[k, n] inclusive, threads added up; NaN = the rank lacks it; None = not known apart
    summarised            only lowest, mean and highest of the ranks are known
    """

    name: str
    unit: str
    inclusive: Floats
    exclusive: Floats
    low: Floats
    high: Floats
    by_rank: Floats | None
    summarised: bool


def runs_of(parts: Iterable[tuple[str, Trace | Profile]]) -> list[ProfiledRun]:
    """Runs by name; a trace is folded. Equal names get a number."""
    found: list[ProfiledRun] = []
    used: Counter[str] = Counter()
    for name, part in parts:
        used[name] += 1
        profile = folded(part) if isinstance(part, Trace) else part
        own = name if used[name] == 1 else f"{name} ({used[name]})"
        found.append(ProfiledRun(own, profile, dict(profile.header.parameters)))
    return found


def with_parameters(runs: Sequence[ProfiledRun], table: Mapping[str, Mapping[str, str]]) -> list[ProfiledRun]:
    """The runs with the parameters that a table names for them, by the name of the run."""
    return [
        replace(run, parameters={**run.parameters, **table[run.name]}) if run.name in table else run for run in runs
    ]


def metric_of(profile: Profile, name: str = "") -> ProfileMetric:
    """The metric of a name; else a time, of ranks if possible, else whatever is no count. Raises InputError: none."""
    if name:
        found = [each for each in profile.metrics if each.name == name]
    else:
        times = [each for each in profile.metrics if each.unit == "ns"]
        times.sort(key=lambda each: not (each.summarised or each.by_place is not None))  # means before sums over ranks
        found = times or [each for each in profile.metrics if each.unit not in _COUNTS] or list(profile.metrics)
        found = [each for each in found if each.name == found[0].name]
    if not found:
        known = ", ".join(dict.fromkeys(each.name for each in profile.metrics))
        raise InputError(f"There is no metric {name!r}; there is {known}." if known else "The profile has no metric.")
    return next((each for each in found if each.inclusive), found[0])


def values_of(profile: Profile, name: str = "") -> RunValues:
    """Inclusive and exclusive values of a metric: as measured, or one made of the other."""
    [found] = values_of_each([profile], [metric_of(profile, name)])
    return found


def values_of_each(profiles: Sequence[Profile], metrics: Sequence[ProfileMetric]) -> list[RunValues]:
    """The same of the metric of each profile. Profiles of one shape are worked out together, which is faster."""
    alike: dict[tuple[object, ...], list[int]] = {}
    others = [
        profile.metric(one.name, inclusive=False) if one.inclusive else None
        for profile, one in zip(profiles, metrics, strict=True)
    ]
    for number, (profile, metric, other) in enumerate(zip(profiles, metrics, others, strict=True)):
        by_place = metric.by_place is None, other is None, other is not None and other.by_place is None
        shape = profile.parent.tobytes(), tuple(profile.places), metric.inclusive, *by_place
        alike.setdefault(shape, []).append(number)
    found: dict[int, RunValues] = {}
    for rows in alike.values():
        one = profiles[rows[0]]
        step = min(max(_CELLS // (max(len(one), 1) * max(len(one.places), 1)), 1), len(rows))
        for begin in range(0, len(rows), step):
            some = rows[begin : begin + step]
            own = [other for row in some if (other := others[row]) is not None]
            found.update(zip(some, _together(one, [metrics[row] for row in some], own), strict=True))
    return [found[number] for number in range(len(profiles))]


def _together(profile: Profile, metrics: Sequence[ProfileMetric], others: Sequence[ProfileMetric]) -> list[RunValues]:
    """Of r runs that have the shape of a profile. others: exclusive values as measured; empty = they are made."""
    parent, is_inclusive = profile.parent, metrics[0].inclusive
    ranks = _by_rank(profile, metrics)
    if ranks is None:
        mean, low, high = (np.stack(each) for each in zip(*((m.mean, m.low, m.high) for m in metrics), strict=True))
        if not is_inclusive:
            low, high = (inclusive_of_each(each, parent) for each in (low, high))
    else:
        mean = _mean(ranks)
        if not is_inclusive:
            ranks = inclusive_of_each(ranks.reshape(-1, len(parent)), parent).reshape(ranks.shape)
        low, high = np.fmin.reduce(ranks, axis=1), np.fmax.reduce(ranks, axis=1)
    if not is_inclusive:
        inclusive, exclusive = inclusive_of_each(mean, parent), mean
    elif not others:
        inclusive, exclusive = mean, exclusive_of_each(mean, parent)
    else:
        own = _by_rank(profile, others)
        inclusive, exclusive = mean, np.stack([other.mean for other in others]) if own is None else _mean(own)
    exclusive = np.where(np.isnan(exclusive) & ~np.isnan(inclusive), 0.0, exclusive)  # it only called others
    return [
        RunValues(
            metric.name,
            metric.unit,
            inclusive[row],
            exclusive[row],
            low[row],
            high[row],
            None if ranks is None else ranks[row],
            metric.summarised,
        )
        for row, metric in enumerate(metrics)
    ]


def _by_rank(profile: Profile, metrics: Sequence[ProfileMetric]) -> Floats | None:
    """float64[r, k, n]: of each run and rank; NaN where all its threads lack the node."""
    places = [metric.by_place for metric in metrics if metric.by_place is not None]
    if len(places) < len(metrics) or not profile.places:
        return None
    distinct, rank = np.unique([rank for rank, _ in profile.places], return_inverse=True)
    sums = np.zeros((len(metrics), len(distinct), len(profile)))
    known = np.zeros(sums.shape, np.bool_)
    values = np.stack(places)
    for place, row in enumerate(rank.tolist()):
        sums[:, row] += np.nan_to_num(values[:, place])
        known[:, row] |= ~np.isnan(values[:, place])
    return np.where(known, sums, np.nan)


def _mean(ranks: Floats) -> Floats:
    """float64[r, n]: over all ranks; NaN where no rank has the node."""
    missing = np.isnan(ranks).all(axis=1)
    return np.where(missing, np.nan, np.nansum(ranks, axis=1) / ranks.shape[1])
