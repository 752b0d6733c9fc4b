"""Colours: one for each state, paler where it is a small part; a scale between two."""

from __future__ import annotations

import colorsys

import numpy as np
import numpy.typing as npt

from cbvtool.api import CLASS_COLORS, OTHERS, ResourceCells, Theme

Color = tuple[int, int, int, int]
Colors = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float64]
_GOLDEN = 0.618033988749895  # of a turn: neighbours differ as much as they can
_LEAST = 0.12  # how much of a colour is left of a state that is hardly there


def state_colors(cells: ResourceCells, theme: Theme) -> Colors:
    """uint8[x, 4]: the colour of each state, whatever part of the trace is looked at."""
    number = cells.number or tuple(range(len(cells.state)))
    found = [
        theme.other if name == OTHERS else _color(place, theme) for name, place in zip(cells.state, number, strict=True)
    ]
    return np.array(found, np.uint8).reshape(-1, 4)


def _color(place: int, theme: Theme) -> Color:
    if place < len(CLASS_COLORS):
        return CLASS_COLORS[place]
    light = 0.62 if theme.is_dark else 0.42
    red, green, blue = colorsys.hls_to_rgb((0.58 + place * _GOLDEN) % 1.0, light, 0.5)
    return round(255 * red), round(255 * green), round(255 * blue), 255


def faded(colors: Colors, strength: Floats, theme: Theme) -> Colors:
    """uint8[n, 4]: colours on the ground, as opaque as `strength` (0 to 1) says; 0 = the ground alone."""
    part = np.where(strength > 0, _LEAST + (1 - _LEAST) * np.clip(strength, 0.0, 1.0), 0.0)[:, None]
    found = colors.copy()
    ground = np.array(theme.ground[:3], np.float64)
    found[:, :3] = np.rint(ground + (colors[:, :3] - ground) * part)
    found[:, 3] = 255
    return found


def between(one: Colors, other: Colors, share: Floats) -> Colors:
    """uint8[n, 4]: from `one` (share 0) to `other` (share 1)."""
    found = np.full((len(share), 4), 255, np.uint8)
    part = share[:, None]
    found[:, :3] = np.rint(one[:3].astype(np.float64) * (1 - part) + other[:3].astype(np.float64) * part)
    return found
