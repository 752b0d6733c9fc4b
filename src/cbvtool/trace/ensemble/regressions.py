"""What runs of one version spend more than those of another, beyond the noise of repeats (CF-9)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.errors import InputError
from cbvtool.trace.ensemble.differences import run_differences

Floats = npt.NDArray[np.float64]
CHANCE = 0.01  # that noise alone gives as much, corrected for all that is compared
SLOWER = 0.05  # of what the reference spends
LEAST_SHARE = 0.001  # of a run: what takes less in both is not judged


@dataclass(frozen=True)
class SlowerPart:
    """Column `part` takes more. reference, test: means; change: in parts of the reference, inf = it spent nothing."""

    part: int
    reference: float
    test: float
    change: float
    chance: float


def regressions(reference: Floats, test: Floats, whole: float, slower: float = SLOWER) -> list[SlowerPart]:
    """Those of a x m and b x m values (NaN = the run lacks it), the largest first.

    whole: what a run of the reference spends in all. Raises InputError without repeats, which tell noise.
    """
    if min(len(reference), len(test)) < 2:
        raise InputError("Noise is unknown: REF and TEST need two runs each, better five (folders of repeats).")
    told = run_differences(reference, test)
    before, after = np.nan_to_num(told.first), np.nan_to_num(told.second)
    worse = (told.change > slower * before) & (told.chance <= CHANCE) & (after >= LEAST_SHARE * whole)
    rows = np.flatnonzero(worse)
    rows = rows[np.argsort(-told.change[rows], kind="stable")]
    return [
        SlowerPart(
            row,
            float(before[row]),
            float(after[row]),
            float(told.change[row] / before[row]) if before[row] > 0 else float("inf"),
            float(told.chance[row]),
        )
        for row in rows.tolist()
    ]
