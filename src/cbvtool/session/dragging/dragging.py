"""A drag of nodes or of a relation, and what a drop would do where the pointer is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from cbvtool.geometry.state.view_state import Drag
from cbvtool.graph import Graph
from cbvtool.plan import Operation, Refused, new_ids, pulled_out
from cbvtool.session.dragging.gestures import Bundle, Gesture, bundle_of, gesture, new_kinds, usual_name
from cbvtool.session.dragging.gestures import target_at as container_at
from cbvtool.session.dragging.takers import takers_of_nodes
from cbvtool.session.jobs import PendingJobs
from cbvtool.session.planning import Planning
from cbvtool.session.planning.translated import FolderPlace
from cbvtool.session.state import State
from cbvtool.session.viewing import Viewing

NEW = "plan:new"  # stands for the node that a drop would make, until it is made
_UNKNOWN = Drag(())


@dataclass(frozen=True)
class Candidate:
    """What a drop where the pointer is would do.

    operations  in their order; none where nothing would change. A node that the drop would make is called `plan:new`
    refusal     one sentence: why that cannot be done; None = it can
    label       what stands after "Undo"; empty = what the operations say of themselves
    at_home     everything that is held is there already
    places      where it could go, if packages are shown and the source root does not decide
    """

    operations: tuple[Operation, ...] = ()
    refusal: str | None = None
    label: str = ""
    at_home: bool = False
    places: tuple[FolderPlace, ...] = ()

    @property
    def operation(self) -> Operation | None:
        """The one that the gesture is about; what it needs is made before."""
        return self.operations[-1] if self.operations else None


class DragPlanning:
    """Lifts nodes, or holds a relation, aims at a container, and records what a drop there does."""

    def __init__(self, state: State, viewing: Viewing, planning: Planning, jobs: PendingJobs) -> None:
        self._state = state
        self._viewing = viewing
        self._planning = planning
        self._jobs = jobs
        self._bundle: tuple[tuple[int, ...], Graph | None, Bundle] = ((), None, Bundle(()))
        self._known: tuple[Drag, Graph | None, Candidate] = (_UNKNOWN, None, Candidate())

    # -- beginning -----------------------------------------------------------------------------------------

    @property
    def elsewhere(self) -> str:
        """Why nothing can be held in what is shown; empty = it can."""
        return self._planning.elsewhere

    def begin_drag(self, keys: Iterable[int]) -> None:
        """Lift nodes off the picture; they follow the pointer until `drop` or `cancel_drag`.

        Nothing is held where there is no place to plan in (`elsewhere`), or a step is still being made.
        """
        keys = tuple(key for key in self._planning.topmost(keys) if key != self._state.graph.root)
        if keys and not self._jobs and not self.elsewhere:
            self._viewing.set_view(drag=Drag(keys))

    def begin_split(self, user: int, used: int, grip: float = 0.5) -> None:
        """Hold the relation between two nodes in its middle, at the share `grip` of its way (DND-3)."""
        if not self._jobs and not self.elsewhere:
            self._viewing.set_view(drag=Drag((), act="invert", relation=(user, used), grip=grip))

    def begin_pull(self, container: int, partner: int) -> None:
        """Hold what takes part in the relations of `container` with `partner`: its children, or a leaf itself (DND-4).

        Where nothing does, nothing is held, and every drop is refused with the reason.
        """
        graph = self._state.graph
        if self._jobs or self.elsewhere:
            return
        if not len(graph.children(container)):
            self.begin_drag([container])
            return
        try:
            taken = pulled_out(graph.ids[container], graph.ids[partner], graph)
        except Refused:
            taken = ()
        keys = tuple(graph.key_of[node] for node in taken)
        self._viewing.set_view(drag=Drag(keys, act="pull", relation=(container, partner)))

    # -- aiming --------------------------------------------------------------------------------------------

    def target_at(self, key: int) -> int:
        """Key of the container that a drop on the node `key` is meant for: itself, or what is nearest above it."""
        drag = self._state.view.drag
        return key if drag is None or key < 0 else container_at(drag, key, self._state.graph)

    def takers(self, keys: Sequence[int]) -> list[int]:
        """Keys of the nodes on which a drop of `keys` is not refused, the likely ones first."""
        graph = self._state.graph
        return takers_of_nodes(keys, graph, self._planning.refusal if self._state.view.hierarchy else None)

    def drag_over(self, target: int, *, fresh: bool = False) -> str | None:
        """Aim at a container (-1 = none); the result is the reason why a drop there is refused.

        fresh   a new container is made in it for what is held
        """
        self._change(target=target, fresh=fresh and target >= 0)
        return self.candidate().refusal

    def merge_instead(self, merge: bool) -> None:
        """Let a drop merge the nodes that are held into the target, or move them there."""
        drag = self._state.view.drag
        if drag is not None and drag.act in ("move", "merge"):
            self._change(act="merge" if merge else "move")

    def open_closed(self, key: int) -> None:
        """Expand a node as long as the drag lasts; it stays expanded if something is dropped into it."""
        drag, graph = self._state.view.drag, self._state.graph
        if drag is not None and len(graph.children(key)):
            self._change(opened=drag.opened | {key})

    def answer(self, *, act: str = "", kind: str | None = None, name: str | None = None, place: str = "") -> str | None:
        """Choose the form of a split, kind and name of what the drop makes, where it goes; the reason why not."""
        drag = self._state.view.drag
        if drag is not None:
            changed = replace(drag, act=act or drag.act, place=place or drag.place)
            changed = changed if kind is None else replace(changed, kind=kind)
            self._show(changed if name is None else replace(changed, name=name))
        return self.candidate().refusal

    def _change(self, **changes: object) -> None:
        if (drag := self._state.view.drag) is not None:
            self._show(replace(drag, **changes))  # type: ignore[arg-type]  # fields of Drag, named by the callers here

    def _show(self, drag: Drag) -> None:
        if drag != self._state.view.drag:
            self._viewing.set_view(drag=drag)

    # -- what a drop would do ------------------------------------------------------------------------------

    def candidate(self) -> Candidate:
        """What a drop where the pointer is would do, and why it may not: the one place where that is known."""
        drag, graph = self._state.view.drag, self._state.graph
        if drag is None:
            return Candidate()
        if self._known[0] != drag or self._known[1] is not graph:
            self._known = drag, graph, self._found(drag, graph)
        return self._known[2]

    def _found(self, drag: Drag, graph: Graph) -> Candidate:
        if drag.target < 0:
            return Candidate()
        found = gesture(drag, graph, NEW)
        if self._state.view.hierarchy:
            return self._in_folders(found, drag.place)
        return Candidate(found.operations, found.refusal(graph), found.label, found.at_home)

    def _in_folders(self, found: Gesture, place: str) -> Candidate:
        """A gesture on packages: what it does to folders."""
        if found.at_home:
            return Candidate(label=found.label, at_home=True)
        try:
            told = self._planning.in_folders(found.operations, place)
        except Refused as reason:
            return Candidate(refusal=str(reason), label=found.label)
        return Candidate(told.operations, None, found.label, places=told.places)

    @property
    def asks(self) -> bool:
        """Whether a drop has to be asked about: the form of a split, the name of what it makes, where it goes."""
        drag = self._state.view.drag
        if drag is None or drag.target < 0:
            return False
        return drag.splits or drag.fresh or bool(self.candidate().places)

    def kinds(self) -> tuple[str, ...]:
        """Kinds that the node which the drop makes may have, the usual one first; none if it makes none."""
        drag = self._state.view.drag
        return () if drag is None else new_kinds(drag, self._state.graph)

    def usual_name(self) -> str:
        """What the node that the drop makes is called if nobody says otherwise; empty if it makes none."""
        drag = self._state.view.drag
        return "" if drag is None else usual_name(drag, self._state.graph)

    def bundle(self) -> Bundle:
        """What the relation that is held stands for; nothing where nodes are held."""
        drag, graph = self._state.view.drag, self._state.graph
        if drag is None or not drag.splits:
            return Bundle(())
        if self._bundle[0] != drag.relation or self._bundle[1] is not graph:
            self._bundle = drag.relation, graph, bundle_of(drag.relation, graph)
        return self._bundle[2]

    # -- the end -------------------------------------------------------------------------------------------

    def drop(self) -> str | None:
        """Record what the drag stands for; the result is the reason why not. Ends the drag."""
        drag = self._state.view.drag
        if drag is None or drag.target < 0 or self.candidate().at_home:
            self._viewing.cancel_drag()
            return None
        if (refusal := self.candidate().refusal) is not None:
            self._viewing.cancel_drag()
            return refusal
        graph = self._state.graph
        kept = drag.opened & {drag.target, *graph.ancestors(drag.target)}
        if drag.fresh:
            kept |= {drag.target}
        found = gesture(drag, graph, NEW)
        refused = self._planning.change(
            lambda history: found.named(new_ids(history)), found.label, place=drag.place, opens=kept
        )
        if refused is not None:  # else it is in the air until it has its place
            self._viewing.cancel_drag()
        return refused
