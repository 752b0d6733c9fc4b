"""Colours: one for each state, paler where it is a small part; a scale between two."""

from __future__ import annotations

import colorsys

import numpy as np
import numpy.typing as npt

from cbvtool.api import CLASS_COLORS, OTHERS, ResourceCells, Theme

Color = tuple[int, int, int, int]
Colors = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float64]
_HUES = (0.73, 0.33, 0.99, 0.83, 0.25, 0.66)  # of a turn: those that lie between the colours of classes
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
    again, at = divmod(place - len(CLASS_COLORS), len(_HUES))
    light = (0.66, 0.45, 0.8) if theme.is_dark else (0.4, 0.65, 0.25)
    red, green, blue = colorsys.hls_to_rgb(_HUES[at], light[again % 3], (0.55, 0.4, 0.3)[again % 3])
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
