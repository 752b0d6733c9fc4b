"""The source of the selection in the window (NEW-10)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot
from qtpy.QtCore import QPoint, QRect, Qt
from qtpy.QtGui import QColor, QPalette

from cbvtool.asking.highlight import ROLES
from cbvtool.asking.source import SourcePlace
from cbvtool.geometry.colors import THEMES
from cbvtool.graph import GraphBuilder
from cbvtool.plugin.events import EventKind, ViewEvent
from cbvtool.plugin.requests import OpenSource
from cbvtool.project import Project
from cbvtool.view.panels.source_panel import HINT, NO_SOURCES, SourcePanel, lines_told
from cbvtool.view.panels.source_view import COLORS, SourceView
from cbvtool.view.toolkit import theme
from cbvtool.view.window.main_window import MainWindow

TEXT = "import util\n\n\ndef start():\n    helper = util.helper()\n    return helper\n\n\ndef other():\n    return 1\n"


def project(folder: Path, kind: str = "folder") -> Project:
    """main.py with `start`, which uses `helper` in util.py on line 5; the numbers of bytes are those of the files."""
    (folder / "main.py").write_text(TEXT)
    (folder / "util.py").write_text("\n\ndef helper():\n    return 2\n")
    (folder / "data.bin").write_bytes(b"\0\1")
    builder = GraphBuilder("p")
    for path in ("main.py", "util.py", "data.bin", "gone.py"):
        size = (folder / path).stat().st_size if (folder / path).exists() else 0
        builder.add_node(path, "", path, "file", file=path, values={"bytes": size, "sloc": 9})
    builder.add_node("docs", "", "docs", "folder", values={"sloc": 9})
    for node, line, end in (("main.py::start", 4, 6), ("main.py::other", 9, 10), ("util.py::helper", 3, 4)):
        path, _, name = node.partition("::")
        builder.add_node(node, path, name, "function", file=path, line=line, end_line=end, values={"sloc": 3})
    builder.add_edge(builder.key("main.py::start"), builder.key("util.py::helper"), "call", sites=[("main.py", 5)])
    builder.add_edge(builder.key("main.py"), builder.key("util.py"), "import", sites=[("main.py", 1)])
    return Project(folder, "p", builder.freeze(), None, "", kind)  # type: ignore[arg-type]


@pytest.fixture
def window(new_window: Callable[[], MainWindow], tmp_path: Path, qtbot) -> MainWindow:
    folder = tmp_path / "p"
    folder.mkdir()
    window = new_window()
    with qtbot.waitSignal(window.canvas.stage.first_frame):
        window.session.open(project(folder))
    window.desk.bring("source")
    return window


def panel(window: MainWindow) -> SourcePanel:
    found = window.desk.panels["source"]
    assert isinstance(found, SourcePanel)
    return found


def select(window: MainWindow, *nodes: str) -> None:
    window.session.select([window.session.graph.key_of[node] for node in nodes])


def read(window: MainWindow, node: str, qtbot) -> SourceView:
    """Select a node and wait until its source, with its colours, is shown."""
    select(window, node)
    shown = panel(window)
    qtbot.waitUntil(lambda: shown.pages.currentWidget() is shown.view and not shown.desk.jobs.is_busy(shown))
    return shown.view


def spot(view: SourceView, line: int, column: int) -> QPoint:
    """Where a character is seen in the viewport."""
    block = view.document().findBlockByNumber(line - 1)
    cursor = view.textCursor()
    cursor.setPosition(block.position() + column)
    left = view.cursorRect(cursor)
    cursor.setPosition(block.position() + column + 1)
    return QRect(left.topLeft(), view.cursorRect(cursor).bottomRight()).center()


def test_new10_it_follows_the_selection(window: MainWindow, qtbot) -> None:
    """The whole file, the lines of what is selected marked and in sight; another function of the file at once."""
    view = read(window, "main.py::start", qtbot)
    assert view.toPlainText() == TEXT
    assert view.isReadOnly()
    assert view.marked_range == (4, 6)
    assert "lines 4 to 6" in panel(window).place.text()
    select(window, "main.py::other")
    assert view.marked_range == (9, 10)
    assert view.toPlainText() == TEXT
    view = read(window, "util.py", qtbot)
    assert view.toPlainText().startswith("\n\ndef helper")
    assert view.marked_range == (0, 0)  # all of it: nothing is to be told from the rest
    assert panel(window).place.text() == "util.py"


@pytest.mark.parametrize(
    ("line", "last", "said"),
    [
        (0, 0, ""),
        (0, 1, "1 line"),
        (0, 2019, "2,019 lines"),
        (7, 0, "line 7"),
        (1, 1, "line 1"),
        (879, 1_200, "lines 879 to 1,200"),
    ],
)
def test_new10_lines_are_told(line: int, last: int, said: str) -> None:
    """Of a whole file, how many there are."""
    assert lines_told(SourcePlace(0, line, last)) == said


def test_new10_parts_have_the_colours_of_both_themes(window: MainWindow, qtbot) -> None:
    """Each can be read on the panel's ground (contrast 4.5)."""
    view = read(window, "main.py::start", qtbot)
    line = view.document().findBlockByNumber(3)

    def color() -> str:
        return next(f.format.foreground().color().name() for f in line.layout().formats() if f.start == 0)

    assert color() == COLORS["light"][ROLES.index("keyword")].lower()
    window.desk.do("theme")
    qtbot.waitUntil(lambda: color() == COLORS["dark"][ROLES.index("keyword")].lower())

    def luminance(name: str) -> float:
        parts = [part / 255 for part in QColor(name).getRgb()[:3]]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    for name in THEMES:
        ground = luminance(theme.look(name).panel)
        for code in COLORS[name]:
            lighter, darker = sorted((luminance(code), ground), reverse=True)
            assert (lighter + 0.05) / (darker + 0.05) >= 4.5, (name, code)


def test_new10_a_click_on_a_use_selects_what_is_used(window: MainWindow, qtbot) -> None:
    """On its name in the text, or on the mark in the margin; a click elsewhere does nothing."""
    view = read(window, "main.py::start", qtbot)
    key_of = window.session.graph.key_of
    line = TEXT.split("\n")[4]
    QtBot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=spot(view, 5, 5))
    assert window.session.view.selected == (key_of["main.py::start"],)
    QtBot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=spot(view, 5, line.rindex("helper") + 2))
    assert window.session.view.selected == (key_of["util.py::helper"],)
    view = read(window, "main.py::start", qtbot)
    QtBot.mouseClick(view.margin, Qt.MouseButton.LeftButton, pos=QPoint(5, spot(view, 1, 0).y()))
    assert window.session.view.selected == (key_of["util.py"],)


def test_new10_marks_are_those_of_shown_relations(window: MainWindow, qtbot) -> None:
    view = read(window, "main.py::start", qtbot)
    assert set(view._sites) == {1, 5}
    assert view._own == {5}
    window.session.show_kind("call", shown=False)
    qtbot.waitUntil(lambda: set(view._sites) == {1})


@pytest.mark.parametrize(
    ("node", "said"),
    [
        ("data.bin", "data.bin is binary"),
        ("gone.py", "gone.py is not there any more"),
        ("docs", "docs is a folder: select a file, a class or a function"),
    ],
)
def test_new10_where_there_is_no_source_it_says_why(window: MainWindow, qtbot, node: str, said: str) -> None:
    shown = panel(window)
    assert shown.hint.text() == HINT
    select(window, node)
    qtbot.waitUntil(lambda: said in shown.hint.text())
    assert shown.pages.currentIndex() == 0
    assert not shown.editor_button.isEnabled()


def test_new10_a_changed_file_is_shown_only_on_request(window: MainWindow, qtbot) -> None:
    file = window.session.project.path / "main.py"
    file.write_text("# new\n" + TEXT)
    shown = panel(window)
    select(window, "main.py::start")
    qtbot.waitUntil(lambda: "changed since the analysis" in shown.hint.text())
    assert shown.again.isVisible()
    shown.anyway.click()
    assert shown.pages.currentWidget() is shown.view
    assert shown.view.toPlainText().startswith("# new")
    assert "changed" in shown.note.text()


def test_new10_a_graph_without_sources_says_so(new_window, tmp_path: Path, qtbot) -> None:
    folder = tmp_path / "p"
    folder.mkdir()
    window = new_window()
    with qtbot.waitSignal(window.canvas.stage.first_frame):
        window.session.open(project(folder, "graph"))
    window.desk.bring("source")
    select(window, "main.py::start")
    assert panel(window).hint.text() == NO_SOURCES


def test_new10_find_in_the_file(window: MainWindow, qtbot) -> None:
    """Ctrl+F in the panel finds in the file, not in the graph; Enter goes on round the end, Esc ends it."""
    view, shown = read(window, "main.py", qtbot), panel(window)
    view.setFocus()
    QtBot.keyClick(view, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert window.focusWidget() is shown.field
    QtBot.keyClicks(shown.field, "HELPER")
    assert shown.found.text() == "1 of 3"
    assert view.textCursor().blockNumber() == 4
    for number in ("2 of 3", "3 of 3", "1 of 3"):
        QtBot.keyClick(shown.field, Qt.Key.Key_Return)
        assert shown.found.text() == number
    QtBot.keyClick(shown.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert shown.found.text() == "3 of 3"
    QtBot.keyClicks(shown.field, "x")
    assert shown.found.text() == "Nothing found"
    QtBot.keyClick(shown.field, Qt.Key.Key_Escape)
    assert not shown.find_bar.isVisible()
    assert window.session.view.selected != ()


def test_new10_hidden_it_reads_nothing(window: MainWindow, qtbot, monkeypatch: pytest.MonkeyPatch) -> None:
    window.desk.bring("relations")
    qtbot.waitUntil(lambda: not panel(window).is_seen)
    select(window, "util.py")
    assert not window.jobs.is_busy(panel(window))
    assert panel(window)._file == -1
    window.desk.bring("source")
    qtbot.waitUntil(lambda: panel(window).view.toPlainText().startswith("\n\ndef helper"))


def test_new10_long_files_and_lines(new_window, tmp_path: Path, qtbot) -> None:
    """Half a megabyte: only what is seen has been given its colours."""
    folder = tmp_path / "p"
    folder.mkdir()
    made = project(folder)
    (folder / "main.py").write_text("value = compute('text')  # why\n" * 16_000)
    size = made.graph.values["bytes"].copy()
    size[made.graph.key_of["main.py"]] = (folder / "main.py").stat().st_size
    window = new_window()
    with qtbot.waitSignal(window.canvas.stage.first_frame):
        window.session.open(replace(made, graph=made.graph.with_(values={**made.graph.values, "bytes": size})))
    window.desk.bring("source")
    select(window, "main.py")
    view = panel(window).view
    qtbot.waitUntil(lambda: view.blockCount() == 16_001)
    qtbot.waitUntil(lambda: bool(view._spans))
    qtbot.waitUntil(lambda: view.is_whole)
    assert view.toPlainText() == (folder / "main.py").read_text()
    assert 0 < len(view._dressed) < 200
    assert view.palette().color(QPalette.ColorRole.Text).isValid()


def test_td_14_what_was_changed_stands_beside_the_source(
    window: MainWindow, qtbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """TD-14: Asked for by a view, at the line of the function; gone with the next selection or by its button."""
    asked: list[tuple[object, ...]] = []

    def patch(*of: object) -> str:
        asked.append(of)
        return "diff --git a/main.py b/main.py\n@@ -1 +1 @@\n-a\n+b\n@@ -9 +9 @@\n-    return 0\n+    return 1\n"

    monkeypatch.setattr("cbvtool.view.panels.versions.source_difference.read_patch", patch)
    shown = panel(window)
    requesting = window.plugin_docks.requesting
    key = window.session.graph.key_of["main.py::other"]
    requesting.do(OpenSource(key, old="a" * 40, new="b" * 40), ViewEvent(EventKind.KEY))
    qtbot.waitUntil(lambda: "+    return 1" in shown.difference.text.toPlainText())
    project = window.session.project
    assert project is not None
    assert asked == [(project.path, "a" * 40, "b" * 40, "main.py")]
    assert shown.difference.isVisible()
    assert "main.py: from aaaaaaaaa to bbbbbbbbb" in shown.difference.head.text()
    assert shown.difference.text.textCursor().blockNumber() == 5
    read(window, "main.py::start", qtbot)
    assert not shown.difference.isVisible()
    requesting.do(OpenSource(key, old="a" * 40, new="b" * 40), ViewEvent(EventKind.KEY))
    assert shown.difference.isVisible()
    shown.difference.close_button.click()
    assert not shown.difference.isVisible()
    requesting.do(OpenSource(key), ViewEvent(EventKind.KEY))
    assert not shown.difference.isVisible()
