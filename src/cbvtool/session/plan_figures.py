"""What a plan comes to, worked out together and on any thread: its tasks, and its judgement."""

from __future__ import annotations

from dataclasses import dataclass

from cbvtool.geometry.scene.scene import NO_RULES
from cbvtool.graph import Graph
from cbvtool.plan import History
from cbvtool.plan.judgement.figures import Figures, Judgement
from cbvtool.plan.judgement.modules import Modules
from cbvtool.plan.judgement.prepared import prepare
from cbvtool.plan.judgement.rows import Row, rows
from cbvtool.plan.site_words import count_of_sites
from cbvtool.plan.sites.code import NO_CODE
from cbvtool.plan.task import Task
from cbvtool.plan.tasks import tasks
from cbvtool.project import Project
from cbvtool.rules import Rules
from cbvtool.session.picture import changes_of
from cbvtool.session.step_words import tasks_of_step

CHILDREN = Modules()


@dataclass(frozen=True)
class Asked:
    """Of what the figures are.

    root   key of the node that the view is restricted to; its children are the modules
    """

    project: Project | None
    rules: Rules | None
    root: int = 0
    modules: Modules = CHILDREN


@dataclass(frozen=True, eq=False)
class PlanFigures:
    """What a plan comes to.

    base, now     figures of the graph before the plan, and with it
    earlier       with the plan as it was before the last step
    """

    asked: Asked
    history: History
    tasks: tuple[Task, ...]
    base: Figures
    now: Figures
    earlier: Figures

    @property
    def rows(self) -> tuple[Row, ...]:
        """The judgement of the plan."""
        return rows(Judgement(self.base, self.now))

    @property
    def sites_of_step(self) -> int:
        """How many places in the code the last step asks to change."""
        return count_of_sites(site for task in tasks_of_step(self.tasks, self.history) for site in task.must)

    def step_words(self) -> str:
        """What the last step costs and changes: `24 sites, violations +0`."""
        sites = self.sites_of_step
        said = [f"{sites:,} site{'' if sites == 1 else 's'}"]
        if self.now.violations is not None and self.earlier.violations is not None:
            said.append(f"violations {_signed(self.now.violations - self.earlier.violations)}")
        if self.now.largest != self.earlier.largest:
            said.append(f"largest tangle {self.earlier.largest:,} → {self.now.largest:,}")
        return ", ".join(said)


def _signed(difference: int) -> str:
    return f"{'−' if difference < 0 else '+'}{abs(difference):,}"


def plan_figures(history: History, asked: Asked, known: PlanFigures | None = None) -> PlanFigures:
    """Work the figures out; `known` are those of an earlier state, from which what still holds is taken."""
    same = known is not None and known.asked == asked and known.history.base is history.base
    base = known.base if known is not None and same else _of(history.base, history.base, asked)
    if not history.done:
        return PlanFigures(asked, history, (), base, base, base)
    before = history.undo()
    earlier = base if not before.done else None
    if known is not None and same and earlier is None and known.history.done == before.done:
        earlier = known.now
    project = asked.project
    return PlanFigures(
        asked,
        history,
        tasks(history, changes_of(project), project.code if project else NO_CODE),
        base,
        _of(history.base, history.graph, asked),
        earlier or _of(history.base, before.graph, asked),
    )


def _of(base: Graph, graph: Graph, asked: Asked) -> Figures:
    root = asked.root if asked.root < len(graph) and graph.tree.pos[asked.root] >= 0 else graph.root
    return prepare(base, graph, asked.rules or NO_RULES, asked.modules, root=root).figures
