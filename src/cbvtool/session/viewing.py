"""What is shown of a subject: the selection, what is expanded, hidden and mapped. Knows no Qt."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Unpack

from cbvtool.asking.shown_relations import ShownRelations
from cbvtool.geometry.scene.shown import outside_tops
from cbvtool.geometry.state.presets import with_field
from cbvtool.geometry.state.view_state import ViewState
from cbvtool.graph import REMOVED
from cbvtool.layout.depth import deepest, expanded_to, expanded_to_files
from cbvtool.session.change import Change
from cbvtool.session.places import all_but, collapsed, visible_depth, whereabouts
from cbvtool.session.state import State
from cbvtool.session.trail import Trail
from cbvtool.session.view_changes import ViewChanges


class Viewing:
    """Changes the view of what is open, and leaves a trail of its places."""

    def __init__(self, state: State, trail: Trail) -> None:
        self._state = state
        self._trail = trail

    def set_view(self, **changes: Unpack[ViewChanges]) -> None:
        """Replace fields of the view state; a change of place can be gone back from."""
        self.show(replace(self._state.view, **changes))

    def show(self, view: ViewState) -> None:
        """Replace the view state; a change of place can be gone back from."""
        now = self._state.view
        if view.expanded != now.expanded and (view.opened, view.before) == (now.opened, now.before):
            view = replace(view, opened=frozenset())  # opened or closed by hand: the scales fit what is shown now
        if view.before:
            view = self._there(view)
        if view == self._state.view:
            return
        if whereabouts(view) != whereabouts(self._state.view):
            self._trail.leave(self._state.view)
        self._state.view = view
        self._state.tell(Change.VIEW)

    def _there(self, view: ViewState) -> ViewState:
        """While it is shown what was there before the plan: nobody acts on what the plan has removed."""
        graph = self._state.graph
        alive = tuple(key for key in view.selected if key < len(graph) and graph.parent[key] != REMOVED)
        hovered = -1 if view.hovered >= 0 and graph.parent[view.hovered] == REMOVED else view.hovered
        return replace(view, selected=alive, hovered=hovered)

    def map(self, field: str, value: object) -> None:
        """Change one field of the mapping."""
        self.set_view(mapping=with_field(self._state.view.mapping, field, value, self._state.metrics))

    def select(self, keys: Iterable[int], *, add: bool = False) -> None:
        """Select `keys`; with `add`, those selected already are taken out and the others added."""
        state = self._state
        keys = tuple(dict.fromkeys(keys))
        if add:
            kept = tuple(key for key in state.view.selected if key not in keys)
            keys = kept + tuple(key for key in keys if key not in state.view.selected)
        path = state.view.path
        passes = isinstance(path, ShownRelations) and path.passing
        self.set_view(selected=keys, path=None if passes else path)

    def expand(self, keys: Iterable[int]) -> None:
        """Show the children of `keys`."""
        inner = {key for key in keys if len(self._state.graph.children(key))}
        self.set_view(expanded=self._state.view.expanded | inner)

    def collapse(self, keys: Iterable[int]) -> None:
        """Hide the children of `keys`; a node without visible children collapses its parent instead."""
        self.set_view(expanded=collapsed(self._state.view, self._state.graph, keys))

    def toggle(self, key: int) -> None:
        """Expand a collapsed node, collapse an expanded one."""
        if key in self._state.view.expanded:
            self.collapse([key])
        else:
            self.expand([key])

    def show_depth(self, depth: int) -> None:
        """Expand everything down to `depth` levels below the node the view is restricted to."""
        self.set_view(expanded=expanded_to(self._state.graph, max(1, depth), self._state.view.root))

    def step_depth(self, step: int) -> None:
        """Show one level more (+1) or less (-1) than the deepest that is visible now."""
        graph, view = self._state.graph, self._state.view
        self.show_depth(min(visible_depth(view, graph) + step, deepest(graph, view.root)))

    def show_files(self) -> None:
        """Expand down to the files, however deep each lies below the node the view is restricted to."""
        self.set_view(expanded=expanded_to_files(self._state.graph, self._state.view.root))

    def restrict(self, key: int) -> None:
        """Show the subtree of `key` alone; the root shows everything again."""
        if len(self._state.graph.children(key)):
            self.set_view(root=key, expanded=self._state.view.expanded | {key})

    def go_to(self, key: int) -> None:
        """Show the subtree of `key`, or, if there is nothing in it, that of its parent with `key` selected."""
        graph = self._state.graph
        if len(graph.children(key)) or key == graph.root:
            self.restrict(key)
        else:
            above = int(graph.parent[key])
            self.set_view(root=above, expanded=self._state.view.expanded | {above}, selected=(key,))

    def hide(self, keys: Iterable[int], *, hidden: bool = True) -> None:
        """Hide subtrees, or show them again; for what lies outside the project there is a switch (`external`)."""
        state = self._state
        outside = outside_tops(state.graph)
        keys = frozenset(keys) - {state.view.root}
        self.set_view(
            hidden=state.view.hidden | (keys - outside) if hidden else state.view.hidden - keys,
            external=not hidden if keys & outside else state.view.external,
        )

    def show_only(self, keys: Iterable[int]) -> None:
        """Hide all that is neither in nor around the subtrees of `keys`."""
        hidden, external = all_but(self._state.graph, keys)
        self.set_view(hidden=hidden, external=external)

    @property
    def hidden(self) -> frozenset[int]:
        """Keys of all subtrees that are not shown, with what lies outside the project while that is switched off."""
        state = self._state
        return state.view.hidden if state.view.external else state.view.hidden | outside_tops(state.graph)

    def show_kind(self, kind: str, *, shown: bool) -> None:
        """Show the relations of one kind, or leave them out."""
        off = self._state.view.kinds_off
        self.set_view(kinds_off=off - {kind} if shown else off | {kind})

    def cancel_drag(self) -> None:
        """Put everything back where it was."""
        if self._state.view.drag is not None:
            self.set_view(drag=None)

    def escape(self) -> bool:
        """Undo the innermost thing in progress: drag, answer, selection, restriction. False if there is none."""
        state = self._state
        if state.view.drag is not None:
            self.cancel_drag()
        elif state.view.path is not None or state.view.impact is not None:
            self.set_view(path=None, impact=None)
        elif state.view.selected:
            self.select(())
        elif state.view.root != state.graph.root if state.is_open else False:
            self.set_view(root=state.graph.root)
        else:
            return False
        return True
