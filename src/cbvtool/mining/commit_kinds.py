"""Which commits were made by bots, and which fix a fault: patterns over authors and messages."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cbvtool.matching import Lines, compiled
from cbvtool.mining.changes import FIXES, Changes

# `dependabot[bot]`, `sympy-bot`, `Spring Bot`, and services by their names. "Talbot" and "Abbot" are people.
BOTS = (
    r"\[bot\]|(^|[\s._+-])(ro)?bot($|[\s@._-])|\b(dependa|build|repo|mergify-?|codecov-?|style-?ci-?)bot\b|\brenovate\b|"
    r"\bgreenkeeper\b|pre-commit-ci|\bgithub[ -]actions?\b|\bsnyk\b|semantic-release|\bweblate\b|\bpyup\b|"
    r"^(jenkins|travis|travis-ci|circleci|spring-builds|mergify|allcontributors)(@|$)"
)


def bot_authors(changes: Changes, pattern: str = BOTS) -> npt.NDArray[np.bool_]:
    """bool[authors]: authors whose name or mail address matches the pattern, ignoring case.

    Raises PatternError.
    """
    found = np.zeros(len(changes.authors), np.bool_)
    if pattern:
        for texts in (changes.authors, changes.names):
            found[compiled(pattern, ignore_case=True).rows(Lines(texts))] = True
    return found


def fixing_commits(changes: Changes, pattern: str = FIXES) -> npt.NDArray[np.bool_]:
    """bool[c]: commits whose subject matches the pattern, ignoring case.

    Raises PatternError.
    """
    found = np.zeros(len(changes.sha), np.bool_)
    if pattern and changes.subjects:
        found[compiled(pattern, ignore_case=True).rows(Lines(changes.subjects))] = True
    return found
