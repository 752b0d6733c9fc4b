"""What of a partition can be seen at a size: areas that are too low for the eye are drawn as one (OC-3; 003, III.C).

Where an area is lower than some pixels, its resource's parent is drawn instead, for as long as that holds. Such a shape
is marked: whether what lies below is cut at the same times, or at different ones. The partition stays as it is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.trace.kernels import kernel
from cbvtool.trace.resources.partition import Partition
from cbvtool.trace.resources.resource_tree import ResourceTree

Ints = npt.NDArray[np.int32]
AREA, SAME_TIMES, OTHER_TIMES = range(3)


@dataclass(frozen=True, eq=False)
class Shapes:
    """s rectangles that tile the plane of resources and time.

    row          int32[s]: of the tree
    first, last  int32[s]: slices, the last one included
    mark         int8[s]: AREA of the partition; SAME_TIMES, OTHER_TIMES: several, below which cuts are equal or differ
    count        int32[s]: how many areas each stands for
    """

    row: Ints
    first: Ints
    last: Ints
    mark: npt.NDArray[np.int8]
    count: Ints

    def __len__(self) -> int:
        return len(self.row)


@kernel
def paint(row: Ints, first: Ints, last: Ints, first_leaf: Ints, end: Ints, out: Ints) -> None:
    """Write the number of the area that each cell lies in: int32[l, k]."""
    for area in range(len(row)):
        for leaf in range(first_leaf[row[area]], first_leaf[end[row[area]]]):
            out[leaf, first[area] : last[area] + 1] = area


def painted(tree: ResourceTree, partition: Partition, slices: int) -> Ints:
    """int32[l, k]: the area in which each cell lies."""
    numbers = np.zeros((len(tree.leaves), slices), np.int32)
    paint(partition.row, partition.first, partition.last, tree.first_leaf, tree.end, numbers)
    return numbers


def shapes_of(tree: ResourceTree, partition: Partition, slices: int, leaf_height: float, least: float) -> Shapes:
    """The shapes where each leaf is `leaf_height` pixels high; none is lower than `least`, save the root."""
    low = tree.size * leaf_height < least
    if not low[partition.row].any():
        areas = len(partition)
        return Shapes(
            partition.row, partition.first, partition.last, np.zeros(areas, np.int8), np.ones(areas, np.int32)
        )
    numbers = painted(tree, partition, slices)
    merged = _merged(tree, partition, numbers, low)
    covered = np.zeros_like(merged)
    for row in range(1, len(tree)):
        above = tree.parent[row]
        covered[row] = covered[above] | merged[above]
    alone = np.flatnonzero(~covered[partition.row, partition.first] & ~merged[partition.row, partition.first])
    found = [
        (int(partition.row[each]), int(partition.first[each]), int(partition.last[each]), AREA, 1) for each in alone
    ]
    top = merged & ~covered
    for row in np.flatnonzero(top.any(axis=1)).tolist():
        part = numbers[tree.first_leaf[row] : tree.first_leaf[tree.end[row]]]
        begins = np.ones(part.shape, np.bool_)
        begins[:, 1:] = part[:, 1:] != part[:, :-1]
        together, some = np.asarray(begins.all(axis=0)), np.asarray(begins.any(axis=0))
        together |= np.concatenate(([True], top[row, 1:] & ~top[row, :-1]))
        starts = np.flatnonzero(top[row] & together)
        ends = np.append(starts[1:], slices) - 1
        for first, last in zip(starts.tolist(), ends.tolist(), strict=True):
            inside = top[row, first : last + 1]
            stop = first + (len(inside) if inside.all() else int(np.argmin(inside))) - 1
            mark = OTHER_TIMES if some[first + 1 : stop + 1].any() else SAME_TIMES
            found.append((row, first, stop, mark, len(np.unique(part[:, first : stop + 1]))))
    found.sort()
    table = np.array(found, np.int32).reshape(-1, 5)
    return Shapes(table[:, 0], table[:, 1], table[:, 2], table[:, 3].astype(np.int8), table[:, 4])


def _merged(
    tree: ResourceTree, partition: Partition, numbers: Ints, low: npt.NDArray[np.bool_]
) -> npt.NDArray[np.bool_]:
    """bool[n, k]: where a resource is drawn in place of what lies below. No area is cut by it in time."""
    slices = numbers.shape[1]
    present = np.zeros((len(tree), slices), np.bool_)
    for area in range(len(partition)):
        present[partition.row[area], partition.first[area] : partition.last[area] + 1] = True
    merged = np.zeros_like(present)
    while True:
        for row in range(len(tree) - 1, 0, -1):
            if low[row]:
                merged[tree.parent[row]] |= present[row] | merged[row]
        before = merged.sum()
        for row in np.flatnonzero(merged.any(axis=1)).tolist():
            leaves = slice(tree.first_leaf[row], tree.first_leaf[tree.end[row]])
            touched = np.unique(numbers[leaves][:, merged[row]])
            for area in touched.tolist():
                merged[row, partition.first[area] : partition.last[area] + 1] = True
        if merged.sum() == before:
            return merged
