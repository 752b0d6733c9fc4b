"""A style given on a command line: a preset, then single choices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from cbvtool.errors import InputError
from cbvtool.geometry.colors import COLOR_MAPS
from cbvtool.geometry.scales import SCALES, Scale, parse_value
from cbvtool.geometry.state.presets import PRESETS, with_field
from cbvtool.geometry.state.view_state import OF_TRACES, THICKNESSES, VARIABLES
from cbvtool.geometry.state.view_state import Mapping as MetricMapping
from cbvtool.metrics.aggregate import choices
from cbvtool.metrics.metric import Metric


def asked_style(
    mapping: MetricMapping,
    metrics: Mapping[str, Metric],
    preset: str | None,
    chosen: Mapping[str, str],
    scales: Sequence[str] = (),
    ways: Sequence[str] = (),
    color_map: str | None = None,
    thickness: str | None = None,
) -> MetricMapping:
    """The style that the options describe; what they do not mention stays as in `mapping`.

    preset   name of one of `PRESETS`
    chosen   visual variable -> metric
    scales   `height=log`, `color=linear:0:0.5`: kind, and range; an empty end = that of the values
    ways     `height=mean`: how values are combined upward

    Raises InputError for a name that does not exist; the message lists those that do.
    """
    if preset is not None:
        found = {p.name: p.mapping for p in PRESETS}
        mapping = found[_one_of(preset, found, "preset")]
    for variable, name in chosen.items():
        metric = metrics[_one_of(name, metrics, "metric")]
        if metric.names is not None and variable != "color":
            raise InputError(f"{metric.label} is a class, which can be shown by colour alone.")
        mapping = with_field(mapping, variable, name, metrics)
    for text in ways:
        variable, way = _pair(text, VARIABLES)
        metric = metrics[_one_of(getattr(mapping, variable), metrics, "metric")]
        way = _one_of(way, choices(metric), f"way to combine {metric.name}")
        mapping = with_field(mapping, f"{variable}_by", way, metrics)
    for text in scales:
        variable, scale = _pair(text, ("height", "color"))
        mapping = with_field(mapping, f"{variable}_scale", _scale(scale), metrics)
    if color_map is not None:
        mapping = replace(mapping, color_map=_one_of(color_map, COLOR_MAPS, "colour map"))
    if thickness is not None:
        mapping = replace(
            mapping, thickness=_one_of(thickness, [name for name in THICKNESSES if name not in OF_TRACES], "thickness")
        )
    return mapping


def _pair(text: str, variables: Sequence[str]) -> tuple[str, str]:
    variable, equals, rest = text.partition("=")
    if not equals:
        raise InputError(f"{text!r} does not say of what: write {' or '.join(f'{name}=...' for name in variables)}.")
    return _one_of(variable, variables, "scale of that name"), rest


def _scale(text: str) -> Scale:
    kind, *ends = text.split(":")
    kind = _one_of(kind, SCALES, "scale")
    if len(ends) not in (0, 2):
        raise InputError(f"{text!r} is not a scale such as log or linear:0:100.")
    values = [parse_value(end) if end else None for end in ends] or [None, None]
    for end, value in zip(ends, values, strict=False):
        if end and value is None:
            raise InputError(f"{end!r} is not a value: write a number, a percentage, or a date such as 2024-01-31.")
    low, high = values
    if low is not None and high is not None and not low < high:
        raise InputError(f"The range of {text!r} must end above its beginning.")
    return Scale(kind, low, high)


def _one_of(name: str, table: Mapping[str, object] | Sequence[str], what: str) -> str:
    if name not in table:
        raise InputError(f"There is no {what} {name!r}; there are {', '.join(table)}.")
    return name
