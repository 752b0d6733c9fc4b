"""The registry of panels: docks and menus are made from it, in its order."""

from __future__ import annotations

from dataclasses import dataclass

from cbvtool.view.panels.details_panel import DetailsPanel
from cbvtool.view.panels.findings_panel import FindingsPanel
from cbvtool.view.panels.history.coupling_panel import CouplingPanel
from cbvtool.view.panels.history.evolution_panel import EvolutionPanel
from cbvtool.view.panels.history.people_panel import PeoplePanel
from cbvtool.view.panels.impact_panel import ImpactPanel
from cbvtool.view.panels.matrix_panel import MatrixPanel
from cbvtool.view.panels.panel import Panel
from cbvtool.view.panels.paths_panel import PathsPanel
from cbvtool.view.panels.plan_panel import PlanPanel
from cbvtool.view.panels.proposals_panel import ProposalsPanel
from cbvtool.view.panels.relations_panel import RelationsPanel
from cbvtool.view.panels.rules_panel import RulesPanel
from cbvtool.view.panels.source_panel import SourcePanel
from cbvtool.view.panels.structure_panel import StructurePanel
from cbvtool.view.panels.style.style_panel import StylePanel
from cbvtool.view.panels.timeline.timeline_panel import TimelinePanel
from cbvtool.view.panels.traces.traces_panel import TracesPanel
from cbvtool.view.panels.unused_panel import UnusedPanel
from cbvtool.view.toolkit.registry import RowRegistry


@dataclass(frozen=True)
class PanelRow:
    """One panel, which its class describes."""

    make: type[Panel]

    @property
    def name(self) -> str:
        """Of the panel."""
        return self.make.NAME


PANELS: RowRegistry[PanelRow] = RowRegistry(
    PanelRow(make)
    for make in (
        StructurePanel,
        DetailsPanel,
        FindingsPanel,
        PlanPanel,
        ProposalsPanel,
        RulesPanel,
        UnusedPanel,
        StylePanel,
        RelationsPanel,
        MatrixPanel,
        SourcePanel,
        PathsPanel,
        ImpactPanel,
        TimelinePanel,
        CouplingPanel,
        PeoplePanel,
        EvolutionPanel,
        TracesPanel,
    )
)
