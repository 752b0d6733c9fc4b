"""What is drawn of a partition where resources are lower than some pixels (OC-3, OC-4)."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.trace.resources.information import information_of
from cbvtool.trace.resources.partition import Partition, best_partition
from cbvtool.trace.resources.resource_tree import ResourceGroup, tree_of
from cbvtool.trace.resources.shapes import AREA, OTHER_TIMES, SAME_TIMES, painted, shapes_of
from tests.trace.resources.brute_force import random_cells


@given(
    st.integers(0, 10**6),
    st.sampled_from([0.0, 0.01, 0.05, 0.2]),
    st.floats(0.1, 8.0),
    st.sampled_from([1.0, 3.0, 9.0]),
)
def test_shapes_tile_the_plane_and_are_high_enough(seed: int, p: float, leaf_height: float, least: float) -> None:
    """OC-3: each cell in one shape; none lower than the threshold but the root; no area is cut; all are counted."""
    cells = random_cells(np.random.default_rng(seed), 14, 12)
    tree, slices = cells.tree, cells.slices
    partition = best_partition(information_of(cells), p)
    shapes = shapes_of(tree, partition, slices, leaf_height, least)
    covered = np.zeros((len(tree.leaves), slices), np.int64)
    numbers = painted(tree, partition, slices)
    for row, first, last, mark, count in zip(
        shapes.row.tolist(), shapes.first.tolist(), shapes.last.tolist(), shapes.mark, shapes.count, strict=True
    ):
        leaves = slice(tree.first_leaf[row], tree.first_leaf[tree.end[row]])
        covered[leaves, first : last + 1] += 1
        assert row == 0 or tree.size[row] * leaf_height >= least
        inside = np.unique(numbers[leaves, first : last + 1])
        assert len(inside) == count
        assert (mark == AREA) <= (count == 1)
        for area in inside.tolist():
            if mark != AREA:
                assert first <= partition.first[area]
                assert partition.last[area] <= last
        cuts = {(int(partition.first[area]), int(partition.last[area])) for area in inside}
        if mark == SAME_TIMES:
            assert cuts == {(first, last)}
        elif mark == OTHER_TIMES:
            assert len(cuts) > 1
    assert (covered == 1).all()
    heights = tree.size[shapes.row] * leaf_height
    assert len(shapes) <= max(len(tree.leaves) * leaf_height / max(min(heights.tolist()), least), 1.0) * slices


def test_a_resize_changes_no_partition_and_marks_tell_what_is_merged() -> None:
    """OC-3, OC-4: two of four leaves are cut elsewhere; small, both groups are one shape each."""
    tree = tree_of(
        [
            [ResourceGroup(group, f"group {group}"), ResourceGroup(leaf, f"leaf {leaf}")]
            for group in (0, 1)
            for leaf in (0, 1)
        ]
    )
    assert tree.name == ("all", "group 0", "leaf 0", "leaf 1", "group 1", "leaf 0", "leaf 1")
    areas = [(2, 0, 9), (3, 0, 9), (5, 0, 4), (5, 5, 9), (6, 0, 3), (6, 4, 9)]
    row, first, last = (np.array(column, np.int32) for column in zip(*areas, strict=True))
    partition = Partition(row, first, last, 0.0, 0.0)
    for height, expected in (
        (20.0, [(*area, AREA, 1) for area in areas]),
        (2.0, [(1, 0, 9, SAME_TIMES, 2), (4, 0, 9, OTHER_TIMES, 4)]),
        (0.5, [(0, 0, 9, OTHER_TIMES, 6)]),
    ):
        found = shapes_of(tree, partition, 10, height, 3.0)
        columns = (found.row, found.first, found.last, found.mark, found.count)
        assert list(zip(*(column.tolist() for column in columns), strict=True)) == expected
