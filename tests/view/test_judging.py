"""NEW-1: the judgement of a drag in the window: what is asked for last wins, and the pointer is never waited for."""

from __future__ import annotations

import pytest
from qtpy.QtCore import QPoint

from cbvtool.assessment.modules import ModuleChoice
from cbvtool.assessment.rows import UNKNOWN, rows
from cbvtool.plan.operations import Move
from cbvtool.session.view_data import view_as_data, view_of
from cbvtool.view.canvas import stage as stage_module
from cbvtool.view.canvas.phases import Event
from cbvtool.view.window.main_window import MainWindow
from tests.trace.handmade import imported
from tests.trace.shop_run import shop_run


def rows_of(window: MainWindow) -> dict[str, tuple[str, str]]:
    return {row.name: (row.before, row.after) for row in window.canvas.judgement.rows}


def is_priced(window: MainWindow) -> bool:
    return all(after != UNKNOWN for _, after in rows_of(window).values())


def test_the_last_target_wins(window: MainWindow, qtbot) -> None:
    """NEW-1: figures that arrive for a target that was left are dropped."""
    session, card = window.session, window.canvas.judgement
    session.set_view(modules=ModuleChoice("children"))
    window.settings.more_figures = True
    key_of, targets = session.graph.key_of, ("shop/services", "shop/ui", "shop/infrastructure")
    session.begin_drag([key_of["shop/domain"]])
    qtbot.waitUntil(lambda: bool(card.rows))
    assert all(before == after for before, after in rows_of(window).values())
    for target in targets:
        session.drag_over(key_of[target])
    qtbot.waitUntil(lambda: not card.stale)
    ready = session.judging.ready
    assert ready is not None
    found = {target: ready.step(Move(("shop/domain",), target)) for target in targets}
    told = [{row.name: (row.before, row.after) for row in rows(one)} for one in found.values() if one is not None]
    assert told[-1] not in told[:-1]
    assert rows_of(window) == told[-1] | {name: pair for name, pair in rows_of(window).items() if name not in told[-1]}
    session.cancel_drag()
    assert not card.rows


def test_a_step_is_prepared_for_when_the_next_drag_begins(window: MainWindow, qtbot) -> None:
    """NEW-1: a judgement is about the plan as it is now: the next drag starts from the figures after the last drop."""
    session, card = window.session, window.canvas.judgement
    session.set_view(modules=ModuleChoice("children"))
    key_of = session.graph.key_of
    session.begin_drag([key_of["shop/domain"]])
    session.drag_over(key_of["shop/ui"])
    qtbot.waitUntil(lambda: bool(card.rows) and not card.stale and is_priced(window))
    after = {name: now for name, (_, now) in rows_of(window).items()}
    assert session.drop() is None
    assert session.judging.ready is None
    session.begin_drag([session.graph.key_of["shop/services"]])
    qtbot.waitUntil(lambda: bool(card.rows) and is_priced(window))
    assert {name: before for name, (before, _) in rows_of(window).items()} == after
    session.cancel_drag()


def test_nothing_is_judged_in_another_hierarchy(window: MainWindow) -> None:
    """NEW-1: where nothing can be planned there is nothing to judge."""
    session = window.session
    assert session.judging.asked is not None
    session.show_in("languages", session.grouped("languages"))
    assert session.judging.asked is None
    assert session.judging.preparing() is None


def test_a_document_keeps_the_choice_of_modules(window: MainWindow) -> None:
    """NEW-1: it is part of the view."""
    session = window.session
    session.set_view(modules=ModuleChoice("depth", 3, tests=False))
    data = view_as_data(session.view, session.graph)
    assert view_of(data, session.graph, session.metrics, session.usual_mapping)["modules"] == session.view.modules
    session.set_view(modules=ModuleChoice())
    data = view_as_data(session.view, session.graph)
    assert view_of(data, session.graph, session.metrics, session.usual_mapping)["modules"] == ModuleChoice()


def test_the_pointer_may_be_faster_than_a_large_scene(
    window: MainWindow, qtbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DND-1: relations follow the pointer, without the scene being prepared anew for each of its moves."""
    stage, session = window.canvas.stage, window.session
    monkeypatch.setattr(stage_module, "LARGE", 0)
    qtbot.waitUntil(lambda: stage.is_still)
    place = stage.picking.place_of(session.graph.key_of["shop/ui"])
    window.canvas.dragging.begin([session.graph.key_of["shop/domain"]], place)
    qtbot.waitUntil(lambda: stage.rests and session.view.drag is not None)
    told: list[Event] = []
    tell = stage._tell

    def noted(event: Event) -> None:
        told.append(event)
        tell(event)

    monkeypatch.setattr(stage, "_tell", noted)
    window.canvas.dragging.move(place)
    told.clear()
    for step in range(5):
        window.canvas.dragging.move(place + QPoint(step % 2, 0))
    assert Event.LARGE_CHANGE not in told
    window.canvas.cancel_drag()


def test_the_card_weighs_calls_while_a_trace_is_open(window: MainWindow, qtbot) -> None:
    """NEW-7: switched on and off by a command; the plan's judgement follows, too."""
    session, card, action = window.session, window.canvas.judgement, window.actions_by_name["weigh_by_calls"]
    assert not action.isEnabled()
    session.traces.add(imported(shop_run(session.graph)))
    session.traces.settle()
    qtbot.waitUntil(action.isEnabled)
    key_of = session.graph.key_of
    window.settings.more_figures = True
    session.set_view(modules=ModuleChoice("packages"))

    def shown() -> tuple[str, str]:
        session.begin_drag([key_of["shop/infrastructure"]])
        session.drag_over(key_of["shop/ui"])
        qtbot.waitUntil(lambda: bool(card.rows) and not card.stale)
        told = card.heading, rows_of(window)["modularity Q"][0]
        session.cancel_drag()
        return told

    before = shown()
    action.trigger()
    after = shown()
    assert action.isChecked()
    assert after[0] == f"{before[0]}, weighed by calls"
    assert after[1] != before[1]
    action.trigger()
    assert shown() == before


def test_targets_are_tinted_while_a_trace_is_open(window: MainWindow, qtbot) -> None:
    """The picture has more relations then than the plan; targets are judged all the same."""
    session, settings = window.session, window.settings
    settings.tint_targets = True
    session.traces.add(imported(shop_run(session.graph)))
    session.traces.settle()
    graph = session.graph
    qtbot.waitUntil(lambda: window.canvas.stage.scene is not None and window.canvas.stage.scene.graph is graph)
    session.begin_drag([graph.key_of["shop/infrastructure"]])
    qtbot.waitUntil(lambda: bool(window.canvas.judgement.gains))
    session.cancel_drag()


def test_what_leaves_the_product_is_no_gain(window: MainWindow, qtbot) -> None:
    """DND-9: moved to the tests, code is in no module, and each figure would be better: such targets are not tinted."""
    session, card = window.session, window.canvas.judgement
    key_of = session.graph.key_of
    session.begin_drag([key_of["shop/services"]])
    qtbot.waitUntil(lambda: bool(card.gains))
    tests = session.graph.values["test"]
    beside = {key for key in card.gains if any(tests[above] > 0 for above in session.graph.subtree(key).tolist())}
    assert card.gains
    assert not beside
    assert key_of["tests"] not in card.gains
    session.cancel_drag()
