"""What breaks the project's rules now, with the places in the source, and what the plan changes about it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import numpy.typing as npt
from markupsafe import Markup
from qtpy.QtCore import QUrl, Signal
from qtpy.QtWidgets import QVBoxLayout

from cbvtool.asking.shown_relations import ShownRelations
from cbvtool.graph import Graph
from cbvtool.plan import History
from cbvtool.rules import FILE_NAME, Rules, Violation
from cbvtool.rules.rule_kinds import words_of
from cbvtool.rules.rules_edit import RulePlace, places_of, rule_at
from cbvtool.rules.unmatched import UnmatchedName
from cbvtool.rules.violations import judged_rules
from cbvtool.session.change import Change
from cbvtool.session.planning.steps import FoundBroken
from cbvtool.view.desk import Desk
from cbvtool.view.panels.panel import Area, Panel
from cbvtool.view.panels.place_links import place_link, place_of_link
from cbvtool.view.panels.rules.rule_editor import RuleEditor
from cbvtool.view.panels.source_panel import read_place
from cbvtool.view.toolkit.plain import link, muted
from cbvtool.view.toolkit.text_browser import TextBrowser
from cbvtool.view.toolkit.theme import look, rich_text
from cbvtool.words import one_line

NO_RULES = (
    f"This project states no rules. They stand in a file {FILE_NAME} in its folder: layers, what must not use what, "
    "what may be used from outside. The manual shows how."
)
HOW = "Select what a rule is about first: a right click on it offers rules, too."
JUDGING = "The rules are being judged; this was found before:"
CANCELLED = "The rules were not judged on the present plan; this was found before:"
SHOWN = 200  # violations of one rule


class RulesPanel(Panel):
    """Violations by rule; a click on one shows it alone, one on a place asks to read it; rules can be edited."""

    NAME, TITLE = "rules", "Rules"
    AREA = Area.RIGHT
    SHOWN = True
    ALWAYS = True

    place_chosen = Signal(str, int)  # file and line

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._planned: tuple[History | None, Rules | None] = (None, None)  # what is shown
        self._now: Sequence[Violation] = ()
        self._places: list[RulePlace] = []
        self._broken = Markup("")  # what was found broken last
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
            if (judging := session.judging_rules()) is None:
                self.desk.jobs.drop(self)
                self._show_present()
            else:
                self._judge(judging)

    def _judge(self, judging: Callable[[], FoundBroken]) -> None:
        """Chains take long to find: what was found last stays till they are, below the rules as they are now."""
        self._show_all(JUDGING)
        self.desk.jobs.run(
            self,
            "Judging the rules",
            lambda _progress: judging(),
            self._judged,
            self._show_all,
            cancelled=lambda: self._show_all(CANCELLED),
        )

    def _judged(self, found: FoundBroken) -> None:
        self.session.rules_judged(found)
        if self.session.judging_rules() is None:
            self._show_present()

    def _show_present(self) -> None:
        session = self.session
        now, today = session.violations()
        self.show_violations(session.planned, session.rules, now, today)
        self.setWindowTitle(f"{self.TITLE} ({len(now):,})" if now else self.TITLE)

    def show_violations(
        self, graph: Graph, rules: Rules | None, now: Sequence[Violation], today: Sequence[Violation]
    ) -> None:
        """Show what is broken `now`, in the target, beside what is broken `today`, without the plan."""
        self._now = now
        self._broken = violations_html(graph, now, today) if rules else muted(NO_RULES)
        self._show_all()

    def _unmatched(self) -> Sequence[UnmatchedName]:
        """Names in the rules that mean nothing in what is judged, unless the chains are still being looked for."""
        session = self.session
        if not session.rules or session.judging_rules() is not None:
            return ()
        return judged_rules(session.planned, session.rules).unmatched

    def _show_all(self, note: str = "") -> None:
        """What was found broken last, below a note, and the rules as they are now."""
        rules = self.session.rules
        self._places = places_of(rules) if rules else []
        html = muted(note) + self._broken if note else self._broken
        html = unmatched_html(self._unmatched()) + html
        if self.session.rule_editing.can_edit:
            html += rules_html(rules or Rules(), self._places)
        self.text.show_html(html)

    def _follow(self, url: QUrl) -> None:
        if (place := place_of_link(url)) is not None:
            self.place_chosen.emit(*place)
            return
        sort, number, editor = url.scheme(), url.path(), self.desk.part(RuleEditor)
        if sort == "violation" and self.desk.jobs.is_busy(self):
            self.desk.note("The rules are being judged on the present plan")
        elif sort == "violation":
            self.show_alone(self._now[int(number)])
        elif sort == "edit":
            editor.edit(self._places[int(number)])
        elif sort == "remove":
            editor.remove(self._places[int(number)])
        elif sort == "new":
            editor.make()

    def show_alone(self, one: Violation) -> None:
        """Show the relations behind a violation in the picture, and nothing else."""
        session = self.session
        rows = shown_rows(session.planned, session.graph, one.rows)
        ends = dict.fromkeys((one.source, *(linked.target for linked in one.links), one.target))
        self.desk.reveal(*ends)
        lines = (one_line(one.rule), *([one_line(one.reason)] if one.reason else []))
        session.set_view(
            path=ShownRelations("Broken rule", lines, tuple(ends), rows), impact=None, selected=(), mark_violations=True
        )


def shown_rows(planned: Graph, shown: Graph, rows: Sequence[int]) -> npt.NDArray[np.int64]:
    """Rows of `shown`, whose nodes are those of `planned`, of the relations in `rows` of `planned`."""
    wanted = np.array(rows, np.int64)
    if len(planned.edges) == len(shown.edges):
        return wanted
    code = [edges.source.astype(np.int64) << 32 | edges.target for edges in (planned.edges, shown.edges)]
    return np.flatnonzero(np.isin(code[1], code[0][wanted]))


def unmatched_html(found: Sequence[UnmatchedName]) -> Markup:
    """What guards nothing, in red and in words; what may be there unseen is told quietly."""
    shown = Markup("<p class='worse' style='margin:0 0 4px 0'>! {}</p>")
    return Markup("").join(shown.format(one.words) if one.is_fault else muted(one.words) for one in found)


def rules_html(rules: Rules, places: Sequence[RulePlace]) -> Markup:
    """The rules themselves, each with what can be done with it."""
    parts = [Markup("<h3 style='margin-top:14px'>{}</h3>").format("Rules" if places else "Begin")]
    for row, place in enumerate(places):
        rule = rule_at(rules, place)
        words = "no cycles of files" if rule is None else rule.terms.name or words_of(rule)
        edit = Markup("") if rule is None else link(f"edit:{row}", "Edit") + " · "
        parts.append(
            Markup("<p style='margin:6px 0 0 0'>{}</p><p class='muted' style='margin:0 0 0 10px'>{}{}</p>").format(
                words, edit, link(f"remove:{row}", "Remove")
            )
        )
    parts.append(Markup("<p style='margin:8px 0 0 0'>{}</p>").format(link("new:0", "New rule...")))
    parts.append(muted(HOW))
    return Markup("").join(parts)


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
    by_rule: dict[str, list[int]] = {}
    for number, violation in enumerate(now):  # those of a rule need not stand side by side
        by_rule.setdefault(violation.rule, []).append(number)
    for rule, found in by_rule.items():
        parts.append(Markup("<h4>{}</h4>").format(rule))
        if reason := now[found[0]].reason:
            parts.append(muted(reason))
        for number in found[:SHOWN]:
            v = now[number]
            parts.append(_one(graph, number, v, (v.rule, v.source, v.target) not in before))
        if len(found) > SHOWN:
            parts.append(muted(f"and {len(found) - SHOWN:,} more"))
    return Markup("").join(parts)


def _one(graph: Graph, number: int, violation: Violation, is_new: bool) -> Markup:
    sign = Markup("<span class='worse'>- new: </span>") if is_new else ""
    ends = f"{graph.path(violation.source)} → {graph.path(violation.target)}"
    one = link(f"violation:{number}", ends)
    return Markup("<p style='margin:4px 0 0 0'>{}{}</p><p class='muted' style='margin:0 0 0 10px'>{}</p>").format(
        sign, one, Markup("<br>").join(_places(graph, violation))
    )


def _places(graph: Graph, violation: Violation) -> Iterator[Markup]:
    """A line with the places of a relation, or one for each link of a chain."""
    for each in violation.links or (violation,):
        places = Markup(", ").join(place_link(path, line, f"{path}:{line}") for path, line in each.sites[:3])
        if len(each.sites) > 3:
            places += f" and {len(each.sites) - 3:,} more"
        yield Markup("{}: {}").format(graph.names[each.target], places) if violation.links else places
