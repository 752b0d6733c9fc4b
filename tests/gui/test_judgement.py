"""NEW-1, with real events: what a drop would be worth is told at the pointer, before the drop."""

from __future__ import annotations

import numpy as np
import pytest
from qtpy.QtCore import QPoint

from cbvtool.assessment.after import compare
from cbvtool.assessment.comparing import with_work
from cbvtool.assessment.modules import ModuleChoice
from cbvtool.assessment.prepared import coupled, prepare
from cbvtool.assessment.rows import HERE, UNKNOWN, FigureRow, rows
from cbvtool.geometry.picture import Picture, Text
from cbvtool.plan import Group, History, Move, run
from cbvtool.plan.listing.annotations import NONE
from cbvtool.rules import Rules, read_rules, violations
from cbvtool.session.planning.steps import list_of_tasks
from cbvtool.view.window.main_window import MainWindow
from tests.gui.hand import Hand, key, pick_up, place


def aim(window: MainWindow, hand: Hand, target: str) -> QPoint:
    """Move what is held over a container, until it is judged there."""
    canvas, session = window.canvas, window.session
    hand.wait_until(lambda: canvas.stage.rests)
    spot = place(window, target)
    hand.point(canvas, spot)
    hand.wait_until(lambda: session.view.drag is not None and session.view.drag.target == key(window, target))
    hand.wait_until(lambda: bool(canvas.judgement.rows) and not canvas.judgement.stale)
    hand.wait_until(lambda: all(row.after != UNKNOWN for row in canvas.judgement.rows))  # the price is counted
    return spot


def expected(window: MainWindow, node: str, target: str) -> tuple[FigureRow, ...]:
    """The judgement of the move from nothing: the whole graph after it, and the work that its task list tells."""
    session = window.session
    assert session.project is not None
    graph, rules = session.graph, session.rules or Rules()
    together = coupled(graph, session.project.changes)
    before, after = (
        prepare(graph, planned, rules, session.view.modules, root=session.view.root, coupled=together)
        for planned in (graph, run(graph, [Move((node,), target)]).graph)
    )
    step = History(graph).do(Group("", (Move((node,), target),)))
    return rows(with_work(compare(before, after), list_of_tasks(step, session.project, NONE)))


def written(window: MainWindow) -> list[str]:
    """What stands on the card."""
    size = window.canvas.stage.size
    card = window.canvas.judgement.picture(Picture(*size), window.canvas.pointer)
    return [item.text for item in card.items if isinstance(item, Text)]


def test_the_card_tells_what_a_drop_would_be_worth(window: MainWindow, hand: Hand) -> None:
    """NEW-1: violations before and after, and all other figures, while the button is held; nothing is recorded."""
    session, canvas = window.session, window.canvas
    window.settings.more_figures = True
    assert session.project is not None
    rules = session.rules = read_rules(session.project.path)
    session.set_view(modules=ModuleChoice("layers"))
    broken = len(violations(session.graph, rules))
    pick_up(window, hand, "shop/infrastructure")
    aim(window, hand, "shop/ui")
    after = run(session.graph, [Move(("shop/infrastructure",), "shop/ui")]).graph
    row = next(row for row in canvas.judgement.rows if row.name == "broken rules")
    assert (row.before, row.after) == (str(broken), str(len(violations(after, rules))))
    assert row.before != row.after
    assert tuple(canvas.judgement.rows) == expected(window, "shop/infrastructure", "shop/ui")
    texts = written(window)
    assert texts[0] == "Modules: layers"
    assert {"broken rules", row.before, row.after, "→", row.sign, "disruption"} <= set(texts)
    assert session.history is not None
    assert not session.history.done

    aim(window, hand, "shop/services")
    assert tuple(canvas.judgement.rows) == expected(window, "shop/infrastructure", "shop/services")
    hand.keys("Escape")
    hand.wait_until(lambda: session.view.drag is None)
    assert not canvas.judgement.rows
    assert not canvas.judgement.gains
    hand.release()


@pytest.mark.usefixtures("large")
def test_the_card_keeps_its_place_and_its_lines(window: MainWindow, hand: Hand) -> None:
    """NEW-1: nothing jumps: the same lines over every target, at home and over nothing; unchanged figures are faint."""
    canvas = window.canvas
    pick_up(window, hand, "shop/infrastructure")
    aim(window, hand, "shop/ui")
    names = _lines(window)
    aim(window, hand, "shop/services")
    assert _lines(window) == names
    hand.point(canvas, QPoint(12, 80))
    hand.wait_until(lambda: all(row.verdict == "same" for row in canvas.judgement.rows))
    assert _lines(window) == names
    assert not {"+", "−", "→"} & set(written(window))
    hand.release()


def _lines(window: MainWindow) -> list[str]:
    """What the lines of the card are about, of the plan or of where a step happens."""
    return [row.name.removesuffix(HERE) for row in window.canvas.judgement.rows]


def test_possible_targets_are_tinted_until_that_is_switched_off(window: MainWindow, hand: Hand) -> None:
    """NEW-1: containers in the colours of gain and loss, with signs; a command switches it off."""
    session, canvas = window.session, window.canvas
    pick_up(window, hand, "shop/infrastructure")
    aim(window, hand, "shop/services")
    hand.wait_until(lambda: bool(canvas.judgement.gains))
    assert min(canvas.judgement.gains.values()) < 0
    signs = [item.text for item in canvas.judgement.signs().items if isinstance(item, Text)]
    assert signs
    assert set(signs) <= {"+", "−"}
    scene = canvas.stage.scene
    assert scene is not None
    shown = canvas.stage.highlights.aimed_at(scene, session.view.theme)
    assert not np.array_equal(shown.color, scene.color)
    hand.keys("Escape")
    hand.wait_until(lambda: session.view.drag is None)
    hand.release()
    assert canvas.stage.highlights.aimed_at(scene, session.view.theme) is scene

    window.actions_by_name["tint_targets"].trigger()
    assert not window.settings.tint_targets
    pick_up(window, hand, "shop/infrastructure")
    aim(window, hand, "shop/services")
    assert not canvas.judgement.gains
    assert not window.desk.jobs.is_busy(window.main_view.judging, "targets")
    hand.release()


def test_modules_are_chosen_in_the_menu(window: MainWindow, hand: Hand) -> None:
    """NEW-1: what counts as a module; the judgement follows, and the choice is part of the view."""
    session, canvas = window.session, window.canvas
    window.settings.more_figures = True
    window.actions_by_name["modules_packages"].trigger()
    window.actions_by_name["modules_tests"].trigger()
    assert session.view.modules == ModuleChoice("packages", tests=False)
    assert window.actions_by_name["modules_packages"].isChecked()
    pick_up(window, hand, "shop/infrastructure")
    aim(window, hand, "shop/ui")
    assert written(window)[0] == "Modules: packages, without tests"
    assert tuple(canvas.judgement.rows) == expected(window, "shop/infrastructure", "shop/ui")
    hand.release()
