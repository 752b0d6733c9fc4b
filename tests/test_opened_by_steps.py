"""What a step of the plan opens: scales stay, and undoing the step closes it again (NEW-23; ensembles audit 3 (8))."""

from __future__ import annotations

import pytest

from cbvtool.geometry.state.view_state import Mapping
from cbvtool.session import Session
from tests.test_session import key, shop

Range = tuple[float, float]


@pytest.fixture
def session() -> Session:
    """A picture of files, whose heights and colours are lines: a file that is opened has lower blocks."""
    opened = Session()
    opened.open(shop())
    opened.set_view(mapping=Mapping(height="sloc", color="sloc"))
    opened.show_files()
    return opened


def scales(session: Session) -> tuple[Range, Range]:
    """(least, greatest) value of heights and of colours."""
    heights, colors = (legend.axis for legend in (session.scene().height_legend, session.scene().color_legend))
    return (heights.minimum, heights.maximum), (colors.minimum, colors.maximum)


def split_over_a_file_that_opens(session: Session) -> None:
    bill = key(session, "core/bill.py")
    session.dragging.begin_split(key(session, "ui/page.py"), key(session, "ui/cart.py"))
    session.dragging.open_closed(bill)
    session.drag_over(bill)
    assert session.drop() is None
    assert bill in session.view.expanded


def test_the_scales_stay_when_a_drop_opens_a_file(session: Session) -> None:
    """During the drag, after the drop, after undo and redo."""
    before, expanded = scales(session), session.view.expanded
    session.dragging.begin_split(key(session, "ui/page.py"), key(session, "ui/cart.py"))
    session.dragging.open_closed(key(session, "core/bill.py"))
    assert scales(session) == before
    session.cancel_drag()
    split_over_a_file_that_opens(session)
    assert scales(session) == before
    opened = session.view.expanded
    session.undo()
    assert (scales(session), session.view.expanded) == (before, expanded)
    session.redo()
    assert (scales(session), session.view.expanded) == (before, opened)


def test_what_was_open_before_a_step_stays_open_after_its_undo(session: Session) -> None:
    bill = key(session, "core/bill.py")
    session.expand([bill])
    session.dragging.begin_split(key(session, "ui/page.py"), key(session, "ui/cart.py"))
    session.drag_over(bill)
    assert session.drop() is None
    session.undo()
    assert bill in session.view.expanded


def test_creating_opens_the_parent_until_it_is_undone(session: Session) -> None:
    core, ui = key(session, "core"), key(session, "ui")
    session.collapse([core, ui])
    before, expanded = scales(session), session.view.expanded
    assert session.create(core, "new") is None
    assert core in session.view.expanded
    assert scales(session) == before
    assert session.create(ui, "other") is None
    session.undo()
    assert (scales(session), session.view.expanded) == (before, expanded | {core})
    session.undo()
    assert (scales(session), session.view.expanded) == (before, expanded)


def test_what_somebody_opens_counts_for_the_scales(session: Session) -> None:
    before = scales(session)
    split_over_a_file_that_opens(session)
    session.collapse([key(session, "core/bill.py")])
    assert scales(session) == before
    session.expand([key(session, "core/bill.py")])
    assert scales(session) != before
    assert not session.view.opened
