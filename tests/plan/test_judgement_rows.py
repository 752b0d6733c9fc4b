"""NEW-1: a judgement as rows for people."""

from __future__ import annotations

from dataclasses import replace

from cbvtool.plan.judgement.figures import Figures, Judgement, Reach
from cbvtool.plan.judgement.rows import rows

BEFORE = Figures(5, 14, 12, 0.31, 2.5, 1200, 40, 0, 0.0)


def test_rows_say_what_became_better_and_what_worse() -> None:
    """NEW-1: each figure before and after, with a sign beside every verdict, and what it means."""
    after = replace(
        BEFORE, violations=8, largest=9, tangled=14, modularity=0.3504, across=1100, sites=24, disruption=0.02
    )
    told = {row.name: (row.before, row.after, row.sign) for row in rows(Judgement(BEFORE, after))}
    assert told == {
        "violations": ("5", "8", "−"),
        "largest tangle": ("12", "9", "+"),
        "modules in cycles": ("14", "14", ""),
        "modularity Q": ("0.310", "0.350", "+"),
        "TurboMQ": ("2.500", "2.500", ""),
        "relations across": ("1,200", "1,100", "+"),
        "co-change across": ("40", "40", ""),
        "sites to change": ("0", "24", "−"),
        "disruption": ("0.0 %", "2.0 %", "−"),
    }
    assert all(row.explanation.endswith(".") for row in rows(Judgement(BEFORE, after)))
    assert [row.name for row in rows(Judgement(BEFORE, after)) if row.cost] == ["sites to change", "disruption"]


def test_what_reads_the_same_is_the_same() -> None:
    """NEW-1: a difference that the digits do not show is no verdict."""
    after = replace(BEFORE, modularity=0.3104, turbo_mq=2.5001)
    assert {row.verdict for row in rows(Judgement(BEFORE, after))} == {"same"}


def test_figures_that_one_side_lacks_are_left_out() -> None:
    """NEW-1: without rules there are no violations, without a history no co-change; reach only where both have it."""
    bare = replace(BEFORE, violations=None, co_change=None)
    cut = replace(bare, reach=Reach(0.2, 50, 1.1, 3))
    names = [row.name for row in rows(Judgement(bare, cut))]
    assert not {"violations", "co-change across", "propagation cost", "CCD", "NCCD", "feedback relations"} & set(names)
    better = replace(bare, reach=Reach(0.1, 25, 0.6, 0))
    told = {row.name: (row.before, row.after, row.verdict) for row in rows(Judgement(cut, better))}
    assert told["propagation cost"] == ("20.0 %", "10.0 %", "better")
    assert told["CCD"] == ("50", "25", "better")
    assert told["NCCD"] == ("1.100", "0.600", "better")
    assert told["feedback relations"] == ("3", "0", "better")
