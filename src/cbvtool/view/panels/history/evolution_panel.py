"""How the project became what it is: its figures over time, and since which commit it is worse."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from qtpy.QtCore import Qt, Signal
from qtpy.QtWidgets import QHBoxLayout, QPushButton, QSplitter, QStackedLayout, QVBoxLayout, QWidget

from cbvtool.evolution.evolution import with_ids
from cbvtool.evolution.figures import FIGURES
from cbvtool.evolution.functions import FunctionRow, commits_by_function
from cbvtool.evolution.reading import ReadEvolution, read_evolution
from cbvtool.evolution.regressions import told
from cbvtool.evolution.table import modules, sparkline
from cbvtool.geometry.colors import THEMES
from cbvtool.mining import Processes
from cbvtool.mining.changes import Changes
from cbvtool.plots.filling import warm_up
from cbvtool.plots.plot import Hit, Plot, Viewport
from cbvtool.plots.sentence import sentence_plot
from cbvtool.progress import Progress
from cbvtool.session.change import Change
from cbvtool.view.desk import Desk
from cbvtool.view.panels.history.evolution_plot import MOST_LINES, VALUES, evolution_plot, words
from cbvtool.view.panels.panel import Area, Panel
from cbvtool.view.panels.traces.rows_table import RowsTable, TableColumn, TableRows
from cbvtool.view.panels.traces.tables import shown
from cbvtool.view.plots.plot_canvas import PlotCanvas
from cbvtool.view.toolkit.drop_list import DropList
from cbvtool.view.toolkit.plain import Label, set_tooltip

TITLE = "See how the project became what it is"
WHAT = (
    "Reads earlier versions from git, without a checkout, and draws size, complexity, cycles, broken rules and "
    "hot spots of each part over time. What became worse is named with its commit. It takes seconds to minutes, in the "
    "background, and versions that were read once are kept."
)
NO_HISTORY = "There is no history here: open a folder in a git repository to see how it became what it is."
NOTHING = "{figure}: no version has a value of what is selected. Esc shows the largest folders."
TABLES = {"worse": "What became worse", "modules": "Parts over time", "functions": "Functions of the file"}
COUNTS = (10, 20, 50)
CHOOSE_FILE = "Select a file to see which of its functions change most: a long file is no place to begin."


class EvolutionPanel(Panel):
    """Reads versions when it is asked to; then its lines follow the selection."""

    NAME, TITLE = "evolution", "Evolution"
    AREA = Area.BOTTOM

    came = Signal()  # earlier versions were read

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self.read: ReadEvolution | None = None
        self._of: Changes | None = None  # the history that it was read of
        self._place = np.empty(0, np.int32)  # node of the evolution of each key of the session's graph
        self._functions: tuple[int, list[FunctionRow]] = (-1, [])
        self.figure = DropList(self)
        self.figure.setAccessibleName("Figure over time")
        for name, text in FIGURES.items():
            self.figure.addItem(text, name)
        self.figure.setCurrentIndex(list(FIGURES).index("complexity"))
        self.figure.activated.connect(lambda _row: self._list())
        self.listed = DropList(self)
        self.listed.setAccessibleName("Table")
        for name, text in TABLES.items():
            self.listed.addItem(text, name)
        self.listed.activated.connect(lambda _row: self._list())
        self.count = DropList(self)
        self.count.setAccessibleName("Number of versions")
        for number in COUNTS:
            self.count.addItem(f"{number} versions", number)
        self.count.setCurrentIndex(1)
        self.begin = QPushButton("Read earlier versions", self)
        self.begin.setObjectName("primary")
        self.begin.clicked.connect(lambda _on: self.look_back())
        self.again = QPushButton("Read again", self)
        self.again.setObjectName("small")
        set_tooltip(self.again, "Read so many versions, evenly over the history of the main line")
        self.again.clicked.connect(lambda _on: self.look_back())
        self.says = Label("", self)
        self.says.setObjectName("muted")
        self.canvas = PlotCanvas("evolution", self._draw, self._tell, self, not desk.settings.reduced_motion)
        self.canvas.setAccessibleName("Figures over time")
        self.canvas.setMinimumHeight(80)
        self.table = RowsTable("Evolution", self)
        self.table.clicked.connect(lambda index: self._choose_row(self.table.row(index)))
        self.table.activated.connect(lambda index: self._choose_row(self.table.row(index)))
        self._pages = QStackedLayout(self)
        self._pages.setContentsMargins(0, 0, 0, 0)
        self._pages.addWidget(self._empty_page())
        self._pages.addWidget(self._full_page())

    def _empty_page(self) -> QWidget:
        page = QWidget(self)
        heading = Label(TITLE, page)
        heading.setObjectName("heading")
        self.what = Label(WHAT, page)
        self.what.setObjectName("muted")
        self.what.setWordWrap(True)
        self.what.setMaximumWidth(620)
        column = QVBoxLayout(page)
        column.setContentsMargins(24, 8, 24, 8)
        column.setSpacing(8)
        column.addStretch()
        column.addWidget(heading)
        column.addWidget(self.what)
        column.addWidget(self.begin, 0, Qt.Alignment(Qt.AlignmentFlag.AlignLeft))
        column.addStretch()
        return page

    def _full_page(self) -> QWidget:
        page = QWidget(self)
        head = QHBoxLayout()
        head.setContentsMargins(12, 4, 8, 2)
        head.setSpacing(6)
        head.addWidget(self.figure)
        head.addWidget(self.says, 1)
        head.addWidget(self.listed)
        head.addWidget(self.count)
        head.addWidget(self.again)
        parts = QSplitter(Qt.Orientation.Horizontal, page)
        parts.addWidget(self.canvas)
        parts.addWidget(self.table)
        parts.setSizes([600, 400])
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(parts, 1)
        return page

    def follow(self, changes: frozenset[Change]) -> None:
        """Show the lines of another selection, or begin anew with another history."""
        known = self.session.people.changes
        if known is None or not known.alike(self._of):
            self.read, self._functions = None, (-1, [])
        self._of = known
        self.begin.setEnabled(known is not None)
        self.what.setText(WHAT if known is not None else NO_HISTORY)
        self._list()

    def restyle(self) -> None:
        """Take the colours of the theme."""
        self.canvas.restyle(THEMES[self.session.view.theme])

    def look_back(self) -> None:
        """Read the versions in the background, and show them."""
        changes, project = self.session.people.changes, self.session.project
        if changes is None or project is None or not project.path.is_dir():
            self._fail(NO_HISTORY)
            return
        self._of = changes
        path, most, processes, rules = project.path, int(self.count.currentData()), Processes(), self.session.rules

        def work(progress: Progress, first: Callable[[ReadEvolution], None]) -> ReadEvolution:
            warm_up()
            return read_evolution(
                path, changes, most=most, processes=processes, progress=progress, first=first, rules=rules
            )

        def show(read: ReadEvolution) -> None:
            self._show(read, changes)

        self.desk.jobs.run_in_stages(
            self,
            "Reading earlier versions",
            work,
            show,
            show,
            self._fail,
            purpose="read",
            cancelled=processes.stop,
            at_once=True,
            ends=True,
        )

    def _fail(self, sentence: str) -> None:
        """Nothing was read: said where it was asked for."""
        self.what.setText(sentence)
        if not self.is_seen or self.read is not None:
            self.desk.say(sentence)

    def _show(self, read: ReadEvolution, changes: Changes) -> None:
        if changes.alike(self._of):
            self.read = read
            self._list()
            self.came.emit()

    def over_time(self, key: int) -> list[tuple[str, list[float]]] | None:
        """What a node (key of the session's graph) was at each version: (figure in words, values, NaN = not there).

        Figures that were always the same are left out; None = no versions were read.
        """
        known = self.session.people.changes
        if self.read is None or known is None or not known.alike(self._of):
            return None
        found, graph = self.read.found, self.session.graph
        place = found.graph.root if key == graph.root else found.graph.key_of.get(graph.ids[key], -1)
        if place < 0:
            return []
        rows = [(text, found.series(name, place)) for name, text in FIGURES.items()]
        return [(text, series.tolist()) for text, series in rows if len(np.unique(series[~np.isnan(series)])) > 1]

    # -- what is shown -----------------------------------------------------------------------------------------

    @property
    def keys(self) -> list[int]:
        """Nodes of the evolution that have a line: those selected, else the largest folders below the project."""
        if self.read is None:
            return []
        found = self.read.found
        chosen = [int(self._place[key]) for key in self.session.view.selected if key < len(self._place)]
        chosen = [key for key in chosen if key >= 0]
        if chosen:
            return chosen[:MOST_LINES]
        last = np.nan_to_num(found.values[self.figure.currentData()][-1])
        folders = [key for key in modules(found.graph, 1) if key != found.graph.root and last[key] > 0]
        return sorted(folders, key=lambda key: -last[key])[:MOST_LINES] or [found.graph.root]

    def _list(self) -> None:
        self._pages.setCurrentIndex(0 if self.read is None else 1)
        if self.read is None:
            return
        read, graph = self.read, self.session.graph
        self._place = with_ids(read.found, graph)
        left = f"; {len(read.left_out):,} could not be read" if read.left_out else ""
        self.says.setText(f"{len(read.found.commits):,} versions{left}")
        set_tooltip(self.says, "\n".join((f"From the first to the last. {read.differs.words}", *read.rule_notes)))
        by = self.listed.currentData()
        if by == "functions":
            self._list_functions()
        else:
            self.table.show_rows(self._worse() if by == "worse" else self._modules())
        self.canvas.restyle(THEMES[self.session.view.theme])
        self.canvas.refresh()

    def _worse(self) -> TableRows:
        assert self.read is not None
        rows, changes = self.read.worse, self._of
        text = [shown(told(one, changes)) for one in rows]
        return TableRows(
            (TableColumn("What became worse, and since when", text.__getitem__, None, 0),), len(rows), text.__getitem__
        )

    def _parts(self) -> list[int]:
        """The folders with a value at any version."""
        assert self.read is not None
        found = self.read.found
        column = found.values[self.figure.currentData()]
        return [key for key in modules(found.graph, 2) if not np.isnan(column[:, key]).all()]

    def _modules(self) -> TableRows:
        assert self.read is not None
        found, figure = self.read.found, self.figure.currentData()
        keys = self._parts()
        ids = [shown(found.graph.ids[key] or found.graph.name) for key in keys]
        line = [sparkline(found.series(figure, key).tolist()) for key in keys]
        last = np.array([found.values[figure][-1, key] for key in keys], np.float64)
        return TableRows(
            (
                TableColumn("Part", ids.__getitem__, None, 0),
                TableColumn("Over time", line.__getitem__, None, 9 * len(found.commits) + 16),
                TableColumn(
                    "Today", lambda row: "" if np.isnan(last[row]) else f"{last[row]:,.0f}", np.nan_to_num(last), 80
                ),
            ),
            len(keys),
            lambda row: f"{ids[row]}\n{FIGURES[figure]}: {last[row]:,.0f} today",
        )

    def _list_functions(self) -> None:
        selected, graph, project = self.session.view.selected, self.session.graph, self.session.project
        key = selected[0] if len(selected) == 1 and graph.kind(selected[0]) == "file" else -1
        changes = self._of
        if key < 0 or project is None or changes is None:
            self._functions = (-1, [])
            self.table.show_rows(TableRows((TableColumn(CHOOSE_FILE, lambda _row: "", None, 0),), 0, lambda _row: ""))
            return
        if self._functions[0] == key:
            self._show_functions(key, self._functions[1])
            return
        path, processes = project.path, Processes()
        self.desk.jobs.run(
            self,
            "Reading versions of the file",
            lambda progress: commits_by_function(path, graph, changes, key, processes=processes, progress=progress)[0],
            lambda rows: self._show_functions(key, rows),
            self.says.setText,
            purpose="functions",
            cancelled=processes.stop,
        )

    def _show_functions(self, key: int, rows: list[FunctionRow]) -> None:
        self._functions = key, rows
        if self.listed.currentData() != "functions":
            return
        graph = self.session.graph
        names = [shown(graph.ids[row.key].partition("::")[2]) for row in rows]
        columns = [TableColumn("Function", names.__getitem__, None, 0)]
        for name in ("commits", "complexity", "points"):
            column = np.array([getattr(row, name) for row in rows], np.int64)
            columns.append(TableColumn(name.capitalize(), [f"{value:,}" for value in column].__getitem__, column, 90))
        tips = [f"{name}: {row.commits:,} commits changed it" for name, row in zip(names, rows, strict=True)]
        self.table.show_rows(TableRows(tuple(columns), len(rows), tips.__getitem__))

    def _choose_row(self, row: int) -> None:
        if self.read is None:
            return
        found, graph, by = self.read.found, self.session.graph, self.listed.currentData()
        if by == "functions":
            self.desk.reveal(self._functions[1][row].key)
            return
        nodes = self.read.worse[row].nodes if by == "worse" else (self._parts()[row],)
        ids = [found.graph.ids[node] for node in nodes]
        keys = [graph.key_of[node] for node in ids if node in graph.key_of]
        if keys:
            self.desk.reveal(*keys)

    def _draw(self, viewport: Viewport) -> Plot:
        theme = THEMES[self.session.view.theme]
        if self.read is None:
            return sentence_plot(WHAT, viewport, theme.muted)
        found, figure, keys = self.read.found, self.figure.currentData(), self.keys
        if all(np.isnan(found.series(figure, key)).all() for key in keys):
            return sentence_plot(NOTHING.format(figure=FIGURES[figure]), viewport, theme.muted)
        return evolution_plot(found, figure, keys, theme, viewport)

    def _tell(self, hit: Hit) -> tuple[str, ...]:
        if self.read is None or hit.layer != VALUES:
            return ()
        return words(self.read.found, self.figure.currentData(), self.keys, hit.item)
