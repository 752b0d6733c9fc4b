"""What breaks the project's rules now, with the places in the source, and what the plan changes about it."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup
from qtpy.QtCore import QUrl, Signal
from qtpy.QtWidgets import QVBoxLayout

from cbvtool.graph import Graph
from cbvtool.plan import History
from cbvtool.rules import FILE_NAME, Rules, Violation
from cbvtool.session.change import Change
from cbvtool.view.desk import Desk
from cbvtool.view.panels.panel import Area, Panel
from cbvtool.view.panels.place_links import place_link, place_of_link
from cbvtool.view.panels.source_panel import read_place
from cbvtool.view.toolkit.plain import link, muted
from cbvtool.view.toolkit.text_browser import TextBrowser
from cbvtool.view.toolkit.theme import look, rich_text

NO_RULES = (
    f"This project states no rules. A file {FILE_NAME} in its folder can name layers, forbidden relations and whether "
    "cycles are allowed; the manual shows how."
)
SHOWN = 200  # violations of one rule


class RulesPanel(Panel):
    """Violations by rule; a click on one selects both ends, one on a place asks to read it."""

    NAME, TITLE = "rules", "Rules"
    AREA = Area.RIGHT
    SHOWN = True
    ALWAYS = True

    chosen = Signal(int, int)
    place_chosen = Signal(str, int)  # file and line

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._planned: tuple[History | None, Rules | None] = (None, None)  # what is shown
        self.chosen.connect(lambda source, target: self.session.select((source, target)))
        self.place_chosen.connect(lambda file, line: read_place(desk, file, line))
        self.text = TextBrowser("Rules", self)
        self.text.anchorClicked.connect(self._follow)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.text)

    def restyle(self) -> None:
        """Take the style sheet of the text in another theme."""
        self.text.restyle(rich_text(look(self.desk.settings.theme)))

    def follow(self, changes: frozenset[Change]) -> None:
        """Show what another plan breaks; in another hierarchy it is the same."""
        session = self.session
        if changes & {Change.PLAN, Change.TRACE} and (session.history, session.rules) != self._planned:
            self._planned = session.history, session.rules
            now, today = session.violations()
            self.show_violations(session.planned, session.rules, now, today)
            self.setWindowTitle(f"{self.TITLE} ({len(now):,})" if now else self.TITLE)

    def show_violations(
        self, graph: Graph, rules: Rules | None, now: Sequence[Violation], today: Sequence[Violation]
    ) -> None:
        """Show what is broken `now`, in the target, beside what is broken `today`, without the plan."""
        if rules is None or rules == Rules():
            self.text.show_html(muted(NO_RULES))
        else:
            self.text.show_html(violations_html(graph, now, today))

    def _follow(self, url: QUrl) -> None:
        if (place := place_of_link(url)) is not None:
            self.place_chosen.emit(*place)
            return
        source, target = url.path().split("-")
        self.chosen.emit(int(source), int(target))


def violations_html(graph: Graph, now: Sequence[Violation], today: Sequence[Violation]) -> Markup:
    """The list as rich text. A change is told by its sign as well as by its colour."""
    before = {(v.rule, v.source, v.target) for v in today}
    after = {(v.rule, v.source, v.target) for v in now}
    gone, new = len(before - after), len(after - before)
    count = f"{len(now):,} violation{'' if len(now) == 1 else 's'}" if now else "No violations"
    parts = [Markup("<h3>{}</h3>").format(count)]
    if gone:
        parts.append(Markup("<p class='better' style='margin:0'>+ the plan ends {:,}</p>").format(gone))
    if new:
        parts.append(Markup("<p class='worse' style='margin:0'>- the plan adds {:,}</p>").format(new))
    by_rule: dict[str, list[Violation]] = {}
    for violation in now:  # those of a rule need not stand side by side
        by_rule.setdefault(violation.rule, []).append(violation)
    for rule, found in by_rule.items():
        parts.append(Markup("<h4>{}</h4>").format(rule))
        parts += [_one(graph, v, (v.rule, v.source, v.target) not in before) for v in found[:SHOWN]]
        if len(found) > SHOWN:
            parts.append(muted(f"and {len(found) - SHOWN:,} more"))
    return Markup("").join(parts)


def _one(graph: Graph, violation: Violation, is_new: bool) -> Markup:
    places = Markup(", ").join(place_link(path, line, f"{path}:{line}") for path, line in violation.sites[:3])
    if len(violation.sites) > 3:
        places += f" and {len(violation.sites) - 3:,} more"
    sign = Markup("<span class='worse'>- new: </span>") if is_new else ""
    ends = f"{graph.path(violation.source)} → {graph.path(violation.target)}"
    pair = link(f"pair:{violation.source}-{violation.target}", ends)
    return Markup("<p style='margin:4px 0 0 0'>{}{}</p><p class='muted' style='margin:0 0 0 10px'>{}</p>").format(
        sign, pair, places
    )
