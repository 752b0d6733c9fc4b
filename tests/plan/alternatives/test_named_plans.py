"""Several named plans in a document: new, branch, names, copies of steps (NEW-6)."""

from __future__ import annotations

import pytest

from cbvtool.errors import InputError
from cbvtool.graph import Graph, GraphBuilder
from cbvtool.plan import Create, Group, History, Move, Operation, Remove, Rename
from cbvtool.plan.alternatives.copying import copy_steps
from cbvtool.plan.alternatives.named_plans import LONGEST_NAME, NamedPlans
from cbvtool.plan.document import MOST_PLANS, Plan


@pytest.fixture
def code() -> Graph:
    builder = GraphBuilder("shop")
    for folder in ("ui", "core"):
        builder.add_node(folder, "", folder, "package")
        for name in ("a.py", "b.py"):
            builder.add_node(f"{folder}/{name}", folder, name, "file")
    return builder.freeze()


def step(*operations: Operation) -> Group:
    return Group("step", operations)


ONE, TWO = step(Remove(("ui/a.py",))), step(Remove(("ui/b.py",)))


def test_new_branch_rename_delete_switch() -> None:
    """Each gives other plans; the ones before stay as they were."""
    first = NamedPlans((Plan("Plan 1", (ONE,), (TWO,), {}, "1a2b", "why"),))
    branch = first.branched()
    assert branch.names == ["Plan 1", "Plan 2"]
    assert (branch.current.done, branch.current.undone, branch.current.commit) == ((ONE,), (), "1a2b")
    fresh = branch.with_new("Other", "3c4d")
    assert fresh.current == Plan("Other", commit="3c4d")
    assert fresh.switched("Plan 1").current.name == "Plan 1"
    assert fresh.renamed("Plan 2", "Kept").names == ["Plan 1", "Kept", "Other"]
    assert fresh.with_note("Other", " less ").current.note == "less"
    left = fresh.without("Other")
    assert (left.names, left.current.name) == (["Plan 1", "Plan 2"], "Plan 2")
    assert fresh.without("Plan 1").current.name == "Other"
    back = left.with_again(fresh.current, 2)
    assert (back.plans, back.current.name) == (fresh.plans, "Plan 2")
    assert first.names == ["Plan 1"]


def test_what_cannot_be_is_refused_in_one_sentence() -> None:
    """Names are one line, at most 80 letters, each once; `as-is` means the code; a document has 1 to 100 plans."""
    plans = NamedPlans()
    for name in ("", " x", "a\nb", "x" * (LONGEST_NAME + 1), "As-Is", "Plan 1"):
        with pytest.raises(InputError):
            plans.with_new("Other").renamed("Other", name)
    with pytest.raises(InputError, match="only plan"):
        plans.without("Plan 1")
    with pytest.raises(InputError, match="no plan 'x'"):
        plans.switched("x")
    while len(plans.plans) < MOST_PLANS:
        plans = plans.with_new()
    assert len(set(plans.names)) == MOST_PLANS
    with pytest.raises(InputError, match="at most 100"):
        plans.with_new()


def test_steps_are_copied_as_far_as_they_apply(code: Graph) -> None:
    """What does not apply in the other plan is left out whole, and named with the reason."""
    made = Create("plan:1", "", "api", "package")
    source = History(
        code,
        (
            step(made, Move(("ui/a.py",), "plan:1")),
            step(Move(("ui/b.py",), "plan:1")),
            step(Rename("core/a.py", "c.py")),
            step(Move(("core/b.py",), "ui")),
        ),
    )
    other = Create("plan:1", "", "other", "package")
    into = History(code, (step(other), step(Remove(("core/b.py",))), step(Rename("core/a.py", "c.py"))))
    found = copy_steps({0, 1, 2, 3}, source, into)
    assert [one.reason for one in found.left_out] == ["c.py is its name already.", "core/b.py is not there."]
    assert found.history.refusals == ()
    target = found.history.graph
    api = target.parent[target.key_of["ui/a.py"]]
    assert (target.names[api], target.parent[target.key_of["ui/b.py"]]) == ("api", api)
    assert target.ids[api] != "plan:1", "the other plan gave this id to something else"
    alone = copy_steps({1}, source, History(code))
    assert [one.reason for one in alone.left_out] == ["It needs api, which another step makes: copy that, too."]
    assert copy_steps({0}, source, source).left_out[0].reason == "The plan has this step already."
