"""Which of the two caused a deviation, the new code or the new input (TD-14; 002, 7.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from cbvtool.trace.compare.runs.deviations import Kind, RunDeviation, by_function, compared
from cbvtool.trace.compare.runs.paths import CallPaths, CrossedPaths

OriginKind = Literal["code", "input", "both", "together"]
_DIRECTION: Mapping[Kind, str] = {
    "appeared": "more",
    "more-calls": "more",
    "vanished": "fewer",
    "fewer-calls": "fewer",
    "slower": "slower",
    "faster": "faster",
}


@dataclass(frozen=True)
class Origin:
    """What a deviation comes from.

    kind       "code": the new code deviates so on the old input, too; "input": the old code does on the new input;
               "both": each of the two; "together": neither, it takes the new code and the new input
    new_code   median of the new code on the old input: calls, or ns that the function takes by itself
    new_input  median of the old code on the new input
    """

    kind: OriginKind
    new_code: float
    new_input: float


def origins(
    deviations: Sequence[RunDeviation],
    paths: CrossedPaths,
    *,
    slower: float = 0.1,
    min_time: float = 0.0,
    ignored: tuple[str, ...] = (),
) -> list[Origin]:
    """The origin of each deviation of `paths.both`, judged by the same thresholds; see `deviations.compared`."""
    alone = []
    for part in (paths.code, paths.input):
        found = compared(part, slower=slower, min_time=min_time, ignored=ignored).deviations
        alone.append({(one.common, _DIRECTION[one.kind]) for one in found})
    values = [_medians(part) for part in (paths.code, paths.input)]
    kinds: dict[tuple[bool, bool], OriginKind] = {
        (True, False): "code",
        (False, True): "input",
        (True, True): "both",
        (False, False): "together",
    }
    made = []
    for one in deviations:
        by_code, by_input = ((one.common, _DIRECTION[one.kind]) in each for each in alone)
        row = one.kind in ("slower", "faster")
        made.append(Origin(kinds[by_code, by_input], *(float(each[int(row), one.common]) for each in values)))
    return made


def _medians(paths: CallPaths) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """float64[2, f]: calls and own time of each function, medians of the runs behind those of the reference."""
    return np.stack(
        [np.median(by_function(paths, values)[paths.references :], axis=0) for values in (paths.calls, paths.own)]
    )
