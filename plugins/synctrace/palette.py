"""Colours: calls by what they do (ST-7), threads, curves."""

from __future__ import annotations

import colorsys

import numpy as np
import numpy.typing as npt

from cbvtool.api import CLASS_COLORS, Theme

Colors = npt.NDArray[np.uint8]
Ints = npt.NDArray[np.int64]
_GOLDEN = 0.618033988749895  # of a turn: neighbours differ as much as they can
BROWN, GREEN, RED = (176, 138, 96), (52, 152, 76), (206, 62, 52)
BUSY, WAITS, IO = range(3)
SAME, SHARES, OTHERS = range(3)  # what a curve is to the one that is pointed at


def activities(wait: Ints, io: Ints) -> npt.NDArray[np.int8]:
    """ST-7: BUSY of calls that neither wait nor read or write; IO of those that do that more than wait; else WAITS."""
    found = np.where(io > wait, IO, WAITS).astype(np.int8)
    found[(wait == 0) & (io == 0)] = BUSY
    return found


def call_colors(wait: Ints, io: Ints, duration: Ints, theme: Theme) -> Colors:
    """uint8[n, 4]: brown, red or green; red and green the stronger, the more of a call's duration it is (ST-7).

    The ratio that is printed in Trümper 2014, equation 4.11, would paint pure waits red, against its own text.
    """
    what = activities(wait, io)
    share = np.where(what == IO, io, wait) / np.maximum(duration, 1)
    share = np.where(what == BUSY, 0.0, 0.25 + 0.75 * np.clip(share, 0.0, 1.0))
    base = np.array(mixed((*BROWN, 255), theme.ground, 0.45 if theme.is_dark else 0.35)[:3], np.float64)
    ends = np.array([base, GREEN, RED], np.float64)[what]
    pale = np.array(mixed((*BROWN, 255), theme.ground, 0.62)[:3], np.float64)
    start = np.where((what == BUSY)[:, None], base, pale)
    color = np.full((len(wait), 4), 255, np.uint8)
    color[:, :3] = np.rint(start + (ends - start) * np.where(what == BUSY, 1.0, share)[:, None])
    return color


def class_color(what: int, theme: Theme) -> tuple[int, int, int, int]:
    """The strongest colour of what a call does, for the legend."""
    one, none = np.ones(1, np.int64), np.zeros(1, np.int64)
    color = call_colors(one if what == WAITS else none, one if what == IO else none, one, theme)[0].tolist()
    return color[0], color[1], color[2], color[3]


def compare_color(what: int, theme: Theme) -> tuple[int, int, int, int]:
    """ST-7: red of the same set of objects, brown of those that share one, grey of the others."""
    return ((214, 39, 40, 255), (150, 96, 40, 255), theme.other)[what]


def mixed(
    color: tuple[int, int, int, int], ground: tuple[int, int, int, int], share: float
) -> tuple[int, int, int, int]:
    """A colour, gone by `share` (0..1) toward the ground."""
    red, green, blue = (round(one + (other - one) * share) for one, other in zip(color[:3], ground[:3], strict=True))
    return red, green, blue, 255


def thread_color(number: int) -> tuple[int, int, int, int]:
    """The colour of that number."""
    return CLASS_COLORS[number % len(CLASS_COLORS)]


def object_colors(objects: Ints, shared: npt.NDArray[np.bool_], theme: Theme) -> Colors:
    """uint8[n, 4]: a hue for each object; grey for those that only one thread ever waited for (ST-7)."""
    found = np.empty((len(objects), 4), np.uint8)
    light = 0.58 if theme.is_dark else 0.42
    for row, (thing, many) in enumerate(zip(objects.tolist(), shared.tolist(), strict=True)):
        rgb = colorsys.hls_to_rgb((0.08 + thing * _GOLDEN) % 1.0, light, 0.7)
        found[row] = (*(round(255 * part) for part in rgb), 255) if many else theme.other
    return found
