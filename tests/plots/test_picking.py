"""What is picked is what is seen (TV-2, issue: straight and bent panes)."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from cbvtool.plots.filling import fill
from cbvtool.plots.layers import Bands, Bars, Curves, Labels, Raster, Segments
from cbvtool.plots.panes import BoxShape, Pane, SectorShape, locate, place
from cbvtool.plots.picking import covers, pane_at, pick
from cbvtool.plots.plot import NOTHING, Hit, Plot, Viewport
from tests.plots.random_plots import HEIGHT, WIDTH, number_of, random_plot, seen

FIVE = np.array([0.0, 5.0])
ONE = np.zeros(1, np.int32)


@pytest.mark.parametrize("bent", [False, True])
@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_what_is_picked_is_what_is_seen(bent: bool, scale: float) -> None:
    """10,000 places on 40 random plots: the item that is picked has the colour that is seen there."""
    judged = hits = 0
    for seed in range(20):
        plot, meant = random_plot(seed, bent)
        filled = fill(plot, Viewport(WIDTH, HEIGHT, scale, top=seed % 3 * 5, moving=True))
        picture = seen(filled)
        places = np.random.default_rng(seed).uniform(0, 1, (250, 2)) * picture.shape[1::-1]
        for x, y in places.tolist():
            pixel = picture[int(y), int(x)]
            if pixel[3] == 1:
                continue
            layer, item = meant.get(number_of(pixel), ("", -1))
            assert pick(filled, x / scale, y / scale + filled.viewport.top) == Hit(layer, item), (seed, x, y)
            judged += 1
            hits += item >= 0
    assert judged > 4_800
    assert hits > 800


def _bars(name: str, item: np.ndarray | None, pane: str = "a") -> Bars:
    zero, one = np.zeros(1), np.ones(1)
    return Bars(name=name, pane=pane, x0=zero, x1=one, y0=zero, y1=one, color=(9, 9, 9, 255), item=item)


PANE = Pane("a", BoxShape(10, 10, 100, 50), (0, 1), (0, 1))


def test_the_last_layer_is_picked_first_and_layers_without_items_never() -> None:
    plot = Plot((PANE,), (_bars("low", ONE), _bars("high", ONE + 1), _bars("veil", None)))
    assert pick(fill(plot, Viewport(200, 100)), 50, 30) == Hit("high", 1)
    turned = replace(plot, input=("low", "high"))
    assert pick(fill(turned, Viewport(200, 100)), 50, 30) == Hit("low", 0)
    none = replace(plot, input=())
    assert pick(fill(none, Viewport(200, 100)), 50, 30) is NOTHING


def test_an_item_below_zero_is_not_picked() -> None:
    plot = Plot((PANE,), (_bars("low", ONE), _bars("high", ONE - 1)))
    assert pick(fill(plot, Viewport(200, 100)), 50, 30) == Hit("low", 0)


def test_nothing_is_picked_beyond_the_border_of_a_pane() -> None:
    plot = Plot((PANE,), (_bars("bar", ONE),))
    filled = fill(plot, Viewport(200, 100))
    assert pick(filled, 10.5, 10.5) == Hit("bar", 0)
    for place_ in ((9.5, 30), (110.5, 30), (50, 9.5), (50, 60.5)):
        assert pick(filled, *place_) is NOTHING


def test_lines_are_picked_by_distance() -> None:
    line = Segments(
        name="line",
        x0=np.array([0.0, 0]),
        y0=np.array([50.0, 54]),
        x1=np.full(2, 200.0),
        y1=np.array([50.0, 54]),
        color=(0, 0, 0, 255),
        item=np.array([3, 4], np.int32),
    )
    curve = Curves(
        name="curve",
        points=np.array([[0.0, 80], [60, 60], [140, 60], [200, 80]]),
        ptr=np.array([0, 4]),
        color=(0, 0, 0, 255),
        item=np.array([5], np.int32),
    )
    filled = fill(Plot((), (line, curve)), Viewport(200, 100))
    assert pick(filled, 100, 51.5) == Hit("line", 3)
    assert pick(filled, 100, 52.5) == Hit("line", 4)
    assert pick(filled, 100, 46.5) is NOTHING
    assert pick(filled, 100, 65) == Hit("curve", 5)
    assert pick(filled, 100, 80) is NOTHING


def test_bands_and_labels_are_picked() -> None:
    left = np.array([[0.0, 20], [60, 20], [140, 40], [200, 40]])
    band = Bands(
        name="band",
        left=np.vstack((left, left + FIVE)),
        right=np.vstack((left, left)) + 4 * FIVE,
        ptr=np.array([0, 4, 8]),
        color=(1, 2, 3, 255),
        item=np.array([1, 2], np.int32),
        z=np.array([9.0, 1.0]),
    )
    label = Labels(
        name="label",
        x=np.array([100.0]),
        y=np.array([80.0]),
        text=["seven 77"],
        color=(0, 0, 0, 255),
        anchor="right",
        item=np.array([7], np.int32),
    )
    filled = fill(Plot((), (band, label)), Viewport(200, 100))
    assert pick(filled, 100, 45) == Hit("band", 1)  # the one with the larger z lies on top
    assert pick(filled, 100, 31) == Hit("band", 1)
    assert pick(filled, 100, 70) is NOTHING
    assert pick(filled, 90, 80) == Hit("label", 7)
    assert pick(filled, 104, 80) is NOTHING


def test_the_topmost_pane_is_at_a_place() -> None:
    bent = Pane("b", SectorShape(60, 35, 5, 20, 0, math.pi), (0, 1), (0, 1))
    assert pane_at((PANE, bent), 60, 45) == bent
    assert pane_at((PANE, bent), 60, 25) == PANE
    assert pane_at((PANE, bent), 60, 95) is None
    assert not covers(bent, 60, 37)


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("bent", [False, True])
def test_place_is_the_inverse_of_locate(seed: int, bent: bool) -> None:
    from tests.plots.random_plots import random_pane

    rng = np.random.default_rng(seed)
    pane = random_pane(rng, "p", bent)
    x = pane.x[0] + rng.uniform(0.001, 0.999, 20) * (pane.x[1] - pane.x[0])
    y = pane.y[0] + rng.uniform(0.001, 0.999, 20) * (pane.y[1] - pane.y[0])
    back = place(pane, *locate(pane, x, y))
    np.testing.assert_allclose(back, (x, y), atol=1e-9)


def test_items_of_an_image_are_its_cells() -> None:
    image = np.full((2, 2, 4), 200, np.uint8)
    raster = Raster(name="r", pane="a", image=image, box=(0, 0, 1, 1), item=np.array([[0, 1], [2, 3]], np.int32))
    filled = fill(Plot((PANE,), (raster,)), Viewport(200, 100))
    assert [pick(filled, x, y).item for y in (20, 50) for x in (30, 90)] == [0, 1, 2, 3]
