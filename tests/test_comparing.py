"""NEW-23: before and after the plan in a session; what a step did, in words; steps that do not fit the code."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cbvtool.assessment.comparing import work_of
from cbvtool.plan import Create, Group, History, Merge, Move, Operation, Remove, Rename, Split, group
from cbvtool.plan.site_words import count_of_sites
from cbvtool.project import Project, open_project
from cbvtool.session import Session
from cbvtool.session.planning.comparing import NOTHING
from cbvtool.session.planning.figures import plan_figures
from cbvtool.session.planning.listing import step_rows, summary
from cbvtool.session.planning.step_words import done_words


@pytest.fixture
def session(shop: Project) -> Session:
    result = Session()
    result.open(shop)
    result.show_depth(3)
    return result


def _key(session: Session, node: str) -> int:
    return session.graph.key_of[node]


def test_before_and_after_show_the_base_and_the_target(session: Session) -> None:
    base = session.graph
    session.move([_key(session, "shop/domain/cart.py")], _key(session, "shop/ui"))
    after = session.scene()
    assert session.show_before(True) is None
    before = session.scene()
    assert before.graph is base
    assert before.state.before
    assert session.graph is not base, "panels and commands stay with the plan"
    item = int(before.tree.represent[_key(session, "shop/services")])
    there = int(after.tree.represent[_key(session, "shop/services")])
    assert np.isclose(before.layout.a0[item], after.layout.a0[there])
    session.show_before(False)
    assert session.scene().graph is session.graph


def test_the_picture_of_before_is_made_once(session: Session) -> None:
    session.move([_key(session, "shop/domain/cart.py")], _key(session, "shop/ui"))
    session.show_before(True)
    session.scene()
    pipeline = session.pictures.before.pipeline
    runs = pipeline.runs.copy()
    session.show_before(False)
    session.scene()
    session.show_before(True)
    session.scene()
    assert pipeline.runs == runs


def test_what_the_base_has_no_place_for_is_there_again(session: Session) -> None:
    session.create(_key(session, "shop"), "fresh")
    made = _key(session, "plan:1")
    session.move([_key(session, "shop/domain/cart.py")], made)
    session.set_view(expanded=session.view.expanded | {made}, selected=(made,), root=made)
    session.show_before(True)
    assert session.scene().state.root == _key(session, "shop"), "the nearest that was there before"
    assert not session.view.selected
    session.show_before(False)
    assert made in session.view.expanded
    assert session.view.selected == (made,)
    assert session.view.root == made


def test_nobody_acts_on_what_the_plan_has_removed(session: Session) -> None:
    gone = _key(session, "shop/domain/cart.py")
    session.remove([gone])
    session.show_before(True)
    assert session.scene().tree.represent[gone] >= 0
    session.select([gone])
    session.set_view(hovered=gone)
    assert session.view.selected == ()
    assert session.view.hovered == -1


def test_a_step_ends_the_comparison(session: Session) -> None:
    session.move([_key(session, "shop/domain/cart.py")], _key(session, "shop/ui"))
    session.show_before(True)
    session.undo()
    assert not session.view.before
    assert session.show_before(True) == NOTHING
    session.redo()
    session.show_before(True)
    assert session.view.before


@pytest.mark.parametrize(
    ("operation", "words"),
    [
        (Move(("shop/domain/cart.py",), "shop/ui"), "cart.py moved to ui"),
        (Move(("shop/domain/cart.py",), ""), "cart.py moved to the top level"),
        (Rename("shop/ui", "web"), "ui renamed to web"),
        (Remove(("shop/domain/cart.py",)), "cart.py removed"),
        (Merge("shop/ui", "shop/services"), "ui merged into services"),
        (Create("plan:1", "shop", "fresh", "folder"), "New folder fresh in shop"),
        (Split("shop/ui", "shop/services", "shop/domain/cart.py", "invert"), "ui → services inverted through cart.py"),
    ],
)
def test_a_step_is_told_in_a_sentence(shop: Project, operation: Operation, words: str) -> None:
    assert done_words(group(shop.graph, operation), shop.graph) == words


def test_a_container_made_on_the_way_is_named(shop: Project) -> None:
    made = Create("plan:1", "shop", "fresh", "folder")
    step = group(shop.graph, made, Move(("shop/domain/cart.py", "shop/domain/order.py"), "plan:1"))
    assert done_words(step, shop.graph) == "cart.py and order.py moved to new folder fresh"


def test_figures_of_a_step_tell_sites_and_violations(session: Session, shop: Project) -> None:
    session.move([_key(session, "shop/domain/cart.py")], _key(session, "shop/ui"))
    assert session.history is not None
    first = plan_figures(session.history, shop, session.judging.asked)
    sites = {(site.file, site.line) for task in session.tasks() for site in task.must}
    assert f"places to change 0 → {len(sites)}" in first.step_words()
    assert first.rows
    session.move([_key(session, "shop/domain/order.py")], _key(session, "shop/ui"))
    second = plan_figures(session.history, shop, session.judging.asked, first)
    assert second.earlier == replace(first.judged.planned.figures, work=work_of(first.listed))
    session.undo()
    session.undo()
    assert plan_figures(session.history, shop, session.judging.asked, second).tasks == ()


def test_refused_and_overtaken_steps_are_told_with_their_reasons(shop: Project) -> None:
    """After the code has changed: one does not fit any more, one is done already."""
    steps = (
        Group("move of cart.py to ui", (Move(("shop/domain/cart.py",), "shop/ui"),)),
        Group("move of gone.py to ui", (Move(("shop/domain/gone.py",), "shop/ui"),)),
        Group("move of cart.py to domain", (Move(("shop/domain/order.py",), "shop/domain"),)),
        Group("removal of old.py", (Remove(("shop/old.py",)),)),
    )
    rows = step_rows(History(shop.graph, steps, (Group("rename of ui to web", (Rename("shop/ui", "web"),)),)))
    assert [row.label for row in rows[:2]] == ["As it is today", "Move of cart.py to ui"]
    assert not rows[1].problem
    assert rows[2].refused
    assert rows[2].problem.startswith("Left out: ")
    assert rows[3].overtaken
    assert rows[4].overtaken
    assert not rows[4].refused
    assert rows[4].here
    assert not rows[5].done
    assert summary(rows) == "1 left out, 2 overtaken"


def test_judgement_and_task_list_agree_on_the_sites(session: Session) -> None:
    """NEW-1, NEW-9: a package whose files import each other by their full names changes more lines than others use."""
    session.move([_key(session, "shop/domain")], _key(session, "shop/services"))
    assert session.history is not None
    figures = plan_figures(session.history, session.project, session.judging.asked)
    assert figures.judged is not None
    said = {row.name: row.after for row in figures.rows}["places to change"]
    assert int(said) == count_of_sites(site for task in figures.tasks for site in task.must)
    assert int(said) > figures.judged.planned.figures.estimate


def test_the_panel_lists_circular_imports_as_the_command_does(tmp_path: Path) -> None:
    """NEW-9: what to mind is the same in the panel, in what the window exports, and in `cbvtool tasks`."""
    (tmp_path / "a.py").write_text("class Base:\n    pass\n\n\nclass Thing(Base):\n    pass\n\n\nx = Thing()\n")
    (tmp_path / "b.py").write_text("from a import Thing\n")
    session = Session()
    session.open(open_project(tmp_path, history=False, jobs=1))
    key_of = session.graph.key_of
    assert session.move([key_of["a.py::Thing"]], key_of["b.py"]) is None
    assert session.history is not None
    figures = plan_figures(session.history, session.project, session.judging.asked)
    (task,) = figures.tasks
    assert task.notes == ("Makes a circular import: a.py → b.py → a.py.",)
    assert [one.notes for one in session.full_task_list().tasks] == [task.notes]


def test_a_step_tells_other_figures_where_those_that_stand_first_stay(session: Session, shop: Project) -> None:
    """NEW-1: `no figure changes` is said where none does."""
    assert session.move([_key(session, "shop/ui/cli.py")], _key(session, "shop")) is None
    assert session.history is not None
    first = plan_figures(session.history, shop, session.judging.asked)
    assert session.rename(_key(session, "shop/services"), "offers") is None
    second = plan_figures(session.history, shop, session.judging.asked, first)
    changed = [row for row in second.rows if row.before != row.after]
    assert changed
    for figures in (first, second):
        assert "no figure changes" not in figures.step_words()
