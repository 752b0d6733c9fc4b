"""Pictures of the window while a story is told, for who wants to see them: CBVTOOL_LOOK names the folder."""

from __future__ import annotations

import os

from cbvtool.view.panels.plugin_views.plugin_panel import PluginPanel


def look(panel: PluginPanel, name: str) -> None:
    """A picture of the window, for who asks for it."""
    folder = os.environ.get("CBVTOOL_LOOK")
    if folder:
        panel.window().grab().save(f"{folder}/{name}.png")
