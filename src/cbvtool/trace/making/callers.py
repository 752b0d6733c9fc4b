"""Who calls a function, and whom it calls, as `gprof` and `callgrind_annotate --tree` tell it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from cbvtool.trace.making.call_tree import call_pairs
from cbvtool.trace.making.flat import UNKNOWN, flat_figures, flat_of_profile
from cbvtool.trace.making.folding import folded
from cbvtool.trace.model.profile import CallPairs, Profile
from cbvtool.trace.model.trace import Functions, Trace


class RecordedFunction(NamedTuple):
    """A function of a recording, whatever its row is."""

    name: str
    module: str
    file: str
    line: int


class CallFigures(NamedTuple):
    """Calls, ns of what was called with what it calls (recursion once), ns of it alone. `UNKNOWN` = nobody says."""

    calls: int = UNKNOWN
    total: int = UNKNOWN
    own: int = UNKNOWN

    def plus(self, other: CallFigures) -> CallFigures:
        """Of several runs together."""
        return CallFigures(
            *(b if a == UNKNOWN else a if b == UNKNOWN else a + b for a, b in zip(self, other, strict=True))
        )


@dataclass(frozen=True)
class Neighbours:
    """A function with those that call it, and those that it calls; those with the most time first.

    The figures of a caller or callee are those of the calls between the two.
    """

    function: RecordedFunction
    figures: CallFigures
    callers: tuple[tuple[RecordedFunction, CallFigures], ...]
    callees: tuple[tuple[RecordedFunction, CallFigures], ...]


def functions_named(parts: Iterable[Trace | Profile], name: str) -> list[RecordedFunction]:
    """The functions that a name means: `a.b.C.f`, its end `C.f` or `f`, or `file.py:12`; sorted.

    The first of these that finds something decides: the whole name, its end behind a dot or `::`, file and line.
    """
    known = {each for part in parts for each in _names(part.functions)}
    ends = (f".{name}", f"::{name}")
    file, _, line = name.rpartition(":")
    ways = (
        lambda each: each.name == name or f"{each.module}.{each.name}" == name,
        lambda each: each.name.endswith(ends) or f"{each.module}.{each.name}".endswith(ends),
        lambda each: bool(file) and str(each.line) == line and (each.file == file or each.file.endswith(f"/{file}")),
    )
    return next((sorted(found) for way in ways if (found := list(filter(way, known)))), [])


def neighbours(parts: Sequence[Trace | Profile], wanted: RecordedFunction) -> Neighbours:
    """Callers and callees of a function, over several runs in sum."""
    figures = CallFigures()
    around: tuple[dict[RecordedFunction, CallFigures], ...] = ({}, {})
    for part in parts:
        names = _names(part.functions)
        rows = [row for row, each in enumerate(names) if each == wanted]
        if not rows:
            continue
        flat = flat_figures(part) if isinstance(part, Trace) else flat_of_profile(part)
        pairs = call_pairs(folded(part) if isinstance(part, Trace) else part)
        columns = _column(pairs, "calls"), _column(pairs, "ns", inclusive=True), _column(pairs, "ns")
        for row in rows:
            own = CallFigures(int(flat.count[row]), int(flat.total[row]), int(flat.own[row]))
            figures = figures.plus(own)
            for found, here, other in zip(
                around, (pairs.callee, pairs.caller), (pairs.caller, pairs.callee), strict=True
            ):
                for pair in np.flatnonzero(here == row).tolist():
                    name = names[int(other[pair])]
                    told = CallFigures(*(int(column[pair]) for column in columns))
                    found[name] = found.get(name, CallFigures()).plus(told)
    callers, callees = (tuple(sorted(found.items(), key=_most)) for found in around)
    return Neighbours(wanted, figures, callers, callees)


def _most(item: tuple[RecordedFunction, CallFigures]) -> tuple[object, ...]:
    name, figures = item
    return -figures.total, -figures.calls, name


def _names(functions: Functions) -> list[RecordedFunction]:
    columns = functions.name, functions.module, functions.file, functions.line.tolist()
    return [RecordedFunction(*row) for row in zip(*columns, strict=True)]


def _column(pairs: CallPairs, unit: str, *, inclusive: bool = False) -> npt.NDArray[np.int64]:
    """int64[p]: the first metric of this kind, `UNKNOWN` where it is missing."""
    found = next((each for each in pairs.metrics if (each.unit, each.inclusive) == (unit, inclusive)), None)
    if found is None:
        return np.full(len(pairs), UNKNOWN, np.int64)
    values = found.mean
    if found.by_place is not None:
        values = np.where(np.isnan(found.by_place).all(axis=0), np.nan, np.nansum(found.by_place, axis=0))
    known: npt.NDArray[np.int64] = np.where(np.isnan(values), UNKNOWN, np.round(np.nan_to_num(values))).astype(np.int64)
    return known
