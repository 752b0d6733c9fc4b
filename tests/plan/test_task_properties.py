"""Random histories on random graphs, with all operations and three kinds of relations: what is promised of plans.

`make histories` tries 10,000 of them.
"""

from __future__ import annotations

import numpy as np
from hypothesis import event, given, settings

from cbvtool.graph import REMOVED, Graph
from cbvtool.plan import Create, Group, History, Operation, Remove, run
from cbvtool.plan.compress import compress
from cbvtool.plan.listing.annotations import annotated, reordered
from cbvtool.plan.primitives import CreateNode
from cbvtool.plan.tasks import task_list
from tests.plan.naive import Naive, same, sorted_sites
from tests.plan.strategies import plans
from tests.plan.task_lint import faults

EXAMPLES = max(300, settings.default.max_examples if settings.default is not None else 0)


@settings(max_examples=EXAMPLES)
@given(plans(max_size=10))
def test_what_is_promised_of_every_history(plan: tuple[Graph, list[Operation]]) -> None:
    """DND-5, NEW-9: replay, compress, expand, keys; every step on the way is a graph."""
    base, operations = plan
    history = History(base, tuple(Group("", (operation,)) for operation in operations))
    target = history.graph
    assert same(target, run(base, operations).graph)  # replaying again gives the same

    primitives = compress(history)
    short = run(base, primitives)
    assert not short.refusals
    assert same(short.graph, target)
    assert len(primitives) <= len(history.replayed.primitives)

    found = task_list(history)
    assert faults(found, history) == []
    listed = {p for task in found.tasks for p in task.primitives}
    assert listed == set(primitives)
    assert sum(len(task.primitives) for task in found.tasks) == len(primitives)

    # The tasks, and the steps, one after the other.
    for works in (found.tasks, found.steps):
        graph, before = base, sorted_sites(Naive(base))
        for work in works:
            graph = run(graph, work.primitives).graph
            _must_hold_together(graph)
            now = sorted_sites(Naive(graph))
            kept = {
                node for node in before.node if node in target.key_of and target.parent[target.key_of[node]] != REMOVED
            }
            assert kept <= now.node.keys(), f"{work.title} takes along what is to stay"
            before = now
        assert same(graph, target)
    for step in found.steps:
        event(f"{step.title.split()[0]}{' late' if step.is_extra else ''}{' temporary' if step.notes else ''}")


def _must_hold_together(graph: Graph) -> None:
    """A tree with one root, and no relation that ends at something removed."""
    assert np.count_nonzero(graph.parent == -1) == 1
    there = graph.parent != REMOVED
    assert np.all(there[graph.edges.source])
    assert np.all(there[graph.edges.target])
    assert np.all(there[graph.parent[there & (graph.parent >= 0)]])


@given(plans(max_size=8))
def test_a_key_stays_while_what_is_done_stays(plan: tuple[Graph, list[Operation]]) -> None:
    """NEW-9: planning that goes on, a new analysis, other numbers of operations and nodes leave the keys alone."""
    base, operations = plan
    history = History(base, tuple(Group("", (operation,)) for operation in operations))
    found = task_list(history)
    keys = [task.key for task in found.tasks]
    again = task_list(history.on(base.with_()))
    assert [task.key for task in again.tasks] == keys
    detour = (Create("plan:99", "", "detour", "folder"), Remove(("plan:99",)))
    longer = History(base, (Group("", detour), *history.done))
    assert [task.key for task in task_list(longer).tasks] == keys
    # What is noted stays with its task, and changes nothing but the order.
    if not found.tasks:
        return
    task = found.tasks[-1]
    noted = annotated({}, task, note="first", assignee="Ann", done=True)
    noted = reordered(noted, found.tasks, task.key, 0)
    then = task_list(history, annotations=noted)
    assert {entry.key: entry.primitives for entry in then.tasks} == {
        entry.key: entry.primitives for entry in found.tasks
    }
    (mine,) = [entry for entry in then.tasks if entry.key == task.key]
    assert (mine.note, mine.assignee, mine.done) == ("first", "Ann", True)
    assert faults(then, history) == []
    assert then.overtaken == ()
    assert [entry.key for entry in task_list(History(base), annotations=noted).overtaken] == [task.key]
    made = {p.node for entry in then.tasks for p in entry.primitives if isinstance(p, CreateNode)}
    assert made <= set(history.graph.ids)
