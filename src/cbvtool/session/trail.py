"""The places one was at, to go back to them and forward again."""

from __future__ import annotations

from collections.abc import Callable

from cbvtool.geometry.state.place_words import place_words
from cbvtool.geometry.state.view_state import ViewState
from cbvtool.graph import Graph
from cbvtool.hierarchies import FOLDERS, label
from cbvtool.session.places import pruned

MOST_PLACES = 100  # to go back to: each holds a number for every expanded node


class Trail:
    """Places that were left, and those left by going back; the nearest one is the last of its list."""

    def __init__(self) -> None:
        self.back: list[ViewState] = []
        self.forward: list[ViewState] = []

    def leave(self, place: ViewState) -> None:
        """Remember a place to go back to."""
        self.back.append(place)
        del self.back[:-MOST_PLACES]
        self.forward.clear()

    def clear(self) -> None:
        """Forget all places."""
        self.back, self.forward = [], []

    def ahead(self, *, forward: bool) -> list[ViewState]:
        """Places in that direction."""
        return self.forward if forward else self.back

    def walk(self, here: ViewState, steps: int, *, forward: bool) -> ViewState:
        """The place some `steps` from `here`, which is then the one to come back to."""
        origin, other = self.ahead(forward=forward), self.ahead(forward=not forward)
        for _ in range(steps):
            other.append(here)
            here = origin.pop()
        return here

    def keep_folders(self, moved: Callable[[ViewState], ViewState] = lambda place: place) -> None:
        """Forget the places in other hierarchies, whose groups are others now; `moved` is where the rest are."""
        self.back, self.forward = (
            [moved(place) for place in places if place.hierarchy == FOLDERS] for places in (self.back, self.forward)
        )

    def words(self, here: ViewState, graph: Graph, most: int, *, forward: bool) -> list[str]:
        """Where going from `here` leads, the nearest first, in words."""
        found = list[str]()
        for place in self.ahead(forward=forward)[: -most - 1 : -1]:
            there = pruned(place, graph)
            elsewhere = there.hierarchy != here.hierarchy
            found.append(label(there.hierarchy) if elsewhere else place_words(graph, there, pruned(here, graph)))
            here = there
        return found
