"""Rectangle and lasso: which middles lie in a polygon, against a test point by point."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.geometry.camera import Camera
from cbvtool.geometry.picking.region import inside, items_in, middles
from tests.geometry.scenes import scene_of, shop

whole = st.integers(-8, 8).map(float)
corner = st.tuples(whole, whole)
spot = st.tuples(st.integers(-17, 17).map(lambda n: n / 2 + 0.25), st.integers(-17, 17).map(lambda n: n / 2 + 0.25))


def _crossings(point: tuple[float, float], outline: list[tuple[float, float]]) -> int:
    """Edges that a ray to the right crosses, by exact side tests (Hormann and Agathos, the textbook's way)."""
    x, y = point
    count = 0
    for (x0, y0), (x1, y1) in zip(outline, [*outline[1:], outline[0]], strict=True):
        if y0 > y1:
            x0, y0, x1, y1 = x1, y1, x0, y0
        if y0 <= y < y1 and (x1 - x0) * (y - y0) - (x - x0) * (y1 - y0) > 0:
            count += 1
    return count


@given(st.lists(spot, min_size=1, max_size=30), st.lists(corner, min_size=3, max_size=12))
def test_inside_is_what_a_ray_says(points: list[tuple[float, float]], outline: list[tuple[float, float]]) -> None:
    found = inside(np.array(points), np.array(outline))
    assert found.tolist() == [_crossings(point, outline) % 2 == 1 for point in points]


def test_an_outline_of_two_points_holds_nothing() -> None:
    assert not inside(np.zeros((3, 2)), np.array([[-1.0, -1.0], [1.0, 1.0]])).any()


def _box(x0: float, y0: float, x1: float, y1: float) -> npt.NDArray[np.float64]:
    return np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]])


def test_items_whose_middle_is_seen_inside_are_selected() -> None:
    """CBV-11: a rectangle around everything holds all blocks; a part holds those in it."""
    scene, camera = scene_of(shop()), Camera.fit(800, 600, tilt=30.0)
    leaves = np.flatnonzero(scene.tree.leaf)
    assert items_in(scene, camera, 800, 600, _box(0, 0, 800, 600)).tolist() == leaves.tolist()
    seen = camera.project(middles(scene), 800, 600)[0]
    left = items_in(scene, camera, 800, 600, _box(0, 0, 400, 600))
    assert left.tolist() == [item for item in leaves.tolist() if seen[item, 0] < 400]
    assert 0 < len(left) < len(leaves)


def test_an_inner_segment_is_meant_where_no_block_is() -> None:
    scene, camera = scene_of(shop()), Camera.fit(800, 600, tilt=0.0)
    inner = int(np.flatnonzero(~scene.tree.leaf)[1])
    x, y = camera.project(middles(scene)[[inner]], 800, 600)[0][0]
    assert items_in(scene, camera, 800, 600, _box(x - 2, y - 2, x + 2, y + 2)).tolist() == [inner]
