"""Bundled curves between boxes of any tree around a circle, for plots."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.bundling.bundle import bundle
from cbvtool.bundling.paths import routes
from cbvtool.bundling.spline import SAMPLES

Ints = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class _CircleTree:
    """`cbvtool.bundling.tree.Tree` and `Circle` in one: item 0 is the root, item i + 1 is box i."""

    parent: Ints
    level: Ints
    end: Ints
    leaf: npt.NDArray[np.bool_]
    rings: int
    chain: Ints
    represent: Ints
    a0: Floats
    a1: Floats
    band0: float
    key_angle: Floats


def curves_on_circle(
    parent: npt.NDArray[np.int64],
    turn: tuple[Floats, Floats],
    ends: tuple[npt.NDArray[np.int64], Floats],
    pairs: tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]],
    beta: float,
    samples: int = SAMPLES,
) -> npt.NDArray[np.float32]:
    """float32[e, samples, 2]: hierarchical edge bundles (CBV-2, EX-1) in a circle of radius 1, x right, y down.

    parent  int64[b]  of boxes in preorder, -1 = outermost
    turn    float64[b] twice: begin and end of each box, radians clockwise from 12 o'clock
    ends    possible ends of curves: the box of each, and its angle
    pairs   int64[e] twice: rows of `ends` at which each curve begins and ends
    beta    0 = straight lines, 1 = along the tree
    """
    tree = _tree(parent, turn)
    box, angle = ends
    made = routes(
        tree,
        tree,
        (box + 1).astype(np.int32),
        np.asarray(angle, np.float64),
        pairs[0].astype(np.int32),
        pairs[1].astype(np.int32),
    )
    curves: npt.NDArray[np.float32] = bundle(made, beta, samples, dimensions=2)
    curves[..., 1] *= -1
    return curves


def _tree(parent: npt.NDArray[np.int64], turn: tuple[Floats, Floats]) -> _CircleTree:
    above = np.concatenate(([-1], parent + 1)).astype(np.int32)
    count = len(above)
    level, end = np.zeros(count, np.int32), np.arange(1, count + 1, dtype=np.int32)
    for item in range(1, count):
        level[item] = level[above[item]] + 1
    for item in range(count - 1, 0, -1):
        end[above[item]] = max(end[above[item]], end[item])
    rings = max(int(level.max()), 1)
    chain = np.full((count, rings + 1), -1, np.int32)
    chain[:, 0] = np.arange(count)
    for step in range(1, rings + 1):
        known = chain[:, step - 1] >= 0
        chain[known, step] = above[chain[known, step - 1]]
    leaf = end == np.arange(1, count + 1)
    a0, a1 = (np.concatenate(([first], each)) for first, each in zip((0.0, 2 * np.pi), turn, strict=True))
    nothing = np.empty(0)
    return _CircleTree(above, level, end, leaf, rings, chain, nothing.astype(np.int32), a0, a1, 1.0, nothing)
