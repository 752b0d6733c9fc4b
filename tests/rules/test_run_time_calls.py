"""TR-3: rules that hold for run-time calls when a switch says so."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cbvtool.errors import InputError
from cbvtool.graph import Graph
from cbvtool.rules import Rules, breaking, parse_rules, skipped_layers, violations
from cbvtool.trace.overlay.calls_seen import run_time_rows
from cbvtool.trace.overlay.relations import with_run_time
from tests.trace.test_overlaid import SHOP, seen

RULES = parse_rules('[rules]\nlayers = ["ui", "core"]\ndeny = [{from = "core/money.py", to = "core/rates.py"}]')


def told(graph: Graph, rules: Rules) -> list[tuple[str, str, str, int]]:
    return [(v.kind, graph.ids[v.source], graph.ids[v.target], len(v.sites)) for v in violations(graph, rules)]


def test_a_switch_applies_layers_and_deny_to_run_time_calls() -> None:
    graph = with_run_time(SHOP, seen(SHOP, rates__view=2, money__rates=1)).graph
    before = told(SHOP, RULES)
    assert told(graph, RULES) == before
    switched = replace(RULES, run_time_calls=True)
    assert set(told(graph, switched)) - set(before) == {("layers", "core/rates.py", "ui/view.py", 0)}
    assert breaking(graph, switched)[run_time_rows(graph)].tolist() == [True, True]
    assert not breaking(graph, RULES)[run_time_rows(graph)].any()


def test_the_switch_stands_in_the_rules_file() -> None:
    assert parse_rules("[rules]\nrun_time_calls = true").run_time_calls
    assert not RULES.run_time_calls
    with pytest.raises(InputError, match=r"rules\.run_time_calls must be true or false"):
        parse_rules('[rules]\nrun_time_calls = "yes"')


def test_calls_that_pass_over_a_layer_are_listed() -> None:
    """TR-3: downward beyond the next layer; neighbours and what goes upward are not."""
    graph = with_run_time(SHOP, seen(SHOP, view__rates=3, view__page=9, rates__view=5, page__rates=7)).graph
    rows, words = skipped_layers(graph, Rules(layers=("ui/view.py", "ui/page.py", "core")))
    ends = [(graph.ids[graph.edges.source[row]], graph.ids[graph.edges.target[row]]) for row in rows.tolist()]
    assert ends == [("ui/view.py::run", "core/rates.py::run")]
    assert words == ["passes over ui/page.py"]
