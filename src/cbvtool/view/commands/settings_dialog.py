"""What the user can set, on one page."""

from __future__ import annotations

from qtpy.QtCore import Qt
from qtpy.QtWidgets import QCheckBox, QDialog, QDialogButtonBox, QFormLayout, QLineEdit, QVBoxLayout, QWidget

from cbvtool.view.commands.editor import PRESETS, problem
from cbvtool.view.toolkit.drop_list import DropList
from cbvtool.view.toolkit.plain import Label, add_row, set_tooltip
from cbvtool.view.toolkit.settings import LABEL_SIZES, Settings

OWN = "Another command"
EXPLANATION = (
    "{file} and {line} are filled in. The command is run as it stands, without a shell; a repository cannot change it."
)


class SettingsDialog(QDialog):
    """Shows the settings; `keep` stores what was chosen."""

    def __init__(self, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Settings")
        self.setMinimumWidth(520)
        self._settings = settings
        self.theme = DropList(self)
        for name in ("light", "dark"):
            self.theme.addItem(name.capitalize(), name)
        self.theme.setCurrentIndex(self.theme.findData(settings.theme))
        set_tooltip(self.theme, "Colours of the window and the picture")
        self.labels = DropList(self)
        set_tooltip(self.labels, "How large names and legends in the picture are")
        for name, size in LABEL_SIZES.items():
            self.labels.addItem(name, size)
        self.labels.setCurrentIndex(self.labels.findData(settings.label_size))
        self.motion = QCheckBox("Reduce motion", self)
        self.motion.setChecked(settings.reduced_motion)
        set_tooltip(self.motion, "Changes are shown at once instead of gliding")
        self.preset = DropList(self)
        for name, command in PRESETS:
            self.preset.addItem(name, command)
        self.preset.addItem(OWN, None)
        set_tooltip(self.preset, "What Open in editor starts")
        self.command = QLineEdit(settings.editor, self)
        set_tooltip(self.command, "For example: code --goto {file}:{line}")
        self._note = Label(EXPLANATION, self)
        self._note.setObjectName("muted")
        self._note.setWordWrap(True)
        self._note.setMinimumWidth(400)

        form = QFormLayout()
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.ExpandingFieldsGrow)
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft)
        form.setVerticalSpacing(10)
        for label, field in (
            ("&Theme", self.theme),
            ("&Labels", self.labels),
            ("", self.motion),
            ("&Editor", self.preset),
            ("&Command", self.command),
            ("", self._note),
        ):
            add_row(form, label, field)
            if label:
                field.setAccessibleName(label.replace("&", ""))
        standard = QDialogButtonBox.StandardButton
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButtons(standard.Ok) | standard.Cancel, self)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 18, 20, 16)
        layout.addLayout(form)
        layout.addStretch()
        layout.addWidget(buttons)
        self._follow(self.command.text())
        self.command.textChanged.connect(self._follow)
        self.preset.activated.connect(self._take_preset)

    def _follow(self, command: str) -> None:
        row = self.preset.findData(command)
        self.preset.setCurrentIndex(row if row >= 0 else self.preset.count() - 1)
        self.command.setPlaceholderText("opened by the system" if not command else "")
        self._note.setText(problem(command) or EXPLANATION)

    def _take_preset(self, row: int) -> None:
        command = self.preset.itemData(row)
        if command is None:
            self.command.setFocus()
        else:
            self.command.setText(command)

    def keep(self) -> None:
        """Store what was chosen."""
        settings = self._settings
        settings.theme = self.theme.currentData()
        settings.label_size = self.labels.currentData()
        settings.reduced_motion = self.motion.isChecked()
        settings.editor = self.command.text().strip()
