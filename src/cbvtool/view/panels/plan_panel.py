"""The plan: what is to be done, net of every detour, and the steps it came from, to go back and forth in."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from markupsafe import Markup
from qtpy.QtCore import Qt, QUrl, Signal
from qtpy.QtGui import QFont
from qtpy.QtWidgets import QHBoxLayout, QListWidget, QListWidgetItem, QPushButton, QSplitter, QVBoxLayout, QWidget

from cbvtool.plan import effort
from cbvtool.plan.export import by_reason
from cbvtool.plan.history import History
from cbvtool.plan.site_words import sites_in_files, where
from cbvtool.plan.sites.site import Site
from cbvtool.plan.task import Task
from cbvtool.session.change import Change
from cbvtool.view.desk import Desk
from cbvtool.view.panels.panel import Area, Panel
from cbvtool.view.panels.place_links import place_link, place_of_link
from cbvtool.view.panels.source_panel import read_place
from cbvtool.view.toolkit.plain import Label, breakable, link, muted, set_tooltip
from cbvtool.view.toolkit.text_browser import TextBrowser
from cbvtool.view.toolkit.theme import look, rich_text

NOTHING = "Nothing is planned yet. Drag a segment onto another container, or press M."
SHOWN_FILES = 60  # of one task, in the panel; the export holds all


class PlanPanel(Panel):
    """Tasks above, steps below."""

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
        self.chosen.connect(self._reveal)
        self.place_chosen.connect(lambda file, line: read_place(desk, file, line))
        self.travelled.connect(lambda done: self.session.travel(done))
        self.export_requested.connect(lambda: desk.do("export_tasks"))
        self._tasks: Sequence[Task] = ()
        self._open: set[tuple[str, ...]] = set()  # nodes of the tasks whose sites are listed
        self.text = TextBrowser("Tasks", self)
        self.text.anchorClicked.connect(self._follow)
        self.export = QPushButton("Export tasks...", self)
        set_tooltip(self.export, "Write the task list as Markdown, CSV or JSON (Ctrl+E)")
        self.export.clicked.connect(self.export_requested)
        self.steps = QListWidget(self)
        self.steps.setObjectName("steps")
        self.steps.setAccessibleName("Steps")
        self.steps.setWordWrap(True)
        self.steps.itemClicked.connect(lambda item: self.travelled.emit(self.steps.row(item)))
        self.steps.itemActivated.connect(lambda item: self.travelled.emit(self.steps.row(item)))

        below = QWidget(self)
        column = QVBoxLayout(below)
        column.setContentsMargins(0, 6, 0, 0)
        heading = Label("Steps", below)
        heading.setObjectName("heading")
        heading.setContentsMargins(12, 0, 0, 0)
        column.addWidget(heading)
        column.addWidget(self.steps)
        split = QSplitter(Qt.Orientation.Vertical, self)
        split.addWidget(self.text)
        split.addWidget(below)
        split.setStretchFactor(0, 3)
        split.setStretchFactor(1, 1)
        split.setChildrenCollapsible(False)
        split.setSizes([520, 180])
        buttons = QHBoxLayout()
        buttons.setContentsMargins(10, 6, 10, 10)
        buttons.addStretch()
        buttons.addWidget(self.export)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(split)
        layout.addLayout(buttons)
        self.show_plan(None, ())

    def restyle(self) -> None:
        """Take the style sheet of the text in another theme."""
        self.text.restyle(rich_text(look(self.desk.settings.theme)))

    def follow(self, changes: frozenset[Change]) -> None:
        """Show another plan; in another hierarchy it is the same."""
        if Change.PLAN in changes and self.session.history != self._planned:
            self._planned = self.session.history
            self.show_plan(self._planned, self.session.tasks())

    def _reveal(self, node: str) -> None:
        key = self.session.graph.key_of.get(node)
        if key is None:
            self.desk.say(f"{node} is not part of the target any more")
        else:
            self.desk.reveal(key)

    def show_plan(self, history: History | None, tasks: Sequence[Task]) -> None:
        """Show the tasks of a history, and its steps."""
        self._tasks = tasks
        self._write()
        self.export.setEnabled(bool(tasks))
        self.steps.clear()
        if history is None:
            return
        self._add_step("As it is today", done=True, here=not history.done)
        for number, group in enumerate(history.done, start=1):
            self._add_step(group.label, done=True, here=number == len(history.done))
        for group in reversed(history.undone):
            self._add_step(group.label, done=False, here=False)
        self.steps.scrollToItem(self.steps.item(len(history.done)))

    def _add_step(self, label: str, *, done: bool, here: bool) -> None:
        item = QListWidgetItem(f"{label[:1].upper()}{label[1:]}")
        font = QFont(self.font())
        font.setBold(here)
        font.setItalic(not done)
        item.setFont(font)
        if not done:
            item.setForeground(self.palette().placeholderText())
        set_tooltip(item, "This is where the plan stands" if here else "Go here" if done else "Undone: click to redo")
        self.steps.addItem(item)

    def _write(self) -> None:
        bar = self.text.verticalScrollBar()
        place = bar.value() if bar is not None else 0
        self.text.show_html(tasks_html(self._tasks, self._open))
        if bar is not None:
            bar.setValue(place)

    def show_places(self, number: int) -> None:
        """List the sites of task `number`, or hide them again."""
        for task in self._tasks:
            if task.number == number:
                self._open ^= {task.nodes}
        self._write()

    def _follow(self, url: QUrl) -> None:
        if (place := place_of_link(url)) is not None:
            self.place_chosen.emit(*place)
            return
        kind, number = url.scheme(), int(url.path())
        task = next((task for task in self._tasks if task.number == number), None)
        if task is None:
            return
        if kind == "node":
            self.chosen.emit(task.nodes[0])
        else:
            self.show_places(number)


def tasks_html(tasks: Sequence[Task], opened: set[tuple[str, ...]]) -> Markup:
    """The task list as rich text; `opened`: nodes of the tasks whose sites are listed."""
    if not tasks:
        return muted(NOTHING)
    total = effort.show(sum(task.minutes for task in tasks))
    count = f"{len(tasks):,} task{'' if len(tasks) == 1 else 's'}"
    parts = [Markup("<h3>{}</h3>").format(count), muted(f"about {total} (estimate)")]
    parts += [_task_html(task, task.nodes in opened) for task in tasks]
    return Markup("").join(parts)


def _task_html(task: Task, is_open: bool) -> Markup:
    html = Markup("<p style='margin:10px 0 0 0'><span class='muted'>{}.</span> {}</p>").format(
        task.number, link(f"node:{task.number}", breakable(task.title), sort="task")
    )
    about = [task.impact, f"about {effort.show(task.minutes)}"]
    if task.people:
        about.append(task.people[0].name + (f" and {len(task.people) - 1} more" if len(task.people) > 1 else ""))
    html += Markup("<p class='muted' style='margin:0'>{}</p>").format(" · ".join(about))
    for note in task.notes:
        html += Markup("<p class='note' style='margin:2px 0'>{}</p>").format(note)
    if task.sites or len(task.steps) > 1:
        shown = link(f"sites:{task.number}", f"{'Hide' if is_open else 'Show'} places")
        html += Markup("<p style='margin:0'>{}</p>").format(shown)
    if is_open:
        for step in task.steps:
            html += Markup("<p style='margin:0 0 0 10px'>{}</p>").format(breakable(step.title))
        html += _sites_html(f"Change {sites_in_files(task.must)}", task.must) if task.must else ""
        for reason, sites in by_reason(task.check):
            html += _sites_html(f"Check {sites_in_files(sites)}" + (f": {reason}" if reason else ""), sites)
    return html


def _sites_html(title: str, sites: Sequence[Site]) -> Markup:
    rows = []
    for file, group in groupby(sorted(sites, key=where), key=lambda site: site.file):
        numbers = dict.fromkeys(site.line if site.line is not None else -(site.after or 0) for site in group)
        lines = Markup(", ").join(
            place_link(file, line, f"{line:,}") if line > 0 else place_link(file, max(1, -line), f"after {-line:,}")
            for line in numbers
        )
        rows.append(Markup("<p class='muted' style='margin:0 0 0 10px'>{}: {}</p>").format(breakable(file), lines))
    more = len(rows) - SHOWN_FILES
    rest = Markup("<p class='muted' style='margin:0 0 0 10px'>and {:,} more files</p>").format(more) if more > 0 else ""
    heading = Markup("<p style='margin:4px 0 0 0'>{}</p>").format(title)
    return Markup("").join((heading, *rows[:SHOWN_FILES], rest))
