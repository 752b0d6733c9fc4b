"""Settings stored between runs: geometry, theme, recent folders, keys, reduced motion, the user's editor."""

from __future__ import annotations

import json
from pathlib import Path

from qtpy.QtCore import QByteArray, QSettings
from qtpy.QtWidgets import QApplication, QStyle

RECENT = 8  # folders remembered
SEARCHES = 12  # queries remembered
LAYOUT_VERSION = 1  # version of the docks; a stored arrangement of another version is ignored
_RENAMED: dict[str, str] = {
    "save_look": "save_style",
    "manage_looks": "manage_presets",
}  # commands: former name -> current name
LABEL_SIZES = {"Small": 0.85, "Normal": 1.0, "Large": 1.2, "Very large": 1.5}


def exists(path: Path) -> bool:
    """Whether `path` exists; False also for a name that the system does not accept."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


class Settings:
    """Typed access to QSettings."""

    def __init__(self, store: QSettings | None = None) -> None:
        self._store = store or QSettings(QSettings.Format.IniFormat, QSettings.Scope.UserScope, "cbvtool", "cbvtool")

    @property
    def recent(self) -> list[Path]:
        """Subjects opened before that still exist, the latest first."""
        return [path for name in self._texts("recent") if exists(path := Path(name))]

    def add_recent(self, path: Path) -> None:
        """Put `path` in front of the recent subjects."""
        others = [str(other) for other in self.recent if other != path]
        self._store.setValue("recent", [str(path), *others][:RECENT])

    @property
    def folder(self) -> Path:
        """The folder in which something else than a subject was read or written last; at first the user's home."""
        stored = Path("".join(self._texts("folder")[:1]))
        return stored if stored.is_absolute() and exists(stored) and stored.is_dir() else Path.home()

    @folder.setter
    def folder(self, folder: Path) -> None:
        self._store.setValue("folder", str(folder))

    @property
    def theme(self) -> str:
        """`light` or `dark`."""
        return "dark" if self._value("theme") == "dark" else "light"

    @theme.setter
    def theme(self, name: str) -> None:
        self._store.setValue("theme", name)

    @property
    def styles(self) -> str:
        """The user's own presets, as text for `view.commands.styles`."""
        stored = self._value("styles", self._value("looks", ""))  # `looks` is the former name
        return stored if isinstance(stored, str) else ""

    @styles.setter
    def styles(self, text: str) -> None:
        self._store.setValue("styles", text)

    @property
    def reduced_motion(self) -> bool:
        """Whether animations are off, by this setting or by the system's style."""
        stored = self._value("reduced_motion")
        if stored is not None:
            return stored in (True, "true")
        style = QApplication.style()
        return style is not None and style.styleHint(QStyle.StyleHint.SH_Widget_Animation_Duration) == 0

    @reduced_motion.setter
    def reduced_motion(self, value: bool) -> None:
        self._store.setValue("reduced_motion", value)

    @property
    def minimap(self) -> bool:
        """Whether to show a mini-map when not everything is in the picture."""
        return self._value("minimap") not in (False, "false")

    @minimap.setter
    def minimap(self, shown: bool) -> None:
        self._store.setValue("minimap", shown)

    @property
    def hide_names(self) -> bool:
        """Whether to hide the names of people."""
        return self._value("hide_names") in (True, "true")

    @hide_names.setter
    def hide_names(self, hidden: bool) -> None:
        self._store.setValue("hide_names", hidden)

    @property
    def more_figures(self) -> bool:
        """Whether all figures of a plan are shown, not only those that stand first."""
        return self._value("more_figures") in (True, "true")

    @more_figures.setter
    def more_figures(self, shown: bool) -> None:
        self._store.setValue("more_figures", shown)

    @property
    def tint_targets(self) -> bool:
        """Whether to tint possible targets of a drag by the gain of a drop there."""
        return self._value("tint_targets") not in (False, "false")

    @tint_targets.setter
    def tint_targets(self, tinted: bool) -> None:
        self._store.setValue("tint_targets", tinted)

    @property
    def timeline(self) -> dict[str, str]:
        """State of the timeline: its measure, its groups, whether it snaps, how it plays."""
        stored = self._json("timeline")
        return {str(name): str(value) for name, value in stored.items()} if isinstance(stored, dict) else {}

    @timeline.setter
    def timeline(self, chosen: dict[str, str]) -> None:
        self._store.setValue("timeline", json.dumps(chosen))

    @property
    def shortcuts(self) -> dict[str, list[str]]:
        """The user's own keys: name of a command -> keys in Qt's notation; other commands have their default keys."""
        stored = self._json("shortcuts")
        rows = stored.items() if isinstance(stored, dict) else ()
        found = ((str(name), keys) for name, keys in rows if isinstance(keys, list))
        return {_RENAMED.get(name, name): [str(key) for key in keys] for name, keys in found}

    @shortcuts.setter
    def shortcuts(self, keys: dict[str, list[str]]) -> None:
        self._store.setValue("shortcuts", json.dumps(keys))

    @property
    def editor(self) -> str:
        """The command of the user's editor, with `{file}` and `{line}`; empty = the system's default."""
        return ", ".join(self._texts("editor"))  # an unquoted comma makes a list

    @editor.setter
    def editor(self, command: str) -> None:
        self._store.setValue("editor", command)

    @property
    def label_size(self) -> float:
        """Relative size of names and legends in the picture: one of `LABEL_SIZES`."""
        sizes = [size for size in LABEL_SIZES.values() if str(size) == str(self._value("label_size"))]
        return sizes[0] if sizes else 1.0

    @label_size.setter
    def label_size(self, size: float) -> None:
        self._store.setValue("label_size", size)

    @property
    def searches(self) -> list[str]:
        """Earlier search texts, the latest first."""
        stored = self._json("searches")
        return [text for text in stored if isinstance(text, str)] if isinstance(stored, list) else []

    def add_search(self, text: str) -> None:
        """Add `text` to the earlier search texts, in front."""
        others = [other for other in self.searches if other != text]
        self._store.setValue("searches", json.dumps([text, *others][:SEARCHES]))

    @property
    def geometry(self) -> QByteArray | None:
        """Position and size of the window, in Qt's format."""
        return self._bytes("geometry")

    @property
    def docks(self) -> QByteArray | None:
        """Arrangement of the docks, in Qt's format."""
        return self._bytes("docks")

    def keep_window(self, geometry: QByteArray, docks: QByteArray) -> None:
        """Store position and size of the window, and the arrangement of its docks."""
        self._store.setValue("geometry", geometry)
        self._store.setValue("docks", docks)
        self._store.sync()

    def borders(self, view: str) -> list[list[int]]:
        """Sizes of the areas between movable borders in a plugin's view, for each row of borders."""
        try:
            stored = json.loads(str(self._value(f"borders/{view}", "[]")))
        except (ValueError, RecursionError):
            return []
        good = isinstance(stored, list) and all(
            isinstance(row, list) and all(type(size) is int and 0 <= size < 100_000 for size in row) for row in stored
        )
        return stored if good else []

    def keep_borders(self, view: str, sizes: list[list[int]]) -> None:
        """Store the sizes of the areas in a plugin's view."""
        self._store.setValue(f"borders/{view}", json.dumps(sizes))

    # The user may edit the file: unknown values are ignored.

    def _value(self, name: str, default: object = None) -> object:
        try:
            return self._store.value(name, default)
        except TypeError:  # a Qt type without an equivalent in Python
            return default

    def _texts(self, name: str) -> list[str]:
        stored = self._value(name, [])
        several = [stored] if isinstance(stored, str) else stored if isinstance(stored, list) else []
        return [text for text in several if isinstance(text, str)]

    def _json(self, name: str) -> object:
        try:
            return json.loads(str(self._value(name, "null")))
        except (ValueError, RecursionError):
            return None

    def _bytes(self, name: str) -> QByteArray | None:
        value = self._value(name)
        return value if isinstance(value, QByteArray) and not value.isEmpty() else None
