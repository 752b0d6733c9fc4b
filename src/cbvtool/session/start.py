"""What showing a subject takes long to find out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from cbvtool.geometry.scene.scene import Pipeline
from cbvtool.geometry.state.first_mapping import first_mapping
from cbvtool.geometry.state.view_state import Mapping as MetricMapping
from cbvtool.geometry.state.view_state import ViewState
from cbvtool.hierarchies.paired import GroupedPlan, Plan, shown_plan
from cbvtool.history.people_metrics import people_metrics
from cbvtool.metrics import METRICS
from cbvtool.metrics.metric import BEING_MEASURED, Metric, Subject
from cbvtool.metrics.recorded import recorded
from cbvtool.metrics.values import Values
from cbvtool.plan import History
from cbvtool.project import Project

_KNOWN_AT_ONCE = frozenset({"bytes", "leaves", "kind", "language"})  # metrics that a first project has in full


@dataclass(frozen=True, eq=False)
class Start:
    """What showing a subject takes long to find out: `Session.start` does that on any thread.

    history   the plan, done on the graph of the subject
    metrics   those there are for it
    first     what its first picture shows, when nobody has chosen anything
    view      the view to begin with
    pipeline  has made the scene of it
    grouped   the plan in the hierarchy of the view; None = in that of folders
    traced    traces are open, or will be, and the view may go by their metrics
    """

    project: Project
    history: History
    metrics: Mapping[str, Metric]
    first: MetricMapping
    view: ViewState
    pipeline: Pipeline
    grouped: GroupedPlan | None = None
    traced: bool = False

    @property
    def shown(self) -> Plan:
        """(base, target), as they are shown."""
        return shown_plan(self.history.pair, self.grouped)


def metrics_of(
    given: Mapping[str, Metric], project: Project, *, coming: bool
) -> tuple[Mapping[str, Metric], MetricMapping]:
    """(metrics for the subject, what its first picture shows).

    given   metrics of every subject
    coming  more values are being found out
    """
    own = recorded(project.graph, METRICS)
    people = people_metrics(project.roster) if project.changes is not None and project.changes.sha else {}
    metrics = {**given, **people, **own}  # what the graph says itself comes before a plugin's metric of that name
    if coming:
        return {
            name: metric
            if name in _KNOWN_AT_ONCE or (metric.history and not project.commit)
            else replace(metric, missing=BEING_MEASURED)
            for name, metric in metrics.items()
        }, MetricMapping()
    if project.kind == "folder" and project.changes is None and not project.partial:
        return metrics, MetricMapping()  # nobody wants its history
    return metrics, first_mapping(Values(Subject(project.graph, project.changes), metrics), tuple(own))
