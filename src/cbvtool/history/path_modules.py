"""Modules of a history: the folders of its files at a given level."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cbvtool.history.change_sets import IntColumn

TOP = "."  # module of files outside of folders


def modules_at(paths: Sequence[str], level: int) -> tuple[tuple[str, ...], IntColumn]:
    """(names of the modules, ascending; int32[p] the module of each path).

    level  number of parts of a path that name its module: with 2, `src/cbvtool/app.py` is in `src/cbvtool`; a file in a
           folder with fewer levels is in that folder; 0 = each file is a module of its own
    """
    names = list(paths) if level == 0 else [_folder(path, level) for path in paths]
    known = {name: row for row, name in enumerate(sorted(set(names)))}
    return tuple(known), np.array([known[name] for name in names], np.int32)


def _folder(path: str, level: int) -> str:
    folders = path.split("/")[:-1][:level]
    return "/".join(folders) or TOP
