"""Colours of calls: by function, module, duration or depth."""

from __future__ import annotations

import colorsys

import numpy as np
import numpy.typing as npt

from cbvtool.api import CLASS_COLORS, Theme, Trace, kernel, map_colors

Colors = npt.NDArray[np.uint8]
_GOLDEN = 0.618033988749895  # of a turn: neighbours differ as much as they can


def function_colors(trace: Trace, by: str, theme: Theme) -> Colors:
    """uint8[f, 4]: the colour of each function, where it follows from the function: by "function" or "module"."""
    dark, f = theme.is_dark, len(trace.functions)
    light, saturation = (0.40, 0.36) if dark else (0.76, 0.50)
    if by == "module":
        counts: dict[str, int] = {}
        calls = np.bincount(trace.calls.function, minlength=f).tolist()
        for name, count in zip(trace.functions.module, calls, strict=True):
            counts[name] = counts.get(name, 0) + count
        rank = {name: number for number, name in enumerate(sorted(counts, key=lambda name: -counts[name]))}
        found = np.empty((f, 4), np.uint8)
        for row, module in enumerate(trace.functions.module):
            number = rank[module]
            found[row] = CLASS_COLORS[number] if number < len(CLASS_COLORS) else theme.other
        return mixed(found, theme.ground, 0.35 if dark else 0.45)
    found = np.empty((f, 4), np.uint8)
    for row in range(f):
        red, green, blue = colorsys.hls_to_rgb((0.58 + row * _GOLDEN) % 1.0, light, saturation)
        found[row] = round(255 * red), round(255 * green), round(255 * blue), 255
    return found


def value_colors(share: npt.NDArray[np.float64], theme: Theme) -> Colors:
    """uint8[k, 4]: by a value of 0 to 1, as duration and depth give it; close enough to the ground to write on."""
    return mixed(map_colors(share, missing=theme.missing), theme.ground, 0.4 if theme.is_dark else 0.3)


def mixed(colors: Colors, ground: tuple[int, int, int, int], share: float | npt.NDArray[np.float64]) -> Colors:
    """The colours, gone by `share` (0..1) toward the ground."""
    part = np.rint(np.atleast_1d(np.asarray(share, np.float64)) * 256).astype(np.int64)
    found = np.array(colors, np.uint8, order="C")
    if found.size:
        _mix(found, np.array(ground[:3], np.int64), part)
    return found


@kernel
def _mix(colors: Colors, ground: npt.NDArray[np.int64], part: npt.NDArray[np.int64]) -> None:
    """Change uint8[k, 4] in place. part: int64[k or 1], 256ths."""
    for row in range(len(colors)):
        share = part[row] if len(part) > 1 else part[0]
        for channel in range(3):
            value = colors[row, channel] * (256 - share) + ground[channel] * share + 128
            colors[row, channel] = value >> 8
