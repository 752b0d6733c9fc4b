"""The renderer: what it draws, how often, and what it does on a machine that cannot (design 7)."""

from __future__ import annotations

import itertools
import logging
import math
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PIL import Image

from cbvtool.drawing import curve_layer, gl
from cbvtool.drawing import renderer as render_module
from cbvtool.drawing.curve_layer import CurveLayer, Window, window_for
from cbvtool.drawing.emphasis import Emphasis
from cbvtool.drawing.gl import pixels_of
from cbvtool.drawing.renderer import Renderer
from cbvtool.errors import InputError
from cbvtool.geometry.camera import Camera
from cbvtool.geometry.colors import BOLDEST, CLEAR, FAINTEST, THEMES, opacity_share
from cbvtool.geometry.picking.pick import pick_item
from cbvtool.geometry.scene.scene import Pipeline, Scene, in_theme
from cbvtool.graph import Graph
from cbvtool.view.canvas.frames import Frames
from tests.geometry.scenes import MAPPING, random_scene, scene_of, shop

SIZE = (640, 400)


@pytest.fixture
def renderer() -> Iterator[Renderer]:
    made = Renderer(*SIZE)
    yield made
    made.close()


@pytest.fixture
def graph() -> Graph:
    return shop()


def seen_at(camera: Camera, point: tuple[float, float, float]) -> tuple[int, int]:
    """Column and row of the pixel at which a point of space is seen."""
    (x, y), _ = (values[0] for values in camera.project(np.array([point]), *SIZE))
    return int(x), int(y)


def on_ring(angle: float, radius: float, height: float = 0.0) -> tuple[float, float, float]:
    return radius * float(np.sin(angle)), radius * float(np.cos(angle)), height


def top_of(scene: Scene, item: int) -> tuple[float, float, float]:
    """The middle of the top of a leaf's block."""
    layout = scene.layout
    angle = float(layout.a0[item] + layout.a1[item]) / 2
    return on_ring(angle, (layout.band0 + layout.band1) / 2, float(scene.height[item]))


def color_at(frame: np.ndarray, camera: Camera, point: tuple[float, float, float]) -> np.ndarray:
    column, row = seen_at(camera, point)
    return frame[row, column].astype(int)


# -- where things are ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "camera",
    [
        Camera(),
        Camera(200.0, 38.0, (0.2, -0.3), 2.5),
        Camera(77.0, 75.0, (-0.5, 0.1), 4.0),
        Camera(0.0, 30.0, (0.7, 0.2), 0.6),
    ],
)
def test_labels_coincide_with_what_vtk_draws(renderer: Renderer, camera: Camera) -> None:
    """Overlays are placed by `Camera.project`, the frame by VTK: both see a point at one place."""
    renderer.camera(camera)
    renderer.frame(moving=True)
    rng = np.random.default_rng(5)
    points = rng.uniform((-1, -1, 0), (1, 1, 0.3), (200, 3))
    pixels, depth = camera.project(points, *SIZE)
    vtk = renderer._renderer
    for point, pixel in zip(points[depth > 0.1], pixels[depth > 0.1], strict=True):
        vtk.SetWorldPoint(*point, 1.0)
        vtk.WorldToDisplay()
        x, y, _ = vtk.GetDisplayPoint()
        assert (x, SIZE[1] - y) == pytest.approx(pixel, abs=0.05)


@pytest.mark.parametrize("moving", [True, False])
@pytest.mark.parametrize("tilt", [0.0, 25.0])
def test_blocks_are_drawn_where_the_camera_says(renderer: Renderer, graph: Graph, tilt: float, moving: bool) -> None:
    """CBV-3, CBV-4: the top of every block is seen at its place, in exactly the colour of the legend."""
    scene = scene_of(graph)
    camera = Camera(20.0, tilt).fitted(*SIZE)
    renderer.show(scene)
    renderer.camera(camera)
    frame = renderer.frame(moving=moving)
    assert frame.shape == (SIZE[1], SIZE[0], 3)
    leaves = np.flatnonzero(scene.tree.leaf)
    assert len(leaves) == 14
    hit = [np.array_equal(color_at(frame, camera, top_of(scene, i)), scene.color[i, :3]) for i in leaves.tolist()]
    assert sum(hit) >= (14 if tilt == 0 else 12)  # a higher block may stand before a lower one


def test_moving_and_still_frames_show_the_same(renderer: Renderer) -> None:
    """Design 7: no multi-samples while moving; the picture that follows is the same, with smooth edges."""
    renderer.show(random_scene(80, 100))
    renderer.camera(Camera.fit(*SIZE))
    still = renderer.frame().astype(int)
    moving = renderer.frame(moving=True).astype(int)
    assert np.abs(still - moving).mean() < 6
    assert (still == moving).all(axis=2).mean() > 0.5
    renderer.show(random_scene(80, 1))
    still, moving = renderer.frame(), renderer.frame(moving=True)
    assert len(np.unique(still.reshape(-1, 3), axis=0)) > len(np.unique(moving.reshape(-1, 3), axis=0))


def test_a_slow_movement_goes_on_at_half_the_resolution(renderer: Renderer, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a slow machine, frames of a movement have fewer pixels; then they are sharp again."""
    renderer.show(random_scene(80, 100))
    renderer.camera(Camera.fit(*SIZE))
    monkeypatch.setattr(render_module, "MANY", 0)
    monkeypatch.setattr(render_module, "SLOW", 0.0)
    for _ in range(render_module.PACES):
        sharp = renderer.frame(moving=True)
        assert renderer._window.GetSize() == SIZE
    coarse = renderer.frame(moving=True)
    assert renderer._window.GetSize() == (SIZE[0] // 2, SIZE[1] // 2)
    assert coarse.shape == (SIZE[1] // 2, SIZE[0] // 2, 3)
    stretched = np.asarray(Image.fromarray(coarse).resize(SIZE, Image.Resampling.BILINEAR))
    assert 0 < np.abs(stretched.astype(int) - sharp).mean() < 6
    still = renderer.frame()
    monkeypatch.setattr(render_module, "SLOW", 1e9)
    np.testing.assert_array_equal(renderer.frame(moving=True), sharp)
    np.testing.assert_array_equal(renderer.frame(), still)


def test_the_frame_is_not_changed_by_the_next_one(renderer: Renderer, graph: Graph) -> None:
    """A frame is the caller's own: the next one is not written into it."""
    renderer.show(scene_of(graph))
    renderer.camera(Camera.fit(*SIZE))
    first = renderer.frame(moving=True)
    copy = first.copy()
    renderer.camera(Camera.fit(*SIZE, azimuth=90))
    second = renderer.frame(moving=True)
    np.testing.assert_array_equal(first, copy)
    assert (first != second).any()


@pytest.mark.parametrize("size", [(1, 1), (333, 77), (801, 601)])
def test_any_size(renderer: Renderer, graph: Graph, size: tuple[int, int]) -> None:
    """A window can be dragged to any size; a frame always has it."""
    renderer.show(scene_of(graph))
    renderer.resize(*size)
    for moving in (True, False):
        assert renderer.frame(moving=moving).shape == (size[1], size[0], 3)


# -- how often, and what is computed anew --------------------------------------------------------------------


def test_one_render_per_frame(renderer: Renderer) -> None:
    """Design 7: one render per frame, counted by VTK's StartEvent."""
    renderer.show(random_scene(80, 100))
    for number, moving in enumerate((False, True, True, False, True)):
        renderer.camera(Camera.fit(*SIZE, azimuth=10.0 * number))
        renderer.frame(moving=moving)
        assert renderer.frames == number + 1


def test_showing_renders_nothing(renderer: Renderer, graph: Graph) -> None:
    """Only `frame` costs a render: many changes between two frames cost one."""
    renderer.show(scene_of(graph))
    renderer.highlight(Emphasis())
    renderer.set_theme("dark")
    renderer.resize(300, 200)
    assert renderer.frames == 0


def test_colours_and_heights_are_updated_in_place(renderer: Renderer, graph: Graph) -> None:
    """Design 7: "Colour or height changes update arrays": the mesh stays, the picture follows."""
    pipeline = Pipeline()
    camera = Camera(0.0, 20.0).fitted(*SIZE)
    renderer.camera(camera)
    renderer.show(scene_of(graph, pipeline=pipeline))
    renderer.frame()
    mesh = renderer._ring.mesh
    for mapping in (replace(MAPPING, color="complexity"), replace(MAPPING, height="sloc")):
        scene = scene_of(graph, pipeline=pipeline, mapping=mapping)
        renderer.show(scene)
        frame = renderer.frame()
        assert renderer._ring.mesh is mesh
        item = int(scene.tree.represent[graph.key_of["api/part_2.py"]])
        assert color_at(frame, camera, top_of(scene, item)).tolist() == scene.color[item, :3].tolist()
    renderer.show(scene_of(graph, depth=1, pipeline=pipeline))
    renderer.frame()
    assert renderer._ring.mesh is not mesh


def test_orbiting_draws_no_relation_anew(renderer: Renderer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Design 7: relations are rasterised once; while the camera moves they cost the same, however many there are."""
    renderer.resize(1600, 1000)  # so large that a still picture has a finer texture than a hasty one
    renderer.show(random_scene(80, 100))
    camera = Camera.fit(1600, 1000)
    renderer.camera(camera)
    renderer.frame()
    drawn = []
    monkeypatch.setattr(curve_layer, "ribbons", lambda *_args, **_options: drawn.append(1))
    for _ in range(5):
        camera = camera.orbited(9, 2)
        renderer.camera(camera)
        renderer.frame(moving=True)
    assert not drawn


# -- relations -----------------------------------------------------------------------------------------------


def drawn(layer: CurveLayer) -> np.ndarray:
    """uint8[h, w, 3]: a copy of what a layer drew, row 0 at the bottom."""
    assert layer._at is not None
    side = layer._at.pixels
    return np.array(pixels_of(layer._pixels)).reshape(side, side, 3)


def layer_of(curves: np.ndarray, width: tuple[float, float] = (0.1, 0.02), pixels: int = 512) -> np.ndarray:
    """uint8[h, w, 3]: teal-to-orange curves on white, row 0 at y = -1."""
    color = np.zeros((*curves.shape[:2], 4), np.uint8)
    color[:, :, :3] = np.linspace(THEMES["light"].user[:3], THEMES["light"].used[:3], curves.shape[1])
    color[:, :, 3] = 255
    layer = CurveLayer()
    layer.show(curves, color, width, (255, 255, 255, 255))
    layer.cover(Window(0.0, 0.0, 1.0, pixels))
    layer.draw()
    picture = drawn(layer)
    layer.close()
    return picture.astype(int)


def straight(x0: float, x1: float, y: float = 0.0, samples: int = 32) -> np.ndarray:
    curve = np.zeros((1, samples, 3), np.float32)
    curve[0, :, 0] = np.linspace(x0, x1, samples)
    curve[0, :, 1] = y
    return curve


def test_a_relation_runs_from_teal_to_orange_and_tapers() -> None:
    """Look-and-feel: from teal at the user's end to orange at the used end, and narrower toward the used end."""
    picture = layer_of(straight(-0.9, 0.9))
    ink = (picture < 250).any(axis=2)
    user, used = 256 - 210, 256 + 210
    np.testing.assert_allclose(picture[256, user], THEMES["light"].user[:3], atol=25)
    np.testing.assert_allclose(picture[256, used], THEMES["light"].used[:3], atol=25)
    assert ink[:, user].sum() > 2.5 * ink[:, used].sum() > 0
    assert not ink[:, :20].any()
    assert not ink[200].any()


def test_a_relation_does_not_break_up() -> None:
    """However thin, a curve is drawn without holes: at least a pixel wide."""
    angle = np.linspace(0.2, 2.9, 32)
    curve = np.stack((0.8 * np.cos(angle), 0.8 * np.sin(angle), 0 * angle), axis=1).astype(np.float32)[None]
    ink = (layer_of(curve, (1e-5, 1e-5)) < 250).any(axis=2)
    row, column = (np.rint((np.array([np.sin(angle), np.cos(angle)]) * 0.8 + 1) * 256)).astype(int)
    near = [ink[r - 2 : r + 3, c - 2 : c + 3].any() for r, c in zip(row, column, strict=True)]
    assert all(near)
    fine = np.linspace(0.3, 2.8, 2000)
    row, column = ((np.array([np.sin(fine), np.cos(fine)]) * 0.8 + 1) * 256).astype(int)
    assert np.mean([ink[r - 1 : r + 2, c - 1 : c + 2].any() for r, c in zip(row, column, strict=True)]) == 1


def test_short_relations_are_drawn_over_long_ones() -> None:
    """Long curves first, so that short ones are not buried."""
    both = np.concatenate((straight(-0.1, 0.1), straight(-0.9, 0.9)))
    short_on_top = layer_of(both, (0.05, 0.05))[256, 256 + 20]
    short_alone = layer_of(both[:1], (0.05, 0.05))[256, 256 + 20]
    np.testing.assert_allclose(short_on_top, short_alone, atol=12)  # what lies below is felt


def test_many_relations_leave_less_ink_each() -> None:
    """Neither invisible nor a blob: opacity falls with the number of relations, down to a floor."""
    shares = [opacity_share(count) for count in (0, 24, CLEAR, 2000, 20_000, 100_000)]
    assert shares[:3] == [BOLDEST, BOLDEST, 1.0]  # few are as easy to see as many
    assert opacity_share(200) > 1 > shares[3]
    assert shares == sorted(shares, reverse=True)
    assert shares[-1] == FAINTEST


def test_hairlines_take_over_from_ribbons(monkeypatch: pytest.MonkeyPatch) -> None:
    """Very many relations are hairlines: at the same places, in the same colours, for a fraction of the cost."""
    curves = np.concatenate([straight(-0.9, 0.9, y) for y in np.linspace(-0.8, 0.8, 9)])
    ribbon = layer_of(curves, (0.02, 0.02))
    monkeypatch.setattr(curve_layer, "RIBBONS", 8)
    hair = layer_of(curves, (0.02, 0.02))
    for y in np.linspace(-0.8, 0.8, 9):
        row = int((y + 1) * 256)
        np.testing.assert_allclose(hair[row - 1 : row + 2, 100].min(axis=0), ribbon[row, 100], atol=12)
    assert 0 < (hair < 250).any(axis=2).sum() < 0.5 * (ribbon < 250).any(axis=2).sum()


@pytest.mark.parametrize("slowness", [0.1, 1.0, 10.0])
def test_relations_are_caught_up_with_portion_by_portion(
    renderer: Renderer, monkeypatch: pytest.MonkeyPatch, slowness: float
) -> None:
    """Design 8: the window is never blocked for long: a still frame's relations come in portions, unseen until all are
    there, and give the frame that one go gives. They are larger where drawing is fast, and smaller where it is slow.
    """
    scene = random_scene(200, 700)
    clock = itertools.count(step=slowness * curve_layer.PACE)
    monkeypatch.setattr(curve_layer, "perf_counter", lambda: next(clock))
    renderer.show(scene)
    renderer.camera(Camera(0.0, 0.0).fitted(*SIZE))
    whole = renderer.frame()
    monkeypatch.setattr(curve_layer, "PORTION", 100)
    patient = Renderer(*SIZE)
    try:
        assert not patient.catch_up(), "nothing is shown yet"
        patient.show(scene)
        patient.camera(Camera(0.0, 0.0).fitted(*SIZE))
        before = patient.frames
        portions = 0
        while patient.catch_up():
            portions += 1
        portions -= 2  # making room for them, and showing them
        assert portions > 1
        assert np.sign(portions - math.ceil(len(scene.curves) / 100)) == np.sign(slowness - 1)
        assert patient.frames == before, "no frame is drawn meanwhile"
        np.testing.assert_array_equal(patient.frame(), whole)
    finally:
        patient.close()


def test_a_quick_frame_shows_the_relations_of_its_own_scene(renderer: Renderer) -> None:
    """While the camera turns right after a change; never an earlier one's. A portion drawn for it is not repeated."""
    scene, camera = random_scene(60, 90), Camera(0.0, 0.0).fitted(*SIZE)
    alone = Frames(renderer)
    renderer.show(scene)
    alone.draw_quickly(camera)
    other = Renderer(*SIZE)
    try:
        frames = Frames(other)
        other.show(random_scene(60, 30))
        other.camera(camera)
        while other.catch_up():
            pass
        other.show(scene)
        frames.draw_quickly(camera)
        assert frames.image == alone.image
        other.show(random_scene(60, 500))
        frames.shape(camera)
        frames.draw_portion()
        drawn = other._whole._done
        frames.draw_quickly(camera)
        assert drawn == other._whole._done < 500
        assert other._whole.pending
    finally:
        other.close()


def test_no_sparse_preview_lies(monkeypatch: pytest.MonkeyPatch) -> None:
    """UI.md: the old curves stay until the new ones are there; a preview is an even sample, as strong as few are."""
    monkeypatch.setattr(curve_layer, "PORTION", 40)
    layer = CurveLayer()
    curves = np.concatenate([straight(-0.9, 0.9, y) for y in np.linspace(-0.9, 0.9, 160)])
    color = np.full((len(curves), curves.shape[1], 4), (0, 0, 0, 60), np.uint8)
    layer.cover(Window(0.0, 0.0, 1.0, 256))

    def ink(stay: bool, given: np.ndarray) -> np.ndarray:
        layer.show(given, color[: len(given)], (0.002, 0.002), (255, 255, 255, 255), stay=stay)
        layer.draw(one_portion=True)
        return pixels()

    def pixels() -> np.ndarray:
        return 255 - drawn(layer)[:, 128, 0].astype(float)

    preview = ink(False, curves)
    halves = preview[:128].sum(), preview[128:].sum()
    assert min(halves) > 0.7 * max(halves) > 0  # the sample is even, from one end to the other
    while layer.pending:
        layer.draw(one_portion=True)
    whole = pixels()
    assert 0.3 < preview.sum() / whole.sum() < 2.5  # and each of them is stronger
    half = ink(True, curves[:80])
    np.testing.assert_array_equal(half, whole)  # the old ones stay
    while layer.pending:
        np.testing.assert_array_equal(pixels(), whole)
        layer.draw(one_portion=True)
    assert (pixels()[:120] == 0).all() or (pixels()[-120:] == 0).all()  # now there are new ones
    layer.close()


def test_another_theme_is_seen_at_once(renderer: Renderer, monkeypatch: pytest.MonkeyPatch) -> None:
    """All relations are there in the new colours before any of them is drawn anew."""
    monkeypatch.setattr(curve_layer, "PORTION", 50)
    scene = random_scene(60, 500)
    renderer.show(scene)
    renderer.camera(Camera(0.0, 0.0).fitted(*SIZE))
    light = renderer.frame().astype(int)
    renderer.show(in_theme(scene, "dark"))
    at_once = renderer.frame(moving=True).astype(int)
    assert renderer._whole.pending
    while renderer.catch_up():
        pass
    drawn = renderer.frame(moving=True).astype(int)
    assert np.abs(at_once - drawn).mean() < 2.0
    assert np.abs(at_once - light).mean() > 60.0


def test_relations_show_through_near_walls(renderer: Renderer) -> None:
    """UI.md: a wall that hides relations is seen through where there are some, and whole where there are none."""
    scene = random_scene(60, 300)
    camera = Camera(azimuth=0.0, tilt=62.0).fitted(*SIZE)
    renderer.show(scene)
    renderer.camera(camera)
    seen = renderer.frame().astype(int)
    renderer._has_through = False
    solid = renderer.frame().astype(int)
    rows, columns = np.nonzero(np.abs(seen - solid).max(axis=2) > 6)
    assert len(rows) > 50
    near = float(camera.project(np.array([[0.0, 0.0, 0.0]]), *SIZE)[0][0][1])
    assert rows.min() > near - 2, "only what stands before the disc"
    for x, y in list(zip(columns.tolist(), rows.tolist(), strict=True))[::40]:
        assert pick_item(scene, *camera.ray(x + 0.5, y + 0.5, *SIZE)) >= 0, "nothing but blocks changes"
    renderer._has_through = True
    renderer.show(replace(scene, curves=scene.curves[:0], curve_color=scene.curve_color[:0]))
    bare = renderer.frame().astype(int)
    renderer._has_through = False
    assert np.abs(renderer.frame().astype(int) - bare).max() <= 2, "a ground without relations is not seen through"


def test_collapsed_containers_have_a_rim(renderer: Renderer) -> None:
    """OC-4: seen from above, in the grey of containers; it fades with its segment."""
    graph = shop()
    scene = scene_of(graph, depth=0)
    renderer.show(scene)
    renderer.camera(Camera(0.0, 0.0).fitted(*SIZE))
    grey = np.array(THEMES["light"].closed[:3])

    def rim() -> int:
        return int((np.abs(renderer.frame().astype(int) - grey).max(axis=2) <= 2).sum())

    whole = rim()
    assert whole > 200
    renderer.highlight(Emphasis(np.zeros(len(scene.tree), np.bool_)))
    assert rim() < whole / 10
    renderer.highlight(Emphasis())
    renderer.show(scene_of(graph))
    assert rim() < whole / 10, "all are open"


def test_a_small_window_shows_all_relations_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """CBV-2: where quick and smooth frames share one texture, what came with the first is not all that is ever seen."""
    size = 240, 160
    monkeypatch.setattr(curve_layer, "PORTION", 100)
    scene = random_scene(200, 700)
    at_once, patient = Renderer(*size), Renderer(*size)
    try:
        for each in (at_once, patient):
            each.show(scene)
            each.camera(Camera(0.0, 0.0).fitted(*size))
        patient.frame(moving=True)
        while patient.catch_up():
            pass
        np.testing.assert_array_equal(patient.frame(), at_once.frame())
    finally:
        at_once.close()
        patient.close()


@pytest.mark.parametrize("tilt", [0.0, 38.0, 60.0])
@pytest.mark.parametrize("zoom", [1.0, 2.0, 6.0, 20.0])
def test_the_texture_covers_what_is_seen(tilt: float, zoom: float) -> None:
    """From near, the texture shows the part that is seen, fine enough; never less than that part."""
    size = (1600, 1000)
    camera = Camera(30.0, tilt).fitted(*size).zoomed_at(zoom, 700, 600, *size)
    window = window_for(camera, 0.7, *size)
    assert window.pixels <= curve_layer.PIXELS[1]
    x, y = np.meshgrid(np.linspace(0, size[0], 9), np.linspace(0, size[1], 9))
    for px, py in zip(x.ravel(), y.ravel(), strict=True):
        spot = camera.on_disc(float(px), float(py), *size)
        if spot is not None and np.hypot(*spot) < 0.7:
            assert abs(spot[0] - window.x) <= window.half + 1e-9
            assert abs(spot[1] - window.y) <= window.half + 1e-9
    if tilt == 0:
        pixel = 2 * camera.distance * np.tan(np.radians(camera.fov) / 2) / size[1]
        assert 2 * window.half / window.pixels < pixel  # at least a texel for each pixel


def test_relations_stay_in_place_when_the_view_comes_near(renderer: Renderer, graph: Graph) -> None:
    """The close-up and the picture of the whole disc show a relation at the same place."""
    scene = scene_of(graph)
    camera = Camera(0.0, 0.0).fitted(*SIZE).zoomed_at(9.0, 320, 200, *SIZE)
    renderer.show(scene)
    renderer.camera(Camera.fit(*SIZE))
    renderer.frame()
    renderer.camera(camera)
    moving, still = renderer.frame(moving=True).astype(int), renderer.frame().astype(int)
    plane = np.array(THEMES["light"].plane[:3])
    ink = [np.abs(picture - plane).sum(axis=2) > 20 for picture in (moving, still)]
    assert renderer._covered is not None
    assert renderer._covered[1].half < scene.layout.band0
    assert ink[1].sum() > 100
    rows, columns = np.nonzero(ink[1])
    near = [ink[0][max(r - 4, 0) : r + 5, max(c - 4, 0) : c + 5].any() for r, c in zip(rows, columns, strict=True)]
    assert np.mean(near) > 0.95


# -- what stands out -----------------------------------------------------------------------------------------


def test_what_does_not_stand_out_fades(renderer: Renderer, graph: Graph) -> None:
    """Look-and-feel: "it and its partners light up, the rest fades"; and back."""
    scene = scene_of(graph)
    camera = Camera(0.0, 0.0).fitted(*SIZE)
    renderer.show(scene)
    renderer.camera(camera)
    plain = renderer.frame()
    lit, other = (int(scene.tree.represent[graph.key_of[name]]) for name in ("core/part_0.py", "web/part_3.py"))
    items = np.zeros(len(scene.tree), np.bool_)
    items[lit] = True
    relations = (scene.lifted.source == lit) | (scene.lifted.target == lit)
    renderer.highlight(Emphasis(items, relations))
    faded = renderer.frame()
    assert color_at(faded, camera, top_of(scene, lit)).tolist() == scene.color[lit, :3].tolist()
    ground = np.array(THEMES["light"].ground[:3])
    before, after = (np.abs(color_at(f, camera, top_of(scene, other)) - ground).sum() for f in (plain, faded))
    assert after < 0.4 * before
    renderer.highlight(Emphasis())
    np.testing.assert_array_equal(renderer.frame(), plain)


def test_chosen_relations_are_full_and_others_faint(renderer: Renderer, graph: Graph) -> None:
    """Look-and-feel: "selected ones full, others 6 %"."""
    scene = scene_of(graph)
    camera = Camera(0.0, 0.0).fitted(*SIZE)
    renderer.show(scene)
    renderer.camera(camera)
    plain = renderer.frame()
    chosen = np.zeros(len(scene.lifted.source), np.bool_)
    chosen[0] = True
    renderer.highlight(Emphasis(None, chosen))
    frame = renderer.frame()
    plane = np.array(THEMES["light"].plane[:3])

    def ink(picture: np.ndarray, row: int) -> float:
        curve = scene.curves[row, 4:-4].astype(np.float64)
        pixels = camera.project(curve, *SIZE)[0].astype(int)
        return float(np.abs(picture[pixels[:, 1], pixels[:, 0]].astype(int) - plane).sum(axis=1).mean())

    rows = {bool(value): int(np.flatnonzero(chosen[scene.curve_lifted] == value)[0]) for value in (True, False)}
    assert ink(frame, rows[True]) > 1.2 * ink(plain, rows[True])  # few are strong already
    assert ink(frame, rows[False]) < 0.5 * ink(plain, rows[False])


def test_of_very_many_relations_that_stand_out_some_come_at_once(
    renderer: Renderer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CBV-8: the pointer waits for a few; a frame that stands still shows all, in so many more pieces."""
    monkeypatch.setattr(render_module, "FIRST_LIT", 20)
    scene = random_scene()
    renderer.show(scene)
    renderer.camera(Camera(0.0, 0.0).fitted(*SIZE))
    few = renderer.pieces
    renderer.highlight(Emphasis(None, np.ones(len(scene.lifted.source), np.bool_)))
    many = renderer.pieces
    assert many > few
    quick, still = renderer.frame(moving=True).astype(int), renderer.frame().astype(int)
    plane = np.array(THEMES["light"].plane[:3])
    ink = [np.abs(picture - plane).sum() for picture in (quick, still)]
    assert ink[0] < 0.9 * ink[1]
    smooth = [renderer.piece(number) for number in range(many)][-1]
    assert smooth is not None
    assert np.abs(smooth.astype(int) - still).mean() < 0.05
    np.testing.assert_array_equal(renderer.frame(moving=True), quick)
    renderer.highlight(Emphasis())
    assert renderer.pieces == few


def test_relations_follow_a_drag(renderer: Renderer, graph: Graph) -> None:
    """DND-1: the relations of what is dragged are drawn to the pointer, and vanish with the drag."""
    scene = scene_of(graph)
    camera = Camera(0.0, 0.0).fitted(*SIZE)
    renderer.show(scene)
    renderer.camera(camera)
    plain = renderer.frame(moving=True)
    curve, color = straight(-0.5, 0.5, 0.05), np.full((1, 32, 4), 255, np.uint8)
    color[:, :, 1] = 0
    renderer.follow(curve, color)
    frame = renderer.frame(moving=True)
    red, green, blue = color_at(frame, camera, (0.0, 0.05, 0.0))
    assert min(red, blue) > green + 60
    renderer.follow(None)
    np.testing.assert_array_equal(renderer.frame(moving=True), plain)


def test_a_theme_changes_the_ground(renderer: Renderer, graph: Graph) -> None:
    """Look-and-feel: light and dark grounds; the scene brings its theme with it."""
    pipeline = Pipeline()
    for theme in ("light", "dark", "light"):
        renderer.show(scene_of(graph, pipeline=pipeline, theme=theme))
        renderer.camera(Camera(0.0, 0.0).fitted(*SIZE))
        frame = renderer.frame()
        assert frame[0, 0].tolist() == list(THEMES[theme].ground[:3])
        assert tuple(frame[SIZE[1] // 2 + 3, SIZE[0] // 2 + 60]) != THEMES["light" if theme == "dark" else "dark"].plane


def test_a_scene_without_relations_or_values(renderer: Renderer) -> None:
    """Nothing to show is no error: a subject without relations, and one node alone."""
    for scene in (random_scene(3, 0), scene_of(shop(), depth=0)):
        renderer.show(scene)
        renderer.camera(Camera.fit(*SIZE))
        assert len(np.unique(renderer.frame().reshape(-1, 3), axis=0)) > 2
        assert not renderer.catch_up()


# -- machines that cannot ------------------------------------------------------------------------------------


class Egl:
    """An EGL library of which one function fails; what the others give is enough for the probe."""

    def __init__(self, fails: str) -> None:
        self._fails = fails

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def function(*args: Any) -> Any:
            if name == "eglChooseConfig":
                args[4]._obj.value = int(name != self._fails)  # how many there are
            return None if name == self._fails or name == "eglQueryString" else 1

        return function


STEPS = ["eglGetDisplay", "eglInitialize", "eglBindAPI", "eglChooseConfig", "eglCreateContext"]


def test_a_machine_without_the_library_is_told_apart() -> None:
    """Look before you leap: VTK would crash."""

    def load(name: str) -> Any:
        raise OSError(f"{name}: cannot open shared object file")

    assert "libEGL.so.1 is not installed" in gl.probe_egl(load)


@pytest.mark.parametrize("step", STEPS)
def test_a_machine_without_a_driver_is_told_apart(step: str) -> None:
    """Every step that VTK would not survive is tried before."""
    assert gl.probe_egl(lambda _: Egl("")) == ""
    assert "OpenGL driver" in gl.probe_egl(lambda _: Egl(step))


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere OpenGL is part of the system")
def test_the_error_names_the_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    """One sentence naming the Debian packages, instead of a crash."""
    monkeypatch.setattr(gl, "missing_opengl", lambda: "the library libEGL.so.1 is not installed")
    with pytest.raises(InputError, match=r"libEGL\.so\.1 is not installed.*libegl1 libgl1 libgl1-mesa-dri"):
        Renderer(10, 10)


DRAW = """
import sys
from cbvtool.drawing.renderer import Renderer
from tests.geometry.scenes import scene_of, shop
renderer = Renderer(200, 120)
renderer.show(scene_of(shop()))
assert renderer.frame().std() > 5
renderer.close()
from vtkmodules.vtkCommonCore import vtkLogger
vtkLogger.Log(vtkLogger.VERBOSITY_WARNING, "here", 1, "not for the user")
unwanted = {"PyQt5", "PySide6", "qtpy", "matplotlib", "numba", "pyvista.plotting", "vtk"} & set(sys.modules)
assert not unwanted, unwanted
"""


@pytest.mark.parametrize("display", [None, ":77"])
def test_drawing_is_silent_and_needs_no_display(display: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Design 10: no display, or a wrong one, no Qt, and nothing on stderr."""
    monkeypatch.setenv("PYTHONPATH", f"src{':' if sys.platform != 'win32' else ';'}.")
    if display is None:
        monkeypatch.delenv("DISPLAY", raising=False)
    else:
        monkeypatch.setenv("DISPLAY", display)
    done = subprocess.run([sys.executable, "-W", "error", "-c", DRAW], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.returncode == 0


def test_vtk_speaks_to_the_log(caplog: pytest.LogCaptureFixture) -> None:
    """Design 10: an error of VTK reaches the log that the tests listen to."""
    from vtkmodules.vtkCommonCore import vtkOutputWindow

    log = logging.getLogger("cbvtool.vtk")
    handlers, log.handlers = log.handlers, []  # not those that would fail this test for it
    try:
        gl.listen_to_vtk()
        with caplog.at_level(logging.ERROR, logger="cbvtool.vtk"):
            vtkOutputWindow.GetInstance().DisplayErrorText("out of ideas")
    finally:
        log.handlers = handlers
    assert any("out of ideas" in record.getMessage() for record in caplog.records)


def test_opposite_relations_show_in_one_another() -> None:
    """EX-4: with minimum blending what is drawn last covers nothing, on dark ground neither."""
    way = np.linspace(-0.8, 0.8, 32, dtype=np.float32)
    curves = np.zeros((2, 32, 3), np.float32)
    curves[0, :, 0] = curves[1, :, 1] = way
    color = np.zeros((2, 32, 4), np.uint8)
    color[0], color[1] = (200, 40, 40, 255), (40, 40, 200, 255)
    layer = CurveLayer()

    def crossing(blending: str, ground: tuple[int, int, int, int], *, dark: bool) -> tuple[list[int], list[int]]:
        layer.blend(blending, dark=dark)
        layer.show(curves, color, (0.2, 0.2), ground)
        layer.cover(Window(0.0, 0.0, 1.0, 512))
        layer.draw()
        pixels = drawn(layer).astype(int)
        return pixels[256, 256].tolist(), np.minimum(pixels[256, 128], pixels[128, 256]).tolist()

    try:
        here, darkest = crossing("minimum", (250, 250, 247, 255), dark=False)
        assert here == darkest
        here, _ = crossing("minimum", (20, 22, 26, 255), dark=True)
        assert here[0] > 100
        assert here[2] > 100
        here, darkest = crossing("alpha", (250, 250, 247, 255), dark=False)
        assert here != darkest
    finally:
        layer.close()
