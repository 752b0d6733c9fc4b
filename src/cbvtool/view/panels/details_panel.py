"""The details of the selection: what it is, its values with units, and its neighbours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

import numpy as np
import numpy.typing as npt
from markupsafe import Markup
from qtpy.QtCore import QUrl, Signal
from qtpy.QtWidgets import QVBoxLayout

from cbvtool.asking.short_paths import short_path
from cbvtool.asking.shown_relations import ShownRelations
from cbvtool.drawing.call_out import places_of_rows
from cbvtool.evolution.table import sparkline
from cbvtool.geometry.state.view_state import ViewState
from cbvtool.graph import Graph
from cbvtool.graph.regroup import node_words
from cbvtool.history.knowledge import Contact
from cbvtool.metrics.history.last_change import day
from cbvtool.metrics.metric import Column, Metric
from cbvtool.session.change import Change
from cbvtool.view.desk import Desk
from cbvtool.view.panels.details_values import values_html
from cbvtool.view.panels.history.evolution_panel import EvolutionPanel
from cbvtool.view.panels.panel import Area, Panel
from cbvtool.view.panels.partners import Partner, partners
from cbvtool.view.panels.place_links import place_link, place_of_link
from cbvtool.view.panels.source_panel import read_place
from cbvtool.view.panels.style.style_panel import StylePanel
from cbvtool.view.toolkit.plain import link, muted
from cbvtool.view.toolkit.text_browser import TextBrowser
from cbvtool.view.toolkit.theme import look, rich_text
from cbvtool.words import one_line

SHOWN_CONTACTS = 3
SHOWN_PLACES = 12  # of a relation
SHOWN_VERSIONS = 16  # in a small line
SHOWN_NAMES = 3  # of the way to a neighbour; its tooltip has all
NOTHING = "Click a segment to see its values and neighbours."
CLOSED = "Nothing is open yet: open a folder, or try the sample project."
MENU = Markup("A right click offers all that can be done with it, such as <i>Who is affected?</i>")
STARTS = (
    ("command:findings", "Findings", "what is worth a look, the most important first"),
    ("command:preset_2", "Hot spots", "complex code that changes often"),
    ("command:show_files", "Every file", "each a block of its own"),
    ("style:history", "Time range", "of the history that counts, under Style"),
    ("command:search", "Search", "by name, kind, place or measure"),
    ("command:shortcuts", "All shortcuts", "of keys and mouse"),
)  # address, what it says, about what: where to look first


class DetailsPanel(Panel):
    """Follows the selection; a click on a neighbour selects it."""

    NAME, TITLE = "details", "Details"
    AREA = Area.RIGHT
    SHOWN = True
    ALWAYS = True

    chosen = Signal(int)
    command_asked = Signal(str)  # name of a command
    style_asked = Signal(str)  # what to point at in the Style panel

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._metrics = self.session.metrics
        self._selected: tuple[int, ...] = ()  # what is told of
        self._called_out: ShownRelations | None = None  # likewise
        self._relations: npt.NDArray[np.bool_] | None = None  # those of the picture, which may come late
        self._about: list[str] = []  # ids of what is told of
        self._noted = self.session.notes.all  # what is pinned to nodes, as told
        self.text = TextBrowser("Details", self)
        self.text.anchorClicked.connect(self._follow)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.text)
        self.chosen.connect(desk.reveal)
        self.command_asked.connect(desk.do)
        self.style_asked.connect(lambda what: desk.show(StylePanel).point_at(what))

    def follow(self, changes: frozenset[Change]) -> None:
        """Tell of another selection, or of the same one in another plan."""
        view = self.session.view
        if changes & {Change.PROJECT, Change.DEPTH, Change.TRACE}:
            self.show_metrics(self.session.metrics)
        is_noted = Change.FILE in changes and self._noted is not self.session.notes.all
        if (
            is_noted
            or changes & {Change.PLAN, Change.TRACE}
            or (Change.VIEW in changes and view.drag is None and self._is_other())
        ):
            self.show_selection()

    def _is_other(self) -> bool:
        """Whether something else is selected, or other relations are shown, than what is told of."""
        view = self.session.view
        return (view.selected, call_out_of(view)) != (self._selected, self._called_out) or (
            self.session.scene().relations is not self._relations
        )

    def values_came(self) -> None:
        """Show them."""
        self.show_selection()

    def show_selection(self) -> None:
        """Tell of what is selected."""
        if not self.session.is_open:
            self.show_nothing()
            return
        scene = self.session.scene()
        self._selected, self._relations = self.session.view.selected, scene.relations
        self._called_out = call_out_of(self.session.view)
        self.show_metrics(scene.values.metrics)
        self.show_keys(
            scene.graph,
            scene.values,
            self._selected,
            scene.relations,
            scene.values.missing(),
            self.session.people.ask_about(self._selected),
            self._called_out,
        )

    def restyle(self) -> None:
        """Take the style sheet of the text in another theme."""
        self.text.restyle(rich_text(look(self.desk.settings.theme)))
        self.show_selection()

    def show_metrics(self, metrics: Mapping[str, Metric]) -> None:
        """List these metrics from the next selection on."""
        self._metrics = metrics

    def show_nothing(self) -> None:
        """Nothing is open."""
        self._about = []
        self.text.show_html(muted(CLOSED))

    def show_opening(self, what: str) -> None:
        """Nothing is open yet, but something will be."""
        self._about = []
        self.text.show_html(muted(f"{what} ..."))

    def show_starts(self) -> None:
        """Nothing is selected: say where one may begin."""
        self._about = []
        row = Markup("<p>{}<br><span class='muted'>{}</span></p>")
        rows = Markup("").join(row.format(link(address, name), what) for address, name, what in STARTS)
        self.text.show_html(Markup("<p class='muted'>{} {}</p><h4>Where to begin</h4>{}").format(NOTHING, MENU, rows))

    def show_keys(
        self,
        graph: Graph,
        values: Mapping[str, Column],
        keys: Sequence[int],
        relations: npt.NDArray[np.bool_] | None = None,
        pending: Collection[str] = (),
        contacts: Sequence[tuple[str, Contact]] = (),
        called_out: ShownRelations | None = None,
    ) -> None:
        """Show the selected nodes.

        values     metric name -> float64[n] by key
        relations  bool[m]: those that are shown; None = all
        pending    metrics that are still being measured
        contacts   (name, what is known) of who may be asked, the best first
        called_out  the relation between them that is shown alone
        """
        if not keys:
            self.show_starts()
            return
        parts = [self._heading(graph, keys)] if called_out is None else [relation_html(graph, called_out)]
        self._noted = self.session.notes.all
        if len(keys) == 1 and (note := self._noted.get(graph.ids[keys[0]])):
            parts.append(Markup("<p><b>Note:</b> {}</p>").format(note))
        if len(keys) == 1:
            parts.append(values_html(graph, self._metrics.values(), values, keys[0], pending))
            if self.session.time_ranges.changes is not None:
                parts.append(_over_time(self.desk.panel(EvolutionPanel).over_time(keys[0])))
        found = partners(graph, keys, relations)
        parts.append(self._partners(graph, "Uses", found.uses, found.count_uses))
        parts.append(self._partners(graph, "Used by", found.used_by, found.count_used_by))
        if len(found.inside):
            parts.append(muted(f"{_count(len(found.inside), 'relation')} inside"))
        if contacts:
            parts.append(_contacts(contacts))
        about = [graph.ids[key] for key in keys]
        show = self.text.update_html if about == self._about else self.text.show_html
        self._about = about
        show(Markup("").join(parts))

    def _heading(self, graph: Graph, keys: Sequence[int]) -> Markup:
        if len(keys) > 1:
            names = ", ".join(graph.names[key] for key in keys[:6]) + (", ..." if len(keys) > 6 else "")
            return Markup("<h3>{:,} selected</h3><p class='muted'>{}</p>").format(len(keys), names)
        key = keys[0]
        place = node_words(graph, key)
        line = f", line {graph.line[key]:,}" if graph.line[key] > 0 else ""
        if place.startswith("plan:"):
            place = f"new, in {graph.path(int(graph.parent[key]))}"
        kind = graph.kind(key).capitalize()
        return Markup("<h3>{}</h3><p class='muted' style='margin:0'>{} &nbsp;·&nbsp; {}{}</p>").format(
            graph.names[key], kind, place, line
        )

    def _partners(self, graph: Graph, title: str, found: tuple[Partner, ...], count: int) -> Markup:
        if not found:
            return Markup("<h4>{}</h4><p class='muted' style='margin:0'>nothing outside</p>").format(title)
        row = Markup("<tr><td>{}</td><td align='right' class='muted' style='padding-left:10px'>{:,}</td></tr>")
        rows = Markup("").join(
            row.format(link(f"key:{p.key}", _short(graph, p.key), tip=node_words(graph, p.key)), p.relations)
            for p in found
        )
        more = count - len(found)
        rest = muted(f"and {more:,} more") if more > 0 else ""
        heading = Markup("<h4>{} {}</h4>").format(title, _count(count, "node"))
        return Markup("{}<table cellspacing='0' width='100%'>{}</table>{}").format(heading, rows, rest)

    def _follow(self, url: QUrl) -> None:
        asked = {"command": self.command_asked, "style": self.style_asked}
        if (place := place_of_link(url)) is not None:
            read_place(self.desk, *place)
        elif url.scheme() == "key":
            self.chosen.emit(int(url.path()))
        elif url.scheme() in asked:
            asked[url.scheme()].emit(url.path())


def call_out_of(view: ViewState) -> ShownRelations | None:
    """The relation that is shown alone since a click on it; None = there is none."""
    path = view.path
    return path if isinstance(path, ShownRelations) and path.passing else None


def relation_html(graph: Graph, shown: ShownRelations) -> Markup:
    """A relation: its ends, how many of which kind there are, and its places, to be read by a click."""
    names = [one_line(graph.names[key] or graph.name) for key in (shown.ends[0], shown.ends[-1])]
    kinds = Counter(graph.edges.kind[shown.rows].tolist()).most_common()
    told = ", ".join(f"{count:,} {graph.edges.kind_names[kind]}" for kind, count in kinds)
    places = places_of_rows(graph, shown.rows)
    row = Markup("<tr><td>{}</td></tr>")
    rows = Markup("").join(
        row.format(place_link(path, line, f"{short_path(one_line(path))}:{line}"))
        for path, line in places[:SHOWN_PLACES]
    )
    more = len(places) - SHOWN_PLACES
    rest = link("command:relations", f"and {more:,} more: list them") if more > 0 else Markup("")
    return Markup(
        "<h3>{} uses {}</h3><p class='muted' style='margin:0'>{}: {}</p>"
        "<h4>{}</h4><table cellspacing='0' width='100%'>{}</table>{}"
    ).format(*names, _count(len(shown.rows), "relation"), told, _count(len(places), "place"), rows, rest)


def _contacts(contacts: Sequence[tuple[str, Contact]]) -> Markup:
    """Who may be asked, and what usually changes with the selection."""
    row = Markup("<tr><td>{}</td><td align='right' class='muted' style='padding-left:10px'>{}</td></tr>")
    rows = Markup("").join(
        row.format(
            one_line(name),
            f"{_count(contact.commits, 'commit')} ({contact.share:.0%}), {day(contact.last)}"
            + (", quiet" if contact.quiet else ""),
        )
        for name, contact in contacts[:SHOWN_CONTACTS]
    )
    return Markup("<h4>Whom to ask</h4><table cellspacing='0' width='100%'>{}</table><p>{}</p>").format(
        rows, link("command:changes_with", "What usually changes with this?")
    )


def _over_time(figures: Sequence[tuple[str, Sequence[float]]] | None) -> Markup:
    """A small line of each figure over earlier versions; what reads them, where that was not done."""
    if figures is None:
        return Markup("<p>{}</p>").format(link("command:look_back", "How did it come to this? Read earlier versions"))
    if not figures:
        return muted("Nothing of it changed over the versions that were read.")
    row = Markup(
        "<tr><td class='muted'>{}</td><td class='muted' style='padding-left:8px; font-size:9px; white-space:nowrap'>{}"
        "</td><td align='right'>{:,.0f}</td></tr>"
    )
    rows = Markup("").join(row.format(name, sparkline(thinned(values)), values[-1]) for name, values in figures)
    count = _count(len(figures[0][1]), "version")
    return Markup("<h4>Over {}</h4><table cellspacing='0' width='100%'>{}</table>").format(count, rows)


def thinned(values: Sequence[float]) -> list[float]:
    """At most `SHOWN_VERSIONS` of them, evenly, the first and the last among them."""
    rows = np.linspace(0, len(values) - 1, min(len(values), SHOWN_VERSIONS)).round().astype(int)
    return [values[row] for row in rows.tolist()]


def _short(graph: Graph, key: int) -> str:
    """Where a node lies, the way to it left out where that is long."""
    names = [graph.names[above] for above in (key, *graph.ancestors(key)) if above != graph.root][::-1]
    shown = names if len(names) <= SHOWN_NAMES else ["…", *names[1 - SHOWN_NAMES :]]
    return " > ".join(map(one_line, shown)) or graph.path(key)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
