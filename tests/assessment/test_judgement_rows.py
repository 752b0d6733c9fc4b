"""NEW-1: a judgement as rows for people."""

from __future__ import annotations

from dataclasses import replace

from cbvtool.assessment.figures import Figures, Judgement, PlanWork, Reach
from cbvtool.assessment.rows import FIRST, UNKNOWN, as_data, rows, with_pending_price

BEFORE = Figures(5, 14, 12, 0.31, 2.5, 1200, 40, 0, 0.0, work=PlanWork())


def test_rows_say_what_became_better_and_what_worse() -> None:
    """NEW-1: each figure before and after, with a sign beside every verdict, and what it means."""
    after = replace(
        BEFORE,
        violations=8,
        largest=9,
        tangled=14,
        modularity=0.3504,
        across=1100,
        work=PlanWork(24, 90),
        disruption=0.02,
    )
    told = {row.name: (row.before, row.after, row.sign) for row in rows(Judgement(BEFORE, after))}
    assert told == {
        "tangle": ("12", "9", "+"),
        "places to change": ("0", "24", "−"),
        "broken rules": ("5", "8", "−"),
        "modules in cycles": ("14", "14", ""),
        "modularity Q": ("0.310", "0.350", "+"),
        "TurboMQ": ("2.500", "2.500", ""),
        "crossings": ("1,200", "1,100", "+"),
        "co-change across": ("40", "40", ""),
        "effort": ("0 min", "1 h 30 min", "−"),
        "disruption": ("0.0 %", "2.0 %", "−"),
    }
    assert all(row.explanation.endswith(".") for row in rows(Judgement(BEFORE, after)))
    told_rows = rows(Judgement(BEFORE, after))
    assert [row.name for row in told_rows if row.cost] == ["places to change", "effort", "disruption"]
    assert tuple(row.name for row in told_rows[:3]) == FIRST


def test_a_price_that_is_being_counted_keeps_its_line() -> None:
    """DND-9: nobody sees a price that is not the one after the drop."""
    unknown = replace(BEFORE, work=None)
    told = with_pending_price(rows(Judgement(unknown, unknown)))
    assert [row.name for row in told[:3]] == list(FIRST)
    assert told[1].after == UNKNOWN
    known = rows(Judgement(BEFORE, BEFORE))
    assert with_pending_price(known) == known


def test_programs_are_told_the_same_figures() -> None:
    """NEW-1: the keys are those of every JSON."""
    data = as_data(replace(BEFORE, work=PlanWork(24, 90)))
    names = ("broken_rules", "tangle", "modules_in_cycles", "crossings", "places_to_change", "effort_minutes")
    assert [data[name] for name in names] == [5, 12, 14, 1200, 24, 90]
    assert data["ccd"] is None


def test_what_reads_the_same_is_the_same() -> None:
    """NEW-1: a difference that the digits do not show is no verdict."""
    after = replace(BEFORE, modularity=0.3104, turbo_mq=2.5001)
    assert {row.verdict for row in rows(Judgement(BEFORE, after))} == {"same"}


def test_figures_that_one_side_lacks_are_left_out() -> None:
    """NEW-1: without rules there are no violations, without a history no co-change; reach only where both have it."""
    bare = replace(BEFORE, violations=None, co_change=None)
    cut = replace(bare, reach=Reach(0.2, 50, 1.1, 3))
    names = [row.name for row in rows(Judgement(bare, cut))]
    of_cuts = {"propagation cost", "CCD", "NCCD", "feedback relations"}
    assert not {"broken rules", "co-change across", *of_cuts} & set(names)
    better = replace(bare, reach=Reach(0.1, 25, 0.6, 0))
    told = {row.name: (row.before, row.after, row.verdict) for row in rows(Judgement(cut, better))}
    assert told["propagation cost"] == ("20.0 %", "10.0 %", "better")
    assert told["CCD"] == ("50", "25", "better")
    assert told["NCCD"] == ("1.100", "0.600", "better")
    assert told["feedback relations"] == ("3", "0", "better")
