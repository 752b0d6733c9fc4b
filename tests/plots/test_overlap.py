"""Bars that become others by overlap (OC-2): as before at the begin, as after at the end, and no gap on the way."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.plots.filling import fill
from cbvtool.plots.layers import Bars
from cbvtool.plots.overlap import Passage, passage
from cbvtool.plots.panes import BoxShape, Pane
from cbvtool.plots.plot import Plot, Viewport

WIDE, HIGH = 24, 16
SIGHT = Viewport(4 * WIDE, 4 * HIGH)
PANE = Pane("plane", BoxShape(0, 0, SIGHT.width, SIGHT.height), (0, WIDE), (0, HIGH))
EDGE = (20, 30, 40, 255)


def cut(rng: np.random.Generator, box: tuple[int, int, int, int], most: int) -> list[tuple[int, int, int, int]]:
    """A rectangle x0, x1, y0, y1 cut into parts at random."""
    x0, x1, y0, y1 = box
    across = rng.random() < 0.5
    if most == 0 or (x1 - x0 if across else y1 - y0) < 2:
        return [box]
    if across:
        at = int(rng.integers(x0 + 1, x1))
        return [*cut(rng, (x0, at, y0, y1), most - 1), *cut(rng, (at, x1, y0, y1), most - 1)]
    at = int(rng.integers(y0 + 1, y1))
    return [*cut(rng, (x0, x1, y0, at), most - 1), *cut(rng, (x0, x1, at, y1), most - 1)]


def bars(
    boxes: list[tuple[int, int, int, int]], color: npt.NDArray[np.uint8], outline: bool, name: str = "bars"
) -> Bars:
    x0, x1, y0, y1 = np.array(boxes, np.float64).reshape(-1, 4).T
    return Bars(name=name, pane="plane", x0=x0, x1=x1, y0=y0, y1=y1, color=color, outline=EDGE if outline else None)


def tiles(seed: int) -> list[Bars]:
    """Some bars with an outline and some without, which tile the plane together."""
    rng = np.random.default_rng(seed)
    boxes = cut(rng, (0, WIDE, 0, HIGH), 4)
    color = np.append(rng.integers(0, 256, (len(boxes), 3)), np.full((len(boxes), 1), 255), axis=1).astype(np.uint8)
    half = int(rng.integers(0, len(boxes) + 1))
    return [bars(boxes[:half], color[:half], True, "areas"), bars(boxes[half:], color[half:], False, "cells")]


def pixels(layers: tuple[Bars, ...]) -> npt.NDArray[np.uint8]:
    """uint8[h, w, 3]: what is seen of them; they must leave no pixel of the plane free."""
    seen = np.zeros((round(SIGHT.height), round(SIGHT.width), 4))
    for tile in fill(Plot((PANE,), layers), SIGHT).tiles:
        if tile is not None:
            height, width = tile.image.shape[:2]
            part = seen[tile.top : tile.top + height, tile.left : tile.left + width]
            part[:] = np.rint(tile.image + part * (1 - tile.image[..., 3:] / 255))
    assert (seen[..., 3] == 255).all()
    return seen[..., :3].astype(np.uint8)


def way(before: list[Bars], after: list[Bars]) -> Passage:
    found = passage(before, after)
    assert found is not None
    return found


@given(st.integers(0, 10_000), st.integers(0, 10_000))
def test_it_begins_as_before_and_ends_as_after(one: int, other: int) -> None:
    """OC-2: pixel by pixel, borders included."""
    before, after = tiles(one), tiles(other)
    if one == other:
        assert passage(before, after) is None
        return
    found = way(before, after)
    assert np.array_equal(pixels(found.at(0.0)), pixels(tuple(before)))
    assert np.array_equal(pixels(found.at(1.0)), pixels(tuple(after)))


@given(st.integers(0, 10_000), st.integers(10_001, 20_000), st.floats(0, 1))
def test_pieces_tile_the_plane_at_any_moment(one: int, other: int, share: float) -> None:
    """OC-2: each piece is what one bar before and one after share; its colour lies between theirs."""
    found = way(tiles(one), tiles(other))
    pieces = found.at(share)[0]
    painted = np.zeros((HIGH, WIDE), int)
    edges = np.stack((pieces.x0, pieces.x1, pieces.y0, pieces.y1), axis=1).astype(int)
    for x0, x1, y0, y1 in edges.tolist():
        painted[y0:y1, x0:x1] += 1
    assert (painted == 1).all()
    color = np.asarray(pieces.color, int)
    both = np.stack((found.before.color[found.old], found.after.color[found.new]))
    assert ((color >= both.min(axis=0)) & (color <= both.max(axis=0))).all()
    assert (color[:, 3] == 255).all()
    assert pixels(found.at(share)).shape  # no pixel is free


@given(st.integers(0, 10_000), st.integers(10_001, 20_000))
def test_a_bar_has_at_most_one_partner_and_more_than_half_in_common_with_it(one: int, other: int) -> None:
    """OC-2: borders move from one to one."""
    found = way(tiles(one), tiles(other))
    assert len(set(found.was.tolist())) == len(found.was)
    assert len(set(found.is_.tolist())) == len(found.is_)
    for old, new in zip(found.before.box[found.was], found.after.box[found.is_], strict=True):
        low, high = np.maximum(old, new), np.minimum(old, new)
        shared = (high[1] - low[0]) * (high[3] - low[2])
        union = (old[1] - old[0]) * (old[3] - old[2]) + (new[1] - new[0]) * (new[3] - new[2]) - shared
        assert shared * 2 > union


def test_a_border_moves_with_what_grows_and_the_other_fades() -> None:
    """OC-2: three quarters of the plane become seven eighths; its neighbour is cut off, and a third one comes."""
    grey = np.full((2, 4), 255, np.uint8)
    before = [bars([(0, 18, 0, HIGH), (18, WIDE, 0, HIGH)], grey, True)]
    after = [bars([(0, 21, 0, HIGH), (21, WIDE, 0, HIGH)], grey, True)]
    outlined = {layer.name.split()[1]: layer for layer in way(before, after).at(0.5)[1:]}
    assert outlined["moved"].x1.tolist() == [19.5]
    assert outlined["moved"].outline == EDGE
    assert (outlined["gone"].x0.tolist(), outlined["come"].x0.tolist()) == ([18.0], [21.0])
    assert outlined["gone"].outline == outlined["come"].outline == (*EDGE[:3], 128)


@pytest.mark.parametrize("fault", ["another plane", "overlap", "gap", "no number", "nothing", "other pane"])
def test_what_tiles_no_common_plane_has_no_way(fault: str) -> None:
    """OC-2: then the new plot is shown at once."""
    grey = np.full((2, 4), 255, np.uint8)
    before = [bars([(0, 12, 0, HIGH), (12, WIDE, 0, HIGH)], grey, True)]
    after = bars([(0, 6, 0, HIGH), (6, WIDE, 0, HIGH)], grey, True)
    last = {"another plane": 2.0 * WIDE, "gap": WIDE - 1.0, "no number": np.nan}.get(fault, float(WIDE))
    after = replace(after, x1=np.array([8.0 if fault == "overlap" else 6.0, last]))
    if fault == "other pane":
        after = replace(after, pane="elsewhere")
    assert passage(before, [] if fault == "nothing" else [after]) is None
