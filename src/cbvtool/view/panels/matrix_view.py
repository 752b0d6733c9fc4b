"""The dependency structure matrix as a picture: draws only what is seen, and merges what is too small to be seen."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from qtpy.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, QSize, QSizeF, Qt, Signal
from qtpy.QtGui import (
    QColor,
    QFontMetricsF,
    QHelpEvent,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from qtpy.QtWidgets import QWidget

from cbvtool.asking.matrix import Matrix, runs
from cbvtool.asking.short_paths import told_apart
from cbvtool.geometry.colors import THEMES
from cbvtool.graph import Graph
from cbvtool.view.toolkit.plain import show_tooltip

SMALLEST_CELL = 2.0  # px; what would be smaller is merged with its neighbours
LARGEST_CELL = 44.0
NAMED = 12.0  # px that a name needs
READABLE = 150  # rows of which one begins with the first ones, named, instead of with all
NUMBERED = 17.0  # px from which on cells show their number
GRID = 6.0  # px from which on there are lines between cells
STRETCH = 2.5  # how much wider than high cells may be, where there is the room
ZOOM = 1.2  # for one notch of the wheel
DRAG_FROM = 6  # px
SIDE = (60, 190)  # px, least and most, for the names at the left; the ones above get as much as their height allows
ABOVE = 0.42  # share of the height for the names above

Cell = tuple[int, int]


class MatrixView(QWidget):
    """Row = who uses, column = what is used. Below the diagonal and above it have colours of their own."""

    chosen = Signal(object, object)  # keys, and the cell (row, column) or None for a name
    opened = Signal(int, int)  # row and column of a cell whose relations are wanted
    unfolded = Signal(int)  # key of a row or column whose parts are wanted in its place

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._graph: Graph | None = None
        self._matrix: Matrix | None = None
        self._levels: dict[int, Matrix] = {}
        self._names: list[str] = []
        self._theme = "light"
        self._cell = 12.0
        self._corner = QPointF(0, 0)  # position, in cells, that is seen at the upper left
        self._free = False  # the user has moved or zoomed
        self._current: Cell = (-1, -1)  # under the pointer, or chosen by keys
        self._selected: frozenset[int] = frozenset()
        self._pressed: QPoint | None = None
        self._panning = False
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAccessibleName("Dependency matrix")
        self.setMinimumSize(200, 90)

    # -- what is shown -------------------------------------------------------------------------------------

    def show_matrix(self, graph: Graph | None, matrix: Matrix | None) -> None:
        """Show another matrix, all of it."""
        same = self._matrix is not None and matrix is not None and np.array_equal(self._matrix.key, matrix.key)
        self._graph, self._matrix, self._levels = graph, matrix, {}
        self._names = [] if graph is None or matrix is None else names_of(graph, matrix)
        self._current = (-1, -1)
        self._free = self._free and same
        if not self._free:
            self._begin()
        self.update()

    def show_selected(self, keys: frozenset[int]) -> None:
        """Mark rows and columns of these nodes, and bring one into sight where none is."""
        if keys != self._selected:
            self._selected = keys
            self._bring_selected()
            self.update()

    def restyle(self, theme: str) -> None:
        """Take the colours of `light` or `dark`."""
        self._theme = theme
        self.update()

    def fit(self) -> None:
        """Show all of it."""
        self._free = True
        self._cell = min(self._least(), LARGEST_CELL / 2)
        self._corner = QPointF(0, 0)
        self.update()

    def show_block(self, first: int, last: int) -> None:
        """Bring rows and columns `first` to `last` - 1 into sight, as large as they fit, and with readable numbers."""
        area, n = self.area(), max(1, last - first)
        self._free = True
        self._cell = 1.0
        stretch = self._wide
        fitting = min(area.height() / n, area.width() / n / stretch)
        self._cell = min(max(fitting, NUMBERED + 2.0), LARGEST_CELL / 2)
        self._move_to(QPointF(first, first))

    def _begin(self) -> None:
        """Show all of it, or the beginning of one that is not much too large to be read."""
        self.fit()
        self._free = False
        if len(self._matrix or ()) <= READABLE:
            self._cell = max(self._cell, NAMED + 1)
            self._bring_selected()

    @property
    def cell_size(self) -> float:
        """Pixels of one cell."""
        return self._cell

    @property
    def _wide(self) -> float:
        """Pixels that a cell is wide."""
        area = self.area()
        return self._cell * min(max(area.width() / area.height(), 1.0), STRETCH)

    @property
    def merged(self) -> int:
        """How many neighbours are drawn as one; 1 = none."""
        return 1 if self._cell >= SMALLEST_CELL else 2 ** math.ceil(math.log2(SMALLEST_CELL / self._cell))

    @property
    def current(self) -> Cell:
        """Row and column under the pointer or the keys; -1 = on the names, or nowhere."""
        return self._current

    def area(self) -> QRect:
        """Where the cells are, right of and below the names."""
        left = int(min(max(self.width() * 0.2, SIDE[0]), SIDE[1]))
        top = int(min(max(self.height() * ABOVE, 30), 130))
        return QRect(left, top, max(1, self.width() - left - 1), max(1, self.height() - top - 1))

    def place_of(self, row: int, column: int) -> QPoint:
        """The middle of a cell."""
        area, corner = self.area(), self._corner
        return QPoint(
            round(area.left() + (column + 0.5 - corner.x()) * self._wide),
            round(area.top() + (row + 0.5 - corner.y()) * self._cell),
        )

    def cell_at(self, place: QPoint) -> Cell:
        """Row and column at a place; -1 where there is none, as beside the names of the other."""
        if self._matrix is None:
            return -1, -1
        inside = place - self.area().topLeft()
        row = math.floor(inside.y() / self._cell + self._corner.y()) if inside.y() >= 0 else -1
        column = math.floor(inside.x() / self._wide + self._corner.x()) if inside.x() >= 0 else -1
        n = len(self._matrix)
        return row if row < n else -1, column if column < n else -1

    def _least(self) -> float:
        """The cell size at which everything is seen."""
        area, n = self.area(), max(1, len(self._matrix or ()))
        return min(area.height() / n, area.width() / n * self._cell / self._wide)

    def _window(self) -> tuple[int, int, int, int]:
        """First and one past the last row, first and one past the last column that are seen."""
        area, n = self.area(), len(self._matrix or ())
        found = []
        for start, length, size in (
            (self._corner.y(), area.height(), self._cell),
            (self._corner.x(), area.width(), self._wide),
        ):
            found += [max(0, math.floor(start)), min(n, math.ceil(start + length / size))]
        return found[0], max(found[0], found[1]), found[2], max(found[2], found[3])

    # -- painting ------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent | None) -> None:
        """Cells as one image, then lines, names and what is marked."""
        painter = QPainter(self)
        if self._matrix is None or self._graph is None or not len(self._matrix):
            return
        area = self.area()
        painter.save()
        painter.setClipRect(area)
        self._paint_cells(painter)
        self._paint_blocks(painter)
        self._paint_marks(painter)
        painter.restore()
        self._paint_names(painter)
        painter.setPen(QPen(self.palette().color(QPalette.ColorRole.Mid), 1))
        painter.drawLine(area.left() - 1, area.top() - 1, self.width(), area.top() - 1)
        painter.drawLine(area.left() - 1, area.top() - 1, area.left() - 1, self.height())
        self._paint_share(painter)
        painter.setPen(self.palette().color(QPalette.ColorRole.PlaceholderText))
        place = QRect(8, 0, area.left() - 16, area.top() - 4)
        merged = f"one cell = {self.merged:,} × {self.merged:,} merged"
        how = Qt.AlignmentFlag.AlignBottom | Qt.AlignmentFlag.AlignRight
        painter.drawText(place, int(how | Qt.TextFlag.TextWordWrap), merged if self.merged > 1 else "row uses column")

    def _paint_cells(self, painter: QPainter) -> None:
        assert self._matrix is not None
        step = self.merged
        if step not in self._levels:
            self._levels[step] = self._matrix.coarser(step)
        level = self._levels[step]
        r0, r1, c0, c1 = self._window()
        rows, columns = slice(r0 // step, -(-r1 // step)), slice(c0 // step, -(-c1 // step))
        counts, cyclic = level.window(rows, columns)
        if not counts.size:
            return
        largest = int(level.count.max(initial=1))
        pixels = cell_colors(counts, cyclic, rows.start, columns.start, largest, self._theme)
        height, width = counts.shape
        image = QImage(pixels.tobytes(), width, height, 4 * width, QImage.Format.Format_RGBA8888)
        place = QPointF(self._x(c0 // step * step), self._y(r0 // step * step))
        painter.drawImage(QRectF(place, QSizeF(width * step * self._wide, height * step * self._cell)), image)
        if self._cell >= GRID:
            self._paint_grid(painter, r0, r1, c0, c1)
        if self._cell >= NUMBERED:
            self._paint_numbers(painter, counts, r0, c0)

    def _paint_grid(self, painter: QPainter, r0: int, r1: int, c0: int, c1: int) -> None:
        painter.setPen(QPen(self.palette().color(QPalette.ColorRole.Base), 1))
        top, bottom, left, right = self._y(r0), self._y(r1), self._x(c0), self._x(c1)
        for row in range(r0, r1 + 1):
            painter.drawLine(QPointF(left, self._y(row)), QPointF(right, self._y(row)))
        for column in range(c0, c1 + 1):
            painter.drawLine(QPointF(self._x(column), top), QPointF(self._x(column), bottom))

    def _paint_numbers(self, painter: QPainter, counts: npt.NDArray[np.int64], r0: int, c0: int) -> None:
        font = painter.font()
        font.setPixelSize(max(9, min(12, int(self._cell * 0.5))))
        painter.setFont(font)
        painter.setPen(self.palette().color(QPalette.ColorRole.Text))
        for row, column in zip(*np.nonzero(counts), strict=True):
            box = QRectF(self._x(c0 + int(column)), self._y(r0 + int(row)), self._wide, self._cell)
            painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), short(int(counts[row, column])))

    def _paint_blocks(self, painter: QPainter) -> None:
        """A frame around each cycle."""
        assert self._matrix is not None
        painter.setPen(QPen(QColor(*THEMES[self._theme].warning), 1.5))
        for first, last in self._matrix.blocks:
            wide, high = (max((last - first) * size, 2.0) for size in (self._wide, self._cell))
            painter.drawRect(QRectF(self._x(first), self._y(first), wide, high))

    def _paint_marks(self, painter: QPainter) -> None:
        """Rows and columns of what is selected, the cross through the pointer, the current cell."""
        assert self._matrix is not None
        accent = QColor(*THEMES[self._theme].accent)
        row, column = self._current
        for strength, rows, columns in (
            (0.14, [row] if row >= 0 else [], [column] if column >= 0 else []),
            (0.20, self._chosen(), self._chosen()),
        ):
            color = QColor(accent)
            color.setAlphaF(strength)
            n = len(self._matrix)
            for at in rows:
                painter.fillRect(QRectF(self._x(0), self._y(at), n * self._wide, max(self._cell, 1.0)), color)
            for at in columns:
                painter.fillRect(QRectF(self._x(at), self._y(0), max(self._wide, 1.0), n * self._cell), color)
        if row >= 0 and column >= 0:
            painter.setPen(QPen(accent, 1.5))
            painter.drawRect(QRectF(self._x(column), self._y(row), max(self._wide, 3.0), max(self._cell, 3.0)))

    def _chosen(self) -> list[int]:
        """Positions of what is selected."""
        assert self._matrix is not None
        return np.flatnonzero(np.isin(self._matrix.key, list(self._selected))).tolist() if self._selected else []

    def _paint_names(self, painter: QPainter) -> None:
        assert self._matrix is not None
        assert self._graph is not None
        area = self.area()
        r0, r1, c0, c1 = self._window()
        font = self.font()
        font.setPixelSize(int(min(12, max(10, self._cell * 0.8))))
        painter.setFont(font)
        metrics = QFontMetricsF(font)
        chosen = set(self._chosen()) | {at for at in self._current if at >= 0}
        rows, columns = self._labels(r0, r1, self._cell), self._labels(c0, c1, self._wide)
        letter = metrics.averageCharWidth()
        left, above = (told_apart(self._names, int(room / letter)) for room in (area.left() - 14, area.top() - 14))
        painter.save()
        painter.setClipRect(QRect(0, area.top(), area.left(), area.height()))
        for first, last, name, whole in rows:
            self._set_pen(painter, first in chosen and not whole)
            box = QRectF(6, self._y(first), area.left() - 14, (last - first) * self._cell)
            text = metrics.elidedText(left.get(name, name), Qt.TextElideMode.ElideMiddle, box.width())
            painter.drawText(box, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter), text)
            if whole:
                painter.drawLine(QPointF(area.left() - 4, box.top() + 2), QPointF(area.left() - 4, box.bottom() - 2))
        painter.restore()
        painter.save()
        painter.setClipRect(QRect(area.left(), 0, area.width(), area.top()))
        for first, last, name, whole in columns:
            self._set_pen(painter, first in chosen and not whole)
            painter.save()
            half = (last - first) * self._wide / 2
            painter.translate(self._x(first) + half, area.top() - 8)
            painter.rotate(-90)
            text = metrics.elidedText(above.get(name, name), Qt.TextElideMode.ElideMiddle, area.top() - 14)
            painter.drawText(QRectF(0, -half, area.top() - 12, 2 * half), int(Qt.AlignmentFlag.AlignVCenter), text)
            painter.restore()
            if whole:
                y = area.top() - 4
                painter.drawLine(QPointF(self._x(first) + 2, y), QPointF(self._x(last) - 2, y))
        painter.restore()

    def _paint_share(self, painter: QPainter) -> None:
        """Bars at the edges: which part is seen."""
        area, whole = self.area(), len(self._matrix or ()) * self._cell
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.palette().color(QPalette.ColorRole.Mid))
        across = len(self._matrix or ()) * self._wide
        if whole > area.height() + 1:
            top = area.top() + self._corner.y() * self._cell / whole * area.height()
            painter.drawRoundedRect(QRectF(self.width() - 6, top, 4, max(16.0, area.height() ** 2 / whole)), 2, 2)
        if across > area.width() + 1:
            left = area.left() + self._corner.x() * self._wide / across * area.width()
            painter.drawRoundedRect(QRectF(left, self.height() - 6, max(16.0, area.width() ** 2 / across), 4), 2, 2)

    def _labels(self, start: int, end: int, size: float) -> list[tuple[int, int, str, bool]]:
        """(first, one past the last, name, whether it stands for several) of the names that fit cells of `size` px."""
        assert self._matrix is not None
        assert self._graph is not None
        if size >= NAMED - 1:
            return [(at, at + 1, self._names[at], False) for at in range(start, end)]
        if self._matrix.blocks:
            found = [(a, b, f"cycle of {b - a:,}", True) for a, b in self._matrix.blocks]
        else:
            least = max(2, math.ceil(1.4 * NAMED / size))
            found = [(a, b, self._graph.names[key], True) for a, b, key in runs(self._graph, self._matrix.key, least)]
        return [row for row in found if row[1] > start and row[0] < end and (row[1] - row[0]) * size >= NAMED]

    def _set_pen(self, painter: QPainter, marked: bool) -> None:
        role = QPalette.ColorRole.Text if not marked else QPalette.ColorRole.Link
        painter.setPen(self.palette().color(role))

    def _x(self, column: float) -> float:
        return self.area().left() + (column - self._corner.x()) * self._wide

    def _y(self, row: float) -> float:
        return self.area().top() + (row - self._corner.y()) * self._cell

    # -- moving about --------------------------------------------------------------------------------------

    def zoom(self, factor: float, at: QPoint) -> None:
        """Zoom; what is at a place stays there."""
        area = self.area()
        x, y = max(0, at.x() - area.left()), max(0, at.y() - area.top())
        seen = QPointF(self._corner.x() + x / self._wide, self._corner.y() + y / self._cell)
        self._cell = min(max(self._cell * factor, min(self._least(), LARGEST_CELL)), LARGEST_CELL)
        self._free = True
        self._move_to(QPointF(seen.x() - x / self._wide, seen.y() - y / self._cell))

    def _move_to(self, corner: QPointF) -> None:
        """Look at another part; never beyond the end."""
        area, n = self.area(), len(self._matrix or ())
        x = min(corner.x(), n - area.width() / self._wide)
        y = min(corner.y(), n - area.height() / self._cell)
        self._corner = QPointF(max(0.0, x), max(0.0, y))
        self.update()

    def wheelEvent(self, event: QWheelEvent | None) -> None:
        """Zoom to the pointer."""
        if event is not None:
            self.zoom(ZOOM ** (event.angleDelta().y() / 120), event.position().toPoint())
            event.accept()

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        """A click, or the begin of a drag that moves the matrix."""
        if event is not None:
            self._pressed, self._panning = event.pos(), False

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:
        """The cross follows the pointer; a drag moves the matrix."""
        if event is None:
            return
        if self._pressed is not None and event.buttons():
            moved = event.pos() - self._pressed
            if self._panning or moved.manhattanLength() >= DRAG_FROM:
                self._panning = self._free = True
                self._pressed = event.pos()
                self._move_to(self._corner - QPointF(moved.x() / self._wide, moved.y() / self._cell))
            return
        self._set_current(self.cell_at(event.pos()))

    def mouseReleaseEvent(self, event: QMouseEvent | None) -> None:
        """A click selects both ends of a cell, or what a name stands for."""
        pressed, self._pressed = self._pressed, None
        if event is None or pressed is None or self._panning or event.button() != Qt.MouseButton.LeftButton:
            return
        self._set_current(self.cell_at(event.pos()))
        self._take()

    def mouseDoubleClickEvent(self, event: QMouseEvent | None) -> None:
        """List the relations of a cell; open what a name stands for."""
        cell = (-1, -1) if event is None else self.cell_at(event.pos())
        if min(cell) >= 0:
            self.opened.emit(*cell)
        elif max(cell) >= 0 and self._matrix is not None:
            self.unfolded.emit(int(self._matrix.key[max(cell)]))

    def leaveEvent(self, event: QEvent | None) -> None:
        """Nothing is under the pointer any more."""
        if not self.hasFocus():
            self._set_current((-1, -1))

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """Arrows walk, Enter selects, plus and minus zoom, Home shows all."""
        if event is None or self._matrix is None or not len(self._matrix):
            return
        steps = {Qt.Key.Key_Left: (0, -1), Qt.Key.Key_Right: (0, 1), Qt.Key.Key_Up: (-1, 0), Qt.Key.Key_Down: (1, 0)}
        if event.key() in steps:
            n, (down, right) = len(self._matrix), steps[Qt.Key(event.key())]
            row, column = (max(at, 0) for at in self._current)
            fresh = min(self._current) < 0
            cell = (row, column) if fresh else ((row + down) % n, (column + right) % n)
            self._set_current(cell)
            self._bring(cell)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            if event.key() != Qt.Key.Key_Space and min(self._current) >= 0 and self._is_taken():
                self.opened.emit(*self._current)
            else:
                self._take()
        elif event.key() == Qt.Key.Key_E and max(self._current) >= 0:
            self.unfolded.emit(int(self._matrix.key[max(0, self._current[0])]))
        elif event.key() in (Qt.Key.Key_Plus, Qt.Key.Key_Equal, Qt.Key.Key_Minus):
            row, column = self._current
            at = self.place_of(row, column) if min(row, column) >= 0 else self.area().center()
            self.zoom(1 / ZOOM if event.key() == Qt.Key.Key_Minus else ZOOM, at)
        elif event.key() == Qt.Key.Key_Home:
            self.fit()
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent | None) -> bool:
        """Plus and minus are for the matrix while it has the focus; what a cell says is told when asked for."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride:
            mine = (Qt.Key.Key_Plus, Qt.Key.Key_Equal, Qt.Key.Key_Minus)
            if event.key() in mine and not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
                event.accept()
                return True
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            show_tooltip(event.globalPos(), self.words(*self.cell_at(event.pos())), self)
            return True
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """What the user has not chosen is chosen anew."""
        super().resizeEvent(event)
        self._move_to(self._corner) if self._free else self._begin()

    def sizeHint(self) -> QSize:
        """Room for a few names and cells."""
        return QSize(520, 260)

    def words(self, row: int, column: int) -> str:
        """What a cell or a name says: both ends in full, and the number of relations."""
        if self._matrix is None or self._graph is None or max(row, column) < 0:
            return ""
        ends = [
            f"{self._graph.path(int(self._matrix.key[at]))}{' (itself)' * bool(self._matrix.own[at])}"
            for at in (row, column)
            if at >= 0
        ]
        if len(ends) == 1 or row == column:
            return ends[0]
        count = self._matrix.between(row, column)
        lines = [f"{ends[0]}  uses", ends[1], f"{count:,} relation{'' if count == 1 else 's'}"]
        if self._matrix.cycle[row] >= 0 and self._matrix.cycle[row] == self._matrix.cycle[column]:
            lines.append(f"in a cycle of {int((self._matrix.cycle == self._matrix.cycle[row]).sum()):,}")
        return "\n".join(lines)

    def _set_current(self, cell: Cell) -> None:
        if cell != self._current:
            self._current = cell
            self.update()

    def _keys(self) -> tuple[int, ...]:
        assert self._matrix is not None
        return tuple(dict.fromkeys(int(self._matrix.key[at]) for at in self._current if at >= 0))

    def _is_taken(self) -> bool:
        return self._selected == frozenset(self._keys())

    def _take(self) -> None:
        if self._matrix is not None and max(self._current) >= 0:
            self.chosen.emit(self._keys(), self._current if min(self._current) >= 0 else None)

    def _bring_selected(self) -> None:
        """Rows and columns each: the first of what is selected comes to the middle, where nothing of it is seen."""
        chosen = self._chosen() if self._matrix is not None else []
        if not chosen:
            return
        r0, r1, c0, c1 = self._window()
        x, y = self._corner.x(), self._corner.y()
        if not any(r0 <= at < r1 for at in chosen):
            y = chosen[0] - (r1 - r0) / 2
        if not any(c0 <= at < c1 for at in chosen):
            x = chosen[0] - (c1 - c0) / 2
        self._move_to(QPointF(x, y))

    def _bring(self, cell: Cell) -> None:
        """Bring a cell into sight."""
        area, x, y = self.area(), self._corner.x(), self._corner.y()
        wide, high = area.width() / self._wide - 1, area.height() / self._cell - 1
        self._move_to(QPointF(min(max(x, cell[1] - wide), cell[1]), min(max(y, cell[0] - high), cell[0])))


def cell_colors(
    counts: npt.NDArray[np.int64], cyclic: npt.NDArray[np.bool_], top: int, left: int, largest: int, theme: str
) -> npt.NDArray[np.uint8]:
    """uint8[r, c, 4]: colours of cells whose first row and column are `top` and `left`.

    Below the diagonal in the colour of users, above it in that of the used, in a cycle in that of violations; the
    stronger, the more relations, on a logarithmic scale.
    """
    look = THEMES[theme]
    rows = np.arange(top, top + counts.shape[0])[:, None]
    columns = np.arange(left, left + counts.shape[1])[None, :]
    color = np.where((rows > columns)[..., None], look.user, look.used).astype(np.float64)
    color[cyclic] = look.warning
    strength = 0.30 + 0.65 * np.log1p(counts) / np.log1p(max(largest, 1))
    color[..., 3] = 255 * np.where(counts > 0, strength, 0.0)
    color[rows == columns] = (*look.line[:3], 255)
    return np.rint(color).astype(np.uint8)


def names_of(graph: Graph, matrix: Matrix) -> list[str]:
    """What each row is called; where neighbours would be called the same, with what they lie in."""
    names = [graph.names[key] for key in matrix.key.tolist()]
    twice = {name for name in names if names.count(name) > 1} if len(names) < 500 else _repeated(names)
    for at, key in enumerate(matrix.key.tolist()):
        if matrix.own[at]:
            names[at] = f"({names[at]} itself)"
        elif names[at] in twice and graph.parent[key] >= 0:
            names[at] = f"{graph.names[int(graph.parent[key])]}/{names[at]}"
    return names


def _repeated(names: list[str]) -> set[str]:
    found, counts = np.unique(np.array(names, np.str_), return_counts=True)
    return set(found[counts > 1].tolist())


def short(count: int) -> str:
    """A number in four characters."""
    return f"{count}" if count < 1000 else f"{count / 1000:.0f}k"
