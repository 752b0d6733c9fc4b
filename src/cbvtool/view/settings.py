"""What the window remembers between runs: geometry, theme, recent folders, reduced motion."""

from __future__ import annotations

from pathlib import Path

from qtpy.QtCore import QByteArray, QSettings
from qtpy.QtWidgets import QApplication, QStyle

RECENT = 8  # folders remembered
LAYOUT_VERSION = 1  # of the docks; a stored arrangement of another version is ignored


class Settings:
    """A typed face of QSettings."""

    def __init__(self, store: QSettings | None = None) -> None:
        self._store = store or QSettings(QSettings.Format.IniFormat, QSettings.Scope.UserScope, "cbvtool", "cbvtool")

    @property
    def recent(self) -> list[Path]:
        """Subjects opened before, the latest first, those that are still there."""
        stored = self._store.value("recent", [])
        names = [stored] if isinstance(stored, str) else list(stored or [])
        return [Path(name) for name in names if Path(name).exists()]

    def add_recent(self, path: Path) -> None:
        """Put `path` in front of the recent subjects."""
        others = [str(other) for other in self.recent if other != path]
        self._store.setValue("recent", [str(path), *others][:RECENT])

    @property
    def theme(self) -> str:
        """`light` or `dark`."""
        return "dark" if self._store.value("theme") == "dark" else "light"

    @theme.setter
    def theme(self, name: str) -> None:
        self._store.setValue("theme", name)

    @property
    def reduced_motion(self) -> bool:
        """Whether nothing moves by itself: asked for here, or by the system's style."""
        stored = self._store.value("reduced_motion")
        if stored is not None:
            return stored in (True, "true")
        style = QApplication.style()
        return style is not None and style.styleHint(QStyle.StyleHint.SH_Widget_Animation_Duration) == 0

    @reduced_motion.setter
    def reduced_motion(self, value: bool) -> None:
        self._store.setValue("reduced_motion", value)

    @property
    def geometry(self) -> QByteArray | None:
        """Place and size of the window, as Qt stored them."""
        return self._bytes("geometry")

    @property
    def docks(self) -> QByteArray | None:
        """Arrangement of the docks, as Qt stored it."""
        return self._bytes("docks")

    def keep_window(self, geometry: QByteArray, docks: QByteArray) -> None:
        """Remember where the window and its docks are."""
        self._store.setValue("geometry", geometry)
        self._store.setValue("docks", docks)
        self._store.sync()

    def _bytes(self, name: str) -> QByteArray | None:
        value = self._store.value(name)
        return value if isinstance(value, QByteArray) and not value.isEmpty() else None
