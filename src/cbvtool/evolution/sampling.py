"""Which commits of a main line are looked at."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cbvtool.mining.versions import MainLineCommit

MOST, USUAL = 50, 20  # commits


def sampled(
    line: Sequence[MainLineCommit], most: int = USUAL, since: int | None = None, until: int | None = None
) -> list[int]:
    """Rows of at most `most` commits of the main line, evenly among those in the range; its first and last always.

    since, until   seconds since the epoch, both included; None = open
    """
    rows = [
        row
        for row, commit in enumerate(line)
        if (since is None or commit.time >= since) and (until is None or commit.time <= until)
    ]
    if len(rows) <= most:
        return rows
    places = np.unique(np.linspace(0, len(rows) - 1, most).round().astype(np.int64))
    return [rows[place] for place in places.tolist()]
