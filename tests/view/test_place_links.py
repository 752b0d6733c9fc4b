"""Places in the lists of tasks and violations lead to the source (NEW-10)."""

from __future__ import annotations

import re
from html import unescape

import pytest
from qtpy.QtCore import QUrl

from cbvtool.view.panels.place_links import place_link, place_of_link
from cbvtool.view.panels.source_panel import SourcePanel
from cbvtool.view.toolkit.text_browser import TextBrowser
from cbvtool.view.window.main_window import MainWindow


def links(text: TextBrowser) -> list[QUrl]:
    """The links to places, as they stand in the panel."""
    found = re.findall(r'href="(place:[^"]*)"', text.toHtml())
    return [QUrl(unescape(address)) for address in found]


@pytest.mark.parametrize("file", ["a/b.py", "a b/100 %.py", "what?#1.c", "ä/<x>&'\".h", "a%2Fb.py", "x:y/z"])
def test_any_name_survives(file: str) -> None:
    [address] = re.findall(r"href='([^']*)'", place_link(file, 1_234, "here"))
    assert place_of_link(QUrl(unescape(address))) == (file, 1_234)
    assert place_of_link(QUrl("node:3")) is None


def test_new10_a_place_of_a_violation_is_read(window: MainWindow, qtbot) -> None:
    """A click on it shows the file at its line."""
    window.desk.raise_panel("rules")
    url = links(window.desk.panels["rules"].text)[0]
    file, line = place_of_link(url) or ("", 0)
    window.desk.panels["rules"].text.anchorClicked.emit(url)
    panel = window.desk.panels["source"]
    assert isinstance(panel, SourcePanel)
    qtbot.waitUntil(lambda: panel.view.marked_range == (line, line))
    assert panel.isVisible()
    assert panel.place.text() == f"{file}  ·  line {line:,}"


def test_new10_a_place_of_a_task_is_read(window: MainWindow, qtbot) -> None:
    """It stands where it stands today, wherever the plan moves its file."""
    graph = window.session.graph
    window.session.move([graph.key_of["shop/domain"]], graph.key_of["shop/services"])
    qtbot.waitUntil(lambda: window.judging.current is not None)
    window.desk.panels["plan"].show_places(1)
    url = links(window.desk.panels["plan"].text)[0]
    file, line = place_of_link(url) or ("", 0)
    assert window.session.project is not None
    assert file in window.session.project.graph.files
    window.desk.panels["plan"].text.anchorClicked.emit(url)
    panel = window.desk.panels["source"]
    assert isinstance(panel, SourcePanel)
    qtbot.waitUntil(lambda: panel.view.marked_range == (line, line))
    window.desk.panels["plan"].text.anchorClicked.emit(QUrl("place:gone.py#3"))
    assert "gone.py is not part of the project any more" in window.message.text
