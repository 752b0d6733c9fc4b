"""A three-way merge of documents: what is independent is merged, what is not is named (NEW-3, documents in git)."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from cbvtool.graph import REMOVED, Graph
from cbvtool.plan import Create, Group, History, Move, Operation, Remove, Rename, clashes
from cbvtool.plan.alternatives.merging import Merged, merge_documents
from cbvtool.plan.document import Document, Plan
from cbvtool.plan.listing.annotations import Annotation
from tests.plan.alternatives.pairs import Pair, pair

HERE = Path("/home/me/subject")


def made(*plans: Plan, **more: object) -> Document:
    return replace(Document(HERE, "shop", "", plans), **more)  # type: ignore[arg-type]


def merged(found: Merged) -> Document:
    assert found.conflicts == ()
    assert found.document is not None
    return found.document


def step(operation: Operation, label: str = "") -> Group:
    return Group(label or f"{operation.row.label} it", (operation,))


ONE, TWO = step(Remove(("a/one.py",)), "removal of one"), step(Remove(("b/two.py",)), "removal of two")


def of_pair(found: Pair) -> Merged:
    base, ours, theirs = (made(Plan.of(side)) for side in (found.base, found.ours, found.theirs))
    return merge_documents(base, ours, theirs)


def tree(graph: Graph) -> set[tuple[str, str, str]]:
    """(id, id of the parent, name) of everything that is there."""
    return {
        (node, graph.ids[int(graph.parent[key])] if key != graph.root else "", graph.names[key])
        for node, key in graph.key_of.items()
        if graph.parent[key] != REMOVED
    }


def faults(found: Pair) -> list[str]:
    """What is wrong with what merging made of a pair."""
    result, told = of_pair(found), []
    known = len(found.base.done)
    if result.document is None:
        if found.is_apart:
            told.append(f"kept apart for no reason: {result.conflicts[0].sentence}")
        labels = [{one.label for one in side.done[known:]} for side in (found.ours, found.theirs)]
        told += [
            f"names no step: {one.sentence}"
            for one in result.conflicts
            if not (one.ours in labels[0] and one.theirs in labels[1] and one.ours in one.sentence)
        ]
        return told
    both = result.document.plan
    if both.done != (*found.ours.done, *found.theirs.done[known:]):
        told.append("steps are lost, or in another order")
    one = both.history(found.base.base)
    other = History(found.base.base, (*found.theirs.done, *found.ours.done[known:]))
    told += [f"{refusal.reason} {refusal.operation}" for refusal in (*one.refusals, *other.refusals)]
    if not told and tree(one.graph) != tree(other.graph):
        told.append(f"the order of the two counts: {tree(one.graph) ^ tree(other.graph)}")
    mine = [len(clashes(side.graph, found.base.base)) for side in (found.ours, found.theirs)]
    if not told and len(clashes(one.graph, found.base.base)) > sum(mine):
        told.append("two things have one name")
    return told


def judged(seeds: range) -> tuple[Counter[str], list[str]]:
    """How many pairs were apart and merged, merged although they share something, and said to clash; what is wrong."""
    count, wrong = Counter[str](), list[str]()
    for seed in seeds:
        one = pair(seed)
        is_merged = of_pair(one).document is not None
        count["apart, " * one.is_apart + ("merged" if is_merged else "clash")] += 1
        wrong += [f"seed {seed}: {told}" for told in faults(one)]
    return count, wrong


def test_random_pairs() -> None:
    """Pairs that share no node, target or container merge; others merge rightly, or name steps that clash."""
    count, wrong = judged(range(120))
    assert not wrong
    assert min(count["apart, merged"], count["merged"], count["clash"]) >= 5, count


def test_both_sides_steps_notes_and_plans_come_together() -> None:
    """Steps of both; notes on tasks and nodes by key; new plans of both; which one is shown."""
    base = made(Plan("Plan 1", (ONE,), commit="1a"), view={"beta": 0.5, "notes": {"a": "old"}})
    ours = made(
        Plan("Plan 1", (ONE, TWO), (), {"k1": Annotation("first")}, "1a"),
        view={"beta": 0.7, "notes": {"a": "old", "b": "ours"}, "named": [{"name": "mine"}]},
    )
    more = step(Rename("c/three.py", "four.py"))
    theirs = made(
        Plan("Plan 1", (ONE, more), (), {"k2": Annotation(assignee="ann")}, "1a"),
        Plan("Plan 2", (more,), commit="2b"),
        active=1,
        view={"beta": 0.5, "notes": {"a": "new"}, "named": [{"name": "yours"}]},
    )
    found = merged(merge_documents(base, ours, theirs))
    assert found.plans[0].done == (ONE, TWO, more)
    assert found.plans[0].annotations == {"k1": Annotation("first"), "k2": Annotation(assignee="ann")}
    assert found.plans[1] == theirs.plans[1]
    assert found.plan.name == "Plan 2"
    assert found.view == {
        "beta": 0.7,
        "notes": {"a": "new", "b": "ours"},
        "named": [{"name": "mine"}, {"name": "yours"}],
    }


def test_notes_on_steps_are_merged_where_both_have_the_step() -> None:
    """NEW-6: whoever noted something alone is heard; a step is the same, whatever is noted about it."""
    soon, later, more = replace(ONE, note="soon"), replace(ONE, note="later"), replace(TWO, note="by ann")
    base = made(Plan("Plan 1", (ONE,)))
    found = merged(merge_documents(base, made(Plan("Plan 1", (ONE, more))), made(Plan("Plan 1", (soon,)))))
    assert found.plan.done == (soon, more)
    found = merged(merge_documents(base, made(Plan("Plan 1", (soon,))), made(Plan("Plan 1", ()))))
    assert found.plan.done == (), "theirs took the step back"
    [clash] = merge_documents(base, made(Plan("Plan 1", (soon,))), made(Plan("Plan 1", (later,)))).conflicts
    assert clash.sentence == (
        f"Ours and theirs changed the note on the step {ONE.label!r} in the plan 'Plan 1' in different ways."
    )


def test_nothing_in_common() -> None:
    """Both began: an empty plan adds nothing, plans that are called the same are both kept."""
    ours, theirs = made(Plan("Plan 1", (ONE,))), made(Plan("Plan 1", (TWO,)))
    found = merged(merge_documents(None, ours, theirs))
    assert [(plan.name, plan.done) for plan in found.plans] == [("Plan 1", (ONE,)), ("Plan 2", (TWO,))]
    assert merged(merge_documents(None, ours, made(Plan()))) == ours
    assert merged(merge_documents(None, ours, ours)) == ours


def test_the_same_step_counts_once_and_what_one_took_back_stays_away() -> None:
    """Undone by one of both, planned by both alike."""
    base = made(Plan("p", (ONE,)))
    new = step(Remove(("c/three.py",)), "removal of three")
    ours, theirs = made(Plan("p", (), (ONE,))), made(Plan("p", (ONE, TWO, new)))
    assert merged(merge_documents(base, ours, theirs)).plan == Plan("p", (TWO, new))
    assert merged(merge_documents(base, made(Plan("p", (ONE, new))), theirs)).plan.done == (ONE, new, TWO)


def test_numbered_ids_of_both_are_told_apart() -> None:
    """Version 1 called the first new node `plan:1` in every branch."""
    mine = (step(Create("plan:1", "a", "x", "package")), step(Move(("a/one.py",), "plan:1")))
    yours = (step(Create("plan:1", "b", "y", "package")), step(Move(("b/two.py",), "plan:1")))
    found = merged(merge_documents(made(Plan("p")), made(Plan("p", mine)), made(Plan("p", yours))))
    assert found.plan.done[:2] == mine
    (creation,), (move,) = (one.operations for one in found.plan.done[2:])
    assert isinstance(creation, Create)
    assert isinstance(move, Move)
    assert creation.node == move.target != "plan:1"
    assert found == merged(merge_documents(made(Plan("p")), made(Plan("p", mine)), made(Plan("p", yours))))


@pytest.mark.parametrize(
    ("ours", "theirs", "said"),
    [
        (Move(("a/one.py",), "b"), Rename("a/one.py", "two.py"), "both are about one.py"),
        (Remove(("a",)), Rename("a/one.py", "two.py"), "one.py may lie in a"),
        (Move(("a/x.py",), "c"), Move(("b/x.py",), "c"), "both put something called x.py into c"),
        (Move(("a",), "b/inner"), Move(("b",), "a/inner"), "each moves what the other moves something into"),
        (Create("plan:1", "c", "x.py", "file"), Rename("c/y.py", "x.py"), "something called x.py into c"),
    ],
)
def test_steps_that_clash_are_named(ours: Operation, theirs: Operation, said: str) -> None:
    """Which step of ours, which of theirs, and why; no document."""
    found = merge_documents(
        made(Plan("p")), made(Plan("p", (step(ours, "mine"),))), made(Plan("p", (step(theirs, "yours"),)))
    )
    assert found.document is None
    (conflict,) = found.conflicts
    assert (conflict.plan, conflict.ours, conflict.theirs) == ("p", "mine", "yours")
    assert said in conflict.sentence


def test_other_conflicts() -> None:
    """A plan deleted here and changed there; one note changed by both; one plan put on two commits."""
    base = made(Plan("p", (ONE,), (), {"k": Annotation("x")}, "1a"), Plan("q"))
    ours = made(Plan("p", (ONE,), (), {"k": Annotation("y")}, "2b"))
    theirs = made(Plan("p", (ONE,), (), {"k": Annotation("z")}, "3c"), Plan("q", (TWO,)))
    found = merge_documents(base, ours, theirs)
    said = " ".join(one.sentence for one in found.conflicts)
    assert found.document is None
    assert all(words in said for words in ("deleted the plan 'q'", "the note of the task", "2b in ours, 3c in theirs"))


def test_each_deletes_what_the_other_keeps() -> None:
    """NEW-3: a document has a plan at least; that none would be left is said."""
    base = made(Plan("p"), Plan("q"))
    found = merge_documents(base, made(Plan("p")), made(Plan("q")))
    assert found.document is None
    assert [one.sentence for one in found.conflicts] == ["Of both together, no plan is left."]
