"""Merging of what is too thin to be told apart (design 7)."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.geometry.scene.coarse import SLIT, Coarse, coarsen
from cbvtool.layout.radial import RadialLayout
from cbvtool.layout.visible import VisibleTree
from tests.geometry.scenes import random_scene
from tests.layout.cases import Case, cases

THIN = st.sampled_from([0.001, 0.02, 0.1, 0.5, 7.0])


def coarse_case(case: Case, smallest: float) -> tuple[VisibleTree, RadialLayout, np.ndarray, Coarse]:
    tree = case.tree()
    layout = case.layout(tree)
    height = np.where(tree.leaf, np.arange(len(tree)) % 7 / 20, 0.0)
    return tree, layout, height, coarsen(tree, layout, height, smallest)


@given(cases(), THIN)
def test_the_result_is_a_tree_in_preorder(case: Case, smallest: float) -> None:
    """Parents come before children, subtrees are ranges, rings are those of the members."""
    tree, _, _, coarse = coarse_case(case, smallest)
    small = coarse.tree
    rows = np.arange(1, len(small))
    assert (small.parent[rows] < rows).all()
    assert (small.level[rows] == small.level[small.parent[rows]] + 1).all()
    for row in range(len(small)):
        below = [r for r in rows if row < r and row in _ancestors(small, int(r))]
        assert below == list(range(row + 1, int(small.end[row])))
    np.testing.assert_array_equal(small.level[coarse.group], tree.level)
    np.testing.assert_array_equal(small.leaf[coarse.group], tree.leaf)
    np.testing.assert_array_equal(coarse.group[tree.parent[1:]], small.parent[coarse.group[1:]])


@given(cases(), THIN)
def test_what_is_wide_stays_itself(case: Case, smallest: float) -> None:
    """Only thin items share a group, and a group is hardly wider than what it takes to be seen."""
    _, layout, _, coarse = coarse_case(case, smallest)
    extent = layout.a1 - layout.a0
    members = np.bincount(coarse.group)
    assert (members[coarse.group[extent >= smallest]] == 1).all()
    for group in np.flatnonzero(members > 1):
        rows = np.flatnonzero(coarse.group == group)
        assert layout.a1[rows].max() - layout.a0[rows].min() <= 2 * smallest


@given(cases(), THIN)
def test_groups_stand_where_their_members_stand(case: Case, smallest: float) -> None:
    """Children lie inside parents, siblings do not overlap, and no member lies outside of its group."""
    _, layout, _, coarse = coarse_case(case, smallest)
    small, lying = coarse.tree, coarse.layout
    rows = np.arange(1, len(small))
    parent = small.parent[rows]
    assert (lying.a0[rows] >= lying.a0[parent] - 1e-12).all()
    assert (lying.a1[rows] <= lying.a1[parent] + 1e-12).all()
    assert (layout.a0 >= lying.a0[coarse.group] - 1e-12).all()
    assert (layout.a1 <= lying.a1[coarse.group] + 1e-12).all()
    for level in range(1, small.rings + 1):
        ring = np.flatnonzero(small.level == level)
        assert (lying.a1[ring[:-1]] <= lying.a0[ring[1:]] + 1e-12).all()


@given(cases(), THIN)
def test_the_highest_member_is_shown(case: Case, smallest: float) -> None:
    """A peak between slivers does not vanish: it is what the group looks like."""
    _, _, height, coarse = coarse_case(case, smallest)
    highest = np.zeros(len(coarse.tree))
    np.maximum.at(highest, coarse.group, height)
    np.testing.assert_array_equal(height[coarse.shown], highest)
    np.testing.assert_array_equal(coarse.group[coarse.shown], np.arange(len(coarse.tree)))


def test_many_slivers_become_few() -> None:
    """Design 7: 8,850 leaves cost a frame 104 ms, merged 59: the number of segments follows the pixels."""
    scene = random_scene(5000, 10)
    coarse = coarsen(scene.tree, scene.layout, scene.height, 2 * np.pi / 2000)
    assert len(coarse.tree) < 0.6 * len(scene.tree)


def test_gaps_beside_narrow_segments_are_closed() -> None:
    """Slits of a fraction of a pixel flicker; gaps between wide and between top-level segments stay."""
    scene = random_scene(3000, 10)
    smallest = 2 * np.pi / 2000
    coarse = coarsen(scene.tree, scene.layout, scene.height, smallest)
    tree, layout = coarse.tree, coarse.layout
    top = np.flatnonzero(tree.level == 1)
    assert (layout.a0[top[1:]] > layout.a1[top[:-1]]).all()
    rows = np.flatnonzero(tree.leaf & (tree.level > 1))
    siblings = np.flatnonzero((np.diff(rows) == 1) & (np.diff(tree.parent[rows]) == 0))
    gap = layout.a0[rows[siblings + 1]] - layout.a1[rows[siblings]]
    extent = np.minimum(*(layout.a1[rows[siblings + n]] - layout.a0[rows[siblings + n]] for n in (0, 1)))
    assert (gap[extent < 0.9 * SLIT * smallest] < 1e-12).all()
    assert (gap[extent > 1.5 * SLIT * smallest] > 1e-6).all()
    assert (gap < 1e-12).any()
    assert (gap > 1e-6).any()


def _ancestors(tree: VisibleTree, row: int) -> set[int]:
    found = set()
    while (row := int(tree.parent[row])) >= 0:
        found.add(row)
    return found
