"""What is worth a look, the most important first; a click shows it in the picture and nothing else (NEW-21)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup
from qtpy.QtCore import QUrl
from qtpy.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QVBoxLayout

from cbvtool.asking.shown_relations import ShownRelations
from cbvtool.findings.finding import Examined, Finding
from cbvtool.findings.hot_spots import headline
from cbvtool.findings.kinds import KINDS
from cbvtool.findings.ranked import findings
from cbvtool.graph import Graph
from cbvtool.mining.changes import Changes
from cbvtool.progress import Progress
from cbvtool.rules import Rules
from cbvtool.session.change import Change
from cbvtool.view.desk import Desk
from cbvtool.view.panels.panel import Area, Panel
from cbvtool.view.panels.place_links import place_link, place_of_link
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


@dataclass(frozen=True)
class FoundFindings:
    """The findings of a graph, and how few files hold how many of its changes."""

    graph: Graph
    rows: tuple[Finding, ...]
    headline: str


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
        row = QHBoxLayout()
        row.setContentsMargins(8, 4, 8, 0)
        row.addWidget(self.kind, 1)
        row.addWidget(self.tests)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(row)
        column.addWidget(self.text, 1)

    def restyle(self) -> None:
        """Take the style sheet of the text in another theme."""
        self.text.restyle(rich_text(look(self.desk.settings.theme)))

    def follow(self, changes: frozenset[Change]) -> None:
        """Look at another graph, or at the same one with its history."""
        self._look()

    def _look(self) -> None:
        project = self.session.project
        if project is None:
            return
        graph, changes, rules, tests = self.session.graph, project.changes, self.session.rules, self.tests.isChecked()
        asked = (graph, changes, rules, tests)
        if asked == self._asked:
            return
        self._asked = asked
        if self.found is None:
            self.text.show_html(muted(f"{_LOOKING} ..."))
        self.desk.jobs.run(
            self,
            _LOOKING,
            lambda progress: find(graph, changes, rules, tests, progress),
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
            self.text.show_html(findings_html(self.found, self.kind.currentData()))

    def _follow_link(self, url: QUrl) -> None:
        if (place := place_of_link(url)) is not None:
            read_place(self.desk, *place)
        elif self.found is not None and self.found.graph is self.session.graph:
            self.show_finding(self.found.rows[int(url.path())])

    def show_finding(self, one: Finding) -> None:
        """Show it in the picture: its relations alone, where it is about some; else its nodes, selected."""
        self.desk.reveal(*one.nodes)
        if one.edges:
            rows = np.array(one.edges, np.int64)
            shown = ShownRelations(WORDS[one.kind], tuple(one_line(one.title).split(": ")), one.nodes, rows)
            self.session.set_view(path=shown, impact=None, selected=())
        else:
            self.session.set_view(path=None, impact=None)


def find(graph: Graph, changes: Changes | None, rules: Rules | None, tests: bool, progress: Progress) -> FoundFindings:
    """Everything that is found."""
    examined = Examined(graph, changes, rules or Rules(), tests, progress=progress)
    return FoundFindings(graph, tuple(findings(examined)), headline(examined))


def findings_html(found: FoundFindings, kind: str = "") -> Markup:
    """The list as rich text; of one kind alone, if it is given."""
    rows = [(number, one) for number, one in enumerate(found.rows) if not kind or one.kind == kind]
    parts = [Markup("<p><b>{}.</b></p>").format(found.headline)] if found.headline and not kind else []
    if not rows:
        parts.append(muted(NOTHING if not kind else "Nothing of this kind."))
    return Markup("").join([*parts, *(_one(number, one) for number, one in rows)])


def _one(number: int, one: Finding) -> Markup:
    places: Sequence[Markup] = [place_link(path, line, f"{path}:{line}") for path, line in one.sites[:SHOWN_PLACES]]
    below = Markup(", ").join(places)
    if len(one.sites) > SHOWN_PLACES:
        below += f" and {len(one.sites) - SHOWN_PLACES:,} more"
    return Markup(
        "<p style='margin:8px 0 0 0'><span class='muted'>{}</span> {}</p>"
        "<p class='muted' style='margin:0 0 0 10px'>{}</p>"
    ).format(WORDS[one.kind], link(f"finding:{number}", one_line(one.title)), below)
