"""What leads out of the picture: into the lists at the bottom, the user's editor and the clipboard; and settings."""

from __future__ import annotations

import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from qtpy import QT_VERSION
from qtpy.QtCore import QObject
from qtpy.QtGui import QGuiApplication

from cbvtool.asking.source import path_inside, place_of, qualified_name
from cbvtool.errors import InputError
from cbvtool.geometry.scene.scene import Scene
from cbvtool.view.commands.editor import open_in_editor
from cbvtool.view.commands.help.failures import Failures
from cbvtool.view.commands.settings_dialog import SettingsDialog
from cbvtool.view.desk import Desk
from cbvtool.view.panels.relations_panel import RelationsPanel
from cbvtool.view.toolkit.type_ahead import run_dialog

LIBRARIES = ("cbvtool", "numpy", "scipy", "vtk", "pyvista", "QtPy", "Pygments", "tree-sitter")


class Linking(QObject):
    """Belongs to a window."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk.widget)
        self._desk = desk
        self._session = desk.session

    def list_sites(self, relation: int, scene: Scene | None = None) -> None:
        """List the places of a relation of a scene; None = of the scene that the main picture shows now."""
        scene = scene or self._desk.main.stage.scene
        if scene is not None:
            self._desk.show(RelationsPanel).show_between(scene, relation)

    # -- the editor ------------------------------------------------------------------------------------------

    def open_selected(self) -> None:
        """Open the file of what was selected last in the user's editor, at its line."""
        key = self._session.view.selected[-1]
        place = place_of(self._session.graph, key)
        if place is None:
            raise InputError(f"{self._session.graph.names[key]} is not a file: select a file, a class or a function.")
        self.open_place(place.file, place.line)

    def open_place(self, file: int, line: int) -> None:
        """Open a file (index into `Graph.files`) in the user's editor."""
        try:
            root = self._root()
            open_in_editor(self._desk.settings.editor, path_inside(root, self._session.graph.files[file]), line, root)
        except InputError as error:
            self._desk.say(str(error), offer="Settings...", run=self.show_settings)

    def _root(self) -> Path:
        project = self._session.project
        assert project is not None
        if project.kind != "folder":
            raise InputError("This graph was opened from a file, without its sources: open the folder instead.")
        return project.path

    # -- the clipboard ---------------------------------------------------------------------------------------

    def copy_path(self) -> None:
        """Copy where the selection lies on this machine; of a graph without sources, its ids."""
        graph, project = self._session.graph, self._session.project
        assert project is not None
        lines = []
        for key in self._session.view.selected:
            place = place_of(graph, key)
            inside = graph.files[place.file] if place is not None else graph.ids[key]
            lines.append(str(project.path / inside) if project.kind == "folder" and _is_path(inside) else inside)
        self._copy("\n".join(dict.fromkeys(lines)), "Copied the path" if len(lines) == 1 else "Copied the paths")

    def copy_name(self) -> None:
        """Copy what the selection is called in source text, in full."""
        names = [qualified_name(self._session.graph, key) for key in self._session.view.selected]
        self._copy("\n".join(names), f"Copied {names[0]}" if len(names) == 1 else f"Copied {len(names):,} names")

    def copy_picture(self) -> None:
        """Copy what the canvas shows, with its legends."""
        if (clipboard := QGuiApplication.clipboard()) is not None:
            clipboard.setPixmap(self._desk.here.canvas.grab())
            self._desk.note("Copied the picture")

    def copy_diagnostics(self) -> None:
        """Copy what a bug report needs; nothing in it names a person, a folder or a file."""
        self._copy(self.diagnostics(), "Copied the diagnostics")

    def diagnostics(self) -> str:
        """Versions, platform, the drawing path and sizes, one a line; then the last failures with their tracebacks."""
        renderer = self._desk.main.stage.renderer
        window = self._desk.widget
        screen = window.devicePixelRatioF()
        lines = [
            f"Python {platform.python_version()} ({platform.python_implementation()})",
            f"Platform {platform.system()} {platform.release()} {platform.machine()}",
            f"Qt {QT_VERSION} on {QGuiApplication.platformName()}, {window.width()} x {window.height()} at {screen:g}x",
            f"OpenGL {'not loaded' if renderer is None else renderer.opengl()}",
            *(f"{name} {_version(name)}" for name in LIBRARIES),
        ]
        project = self._session.project
        if project is not None:
            graph = project.graph
            languages = ", ".join(f"{share.name} {share.files:,}" for share in graph.report.languages)
            commits = 0 if project.changes is None else len(project.changes.sha)
            lines += [
                f"Subject {project.kind}, {len(graph):,} nodes, {len(graph.edges):,} relations, {commits:,} commits",
                f"Files {languages or 'of no known language'}",
            ]
        for text in self._desk.part(Failures).texts:
            lines += ["", text]
        return "\n".join(lines)

    def _copy(self, text: str, said: str) -> None:
        if (clipboard := QGuiApplication.clipboard()) is not None:
            clipboard.setText(text)
            self._desk.note(said)

    # -- settings --------------------------------------------------------------------------------------------

    def show_settings(self) -> None:
        """Ask, and follow what was chosen."""
        dialog = SettingsDialog(self._desk.settings, self._desk.widget)
        if run_dialog(dialog):
            dialog.keep()
            self._desk.restyle()
        dialog.deleteLater()


def _is_path(inside: str) -> bool:
    return not inside.startswith(("plan:", "external:"))


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "of the sources" if name in sys.modules else "not installed"
