"""Random plans on random graphs, against an interpreter that does the obvious thing on dictionaries."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from cbvtool.graph import NO_PARENT, REMOVED, Graph, GraphBuilder
from cbvtool.plan import Create, Group, History, Operation, Replayed, check, run
from cbvtool.plan.compress import compress_replayed
from cbvtool.plan.primitives import MoveTo, RemoveNode
from tests.plan.naive import PLACES, Naive, same, sorted_sites
from tests.plan.strategies import plans


@given(plans())
def test_operations_do_what_a_naive_interpreter_does(plan: tuple[Graph, list[Operation]]) -> None:
    """Design 4, DND-1..4: every operation has its plain meaning; what is refused changes nothing."""
    base, operations = plan
    state, refused = Naive(base), []
    for index, operation in enumerate(operations):
        following = state.after(operation)
        if following is None:
            refused.append(index)
        else:
            event(type(operation).__name__)
            state = following
    replayed = run(base, operations)
    assert [refusal.index for refusal in replayed.refusals] == refused
    assert sorted_sites(Naive(replayed.graph)) == sorted_sites(state)


@given(plans())
def test_check_refuses_exactly_what_replay_leaves_out(plan: tuple[Graph, list[Operation]]) -> None:
    """DND-1: what the pointer says before the drop is what happens at the drop."""
    base, operations = plan
    if not operations:
        return
    before = run(base, operations[:-1]).graph
    reason = check(operations[-1], before)
    refusals = [r.reason for r in run(base, operations).refusals if r.index == len(operations) - 1]
    assert refusals == ([] if reason is None else [reason])


@given(plans())
def test_a_replayed_graph_is_as_good_as_one_built_anew(plan: tuple[Graph, list[Operation]]) -> None:
    """Design 3: keys of the base hold, and the indexes carried over equal those computed from nothing."""
    base, operations = plan
    graph = run(base, operations).graph
    assert graph.ids[: len(base)] == base.ids
    made = {o.node for o in operations if isinstance(o, Create)}
    assert all(node in made or node.startswith("plan:") for node in graph.ids[len(base) :])
    fresh = Graph(**{name: getattr(graph, name) for name in graph.__dataclass_fields__})
    assert np.array_equal(graph.sibling_rank, fresh.sibling_rank)
    assert dict(graph.key_of) == dict(fresh.key_of)
    assert np.array_equal(graph.tree.order, fresh.tree.order)
    pairs = list(zip(graph.edges.source.tolist(), graph.edges.target.tolist(), graph.edges.kind.tolist(), strict=True))
    assert len(set(pairs)) == len(pairs)
    assert all(graph.parent[key] != REMOVED for pair in pairs for key in pair[:2])


def compressed(base: Graph, replayed: Replayed) -> Replayed:
    return run(base, compress_replayed(base, replayed))


@given(plans(max_size=24))
def test_compress_gives_the_same_graph_never_longer_idempotent(plan: tuple[Graph, list[Operation]]) -> None:
    """DND-5: compress."""
    base, operations = plan
    long = run(base, operations)
    short = compressed(base, long)  # replaying primitives is strict: it raises where the order is not possible
    assert not short.refusals
    assert same(short.graph, long.graph)
    assert len(short.primitives) <= len(long.primitives)
    again = compress_replayed(base, short)
    assert again == short.primitives
    assert [p.origin for p in again] == [p.origin for p in short.primitives]
    event(f"shorter by {min(len(long.primitives) - len(short.primitives), 9)}")


@given(plans(max_size=10), st.randoms())
def test_compress_finds_an_order_for_any_rearrangement(plan: tuple[Graph, list[Operation]], random: Any) -> None:
    """DND-5: any tree over the same nodes is reached without passing through a cycle."""
    base, _ = plan
    folders = [key for key in range(1, len(base)) if base.kind(key) in PLACES]
    order = random.sample(folders, len(folders))
    parent = base.parent.copy()
    for number, key in enumerate(order):  # above comes only what stands earlier in a random order
        parent[key] = random.choice([0, *order[:number]])
    target = base.with_(parent=parent)
    moved = np.flatnonzero(parent != base.parent).tolist()
    # A trail that need not be possible in its order: compress reads the difference, not the way.
    trail = tuple(MoveTo(base.ids[k], base.ids[parent[k]], origin=i) for i, k in enumerate(moved))
    short = compress_replayed(base, Replayed(target if moved else base, trail, ()))
    assert len(short) == len(moved)
    assert np.array_equal(run(base, short).graph.parent, parent)


@given(plans(), st.lists(st.booleans(), max_size=20))
def test_undo_and_redo_only_move_the_boundary(plan: tuple[Graph, list[Operation]], ways: list[bool]) -> None:
    """DND-5, CBV-11: whatever is undone and redone, the graph is the replay of what is done."""
    base, operations = plan
    history = History(base)
    for number, operation in enumerate(operations):
        history = history.do(Group(str(number), (operation,)))
    for back in ways:
        history = history.undo() if back else history.redo()
        assert history.done + history.undone[::-1] == tuple(Group(str(i), (o,)) for i, o in enumerate(operations))
        assert same(history.graph, run(base, [o for group in history.done for o in group.operations]).graph)
    while history.done:
        history = history.undo()
    assert history.graph is base


def test_the_root_stays_the_only_root() -> None:
    """Design 4: the strict replay of primitives refuses what would leave no tree (a guard that can fail)."""
    builder = GraphBuilder("subject")
    builder.add_node("a", "", "a", "folder")
    builder.add_node("a/b", "a", "b", "folder")
    graph = builder.freeze()
    for primitive in (MoveTo("a", "a/b"), MoveTo("", "a"), RemoveNode("")):
        with pytest.raises(ValueError, match=r"tree|root"):
            run(graph, [primitive])
    assert graph.parent[0] == NO_PARENT
