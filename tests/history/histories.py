"""Histories of a few commits, made by hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cbvtool.mining.changes import Changes

DAY = 24 * 60 * 60


def history(
    commits: Sequence[Sequence[int]],
    paths: Sequence[str],
    *,
    times: Sequence[int] | None = None,
    authors: Sequence[int] | None = None,
    people: Sequence[str] = ("ada@example.org",),
    names: Sequence[str] = (),
    subjects: Sequence[str] = (),
    files: Sequence[int] = (),
) -> Changes:
    """Commits with the rows of `paths` that each touched; by default one a second and by the first of `people`."""
    touches = [(row, path) for row, touched in enumerate(commits) for path in touched]
    row, path = np.array(touches, np.int32).reshape(-1, 2).T
    return Changes(
        tuple(f"{i:040x}" for i in range(len(commits))),
        np.array(range(len(commits)) if times is None else times, np.int64),
        np.array([0] * len(commits) if authors is None else authors, np.int32),
        tuple(people),
        row.copy(),
        path.copy(),
        tuple(paths),
        names=tuple(names),
        subjects=tuple(subjects),
        files=np.array(files, np.int32),
    )
