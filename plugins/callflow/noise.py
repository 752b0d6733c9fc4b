"""Which differences of two runs their repeats have among themselves, and where a run is odd among its own (CF-8)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.api import ViewContext, run_differences, run_is_odd

from .explaining import OrderedRuns, order_in, repeats_of
from .figures import Floats
from .preparing import FlowModel, second_of, target_of

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class BesideNoise:
    """m differences, those of the means of repeats.

    is_beyond bool[m]     beyond the noise of the repeats
    is_noise  bool[m]     within it, and neither A nor B is odd
    chance    float64[m]  of that noise, corrected for all m; NaN = there are no repeats
    is_odd    bool[2, m]  A, B: outside of what its repeats let expect, so that their mean says nothing of it
    """

    is_beyond: Flags
    is_noise: Flags
    chance: Floats
    is_odd: Flags

    @property
    def is_known(self) -> bool:
        """Whether there are repeats to tell."""
        return not np.isnan(self.chance).all()


def sides_of(ordered: OrderedRuns, one: int, other: int) -> tuple[Ints, Ints]:
    """Repeats of A and of B. Runs at one position are each other's repeats, which say nothing of their difference."""
    if ordered.position[one] == ordered.position[other]:
        return np.array([one]), np.array([other])
    return repeats_of(ordered, one), repeats_of(ordered, other)


def beside_noise(values: Floats, ordered: OrderedRuns, one: int, other: int) -> BesideNoise:
    """Of values float64[r, m] of all runs, NaN = the run lacks it."""
    first, second = sides_of(ordered, one, other)
    found = run_differences(values[first], values[second])
    odd = np.stack(
        [run_is_odd(values[run], values[side[side != run]]) for run, side in ((one, first), (other, second))]
    )
    beyond = ~found.is_noise & ~np.isnan(found.chance)
    return BesideNoise(beyond, found.is_noise & ~odd.any(axis=0), found.chance, odd)


def noise_in(context: ViewContext, model: FlowModel, values: Floats) -> BesideNoise:
    """The same of the runs that are compared."""
    ordered = order_in(context, model)
    found: BesideNoise = context.memo(
        beside_noise, values, ordered, target_of(context, model), second_of(context, model)
    )
    return found


def side_name(model: FlowModel, ordered: OrderedRuns, runs: Ints) -> str:
    """In words: a run, or the repeats at a position."""
    if len(runs) == 1:
        return model.ensemble.names[int(runs[0])]
    return f"{len(runs):,} runs with {ordered.along} {ordered.labels[int(ordered.position[runs[0]])]}"
