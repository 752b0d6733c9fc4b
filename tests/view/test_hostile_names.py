"""A graph with markup in every name opens no file: in no panel, dialog, tooltip, menu and export.

The names point at a picture that is there. Linux tells by inotify whether anybody opened it, also Qt itself, whose
reading Python's audit hooks do not see. `test_the_watch_sees_qt` shows that it would be seen.
"""

from __future__ import annotations

import ctypes
import html.parser
import json
import os
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from markdown_it import MarkdownIt
from qtpy.QtCore import QAbstractItemModel, QAbstractListModel, QEvent, QModelIndex, QPoint, Qt, QTimer
from qtpy.QtGui import QHelpEvent, QImage, QTextCursor
from qtpy.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QDialog,
    QFileDialog,
    QHeaderView,
    QLabel,
    QMenu,
    QMessageBox,
    QTabBar,
    QTextBrowser,
    QToolTip,
    QWidget,
)

from cbvtool.metrics import METRICS
from cbvtool.metrics.metric import Metric
from cbvtool.rules import Deny, Rules
from cbvtool.session import Session
from cbvtool.view.commands.export_dialog import Wanted
from cbvtool.view.toolkit.ask_card import AskCard
from cbvtool.view.toolkit.settings import Settings
from cbvtool.view.window.main_window import MainWindow
from cbvtool.view.window.second_view import SECOND_VIEW
from tests.view.pointer import point

IN_OPEN = 0x20
SIGN = "evilname"  # stands in every name

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="inotify is Linux's"),
    pytest.mark.usefixtures("real_boxes"),
]


class Watch:
    """Counts how often files of a folder are opened, by whomever."""

    def __init__(self, folder: Path) -> None:
        libc = ctypes.CDLL(None, use_errno=True)
        self._handle = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        assert self._handle >= 0, os.strerror(ctypes.get_errno())
        assert libc.inotify_add_watch(self._handle, os.fsencode(folder), IN_OPEN) >= 0, folder

    def opened(self) -> list[str]:
        """Names of the files that were opened since the last time."""
        try:
            data = os.read(self._handle, 1 << 16)
        except BlockingIOError:
            return []
        found, at = [], 0
        while at < len(data):
            length = struct.unpack_from("iIII", data, at)[3]
            found.append(os.fsdecode(data[at + 16 : at + 16 + length].rstrip(b"\0")))
            at += 16 + length
        return [name for name in found if name]

    def close(self) -> None:
        os.close(self._handle)


@dataclass
class Probe:
    """A folder with a picture that nobody may open; names that point at it."""

    folder: Path
    watch: Watch

    def name(self, what: str = "") -> str:
        """A name with markup, by its full path."""
        return f'<img src="{self.folder}/probe.png">{SIGN}&{what}<h1>x'

    def short(self, what: str = "") -> str:
        """The same for a file name, by the path from here."""
        return f'<img src="probe.png">{SIGN}&{what}'


@pytest.fixture
def probe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qapp: QApplication) -> Iterator[Probe]:
    folder = tmp_path / "probe"
    folder.mkdir()
    assert QImage(4, 4, QImage.Format.Format_RGB32).save(str(folder / "probe.png"))
    monkeypatch.chdir(folder)
    watch = Watch(folder)
    yield Probe(folder, watch)
    watch.close()


def test_the_watch_sees_qt(qtbot, probe: Probe) -> None:
    """Else the tests below would pass whatever the window does."""
    for name in (probe.name(), probe.short()):
        label = QLabel(name)
        qtbot.addWidget(label)
        label.show()
        qtbot.waitUntil(lambda: "probe.png" in probe.watch.opened())


# -- subjects ------------------------------------------------------------------------------------------------


def graph_file(probe: Probe, tmp_path: Path) -> Path:
    """A graph of which every text is markup."""
    name = probe.name
    folder, other = name("folder"), name("other")
    files = [f"{folder}/{name('a')}", f"{folder}/{name('b')}", f"{other}/{name('c')}"]
    nodes = [{"id": "", "parent": None, "name": name("root"), "kind": "project"}]
    nodes += [{"id": id, "parent": "", "name": id, "kind": "folder"} for id in (folder, other)]
    nodes += [
        {
            "id": file,
            "parent": file[: len(folder)] if file.startswith(folder) else other,
            "name": name(f"f{row}"),
            "kind": "file",
            "file": file,
            "metrics": {"sloc": 10 + row},
        }
        for row, file in enumerate(files)
    ]
    nodes += [
        {
            "id": f"{files[0]}::{name('F')}",
            "parent": files[0],
            "name": name("F"),
            "kind": name("kind"),
            "line": 3,
            "file": files[0],
            "metrics": {"sloc": 4},
        }
    ]
    pairs = [(0, 1), (1, 0), (0, 2), (2, 1)]
    edges = [
        {
            "source": files[a],
            "target": files[b],
            "kind": name("relation") if row else "import",
            "sites": [[files[a], 1 + row], [files[a], 7]],
        }
        for row, (a, b) in enumerate(pairs)
    ]
    edges += [{"source": files[0], "target": "external:" + name("package"), "kind": "import"}]
    nodes += [{"id": "external:" + name("package"), "parent": "", "name": name("package"), "kind": "external"}]
    report = {
        "files": 3,
        "parse_errors": files[:1],
        "notes": [name("note")],
        "entry_points": [name("entry")],
        "skipped": [{"path": name("skipped"), "reason": name("reason")}],
        "languages": [{"name": name("language"), "files": 3, "with_errors": 1}],
    }
    history = {
        "shas": ["a" * 40, "b" * 40],
        "times": [1_700_000_000, 1_700_100_000],
        "author_of": [0, 1],
        "authors": [f"{name('Ada')} <ada@example.org>", name("Bob")],
        "touch_commit": [0, 0, 1, 1],
        "touch_path": [0, 1, 0, 2],
        "paths": files,
        "head": "b" * 40,
        "notes": [name("history")],
    }
    path = tmp_path / f"{probe.short('graph')}.json"
    path.write_text(
        json.dumps(
            {
                "format": "cbvtool-graph",
                "version": 1,
                "root": name("root"),
                "nodes": nodes,
                "edges": edges,
                "report": report,
                "history": history,
            }
        )
    )
    return path


def source_folder(probe: Probe, tmp_path: Path) -> Path:
    """A repository whose folder, files, authors and messages are markup."""
    folder = tmp_path / probe.short("project")
    package = folder / probe.short("package")
    package.mkdir(parents=True)
    (package / "core.py").write_text("def base():\n    return 1\n")
    (package / "shop.py").write_text(
        "from .core import base\n\n\nclass Shop:\n    def sell(self):\n        return base()\n"
    )
    (folder / f"{probe.short('broken')}.py").write_text("def f(:\n")
    (folder / "cbvtool.toml").write_text(
        f"[rules]\nlayers = [{json.dumps(package.name + '/core.py')}, {json.dumps(package.name + '/shop.py')}]\n"
        f"[analysis]\nentry_points = [{json.dumps(probe.short('entry'))}]\n"
    )
    author = ["-c", f"user.name={probe.name('Ada').replace('<', '').replace('>', '')}", "-c", "user.email=<b>a@b"]
    git = ["git", "-C", str(folder)]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, *author, "commit", "-qm", probe.name("message")], check=True)
    return folder


SUBJECTS: dict[str, Callable[[Probe, Path], Path]] = {"graph": graph_file, "folder": source_folder}


def metrics(probe: Probe) -> dict[str, Metric]:
    """The usual ones, and those of a plugin with markup in its words."""
    evil = Metric(
        name="evil",
        label=probe.name("label"),
        unit=probe.name("unit"),
        worse="more",
        combine="sum",
        compute=lambda subject: np.ones(len(subject.graph)),
        description=probe.name("description"),
    )
    return {**METRICS, "evil": evil}


# -- looking at everything -----------------------------------------------------------------------------------


def settle() -> None:
    """Let Qt do what it has put off."""
    QApplication.sendPostedEvents()
    QApplication.processEvents()


def ask_tip(widget: QWidget, place: QPoint) -> str:
    """Rest with the pointer at a place of a widget; what the tooltip says."""
    event = QHelpEvent(QEvent.Type.ToolTip, place, widget.mapToGlobal(place))
    QApplication.sendEvent(widget, event)  # HTML is laid out at once, and its pictures are read
    return QToolTip.text()


def indices(model: QAbstractItemModel, above: QModelIndex, most: int = 40) -> Iterator[QModelIndex]:
    """Cells of a model, to some depth."""
    columns = 1 if isinstance(model, QAbstractListModel) else model.columnCount(above)
    for row in range(min(model.rowCount(above), most)):
        for column in range(columns):
            yield model.index(row, column, above)
        yield from indices(model, model.index(row, 0, above), 5)


def links(browser: QTextBrowser) -> Iterator[QPoint]:
    """Where its links are."""
    cursor = QTextCursor(browser.document())
    block = browser.document().begin()
    while block.isValid():
        parts = block.begin()
        while not parts.atEnd():
            if parts.fragment().charFormat().isAnchor():
                cursor.setPosition(parts.fragment().position() + 1)
                yield browser.cursorRect(cursor).center()
            parts += 1
        block = block.next()


def is_deleted(widget: QWidget) -> bool:
    """Whether Qt has thrown it away since it was found: what was pointed at in between may have ended it."""
    try:
        widget.objectName()
    except RuntimeError:
        return True
    return False


def look_at(top: QWidget) -> list[str]:
    """Rest with the pointer on everything in a window; what all tooltips said."""
    said: list[str] = []
    settle()
    for widget in [top, *top.findChildren(QWidget)]:
        if is_deleted(widget) or not widget.isVisible():
            continue
        if isinstance(widget, QHeaderView):
            said += [ask_tip(widget.viewport(), QPoint(x, 8)) for x in range(10, widget.width(), 60)]
        elif isinstance(widget, QAbstractItemView):
            port, model = widget.viewport(), widget.model()
            for index in indices(model, widget.rootIndex()) if model is not None else ():
                place = widget.visualRect(index).center()
                if port.rect().contains(place):
                    said.append(ask_tip(port, place))
        elif isinstance(widget, QTextBrowser):
            said += [ask_tip(widget.viewport(), place) for place in links(widget)]
        elif isinstance(widget, QTabBar):
            said += [ask_tip(widget, widget.tabRect(tab).center()) for tab in range(widget.count())]
        elif isinstance(widget, QMenu):
            said += [ask_tip(widget, widget.actionGeometry(action).center()) for action in widget.actions()]
        elif widget.objectName() == "matrix" or type(widget).__name__ == "MatrixView":
            said += [ask_tip(widget, QPoint(x, y)) for y in range(5, widget.height(), 25) for x in range(5, 300, 25)]
        else:
            said.append(ask_tip(widget, widget.rect().center()))
    settle()
    QToolTip.hideText()
    assert_whole(top)
    return said


def assert_whole(top: QWidget) -> None:
    """No label guesses, and what buttons and menus show of a name is all of it."""
    for label in top.findChildren(QLabel):
        rich = label.textFormat() != Qt.TextFormat.PlainText
        assert not (rich and "<img" in label.text()), label.text()
    captions = [button.text() for button in top.findChildren(QAbstractButton)]
    captions += [action.text() for widget in [top, *top.findChildren(QWidget)] for action in widget.actions()]
    for text in captions:
        assert SIGN not in text or "&" not in text.replace("&&", ""), text


class Dialogs:
    """Styles at every dialog that comes up, and leaves it."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        self._timer = QTimer()
        self._timer.setInterval(10)
        self._timer.timeout.connect(self._look)
        self._timer.start()

    def _look(self) -> None:
        dialog = QApplication.activeModalWidget()
        if dialog is None:
            return
        self._timer.stop()
        self.seen.append(dialog.windowTitle() or type(dialog).__name__)
        try:
            look_at(dialog)
        finally:
            if isinstance(dialog, QMessageBox):
                (dialog.escapeButton() or dialog.buttons()[-1]).click()
            elif isinstance(dialog, QDialog):
                dialog.reject()
            self._timer.start()

    def stop(self) -> None:
        self._timer.stop()


@pytest.fixture
def window(qtbot, probe: Probe, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MainWindow:
    monkeypatch.setattr(QFileDialog, "getOpenFileName", staticmethod(lambda *_a, **_k: ("", "")))
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", staticmethod(lambda *_a, **_k: ([], "")))
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", staticmethod(lambda *_a, **_k: ""))
    monkeypatch.setattr(QFileDialog, "getSaveFileName", staticmethod(lambda *_a, **_k: ("", "")))
    settings.reduced_motion = True
    settings.add_recent(tmp_path / probe.short("recent"))
    settings.add_search(probe.name("searched"))
    made = MainWindow(Session(metrics(probe)), settings)
    qtbot.addWidget(made, before_close_func=lambda window: setattr(window.documents, "may_leave", lambda: True))
    made.resize(1100, 760)
    made.show()
    qtbot.waitExposed(made)
    return made


def load(window: MainWindow, qtbot, path: Path) -> None:
    window.opening.how = {"jobs": 1}
    with qtbot.waitSignal(window.canvas.stage.first_frame):
        window.opening.open(path)
    qtbot.waitUntil(lambda: not window.opening.busy)
    qtbot.waitUntil(lambda: window.canvas.stage.is_still and not window.main_view.measuring.busy)


def export_everything(window: MainWindow, qtbot, folder: Path) -> None:
    """Write all that can be written, and read back what a program would take for markup."""
    for suffix in (".svg", ".html", ".pdf", ".png"):
        file = folder / f"view{suffix}"
        window.exporting.write(file, Wanted(suffix, (800, 600)))
        qtbot.waitUntil(lambda: not window.exporting.busy)
        assert file.stat().st_size > 500, window.message.text
    images = [part.tag for part in ElementTree.parse(folder / "view.svg").iter() if part.tag.endswith(("image", "img"))]
    assert not images
    assert "img" not in Tags.of((folder / "view.html").read_text())
    for suffix in (".md", ".csv", ".json"):
        window.documents.export_to(folder / f"tasks{suffix}")
        window.desk.panels["impact"].export_to(folder / f"impact{suffix}")
    window.desk.panels["relations"].export_to(folder / "relations.csv")
    for name in ("tasks.md", "impact.md"):
        text = (folder / name).read_text()
        assert SIGN in text
        assert "img" not in Tags.of(MarkdownIt("commonmark").enable("table").render(text)), text


class Tags(html.parser.HTMLParser):
    """The elements of a page, but for what stands in its scripts."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()

    def handle_starttag(self, tag: str, _attributes: list[tuple[str, str | None]]) -> None:
        self.found.add(tag)

    @classmethod
    def of(cls, text: str) -> set[str]:
        parser = cls()
        parser.feed(text)
        return parser.found


# Without tasks, without small things, of a graph file without a repository, without another plan.
ON_TWO_PLANS = {"plan_switch", "plan_copy", "plan_delete", "plan_restore", "plan_compare"}  # or where one was deleted
MAY_BE_OFF = {"export_tasks", "hide_small", "compare_version", "compare_plan", "plan_apply", *ON_TWO_PLANS}
ASKING = {"about"}  # commands that show a dialog without dots saying so


@pytest.mark.long
@pytest.mark.parametrize("subject", SUBJECTS)
def test_no_name_opens_a_file(
    subject: str, window: MainWindow, qtbot, probe: Probe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Everything in the window is shown and pointed at; the picture that all names ask for is never opened."""
    dialogs = Dialogs()
    said = look_at(window)  # the start page, with what was opened before
    load(window, qtbot, SUBJECTS[subject](probe, tmp_path))
    session, graph = window.session, window.session.graph
    files = [key for key in graph.tree.order.tolist() if graph.kind(key) == "file"]
    file = next(key for key in files if len(graph.children(key)) and (graph.edges.source == key).any())
    partner = next(end for end in graph.edges.target[graph.edges.source == file].tolist() if end in files)
    other = next(key for key in files if key not in (file, partner))
    if session.rules is None:
        window.session.rules = Rules(deny=(Deny(graph.ids[file], graph.ids[partner]),), notes=(probe.name("rule"),))

    # The plan: a container, a move, another name; a saved view, a look of one's own.
    container = session.create(graph.root, probe.short("new"), "folder")
    assert container is None
    made = next(key for key in range(len(session.graph)) if session.graph.ids[key].startswith("plan:"))
    assert session.move([other], made) is None
    assert session.rename(file, probe.short("renamed")) is None
    window.navigating.keep(probe.name("view"))
    window.styles.keep(probe.name("look"))
    session.step_depth(3)
    session.set_view(external=True, guesses=True)
    session.select([file])
    qtbot.waitUntil(lambda: window.canvas.stage.is_still)
    assert SIGN in window.status.subject.text()

    # Panels.
    for name, dock in window.desk.docks.items():
        window.desk.raise_panel(name)
        settle()
        said += look_at(dock)
    qtbot.waitUntil(lambda: window.judging.current is not None)
    window.desk.panels["plan"].show_places(1)
    window.desk.bring("source")
    settle()
    said += look_at(window.desk.docks["source"])
    window.questions.ask_impact()
    qtbot.waitUntil(lambda: window.desk.panels["impact"].answer is not None)
    session.select([file, partner])
    window.questions.ask_path()
    qtbot.waitUntil(lambda: window.desk.panels["paths"].answer is not None)
    window.desk.bring("relations")
    for name in ("relations", "matrix", "paths", "impact", "plan", "rules", "details"):
        window.desk.raise_panel(name)
        window.desk.panels["paths"].tree.expandAll() if name == "paths" else None
        window.desk.panels["impact"].tree.expandAll() if name == "impact" else None
        settle()
        said += look_at(window.desk.docks[name])
    session.select([file])

    # The picture: what is under the pointer, and its menus.
    canvas = window.canvas
    for node in (file, partner):
        point(canvas, canvas.stage.picking.place_of(node))
        qtbot.waitUntil(lambda: SIGN in canvas.tooltip.text and canvas.tooltip.isVisible())
    point(canvas, QPoint(2, 2))
    canvas.setUpdatesEnabled(False)  # what follows is beside the picture, which takes its time
    window.context_menus.show_for_selection(window.mapToGlobal(QPoint(30, 30)))
    menu = QApplication.activePopupWidget()
    said += look_at(menu)
    menu.close()

    # Menus, also those that are filled when they are shown.
    session.restrict(int(graph.parent[file]))
    menus = [menu for menu in window.findChildren(QMenu) if menu.objectName() != "context"]
    for menu in menus:
        menu.popup(window.mapToGlobal(QPoint(40, 40)))
        settle()
        said += look_at(menu)
        menu.close()
    session.set_view(root=graph.root)

    # Searching.
    window.search.setFocus()
    window.search.setText(SIGN)
    qtbot.waitUntil(lambda: bool(window.searching.matches))
    said += look_at(window.searching.list)
    window.searching.filter()
    settle()
    said += look_at(window)
    window.searching.end_filter()

    # Dialogs and messages: every command, but for those that leave.
    asked = set[str]()
    ends = [int(session.graph.edges.source[0]), int(session.graph.edges.target[0])]
    for name, action in window.actions_by_name.items():
        if action.text().endswith("...") or name in ASKING:
            session.select(ends if name in ("split", "pull_out") or name.startswith("rule_") else [file])
            no_rules = name.startswith("rule_") and subject == "graph"  # a graph file has no settings
            assert action.isEnabled() or name in MAY_BE_OFF or no_rules, name
            action.trigger()
            settle()
            for card in window.findChildren(AskCard):
                if not is_deleted(card) and card.isVisible():
                    said += look_at(card)
                    asked.add(card.accessibleName())
                    card.leave()
                    settle()
    assert any("container" in title for title in asked), asked
    window.documents.ask_unsaved()
    monkeypatch.setattr("cbvtool.view.toolkit.plain.ask_line", lambda *_a, **_k: probe.name("view"))
    monkeypatch.setattr("cbvtool.view.commands.navigating.ask_line", lambda *_a, **_k: probe.name("view"))
    window.navigating.save()  # one of that name is there
    from cbvtool.view.toolkit.file_dialogs import may_replace

    may_replace(tmp_path / probe.short("plan.md"), window)
    window.desk.say(f"{probe.name('message')} is not part of the project any more")
    window.status.show_progress(f"measuring {probe.name('metric')}", 1, 2)
    said += look_at(window)
    window.status.show_idle()

    # The second view, and other hierarchies.
    window.beside.open(SECOND_VIEW)
    qtbot.waitUntil(lambda: window.beside.opened[SECOND_VIEW].session.is_open)
    settle()
    said += look_at(window)
    window.beside.close(SECOND_VIEW)
    hierarchies = [row for row in range(window.hierarchies.list.count()) if window.hierarchies.list.itemData(row)]
    window.hierarchies.show(str(window.hierarchies.list.itemData(hierarchies[0])))
    qtbot.waitUntil(lambda: not window.main_view.regrouping.busy)
    said += look_at(window)
    window.hierarchies.show("")
    qtbot.waitUntil(lambda: not window.main_view.regrouping.busy)

    session.select([file])
    window.questions.ask_impact()
    qtbot.waitUntil(lambda: window.desk.panels["impact"].answer is not None)
    out = tmp_path / "out"
    out.mkdir()
    export_everything(window, qtbot, out)
    session.save(out / "plan.cbv")
    canvas.setUpdatesEnabled(True)
    load(window, qtbot, out / "plan.cbv")
    settle()
    dialogs.stop()

    assert probe.watch.opened() == []
    told = [text for text in said if SIGN in text]
    assert len(told) > 20
    assert all("<img" not in text for text in told), "a tooltip that Qt takes for HTML"
    assert {"Save view", "Replace the file", "Rename"} <= {*dialogs.seen}, dialogs.seen
