"""Every partition of small models that keeps to the hierarchy and the order of time, without dynamic programming."""

from __future__ import annotations

import math
from functools import cache
from itertools import product

import numpy as np

from cbvtool.trace.resources.cells import ResourceCells
from cbvtool.trace.resources.resource_tree import ResourceGroup, ResourceTree, tree_of

Area = tuple[int, int, int]  # row, first and last slice
P = (0.0, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 1.0)


def random_cells(rng: np.random.Generator, leaves: int = 4, slices: int = 4) -> ResourceCells:
    """At most so many leaves in random groups, slices and 3 states; few values, so that many cells are alike."""
    paths = []
    for leaf in range(int(rng.integers(1, leaves + 1))):
        groups = [ResourceGroup(int(each), f"group {each}") for each in rng.integers(0, 2, int(rng.integers(0, 3)))]
        paths.append((*groups, ResourceGroup(("leaf", leaf), f"leaf {leaf}")))
    tree = tree_of(paths)
    k, x = int(rng.integers(1, slices + 1)), int(rng.integers(1, 4))
    shape = (len(tree.leaves), k, x)
    kind = rng.integers(0, 4)
    if kind == 0:
        amount = rng.integers(0, 3, shape).astype(float)
    elif kind == 1:
        amount = rng.random(shape)
    elif kind == 2:
        amount = rng.random(shape) * (rng.random(shape) < 0.4)
    else:
        amount = np.repeat(rng.integers(0, 5, (shape[0], 1, x)), k, axis=1).astype(float)
    return ResourceCells(tree, tuple(f"state {each}" for each in range(x)), np.arange(k + 1, dtype=np.int64), amount)


def figures(cells: ResourceCells, area: Area) -> tuple[float, float]:
    """Gain and loss of one area, cell by cell, in parts of all amounts."""
    tree, (row, first, last) = cells.tree, area
    unit = float(cells.amount.sum()) or 1.0
    low, high = int(tree.first_leaf[row]), int(tree.first_leaf[tree.end[row]])
    part = cells.amount[low:high, first : last + 1] / unit
    gain = loss = 0.0
    for state in range(part.shape[2]):
        values = [float(value) for value in part[:, :, state].ravel()]
        whole = math.fsum(values)
        if whole > 0:
            gain += whole * math.log2(whole) - math.fsum(value * math.log2(value) for value in values if value > 0)
            loss += math.fsum(value * math.log2(value * len(values) / whole) for value in values if value > 0)
    return gain, loss


def all_partitions(tree: ResourceTree, slices: int) -> set[frozenset[Area]]:
    """All sets of areas that tile the plane by cuts: none, into the resources below, or of the time in two."""

    @cache
    def of(row: int, first: int, last: int) -> frozenset[frozenset[Area]]:
        found = {frozenset([(row, first, last)])}
        if children := tree.children(row):
            parts = [of(child, first, last) for child in children]
            found |= {frozenset().union(*chosen) for chosen in product(*parts)}
        for middle in range(first, last):
            found |= {one | other for one in of(row, first, middle) for other in of(row, middle + 1, last)}
        return frozenset(found)

    return set(of(0, 0, slices - 1))


def count_of(tree: ResourceTree, slices: int) -> float:
    """An upper bound of their number, to leave large cases out."""
    bound: dict[tuple[int, int], float] = {}
    for row in range(len(tree) - 1, -1, -1):
        for long in range(1, slices + 1):
            total = 1.0
            if children := tree.children(row):
                total += math.prod(bound[child, long] for child in children)
            total += sum(bound[row, part] * bound[row, long - part] for part in range(1, long))
            bound[row, long] = total
    return bound[0, slices]
