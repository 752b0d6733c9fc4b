"""Searching in a window: matches are highlighted in the picture, is listed under the field, and may be the filter."""

from __future__ import annotations

import operator
import time
from collections.abc import Sequence
from functools import partial

import numpy as np
from qtpy.QtCore import QEvent, QObject, Qt, QTimer
from qtpy.QtGui import QColor, QIcon, QResizeEvent
from qtpy.QtWidgets import QToolBar, QToolButton

from cbvtool.asking.expression import Among, Query, QueryError, measures, parse, to_text, word_of
from cbvtool.asking.names import DistinctNames
from cbvtool.asking.search import Matches, search
from cbvtool.geometry.state.presets import no_values
from cbvtool.graph import Graph
from cbvtool.graph.regroup import node_words
from cbvtool.metrics.values import Values
from cbvtool.progress import Progress
from cbvtool.session.change import Change
from cbvtool.session.follower import same_nodes
from cbvtool.view.commands.menus import Actions
from cbvtool.view.commands.search_field import ListRow, SearchField, SearchList
from cbvtool.view.commands.threshold import ask_threshold
from cbvtool.view.desk import Desk
from cbvtool.view.panels.structure_panel import StructurePanel
from cbvtool.view.toolkit import theme
from cbvtool.view.toolkit.icons import icon
from cbvtool.view.toolkit.plain import Label, set_caption, set_tooltip
from cbvtool.view.toolkit.worker import BREATH, LARGE, hold_back
from cbvtool.words import one_line

LISTED = 200  # matches
EXPANDED = 200  # matches up to which a filter expands the way to each
CHIP = 26  # characters of a filter in the bar

RANGE = "History metrics use the time range that is set under Style."
EXAMPLES = (
    ("session", "names like it, also abbreviated or misspelled"),
    ("core window", "words of the name and of its path"),
    ("/^test_.*slow/", "a regular expression"),
    ("kind:class path:src/", "by kind and place"),
    ("kind:file commits > 10 complexity > 50", "complex files that changed often"),
    ("complexity / sloc > 0.3", "also calculated"),
    ("not kind:file and (fan_in >= 10 or authors == 1)", "and, or, not"),
)


class Searching(QObject):
    """Belongs to a window; `field`, `count` and `chip` stand in its bar.

    matches   keys that were found last, best first
    """

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk.widget)
        self._desk = desk
        self.matches: list[int] = []
        self._asked: tuple[str, Graph | None, Values | None] = ("", None, None)  # what is being looked for, and where
        self._filter: tuple[object, ...] = ("", frozenset(), None)  # what bar and tree say of it
        self._take_next = False  # Enter came before the matches
        self._error = ""
        self._inside = False  # the user is in the field
        self._icons: dict[str, QIcon] = {}  # by kind
        self.field = SearchField(desk.widget)
        self.count = Label("", desk.widget)
        self.count.setObjectName("muted")
        self.count.setAccessibleName("Number of matches")
        self.chip = QToolButton(desk.widget)
        self.chip.setObjectName("chip")
        self.chip.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.chip.setAccessibleName("Filter")
        self.chip.setLayoutDirection(Qt.LayoutDirection.RightToLeft)  # the cross is on the right
        self.chip.clicked.connect(lambda _on: desk.session.set_view(only=""))
        self.list = SearchList(self.field, desk.widget)
        self.field.asked.connect(self._ask)
        self.field.stepped.connect(self._step)
        self.field.taken.connect(self._take)
        self.field.filter_wanted.connect(self.filter)
        self.field.entered.connect(self._enter)
        self.field.left.connect(self._leave)
        self.field.textEdited.connect(lambda _text: self._go_in())
        self.list.chosen.connect(self._choose)
        self.list.filter_wanted.connect(self.filter)
        desk.widget.installEventFilter(self)

    def install_chip(self, bar: QToolBar) -> None:
        """Take a place for the chip of the filter: behind what gives way, so that it moves nothing else."""
        self._chip_action = bar.addWidget(self.chip)
        assert self._chip_action is not None
        self._chip_action.setVisible(False)

    def install(self, bar: QToolBar) -> None:
        """Take a place in the bar and in the menu."""
        bar.addWidget(self.count)
        bar.addWidget(self.field)
        self._desk.part(Actions).submenu("Filter")

    def restyle(self) -> None:
        """Take the colours of another theme."""
        look = theme.look(self._desk.settings.theme)
        self._icons.clear()
        self.chip.setIcon(icon("close", QColor(look.muted), QColor(look.faint)))

    def _icon(self, kind: str) -> QIcon:
        if kind not in self._icons:
            look = theme.look(self._desk.settings.theme)
            self._icons[kind] = icon(kind, QColor(look.muted), QColor(look.faint))
        return self._icons[kind]

    @property
    def busy(self) -> bool:
        """Whether something is being looked for."""
        return self._desk.jobs.is_busy(self)

    # -- following -----------------------------------------------------------------------------------------

    def follow(self, what: Change) -> None:
        """Something changed in the session."""
        session = self._desk.session
        if not session.is_open:
            return
        if what == Change.PROJECT:
            self.clear()
        scene = session.scene()
        now = (session.view.only, scene.filtered, scene.graph)
        if not all(map(operator.is_, now, self._filter)):
            self._filter = now
            self._desk.panel(StructurePanel).show_filter(session.view.only, scene.filtered)
            self._show_chip()
            if scene.unfiltered:
                self._desk.say(scene.unfiltered)
        text, graph, values = self._asked
        if text and (graph is not scene.graph or (values is not scene.values and self._measures(text))):
            self._ask(text)

    def _show_chip(self) -> None:
        only = self._desk.session.view.only
        shown = only if len(only) <= CHIP else f"{only[: CHIP - 1]}…"
        assert self._chip_action is not None
        self._chip_action.setVisible(bool(only))
        set_caption(self.chip, shown)
        set_tooltip(self.chip, f"Only what matches  {one_line(only)}  is shown. Click to show everything again.")

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """The list stays under the field when the window changes its size, and above the edges of docks."""
        if event is not None and self.list.isVisible():
            if isinstance(event, QResizeEvent):
                self.list.place()
            elif event.type() == QEvent.Type.LayoutRequest:
                QTimer.singleShot(0, self.list.raise_)  # the window puts those edges on top
        return super().eventFilter(watched, event)

    # -- asking --------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Put the cursor into the field."""
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()
        self._enter()

    def clear(self) -> None:
        """Look for nothing."""
        self._leave()
        self.field.clear()
        self.field.ask()

    def escape(self) -> bool:
        """Leave the field, and look for nothing; False if that is so already."""
        busy = bool(self.field.text()) or self.list.isVisible()
        if busy:
            self.clear()
            self._desk.here.canvas.setFocus()
        return busy

    def _go_in(self) -> None:
        self._inside = True

    def _leave(self) -> None:
        self._inside = False
        self.list.hide()

    def _enter(self) -> None:
        if not self._desk.session.is_open:
            return
        self._inside = True
        scene = self._desk.session.scene()
        work = partial(_prepare, graph=scene.graph, values=scene.values)
        self._desk.jobs.run(
            self, "Preparing the search", work, lambda _: None, lambda _: None, purpose="prepare", quiet=True
        )
        if self.field.text().strip() and not self.field.pausing:
            self.list.place()
            self.list.show()
        elif not self.field.text().strip():
            self._show_examples()

    def _show_examples(self) -> None:
        """What was looked for before, and what can be."""
        before = [ListRow(text, "searched before") for text in self._desk.settings.searches[:5]]
        metrics = self._desk.session.scene().values.metrics
        names, classes = (
            ", ".join(word_of(name) for name, metric in metrics.items() if (metric.names is None) == is_amount)
            for is_amount in (True, False)
        )
        rows = [*before, *(ListRow(text, meaning) for text, meaning in (*EXAMPLES, *self._class_examples()))]
        self.list.show_rows(rows, f"Measures: {names}. {RANGE} Classes: {classes}.")
        self.list.show()

    def _class_examples(self) -> list[tuple[str, str]]:
        """Examples of questions about classes, with those that there are."""
        languages = [language.name for language in self._desk.session.graph.report.languages[:2]]
        known = [Among("language", tuple(languages)), Among("language", tuple(languages[:1]), other=True)]
        meanings = ("what is written in it", "and in anything else")
        return [(to_text(query), meaning) for query, meaning in zip(known, meanings, strict=True) if languages]

    def _measures(self, text: str) -> tuple[str, ...]:
        try:
            query = parse(text, self._desk.session.metrics)
        except QueryError:
            return ()
        return () if query is None else tuple(dict.fromkeys(measures(query)))

    def _ask(self, text: str) -> None:
        session = self._desk.session
        if not session.is_open:
            return
        text = text.strip()
        self._error, self._take_next = "", self._take_next and bool(text)
        if text in ("", "?"):
            self._desk.jobs.drop(self)
            self._asked = ("", None, None)
            self._show_matches([], frozenset())
            self.count.setText("")
            if self._inside:
                self._show_examples()
            return
        scene = session.scene()
        self._asked = (text, scene.graph, scene.values)
        try:
            query = parse(text, scene.values.metrics)
        except QueryError as error:
            self._fail(str(error), [f"{text[: error.start]}{offer}{text[error.end :]}" for offer in error.offers])
            return
        assert query is not None
        work = partial(_look_for, graph=scene.graph, query=query, values=scene.values)
        self._desk.jobs.run(
            self,
            "Searching",
            work,
            partial(self._show, scene.graph, scene.values),
            self._fail,
            progressed=lambda what, _done, _total: self.list.say(f"{what[:1].upper()}{what[1:]} ..."),
            cancelled=lambda: self._fail("The search was cancelled."),
        )

    def _fail(self, sentence: str, meant: Sequence[str] = ()) -> None:
        """The last highlight stays while the query is not complete; `meant`: queries that may be."""
        self._error, self._take_next = sentence, False
        self.list.show_rows([ListRow(text) for text in meant], sentence)
        self.list.setVisible(self._inside)

    def _show(self, graph: Graph, values: Values, answer: tuple[Matches, list[int], frozenset[int]]) -> None:
        found, keys, lit = answer
        self._show_matches(keys, lit)
        self.count.setText(_counted(len(keys)))
        rows = [self._row(graph, values, found.metric, key) for key in keys[:LISTED]]
        more = f", the first {LISTED:,} are listed" if len(keys) > LISTED else ""
        note = f"{_counted(len(keys))}{more}" if keys else self._why_nothing(values)
        self.list.show_rows(rows, note, filter_=bool(keys), current=0 if keys else -1)
        self.list.setVisible(self._inside and not self._take_next)
        if self._take_next:
            self._take_next = False
            self._take()

    def _why_nothing(self, values: Values) -> str:
        empty = [name for name in self._measures(self._asked[0]) if np.isnan(values[name]).all()]
        return no_values(values.metrics[empty[0]]) if empty else "Nothing matches. Type ? for examples."

    def _row(self, graph: Graph, values: Values, metric: str, key: int) -> ListRow:
        above = int(graph.parent[key])
        value = values.metrics[metric].show(float(values[metric][key])) if metric else ""
        kind = graph.kind(key)
        return ListRow(
            one_line(graph.names[key]),
            one_line(node_words(graph, above)),
            value,
            key,
            self._icon(kind),
            f"{kind.capitalize()} {one_line(node_words(graph, key))}",
        )

    def _show_matches(self, keys: list[int], lit: frozenset[int]) -> None:
        self.matches = keys
        self._desk.main.stage.show_matches(lit)

    # -- taking --------------------------------------------------------------------------------------------

    def _step(self, rows: int) -> None:
        if not self.list.isVisible():
            self._enter()
        else:
            self.list.step(rows)

    def _take(self) -> None:
        """Show the current match; when it is shown already, the next one."""
        if self.field.pausing or self.busy:
            self._take_next = True
            if self.field.pausing:
                self.field.ask()
            return
        if not self.list.rows:
            return
        row = max(self.list.row, 0)
        if not self.list.isVisible() and self._desk.session.view.selected == (self.list.rows[row].key,):
            row = (row + 1) % len(self.list.rows)
        self._choose(row)

    def _choose(self, row: int) -> None:
        chosen = self.list.rows[row]
        if chosen.key < 0:
            self.field.setText(chosen.text)
            self.field.ask()
            return
        self.list.row = row
        self._desk.settings.add_search(self.field.text().strip())
        self.list.hide()
        self._desk.reveal(chosen.key)

    # -- the filter ----------------------------------------------------------------------------------------

    @property
    def can_filter(self) -> bool:
        """Whether there are matches to show alone."""
        return bool(self.matches) and not self._error

    def filter(self) -> None:
        """Show only what matches, with what is around it."""
        if not self.can_filter:
            return
        here, text = self._desk.here, self.field.text().strip()
        session, shown = here.session, set[int]()
        self._desk.settings.add_search(text)
        if len(self.matches) <= EXPANDED:
            found = same_nodes(self.matches, self._desk.session.graph, session.graph)
            shown = {above for key in found for above in session.graph.ancestors(key)}
        self.clear()
        here.canvas.setFocus()
        session.set_view(only=text, expanded=session.view.expanded | shown)

    def end_filter(self) -> None:
        """Show again what the filter hides."""
        self._desk.here.session.set_view(only="")

    def hide_small(self) -> None:
        """Ask for a measure and a threshold, and hide what is below."""
        session = self._desk.here.session
        if session.is_open and (text := ask_threshold(session, self._desk.widget)) is not None:
            session.set_view(only=text)


_WAITING = 3  # times as long as measuring waits: two threads together would leave the window a third of a processor


def _prepare(progress: Progress, *, graph: Graph, values: Values) -> None:
    """Make what the first search needs, while the user begins to type; a large subject is shown first."""
    if len(graph) > LARGE:
        hold_back(progress, "", time.monotonic() + _WAITING * BREATH)
    names = DistinctNames.of(graph.names)
    _made = names.letters, names.words, graph.key_of
    for metric in values.metrics.values():
        if metric.classes is not None:
            metric.classes()


def _look_for(
    progress: Progress, *, graph: Graph, query: Query, values: Values
) -> tuple[Matches, list[int], frozenset[int]]:
    """What is found, its keys, best first, and the same as a set; slow metrics are measured for it.

    Runs in a thread of its own.
    """
    for name in dict.fromkeys(measures(query)):
        if values.takes_long(name):
            progress(f"measuring {values.metrics[name].label!r}", 0, 0)
        values.measure(name, progress)
    progress("searching", 0, 0)
    columns = {name: values[name] for name in measures(query)}
    found = search(graph, query, columns, lambda: progress("searching", 0, 0))
    keys = found.keys.tolist()
    return found, keys, frozenset(keys)


def _counted(number: int) -> str:
    return f"{number:,} {'match' if number == 1 else 'matches'}"
