"""The caption of a view: its hierarchy and metrics, as lists to choose from."""

from __future__ import annotations

from qtpy.QtCore import QSize, Qt, Signal
from qtpy.QtGui import QResizeEvent
from qtpy.QtWidgets import QComboBox, QHBoxLayout, QLayout, QWidget

from cbvtool.session import Session
from cbvtool.view.commands.hierarchies import HierarchyList, Regrouping
from cbvtool.view.toolkit.close_button import close_button
from cbvtool.view.toolkit.drop_list import DropList
from cbvtool.view.toolkit.plain import Label, set_tooltip

NARROWEST, ROOMY = 90, 640  # px: of a list; of a caption with the names of its lists
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
            choice = DropList(self)
            self.metrics[variable] = choice
            set_tooltip(choice, f"Metric that decides the {text.lower()} in this view")
            choice.setAccessibleName(f"{text} in this view")
            choice.stay_narrow()
            choice.setMinimumWidth(NARROWEST)
            choice.activated.connect(
                lambda _row, variable=variable, choice=choice: session.map(variable, choice.currentData())
            )
            row.addWidget(name)
            row.addWidget(choice, 1)
        if closable:
            close = close_button(self, "Close the second view")
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
