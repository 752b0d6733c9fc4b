"""What breaks the project's rules now, with the places in the source, and what the plan changes about it."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import groupby

from qtpy.QtCore import QUrl, Signal
from qtpy.QtWidgets import QVBoxLayout, QWidget

from cbvtool.graph import Graph
from cbvtool.rules import FILE_NAME, Rules, Violation
from cbvtool.view.place_links import place_link, place_of_link
from cbvtool.view.text_browser import TextBrowser

NO_RULES = (
    f"This project states no rules. A file {FILE_NAME} in its folder can name layers, forbidden relations and whether "
    "cycles are allowed; the manual shows how."
)
SHOWN = 200  # violations of one rule


class RulesPanel(QWidget):
    """Violations by rule; a click on one selects both ends, one on a place asks to read it."""

    chosen = Signal(int, int)
    place_chosen = Signal(str, int)  # file and line

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.text = TextBrowser("Rules", self)
        self.text.anchorClicked.connect(self._follow)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.text)

    def restyle(self, style: str) -> None:
        """Take the style sheet of the text in another theme."""
        self.text.restyle(style)

    def show_violations(
        self, graph: Graph, rules: Rules | None, now: Sequence[Violation], today: Sequence[Violation]
    ) -> None:
        """Show what is broken `now`, in the target, beside what is broken `today`, without the plan."""
        if rules is None or rules == Rules():
            self.text.setHtml(f"<p class='muted'>{escape(NO_RULES)}</p>")
        else:
            self.text.setHtml(violations_html(graph, now, today))

    def _follow(self, url: QUrl) -> None:
        if (place := place_of_link(url)) is not None:
            self.place_chosen.emit(*place)
            return
        source, target = url.path().split("-")
        self.chosen.emit(int(source), int(target))


def violations_html(graph: Graph, now: Sequence[Violation], today: Sequence[Violation]) -> str:
    """The list as rich text. A change is told by its sign as well as by its colour."""
    before = {(v.rule, v.source, v.target) for v in today}
    after = {(v.rule, v.source, v.target) for v in now}
    gone, new = len(before - after), len(after - before)
    count = f"{len(now):,} violation{'' if len(now) == 1 else 's'}" if now else "No violations"
    parts = [f"<h3>{count}</h3>"]
    if gone:
        parts.append(f"<p class='better' style='margin:0'>+ the plan ends {gone:,}</p>")
    if new:
        parts.append(f"<p class='worse' style='margin:0'>- the plan adds {new:,}</p>")
    for rule, group in groupby(now, key=lambda v: v.rule):
        found = list(group)
        parts.append(f"<h4>{escape(rule)}</h4>")
        parts += [_one(graph, v, (v.rule, v.source, v.target) not in before) for v in found[:SHOWN]]
        if len(found) > SHOWN:
            parts.append(f"<p class='muted'>and {len(found) - SHOWN:,} more</p>")
    return "".join(parts)


def _one(graph: Graph, violation: Violation, is_new: bool) -> str:
    places = ", ".join(place_link(path, line, f"{path}:{line}") for path, line in violation.sites[:3])
    if len(violation.sites) > 3:
        places += f" and {len(violation.sites) - 3:,} more"
    sign = "<span class='worse'>- new: </span>" if is_new else ""
    ends = f"{escape(graph.path(violation.source))} → {escape(graph.path(violation.target))}"
    return (
        f"<p style='margin:4px 0 0 0'>{sign}<a href='pair:{violation.source}-{violation.target}'>{ends}</a></p>"
        f"<p class='muted' style='margin:0 0 0 10px'>{places}</p>"
    )
