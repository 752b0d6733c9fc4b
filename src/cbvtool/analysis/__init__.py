"""Source text becomes facts, facts become a graph: one file per language, one resolver per language family.

Worker processes import this package: it must stay light (no NumPy, no NetworkX, no Qt, no VTK).
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from cbvtool.progress import Progress, silent

if TYPE_CHECKING:
    from cbvtool.graph import Graph


def analyze(path: Path | str, *, jobs: int | None = None, progress: Progress = silent) -> Graph:
    """The compound graph of the source files below the folder `path`; the root is named like the folder.

    Nodes are folders, packages, files, classes and functions; relations are imports from file to file.
    Values measured on the node itself: every file has `bytes`; Python files, classes and functions have
    `sloc`, `nl3_lines` and `complexity`, a file's without its classes' and functions' (see docs/accuracy.md).

    jobs      processes that read sources; None = as many as pay (one for a small folder), 1 = this one
    progress  is called with the number of files read; what it raises (`Cancelled`) stops the work

    Raises InputError when `path` is missing, is not a folder, cannot be read, or holds no file.
    """
    from cbvtool.analysis.folder import analyze_folder

    return analyze_folder(Path(path), jobs, progress)
