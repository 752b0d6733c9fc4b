"""Source text becomes facts, facts become a graph: one file per language, one resolver per language family.

Worker processes import this package: it must stay light (no NumPy, no NetworkX, no Qt, no VTK).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from cbvtool.progress import Progress, silent

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from cbvtool.graph import Graph


def analyze(
    path: Path | str,
    *,
    jobs: int | None = None,
    progress: Progress = silent,
    cache: Path | bool = False,
    config: Path | None = None,
    executor: Executor | None = None,
    on_first: Callable[[Graph], None] | None = None,
    known_as: str = "",
) -> Graph:
    """The compound graph of the source files below the folder `path`; the root is named like the folder.

    Nodes are folders, packages, files, what the files define, and what they use from outside; relations are imports,
    inheritance, calls and other uses. Values measured on the node itself: every file has `bytes`; what is read in
    depth has `sloc`, `nl3_lines`, `complexity` and more, a file's without its classes' and functions' (see
    docs/accuracy.md); files with tests have `test` 1.

    jobs      processes that read sources; None = as many as pay (one for a small folder), 1 = this one
    progress  is called with the number of files read; what it raises (`Cancelled`) stops the work
    cache     folder in which to keep what was found, for the next time; True = the user's, False = none
    config    file in place of the folder's own `cbvtool.toml`
    executor  reads the files in place of processes of our own, here or elsewhere: it is given their content
    on_first  if reading takes long, gets a first graph, of imports alone, within seconds
    known_as  what the cache calls the folder, where its path means nothing tomorrow; empty = its path

    Raises InputError when `path` is missing, is not a folder, cannot be read, or holds no file, and for a wrong
    `config`.
    """
    from cbvtool.analysis.folder import analyze_folder

    how = {"cache": cache, "config": config, "executor": executor, "on_first": on_first, "known_as": known_as}
    return analyze_folder(Path(path), jobs, progress, **how)  # type: ignore[arg-type]  # each as above
