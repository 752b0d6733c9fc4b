"""Fields with chevrons as arrows, in the colour of their text, like the other icons."""

from __future__ import annotations

from math import ceil

from qtpy.QtCore import QPointF, QSize, Qt
from qtpy.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPalette, QPen, QPolygonF, QWheelEvent
from qtpy.QtWidgets import QComboBox, QSlider, QSpinBox, QStyle, QStyleOptionComboBox, QStylePainter, QWidget

FROM_RIGHT = 13.0  # px from the right edge to the middle of the chevron
HALF = 3.5  # px, half its width
BESIDE_TEXT = 36  # px by which a list is wider than its text
APART_FROM_ICON = 4  # px between the icon of a list and its text, as in Qt
APART = 4.0  # px from the middle of a field to the chevrons


class DropList(QComboBox):
    """A list without a frame around its button (by the style sheet). A text that does not fit ends in an ellipsis."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("drop")
        self._characters: int | None = None

    def stay_narrow(self, characters: int = 0) -> None:
        """Reserve room for an icon and `characters` characters, whatever the texts of the rows.

        Qt's AdjustToMinimumContentsLengthWithIcon reserves the same, but creates the popup at once, which takes two
        milliseconds for each of the twenty fields of a window.
        """
        self._characters = characters
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        """The room reserved by `stay_narrow`, else that of the longest text."""
        if self._characters is None:
            return super().sizeHint()
        icon = self.iconSize()
        text = self._characters * self.fontMetrics().horizontalAdvance("X")
        wide = text + icon.width() + APART_FROM_ICON if text else -1  # as in Qt, which starts with an invalid size
        tall = max(ceil(QFontMetricsF(self.font()).height()), 14, icon.height()) + 2
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        style = self.style()
        assert style is not None
        return style.sizeFromContents(QStyle.ContentsType.CT_ComboBox, option, QSize(wide, tall), self)

    def minimumSizeHint(self) -> QSize:
        """Equal to the size hint after `stay_narrow`; otherwise that of Qt."""
        return super().minimumSizeHint() if self._characters is None else self.sizeHint()

    def wheelEvent(self, event: QWheelEvent | None) -> None:
        """Let the wheel scroll the panel, so that it does not change the choice on the way."""
        if event is not None:
            event.ignore()

    def paintEvent(self, event: QPaintEvent | None) -> None:
        """Paint the combo box, and the chevron over it."""
        painter, option = QStylePainter(self), QStyleOptionComboBox()
        self.initStyleOption(option)
        if self.currentIndex() < 0:
            faint = self.palette().color(QPalette.ColorRole.PlaceholderText)
            option.palette.setColor(QPalette.ColorRole.ButtonText, faint)
            option.palette.setColor(QPalette.ColorRole.Text, faint)
            option.currentText = self.placeholderText()
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        room = self.width() - BESIDE_TEXT
        if not option.currentIcon.isNull():
            room -= option.iconSize.width() + APART_FROM_ICON
        option.currentText = option.fontMetrics.elidedText(option.currentText, Qt.TextElideMode.ElideRight, room)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)
        _chevron(painter, self, 0.0, 1.0)
        painter.end()


class NumberField(QSpinBox):
    """A field for numbers with chevrons."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("number")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)  # the wheel does not give it the focus

    def minimumSizeHint(self) -> QSize:
        """Small, because panels may be narrow."""
        return QSize(60, super().minimumSizeHint().height())

    def wheelEvent(self, event: QWheelEvent | None) -> None:
        """Let the wheel scroll the panel, unless the field has the focus."""
        if self.hasFocus():
            super().wheelEvent(event)
        elif event is not None:
            event.ignore()

    def paintEvent(self, event: QPaintEvent | None) -> None:
        """Paint the field, and a chevron up and one down."""
        super().paintEvent(event)
        painter = QPainter(self)
        _chevron(painter, self, -APART, -1.0)
        _chevron(painter, self, APART, 1.0)
        painter.end()


class Slider(QSlider):
    """A slider that ignores the wheel."""

    def wheelEvent(self, event: QWheelEvent | None) -> None:
        """Let the wheel scroll the panel."""
        if event is not None:
            event.ignore()


def _chevron(painter: QPainter, field: QWidget, below: float, down: float) -> None:
    """Draw a chevron at the right end of a field, `below` pixels below its middle; it points down, or with -1 up."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    group = QPalette.ColorGroup.Normal if field.isEnabled() else QPalette.ColorGroup.Disabled
    painter.setPen(QPen(field.palette().color(group, QPalette.ColorRole.Text), 1.3))
    x, y, tip = field.width() - FROM_RIGHT, field.height() / 2 + below, down * HALF / 2
    painter.drawPolyline(QPolygonF([QPointF(x - HALF, y - tip), QPointF(x, y + tip), QPointF(x + HALF, y - tip)]))
