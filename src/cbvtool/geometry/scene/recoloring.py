"""The picture of the relations in other colours, without drawing them again.

The colour of a pixel is the ground plus shares of (colour - ground) of its curves, in whatever order they overlap. So a
change of all colours and of the ground is one linear map of the pixel's difference from the ground, provided that one
linear map takes the old colours to the new ones.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cbvtool.geometry.picture import Color

Colors = npt.NDArray[np.uint8]
Matrix = npt.NDArray[np.float32]

SAMPLED = 200  # curves whose colours are compared
CLOSE = 26.0  # of 255: largest error of a mapped colour that may be shown until the true one is drawn
FAINT = 0.02  # of the largest singular value: smaller ones are noise
CHUNK = 1 << 14  # pixels mapped at once: they stay in the cache of a processor


def recoloring(old: Colors, ground: Color, new: Colors, new_ground: Color) -> Matrix | None:
    """float32[3, 3]: maps differences from the old ground, as row vectors, to differences from the new one.

    old, new   uint8[e, S, 4] of the same curves. None = the colours have no such map, or opacities differ
    """
    if old.shape != new.shape or not len(old):
        return None
    rows = np.linspace(0, len(old) - 1, min(len(old), SAMPLED)).astype(np.int64)
    before, after = old[rows], new[rows]
    if not np.array_equal(before[:, :, 3], after[:, :, 3]):
        return None
    pairs = np.concatenate((before[:, :, :3], after[:, :, :3]), axis=2).reshape(-1, 6)
    pairs = np.unique(pairs, axis=0).astype(np.float64)
    apart, wanted = pairs[:, :3] - np.array(ground[:3]), pairs[:, 3:] - np.array(new_ground[:3])
    matrix, *_ = np.linalg.lstsq(apart, wanted, rcond=FAINT)
    if np.abs(apart @ matrix - wanted).max() > CLOSE:
        return None
    result: Matrix = matrix.astype(np.float32)
    return result


def recolor(pixels: Colors, matrix: Matrix, ground: Color, new_ground: Color) -> None:
    """Map the pixels, uint8[p, 3], in place."""
    low, high = np.array(ground[:3], np.float32), np.array(new_ground[:3], np.float32)
    shift = high - low @ matrix + np.float32(0.5)
    for start in range(0, len(pixels), CHUNK):
        part = pixels[start : start + CHUNK].astype(np.float32) @ matrix
        part += shift
        np.clip(part, 0, 255, out=part)
        pixels[start : start + CHUNK] = part.astype(np.uint8)
