"""Which metric drives which visual variable, which relations are shown, how straight; the picture follows live."""

from __future__ import annotations

from collections.abc import Mapping

from qtpy.QtCore import Qt, Signal
from qtpy.QtWidgets import QCheckBox, QComboBox, QFormLayout, QLabel, QSlider, QVBoxLayout, QWidget

from cbvtool.geometry.shown import Counts
from cbvtool.geometry.view_state import ViewState
from cbvtool.metrics.metric import Metric
from cbvtool.view.commands import GUESSES, PACKAGES

VARIABLES = (("angle", "Width"), ("height", "Height"), ("color", "Colour"))


class LookPanel(QWidget):
    """Emits the names and values of view state fields."""

    mapping_chosen = Signal(str, str)  # visual variable, metric
    beta_chosen = Signal(float)
    guesses_chosen = Signal(bool)
    external_chosen = Signal(bool)
    kind_chosen = Signal(str, bool)  # kind of relations, whether they are shown

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
            choice.activated.connect(lambda _row, variable=variable: self._choose(variable))
            self._choices[variable] = choice
            form.addRow(label, choice)
        self.straightness = QSlider(Qt.Orientation.Horizontal, self)
        self.straightness.setRange(0, 100)
        self.straightness.setToolTip("Left: every relation by itself. Right: bundled along the tree.")
        self.straightness.setAccessibleName("Bundling")
        self.straightness.valueChanged.connect(self._bundle)
        form.addRow("Bundling", self.straightness)
        self.guesses = _switch("Guessed relations", GUESSES, self)
        self.guesses.clicked.connect(self.guesses_chosen)
        self.external = _switch("External packages", PACKAGES, self)
        self.external.clicked.connect(self.external_chosen)
        self.kinds: dict[str, QCheckBox] = {}
        self._kinds = QVBoxLayout()
        self._kinds.setSpacing(4)
        switches = QVBoxLayout()
        switches.setSpacing(4)
        switches.addLayout(self._kinds)
        switches.addSpacing(6)
        switches.addWidget(self.guesses)
        switches.addWidget(self.external)
        form.addRow(QLabel("Relations", self))
        form.addRow(switches)  # across the panel, which may be narrow
        note = QLabel(
            "Width is the share of the ring. Height and colour are drawn on the innermost ring alone, on one scale.",
            self,
        )
        note.setWordWrap(True)
        note.setObjectName("muted")
        form.addRow(note)
        self.show_metrics(metrics)

    def show_metrics(self, metrics: Mapping[str, Metric]) -> None:
        """Offer these metrics."""
        for choice in self._choices.values():
            choice.clear()
            for name, metric in metrics.items():
                choice.addItem(metric.label, name)
                choice.setItemData(choice.count() - 1, metric.description or None, Qt.ItemDataRole.ToolTipRole)

    def show_view(self, view: ViewState) -> None:
        """Follow the view state."""
        for variable, choice in self._choices.items():
            choice.setCurrentIndex(choice.findData(getattr(view.mapping, variable)))
        self.straightness.blockSignals(True)
        self.straightness.setValue(round(view.beta * 100))
        self.straightness.blockSignals(False)
        self.guesses.setChecked(view.guesses)
        self.external.setChecked(view.external)
        for kind, box in self.kinds.items():
            box.setChecked(kind not in view.kinds_off)

    def show_counts(self, counts: Counts, view: ViewState) -> None:
        """Offer the switches of another graph."""
        self.guesses.setText(f"Guessed relations ({counts.guesses:,})")
        self.guesses.setEnabled(counts.guesses > 0)
        self.external.setText(f"External packages ({counts.packages:,})")
        self.external.setEnabled(counts.packages > 0)
        for kind in self.kinds.keys() - counts.kinds.keys():
            box = self.kinds.pop(kind)
            self._kinds.removeWidget(box)
            box.deleteLater()
        for kind, count in counts.kinds.items():
            if kind not in self.kinds:
                box = self.kinds[kind] = _switch(kind, f"Relations of the kind {kind!r}", self)
                box.clicked.connect(lambda shown, kind=kind: self.kind_chosen.emit(kind, shown))
                self._kinds.addWidget(box)
            self.kinds[kind].setText(f"{kind.replace('-', ' ').capitalize()} ({count:,})")
        self.show_view(view)

    def _choose(self, variable: str) -> None:
        self.mapping_chosen.emit(variable, str(self._choices[variable].currentData()))

    def _bundle(self, value: int) -> None:
        self.beta_chosen.emit(value / 100)


def _switch(text: str, tip: str, parent: QWidget) -> QCheckBox:
    box = QCheckBox(text, parent)
    box.setToolTip(tip)
    return box
