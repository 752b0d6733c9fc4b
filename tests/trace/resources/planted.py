"""Made-up runs of all sorts, each from a seed, and whether the findings are right about it."""

from __future__ import annotations

import numpy as np

from cbvtool.trace.resources.cells import ResourceCells, cells_of
from cbvtool.trace.resources.deviations import Deviation, deviations
from tests.trace.resources.runs import MS, Planted, barrier_run, crowded_run, free_run


def _sort(rng: np.random.Generator) -> tuple[int, int, float]:
    """Ranks, steps, noise."""
    return int(rng.choice([4, 8, 16, 32])), int(rng.integers(60, 200)), float(rng.choice([0.02, 0.1, 0.2]))


def _planted(rng: np.random.Generator, ranks: int, steps: int) -> Planted:
    """One rank, for 6 to 30 % of the time."""
    total = steps * 10 * MS
    long = int(total * rng.uniform(0.06, 0.3))
    first = int(rng.uniform(total * 0.05, total * 0.9 - long))
    return Planted((int(rng.integers(ranks)),), first, first + long)


def overlap(cells: ResourceCells, found: Deviation, planted: Planted) -> float:
    """Intersection over union of resource and interval: 0 for another resource."""
    if cells.tree.name[found.row] != f"rank {planted.ranks[0]}":
        return 0.0
    first, last = int(cells.edges[found.first]), int(cells.edges[found.last + 1])
    both = min(last, planted.last) - max(first, planted.first)
    return max(both, 0) / (max(last, planted.last) - min(first, planted.first))


def disturbed(seed: int) -> bool:
    """Whether the disturbance is among the first three findings, with an overlap of at least 0.8."""
    rng = np.random.default_rng([seed, 1])
    ranks, steps, noise = _sort(rng)
    planted = _planted(rng, ranks, steps)
    trace = free_run(rng, ranks, steps, noise, planted, str(rng.choice(["wait", "send", "io"])))
    cells = cells_of(trace)
    return any(overlap(cells, found, planted) >= 0.8 for found in deviations(cells)[:3])


def undisturbed(seed: int) -> bool:
    """Whether a run without a disturbance has no finding but single slices that are marked as noise."""
    rng = np.random.default_rng([seed, 2])
    ranks, steps, noise = _sort(rng)
    trace = (free_run if rng.random() < 0.5 else barrier_run)(rng, ranks, steps, noise)
    return all(found.noise and found.first == found.last for found in deviations(cells_of(trace)))


def straggling(seed: int) -> bool:
    """Whether a rank for which all others wait at a barrier is itself among the first three findings."""
    rng = np.random.default_rng([seed, 3])
    ranks, steps, noise = _sort(rng)
    planted = _planted(rng, ranks, steps)
    cells = cells_of(barrier_run(rng, ranks, steps, noise, planted))
    return any(cells.tree.name[found.row] == f"rank {planted.ranks[0]}" for found in deviations(cells)[:3])


def crowded(seed: int) -> bool:
    """Whether a rank that does what no other does comes first, with its interval, where each is late now and then."""
    rng = np.random.default_rng([seed, 4])
    ranks, steps = int(rng.choice([8, 16, 32])), int(rng.integers(10, 40))
    first = int(rng.integers(1, steps - 4))
    planted = int(rng.integers(ranks)), first, first + int(rng.integers(3, 5))
    trace = crowded_run(rng, ranks, steps, planted)
    cells = cells_of(trace)
    begins = trace.calls.start[trace.calls.function == [*trace.functions.name].index("hog")]
    interval = Planted(planted[:1], int(begins.min()), int(begins.max()) + 10 * MS)
    return overlap(cells, deviations(cells)[0], interval) >= 0.8
