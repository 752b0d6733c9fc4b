"""What the session tells, shown by the window's parts: start page, picture, panels, path and title."""

from __future__ import annotations

from itertools import islice

import numpy as np
from qtpy.QtCore import QObject, QTimer
from qtpy.QtWidgets import QMainWindow

from cbvtool.graph import Graph
from cbvtool.session.change import Change
from cbvtool.view.commands.documents import Documents
from cbvtool.view.commands.searching import Searching
from cbvtool.view.panels.details_panel import DetailsPanel
from cbvtool.view.panels.history.evolution_panel import EvolutionPanel
from cbvtool.view.panels.plan_panel import PlanPanel
from cbvtool.view.panels.timeline.line_counting import LineCounting
from cbvtool.view.panels.timeline.timeline_panel import TimelinePanel
from cbvtool.view.toolkit.chooser import choose
from cbvtool.view.toolkit.plain import titled
from cbvtool.view.window.crumbs import Crumbs
from cbvtool.view.window.opening import Opening
from cbvtool.view.window.sample import sample_script
from cbvtool.view.window.start_page import StartPage
from cbvtool.view.window.status import not_understood_choices
from cbvtool.view.window.view import View
from cbvtool.view.window.window_desk import WindowDesk
from cbvtool.words import one_line

PAUSE = 200  # ms without a change of the time range that is dragged or played, until panels follow
MOST_TOLD = 40  # changes of the plan in words


class Following(QObject):
    """Tells each part of a window what changed."""

    def __init__(self, desk: WindowDesk, view: View, start: StartPage, crumbs: Crumbs, window: QMainWindow) -> None:
        super().__init__(window)
        self._desk, self._session, self._window = desk, desk.session, window
        self._view, self._start, self._crumbs = view, start, crumbs
        self._told: tuple[object, ...] = (None, False)
        self._path: tuple[object, ...] = ()  # what decides the path that is shown
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(PAUSE)
        self._pause.timeout.connect(self._tell_range)

    def install(self, opening: Opening) -> None:
        """Follow the session."""
        self._unsubscribe = self._session.subscribe(self._follow)
        self._start.open_file.connect(self._desk.part(Documents).ask_file)
        self._start.cancelled.connect(self._desk.status.cancelled)
        opening.began.connect(self._show_opening)
        opening.progressed.connect(self._start.show_progress)
        opening.idle.connect(self._show_opened)
        self._desk.status.errors_asked.connect(self._list_errors)
        self._desk.status.plan_asked.connect(self._show_plan)
        self._desk.panel(EvolutionPanel).came.connect(self._desk.panel(DetailsPanel).show_selection)
        self._view.measuring.measured.connect(self._tell_values)
        self._view.measuring.known.connect(self._tell_values)

    def close_down(self) -> None:
        """The window closes."""
        self._pause.stop()
        self._unsubscribe()

    def _tell_range(self) -> None:
        """The time range rests, though it is held still: panels follow as well."""
        if self._session.is_open:
            self._follow_others(Change.VIEW)

    # -- what the session tells ----------------------------------------------------------------------------

    def _follow(self, what: Change) -> None:
        session = self._session
        if what == Change.PROJECT:
            self.show_project()
        elif what == Change.DEPTH:
            self._show_subject()
        elif what == Change.VIEW:
            self._view.stage.refresh()
            if session.time_ranges.is_sliding:
                self._desk.panel(TimelinePanel).tell(what)
                self._pause.start()
                return
            self._pause.stop()
        self._follow_others(what)

    def _follow_others(self, what: Change) -> None:
        session = self._session
        if what == Change.PLAN or (what == Change.VIEW and session.view.drag is None):
            self._want()
        for panel in self._desk.panels.values():
            panel.tell(what)
        if what in (Change.DEPTH, Change.VIEW):
            self._desk.part(LineCounting).follow()
        if what in (Change.PLAN, Change.VIEW):
            self._show_path(again=what == Change.PLAN)
        if what in (Change.FILE, Change.PLAN):
            self._show_title()
        if what in (Change.PLAN, Change.PROJECT, Change.VIEW):
            self._tell_plan()
        self._desk.part(Searching).follow(what)
        self._desk.refresh()

    def show_project(self) -> None:
        """Show another subject, or the start page while there is none."""
        project = self._session.project
        self._start.show_recent(self._desk.settings.recent)
        self._start.sample.setVisible(sample_script() is not None)
        if project is not None:
            self._show_subject()
            self._view.stage.opened()
            self._show_path(again=True)
        self._show_title()
        self._desk.refresh()

    def _show_opening(self, what: str) -> None:
        """The first subject is being opened."""
        if self._session.project is None:
            self._start.show_opening(what)
            self._desk.panel(DetailsPanel).show_opening(what)

    def _show_opened(self) -> None:
        """It was opened, or will not be."""
        self._start.show_choices()
        if self._session.project is None:
            self._desk.panel(DetailsPanel).show_nothing()

    def _show_subject(self) -> None:
        project = self._session.project
        assert project is not None
        files = int(np.count_nonzero(project.graph.kinds == _kind_number(project.graph, "file")))
        self._desk.status.show_subject(project, files, len(project.graph.edges))

    def _want(self) -> None:
        """Let what the picture and the details wait for be measured."""
        if self._session.is_open:
            scene = self._session.scene()
            self._view.want(scene, scene.values.missing() if self._session.view.selected else ())

    def _tell_values(self) -> None:
        self._want()
        for panel in self._desk.panels.values():
            panel.values_came()

    def _show_path(self, *, again: bool) -> None:
        view = self._session.view
        now = (view.root, view.selected, view.planned)
        if not self._session.is_open or view.drag is not None or (now == self._path and not again):
            return
        self._path = now
        key = view.selected[-1] if len(view.selected) == 1 else view.root
        plan = self._session.changes_planned if view.planned else None
        self._crumbs.show_path(self._session.graph, view.root, key, plan)

    def _show_plan(self) -> None:
        self._desk.show(PlanPanel)

    def _tell_plan(self) -> None:
        """The plan in words, for those who do not see the picture; and how much of it there is, for all."""
        session = self._session
        plan, before = session.changes_planned if session.is_open else None, session.view.before
        if (plan, before) == self._told:
            return
        self._told = (plan, before)
        lines = [] if plan is None else list(islice(plan.sentences(), MOST_TOLD))
        more = 0 if plan is None else len(plan) - len(lines)
        lines += [f"and {more:,} more"] if more > 0 else []
        version = "" if plan is None else one_line(plan.version)
        of_base = f"{version} is shown" if version else "What is shown is what there was before the plan"
        heading = f"Since {version}" if version else "Before the plan" if before else "Plan"
        words = f"{f'{of_base}. ' if before else ''}{f'Since {version}' if version else 'Planned'}: {'; '.join(lines)}."
        self._view.canvas.setAccessibleDescription(words if lines else f"{of_base}." if before else "")
        self._desk.status.show_plan(heading, plan.summary() if plan is not None else "", "\n".join(lines))

    def _show_title(self) -> None:
        window, session = self._window, self._session
        if session.project is None:
            window.setWindowTitle("cbvtool")
            return
        name = session.file.name if session.file else session.project.name
        window.setWindowTitle(f"{titled(name)}[*] – cbvtool")
        window.setWindowModified(session.unsaved)

    def _list_errors(self) -> None:
        """List the files that were not fully understood; one that is chosen is shown."""
        project = self._session.project
        if project is None:
            return
        choices = not_understood_choices(project.graph.report, self._session.graph.key_of)
        key = choose("Files with lines that were not understood", "Type a part of a path", choices, self._window)
        if key is not None:
            self._desk.reveal(key)


def _kind_number(graph: Graph, kind: str) -> int:
    return graph.kind_names.index(kind) if kind in graph.kind_names else -1
