"""Who knows what: owners, islands and teams, with or without names (NEW-17)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from qtpy.QtCore import Qt
from qtpy.QtWidgets import QCheckBox, QHBoxLayout, QPushButton, QVBoxLayout

from cbvtool.errors import InputError
from cbvtool.history.path_modules import modules_at
from cbvtool.history.people_table import PeopleInRange, PeopleTable, table_of_authors, table_of_modules, table_of_teams
from cbvtool.progress import Progress
from cbvtool.session.change import Change
from cbvtool.view.desk import Desk
from cbvtool.view.panels.history.rows import people_rows, width_of_names
from cbvtool.view.panels.panel import Area, Panel
from cbvtool.view.panels.traces.rows_table import NO_ROWS, RowsTable
from cbvtool.view.toolkit.drop_list import DropList
from cbvtool.view.toolkit.file_dialogs import ask_people
from cbvtool.view.toolkit.plain import Label, caption, set_tooltip

ROWS = {"module": "Folders", "author": "Authors", "team": "Teams"}
LEVELS = (1, 2, 3, 4, 0)
NO_HISTORY = "There is no history here: open a folder in a git repository to see who knows what."
CANCELLED = "The search was cancelled. It begins again with another choice."


class PeoplePanel(Panel):
    """A row of a folder selects it."""

    NAME, TITLE = "people", "People"
    AREA = Area.BOTTOM

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._asked: tuple[object, ...] = ()
        self._listed: PeopleTable | None = None
        self.rows = DropList(self)
        self.rows.setAccessibleName("Rows")
        for name, text in ROWS.items():
            self.rows.addItem(text, name)
        self.level = DropList(self)
        self.level.setAccessibleName("Depth of folders")
        for level in LEVELS:
            self.level.addItem(f"{level} level{'' if level == 1 else 's'} deep" if level else "Files", level)
        self.level.setCurrentIndex(1)
        for choice in (self.rows, self.level):
            choice.stay_narrow(8)
            choice.activated.connect(lambda _row: self._look())
        self.colors = {
            "main_author": QPushButton("Main author", self),
            "main_team": QPushButton("Main team", self),
            "quiet_share": QPushButton("Gone quiet", self),
            "bus_factor": QPushButton("Bus factor", self),
        }
        for name, button in self.colors.items():
            button.setObjectName("small")
            set_tooltip(button, "Colour the picture by it")
            button.clicked.connect(lambda _on, name=name: self.session.map("color", name))
        self.table_button = QPushButton("Teams...", self)
        self.table_button.setObjectName("small")
        set_tooltip(self.table_button, "Read teams and people who left from a table with rows author,team,left")
        self.table_button.clicked.connect(lambda _on: self._ask_table())
        self.hidden = QCheckBox(caption("Hide names"), self)
        set_tooltip(self.hidden, "Numbers in place of names: here, in tooltips, tasks, tables and exports")
        self.hidden.clicked.connect(lambda _on: desk.do("hide_names"))
        self.says = Label("", self)
        self.says.setObjectName("muted")
        self.says.setWordWrap(True)
        self.table = RowsTable("People", self)
        self.table.clicked.connect(lambda index: self._choose_row(self.table.row(index)))
        self.table.activated.connect(lambda index: self._choose_row(self.table.row(index)))
        head = QHBoxLayout()
        head.setContentsMargins(12, 4, 8, 2)
        head.setSpacing(6)
        head.addWidget(self.rows)
        head.addWidget(self.level)
        head.addWidget(Label("Colour by", self), 0, Qt.Alignment(Qt.AlignmentFlag.AlignVCenter))
        for button in self.colors.values():
            head.addWidget(button)
        head.addStretch(1)
        head.addWidget(self.table_button)
        head.addWidget(self.hidden)
        line = QHBoxLayout()
        line.setContentsMargins(12, 0, 8, 2)
        line.addWidget(self.says)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addLayout(line)
        layout.addWidget(self.table, 1)

    def follow(self, changes: frozenset[Change]) -> None:
        """Look again where another history, range of time or roster is shown."""
        session = self.session
        must = session.people.must_hide
        self.hidden.setChecked(must or session.people.hides_names)
        self.hidden.setEnabled(not must)
        for name, button in self.colors.items():
            button.setVisible(name in session.metrics)
        self._look()

    def read_table(self, file: Path) -> None:
        """Take teams and leavers from a table, or say why it is none."""
        try:
            self.session.people.read_table(file)
        except InputError as error:
            self.desk.say(str(error))

    def _ask_table(self) -> None:
        settings = self.desk.settings
        if (chosen := ask_people(settings.folder, self.desk.widget)) is not None:
            settings.folder = chosen.parent
            self.read_table(chosen)

    def _look(self) -> None:
        session = self.session
        if not session.is_open or session.project is None:
            return
        by, level, view = self.rows.currentData(), self.level.currentData(), session.view
        self.level.setVisible(by == "module")
        changes, found = session.people.changes, session.people.tables()
        if changes is None or found is None:
            self._asked = ()
            self._fail(NO_HISTORY)
            return
        asked = (changes, session.project.roster, session.coupling.options, view.since, view.until, by, level)
        if asked == self._asked:
            return
        self._asked = asked
        self.desk.jobs.run(
            self,
            "Finding who knows what",
            lambda progress: _table(found, by, level, progress),
            self._show,
            self._fail,
            cancelled=self._cancelled,
        )

    def _cancelled(self) -> None:
        self._asked = ()
        self._fail(CANCELLED)

    def _fail(self, sentence: str) -> None:
        self._listed = None
        self.says.setText(sentence)
        self.table.show_rows(NO_ROWS)

    def _show(self, table: PeopleTable) -> None:
        self._listed = table
        self.table.show_rows(people_rows(table, width_of_names(self.table)))
        days = self.session.project.roster.quiet_days if self.session.project is not None else 0
        if "island" in table.columns:
            islands = sum(bool(row[table.columns.index("island")]) for row in table.rows)
            self.says.setText(
                f"{islands:,} of {len(table.rows):,} folders are islands: their main authors left, or made no commit "
                f"in the last {days:,} days of the history."
            )
        else:
            self.says.setText(f"{len(table.rows):,} rows; quiet: no commit in the last {days:,} days of the history.")

    def _choose_row(self, row: int) -> None:
        if self._listed is None or self._listed.columns[0] != "module":
            return
        graph, name = self.session.graph, str(self._listed.rows[row][0])
        if (key := graph.key_of.get("" if name == "." else name)) is not None:
            self.desk.reveal(key)


def _table(found: Callable[[], PeopleInRange], by: str, level: int, progress: Progress) -> PeopleTable:
    """The table that was asked for."""
    progress("finding who knows what", 0, 0)
    people = found()
    progress("finding who knows what", 0, 0)
    if by == "author":
        return table_of_authors(people)
    return (
        table_of_teams(people) if by == "team" else table_of_modules(people, *modules_at(people.changes.paths, level))
    )
