"""The camera: where points are seen, and the mouse grammar of look-and-feel as arithmetic."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cbvtool.geometry.camera import MARGIN, MOST_AWAY, MOST_KNOWN_BY, STEEPEST, TILT, Camera
from cbvtool.geometry.overlay.legends import corners
from cbvtool.geometry.scales import TALLEST

WIDTH, HEIGHT = 1600, 1000
cameras = st.builds(
    Camera,
    azimuth=st.floats(-720, 720),
    tilt=st.floats(0, STEEPEST),
    center=st.tuples(st.floats(-1, 1), st.floats(-1, 1)),
    distance=st.floats(0.5, 10),
)
pixels = st.tuples(st.floats(0, WIDTH), st.floats(0, HEIGHT))


@given(cameras, pixels)
def test_the_disc_point_under_a_pixel_is_seen_at_that_pixel(camera: Camera, pixel: tuple[float, float]) -> None:
    """What the pointer is on is what is drawn there."""
    place = camera.on_disc(*pixel, WIDTH, HEIGHT)
    if place is None or np.hypot(*place) > 100:  # at or near the horizon
        return
    seen, depth = camera.project(np.array([[*place, 0.0]]), WIDTH, HEIGHT)
    np.testing.assert_allclose(seen[0], pixel, atol=1e-5)
    assert depth[0] > 0


@given(cameras, pixels, st.floats(0.1, 5))
def test_points_of_a_ray_are_seen_at_its_pixel(camera: Camera, pixel: tuple[float, float], way: float) -> None:
    """Picking and drawing agree in space as well, for the tops of blocks."""
    origin, direction = camera.ray(*pixel, WIDTH, HEIGHT)
    assert np.linalg.norm(direction) == pytest.approx(1)
    np.testing.assert_allclose(origin, camera.position)
    seen, _ = camera.project((origin + way * direction)[None], WIDTH, HEIGHT)
    np.testing.assert_allclose(seen[0], pixel, atol=1e-6)


@given(cameras, st.lists(st.tuples(*[st.floats(-1, 1)] * 3), min_size=1, max_size=5))
@example(Camera(tilt=0.0, distance=1.0), [(0.0, 0.0, 1.0)])  # where the camera stands
def test_projection_is_that_of_the_drawing_library(camera: Camera, points: list[tuple[float, float, float]]) -> None:
    """Design 7: labels painted over the frame coincide with what VTK draws."""
    from vtkmodules.vtkRenderingCore import vtkCamera

    vtk = vtkCamera()
    vtk.SetPosition(*camera.position)
    vtk.SetFocalPoint(*camera.focal_point)
    vtk.SetViewUp(*camera.up)
    vtk.SetViewAngle(camera.fov)
    matrix = vtk.GetCompositeProjectionTransformMatrix(WIDTH / HEIGHT, -1, 1)
    matrix = np.array([[matrix.GetElement(row, column) for column in range(4)] for row in range(4)])
    seen, depth = camera.project(np.array(points), WIDTH, HEIGHT)
    for point, pixel, away in zip(points, seen, depth, strict=True):
        if away < 0.05:
            continue
        clip = matrix @ (*point, 1.0)
        x, y = clip[:2] / clip[3]
        np.testing.assert_allclose(pixel, [(x + 1) / 2 * WIDTH, (1 - y) / 2 * HEIGHT], atol=1e-6, rtol=1e-6)


@given(cameras)
def test_the_view_is_never_upside_down(camera: Camera) -> None:
    """The camera stands above the disc, upright, its axes at right angles."""
    np.testing.assert_allclose(camera.frame @ camera.frame.T, np.eye(3), atol=1e-12)
    assert camera.position[2] > 0
    assert camera.up[2] >= 0
    np.testing.assert_allclose(np.cross(camera.frame[0], camera.frame[1]), -camera.frame[2], atol=1e-12)


@given(cameras, st.floats(-5000, 5000), st.floats(-5000, 5000))
def test_orbiting_clamps_the_tilt(camera: Camera, dx: float, dy: float) -> None:
    """Orbit with clamped tilt; what the camera looks at is in the middle of the picture."""
    turned = camera.orbited(dx, dy)
    assert 0 <= turned.tilt <= STEEPEST
    assert 0 <= turned.azimuth <= 360
    seen, _ = turned.project(np.array([[*turned.center, 0.0]]), WIDTH, HEIGHT)
    np.testing.assert_allclose(seen[0], (WIDTH / 2, HEIGHT / 2), atol=1e-6)


def test_the_near_rim_follows_the_pointer_when_orbiting() -> None:
    """Look-and-feel: dragging is grabbing: what is in front moves with the pointer, to the right and up."""
    camera = Camera(tilt=45)
    near = np.array([[0.0, -1.0, 0.0]])
    before, after = (c.project(near, WIDTH, HEIGHT)[0][0] for c in (camera, camera.orbited(30, 0)))
    assert after[0] > before[0]
    assert camera.orbited(0, 30).tilt < camera.tilt, "pulled down, the disc is seen more from above"


@pytest.mark.parametrize("tilt", [0.0, 38.0, 60.0])
def test_the_ring_stays_where_it_is_when_turned(tilt: float) -> None:
    """UI.md: the ring stays centred when turned: its outline is the same from every side."""
    camera = Camera(tilt=tilt).fitted(WIDTH, HEIGHT, clear=[(0.0, 0.0, 200.0, 300.0)])
    angle = np.radians(np.arange(360.0))
    rim = np.stack((np.sin(angle), np.cos(angle), 0 * angle), axis=1)
    before = camera.project(rim, WIDTH, HEIGHT)[0]
    for dx in (30.0, 225.0, 450.0):
        after = camera.orbited(dx, 0.0).project(rim, WIDTH, HEIGHT)[0]
        for edge in (np.min, np.max):
            np.testing.assert_allclose(edge(after, axis=0), edge(before, axis=0), atol=0.5)


@pytest.mark.parametrize("size", [(WIDTH, HEIGHT), (700, 900)])
def test_orbiting_keeps_the_ring_whole(size: tuple[int, int]) -> None:
    """UI.md: what is seen as a whole stays so, from the side and from above; who looks closely is not moved away."""
    angle = np.radians(np.arange(360.0))
    rim = np.stack((np.sin(angle), np.cos(angle), 0 * angle), axis=1)
    camera = Camera(tilt=60.0).fitted(*size)
    for step in range(60):
        camera = camera.orbited_whole(15.0, 6.0 if step < 30 else -6.0, *size)
        pixels = camera.project(rim, *size)[0]
        assert (pixels >= 0).all()
        assert (pixels <= size).all()
        assert abs(pixels.min(axis=0) + pixels.max(axis=0) - size).max() < 0.25 * size[1]
    near = replace(camera, distance=1.0)
    assert near.orbited_whole(3.0, 9.0, *size) == near.orbited(3.0, 9.0)


@given(cameras, st.floats(0.5, 2), pixels)
def test_zooming_keeps_the_point_under_the_pointer(camera: Camera, factor: float, pixel: tuple[float, float]) -> None:
    """Zoom to cursor, unless the disc would get lost."""
    place = camera.on_disc(*pixel, WIDTH, HEIGHT)
    if place is None or np.hypot(*place) > 1:
        return
    zoomed = camera.zoomed_at(factor, *pixel, WIDTH, HEIGHT)
    assert zoomed.distance == pytest.approx(camera.distance / factor)
    if max(np.abs(zoomed.center)) == 2.0:
        return  # as far away as it may be
    seen, _ = zoomed.project(np.array([[*place, 0.0]]), WIDTH, HEIGHT)
    np.testing.assert_allclose(seen[0], pixel, atol=1e-5)


@given(st.floats(0, 60), st.floats(0, 360), st.floats(-150, 150), st.floats(-100, 100))
def test_panning_moves_the_middle_with_the_pointer(tilt: float, azimuth: float, dx: float, dy: float) -> None:
    """Look-and-feel: right or middle drag pans."""
    camera = Camera(azimuth, tilt)
    panned = camera.panned(dx, dy, WIDTH, HEIGHT)
    seen, _ = camera.project(np.array([[*panned.center, 0.0]]), WIDTH, HEIGHT)
    np.testing.assert_allclose(seen[0], (WIDTH / 2 - dx, HEIGHT / 2 - dy), atol=1e-6)
    assert (panned.tilt, panned.azimuth, panned.distance) == (camera.tilt, camera.azimuth, camera.distance)


@given(st.floats(60, STEEPEST), st.floats(0, 360), st.floats(0.05, 0.9), st.floats(-800, 800), st.floats(-500, 500))
@example(STEEPEST, 0.0, 0.5, 0.0, 499.0)
@example(STEEPEST, 120.0, 0.8, 300.0, 490.0)
def test_panning_near_the_horizon_is_held_back(
    tilt: float, azimuth: float, distance: float, dx: float, dy: float
) -> None:
    """There a pixel is a mile: one drag goes where it points, but no farther than twice the distance of the camera."""
    camera = Camera(azimuth, tilt, distance=distance)
    wanted = camera.on_disc(WIDTH / 2 - dx, HEIGHT / 2 - dy, WIDTH, HEIGHT)
    moved = camera.panned(dx, dy, WIDTH, HEIGHT).center
    if wanted is None:
        assert moved == (0.0, 0.0)
        return
    far = float(np.hypot(*wanted))
    np.testing.assert_allclose(moved, np.multiply(wanted, min(1.0, 2 * distance / max(far, 1e-12))), atol=1e-9)


def test_the_disc_cannot_get_lost() -> None:
    """Panning and zooming for ever keeps the camera near the disc."""
    camera = Camera(tilt=70)
    for _ in range(200):
        camera = camera.panned(-300, 200, WIDTH, HEIGHT).zoomed_at(0.8, 10, 990, WIDTH, HEIGHT)
    assert np.hypot(*camera.center) < 3
    assert camera.distance <= 20
    for _ in range(200):
        camera = camera.zoomed_at(1.5, 10, 990, WIDTH, HEIGHT)
    assert camera.distance == pytest.approx(0.05)


@pytest.mark.parametrize("size", [(1600, 1000), (1280, 800), (500, 900), (320, 240)])
@pytest.mark.parametrize("tilt", [0.0, 38.0, STEEPEST])
@pytest.mark.parametrize("azimuth", [0.0, 100.0])
def test_fit_shows_everything_and_no_less(size: tuple[int, int], tilt: float, azimuth: float) -> None:
    """Reset. The rim with its names and the tallest blocks are in the picture, which they fill."""
    camera = Camera.fit(*size, tilt, azimuth)
    assert (camera.tilt, camera.azimuth) == (tilt, azimuth)
    angle = np.linspace(0, 2 * np.pi, 500)
    circle = np.stack((np.sin(angle), np.cos(angle), 0 * angle), axis=1)
    everything = np.concatenate((MARGIN * circle, circle + np.array([0, 0, TALLEST])))
    seen, _ = camera.project(everything, *size)
    low, high = seen.min(axis=0), seen.max(axis=0)
    assert (low >= -1).all()
    assert (high <= np.array(size) + 1).all()
    assert ((high - low) / size).max() > 0.99, "it fills the picture in one direction"
    assert abs((low + high)[1] - size[1]) < 2, "it is in the middle"


@pytest.mark.parametrize("size", [(545, 470), (600, 420), (690, 617), (1100, 800)])
@pytest.mark.parametrize("tilt", [0.0, 38.0])
def test_fit_keeps_the_disc_out_of_the_legends(size: tuple[int, int], tilt: float) -> None:
    """CBV-4: legends cover no data, in a small window either, where the disc then lies beside the middle."""
    boxes = corners(*size)
    camera = Camera.fit(*size, tilt).fitted(*size, clear=boxes)
    angle = np.linspace(0, 2 * np.pi, 720)
    circle = np.stack((np.sin(angle), np.cos(angle), 0 * angle), axis=1)
    disc, _ = camera.project(np.concatenate((circle, circle + np.array([0, 0, TALLEST / 2]))), *size)
    for left, top, width, height in boxes:
        inside = np.minimum(disc - (left, top), (left + width, top + height) - disc).min(axis=1)
        assert inside.max() < 1, "at most a hair of it"
    rim, _ = camera.project(MARGIN * circle, *size)
    assert (rim > -1).all()
    assert (rim < np.array(size) + 1).all()
    assert camera.distance <= MOST_AWAY * Camera.fit(*size, tilt).distance


def test_fit_keeps_out_of_as_many_legends_as_leave_it_large() -> None:
    """CBV-4: where there is no room for all of them, one is under the disc rather than all."""
    size, boxes = (400, 300), [(0.0, 0.0, 120.0, 60.0), (0.0, 130.0, 400.0, 60.0)]
    camera = Camera.fit(*size, 0.0).fitted(*size, clear=boxes)
    assert camera == Camera.fit(*size, 0.0).fitted(*size, clear=boxes[:1])
    assert camera.distance <= MOST_AWAY * Camera.fit(*size, 0.0).distance


def test_fit_keeps_tall_blocks_out_of_a_legend_too() -> None:
    """CBV-4: where a block is taller than usual below a legend, the disc makes room for it."""
    size = 690, 617
    boxes = corners(*size)
    angle = np.radians(np.arange(20.0, 60.0))
    blocks = np.stack((np.sin(angle), np.cos(angle), np.full_like(angle, TALLEST)), axis=1)
    camera = Camera.fit(*size).fitted(*size, clear=boxes, blocks=blocks)
    (left, _, _, foot), *_ = boxes
    pixels, _ = camera.project(blocks, *size)
    assert not ((pixels[:, 0] > left) & (pixels[:, 1] < foot)).any()
    usual, _ = Camera.fit(*size).fitted(*size, clear=boxes).project(blocks, *size)
    assert ((usual[:, 0] > left) & (usual[:, 1] < foot)).any(), "else this shows nothing"


@given(cameras, cameras)
def test_flying_begins_and_ends_where_it_should(a: Camera, b: Camera) -> None:
    """Opens from above, then tilts; the way round is the shorter one."""
    for t, end in ((0.0, a), (1.0, b)):
        there = Camera.between(a, b, t)
        assert there.tilt == pytest.approx(end.tilt)
        assert there.distance == pytest.approx(end.distance)
        assert there.center == pytest.approx(end.center)
        assert np.cos(np.radians(there.azimuth - end.azimuth)) == pytest.approx(1)
    half = Camera.between(a, b, 0.5)
    turned = (half.azimuth - a.azimuth + 180) % 360 - 180
    assert abs(turned) <= 90 + 1e-9


def test_a_fit_that_is_remembered_is_the_one_that_would_be_found() -> None:
    """Also where the size, a legend or a block changes between two, and with too many blocks to remember it by."""
    start, legends = Camera(tilt=TILT), [(0.0, 0.0, 300.0, 100.0), (500.0, 0.0, 300.0, 100.0)]
    blocks = np.array([[-0.7, 0.7, 0.1], [0.5, -0.5, 0.1]])
    asked = [
        (800, 600, legends, blocks),
        (800, 600, legends, blocks * np.array([1.0, 1.0, 6.0])),
        (800, 600, legends[:1], blocks),
        (700, 600, legends, blocks),
        (800, 600, legends, blocks),
    ]
    found = [start.fitted(*one) for one in asked]
    assert found == [start._fitted(*one) for one in asked]
    assert len(set(found)) == 4
    many = np.repeat(blocks, MOST_KNOWN_BY, axis=0)
    assert start.fitted(800, 600, legends, many) == found[0]
