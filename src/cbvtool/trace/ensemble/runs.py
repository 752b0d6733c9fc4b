"""One run: its profile, its parameters, and the metric that is compared (CF-1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from cbvtool.errors import InputError
from cbvtool.trace.making.call_tree import exclusive_of, inclusive_of
from cbvtool.trace.making.folding import folded
from cbvtool.trace.model.profile import Profile, ProfileMetric
from cbvtool.trace.model.trace import Trace

Floats = npt.NDArray[np.float64]
_COUNTS = {"calls", "samples"}


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
    metric = metric_of(profile, name)
    ranks = _by_rank(profile, metric)
    if ranks is None:
        mean, low, high = metric.mean, metric.low, metric.high
        if not metric.inclusive:
            low, high = (inclusive_of(each, profile.parent) for each in (low, high))
    else:
        mean = _mean(ranks)
        if not metric.inclusive:
            ranks = np.stack([inclusive_of(each, profile.parent) for each in ranks])
        low, high = np.fmin.reduce(ranks, axis=0), np.fmax.reduce(ranks, axis=0)
    other = profile.metric(metric.name, inclusive=False) if metric.inclusive else None
    if not metric.inclusive:
        inclusive, exclusive = inclusive_of(mean, profile.parent), mean
    elif other is None:
        inclusive, exclusive = mean, exclusive_of(mean, profile.parent)
    else:
        own = _by_rank(profile, other)
        inclusive, exclusive = mean, other.mean if own is None else _mean(own)
    exclusive = np.where(np.isnan(exclusive) & ~np.isnan(inclusive), 0.0, exclusive)  # it only called others
    return RunValues(metric.name, metric.unit, inclusive, exclusive, low, high, ranks, metric.summarised)


def _by_rank(profile: Profile, metric: ProfileMetric) -> Floats | None:
    """float64[k, n]: of each rank; NaN where all its threads lack the node."""
    if metric.by_place is None or not profile.places:
        return None
    distinct, rank = np.unique([rank for rank, _ in profile.places], return_inverse=True)
    sums, known = (np.zeros((len(distinct), len(profile))) for _ in range(2))
    np.add.at(sums, rank, np.nan_to_num(metric.by_place))
    np.add.at(known, rank, ~np.isnan(metric.by_place))
    return np.where(known > 0, sums, np.nan)


def _mean(ranks: Floats) -> Floats:
    """float64[n]: over all ranks; NaN where no rank has the node."""
    missing = np.isnan(ranks).all(axis=0)
    return np.where(missing, np.nan, np.nansum(ranks, axis=0) / len(ranks))
