"""Proposals: steps of a plan that better a figure, each with its reason; shown as ghosts, taken one by one (NEW-2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np
from markupsafe import Markup
from qtpy.QtCore import QUrl
from qtpy.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout

from cbvtool.asking.shown_relations import ShownRelations
from cbvtool.assessment.judged import judged
from cbvtool.findings.finding import Examined
from cbvtool.graph import Graph
from cbvtool.hierarchies.folders import PackageFolders
from cbvtool.plan import History, Refused
from cbvtool.plan.containment import CONTAINERS
from cbvtool.plan.tasks import TaskList
from cbvtool.progress import Progress
from cbvtool.proposals.belongs import places
from cbvtool.proposals.best_moves import best_moves
from cbvtool.proposals.breaking import broken_cycle
from cbvtool.proposals.clusters import clusters
from cbvtool.proposals.priced import priced
from cbvtool.proposals.proposal import Proposal
from cbvtool.proposals.written import figures_in_words
from cbvtool.rules import Rules
from cbvtool.session.change import Change
from cbvtool.session.planning.steps import list_of_tasks
from cbvtool.session.planning.translated import translated
from cbvtool.view.desk import Desk
from cbvtool.view.panels.panel import Area, Panel
from cbvtool.view.toolkit.plain import link, muted, set_tooltip
from cbvtool.view.toolkit.text_browser import TextBrowser
from cbvtool.view.toolkit.theme import look, rich_text
from cbvtool.words import one_line

EMPTY = (
    "Ask for proposals: how to break a cycle (in the panel Findings), which moves pay most, where the selection "
    "belongs, or how the files of the selected folder fall into groups."
)
LOOKING = "Looking for proposals"
Search = Callable[[Examined], list[Proposal]]
Price = Callable[[list[Proposal], Progress], list[Proposal]]


@dataclass(frozen=True)
class FoundProposals:
    """Proposals for a graph: of another one they may not be taken."""

    graph: Graph
    heading: str
    rows: tuple[Proposal, ...]


class ProposalsPanel(Panel):
    """Looks when asked to, away from the window's thread."""

    NAME, TITLE = "proposals", "Proposals"
    AREA = Area.RIGHT

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self.found: FoundProposals | None = None
        self.text = TextBrowser("Proposals", self)
        self.text.anchorClicked.connect(self._follow_link)
        row = QHBoxLayout()
        row.setContentsMargins(8, 4, 8, 0)
        self.moves = self._button("Best moves", "The moves of files that pay most", self.ask_moves)
        self.place = self._button("Where to?", "Where the selection belongs", self.ask_place)
        self.groups = self._button("Group", "How the files of the selected folder fall into groups", self.ask_groups)
        for button in (self.moves, self.place, self.groups):
            row.addWidget(button)
        row.addStretch()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(row)
        column.addWidget(self.text, 1)
        self.text.show_html(muted(EMPTY))

    def _button(self, text: str, tip: str, act: Callable[[], None]) -> QPushButton:
        button = QPushButton(text, self)
        button.setObjectName("small")
        set_tooltip(button, tip)
        button.clicked.connect(lambda _checked=False: act())
        return button

    def restyle(self) -> None:
        """Take the style sheet of the text in another theme."""
        self.text.restyle(rich_text(look(self.desk.settings.theme)))

    def follow(self, changes: frozenset[Change]) -> None:
        """What was proposed for another graph is over."""
        if self.found is not None and self.found.graph is not self.session.graph:
            self.found = None
            self.text.show_html(muted(EMPTY))

    # -- asking

    def ask_cycle(self, members: tuple[int, ...]) -> None:
        """How to break the cycle of these nodes."""
        self._look("How to break the cycle", lambda examined: broken_cycle(examined, members))

    def ask_moves(self) -> None:
        """Which moves pay most."""
        self._look("The moves that pay most", best_moves)

    def ask_place(self) -> None:
        """Where the selection belongs."""
        keys = tuple(self.session.topmost(self.session.view.selected))
        if not keys:
            self.desk.say("Select files or definitions first: then the places are ranked that these have to do with.")
            return
        names = [one_line(self.session.graph.names[key]) for key in keys]
        who = names[0] if len(names) == 1 else f"{len(names):,} nodes"
        self._look(f"Where {who} belongs", lambda examined: places(examined, keys))

    def ask_groups(self) -> None:
        """How the files of the selected folder fall into groups."""
        keys = self.session.view.selected
        if len(keys) != 1 or self.session.graph.kind(keys[0]) not in CONTAINERS:
            self.desk.say("Select one folder first: its files are looked at.")
            return
        history = self.session.history
        self._look("Groups of files", lambda examined: clusters(examined, keys[0], history))

    def _look(self, heading: str, search: Search) -> None:
        project = self.session.project
        if project is None:
            return
        graph, rules, history = self.session.graph, self.session.rules or Rules(), self.session.history
        asked, noted = self.session.judging.asked, self.session.annotations
        base = self.session.base
        where = self.session.hierarchy.folders
        examined = Examined(graph, project.changes, rules, modules=self.session.view.modules, base=base)

        def price(found: list[Proposal], progress: Progress) -> list[Proposal]:
            if history is None or asked is None:
                return found

            def list_tasks(steps: History) -> TaskList:
                return list_of_tasks(steps, project, noted)

            if where is None:
                return priced(found, judged(asked), history, list_tasks, progress)
            said = said_in_folders(found, where)
            told = priced([folders for _, folders in said], judged(asked), history, list_tasks, progress)
            shown = {folders.operations: one.operations for one, folders in said}
            return [replace(one, operations=shown[one.operations]) for one in told]

        self.found = None
        self.text.show_html(muted(f"{LOOKING} ..."))
        self.desk.jobs.run(
            self,
            LOOKING,
            lambda progress: proposed(graph, heading, search, examined, price, progress),
            self._show,
            lambda sentence: self.text.show_html(muted(sentence)),
            cancelled=lambda: self.text.show_html(muted("The search was cancelled.")),
        )

    def _show(self, found: FoundProposals) -> None:
        self.found = found
        self.text.show_html(proposals_html(found))

    # -- showing and taking

    def _follow_link(self, url: QUrl) -> None:
        if self.found is None or self.found.graph is not self.session.graph:
            return
        one = self.found.rows[int(url.path())]
        if url.scheme() == "take":
            self.take(one)
        else:
            self.show_proposal(one)

    def show_proposal(self, one: Proposal) -> None:
        """Show it in the picture: its moves as ghosts, the dependencies that it cuts as arrows."""
        graph, edges = self.session.graph, np.array(one.edges, np.int64)
        ends = dict.fromkeys(key for move in one.moves for key in move)
        ends |= dict.fromkeys(int(key) for key in (*graph.edges.source[edges], *graph.edges.target[edges]))
        if ends:
            self.desk.reveal(*([node for node, _ in one.moves] or ends))
        shown = ShownRelations(
            "Proposal", (one_line(one.title), one_line(one.reason)), tuple(ends), edges, edges, one.moves
        )
        self.session.set_view(path=shown, impact=None, selected=())

    def take(self, one: Proposal) -> None:
        """Do it as one step of the plan, which can be undone."""
        refused = self.session.do(*one.operations, label=f"proposal: {one_line(one.title)}")
        if refused is not None:
            self.desk.say(refused)


def proposed(
    graph: Graph, heading: str, search: Search, examined: Examined, price: Price, progress: Progress
) -> FoundProposals:
    """What a search proposes, with what it costs."""
    return FoundProposals(graph, heading, tuple(price(search(replace(examined, progress=progress)), progress)))


def said_in_folders(found: Sequence[Proposal], where: PackageFolders) -> list[tuple[Proposal, Proposal]]:
    """Proposals for packages, each with the same for folders; without those that cannot be said in folders."""
    said = list[tuple[Proposal, Proposal]]()
    for one in found:
        with suppress(Refused):
            said.append((one, replace(one, operations=translated(one.operations, where).operations)))
    return said


def proposals_html(found: FoundProposals) -> Markup:
    """The list as rich text."""
    parts = [Markup("<p><b>{}</b></p>").format(found.heading)]
    if not found.rows:
        parts.append(muted("Nothing was found that betters a figure and makes none worse."))
    for number, one in enumerate(found.rows):
        taken = link(f"take:{number}", "Take it") if one.operations else Markup("")
        parts.append(
            Markup(
                "<p style='margin:8px 0 0 0'>{}</p><p class='muted' style='margin:0 0 0 10px'>{}<br>{}<br>{}</p>"
            ).format(
                link(f"proposal:{number}", one_line(one.title)), one_line(one.reason), figures_in_words(one), taken
            )
        )
    return Markup("").join(parts)
