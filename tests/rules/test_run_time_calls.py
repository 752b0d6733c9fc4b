"""TR-3: rules that hold for run-time calls when a switch says so; infrequent calls, and calls across layers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from cbvtool.errors import InputError
from cbvtool.graph import Graph
from cbvtool.rules import Rules, breaking, parse_rules, violations
from cbvtool.rules.run_time_calls import ListedCall, calls_across_layers, infrequent_calls
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


def test_infrequent_calls_are_listed_fewest_first() -> None:
    found = seen(SHOP, view__rates=3, view__page=1, rates__rates=1, money__view=2, page__view=50)
    assert [each.count for each in infrequent_calls(found, most=3)] == [1, 2, 3]
    assert [each.count for each in infrequent_calls(found, most=3, limit=2)] == [1, 2]
    assert infrequent_calls(replace(found, sampled=True), most=3) == []


def test_calls_across_layers_that_are_not_adjacent_are_listed_most_first() -> None:
    rules = Rules(layers=("ui/view.py", "ui/page.py", "core"))
    found = seen(SHOP, view__rates=3, view__page=9, rates__view=5, page__rates=7)
    listed = calls_across_layers(SHOP, rules, found)
    assert [(each.count, each.time, each.layers) for each in listed] == [
        (5, 50, ("core", "ui/view.py")),
        (3, 30, ("ui/view.py", "core")),
    ]
    assert isinstance(listed[0], ListedCall)
    assert listed[0].caller == SHOP.key_of["core/rates.py::run"]
    assert np.isin(listed[0].callee, found.callee)
