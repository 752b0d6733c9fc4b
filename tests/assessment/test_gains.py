"""NEW-1: the gain of possible targets, and what a session prepares to judge."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.assessment import after
from cbvtool.assessment.after import judge
from cbvtool.assessment.gains import Worth, gains, worth
from cbvtool.assessment.judged import Asked, judged
from cbvtool.assessment.modules import ModuleChoice, choice_from, choice_named, choice_of, heading
from cbvtool.assessment.prepared import coupled, prepare
from cbvtool.graph import REMOVED, Graph
from cbvtool.mining.changes import Changes
from cbvtool.plan import Group, History, Move, Operation, check, run
from cbvtool.plan.draft import Draft
from cbvtool.plan.lower import lower
from cbvtool.plan.primitives import Primitive
from cbvtool.rules import Rules, violations
from tests.assessment.test_judgement import judged_plans, ways


@given(judged_plans(), st.data())
def test_targets_that_are_judged_together_are_worth_the_same(
    plan: tuple[Graph, list[Operation]], data: st.DataObject
) -> None:
    """NEW-1: the gain of a target has the sign and the order of what judging it alone says; others have none."""
    base, operations = plan
    graph = run(base, operations).graph
    rules, modules, _ = data.draw(ways(base, insides=False))  # gains look at files and folders alone
    there = np.flatnonzero(graph.parent != REMOVED).tolist()
    free = [key for key in there if key]
    keys = (data.draw(st.sampled_from(free)),) if free else ()
    prepared = prepare(base, graph, rules, modules)

    def fits(target: int) -> bool:
        return check(Move(tuple(graph.ids[key] for key in keys), graph.ids[target]), graph) is None

    def moves(target: int) -> list[Primitive]:
        return lower(Move(tuple(graph.ids[key] for key in keys), graph.ids[target]), Draft(graph))

    found = gains(prepared, keys, there, fits)
    alone = {target: worth(judge(prepared, moves(target))) for target in there if keys and fits(target)}
    assert found.keys() == alone.keys()
    most = [max((abs(each[i]) for each in alone.values()), default=0.0) for i in range(3)]
    for target, each in alone.items():
        place = next((i for i, value in enumerate(each) if value), None)
        expected = 0.0 if place is None else each[place] / most[place] * (1.0, 0.75, 0.5)[place]
        assert found[target] == pytest.approx(expected)


def test_rules_count_before_cycles_and_these_before_modularity() -> None:
    """NEW-1: the first figure that changes decides."""
    assert Worth(1, -5, -1) > Worth(0, 9, 1) > Worth(0, 9, 0) > Worth(0, 0, 1) > Worth(0, 0, 0)


def test_a_step_is_judged_without_a_replay(shop: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    """NEW-1: what a drag asks for needs neither the graph after it nor another look at the whole."""
    rules = Rules(("ui", "core", "db"), (), True)
    asked = Asked(shop, shop, None, rules, ModuleChoice(), 0)
    ready = judged(asked)
    for name in ("run", "prepare"):
        monkeypatch.setattr(after, name, lambda *_a, **_k: pytest.fail("a replay"))
    found = ready.step(Move(("db",), "ui"))
    assert found is not None
    target = run(shop, [Move(("db",), "ui")]).graph
    assert found.before.violations == len(violations(shop, rules))
    assert found.after.violations == len(violations(target, rules))
    assert ready.step(Move(("ui",), "ui")) is None  # refused


def test_what_is_prepared_is_taken_over(shop: Graph) -> None:
    """NEW-1: after a step only the plan is prepared anew; after another choice of modules the history stays."""
    history = History(shop).do(Group("", (Move(("db",), "ui"),)))
    first = judged(Asked(shop, shop, None, Rules(), ModuleChoice(), 0))
    assert first.base is first.planned
    second = judged(Asked(shop, history.graph, None, Rules(), ModuleChoice(), 0), first)
    assert second.base is first.base
    assert second.plan().before == first.base.figures
    assert second.plan().after.disruption > 0
    third = judged(Asked(shop, history.graph, None, Rules(), ModuleChoice("packages"), 0), second)
    assert third.base is not first.base


def test_files_that_changed_together_are_found_by_their_places(shop: Graph) -> None:
    """NEW-1: co-change of files of the graph; no history, no figure."""
    files = [shop.files[f] for f in shop.file[shop.file >= 0].tolist()][:1]
    other = next(name for name in shop.files if name != files[0])
    ids = (files[0], other, "gone.py")
    rows = np.array([0, 0, 0], np.int32)
    changes = Changes(
        ("a" * 40,), np.zeros(1, np.int64), np.zeros(1, np.int32), ("a@b",), rows, np.arange(3, dtype=np.int32), ids
    )
    found = coupled(shop, changes)
    assert found is not None
    assert [shop.ids[key] for key in (*found.first.tolist(), *found.second.tolist())] == [files[0], other]
    assert found.support.tolist() == [1]
    assert coupled(shop, None) is None
    assert coupled(shop, Changes.none("")) is None


def test_the_choice_of_modules_is_read_with_care() -> None:
    """NEW-1: what a document holds; nonsense is left out."""
    assert choice_from({"by": "depth", "depth": 3, "tests": False}) == ModuleChoice("depth", 3, False)
    assert choice_from({"by": "?", "depth": 0, "tests": 1}) == ModuleChoice("children")
    assert choice_from({"by": ["x"], "depth": True}) == choice_from(None) == choice_from([]) == ModuleChoice("children")
    assert choice_named("found") == ModuleChoice("found", tests=False)
    assert choice_named("depth:3") == ModuleChoice("depth", 3, tests=False)
    assert [choice_named(text) for text in ("depth", "depth:0", "depth:10", "packages:2", "", "?")] == [None] * 6


def test_the_choice_of_modules_is_told_in_words(shop: Graph) -> None:
    """NEW-1: what the panel and the card say."""
    assert heading(shop, ModuleChoice("children"), 0) == f"directly in {shop.name}"
    assert heading(shop, ModuleChoice("depth", 3, tests=False), 0) == f"depth 3 in {shop.name}, without tests"
    assert heading(shop, ModuleChoice("packages"), 0, by_calls=True) == "packages, weighed by calls"


def test_a_document_that_says_nothing_is_judged_as_it_was() -> None:
    """NEW-6: a document that was saved before modules were found keeps what lay directly in the root."""
    assert choice_of({"beta": 0.5}) == ModuleChoice("children")
    assert choice_of({}) == ModuleChoice("found")
    assert choice_of({"modules": {"by": "found", "depth": 2, "tests": True}}) == ModuleChoice("found")
