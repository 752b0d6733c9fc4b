"""Calls that appeared, vanished, became more or fewer, over the code (TD-11)."""

from __future__ import annotations

import numpy as np

from cbvtool.api import EventKind, OverlayContent, ShowOverlay, Trace, ViewEvent
from plugins.tracediff.code_overlay import NAME, content
from plugins.tracediff.view import TraceDiffView
from tests.plugin_views.opened import opened
from tests.trace.compare.trees import traced

ONE = traced([("main", 0, 100, [("kept", 1, 2, []), ("more", 3, 4, []), ("gone", 5, 6, []), ("gone", 7, 8, [])])])
OTHER = traced([("main", 0, 100, [("kept", 1, 2, []), ("more", 3, 4, []), ("more", 5, 6, []), ("new", 7, 8, [])])])


def overlaid(*traces: Trace) -> tuple[OverlayContent, dict[str, int]]:
    context = opened(TraceDiffView(), *traces).context
    return content(context), {name: key for key, name in enumerate(context.graph.names)}


def test_td_11_changes_of_calls_by_node() -> None:
    """TD-11: 100 % = appeared, -100 % = vanished; a container has the sums of what lies inside."""
    found, keys = overlaid(ONE, OTHER)
    column = {each.name: each.values for each in found.columns}
    named = {name: float(column["change"][keys[name]]) for name in ("main", "kept", "more", "gone", "new")}
    assert named == {"main": 0.0, "kept": 0.0, "more": 50.0, "gone": -100.0, "new": 100.0}
    root = keys["m.py"]
    assert [float(column[name][root]) for name in ("before", "after", "appeared", "vanished")] == [5.0, 5.0, 1.0, 2.0]
    assert float(column["change"][root]) == 0.0


def test_td_11_nothing_is_laid_over_one_trace_or_silent_code() -> None:
    """TD-11: One trace has nothing to compare with; code that neither calls is not measured."""
    assert overlaid(ONE)[0].columns == ()
    found, keys = overlaid(ONE, ONE)
    change = found.columns[0].values
    assert not np.nan_to_num(change).any()
    assert change[keys["main"]] == 0.0


def test_td_11_a_key_lays_it_over_the_picture() -> None:
    """TD-11: O, over either picture."""
    instance = opened(TraceDiffView(), ONE, OTHER)
    instance.settle()
    for part in ("main", "union"):
        assert instance.on(ViewEvent(EventKind.KEY, part, key="o"))[1] == (ShowOverlay(NAME),)
