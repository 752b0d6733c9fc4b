"""Colours: counts in one hue, borders in another, differences in two on both sides of nothing."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cbvtool.api import Theme

Color = tuple[int, int, int, int]
Colors = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float64]
_LEAST = 0.16  # of the way that a single run goes
SAFE, RED_GREEN = "safe", "red-green"


def count_colors(share: Floats, theme: Theme, plain: bool = False) -> Colors:
    """uint8[n, 4]: the colour of counts in parts of the highest, 0 = none. plain: grey, behind a target run."""
    strong = (120, 190, 225) if theme.is_dark else (8, 74, 122)
    if plain:
        strong = (150, 156, 163) if theme.is_dark else (105, 111, 118)
    part = np.where(share > 0, _LEAST + (1 - _LEAST) * np.clip(share, 0.0, 1.0), 0.0)
    return _mixed(box_ground(theme), strong, part)


def border_colors(share: Floats, theme: Theme) -> Colors:
    """uint8[n, 4]: of exclusive values in parts of the highest."""
    return _mixed(theme.missing, (255, 140, 40) if theme.is_dark else (200, 70, 0), np.clip(share, 0.0, 1.0))


def box_ground(theme: Theme) -> Color:
    """Behind the inside of boxes."""
    return (30, 35, 41, 255) if theme.is_dark else (255, 255, 255, 255)


def target_color(theme: Theme) -> Color:
    """Of the target run."""
    return theme.better


def second_color(theme: Theme) -> Color:
    """Of the second run."""
    return theme.used


def difference_colors(share: Floats, theme: Theme, preset: str) -> Colors:
    """uint8[n, 4]: of differences in parts of the largest, -1..1: less, nothing, more."""
    less, more = ends_of(theme, preset)
    part = np.clip(np.nan_to_num(share), -1.0, 1.0)
    ground = box_ground(theme)
    return np.where((part < 0)[:, None], _mixed(ground, less, -part), _mixed(ground, more, part)).astype(np.uint8)


def noise_color(theme: Theme) -> Color:
    """Of differences within the noise of repeats."""
    return (98, 104, 112, 255) if theme.is_dark else (196, 198, 201, 255)


def ends_of(theme: Theme, preset: str) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
    """The colours of less and of more."""
    if preset == RED_GREEN:
        return theme.better[:3], theme.worse[:3]
    return ((86, 160, 230), (240, 150, 50)) if theme.is_dark else ((20, 100, 190), (222, 110, 0))


def _mixed(one: tuple[int, ...], other: tuple[int, ...], part: Floats) -> Colors:
    found = np.full((len(part), 4), 255, np.uint8)
    begin, end = np.array(one[:3], np.float64), np.array(other[:3], np.float64)
    found[:, :3] = np.rint(begin + (end - begin) * part[:, None])
    return found
