"""A row of widgets that continues on the next line if there is no room."""

from __future__ import annotations

from qtpy.QtCore import QPoint, QRect, QSize, Qt
from qtpy.QtWidgets import QLayout, QLayoutItem, QWidget


class FlowLayout(QLayout):
    """Widgets from left to right, each as wide as it asks for, in as many lines as they need."""

    def __init__(self, parent: QWidget, gap: int = 6) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self._gap = gap

    def addItem(self, item: QLayoutItem | None) -> None:
        """Add it at the end."""
        if item is not None:
            self._items.append(item)

    def count(self) -> int:
        """Number of items."""
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        """The item at an index; None = there is none."""
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        """Remove and return the item at an index; None = there is none."""
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientations:
        """None: it takes no more room than it needs."""
        return Qt.Orientations()

    def hasHeightForWidth(self) -> bool:
        """True: a narrower row has more lines."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Height of all lines together."""
        return self._place(QRect(0, 0, width, 0), move=False)

    def setGeometry(self, rect: QRect) -> None:
        """Place all widgets."""
        super().setGeometry(rect)
        self._place(rect, move=True)

    def sizeHint(self) -> QSize:
        """Equal to the minimum size; its height is that of a single line."""
        return self.minimumSize()

    def minimumSize(self) -> QSize:
        """As wide as the widest widget and as high as the highest, with the margins."""
        size = QSize()
        for item in self._items:
            size = size.expandedTo(item.minimumSize())
        margins = self.contentsMargins()
        return size + QSize(margins.left() + margins.right(), margins.top() + margins.bottom())

    def _place(self, rect: QRect, *, move: bool) -> int:
        margins = self.contentsMargins()
        left, right = rect.x() + margins.left(), rect.x() + rect.width() - margins.right()
        x, y, tall = left, rect.y() + margins.top(), 0
        lines = list[list[tuple[QLayoutItem, int, QSize]]]([[]])
        for item in self._items:
            widget = item.widget()
            if widget is not None and widget.isHidden():
                continue
            size = item.sizeHint()
            if lines[-1] and x + size.width() > right:
                lines.append([])
                x = left
            lines[-1].append((item, x, size))
            x += size.width() + self._gap
        for line in lines:
            tall = max((size.height() for _, _, size in line), default=0)
            for item, at, size in line if move else ():
                item.setGeometry(QRect(QPoint(at, y + (tall - size.height()) // 2), size))
            y += tall + self._gap
        return y - self._gap + margins.bottom() - rect.y()
