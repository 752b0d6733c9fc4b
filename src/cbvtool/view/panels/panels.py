"""The panels that follow the session by themselves: one row each."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from cbvtool.view.panels.impact_panel import ImpactPanel
from cbvtool.view.panels.linked_panel import LinkedPanel
from cbvtool.view.panels.matrix_panel import MatrixPanel
from cbvtool.view.panels.paths_panel import PathsPanel
from cbvtool.view.panels.source_panel import SourcePanel

if TYPE_CHECKING:
    from cbvtool.view.window.main_window import MainWindow


class PanelRow(NamedTuple):
    """One panel.

    name   for `MainWindow.show_panel`
    title  of its dock
    area   `left`, `right` or `bottom`: where it is on a new installation, behind the others there
    shown  whether it is there on a new installation
    make   makes it for a window
    """

    name: str
    title: str
    area: str
    shown: bool
    make: Callable[[MainWindow], LinkedPanel]


PANELS: tuple[PanelRow, ...] = (
    PanelRow("matrix", "Matrix", "bottom", False, MatrixPanel),
    PanelRow("source", "Source", "bottom", False, SourcePanel),
    PanelRow("paths", "Paths", "bottom", False, PathsPanel),
    PanelRow("impact", "Impact", "bottom", False, ImpactPanel),
)
