"""NEW-7: a judgement in which dependencies weigh the calls that went along them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.assessment.judged import Asked, judged
from cbvtool.assessment.modules import ModuleChoice
from cbvtool.assessment.prepared import prepare
from cbvtool.graph import Graph
from cbvtool.plan import Move, Operation, run
from cbvtool.project import Project
from cbvtool.rules import read_rules
from cbvtool.session import Session
from cbvtool.trace.overlay.run_time import RunTime
from cbvtool.trace.overlay.weighed import weighed
from tests.assessment.test_judgement import judged_plans, ways
from tests.trace.handmade import imported
from tests.trace.shop_run import shop_run


def calls(graph: Graph, pairs: list[tuple[int, int, int]]) -> RunTime:
    """Caller, callee and count of each pair, once."""
    found = {(a, b): n for a, b, n in pairs}
    ends = np.array(list(found), np.int32).reshape(-1, 2)
    count = np.array(list(found.values()), np.int64)
    nothing = np.zeros(len(graph), np.int64)
    return RunTime(ends[:, 0], ends[:, 1], count, count, nothing, nothing, nothing, nothing, (0, 0))


@given(judged_plans(), st.data())
def test_it_is_that_of_the_plan_on_the_weighed_code(plan: tuple[Graph, list[Operation]], data: st.DataObject) -> None:
    """The same figures as when the code is weighed first and the plan is made on it."""
    base, operations = plan
    rules, modules, _ = data.draw(ways(base))
    key = st.integers(0, len(base) - 1)
    seen = calls(base, data.draw(st.lists(st.tuples(key, key, st.integers(1, 50)), max_size=12)))
    target = run(base, operations).graph
    found = judged(Asked(base, target, None, rules, modules, base.root, seen)).planned.figures
    code = weighed(base, seen)
    expected = prepare(code, run(code, operations).graph, rules, modules, root=base.root).figures
    for name in ("violations", "largest", "across", "estimate", "disruption"):
        assert getattr(found, name) == getattr(expected, name)
    assert found.turbo_mq == pytest.approx(expected.turbo_mq, rel=1e-3, abs=1e-3)
    assert found.modularity == pytest.approx(expected.modularity, rel=1e-3, abs=1e-3)


def test_calls_change_what_a_move_is_worth(shop: Project) -> None:
    """Nothing but weights: rules and tangles stay, modularity does not; another window of time is another question."""
    session = Session()
    session.rules = read_rules(shop.path)
    session.open(shop)
    session.set_view(modules=ModuleChoice("packages"))
    session.traces.add(imported(shop_run(session.graph)))
    session.traces.settle()
    plain = session.judging.asked
    assert plain is not None
    assert plain.calls is None
    session.traces.weigh(True)
    asked = session.judging.asked
    assert asked is not None
    assert asked.calls is not None
    assert not asked.same_base(plain)
    move = Move(("shop/infrastructure",), "shop/domain")
    by_code, by_calls = (judged(each).step(move) for each in (plain, asked))
    assert by_code is not None
    assert by_calls is not None
    assert by_code.after.violations == by_calls.after.violations
    assert by_code.after.modularity != by_calls.after.modularity
    first = session.judging.preparing()
    assert first is not None
    session.judging.prepared(first())
    assert session.judging.ready is not None
    focus = session.traces.focus
    session.traces.look_at(replace(focus, window=(0, 50_000_000)))
    session.traces.settle()
    assert session.judging.ready is None
    session.traces.close()
    assert session.judging.asked is not None
    assert session.judging.asked.calls is None
