"""The open traces: what was recorded, the window of time that is looked at, and what was called in it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from qtpy.QtCore import QModelIndex, QSignalBlocker, Qt, QTimer, Signal
from qtpy.QtGui import QResizeEvent
from qtpy.QtWidgets import (
    QCheckBox,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QSplitter,
    QStackedLayout,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from cbvtool.metrics.run_time import COVERAGE
from cbvtool.session.change import Change
from cbvtool.session.traces.rows import function_rows, lost_functions, rare_calls
from cbvtool.session.traces.traces import FocusFound, OpenProfile
from cbvtool.session.traces.words import facts, mapped, sentences, title
from cbvtool.trace.coverage.where_to_test import where_to_test
from cbvtool.trace.model.durations import duration
from cbvtool.trace.model.focus import Focus
from cbvtool.view.desk import Desk
from cbvtool.view.panels.panel import Area, Panel
from cbvtool.view.panels.source_panel import show_site
from cbvtool.view.panels.traces.empty_state import EmptyState
from cbvtool.view.panels.traces.rows_table import NO_ROWS, RowsTable, TableRows
from cbvtool.view.panels.traces.tables import call_table, function_table, lost_table, shown, test_table
from cbvtool.view.panels.traces.thread_list import ThreadList
from cbvtool.view.panels.traces.time_strip import TimeStrip
from cbvtool.view.panels.traces.view_buttons import ViewButtons
from cbvtool.view.toolkit.drop_list import DropList
from cbvtool.view.toolkit.plain import Label, caption, set_tooltip
from cbvtool.view.toolkit.theme import look
from cbvtool.words import one_line

MOST_TOLD = 20  # files of a report that are not in the code, in a tooltip
LOW, TALL = 150, 270  # px of the panel at least, without and with a trace: some rows of a table are seen
WAIT = 120  # ms after the last key before a table is filtered
NO_WINDOW = "A profile: sums over the whole run, so there is no window of time and no thread to choose"
RULES = "Apply rules to run-time calls"
_TABS = (
    ("functions", "Functions"),
    ("rare", "Rare calls"),
    ("broken", "Against rules"),
    ("testing", "Where to test"),
    ("lost", "Not in the code"),
)


class TracesPanel(Panel):
    """Shows the trace that is looked at; another window of time is asked for by `Traces.look_at`."""

    NAME, TITLE = "traces", "Traces"
    AREA = Area.BOTTOM

    chosen = Signal(object)  # tuple of keys

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self.traces = self.session.traces
        self._shown: dict[str, tuple[object, ...]] = {}  # what each table is about
        self._keys: dict[str, Callable[[int], tuple[int, ...]]] = {}
        self.empty = EmptyState(self)
        self.empty.opener.clicked.connect(lambda _on: desk.do("open_trace"))
        self.empty.recorder.clicked.connect(lambda _on: desk.do("record_program"))
        self._full = QWidget(self)
        self._make_head()
        self._make_tables()
        self._arrange()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(WAIT)
        self._timer.timeout.connect(self._filter)
        self.field.textChanged.connect(lambda _text: self._timer.start())
        self.chosen.connect(lambda keys: desk.reveal(*keys))
        self.restyle()
        self._show_all()

    # -- building ------------------------------------------------------------------------------------------

    def _make_head(self) -> None:
        inside = self._full
        self.choice = DropList(inside)
        self.choice.setAccessibleName("Trace")
        self.choice.setMinimumContentsLength(14)
        self.choice.activated.connect(lambda row: self.traces.look_at(Focus(row)))
        self.facts = Label("", inside)
        self.window_words = Label("", inside)
        self.window_words.setObjectName("muted")
        self.whole = QPushButton("Whole trace", inside)
        self.whole.clicked.connect(lambda _on: self.desk.do("whole_trace"))
        self.opener = QPushButton("Open trace...", inside)
        self.opener.clicked.connect(lambda _on: self.desk.do("open_trace"))
        self.close_trace = QPushButton("Close", inside)
        set_tooltip(self.close_trace, "Close the file of this trace; the document names it no more")
        self.close_trace.clicked.connect(lambda _on: self.desk.do("close_trace"))
        self.recorder = QPushButton("Record...", inside)
        set_tooltip(self.recorder, "Run a program and record its calls")
        self.recorder.clicked.connect(lambda _on: self.desk.do("record_program"))
        for button in (self.whole, self.opener, self.recorder, self.close_trace):
            button.setObjectName("small")
        self.views = ViewButtons(self.desk, inside)
        self.strip = TimeStrip(inside)
        self.strip.chosen.connect(self.traces.look_at)
        self.threads = ThreadList(inside)
        self.threads.ticked.connect(self._tick)
        self.about = Label("", inside)
        self.about.setObjectName("muted")
        self.about.setWordWrap(True)
        self.about.setAlignment(Qt.Alignment(Qt.AlignmentFlag.AlignTop))
        self.calls_shown = self._shows("Calls and times", "calls_as_heights", "Height: calls. Colour: self time")
        self.coverage_shown = self._shows("Coverage", "coverage_as_colours", "Colour: how much of the code was run")

    def _shows(self, text: str, command: str, tip: str) -> QPushButton:
        made = QPushButton(caption(text), self._full)
        made.setObjectName("small")
        set_tooltip(made, tip)
        made.clicked.connect(lambda _on: self.desk.do(command))
        return made

    def _make_tables(self) -> None:
        inside = self._full
        self.tabs = QTabWidget(inside)
        self.tabs.setDocumentMode(True)
        self.tables: dict[str, RowsTable] = {}
        for name, text in _TABS:
            table = self.tables[name] = RowsTable(text, self.tabs)
            table.clicked.connect(partial(self._choose, name))
            table.activated.connect(partial(self._open_source, name))
            self.tabs.addTab(table, text)
        self.tabs.currentChanged.connect(lambda _tab: self._show_table())
        self.field = QLineEdit(inside)
        self.field.setPlaceholderText("Filter")
        self.field.setAccessibleName("Filter the table")
        self.field.setClearButtonEnabled(True)
        self.field.setMaximumWidth(200)
        self.count = Label("", inside)
        self.count.setObjectName("muted")
        self.rules = QCheckBox(caption(RULES), inside)
        set_tooltip(self.rules, "Calls that were made at run time must keep the rules of the project, too")
        self.rules.clicked.connect(lambda _on: self.desk.do("trace_rules"))

    def _arrange(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(12, 4, 8, 2)
        head.setSpacing(8)
        head.addWidget(self.choice)
        head.addWidget(self.facts)
        head.addWidget(self.window_words, 1)
        for button in (self.whole, self.opener, self.recorder, self.close_trace):
            head.addWidget(button)
        strip = QHBoxLayout()
        strip.setContentsMargins(12, 2, 12, 2)
        strip.setSpacing(8)
        strip.addWidget(self.strip, 1)
        strip.addWidget(self.views)
        side = QWidget(self._full)
        column = QVBoxLayout(side)
        column.setContentsMargins(12, 0, 4, 4)
        column.setSpacing(4)
        column.addWidget(self.about)
        shows = QHBoxLayout()
        shows.setSpacing(6)
        shows.addWidget(Label("Show", side))
        for button in (self.calls_shown, self.coverage_shown):
            shows.addWidget(button)
        shows.addStretch()
        column.addLayout(shows)
        column.addWidget(self.threads, 1)
        foot = QHBoxLayout()
        foot.setContentsMargins(8, 2, 8, 2)
        foot.setSpacing(10)
        foot.addWidget(self.count, 1)
        foot.addWidget(self.rules)
        foot.addWidget(self.field)
        right = QWidget(self._full)
        below = QVBoxLayout(right)
        below.setContentsMargins(0, 0, 0, 0)
        below.setSpacing(0)
        below.addWidget(self.tabs, 1)
        below.addLayout(foot)
        split = QSplitter(Qt.Orientation.Horizontal, self._full)
        split.addWidget(side)
        split.addWidget(right)
        split.setStretchFactor(0, 0)
        split.setStretchFactor(1, 1)
        split.setSizes([300, 900])
        layout = QVBoxLayout(self._full)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addLayout(strip)
        layout.addWidget(split, 1)
        self._pages = QStackedLayout(self)
        self._pages.setContentsMargins(0, 0, 0, 0)
        self._pages.addWidget(self.empty)
        self._pages.addWidget(self._full)

    # -- following ----------------------------------------------------------------------------------------

    def follow(self, changes: frozenset[Change]) -> None:
        """Show the trace that is looked at."""
        if changes & {Change.PROJECT, Change.DEPTH, Change.TRACE, Change.PLAN}:
            self._show_all()

    def restyle(self) -> None:
        """Take the colours of another theme."""
        self.strip.restyle(look(self.desk.settings.theme))

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """With a trace the panel grows by itself: Qt leaves what was between panel and picture."""
        super().resizeEvent(event)
        self.desk.widget.update()

    def _show_all(self) -> None:
        traces, current = self.traces, self.traces.current
        self.views.refresh()
        self._pages.setCurrentWidget(self._full if traces.is_open else self.empty)
        self.setMinimumSize(420, TALL if traces.is_open else LOW)
        for widget in (self.strip, self.threads, self.choice, self.whole):
            widget.setVisible(current is not None)
        self.choice.setVisible(traces.has_calls)
        self.calls_shown.setVisible(traces.has_calls)
        if traces.profile is not None:
            self._show_profile(traces.profile)
            return
        if current is None and traces.report is not None:
            self._show_report()
            return
        if current is None:
            self._shown.clear()
            for table in self.tables.values():
                table.show_rows(NO_ROWS)
            return
        trace, focus, found = current.trace, traces.focus, traces.found
        self._show_choice()
        self.facts.setText(facts(trace))
        known = found is not None and found.trace is trace
        activity = found.activity if found is not None and known else None
        if not self.strip.is_held:
            self.strip.show_time(trace.span, activity, focus)
        self._show_window()
        self.threads.show_threads(trace, focus.threads)
        said = [mapped(found.laid.map)] if found is not None and known and found.laid is not None else []
        if traces.report is not None:
            said.append(f"Coverage is that of {one_line(traces.report.file.path.name)}.")
        self.about.setText(" ".join([*said, *sentences(trace)]))
        set_tooltip(self.about, "\n".join([str(current.file.path), *said, *sentences(trace)]))
        self.rules.setChecked(traces.rules_apply)
        self.rules.setEnabled(self.session.rules is not None)
        self._show_table()

    def _show_choice(self) -> None:
        traces = self.traces
        names = [title(each.trace, each.file.path.name) for each in traces.opened]
        names += [f"{title(each.profile, each.file.path.name)} (profile)" for each in traces.profiles]
        with QSignalBlocker(self.choice):
            self.choice.clear()
            self.choice.addItems(names)
            self.choice.setCurrentIndex(traces.focus.trace)

    def _show_profile(self, current: OpenProfile) -> None:
        """Sums over a whole run: what needs times of calls is switched off, and the reason said."""
        profile, found = current.profile, self.traces.found
        self._show_choice()
        self.facts.setText(facts(profile))
        self.window_words.setText(NO_WINDOW)
        self.whole.setVisible(True)
        self.whole.setEnabled(False)
        set_tooltip(self.whole, NO_WINDOW)
        known = found is not None and found.profile is profile and found.map is not None
        said = [mapped(found.map)] if found is not None and known and found.map is not None else []
        said += sentences(profile)
        if self.traces.report is not None:
            said.append(f"Coverage is that of {one_line(self.traces.report.file.path.name)}.")
        self.about.setText(" ".join(said))
        set_tooltip(self.about, "\n".join([str(current.file.path), *said]))
        self.rules.setChecked(self.traces.rules_apply)
        self.rules.setEnabled(self.session.rules is not None)
        self._show_table()

    def _show_report(self) -> None:
        """There is a report of coverage alone."""
        report, found = self.traces.report, self.traces.found
        assert report is not None
        count = len(report.coverage.files)
        self.facts.setText(f"{shown(report.file.path.name)} · {count:,} file{'' if count == 1 else 's'}")
        self.window_words.setText(f"Coverage by {shown(report.coverage.format)}: lines of the code that were run")
        lost = [] if found is None else [f"{shown(path)}: {why}" for path, why in found.covered.unmatched]
        self.about.setText(f"{len(lost):,} of its files are not in this code." if lost else "")
        set_tooltip(self.about, "\n".join(lost[:MOST_TOLD]))
        self.rules.setEnabled(False)
        self.tabs.setCurrentIndex([name for name, _ in _TABS].index("testing"))
        self._show_table()

    def _show_window(self) -> None:
        focus, current = self.traces.focus, self.traces.current
        assert current is not None
        span = current.trace.span
        first, last = focus.within(span)
        if focus.window is None:
            words = "Drag across the time below to look at a part of it"
        else:
            words = f"{duration(last - first)} from {duration(first - span[0])} on"
        self.window_words.setText(words)
        self.whole.setEnabled(focus.window is not None)
        set_tooltip(self.whole, "")

    def _tick(self, threads: frozenset[int] | None) -> None:
        focus = self.traces.focus
        self.traces.look_at(Focus(focus.trace, focus.window, threads))

    # -- tables ----------------------------------------------------------------------------------------------

    @property
    def table(self) -> RowsTable:
        """The one in front."""
        return self.tables[_TABS[self.tabs.currentIndex()][0]]

    def _show_table(self) -> None:
        found = self.traces.found
        name = _TABS[self.tabs.currentIndex()][0]
        if found is not None:
            about: tuple[object, ...] = (found, self.session.graph, self.session.rules, self.traces.rules_apply)
            if len(before := self._shown.get(name, ())) != len(about) or any(
                a is not b for a, b in zip(before, about, strict=True)
            ):
                self._shown[name] = about
                self.tables[name].show_rows(self._rows(name, found))
        self._filter()

    def _rows(self, name: str, found: FocusFound) -> TableRows:
        graph = self.session.graph
        self._keys[name] = lambda _row: ()
        run_time, known = found.run_time, found.map if found.laid is None else found.laid.map
        part = found.profile if found.trace is None else found.trace
        if name != "testing" and (run_time is None or part is None or known is None):
            return NO_ROWS
        if name == "rare" and run_time is not None and not run_time.counted:
            return NO_ROWS
        unit = "ns" if run_time is None else run_time.unit
        if name == "functions" and run_time is not None:
            rows = function_rows(run_time, graph)
            self._keys[name] = lambda row: (int(rows.key[row]),)
            return function_table(rows, graph, run_time)
        if name == "rare" and run_time is not None:
            calls = rare_calls(run_time, graph)
            self._keys[name] = lambda row: (int(calls.caller[row]), int(calls.callee[row]))
            return call_table(calls, graph, unit)
        if name == "broken":
            broken, words = self.session.traces.against_rules()
            self._keys[name] = lambda row: (int(broken.caller[row]), int(broken.callee[row]))
            return call_table(broken, graph, unit, words)
        if name == "testing":
            values = self.session.scene().values
            often = "commits" if np.isfinite(values["commits"]).any() else ""
            changes = values[often] if often else np.ones(len(graph))
            worth = where_to_test(graph, values["complexity"], changes, values[COVERAGE] / 100)
            self._keys[name] = lambda row: (worth[row].key,)
            return test_table(worth, graph, values.metrics[often].show if often else lambda _number: "not known")
        assert part is not None
        assert known is not None
        lost, rest = lost_functions(part, known)
        return lost_table(lost, rest)

    def _filter(self) -> None:
        table = self.table
        table.rows.filter(self.field.text())
        listed, rows = table.rows.rowCount(), table.rows.rows
        text = f"{listed:,} of {rows.count:,}" if listed != rows.count else f"{rows.count:,}"
        rest = f", and {rows.rest:,} more that are not listed" if rows.rest else ""
        nothing = "" if rows.count else f" · {self._why_empty()}"
        self.count.setText(f"{text} rows{rest}{nothing}" if rows.count else nothing.removeprefix(" · "))

    def _why_empty(self) -> str:
        name = _TABS[self.tabs.currentIndex()][0]
        if self.traces.found is None:
            return "The calls are being added up ..."
        if not self.traces.has_calls and name != "testing":
            return "No trace is open, only a report of coverage"
        run_time = self.traces.found.run_time
        if name == "rare" and run_time is not None and not run_time.counted:
            return "This profile does not count calls"
        if name == "broken":
            if self.session.rules is None:
                return "This project states no rules"
            return "No call breaks a rule" if self.traces.rules_apply else f"Switch on: {RULES}"
        if name == "lost":
            return "Every function was found in the code"
        if name == "testing":
            return "Nothing is left to test, or complexity was not measured"
        if self.traces.profile is not None:
            return "Nothing of this code is in the profile" if name == "functions" else "It tells of no such calls"
        return "Nothing of this code was called in this window of time"

    def _choose(self, name: str, index: QModelIndex) -> None:
        """Select the node, or both ends of a call."""
        if keys := self._keys[name](self.tables[name].row(index)):
            self.chosen.emit(keys)

    def _open_source(self, name: str, index: QModelIndex) -> None:
        """Show the source of the last node of a row."""
        if keys := self._keys[name](self.tables[name].row(index)):
            graph, key = self.session.graph, keys[-1]
            if graph.file[key] >= 0:
                show_site(self.desk, int(graph.file[key]), max(int(graph.line[key]), 1), front=True)
