"""Every partition that is the best for some p, and a few of them as a first picture (OC-2).

Gain and loss of a partition are a line of p: `p * gain - (1 - p) * loss`. The best ones form the upper envelope of all
lines. Where the lines of two of them meet, either they change there, or another one is better, and lies between them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from cbvtool.progress import Progress, silent
from cbvtool.trace.resources.information import Information
from cbvtool.trace.resources.partition import ROUNDING, Partition, best_partition

Floats = npt.NDArray[np.float64]
COARSE = (0.0, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.12, 0.3, 1.0)  # most changes lie at very small p
MOST_PARTITIONS = 20_000


@dataclass(frozen=True, eq=False)
class Optima:
    """Optimal partitions, the finest first.

    partitions  the first one loses nothing, the last one is a single area
    low         float64[n]: the p from which each is the best, ascending from 0
    whole       gain and loss of a single area
    complete    whether these are all that there are; else those of a few values of p
    """

    partitions: tuple[Partition, ...]
    low: Floats
    whole: tuple[float, float]
    complete: bool

    def __len__(self) -> int:
        return len(self.partitions)

    @cached_property
    def gain(self) -> Floats:
        """float64[n], 0 to 1: the part of the complexity that each saves of what a single area saves."""
        return np.array([each.gain for each in self.partitions]) / (self.whole[0] or 1.0)

    @cached_property
    def loss(self) -> Floats:
        """float64[n], 0 to 1: the part of the information that each loses of what a single area loses."""
        return np.array([each.loss for each in self.partitions]) / (self.whole[1] or 1.0)

    @cached_property
    def marked(self) -> int:
        """The partition before the largest drop of gain + loss: the next one takes the most at once."""
        steps = np.diff(self.gain + self.loss)
        return int(np.argmax(steps)) if len(steps) else 0

    @cached_property
    def clearest(self) -> int:
        """The partition with the largest gain * (1 - loss)^3: what is lost counts more than what is saved."""
        return int(np.argmax(self.gain * (1 - self.loss) ** 3))

    def at(self, p: float) -> int:
        """The partition that is the best for p."""
        return max(int(np.searchsorted(self.low, p, "right")) - 1, 0)


def first_optima(information: Information) -> Optima:
    """The best partitions for `COARSE` values of p: a picture at once."""
    kept = np.empty_like(information.gain)
    found: list[Partition] = []
    low: list[float] = []
    for p in COARSE:
        partition = best_partition(information, p, kept)
        if not found or not _same(found[-1], partition, information):
            found.append(partition)
            low.append(p)
    return Optima(tuple(found), np.array(low), information.whole, complete=False)


def all_optima(information: Information, progress: Progress = silent) -> Optima:
    """All of them; `progress` is told of each and may stop it. Beyond `MOST_PARTITIONS` it is not complete."""
    found: list[Partition] = []
    low: list[float] = []
    for p, partition in optima(information, progress):
        found.append(partition)
        low.append(p)
        if len(found) >= MOST_PARTITIONS:
            break
    complete = len(found) < MOST_PARTITIONS
    return Optima(tuple(found), np.array(low), information.whole, complete)


def optima(information: Information, progress: Progress = silent) -> Iterator[tuple[float, Partition]]:
    """(p from which it is the best, partition), the finest first. Two solves for each."""
    kept = np.empty_like(information.gain)
    count = 1
    low, high = best_partition(information, 0.0, kept), best_partition(information, 1.0, kept)
    yield 0.0, low
    waiting = [] if _same(low, high, information) else [(low, high)]
    while waiting:
        progress("finding partitions", count, 0)
        fine, coarse = waiting.pop()
        p = meeting(fine, coarse)
        between = best_partition(information, p, kept)
        better = p * (between.gain - fine.gain) - (1 - p) * (between.loss - fine.loss)
        if (
            better <= ROUNDING * sum(information.whole) * (1 + len(fine) - len(coarse))
            or _same(between, fine, information)
            or _same(between, coarse, information)
        ):
            count += 1
            yield p, coarse
        else:
            waiting += [(between, coarse), (fine, between)]


def meeting(fine: Partition, coarse: Partition) -> float:
    """The p for which both are worth the same."""
    gain, loss = max(coarse.gain - fine.gain, 0.0), max(coarse.loss - fine.loss, 0.0)
    return loss / (gain + loss) if gain + loss > 0 else 0.0


def _same(one: Partition, other: Partition, information: Information) -> bool:
    """Whether two partitions are the same, or worth the same for every p."""
    noise = ROUNDING * sum(information.whole)
    return abs(one.gain - other.gain) <= noise and abs(one.loss - other.loss) <= noise and len(one) == len(other)
