"""Which relations are shown: modes, directions, cycles, violations, confidence, distance (CBV-7, DND-6, DND-7)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from qtpy.QtCore import QSignalBlocker
from qtpy.QtWidgets import QCheckBox, QComboBox, QFormLayout, QHBoxLayout, QPushButton, QSpinBox, QVBoxLayout, QWidget

from cbvtool.geometry.state.view_state import NEAREST, RelationFilter
from cbvtool.graph import Confidence
from cbvtool.session import Session
from cbvtool.session.change import Change
from cbvtool.view.toolkit.drop_list import DropList, NumberField
from cbvtool.view.toolkit.plain import caption, set_row_tooltip, set_tooltip

MODES = (
    ("All", "all", "All relations"),
    ("Of the selection", "selection", "Only relations of what is selected, or under the pointer while nothing is"),
    ("Selection and indirect", "indirect", "Include transitive relations of the selection"),
)
DIRECTIONS = (
    ("In and out", "both", "From dependants and to dependencies of the selection"),
    ("Incoming", "in", "Only relations from dependants of the selection"),
    ("Outgoing", "out", "Only relations to dependencies of the selection"),
)
SURE = (
    ("Any", int(Confidence.GUESS), "All relations that the switch for guesses allows"),
    ("Resolved or exact", int(Confidence.RESOLVED), "No guessed relations, even if their switch is on"),
    ("Exact", int(Confidence.EXACT), "Only what the language itself says"),
)
EVIDENCE = (
    ("Any", "any", "Relations of the source and calls at run time"),
    ("Seen only at run time", "run", "Calls at run time that the source has no call for"),
    ("Only in the source", "source", "Calls in the source that did not happen in the window of time"),
    (
        "Only of the overlay",
        "overlay",
        "Relations that an overlay of a plugin lays over the picture, such as changed calls",
    ),
)
CHOICES = ("mode", "direction", "confidence", "evidence")
FARTHEST = 30  # steps in the hierarchy, relations of a way


class RelationControls(QWidget):
    """Sets the filter of a session, and follows it. Sits in the Style panel."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session: Session | None = None
        self.mode = _choice("Mode", MODES, self)
        self.steps = _number("Steps", "any number of steps", 0, self)
        set_tooltip(self.steps, "Longest chain of relations from the selection; 0 = any length")
        self.direction = _choice("Direction", DIRECTIONS, self)
        self.confidence = _choice("Sure", SURE, self)
        self.evidence = _choice("Evidence", EVIDENCE, self)
        self.distance = _number("Distance", "any distance", NEAREST, self)
        set_tooltip(self.distance, "Steps in the hierarchy from one end to the other; 2 = siblings")
        self._numbers = (("depth", self.steps), ("distance", self.distance))
        self.cycles = _switch("Only in cycles", "Relations between segments that depend on each other", self)
        self.violations = _switch("Only violations", "Relations that break a rule of the project", self)
        self.crossing = _switch(
            "Emphasise crossing relations", "The farther apart in the hierarchy, the stronger a relation is drawn", self
        )
        self.reset = QPushButton("Show all relations", self)
        self.reset.setObjectName("small")
        set_tooltip(self.reset, "End every restriction of relations")
        form = QFormLayout()
        form.setVerticalSpacing(8)
        form.addRow("Show", self.mode)
        form.addRow("", self.steps)
        form.addRow("Direction", self.direction)
        form.addRow("Sure", self.confidence)
        form.addRow("Apart", self.distance)
        form.addRow("Seen", self.evidence)
        self._form = form
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addLayout(form)
        for box in (self.cycles, self.violations, self.crossing):
            column.addWidget(box)
        row = QHBoxLayout()
        row.addWidget(self.reset)
        row.addStretch()
        column.addLayout(row)
        for name in CHOICES:
            choice = getattr(self, name)
            choice.activated.connect(lambda _row, name=name, choice=choice: self._set(**{name: choice.currentData()}))
        for name in ("cycles", "violations", "crossing"):
            getattr(self, name).clicked.connect(lambda on, name=name: self._set(**{name: on}))
        for name, number in self._numbers:
            number.valueChanged.connect(lambda value, name=name: self._set(**{name: value}))
        self.reset.clicked.connect(self._show_all)

    def follow(self, session: Session) -> None:
        """Set and show the filter of this session from now on."""
        self._session = session
        self._unsubscribe = session.subscribe(self._follow)
        self._follow(Change.VIEW)

    def _follow(self, what: Change) -> None:
        if self._session is not None and what == Change.VIEW:
            self.show_filter(self._session.view.filter)
            traced = self._session.state.overlay is not None
            self.evidence.setVisible(traced)
            if (label := self._form.labelForField(self.evidence)) is not None:
                label.setVisible(traced)

    def close_down(self) -> None:
        """Follow the session no longer."""
        self._unsubscribe()

    def show_filter(self, chosen: RelationFilter) -> None:
        """Show this filter."""
        for name in CHOICES:
            choice: QComboBox = getattr(self, name)
            choice.setCurrentIndex(choice.findData(getattr(chosen, name)))
        for name in ("cycles", "violations", "crossing"):
            getattr(self, name).setChecked(getattr(chosen, name))
        for name, number in self._numbers:
            with QSignalBlocker(number):
                number.setValue(getattr(chosen, name))
        self.steps.setEnabled(chosen.mode == "indirect")
        self.reset.setEnabled(chosen != RelationFilter())

    def _set(self, **changes: Any) -> None:
        if self._session is not None:
            self._session.set_view(filter=replace(self._session.view.filter, **changes))

    def _show_all(self) -> None:
        if self._session is not None:
            self._session.set_view(filter=RelationFilter())


def _choice(name: str, rows: tuple[tuple[str, Any, str], ...], parent: QWidget) -> QComboBox:
    choice = DropList(parent)
    choice.setAccessibleName(name)
    choice.stay_narrow(6)  # the panel may be narrow
    for row, (text, value, tip) in enumerate(rows):
        choice.addItem(text, value)
        set_row_tooltip(choice, row, tip)
    set_tooltip(choice, " ".join(f"{text}: {tip[:1].lower()}{tip[1:]}." for text, _, tip in rows))
    return choice


def _number(name: str, least_text: str, least: int, parent: QWidget) -> QSpinBox:
    number = NumberField(parent)
    number.setAccessibleName(name)
    number.setRange(least, FARTHEST)
    number.setSpecialValueText(least_text)
    number.setSuffix(" steps or more" if least else " steps")
    return number


def _switch(text: str, tip: str, parent: QWidget) -> QCheckBox:
    box = QCheckBox(caption(text), parent)
    set_tooltip(box, tip)
    return box
