"""The window: puts canvas, docks, menus and the session together. It decides nothing about the plan itself."""

from __future__ import annotations

from pathlib import Path

from qtpy.QtCore import QSize, Qt
from qtpy.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QResizeEvent, QShowEvent
from qtpy.QtWidgets import QMainWindow, QStackedWidget, QTabWidget, QVBoxLayout, QWidget

import cbvtool.view.window.second_view  # noqa: F401 - adds itself to the registry of places
from cbvtool.extensions import PluginRegistry
from cbvtool.session import Session
from cbvtool.session.change import Change
from cbvtool.view.commands.comparing import BeforeAfter
from cbvtool.view.commands.context_menus import ContextMenus
from cbvtool.view.commands.documents import Documents
from cbvtool.view.commands.editing import Editing
from cbvtool.view.commands.exporting import Exporting
from cbvtool.view.commands.help.failures import Failures
from cbvtool.view.commands.hierarchies import Hierarchies
from cbvtool.view.commands.linking import Linking
from cbvtool.view.commands.matrix_page import MatrixPage
from cbvtool.view.commands.menus import Actions
from cbvtool.view.commands.navigating import Navigating
from cbvtool.view.commands.questions import Questions
from cbvtool.view.commands.searching import Searching
from cbvtool.view.commands.styles import Styles
from cbvtool.view.commands.unsaved import Unsaved
from cbvtool.view.panels.alternatives.comparing_plans import ComparingPlans
from cbvtool.view.panels.alternatives.copying_steps import CopyingSteps
from cbvtool.view.panels.alternatives.plan_commands import PlanCommands
from cbvtool.view.panels.applying.plan_applying import PlanApplying
from cbvtool.view.panels.panel import Area
from cbvtool.view.panels.plan_judge import PlanJudge
from cbvtool.view.panels.rules.rule_editor import RuleEditor
from cbvtool.view.panels.structure_panel import StructurePanel
from cbvtool.view.panels.timeline.line_counting import LineCounting
from cbvtool.view.panels.traces.recording import Recording
from cbvtool.view.panels.traces.tracing import Tracing
from cbvtool.view.panels.tracking.plan_tracker import PlanTracker
from cbvtool.view.panels.versions.comparing_versions import ComparingVersions
from cbvtool.view.toolkit.drop_places import HandedOn
from cbvtool.view.toolkit.settings import LAYOUT_VERSION, Settings
from cbvtool.view.window.banners import Banners
from cbvtool.view.window.beside import Beside
from cbvtool.view.window.caption import Caption
from cbvtool.view.window.crumbs import Crumbs
from cbvtool.view.window.following import Following
from cbvtool.view.window.opening import Opening
from cbvtool.view.window.plan_message import PlanMessage
from cbvtool.view.window.plugin_docks import PluginDocks
from cbvtool.view.window.start_page import StartPage
from cbvtool.view.window.view import View
from cbvtool.view.window.window_desk import WindowDesk
from cbvtool.view.window.work_tree import WorkTree

DEFAULT_SIZE = QSize(1440, 900)  # at least, on a screen with room for it
_USUAL, _FILLED = 0.8, 0.9  # of a large screen, of a small one; the rest is for the frame
SIDES = (260, 320)  # px: docks on the left and on the right, however large the window is
BOTTOM = 230  # px: docks at the bottom
MOST_FOR_SIDES = 0.4  # of its width, in a narrow one
TABS = 235  # px that the names of the tabs on the right need
_AREAS = {
    Area.LEFT: Qt.DockWidgetArea.LeftDockWidgetArea,
    Area.RIGHT: Qt.DockWidgetArea.RightDockWidgetArea,
    Area.BOTTOM: Qt.DockWidgetArea.BottomDockWidgetArea,
}


class MainWindow(QMainWindow):
    """One window, one session. Its parts know its `desk`, and not the window."""

    def __init__(self, session: Session | None = None, settings: Settings | None = None) -> None:
        super().__init__()
        self.session = session or Session()
        self.session.patient = False
        self.settings = settings or Settings()
        self.session.hide_names(self.settings.hide_names)
        self.setWindowTitle("cbvtool")
        self.resize(self._first_size())
        self.setAcceptDrops(True)
        self.setDockNestingEnabled(True)
        self.setTabPosition(Qt.DockWidgetArea.AllDockWidgetAreas, QTabWidget.TabPosition.North)
        self._closed = False
        self._in_haste = False
        self.desk = desk = WindowDesk(self, self.session, self.settings)
        self.jobs, self.status, self.message = desk.jobs, desk.status, desk.message
        self.documents, self.editing = desk.add(Documents(desk)), desk.add(Editing(desk))
        self.rule_editor = desk.add(RuleEditor(desk))
        self.opening = Opening(desk)
        self.unsaved = desk.add(Unsaved(desk))
        self.start = StartPage(self)
        self.main_view = View(desk, self.session, self)
        self.canvas = self.main_view.canvas
        desk.begin(self.main_view)
        self._make_middle()
        self.judging = desk.add(PlanJudge(desk))
        desk.add(PlanTracker(desk))
        desk.make_panels()
        self.setStatusBar(self.status)
        self._make_parts()
        self.reset_layout()
        self._connect()
        desk.restyle()
        self.following.show_project()
        self._restore()

    # -- building ------------------------------------------------------------------------------------------

    def _make_middle(self) -> None:
        self.pages = QStackedWidget(self)
        self.pages.addWidget(self.start)
        self.pages.addWidget(self.canvas)
        middle = QWidget(self)
        column = QVBoxLayout(middle)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.pages, 1)
        self.setCentralWidget(middle)
        Banners((self.message, self.unsaved.bar), middle)

    def _make_parts(self) -> None:
        desk = self.desk
        desk.add(Failures())
        self.linking = desk.add(Linking(desk))
        self.styles = desk.add(Styles(desk))
        self.searching = desk.add(Searching(desk))
        self.search = self.searching.field
        self.questions = desk.add(Questions(desk))
        self.exporting = desk.add(Exporting(desk))
        self.navigating = desk.add(Navigating(desk))
        self.hierarchies = desk.add(Hierarchies(desk))
        self.beside = desk.add(Beside(desk))
        self.context_menus = desk.add(ContextMenus(desk))
        self.comparing = desk.add(BeforeAfter(desk))
        self.matrix_page = desk.add(MatrixPage(desk))
        self.versions = desk.add(ComparingVersions(desk))
        for part in (PlanCommands, CopyingSteps, ComparingPlans, PlanApplying):
            desk.add(part(desk))
        desk.add(LineCounting(desk))
        self.tracing = desk.add(Tracing(desk))
        self.tracing.open_alone = self._open_alone
        self.plugin_docks = desk.add(PluginDocks(desk, self))
        self.recording = desk.add(Recording(desk))
        self.work_tree = desk.add(WorkTree(desk, self.opening))
        self.commands = desk.add(Actions(desk, self))
        self.actions_by_name = self.commands.by_name
        self.commands.add_to(self.canvas)
        switches = [dock.toggleViewAction() for dock in desk.docks.values()]
        self.commands.make_menus([switch for switch in switches if switch is not None], self.reset_layout, self.open)
        self._make_bar()
        self.plan_message = PlanMessage(desk, self.canvas)
        self.following = Following(desk, self.main_view, self.start, self.crumbs, self)

    def _make_bar(self) -> None:
        bar, by_name = self.commands.bar, self.commands.by_name
        self.addToolBar(bar)
        for name in ("open_folder", "back", "forward"):
            bar.addAction(by_name[name])
        self.crumbs = Crumbs(self)
        bar.addWidget(self.crumbs)
        self.searching.install_chip(bar)
        for name in ("undo", "redo", "fit"):
            bar.addAction(by_name[name])
        self.searching.install(bar)
        bar.addAction(by_name["theme"])

    def _connect(self) -> None:
        self.following.install(self.opening)
        self._unsubscribe = self.session.subscribe(self._show_page)
        self.start.open_folder.connect(self.documents.ask_folder)
        self.start.open_path.connect(self.open)
        self.start.open_sample.connect(self.documents.open_sample)
        self.start.open_traces.connect(lambda: self.desk.do("open_trace"))
        self.canvas.relation_menu_requested.connect(self.context_menus.show_for_relation)
        self.canvas.sites_wanted.connect(self.linking.list_sites)
        self.canvas.legend_chosen.connect(self.styles.point_at)
        self.crumbs.chosen.connect(self.session.go_to)
        self.desk.restyled.connect(self.crumbs.restyle)
        tree, hand = self.desk.panel(StructurePanel).tree, self.canvas.dragging
        tree.follow(hand)
        HandedOn(self.crumbs, hand)
        hand.places += [tree, self.crumbs]
        self.navigating.crumbs_asked.connect(self.crumbs.begin)
        self.comparing.install()
        self.versions.install()
        self.tracing.install()
        self.plugin_docks.install()
        self.styles.install()
        self.navigating.install()
        self.hierarchies.install()
        self.commands.submenu("Modules").setToolTipsVisible(True)
        self.commands.submenu("Rule").setToolTipsVisible(True)
        self.commands.submenu("Plans").setToolTipsVisible(True)
        caption = Caption(self.session, self.main_view.regrouping, False, self)
        self.beside.install(self.pages, caption, self.canvas.minimumWidth())
        self.matrix_page.install(self.beside.views)

    def _show_page(self, what: Change) -> None:
        """The picture, or the start page while nothing is open."""
        if what == Change.PROJECT:
            self.pages.setCurrentWidget(self.start if self.session.project is None else self.canvas)

    # -- what others ask for -------------------------------------------------------------------------------

    def open(self, path: Path) -> None:
        """Open a folder, a saved graph or a plan, after asking about unsaved changes."""
        self.documents.open(path)

    def offer_plugins(self, registry: PluginRegistry) -> None:
        """Offer the views of plugins in the menu Traces and in the palette."""
        self.plugin_docks.offer(registry, self.commands.menus["Traces"], self.actions_by_name)

    def leave(self) -> None:
        """Close without a question; what is not saved is offered the next time."""
        self._in_haste = True
        self.close()

    # -- look and place ------------------------------------------------------------------------------------

    def reset_layout(self) -> None:
        """Put the docks where they are on a new installation; the 3D view takes more than half of the window."""
        docks, layout = self.desk.docks, self.layout()
        assert layout is not None
        self.matrix_page.end()
        layout.setEnabled(False)  # else Qt makes separators for the arrangements on the way, and never takes them back
        for dock in docks.values():
            dock.setFloating(False)
            dock.show()
        first, last = dict[Area, str](), dict[Area, str]()
        for name, panel in self.desk.panels.items():
            if panel.AREA in last:
                self.tabifyDockWidget(docks[last[panel.AREA]], docks[name])
            else:
                first[panel.AREA] = name
                self.addDockWidget(_AREAS[panel.AREA], docks[name])
            last[panel.AREA] = name
        for name in first.values():
            docks[name].raise_()
        for name, panel in self.desk.panels.items():
            docks[name].setVisible(panel.SHOWN)
        left, right, bottom = (docks[first[area]] for area in (Area.LEFT, Area.RIGHT, Area.BOTTOM))
        self.resizeDocks([left, right], narrowed(SIDES, self.width()), Qt.Orientation.Horizontal)
        self.resizeDocks([bottom], [BOTTOM], Qt.Orientation.Vertical)
        layout.setEnabled(True)

    def _first_size(self) -> QSize:
        if (screen := self.screen()) is None:
            return DEFAULT_SIZE
        room = screen.availableSize()
        return DEFAULT_SIZE.expandedTo(room * _USUAL).boundedTo(room * _FILLED)

    def _restore(self) -> None:
        if (geometry := self.settings.geometry) is not None:
            self.restoreGeometry(geometry)
        if (docks := self.settings.docks) is not None:
            self.restoreState(docks, LAYOUT_VERSION)

    def _leave_room(self) -> None:
        """Make the panels at the sides narrower in a window that was made narrower, so that the picture stays large."""
        seen = [
            panel
            for panel in self.desk.panels.values()
            if panel.is_seen and not self.desk.docks[panel.NAME].isFloating()
        ]
        docks = {self.dockWidgetArea(self.desk.docks[panel.NAME]): self.desk.docks[panel.NAME] for panel in seen}
        sides = [docks[_AREAS[area]] for area in (Area.LEFT, Area.RIGHT) if _AREAS[area] in docks]
        if len(sides) == len(SIDES):
            wide = (sides[0].width(), sides[1].width())
            self.resizeDocks(sides, narrowed(wide, self.width()), Qt.Orientation.Horizontal)

    # -- Qt events -----------------------------------------------------------------------------------------

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Side panels give way."""
        super().resizeEvent(event)
        if event is not None and 0 < event.size().width() < event.oldSize().width():
            self._leave_room()

    def dragEnterEvent(self, event: QDragEnterEvent | None) -> None:
        """A folder or file, or recordings of many runs, may be dropped anywhere on the window."""
        if event is not None and _local_paths(event):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent | None) -> None:
        """Open what was dropped; recordings join what is open."""
        if event is None or not (paths := _local_paths(event)):
            return
        event.acceptProposedAction()
        if all(map(self.tracing.takes, paths)):
            self.tracing.open_files(paths)
        elif len(paths) == 1:
            self.open(paths[0])
        else:
            self.desk.say("Drop one folder or file, or recordings alone.")

    def _open_alone(self, path: Path) -> None:
        """Make a graph of the functions of a recording, unless something is on its way that it is laid over."""
        if not self.opening.busy:
            self.opening.open_trace(path)

    def showEvent(self, event: QShowEvent | None) -> None:
        """The renderer is loaded while the window is on its way to the screen."""
        super().showEvent(event)
        self.opening.load_renderer()

    def closeEvent(self, event: QCloseEvent | None) -> None:
        """Ask about unsaved changes, remember the window, end all work."""
        if event is None or self._closed:
            return
        if not self._in_haste and not self.documents.may_leave():
            event.ignore()
            return
        self._closed = True
        self.matrix_page.end()
        self.settings.keep_window(self.saveGeometry(), self.saveState(LAYOUT_VERSION))
        self.unsaved.close(keep=self._in_haste)
        self._unsubscribe()
        for part in (self.plan_message, self.following, self.desk, self.main_view):
            part.close_down()
        self.jobs.stop()
        event.accept()


def narrowed(sides: tuple[int, int], window: int) -> list[int]:
    """Widths of the panels on the left and on the right, in px, that leave the picture its share of a window."""
    most = MOST_FOR_SIDES * window
    if sum(sides) <= most:
        return [*sides]
    right = max(sides[1] * most / sum(sides), min(sides[1], TABS))
    return [round(most - right), round(right)]


def _local_paths(event: QDropEvent) -> list[Path]:
    data = event.mimeData()
    urls = data.urls() if data is not None and data.hasUrls() else []
    return [Path(url.toLocalFile()) for url in urls] if all(url.isLocalFile() for url in urls) else []
