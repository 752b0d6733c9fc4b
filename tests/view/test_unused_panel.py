"""The list of unused code in the window (CBV-10)."""

from __future__ import annotations

import threading
import time
from dataclasses import replace

import pytest
from qtpy.QtCore import QUrl

from cbvtool.errors import Cancelled
from cbvtool.graph import Configuration, Graph, GraphBuilder, Report
from cbvtool.metrics.structure.entry_points import ENTRY_POINTS
from cbvtool.metrics.structure.unused import unused
from cbvtool.progress import Progress
from cbvtool.project import Project
from cbvtool.view.panels import unused_panel as unused_panel_module
from cbvtool.view.panels.unused_panel import NO_ENTRY, unused_html
from cbvtool.view.window.main_window import MainWindow


def graph(*entry_points: str) -> Graph:
    """main.py calls a.f; a.old calls b.help, nobody calls a.old; c.hook is called by a framework."""
    builder = GraphBuilder("p")
    for file, name in (("main.py", ""), ("lib/a.py", "f"), ("lib/a.py", "old"), ("lib/b.py", "help"), ("c.py", "hook")):
        folder, _, short = file.rpartition("/")
        if folder and folder not in builder:
            builder.add_node(folder, "", folder, "folder")
        if file not in builder:
            builder.add_node(file, folder, short, "file", file=file, values={"sloc": 10})
        if name:
            builder.add_node(f"{file}::{name}", file, name, "function", file=file, line=2, values={"sloc": 5})
    for user, used in (("main.py", "lib/a.py::f"), ("lib/a.py::old", "lib/b.py::help"), ("main.py", "c.py")):
        builder.add_edge(builder.key(user), builder.key(used), "call")
    return builder.freeze(Report(entry_points=entry_points))


@pytest.fixture
def window(new_window, shop: Project, qtbot) -> MainWindow:
    window = new_window()
    with qtbot.waitSignal(window.canvas.stage.first_frame):
        window.session.open(replace(shop, graph=graph(), changes=None))
    return window


def text(window: MainWindow) -> str:
    return window.desk.panels["unused"].text.toPlainText()


def test_it_is_looked_for_when_somebody_looks(window: MainWindow, qtbot) -> None:
    """Closed at first; the sets with their sizes, the largest first, and what counts as an entry point."""
    assert not window.desk.docks["unused"].isVisible()
    assert text(window) == ""
    window.actions_by_name["unused"].trigger()
    qtbot.waitUntil(lambda: "2 unused sets" in text(window))
    said = text(window)
    assert said.index("20 source lines in 2 places") < said.index("5 source lines in 1 place")
    assert "lib\na.py > old\nthen\nlib\nb.py\n" in said
    assert "cbvtool.toml: none" in said
    assert " ".join(ENTRY_POINTS) in said


def test_a_click_selects_and_lights_up(window: MainWindow, qtbot) -> None:
    """The whole set, or one of it; what is around it is expanded."""
    window.desk.raise_panel("unused")
    qtbot.waitUntil(lambda: "2 unused sets" in text(window))
    window.session.set_view(expanded=frozenset({0}))
    key_of = window.session.graph.key_of
    window.desk.panels["unused"].text.anchorClicked.emit(QUrl("set:0"))
    assert set(window.session.view.selected) == {key_of["lib/a.py::old"], key_of["lib/b.py"]}
    scene = window.canvas.stage.scene
    assert scene is not None
    assert scene.tree.key[scene.tree.represent[key_of["lib/a.py::old"]]] == key_of["lib/a.py::old"]
    window.desk.panels["unused"].text.anchorClicked.emit(QUrl(f"node:{key_of['c.py::hook']}"))
    assert window.session.view.selected == (key_of["c.py::hook"],)


def test_it_follows_the_plan_and_the_settings(window: MainWindow, shop: Project, qtbot) -> None:
    """What is left after a removal; what the folder's settings name is used."""
    window.desk.raise_panel("unused")
    qtbot.waitUntil(lambda: "2 unused sets" in text(window))
    assert window.session.remove([window.session.graph.key_of["lib/a.py::old"]]) is None
    qtbot.waitUntil(lambda: "old" not in text(window).partition("Entry points")[0] and "2 unused" in text(window))
    window.session.open(replace(shop, graph=graph("::hook"), changes=None))
    qtbot.waitUntil(lambda: "1 unused set\n" in text(window))
    assert "cbvtool.toml: ::hook" in text(window)
    configured = replace(
        graph().report, configurations=(Configuration("main", ("main.py",)), Configuration("hooks", ("c.py::hook",)))
    )
    window.session.open(replace(shop, graph=graph().with_(report=configured), changes=None))
    qtbot.waitUntil(lambda: "Used by main alone" in text(window))
    window.desk.panels["unused"].text.anchorClicked.emit(QUrl("side:0"))
    assert "Used by none of the configurations\n20 source lines in 2 places" in text(window)
    chosen = {window.session.graph.ids[key] for key in window.session.view.selected}
    assert chosen == {"lib/b.py", "lib/a.py::old"}


def test_nothing_and_nothing_known(window: MainWindow, shop: Project, qtbot) -> None:
    """Two different answers."""
    window.desk.raise_panel("unused")
    window.session.open(replace(shop, graph=graph("::hook", "::old"), changes=None))
    qtbot.waitUntil(lambda: "Nothing unused" in text(window))
    window.session.open(replace(shop, graph=graph("!**", "!::*"), changes=None))
    qtbot.waitUntil(lambda: text(window).startswith(NO_ENTRY))


def test_closing_ends_the_search(window: MainWindow, qtbot, monkeypatch: pytest.MonkeyPatch) -> None:
    """No thread outlives the window."""
    started, ended = threading.Event(), threading.Event()

    def endless(graph: Graph, patterns: object, progress: Progress) -> None:
        try:
            while True:
                started.set()
                progress("looking", 0, 0)
                time.sleep(0.001)
        except Cancelled:
            ended.set()
            raise

    monkeypatch.setattr(unused_panel_module, "unused", endless)
    window.desk.raise_panel("unused")
    qtbot.waitUntil(started.is_set)
    assert text(window) == "Looking for unused code ..."
    window.close()
    assert ended.is_set()


def test_names_are_no_markup_and_lists_end() -> None:
    """Names come from files; thousands of sets would be no list."""
    builder = GraphBuilder("p")
    builder.add_node("main.py", "", "main.py", "file", file="main.py", values={"sloc": 1})
    for number in range(250):
        name = f"<b>{number}.py"
        builder.add_node(name, "", name, "file", file=name, values={"sloc": 1})
    big = builder.freeze()
    html = unused_html(big, unused(big) or [])
    assert "<b>" not in html
    assert html.count("href='set:") == 200
    assert "and 50 smaller ones" in html
