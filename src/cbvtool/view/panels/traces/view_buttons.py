"""Opens the views of plugins on the trace that is looked at: the usual one by a click, the others from a menu."""

from __future__ import annotations

from functools import partial

from qtpy.QtWidgets import QPushButton, QVBoxLayout, QWidget

from cbvtool.session.plugin_views.surroundings import needs_nothing
from cbvtool.session.traces.words import title
from cbvtool.view.desk import Desk
from cbvtool.view.panels.plugin_views.menu_button import MenuButton
from cbvtool.view.toolkit.plain import add_action, set_caption, set_tooltip
from cbvtool.words import one_line

USUAL = "tracevis"  # the view that has a button of its own, where it can be opened
COMPARING = "diff"  # the view that compares two traces
COMPARE = "Compare with"


class ViewButtons(QWidget):
    """Hidden while no view can be opened.

    usual    opens a view; others: lists the other ones
    compare  with one other trace open a click compares the two; with several its menu lists them
    """

    def __init__(self, desk: Desk, parent: QWidget) -> None:
        super().__init__(parent)
        self._desk = desk
        self.usual, self.others = QPushButton(self), MenuButton("Other views", self)
        self.compare, self.compare_choice = QPushButton(self), MenuButton(f"{COMPARE} ...", self)
        self.compare.setObjectName("small")
        self.compare.clicked.connect(lambda _on: self._compare(self._rest()[0]))
        self.compare_choice.choices.aboutToShow.connect(self._list_rest)
        self.usual.setObjectName("primary")
        self.others.choices.aboutToShow.connect(self._list)
        self.usual.clicked.connect(lambda _on: self._open(self._names()[0]))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self.usual)
        column.addWidget(self.others)
        column.addWidget(self.compare)
        column.addWidget(self.compare_choice)
        column.addStretch()
        self.refresh()

    def refresh(self) -> None:
        """Another trace, or none, is looked at."""
        names = self._names()
        self.setVisible(bool(names))
        self.others.setVisible(len(names) > 1)
        if names:
            label = self._label(names[0])
            set_caption(self.usual, label)
            set_tooltip(self.usual, f"Open the view {label}")
        rest = self._rest() if COMPARING in names else []
        self.compare.setVisible(len(rest) == 1)
        self.compare_choice.setVisible(len(rest) > 1)
        if len(rest) == 1:
            set_caption(self.compare, f"{COMPARE} {self._title(rest[0])}")
            set_tooltip(self.compare, f"Open the view {self._label(COMPARING)} on both")

    def _names(self) -> list[str]:
        """Views of recordings that can be opened on what is looked at, the usual one first."""
        views = self._desk.session.plugin_views
        names = (
            name for name, view in views.views.items() if not needs_nothing(view.takes) and not views.why_not(name)
        )
        return sorted(names, key=lambda name: name != USUAL)

    def _label(self, name: str) -> str:
        return one_line(self._desk.session.plugin_views.views[name].label)

    def _list(self) -> None:
        menu = self.others.choices
        menu.clear()
        for name in self._names()[1:]:
            add_action(menu, self._label(name)).triggered.connect(partial(self._open, name))

    def _rest(self) -> list[int]:
        """Numbers of the traces that are open beside the one looked at."""
        traces = self._desk.session.traces
        return [row for row in range(len(traces.opened)) if row != traces.focus.trace]

    def _title(self, number: int) -> str:
        traces = self._desk.session.traces
        titles = [title(each.trace, each.file.path.name) for each in traces.opened]
        return titles[number] if titles.count(titles[number]) == 1 else one_line(traces.opened[number].file.path.name)

    def _list_rest(self) -> None:
        menu = self.compare_choice.choices
        menu.clear()
        for number in self._rest():
            add_action(menu, self._title(number)).triggered.connect(partial(self._compare, number))

    def _compare(self, number: int, _checked: bool = False) -> None:
        self._desk.session.plugin_views.beside = number
        self._open(COMPARING)

    def _open(self, name: str, _checked: bool = False) -> None:
        self._desk.do(f"view:{name}")
