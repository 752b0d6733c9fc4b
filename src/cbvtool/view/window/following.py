"""What the session tells, shown by the window's parts (picture, panels, path, title), and what these ask of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from qtpy.QtCore import QObject, QTimer

from cbvtool.geometry.scene.scene import Mask, Scene
from cbvtool.geometry.scene.shown import counts
from cbvtool.geometry.state.view_state import ViewState
from cbvtool.graph import Graph
from cbvtool.plan import History
from cbvtool.rules import Rules
from cbvtool.session.change import Change
from cbvtool.view.panels.source_panel import show_site
from cbvtool.view.toolkit.chooser import choose
from cbvtool.view.toolkit.plain import titled
from cbvtool.view.window.sample import sample_script
from cbvtool.view.window.status import not_understood_choices

if TYPE_CHECKING:
    from cbvtool.view.window.main_window import MainWindow

LARGE = 200_000  # nodes; of more of them, tree and counts are shown one after the other
STEP = 10  # milliseconds between them, for what the user does


class Following(QObject):
    """Each part of a window is told of what changed for it, and may lead the session."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._session = window.session
        self._seen = ViewState()
        self._later = QTimer(self)  # shows the structure of a huge graph; what changes meanwhile is shown with it
        self._later.setSingleShot(True)
        self._later.setInterval(STEP)
        self._later.timeout.connect(self._show_structure_later)
        self._sums: tuple[Graph, npt.NDArray[np.float64] | None] | None = None  # of a huge graph, to be shown
        self._relations: Mask | None = None  # that the details tell of: those of the picture, which may come late
        self._planned: tuple[History | None, Rules | None] = (None, None)  # what the plan and the rules panel show

    def install(self) -> None:
        """Follow the session, and let the panels lead it."""
        window, session = self._window, self._session
        self._unsubscribe = session.subscribe(self._follow)
        window.start.open_file.connect(window.documents.ask_file)
        window.start.cancelled.connect(window.status.cancelled)
        window.opening.began.connect(self._show_opening)
        window.opening.progressed.connect(window.start.show_progress)
        window.opening.idle.connect(self._show_opened)
        window.structure.selected.connect(lambda keys: session.select(keys))
        window.structure.shown_changed.connect(lambda key, shown: session.hide([key], hidden=not shown))
        window.structure.dropped.connect(self._move)
        window.details.chosen.connect(window.reveal)
        window.status.errors_asked.connect(self._list_errors)
        window.plan.chosen.connect(self._reveal)
        window.plan.place_chosen.connect(self._read)
        window.rules_panel.place_chosen.connect(self._read)
        window.plan.travelled.connect(lambda done: session.travel(done))
        window.look_panel.beta_chosen.connect(lambda beta: session.set_view(beta=beta))
        window.look_panel.guesses_chosen.connect(lambda shown: session.set_view(guesses=shown))
        window.look_panel.external_chosen.connect(lambda shown: session.set_view(external=shown))
        window.look_panel.kind_chosen.connect(lambda kind, shown: session.show_kind(kind, shown=shown))
        window.rules_panel.chosen.connect(lambda source, target: session.select((source, target)))
        window.unused_panel.chosen.connect(lambda keys: window.reveal(*keys))
        window.measuring.measured.connect(self._show_measured)
        window.measuring.known.connect(self.show_selection)
        window.measuring.given_up.connect(self._stay_with_drawn)

    def close_down(self) -> None:
        """The window closes."""
        self._unsubscribe()

    # -- what the session tells ----------------------------------------------------------------------------

    def _follow(self, what: Change) -> None:
        if what == Change.PROJECT:
            self.show_project()
        elif what == Change.DEPTH:
            self._show_depth()
        elif what == Change.PLAN:
            self._follow_plan()
        elif what == Change.VIEW:
            self._follow_view()
        if what in (Change.FILE, Change.PLAN):
            self._show_title()
        self._window.searching.follow(what)
        for panel in self._window.linked.values():
            panel.tell(what)
        self._window._update_actions()

    def show_project(self) -> None:
        """Show another subject, or the start page while there is none."""
        window, project = self._window, self._session.project
        window._pages.setCurrentWidget(window.start if project is None else window.canvas)
        window.start.show_recent(window.settings.recent)
        window.start.sample.setVisible(sample_script() is not None)
        if project is not None:
            self._show_depth()
            window.canvas.stage.opened()
            self._show_path()
        self._show_title()
        window._update_actions()

    def _show_opening(self, what: str) -> None:
        """The first subject is being opened."""
        if self._session.project is None:
            self._window.start.show_opening(what)
            self._window.details.show_opening(what)

    def _show_opened(self) -> None:
        """It was opened, or will not be."""
        self._window.start.show_choices()
        if self._session.project is None:
            self._window.details.show_nothing()

    def _show_depth(self) -> None:
        window, project = self._window, self._session.project
        assert project is not None
        files = int(np.count_nonzero(project.graph.kinds == _kind_number(project.graph, "file")))
        window.status.show_subject(project, files, len(project.graph.edges))
        window.look_panel.show_metrics(self._session.metrics)
        window.details.show_metrics(self._session.metrics)
        window.look_panel.show_view(self._session.view)

    def _follow_plan(self) -> None:
        window, session = self._window, self._session
        if not session.is_open:
            return
        graph = session.graph
        if len(graph) > LARGE:  # each takes as long as the window may be still
            self._later.start()
        else:
            self._show_structure(_sizes(graph))
            self._count()
        assert session.history is not None
        if (session.history, session.rules) != self._planned:  # else it is shown in another hierarchy
            self._planned = session.history, session.rules
            self._show_plan(session.history)
        window.unused_panel.follow(graph)
        self.show_selection()
        self._show_path()

    def _show_structure_later(self) -> None:
        """In turns of their own: sums, tree, counts; a later subject begins anew."""
        if not self._session.is_open:
            return
        graph = self._session.graph
        if self._sums is None or self._sums[0] is not graph:
            self._sums = graph, _sizes(graph)
            self._later.start()
        else:
            self._show_structure(self._sums[1])
            self._sums = None
            QTimer.singleShot(STEP, self._count_later)

    def _count_later(self) -> None:
        if self._session.is_open:
            self._count()
            self._window._update_actions()

    def _show_structure(self, sizes: npt.NDArray[np.float64] | None) -> None:
        window, session = self._window, self._session
        window.structure.show_graph(session.graph, sizes)
        window.structure.show_hidden(session.hidden)
        window.structure.show_selected(session.view.selected)

    def _show_plan(self, history: History) -> None:
        window, session = self._window, self._session
        window.plan.show_plan(history, session.tasks())
        now, today = session.violations()
        window.rules_panel.show_violations(session.planned, session.rules, now, today)
        window.dock("rules").setWindowTitle(f"Rules ({len(now):,})" if now else "Rules")

    def _count(self) -> None:
        """Say how much each switch is about."""
        window, view = self._window, self._session.view
        window.counts = counts(self._session.graph, view.guesses, view.external)
        window.look_panel.show_counts(window.counts, view)

    def _follow_view(self) -> None:
        window, session = self._window, self._session
        view, before = session.view, self._seen
        self._seen = view
        window.canvas.stage.refresh()
        if view.drag is not None or not session.is_open:
            return
        if (view.hidden, view.external) != (before.hidden, before.external):
            window.structure.show_hidden(session.hidden)
        if view.selected != before.selected:
            window.structure.show_selected(view.selected)
        if view.selected != before.selected or session.scene().relations is not self._relations:
            self.show_selection()
        self._measure(session.scene())
        if (view.mapping, view.beta) != (before.mapping, before.beta):
            window.look_panel.show_view(view)
        if _filter(view) != _filter(before):
            self._count()
        if (view.root, view.selected) != (before.root, before.selected):
            self._show_path()

    def show_selection(self) -> None:
        """Tell of what is selected."""
        details, session = self._window.details, self._session
        if not session.is_open:
            details.show_nothing()
            return
        scene, selected = session.scene(), session.view.selected
        self._relations = scene.relations
        self._measure(scene)
        details.show_metrics(scene.values.metrics)
        details.show_keys(scene.graph, scene.values, selected, scene.relations, scene.values.missing())

    def _measure(self, scene: Scene) -> None:
        """Let what the picture and the details wait for be measured."""
        missing = scene.values.missing() if self._session.view.selected else ()
        self._window.measuring.want(scene.values, scene.pending, missing)

    def _show_measured(self) -> None:
        self._window.canvas.stage.refresh()
        self.show_selection()

    def _stay_with_drawn(self, why: str) -> None:
        self._session.stay_with_drawn()
        if why:
            self._window.say(why)

    def _show_path(self) -> None:
        view = self._session.view
        key = view.selected[-1] if len(view.selected) == 1 else view.root
        self._window.crumbs.show_path(self._session.graph, view.root, key)

    def _show_title(self) -> None:
        window, session = self._window, self._session
        if session.project is None:
            window.setWindowTitle("cbvtool")
            return
        name = session.file.name if session.file else session.project.name
        window.setWindowTitle(f"{titled(name)}[*] – cbvtool")
        window.setWindowModified(session.unsaved)

    # -- what the panels ask for ---------------------------------------------------------------------------

    def _move(self, ids: list[str], target: int) -> None:
        key_of = self._session.graph.key_of
        refused = self._session.move([key_of[node] for node in ids if node in key_of], target)
        if refused is not None:
            self._window.say(refused)

    def _reveal(self, node: str) -> None:
        key = self._session.graph.key_of.get(node)
        if key is None:
            self._window.say(f"{node} is not part of the target any more")
        else:
            self._window.reveal(key)

    def _list_errors(self) -> None:
        """List the files that were not fully understood; one that is chosen is shown."""
        project = self._session.project
        if project is None:
            return
        choices = not_understood_choices(project.graph.report, self._session.graph.key_of)
        key = choose("Files with lines that were not understood", "Type a part of a path", choices, self._window)
        if key is not None:
            self._window.reveal(key)

    def _read(self, file: str, line: int) -> None:
        """Show a place in the source."""
        files = self._session.graph.files
        if file in files:
            show_site(self._window, files.index(file), line, front=True)
        else:
            self._window.say(f"{file} is not part of the project any more")


def _filter(view: ViewState) -> tuple[object, ...]:
    """What decides which relations are shown at all."""
    return view.guesses, view.external, view.kinds_off, view.filter


def _kind_number(graph: Graph, kind: str) -> int:
    return graph.kind_names.index(kind) if kind in graph.kind_names else -1


def _sizes(graph: Graph) -> npt.NDArray[np.float64] | None:
    column = graph.values.get("sloc")
    return None if column is None else graph.tree.subtree_sum(column)
