"""The picture of what is open: what it is made of, the one made last, and whether the next one is worth waiting for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from cbvtool.asking.expression import asks_pattern
from cbvtool.asking.search import filter_of
from cbvtool.assessment.modules import ModuleChoice
from cbvtool.geometry.scene.planned import Pair
from cbvtool.geometry.scene.scene import NO_RULES, Pipeline, Scene
from cbvtool.geometry.state.view_state import VARIABLES, ViewState
from cbvtool.geometry.state.view_state import Mapping as MetricMapping
from cbvtool.graph import Graph
from cbvtool.metrics.metric import Metric
from cbvtool.metrics.values import HUGE
from cbvtool.mining.changes import Changes
from cbvtool.project import Project
from cbvtool.rules import Rules
from cbvtool.trace.overlay.relations import Observed


@dataclass(frozen=True, eq=False)
class Depicted:
    """All that decides what a picture looks like.

    graph    in the hierarchy of the view
    planned  the same in that of folders
    plan     see `planned_of`, in the hierarchy of the view
    observed  `graph` with the relations of a trace; None = none is open
    """

    graph: Graph
    planned: Graph
    project: Project | None
    view: ViewState
    metrics: Mapping[str, Metric]
    rules: Rules | None
    plan: Pair
    observed: Observed | None = None

    def made_by(self, pipeline: Pipeline, *, at_once: bool = False) -> Scene:
        """The picture; stages whose inputs did not change are not computed again. For the rest see `Pipeline.scene`."""
        return pipeline.scene(
            self.graph,
            changes_of(self.project),
            self.view,
            self.metrics,
            self.rules or NO_RULES,
            self.planned,
            plan=self.plan,
            observed=self.observed,
            at_once=at_once,
        )


class ShownPicture:
    """What is shown of one graph, and what makes it.

    scene   made last
    making  the next one is being made elsewhere
    """

    def __init__(self, pipeline: Pipeline) -> None:
        self.pipeline = pipeline
        self.scene: Scene | None = None
        self.making = False

    def is_late(self, graph: Graph, view: ViewState) -> bool:
        """Whether the picture of `view` takes so long that an impatient session shows the one before."""
        made = self.scene
        if self.pipeline.patient or made is None or made.graph.parent is not graph.parent:
            return False
        if made.unsearched:
            return True
        if not is_huge(graph):
            return self.making or (view.only != made.state.only and asks_pattern(view.only))
        if view.drag is not None or made.state.drag is not None:
            return False  # the pointer holds something, which is to be seen at once
        return self.making or made.graph is not graph or _costly(made.state) != _costly(view)


def is_huge(graph: Graph) -> bool:
    """Whether whatever leads to another picture takes longer than a window may be still."""
    return len(graph) + len(graph.edges) > HUGE


def changes_of(project: Project | None) -> Changes | None:
    """The history of a subject, if it has one."""
    return None if project is None else project.changes


def without_pending(scene: Scene, view: ViewState) -> tuple[MetricMapping, str]:
    """(mapping, filter of nodes) of `view`, with what the picture shows in place of metrics still to be measured."""
    drawn, default = scene.drawn, MetricMapping()
    instead = {
        variable: getattr(default if scene.values.takes_long(getattr(drawn, variable)) else drawn, variable)
        for variable in VARIABLES
        if getattr(view.mapping, variable) in scene.pending
    }
    asked = filter_of(view.only, scene.values.metrics)[1]
    return replace(view.mapping, **instead), "" if set(asked) & set(scene.pending) else view.only


def _costly(view: ViewState) -> ViewState:
    """The view without what changes its picture at hardly any cost."""
    return replace(view, selected=(), hovered=-1, theme="", beta=0.0, path=None, impact=None, modules=ModuleChoice())
