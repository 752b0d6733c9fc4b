"""What a session offers to another one that follows it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol, Unpack

from cbvtool.geometry.state.view_state import Mapping as MetricMapping
from cbvtool.geometry.state.view_state import ViewState
from cbvtool.graph import Graph
from cbvtool.metrics.metric import Metric
from cbvtool.plan import History
from cbvtool.project import Project
from cbvtool.rules import Rules
from cbvtool.session.planning.steps import StepRunner
from cbvtool.session.state import Listener, State
from cbvtool.session.view_changes import ViewChanges


class Leader(Protocol):
    """The session whose subject, plan and selection another one shows; see `Session` for its members."""

    @property
    def project(self) -> Project | None:
        """The open subject, None = nothing is open."""

    @property
    def history(self) -> History | None:
        """The plan, None = nothing is open."""

    @property
    def state(self) -> State:
        """What the parts of the session share."""

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """The metrics of the open subject."""

    @property
    def rules(self) -> Rules | None:
        """The rules of the open subject."""

    @property
    def view(self) -> ViewState:
        """What is shown."""

    @property
    def usual_mapping(self) -> MetricMapping:
        """What the first picture of the subject shows."""

    @property
    def graph(self) -> Graph:
        """The target design, in the hierarchy that is shown."""

    @property
    def planned(self) -> Graph:
        """The target design, in the hierarchy of folders."""

    @property
    def step(self) -> StepRunner:
        """Carries out a step of the plan."""

    @property
    def subscribe(self) -> Callable[[Listener], Callable[[], None]]:
        """Call a listener after every change; the result ends that."""

    def set_view(self, **changes: Unpack[ViewChanges]) -> None:
        """Replace fields of the view state."""
