"""State that the parts of a session share: the open document and the view of it. Knows no Qt."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from cbvtool.geometry.scene.planned import Pair
from cbvtool.geometry.state.view_state import Mapping as MetricMapping
from cbvtool.geometry.state.view_state import ViewState
from cbvtool.graph import Graph
from cbvtool.hierarchies.paired import GroupedPlan, shown_plan
from cbvtool.history.coupled_files import CoupledFiles, CouplingOptions, with_coupling
from cbvtool.metrics.metric import Metric
from cbvtool.plan import History
from cbvtool.plan.listing.annotations import Annotations
from cbvtool.plugin.contributions import OverlayRelations
from cbvtool.plugin.laid_over import with_laid
from cbvtool.project import Project
from cbvtool.rules import Rules
from cbvtool.session.change import Change
from cbvtool.session.overlay import Overlay
from cbvtool.trace.overlay.relations import Observed, beside_calls, with_run_time
from cbvtool.versions import Compared

Listener = Callable[[Change], None]
KEPT = 4  # graphs with relations of a trace: the target of a plan, its base, and what a step leads to


class State:
    """The open subject, its plan and the view of it; tells its listeners what changed.

    project, history   None = nothing is open
    metrics            those there are for what is open: those that were given, and those that came with the graph
    usual_mapping      what the first picture of the subject shows
    rules              of the open subject
    judged             rules over chains that have been judged, and on which graphs: the picture marks only these
    grouped            the plan in the hierarchy of the view; None = in that of folders
    compared           two versions that are shown in place of the plan; None = the plan is shown
    annotations        what people noted about the tasks of the plan that is shown
    overlay            what the open traces add; None = none is open
    coupling           which files count as changing together
    coupled            those that do, while they are shown; None = they are not
    """

    def __init__(self, metrics: Mapping[str, Metric]) -> None:
        self.own_metrics = metrics
        self._overlay: Overlay | None = None
        self._laid_over: Mapping[str, Metric] = {}
        self._all_metrics: Mapping[str, Metric] = metrics
        self._laid: OverlayRelations | None = None
        self._observed: list[tuple[tuple[object, ...], Observed]] = []  # asked for last
        self.coupling = CouplingOptions()
        self.coupled: CoupledFiles | None = None
        self.project: Project | None = None
        self.history: History | None = None
        self.view = ViewState()
        self._rules: Rules | None = None
        self.judged: tuple[Rules | None, tuple[Graph, ...]] = (None, ())
        self.rules_at_run_time = False  # whether they are for run-time calls, too
        self.weigh_by_calls = False  # whether a judgement weighs dependencies by calls, while a trace is open
        self.usual_mapping = MetricMapping()
        self.grouped: GroupedPlan | None = None
        self.compared: Compared | None = None
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
    def metrics(self) -> Mapping[str, Metric]:
        """Those there are: those that were given, those that came with the graph, and those of open traces."""
        return self._all_metrics

    @metrics.setter
    def metrics(self, metrics: Mapping[str, Metric]) -> None:
        self.own_metrics = metrics
        traced = {} if self._overlay is None else self._overlay.metrics
        self._all_metrics = {**metrics, **traced, **self._laid_over} if traced or self._laid_over else metrics

    def lay_over(self, metrics: Mapping[str, Metric], relations: OverlayRelations | None = None) -> None:
        """Also offer these metrics and draw these relations, of overlays of plugins, in place of those that were."""
        self._laid_over, self._laid = metrics, relations
        self.metrics = self.own_metrics

    @property
    def rules(self) -> Rules | None:
        """Rules of the open subject; they say whether run-time calls must keep them, too."""
        on = self.rules_at_run_time and self._overlay is not None
        if self._rules is not None and self._rules.run_time_calls != on:
            self._rules = replace(self._rules, run_time_calls=on)
        return self._rules

    @rules.setter
    def rules(self, rules: Rules | None) -> None:
        self._rules = rules
        if rules is not None and rules.run_time_calls:  # as the file says
            self.rules_at_run_time = True

    @property
    def overlay(self) -> Overlay | None:
        """What the open traces add; None = none is open."""
        return self._overlay

    @overlay.setter
    def overlay(self, overlay: Overlay | None) -> None:
        self._overlay = overlay
        self.metrics = self.own_metrics

    @property
    def graph(self) -> Graph:
        """The target design, in the hierarchy that is shown, with what was called at run time or changes together.

        LookupError when nothing is open.
        """
        bare = self.bare
        observed = self.observed(bare)
        return bare if observed is None else observed.graph

    @property
    def bare(self) -> Graph:
        """The same without what was called at run time or changes together."""
        return self.bare_pair[1]

    def observed(self, graph: Graph) -> Observed | None:
        """A graph whose keys are those of the subject, with relations of traces and history; None = there are none."""
        run_time = None if self._overlay is None else self._overlay.run_time
        coupled, laid = self.coupled, self._laid
        if run_time is None and coupled is None and laid is None:
            return None
        of: tuple[object, ...] = (run_time, coupled, laid, graph)
        for known, made in self._observed:
            if all(one is other for one, other in zip(known, of, strict=True)):
                return made
        paired = graph if coupled is None else with_coupling(graph, coupled)
        paired = paired if laid is None else with_laid(paired, laid)
        made = beside_calls(paired) if run_time is None else with_run_time(paired, run_time)
        self._observed = [(of, made), *self._observed[: KEPT - 1]]
        return made

    @property
    def planned(self) -> Graph:
        """The target design in the hierarchy of folders. LookupError when nothing is open."""
        return self.pair[1]

    @property
    def pair(self) -> tuple[Graph, Graph]:
        """(base, target) of the plan, or the two versions that are shown in its place. LookupError as above."""
        if self.history is None:
            raise LookupError("nothing is open")
        if self.compared is not None:
            return self.compared.before, self.compared.after
        return self.history.pair

    @property
    def bare_pair(self) -> tuple[Graph, Graph]:
        """The same in the hierarchy that is shown."""
        return shown_plan(self.pair, self.grouped)

    @property
    def shown_pair(self) -> Pair:
        """The same; behind them what the base is called where two versions or plans are compared, and what differs."""
        base, target = self.bare_pair
        return (base, target) if self.compared is None else (base, target, self.compared.name, self.compared.told)

    @property
    def is_open(self) -> bool:
        """Whether a subject is open."""
        return self.history is not None
