"""What runs of a test do more, less or slower than runs of a reference (TD-9, TD-13).

Counts are judged by function, from one run on: they are exact. A function whose count follows from that of its callers
(each of them calls it as often per call as before) is marked so: the caller is the finding. Counts that vary among the
runs of one version are its noise. Times are judged by function from eight runs a side on, of the functions that take
enough of the run for a difference to be seen. Of `CallPaths.each_apart` all this is judged by call path.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from cbvtool.errors import InputError
from cbvtool.matching import Lines, PatternError, glob
from cbvtool.trace.compare.runs.paths import CallPaths, Row
from cbvtool.trace.compare.runs.statistics import shifts, steadied, without_drift

Floats = npt.NDArray[np.float64]
Kind = Literal["appeared", "vanished", "more-calls", "fewer-calls", "slower", "faster"]

FEWEST_RUNS = 8  # a side, for times
CHANCE = 0.01
MOST_JUDGED = 60  # functions whose times are judged: with eight runs a side more could not be told from chance
LEAST_SHARE = 0.005  # of the run that a judged function takes by itself


@dataclass(frozen=True)
class RunDeviation:
    """One function that behaves otherwise.

    function   its qualified name
    file, line of its definition in the test, else in the reference
    path       names of the callers and the function, the outermost first, where the difference is largest
    reference, test  medians over the runs: calls, or ns that it takes by itself
    low, high  interval of the relative change of a time
    chance     corrected probability that chance alone does this; 0 for counts
    follows    the count is what its callers' counts make of it
    """

    kind: Kind
    function: str
    file: str
    line: int
    path: tuple[str, ...]
    reference: float
    test: float
    low: float = 0.0
    high: float = 0.0
    chance: float = 0.0
    follows: bool = False
    common: int = -1
    place: int = -1

    @property
    def change(self) -> float:
        """Relative change, 0.2 = a fifth more; infinite where there was nothing before."""
        return self.test / self.reference - 1.0 if self.reference else float("inf")


@dataclass(frozen=True)
class RunComparison:
    """What two groups of runs show.

    deviations  the weightiest first, of each kind
    noise       functions whose count differs among runs of one version: (name, file), each once
    judged      of how many functions the time was judged; 0 = there are too few runs
    clock       whose time it was: "cpu", "wall"
    """

    deviations: tuple[RunDeviation, ...]
    noise: tuple[tuple[str, str], ...]
    judged: int
    clock: str


def compared(
    paths: CallPaths, *, slower: float = 0.1, min_time: float = 0.0, ignored: tuple[str, ...] = ()
) -> RunComparison:
    """Judge the runs of `paths`.

    slower    relative change of a time that counts
    min_time  ns that a function must take by itself in one of the two, besides `LEAST_SHARE`
    ignored   patterns as of a shell, of qualified names, files, or `file::name`
    """
    kept = _kept(paths, ignored)
    counts, noise = _counts(paths, kept)
    timed, judged = _times(paths, kept, slower, min_time)
    return RunComparison((*timed, *counts), noise, judged, paths.clock)


def _ids(paths: CallPaths) -> int:
    return int(paths.function.max(initial=-1)) + 1


def _kept(paths: CallPaths, ignored: tuple[str, ...]) -> npt.NDArray[np.bool_]:
    """bool[f]: the functions whose name, file and `file::name` fit no pattern."""
    kept = np.array([number in paths.reference or number in paths.test for number in range(_ids(paths))], np.bool_)
    kept[kept] = ~fits_any([paths.row(number) for number in np.flatnonzero(kept).tolist()], ignored)
    return kept


def fits_any(rows: Sequence[Row], patterns: tuple[str, ...]) -> npt.NDArray[np.bool_]:
    """bool[f]: the functions whose name, file or `file::name` fits one of the patterns. Raises InputError."""
    texts = [text for name, _, file, _ in rows for text in (name, file, f"{file}::{name}")]
    lines, found = Lines(texts), np.zeros(len(texts), np.bool_)
    for pattern in patterns:
        try:
            found[glob(pattern).rows(lines)] = True
        except PatternError as reason:
            raise InputError(f"The pattern {pattern!r} cannot be used: {reason}.") from None
    by_text = found.reshape(-1, 3)
    return by_text[:, 0] | by_text[:, 1] | by_text[:, 2]


def by_function(paths: CallPaths, values: Floats) -> Floats:
    """float64[r, f]: values of call paths added up by function."""
    return np.stack([np.bincount(paths.function, weights=row, minlength=_ids(paths)) for row in values])


def _counts(paths: CallPaths, kept: npt.NDArray[np.bool_]) -> tuple[list[RunDeviation], tuple[tuple[str, str], ...]]:
    """Changed numbers of calls, and functions whose number varies by itself."""
    calls = by_function(paths, paths.calls)
    before, after = calls[: paths.references], calls[paths.references :]
    varies = (before.min(axis=0) != before.max(axis=0)) | (after.min(axis=0) != after.max(axis=0))
    apart = (after.min(axis=0) > before.max(axis=0)) | (after.max(axis=0) < before.min(axis=0))
    changed = np.flatnonzero(kept & apart)
    follows = _follows(paths, changed)
    found = []
    for function in changed.tolist():
        old, new = float(np.median(before[:, function])), float(np.median(after[:, function]))
        kind: Kind = "appeared" if not old else "vanished" if not new else "more-calls" if new > old else "fewer-calls"
        place = _largest(paths, paths.calls, function)
        found.append(_deviation(paths, kind, function, place, old, new, follows=follows[function]))
    found.sort(key=lambda one: (one.follows, -abs(one.test - one.reference), one.file, one.function))
    rows = (paths.row(function) for function in np.flatnonzero(kept & varies & ~apart).tolist())
    return found, tuple(dict.fromkeys((name, file) for name, _, file, _ in rows))


def _follows(paths: CallPaths, changed: npt.NDArray[np.int64]) -> dict[int, bool]:
    """Whether each of its callers, if any, calls a function as often per call as before."""
    runs = np.array([np.median(paths.calls[side], axis=0) for side in _sides(paths)])
    own = np.array([np.bincount(paths.function, weights=row, minlength=_ids(paths)) for row in runs])
    pairs: dict[int, dict[int, Floats]] = {int(function): {} for function in changed}
    for path in np.flatnonzero(np.isin(paths.function, changed)).tolist():
        caller = int(paths.function[paths.parent[path]]) if paths.parent[path] >= 0 else -1
        sums = pairs[int(paths.function[path])]
        sums[caller] = sums.get(caller, np.zeros(2)) + runs[:, path]
    found = {}
    for function, sums in pairs.items():
        found[function] = -1 not in sums and all(
            caller != function and np.isclose(calls[0] * own[1, caller], calls[1] * own[0, caller], rtol=1e-9)
            for caller, calls in sums.items()
        )
    return found


def _times(
    paths: CallPaths, kept: npt.NDArray[np.bool_], slower: float, min_time: float
) -> tuple[list[RunDeviation], int]:
    """Functions that are slower or faster by more than noise, and how many were judged."""
    before, after = _sides(paths)
    if min(paths.references, len(paths.own) - paths.references) < FEWEST_RUNS:
        return [], 0
    own = by_function(paths, paths.own)
    both = np.stack([np.median(own[before], axis=0), np.median(own[after], axis=0)])
    least = max(min_time, LEAST_SHARE * float(own.sum(axis=1).mean()))
    judged = np.flatnonzero((both.min(axis=0) > 0) & (both.max(axis=0) >= least) & kept)
    judged = judged[np.argsort(-both[:, judged].max(axis=0), kind="stable")][:MOST_JUDGED]
    chosen = own[:, judged]
    values = steadied(chosen, paths.references) if paths.alternating else without_drift(chosen)
    told = shifts(values[before], values[after])
    found = []
    for place, function in enumerate(judged.tolist()):
        change = float(told.change[place])
        if told.chance[place] > CHANCE or abs(change) < slower or told.low[place] <= 0.0 <= told.high[place]:
            continue
        old, new = (float(np.median(values[side, place])) for side in (before, after))
        one = _deviation(
            paths,
            "slower" if change > 0 else "faster",
            function,
            _largest(paths, paths.own, function),
            old,
            new,
            interval=(float(told.low[place]), float(told.high[place])),
            chance=float(told.chance[place]),
        )
        found.append(one)
    found.sort(key=lambda one: (one.kind != "slower", -abs(one.test - one.reference)))
    return found, len(judged)


def _sides(paths: CallPaths) -> tuple[slice, slice]:
    return slice(0, paths.references), slice(paths.references, None)


def _largest(paths: CallPaths, values: Floats, function: int) -> int:
    """The path of a function in which its values differ most."""
    places = np.flatnonzero(paths.function == function)
    before, after = (np.median(values[side][:, places], axis=0) for side in _sides(paths))
    return int(places[np.argmax(np.abs(after - before))])


def _deviation(
    paths: CallPaths,
    kind: Kind,
    function: int,
    place: int,
    reference: float,
    test: float,
    *,
    interval: tuple[float, float] = (0.0, 0.0),
    chance: float = 0.0,
    follows: bool = False,
) -> RunDeviation:
    name, _, file, line = paths.row(function)
    names = tuple(paths.row(int(paths.function[each]))[0] for each in paths.above(place))
    return RunDeviation(kind, name, file, line, names, reference, test, *interval, chance, follows, function, place)
