"""Hot spots: complex files that change often (A. Tornhill, Your code as a crime scene, 2015)."""

from __future__ import annotations

import numpy as np

from cbvtool.findings.finding import Examined, Finding

MOST = 20
_HEADLINE = 5  # files, in a large project
_STANDS_OUT = 3  # times as many changes as so many files hold on average


def hot_spots(examined: Examined, most: int = MOST) -> list[Finding]:
    """The files with the most cyclomatic complexity times commits, in the last six months or the given range."""
    points = examined.measured("hot_spots")[examined.files]
    order = np.lexsort((examined.files, -np.nan_to_num(points)))[:most]
    complexity, commits = examined.measured("complexity"), examined.measured("change_frequency")
    found = []
    for at in order.tolist():
        key = int(examined.files[at])
        if not points[at] > 0:
            break
        branches, often = int(complexity[key]), int(commits[key])
        found.append(
            Finding(
                "hot-spot",
                f"{examined.graph.ids[key]}: complexity {branches:,}, changed by {_times(often)}",
                (key,),
                figures={"complexity": branches, "commits": often, "points": float(points[at])},
                share=examined.share_of(examined.measured("hot_spots"), np.array([key])),
            )
        )
    return found


def headline(examined: Examined) -> str:
    """How few files hold how many of the changes, in a sentence; empty where they do not stand out.

    Five files, fewer in a project of less than 100. They stand out when they hold three times their share.
    """
    if examined.changes is None or not len(examined.files):
        return ""
    commits = np.nan_to_num(examined.measured("change_frequency")[examined.files])
    whole, count = float(commits.sum()), max(1, min(_HEADLINE, len(commits) // 20))
    top = float(np.sort(commits)[-count:].sum())
    if top * len(commits) < _STANDS_OUT * count * whole or not whole:
        return ""
    return f"{count:,} of {len(commits):,} files hold{'s' * (count == 1)} {top / whole:.0%} of the changes"


def _times(count: int) -> str:
    return "1 commit" if count == 1 else f"{count:,} commits"
