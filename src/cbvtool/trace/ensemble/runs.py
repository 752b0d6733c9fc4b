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
class Run:
    """What a program spent in one run. parameters: what it was run with, by name."""

    name: str
    profile: Profile
    parameters: Mapping[str, str]


class RunValues(NamedTuple):
    """One metric of a profile of n nodes: means over ranks and threads.

    inclusive, exclusive  float64[n]  NaN = missing, which is not 0
    by_place              float64[p, n] inclusive of each rank and thread; None = not known apart
    summarised            only lowest, mean and highest of the ranks are known
    """

    name: str
    unit: str
    inclusive: Floats
    exclusive: Floats
    low: Floats
    high: Floats
    by_place: Floats | None
    summarised: bool


def runs_of(parts: Iterable[tuple[str, Trace | Profile]]) -> list[Run]:
    """Runs by name; a trace is folded. Equal names get a number."""
    found: list[Run] = []
    used: Counter[str] = Counter()
    for name, part in parts:
        used[name] += 1
        profile = folded(part) if isinstance(part, Trace) else part
        own = name if used[name] == 1 else f"{name} ({used[name]})"
        found.append(Run(own, profile, dict(profile.header.parameters)))
    return found


def with_parameters(runs: Sequence[Run], table: Mapping[str, Mapping[str, str]]) -> list[Run]:
    """The runs with the parameters that a table names for them, by the name of the run."""
    return [
        replace(run, parameters={**run.parameters, **table[run.name]}) if run.name in table else run for run in runs
    ]


def metric_of(profile: Profile, name: str = "") -> ProfileMetric:
    """The metric of a name; else a time, else whatever is no count. Raises InputError: there is none."""
    if name:
        found = [each for each in profile.metrics if each.name == name]
    else:
        times = [each for each in profile.metrics if each.unit == "ns"]
        found = times or [each for each in profile.metrics if each.unit not in _COUNTS] or list(profile.metrics)
        found = [each for each in found if each.name == found[0].name]
    if not found:
        known = ", ".join(dict.fromkeys(each.name for each in profile.metrics))
        raise InputError(f"There is no metric {name!r}; there is {known}." if known else "The profile has no metric.")
    return next((each for each in found if each.inclusive), found[0])


def values_of(profile: Profile, name: str = "") -> RunValues:
    """Inclusive and exclusive values of a metric: as measured, or one made of the other."""
    metric = metric_of(profile, name)
    other = profile.metric(metric.name, inclusive=not metric.inclusive)
    if metric.inclusive:
        inclusive, low, high = metric.mean, metric.low, metric.high
        exclusive = exclusive_of(inclusive, profile.parent) if other is None else other.mean
        by_place = metric.by_place
    else:
        exclusive = metric.mean
        inclusive, low, high = (inclusive_of(each, profile.parent) for each in (metric.mean, metric.low, metric.high))
        places = metric.by_place
        by_place = None if places is None else np.stack([inclusive_of(each, profile.parent) for each in places])
    return RunValues(metric.name, metric.unit, inclusive, exclusive, low, high, by_place, metric.summarised)
