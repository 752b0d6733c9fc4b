"""What matters, in a sentence above the picture: what differs most, what a run takes more, what is beyond noise."""

from __future__ import annotations

import numpy as np

from cbvtool.api import RunEffect, ViewContext

from .explaining import AlikeRuns, ExplainedRuns, OrderedRuns, alike_in, explained_in, order_in, repeats_of
from .figures import Floats, Ints, signed, written
from .noise import BesideNoise, beside_noise, sides_of
from .preparing import FlowModel, second_of, target_of

_MOST = 3  # boxes, or runs, that are named
_FEWEST = 3  # repeats of a run that it is compared with
_SHARE = 0.02  # of a run; less is not worth a word


def headline(context: ViewContext, model: FlowModel) -> str:
    """Of the mode. Boxes count by themselves, without those that they call; "" = it is being found out."""
    mode = context.values["mode"]
    if not len(model.graph):
        return ""
    ordered = order_in(context, model)
    if mode == "target" and len(model.ensemble) > 1:
        return str(context.memo(of_target, model, ordered, target_of(context, model)))
    if mode == "difference":
        return str(context.memo(of_difference, model, ordered, target_of(context, model), second_of(context, model)))
    explained, alike = explained_in(context, model), alike_in(context, model)
    if explained is None or alike is None:
        return ""
    return str(context.memo(of_all, model, ordered, explained, alike))


def of_all(model: FlowModel, ordered: OrderedRuns, explained: ExplainedRuns, alike: AlikeRuns) -> str:
    """The box that differs most, with the parameter that explains it; odd runs with what they take more."""
    own, unit = model.graph.exclusive, model.ensemble.unit
    if len(own) == 1:
        row = int(np.argmax(np.nan_to_num(own[0])))
        share = float(np.nan_to_num(own[0, row])) / max(float(model.ensemble.totals[0]), 1e-300)
        value = written(float(own[0, row]), unit)
        return f"{model.graph.name[row]} takes most by itself: {value}, {share:.0%} of the run"
    effects = [each for each in explained.modules if each.is_found]
    if effects:
        best = max(effects, key=lambda each: each.most - each.least)
        name = explained.parameters[best.parameter].name
        least, most = (f"{written(value, unit)} with {words}" for value, words in _sides(best, name))
        said = f"{model.graph.name[best.part]} differs most: {least}, {most}"
    else:
        spread = _range(own)
        row = int(np.argmax(np.nan_to_num(spread)))
        low, high = (written(float(end(own[:, row])), unit) for end in (np.fmin.reduce, np.fmax.reduce))
        said = f"{model.graph.name[row]} differs most: {low} to {high} by itself"
    odd = [] if alike.found is None or len(own) < 4 else np.flatnonzero(alike.found.is_odd).tolist()
    told = [f"{model.ensemble.names[run]}{_briefly(model, ordered, run)}" for run in odd[:_MOST]]
    more = f" and {len(odd) - _MOST:,} more" if len(odd) > _MOST else ""
    return f"{said}  ·  odd: {', '.join(told)}{more}" if told else said


def of_target(model: FlowModel, ordered: OrderedRuns, run: int) -> str:
    """What a run takes more and less than all runs at the median, and than its repeats where there are some."""
    least, unit = _SHARE * float(model.ensemble.totals[run]), model.ensemble.unit
    told = []
    for change, others in (_beside_all(model, run), _beside_repeats(model, ordered, run)):
        if others:
            rows = [f"{model.graph.name[row]} {signed(float(change[row]), unit)}" for row in _largest(change, least)]
            told.append(f"beside {others}: {', '.join(rows) or 'nothing stands out'}")
    return f"{model.ensemble.names[run]} {'  ·  '.join(told)}"


def of_difference(model: FlowModel, ordered: OrderedRuns, one: int, other: int) -> str:
    """Which boxes differ beyond the noise of repeats."""
    names, unit = model.ensemble.names, model.ensemble.unit
    if one == other:
        return (
            "A and B are one run: tick another one as B"
            if len(names) > 1
            else "There is one run: open others to compare"
        )
    own, sides = model.graph.exclusive, sides_of(ordered, one, other)
    noise: BesideNoise = beside_noise(own, ordered, one, other)
    change = np.nan_to_num(_mean(own[sides[1]]) - _mean(own[sides[0]]))
    if ordered.position[one] == ordered.position[other]:
        where = f"{ordered.along} {ordered.labels[int(ordered.position[one])]}"
        return f"{names[one]} and {names[other]} are repeats ({where}): what differs is noise"
    least = _SHARE * float(model.ensemble.totals[one])
    if not noise.is_known:
        told = [f"{model.graph.name[row]} {signed(float(change[row]), unit)}" for row in _largest(change, least)]
        most = f": {', '.join(told)}" if told else ""
        return f"{names[other]} minus {names[one]}{most}  ·  without repeats of both, noise is not known"
    sure = np.where(noise.is_beyond, change, 0.0)
    told = [f"{model.graph.name[row]} {signed(float(sure[row]), unit)}" for row in _largest(sure, 0.0)]
    counts = f"{len(sides[0]):,} and {len(sides[1]):,} repeats"
    within = int(noise.is_noise.sum())
    boxes = "1 box is" if within == 1 else f"{within:,} boxes are"
    odd = [
        f"  ·  {names[run]} is odd among its repeats{_briefly(model, ordered, run)}"
        for run, is_odd in zip((one, other), noise.is_odd, strict=True)
        if (is_odd & (np.abs(_departures(model, ordered, run)) > least)).any()
    ]
    return f"Beyond the noise of {counts}: {', '.join(told) or 'nothing'}  ·  {boxes} within it{''.join(odd)}"


def _beside_all(model: FlowModel, run: int) -> tuple[Floats, str]:
    """(float64[g]: what the run takes more than the others at the median, who these are)."""
    return _more_than(model, run, np.flatnonzero(np.arange(len(model.ensemble)) != run)), "the median run"


def _beside_repeats(model: FlowModel, ordered: OrderedRuns, run: int) -> tuple[Floats, str]:
    """The same of its repeats; "" where they are few, or all."""
    others = repeats_of(ordered, run)
    others = others[others != run]
    if not _FEWEST <= len(others) < len(model.ensemble) - 1:
        return np.zeros(len(model.graph)), ""
    where = f"{ordered.along} {ordered.labels[int(ordered.position[run])]}"
    return _more_than(model, run, others), f"the {len(others):,} others with {where}"


def _more_than(model: FlowModel, run: int, others: Ints) -> Floats:
    """What a run lacks is nothing."""
    own = np.nan_to_num(model.graph.exclusive)
    found: Floats = own[run] - np.median(own[others], axis=0)
    return found


def _departures(model: FlowModel, ordered: OrderedRuns, run: int) -> Floats:
    change, others = _beside_repeats(model, ordered, run)
    return change if others else _beside_all(model, run)[0]


def _briefly(model: FlowModel, ordered: OrderedRuns, run: int) -> str:
    change = _departures(model, ordered, run)
    rows = _largest(change, 0.0)[:1]
    return "".join(f" ({model.graph.name[row]} {signed(float(change[row]), model.ensemble.unit)})" for row in rows)


def _largest(change: Floats, least: float) -> list[int]:
    rows = np.argsort(-np.abs(change), kind="stable")[:_MOST].tolist()
    return [row for row in rows if abs(change[row]) > least]


def _mean(values: Floats) -> Floats:
    """What a run lacks is nothing."""
    found: Floats = np.nan_to_num(values).mean(axis=0)
    return found


def _range(values: Floats) -> Floats:
    found: Floats = np.fmax.reduce(values, axis=0) - np.fmin.reduce(values, axis=0)
    return found


def _sides(effect: RunEffect, name: str) -> tuple[tuple[float, str], tuple[float, str]]:
    """(median, where): least and most. A level, or the bound of a third of the runs: `<= 12` is at most 12."""
    low, high = (each.replace("<= ", "at most ").replace(">= ", "at least ") for each in (effect.low, effect.high))
    return (effect.least, f"{name} {low}"), (effect.most, high)
