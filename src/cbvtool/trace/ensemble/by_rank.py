"""What the ranks of all runs spent in groups of nodes (CF-3)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.trace.ensemble.ensemble import Ensemble, Floats
from cbvtool.trace.ensemble.groups import summed
from cbvtool.trace.making.call_tree import outermost

Longs = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ValuesByRank:
    """q ranks of all runs; a run whose ranks are not known apart has one row, its mean.

    run        int64[q]
    rank       int64[q]       from 0 on in each run
    apart      bool[q]        the row is a rank, not a mean
    inclusive  float64[q, g]  NaN = the rank lacks it
    """

    run: Longs
    rank: Longs
    apart: npt.NDArray[np.bool_]
    inclusive: Floats


def values_by_rank(ensemble: Ensemble, group: Longs, groups: int) -> ValuesByRank:
    """Inclusive values over the outermost nodes of each group int64[n] (-1 = none)."""
    own = np.where(outermost(group, ensemble.end_row), group, -1)
    tables = []
    for run, ranks in enumerate(ensemble.ranks):
        if ranks is None:
            tables.append(summed(ensemble.inclusive[run : run + 1], own, groups))
        else:
            tables.append(summed(ranks.inclusive, own[ranks.rows], groups))
    lengths = np.array([len(table) for table in tables], np.int64)
    of_run = np.repeat(np.arange(len(tables)), lengths)
    begins = np.cumsum(lengths) - lengths
    apart = np.array([ranks is not None for ranks in ensemble.ranks], np.bool_)
    inclusive = np.concatenate(tables) if tables else np.zeros((0, groups))
    return ValuesByRank(of_run, np.arange(len(of_run)) - begins[of_run], apart[of_run], inclusive)
