"""Asks for the sort of picture, its size and what is on it."""

from __future__ import annotations

from dataclasses import dataclass

from qtpy.QtCore import Qt
from qtpy.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QHBoxLayout,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from cbvtool.view.toolkit.drop_list import DropList, NumberField
from cbvtool.view.toolkit.plain import Label, caption, set_tooltip

SORTS = {
    ".png": ("PNG picture", "Pixels, as the view is seen now."),
    ".svg": ("SVG drawing", "Lines and text that stay sharp at any size: the view from above, without heights."),
    ".pdf": ("PDF page", "One page that stays sharp at any size: the view from above, without heights."),
    ".html": ("HTML page", "The scene as one file for a browser, to turn, search and ask; it loads nothing."),
}
SCALES = (1, 2, 4)
LEAST, MOST = 64, 32_768  # px, a side of a picture


@dataclass(frozen=True)
class Wanted:
    """suffix: one of `SORTS`; pixels: width and height; what is on the picture."""

    suffix: str
    pixels: tuple[int, int]
    heading: bool = True
    legends: bool = True
    transparent: bool = False


class ExportDialog(QDialog):
    """`wanted` is what was chosen.

    shown     width and height of the view in logical pixels
    density   pixels of the screen for one of these
    """

    def __init__(
        self, shown: tuple[int, int], suffix: str = ".png", parent: QWidget | None = None, *, density: float = 1
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Export view")
        self.setMinimumWidth(460)
        self._shown = shown = (round(shown[0] * density), round(shown[1] * density))
        self.sort = DropList(self)
        for ending, (name, _) in SORTS.items():
            self.sort.addItem(f"{name} ({ending})", ending)
        self.sort.setCurrentIndex(self.sort.findData(suffix))
        set_tooltip(self.sort, "What kind of file is written")
        self.size_choice = DropList(self)
        for scale in SCALES:
            wide, tall = (scale * side for side in shown)
            name = "As in the window" if scale == 1 else f"{scale} times as large"
            self.size_choice.addItem(f"{name}: {wide:,} x {tall:,} pixels", scale)
        self.size_choice.addItem("Another size", 0)
        set_tooltip(self.size_choice, "Letters and lines grow with the picture")
        self.wide, self.tall = (self._side(side, name) for side, name in zip(shown, ("Width", "Height"), strict=True))
        own = QHBoxLayout()
        own.setSpacing(8)
        for widget in (self.wide, Label("x", self), self.tall, Label("pixels", self)):
            own.addWidget(widget)
        own.addStretch()
        self.heading = self._box("Title", "The name of the subject, and how large it is", True)
        self.legends = self._box("Legends", "What colour, height and thickness mean", True)
        self.transparent = self._box("Transparent ground", "Nothing behind the picture, for slides and pages", False)
        self._note = Label("", self)
        self._note.setObjectName("muted")
        self._note.setWordWrap(True)
        self._note.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.MinimumExpanding)
        self._note.setMinimumHeight(2 * self._note.fontMetrics().lineSpacing())  # the text of another format is longer

        form = QFormLayout()
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.ExpandingFieldsGrow)
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft)
        form.setVerticalSpacing(10)
        form.addRow("&Format", self.sort)
        form.addRow("", self._note)
        form.addRow("&Size", self.size_choice)
        form.addRow("", own)
        for box in (self.heading, self.legends, self.transparent):
            form.addRow("", box)
        self.sort.setAccessibleName("Format")
        self.size_choice.setAccessibleName("Size")
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel, self)
        save = QPushButton("Save as...", self)
        save.setDefault(True)
        buttons.addButton(save, QDialogButtonBox.ButtonRole.AcceptRole)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 18, 20, 16)
        layout.addLayout(form)
        layout.addStretch()
        layout.addWidget(buttons)
        self.sort.currentIndexChanged.connect(self._follow)
        self.size_choice.currentIndexChanged.connect(self._follow)
        self._follow()

    @property
    def wanted(self) -> Wanted:
        """What was chosen."""
        scale = self.size_choice.currentData()
        pixels = (scale * self._shown[0], scale * self._shown[1]) if scale else (self.wide.value(), self.tall.value())
        suffix = self.sort.currentData()
        transparent = self.transparent.isChecked() and self.transparent.isEnabled()
        return Wanted(suffix, pixels, self.heading.isChecked(), self.legends.isChecked(), transparent)

    def _follow(self, *_: object) -> None:
        """Offer what the chosen format can do."""
        is_page = self.sort.currentData() == ".html"
        self._note.setText(SORTS[self.sort.currentData()][1])
        if self.size_choice.currentData():
            for side, pixels in zip((self.wide, self.tall), self.wanted.pixels, strict=True):
                side.setValue(pixels)
        self.size_choice.setEnabled(not is_page)
        self.heading.setEnabled(not is_page)
        self.transparent.setEnabled(not is_page)
        for side in (self.wide, self.tall):
            side.setEnabled(not is_page and self.size_choice.currentData() == 0)

    def _side(self, value: int, name: str) -> NumberField:
        made = NumberField(self)
        made.setRange(LEAST, MOST)
        made.setValue(value)
        made.setGroupSeparatorShown(True)
        made.setAccessibleName(name)
        set_tooltip(made, f"{name} in pixels")
        return made

    def _box(self, text: str, tip: str, checked: bool) -> QCheckBox:
        made = QCheckBox(caption(text), self)
        set_tooltip(made, tip)
        made.setChecked(checked)
        return made
