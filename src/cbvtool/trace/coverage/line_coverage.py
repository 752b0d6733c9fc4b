"""Which lines of which files were reached, as a value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

MOST_LINE = 2**31 - 1


@dataclass(frozen=True, eq=False)
class FileCoverage:
    """The k lines of a file that can be reached.

    path    as recorded
    line    int32[k]  ascending, 1-based
    hit     bool[k]   whether it was reached
    starts  int32[s]  ascending: lines on which functions begin, without their decorators; none = not said
    """

    path: str
    line: npt.NDArray[np.int32]
    hit: npt.NDArray[np.bool_]
    starts: npt.NDArray[np.int32] = field(default_factory=lambda: np.empty(0, np.int32))


@dataclass(frozen=True, eq=False)
class Coverage:
    """What one report says.

    format   the reader's label
    sources  folders that relative paths may start from, as recorded
    """

    format: str
    files: tuple[FileCoverage, ...]
    sources: tuple[str, ...] = ()


def file_coverage(path: str, hits: Mapping[int, int], starts: Iterable[int] = ()) -> FileCoverage:
    """A file from line -> how often it was reached. Lines that no file has are left out."""
    lines = sorted(line for line in hits if 0 < line <= MOST_LINE)
    begins = sorted({line for line in starts if 0 < line <= MOST_LINE})
    return FileCoverage(
        path,
        np.array(lines, np.int32),
        np.array([hits[line] > 0 for line in lines], np.bool_),
        np.array(begins, np.int32),
    )
