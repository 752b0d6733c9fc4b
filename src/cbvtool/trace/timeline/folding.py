"""Folding of stack levels (TV-7; 002 §4.2.1.2, formulae 4.1 and 4.2): levels shrink, none is hidden."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class LevelFolding:
    """Which levels are folded.

    upper     rho_u of 4.1: levels `0 <= depth < upper` are folded, from the top
    lower     rho_l of 4.2: levels `lower < depth <= max_depth` are folded, from below; None = none of them
    folded    height h_f of a folded level, logical pixels
    unfolded  height h_u of the others
    """

    upper: int = 0
    lower: int | None = None
    folded: float = 2.0
    unfolded: float = 18.0

    def dragged(self, levels: int, max_depth: int, *, from_below: bool) -> LevelFolding:
        """After a drag: up by so many levels (> 0) folds, down (< 0) unfolds; at the top, or from below (Shift)."""
        if from_below:
            lower = (max_depth if self.lower is None else self.lower) - levels
            kept = None if lower >= max_depth else max(lower, -1)
            return LevelFolding(self.upper, kept, self.folded, self.unfolded)
        upper = min(max(self.upper + levels, 0), max_depth + 1)
        return LevelFolding(upper, self.lower, self.folded, self.unfolded)


def bar_heights(depth: npt.ArrayLike, folding: LevelFolding, max_depth: int) -> Floats:
    """barheight(f) of calls at these depths: `folded` where formula 4.1 or 4.2 says so, else `unfolded`."""
    depths = np.asarray(depth)
    lower = max_depth if folding.lower is None else folding.lower
    small = ((depths >= 0) & (depths < folding.upper)) | ((lower < depths) & (depths <= max_depth))
    return np.where(small, folding.folded, folding.unfolded)


def level_tops(folding: LevelFolding, max_depth: int) -> Floats:
    """float64[max_depth + 2]: where each level begins, and where the last one ends; one level = its `barheight`."""
    heights = bar_heights(np.arange(max_depth + 1), folding, max_depth)
    return np.concatenate(([0.0], np.cumsum(heights)))
