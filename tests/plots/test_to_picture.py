"""A filled plot as a Picture: the same in the window, as PNG, SVG and PDF."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.drawing.plot_files import picture_bytes, write_picture
from cbvtool.errors import InputError
from cbvtool.geometry.picture import Image, Picture, Polyline, Rect, Text, unmultiplied
from cbvtool.plots.filling import LayerCache, fill
from cbvtool.plots.layers import Bands, Bars, Curves, Cushion, Labels, Points, Segments
from cbvtool.plots.panes import BoxShape, Pane, SectorShape
from cbvtool.plots.plot import Plot, Viewport
from cbvtool.plots.to_picture import Items, clipped, to_picture
from cbvtool.plots.vectors import shortened
from tests.plots.random_plots import HEIGHT, WIDTH, random_plot

SIGHT = Viewport(WIDTH, HEIGHT)
GROUND = (250, 250, 247, 255)
BLACK, RED = (0, 0, 0, 255), (200, 30, 30, 255)
PANE = Pane("a", BoxShape(20, 10, 100, 60), (0, 1), (0, 1))


def test_two_runs_give_the_same_bytes(tmp_path: Path) -> None:
    for suffix in (".png", ".svg"):
        pictures = [to_picture(fill(random_plot(3, True)[0], SIGHT)) for _ in range(2)]
        first, second = (picture_bytes(picture, suffix, GROUND) for picture in pictures)
        assert first == second
        write_picture(pictures[0], tmp_path / f"a{suffix}", GROUND)
        assert (tmp_path / f"a{suffix}").read_bytes() == first
    with pytest.raises(InputError, match=r"\.png or \.svg, not as \.gif"):
        write_picture(Picture(1, 1), tmp_path / "a.gif", GROUND)


def _bars(**more: Any) -> Bars:
    zero, one = np.array([-1.0, 0.5]), np.array([0.25, 2.0])
    return Bars(name="bars", pane="a", x0=zero, x1=one, y0=np.zeros(2), y1=np.ones(2), color=BLACK, **more)


def test_few_plain_bars_are_rectangles_in_a_file_of_lines() -> None:
    filled = fill(Plot((PANE,), (_bars(),)), SIGHT)
    assert [type(item) for item in to_picture(filled).items] == [Image]
    cut = to_picture(filled, lines=True).items
    assert [(r.x, r.width, r.y, r.height) for r in cut if isinstance(r, Rect)] == [(20, 25, 10, 60), (70, 50, 10, 60)]
    for more in ({"shade": Cushion()}, {"merged": np.array([1, 2])}, {"pattern": "cross"}):
        filled = fill(Plot((PANE,), (_bars(**more),)), SIGHT)
        assert [type(item) for item in to_picture(filled, lines=True).items] == [Image]


def test_items_are_in_the_order_of_layers_and_kept_while_layers_are() -> None:
    line = Segments(name="s", x0=np.zeros(1), y0=np.zeros(1), x1=np.full(1, 9.0), y1=np.full(1, 9.0), color=BLACK)
    low, high = _bars(), Points(name="p", pane="a", x=np.full(1, 0.5), y=np.full(1, 0.5), color=BLACK)
    cache: LayerCache[Items] = LayerCache()
    first = to_picture(fill(Plot((PANE,), (low, line, high)), SIGHT), cache=cache)
    assert [type(item) for item in first.items] == [Image, Polyline, Image]
    second = to_picture(fill(Plot((PANE,), (line, high, low)), SIGHT), cache=cache)
    assert second.items[0] is first.items[1]
    assert cache.made == 3


def _words(labels: Labels, pane: Pane = PANE, sight: Viewport = SIGHT) -> list[str]:
    return [item.text for item in to_picture(fill(Plot((pane,), (labels,)), sight)).items if isinstance(item, Text)]


def test_labels_take_their_room_and_end_at_their_pane() -> None:
    """TV-1: labels where they fit."""
    at = np.array([0.0, 0.0, 0.0, 0.9, -0.2])
    labels = Labels(
        name="l",
        pane="a",
        x=at,
        y=np.full(5, 0.5),
        text=["abcdefgh"] * 5,
        color=BLACK,
        size=10,
        room=np.array([100, 40, 15, 100, 100]),
    )
    assert _words(labels) == ["abcdefgh", "abcdef…"]


@given(st.text(max_size=60), st.floats(-5, 300), st.floats(4, 30))
def test_a_shortened_text_fits(text: str, room: float, size: float) -> None:
    found = shortened(text, room, size, False, SIGHT)
    assert SIGHT.measure(found, size, False) <= max(room, 0)
    assert found in ("", text) or (len(found) >= 4 and text.startswith(found[:-1]) and found[-1] == "…")


def test_a_text_of_a_million_letters_is_not_measured() -> None:
    measured: list[int] = []

    def measure(text: str, size: float, bold: bool) -> float:
        measured.append(len(text))
        return 5.0 * len(text)

    assert shortened("a" * 1_000_000, 50, 10, False, Viewport(9, 9, measure=measure)) == "a" * 9 + "…"
    assert max(measured) <= 201


def test_labels_that_are_scrolled_away_are_left_out() -> None:
    labels = Labels(name="l", x=np.zeros(3), y=np.array([10.0, 500, 900]), text=["a", "b", "c"], color=BLACK)
    sight = Viewport(100, 100, top=450)
    items = to_picture(fill(Plot((), (labels,)), sight)).items
    assert [(item.text, item.y) for item in items if isinstance(item, Text)] == [("b", 50)]


@given(st.lists(st.tuples(st.floats(-300, 300), st.floats(-300, 300)), min_size=2, max_size=12))
def test_lines_are_cut_at_their_pane(points: list[tuple[float, float]]) -> None:
    """All that is left lies inside, and no part of the line that does is lost."""
    line = np.array(points)
    parts = clipped(line, PANE, SIGHT)
    low, high = np.array([20.0, 10.0]), np.array([120.0, 70.0])
    for part in parts:
        assert ((part >= low - 1e-6) & (part <= high + 1e-6)).all()
    share = np.linspace(0, 1, 2001)[:, None]
    inside = sum(
        float(((a + share * (b - a) >= low) & (a + share * (b - a) <= high)).all(axis=1).mean() * np.hypot(*(b - a)))
        for a, b in pairwise(line)
    )
    kept = sum(float(np.hypot(*np.diff(part, axis=0).T).sum()) for part in parts)
    assert kept == pytest.approx(inside, abs=2 + 0.01 * inside)


def test_lines_in_bent_panes_are_bent_and_bands_are_filled() -> None:
    bent = Pane("b", SectorShape(80, 60, 10, 50, 0, 3.0), (0, 1), (0, 1))
    one = np.ones(1)
    ring = Segments(name="s", pane="b", x0=one * 0, y0=one / 2, x1=one, y1=one / 2, color=BLACK)
    left = np.array([[0.0, 20], [60, 20], [140, 40], [200, 40]])
    band = Bands(name="w", left=left, right=left + np.array([0, 9.0]), ptr=np.array([0, 4]), color=RED, tube=True)
    curve = Curves(name="c", points=left, ptr=np.array([0, 4]), color=BLACK)
    items = to_picture(fill(Plot((bent,), (ring, band, curve)), SIGHT)).items
    first, *strips, last = (item for item in items if isinstance(item, Polyline))
    away = np.hypot(*(np.array(first.points) - (80, 60)).T)
    assert len(first.points) > 10
    np.testing.assert_allclose(away, 30, atol=1e-9)
    assert len({strip.fill for strip in strips}) > 1
    assert last.points[0] == (0.0, 20.0)


def test_colours_come_back_from_their_multiplied_form() -> None:
    pixels = np.array([[[100, 50, 0, 100], [255, 0, 7, 255], [0, 0, 0, 0]]], np.uint8)
    assert unmultiplied(pixels).tolist() == [[[255, 128, 0, 100], [255, 0, 7, 255], [0, 0, 0, 0]]]
