"""The open document without a window: what a user can do, and what listeners are told (DND-1)."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cbvtool.geometry.state.view_state import Mapping
from cbvtool.graph import CALLS_BACK, EXTERNAL, HIDDEN, Confidence, GraphBuilder
from cbvtool.metrics import METRICS, Metric
from cbvtool.metrics import values as metric_values
from cbvtool.mining.changes import Changes
from cbvtool.plan.document import read_document
from cbvtool.plan.listing.annotations import annotated, reordered
from cbvtool.project import Project
from cbvtool.session import Session
from cbvtool.session.change import Change
from cbvtool.session.trail import MOST_PLACES


def shop() -> Project:
    builder = GraphBuilder("shop")
    for folder in ("ui", "core", "core/model"):
        above, _, name = folder.rpartition("/")
        builder.add_node(folder, above, name, "folder")
    for path in ("ui/page.py", "ui/cart.py", "core/bill.py", "core/model/item.py"):
        folder, _, name = path.rpartition("/")
        builder.add_node(path, folder, name, "file", file=path, values={"sloc": 10.0})
    builder.add_node("core/bill.py::Bill", "core/bill.py", "Bill", "class", file="core/bill.py", values={"sloc": 5.0})
    for source, target, line in (("ui/page.py", "ui/cart.py", 1), ("core/bill.py", "ui/cart.py", 3)):
        ends = builder.key(source), builder.key(target)
        builder.add_edge(*ends, "import", sites=[(source, line)])
    return Project(Path("shop").absolute(), "shop", builder.freeze(), None, "abc123", "folder")


@pytest.fixture
def session() -> Session:
    opened = Session()
    opened.open(shop())
    return opened


def key(session: Session, node: str) -> int:
    return session.graph.key_of[node]


def test_first_picture_shows_top_levels_with_files_closed(session: Session) -> None:
    """CBV-6: the first picture does not open files."""
    assert key(session, "core/bill.py") not in session.view.expanded
    assert session.graph.root in session.view.expanded


def test_a_drag_aims_drops_and_is_one_step_to_undo(session: Session) -> None:
    """DND-1: drop records a move; undo takes it back, redo does it again."""
    bill, ui = key(session, "core/bill.py"), key(session, "ui")
    session.begin_drag([bill])
    assert session.drag_over(ui) is None
    assert session.drop() is None
    assert session.graph.parent[bill] == ui
    assert session.view.drag is None
    assert session.history is not None
    assert "bill.py" in session.history.label_undo
    session.undo()
    assert session.graph.parent[bill] == key(session, "core")
    session.redo()
    assert session.graph.parent[bill] == ui


def test_escape_cancels_the_drag_first_and_leaves_the_plan_alone(session: Session) -> None:
    """DND-1 and the ESC line of look-and-feel: drag, then selection, then restriction."""
    bill, core = key(session, "core/bill.py"), key(session, "core")
    session.restrict(core)
    session.select([bill])
    session.begin_drag([bill])
    session.drag_over(key(session, "ui"))
    assert session.escape()
    assert session.view.drag is None
    assert session.view.selected == (bill,)
    assert session.escape()
    assert session.view.selected == ()
    assert session.escape()
    assert session.view.root == session.graph.root
    assert not session.escape()
    assert session.history is not None
    assert session.history.done == ()


def test_a_drop_into_itself_is_refused_with_a_reason(session: Session) -> None:
    core = key(session, "core")
    session.begin_drag([core])
    assert session.drag_over(key(session, "core/model"))
    assert session.drop()
    assert session.history is not None
    assert session.history.done == ()


def test_a_drop_beside_every_container_records_nothing(session: Session) -> None:
    session.begin_drag([key(session, "core/bill.py")])
    session.drag_over(-1)
    assert session.drop() is None
    assert session.history is not None
    assert session.history.done == ()


def test_a_selection_with_nested_nodes_moves_only_the_topmost(session: Session) -> None:
    """DND-1: several selected nodes move together, each with its subtree."""
    chosen = [key(session, node) for node in ("core/bill.py::Bill", "core/bill.py", "core/model")]
    assert session.move(chosen, key(session, "ui")) is None
    assert [session.graph.parent[k] == key(session, "ui") for k in chosen] == [False, True, True]


def test_undoing_a_creation_prunes_the_view(session: Session) -> None:
    assert session.create(session.graph.root, "billing") is None
    made = key(session, "plan:1")
    session.select([made])
    session.undo()
    assert session.view.selected == ()
    assert all(k < len(session.graph) for k in session.view.expanded)


def test_a_gesture_is_done_whole_or_not_at_all(session: Session) -> None:
    from cbvtool.plan import Move

    before = session.graph
    reason = session.do(Move(("core/bill.py",), "ui"), Move(("ui",), "ui"))
    assert reason
    assert session.graph is before


def test_back_and_forward_go_through_places_apart_from_undo(session: Session) -> None:
    """DND-8: view history."""
    start = session.view.expanded
    core = key(session, "core")
    session.restrict(core)
    session.select([core])
    assert session.can_go_back
    session.go_back()
    assert session.view.root == session.graph.root
    assert session.view.expanded == start
    assert session.view.selected == (), "what was selected there"
    session.go_forward()
    assert session.view.root == core
    assert not session.can_go_forward


def test_not_all_places_are_kept(session: Session) -> None:
    """Each holds a number for every expanded node."""
    core = key(session, "core")
    for root in [core, session.graph.root] * (MOST_PLACES + 1):
        session.restrict(root)
    session.go_back(MOST_PLACES)
    assert not session.can_go_back


def test_collapsing_a_leaf_collapses_its_parent_and_forgets_what_was_open_below(session: Session) -> None:
    session.show_depth(9)
    session.collapse([key(session, "core/bill.py::Bill")])
    assert key(session, "core/bill.py") not in session.view.expanded
    session.collapse([key(session, "core")])
    assert key(session, "core/model") not in session.view.expanded


def test_depth_steps_one_level_at_a_time_and_stops_at_both_ends(session: Session) -> None:
    """CBV-6: expand and collapse by a whole level."""
    session.show_depth(1)
    assert session.view.expanded == {session.graph.root}
    session.step_depth(+1)
    assert key(session, "core") in session.view.expanded
    for _ in range(9):
        session.step_depth(+1)
    everything = session.view.expanded
    session.step_depth(+1)
    assert session.view.expanded == everything
    for _ in range(9):
        session.step_depth(-1)
    assert session.view.expanded == {session.graph.root}


def test_every_file_is_shown_and_nothing_that_is_in_one(session: Session) -> None:
    """CBV-6: files lie at different depths; no level shows just them."""
    session.show_depth(9)
    session.show_files()
    graph = session.graph
    files = {row for row in range(len(graph)) if graph.kind(row) == "file"}
    shown = session.scene().tree
    assert files == set(shown.key[shown.leaf].tolist()) & files
    assert not files & session.view.expanded
    core = key(session, "core")
    session.restrict(core)
    session.show_files()
    assert session.view.expanded == {core, key(session, "core/model")}


def test_listeners_are_told_what_changed_and_can_leave(session: Session) -> None:
    heard: list[Change] = []
    leave = session.subscribe(heard.append)
    session.select([key(session, "ui")])
    session.select([key(session, "ui")])
    assert heard == [Change.VIEW], "setting what is set already tells nobody"
    session.move([key(session, "core/bill.py")], key(session, "ui"))
    assert heard == [Change.VIEW, Change.PLAN, Change.VIEW, Change.FILE]
    leave()
    session.undo()
    assert len(heard) == 4


def test_a_saved_document_brings_back_plan_and_view(session: Session, tmp_path: Path) -> None:
    """Subject's path and commit, the plan, the view state; by ids, not by keys."""
    session.move([key(session, "core/bill.py")], key(session, "ui"))
    session.create(key(session, "core"), "billing")
    session.set_view(beta=0.5, root=key(session, "core"), hidden=frozenset({key(session, "core/model")}))
    assert session.unsaved
    session.save(tmp_path / "shop.cbv")
    assert not session.unsaved

    other = Session()
    document = read_document(tmp_path / "shop.cbv")
    other.open(shop(), document, tmp_path / "shop.cbv")
    assert document.commits == ("abc123",)
    assert other.graph.ids == session.graph.ids
    assert (other.graph.parent == session.graph.parent).all()
    assert replace(other.view, selected=()) == replace(session.view, selected=())
    assert not other.unsaved


def test_a_document_view_of_nodes_that_are_gone_is_ignored(session: Session, tmp_path: Path) -> None:
    file = tmp_path / "shop.cbv"
    session.save(file)
    text = file.read_text().replace('"beta": 0.8', '"beta": "high"').replace('"expanded": [', '"expanded": ["gone", 7,')
    text = text.replace('"height": "change_frequency"', '"height": "metric of a plugin that is not installed"')
    file.write_text(text)
    other = Session()
    other.open(shop(), read_document(file), file)
    assert other.view.beta == 0.8
    assert other.view.mapping == session.view.mapping
    assert other.graph.root in other.view.expanded


def test_the_tasks_are_the_net_moves(session: Session) -> None:
    """DND-5: there and back leaves nothing to do."""
    bill, ui, core = (key(session, node) for node in ("core/bill.py", "ui", "core"))
    session.move([bill], ui)
    session.move([bill], core)
    assert session.tasks() == ()
    session.move([bill], ui)
    session.move([bill], key(session, "core/model"))
    (task,) = session.tasks()
    assert "bill.py" in task.title


def test_what_is_noted_about_tasks_is_saved(session: Session, tmp_path: Path) -> None:
    """NEW-9: notes stay with their tasks, in the order that people wish; they are part of what is saved."""
    session.move([key(session, "core/bill.py")], key(session, "ui"))
    session.rename(key(session, "core/model"), "models")
    first, second = sorted(session.tasks(), key=lambda task: task.kind)
    assert second.kind == "rename"
    session.save(tmp_path / "shop.cbv")
    assert not session.unsaved
    noted = annotated({}, second, note="soon", assignee="Ann")
    session.annotate(reordered(noted, session.tasks(), second.key, 0))
    assert session.unsaved
    assert [(task.key, task.note, task.number) for task in session.tasks()] == [
        (second.key, "soon", 1),
        (first.key, "", 2),
    ]
    assert [task.key for task in session.full_task_list().tasks] == [second.key, first.key]
    session.save(tmp_path / "shop.cbv")
    assert not session.unsaved
    other = Session()
    other.open(shop(), read_document(tmp_path / "shop.cbv"), tmp_path / "shop.cbv")
    assert [(task.key, task.assignee) for task in other.tasks()] == [(second.key, "Ann"), (first.key, "")]
    other.undo()
    assert [entry.key for entry in other.task_list().overtaken] == [second.key]
    other.open(shop())
    assert other.task_list().overtaken == ()


def test_nothing_is_open_at_first() -> None:
    empty = Session()
    assert not empty.is_open
    assert not empty.unsaved
    assert not empty.escape()
    assert empty.tasks() == ()
    assert empty.do() is not None
    with pytest.raises(LookupError):
        _ = empty.graph


def with_packages() -> Project:
    """The shop, where a page uses numpy and may use an item."""
    project = shop()
    builder = GraphBuilder("shop")
    for key in range(1, len(project.graph)):
        graph = project.graph
        builder.add_node(graph.ids[key], graph.ids[graph.parent[key]], graph.names[key], graph.kind(key))
    builder.add_node("external", "", "(external)", EXTERNAL)
    builder.add_node("external:numpy", "external", "numpy", EXTERNAL)
    builder.add_edge(builder.key("ui/page.py"), builder.key("external:numpy"), "import")
    builder.add_edge(builder.key("ui/page.py"), builder.key("core/model/item.py"), "call", confidence=Confidence.GUESS)
    return replace(project, graph=builder.freeze())


def test_switches_are_part_of_the_view_and_saved_with_it(tmp_path: Path) -> None:
    """Guesses and packages are hidden until they are switched on; a document keeps that."""
    session = Session()
    session.open(with_packages())
    assert not session.scene().relations.any()
    session.set_view(guesses=True, external=True)
    session.show_kind("import", shown=False)
    assert session.scene().relations.tolist() == [False, True]
    file = tmp_path / "shop.cbv"
    session.save(file)
    other = Session()
    other.open(with_packages(), read_document(file), file)
    assert (other.view.guesses, other.view.external, other.view.kinds_off) == (True, True, {"import", *HIDDEN})
    session.show_kind("import", shown=True)
    assert session.view.kinds_off == HIDDEN


def test_what_is_called_back_is_hidden_until_a_document_says_otherwise(tmp_path: Path) -> None:
    """A document of before, which does not know the kind, does not show it."""
    session = Session()
    session.open(with_packages())
    session.show_kind(CALLS_BACK, shown=True)
    assert session.view.kinds_off == HIDDEN - {CALLS_BACK}
    file = tmp_path / "shop.cbv"
    session.save(file)
    other = Session()
    other.open(with_packages(), read_document(file), file)
    assert other.view.kinds_off == HIDDEN - {CALLS_BACK}
    earlier = replace(session.document(), view={"kinds_off": ["call"]})
    other.open(with_packages(), earlier)
    assert other.view.kinds_off == {"call", *HIDDEN}


def test_switches_of_a_document_that_somebody_edited(tmp_path: Path) -> None:
    """What is not understood is ignored."""
    session = Session()
    session.open(with_packages())
    document = replace(session.document(), view={"guesses": "yes", "external": 1, "kinds_off": [7, "call"]})
    session.open(with_packages(), document)
    assert (session.view.guesses, session.view.external, session.view.kinds_off) == (False, False, {"call", *HIDDEN})


def test_hiding_what_lies_outside_is_the_switch() -> None:
    """One place decides, whichever way it is said: the check box of the tree, the menu, or the key H."""
    session = Session()
    session.open(with_packages())
    outside, numpy, ui = (key(session, node) for node in ("external", "external:numpy", "ui"))
    assert session.hidden == {outside}
    session.hide([outside], hidden=False)
    assert session.view.external
    assert session.hidden == frozenset()
    session.hide([numpy, ui])
    assert session.hidden == {numpy, ui}
    session.hide([outside])
    assert not session.view.external
    assert session.view.hidden == {numpy, ui}


# -- metrics that came with a graph, and those that take long --------------------------------------------------


def firm(**columns: float) -> Project:
    """A graph from elsewhere: one unit with two people, ann uses bob; values of both in each of the columns."""
    builder = GraphBuilder("firm")
    builder.add_node("unit", "", "unit", "group")
    for factor, name in enumerate(("ann", "bob"), 1):
        values = {column: factor * value for column, value in columns.items()}
        builder.add_node(name, "unit", name, "person", values=values)
    builder.add_edge(builder.key("ann"), builder.key("bob"), "asks")
    return Project(Path("firm.csv").absolute(), "firm", builder.freeze(), None, "", "graph")


def test_metrics_of_a_graph_are_offered_while_it_is_open(session: Session) -> None:
    """NEW-3: a column of a table of nodes is a metric, and shown at first, where nothing else was measured."""
    assert session.metrics == METRICS
    session.open(firm(salary=30, age=20))
    assert list(session.metrics) == [*METRICS, "salary", "age"]
    assert session.view.mapping == Mapping("leaves", "salary", "age")
    scene = session.scene()
    assert scene.height_legend.label == "Salary"
    assert scene.values["salary"][session.graph.root] == 90
    session.open(shop())
    assert list(session.metrics) == list(METRICS)
    assert session.view.mapping.height == "change_frequency"


def test_what_the_graph_says_comes_before_a_plugin() -> None:
    """A plugin measures the age of code; this file tells that of people."""
    age = Metric("age", "Age of code", "days", "neither", "max", lambda subject: np.full(len(subject.graph), np.nan))
    session = Session({**METRICS, "age": age})
    session.open(firm(age=20))
    assert session.metrics["age"].label == "Age"
    assert session.scene().values["age"][session.graph.key_of["bob"]] == 40
    session.open(shop())
    assert session.metrics["age"] is age


def test_a_view_goes_on_without_a_metric_that_is_gone(session: Session) -> None:
    """A document names metrics; what is not there any more is replaced by what the first picture shows."""
    session.open(firm(salary=30, seats=2))
    session.set_view(mapping=Mapping("salary", "seats", "fan_in"), beta=0.3)
    document = session.document()
    again = Session()
    again.open(firm(salary=30, seats=2), document)
    assert again.view.mapping == Mapping("salary", "seats", "fan_in")
    again.open(firm(seats=2), document)
    assert again.view.mapping == Mapping("leaves", "seats", "fan_in")
    assert again.view.beta == 0.3
    again.open(shop(), document)
    assert again.view.mapping == Mapping("sloc", "change_frequency", "fan_in")
    assert again.scene().pending == ()


def history(*paths: str) -> Changes:
    touched = np.arange(len(paths), dtype=np.int32)
    return Changes(("1",), np.array([1_600_000_000]), np.zeros(1, np.int32), ("ann",), 0 * touched, touched, paths)


def test_a_folder_without_history_shows_something_else(session: Session) -> None:
    """While the history is on its way the usual picture waits for it; what nobody has chosen follows what is known."""
    usual, nothing = Mapping(), Mapping("sloc", "fan_in", "fan_out")
    first = shop()
    session.open(first)
    assert session.view.mapping == usual
    session.deepen(replace(first, changes=history()))
    assert session.view.mapping == nothing
    session.open(first)
    session.deepen(replace(first, changes=history("ui/page.py")))
    assert session.view.mapping == replace(nothing, height="change_frequency")
    session.open(first)
    session.set_view(mapping=Mapping("bytes", "commits", "sloc"))
    session.deepen(replace(first, changes=history()))
    assert session.view.mapping == Mapping("bytes", "commits", "sloc")


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> Session:
    """A session of a window, in which every graph is large."""
    monkeypatch.setattr(metric_values, "LARGE", 0)
    session = Session()
    session.patient = False
    session.open(shop())
    session.set_view(mapping=Mapping("sloc", "sloc", "sloc"))
    session.scene()
    return session


def measure(session: Session, *names: str) -> None:
    for name in names:
        session.scene().values.measure(name, lambda what, done, total: None)


def test_the_picture_stays_until_a_slow_metric_is_measured(impatient: Session) -> None:
    """CBV-10: choosing it does not block; it is drawn once somebody has measured it."""
    before = impatient.scene()
    impatient.set_view(mapping=Mapping("sloc", "transitive_users", "unused"))
    waiting = impatient.scene()
    assert waiting.pending == ("transitive_users", "unused")
    assert waiting.drawn == Mapping("sloc", "sloc", "sloc")
    assert waiting.height is before.height
    assert waiting.color is before.color
    assert waiting.height_legend.metric.name == "sloc"
    measure(impatient, "transitive_users")
    assert impatient.scene().pending == ("unused",)
    assert impatient.scene().height_legend.metric.name == "transitive_users"
    assert impatient.scene().color_legend.metric.name == "sloc"
    measure(impatient, "unused")
    assert impatient.scene().pending == ()
    assert impatient.scene().drawn == impatient.view.mapping


def test_a_step_of_the_plan_shows_the_values_from_before_it(impatient: Session) -> None:
    """The step itself is seen at once, also when there are more nodes than before; then the new values are."""
    impatient.set_view(mapping=Mapping("sloc", "transitive_users", "sloc"))
    measure(impatient, "transitive_users")
    cart, page, bill = (key(impatient, node) for node in ("ui/cart.py", "ui/page.py", "core/bill.py"))
    impatient.set_view(expanded=frozenset(range(len(impatient.graph))))

    def height() -> float:
        scene = impatient.scene()
        return float(scene.height[scene.tree.represent[cart]])

    tall = height()
    assert tall > 0
    assert impatient.create(impatient.graph.root, "new") is None
    assert impatient.remove([page, bill]) is None
    assert impatient.scene().tree.represent[page] == -1
    assert impatient.scene().pending == ("transitive_users",)
    assert height() == tall
    measure(impatient, "transitive_users")
    assert height() == 0, "nobody uses it any more"


def test_what_takes_too_long_can_be_given_up(impatient: Session) -> None:
    """Cancel: what is drawn is wanted then; without anything that holds for this graph it is the usual metric."""
    impatient.set_view(mapping=Mapping("sloc", "transitive_users", "fan_in"))
    impatient.stay_with_drawn()
    assert impatient.view.mapping == Mapping("sloc", "sloc", "sloc")
    impatient.set_view(mapping=Mapping("sloc", "transitive_users", "sloc"))
    measure(impatient, "transitive_users")
    assert impatient.scene().drawn.height == "transitive_users"
    assert impatient.create(impatient.graph.root, "new") is None
    impatient.stay_with_drawn()
    assert impatient.view.mapping == Mapping("sloc", "change_frequency", "sloc")
    assert impatient.scene().pending == ()


def test_another_subject_shows_no_values_of_the_last(impatient: Session) -> None:
    """Keys mean other nodes then; what is still to be measured is drawn as not measured."""
    impatient.set_view(mapping=Mapping("sloc", "sloc", "sloc"))
    impatient.scene()
    impatient.open(firm())
    scene = impatient.scene()
    assert scene.pending == ("fan_in", "fan_out")
    assert scene.drawn == Mapping("leaves", "fan_in", "fan_out")
    assert not scene.height.any()
    assert np.isnan(scene.height_legend.maximum)


def test_a_session_without_a_window_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command line draws what was asked for."""
    monkeypatch.setattr(metric_values, "LARGE", 0)
    session = Session()
    session.open(firm())
    assert session.scene().pending == ()
    assert session.scene().height_legend.maximum == 1


@pytest.fixture
def huge(monkeypatch: pytest.MonkeyPatch) -> Session:
    """A session of a window, on a graph that it takes for a huge one."""
    monkeypatch.setattr("cbvtool.session.picture.HUGE", 0)
    session = Session()
    session.patient = False
    session.open(shop())
    return session


def test_another_picture_of_a_huge_graph_is_made_elsewhere(huge: Session) -> None:
    """Design 8: the picture before stays until the next one is made."""
    before = huge.scene()
    huge.set_view(expanded=frozenset())
    assert huge.is_late
    assert huge.scene() is before
    scene = huge.making()()
    assert huge.scene() is before  # nobody has told it yet
    told: list[Change] = []
    huge.subscribe(told.append)
    huge.made(scene)
    assert told == [Change.VIEW]
    assert not huge.is_late
    assert len(huge.scene().tree) < len(before.tree)


def test_what_costs_nothing_is_shown_at_once(huge: Session) -> None:
    before = huge.scene()
    huge.set_view(selected=(1,), beta=0.5)
    assert not huge.is_late
    assert huge.scene().curves is not before.curves


def test_what_is_dragged_is_seen_at_once(huge: Session) -> None:
    """DND-1."""
    huge.scene()
    huge.begin_drag([key(huge, "ui/page.py")])
    assert not huge.is_late
    assert huge.scene().state.drag is not None
    huge.cancel_drag()
    assert huge.scene().state.drag is None


def test_a_picture_that_cannot_be_made_leaves_the_one_before(huge: Session) -> None:
    before = huge.scene()
    huge.set_view(expanded=frozenset())
    huge.set_view(selected=(1,))
    huge.making()
    huge.made(None)
    assert huge.view == replace(before.state, selected=(1,))
    assert not huge.is_late


def test_a_picture_of_what_is_not_open_any_more_is_dropped(huge: Session) -> None:
    huge.scene()
    huge.set_view(expanded=frozenset())
    scene = huge.making()()
    huge.open(shop())
    huge.made(scene)
    assert huge.scene().graph is huge.graph


def test_the_first_picture_of_a_huge_graph_is_prepared(huge: Session) -> None:
    project = shop()
    start = huge.start(project)
    runs = start.pipeline.runs.total()
    assert runs > 10
    huge.open(project, start=start)
    huge.scene()
    assert start.pipeline.runs.total() == runs  # nothing was made again


def test_what_was_planned_while_more_was_found_out_is_kept(session: Session) -> None:
    """NEW-11."""
    start = session.deeper(shop())
    session.move([key(session, "ui/page.py")], key(session, "core"))
    session.deepen(start.project, start)
    assert session.history is not None
    assert len(session.history.done) == 1
    assert session.graph.parent[key(session, "ui/page.py")] == key(session, "core")
