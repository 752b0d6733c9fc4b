"""The window: puts canvas, docks, menus and the session together. It decides nothing about the plan itself."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from markupsafe import Markup
from qtpy.QtCore import QSize, Qt
from qtpy.QtGui import QCloseEvent, QColor, QDragEnterEvent, QDropEvent, QIcon, QShowEvent
from qtpy.QtWidgets import (
    QApplication,
    QMainWindow,
    QStackedWidget,
    QTabWidget,
    QToolBar,
    QVBoxLayout,
    QWidget,
)

from cbvtool import __version__
from cbvtool.errors import InputError
from cbvtool.geometry.scene.shown import Counts
from cbvtool.graph import EXTERNAL
from cbvtool.rules import Rules
from cbvtool.session import Session
from cbvtool.view.canvas.canvas import Canvas
from cbvtool.view.canvas.walking import Walking
from cbvtool.view.commands.commands import COMMANDS, Command
from cbvtool.view.commands.context_menus import ContextMenus
from cbvtool.view.commands.documents import Documents
from cbvtool.view.commands.editing import Editing
from cbvtool.view.commands.exporting import Exporting
from cbvtool.view.commands.hierarchies import Hierarchies
from cbvtool.view.commands.linking import Linking
from cbvtool.view.commands.looks import Looks
from cbvtool.view.commands.menus import make_actions, make_menus, motion_switch
from cbvtool.view.commands.navigating import Navigating
from cbvtool.view.commands.palette import command_choices, shortcut_choices
from cbvtool.view.commands.questions import Questions
from cbvtool.view.commands.searching import Searching
from cbvtool.view.commands.unsaved import Unsaved
from cbvtool.view.panels.details_panel import DetailsPanel
from cbvtool.view.panels.linked_panel import LinkedPanel
from cbvtool.view.panels.look.look_panel import LookPanel
from cbvtool.view.panels.panels import PANELS
from cbvtool.view.panels.plan_panel import PlanPanel
from cbvtool.view.panels.relations_panel import RelationsPanel
from cbvtool.view.panels.rules_panel import RulesPanel
from cbvtool.view.panels.structure_panel import StructurePanel
from cbvtool.view.panels.unused_panel import UnusedPanel
from cbvtool.view.toolkit import theme
from cbvtool.view.toolkit.chooser import choose
from cbvtool.view.toolkit.docks import Dock
from cbvtool.view.toolkit.icons import icon
from cbvtool.view.toolkit.jobs import Jobs
from cbvtool.view.toolkit.message_bar import MessageBar
from cbvtool.view.toolkit.plain import set_caption, show_about, tooltip_of
from cbvtool.view.toolkit.settings import LAYOUT_VERSION, Settings
from cbvtool.view.window.crumbs import Crumbs
from cbvtool.view.window.following import Following
from cbvtool.view.window.measuring import Measuring
from cbvtool.view.window.opening import Opening
from cbvtool.view.window.scene_making import SceneMaking
from cbvtool.view.window.second_view import SecondViews
from cbvtool.view.window.start_page import StartPage
from cbvtool.view.window.status import Status

DEFAULT_SIZE = QSize(1440, 900)  # at least, on a screen with room for it
_USUAL, _FILLED = 0.8, 0.9  # of a large screen, of a small one; the rest is for the frame
SIDES = (260, 320)  # px: docks on the left and on the right, however large the window is
MOST_FOR_SIDES = 0.4  # of its width, in a narrow one
MOST_REVEALED = 100  # nodes whose surroundings are expanded for one click


class MainWindow(QMainWindow):
    """One window, one session."""

    session: Session
    canvas: Canvas
    linking: Linking
    looks: Looks
    searching: Searching
    questions: Questions
    settings: Settings
    crumbs: Crumbs
    walking: Walking
    exporting: Exporting
    navigating: Navigating
    hierarchies: Hierarchies
    second_views: SecondViews
    documents: Documents
    editing: Editing
    counts: Counts  # what the switches of the open graph are about

    def __init__(self, session: Session | None = None, settings: Settings | None = None) -> None:
        super().__init__()
        self.session = session or Session()
        self.session.patient = False
        self.settings = settings or Settings()
        self.status = Status(self)
        self.jobs = Jobs(self.status, self)
        self.jobs.cancelled.connect(self._say_cancelled)
        self.documents, self.editing = Documents(self), Editing(self)
        self.setWindowTitle("cbvtool")
        self.resize(self._first_size())
        self.setAcceptDrops(True)
        self.setDockNestingEnabled(True)
        self.setTabPosition(Qt.DockWidgetArea.AllDockWidgetAreas, QTabWidget.TabPosition.North)
        self._look = theme.look(self.settings.theme)
        self._closed = False
        self._in_haste = False
        self.counts = Counts(0, 0, {})
        self.measuring = Measuring(self.jobs, self)
        self.scene_making = SceneMaking(self.session, self.jobs, self)

        self.message = MessageBar(self)
        self.unsaved = Unsaved(self)
        self.start = StartPage(self)
        self.canvas = Canvas(self.session, self.settings, self)
        self._pages = QStackedWidget(self)
        self._pages.addWidget(self.start)
        self._pages.addWidget(self.canvas)
        middle = QWidget(self)
        column = QVBoxLayout(middle)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.message)
        column.addWidget(self.unsaved.bar)
        column.addWidget(self._pages, 1)
        self.setCentralWidget(middle)

        self.structure = StructurePanel(self.kind_icon, self)
        self.details = DetailsPanel(self.session.metrics, self)
        self.plan = PlanPanel(self)
        self.rules_panel = RulesPanel(self)
        self.unused_panel = UnusedPanel(self.jobs, self)
        self.look_panel = LookPanel(self.session.metrics, self)
        self.relations = RelationsPanel(self)
        self._docks = {
            "structure": Dock("Structure", self.structure, self),
            "details": Dock("Details", self.details, self),
            "plan": Dock("Plan", self.plan, self),
            "rules": Dock("Rules", self.rules_panel, self),
            "unused": Dock("Unused", self.unused_panel, self),
            "look": Dock("Look", self.look_panel, self),
            "relations": Dock("Relations", self.relations, self),
        }
        self.linked: dict[str, LinkedPanel] = {row.name: row.make(self) for row in PANELS}
        self.linked["relations"] = self.relations
        self._docks |= {row.name: Dock(row.title, self.linked[row.name], self) for row in PANELS}
        self.linking = Linking(self)
        self.setStatusBar(self.status)
        self.opening = Opening(self)
        self.looks = Looks(self)
        self.searching = Searching(self)
        self.search = self.searching.field
        self.questions = Questions(self)
        self.walking = Walking(self)
        self.exporting = Exporting(self)
        self.navigating = Navigating(self)
        self.hierarchies, self.second_views = Hierarchies(self), SecondViews(self)
        self.following = Following(self)
        self.context_menus = ContextMenus(self)
        self.actions_by_name = make_actions(self)
        self._motion = motion_switch(self.settings, self)
        self._menus = make_menus(self, self._docks.values(), self._motion)
        self._make_bar()
        self.reset_layout()
        self._connect()
        self._restyle()
        self.following.show_project()
        self._restore()

    # -- building ------------------------------------------------------------------------------------------

    @property
    def rules(self) -> Rules | None:
        """Those of the open subject, which the session goes by."""
        return self.session.rules

    @rules.setter
    def rules(self, rules: Rules | None) -> None:
        self.session.rules = rules

    def _make_bar(self) -> None:
        self.bar = QToolBar("Tool bar", self)
        self.bar.setObjectName("bar")
        self.bar.setMovable(False)
        self.bar.setIconSize(QSize(16, 16))
        self.addToolBar(self.bar)
        for name in ("open_folder", "back", "forward"):
            self.bar.addAction(self.actions_by_name[name])
        self.crumbs = Crumbs(self)
        self.bar.addWidget(self.crumbs)
        for name in ("undo", "redo", "fit"):
            self.bar.addAction(self.actions_by_name[name])
        self.searching.install(self.bar)
        self.bar.addAction(self.actions_by_name["theme"])

    def _connect(self) -> None:
        self.following.install()
        self.start.open_folder.connect(self.documents.ask_folder)
        self.start.open_path.connect(self.open)
        self.start.open_sample.connect(self.documents.open_sample)
        self.canvas.said.connect(self.say)
        self.canvas.menu_requested.connect(self.context_menus.show)
        self.canvas.relation_menu_requested.connect(self.context_menus.show_for_relation)
        self.structure.menu_requested.connect(self.context_menus.show_for_selection)
        self.details.command_asked.connect(self._do)
        self.details.look_asked.connect(self.looks.point_at)
        self.plan.export_requested.connect(self.documents.export_tasks)
        self.looks.install()
        self.navigating.install()
        self.hierarchies.install()
        self.second_views.install()
        self.scene_making.failed.connect(self.say)
        self.structure.filter_ended.connect(self.searching.end_filter)

    # -- look and place ------------------------------------------------------------------------------------

    def reset_layout(self) -> None:
        """Put the docks where they are on a new installation; the 3D view takes more than half of the window."""
        left, right = Qt.DockWidgetArea.LeftDockWidgetArea, Qt.DockWidgetArea.RightDockWidgetArea
        docks, layout = self._docks, self.layout()
        assert layout is not None
        layout.setEnabled(False)  # else Qt makes separators for the arrangements on the way, and never takes them back
        for dock in docks.values():
            dock.setFloating(False)
            dock.show()
        self.addDockWidget(left, docks["structure"])
        self.addDockWidget(right, docks["details"])
        self.addDockWidget(Qt.DockWidgetArea.BottomDockWidgetArea, docks["relations"])
        self.tabifyDockWidget(docks["details"], docks["plan"])
        self.tabifyDockWidget(docks["plan"], docks["rules"])
        self.tabifyDockWidget(docks["rules"], docks["unused"])
        self.tabifyDockWidget(docks["unused"], docks["look"])
        last = {"left": docks["structure"], "right": docks["look"], "bottom": docks["relations"]}
        for row in PANELS:
            self.tabifyDockWidget(last[row.area], docks[row.name])
            last[row.area] = docks[row.name]
            docks[row.name].setVisible(row.shown)
        docks["details"].raise_()
        docks["unused"].hide()
        docks["relations"].hide()
        narrower = min(1.0, MOST_FOR_SIDES * self.width() / sum(SIDES))
        sides = [round(wide * narrower) for wide in SIDES]
        self.resizeDocks([docks["structure"], docks["details"]], sides, Qt.Orientation.Horizontal)
        self.resizeDocks([docks["relations"]], [230], Qt.Orientation.Vertical)
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

    def switch_theme(self) -> None:
        """Light becomes dark, and back."""
        self.settings.theme = "light" if self.settings.theme == "dark" else "dark"
        self._restyle()

    def _restyle(self) -> None:
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        self._look = theme.apply(self.settings.theme, application)
        for name in ("back", "forward", "undo", "redo", "fit", "theme"):
            self.actions_by_name[name].setIcon(self._icon(name))
        self.actions_by_name["open_folder"].setIcon(self._icon("open"))
        self.structure.restyle(QColor(self._look.faint))
        style = theme.rich_text(self._look)
        self.details.restyle(style)
        self.plan.restyle(style)
        self.rules_panel.restyle(style)
        self.unused_panel.restyle(style)
        self.searching.restyle()
        for panel in self.linked.values():
            panel.restyle()
        self.session.set_view(theme=self.settings.theme)
        self.following.show_selection()

    def follow_settings(self) -> None:
        """The user has chosen other settings."""
        self._motion.setChecked(self.settings.reduced_motion)
        self._restyle()
        self.canvas.stage.relabel()

    def _icon(self, name: str) -> QIcon:
        return icon(name, QColor(self._look.ink), QColor(self._look.faint))

    def kind_icon(self, kind: str) -> QIcon:
        """The icon of a kind of node, in the colours of the theme."""
        return icon(kind, QColor(self._look.muted), QColor(self._look.faint))

    # -- what is going on ----------------------------------------------------------------------------------

    def _update_actions(self) -> None:
        for command in COMMANDS:
            action = self.actions_by_name[command.name]
            action.setEnabled(command.ready(self))
            if command.checked is not None:
                action.setChecked(command.checked(self))
        history = self.session.history
        self.actions_by_name["guesses"].setText(f"Guessed relations ({self.counts.guesses:,})")
        self.actions_by_name["external"].setText(f"External packages ({self.counts.packages:,})")
        undo, redo = self.actions_by_name["undo"], self.actions_by_name["redo"]
        set_caption(undo, (history and history.label_undo) or "Undo")
        set_caption(redo, (history and history.label_redo) or "Redo")

    def _run(self, command: Command) -> None:
        if not command.ready(self):
            return
        try:
            command.run(self)
        except InputError as error:
            self.say(str(error))

    # -- messages ------------------------------------------------------------------------------------------

    def say(self, sentence: str, error: bool = True, offer: str = "", run: Callable[[], None] | None = None) -> None:
        """One sentence across the top, with something to do about it."""
        self.message.say(_sentence(sentence), error=error, offer=offer, run=run)

    def _say_cancelled(self, what: str) -> None:
        self.status.last.setText(f"Cancelled: {what[:1].lower()}{what[1:]}")

    # -- files and places ----------------------------------------------------------------------------------

    def open(self, path: Path) -> None:
        """Open a folder, a saved graph or a plan, after asking about unsaved changes."""
        self.documents.open(path)

    def reveal(self, *keys: int) -> None:
        """Select nodes and expand the way to them; of very many to the first ones."""
        graph, view = self.session.graph, self.session.view
        first = keys[:MOST_REVEALED]
        above = {inner for key in first for inner in graph.ancestors(key)}
        root = view.root if all(graph.is_below(key, view.root) for key in keys) else graph.root
        hidden = frozenset(h for h in view.hidden if not any(graph.is_below(key, h) for key in keys))
        filtered = not self.session.scene().filtered.isdisjoint({*above, *first})
        self.session.set_view(
            root=root, hidden=hidden, expanded=view.expanded | above, selected=keys,
            external=view.external or any(graph.kind(key) == EXTERNAL for key in keys),
            only="" if filtered else view.only,
        )  # fmt: skip

    # -- search, palette, escape ---------------------------------------------------------------------------

    def escape(self) -> None:
        """Undo the innermost thing in progress: drag, then search, then selection, then restriction."""
        if self.session.view.drag is not None:
            self.canvas.cancel_drag()
        elif self.canvas.cancel_region():
            pass
        elif not self.searching.escape() and self.session.is_open:
            self.session.escape()

    def _do(self, name: str) -> None:
        """Do what a command does, or say why that cannot be."""
        action = self.actions_by_name[name]
        action.trigger() if action.isEnabled() else self.say(tooltip_of(action))

    def show_palette(self) -> None:
        """Choose any command by its name."""
        choices = command_choices(self.actions_by_name)
        if (name := choose("Commands", "Type what you want to do", choices, self)) is not None:
            self.actions_by_name[name].trigger()

    def show_shortcuts(self) -> None:
        """List keys and mouse; taking one that can be done does it."""
        choices = shortcut_choices(self.actions_by_name)
        if (name := choose("All shortcuts", "Type a part of what it does", choices, self)) is not None:
            self.actions_by_name[name].trigger()

    def show_about(self) -> None:
        """Say what this is."""
        about = Markup(
            "<b>cbvtool {}</b><br>"
            "See a code base, plan its restructuring by dragging modules, leave with a task list."
            "<br><br>MIT licence. The Qt binding, PyQt5, is licensed under the GPL."
        )
        show_about(self, "About cbvtool", about.format(__version__))

    # -- panels --------------------------------------------------------------------------------------------

    def show_panel(self, name: str) -> None:
        """Bring a panel to the front; those in `panels.PANELS` by their names, too."""
        self._docks[name].show()
        self._docks[name].raise_()

    def dock(self, name: str) -> Dock:
        """The dock of a panel."""
        return self._docks[name]

    def list_relations(self) -> None:
        """Show the relations of the selection as a table."""
        self.linking.show_bottom("relations")

    # -- Qt events -----------------------------------------------------------------------------------------

    def dragEnterEvent(self, event: QDragEnterEvent | None) -> None:
        """A folder or file may be dropped anywhere on the window."""
        if event is not None and _local_path(event) is not None:
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent | None) -> None:
        """Open what was dropped."""
        if event is not None and (path := _local_path(event)) is not None:
            event.acceptProposedAction()
            self.open(path)

    def showEvent(self, event: QShowEvent | None) -> None:
        """The renderer is loaded while the window is on its way to the screen."""
        super().showEvent(event)
        self.opening.load_renderer()

    def leave(self) -> None:
        """Close without a question; what is not saved is offered the next time."""
        self._in_haste = True
        self.close()

    def closeEvent(self, event: QCloseEvent | None) -> None:
        """Ask about unsaved changes, remember the window, end all work."""
        if event is None or self._closed:
            return
        if not self._in_haste and not self.documents.may_leave():
            event.ignore()
            return
        self._closed = True
        self.settings.keep_window(self.saveGeometry(), self.saveState(LAYOUT_VERSION))
        self.unsaved.close(keep=self._in_haste)
        self.measuring.close()
        self.scene_making.close()
        self.unused_panel.close_down()
        for panel in self.linked.values():
            panel.close_down()
        self.looks.close_down()
        self.navigating.close_down()
        self.hierarchies.close_down()
        self.second_views.close_down()
        self.canvas.close_down()
        self.following.close_down()
        self.jobs.stop()
        event.accept()


def _local_path(event: QDropEvent) -> Path | None:
    data = event.mimeData()
    urls = data.urls() if data is not None and data.hasUrls() else []
    return Path(urls[0].toLocalFile()) if len(urls) == 1 and urls[0].isLocalFile() else None


def _sentence(text: str) -> str:
    text = text.strip()
    return text if text.endswith((".", "?", "!")) else f"{text}."
