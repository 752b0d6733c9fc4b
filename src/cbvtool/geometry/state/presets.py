"""Ready-made styles for common questions, as data (CBV-4). The window stores those of the user."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from cbvtool.geometry.colors import COLOR_MAPS, RELATION_MAPS
from cbvtool.geometry.scales import SCALES, Scale
from cbvtool.geometry.state.view_state import BLENDINGS, THICKNESSES, VARIABLES
from cbvtool.geometry.state.view_state import Mapping as MetricMapping
from cbvtool.metrics.aggregate import AGGREGATIONS, choices
from cbvtool.metrics.history.in_range import has_history
from cbvtool.metrics.metric import BEING_MEASURED, Metric
from cbvtool.metrics.values import Values

Metrics = Mapping[str, Metric]
LONGEST_NAME = 40  # characters of the name of a preset


@dataclass(frozen=True)
class Preset:
    """One style. `name` is its identity in files and on the command line, `label` and `tip` are for people."""

    name: str
    label: str
    mapping: MetricMapping
    tip: str = ""


PRESETS: tuple[Preset, ...] = (
    Preset(
        "maintainability",
        "Maintainability",
        MetricMapping(),
        "Large, often changed and deeply nested: what is expensive to keep",
    ),
    Preset(
        "hot-spots",
        "Hot spots",
        MetricMapping(height="hot_spots", color="complexity", color_scale=Scale("log")),
        "Complex code that changes often: where work on quality pays first",
    ),
    Preset(
        "unused",
        "Unused code",
        MetricMapping(height="transitive_users", color="unused", height_scale=Scale("log")),
        "Flat blocks have no dependants, direct or transitive; no entry point reaches red ones",
    ),
    Preset(
        "ownership",
        "Ownership",
        MetricMapping(height="authors", color="main_author", height_scale=Scale("log")),
        "Who changed it most, and how many people know it",
    ),
    Preset(
        "age",
        "Age",
        MetricMapping(height="commits", color="last_change", height_scale=Scale("log"), color_scale=Scale("quantile")),
        "Recently changed code is red, code at rest is blue",
    ),
    Preset(
        "thesis",
        "Thesis colours",
        MetricMapping(color_map="thesis", relations="thesis"),
        "Green, yellow, red, as in the original publication; not safe for colour-blind readers",
    ),
    Preset(
        "languages",
        "Languages",
        MetricMapping(height="complexity", color="language"),
        "Which language the code is written in",
    ),
    Preset(
        "management",
        "For management",
        MetricMapping(height="change_frequency", color="complexity", color_scale=Scale("log")),
        "Tall: much was worked on it lately. Red: hard to change. Tall and red costs most",
    ),
)


def why_not(mapping: MetricMapping, values: Values) -> str:
    """Why a style cannot be shown, as a sentence; empty = it can.

    Reads no metric that takes long, and no metric of the history if there is one.
    """
    late = values.missing()
    for variable in VARIABLES:
        name = getattr(mapping, variable)
        metric = values.metrics.get(name)
        if metric is None:
            return f"There is no metric {name!r} here."
        if metric.slow or name in late or (metric.history and has_history(values.subject)):
            continue
        if metric.missing == BEING_MEASURED:
            continue  # it is being measured
        if np.isnan(values[name]).all():
            return no_values(metric)
    return ""


def no_values(metric: Metric) -> str:
    """Why no node has a value of a metric, as a sentence."""
    if metric.missing == BEING_MEASURED:
        return f"{metric.label} is still being measured."
    return f"{metric.label} was not measured{': there is no git history' if metric.history else ''}."


def as_data(mapping: MetricMapping) -> dict[str, Any]:
    """A style for a file; default values are left out, except the metrics."""
    usual, data = MetricMapping(), dict[str, Any]()
    for field in fields(mapping):
        value = getattr(mapping, field.name)
        if field.name not in VARIABLES and value == getattr(usual, field.name):
            continue
        data[field.name] = [value.kind, value.minimum, value.maximum] if isinstance(value, Scale) else value
    return data


def of_data(data: object, metrics: Metrics | None, first: MetricMapping) -> MetricMapping:
    """The style that `as_data` wrote; unknown or damaged values are taken from `first`.

    metrics   the metrics that exist; None = accept any name
    """
    if not isinstance(data, dict):
        return first
    found: dict[str, Any] = {}
    for variable in VARIABLES:
        name, way = data.get(variable), data.get(f"{variable}_by")
        if not isinstance(name, str) or not (metrics is None or _fits(variable, metrics.get(name))):
            continue
        found[variable] = name
        if isinstance(way, str) and way in (AGGREGATIONS if metrics is None else choices(metrics[name])):
            found[f"{variable}_by"] = way
        if (scale := _scale(data.get(f"{variable}_scale"))) is not None:
            found[f"{variable}_scale"] = scale
    tables: dict[str, Container[str]] = {
        "color_map": COLOR_MAPS,
        "thickness": THICKNESSES,
        "relations": RELATION_MAPS,
        "blending": BLENDINGS,
    }
    found |= {name: data[name] for name, table in tables.items() if name in _texts(data) and data[name] in table}
    return replace(first, **found)


def _fits(variable: str, metric: Metric | None) -> bool:
    return metric is not None and (metric.names is None or variable == "color")


def _scale(data: object) -> Scale | None:
    if not isinstance(data, list) or len(data) != 3 or not isinstance(data[0], str) or data[0] not in SCALES:
        return None
    ends = [float(end) if isinstance(end, int | float) and math.isfinite(end) else None for end in data[1:]]
    return Scale(data[0], *ends)


def _texts(data: Mapping[Any, Any]) -> frozenset[str]:
    return frozenset(name for name, value in data.items() if isinstance(name, str) and isinstance(value, str))


def with_field(mapping: MetricMapping, field: str, value: object, metrics: Metrics) -> MetricMapping:
    """The style with one field changed.

    A change of metric resets the range of its scale, and an aggregation that the new metric does not offer.
    """
    changed = replace(mapping, **{field: value})  # type: ignore[arg-type]  # checked by what shows it
    if field not in VARIABLES or getattr(mapping, field) == value:
        return changed
    own: dict[str, Any] = {}
    if getattr(mapping, f"{field}_by") not in ("", *choices(metrics[str(value)])):
        own[f"{field}_by"] = ""
    if field != "angle":
        own[f"{field}_scale"] = Scale(getattr(mapping, f"{field}_scale").kind)
    return replace(changed, **own)


def named(label: str, mapping: MetricMapping, taken: Iterable[str]) -> Preset:
    """A style of the user's own; its name is made different from those in `taken`."""
    label = " ".join(label.split())[:LONGEST_NAME] or "My style"
    taken = frozenset(taken)
    number, name = 1, label
    while name in taken:
        number += 1
        name = f"{label} {number}"
    return Preset(name, name, mapping)
