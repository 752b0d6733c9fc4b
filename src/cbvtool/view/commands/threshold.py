"""The question below which measure nodes are to be hidden (CBV-7)."""

from __future__ import annotations

import numpy as np
from qtpy.QtWidgets import QDialog, QDialogButtonBox, QFormLayout, QLineEdit, QWidget

from cbvtool.asking.expression import All, Query, QueryError, measures, parse, to_text, word_of
from cbvtool.asking.search import kept
from cbvtool.session import Session
from cbvtool.view.toolkit.drop_list import DropList
from cbvtool.view.toolkit.plain import Label, set_tooltip
from cbvtool.view.toolkit.type_ahead import run_dialog

FIRST = "sloc"  # what size means, where it is known


class Threshold(QDialog):
    """A metric and a number; says how much they would hide. `filter` is the expression that keeps the rest."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("Hide small nodes")
        scene = session.scene()
        self._graph, self._values, self._before = scene.graph, scene.values, scene.state.only
        self.measure = DropList(self)
        self.measure.setAccessibleName("Measure")
        for name, metric in self._values.metrics.items():
            if metric.names is None:
                self.measure.addItem(metric.label, name)
        self.measure.setCurrentIndex(max(self.measure.findData(FIRST), 0))
        self.least = QLineEdit(self)
        self.least.setAccessibleName("Least value")
        set_tooltip(self.least, "Nodes with less are hidden. A unit is not needed; 20% and 2k are understood.")
        self.told = Label("", self)
        self.told.setWordWrap(True)
        self.told.setObjectName("muted")
        self.told.setMinimumWidth(300)
        buttons = QDialogButtonBox.StandardButton
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButtons(buttons.Ok) | buttons.Cancel, self)
        if (hide := self.buttons.button(buttons.Ok)) is not None:
            hide.setText("Hide")
        form = QFormLayout(self)
        form.addRow("Hide nodes whose", self.measure)
        form.addRow("is less than", self.least)
        form.addRow(self.told)
        form.addRow(self.buttons)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        self.filter = ""
        self.measure.currentIndexChanged.connect(lambda _row: self._suggest(session.view.selected))
        self.least.textChanged.connect(lambda _text: self._tell())
        self._suggest(session.view.selected)
        self.least.setFocus()

    def _suggest(self, selected: tuple[int, ...]) -> None:
        """Begin with the value of what is selected, so that what is smaller than it goes; else with a usual one."""
        name = str(self.measure.currentData())
        value = np.nan
        if selected and not self._values.takes_long(name):
            value = self._values[name][selected[-1]]
        usual = "50" if name == FIRST else "1"
        self.least.setText(f"{value:.6g}" if np.isfinite(value) else usual)
        self.least.selectAll()
        self._tell()

    def _tell(self) -> None:
        self.filter = ""
        try:
            text, name = self.least.text().strip(), word_of(str(self.measure.currentData()))
            query = parse(f"not {name} < {text}", self._values.metrics) if text else None
            before = parse(self._before, self._values.metrics)
        except QueryError:
            query = before = None
        if query is None:
            self.told.setText("Type a number.")
        else:
            query = query if before is None else All((before, query))
            self.filter = to_text(query)
            self.told.setText(self._effect(query))
        if (hide := self.buttons.button(QDialogButtonBox.StandardButton.Ok)) is not None:
            hide.setEnabled(bool(self.filter))

    def _effect(self, query: Query) -> str:
        needed = tuple(measures(query))
        if any(map(self._values.takes_long, needed)):
            return "How many that are is seen once it is measured."
        mask = kept(self._graph, query, self._values)
        total = int(np.count_nonzero(self._graph.parent >= 0))
        left = int(np.count_nonzero(mask[self._graph.parent >= 0]))
        return f"Hides {total - left:,} of {total:,} nodes. What was not measured stays."


def ask_threshold(session: Session, parent: QWidget) -> str | None:
    """Ask; an expression that all that is not hidden matches, or None when the dialog was left."""
    dialog = Threshold(session, parent)
    taken = run_dialog(dialog, dialog.least)
    dialog.deleteLater()
    return dialog.filter if taken and dialog.filter else None
