"""The breadcrumb: from the project down to what is selected; a click restricts the view to that node.

Before each node stands an arrow with its siblings, after an inner one that is the last an arrow with its children.
Where there is no room for all, those after the first give way to a list of them, and the first one, too, at last.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from qtpy.QtCore import QPoint, QSize, Qt, Signal
from qtpy.QtGui import QColor, QKeyEvent, QResizeEvent
from qtpy.QtWidgets import QHBoxLayout, QLayout, QMenu, QSizePolicy, QToolButton, QWidget

from cbvtool.geometry.scene.planned import PlannedChanges, Sort, where
from cbvtool.graph import REMOVED, Graph
from cbvtool.view.canvas.plan_badges import badge
from cbvtool.view.toolkit.drop_places import is_over
from cbvtool.view.toolkit.plain import add_action, set_caption, set_tooltip, text_of
from cbvtool.words import one_line

LISTED = 400  # siblings in one menu
ROOM = 130  # px that it has at least


class Crumbs(QWidget):
    """The node that the view is restricted to stands out."""

    chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Breadcrumb")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(6, 0, 6, 0)
        self._row.setSpacing(0)
        self._row.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)  # it may be narrower than all together
        self._row.addStretch()
        self._shown: tuple[object, ...] = ()
        self._accent = QColor("#0B84F3")
        self._yielding: list[tuple[_Button, ...]] = []  # nodes that may give way, each last, with the arrow before it
        self._more: _More | None = None
        self._nodes: list[tuple[_Button, int]] = []  # with their keys

    def show_path(self, graph: Graph | None, root: int, key: int, plan: PlannedChanges | None = None) -> None:
        """Show the way to `key`; `root` is the node the view is restricted to.

        plan   what it has done: nodes that it changed are marked, and behind `key` stands where it was
        """
        now = (graph, root, key, plan)
        if now == self._shown:
            return
        self._shown = now
        while self._row.count() > 1:
            item = self._row.takeAt(0)
            if item is not None and (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        self._yielding, self._more, self._nodes = [], None, []
        if graph is None:
            return
        path = [key, *graph.ancestors(key)][::-1]
        for place, node in enumerate(path):
            arrow = _Arrow(graph, path[place - 1], node, self) if place else None
            if arrow is not None:
                self._add(arrow)
            button = _Button(self)
            set_caption(button, graph.names[node])
            button.setObjectName("here" if node == root else "crumb")
            inner = bool(len(graph.children(node)))
            button.setEnabled(inner or node == root)
            tip = "Everything" if node == graph.root else f"Restrict to {one_line(graph.names[node])}"
            if plan is not None and (said := plan.words(node)):
                tip = f"{said}\n{tip}"
                button.setIcon(badge(plan.sorts(node), self._accent))
                button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
                button.setProperty("planned", True)
                button.setAccessibleDescription(said)
            set_tooltip(button, tip)
            button.clicked.connect(lambda _checked=False, node=node: self.chosen.emit(node))
            self._add(button)
            self._nodes.append((button, node))
            if place == 0:
                first = button
                self._more = _More(self)
                self._add(self._more)
            elif arrow is not None and node != key:
                self._yielding.append((arrow, button))
        if len(path) > 1:
            self._yielding.append((first,))  # at last
        if len(graph.children(key)):
            self._add(_Arrow(graph, key, -1, self))
        if plan is not None:
            self._add_ghost(graph, plan, key)
        self.updateGeometry()
        self._fit()

    def _add_ghost(self, graph: Graph, plan: PlannedChanges, key: int) -> None:
        """Where the last node was, or under which name; a click goes to where it was."""
        sorts, base = plan.sorts(key), plan.base
        if not sorts or Sort.CREATED in sorts:
            return
        above = int(base.parent[key])
        was = f"{where(base, above)} › {one_line(base.names[key])}" if Sort.MOVED in sorts else base.names[key]
        ghost = _Button(self)
        ghost.setObjectName("ghostcrumb")
        set_caption(ghost, f"was {was}")
        set_tooltip(ghost, f"{plan.words(key)}\nClick to go to where it was")
        there = above if graph.parent[above] != REMOVED else graph.root
        ghost.clicked.connect(lambda: self.chosen.emit(there))
        self._add(ghost)
        self._yielding.insert(0, (ghost,))

    def restyle(self, accent: str) -> None:
        """Take the colour of the badges."""
        self._accent, self._shown = QColor(accent), ()

    # -- drops on a node ------------------------------------------------------------------------------------

    def node_at(self, spot: QPoint) -> int | None:
        """Key of the node whose name is at a global spot, -1 = none; None = the spot is elsewhere."""
        if not is_over(self, spot):
            return None
        under = self.childAt(self.mapFromGlobal(spot))
        return next((key for button, key in self._nodes if button is under), -1)

    def mark(self, key: int, refused: bool) -> None:
        """Let the node stand out that a drop is meant for; -1 = none."""
        for button, node in self._nodes:
            now = ("refused" if refused else "yes") if node == key else ""
            style = button.style()
            if (button.property("aimed") or "") != now and style is not None:
                button.setProperty("aimed", now)
                style.unpolish(button)
                style.polish(button)

    def scroll_near(self, spot: QPoint) -> None:
        """It does not scroll."""

    def unfold(self, key: int) -> None:
        """What is in a node is shown elsewhere."""

    def fold_back(self, kept: Sequence[int]) -> None:
        """Nothing was unfolded."""

    def sizeHint(self) -> QSize:
        """Room for all of the way."""
        return QSize(max(self._needed(), ROOM), super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        """Room for one name."""
        return QSize(ROOM, super().minimumSizeHint().height())

    def _needed(self) -> int:
        """Pixels of all of the way."""
        margins = self.contentsMargins().left() + self._row.contentsMargins().left() * 2
        return margins + sum(button.sizeHint().width() for button in self._buttons() if button is not self._more)

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """There is more room, or less."""
        self._fit()

    def _fit(self) -> None:
        """Let nodes give way, the outermost first and the root last, until the others have room."""
        if self._more is None:
            return
        wide = {button: button.sizeHint().width() for button in self._buttons()}
        needed, gone = self._needed(), 0
        while gone < len(self._yielding) and needed > self.width():
            needed -= sum(wide[button] for button in self._yielding[gone])
            needed += wide[self._more] * (gone == 0)
            gone += 1
        for place, buttons in enumerate(self._yielding):
            for button in buttons:
                button.setVisible(place >= gone)
        given = [button for *_, button in self._yielding[:gone]]
        self._more.offer([button for button in self._buttons() if button in given])

    def begin(self) -> None:
        """Put the focus on the node that the view is restricted to."""
        buttons = list(self._buttons())
        here = next((button for button in buttons if button.objectName() == "here"), None)
        if here is not None:
            here.setFocus(Qt.FocusReason.TabFocusReason)

    def walk(self, button: QToolButton, key: int) -> bool:
        """Left and right go along the row, down opens a list, Enter is a click; whether it was one of these keys."""
        buttons = [other for other in self._buttons() if other.isEnabled() and not other.isHidden()]
        step = {int(Qt.Key.Key_Left): -1, int(Qt.Key.Key_Right): 1}.get(key)
        if step is not None:
            at = min(max(buttons.index(button) + step, 0), len(buttons) - 1)
            buttons[at].setFocus(Qt.FocusReason.TabFocusReason)
        elif isinstance(button, _Arrow | _More) and key in (Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            button.open()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            button.click()
        else:
            return False
        return True

    def arrows(self) -> list[QToolButton]:
        """The arrows, from left to right."""
        return [button for button in self._buttons() if isinstance(button, _Arrow)]

    def _buttons(self) -> Iterator[QToolButton]:
        for place in range(self._row.count()):
            item = self._row.itemAt(place)
            if item is not None and isinstance(widget := item.widget(), QToolButton):
                yield widget

    def _add(self, widget: QToolButton) -> None:
        widget.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._row.insertWidget(self._row.count() - 1, widget)


class _Button(QToolButton):
    """Arrow keys go along the row, instead of to whatever comes next in the window."""

    def __init__(self, crumbs: Crumbs) -> None:
        super().__init__(crumbs)
        self._crumbs = crumbs

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """See `Crumbs.walk`."""
        if event is not None and not self._crumbs.walk(self, event.key()):
            super().keyPressEvent(event)


class _More(_Button):
    """Stands for nodes that have no room, and lists them."""

    def __init__(self, crumbs: Crumbs) -> None:
        super().__init__(crumbs)
        self.setText("› …")
        self.setObjectName("chevron")
        self.setAccessibleName("More of the way")
        set_tooltip(self, "What lies between")
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(self)
        menu.setObjectName("siblings")
        self.setMenu(menu)
        self.hide()

    def offer(self, buttons: list[QToolButton]) -> None:
        """List what these do."""
        menu = self.menu()
        assert menu is not None
        menu.clear()
        for button in buttons:
            action = add_action(menu, text_of(button))
            action.triggered.connect(button.clicked)
        self.setVisible(bool(buttons))

    def open(self) -> None:
        """Show the list."""
        menu = self.menu()
        assert menu is not None
        menu.popup(self.mapToGlobal(self.rect().bottomLeft()))


class _Arrow(_Button):
    """Opens the list of what is in a node; `current` (-1 = none) is marked in it."""

    def __init__(self, graph: Graph, above: int, current: int, crumbs: Crumbs) -> None:
        super().__init__(crumbs)
        self._graph, self._above, self._current = graph, above, current
        self.setText("›")
        self.setObjectName("chevron")
        name = one_line(graph.names[above])
        self.setAccessibleName(f"What is in {name}")
        set_tooltip(self, f"Go to something else in {name}")
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(self)
        menu.setObjectName("siblings")
        menu.aboutToShow.connect(self._fill)
        self.setMenu(menu)

    def open(self) -> None:
        """Show the list."""
        menu = self.menu()
        assert menu is not None
        menu.popup(self.mapToGlobal(self.rect().bottomLeft()))

    def _fill(self) -> None:
        menu, graph = self.menu(), self._graph
        assert menu is not None
        menu.clear()
        keys = graph.children(self._above).tolist()
        inner = [key for key in keys if len(graph.children(key))]
        leaves = [key for key in keys if not len(graph.children(key))]
        for key in (inner + leaves)[:LISTED]:
            if leaves and key == leaves[0]:
                menu.addSeparator()
            action = add_action(menu, graph.names[key])
            action.setCheckable(key == self._current)
            action.setChecked(key == self._current)
            action.triggered.connect(lambda _on, key=key: self._crumbs.chosen.emit(key))
        if len(keys) > LISTED:
            add_action(menu, f"{len(keys) - LISTED:,} more: search for them").setEnabled(False)
