"""Hot spots: complex files that change often (A. Tornhill, Your code as a crime scene, 2015)."""

from __future__ import annotations

import numpy as np

from cbvtool.asking.impact import is_test
from cbvtool.findings.finding import Examined, Finding
from cbvtool.history.time_range import changes_words
from cbvtool.metrics.few_hold import few_hold

MOST = 20


def hot_spots(examined: Examined, most: int = MOST) -> list[Finding]:
    """The files with the most cyclomatic complexity times commits, in the last six months or the given range."""
    points = examined.measured("hot_spots")[examined.files]
    order = np.lexsort((examined.files, -np.nan_to_num(points)))[:most]
    usual = " in six months" if examined.since is None and examined.until is None else ""
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
                f"{examined.graph.ids[key]}: complexity {branches:,}, changed by {_times(often)}{usual}",
                (key,),
                figures={"complexity": branches, "commits": often, "points": float(points[at])},
                share=examined.share_of(examined.measured("hot_spots"), np.array([key])),
            )
        )
    return found


def headline(examined: Examined) -> str:
    """How few files hold how many of the changes, in a sentence; empty where they do not stand out."""
    if examined.changes is None:
        return ""
    what = changes_words((examined.since, examined.until))
    said = few_hold(examined.measured("change_frequency")[examined.files], what)
    aside = "" if examined.tests or not is_test(examined.graph).any() else "Tests aside, "
    return f"{aside}{said}" if said else ""


def _times(count: int) -> str:
    return "1 commit" if count == 1 else f"{count:,} commits"
