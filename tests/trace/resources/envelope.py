"""What is wrong with partitions of a model, beside all partitions that there are: for the tests and the judge."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cbvtool.trace.resources.cells import ResourceCells
from cbvtool.trace.resources.information import information_of
from cbvtool.trace.resources.optima import all_optima
from cbvtool.trace.resources.partition import best_partition
from tests.trace.resources.brute_force import Area, P, all_partitions, count_of, figures, random_cells

Floats = npt.NDArray[np.float64]
NEAR = 1e-10


def lines_of(cells: ResourceCells) -> tuple[list[frozenset[Area]], Floats]:
    """All partitions, and gain, loss and number of areas of each: float64[n, 3]."""
    known: dict[Area, tuple[float, float]] = {}
    partitions = list(all_partitions(cells.tree, cells.slices))
    rows = []
    for partition in partitions:
        for area in partition - known.keys():
            known[area] = figures(cells, area)
        both = [known[area] for area in partition]
        rows.append((sum(gain for gain, _ in both), sum(loss for _, loss in both), len(partition)))
    return partitions, np.array(rows)


def envelope(lines: Floats) -> Floats:
    """float64[n, 3]: p from which a line is the highest, its gain and loss: from p = 0 on, crossing by crossing."""
    gain, loss = lines[:, 0], lines[:, 1]
    at = int(np.lexsort((gain, -loss > np.max(-loss) - NEAR))[-1])
    found = [(0.0, gain[at], loss[at])]
    while True:
        up, down = gain - gain[at], loss - loss[at]
        later = up + down > NEAR
        meets = np.where(later, down / np.where(later, up + down, 1.0), np.inf)
        if not (meets <= 1 + NEAR).any():
            return np.array(found)
        p = float(meets.min())
        here = np.flatnonzero(meets < p + NEAR)
        at = int(here[np.argmax((gain + loss)[here])])
        found.append((p, gain[at], loss[at]))


def faults(cells: ResourceCells) -> list[str]:
    """In words; empty = the best partition for each of `P`, and the list of all of them, are right."""
    partitions, lines = lines_of(cells)
    information, found = information_of(cells), []
    for p in P:
        values = p * lines[:, 0] - (1 - p) * lines[:, 1]
        best = best_partition(information, p)
        areas = frozenset(zip(best.row.tolist(), best.first.tolist(), best.last.tolist(), strict=True))
        if areas not in partitions:
            found.append(f"p = {p}: no partition that keeps to the hierarchy and to time")
        if abs(p * best.gain - (1 - p) * best.loss - values.max()) > NEAR:
            found.append(f"p = {p}: not the best one")
        if len(best) != lines[values > values.max() - NEAR, 2].min():
            found.append(f"p = {p}: of equal ones not the coarser")
    optima, expected = all_optima(information), envelope(lines)
    if len(optima) != len(expected) or not np.allclose(optima.low, expected[:, 0], atol=NEAR):
        found.append(f"the list changes at {optima.low}, not at {expected[:, 0]}")
    elif not np.allclose([(each.gain, each.loss) for each in optima.partitions], expected[:, 1:], atol=NEAR):
        found.append("the list has other partitions than the envelope")
    if (np.diff(optima.gain) < -NEAR).any() or (np.diff(optima.loss) < -NEAR).any():
        found.append("gain or loss falls with p")
    return found


def small_case(rng: np.random.Generator) -> ResourceCells:
    """A random model with at most 20,000 partitions."""
    while True:
        cells = random_cells(rng)
        if count_of(cells.tree, cells.slices) <= 20_000:
            return cells
