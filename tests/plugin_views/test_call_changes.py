"""Calls that appeared, vanished, became more or fewer, over the code (TD-11)."""

from __future__ import annotations

from collections import Counter
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from cbvtool.api import (
    CallChange,
    EventKind,
    OverlayContent,
    OverlayRelations,
    PluginOverlay,
    ShowOverlay,
    Trace,
    ViewContext,
    ViewEvent,
)
from cbvtool.geometry.scene.kinds import kind_entries
from cbvtool.graph import are_dependencies, are_uses
from cbvtool.graph.kinds import label_of_kind
from cbvtool.plan.document import TraceFile
from cbvtool.project import open_project
from cbvtool.session import Session
from cbvtool.session.traces.files import Imported
from plugins.tracediff.changes import COLORS
from plugins.tracediff.code_overlay import KINDS, NAME, OVERLAY, content
from plugins.tracediff.view import TraceDiffView
from tests.plugin_views.opened import opened
from tests.trace.compare.trees import traced
from tests.trace.timelines import random_trace

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


# -- relations --


def by_names(found: OverlayContent, names: tuple[str, ...]) -> dict[tuple[str, str], tuple[str, float]]:
    laid = found.relations
    assert laid is not None
    rows = zip(laid.source.tolist(), laid.target.tolist(), laid.kind.tolist(), laid.weight.tolist(), strict=True)
    return {(names[a], names[b]): (laid.kinds[kind], weight) for a, b, kind, weight in rows}


def test_td_11_relations_tell_what_became_of_calls() -> None:
    """TD-11: who calls whom anew, no more, more, less or as often; weights are the calls more or fewer."""
    context = opened(TraceDiffView(), ONE, OTHER).context
    appeared, vanished, more, fewer, same = KINDS
    assert by_names(content(context), context.graph.names) == {
        ("main", "kept"): (same, 1.0),
        ("main", "more"): (more, 1.0),
        ("main", "gone"): (vanished, 2.0),
        ("main", "new"): (appeared, 1.0),
    }
    back = opened(TraceDiffView(), OTHER, ONE).context
    assert by_names(content(back), back.graph.names)[("main", "more")] == (fewer, 1.0)


@pytest.mark.parametrize("seed", range(4))
def test_td_11_pairs_are_those_of_plain_counting(seed: int) -> None:
    """TD-11: the nearest caller that has a node counts; threads and recursion are counted as they are."""
    traces = [random_trace(seed + each, threads=2, calls=120) for each in (0, 50)]
    context = opened(TraceDiffView(), *traces).context
    want = []
    for trace, known in zip(traces, context.maps, strict=True):
        assert known is not None
        count: Counter[tuple[int, int]] = Counter()
        for row in range(len(trace.calls)):
            around = [
                other
                for other in range(row)
                if trace.calls.end_row[other] > row
                and trace.thread_of(np.array([other])) == trace.thread_of(np.array([row]))
            ]
            keys = [int(known.node[trace.calls.function[other]]) for other in around]
            nearest = next((key for key in reversed(keys) if key >= 0), -1)
            own = int(known.node[trace.calls.function[row]])
            if nearest >= 0 and own >= 0 and nearest != own:
                count[nearest, own] += 1
        want.append(count)
    laid = content(context).relations
    assert laid is not None
    found = {
        pair: (KINDS[kind], weight)
        for pair, kind, weight in zip(
            zip(laid.source.tolist(), laid.target.tolist(), strict=True),
            laid.kind.tolist(),
            laid.weight.tolist(),
            strict=True,
        )
    }
    assert found.keys() == want[0].keys() | want[1].keys()
    for pair, (kind, weight) in found.items():
        before, after = want[0][pair], want[1][pair]
        expected = (
            "as many calls"
            if before == after
            else "calls that appeared"
            if not before
            else "calls that vanished"
            if not after
            else "more calls"
            if after > before
            else "fewer calls"
        )
        assert (kind, weight) == (expected, after if before == after else abs(after - before))


@pytest.fixture
def session(tmp_path: Path) -> Session:
    """Both traces over their code."""
    code = tmp_path / "src"
    code.mkdir()
    text = "".join(f"def {name}():\n    pass\n\n\n" for name in ("main", "kept", "more", "gone", "new"))
    (code / "m.py").write_text("import os\n\n" + text)
    made = Session()
    made.open(open_project(tmp_path, history=False))
    for number, trace in enumerate((ONE, OTHER)):
        made.traces.add(Imported(TraceFile(tmp_path / f"{number}", "test", f"{number}" * 2), (trace,)))
        made.traces.settle()
    made.traces.look_at(made.traces.focus)
    return made


def test_td_11_the_picture_draws_them_alone_in_the_colours_of_their_kinds(session: Session) -> None:
    """TD-11: laid over the picture; no dependency, no use; what did not change is quiet; they go with the recording."""
    for each in session.traces.opened:
        assert each.laid is not None
    before = session.graph
    assert session.plugin_views.lay_over(OVERLAY, print)
    graph, view = session.graph, session.view
    kinds = [label_of_kind(kind) for kind in graph.edges.kind_names]
    assert set(KINDS[:3]) <= set(kinds)
    assert view.mapping.relations == "kind"
    assert view.filter.evidence == "overlay"
    assert [label_of_kind(kind) for kind in view.kinds_off if kind.startswith("overlay")] == [KINDS[4]]
    assert are_dependencies(graph.edges).sum() == are_dependencies(before.edges).sum()
    assert are_uses(graph.edges).sum() == are_uses(before.edges).sum()
    session.set_view(expanded=frozenset(range(len(graph))))
    scene = session.scene()
    drawn = {kinds[scene.graph.edges.kind[row]] for row in np.flatnonzero(scene.lifted.of_edge >= 0).tolist()}
    assert drawn == {KINDS[0], KINDS[1], KINDS[2]}
    entries = {entry.name: entry.color[:3] for entry in kind_entries(scene.graph.edges, scene.lifted, "light")}
    assert entries.keys() == {KINDS[0], KINDS[1], KINDS[2]}, "each has a colour of its own, whatever else there is"
    assert [entries[KINDS[0]], entries[KINDS[1]]] == [COLORS[CallChange.INSERTED][:3], COLORS[CallChange.REMOVED][:3]]
    session.traces.close()
    session.plugin_views.refresh()
    assert not any(kind.startswith("overlay") for kind in session.graph.edges.kind_names)


def _given(made: OverlayContent, _context: ViewContext) -> OverlayContent:
    return made


def test_broken_relations_of_an_overlay_are_reported(session: Session) -> None:
    """Columns of other lengths, a kind that there is not."""
    one = np.zeros(1, np.int32)
    for laid, reason in (
        (OverlayRelations(one, one[:0], one.astype(np.int64), np.ones(1), ("a",)), "columns of one length"),
        (OverlayRelations(one, one, one.astype(np.int64) + 1, np.ones(1), ("a",)), "a kind that there is not"),
    ):
        said: list[str] = []
        made = OverlayContent((), laid)
        session.plugin_views.lay_over(PluginOverlay("broken", "Broken", partial(_given, made)), said.append)
        assert reason in said[0]
