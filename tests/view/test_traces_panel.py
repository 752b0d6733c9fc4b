"""Traces in the window: opened, looked at through a window of time, closed (CBV-12)."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot
from qtpy.QtCore import QEvent, QMimeData, QPoint, QPointF, Qt, QUrl
from qtpy.QtGui import QColor, QDropEvent, QMouseEvent, QWheelEvent
from qtpy.QtWidgets import QApplication

from cbvtool.errors import InputError
from cbvtool.metrics.run_time import CALLS, COVERAGE, SELF_TIME
from cbvtool.plan.document import TraceFile
from cbvtool.progress import Progress
from cbvtool.session.traces.files import imported as read_file
from cbvtool.trace.model.durations import duration
from cbvtool.trace.model.focus import Focus
from cbvtool.view.panels.source_panel import SourcePanel
from cbvtool.view.panels.traces.empty_state import TITLE
from cbvtool.view.panels.traces.time_strip import TimeStrip, tick_step
from cbvtool.view.panels.traces.traces_panel import NO_WINDOW, TracesPanel
from cbvtool.view.panels.traces.tracing import LEAVE_OUT, Tracing
from cbvtool.view.toolkit.plain import Label, tooltip_of
from cbvtool.view.toolkit.theme import look
from cbvtool.view.window.main_window import MainWindow
from tests.trace.handmade import MS, builder, imported
from tests.trace.shop_run import CHECKOUT, FROM_CART, NOW, TOTAL, shop_run


@pytest.fixture
def window(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> MainWindow:
    """What is read from any file is the run of the sample project."""
    run = shop_run(window.session.graph)
    monkeypatch.setattr("cbvtool.view.panels.traces.tracing.imported", lambda path, _progress: imported(run, path.name))
    return window


@pytest.fixture
def panel(window: MainWindow, qtbot) -> TracesPanel:
    """With the run open."""
    window.tracing.open_file(Path("run.json"))
    return settled(window, qtbot)


def settled(window: MainWindow, qtbot) -> TracesPanel:
    traces = window.session.traces
    qtbot.waitUntil(lambda: bool(traces.opened) and traces.found is not None and not traces.is_wanted)
    return window.desk.panel(TracesPanel)


def value(window: MainWindow, metric: str, node: str) -> float:
    return float(window.session.scene().values[metric][window.session.graph.key_of[node]])


def cells(panel: TracesPanel, column: int = 0) -> list[str]:
    rows = panel.table.rows
    return [rows.data(rows.index(row, column)) for row in range(rows.rowCount())]


def drag(strip: TimeStrip, start: int, end: int) -> None:
    """By events alone: a pointer that is moved on the screen tells of it later, on a busy machine in the next drag."""
    left, none = Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton
    moves = [(QEvent.Type.MouseMove, place, none, left) for place in (start + (end - start) // 2, end)]
    for kind, place, button, held in (
        (QEvent.Type.MouseButtonPress, start, left, left),
        *moves,
        (QEvent.Type.MouseButtonRelease, end, left, none),
    ):
        at = QPointF(place, 20)
        there = QPointF(strip.mapToGlobal(QPoint(place, 20)))
        QApplication.sendEvent(strip, QMouseEvent(kind, at, there, button, held, Qt.KeyboardModifier.NoModifier))


def test_without_a_trace_the_panel_says_what_to_do(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    monkeypatch.setattr("cbvtool.view.panels.traces.tracing.ask_traces", lambda *_a: asked.append(1))
    panel = window.desk.show(TracesPanel)
    assert any(label.text() == TITLE and label.isVisible() for label in panel.findChildren(Label))
    QtBot.mouseClick(panel.empty.opener, Qt.MouseButton.LeftButton)
    assert asked == [1]
    assert not window.actions_by_name["close_trace"].isEnabled()


def test_a_trace_that_is_opened_is_shown(panel: TracesPanel, window: MainWindow) -> None:
    """The header says what it is; metrics are offered; the picture has its relations."""
    assert panel.isVisible()
    assert panel.facts.text() == "13 calls · 2 threads · 1 s"
    assert "Of 6 recorded functions 5 belong to this code; the others ran outside of it." in panel.about.text()
    assert cells(panel)[:2] == ["main", "total"]
    assert "run-time call" in window.session.graph.edges.kind_names
    QtBot.mouseClick(panel.calls_shown, Qt.MouseButton.LeftButton)
    mapping = window.session.view.mapping
    assert (mapping.height, mapping.color, mapping.thickness) == (CALLS, SELF_TIME, "calls")
    QtBot.mouseClick(panel.coverage_shown, Qt.MouseButton.LeftButton)
    assert window.session.view.mapping.color == COVERAGE
    QtBot.mouseClick(panel.calls_shown, Qt.MouseButton.LeftButton)
    assert window.session.view.mapping.color_map == mapping.color_map  # not that of coverage


def test_a_window_that_is_dragged_restricts_the_values(panel: TracesPanel, window: MainWindow, qtbot) -> None:
    """CBV-12: a window of time, by the mouse."""
    assert value(window, CALLS, TOTAL) == 4
    strip = panel.strip
    wide = strip.width() - 1
    drag(strip, 0, round(wide * 0.3))
    settled(window, qtbot)
    assert value(window, CALLS, CHECKOUT) == 1
    assert "from 0 s on" in panel.window_words.text()
    before = window.session.traces.focus.window
    assert before is not None
    drag(strip, round(wide * 0.15), round(wide * 0.65))  # the window itself is moved
    settled(window, qtbot)
    after = window.session.traces.focus.window
    assert after is not None
    assert after[1] - after[0] == before[1] - before[0]
    assert after[0] > before[0]
    assert panel.window_words.text() == f"{duration(after[1] - after[0])} from {duration(after[0])} on"
    drag(strip, round(strip.x_of(after[1])), wide)  # its end is taken
    settled(window, qtbot)
    widened = window.session.traces.focus.window
    assert widened == (after[0], 1000 * MS)
    QtBot.mouseDClick(strip, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, QPoint(wide // 2, 20))
    settled(window, qtbot)
    assert window.session.traces.focus.window is None
    assert value(window, CALLS, TOTAL) == 4


def test_the_wheel_zooms_around_the_pointer(panel: TracesPanel, window: MainWindow, qtbot) -> None:
    strip = panel.strip
    place = QPointF(strip.width() * 0.5, 20)
    QApplication.sendEvent(strip, _wheel(strip, place, 240))
    settled(window, qtbot)
    chosen = window.session.traces.focus.window
    assert chosen is not None
    assert sum(chosen) / 2 == pytest.approx(500 * MS, rel=0.02)
    assert chosen[1] - chosen[0] == pytest.approx(1000 * MS / 1.25**2, rel=0.02)
    QApplication.sendEvent(strip, _wheel(strip, place, -480))
    settled(window, qtbot)
    assert window.session.traces.focus.window is None


def _wheel(strip: TimeStrip, place: QPointF, delta: int) -> QWheelEvent:
    at = QPointF(strip.mapToGlobal(place.toPoint()))
    return QWheelEvent(
        place,
        at,
        QPoint(),
        QPoint(0, delta),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )


def test_keys_move_and_widen_the_window(panel: TracesPanel, window: MainWindow, qtbot) -> None:
    strip, traces = panel.strip, window.session.traces
    strip.setFocus()
    QtBot.keyClick(strip, Qt.Key.Key_Up)
    first = traces.focus.window
    assert first is not None
    QtBot.keyClick(strip, Qt.Key.Key_Right)
    second = traces.focus.window
    assert second is not None
    assert second[0] > first[0]
    QtBot.keyClick(strip, Qt.Key.Key_Left, Qt.KeyboardModifier.ShiftModifier)
    third = traces.focus.window
    assert third is not None
    assert third[0] == second[0]
    assert third[1] < second[1]
    QtBot.keyClick(strip, Qt.Key.Key_Home)
    assert traces.focus.window is None
    settled(window, qtbot)


def test_the_window_is_seen_while_the_strip_has_the_focus(panel: TracesPanel, window: MainWindow, qtbot) -> None:
    """What is chosen has another ground than the rest; the frame of the focus covers neither."""
    strip = panel.strip
    drag(strip, strip.width() // 4, strip.width() // 2)
    settled(window, qtbot)
    window.activateWindow()
    strip.setFocus()
    qtbot.waitUntil(strip.hasFocus)
    image = strip.grab().toImage()
    inside, outside = (image.pixelColor(round(strip.width() * part), 4).name() for part in (0.4, 0.8))
    assert inside != outside
    assert outside == QColor(look(window.settings.theme).ground).name()


def test_escape_ends_a_drag_of_the_window(panel: TracesPanel, window: MainWindow, qtbot) -> None:
    """ESC puts back what the drag began with, and does nothing else."""
    strip, traces = panel.strip, window.session.traces
    window.session.select([window.session.graph.key_of["shop"]])
    QtBot.mousePress(strip, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, QPoint(10, 20))
    QtBot.mouseMove(strip, QPoint(120, 20))
    assert traces.focus.window is not None
    strip.setFocus()
    QtBot.keyClick(strip, Qt.Key.Key_Escape)
    assert traces.focus.window is None
    QtBot.mouseMove(strip, QPoint(200, 20))
    assert traces.focus.window is None
    assert window.session.view.selected
    QtBot.mouseRelease(strip, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, QPoint(200, 20))
    settled(window, qtbot)


def test_threads_are_ticked(panel: TracesPanel, window: MainWindow, qtbot) -> None:
    item = panel.threads.item(0)
    assert item is not None
    item.setCheckState(Qt.CheckState.Unchecked)
    settled(window, qtbot)
    assert value(window, CALLS, TOTAL) == 2
    item.setCheckState(Qt.CheckState.Checked)
    settled(window, qtbot)
    assert window.session.traces.focus.threads is None
    assert value(window, CALLS, TOTAL) == 4


def test_a_row_selects_its_node_and_opens_its_source(panel: TracesPanel, window: MainWindow, qtbot) -> None:
    row = cells(panel).index("from_cart")
    panel.table.scrollTo(panel.table.rows.index(row, 0))
    place = panel.table.visualRect(panel.table.rows.index(row, 0)).center()
    QtBot.mouseClick(panel.table.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place)
    assert window.session.view.selected == (window.session.graph.key_of[FROM_CART],)
    QtBot.mouseDClick(panel.table.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place)
    source = window.desk.panel(SourcePanel)
    qtbot.waitUntil(lambda: "shop/domain/order.py" in source.place.text())


def test_tables_are_sorted_and_searched(panel: TracesPanel) -> None:
    head = panel.table.header()
    assert head is not None
    panel.table.sortByColumn(1, Qt.SortOrder.DescendingOrder)
    counts = [int(cell) for cell in cells(panel, 1)]
    assert counts == sorted(counts, reverse=True)
    panel.table.sortByColumn(0, Qt.SortOrder.AscendingOrder)
    assert cells(panel) == sorted(cells(panel), key=str.casefold)
    panel.field.setText("cart")
    panel._filter()
    assert set(cells(panel)) <= {"from_cart", "total"}
    assert panel.count.text().startswith("2 of 5")


def test_every_table_has_rows_or_says_why_not(panel: TracesPanel) -> None:
    for tab in range(panel.tabs.count()):
        panel.tabs.setCurrentIndex(tab)
        assert panel.count.text()
        assert panel.table.rows.rowCount() or not panel.count.text()[0].isdigit()


def test_closing_a_trace_leaves_the_picture_as_it_was(panel: TracesPanel, window: MainWindow) -> None:
    usual = window.session.usual_mapping
    window.actions_by_name["calls_as_heights"].trigger()
    window.actions_by_name["close_trace"].trigger()
    assert window.session.view.mapping == usual
    assert not window.session.traces.opened
    assert panel.empty.isVisible()


def test_only_what_the_source_does_not_say_is_shown(panel: TracesPanel, window: MainWindow) -> None:
    action = window.actions_by_name["only_run_time"]
    action.trigger()
    assert action.isChecked()
    edges, shown = window.session.scene().graph.edges, window.session.scene().relations
    ids = window.session.graph.ids
    assert (TOTAL, NOW) in {(ids[s], ids[t]) for s, t in zip(edges.source[shown], edges.target[shown], strict=True)}
    action.trigger()
    assert window.session.view.filter.evidence == "any"


def test_a_dropped_recording_joins_what_is_open(window: MainWindow, qtbot, monkeypatch: pytest.MonkeyPatch) -> None:
    """Anything else that is dropped is opened in place of what is open."""
    opened: list[Path] = []
    monkeypatch.setattr(window, "open", opened.append)
    monkeypatch.setattr(Tracing, "takes", lambda _self, path: path.suffix == ".json")
    _drop(window, "/tmp/a.cbv")
    assert opened == [Path("/tmp/a.cbv")]
    _drop(window, "/tmp/run.json")
    assert opened == [Path("/tmp/a.cbv")]
    assert settled(window, qtbot).isVisible()


def _drop(window: MainWindow, path: str) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(path)])
    window.dropEvent(
        QDropEvent(
            QPointF(5, 5), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
        )
    )


def test_what_cannot_be_read_is_one_sentence(window: MainWindow, qtbot, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path, _progress: object) -> object:
        raise InputError(f"{path} cannot be read: it ends too early.")

    monkeypatch.setattr("cbvtool.view.panels.traces.tracing.imported", refuse)
    window.tracing.open_file(Path("run.json"))
    qtbot.waitUntil(window.message.isVisible)
    assert "it ends too early" in window.message.text
    assert not window.session.traces.opened


def test_closing_the_window_ends_the_reading_of_a_trace(
    window: MainWindow, qtbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No hang, no thread left: the reader is told at its next report of progress."""
    begun, ended = threading.Event(), threading.Event()

    def endless(_path: Path, progress: Progress) -> None:
        try:
            while True:
                progress("Reading", 0, 0)
                begun.set()
                time.sleep(0.001)
        finally:
            ended.set()

    monkeypatch.setattr("cbvtool.view.panels.traces.tracing.imported", endless)
    before = threading.active_count()
    window.tracing.open_file(Path("run.json"))
    qtbot.waitUntil(begun.is_set)
    window.close()
    assert ended.is_set()
    assert not window.jobs.running
    assert threading.active_count() <= before


def test_a_profile_is_opened_like_a_trace(
    window: MainWindow, qtbot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CBV-12: its table and metrics; what it lacks is switched off, with the reason."""
    monkeypatch.setattr("cbvtool.view.panels.traces.tracing.imported", read_file)
    stacks = tmp_path / "run.folded"
    stacks.write_text("main (shop/ui/cli.py:1);from_cart 7\nmain (shop/ui/cli.py:1);elsewhere 2\n")
    window.tracing.open_file(stacks)
    traces = window.session.traces
    qtbot.waitUntil(lambda: traces.profile is not None and traces.found is not None and not traces.is_wanted)
    panel = window.desk.panel(TracesPanel)
    assert panel.isVisible()
    assert "from_cart" in cells(panel)
    assert [panel.table.rows.headerData(i, Qt.Orientation.Horizontal) for i in range(1, 4)] == [
        "Samples",
        "Self samples",
        "Total samples",
    ]
    assert not panel.whole.isEnabled()
    assert panel.window_words.text() == NO_WINDOW == tooltip_of(panel.whole)
    assert not panel.strip.isVisible()
    assert not window.actions_by_name["whole_trace"].isEnabled()
    for tab in range(panel.tabs.count()):
        panel.tabs.setCurrentIndex(tab)
        assert panel.count.text()
    window.actions_by_name["calls_as_heights"].trigger()
    assert window.session.view.mapping.color == SELF_TIME
    window.actions_by_name["close_trace"].trigger()
    assert panel.empty.isVisible()


def test_a_trace_of_the_document_that_is_missing_is_asked_for(
    window: MainWindow, qtbot, shop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One clear sentence, and to find it or to leave it out; nothing else of the document is lost."""
    gone = TraceFile(tmp_path / "gone.json", "test", "", 1, 1)
    document = replace(window.session.document(), traces=(gone,))
    window.session.open(shop, document, tmp_path / "a.cbv")
    assert window.message.isVisible()
    assert "gone.json" in window.message.text
    answers = iter([LEAVE_OUT])
    monkeypatch.setattr(window.tracing, "ask_missing", lambda _file: next(answers))
    window.message._offer.click()
    assert list(window.session.traces.files) == []
    window.session.open(shop, document, tmp_path / "a.cbv")
    monkeypatch.setattr(window.tracing, "ask_missing", lambda _file: "find")
    monkeypatch.setattr("cbvtool.view.panels.traces.tracing.ask_trace", lambda *_a: tmp_path / "found.json")
    window.message._offer.click()
    settled(window, qtbot)
    assert [each.path.name for each in window.session.traces.files] == ["found.json"]


def test_a_trace_of_the_document_is_read_when_it_is_opened(window: MainWindow, qtbot, shop, tmp_path: Path) -> None:
    there = tmp_path / "run.json"
    there.write_text("{}")
    document = replace(window.session.document(), traces=(TraceFile(there, "test"),))
    window.session.open(shop, document, tmp_path / "a.cbv")
    settled(window, qtbot)
    assert value(window, CALLS, TOTAL) == 4


@pytest.mark.parametrize("name", ["<b>bold</b><img src=x>", "\u202egnol\u202c", "x" * 10_000, "a\nb\x1b[31m", "&amp;"])
def test_hostile_names_are_text(window: MainWindow, qtbot, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """HTML, bidi marks, lines and 10,000 characters in names of functions, threads, files and programs."""
    made = builder()
    thread = made.thread(1, 1)
    made.name_thread(thread, name, name)
    made.span(thread, made.function(name, name, name, 5), 0, 10 * MS)
    made.describe(program=name, arguments=(name,), recorder=name, commit=name)
    made.repairs[name] = 4
    run = made.trace(made.build())
    monkeypatch.setattr("cbvtool.view.panels.traces.tracing.imported", lambda path, _progress: imported(run, path.name))
    window.tracing.open_file(Path("run.json"))
    panel = settled(window, qtbot)
    for tab in range(panel.tabs.count()):
        panel.tabs.setCurrentIndex(tab)
        for row in range(panel.table.rows.rowCount()):
            for column in range(panel.table.rows.columnCount()):
                index = panel.table.rows.index(row, column)
                text = panel.table.rows.data(index)
                assert text.isprintable()
                assert len(text) <= 400
                tip = panel.table.rows.data(index, Qt.ItemDataRole.ToolTipRole) or ""
                assert "<b>bold" not in tip
                assert "<img" not in tip
    for label in (panel.facts, panel.about):
        assert label.textFormat() == Qt.TextFormat.PlainText
        assert all(line.isprintable() for line in label.text().split("\n"))
    item = panel.threads.item(0)
    assert item is not None
    assert item.text().isprintable()
    assert len(item.text()) < 200


def test_a_report_of_coverage_is_opened_the_same_way(
    window: MainWindow, qtbot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """NEW-14: lines from lcov; the list of where to test, and the trace that is opened beside it stay."""
    monkeypatch.undo()
    report = tmp_path / "lcov.info"
    report.write_text(f"SF:{window.session.project.path}/shop/domain/money.py\nDA:1,1\nDA:2,0\nend_of_record\n")
    assert window.tracing.takes(report)
    assert not window.tracing.takes(Path("/nowhere"))
    window.tracing.open_file(report)
    traces = window.session.traces
    qtbot.waitUntil(lambda: traces.found is not None and not traces.is_wanted)
    panel = window.desk.panel(TracesPanel)
    assert value(window, COVERAGE, "shop/domain/money.py") == 50
    assert cells(panel)
    assert panel.facts.text() == "lcov.info · 1 file"
    window.actions_by_name["coverage_as_colours"].trigger()
    traces.add(imported(shop_run(window.session.graph)))
    settled(window, qtbot)
    assert value(window, COVERAGE, "shop/domain/money.py") == 50
    assert value(window, CALLS, TOTAL) == 4
    traces.leave_out(traces.reports[0].file)
    settled(window, qtbot)
    assert value(window, COVERAGE, "shop/domain/money.py") == 0
    window.actions_by_name["close_trace"].trigger()
    assert not traces.is_open


def test_ticks_are_round_and_few() -> None:
    assert tick_step(1000, 10) == 100
    assert tick_step(1001, 10) == 200
    assert tick_step(7, 100) == 1
    assert Focus().within((0, 5)) == (0, 5)
