"""Questions about relations, for a window: which are shown, how one node reaches another, who is affected."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from cbvtool.asking.listing import NodePaths
from cbvtool.geometry.state.view_state import RelationFilter
from cbvtool.view.desk import Desk
from cbvtool.view.panels.impact_panel import ImpactPanel
from cbvtool.view.panels.paths_panel import PathsPanel
from cbvtool.view.toolkit.chooser import ChooserRow, choose
from cbvtool.words import one_line

MOST_CHOICES = 20_000  # nodes; of more, only files and what holds them are offered


class Questions:
    """What the commands about relations do."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._session = desk.session

    @property
    def filter(self) -> RelationFilter:
        """The filter of relations, of the view that has the focus."""
        return self._desk.here.session.view.filter

    def show(self, **changes: Any) -> None:
        """Change the filter of relations."""
        self._desk.here.session.set_view(filter=replace(self.filter, **changes))

    def turn(self, direction: str) -> None:
        """Only relations of this direction; both again if that is so already."""
        self.show(direction="both" if self.filter.direction == direction else direction)

    def is_pair(self) -> bool:
        """Whether two nodes are selected."""
        return self._session.is_open and len(self._session.view.selected) == 2

    def ask_path(self) -> None:
        """How the node that was selected first reaches the other."""
        source, target = self._session.view.selected
        self._desk.show(PathsPanel).ask(source, target)

    def ask_path_to(self) -> None:
        """Choose where to, then as `ask_path`."""
        graph, source = self._session.graph, self._session.view.selected[-1]
        paths, files_only = NodePaths(graph), len(graph) > MOST_CHOICES
        choices = [
            ChooserRow(one_line(paths[key]), graph.kind(key), key)
            for key in graph.tree.order.tolist()
            if key not in (source, graph.root)
            and not (files_only and graph.line[key] > 0 and graph.kind(key) != "file")
        ]
        hint = f"How does {graph.names[source]} reach ...? Type a part of its path"
        target = choose("Paths from here to...", hint, choices, self._desk.widget)
        if target is not None:
            self._desk.show(PathsPanel).ask(source, target)

    def ask_impact(self) -> None:
        """Who is affected if the selection changes."""
        self._desk.show(ImpactPanel).ask(tuple(self._session.topmost(self._session.view.selected)))
