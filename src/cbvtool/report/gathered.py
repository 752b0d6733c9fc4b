"""All that a report tells, found out once."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from cbvtool.errors import InputError
from cbvtool.evolution.improvements import told_gone
from cbvtool.evolution.regressions import told
from cbvtool.findings.cycles import all_cycles
from cbvtool.findings.finding import Examined, Finding
from cbvtool.findings.hot_spots import headline
from cbvtool.findings.ranked import findings
from cbvtool.geometry.scene.scene import Scene
from cbvtool.geometry.state.named_views import NamedView
from cbvtool.geometry.state.presets import PRESETS, why_not
from cbvtool.geometry.state.view_state import VARIABLES
from cbvtool.graph import Graph
from cbvtool.metrics import METRICS
from cbvtool.metrics.metric import BEING_MEASURED, NOT_MEASURED, Metric
from cbvtool.mining.processes import Processes
from cbvtool.plan.document import Document
from cbvtool.plan.effort import Weights
from cbvtool.progress import Progress, silent
from cbvtool.project import Project
from cbvtool.report.planned import PlanOutcome, outcome
from cbvtool.report.remedies import Broken, Remedy, remedy, remedy_of, remedy_of_all
from cbvtool.report.trend import DENSITY, VERSIONS, Since, Trend, read_trend
from cbvtool.rules import Rules, Violation, read_rules, violations
from cbvtool.session import Session
from cbvtool.session.planning.pinned_notes import Notes

LIMIT = 10  # rows of a list
PRESET, STANDARD = (
    "management",
    "hot-spots",
)  # of a report without a document; where a document's style needs a recording


@dataclass(frozen=True, eq=False)
class Gathered:
    """What is known about a code base on one day.

    day       of the report, as 2026-12-31
    examined  the code as it is
    found     findings of the code as it is
    headline  how few files hold how many of the changes; empty where they do not stand out
    broken    violations of the code as it is
    trend     None = there is nothing to compare with, for the reason `no_trend`
    plan      None = there is none
    scene     the picture, with the plan
    views     that were given a name
    notes     id of a node -> what was noted about it
    limit     rows of a list
    """

    project: Project
    day: str
    rules: Rules
    examined: Examined
    found: Sequence[Finding]
    headline: str
    broken: Sequence[Violation]
    scene: Scene
    trend: Trend | None = None
    no_trend: str = ""
    plan: PlanOutcome | None = None
    views: tuple[NamedView, ...] = ()
    notes: Notes = field(default_factory=dict)
    limit: int = LIMIT

    @property
    def graph(self) -> Graph:
        """The code as it is."""
        return self.project.graph

    @property
    def weights(self) -> Weights:
        """Of the estimate of effort."""
        return self.project.weights

    def of_kind(self, *kinds: str) -> list[Finding]:
        """The findings of some kinds."""
        return [one for one in self.found if one.kind in kinds]

    @cached_property
    def cycle_count(self) -> int:
        """All cycles, also those beyond the largest, which alone are findings."""
        return sum(1 for _ in all_cycles(self.examined))

    def remedy(self, one: Finding) -> Remedy:
        """What mending a finding would take."""
        return remedy(one, self.weights)

    @cached_property
    def worse(self) -> list[tuple[str, Remedy]]:
        """What got worse, in words, each with what mending it would take: regressions, then figures beside these."""
        if self.trend is None:
            return []
        broken, found, cycles = Broken(self.graph, self.broken), self.trend.found, self.of_kind("cycle")
        listed = [
            (told(one, self.project.changes), remedy_of(one, found, cycles, broken, self.weights))
            for one in self.trend.worse
        ]
        mending = {"violations": self.of_kind("violation"), DENSITY: []}
        return listed + [
            (figure.words, remedy_of_all(mending.get(figure.name, cycles), self.weights))
            for figure in self.trend.beside("worse", self.trend.worse)
        ]

    @cached_property
    def better(self) -> list[str]:
        """What got better, in words."""
        if self.trend is None:
            return []
        figures = self.trend.beside("better", self.trend.better)
        return [*map(told_gone, self.trend.better), *(figure.words for figure in figures)]


def today() -> str:
    """The day, in UTC."""
    return datetime.datetime.now(datetime.UTC).date().isoformat()


def gather(  # noqa: PLR0913 - one for each option of `cbvtool report`
    project: Project,
    document: Document | None = None,
    file: Path | None = None,
    *,
    since: Since | None = None,
    versions: int = VERSIONS,
    limit: int = LIMIT,
    preset: str | None = None,
    day: str = "",
    metrics: Mapping[str, Metric] = METRICS,
    processes: Processes | None = None,
    progress: Progress = silent,
    **how: Any,
) -> Gathered:
    """Find out what a report tells.

    document  whose plan and view count, which lies in `file`; None = no plan
    since     what to compare with: seconds since the epoch, or a commit; None = nothing
    versions  commits that are looked at
    preset    name of the style of the picture; None = that of the document, or that for management; where the style of
              a document is about a recording, or a metric that is not there, hot spots
    day       of the report; empty = today
    how       see `versions.analysed`

    Raises InputError for a commit that is not there, for rules that cannot be read, and what `progress` raises.
    """
    progress("Drawing the picture", 0, 0)
    session = Session(_settled(metrics))
    session.open(project, document, file)
    session.rules = rules = read_rules(project.path) if project.kind == "folder" else Rules()
    if preset is not None or document is None:
        _style(session, preset or PRESET, strict=preset is not None)
    elif _lacks(session, document):
        _style(session, STANDARD, strict=False)
    scene = session.scene()
    progress("Looking for findings", 0, 0)
    examined = Examined(project.graph, project.changes, rules, progress=progress)
    found, said = findings(examined), headline(examined)
    trend, reason = None, ""
    if since is None or project.kind != "folder":
        reason = "A saved graph has one version only." if project.kind != "folder" else ""
    elif project.changes is None or not project.changes.sha:
        notes = () if project.changes is None else project.changes.notes
        reason = " ".join(notes) or "There is no git history."
    else:
        trend = read_trend(
            project.path,
            project.changes,
            since,
            project.graph,
            rules,
            versions=versions,
            processes=processes,
            progress=progress,
            **how,
        )
    progress("Weighing the plan", 0, 0)
    return Gathered(
        project,
        day or today(),
        rules,
        examined,
        found,
        said,
        violations(project.graph, rules),
        scene,
        trend,
        reason,
        outcome(session, project, rules),
        session.saved_views.named,
        session.notes.all,
        limit=limit,
    )


def _settled(metrics: Mapping[str, Metric]) -> dict[str, Metric]:
    """The metrics without those of recordings, which a report does not open; nothing is still to come."""
    return {
        name: replace(metric, missing=NOT_MEASURED) if metric.missing == BEING_MEASURED else metric
        for name, metric in metrics.items()
        if not metric.momentary
    }


def _lacks(session: Session, document: Document) -> bool:
    """Whether the style that a document holds shows a metric that is not here, or that has no values."""
    held = document.view.get("mapping")
    asked = {held.get(variable) for variable in VARIABLES} - {None} if isinstance(held, Mapping) else set()
    values = session.scene().values
    return not asked <= values.metrics.keys() or bool(why_not(session.view.mapping, values))


def _style(session: Session, preset: str, *, strict: bool) -> None:
    """Show a ready style. Raises InputError for one that is unknown, or that has no values here if that matters."""
    known = {one.name: one.mapping for one in PRESETS}
    if preset not in known:
        raise InputError(f"There is no preset {preset!r}: choose {', '.join(known)}.")
    before = session.view.mapping
    session.set_view(mapping=known[preset])
    if reason := why_not(session.view.mapping, session.scene().values):
        if strict:
            raise InputError(reason)
        session.set_view(mapping=before)
