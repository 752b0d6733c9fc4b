"""What changes together: pairs of files or folders, ranked, each with its commits (NEW-12)."""

from __future__ import annotations

from dataclasses import replace

from qtpy.QtCore import Qt
from qtpy.QtWidgets import QCheckBox, QHBoxLayout, QLineEdit, QPushButton, QSplitter, QVBoxLayout

from cbvtool.errors import InputError
from cbvtool.graph.kinds import CO_CHANGE
from cbvtool.history.ranking import WAYS, Ranking, ranking
from cbvtool.session.change import Change
from cbvtool.view.desk import Desk
from cbvtool.view.panels.history.rows import commit_rows, coupling_rows, width_of_names
from cbvtool.view.panels.panel import Area, Panel
from cbvtool.view.panels.traces.rows_table import NO_ROWS, RowsTable
from cbvtool.view.toolkit.drop_list import DropList, NumberField
from cbvtool.view.toolkit.plain import Label, caption, set_tooltip

LEVELS = (
    "Files",
    "Folders, 1 level deep",
    "Folders, 2 levels deep",
    "Folders, 3 levels deep",
    "Folders, 4 levels deep",
)
NO_HISTORY = "There is no history here: open a folder in a git repository to see what changes together."
CANCELLED = "The search was cancelled. It begins again with another choice."


class CouplingPanel(Panel):
    """A row selects both nodes and lists the commits in which they changed together."""

    NAME, TITLE = "coupling", "Changes together"
    AREA = Area.BOTTOM

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self.ranked: Ranking | None = None
        self._asked: tuple[object, ...] = ()  # what is listed, or being looked for
        self._about: tuple[str, ...] = ()  # ids of the selection that is asked about; () = all
        self.way = DropList(self)
        self.way.setAccessibleName("Which pairs")
        for name, text in WAYS.items():
            self.way.addItem(text, name)
        self.way.stay_narrow(18)
        self.way.activated.connect(lambda _row: self._list())
        self.level = DropList(self)
        self.level.setAccessibleName("Pairs of")
        for number, text in enumerate(LEVELS):
            self.level.addItem(text, number)
        self.level.stay_narrow(8)
        self.level.activated.connect(lambda _row: self._look())
        self.least = NumberField(self)
        self.least.setRange(1, 1000)
        self.least.setPrefix("≥ ")
        set_tooltip(self.least, "Commits that changed both, at least")
        self.least.setAccessibleName("Least number of commits with both")
        self.least.setValue(self.session.coupling.options.least)
        self.least.valueChanged.connect(lambda value: self._choose(least=value))
        self.ticket = QLineEdit(self)
        self.ticket.setPlaceholderText("Tickets: [A-Z]+-[0-9]+")
        self.ticket.setAccessibleName("Pattern of tickets")
        set_tooltip(
            self.ticket, "Commits count as one if this regular expression finds the same text in their subjects"
        )
        self.ticket.setClearButtonEnabled(True)
        self.ticket.setMinimumWidth(70)
        self.ticket.setMaximumWidth(220)
        self.ticket.editingFinished.connect(lambda: self._choose(ticket=self.ticket.text().strip()))
        self.drawn = QCheckBox(caption("In the picture"), self)
        set_tooltip(self.drawn, "Draw files that change together as relations; they are never taken for dependencies")
        self.drawn.clicked.connect(lambda on: self.session.show_kind(CO_CHANGE, shown=on))
        self.everything = QPushButton("All pairs", self)
        set_tooltip(self.everything, "List all pairs again, not only those with what was selected")
        self.everything.setObjectName("small")
        self.everything.clicked.connect(lambda _on: self.ask(()))
        self.selection = QPushButton("Of selection", self)
        set_tooltip(self.selection, "What usually changes with what is selected?")
        self.selection.setObjectName("small")
        self.selection.clicked.connect(lambda _on: self.ask(self.session.view.selected))
        self.says = Label("", self)
        self.says.setObjectName("muted")
        self.says.setWordWrap(True)
        self.table = RowsTable("Pairs that change together", self)
        self.table.clicked.connect(lambda index: self._choose_row(self.table.row(index)))
        self.table.activated.connect(lambda index: self._choose_row(self.table.row(index)))
        self.commits = RowsTable("Commits that changed both", self)
        self._arrange()

    def _arrange(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(12, 4, 8, 2)
        head.setSpacing(8)
        for part in (self.way, self.level, self.least, self.ticket, self.drawn):
            head.addWidget(part)
        head.addStretch(1)
        head.addWidget(self.selection)
        head.addWidget(self.everything)
        split = QSplitter(Qt.Orientation.Horizontal, self)
        split.addWidget(self.table)
        split.addWidget(self.commits)
        split.setStretchFactor(0, 3)
        split.setStretchFactor(1, 2)
        split.setSizes([780, 420])
        line = QHBoxLayout()
        line.setContentsMargins(12, 0, 8, 2)
        line.addWidget(self.says)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addLayout(line)
        layout.addWidget(split, 1)

    # -- asking ----------------------------------------------------------------------------------------------

    def ask(self, keys: tuple[int, ...]) -> None:
        """List what usually changes with these nodes; with none, all pairs."""
        self._about = tuple(self.session.graph.ids[key] for key in self.session.topmost(keys))
        if keys:
            self.way.setCurrentIndex(self.way.findData("all"))
        elif self.way.currentData() == "all":
            self.way.setCurrentIndex(0)
        self._look()

    def follow(self, changes: frozenset[Change]) -> None:
        """Look again where another graph, history or range of time is shown."""
        if Change.PROJECT in changes:
            self._about = ()
        self.drawn.setChecked(self.session.coupling.is_shown)
        self.drawn.setEnabled(self.session.coupling.is_offered)
        self.selection.setEnabled(bool(self.session.view.selected))
        if self.session.view.drag is None:
            self._look()

    def _choose(self, **options: int | str) -> None:
        """Change the options that say what counts as coupled."""
        before = self.session.coupling.options
        if (chosen := replace(before, **options)) == before:  # type: ignore[arg-type]  # each field has its own type
            return
        try:
            self.session.coupling.choose(chosen)
        except InputError as error:
            self.says.setText(str(error))
            return
        self._look()

    def _look(self) -> None:
        session = self.session
        people = session.people.changes
        if not session.is_open:
            return
        self.everything.setVisible(bool(self._about))
        if people is None:
            self._asked = ()
            self._fail(NO_HISTORY)
            return
        graph, view, options, level = (
            session.state.bare,
            session.view,
            session.coupling.options,
            self.level.currentData(),
        )
        keys = tuple(graph.key_of[node] for node in self._about if node in graph.key_of)
        asked = (graph, people, view.since, view.until, options, level, keys)
        if asked == self._asked:
            return
        self._asked = asked
        self.says.setText("Finding what changes together ...")
        self.desk.jobs.run(
            self,
            "Finding what changes together",
            lambda progress: ranking(
                graph, people, options, view.since, view.until, level=level, selected=keys, progress=progress
            ),
            self._show,
            self._fail,
            cancelled=self._cancelled,
        )

    def _cancelled(self) -> None:
        self._asked = ()
        self._fail(CANCELLED)

    def _fail(self, sentence: str) -> None:
        self.ranked = None
        self.says.setText(sentence)
        self.table.show_rows(NO_ROWS)
        self.commits.show_rows(NO_ROWS)

    # -- showing ---------------------------------------------------------------------------------------------

    def _show(self, ranked: Ranking) -> None:
        self.ranked = ranked
        self._list()

    def _list(self) -> None:
        ranked = self.ranked
        if ranked is None:
            return
        graph = self.session.state.bare
        self._rows = ranked.rows(self.way.currentData())
        self.table.show_rows(coupling_rows(ranked, self._rows, graph, width_of_names(self.table)))
        self.commits.show_rows(NO_ROWS)
        self.says.setText(self._words(ranked, len(self._rows)))

    def _words(self, ranked: Ranking, listed: int) -> str:
        options = self.session.coupling.options
        pairs = f"{listed:,} of {len(ranked):,} pairs" if listed < len(ranked) else f"{listed:,} pairs"
        sets = f"{ranked.sets.count:,} {'tickets and commits' if options.ticket else 'commits'}"
        left = f"; {ranked.sets.bulk:,} with more than {options.most:,} files are left out" if ranked.sets.bulk else ""
        if self._about:
            graph = self.session.graph
            names = [graph.names[graph.key_of[node]] for node in self._about if node in graph.key_of]
            what = names[0] if len(names) == 1 else f"{len(names):,} nodes"
            return f"What changes with {what}: {pairs} in {sets}{left}."
        return f"{pairs} that change together at least {options.lift:g} times as often as by chance, in {sets}{left}."

    def _choose_row(self, row: int) -> None:
        ranked = self.ranked
        if ranked is None:
            return
        at = int(self._rows[row])
        self.desk.reveal(int(ranked.found.first[at]), int(ranked.found.second[at]))
        self.commits.show_rows(commit_rows(ranked.changes, ranked.commits(at).tolist()))
