"""Relations that are shown alone, as an answer: those behind a finding, for example."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, eq=False)
class ShownRelations:
    """Relations that stand out, with what they are about.

    heading  what they are, in a word: `Cycle`
    lines    what is said of them below that
    ends     keys of the nodes that they are about
    rows     int64[r]  rows of `graph.edges`
    """

    heading: str
    lines: tuple[str, ...]
    ends: tuple[int, ...]
    rows: npt.NDArray[np.int64]
