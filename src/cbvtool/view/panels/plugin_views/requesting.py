"""What a view of a plugin asks of the window."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from qtpy.QtCore import QObject
from qtpy.QtGui import QCursor
from qtpy.QtWidgets import QApplication, QMenu, QWidget

from cbvtool.graph import REMOVED
from cbvtool.plugin.events import EventKind, ViewEvent
from cbvtool.plugin.requests import Ask, Copy, Menu, OpenSource, OpenView, Request, Say, SelectNodes, ShowOverlay
from cbvtool.view.desk import Desk
from cbvtool.view.panels.source_panel import SourcePanel, read_place, show_site
from cbvtool.view.toolkit.plain import add_action, ask_line
from cbvtool.words import one_line

_LONGEST = 1_000_000  # characters of what is copied
_MOST = 200  # entries of a menu


class Requesting(QObject):
    """Does what a view asks. What makes no sense (a node that is gone) is left out; the answers come back as events."""

    def __init__(
        self,
        desk: Desk,
        answer: Callable[[ViewEvent], None],
        open_view: Callable[[str], object],
        show_overlay: Callable[[str], object],
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._desk, self._answer, self._widget = desk, answer, parent
        self._open_view, self._show_overlay = open_view, show_overlay

    def do(self, request: Request, event: ViewEvent) -> None:
        """Do it. event: what it follows from."""
        match request:
            case SelectNodes(keys, reveal):
                self._select(keys, reveal)
            case OpenSource():
                self._open_source(request)
            case OpenView(name):
                self._open_view(name)
            case Menu(entries):
                self._menu(entries, event)
            case Ask(name, question, text):
                said = ask_line(self._desk.widget, "cbvtool", one_line(question), text)
                if said is not None:
                    self._answer(replace(event, kind=EventKind.KEY, key=f"{name}={said}"))
            case Copy(text):
                clipboard = QApplication.clipboard()
                if clipboard is not None:
                    clipboard.setText(text[:_LONGEST])
            case Say(text):
                self._desk.note(one_line(text))
            case ShowOverlay(name):
                self._show_overlay(name)
            case _:
                pass  # focus and values: the view and its panel see to them

    def _select(self, keys: tuple[int, ...], reveal: bool) -> None:
        session = self._desk.session
        if not session.is_open:
            return
        graph = session.graph
        there = tuple(key for key in keys if 0 <= key < len(graph) and graph.parent[key] != REMOVED)
        self._desk.reveal(*there) if reveal and there else session.select(there)

    def _open_source(self, request: OpenSource) -> None:
        graph = self._desk.session.graph
        file, line = one_line(request.file), max(request.line, 1)
        if 0 <= request.key < len(graph):
            number = int(graph.file[request.key])
            if number < 0:
                return
            file, line = graph.files[number], max(int(graph.line[request.key]), 1)
            show_site(self._desk, number, line, front=True)
        elif file:
            read_place(self._desk, file, line)
        if file in graph.files and request.old and request.new:
            self._desk.panel(SourcePanel).show_difference(file, line, request.old, request.new)

    def _menu(self, entries: tuple[tuple[str, str], ...], event: ViewEvent) -> None:
        menu = QMenu(self._widget)
        for key, label in entries[:_MOST]:
            answer = replace(event, kind=EventKind.KEY, key=key)
            add_action(menu, label).triggered.connect(partial(self._chosen, answer))
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(QCursor.pos())

    def _chosen(self, answer: ViewEvent, _checked: bool = False) -> None:
        self._answer(answer)
