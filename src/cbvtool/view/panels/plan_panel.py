"""The plan: what it is worth, what is to be done, net of every detour, and the steps it came from (NEW-23)."""

from __future__ import annotations

from collections.abc import Sequence

from qtpy.QtCore import QPoint, Qt, QUrl, Signal
from qtpy.QtGui import QColor, QCursor, QFont
from qtpy.QtWidgets import (
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QPushButton,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from cbvtool.assessment.modules import DEPTH, FOUND, WAYS, heading
from cbvtool.plan.history import History
from cbvtool.plan.listing.annotations import Annotations, annotated, reordered, without
from cbvtool.plan.task import Task
from cbvtool.session.change import Change
from cbvtool.session.planning.figures import PlanFigures
from cbvtool.session.planning.listing import StepRow, step_rows, summary
from cbvtool.tracking import PlanProgress
from cbvtool.view.desk import Desk
from cbvtool.view.panels.alternatives.plan_bar import PlanBar
from cbvtool.view.panels.panel import Area, Panel
from cbvtool.view.panels.place_links import place_of_link
from cbvtool.view.panels.plan_html import WAITING, Shown, Told, empty_html, plan_html
from cbvtool.view.panels.plan_judge import PlanJudge
from cbvtool.view.panels.source_panel import read_place
from cbvtool.view.panels.tracking.marks_html import progress_html, waiting_html
from cbvtool.view.panels.tracking.plan_tracker import PlanTracker
from cbvtool.view.panels.versions.comparing_versions import ComparingVersions
from cbvtool.view.toolkit.plain import Label, add_action, ask_line, muted, set_caption, set_tooltip
from cbvtool.view.toolkit.text_browser import TextBrowser
from cbvtool.view.toolkit.theme import look, rich_text
from cbvtool.words import one_line

_LOW = 90  # px of the steps and the list of tasks at least
STEP_TIPS = {
    "here": "The plan stands here; right click to note something about it",
    "done": "Click to see where it is; double click to go back to here; right click to note something about it",
    "undone": "Undone. Click to see where it is; double click to do it again",
}
TRACK_TIP = (
    "List what is done of the plan in the commits since it was made: open, partly, done or overtaken, and since when"
)
CHOSEN = ", as this document says"
GONE = "Nothing of what this task names is in the code any more"
WEIGHED = "Dependencies weigh the calls that went along them"


class PlanPanel(Panel):
    """Which plan it is on top, then its judgement, then the tasks, then the steps."""

    NAME, TITLE = "plan", "Plan"
    AREA = Area.RIGHT
    SHOWN = True
    ALWAYS = True

    chosen = Signal(str)  # node id
    place_chosen = Signal(str, int)  # file and line
    travelled = Signal(int)  # how many steps are to be done
    export_requested = Signal()

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._planned: History | None = None  # what is shown
        self._figures: PlanFigures | None = None
        self._steps: Sequence[StepRow] = ()
        self._open: set[str] = set()  # keys of the tasks whose sites are listed
        self._explained: set[str] = set()  # names of figures
        self.chosen.connect(lambda node: self._reveal([node]))
        self.place_chosen.connect(lambda file, line: read_place(desk, file, line))
        self.travelled.connect(lambda done: self.session.travel(done))
        self.export_requested.connect(lambda: desk.do("export_tasks"))
        desk.part(PlanJudge).judged.connect(self._take)
        self._tracker = desk.part(PlanTracker)
        self.plans = PlanBar(desk, self)
        self.text = TextBrowser("Judgement and tasks", self)
        self.text.anchorClicked.connect(self._follow)
        self.expanded = QPushButton("Small steps", self)
        self.expanded.setObjectName("small")
        self.expanded.setCheckable(True)
        set_tooltip(self.expanded, "List with every task its steps, each the size of one refactoring of an IDE")
        self.expanded.toggled.connect(self._write)
        self.before = QPushButton("Before", self)
        self.before.setObjectName("small")
        set_tooltip(self.before, "Show what there was before the plan, and the plan again (B)")
        self.before.clicked.connect(lambda: desk.do("before_after"))
        self.tracked = QPushButton("Progress", self)
        self.tracked.setObjectName("small")
        self.tracked.setCheckable(True)
        set_tooltip(self.tracked, TRACK_TIP)
        self.tracked.toggled.connect(self._track)
        self._tracker.changed.connect(self._write)
        self.export = QPushButton("Export tasks...", self)
        self.export.setObjectName("small")
        set_tooltip(self.export, "Write the task list as Markdown, CSV or JSON (Ctrl+E)")
        self.export.clicked.connect(self.export_requested)
        self.steps = QListWidget(self)
        self.steps.setObjectName("steps")
        self.steps.setAccessibleName("Steps")
        self.steps.setWordWrap(True)
        self.steps.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.steps.itemClicked.connect(lambda item: self._show_step(self.steps.row(item)))
        self.steps.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.steps.customContextMenuRequested.connect(self._offer_note)
        self.steps.itemActivated.connect(lambda item: self.travelled.emit(self.steps.row(item)))
        self.heading = Label("Steps", self)
        self._lay_out()
        self._show(None)

    def _lay_out(self) -> None:
        below = QWidget(self)
        column = QVBoxLayout(below)
        column.setContentsMargins(0, 6, 0, 0)
        self.heading.setObjectName("heading")
        self.heading.setContentsMargins(12, 0, 0, 0)
        column.addWidget(self.heading)
        column.addWidget(self.steps)
        split = QSplitter(Qt.Orientation.Vertical, self)
        split.addWidget(self.text)
        split.addWidget(below)
        split.setStretchFactor(0, 3)
        split.setStretchFactor(1, 1)
        split.setMinimumHeight(_LOW)  # its parts ask for more, which docks at the bottom need
        split.setChildrenCollapsible(False)
        split.setSizes([520, 180])
        rows, buttons = (QHBoxLayout(), QHBoxLayout()), QVBoxLayout()
        buttons.setContentsMargins(10, 6, 10, 10)
        for row, pair in zip(rows, ((self.expanded, self.before), (self.tracked, self.export)), strict=True):
            for button in pair:
                row.addWidget(button)
            buttons.addLayout(row)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.plans)
        layout.addWidget(split)
        layout.addLayout(buttons)

    def restyle(self) -> None:
        """Take the style sheet of the text in another theme."""
        self.text.restyle(rich_text(look(self.desk.settings.theme)))
        self._list_steps()

    def follow(self, changes: frozenset[Change]) -> None:
        """Show another plan; in another hierarchy it is the same."""
        if changes & {Change.PLAN, Change.PROJECT}:
            self.plans.show_plans()
        if Change.PLAN in changes and self.session.history is not self._planned:
            self._show(self.session.history)
        if Change.VIEW in changes:
            set_caption(self.before, "After" if self.session.view.before else "Before")

    @property
    def _tasks(self) -> Sequence[Task]:
        return () if self._figures is None else self._figures.tasks

    def _show(self, history: History | None) -> None:
        """Show the steps at once; the figures come when they are worked out."""
        self._planned = history
        is_planned = history is not None and bool(history.done)
        if history is None or not history.done or (self._figures and self._figures.history.base is not history.base):
            self._figures = None
        if (known := self.desk.part(PlanJudge).current) is not None:
            self._figures = known
        self._steps = () if history is None else step_rows(history)
        count = 0 if history is None else len(history.done)
        self.setWindowTitle(f"{self.TITLE} ({count:,})" if count else self.TITLE)
        for button in (self.export, self.before, self.expanded):
            button.setEnabled(is_planned)
        self._write()
        self._list_steps()

    def _take(self, figures: PlanFigures) -> None:
        """They have come."""
        if figures.history is self._planned:
            self._figures = figures
            self._write()

    # -- judgement and tasks -------------------------------------------------------------------------------

    def _write(self, _checked: bool = False) -> None:
        bar = self.text.verticalScrollBar()
        place = bar.value() if bar is not None else 0
        history, figures = self._planned, self._figures
        if self.tracked.isChecked():
            found = self._tracker.found
            self.text.show_html(waiting_html(self._tracker.why) if found is None else progress_html(found))
        elif history is None or not history.done:
            self.text.show_html(empty_html(self._told(figures), self._what_is_shown))
        elif figures is None:
            self.text.show_html(muted(WAITING))
        else:
            self.text.show_html(plan_html(self._told(figures), figures.listed, self._what_is_shown))
        if bar is not None:
            bar.setValue(place)

    @property
    def _what_is_shown(self) -> Shown:
        more = self.desk.settings.more_figures
        return Shown(self.expanded.isChecked(), frozenset(self._open), frozenset(self._explained), more)

    def _told(self, figures: PlanFigures | None) -> Told:
        """The figures, and what to say of them."""
        if figures is None or figures.judged is None:
            return Told()
        asked, planned = figures.judged.asked, self.session.changes_planned
        what = [planned.summary()] if planned else []
        if asked.calls is not None:
            what.append(WEIGHED)
        words = heading(asked.base, asked.modules, asked.root)
        if asked.modules.by != FOUND:
            words += CHOSEN
        return Told(figures.rows, words, ". ".join(what))

    def choose_modules(self) -> QMenu:
        """Offer the ways to tell modules."""
        menu = QMenu(self)
        for by, words in WAYS.items():
            if by != DEPTH:
                self._offer_way(menu, by, words)
        for depth in (2, 3, 4):
            self._offer_way(menu, f"{DEPTH}_{depth}", f"{WAYS[DEPTH]}: {depth} levels")
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(QCursor.pos())
        return menu

    def _offer_way(self, menu: QMenu, name: str, words: str) -> None:
        action = add_action(menu, words)
        action.setCheckable(True)
        chosen = self.session.view.modules
        action.setChecked(name == (f"{DEPTH}_{chosen.depth}" if chosen.by == DEPTH else chosen.by))
        action.triggered.connect(lambda _checked=False: self.desk.do(f"modules_{name}"))

    def _track(self, wanted: bool) -> None:
        """Show the marks in place of the tasks, or these again."""
        self._tracker.want(wanted)
        self._write()

    def show_places(self, number: int) -> None:
        """List the sites of task `number`, or hide them again."""
        for task in self._tasks:
            if task.number == number:
                self._open ^= {task.key}
        self._write()

    def _follow(self, url: QUrl) -> None:
        if (place := place_of_link(url)) is not None:
            self.place_chosen.emit(*place)
            return
        kind, what = url.scheme(), url.path(QUrl.ComponentFormattingOption.FullyDecoded)
        if kind == "more":
            self.desk.settings.more_figures = not self.desk.settings.more_figures
            self._write()
        elif kind == "modules":
            self.choose_modules()
        elif kind == "figure":
            self._explained ^= {what}
            self._write()
        elif kind == "forget":
            self._annotate(without(self._noted, [what]))
        elif kind == "track":
            self._tracker.again()
        elif kind == "commit":
            self.desk.part(ComparingVersions).compare(what)
        elif kind == "tracked" and self._tracker.found is not None:
            self._show_tracked(self._tracker.found, int(what))
        elif kind == "step" and self._figures is not None:
            self._reveal(next((step.nodes for step in self._figures.listed.steps if step.number == int(what)), ()))
        elif (task := next((task for task in self._tasks if task.number == int(what)), None)) is not None:
            self._do_with(task, kind)

    def _show_tracked(self, found: PlanProgress, number: int) -> None:
        """Show where what a task names is now, wherever that is."""
        for task, mark in zip(found.tasks, found.now.marks, strict=True):
            if task.number != number:
                continue
            if mark.there:
                self._reveal(mark.there)
            else:
                self.desk.say(f"{GONE}: {task.title}. {mark.reason}".rstrip(" ."), error=False)

    def _do_with(self, task: Task, kind: str) -> None:
        """Do what a link of a task asks for."""
        noted, place = self._noted, task.number - 1
        if kind == "node":
            self._reveal(task.nodes)
        elif kind == "sites":
            self.show_places(task.number)
        elif kind == "done":
            self._annotate(annotated(noted, task, done=not task.done))
        elif kind in ("up", "down"):
            to = place + (1 if kind == "down" else -1)
            self._annotate(reordered(noted, self._tasks, task.key, max(0, to)))
        elif kind == "unnote":
            self._note(task, "")
        elif kind == "unassign":
            self._annotate(annotated(noted, task, assignee=""))
        elif kind == "note" and (note := self._ask("Note", f"Note about: {task.title}", task.note)):
            self._note(task, note)
        elif kind == "assign" and (who := self._ask("Assign", f"Who does it: {task.title}", task.assignee)):
            self._annotate(annotated(noted, task, assignee=who))

    def _note(self, task: Task, note: str) -> None:
        """Note something about a task; a button in the message takes that back."""
        self._annotate(annotated(self._noted, task, note=note))
        said = f"{'Noted about' if note else 'Removed the note about'}: {one_line(task.title)}"

        def back() -> None:
            self._annotate(annotated(self._noted, task, note=task.note))

        self.desk.say(said, error=False, offer="Undo", run=back)

    def _ask(self, title: str, label: str, text: str) -> str | None:
        return ask_line(self.desk.widget, title, label, text)

    @property
    def _noted(self) -> Annotations:
        return self.session.annotations

    def _annotate(self, noted: Annotations) -> None:
        self.desk.part(PlanJudge).annotate(noted)

    def _reveal(self, nodes: Sequence[str]) -> None:
        """Show nodes in picture, tree and source; of what the target does not have, where it was."""
        graph = self.session.graph
        keys = [graph.key_of[node] for node in nodes if node in graph.key_of]
        if not keys and self._planned is not None:
            base = self._planned.base
            above = [base.ids[base.parent[base.key_of[node]]] for node in nodes if node in base.key_of]
            keys = [graph.key_of[node] for node in above if node in graph.key_of]
        if keys:
            self.desk.reveal(*dict.fromkeys(keys))
        elif nodes:
            self.desk.say(f"{nodes[0]} is not part of the target any more")

    # -- steps ---------------------------------------------------------------------------------------------

    def _list_steps(self) -> None:
        self.steps.clear()
        if not self._steps:
            return
        wrong = summary(list(self._steps))
        self.heading.setText(f"Steps ({wrong})" if wrong else "Steps")
        here = 0
        for number, row in enumerate(self._steps):
            self.steps.addItem(self._item(row))
            here = number if row.here else here
        self.steps.scrollToItem(self.steps.item(here))

    def _item(self, row: StepRow) -> QListWidgetItem:
        item = QListWidgetItem("\n".join(filter(None, (row.label, one_line(row.note), row.problem))))
        font = QFont(self.font())
        font.setBold(row.here)
        font.setItalic(not row.done)
        font.setStrikeOut(row.overtaken)
        item.setFont(font)
        if row.refused:
            item.setForeground(QColor(look(self.desk.settings.theme).warning))
        elif not row.done or row.overtaken:
            item.setForeground(self.palette().placeholderText())
        tip = STEP_TIPS["here" if row.here else "done" if row.done else "undone"]
        set_tooltip(item, f"{row.problem}\n{tip}" if row.problem else tip)
        return item

    def _offer_note(self, place: QPoint) -> None:
        """The menu of the step there, or of the current one if the key asks for it."""
        item = self.steps.itemAt(place) or self.steps.currentItem()
        number = self.steps.row(item) - 1 if item is not None else -1  # the first row is no step
        if number < 0:
            return
        menu = QMenu(self)
        menu.setObjectName("context")
        add_action(menu, "Note...").triggered.connect(lambda: self._note_step(number))
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self.steps.mapToGlobal(place))

    def _note_step(self, number: int) -> None:
        """Ask what is to be noted about a step; nothing removes the note. Undo takes that back."""
        step = self._steps[number + 1]
        label = f"Note about: {one_line(step.label)}; nothing removes it"
        note = ask_line(self.desk.widget, "Note on the step", label, step.note, may_be_empty=True)
        if note is not None:
            self.session.noting.note_step(number, note)
            self.desk.note(f"{'Noted about' if note else 'Removed the note about'}: {one_line(step.label)}")

    def _show_step(self, number: int) -> None:
        """Show where a step is."""
        if number < len(self._steps) and (nodes := self._steps[number].nodes):
            there = [node for node in nodes if node in self.session.graph.key_of]
            self._reveal(there[:1] or nodes[:1])
