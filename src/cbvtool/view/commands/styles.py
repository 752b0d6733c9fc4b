"""Styles: the presets in menu, tool bar and keys, the user's own ones, and the way from a legend to the Style panel."""

from __future__ import annotations

import json

from qtpy.QtCore import QObject, Qt
from qtpy.QtGui import QStandardItem, QStandardItemModel
from qtpy.QtWidgets import QComboBox, QMenu

from cbvtool.geometry.state.presets import LONGEST_NAME, PRESETS, Preset, as_data, named, of_data, why_not
from cbvtool.geometry.state.view_state import Mapping as MetricMapping
from cbvtool.metrics.metric import Subject
from cbvtool.metrics.values import Values
from cbvtool.session.change import Change
from cbvtool.view.commands.commands import WHICH
from cbvtool.view.commands.menus import Actions
from cbvtool.view.desk import Desk
from cbvtool.view.panels.style.style_panel import StylePanel
from cbvtool.view.toolkit.drop_list import DropList
from cbvtool.view.toolkit.names_dialog import NamesDialog
from cbvtool.view.toolkit.plain import add_action, ask_line, set_caption, set_tooltip
from cbvtool.view.toolkit.type_ahead import run_dialog

KEYS = len(WHICH)  # presets that have a key
NAME_ROLE = int(Qt.ItemDataRole.UserRole) + 1
NONE_OF_THEM = "Own style"


class Styles(QObject):
    """The built-in presets, then the user's own, in the order of their keys."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk.widget)
        self._desk = desk
        self._session = desk.session
        self._refused: dict[str, str] = {}  # why a preset cannot be shown; those that were asked about
        self.own: list[Preset] = read_styles(desk.settings.styles)
        self.box = DropList(desk.widget)
        self.menu = QMenu("Presets", desk.widget)

    def install(self) -> None:
        """Put combo and menu into the window, and follow it."""
        actions, box = self._desk.part(Actions), self.box
        self._rows = QStandardItemModel(box)
        box.setModel(self._rows)
        box.setAccessibleName("Preset")
        set_tooltip(box, "What width, height and colour show: ready styles for usual questions")
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        box.setPlaceholderText(NONE_OF_THEM)
        box.activated.connect(self._activate)
        actions.bar.insertWidget(actions.by_name["theme"], box)
        self.menu.setToolTipsVisible(True)
        actions.add_submenu("Presets", self.menu)
        self._unsubscribe = self._session.subscribe(self._changed)
        self._list()

    def close_down(self) -> None:
        """The window closes."""
        self._unsubscribe()

    @property
    def presets(self) -> list[Preset]:
        """All of them."""
        return [*PRESETS, *self.own]

    def refused(self, preset: Preset) -> str:
        """Why a preset cannot be shown for what is open; empty = it can."""
        if not self._session.is_open:
            return "Open a folder first."
        if preset.name not in self._refused:
            project = self._session.project
            subject = Subject(self._session.graph, project.changes if project else None)
            self._refused[preset.name] = why_not(preset.mapping, Values(subject, self._session.metrics, patient=False))
        return self._refused[preset.name]

    def ready(self, number: int) -> bool:
        """Whether there is such a preset, and it can be shown."""
        return self._session.is_open and number < len(self.presets) and not self.refused(self.presets[number])

    def take(self, number: int) -> None:
        """Show a preset."""
        self._desk.here.session.set_view(mapping=self.presets[number].mapping)

    # -- the user's own ------------------------------------------------------------------------------------

    def save(self) -> None:
        """Ask for a name for the present style; one of that name is replaced."""
        label = ask_line(self._desk.widget, "Save style as preset", "Name of the preset")
        if label is not None:
            self.keep(label)

    def keep(self, label: str) -> None:
        """Keep the present style under a name."""
        label = " ".join(label.split())[:LONGEST_NAME]
        others = [preset for preset in self.own if preset.label != label]
        fresh = named(label, self._desk.here.session.view.mapping, (preset.name for preset in (*PRESETS, *others)))
        at = next((row for row, preset in enumerate(self.own) if preset.label == label), len(others))
        self.replace([*others[:at], fresh, *others[at:]])

    def manage(self) -> None:
        """Let the user rename and delete own presets."""
        note = "They follow the built-in ones on the keys 1 to 9. Drag them to sort them."
        dialog = NamesDialog("Presets", [preset.label for preset in self.own], "preset", note, self._desk.widget)
        if run_dialog(dialog):
            found: list[Preset] = []
            for row, label in dialog.chosen():
                taken = (preset.name for preset in (*PRESETS, *found))
                found.append(named(label, self.own[row].mapping, taken))
            self.replace(found)
        dialog.deleteLater()

    def replace(self, own: list[Preset]) -> None:
        """Have these own presets from now on, remembered for other windows."""
        self.own = own
        self._desk.settings.styles = json.dumps([{"name": p.name, "mapping": as_data(p.mapping)} for p in own])
        self._refused.clear()
        self._list()
        self._desk.refresh()

    # -- following -----------------------------------------------------------------------------------------

    def _changed(self, what: Change) -> None:
        if what in (Change.PROJECT, Change.DEPTH):
            self._refused.clear()
            self._list()
        elif what == Change.VIEW and self._session.is_open and self._session.view.drag is None:
            self._show_current()

    def _list(self) -> None:
        """Write the presets into menu, keys and combo."""
        actions = self._desk.part(Actions).by_name
        self._rows.clear()
        self.menu.clear()
        for number, preset in enumerate(self.presets):
            why = self.refused(preset)
            row = QStandardItem(preset.label)
            row.setData(preset.name, NAME_ROLE)
            set_tooltip(row, why or preset.tip)
            row.setEnabled(not why)
            self._rows.appendRow(row)
            if number == len(PRESETS):
                self.menu.addSeparator()
            if number < KEYS:
                action = actions[f"preset_{number + 1}"]
                set_caption(action, preset.label)
                action.setVisible(True)
                set_tooltip(action, why or preset.tip or preset.label)
                self.menu.addAction(action)
            else:
                added = add_action(self.menu, preset.label)
                added.setEnabled(not why)
                set_tooltip(added, why)
                added.triggered.connect(lambda _on, number=number: self.take(number))
        for number in range(len(self.presets), KEYS):
            actions[f"preset_{number + 1}"].setText(f"{WHICH[number]} preset")
            actions[f"preset_{number + 1}"].setVisible(False)
            self.menu.addAction(actions[f"preset_{number + 1}"])
        self.menu.addSeparator()
        for name in ("save_style", "manage_presets"):
            self.menu.addAction(actions[name])
        self.box.insertSeparator(self._rows.rowCount())
        self._rows.appendRow(QStandardItem(actions["save_style"].text()))
        self._show_current()

    def _show_current(self) -> None:
        mapping = self._session.view.mapping
        at = next((row for row, preset in enumerate(self.presets) if preset.mapping == mapping), -1)
        self.box.setEnabled(self._session.is_open)
        if at != self.box.currentIndex():
            self.box.setCurrentIndex(at)

    def _activate(self, row: int) -> None:
        if row < len(self.presets):
            self.take(row)
        else:
            self.save()
        self._show_current()

    def point_at(self, what: str, edit_range: bool = False) -> None:
        """Show what a legend is about, or the time range (`history`), in the Style panel."""
        self._desk.show(StylePanel).point_at(what, edit_range=edit_range)


def read_styles(text: str) -> list[Preset]:
    """The presets that `Styles.replace` wrote; what is damaged is left out."""
    try:
        rows = json.loads(text) if text else []
    except (ValueError, RecursionError):
        return []
    found: list[Preset] = []
    for row in rows if isinstance(rows, list) else []:
        if isinstance(row, dict) and isinstance(row.get("name"), str):
            mapping = of_data(row.get("mapping"), None, MetricMapping())
            found.append(named(row["name"], mapping, (preset.name for preset in (*PRESETS, *found))))
    return found
