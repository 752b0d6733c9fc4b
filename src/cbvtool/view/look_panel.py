"""Which metric drives which visual variable, and how straight the relations are; the picture follows live."""

from __future__ import annotations

from collections.abc import Mapping

from qtpy.QtCore import Qt, Signal
from qtpy.QtWidgets import QComboBox, QFormLayout, QLabel, QSlider, QWidget

from cbvtool.geometry.view_state import ViewState
from cbvtool.metrics.metric import Metric

VARIABLES = (("angle", "Width"), ("height", "Height"), ("color", "Colour"))


class LookPanel(QWidget):
    """Emits the names and values of view state fields."""

    mapping_chosen = Signal(str, str)  # visual variable, metric
    beta_chosen = Signal(float)

    def __init__(self, metrics: Mapping[str, Metric], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        form = QFormLayout(self)
        form.setContentsMargins(12, 12, 12, 12)
        form.setVerticalSpacing(10)
        self._choices: dict[str, QComboBox] = {}
        for variable, label in VARIABLES:
            choice = QComboBox(self)
            choice.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            choice.setMinimumContentsLength(12)  # the panel may be narrow
            for name, metric in metrics.items():
                choice.addItem(metric.label, name)
                choice.setItemData(choice.count() - 1, metric.description or None, Qt.ItemDataRole.ToolTipRole)
            choice.activated.connect(lambda _row, variable=variable: self._choose(variable))
            self._choices[variable] = choice
            form.addRow(label, choice)
        self.straightness = QSlider(Qt.Orientation.Horizontal, self)
        self.straightness.setRange(0, 100)
        self.straightness.setToolTip("Left: every relation by itself. Right: bundled along the tree.")
        self.straightness.setAccessibleName("Bundling")
        self.straightness.valueChanged.connect(self._bundle)
        form.addRow("Bundling", self.straightness)
        note = QLabel(
            "Width is the share of the ring. Height and colour are drawn on the innermost ring alone, on one scale.",
            self,
        )
        note.setWordWrap(True)
        note.setObjectName("muted")
        form.addRow(note)

    def show_view(self, view: ViewState) -> None:
        """Follow the view state."""
        for variable, choice in self._choices.items():
            choice.setCurrentIndex(choice.findData(getattr(view.mapping, variable)))
        self.straightness.blockSignals(True)
        self.straightness.setValue(round(view.beta * 100))
        self.straightness.blockSignals(False)

    def _choose(self, variable: str) -> None:
        self.mapping_chosen.emit(variable, str(self._choices[variable].currentData()))

    def _bundle(self, value: int) -> None:
        self.beta_chosen.emit(value / 100)
