"""The open document: subject, plan and view state, with everything a user can do to them. Knows no Qt."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from cbvtool.geometry.first_mapping import first_mapping
from cbvtool.geometry.scene import Pipeline, Scene, Values
from cbvtool.geometry.shown import outside_tops
from cbvtool.geometry.view_state import VARIABLES, Drag, ViewState
from cbvtool.geometry.view_state import Mapping as MetricMapping
from cbvtool.graph import Graph
from cbvtool.graph.tree import REMOVED
from cbvtool.layout.depth import deepest, expanded_to, first_picture
from cbvtool.metrics import METRICS
from cbvtool.metrics.metric import Metric, Subject
from cbvtool.metrics.recorded import recorded
from cbvtool.plan import Create, History, Merge, Move, Operation, Remove, Rename, check, group, new_id
from cbvtool.plan.document import Document, Plan, write_document
from cbvtool.plan.task import Task
from cbvtool.plan.tasks import tasks
from cbvtool.project import Project

Listener = Callable[[str], None]


class Session:
    """The document a window shows. Listeners are told which part changed:

    `project` (another subject), `depth` (more is known about it), `plan` (operations done or undone), `view` (anything
    in the view state), `file` (saved, loaded, or now differing from what is saved).

    metrics   those there are for what is open: those that were given, and those that came with the graph
    """

    def __init__(self, metrics: Mapping[str, Metric] = METRICS) -> None:
        self._given = self.metrics = metrics
        self.project: Project | None = None
        self.history: History | None = None
        self.view = ViewState()
        self.file: Path | None = None
        self._plans: tuple[Plan, ...] = (Plan(),)
        self._active = 0
        self._saved: tuple[object, ...] | None = ()  # None: nothing that is saved anywhere
        self._pipeline = Pipeline()
        self._first = MetricMapping()  # what the first picture of the subject shows
        self._listeners: list[Listener] = []
        self._back: list[ViewState] = []
        self._forward: list[ViewState] = []

    # -- observers ---------------------------------------------------------------------------------------

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` after every change; the result ends that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def _tell(self, what: str) -> None:
        for listener in list(self._listeners):
            listener(what)

    # -- what is open ------------------------------------------------------------------------------------

    def open(
        self, project: Project, document: Document | None = None, file: Path | None = None, *, unsaved: bool = False
    ) -> None:
        """Show another subject, with the plan and the view that a document holds for it.

        unsaved   the document is not what `file` holds, but a recovered copy
        """
        self._plans, self._active = ((Plan(),), 0) if document is None else (document.plans, document.active)
        history = self._plans[self._active].history(project.graph)
        self.project, self.history, self.file = project, history, file
        self._begin(project)
        start = ViewState(expanded=first_picture(history.graph), mapping=self._first, theme=self.view.theme)
        held = {} if document is None else _view_of(document, history.graph, self.metrics, self._first)
        self.view = replace(start, **held)
        self._back, self._forward = [], []
        self._saved = None if unsaved else self._content()
        for what in ("project", "plan", "view", "file"):
            self._tell(what)

    def deepen(self, project: Project) -> None:
        """Go on with a more detailed `project` of the same subject: plan, view and selection stay.

        Operations name ids and are replayed; keys are private to one analysis and are looked up anew.
        """
        if self.history is None:
            raise LookupError("nothing is open")
        before, view = self.graph, self.view
        done = Plan.of(self.history, self.plan_name).history(project.graph)
        key_of = done.graph.key_of

        def now(keys: Iterable[int]) -> Iterator[int]:
            return (key_of[node] for key in keys if (node := before.ids[key]) in key_of)

        def moved(view: ViewState) -> ViewState:
            return replace(
                view, expanded=frozenset(now(view.expanded)), hidden=frozenset(now(view.hidden)),
                selected=tuple(now(view.selected)), hovered=next(now([view.hovered] if view.hovered >= 0 else []), -1),
                root=next(now([view.root]), done.graph.root), drag=None,
            )  # fmt: skip

        unsaved, first = self.unsaved, self._first
        self.project, self.history, self.view = project, done, moved(view)
        self._begin(project)
        if view.mapping == first:  # nobody has chosen it
            self.view = replace(self.view, mapping=self._first)
        self._back, self._forward = [moved(view) for view in self._back], [moved(view) for view in self._forward]
        self._saved = None if unsaved else self._content()
        for what in ("depth", "plan", "view", "file"):
            self._tell(what)

    def _begin(self, project: Project) -> None:
        """Offer the metrics of another graph."""
        own = recorded(project.graph, METRICS)
        self.metrics = {**self._given, **own}  # what the graph says itself comes before a plugin's metric of that name
        self._pipeline.forget()
        if project.kind == "folder" and project.changes is None:
            self._first = MetricMapping()  # its history is on its way, or nobody wants it
        else:
            self._first = first_mapping(Values(Subject(project.graph, project.changes), self.metrics), tuple(own))

    @property
    def graph(self) -> Graph:
        """The target design: the base graph with the plan applied. LookupError when nothing is open."""
        if self.history is None:
            raise LookupError("nothing is open")
        return self.history.graph

    @property
    def is_open(self) -> bool:
        """Whether a subject is open."""
        return self.history is not None

    @property
    def plan_name(self) -> str:
        """Name of the plan that is shown."""
        return self._plans[self._active].name

    @property
    def unsaved(self) -> bool:
        """Whether the plan differs from what was opened or saved last."""
        return self.is_open and self._content() != self._saved

    def _content(self) -> tuple[object, ...]:
        return () if self.history is None else (self.history.done,)

    def scene(self) -> Scene:
        """The picture of the present state; stages whose inputs did not change are not computed again."""
        changes = self.project.changes if self.project else None
        return self._pipeline.scene(self.graph, changes, self.view, self.metrics)

    @property
    def patient(self) -> bool:
        """Whether `scene` waits for slow metrics; else it shows what it did before until they are measured."""
        return self._pipeline.patient

    @patient.setter
    def patient(self, waits: bool) -> None:
        self._pipeline.patient = waits

    def stay_with_drawn(self) -> None:
        """Give up the metrics that are still to be measured: what the picture shows in their place is wanted now."""
        scene = self.scene()
        mapping, drawn, default = self.view.mapping, scene.drawn, MetricMapping()
        instead = {
            variable: getattr(default if scene.values.takes_long(getattr(drawn, variable)) else drawn, variable)
            for variable in VARIABLES
            if getattr(mapping, variable) in scene.pending
        }
        self.set_view(mapping=replace(mapping, **instead))

    # -- the view ----------------------------------------------------------------------------------------

    def set_view(self, **changes: Any) -> None:
        """Replace fields of the view state; a change of place can be gone back from."""
        view = replace(self.view, **changes)
        if view == self.view:
            return
        if _place(view) != _place(self.view):
            self._back.append(self.view)
            self._forward.clear()
        self.view = view
        self._tell("view")

    @property
    def can_go_back(self) -> bool:
        """Whether there is an earlier place."""
        return bool(self._back)

    @property
    def can_go_forward(self) -> bool:
        """Whether a place was left by going back."""
        return bool(self._forward)

    def go_back(self) -> None:
        """Show the place before this one (apart from undo)."""
        self._travel(self._back, self._forward)

    def go_forward(self) -> None:
        """Show the place that was left by going back."""
        self._travel(self._forward, self._back)

    def _travel(self, origin: list[ViewState], other: list[ViewState]) -> None:
        if not origin:
            return
        other.append(self.view)
        place = origin.pop()
        self.view = self._pruned(replace(self.view, expanded=place.expanded, root=place.root, hidden=place.hidden))
        self._tell("view")

    def select(self, keys: Iterable[int], *, add: bool = False) -> None:
        """Select `keys`; with `add`, those selected already are taken out and the others added."""
        keys = tuple(dict.fromkeys(keys))
        if add:
            kept = tuple(key for key in self.view.selected if key not in keys)
            keys = kept + tuple(key for key in keys if key not in self.view.selected)
        self.set_view(selected=keys)

    def expand(self, keys: Iterable[int]) -> None:
        """Show the children of `keys`."""
        inner = {key for key in keys if len(self.graph.children(key))}
        self.set_view(expanded=self.view.expanded | inner)

    def collapse(self, keys: Iterable[int]) -> None:
        """Hide the children of `keys`; a node without visible children collapses its parent instead."""
        graph = self.graph
        closing = {key if key in self.view.expanded else int(graph.parent[key]) for key in keys}
        closing.discard(self.view.root)
        below = {key for key in self.view.expanded if any(graph.is_below(key, top) for top in closing if top >= 0)}
        self.set_view(expanded=self.view.expanded - below)

    def toggle(self, key: int) -> None:
        """Expand a collapsed node, collapse an expanded one."""
        if key in self.view.expanded:
            self.collapse([key])
        else:
            self.expand([key])

    def show_depth(self, depth: int) -> None:
        """Expand everything down to `depth` levels below the node the view is restricted to."""
        self.set_view(expanded=expanded_to(self.graph, max(1, depth), self.view.root))

    def step_depth(self, step: int) -> None:
        """Show one level more (+1) or less (-1) than the deepest that is visible now."""
        graph, root = self.graph, self.view.root
        seen = [key for key in self.view.expanded if graph.is_below(key, root)]
        depth = max((int(graph.tree.depth[key] - graph.tree.depth[root]) for key in seen), default=0) + 1
        self.show_depth(min(depth + step, deepest(graph, root)))

    def restrict(self, key: int) -> None:
        """Show the subtree of `key` alone; the root shows everything again."""
        if len(self.graph.children(key)):
            self.set_view(root=key, expanded=self.view.expanded | {key})

    def hide(self, keys: Iterable[int], *, hidden: bool = True) -> None:
        """Hide subtrees, or show them again; for what lies outside the project there is a switch (`external`)."""
        outside = outside_tops(self.graph)
        keys = frozenset(keys) - {self.view.root}
        self.set_view(
            hidden=self.view.hidden | (keys - outside) if hidden else self.view.hidden - keys,
            external=not hidden if keys & outside else self.view.external,
        )

    @property
    def hidden(self) -> frozenset[int]:
        """Keys of all subtrees that are not shown, with what lies outside the project while that is switched off."""
        return self.view.hidden if self.view.external else self.view.hidden | outside_tops(self.graph)

    def show_kind(self, kind: str, *, shown: bool) -> None:
        """Show the relations of one kind, or leave them out."""
        off = self.view.kinds_off
        self.set_view(kinds_off=off - {kind} if shown else off | {kind})

    # -- the plan ----------------------------------------------------------------------------------------

    def do(self, *operations: Operation, label: str = "") -> str | None:
        """Carry out one gesture. The result is the reason why not, or None when it is done."""
        if self.history is None:
            return "Open a folder first."
        planned = self.history.do(group(self.graph, *operations, name=label))
        refused = planned.refusals[len(self.history.refusals) :]
        if refused:
            return refused[0].reason
        self._plan(planned)
        return None

    def undo(self) -> None:
        """Take back the last gesture."""
        if self.history is not None and self.history.done:
            self._plan(self.history.undo())

    def redo(self) -> None:
        """Carry out again what was undone last."""
        if self.history is not None and self.history.undone:
            self._plan(self.history.redo())

    def _plan(self, history: History) -> None:
        self.history = history
        self.view = self._pruned(replace(self.view, drag=None))
        for what in ("plan", "view", "file"):
            self._tell(what)

    def move(self, keys: Iterable[int], target: int) -> str | None:
        """Move nodes, with their subtrees, into `target`."""
        graph = self.graph
        return self.do(Move(tuple(graph.ids[key] for key in self.topmost(keys)), graph.ids[target]))

    def create(self, parent: int, name: str, kind: str = "folder") -> str | None:
        """Make an empty container below `parent`."""
        if self.history is None:
            return "Open a folder first."
        reason = self.do(Create(new_id(self.history), self.graph.ids[parent], name, kind))
        if reason is None:
            self.set_view(expanded=self.view.expanded | {parent})
        return reason

    def remove(self, keys: Iterable[int]) -> str | None:
        """Take nodes out of the target design."""
        return self.do(Remove(tuple(self.graph.ids[key] for key in self.topmost(keys))))

    def rename(self, key: int, name: str) -> str | None:
        """Give a node another name."""
        return self.do(Rename(self.graph.ids[key], name))

    def merge(self, source: int, target: int) -> str | None:
        """Move the content of `source` into `target` and remove `source`."""
        return self.do(Merge(self.graph.ids[source], self.graph.ids[target]))

    def topmost(self, keys: Iterable[int]) -> list[int]:
        """`keys` without those that lie below another of them."""
        graph, chosen = self.graph, list(dict.fromkeys(keys))
        return [key for key in chosen if not any(other != key and graph.is_below(key, other) for other in chosen)]

    def tasks(self) -> tuple[Task, ...]:
        """The compressed plan as tasks."""
        if self.history is None:
            return ()
        return tasks(self.history, self.project.changes if self.project else None)

    # -- dragging ----------------------------------------------------------------------------------------

    def begin_drag(self, keys: Iterable[int]) -> None:
        """Lift nodes off the picture; they follow the pointer until `drop` or `cancel_drag`."""
        keys = tuple(key for key in self.topmost(keys) if key != self.graph.root)
        if keys:
            self.set_view(drag=Drag(keys))

    def drag_over(self, target: int) -> str | None:
        """Aim at a container (-1 = none); the result is the reason why it cannot be dropped there."""
        drag = self.view.drag
        if drag is None:
            return None
        self.set_view(drag=replace(drag, target=target))
        return None if target < 0 else check(self._move_of(drag, target), self.graph)

    def drop(self) -> str | None:
        """Record the move that the drag stands for; the result is the reason why not. Ends the drag."""
        drag = self.view.drag
        self.cancel_drag()
        if drag is None or drag.target < 0:
            return None
        return self.do(self._move_of(drag, drag.target))

    def cancel_drag(self) -> None:
        """Put everything back where it was."""
        if self.view.drag is not None:
            self.set_view(drag=None)

    def _move_of(self, drag: Drag, target: int) -> Move:
        ids = self.graph.ids
        return Move(tuple(ids[key] for key in drag.keys), ids[target])

    def escape(self) -> bool:
        """Undo the innermost thing in progress: drag, selection, restriction. False if there is none."""
        if self.view.drag is not None:
            self.cancel_drag()
        elif self.view.selected:
            self.select(())
        elif self.view.root != self.graph.root if self.is_open else False:
            self.set_view(root=self.graph.root)
        else:
            return False
        return True

    # -- files -------------------------------------------------------------------------------------------

    def document(self) -> Document:
        """What `save` writes."""
        if self.project is None or self.history is None:
            raise LookupError("nothing is open")
        plans = list(self._plans)
        plans[self._active] = Plan.of(self.history, plans[self._active].name)
        view = _view_as_data(self.view, self.graph)
        return Document(self.project.path, self.project.name, self.project.commit, tuple(plans), self._active, view)

    def save(self, file: Path) -> None:
        """Write the document. Raises InputError when the file cannot be written; nothing is half-written."""
        write_document(self.document(), file)
        self.file, self._saved = file, self._content()
        self._tell("file")

    def _pruned(self, view: ViewState) -> ViewState:
        """The view without nodes that the plan has removed, or not created (after an undo)."""
        graph = self.graph

        def there(key: int) -> bool:
            return 0 <= key < len(graph) and graph.parent[key] != REMOVED

        return replace(
            view,
            expanded=frozenset(filter(there, view.expanded)),
            hidden=frozenset(filter(there, view.hidden)),
            selected=tuple(filter(there, view.selected)),
            hovered=view.hovered if there(view.hovered) else -1,
            root=view.root if there(view.root) else graph.root,
        )


def _place(view: ViewState) -> tuple[object, ...]:
    return view.expanded, view.root, view.hidden


def _view_as_data(view: ViewState, graph: Graph) -> dict[str, Any]:
    """The part of the view that a document keeps, with node ids: keys are private to one analysis."""
    return {
        "root": graph.ids[view.root],
        "expanded": sorted(graph.ids[key] for key in view.expanded),
        "hidden": sorted(graph.ids[key] for key in view.hidden),
        "mapping": {name: getattr(view.mapping, name) for name in VARIABLES},
        "beta": view.beta,
        **{name: getattr(view, name) for name in _SWITCHES},
        "kinds_off": sorted(view.kinds_off),
    }


def _view_of(document: Document, graph: Graph, metrics: Container[str], first: MetricMapping) -> dict[str, Any]:
    """Fields of the view state that a document sets; what it names and is not there (any more) is left out.

    first   has a metric for those that the document names none for
    """
    view, fields = document.view, dict[str, Any]()
    for name in ("expanded", "hidden"):
        if isinstance(ids := view.get(name), list):
            fields[name] = frozenset(graph.key_of[i] for i in ids if isinstance(i, str) and i in graph.key_of)
    if isinstance(root := view.get("root"), str) and root in graph.key_of:
        fields["root"] = graph.key_of[root]
    if isinstance(beta := view.get("beta"), int | float) and 0 <= beta <= 1:
        fields["beta"] = float(beta)
    if isinstance(mapping := view.get("mapping"), dict):
        known = {k: v for k, v in mapping.items() if k in VARIABLES and isinstance(v, str) and v in metrics}
        fields["mapping"] = replace(first, **known)
    fields |= {name: view[name] for name in _SWITCHES if isinstance(view.get(name), bool)}
    if isinstance(kinds := view.get("kinds_off"), list):
        fields["kinds_off"] = frozenset(kind for kind in kinds if isinstance(kind, str))
    return fields


_SWITCHES = ("guesses", "external")
