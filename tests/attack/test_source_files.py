"""Hostile source files. A few of them here; `python -m tests.attack.source_files` has them all."""

from __future__ import annotations

import sys

import pytest

from tests.attack.source_files import Case, attacked, cases

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="limits of memory are another thing there")

ALL = {case.name: case for case in cases()}
# Quick ones: crashed or filled the process that read them, made a resolver fail or wait, or are no text.
QUICK = ["angles.java", "chain-uses.rs", "cut-conditions.c", "nul.py", "lone_surrogate.cs"]


def test_there_are_many() -> None:
    """At least a hundred, in every language, each with a name of its own."""
    assert len(ALL) == len(list(cases())) > 600


@pytest.mark.parametrize("name", QUICK)
def test_a_hostile_file_is_survived(name: str) -> None:
    """Exit status 0, no fault of ours in the words, nothing left behind, no process over the limits."""
    verdict = attacked(ALL[name], 60_000)
    assert verdict.wrong == ""


def test_the_attack_notices(monkeypatch: pytest.MonkeyPatch) -> None:
    """A case that costs more than it may is told."""
    monkeypatch.setattr("tests.attack.source_files.MOST_MEMORY", 1_000.0)
    monkeypatch.setattr("tests.attack.source_files.MOST_SECONDS", 0.0)
    assert attacked(Case("any.py", lambda size: {"a.py": b"x = 1\n" * 10})).wrong == "too long, too much memory"
