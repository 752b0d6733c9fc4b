"""Design 8: what leads to another huge graph is prepared elsewhere, in its turn; nothing is lost meanwhile."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.errors import InputError
from cbvtool.graph import GraphBuilder
from cbvtool.plan import Create, Move, Operation, Remove, Rename
from cbvtool.project import Project
from cbvtool.session import Session, picture
from cbvtool.session.change import Change
from tests.plan.naive import same

FOLDERS = ("ui", "core", "core/model", "db")
FILES = ("ui/page.py", "ui/cart.py", "core/bill.py", "core/model/item.py", "db/table.sql")


def project() -> Project:
    builder = GraphBuilder("shop")
    for folder in FOLDERS:
        above, _, name = folder.rpartition("/")
        builder.add_node(folder, above, name, "folder")
    for path in FILES:
        folder, _, name = path.rpartition("/")
        builder.add_node(path, folder, name, "file", file=path, line=1, end_line=9, values={"sloc": 9.0})
    for source, target in ((0, 2), (1, 2), (2, 3), (3, 4)):
        builder.add_edge(builder.key(FILES[source]), builder.key(FILES[target]), "import", sites=[(FILES[source], 1)])
    return Project(Path("shop").absolute(), "shop", builder.freeze(), None, "abc123", "folder")


def opened() -> Session:
    """A session of a window that somebody runs the jobs of, by `finish`."""
    session = Session()
    session.patient = False
    session.defer = lambda: None
    session.open(project())
    session.scene()
    return session


@pytest.fixture
def huge(monkeypatch: pytest.MonkeyPatch) -> Session:
    monkeypatch.setattr(picture, "HUGE", 0)
    return opened()


def finish(session: Session) -> list[str | None]:
    """Do all that waits, as `SceneMaking` does; the reasons why not."""
    told = []
    while session.first_job is not None:
        told.append(session.end_job(session.begin_job()()))
    return told


def key(session: Session, node: str) -> int:
    return session.graph.key_of[node]


def test_a_step_waits_and_is_then_done(huge: Session) -> None:
    """The picture before stays until the step is there, which then costs nothing."""
    before, told = huge.scene(), list[Change]()
    huge.subscribe(told.append)
    assert huge.move([key(huge, "ui/cart.py")], key(huge, "db")) is None
    assert told == []
    assert huge.scene().tree is before.tree
    assert huge.unsaved
    found = huge.begin_job()()
    huge.set_view(hovered=key(huge, "core"))  # the window is at hand
    assert huge.is_late
    assert huge.scene().tree is before.tree
    runs = huge.pictures.current.pipeline.runs.total()
    assert huge.end_job(found) is None
    assert told == [Change.VIEW, Change.PLAN, Change.VIEW, Change.FILE]
    assert not huge.is_late
    assert huge.scene().graph is huge.graph
    assert huge.pictures.current.pipeline.runs.total() == runs
    assert huge.graph.path(key(huge, "ui/cart.py")) == "db > cart.py"
    assert len(huge.tasks()) == 1


def test_steps_are_done_in_their_order(huge: Session) -> None:
    """A second one during the first waits, also the undo of what is not done yet."""
    huge.move([key(huge, "ui/cart.py")], key(huge, "db"))
    found = huge.begin_job()()
    huge.rename(key(huge, "core"), "kernel")
    huge.undo()
    huge.undo()
    huge.redo()
    assert huge.end_job(found) is None
    assert finish(huge) == [None] * 4
    assert huge.history is not None
    assert [group.label for group in huge.history.done] == ["move of cart.py to db"]
    assert [group.label for group in huge.history.undone] == ["rename of core to kernel"]


def test_containers_made_in_a_row_have_names_of_their_own(huge: Session) -> None:
    for name in ("one", "two"):
        assert huge.create(key(huge, "ui"), name) is None
    assert finish(huge) == [None, None]
    assert {huge.graph.names[k] for k in huge.graph.children(key(huge, "ui")).tolist()} >= {"one", "two"}
    assert key(huge, "ui") in huge.view.expanded


def test_why_a_step_cannot_be_done_is_told_in_its_turn(huge: Session) -> None:
    """It could be done when it was asked for, but not after the one before it."""
    huge.remove([key(huge, "core")])
    huge.move([key(huge, "ui/cart.py")], key(huge, "core"))
    first, second = finish(huge)
    assert first is None
    assert second is not None
    assert huge.history is not None
    assert len(huge.history.done) == 1


def test_what_is_dropped_stays_in_the_air_until_it_has_its_place(huge: Session) -> None:
    """DND-1."""
    huge.begin_drag([key(huge, "ui/cart.py")])
    huge.drag_over(key(huge, "db"))
    lifted = huge.scene()
    assert huge.drop() is None
    assert huge.scene().tree is lifted.tree
    assert huge.view.drag is not None
    huge.begin_drag([key(huge, "core")])  # not before the step is made
    assert huge.view.drag is not None
    assert huge.view.drag.keys == (key(huge, "ui/cart.py"),)
    assert finish(huge) == [None]
    assert huge.view.drag is None
    assert huge.graph.path(key(huge, "ui/cart.py")) == "db > cart.py"


def test_a_refused_drop_falls_back(huge: Session) -> None:
    huge.begin_drag([key(huge, "ui/cart.py")])
    huge.drag_over(key(huge, "core"))
    huge.planning.change(lambda history: (Remove(("core",)),))
    huge.drop()
    assert [bool(reason) for reason in finish(huge)] == [False, True]
    assert huge.view.drag is None


def test_going_through_the_plan_is_one_step(huge: Session) -> None:
    for name in ("one", "two", "three"):
        huge.create(key(huge, "ui"), name)
    finish(huge)
    told: list[Change] = []
    for done in (0, 2, 7):
        huge.subscribe(told.append)
        huge.travel(done)
        assert len(finish(huge)) == 1
        assert huge.history is not None
        assert len(huge.history.done) == min(done, 3)
    assert len(huge.history.undone) == 0


def test_nothing_is_saved_while_a_step_waits(huge: Session, tmp_path: Path) -> None:
    """Else the file would lack it."""
    huge.move([key(huge, "ui/cart.py")], key(huge, "db"))
    with pytest.raises(InputError, match="save again"):
        huge.save(tmp_path / "plan.cbv")
    finish(huge)
    huge.save(tmp_path / "plan.cbv")
    assert not huge.unsaved


def test_what_is_known_in_depth_meanwhile_is_what_the_step_is_done_on(huge: Session) -> None:
    huge.move([key(huge, "ui/cart.py")], key(huge, "db"))
    found = huge.begin_job()()
    deeper = project()
    huge.deepen(deeper, huge.deeper(deeper))
    assert huge.scene().graph is huge.graph
    assert huge.end_job(found) is None
    assert huge.history is not None
    assert huge.history.base is deeper.graph
    assert huge.graph.path(key(huge, "ui/cart.py")) == "db > cart.py"


def test_another_subject_ends_what_waits(huge: Session) -> None:
    huge.move([key(huge, "ui/cart.py")], key(huge, "db"))
    found = huge.begin_job()()
    huge.open(project())
    assert huge.end_job(found) is None
    assert huge.history is not None
    assert huge.history.done == ()
    assert huge.first_job is None


def test_what_cannot_be_found_out_leaves_all_as_it_was(huge: Session) -> None:
    huge.begin_drag([key(huge, "ui/cart.py")])
    huge.drag_over(key(huge, "db"))
    huge.drop()
    huge.undo()
    huge.begin_job()
    huge.drop_job()
    assert huge.view.drag is None
    assert finish(huge) == [None]
    assert huge.history is not None
    assert huge.history.done == ()


def test_back_into_another_hierarchy_is_prepared(huge: Session) -> None:
    """CBV-13, DND-8: places of other hierarchies, to and fro."""
    huge.show_in("languages")
    groups = huge.scene()
    huge.go_back()
    assert huge.view.hierarchy == "languages"
    assert huge.scene().tree is groups.tree
    found = huge.begin_job()()
    assert huge.end_job(found) is None
    assert huge.view.hierarchy == ""
    runs = huge.pictures.current.pipeline.runs.total()
    assert huge.scene().graph is huge.planned
    assert huge.pictures.current.pipeline.runs.total() == runs, "the worker has made it"
    huge.go_forward()
    huge.go_back()
    assert finish(huge) == [None, None]
    assert huge.view.hierarchy == ""
    assert huge.can_go_forward


def test_undo_in_another_hierarchy(huge: Session) -> None:
    huge.move([key(huge, "ui/cart.py")], key(huge, "db"))
    finish(huge)
    huge.show_in("languages")
    huge.scene()
    huge.undo()
    assert finish(huge) == [None]
    assert huge.view.hierarchy == "languages"
    assert huge.planned.path(huge.planned.key_of["ui/cart.py"]) == "ui > cart.py"
    assert huge.scene().graph is huge.graph


nodes = st.sampled_from((*FOLDERS, *FILES, "plan:1", "plan:2"))
operations = st.one_of(
    st.builds(lambda node, target: Move((node,), target), nodes, nodes),
    st.builds(lambda node: Rename(node, "renamed"), nodes),
    st.builds(lambda node: Remove((node,)), nodes),
    st.builds(lambda number, parent: Create(f"plan:{number}", parent, "new", "folder"), st.integers(1, 2), nodes),
)
acts = st.lists(st.one_of(operations, st.sampled_from(("undo", "redo", "run"))), max_size=12)


@given(acts)
def test_the_plan_is_the_same_whenever_its_steps_are_made(todo: list[Operation | str]) -> None:
    """Whatever waits, and however long: the same plan and graph as if every step were made at once."""
    before = picture.HUGE
    try:
        picture.HUGE = 0
        later, at_once = opened(), opened()
        at_once.defer = None
        for act in todo:
            if act == "run":
                finish(later)
                continue
            for session in (later, at_once):
                {"undo": session.undo, "redo": session.redo}[act]() if isinstance(act, str) else session.do(act)
        finish(later)
    finally:
        picture.HUGE = before
    assert later.history is not None
    assert at_once.history is not None
    assert later.history.done == at_once.history.done
    assert later.history.undone == at_once.history.undone
    assert same(later.graph, at_once.graph)
