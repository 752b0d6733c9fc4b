"""Picking against brute force: the analytic answer is that of testing every triangle of the mesh."""

from __future__ import annotations

import numpy as np
import pytest

from cbvtool.geometry.camera import Camera
from cbvtool.geometry.picking.pick import pick_item, pick_on_curve
from cbvtool.geometry.scene.rings import STEP, Mesh
from cbvtool.geometry.scene.scene import Pipeline, Scene
from cbvtool.geometry.state.view_state import Mapping, ViewState
from cbvtool.graph import Graph
from tests.layout.cases import random_graph

WIDTH, HEIGHT = 560, 500
MAPPING = Mapping("sloc", "complexity", "sloc")


def scene_of(graph: Graph, expanded: frozenset[int] | None = None) -> Scene:
    expanded = frozenset(range(len(graph))) if expanded is None else expanded
    return Pipeline().scene(graph, None, ViewState(expanded=expanded, mapping=MAPPING))


@pytest.fixture(scope="module")
def scene() -> Scene:
    """About 90 segments on four rings, of all heights, zero included."""
    return scene_of(random_graph(70, 150, seed=5, deepest=4))


def first_triangle(mesh: Mesh, origins: np.ndarray, directions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(item of the nearest triangle met by each ray or -1, by how far the rays miss the edges of any triangle).

    Möller and Trumbore, Fast, minimum storage ray/triangle intersection, 1997; all pairs, no culling.
    """
    corner = mesh.points.astype(np.float64)[mesh.triangles]
    a, edge1, edge2 = corner[:, 0], corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0]
    solid = np.linalg.norm(np.cross(edge1, edge2), axis=1) > 1e-12  # walls of flat blocks are lines
    a, edge1, edge2, item = a[solid], edge1[solid], edge2[solid], mesh.triangle_item[solid]
    found, margin = np.full(len(origins), -1), np.full(len(origins), np.inf)
    for ray, (origin, direction) in enumerate(zip(origins, directions, strict=True)):
        p = np.cross(direction, edge2)
        determinant = (edge1 * p).sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            s = origin - a
            u = (s * p).sum(axis=1) / determinant
            q = np.cross(s, edge1)
            v = (q * direction).sum(axis=1) / determinant
            t = (edge2 * q).sum(axis=1) / determinant
            barycentric = np.stack((u, v, 1 - u - v))
            inside = barycentric.min(axis=0)
        met = (inside >= 0) & (t > 0)
        if met.any():
            found[ray] = item[np.flatnonzero(met)[np.argmin(t[met])]]
        near = np.abs(barycentric).min(axis=0)[(inside > -1e-4) & (t > 0)]
        margin[ray] = near.min(initial=np.inf)
    return found, margin


def rays(camera: Camera, count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    pixel = np.random.default_rng(seed).random((count, 2)) * (WIDTH, HEIGHT)
    pairs = [camera.ray(x, y, WIDTH, HEIGHT) for x, y in pixel]
    return np.array([origin for origin, _ in pairs]), np.array([direction for _, direction in pairs])


CAMERAS = [
    Camera.fit(WIDTH, HEIGHT, tilt=0.0),
    Camera.fit(WIDTH, HEIGHT, tilt=38.0, azimuth=25.0),
    Camera.fit(WIDTH, HEIGHT, tilt=75.0, azimuth=200.0),
    Camera(azimuth=310.0, tilt=70.0, center=(0.1, 0.2), distance=1.9),  # among the blocks, lower than some
]


@pytest.mark.parametrize("camera", CAMERAS, ids=["above", "tilted", "flat", "among"])
def test_picking_is_a_ray_test_against_every_triangle(scene: Scene, camera: Camera) -> None:
    """4 x 2,500 random rays, all equal to brute force over the mesh as drawn.

    A ray that passes an edge of a triangle by less than the float32 of the mesh can resolve has no right answer
    and is left out; those are counted, so that they cannot become many.
    """
    origins, directions = rays(camera, 2500, seed=int(camera.azimuth))
    expected, margin = first_triangle(scene.mesh, origins, directions)
    found = np.array([pick_item(scene, o, d) for o, d in zip(origins, directions, strict=True)])
    clear = margin > 1e-5
    assert (~clear).sum() <= 10
    np.testing.assert_array_equal(found[clear], expected[clear])
    assert (expected >= 0).sum() > 400, "enough rays meet something"
    assert len(np.unique(expected)) > 30, "and not always the same"


def test_diagonals_of_faces_are_no_edges(scene: Scene) -> None:
    """The rays left out above include those over a diagonal inside a face: these must be picked as well."""
    middle = (scene.layout.a0 + scene.layout.a1) / 2
    radius = (scene.layout.band0 + scene.layout.band1) / 2
    for item in np.flatnonzero(scene.tree.leaf).tolist():
        origin = np.array([radius * np.sin(middle[item]), radius * np.cos(middle[item]), 5.0])
        assert pick_item(scene, origin, np.array([0.0, 0.0, -1.0])) == item


def test_chords_are_picked_as_they_are_drawn(scene: Scene) -> None:
    """Arcs are drawn as chords; between chord and arc, a hair wide, the answer is that of the picture as well."""
    blocks = scene.blocks
    middle, inset = (blocks.a0 + blocks.a1) / 2, np.cos((blocks.a1 - blocks.a0) / 2)
    wide = np.flatnonzero(inset < np.cos(STEP / 4))
    wide = wide[scene.height[blocks.item[wide]] > 0]
    outward = np.stack((np.sin(middle[wide]), np.cos(middle[wide]), 0 * wide), axis=1)
    edge = scene.layout.band0 * (1 + inset[wide, None]) / 2 * outward
    edge[:, 2] = scene.height[blocks.item[wide]]
    inward = np.array([0.0, 0.0, -0.5]) - outward  # over the block from outside, down to its inner upper edge
    origins = edge - 2 * inward
    expected, _ = first_triangle(scene.mesh, origins, inward)
    found = [pick_item(scene, o, d) for o, d in zip(origins, inward, strict=True)]
    assert len(wide) > 10
    np.testing.assert_array_equal(expected, blocks.item[wide])
    np.testing.assert_array_equal(found, expected)


def test_a_tall_block_hides_what_is_behind_it() -> None:
    """The segment seen is the segment picked, although the disc point under the pixel lies elsewhere."""
    scene = scene_of(random_graph(70, 150, seed=5, deepest=4))
    camera = Camera.fit(WIDTH, HEIGHT, tilt=70.0)
    item = int(np.argmax(scene.height))
    angle = (scene.layout.a0[item] + scene.layout.a1[item]) / 2
    camera = camera.with_(azimuth=np.degrees(angle))
    radius = (scene.layout.band0 + scene.layout.band1) / 2
    top = np.array([[radius * np.sin(angle), radius * np.cos(angle), scene.height[item]]])
    x, y = camera.project(top, WIDTH, HEIGHT)[0][0]
    place = camera.on_disc(x, y, WIDTH, HEIGHT)
    assert place is not None
    assert np.hypot(*place) > 1.0, "on the plane, that pixel is beyond the disc"
    assert pick_item(scene, *camera.ray(x, y, WIDTH, HEIGHT)) == item


def test_the_root_alone_and_nothing_at_all() -> None:
    """An empty project is one ring that can be picked; beside it is nothing."""
    from cbvtool.graph import GraphBuilder

    scene = scene_of(GraphBuilder("empty").freeze())
    down = np.array([0.0, 0.0, -1.0])
    assert pick_item(scene, np.array([0.0, 0.95, 3.0]), down) == 0
    assert pick_item(scene, np.array([0.0, 0.2, 3.0]), down) == -1
    assert pick_item(scene, np.array([0.0, 1.5, 3.0]), down) == -1
    assert pick_on_curve(scene, Camera(), 400, 250, WIDTH, HEIGHT)[0] == -1


def nearest(scene: Scene, camera: Camera, x: float, y: float) -> tuple[float, set[int]]:
    """Distance in pixels of the nearest curve, and the relations of all curves that are as near."""
    points, _ = camera.project(scene.curves.reshape(-1, 3), WIDTH, HEIGHT)
    points = points.reshape(len(scene.curves), -1, 2)
    a, along, away = points[:, :-1], np.diff(points, axis=1), np.array([x, y]) - points[:, :-1]
    share = np.clip((along * away).sum(axis=2) / np.maximum((along**2).sum(axis=2), 1e-12), 0, 1)
    least = np.linalg.norm(np.array([x, y]) - a - share[:, :, None] * along, axis=2).min(axis=1)
    return float(least.min()), {int(scene.curve_lifted[row]) for row in np.flatnonzero(least <= least.min() + 1e-3)}


@pytest.mark.parametrize("tilt", [0.0, 40.0, 75.0])
def test_the_picked_relation_is_the_nearest(tilt: float) -> None:
    """DND-8: single edges highlight; nearness is that of the picture, not of the disc."""
    camera = Camera.fit(WIDTH, HEIGHT, tilt=tilt, azimuth=30.0)
    answers = []
    random = np.random.default_rng(int(tilt))
    disc = random.normal(0, 0.3, (300, 3)) * (1, 1, 0)  # most pixels near the relations
    for x, y in camera.project(disc, WIDTH, HEIGHT)[0]:
        found = pick_on_curve(_FEW, camera, x, y, WIDTH, HEIGHT, 5.0)[0]
        away, relations = nearest(_FEW, camera, x, y)
        answers.append(found)
        assert (found in relations) if away <= 5.0 else found == -1
    assert 30 < np.count_nonzero(np.array(answers) >= 0) < 280


_FEW = scene_of(random_graph(20, 25, seed=2, deepest=3))


def test_every_relation_can_be_picked_on_its_curve() -> None:
    """CBV-5: each curve knows the relation that it belongs to."""
    camera = Camera.fit(WIDTH, HEIGHT, tilt=30.0)
    for row, curve in enumerate(_FEW.curves):
        seen, _ = camera.project(curve[5:6], WIDTH, HEIGHT)
        x, y = seen[0].tolist()
        found = pick_on_curve(_FEW, camera, x, y, WIDTH, HEIGHT, 0.5)[0]
        _, relations = nearest(_FEW, camera, *seen[0])
        assert found in relations
        assert int(_FEW.curve_lifted[row]) in relations


def test_where_along_a_relation_a_pixel_is_goes_by_length() -> None:
    """DND-3, DND-4: the middle third and the ends are thirds of what is seen, from the user to the used end."""
    camera = Camera.fit(WIDTH, HEIGHT)
    told = 0
    for curve in _FEW.curves:
        lengths = np.hypot(*np.diff(curve[:, :2].astype(float), axis=0).T)
        along = np.concatenate(([0.0], np.cumsum(lengths))) / lengths.sum()
        for sample in range(2, len(curve) - 2, 3):
            seen, _ = camera.project(curve[sample : sample + 1], WIDTH, HEIGHT)
            x, y = seen[0].tolist()
            row, share = pick_on_curve(_FEW, camera, x, y, WIDTH, HEIGHT, 0.5)
            _, relations = nearest(_FEW, camera, *seen[0])
            if len(relations) == 1 and int((_FEW.curve_lifted == row).sum()) == 1:
                told += 1
                assert share == pytest.approx(along[sample], abs=0.02)
    assert told > 20
    assert pick_on_curve(_FEW, camera, 0, 0, WIDTH, HEIGHT) == (-1, 0.0)
