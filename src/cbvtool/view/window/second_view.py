"""Two views side by side: each with its own hierarchy, look and camera, selection and pointer shared (CBV-13)."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING

from qtpy.QtCore import QEvent, QObject, QPoint, QSize, Qt, QTimer, Signal
from qtpy.QtGui import QKeyEvent, QKeySequence, QResizeEvent
from qtpy.QtWidgets import QComboBox, QHBoxLayout, QLayout, QMenu, QSplitter, QToolButton, QVBoxLayout, QWidget

from cbvtool.errors import InputError
from cbvtool.geometry.scene.scene import Scene
from cbvtool.progress import Progress
from cbvtool.session import Session, Start
from cbvtool.session.change import Change
from cbvtool.session.follower import SecondSession
from cbvtool.view.canvas.canvas import Canvas
from cbvtool.view.commands.commands import COMMANDS
from cbvtool.view.commands.hierarchies import HierarchyList, Regrouping
from cbvtool.view.toolkit.drop_list import DropList
from cbvtool.view.toolkit.plain import Label, set_tooltip
from cbvtool.view.window.measuring import Measuring
from cbvtool.view.window.scene_making import SceneMaking

if TYPE_CHECKING:
    from cbvtool.view.window.main_window import MainWindow

NARROWEST, ROOMY = 90, 640  # px: of a list; of a caption with the names of its lists
NATIVE = QKeySequence.SequenceFormat.NativeText
ROOM_FOR = {"angle": 470, "height": 360}  # px of a caption from which on it has these lists
VARIABLES = {"angle": "Width", "height": "Height", "color": "Colour"}


class Caption(QWidget):
    """What a view shows, as lists to choose from; a row above the picture."""

    closed = Signal()

    def __init__(self, session: Session, regrouping: Regrouping, closable: bool, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("dock_title")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._session = session
        self._metrics: object = None
        self.hierarchy = HierarchyList(self)
        self.hierarchy.chosen.connect(regrouping.show)
        self.hierarchy.table_asked.connect(regrouping.ask_table)
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 4, 8, 4)
        row.setSpacing(6)
        row.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)  # a view may be narrow
        self.hierarchy.setMinimumWidth(NARROWEST)
        row.addWidget(self.hierarchy, 1)
        self.metrics: dict[str, QComboBox] = {}
        self._names: list[Label] = []
        for variable, text in VARIABLES.items():
            name = Label(text, self)
            name.setObjectName("muted")
            self._names.append(name)
            choice = self.metrics[variable] = DropList(self)
            set_tooltip(choice, f"Metric that decides the {text.lower()} in this view")
            choice.setAccessibleName(f"{text} in this view")
            choice.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            choice.setMinimumWidth(NARROWEST)
            choice.activated.connect(
                lambda _row, variable=variable, choice=choice: session.map(variable, choice.currentData())
            )
            row.addWidget(name)
            row.addWidget(choice, 1)
        if closable:
            close = QToolButton(self)
            close.setText("✕")
            set_tooltip(close, "Close the second view")
            close.setAccessibleName("Close the second view")
            close.clicked.connect(self.closed)
            row.addWidget(close)

    def minimumSizeHint(self) -> QSize:
        """As narrow as hierarchy and colour are without a name."""
        return QSize(2 * (NARROWEST + 6) + 40, super().sizeHint().height())

    def sizeHint(self) -> QSize:
        """The same: docks beside it keep their width."""
        return self.minimumSizeHint()

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Show what there is room for."""
        for name in self._names:
            name.setVisible(self.width() >= ROOMY)
        for variable, least in ROOM_FOR.items():
            self.metrics[variable].setVisible(self.width() >= least)

    def follow(self) -> None:
        """Show what the session shows."""
        if not self._session.is_open:
            return
        if self._metrics is not self._session.metrics:
            self._metrics = self._session.metrics
            for variable, choice in self.metrics.items():
                choice.clear()
                for name, metric in self._session.metrics.items():
                    if metric.names is None or variable == "color":
                        choice.addItem(metric.label, name)
        for variable, choice in self.metrics.items():
            choice.setCurrentIndex(choice.findData(getattr(self._session.view.mapping, variable)))
        self.hierarchy.show_name(self._session.view.hierarchy)


class SecondView(QWidget):
    """One more picture of the window's project, with a caption, and all that works in the background for it."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.session = SecondSession(window.session, lambda run: QTimer.singleShot(0, run))
        self.regrouping = Regrouping(self.session, window.settings, window.jobs, self)
        self.canvas = Canvas(self.session, window.settings, self)
        self.canvas.setAccessibleName("Second circular bundle view")
        self.caption = Caption(self.session, self.regrouping, True, self)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.caption)
        column.addWidget(self.canvas, 1)
        self._measuring = Measuring(window.jobs, self)
        self._measuring.measured.connect(self.canvas.stage.refresh)
        self._measuring.given_up.connect(lambda _why: self.session.stay_with_drawn())
        self._making = SceneMaking(self.session, window.jobs, self)
        self._making.failed.connect(window.say)
        self.regrouping.said.connect(window.say)
        self.regrouping.noted.connect(lambda note: window.say(note, error=False))
        self.canvas.said.connect(window.say)
        self.canvas.menu_requested.connect(self._menu)
        self.canvas.legend_chosen.connect(self._point_at)
        self.canvas.installEventFilter(self)
        self._unsubscribe = self.session.subscribe(self._changed)

    def begin(self, start: Start) -> None:
        """Show what was prepared. Raises InputError where the machine has no OpenGL."""
        renderer = importlib.import_module("cbvtool.drawing.renderer").Renderer(64, 64)  # loaded long ago, by the first
        self.canvas.stage.set_renderer(renderer)
        self.session.begin(start)
        self.canvas.stage.opened()

    def close_down(self) -> None:
        """Free the renderer, and wait until all threads are gone."""
        self._unsubscribe()
        self.session.close_down()
        self._window.jobs.stop(self.regrouping)
        self._measuring.close()
        self._making.close()
        self.canvas.close_down()

    def _changed(self, what: Change) -> None:
        self.caption.follow()
        if what == Change.VIEW:
            self.canvas.stage.refresh()
            if self.session.view.drag is None:
                scene: Scene = self.session.scene()
                self._measuring.want(scene.values, scene.pending)

    def _point_at(self, what: str, _range: bool) -> None:
        self.caption.metrics.get(what, self.caption.hierarchy).setFocus(Qt.FocusReason.ShortcutFocusReason)

    # -- commands that are about a view ----------------------------------------------------------------------

    def _commands(self) -> dict[str, Callable[[], object]]:
        """What the commands of the window do while this view has the focus."""
        session, stage, chosen = self.session, self.canvas.stage, self.session.view.selected
        movable = chosen if session.graph.root not in chosen else ()
        return {
            "expand": lambda: session.expand(chosen),
            "collapse": lambda: session.collapse(chosen),
            "restrict": lambda: session.restrict(chosen[0]) if len(chosen) == 1 else None,
            "show_all": lambda: session.set_view(root=session.graph.root, hidden=frozenset(), only=""),
            "hide": lambda: session.hide(movable),
            "level_more": lambda: session.step_depth(1),
            "level_less": lambda: session.step_depth(-1),
            "fit": stage.fit,
            "top": stage.toggle_top,
            "back": session.go_back,
            "forward": session.go_forward,
            "escape": self._escape,
        }

    def _escape(self) -> None:
        self.canvas.cancel_drag() if self.session.view.drag is not None else self.session.escape()

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Keys of commands that are about a view go to this one while it has the focus."""
        overrides = event is not None and event.type() == QEvent.Type.ShortcutOverride
        if (
            isinstance(event, QKeyEvent)
            and self.session.is_open
            and (overrides or event.type() == QEvent.Type.KeyPress)
        ):
            pressed = QKeySequence(int(event.modifiers()) | event.key())
            for name, run in self._commands().items():
                if pressed in self._window.actions_by_name[name].shortcuts():
                    event.accept()
                    if not overrides:
                        run()
                    return True
        return super().eventFilter(watched, event)

    def _menu(self, place: QPoint, key: int) -> None:
        if key >= 0 and key not in self.session.view.selected:
            self.session.select([key])
        menu = QMenu(self)
        menu.setObjectName("context")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        runs = self._commands()
        for command in COMMANDS:
            if command.name in runs and (command.node if key >= 0 else command.space):
                keys = self._window.actions_by_name[command.name].shortcut().toString(NATIVE)
                action = menu.addAction(f"{command.text}\t{keys}")  # shown only: the window's action has the keys
                assert action is not None
                action.setEnabled(command.name != "restrict" or len(self.session.view.selected) == 1)
                action.triggered.connect(lambda _on, run=runs[command.name]: run())
        menu.addSeparator()
        for command in COMMANDS:
            if key >= 0 and command.node and (command.menu in ("Edit", "Relations") or command.name == "source"):
                menu.addAction(self._window.actions_by_name[command.name])  # about the selection, which is shared
        menu.popup(place)


class SecondViews(QObject):
    """Belongs to a window: opens and closes the second view, and says what the first one shows meanwhile."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.view: SecondView | None = None

    def install(self) -> None:
        """Make room beside the picture, and follow the window's session."""
        window = self._window
        middle = window.centralWidget()
        assert middle is not None
        column = middle.layout()
        assert column is not None
        self._beside = QSplitter(Qt.Orientation.Horizontal, middle)
        self._beside.setChildrenCollapsible(False)
        self._beside.setHandleWidth(1)
        column.replaceWidget(window._pages, self._beside)
        first = QWidget(self._beside)
        first.setMinimumWidth(window.canvas.minimumWidth())  # the start page, which is not shown beside, is wider
        inner = QVBoxLayout(first)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.setSpacing(0)
        self.caption = Caption(window.session, window.hierarchies.regrouping, False, first)
        self.caption.hide()
        inner.addWidget(self.caption)
        inner.addWidget(window._pages, 1)
        self._unsubscribe = window.session.subscribe(self._changed)

    @property
    def is_open(self) -> bool:
        """Whether there are two views."""
        return self.view is not None

    def toggle(self) -> None:
        """Open a second view, or close it."""
        self.close() if self.is_open else self.open()

    def open(self) -> None:
        """Show what the window shows once more, beside it."""
        view = self.view = SecondView(self._window)
        view.caption.closed.connect(self.close)
        self._beside.addWidget(view)
        self._beside.setSizes([1000, 1000])
        self.caption.show()
        self.caption.follow()

        def begin(start: Start) -> None:
            try:
                view.begin(start)
            except InputError as error:
                fail(str(error))

        def fail(why: str) -> None:
            self.close()
            self._window.say(why)

        def begin_with(progress: Progress) -> Start:
            return view.session.beginning(lambda: progress("Laying out", 0, 0))

        self._window.jobs.run(self, "Opening the second view", begin_with, begin, fail, cancelled=self.close)

    def close(self) -> None:
        """Show one view again."""
        if self.view is None:
            return
        view, self.view = self.view, None
        self._window.jobs.wait(self)
        view.close_down()
        view.hide()
        view.setParent(None)
        view.deleteLater()
        self.caption.hide()
        self._window._update_actions()

    def close_down(self) -> None:
        """The window closes."""
        self._unsubscribe()
        self.close()

    def _changed(self, what: Change) -> None:
        if what == Change.PROJECT:
            self.close()  # its places are those of another subject
        if self.is_open:
            self.caption.follow()
