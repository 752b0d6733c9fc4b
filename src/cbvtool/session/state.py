"""State that the parts of a session share: the open document and the view of it. Knows no Qt."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from cbvtool.geometry.state.view_state import Mapping as MetricMapping
from cbvtool.geometry.state.view_state import ViewState
from cbvtool.graph import Graph
from cbvtool.metrics.metric import Metric
from cbvtool.plan import History
from cbvtool.plan.listing.annotations import Annotations
from cbvtool.project import Project
from cbvtool.rules import Rules
from cbvtool.session.change import Change

Listener = Callable[[Change], None]


class State:
    """The open subject, its plan and the view of it; tells its listeners what changed.

    project, history   None = nothing is open
    metrics            those there are for what is open: those that were given, and those that came with the graph
    usual_mapping      what the first picture of the subject shows
    rules              of the open subject
    grouped            the target design in the hierarchy of the view; None = in that of folders
    annotations        what people noted about the tasks of the plan that is shown
    """

    def __init__(self, metrics: Mapping[str, Metric]) -> None:
        self.metrics = metrics
        self.project: Project | None = None
        self.history: History | None = None
        self.view = ViewState()
        self.rules: Rules | None = None
        self.usual_mapping = MetricMapping()
        self.grouped: Graph | None = None
        self.annotations: Annotations = {}
        self._listeners: list[Listener] = []

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` after every change; the result ends that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def tell(self, *parts: Change) -> None:
        """Tell every listener that these parts changed, one after the other."""
        for part in parts:
            for listener in list(self._listeners):
                listener(part)

    @property
    def graph(self) -> Graph:
        """The target design, in the hierarchy that is shown. LookupError when nothing is open."""
        return self.planned if self.grouped is None else self.grouped

    @property
    def planned(self) -> Graph:
        """The target design in the hierarchy of folders. LookupError when nothing is open."""
        if self.history is None:
            raise LookupError("nothing is open")
        return self.history.graph

    @property
    def is_open(self) -> bool:
        """Whether a subject is open."""
        return self.history is not None
