"""Colours: values, packages, what has no data, what is out of focus."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cbvtool.api import CLASS_COLORS, Theme, map_colors

Colors = npt.NDArray[np.uint8]
Color = tuple[int, int, int, int]
# Of packages: without the two blues, which would be taken for missing data.
PACKAGES: tuple[Color, ...] = (
    *(CLASS_COLORS[number] for number in (0, 2, 5, 6, 3)),
    (122, 84, 48, 255),
    (98, 70, 160, 255),
)
WHITE: Color = (255, 255, 255, 255)  # in focus, without data


def blue(theme: Theme) -> Color:
    """Out of focus, without data."""
    return (38, 70, 120, 255) if theme.is_dark else (178, 206, 245, 255)


def far_blue(theme: Theme) -> Color:
    """Under stripes: out of focus, without data, but with calls in another thread or at another time."""
    return (33, 52, 82, 255) if theme.is_dark else (222, 233, 249, 255)


def grey(theme: Theme) -> Color:
    """Out of focus, with data that are not shown."""
    return (78, 83, 90, 255) if theme.is_dark else (205, 206, 206, 255)


def focus_grey(theme: Theme) -> Color:
    """In focus, where colours are for what is around it."""
    return (168, 173, 180, 255) if theme.is_dark else (146, 151, 157, 255)


def mixed(colors: Colors, ground: Color, share: float | npt.NDArray[np.float64]) -> Colors:
    """The colours, gone by `share` (0..1) toward the ground; opaque ones stay so."""
    part = np.atleast_1d(np.asarray(share, np.float64))[:, None]
    found = colors.copy()
    found[:, :3] = np.rint(colors[:, :3] * (1 - part) + np.array(ground[:3]) * part)
    return found


def share_colors(share: npt.NDArray[np.float64], metric: str, map_name: str, theme: Theme) -> Colors:
    """uint8[k, 4] of shares as of `Shares`; white where there are none."""
    if metric != "package":
        # The warm half of the map: its cold one would be taken for missing data.
        warm = share * 0.5 + 0.5 if map_name == "ember" else share
        return map_colors(warm, map_name, WHITE)
    table = np.array([*PACKAGES, theme.other, WHITE], np.uint8)
    other = len(PACKAGES)
    rank = np.where(np.isnan(share) | (share < 0), other + 1, np.minimum(np.nan_to_num(share), other))
    found: Colors = table[rank.astype(np.int64)]
    return mixed(found, theme.ground, np.where(rank > other, 0.0, 0.25))
