"""Before and after: the picture shows what was there before the plan, and what the plan makes of it (NEW-23)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from cbvtool.geometry.scene.scene import Scene
from cbvtool.geometry.state.view_state import ViewState
from cbvtool.graph import REMOVED, Graph
from cbvtool.session.background import Background
from cbvtool.session.jobs import PendingJob, Prepare
from cbvtool.session.picture import is_huge
from cbvtool.session.pictures import Pictures
from cbvtool.session.places import pruned
from cbvtool.session.state import State
from cbvtool.session.viewing import Viewing

NOTHING = "Nothing is planned yet: there is no before and after."


@dataclass(frozen=True)
class _Left:
    """What the base has no place for: it is there again when the target is shown."""

    expanded: frozenset[int]
    hidden: frozenset[int]
    selected: tuple[int, ...]
    root: int


class Comparing:
    """Shows the base of the plan in place of its target, and the target again."""

    def __init__(self, state: State, viewing: Viewing, pictures: Pictures, background: Background) -> None:
        self._state = state
        self._viewing = viewing
        self._pictures = pictures
        self._background = background
        self._left: _Left | None = None

    def why_not(self) -> str:
        """Why there is nothing to compare; empty = there is."""
        history = self._state.history
        return NOTHING if history is None or not (history.done or self._state.compared) else ""

    def show_before(self, before: bool) -> str | None:
        """Show what was there before the plan, or its target again; the result is why not."""
        if before == self._state.view.before:
            return None
        if not before:
            self._viewing.show(self._back())
            return None
        if reason := self.why_not():
            return reason

        def begin() -> Prepare:
            view = self._earlier()
            if self._background.defer is None or not is_huge(self._state.graph):
                return lambda: None
            depicted, pipeline = self._pictures.depicted(view), self._pictures.before.pipeline
            return lambda: depicted.made_by(pipeline)

        def take(scene: Scene | None) -> str | None:
            if reason := self.why_not():
                return reason
            view = self._earlier()
            if scene is not None:
                self._pictures.before.scene = scene
            self._viewing.show(view)
            return None

        return self._background.do(PendingJob("showing what was there before", False, begin, take))

    def _earlier(self) -> ViewState:
        """The view of the base; what that has no place for is remembered."""
        view = self._state.view
        base, target = self._state.bare_pair
        root = _known(base, target, view.root)
        there = pruned(replace(view, root=root, drag=None, path=None, impact=None, before=True), base)
        self._left = _Left(
            view.expanded - there.expanded,
            view.hidden - there.hidden,
            tuple(key for key in view.selected if key not in there.selected),
            view.root if view.root != there.root else -1,
        )
        return there

    def _back(self) -> ViewState:
        """The view of the target."""
        view, graph, left = self._state.view, self._state.graph, self._left or _Left(frozenset(), frozenset(), (), -1)
        again = pruned(
            replace(
                view,
                expanded=view.expanded | left.expanded,
                hidden=view.hidden | left.hidden,
                selected=(*view.selected, *left.selected),
                root=left.root if left.root >= 0 else view.root,
                path=None,
                impact=None,
                before=False,
            ),
            graph,
        )
        self._left = None
        return again


def _known(base: Graph, target: Graph, key: int) -> int:
    """The node, or what is nearest above it in the target that the base has, too."""
    while (key >= len(base) or base.parent[key] == REMOVED) and target.parent[key] >= 0:
        key = int(target.parent[key])
    return key
