"""The window. Start page, opening, saving, panels, themes, commands."""

from __future__ import annotations

import json
import sys
import threading
import time
import weakref
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from qtpy.QtCore import QMimeData, QObject, QPoint, QPointF, QSize, Qt, QTimer, QUrl
from qtpy.QtGui import QColor, QDropEvent, QImage, QPainter
from qtpy.QtWidgets import QMessageBox, QToolButton, QWidget

from cbvtool.drawing.emphasis import emphasis
from cbvtool.errors import Cancelled
from cbvtool.geometry.picking.occlusion import hiding
from cbvtool.plan import Move
from cbvtool.progress import Progress
from cbvtool.project import Project
from cbvtool.session import Session
from cbvtool.session.change import Change
from cbvtool.session.state import State
from cbvtool.view.canvas.phases import Phase
from cbvtool.view.commands.containers import choices_of
from cbvtool.view.commands.editing import NO_PLACE
from cbvtool.view.panels.rules_panel import violations_html
from cbvtool.view.toolkit import theme
from cbvtool.view.toolkit.application import catch_exceptions
from cbvtool.view.toolkit.ask_card import AskCard
from cbvtool.view.toolkit.chooser import Chooser, ChooserRow
from cbvtool.view.toolkit.settings import Settings
from cbvtool.view.window import opening as opening_module
from cbvtool.view.window.crumbs import Crumbs
from cbvtool.view.window.main_window import DEFAULT_SIZE, SIDES, MainWindow
from cbvtool.view.window.second_view import SECOND_VIEW

NewWindow = Callable[[], MainWindow]


def _key(window: MainWindow, node: str) -> int:
    return window.session.graph.key_of[node]


def _move(window: MainWindow, node: str, target: str) -> None:
    assert window.session.move([_key(window, node)], _key(window, target)) is None


# -- start page and opening --------------------------------------------------------------------------------------


def test_the_start_page_offers_folders_and_the_sample(new_window: NewWindow, settings, shop: Project) -> None:
    """Never a blank canvas: open a folder, recent folders, the sample project."""
    settings.add_recent(shop.path)
    window = new_window()
    assert window.start.isVisible()
    assert not window.canvas.isVisible()
    labels = [button.text() for button in window.start.findChildren(type(window.start.sample))]
    assert "Open a folder..." in labels
    assert "Try the sample project" in labels
    assert any(label.startswith("shop") for label in labels)


@pytest.mark.parametrize("screen", [QSize(1280, 800), QSize(2560, 1440)])
@pytest.mark.usefixtures("large")
def test_the_first_window_fits_the_screen(
    new_window: NewWindow, monkeypatch: pytest.MonkeyPatch, screen: QSize
) -> None:
    """NEW-13: with its frame; on a large screen it takes most of it."""
    monkeypatch.setattr(MainWindow, "screen", lambda window: SimpleNamespace(availableSize=lambda: screen))
    window = new_window()
    assert window.height() <= screen.height() - 40
    assert window.width() <= screen.width() - 20
    assert window.width() >= 0.75 * screen.width()
    assert (window.width() >= DEFAULT_SIZE.width()) == (screen.width() > DEFAULT_SIZE.width())


@pytest.mark.parametrize(("width", "sides"), [(900, 0.4), (1440, 0.4), (2400, 0.25)])
def test_docks_are_about_as_wide_in_any_window(window: MainWindow, qtbot, width: int, sides: float) -> None:
    """Look-and-feel: the picture gets what a large window has more, and in a small one never less than half."""
    window.resize(width, 700)
    qtbot.waitUntil(lambda: window.width() == width)
    window.reset_layout()
    qtbot.waitUntil(lambda: window.canvas.width() >= (1 - sides) * width - 4)
    if width >= 1440:
        assert abs(window.desk.docks["structure"].width() - SIDES[0]) <= 2


def test_a_folder_is_opened_in_the_background(new_window: NewWindow, shop: Project, qtbot) -> None:
    """Progress with cancel in the status bar while it is read, then the picture, from the top levels on."""
    window = new_window()
    with qtbot.waitSignal(window.canvas.stage.first_frame):
        window.open(shop.path)
        assert window.opening.busy
        assert window.status.cancel.isVisible()
        assert window.start.isVisible()
    assert not window.status.cancel.isVisible()
    assert window.canvas.isVisible()
    assert window.windowTitle().startswith("shop")
    assert "29 files" in window.status.subject.text()
    assert window.settings.recent[0] == shop.path
    assert window.session.view.expanded < set(range(len(window.session.graph)))
    assert window.desk.docks["rules"].windowTitle() == "Rules (5)"


def test_cancel_while_reading(new_window: NewWindow, shop: Project, qtbot, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cancel stops the work; what was there before stays."""
    window = new_window()
    started = threading.Event()

    def endless(path: Path, *, progress: Progress, **_options: object) -> Project:
        while True:
            started.set()
            progress("reading files", 1, 2)
            time.sleep(0.001)

    monkeypatch.setattr(opening_module, "open_project", endless)
    window.open(shop.path)
    qtbot.waitUntil(lambda: started.is_set() and "50 %" in window.status.work.text())
    window.status.cancel.click()
    qtbot.waitUntil(lambda: not window.opening.busy)
    assert not window.status.cancel.isVisible()
    assert window.start.isVisible()
    assert window.message.text == ""


def test_the_command_line_says_how_folders_are_read(
    new_window: NewWindow, shop: Project, qtbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`cbvtool open --jobs 1 --no-cache` holds for all that is opened in the window, and when it is read again."""
    window = new_window()
    window.opening.how = {"jobs": 1, "cache": False}
    asked: list[tuple[object, object]] = []

    def note(path: Path, *_traces: object, progress: Progress, jobs: int, cache: bool, **_options: object) -> Project:
        asked.append((jobs, cache))
        return shop

    monkeypatch.setattr(opening_module, "open_project", note)
    monkeypatch.setattr(opening_module, "open_subject", note)
    window.open(shop.path)
    qtbot.waitUntil(lambda: window.session.is_open and not window.opening.busy)
    window.opening.again()
    qtbot.waitUntil(lambda: len(asked) == 2 and not window.opening.busy)
    assert asked == [(1, False)] * 2


def test_closing_ends_the_work(new_window: NewWindow, shop: Project, qtbot, monkeypatch: pytest.MonkeyPatch) -> None:
    """No thread outlives the window, although the work would go on for ever."""
    window = new_window()
    ended = threading.Event()

    def endless(path: Path, *, progress: Progress, **_options: object) -> Project:
        try:
            while True:
                progress("reading files", 1, 2)
                time.sleep(0.001)
        except Cancelled:
            ended.set()
            raise

    monkeypatch.setattr(opening_module, "open_project", endless)
    window.open(shop.path)
    window.close()
    assert ended.is_set()
    assert not window.opening.busy


@pytest.mark.parametrize("what", ["missing", "file", "empty", "plan"])
def test_bad_input_is_one_sentence(new_window: NewWindow, tmp_path: Path, qtbot, what: str) -> None:
    """Bad input gets one sentence that names it, without a trace, and nothing else changes."""
    path = {"missing": tmp_path / "gone", "file": tmp_path / "notes.txt", "empty": tmp_path / "empty"}.get(what)
    if what == "file":
        (tmp_path / "notes.txt").write_text("hello")
    elif what == "empty":
        (tmp_path / "empty").mkdir()
    elif what == "plan":
        path = tmp_path / "cut.cbv"
        path.write_text('{"format": "cbvtool-document", "version": 1, "subject"')
    assert path is not None
    window = new_window()
    window.open(path)
    qtbot.waitUntil(lambda: window.message.text != "")
    assert str(path) in window.message.text
    assert window.message.text.count("\n") == 0
    assert "Traceback" not in window.message.text
    assert window.start.isVisible()


def test_a_folder_dropped_on_the_window_is_opened(new_window: NewWindow, shop: Project, qtbot) -> None:
    window = new_window()
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(shop.path))])
    copy, left, none = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    with qtbot.waitSignal(window.canvas.stage.first_frame):
        window.dropEvent(QDropEvent(QPointF(5, 5), copy, data, left, none))


def test_a_subject_is_analysed_again_under_the_plan(window: MainWindow, qtbot) -> None:
    """The plan stays when the code is read anew."""
    _move(window, "scripts", "shop")
    expanded = window.session.view.expanded
    base = window.session.history.base
    window.documents.again()
    qtbot.waitUntil(lambda: window.session.history.base is not base)
    assert window.session.history.operations == (Move(("scripts",), "shop"),)
    assert window.session.view.expanded == expanded


# -- saving ------------------------------------------------------------------------------------------------------


def test_save_and_open_again(window: MainWindow, new_window: NewWindow, tmp_path: Path, qtbot) -> None:
    """A plan that was saved is there again, with its view."""
    _move(window, "scripts", "tests")
    assert window.isWindowModified()
    file = tmp_path / "shop.cbv"
    assert window.documents._save(file)
    assert not window.isWindowModified()
    assert window.windowTitle().startswith("shop.cbv")
    other = new_window()
    with qtbot.waitSignal(other.canvas.stage.first_frame):
        other.open(file)
    assert other.session.history.operations == (Move(("scripts",), "tests"),)
    assert other.session.view.expanded == window.session.view.expanded
    assert not other.session.unsaved


def test_a_file_that_cannot_be_written_is_said(window: MainWindow, tmp_path: Path) -> None:
    assert not window.documents._save(tmp_path / "nowhere" / "shop.cbv")
    assert "nowhere" in window.message.text


@pytest.mark.parametrize(("answer", "closes"), [("Cancel", False), ("Discard", True), ("Save", True)])
def test_unsaved_changes_are_asked_about(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str, closes: bool
) -> None:
    _move(window, "scripts", "tests")
    window.session.file = tmp_path / "plan.cbv"
    button = getattr(QMessageBox.StandardButton, answer)
    monkeypatch.setattr(window.documents, "ask_unsaved", lambda: int(button))
    assert window.close() is closes
    assert (tmp_path / "plan.cbv").exists() is (answer == "Save")
    monkeypatch.setattr(window.documents, "ask_unsaved", lambda: int(QMessageBox.StandardButton.Discard))


def test_nothing_is_asked_when_all_is_saved(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    """Looking around is not a change; what was undone is none either."""
    monkeypatch.setattr(window.documents, "ask_unsaved", lambda: pytest.fail("asked"))
    window.session.select([_key(window, "shop/ui")])
    _move(window, "scripts", "tests")
    window.session.undo()
    assert window.close()


# -- panels ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [QSize(1440, 900), QSize(1100, 720)])
def test_the_canvas_has_more_than_half_of_the_window(window: MainWindow, qtbot, size: QSize) -> None:
    """The 3D view never shrinks below half the window by default."""
    window.resize(size)
    qtbot.waitUntil(lambda: window.size() == size)
    window.reset_layout()
    qtbot.waitUntil(lambda: window.canvas.width() * window.canvas.height() > window.width() * window.height() / 2)


def test_the_layout_can_be_reset(window: MainWindow, qtbot) -> None:
    for dock in window.desk.docks.values():
        dock.hide()
    window.desk.docks["plan"].setFloating(True)
    window.reset_layout()
    shown = {name for name, dock in window.desk.docks.items() if not dock.isHidden()}
    assert shown == {"structure", "details", "findings", "plan", "rules", "style"}
    assert not window.desk.docks["plan"].isFloating()


def test_resetting_the_layout_leaves_nothing_behind(window: MainWindow, qtbot) -> None:
    """Look-and-feel: the same places however often, and none of the widgets that Qt puts between docks is left."""

    def places() -> list[tuple[int, ...]]:
        qtbot.wait(0)  # what was posted is laid out
        return [window.desk.docks[name].geometry().getRect() for name in ("structure", "details")]

    def separators() -> int:
        return sum(type(child) is QWidget for child in window.children())  # and the middle

    window.reset_layout()
    before, kept = places(), separators()
    for _ in range(3):
        window.reset_layout()
        assert places() == before
    assert separators() == kept


def test_place_and_docks_are_remembered(window: MainWindow, new_window: NewWindow, qtbot) -> None:
    window.resize(1000, 700)
    window.desk.raise_panel("relations")
    qtbot.waitUntil(lambda: window.desk.docks["relations"].isVisible())
    window.close()
    other = new_window()
    assert other.size() == QSize(1000, 700)
    assert not other.desk.docks["relations"].isHidden()


def test_the_plan_panel_shows_tasks_and_steps(window: MainWindow, qtbot) -> None:
    """Tasks with sites and files; steps to go back and forth in."""
    _move(window, "shop/domain", "shop/services")
    _move(window, "scripts", "tests")
    qtbot.waitUntil(lambda: window.judging.current is not None)
    text = window.desk.panels["plan"].text.toPlainText()
    task = window.session.tasks()[0]
    assert task.impact in text
    assert "Move domain from shop to shop/services" in text.replace("\u200b", "")
    steps = [
        window.desk.panels["plan"].steps.item(row).text() for row in range(window.desk.panels["plan"].steps.count())
    ]
    assert steps == ["As it is today", "Move of domain to services", "Move of scripts to tests"]
    window.desk.panels["plan"].travelled.emit(0)
    assert not window.session.history.done
    assert "Nothing is planned yet" in window.desk.panels["plan"].text.toPlainText()
    window.desk.panels["plan"].travelled.emit(2)
    assert len(window.session.history.done) == 2


def test_places_of_a_task_can_be_listed(window: MainWindow, qtbot) -> None:
    _move(window, "shop/domain", "shop/services")
    qtbot.waitUntil(lambda: window.judging.current is not None)
    site = window.session.tasks()[0].sites[0]
    assert site.file not in window.desk.panels["plan"].text.toPlainText().replace("\u200b", "")
    window.desk.panels["plan"].text.anchorClicked.emit(QUrl("sites:1"))
    assert f"{site.file}: " in window.desk.panels["plan"].text.toPlainText().replace("\u200b", "")


@pytest.mark.parametrize("suffix", [".md", ".csv", ".json"])
def test_tasks_are_exported(window: MainWindow, tmp_path: Path, suffix: str) -> None:
    _move(window, "shop/domain", "shop/services")
    window.documents.export_to(tmp_path / f"tasks{suffix}")
    text = (tmp_path / f"tasks{suffix}").read_text()
    assert "domain" in text
    if suffix == ".json":
        assert json.loads(text)["subject"] == "shop"


def test_an_export_to_an_unknown_kind_is_refused(window: MainWindow, tmp_path: Path) -> None:
    window.documents.export_to(tmp_path / "tasks.doc")
    assert ".md, .csv and .json" in window.message.text
    assert not (tmp_path / "tasks.doc").exists()


def test_rules_tell_what_the_plan_changes(window: MainWindow) -> None:
    """Violations with their sites; a change is told by a sign, not by colour alone."""
    text = window.desk.panels["rules"].text.toPlainText()
    assert "5 violations" in text
    assert "must not use" in text
    _move(window, "shop/domain", "shop/ui")
    text = window.desk.panels["rules"].text.toPlainText()
    assert "- the plan adds" in text
    assert "- new:" in text


def test_relations_of_the_selection_are_listed(window: MainWindow) -> None:
    """Edge list of the selection, with sites."""
    window.session.select([_key(window, "shop/ui")])
    window.desk.bring("relations")
    model = window.desk.panels["relations"].model
    assert model.rowCount() > 0
    cells = [[model.data(model.index(row, c)) for c in range(model.columnCount())] for row in range(model.rowCount())]
    assert all("ui" in row[0] or "ui" in row[1] for row in cells)
    assert all(row[-1] for row in cells)  # every import has a place
    window.session.select(())
    assert model.rowCount() == 0


def test_hiding_in_the_tree(window: MainWindow) -> None:
    """CBV-7: hide and show subtrees in an indented tree."""
    model, tests = window.desk.panels["structure"].model, _key(window, "tests")
    role = int(Qt.ItemDataRole.CheckStateRole)
    model.setData(model.index_of(tests), Qt.CheckState.Unchecked, role)
    assert window.session.view.hidden == {tests}
    assert window.canvas.stage.scene.tree.represent[tests] == -1
    model.setData(model.index_of(tests), Qt.CheckState.Checked, role)
    assert not window.session.view.hidden


def test_the_tree_stays_open_when_the_plan_changes(window: MainWindow) -> None:
    tree, model = window.desk.panels["structure"].tree, window.desk.panels["structure"].model
    tree.expand(model.index_of(_key(window, "shop")))
    _move(window, "scripts", "tests")
    assert tree.isExpanded(model.index_of(_key(window, "shop")))


def test_a_tooltip_while_segments_grow(window: MainWindow) -> None:
    """OC-4: what is drawn still has fewer segments than what is pointed at."""
    window.settings.reduced_motion = False
    stage = window.canvas.stage
    before = len(stage.scene.tree)
    window.session.set_view(expanded=frozenset(range(len(window.session.graph))))
    assert len(stage.scene.tree) > before
    assert stage.picking.lines_of(len(stage.scene.tree) - 1)


def test_mapping_and_bundling_are_chosen_live(window: MainWindow) -> None:
    """CBV-2, CBV-4: every mapping can be changed to any metric; beta is a live slider."""
    panel = window.desk.panels["style"]
    box = panel._choices["height"]
    box.setCurrentIndex(box.findData("fan_in"))
    box.activated.emit(box.currentIndex())
    assert window.session.view.mapping.height == "fan_in"
    assert window.canvas.stage.scene.height_legend.metric.name == "fan_in"
    curves = window.canvas.stage.scene.curves
    panel.straightness.setValue(20)
    assert window.session.view.beta == 0.2
    assert window.canvas.stage.scene.curves is not curves


# -- commands ----------------------------------------------------------------------------------------------------


def test_undo_names_the_thing(window: MainWindow) -> None:
    """Undo and redo with named actions; what cannot be done is greyed."""
    undo, redo = window.actions_by_name["undo"], window.actions_by_name["redo"]
    assert (undo.text(), undo.isEnabled(), redo.isEnabled()) == ("Undo", False, False)
    _move(window, "scripts", "tests")
    assert (undo.text(), undo.isEnabled()) == ("Undo move of scripts to tests", True)
    undo.trigger()
    assert (redo.text(), redo.isEnabled()) == ("Redo move of scripts to tests", True)
    redo.trigger()
    assert not redo.isEnabled()


def test_a_class_is_moved_to_a_file_by_keys(window: MainWindow) -> None:
    """DND-1: "Move to..." offers files for a class, those that the plan makes included, and never its own parts."""
    session = window.session
    session.create(_key(window, "shop"), "reports.py", "file")
    graph = session.graph
    moved = next(key for key in graph.tree.order.tolist() if graph.kind(key) == "class")
    choices = {choice.text: choice for choice in move_targets(window, moved)}
    assert "shop" not in choices
    assert not any(choice.value == moved or graph.is_below(choice.value, moved) for choice in choices.values())
    session.move([moved], choices["shop > reports.py"].value)
    assert session.graph.names[session.graph.parent[moved]] == "reports.py"


def move_targets(window: MainWindow, key: int) -> list[ChooserRow]:
    return choices_of(window.session.graph, window.session.dragging.takers((key,)), window.desk.icon)


def test_move_to_lists_containers_that_can_take_it(window: MainWindow) -> None:
    """NEW-13: "Move to..." beside the drag; what would be refused is not offered."""
    choices = {choice.value for choice in move_targets(window, _key(window, "shop/domain"))}
    kinds = {window.session.graph.kind(key) for key in choices}
    assert kinds <= {"project", "folder", "package"}
    assert not {_key(window, "shop"), _key(window, "shop/domain")} & choices
    assert _key(window, "shop/ui") in choices


def test_the_chooser_filters_and_takes(qtbot, window: MainWindow) -> None:
    chooser = Chooser("Move to...", "Type", move_targets(window, _key(window, "shop/domain")), window)
    qtbot.addWidget(chooser)
    chooser.show()
    qtbot.keyClicks(chooser.filter, "shop > U")
    assert chooser._rows.rowCount() == 1
    qtbot.keyClick(chooser.filter, Qt.Key.Key_Return)
    assert chooser.chosen == _key(window, "shop/ui")


def test_the_chooser_does_not_take_what_is_refused(qtbot, window: MainWindow) -> None:
    chooser = Chooser("Merge into...", "Type", [ChooserRow("shop > domain", value=1, refused="It is taken.")], window)
    qtbot.addWidget(chooser)
    chooser.show()
    qtbot.keyClicks(chooser.filter, "shop > domain")
    qtbot.keyClick(chooser.filter, Qt.Key.Key_Return)
    assert chooser.chosen is None
    assert chooser.isVisible()


def test_what_nothing_can_take_is_said(window: MainWindow) -> None:
    """No empty list is shown."""
    graph = window.session.graph
    window.session.select([next(key for key in range(len(graph)) if graph.kind(key) == "external")])
    window.editing.move_to()
    assert window.message.text == NO_PLACE


def test_new_container_rename_remove(window: MainWindow, qtbot, monkeypatch: pytest.MonkeyPatch) -> None:
    """DND-2: in a selected package a package is made; the card asks for its name."""
    monkeypatch.setattr("cbvtool.view.commands.editing.ask_line", lambda *_: "adapters")
    window.session.select([_key(window, "shop/ui")])
    window.editing.new_empty()
    (card,) = window.canvas.findChildren(AskCard)
    qtbot.keyClicks(card.name, "ports")
    qtbot.keyClick(card.name, Qt.Key.Key_Return)
    made = _key(window, "plan:1")
    graph = window.session.graph
    assert (graph.names[made], graph.kind(made), graph.ids[graph.parent[made]]) == ("ports", "package", "shop/ui")
    window.session.select([made])
    window.editing.rename()
    assert window.session.graph.names[made] == "adapters"
    window.session.select([made])
    window.editing.remove()
    assert "plan:1" not in window.session.graph.key_of


def test_switching_the_theme(window: MainWindow) -> None:
    """Light and dark, everywhere, remembered."""
    before = theme.look("light")
    assert window.palette().window().color().name() == before.panel
    window.desk.do("theme")
    assert window.palette().window().color().name() == theme.look("dark").panel
    assert window.session.view.theme == "dark"
    assert window.settings.theme == "dark"
    window.desk.do("theme")


def test_an_exception_nobody_caught_becomes_a_sentence(window: MainWindow) -> None:
    """PyQt would end the process otherwise."""
    undo = catch_exceptions(window.desk.say)
    try:
        sys.excepthook(ValueError, ValueError("too many cooks"), None)
    finally:
        undo()
    assert "too many cooks" in window.message.text
    assert "Traceback" not in window.message.text


def test_nothing_of_an_exception_is_kept(window: MainWindow, qtbot) -> None:
    """A painter that lived on in the frame of the last exception ended the process once its widget was gone."""
    undo = catch_exceptions(window.desk.say)
    held: list[weakref.ref[QObject]] = []

    def paint() -> None:
        painter = QObject()
        held.append(weakref.ref(painter))
        raise ValueError("nothing to paint with")

    try:
        QTimer.singleShot(0, paint)
        qtbot.waitUntil(lambda: "nothing to paint with" in window.message.text)
    finally:
        undo()
    assert held[0]() is None


def _shown_crumbs(window: MainWindow) -> list[str]:
    buttons = [b for b in window.crumbs.findChildren(QToolButton) if b.objectName() not in ("chevron", "ghostcrumb")]
    return [b.text() for b in buttons if b.isVisibleTo(window.crumbs)]


@pytest.mark.usefixtures("large")
def test_breadcrumbs_restrict(window: MainWindow, qtbot) -> None:
    window.session.select([_key(window, "shop/domain")])
    qtbot.waitUntil(lambda: _shown_crumbs(window) == ["shop", "shop", "domain"])
    window.crumbs.chosen.emit(_key(window, "shop/domain"))
    assert window.session.view.root == _key(window, "shop/domain")


def test_nobody_listens_to_a_session_after_its_window_closed(
    settings: Settings, shop: Project, qtbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A part that still listened would touch a renderer that is gone, and keep the window in memory."""
    listening: list[Callable[[Change], None]] = []
    subscribe = State.subscribe

    def noted(self: State, listener: Callable[[Change], None]) -> Callable[[], None]:
        end = subscribe(self, listener)
        listening.append(listener)

        def ended() -> None:
            listening.remove(listener)
            end()

        return ended

    monkeypatch.setattr(State, "subscribe", noted)
    window = MainWindow(Session(), settings)
    monkeypatch.setattr(window.documents, "ask_unsaved", lambda: int(QMessageBox.StandardButton.Discard))
    qtbot.addWidget(window)
    window.show()
    with qtbot.waitSignal(window.canvas.stage.first_frame):
        window.session.open(shop)
    window.beside.toggle(SECOND_VIEW)
    qtbot.waitUntil(lambda: window.beside.opened[SECOND_VIEW].session.is_open)
    assert len(listening) >= 10
    window.close()
    names = [f"{listener.__module__}.{listener.__qualname__}" for listener in listening]
    assert [name for name in names if not name.startswith("cbvtool.session.")] == []  # a session's parts go with it


# -- pixels ------------------------------------------------------------------------------------------------------


def test_frames_are_made_at_physical_pixels_one_render_each(window: MainWindow, qtbot) -> None:
    """HiDPI: sharp at any pixel ratio. One render per frame, counted."""
    stage = window.canvas.stage
    qtbot.waitUntil(lambda: stage.is_still)
    renderer = stage.renderer
    assert renderer is not None
    stage.resize(QSize(400, 300), 2.0)
    before, seen = renderer.frames, QImage(800, 600, QImage.Format.Format_RGB32)
    painter = QPainter(seen)
    stage.paint(painter)
    stage.paint(painter)
    painter.end()
    image, words = stage.frame, stage.text.image
    assert (image.width(), image.height()) == (800, 600)
    assert renderer.frames == before + 1
    assert (words.width(), words.height(), words.devicePixelRatio()) == (800, 600, 2.0)


def test_a_lifted_relation_ends_with_the_relations_it_was_among(window: MainWindow) -> None:
    """Rows of relations count anew in every other picture: the pointer has to find its relation again."""
    stage, session = window.canvas.stage, window.session
    assert stage.light(len(session.scene().lifted.source) - 1)
    session.set_view(root=session.graph.key_of["shop/ui/cli.py"])
    assert stage.standing_out.relations is None
    assert stage.light(-1) is False


def test_a_highlight_does_not_lay_out_labels_again(window: MainWindow, qtbot) -> None:
    stage = window.canvas.stage
    qtbot.waitUntil(lambda: stage.is_still)
    laid_out = stage.text.names
    assert laid_out is not None
    stage.light(0)
    qtbot.waitUntil(lambda: stage.is_still)
    assert stage.text.names is laid_out


def test_what_hides_a_node_turns_into_glass_once_the_pointer_rests(window: MainWindow, qtbot) -> None:
    """A pointer that moves on need not wait for it, and it goes with the highlight."""
    stage, session = window.canvas.stage, window.session
    session.show_depth(9)
    stage.look(stage.camera.with_(tilt=72.0))
    qtbot.waitUntil(lambda: stage.is_still)
    scene = stage.scene
    assert scene is not None
    hidden = [
        key
        for key in scene.tree.key[scene.tree.leaf].tolist()
        if hiding(scene, stage.camera, emphasis(scene, key, -1, frozenset(), ()).items).any()
    ]
    session.set_view(hovered=hidden[0])
    assert stage.standing_out.items is not None
    assert stage.standing_out.glass is None
    qtbot.waitUntil(lambda: stage.is_still)
    expected = hiding(stage.scene, stage.camera, stage.standing_out.items)
    assert expected.any()
    np.testing.assert_array_equal(stage.standing_out.glass, expected)
    session.set_view(hovered=-1)
    assert stage.standing_out.glass is None


def test_a_place_of_a_node_is_where_it_is_picked(window: MainWindow) -> None:
    stage = window.canvas.stage
    for node in ("shop/domain", "shop/ui", "tests", "scripts"):
        assert stage.picking.key_at(stage.picking.place_of(_key(window, node))) == _key(window, node)
    window.session.hide([_key(window, "tests")])
    with pytest.raises(LookupError):
        stage.picking.place_of(_key(window, "tests"))
    assert stage.picking.key_at(QPoint(1, 1)) == -1


def test_a_smooth_frame_comes_in_parts(window: MainWindow, qtbot) -> None:
    """The picture that stands still is smooth, and no event waits for all of it: one small render at a time."""
    stage = window.canvas.stage
    qtbot.waitUntil(lambda: stage.is_still)
    renderer = stage.renderer
    assert renderer is not None
    parts = [renderer.piece(number) for number in range(renderer.pieces)]
    assert parts[:-1] == [None] * (renderer.pieces - 1)
    smooth = parts[-1]
    assert smooth is not None
    whole = renderer.frame()
    assert np.abs(smooth.astype(int) - whole).max() <= 70  # an edge may fall to the other side of one sample in four
    assert np.abs(smooth.astype(int) - whole).mean() < 0.02
    assert np.abs(renderer.frame(moving=True).astype(int) - whole).mean() > 0.1
    stage.light(0)
    window.canvas.repaint()
    before, idle = renderer.frames, stage.findChild(QTimer, "idle")
    while stage.phase is not Phase.CAREFUL:  # names first
        idle.timeout.emit()
        assert renderer.frames == before
    idle.timeout.emit()
    assert (stage.phase, renderer.frames) == (Phase.PIECES, before + 1)
    stage.light(1)  # a change begins anew
    assert stage.phase is Phase.MOVING
    qtbot.waitUntil(lambda: stage.is_still)
    image = stage.frame
    assert image is not None
    bits = image.constBits()
    bits.setsize(image.sizeInBytes())
    shown = np.frombuffer(bits, np.uint8).reshape(image.height(), image.bytesPerLine())[:, : 3 * image.width()]
    smooth = [renderer.piece(number) for number in range(renderer.pieces)][-1]
    assert np.array_equal(shown.reshape(smooth.shape), smooth)


def test_a_message_leaves_the_room_to_the_picture(window: MainWindow, qtbot) -> None:
    """Look-and-feel: it lies over the upper edge of the view, which keeps its size."""
    before = window.canvas.height()
    window.desk.say("Something that the user has to know.")
    qtbot.waitUntil(window.message.isVisible)
    assert window.canvas.height() == before
    assert 0 < window.message.height() < 60
    assert window.message.mapToGlobal(QPoint(0, 0)) == window.canvas.mapToGlobal(QPoint(0, 0))


def test_an_error_looks_unlike_a_hint(window: MainWindow, qtbot) -> None:
    """The bar changes its look with each sentence, also while it is there already."""
    bar, looks = window.message, []
    for error in (True, False, True):
        window.desk.say("Something that the user has to know.", error=error)
        qtbot.waitUntil(bar.isVisible)
        looks.append(bar.grab().toImage())
    assert looks[0] != looks[1]
    assert looks[0] == looks[2]


def test_a_long_way_gives_way_in_the_middle(qtbot, shop: Project) -> None:
    """Look-and-feel: the breadcrumb says where one is, however deep that is and however narrow the window."""
    graph, crumbs = shop.graph, Crumbs()
    qtbot.addWidget(crumbs)
    key = int(np.argmax(graph.tree.depth))
    way = [key, *graph.ancestors(key)][::-1]
    names = [graph.names[node] for node in way]
    crumbs.resize(3000, 30)
    crumbs.show_path(graph, graph.root, key)
    crumbs.show()
    buttons = [b for b in crumbs.findChildren(QToolButton) if b.objectName() in ("crumb", "here")]
    more = next(b for b in crumbs.findChildren(QToolButton) if b.text().endswith("…"))
    qtbot.waitUntil(lambda: [b.text() for b in buttons if b.isVisible()] == names)
    assert more.isHidden()
    crumbs.resize(sum(b.width() for b in buttons) // 2 + more.sizeHint().width(), 30)
    qtbot.waitUntil(more.isVisible)
    shown = [b.text() for b in buttons if b.isVisible()]
    gone = [action.text() for action in more.menu().actions()]
    assert [names[0], *gone, *shown[1:]] == names
    assert shown[-1] == names[-1]
    with qtbot.waitSignal(crumbs.chosen) as chosen:
        more.menu().actions()[0].trigger()
    assert chosen.args == [way[1]]
    crumbs.resize(buttons[-1].sizeHint().width() + 2 * more.sizeHint().width(), 30)
    qtbot.waitUntil(lambda: [b.text() for b in buttons if b.isVisible()] == names[-1:])
    assert [action.text() for action in more.menu().actions()] == names[:-1]


def test_the_arrow_keys_walk_along_the_buttons_that_are_there(qtbot, shop: Project) -> None:
    """In a narrow window, what gave way in the middle is passed over."""
    graph, crumbs = shop.graph, Crumbs()
    qtbot.addWidget(crumbs)
    crumbs.show_path(graph, graph.root, int(np.argmax(graph.tree.depth)))
    crumbs.resize(3000, 30)
    crumbs.show()
    qtbot.waitExposed(crumbs)
    crumbs.resize(sum(b.width() for b in crumbs.findChildren(QToolButton) if b.isVisible()) * 3 // 4, 30)
    qtbot.waitUntil(lambda: any(b.isHidden() for b in crumbs.findChildren(QToolButton, "crumb")))
    there = sorted(
        (b for b in crumbs.findChildren(QToolButton) if b.isVisible() and b.isEnabled()), key=lambda b: b.x()
    )
    assert len(there) >= 3
    for key, way in ((Qt.Key.Key_Right, there), (Qt.Key.Key_Left, there[::-1])):
        for button, following in zip(way, [*way[1:], way[-1]], strict=True):
            assert crumbs.walk(button, int(key))
            assert crumbs.focusWidget() is following


def test_names_that_fit_are_not_moved_aside(window: MainWindow, qtbot) -> None:
    """Look-and-feel: in a small window, too, the tree is not scrolled sideways for what is in sight without that."""
    window.resize(1280, 800)
    window.reset_layout()
    panel, graph = window.desk.panels["structure"], window.session.graph
    tree = panel.tree
    qtbot.waitUntil(lambda: tree.viewport().width() < 240)
    assert tree.horizontalScrollBar().maximum() == 0
    key = next(key for key in range(len(graph)) if graph.kind(key) == "file" and graph.tree.depth[key] == 3)
    window.session.select([key])
    assert tree.horizontalScrollBar().value() == 0
    assert tree.visualRect(panel.model.index_of(key)).left() > 0


def test_a_narrow_tree_gives_names_the_room_of_its_bars(window: MainWindow, qtbot) -> None:
    """Look-and-feel: in a small window the first levels need no scrolling, and are more than a letter and dots."""
    window.desk.docks["structure"].setFixedWidth(160)
    tree = window.desk.panels["structure"].tree
    qtbot.waitUntil(lambda: tree.width() <= 160)
    qtbot.waitUntil(lambda: tree.horizontalScrollBar().maximum() == 0)
    image = tree.viewport().grab().toImage()
    bar = QColor(window.desk.look.faint).rgb()
    at_the_edge = {image.pixel(image.width() - 8, y) for y in range(image.height())}
    assert bar not in at_the_edge


def test_an_empty_tree_says_what_it_is_for(new_window: NewWindow, qtbot) -> None:
    """Look-and-feel: never a blank canvas; the same goes for panels."""
    tree = new_window().desk.panels["structure"].tree
    qtbot.waitUntil(tree.isVisible)
    drawn = tree.viewport().grab().toImage()
    colors = {drawn.pixel(x, y) for x in range(drawn.width()) for y in range(min(60, drawn.height()))}
    assert len(colors) > 3  # letters


def test_deep_names_in_the_tree_can_be_read(window: MainWindow, qtbot) -> None:
    """NEW-13: the tree scrolls sideways to what is selected, and its bars stay in sight."""
    panel, graph = window.desk.panels["structure"], window.session.graph
    window.desk.docks["structure"].setFixedWidth(150)
    key = max(range(len(graph)), key=lambda key: int(graph.tree.depth[key]) if graph.file[key] >= 0 else -1)
    window.session.select([key])
    tree = panel.tree
    index = panel.model.index_of(key)
    assert tree.header().sectionSize(0) > tree.viewport().width()
    assert tree.visualRect(index).left() < tree.viewport().width() / 2
    window.session.select([graph.children(graph.root).tolist()[0]])
    assert tree.horizontalScrollBar().value() == 0


def test_the_violations_of_a_rule_have_one_heading(window: MainWindow) -> None:
    """Also where those of another rule stand between them."""
    now, today = window.session.violations()
    first, other = (next(v for v in now if v.rule == rule) for rule in list(dict.fromkeys(v.rule for v in now))[:2])
    again = next(v for v in now if v.rule == first.rule and v is not first)
    html = violations_html(window.session.graph, [first, other, again], today)
    assert html.count("<h4>") == 2
    assert html.count("href='violation:") == 3
    assert html.index("violation:0") < html.index("violation:2") < html.index("violation:1")


@pytest.mark.usefixtures("large")
def test_the_breadcrumb_follows_a_move(window: MainWindow, qtbot) -> None:
    """The selection lies elsewhere then; Undo brings the old way back."""
    window.session.select([_key(window, "shop/domain")])
    qtbot.waitUntil(lambda: _shown_crumbs(window) == ["shop", "shop", "domain"])
    _move(window, "shop/domain", "shop/services")
    qtbot.waitUntil(lambda: _shown_crumbs(window) == ["shop", "shop", "services", "domain"])
    window.session.undo()
    qtbot.waitUntil(lambda: _shown_crumbs(window) == ["shop", "shop", "domain"])
