"""Widgets for the parameters of a view: sliders, numbers, choices, switches, texts, files."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from qtpy.QtCore import QSignalBlocker, Qt, Signal
from qtpy.QtGui import QResizeEvent
from qtpy.QtWidgets import (
    QCheckBox,
    QFileDialog,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QSlider,
    QSpinBox,
    QVBoxLayout,
    QWidget,
    QWidgetAction,
)

from cbvtool.plugin.parameters import (
    ChoiceParameter,
    FileParameter,
    NumberParameter,
    Parameter,
    SliderParameter,
    SwitchParameter,
    TextParameter,
    Value,
)
from cbvtool.view.panels.plugin_views.menu_button import MenuButton
from cbvtool.view.toolkit.drop_list import DropList
from cbvtool.view.toolkit.plain import Label, caption, set_tooltip
from cbvtool.words import one_line

STEPS = 1000  # of a slider
_WIDE = 140  # px of a slider


class ParameterRow(QWidget):
    """The parameters of a view in one row; those that are seldom set stand in the menu of a button.

    fields     by the names of the parameters
    more       the button, None where each of them stands in the row
    chosen     (name, value) that the user chose
    file_wanted (name, path) of a file that the user chose
    """

    chosen = Signal(str, object)
    file_wanted = Signal(str, object)

    def __init__(self, parameters: tuple[Parameter, ...], parent: QWidget) -> None:
        super().__init__(parent)
        self.fields: dict[str, QWidget] = {}
        self._said: dict[str, Label] = {}  # the value beside a slider
        self._show: dict[str, Callable[[Value], None]] = {}
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        self.more: MenuButton | None = None
        for parameter in parameters:
            if not parameter.more:
                self._add(parameter, row)
        if any(parameter.more for parameter in parameters):
            self.more = self._more_of([parameter for parameter in parameters if parameter.more])
            row.addWidget(self.more)
        row.addStretch()

    def _more_of(self, parameters: list[Parameter]) -> MenuButton:
        """A button whose menu is a form."""
        button = MenuButton("More", self)
        set_tooltip(button, ", ".join(one_line(parameter.label) for parameter in parameters))
        form = QWidget(self)
        column = QVBoxLayout(form)
        column.setContentsMargins(14, 10, 14, 10)
        for parameter in parameters:
            line = QHBoxLayout()
            line.setSpacing(8)
            self._add(parameter, line)
            line.insertStretch(1)  # names at the left, fields at the right
            column.addLayout(line)
        action = QWidgetAction(button.choices)
        action.setDefaultWidget(form)
        button.choices.addAction(action)
        return button

    def show_values(self, values: Mapping[str, Value]) -> None:
        """Show these values; nothing is told."""
        for name, show in self._show.items():
            with QSignalBlocker(self.fields[name]):
                show(values[name])

    def _add(self, parameter: Parameter, row: QHBoxLayout) -> None:
        match parameter:
            case SliderParameter():
                self._said[parameter.name] = Label("", self)
                field, show = self._slider(parameter)
            case NumberParameter():
                field, show = self._number(parameter)
            case ChoiceParameter():
                field, show = self._choice(parameter)
            case SwitchParameter():
                field, show = self._switch(parameter)
            case TextParameter():
                field, show = self._text(parameter)
            case FileParameter():
                field, show = self._file(parameter)
        field.setAccessibleName(one_line(parameter.label))
        if parameter.help:
            set_tooltip(field, one_line(parameter.help))
        self.fields[parameter.name], self._show[parameter.name] = field, show
        if isinstance(parameter, SliderParameter | NumberParameter | ChoiceParameter | TextParameter):
            label = Label(one_line(parameter.label), self)
            label.setBuddy(field)
            row.addWidget(label)
        row.addWidget(field)
        if (said := self._said.get(parameter.name)) is not None:
            row.addWidget(said)

    def _slider(self, parameter: SliderParameter) -> tuple[QWidget, Callable[[Value], None]]:
        slider, said = QSlider(Qt.Orientation.Horizontal, self), self._said[parameter.name]
        slider.setRange(0, STEPS)
        slider.setFixedWidth(_WIDE)
        unit = f" {one_line(parameter.unit)}" if parameter.unit else ""

        def show(value: Value) -> None:
            slider.setValue(step_of(parameter, float(value)))
            said.setText(f"{float(value):.3g}{unit}")

        def tell(step: int) -> None:
            value = value_at(parameter, step)
            said.setText(f"{value:.3g}{unit}")
            self.chosen.emit(parameter.name, value)

        slider.valueChanged.connect(tell)
        return slider, show

    def _number(self, parameter: NumberParameter) -> tuple[QWidget, Callable[[Value], None]]:
        box = QSpinBox(self)
        box.setRange(max(parameter.low, -(2**31)), min(parameter.high, 2**31 - 1))
        box.setSuffix(f" {one_line(parameter.unit)}" if parameter.unit else "")
        box.valueChanged.connect(lambda value: self.chosen.emit(parameter.name, value))
        return box, lambda value: box.setValue(int(value))

    def _choice(self, parameter: ChoiceParameter) -> tuple[QWidget, Callable[[Value], None]]:
        box, values = DropList(self), [value for value, _ in parameter.options]
        for _, label in parameter.options:
            box.addItem(one_line(label))
        box.activated.connect(lambda place: self.chosen.emit(parameter.name, values[place]))
        return box, lambda value: box.setCurrentIndex(values.index(str(value)))

    def _switch(self, parameter: SwitchParameter) -> tuple[QWidget, Callable[[Value], None]]:
        box = QCheckBox(caption(parameter.label), self)
        box.toggled.connect(lambda on: self.chosen.emit(parameter.name, on))
        return box, lambda value: box.setChecked(bool(value))

    def _text(self, parameter: TextParameter) -> tuple[QWidget, Callable[[Value], None]]:
        field = QLineEdit(self)
        field.setMaxLength(parameter.longest)
        field.setClearButtonEnabled(True)
        field.textEdited.connect(lambda text: self.chosen.emit(parameter.name, text))
        return field, lambda value: field.setText(str(value)) if field.text() != value else None

    def _file(self, parameter: FileParameter) -> tuple[QWidget, Callable[[Value], None]]:
        button = QPushButton(caption(f"{parameter.label}..."), self)
        button.setObjectName("small")
        button.clicked.connect(partial(self._ask_file, parameter))
        return button, lambda _value: None

    def _ask_file(self, parameter: FileParameter, _checked: bool = False) -> None:
        kinds = " ".join(f"*{each}" for each in parameter.types) or "*"
        path, _ = QFileDialog.getOpenFileName(self.window(), one_line(parameter.label), "", f"({kinds})")
        if path:
            self.file_wanted.emit(parameter.name, Path(path))


class ScrolledRow(QScrollArea):
    """A row that scrolls where there is no room for it; the scroll bar takes height only then."""

    def __init__(self, row: QWidget, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWidget(row)
        self.setWidgetResizable(True)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Make room for the bar."""
        super().resizeEvent(event)
        row, bar = self.widget(), self.horizontalScrollBar()
        if row is not None and bar is not None:
            needed = row.minimumSizeHint()
            self.setFixedHeight(needed.height() + (bar.sizeHint().height() if needed.width() > self.width() else 0))


def value_at(parameter: SliderParameter, step: int) -> float:
    """The value at a step of a slider; with `zero` its left end is exactly 0."""
    if parameter.zero and step == 0:
        return 0.0
    if step == STEPS:
        return parameter.high
    share = step / STEPS
    if parameter.log:
        value = parameter.low * math.exp(share * math.log(parameter.high / parameter.low))
    else:
        value = parameter.low + (parameter.high - parameter.low) * share
    return min(max(value, parameter.low), parameter.high)


def step_of(parameter: SliderParameter, value: float) -> int:
    """The step of a slider that is nearest to a value; 0 of a slider with `zero` is for 0 alone."""
    if parameter.zero and value == 0:
        return 0
    if parameter.log:
        share = math.log(value / parameter.low) / math.log(parameter.high / parameter.low)
    else:
        share = (value - parameter.low) / (parameter.high - parameter.low)
    return max(round(share * STEPS), 1 if parameter.zero else 0)
