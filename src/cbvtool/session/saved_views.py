"""The views that the user has given a name."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from cbvtool.geometry.state import named_views
from cbvtool.geometry.state.named_views import NamedView, Viewpoint
from cbvtool.session.change import Change
from cbvtool.session.places import pruned
from cbvtool.session.shown_hierarchy import ShownHierarchy
from cbvtool.session.state import State
from cbvtool.session.view_data import hierarchy_of, view_as_data, view_of
from cbvtool.session.viewing import Viewing


class SavedViews:
    """Keeps views by name, and shows them again."""

    def __init__(self, state: State, viewing: Viewing, hierarchy: ShownHierarchy) -> None:
        self._state = state
        self._viewing = viewing
        self._hierarchy = hierarchy
        self._named: tuple[NamedView, ...] = ()

    def begin(self, views: tuple[NamedView, ...]) -> None:
        """Have those of a document that is opened."""
        self._named = views

    @property
    def named(self) -> tuple[NamedView, ...]:
        """The views that the user has given a name, in their order."""
        return self._named

    def name_views(self, views: Iterable[NamedView]) -> None:
        """Have these named views, which the document keeps; apart from undo."""
        views = named_views.distinct(views)
        if views != self._named:
            self._named = views
            self._state.tell(Change.FILE)

    def keep_view(self, name: str, viewpoint: Viewpoint) -> None:
        """Give the present view a name; one of that name is replaced."""
        fresh = NamedView(named_views.clean_name(name), view_as_data(self._state.view, self._state.graph), viewpoint)
        self.name_views(named_views.with_view(self._named, fresh))

    def show_named(self, named: NamedView) -> None:
        """Show a named view; what it names and is not there (any more) is left out."""
        name, _ = self._hierarchy.still(self._state.pair, self._state.project, hierarchy_of(named.view))
        if name != self._state.view.hierarchy:
            self._hierarchy.show_in(name)
        fields: dict[str, Any] = {"root": self._state.graph.root, "hidden": frozenset(), "only": ""}
        fields |= view_of(named.view, self._state.graph, self._state.metrics, self._state.usual_mapping)
        self._viewing.show(pruned(replace(self._state.view, **fields), self._state.graph))
