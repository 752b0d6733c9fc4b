"""The tree of everything that is there: check boxes hide and show, a click selects, a drag moves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil

import numpy as np
import numpy.typing as npt
from markupsafe import Markup
from qtpy.QtCore import (
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QPoint,
    QRect,
    QRectF,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from qtpy.QtGui import QBrush, QColor, QCursor, QPainter, QPaintEvent, QPalette, QPen, QResizeEvent
from qtpy.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QFrame,
    QHBoxLayout,
    QPushButton,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from cbvtool.geometry.scene.planned import Sort
from cbvtool.geometry.state.view_state import ViewState
from cbvtool.graph import REMOVED, Graph
from cbvtool.session.change import Change
from cbvtool.view.canvas.plan_badges import paint_badge
from cbvtool.view.desk import Desk
from cbvtool.view.panels.panel import Area, Panel
from cbvtool.view.panels.structure_model import PLAN_ROLE, SHARE_ROLE, Marked, StructureModel
from cbvtool.view.toolkit.drop_places import Hand, HandedOn, is_over
from cbvtool.view.toolkit.plain import RichLabel, set_tooltip
from cbvtool.view.toolkit.theme import WidgetColors, look

BAR = 28  # px, the width of the bar of the largest sibling
BAR_ROOM = 12  # px around a bar
WITH_BARS = 190  # px, the width of a tree from which on it has bars: in a narrow one names need the room
NAME = 100  # px that the name of a node has at least, however deep it lies: the tree can then be scrolled sideways
BEARABLE = 40  # px less for it, for which nobody wants to scroll
BEFORE = 48  # px of arrow, check box and icon
BORDER = 26  # px from the upper and the lower edge of the tree: a drag scrolls there
MARGIN = 12  # px around what is said instead
CLOSED = "Folders, files, classes and functions are listed here once something is open."


BADGE = 13  # px of a badge of the plan
COUNT_PAD = 5  # px beside it, and beside a number in it
LARGE = 200_000  # nodes; of more of them, tree and counts are shown one after the other
STEP = 10  # milliseconds between them, for what the user does
AHEAD = 200  # rows of a large container that are listed below what is seen, at least


class _Bars(QStyledItemDelegate):
    """A small bar at the right edge: size beside the largest sibling."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.color = QColor("#888888")
        self.accent = QColor("#0B84F3")
        self.aimed = -1  # key of the node that a drop is meant for
        self.rim = QPen(QColor("#888888"))

    def paint(self, painter: QPainter | None, option: QStyleOptionViewItem, index: QModelIndex) -> None:
        style = option.widget.style() if option.widget is not None else None
        if painter is not None and style is not None:  # the row's background also lies under the bar
            style.drawPrimitive(QStyle.PrimitiveElement.PE_PanelItemViewItem, option, painter, option.widget)
        tree = option.widget
        viewport = tree.viewport() if isinstance(tree, QTreeView) else None
        right = option.rect.right()
        if viewport is not None:  # the bars stay where they are while the tree is scrolled sideways
            right = min(right, viewport.width() - 1)
        share = float(index.data(SHARE_ROLE) or 0.0) if viewport is None or viewport.width() >= WITH_BARS else 0.0
        width = max(2.0, BAR * share) if share > 0 else 0.0
        narrow = QStyleOptionViewItem(option)
        marked: Marked | None = index.data(PLAN_ROLE)
        bar = ceil(width) + BAR_ROOM if width else 0
        count = f"{marked.inside:,}" if marked is not None and marked.inside else ""
        wide = option.fontMetrics.horizontalAdvance(count) + 2 * COUNT_PAD if count else 0
        taken = bar + (0 if marked is None else (BADGE + COUNT_PAD) * bool(marked.sorts) + wide + COUNT_PAD)
        if marked is not None and painter is not None:
            edge = right - option.rect.right() - bar
            self._mark(painter, option.rect.adjusted(0, 0, edge, 0), marked, count, wide)
        narrow.rect = option.rect.adjusted(0, 0, right - option.rect.right() - taken, 0)
        narrow.palette.setColor(QPalette.ColorRole.Base, QApplication.palette().color(QPalette.ColorRole.Base))
        super().paint(painter, narrow, index)
        if painter is not None and self.aimed >= 0 and int(index.internalId()) == self.aimed:
            painter.save()
            painter.setPen(self.rim)
            painter.drawRect(option.rect.adjusted(1, 1, right - option.rect.right() - 2, -1))
            painter.restore()
        if painter is None or not width:
            return
        rect = option.rect
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.color)
        painter.drawRoundedRect(QRectF(right - 6 - width, rect.center().y() - 2, width, 5), 2, 2)
        painter.restore()

    def _mark(self, painter: QPainter, rect: QRect, marked: Marked, count: str, wide: int) -> None:
        """What the plan does: a rim and a badge, dashed where something was; and how much it changes inside."""
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        right = float(rect.right() - COUNT_PAD)
        if marked.sorts:
            style = Qt.PenStyle.DashLine if marked.ghost else Qt.PenStyle.SolidLine
            painter.setPen(QPen(self.accent, 1.2, style))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(rect).adjusted(1.0, 1.0, -1.0, -1.0), 4, 4)
            box = QRectF(right - BADGE, rect.center().y() - BADGE / 2 + 0.5, BADGE, BADGE)
            if not marked.ghost or Sort.REMOVED in marked.sorts:
                paint_badge(painter, box, marked.sorts, self.accent)
            right -= BADGE + COUNT_PAD
        if count:
            box = QRectF(right - wide, rect.center().y() - BADGE / 2 + 0.5, wide, BADGE)
            painter.setPen(QPen(self.accent, 1.2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(box, BADGE / 2, BADGE / 2)
            painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), count)
        painter.restore()


class _Tree(QTreeView):
    """A tree whose nodes can be dragged, and that takes drops on them.

    hand   holds what is dragged, here and in the picture; None = nothing can be dragged
    """

    resized = Signal()

    def __init__(self, bars: _Bars, look: Callable[[], WidgetColors], parent: QWidget) -> None:
        super().__init__(parent)
        self.hand: Hand | None = None
        self._bars, self._look = bars, look
        self._unfolded: list[int] = []  # keys of nodes that opened under the pointer

    def follow(self, hand: Hand) -> None:
        """Let this hand hold what is dragged."""
        self.hand = hand
        if (viewport := self.viewport()) is not None:
            HandedOn(viewport, hand)

    def startDrag(self, actions: Qt.DropActions | Qt.DropAction) -> None:
        """The selection is lifted in the picture as well."""
        model, selection = self._structure(), self.selectionModel()
        if self.hand is None or model.graph is None or selection is None:
            return
        keys = [model.key_at(index) for index in selection.selectedIndexes()]
        if self.hand.lift([model.graph.ids[key] for key in keys if key != model.graph.root], QCursor.pos()):
            super().startDrag(actions)
            self.hand.put_back()

    def node_at(self, spot: QPoint) -> int | None:
        """Key of the node at a global spot, -1 = none; None = the spot is elsewhere."""
        viewport = self.viewport()
        if viewport is None or not is_over(viewport, spot):
            return None
        index = self.indexAt(viewport.mapFromGlobal(spot))
        return self._structure().container(int(index.internalId())) if index.isValid() else -1

    def mark(self, key: int, refused: bool) -> None:
        """Draw a rim around the node that a drop is meant for; -1 = none."""
        color = self._look().warning if refused else self._look().accent
        rim = QPen(QColor(color), 1.5, Qt.PenStyle.DashLine if refused else Qt.PenStyle.SolidLine)
        if (key, rim) != (self._bars.aimed, self._bars.rim):
            self._bars.aimed, self._bars.rim = key, rim
            if (viewport := self.viewport()) is not None:
                viewport.update()

    def scroll_near(self, spot: QPoint) -> None:
        """Scroll if a global spot is near the upper or lower border."""
        viewport, bar = self.viewport(), self.verticalScrollBar()
        if viewport is None or bar is None:
            return
        y = viewport.mapFromGlobal(spot).y()
        step = -1 if y < BORDER else 1 if y > viewport.height() - BORDER else 0
        if step:
            bar.setValue(bar.value() + step * bar.singleStep())

    def unfold(self, key: int) -> None:
        """Show what is in a node, until `fold_back`."""
        index = self._structure().index_of(key)
        if index.isValid() and not self.isExpanded(index):
            self._unfolded.append(key)
            self.expand(index)

    def fold_back(self, kept: Sequence[int]) -> None:
        """Hide again what `unfold` has shown, but of these keys."""
        for key in self._unfolded[::-1]:
            if key not in kept:
                self.collapse(self._structure().index_of(key))
        self._unfolded.clear()

    def _structure(self) -> StructureModel:
        model = self.model()
        assert isinstance(model, StructureModel)
        return model

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        super().resizeEvent(event)
        self.resized.emit()

    def paintEvent(self, event: QPaintEvent | None) -> None:
        super().paintEvent(event)
        model, viewport = self.model(), self.viewport()
        if viewport is None or model is None or model.rowCount():
            return
        painter = QPainter(viewport)
        painter.setPen(self.palette().color(QPalette.ColorRole.PlaceholderText))
        around = viewport.rect().adjusted(MARGIN, MARGIN, -MARGIN, -MARGIN)
        painter.drawText(around, int(Qt.AlignmentFlag.AlignTop) | int(Qt.TextFlag.TextWordWrap), CLOSED)
        painter.end()


class StructurePanel(Panel):
    """Says what the user did; the session decides."""

    NAME, TITLE = "structure", "Structure"
    AREA = Area.LEFT
    SHOWN = True
    ALWAYS = True

    selected = Signal(list)  # keys
    shown_changed = Signal(int, bool)
    toggled = Signal(int)
    menu_requested = Signal(QPoint)
    filter_ended = Signal()
    graph_shown = Signal()  # a huge graph is shown in a turn of its own

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self.model = StructureModel(desk.icon, self)
        self._bars = _Bars(self)
        self.tree = _Tree(self._bars, lambda: look(self.session.view.theme), self)
        self.tree.setModel(self.model)
        self.tree.setHeaderHidden(True)
        self.tree.setUniformRowHeights(True)
        self.tree.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.tree.setDragEnabled(True)
        self.tree.setExpandsOnDoubleClick(True)
        self.tree.setIndentation(12)
        self.tree.setTextElideMode(Qt.TextElideMode.ElideMiddle)  # long names are told apart at their ends
        self.tree.setIconSize(QSize(16, 16))
        self.tree.setAccessibleName("Structure")
        self.tree.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.tree.customContextMenuRequested.connect(self._menu)
        self.tree.setItemDelegate(self._bars)
        self.tree.clicked.connect(self._go_to_planned)
        self.model.shown_changed.connect(self.shown_changed)
        self._following = False
        self._size: npt.NDArray[np.float64] | None = None
        self._open: set[int] = set()  # keys of opened nodes: Qt forgets them when the graph changes
        self.tree.expanded.connect(lambda index: self._open.add(self.model.key_at(index)))
        self.tree.collapsed.connect(lambda index: self._open.discard(self.model.key_at(index)))
        if (header := self.tree.header()) is not None:
            header.setStretchLastSection(False)
        for changed in (self.tree.expanded, self.tree.collapsed, self.tree.resized):
            changed.connect(self._widen)
        if (selection := self.tree.selectionModel()) is not None:
            selection.selectionChanged.connect(self._report)
        if (bar := self.tree.verticalScrollBar()) is not None:
            bar.valueChanged.connect(self._list_more)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._make_filter_bar())
        layout.addWidget(self.tree)
        self._seen = ViewState()
        self._later = QTimer(self)  # shows the structure of a huge graph; what changes meanwhile is shown with it
        self._later.setSingleShot(True)
        self._later.setInterval(STEP)
        self._later.timeout.connect(self._show_later)
        self._sums: tuple[Graph, npt.NDArray[np.float64] | None] | None = None  # of a huge graph, to be shown
        session = self.session
        self.selected.connect(lambda keys: session.select(keys))
        self.shown_changed.connect(lambda key, shown: session.hide([key], hidden=not shown))
        self.menu_requested.connect(desk.show_menu)
        self.filter_ended.connect(lambda: session.set_view(only=""))

    def _make_filter_bar(self) -> QWidget:
        """Says that a filter hides something, and ends it."""
        self.filter_bar = QFrame(self)
        self.filter_bar.setObjectName("message")
        self.filter_text = RichLabel(self.filter_bar)
        end = QPushButton("End filter", self.filter_bar)
        end.setObjectName("small")
        set_tooltip(end, "Show again what the filter hides")
        end.clicked.connect(self.filter_ended)
        row = QHBoxLayout(self.filter_bar)
        row.setContentsMargins(10, 4, 8, 4)
        row.addWidget(self.filter_text, 1)
        row.addWidget(end)
        self.filter_bar.hide()
        return self.filter_bar

    def follow(self, changes: frozenset[Change]) -> None:
        """Show the tree of another plan, and what is hidden and selected."""
        session = self.session
        if Change.PLAN in changes:
            if is_large(session.graph):
                self._later.start()
            else:
                self._show_structure(_sizes(session.graph))
        if Change.VIEW not in changes:
            return
        view, before = session.view, self._seen
        self._seen = view
        if view.drag is not None:
            return
        if view.planned != before.planned:
            self.show_graph(self.model.graph, self._size, self.model.filtered)
            self.show_selected(view.selected)
        if (view.hidden, view.external) != (before.hidden, before.external):
            self.show_hidden(session.hidden)
        if view.selected != before.selected:
            self.show_selected(view.selected)

    def restyle(self) -> None:
        """Take the colours of another theme."""
        self._bars.color = QColor(look(self.desk.settings.theme).faint)
        self._bars.accent = QColor(look(self.desk.settings.theme).accent)
        self.model.faint = QBrush(QColor(look(self.desk.settings.theme).muted))
        self.model.restyle()

    def _show_later(self) -> None:
        """In turns of their own: sums, tree; a later subject begins anew."""
        if not self.session.is_open:
            return
        graph = self.session.graph
        if self._sums is None or self._sums[0] is not graph:
            self._sums = graph, _sizes(graph)
            self._later.start()
        else:
            self._show_structure(self._sums[1])
            self._sums = None
            self.graph_shown.emit()

    def _show_structure(self, sizes: npt.NDArray[np.float64] | None) -> None:
        self.show_graph(self.session.graph, sizes)
        self.show_hidden(self.session.hidden)
        self.show_selected(self.session.view.selected)

    def _go_to_planned(self, index: QModelIndex) -> None:
        """Show where something is whose ghost was clicked."""
        key = self.model.was_at(index)
        if key >= 0 and self.session.graph.parent[key] != REMOVED:
            self.desk.reveal(key)

    def show_graph(
        self, graph: Graph | None, size: npt.NDArray[np.float64] | None, filtered: frozenset[int] = frozenset()
    ) -> None:
        """Show another state of the graph, without the subtrees of `filtered`; what was open stays open."""
        self._size = size
        opened = set(self._open)
        position = bar.value() if (bar := self.tree.verticalScrollBar()) is not None else 0
        self._following = True
        self.model.show(graph, size, filtered, self.session.changes_planned if self.session.view.planned else None)
        self._open.clear()
        for key in {graph.root, *opened} if graph is not None else ():
            if (index := self.model.index_of(key)).isValid():
                self.tree.expand(index)
        self._following = False
        if bar is not None:
            bar.setValue(position)
        self._widen()

    def _widen(self) -> None:
        """Let the deepest names have room."""
        graph, header, viewport = self.model.graph, self.tree.header(), self.tree.viewport()
        if graph is None or header is None or viewport is None or self._following:
            return
        deepest = 1 + max((int(graph.tree.depth[key]) for key in self._open if key < len(graph)), default=0)
        beside = BAR + BAR_ROOM if viewport.width() >= WITH_BARS else 0
        needed = self.tree.indentation() * (deepest + 1) + BEFORE + NAME + beside
        lacking = needed - viewport.width()
        header.resizeSection(0, needed if lacking > BEARABLE else viewport.width())

    def _list_more(self) -> None:
        """Have more children listed of a container whose rows so far end near the bottom of what is seen."""
        viewport = self.tree.viewport()
        index = self.tree.indexAt(viewport.rect().bottomLeft()) if viewport is not None else QModelIndex()
        while (above := index.parent()).isValid():
            if self.model.canFetchMore(above) and self.model.rowCount(above) - index.row() < AHEAD:
                self.model.fetchMore(above)
            index = above

    def _show_name(self, index: QModelIndex) -> None:
        """Scroll to a node, sideways too where its name is out of sight."""
        self.tree.scrollTo(index)
        bar, viewport = self.tree.horizontalScrollBar(), self.tree.viewport()
        assert bar is not None
        assert viewport is not None
        left = self.tree.visualRect(index).left()
        needed = min(self.tree.sizeHintForIndex(index).width(), BEFORE + NAME)
        if left < self.tree.indentation() or left + needed > viewport.width() - BAR:
            bar.setValue(bar.value() + left - BEFORE // 2)

    def show_filter(self, text: str, filtered: frozenset[int]) -> None:
        """Follow the filter `text`, which hides the subtrees of `filtered`."""
        self.filter_bar.setVisible(bool(text))
        graph = self.model.graph
        if graph is None:
            return
        if filtered != self.model.filtered:
            chosen = tuple(self._chosen())
            self.show_graph(graph, self._size, filtered)
            self.show_selected(chosen)
        if text:
            there = len(graph.tree.order) - 1
            left = int(np.count_nonzero(self.model.listed)) - 1
            self.filter_text.show_html(Markup("<b>{:,}</b> of {:,} shown").format(left, there))
            set_tooltip(self.filter_text, f"Only what matches {text}, with what is around it")

    def show_hidden(self, hidden: frozenset[int]) -> None:
        """Follow what is hidden."""
        self.model.show_hidden(hidden)

    def show_selected(self, keys: tuple[int, ...]) -> None:
        """Follow the selection made elsewhere; opens the way to it."""
        selection = self.tree.selectionModel()
        if selection is None or set(keys) == set(self._chosen()):
            return
        chosen = QItemSelection()
        for key in keys:
            if (index := self.model.index_of(key)).isValid():
                chosen.select(index, index)
        self._following = True
        selection.select(chosen, QItemSelectionModel.SelectionFlag.ClearAndSelect)
        if keys and (index := self.model.index_of(keys[-1])).isValid():
            selection.setCurrentIndex(index, QItemSelectionModel.SelectionFlag.NoUpdate)
            self._following = False
            self._widen()
            self._show_name(index)
        self._following = False

    def _chosen(self) -> list[int]:
        selection = self.tree.selectionModel()
        return [] if selection is None else [self.model.key_at(index) for index in selection.selectedIndexes()]

    def _report(self) -> None:
        if not self._following:
            self.selected.emit(self._chosen())

    def _menu(self, place: QPoint) -> None:
        viewport = self.tree.viewport()
        if self.tree.indexAt(place).isValid() and viewport is not None:
            self.menu_requested.emit(viewport.mapToGlobal(place))


def is_large(graph: Graph) -> bool:
    """Whether each panel that shows all of the graph takes as long as the window may be still."""
    return len(graph) > LARGE


def _sizes(graph: Graph) -> npt.NDArray[np.float64] | None:
    column = graph.values.get("sloc")
    return None if column is None else graph.tree.subtree_sum(column)
