"""Lines behind the ring at the values of the height scale, so that heights can be read (CBV-13)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.geometry.camera import Box, Camera
from cbvtool.geometry.colors import THEMES
from cbvtool.geometry.overlay.labels import Measure, rough_width
from cbvtool.geometry.overlay.legends import SHALLOW, SMALL, corners
from cbvtool.geometry.overlay.ticks import ticks
from cbvtool.geometry.picture import Item, Picture, Text
from cbvtool.geometry.scales import Legend
from cbvtool.geometry.scene.scene import Scene

MOST = 3  # most levels, the foot included
HALF = np.pi * 0.46  # radians to each side of the farthest point: lines behind the blocks only, none in front of them
SAMPLES = 61
BEHIND = 1.006  # factor on the outer radius of the blocks, so that the line does not touch them
OUTSIDE = 1.06  # radius at which the values stand
OVER = 60.0  # px that a value may reach back over the end of its line
BESIDE = 6.0  # px between a line and its value


@dataclass(frozen=True)
class Level:
    """A value of the height scale, and its height in the radius of the disc."""

    value: float
    z: float


def levels(legend: Legend) -> tuple[Level, ...]:
    """The values that get a line, ascending; the last is the maximum. Empty for a scale without extent."""
    return tuple(Level(value, share * legend.tallest) for value, share in ticks(legend, MOST)[1:])


def level_lines(legend: Legend, radius: float) -> npt.NDArray[np.float32]:
    """float32[l, SAMPLES + 1, 3]: a line for each level, around the far side of the ring for a camera of azimuth 0.

    Each line is an arc behind the blocks, whose outer radius is `radius`. Its end leaves the ring, where the value
    stands.
    """
    angle = np.append(np.linspace(-HALF, HALF, SAMPLES), HALF)
    reach = np.append(np.full(SAMPLES, radius * BEHIND), OUTSIDE)
    flat = np.sin(angle) * reach, np.cos(angle) * reach
    lines = [np.stack((*flat, np.full(SAMPLES + 1, level.z)), axis=1) for level in levels(legend)]
    return np.array(lines, np.float32).reshape(-1, SAMPLES + 1, 3)


def level_values(scene: Scene, camera: Camera, width: int, height: int, *, measure: Measure = rough_width) -> Picture:
    """The values of the lines, at their right ends; empty if the camera looks nearly straight down, or without room."""
    if camera.tilt < SHALLOW:
        return Picture(width, height)
    theme, items = THEMES[scene.state.theme], list[Item]()
    turned = turn(level_lines(scene.height_legend, float(scene.layout.band1))[:, -1], camera.azimuth)
    before = np.inf
    card_x, card_top, _, card_tall = corners(width, height, scene)[0]
    card_foot = card_top + card_tall
    for level, point in zip(levels(scene.height_legend), turned, strict=True):
        (x, y), text = camera.project(point[None], width, height)[0][0].tolist(), scene.height_legend.show(level.value)
        inside = 0 < x < width and SMALL < y < height - SMALL
        if inside and before - y >= SMALL:
            beside = x + BESIDE + measure(text, SMALL, False) + BESIDE < width
            where = (x + BESIDE, y, "left") if beside else (width - BESIDE, y - SMALL, "right")
            if (
                card_top < where[1] + SMALL
                and where[1] - SMALL < card_foot
                and x + BESIDE + measure(text, SMALL, False) > card_x
            ):
                continue  # a legend stands there
            if not beside and width - BESIDE - measure(text, SMALL, False) < x - OVER:
                continue  # the value would cover the ring
            items.append(Text(text, where[0], where[1], SMALL, theme.muted, where[2], halo=theme.halo))
            before = y
    return Picture(width, height, tuple(items))


def value_boxes(picture: Picture, measure: Measure = rough_width) -> list[Box]:
    """(x, y, width, height) in pixels of the values in a picture of `level_values`, which names keep out of."""
    boxes = list[Box]()
    for item in picture.items:
        if isinstance(item, Text):
            wide = measure(item.text, item.size, False)
            boxes.append((item.x - wide * (item.anchor == "right"), item.y - item.size / 2, wide, item.size))
    return boxes


def turn(points: npt.NDArray[np.float32], azimuth: float) -> npt.NDArray[np.float64]:
    """float64[k, 3]: points of the far side for a camera of azimuth 0, turned to another azimuth in degrees."""
    angle = np.radians(azimuth)
    x, y, z = np.asarray(points, np.float64).T
    return np.stack((x * np.cos(angle) + y * np.sin(angle), y * np.cos(angle) - x * np.sin(angle), z), axis=1)
