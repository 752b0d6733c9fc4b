"""Layers become pixels: where bars lie, how they are shaded, striped and blended, and what is not filled again."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.plots import straight
from cbvtool.plots.bending import bend, turn_of
from cbvtool.plots.filling import LayerCache, Tile, fill, fill_until, warm_up
from cbvtool.plots.flattening import flattened
from cbvtool.plots.layers import Areas, Bars, Cushion, Points, Raster, Segments
from cbvtool.plots.panes import BoxShape, Pane, SectorShape
from cbvtool.plots.picking import pick
from cbvtool.plots.plot import Hit, Plot, Viewport
from cbvtool.plots.shapes import fill_marks, fill_polygons
from cbvtool.plots.to_picture import to_picture
from tests.plots.random_plots import random_plot

SIGHT = Viewport(200, 100)
PANE = Pane("a", BoxShape(0, 0, 200, 100), (0, 200), (0, 100))
GREY = (150, 150, 150, 255)
AMBIENT = Cushion().ambient


def bars(*edges: tuple[float, float, float, float], **more: Any) -> Bars:
    """Bars x0, x1, y0, y1 in a pane of a pixel a unit."""
    x0, x1, y0, y1 = np.array(edges, np.float64).reshape(-1, 4).T
    whole: dict[str, Any] = {"color": GREY, "item": np.arange(len(edges), dtype=np.int32)} | more
    return Bars(name="bars", pane="a", x0=x0, x1=x1, y0=y0, y1=y1, **whole)


def tile_of(layer: Any, pane: Pane = PANE, sight: Viewport = SIGHT) -> Tile:
    tile = fill(Plot((pane,), (layer,)), sight).tiles[0]
    assert tile is not None
    return tile


def covered(tile: Tile) -> tuple[int, int, int, int]:
    """Left, right, top and bottom of the pixels of the viewport that are not clear."""
    rows, columns = np.nonzero(tile.image[..., 3])
    return (
        int(columns.min()) + tile.left,
        int(columns.max()) + tile.left + 1,
        int(rows.min()) + tile.top,
        int(rows.max()) + tile.top + 1,
    )


@pytest.mark.parametrize(
    ("edges", "found"),
    [
        ((10, 30, 5, 20), (10, 30, 5, 20)),
        ((30, 10, 20, 5), (10, 30, 5, 20)),
        ((10.4, 30.4, 5.6, 20.6), (10, 30, 6, 21)),
        ((10.2, 10.3, 5, 20), (10, 11, 5, 20)),
        ((10, 10, 5, 20), (10, 11, 5, 20)),
        ((200, 200, 5, 20), (199, 200, 5, 20)),
        ((-1e30, 1e30, 99.9, 100), (0, 200, 99, 100)),
        ((-math.inf, 50, 5, 20), (0, 50, 5, 20)),
    ],
)
def test_bars_lie_on_whole_pixels_and_take_at_least_one(edges, found) -> None:
    assert covered(tile_of(bars(edges))) == found


def test_neighbours_leave_no_gap_and_do_not_overlap() -> None:
    """TV-1: whatever the window, each pixel of a row of calls belongs to the one that is there."""
    edges = np.sort(np.random.default_rng(1).uniform(0, 1, 40))
    layer = bars(*((a, b, 0, 1) for a, b in pairwise(edges)))
    pane = Pane("a", BoxShape(3, 0, 190, 10), (edges[0], edges[-1]), (0, 1))
    tile = tile_of(layer, pane)
    middles = edges[0] + (np.arange(190) + 0.5) / 190 * (edges[-1] - edges[0])
    expected = np.searchsorted(edges, middles) - 1
    wide = np.diff(edges) / (edges[-1] - edges[0]) * 190 > 1.5
    sure = wide[np.clip(expected, 0, len(wide) - 1)]
    assert (tile.item >= 0).all()
    near = np.abs(tile.item[0] - expected) <= 1
    assert near[sure].all()
    assert (tile.item[0] == expected)[sure].mean() > 0.9


def test_nothing_is_filled_of_what_is_no_number_or_out_of_sight() -> None:
    layers = (bars((math.nan, 5, 0, 9)), bars((300, 400, 0, 9)), bars(), bars((0, 9, -50, -1)))
    for layer in layers:
        tile = fill(Plot((PANE,), (layer,)), SIGHT).tiles[0]
        assert tile is None or not tile.image.any()
    unknown = replace(bars((0, 9, 0, 9)), pane="nowhere")
    assert fill(Plot((PANE,), (unknown,)), SIGHT).tiles == (None,)
    lines = Segments(name="s", x0=np.zeros(1), x1=np.ones(1), y0=np.zeros(1), y1=np.ones(1), color=GREY)
    assert fill(Plot((), (lines,)), SIGHT).tiles == (None,)


numbers = st.floats(allow_nan=True, allow_infinity=True)


@given(st.lists(numbers, min_size=4, max_size=4), st.booleans(), st.floats(0.3, 4), st.booleans())
def test_any_numbers_are_filled_without_a_word(values: list[float], bent: bool, scale: float, shaded: bool) -> None:
    """A window of 1e-300, ranges without length, infinities: no error, and nothing outside of the viewport."""
    shape = SectorShape(90, 50, 10, 40, 0, 5) if bent else BoxShape(5, 5, 150, 80)
    pane = Pane("a", shape, (values[0], values[1]), (0, 1))
    layer = bars((values[2], values[3], 0, 1), (0, 1, 0, 1), shade=Cushion(at=values[2]) if shaded else None)
    with np.errstate(all="ignore"):
        tile = fill(Plot((pane,), (layer,)), replace(SIGHT, scale=scale)).tiles[0]
    if tile is not None:
        assert tile.left >= 0
        assert tile.top >= 0
        assert tile.right <= round(200 * scale) + 1
        assert tile.bottom <= round(100 * scale) + 1


def cushion(x: float, y: float, d: int, k: float) -> float:
    """The formula of TV-8 as it is written."""
    fx, fy = 1.0, 0.8
    return float(((1 - (1 - fx * x) ** d) * (1 - abs(1 - 2 * fy * y) ** d)) ** k)


@pytest.mark.parametrize("at", [None, -20.0, 0.0, 77.3, 150.0, 500.0])
def test_cushions_follow_the_formula(at: float | None) -> None:
    """TV-8: 1,000 points of bars with the pointer inside, outside and nowhere; the right half is mirrored."""
    layer = bars((0, 150, 0, 40), (150, 200, 40, 100), shade=Cushion(at=at))
    tile = tile_of(layer)
    rng = np.random.default_rng(0)
    for _ in range(500):
        column, row = int(rng.integers(0, 200)), int(rng.integers(0, 100))
        first, last, top, bottom = (0, 150, 0, 40) if row < 40 else (150, 200, 40, 100)
        if not first <= column < last:
            assert not tile.image[row, column, 3]
            continue
        x, bright = column + 0.5, (first + last) / 2 if at is None else at
        along = (x - first) / (min(bright, last) - first) if x < bright else (last - x) / (last - max(bright, first))
        psi = cushion(along, (row + 0.5 - top) / (bottom - top), 1, 0.2)
        light = AMBIENT + (1 - AMBIENT) * psi
        assert abs(int(tile.image[row, column, 0]) - 150 * light) <= 1.5


def test_cushions_of_a_treemap_are_multiplied() -> None:
    """TV-8, VF-1: d is the depth + 1, x is not cut, and a place is as dark as all cells around it make it."""
    cells = ((0, 200, 0, 100), (20, 120, 10, 90), (40, 100, 20, 60))
    layer = bars(*cells, shade=Cushion(depth=np.arange(3, dtype=np.int32)))
    tile = tile_of(layer)
    rng = np.random.default_rng(1)
    for _ in range(1000):
        column, row = int(rng.integers(0, 200)), int(rng.integers(0, 100))
        psi = 1.0
        for depth, (x0, x1, y0, y1) in enumerate(cells):
            if x0 <= column < x1 and y0 <= row < y1:
                psi *= cushion((column + 0.5 - x0) / (x1 - x0), (row + 0.5 - y0) / (y1 - y0), depth + 1, 0.2)
        light = AMBIENT + (1 - AMBIENT) * psi
        assert abs(int(tile.image[row, column, 0]) - 150 * light) <= 1.5


def test_the_shadow_of_cushions_over_plain_bars_is_the_same_picture() -> None:
    """VF-1: colours change under it, and it stays."""
    cells = ((0, 200, 0, 100), (20, 120, 10, 90), (40, 100, 20, 60))
    depth = np.arange(3, dtype=np.int32)
    whole = tile_of(bars(*cells, shade=Cushion(depth=depth))).image[..., :3].astype(np.int64)
    veil = tile_of(bars(*cells, shade=Cushion(depth=depth, shadow=True))).image
    assert not veil[..., :3].any()
    plain = tile_of(bars(*cells)).image[..., :3].astype(np.int64)
    assert abs(plain * (255 - veil[..., 3:].astype(np.int64)) / 255 - whole).max() <= 1.0


def test_what_stands_for_several_is_told_apart() -> None:
    """TV-9, OC-4: also where it is a pixel wide, in each colour, shaded or not."""
    for color in ((20, 20, 20, 255), (250, 250, 240, 255), (200, 30, 30, 255)):
        for shade in (None, Cushion()):
            edges = ((0, 60, 0, 20), (100, 101, 0, 20))
            alone = tile_of(bars(*edges, color=color, shade=shade, merged=np.array([1, 1]))).image
            several = tile_of(bars(*edges, color=color, shade=shade, merged=np.array([1, 2]))).image
            plain = tile_of(bars(*edges, color=color, shade=shade)).image
            assert (alone == plain).all()
            assert (several[:, :60] == plain[:, :60]).all()
            differs = (np.abs(several[:, 100].astype(int) - plain[:, 100]) > 10).any(axis=1)
            assert 0.2 < differs.mean() < 0.8


def test_each_pattern_looks_different() -> None:
    pictures = [tile_of(bars((0, 60, 0, 60), pattern=pattern)).image.tobytes() for pattern in straight.PATTERNS]
    pictures.append(tile_of(bars((0, 60, 0, 60), merged=np.array([5]))).image.tobytes())
    assert len(set(pictures)) == 5


def test_translucent_bars_are_blended() -> None:
    tile = tile_of(bars((0, 10, 0, 10), (5, 15, 0, 10), color=np.array([[255, 0, 0, 255], [0, 0, 255, 128]], np.uint8)))
    assert tile.image[5, 2].tolist() == [255, 0, 0, 255]
    assert tile.image[5, 7].tolist() == [127, 0, 128, 255]
    assert tile.image[5, 12].tolist() == [0, 0, 128, 128]  # multiplied by alpha
    assert tile.item[5, 7] == 1


def test_outlines_lie_inside_and_leave_small_bars_alone() -> None:
    tile = tile_of(bars((0, 20, 0, 20), (30, 32, 0, 20), outline=(0, 0, 0, 255)))
    assert tile.image[0, 5].tolist() == [0, 0, 0, 255]
    assert tile.image[5, 19].tolist() == [0, 0, 0, 255]
    assert tile.image[5, 5].tolist() == list(GREY)
    assert tile.image[5, 30].tolist() == list(GREY)


def test_bars_that_hide_each_other_are_as_if_all_were_filled() -> None:
    """The last of many in one pixel is seen, and its item picked."""
    rng = np.random.default_rng(3)
    first = rng.uniform(0, 10, 500)
    color = rng.integers(0, 255, (500, 4)).astype(np.uint8)
    color[:, 3] = np.where(rng.random(500) < 0.5, 255, 90)
    layer = bars(*((x, x, 0, 10) for x in first), color=color)
    tile = tile_of(layer)
    expected = np.zeros((10, 4))
    for row in range(500):
        column = int(first[row])
        alpha = color[row, 3] / 255
        expected[column] = np.floor(np.append(color[row, :3], 255) * alpha + expected[column] * (1 - alpha) + 0.5)
    assert np.abs(tile.image[0, : len(expected)] - expected).max() <= 1
    last = {int(x): row for row, x in enumerate(first)}
    assert {column: int(tile.item[0, column]) for column in last} == last


def test_a_bent_pane_averages_when_still_and_not_while_moving() -> None:
    pane = Pane("a", SectorShape(100, 50, 5, 48, 0, 2 * math.pi), (0, 300), (0, 1))
    layer = bars(
        *((i, i + 1, 0, 1) for i in range(300)), color=np.array([[0, 0, 0, 255], [255, 255, 255, 255]] * 150, np.uint8)
    )
    moving = tile_of(layer, pane, replace(SIGHT, moving=True))
    still = tile_of(layer, pane)
    assert set(np.unique(moving.image[moving.image[..., 3] == 255][:, 0])) == {0, 255}
    assert len(np.unique(still.image[..., 0])) > 3
    assert (moving.item == still.item).all()


def test_a_bent_pane_shows_the_same_items_in_the_same_order() -> None:
    """ST: the same bars of (time, depth), straight and bent."""
    pane = Pane("a", SectorShape(100, 50, 10, 40, math.pi, 2 * math.pi), (0, 4), (0, 2))
    tile = tile_of(bars(*((i, i + 1, 0, 1) for i in range(4)), *((i, i + 1, 1, 2) for i in range(4))), pane)
    around = [math.pi + (i + 0.5) * math.pi / 4 for i in range(4)]
    for ring, radius in enumerate((17, 32)):
        found = [tile.item_at(int(100 + radius * math.cos(a)), int(50 + radius * math.sin(a))) for a in around]
        assert found == [4 * ring + i for i in range(4)]
    assert tile.item_at(100, 70) == -1


def test_an_image_is_stretched_turned_and_averaged() -> None:
    image = np.zeros((1, 2, 4), np.uint8)
    image[0, 0], image[0, 1] = (255, 0, 0, 255), (0, 0, 255, 255)
    pane = replace(PANE, x=(1.0, 0.0), y=(0.0, 1.0))
    tile = tile_of(Raster(name="r", pane="a", image=image, box=(0, 0, 1, 1)), pane)
    assert tile.image[50, 20].tolist() == [0, 0, 255, 255]
    assert tile.image[50, 180].tolist() == [255, 0, 0, 255]
    fine = np.zeros((4, 400, 4), np.uint8)
    fine[:, ::2] = 255
    tile = tile_of(Raster(name="r", pane="a", image=fine, box=(0, 0, 200, 100), smooth=True))
    assert np.abs(tile.image[..., 3].astype(int) - 128).max() <= 1


def test_areas_and_points_have_soft_edges_and_are_cut_at_their_pane() -> None:
    corners = np.array([[10.5, 10], [300, 10], [300, 30], [10.5, 30]])
    pane = replace(PANE, shape=BoxShape(0, 0, 100, 100), x=(0.0, 100.0))
    tile = tile_of(Areas(name="r", pane="a", points=corners, ptr=np.array([0, 4]), color=GREY), pane)
    assert covered(tile) == (10, 100, 10, 30)
    assert abs(int(tile.image[5, 10 - tile.left, 3]) - 128) <= 1
    at = np.array([50.0])
    disc = tile_of(Points(name="p", pane="a", x=at, y=at, color=GREY, size=20, item=np.zeros(1, np.int32)))
    area = (disc.image[..., 3] / 255).sum()
    assert area == pytest.approx(math.pi * 100, rel=0.01)
    assert (disc.item >= 0).sum() == pytest.approx(math.pi * 100, rel=0.03)


@pytest.mark.parametrize("seed", range(6))
def test_polygons_cover_what_fine_lines_through_each_pixel_meet(seed: int) -> None:
    """The loop looks at each edge once; here all edges are asked at 4 lines a pixel, in 64 places each."""
    rng = np.random.default_rng(seed)
    corners = rng.uniform(-4, 24, (int(rng.integers(3, 9)), 2))
    area = Areas(name="a", points=corners, ptr=np.array([0, len(corners)]), color=(255, 255, 255, 255))
    tile = fill(Plot((), (area,)), Viewport(20, 20)).tiles[0]
    y = (np.arange(20 * 4) + 0.5)[:, None] / 4
    x = (np.arange(20 * 64) + 0.5)[None] / 64
    inside = np.zeros((len(y), x.shape[1]), np.bool_)
    for (xa, ya), (xb, yb) in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        cut = (ya <= y) != (yb <= y)
        inside ^= cut & (x > xa + (y - ya) / (yb - ya) * (xb - xa))
    share = inside.reshape(20, 4, 20, 64).mean(axis=(1, 3))
    found = np.zeros((20, 20))
    if tile is not None:
        found[tile.top : tile.bottom, tile.left : tile.right] = tile.image[..., 3] / 255
    assert np.abs(found - share).max() < 0.03


@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_layers_made_one_image_look_as_they_did(scale: float) -> None:
    sight = Viewport(160, 120, scale)
    for seed in range(4):
        plot, _ = random_plot(seed, bent=True)
        one = flattened("one", plot.layers, plot.panes, sight)
        (tile,) = fill(Plot((), (one,)), sight).tiles
        assert tile is not None
        assert tile.image is one.image  # nothing is filled again
        filled = fill(plot, sight)
        for x, y in np.random.default_rng(seed).integers(0, (int(160 * scale), int(120 * scale)), (300, 2)).tolist():
            color, items = np.zeros(4), [-1]
            for layer in filled.tiles:
                if layer is not None and layer.left <= x < layer.right and layer.top <= y < layer.bottom:
                    above = layer.image[y - layer.top, x - layer.left].astype(float)
                    color = above + color * (1 - above[3] / 255)
                    items += [layer.item_at(x, y)] if layer.item_at(x, y) >= 0 else []
            inside = tile.left <= x < tile.right and tile.top <= y < tile.bottom
            seen = tile.image[y - tile.top, x - tile.left] if inside else np.zeros(4)
            assert np.abs(color - seen).max() <= len(filled.tiles)
            assert tile.item_at(x, y) == items[-1]
        moved = fill(Plot((), (one,)), replace(sight, width=150)).tiles[0]  # another place: it is filled as any image
        assert moved is not None
        assert moved.image.shape[1] <= 150 * scale


def test_layers_that_are_the_same_object_are_filled_once() -> None:
    """A hover fills the top layer alone; another pane, size or scroll fills all."""
    cache: LayerCache[Tile | None] = LayerCache()
    low, high = bars((0, 100, 0, 50)), bars((20, 30, 0, 50))
    first = fill(Plot((PANE,), (low, high)), SIGHT, cache)
    other = bars((40, 50, 0, 50))
    second = fill(Plot((PANE,), (low, other)), SIGHT, cache)
    assert second.tiles[0] is first.tiles[0]
    assert cache.made == 3
    fill(Plot((PANE,), (low, other)), replace(SIGHT, moving=True), cache)  # straight: coarse is as good
    assert cache.made == 3
    fill(Plot((replace(PANE, x=(0, 100)),), (low, other)), SIGHT, cache)
    assert cache.made == 5
    fill(Plot((replace(PANE, x=(0, 100)),), (low, other)), replace(SIGHT, top=5), cache)
    assert cache.made == 7


def test_a_picture_is_filled_in_pieces_and_becomes_the_same() -> None:
    plot, _ = random_plot(3, bent=True)
    tiles: LayerCache[Tile | None] = LayerCache()
    for made in range(1, len(plot.layers)):  # time is up before it begins: one layer at a time
        assert fill_until(plot, SIGHT, tiles, 0.0) is None
        assert tiles.made == made
    filled = fill_until(plot, SIGHT, tiles, 0.0)
    assert filled is not None
    for one, whole in zip(filled.tiles, fill(plot, SIGHT).tiles, strict=True):
        assert (one is None) == (whole is None)
        assert one is None or whole is None or one.image.tobytes() == whole.image.tobytes()
    assert fill_until(plot, replace(SIGHT, moving=True), tiles, math.inf) is not None
    assert tiles.made == len(plot.layers)  # what was made with care will do while it moves
    coarse: LayerCache[Tile | None] = LayerCache()
    fill(plot, replace(SIGHT, moving=True), coarse)
    before = coarse.made
    fill(plot, SIGHT, coarse)
    assert coarse.made > before


def test_two_runs_give_the_same_pixels() -> None:
    for bent in (False, True):
        plot, _ = random_plot(5, bent)
        again, _ = random_plot(5, bent)
        for a, b in zip(fill(plot, SIGHT).tiles, fill(again, SIGHT).tiles, strict=True):
            assert (a is None) == (b is None)
            if a is not None and b is not None:
                assert a.image.tobytes() == b.image.tobytes()


def test_the_compiled_loops_do_what_is_written() -> None:
    """Interpreted, the first loops give the same: what was compiled is the source."""
    edges = np.random.default_rng(2).uniform(-5, 25, (4, 30))
    way = np.array([1.5, 2.0, 0.5, 1.0, 19, 9])
    compiled = straight.pixel_boxes(edges[0], edges[1], edges[2], edges[3], way)
    assert (compiled == straight.pixel_boxes.source(edges[0], edges[1], edges[2], edges[3], way)).all()
    warm_up()


def test_angles_are_those_of_the_standard_library() -> None:
    rng = np.random.default_rng(4)
    for y, x in [*rng.normal(size=(1000, 2)).tolist(), (0, 0), (0, -1), (1, 0), (-1, 0), (0, 1), (-1e-300, -1)]:
        assert turn_of(y, x) == pytest.approx(math.atan2(y, x), abs=3e-8)


def test_no_loop_is_compiled_after_the_warm_up() -> None:
    """Arrays that cannot be written to, of other types, or with gaps: the window never waits for a compiler."""
    kernels: tuple[Any, ...] = (
        straight.pixel_boxes,
        straight.fill_boxes,
        straight.fill_image,
        bend,
        fill_polygons,
        fill_marks,
    )
    warm_up()
    before = [len(kernel.compiled().signatures) for kernel in kernels]
    frozen = np.arange(8, dtype=np.float64)[::2]
    frozen.flags.writeable = False
    item: Any = np.arange(4, dtype=np.int64)
    color = np.full((4, 4), 200, np.uint8)
    color.flags.writeable = False
    for shape in (BoxShape(0, 0, 99, 99), SectorShape(50, 50, 5, 40, 0, 3)):
        pane = Pane("a", shape, (0, 8), (0, 8))
        column: Any
        for column in (frozen, frozen.astype(np.float32), frozen.astype(np.int32)):
            rows: Any = {"pane": "a", "color": color, "item": item}
            merged: Any = np.arange(4)
            layers = (
                Bars(name="a", x0=frozen, x1=column, y0=column, y1=frozen, merged=merged, shade=Cushion(at=2), **rows),
                Bars(name="b", x0=column, x1=frozen, y0=column, y1=frozen, shade=Cushion(depth=merged), **rows),
                Points(name="c", x=column, y=frozen, size=5, **rows),
                Areas(name="d", points=np.stack((column, frozen), 1), ptr=np.array([0, 4], np.int32), **rows),
                Raster(name="e", pane="a", image=color[None], box=(0, 0, 1, 1), item=item[None], smooth=True),
            )
            fill(Plot((pane,), layers), SIGHT)
    assert [len(kernel.compiled().signatures) for kernel in kernels] == before


def test_many_segments_are_filled_as_wide_as_lines() -> None:
    """More than are painted one by one: their ink is length times width, cut at the pane; they are picked as lines."""
    rng = np.random.default_rng(0)
    count = 2_001
    x0, y0 = np.full(count, -50.0), np.arange(count) % 10 * 10.0 + 5
    color = np.repeat(np.array([[9, 9, 9, 255]], np.uint8), count, axis=0)
    item = rng.permutation(count).astype(np.int32)
    rows: Any = {"name": "s", "pane": "a", "x0": x0, "y0": y0, "x1": x0 + 150, "y1": y0, "color": color, "item": item}
    filled = fill(Plot((PANE,), (Segments(width=2, **rows),)), SIGHT)
    tile = filled.tiles[0]
    assert tile is not None
    assert (tile.image[..., 3] / 255).sum() == pytest.approx(10 * 100 * 2, rel=0.01)
    assert pick(filled, 50, 16.5) == Hit("s", int(item[y0 == 15][-1]))
    assert not pick(filled, 50, 20)
    assert not pick(filled, 105, 15)
    assert to_picture(filled).items[0].pixels is tile.image
    bent = Pane("a", SectorShape(100, 50, 10, 40, 0, 3), (0, 200), (0, 100))
    ring = fill(Plot((bent,), (Segments(**rows),)), SIGHT).tiles[0]
    assert ring is not None
    rows_, columns = np.nonzero(ring.image[..., 3])
    away = np.hypot(columns + ring.left + 0.5 - 100, rows_ + ring.top + 0.5 - 50)
    assert 10 <= away.min() <= 13
    assert 37 <= away.max() <= 40
