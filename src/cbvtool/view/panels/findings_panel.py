"""What is worth a look, the most important first; a click shows it in the picture and nothing else (NEW-21)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from markupsafe import Markup
from qtpy.QtCore import QTimer, QUrl
from qtpy.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QVBoxLayout

from cbvtool.asking.short_paths import short_path
from cbvtool.asking.shown_relations import ShownRelations, place_to_show
from cbvtool.findings.finding import Examined, Finding
from cbvtool.findings.hot_spots import headline
from cbvtool.findings.kinds import KINDS
from cbvtool.findings.ranked import findings
from cbvtool.graph import Graph
from cbvtool.graph.regroup import node_words
from cbvtool.rules import Rules
from cbvtool.session.change import Change
from cbvtool.session.picture import is_huge
from cbvtool.view.desk import Desk
from cbvtool.view.panels.impact_panel import ImpactPanel
from cbvtool.view.panels.matrix_panel import MatrixPanel
from cbvtool.view.panels.panel import Area, Panel
from cbvtool.view.panels.place_links import place_link, place_of_link
from cbvtool.view.panels.proposals_panel import ProposalsPanel
from cbvtool.view.panels.source_panel import read_place
from cbvtool.view.toolkit.plain import link, muted, set_tooltip
from cbvtool.view.toolkit.text_browser import TextBrowser
from cbvtool.view.toolkit.theme import look, rich_text
from cbvtool.words import one_line

WORDS = {
    "violation": "Broken rule",
    "cycle": "Cycle",
    "hot-spot": "Hot spot",
    "god-file": "Large file",
    "fat-package": "Full folder",
    "entangled": "Entangled",
    "unused": "Unused",
}
ALL = "All findings"
NOTHING = "Nothing stands out: no cycles, no broken rules, no hot spots, nothing unused."
SHOWN_PLACES = 3
_LOOKING = "Looking for findings"
_PARTIAL = "Imports are known so far: hot spots, large files and unused code follow when the code has been read."
_AGAIN = "The code or the plan has changed: looking again ..."
_REST = 1000  # milliseconds without another step of the plan, after which a huge graph is looked at again


@dataclass(frozen=True)
class FoundFindings:
    """The findings of a graph, and how few files hold how many of its changes.

    partial   of its imports alone
    """

    graph: Graph
    rows: tuple[Finding, ...]
    headline: str
    partial: bool = False


class FindingsPanel(Panel):
    """Looks while somebody sees it, away from the window's thread."""

    NAME, TITLE = "findings", "Findings"
    AREA = Area.RIGHT
    SHOWN = True

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._asked: tuple[object, ...] = ()  # what was looked at, or is being looked at
        self.found: FoundFindings | None = None
        self.kind = QComboBox(self)
        self.kind.setAccessibleName("Kind of findings")
        self.kind.addItem(ALL, "")
        for kind in KINDS:
            self.kind.addItem(WORDS[kind], kind)
        self.kind.currentIndexChanged.connect(lambda _row: self._list())
        self.tests = QCheckBox("Tests", self)
        set_tooltip(self.tests, "Look at tests, too")
        self.tests.toggled.connect(lambda _on: self._look())
        self.text = TextBrowser("Findings", self)
        self.text.anchorClicked.connect(self._follow_link)
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(_REST)
        self._rest.timeout.connect(self._look)
        row = QHBoxLayout()
        row.setContentsMargins(8, 4, 8, 0)
        row.addWidget(self.kind, 1)
        row.addWidget(self.tests)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(row)
        column.addWidget(self.text, 1)

    @property
    def listed(self) -> tuple[Finding, ...]:
        """The findings of the present graph; none while they are still looked for."""
        found = self.found
        return found.rows if found is not None and found.graph is self.session.graph else ()

    def restyle(self) -> None:
        """Take the style sheet of the text in another theme."""
        self.text.restyle(rich_text(look(self.desk.settings.theme)))

    def follow(self, changes: frozenset[Change]) -> None:
        """Look at another graph, or at the same one with its history; at a huge one once the plan rests."""
        is_step = Change.PLAN in changes and not changes & {Change.PROJECT, Change.DEPTH}
        if is_step and self.found is not None and is_huge(self.session.graph):
            self._rest.start()
            self._list()
        else:
            self._look()

    def close_down(self) -> None:
        """No timer outlives the window."""
        self._rest.stop()

    def _look(self) -> None:
        project = self.session.project
        if project is None:
            return
        graph, changes, rules = self.session.graph, project.changes, self.session.rules
        self.tests.setEnabled(self.session.view.tests)  # the switch for everything comes first
        tests = self.tests.isChecked() and self.session.view.tests
        base, modules = self.session.base, self.session.view.modules
        asked, partial = (graph, changes, rules, tests, modules), project.partial
        if asked == self._asked:
            return
        self._asked = asked
        examined = Examined(graph, changes, rules or Rules(), tests, modules=modules, base=base)
        if self.found is None:
            self.text.show_html(muted(f"{_LOOKING} ..."))
        else:
            self._list()
        self.desk.jobs.run(
            self,
            _LOOKING,
            lambda progress: find(replace(examined, progress=progress), partial=partial),
            self._show,
            lambda sentence: self.text.show_html(muted(sentence)),
            cancelled=self._cancelled,
        )

    def _cancelled(self) -> None:
        self._asked = ()
        self.text.show_html(muted("The search was cancelled: it begins again when this panel is opened again."))

    def _show(self, found: FoundFindings) -> None:
        self.found = found
        self.kind.setItemText(0, f"{ALL} ({len(found.rows):,})")
        for row, kind in enumerate(KINDS, 1):
            count = sum(one.kind == kind for one in found.rows)
            self.kind.setItemText(row, f"{WORDS[kind]} ({count:,})")
        self._list()

    def _list(self) -> None:
        if self.found is not None:
            note = _AGAIN if self.found.graph is not self.session.graph else _PARTIAL if self.found.partial else ""
            self.text.show_html(findings_html(self.found, self.kind.currentData(), note))

    def _follow_link(self, url: QUrl) -> None:
        if (place := place_of_link(url)) is not None:
            read_place(self.desk, *place)
        elif self.found is not None and self.found.graph is not self.session.graph:
            self.desk.note("The findings are being looked for again")
        elif self.found is not None:
            one = self.found.rows[int(url.path())]
            if url.scheme() == "break":
                self.desk.show(ProposalsPanel).ask_cycle(one.nodes)
            elif url.scheme() == "matrix":
                self.desk.show(MatrixPanel).show_cycle(one.nodes)
            elif url.scheme() == "users":
                self.show_finding(one)
                self.desk.show(ImpactPanel).ask(one.nodes[:1])
            else:
                self.show_finding(one)

    def show_finding(self, one: Finding) -> None:
        """Show it in the picture: its relations alone, where it is about some; else its nodes, selected.

        A cycle in a small part of the ring fills the ring: the picture is restricted to what holds it.
        """
        graph = self.session.graph
        place = place_to_show(graph, one.nodes) if one.kind in ("cycle", "entangled") else graph.root
        if place != self.session.view.root:
            self.session.restrict(place)
            if place != graph.root:
                self.desk.note(f"Restricted to {one_line(graph.names[place])}; Alt+Left goes back")
        self.desk.reveal(*one.nodes)
        if one.edges:
            edges = np.array(one.edges, np.int64)
            rows, cut = (np.array(one.around, np.int64), edges) if one.around else (edges, edges[:0])
            words = tuple(title_of(graph, one).split(": "))
            shown = ShownRelations(WORDS[one.kind], words, one.nodes, rows, cut)
            self.session.set_view(path=shown, impact=None, selected=())
        else:
            self.session.set_view(path=None, impact=None)


def find(examined: Examined, *, partial: bool = False) -> FoundFindings:
    """Everything that is found."""
    return FoundFindings(examined.graph, tuple(findings(examined)), headline(examined), partial)


def findings_html(found: FoundFindings, kind: str = "", note: str = "") -> Markup:
    """The list as rich text, below a note; of one kind alone, if it is given."""
    rows = [(number, one) for number, one in enumerate(found.rows) if not kind or one.kind == kind]
    parts = [muted(note)] if note else []
    if found.headline and not kind:
        parts.append(Markup("<p><b>{}.</b></p>").format(found.headline))
    if not rows and not found.partial:
        parts.append(muted(NOTHING if not kind else "Nothing of this kind."))
    return Markup("").join([*parts, *(_one(found.graph, number, one) for number, one in rows)])


def title_of(graph: Graph, one: Finding) -> str:
    """The title with long paths cut where they are alike."""
    title = one_line(one.title)
    for path in sorted((one_line(node_words(graph, key)) for key in one.nodes[:2]), key=len, reverse=True):
        title = title.replace(path, short_path(path)) if path else title
    return title


def _one(graph: Graph, number: int, one: Finding) -> Markup:
    places: Sequence[Markup] = [
        place_link(path, line, f"{short_path(path)}:{line}") for path, line in one.sites[:SHOWN_PLACES]
    ]
    below = [Markup(", ").join(places)] if places else []
    if len(one.sites) > SHOWN_PLACES:
        below[0] += f" and {len(one.sites) - SHOWN_PLACES:,} more"
    if one.kind == "cycle":
        below.append(
            Markup("{} · {}").format(
                link(f"break:{number}", "How to break it"), link(f"matrix:{number}", "Show in the matrix")
            )
        )
    elif one.kind in ("hot-spot", "god-file"):
        below.append(link(f"users:{number}", "Who depends on it?"))
    return Markup(
        "<p style='margin:8px 0 0 0'><span class='muted'>{}</span> {}</p>"
        "<p class='muted' style='margin:0 0 0 10px'>{}</p>"
    ).format(WORDS[one.kind], link(f"finding:{number}", title_of(graph, one)), Markup("<br>").join(below))
