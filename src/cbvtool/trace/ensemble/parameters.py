"""What runs were run with, as numbers and categories that can explain something (CF-6, CF-8)."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.errors import InputError

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
MOST_LEVELS = 1_000
MOST_CELLS = 10_000_000


@dataclass(frozen=True, eq=False)
class RunParameter:
    """One parameter of r runs.

    also    names of parameters that order or divide the runs just as this one does
    levels  of a category; empty for numbers
    values  float64[r]: the number, or the row of `levels`; NaN = the run does not say
    """

    name: str
    also: tuple[str, ...]
    levels: tuple[str, ...]
    values: Floats

    @property
    def is_number(self) -> bool:
        """Whether its values are numbers, else rows of `levels`."""
        return not self.levels


def parameters_of(runs: Sequence[Mapping[str, str]], only: Sequence[str] = ()) -> list[RunParameter]:
    """The parameters that tell some runs from others, or those of `only` that do.

    Left out: what all runs share, and categories that are another one in each run. Raises InputError for a name of
    `only` that no run has.
    """
    names = list(dict.fromkeys(name for each in runs for name in each))
    for name in only:
        if name not in names:
            raise InputError(f"No run has a parameter {name!r}; there are {', '.join(names) or 'none'}.")
    found: dict[tuple[bool, bytes], RunParameter] = {}
    for name in only or names:
        one = _parameter(name, [each.get(name, "") for each in runs])
        if one is None:
            continue
        key = one.is_number, _order(one).tobytes()
        first = found.get(key)
        found[key] = one if first is None else RunParameter(first.name, (*first.also, name), first.levels, first.values)
    return list(found.values())


def _parameter(name: str, texts: Sequence[str]) -> RunParameter | None:
    known = [text for text in texts if text]
    distinct = list(dict.fromkeys(known))
    if len(distinct) < 2:
        return None
    numbers = [_number(text) for text in distinct]
    if all(math.isfinite(number) for number in numbers):
        return RunParameter(name, (), (), np.array([_number(text) for text in texts]))
    if len(distinct) == len(known) or len(distinct) > MOST_LEVELS:
        return None
    rows = {text: float(row) for row, text in enumerate(distinct)}
    return RunParameter(name, (), tuple(distinct), np.array([rows.get(text, math.nan) for text in texts]))


def _order(one: RunParameter) -> Ints:
    """int64[r]: equal for parameters that order (numbers) or divide (categories) the runs in the same way."""
    missing = np.isnan(one.values)
    _, place = np.unique(np.where(missing, np.inf, one.values), return_inverse=True)
    place = place.reshape(-1).astype(np.int64)
    return np.where(missing, -1, place)


def _number(text: str) -> float:
    """NaN for what is none."""
    try:
        return float(text)
    except ValueError:
        return math.nan


def parameter_table(text: str) -> dict[str, dict[str, str]]:
    """Parameters of runs by name, from CSV: a first line `run,threads,...`, then a line for each run.

    Raises InputError, which names the line.
    """
    found: dict[str, dict[str, str]] = {}
    rows = _rows(text)
    _, columns = next(rows, (1, []))
    names = [cell.strip() for cell in columns]
    if len(names) < 2 or not all(names) or len(set(names)) < len(names):
        raise InputError("Line 1 of the table of parameters: the columns are run and names of parameters.")
    for line, cells in rows:
        if not any(cells):
            continue
        if len(cells) != len(names) or not cells[0]:
            raise InputError(f"Line {line:,} of the table of parameters: {len(names)} cells are needed, run first.")
        if cells[0] in found:
            raise InputError(f"Line {line:,} of the table of parameters: {cells[0]!r} is there twice.")
        found[cells[0]] = {name: cell.strip() for name, cell in zip(names[1:], cells[1:], strict=True) if cell.strip()}
        if len(found) * len(names) > MOST_CELLS:
            raise InputError(f"The table of parameters has more than {MOST_CELLS:,} cells.")
    return found


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text.lstrip("\ufeff")))
    try:
        for row in reader:
            yield reader.line_num, row
    except csv.Error as error:
        raise InputError(f"Line {reader.line_num:,} of the table of parameters: {error}.") from None
