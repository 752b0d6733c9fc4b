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

    from cbvtool.analysis.live import LiveAnalysis
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
    live: LiveAnalysis | None = None,
) -> Graph:
    """The compound graph of the source files below the folder `path`; the root is named like the folder.

    Nodes are folders, packages, files, their definitions, and the external packages that they use; relations are
    imports, inheritance, calls and other uses. Own values of nodes: every file has `bytes`; files of supported
    languages and their definitions have `sloc`, `nl3_lines`, `complexity` and more, a file without those of its classes
    and functions (see docs/accuracy.md); files with tests have `test` 1.

    jobs      number of processes that read sources; None = chosen by the amount of work, 1 = this process alone
    progress  is called with the number of files read; if it raises `Cancelled`, the work stops
    cache     folder in which to keep results for the next run; True = the user's cache, False = none
    config    configuration file to use in place of the folder's own `cbvtool.toml`
    executor  reads the files in place of our own processes, here or on other machines; it receives their content
    on_first  if the work takes long, gets first graphs: within seconds one of imports alone, later one without calls
    known_as  name of the folder in the cache, for a folder whose path is temporary; empty = its path
    live      what the last analysis of the folder left in memory, and this one leaves for the next

    Raises InputError when `path` is missing, is not a folder, cannot be read, or holds no file, and for a wrong
    `config`.
    """
    from cbvtool.analysis.folder import analyze_folder

    how = {
        "cache": cache,
        "config": config,
        "executor": executor,
        "on_first": on_first,
        "known_as": known_as,
        "live": live,
    }
    return analyze_folder(Path(path), jobs, progress, **how)  # type: ignore[arg-type]  # each as above
