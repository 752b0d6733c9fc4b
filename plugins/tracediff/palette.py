"""Colours: of calls by their function, the same in both traces; of matches by where they lie in their groups (TD-7)."""

from __future__ import annotations

import colorsys

import numpy as np
import numpy.typing as npt

from cbvtool.api import CLASS_COLORS, Theme, map_colors

from .matching import Compared, Known
from .pair import Source
from .state import LOWER, UPPER

Colors = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
RED = np.array([214, 39, 40], np.float64)
THICK = 16.0  # logical pixels: wider tubes show their similarity by a highlight, thinner ones by transparency
_GOLDEN = 0.618033988749895  # of a turn: neighbours differ as much as they can
_FAINTEST = 0.3  # alpha of the weakest match


def function_colors(source: Source, side: int, theme: Theme) -> Colors:
    """uint8[f, 4]: of each function of a side; grey for one that the other side lacks."""
    light, saturation = (0.40, 0.36) if theme.is_dark else (0.76, 0.50)
    common = source.common_of(side)
    shared = np.isin(common, source.common_of(LOWER if side == UPPER else UPPER))
    found = np.empty((len(common), 4), np.uint8)
    for row, number in enumerate(common.tolist()):
        red, green, blue = colorsys.hls_to_rgb((0.58 + number * _GOLDEN) % 1.0, light, saturation)
        found[row] = (round(255 * red), round(255 * green), round(255 * blue), 255) if shared[row] else theme.missing
    return found


def grey_of(theme: Theme) -> Floats:
    """What is aligned, or not in focus."""
    return np.array([112, 120, 130] if theme.is_dark else [158, 164, 170], np.float64)


def roots_of(known: Known, match: Ints, root: int) -> Ints:
    """int64[m, 2]: the rows that matches are counted from: of the roots of their groups, or of one match, -1 = none."""
    rows: Ints = known.rows[known.root[known.group[match]]] if root < 0 else known.rows[np.full(len(match), root)]
    return rows


def offsets(compared: Compared, known: Known, match: Ints, *, raw: bool, top: int = -1) -> Floats:
    """float64[m], 0..1: how much later or earlier one call of each match begins than the other (TD-7).

    Each counted from the root of its group, and set in relation to the longer root; raw: counted from the roots of the
    threads, in relation to the longer thread. top: a match that stands for the roots of all groups, -1 = none
    """
    one, other = compared.trees
    rows = known.rows[match]
    root = roots_of(known, match, top)
    begin = (one.start[rows[:, 0]], other.start[rows[:, 1]])
    if raw:
        away = np.abs(begin[0] - begin[1])
        return np.asarray(np.clip(away / max(compared.length), 0.0, 1.0))
    away = np.abs((begin[0] - one.start[root[:, 0]]) - (begin[1] - other.start[root[:, 1]]))
    long = np.maximum(one.end[root[:, 0]] - one.start[root[:, 0]], other.end[root[:, 1]] - other.start[root[:, 1]])
    return np.asarray(np.clip(away / np.maximum(long, 1), 0.0, 1.0))


def positions(compared: Compared, known: Known, match: Ints, side: int, top: int = -1) -> Floats:
    """float64[m], 0..1: where in its group's root the partner of each call of a side begins (TD-7, trace-centric)."""
    other = LOWER if side == UPPER else UPPER
    tree = compared.trees[other]
    rows = known.rows[match, other]
    root = roots_of(known, match, top)[:, other]
    long = np.maximum(tree.end[root] - tree.start[root], 1)
    return np.asarray(np.clip((tree.start[rows] - tree.start[root]) / long, 0.0, 1.0))


def group_colors(known: Known, match: Ints) -> Colors:
    """uint8[m, 4]: the groups with the strongest root matches have colours of their own."""
    rank = np.empty(max(len(known.root), 1), np.int64)
    rank[np.argsort(known.root, kind="stable")] = np.arange(len(known.root))
    colors = np.array(CLASS_COLORS, np.uint8)
    return colors[rank[known.group[match]] % len(colors)] if len(match) else np.zeros((0, 4), np.uint8)


def tube_colors(
    compared: Compared, known: Known, match: Ints, by: str, side: int, theme: Theme, top: int = -1
) -> Colors:
    """uint8[m, 4], opaque. by: "permutation", "raw", "position" (seen from `side`), "group", "none"; top: `offsets`."""
    if by == "group":
        return group_colors(known, match)
    if by == "position":
        return map_colors(positions(compared, known, match, side, top), "cividis")
    found = np.full((len(match), 4), 255, np.uint8)
    if by == "none":
        found[:, :3] = theme.accent[:3]
        return found
    share = np.sqrt(offsets(compared, known, match, raw=by == "raw", top=top))[:, None]
    found[:, :3] = np.rint(grey_of(theme) * (1 - share) + RED * share)
    return found


def strengths(similarity: Floats, tau: float) -> Floats:
    """float64[m], 0..1: how far above tau each match is."""
    return np.asarray(np.clip((similarity - tau) / max(1.0 - tau, 1e-9), 0.0, 1.0))


def with_strength(colors: Colors, wide: Floats, strength: Floats) -> tuple[Colors, Floats]:
    """Colours with the similarity as transparency of tubes under 16 px, and highlights, 0..1, of wider ones."""
    found = colors.copy()
    alpha = np.where(wide < THICK, _FAINTEST + (1 - _FAINTEST) * strength, 1.0)
    found[:, 3] = np.rint(255 * alpha)
    return found, np.where(wide >= THICK, 0.85 * strength, 0.0)


def mixed(colors: Colors, ground: tuple[int, int, int, int], share: float | Floats) -> Colors:
    """The colours, gone by `share` (0..1) toward the ground."""
    part = np.atleast_1d(np.asarray(share, np.float64))[:, None]
    found = colors.copy()
    found[:, :3] = np.rint(colors[:, :3] * (1 - part) + np.array(ground[:3]) * part)
    return found
