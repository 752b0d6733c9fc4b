"""The rings as a mesh (CBV-1, CBV-3)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.geometry.scene.coarse import coarsen
from cbvtool.geometry.scene.rings import BRIGHTNESS, SIDE, STEP, TOP, Mesh, ring_mesh, tops
from tests.layout.cases import Case, cases


def meshed(case: Case, seed: int = 0) -> tuple[Mesh, np.ndarray, np.ndarray]:
    """The mesh of a case with random heights and colours."""
    tree = case.tree()
    rng = np.random.default_rng(seed)
    height = np.where(tree.leaf, rng.random(len(tree)) / 3, 0.0)
    color = rng.integers(0, 256, (len(tree), 4)).astype(np.uint8)
    return ring_mesh(tree, case.layout(tree), height, color), height, color


@given(cases())
def test_faces_look_outward(case: Case) -> None:
    """Design 7: back-face culling; every triangle turns the way its normal says, and none is degenerate unless flat."""
    mesh, height, _ = meshed(case)
    corners = mesh.points[mesh.triangles].astype(np.float64)
    cross = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normal = mesh.normals[mesh.triangles[:, 0]].astype(np.float64)
    facing = (cross * normal).sum(axis=1)
    size = np.linalg.norm(cross, axis=1)
    longest = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max(axis=1)
    solid = size > 5e-5 * longest  # thinner ones are turned by the rounding of their corners to 24 bits
    np.testing.assert_allclose(facing[solid] / size[solid], 1.0, atol=1e-2)
    np.testing.assert_allclose(np.linalg.norm(mesh.normals, axis=1), 1.0, atol=1e-6)
    wide = (case.layout(case.tree()).a1 - case.layout(case.tree()).a0)[mesh.triangle_item] > 1e-3
    assert solid[wide & (height[mesh.triangle_item] > 1e-3)].all()


@given(cases())
def test_only_the_innermost_ring_rises(case: Case) -> None:
    """CBV-3: blocks stand on the innermost ring; CBV-1: the outer stretch of a higher leaf stays flat."""
    tree = case.tree()
    layout = case.layout(tree)
    mesh, height, _ = meshed(case)
    radius = np.hypot(mesh.points[:, 0], mesh.points[:, 1])
    up = mesh.points[:, 2] > 0
    assert (radius[up] <= layout.band1 + 1e-6).all()
    assert (radius[up] >= layout.band0 - 1e-6).all()
    assert tree.leaf[mesh.point_item[up]].all()
    np.testing.assert_array_equal(mesh.points[up, 2], height[mesh.point_item[up]].astype(np.float32))
    tops = up & (mesh.face == TOP)
    assert set(mesh.point_item[tops]) == set(np.flatnonzero(height > 0).tolist()) & set(mesh.point_item.tolist())


@given(cases(), st.sampled_from([0.02, 0.5]), st.integers(0, 9))
def test_between_touching_blocks_stands_what_is_seen_of_their_walls(case: Case, smallest: float, seed: int) -> None:
    """A wall from the lower block up to the higher one; where there is a gap, from the ground.

    At heights that the mesh is given later as well.
    """
    tree = case.tree()
    coarse = coarsen(tree, case.layout(tree), np.zeros(len(tree)), smallest)
    tree, layout = coarse.tree, coarse.layout
    height = np.where(tree.leaf, np.random.default_rng(seed).random(len(tree)), 0.0)
    mesh = ring_mesh(tree, layout).with_height(height)
    corners = mesh.points[mesh.triangles].astype(np.float64)
    area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1) / 2
    side = mesh.face[mesh.triangles[:, 0]] == SIDE
    walls = np.bincount(mesh.triangle_item[side], area[side], len(tree)) / (layout.band1 - layout.band0)

    blocks = np.flatnonzero(tree.leaf & (np.arange(len(tree)) > 0))
    for number, block in enumerate(blocks.tolist()):
        expected = 0.0
        for beside, gap in ((number - 1, 0), (number + 1, 1)):
            neighbour = blocks[beside] if 0 <= beside < len(blocks) else -1
            first, second = (block, neighbour) if gap else (neighbour, block)
            touches = neighbour >= 0 and layout.a0[second] == layout.a1[first]
            expected += max(height[block] - height[neighbour], 0.0) if touches else height[block]
        np.testing.assert_allclose(walls[block], expected, rtol=1e-5, atol=1e-6)


@given(cases())
def test_the_mesh_covers_each_segment(case: Case) -> None:
    """CBV-1: seen from above, the triangles of an item have the area of its sector, chords for arcs."""
    tree = case.tree()
    layout = case.layout(tree)
    mesh, _, _ = meshed(case)
    xy = mesh.points[mesh.triangles][:, :, :2].astype(np.float64)
    first, second = xy[:, 1] - xy[:, 0], xy[:, 2] - xy[:, 0]
    area = np.abs(first[:, 0] * second[:, 1] - first[:, 1] * second[:, 0]) / 2
    face = mesh.face[mesh.triangles[:, 0]]
    covered = np.bincount(mesh.triangle_item[face == TOP], area[face == TOP], len(tree))
    extent = layout.a1 - layout.a0
    expected = extent / 2 * (layout.r1**2 - layout.r0**2)
    drawn = np.arange(len(tree)) >= min(1, len(tree) - 1)
    np.testing.assert_allclose(covered[drawn], expected[drawn], rtol=STEP**2 + 1e-3, atol=1e-6)
    assert not covered[~drawn].any(), "the root is not drawn"


@given(cases())
def test_other_heights_and_colours_keep_the_triangles(case: Case) -> None:
    """Design 7: a change of height or colour updates arrays, it does not build another mesh."""
    tree = case.tree()
    mesh, height, color = meshed(case)
    other, higher, painted = meshed(case, seed=1)
    changed = mesh.with_height(higher).with_color(painted)
    assert changed.triangles is mesh.triangles
    assert changed.normals is mesh.normals
    np.testing.assert_array_equal(changed.points, other.points)
    np.testing.assert_array_equal(changed.color, other.color)
    np.testing.assert_array_equal(mesh.points, meshed(case)[0].points)
    assert len(height) == len(color) == len(tree)


@given(cases())
def test_colours_are_the_items_darker_on_walls(case: Case) -> None:
    """Look-and-feel: unlit colours for data on top, darker faces for depth; alpha stays."""
    mesh, _, color = meshed(case)
    wanted = color[mesh.point_item].astype(np.float64)
    wanted[:, :3] *= BRIGHTNESS[mesh.face][:, None]
    np.testing.assert_array_equal(mesh.color, np.rint(wanted).astype(np.uint8))
    assert BRIGHTNESS[TOP] == 1.0
    assert BRIGHTNESS.min() == BRIGHTNESS[SIDE]


@given(cases())
def test_arrays_cannot_be_written(case: Case) -> None:
    """Design 1: values are frozen."""
    mesh, _, _ = meshed(case)
    with pytest.raises(ValueError, match="read-only"):
        mesh.points[:] = 0


@given(cases())
def test_the_skyline_is_that_of_the_blocks(case: Case) -> None:
    """CBV-3: of every block something is as high as it is, and nothing is higher than the blocks around there."""
    tree = case.tree()
    layout = case.layout(tree)
    height = np.linspace(0.1, 0.3, len(tree))
    x, y, z = tops(tree, layout, height, 90).T
    np.testing.assert_allclose(np.hypot(x, y), layout.band1)
    leaves = np.flatnonzero(tree.leaf)
    assert set(z.tolist()) <= set(height[leaves].tolist())
    assert z.max() == height[leaves].max()
