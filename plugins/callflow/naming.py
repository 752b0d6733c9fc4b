"""Names of boxes with their values, and the ends of their axes, none over another (CF-2, CF-4)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from cbvtool.api import Labels, Theme, ViewContext

from .figures import Floats, RunSpread, differences, signed, written
from .flows import BOX
from .frame import PLANE, whole_of
from .noise import BesideNoise, noise_in
from .preparing import FlowModel, is_exclusive, second_of, target_of

_SIZE, _LINE = 11.0, 12.0
SPLIT = " › "  # between a module and its part
_APART = 7.0  # logical pixels between a name and its value


@dataclass(frozen=True, eq=False)
class BoxValues:
    """What stands behind the name of each box. text: str[g]; notes of each, as far as there is room; faint: bool[g]."""

    text: tuple[str, ...]
    notes: tuple[tuple[str, ...], ...]
    faint: np.ndarray


def box_values(context: ViewContext, model: FlowModel, mode: str) -> BoxValues | None:
    """The value of the target, or the difference; None where no run is looked at."""
    values = model.values(is_exclusive(context))
    one, other = target_of(context, model), second_of(context, model)
    if mode == "target":
        return context.memo(_target_values, values, one, model.ensemble.unit)
    if mode == "difference":
        return context.memo(_changes, values, one, other, noise_in(context, model, values), model.ensemble.unit)
    return None


def _target_values(values: Floats, one: int, unit: str) -> BoxValues:
    told = [written(value, unit) for value in values[one].tolist()]
    texts = tuple(text if text != "–" else "not in this run" for text in told)
    return BoxValues(texts, ((),) * len(texts), np.zeros(len(texts), np.bool_))


def _changes(values: Floats, one: int, other: int, noise: BesideNoise, unit: str) -> BoxValues:
    own = differences(values, one, other)
    texts = ["in neither" if np.isnan(change) else signed(change, unit) for change in own.tolist()]
    only = np.isnan(values[[other, one]]) & ~np.isnan(own)
    said = [("noise", noise.is_noise & ~np.isnan(own))]
    said += [(f"odd in {name}", odd) for name, odd in zip("AB", noise.is_odd, strict=True)]
    said += [(f"only in {name}", alone) for name, alone in zip("AB", only, strict=True)]
    notes = tuple(tuple(word for word, flags in said if flags[row]) for row in range(len(own)))
    return BoxValues(tuple(texts), notes, noise.is_noise)


def box_words(
    model: FlowModel,
    beside: BoxValues | None,
    spread: RunSpread | None,
    scales: tuple[float, float],
    theme: Theme,
    measure: Callable[[str, float, bool], float],
) -> tuple[Labels, ...]:
    """Names at the right of boxes, as far as they do not lie over another; the ends of the axis, if there is one.

    Values have a layer of their own: a halo takes long to paint, and that of a name is painted once.
    """
    layout = model.layout
    wide, high = scales
    low, high_end = (each + way * 7.0 / high for each, way in zip(whole_of(model)[1], (1, -1), strict=True))
    middle = np.clip(layout.top + layout.size / 2, low, high_end)  # no name is cut by the lines above and below
    rows = np.array(_apart(model, middle * high), np.int64)
    x = layout.layer.astype(np.float64)[rows] + BOX + 6.0 / wide
    room = np.full(len(rows), (1.0 - BOX) * wide - 12.0)
    names = tuple(
        _name(model, beside, row, most, measure) for row, most in zip(rows.tolist(), room.tolist(), strict=True)
    )
    found: list[Labels] = []
    if beside is not None:
        texts, own = _fitting(beside, rows, names, room, measure)
        taken = np.minimum([measure(name, _SIZE, False) for name in names], np.maximum(room - own - _APART, 0.0))
        left = np.where(taken > 0, taken + _APART, 0.0)
        found.append(
            Labels(
                name="values",
                pane=PLANE,
                x=x + left / wide,
                y=middle[rows],
                text=texts,
                color=np.where(beside.faint[rows, None], theme.muted, theme.text).astype(np.uint8),
                size=_SIZE,
                room=room - left + 1.0,
                halo=theme.halo,
            )
        )
        room = taken + 1.0
    found.insert(
        0,
        Labels(
            name="names",
            pane=PLANE,
            x=x,
            y=middle[rows],
            text=names,
            color=theme.text,
            size=_SIZE,
            room=room,
            halo=theme.halo,
        ),
    )
    return (*found, *(() if spread is None else _ends(model, spread, scales, theme, middle[rows], rows)))


def _name(
    model: FlowModel, beside: BoxValues | None, row: int, room: float, measure: Callable[[str, float, bool], float]
) -> str:
    """Of a box; a part of a split without its module, where there is no room for both beside the value."""
    name = model.graph.name[row]
    taken = 0.0 if beside is None else measure(beside.text[row], _SIZE, False) + _APART
    return name if measure(name, _SIZE, False) + taken <= room else name.rpartition(SPLIT)[2]


def _fitting(
    beside: BoxValues,
    rows: np.ndarray,
    names: tuple[str, ...],
    room: Floats,
    measure: Callable[[str, float, bool], float],
) -> tuple[tuple[str, ...], Floats]:
    """(values of boxes, with their notes where name, value and note fit; how wide each is)."""
    texts, widths = list[str](), list[float]()
    for row, name, wide in zip(rows.tolist(), names, room.tolist(), strict=True):
        taken, notes = measure(name, _SIZE, False) + _APART, beside.notes[row]
        tried = ["  ".join((beside.text[row], *notes[:count])) for count in range(len(notes), -1, -1)]
        own = [measure(text, _SIZE, False) for text in tried]
        chosen = next((at for at, each in enumerate(own) if taken + each <= wide), len(own) - 1)
        texts.append(tried[chosen])
        widths.append(own[chosen])
    return tuple(texts), np.array(widths, np.float64)


def _ends(
    model: FlowModel, spread: RunSpread, scales: tuple[float, float], theme: Theme, named_y: Floats, named: np.ndarray
) -> tuple[Labels, ...]:
    """The ends of the axis beside high boxes, where no name of another box stands."""
    layout, unit = model.layout, model.ensemble.unit
    wide, high = scales
    x = layout.layer.astype(np.float64)
    roomy = np.flatnonzero((layout.size * high >= 44.0) & ~np.isnan(spread.low))
    several = roomy[spread.high[roomy] > spread.low[roomy]]

    def free(rows: np.ndarray, y: Floats) -> np.ndarray:
        near = np.abs(y[rows][:, None] - named_y) * high < _LINE
        same = layout.layer[rows][:, None] == layout.layer[named]
        found: np.ndarray = rows[~(near & same).any(axis=1)]
        return found

    tops, bottoms = layout.top + 7.0 / high, layout.top + layout.size - 7.0 / high
    ends = (("highest", free(roomy, tops), spread.high, tops), ("lowest", free(several, bottoms), spread.low, bottoms))
    found: list[Labels] = []
    for name, own, values, y in ends:
        found.append(
            Labels(
                name=name,
                pane=PLANE,
                x=x[own] + BOX + 6.0 / wide,
                y=y[own],
                text=tuple(written(value, unit) for value in values[own].tolist()),
                color=theme.muted,
                size=10.0,
                room=np.full(len(own), (1.0 - BOX) * wide - 12.0),
                halo=theme.halo,
            )
        )
    return tuple(found)


def _apart(model: FlowModel, y: Floats) -> list[int]:
    """Rows of boxes whose names are written: the largest first, none over another of its column. y: pixels."""
    kept: list[int] = []
    places: dict[int, list[float]] = {}
    for row in np.argsort(-np.nan_to_num(model.most), kind="stable").tolist():
        column = places.setdefault(int(model.layout.layer[row]), [])
        if all(abs(float(y[row]) - other) >= _LINE for other in column):
            column.append(float(y[row]))
            kept.append(row)
    return kept
