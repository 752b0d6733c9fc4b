"""Code that nothing seems to use: which nodes can be removed together, and where that judgement comes from."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from markupsafe import Markup
from qtpy.QtCore import QUrl, Signal
from qtpy.QtWidgets import QVBoxLayout

from cbvtool.graph import Graph
from cbvtool.metrics.structure.configurations import UsedIn, by_configuration
from cbvtool.metrics.structure.entry_points import ENTRY_POINTS, patterns_of
from cbvtool.metrics.structure.unused import Unused, unused
from cbvtool.rules import FILE_NAME
from cbvtool.session.change import Change
from cbvtool.view.desk import Desk
from cbvtool.view.panels.panel import Area, Panel
from cbvtool.view.toolkit.plain import link, muted
from cbvtool.view.toolkit.text_browser import TextBrowser
from cbvtool.view.toolkit.theme import look, rich_text

SHOWN = 200  # sets
SHOWN_NODES = 20  # of one set
CAUTION = (
    "Candidates, to be looked at: calls that no analysis sees (reflection, templates, names in configuration, the "
    "public functions of a library) make things look unused that are not."
)
NO_ENTRY = (
    f"No entry point is known, so nothing can be told to be unused. Name what is used from outside in {FILE_NAME}, "
    "under [analysis] as entry_points; the manual shows how."
)


class UnusedPanel(Panel):
    """Sets of unused nodes, the largest first; a click on one asks to select it."""

    NAME, TITLE = "unused", "Unused"
    AREA = Area.RIGHT

    chosen = Signal(object)  # tuple of keys

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._sets: Sequence[Unused] = ()
        self._sides: Sequence[UsedIn] = ()
        self._listed: Graph | None = None  # whose unused code is listed, or being looked for
        self.text = TextBrowser("Unused code", self)
        self.text.anchorClicked.connect(self._follow)
        self.chosen.connect(lambda keys: desk.reveal(*keys))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.text)

    def restyle(self) -> None:
        """Take the style sheet of the text in another theme."""
        self.text.restyle(rich_text(look(self.desk.settings.theme)))

    def follow(self, changes: frozenset[Change]) -> None:
        """List the unused code of another graph."""
        if Change.PLAN in changes:
            self._find(self.session.graph)

    def _find(self, graph: Graph) -> None:
        if graph is self._listed:
            return
        self._listed = graph
        self._say("Looking for unused code ...")
        self.desk.jobs.run(
            self,
            "Looking for unused code",
            lambda progress: (
                unused(graph, patterns_of(graph), progress),
                by_configuration(graph, graph.report.configurations, progress),
            ),
            lambda found: self._found(graph, *found),
            self._say,
            cancelled=lambda: self._say("The search was cancelled: it begins again when the plan or the code changes."),
        )

    def _found(self, graph: Graph, found: Sequence[Unused] | None, sides: Sequence[UsedIn]) -> None:
        self._sides = sides
        below = sides_html(graph, sides)
        if found is None:
            self._show((), muted(NO_ENTRY) + below)
        else:
            self._show(found, unused_html(graph, found) + below)

    def _say(self, sentence: str) -> None:
        self._show((), muted(sentence))

    def _show(self, sets: Sequence[Unused], html: Markup) -> None:
        self._sets = sets
        self.text.show_html(html)

    def _follow(self, url: QUrl) -> None:
        if url.scheme() == "set":
            self.chosen.emit(self._sets[int(url.path())].keys)
        elif url.scheme() == "side":
            self.chosen.emit(self._sides[int(url.path())].keys)
        else:
            self.chosen.emit((int(url.path()),))


def unused_html(graph: Graph, sets: Sequence[Unused]) -> Markup:
    """The list as rich text."""
    count = f"{len(sets):,} unused set{'' if len(sets) == 1 else 's'}" if sets else "Nothing unused"
    parts = [Markup("<h3>{}</h3>").format(count)]
    if sets:
        parts.append(Markup("<p class='muted' style='margin:0'>{}</p>").format(CAUTION))
    parts += [_one(graph, row, one) for row, one in enumerate(sets[:SHOWN])]
    if len(sets) > SHOWN:
        parts.append(muted(f"and {len(sets) - SHOWN:,} smaller ones"))
    own = " ".join(graph.report.entry_points) or "none"
    parts.append(
        Markup(
            "<h4>Entry points</h4><p class='muted' style='margin:0'>{}: {}</p>"
            "<p class='muted' style='margin:4px 0 0 0'>Built in: {}</p>"
        ).format(FILE_NAME, own, " ".join(ENTRY_POINTS))
    )
    return Markup("").join(parts)


def sides_html(graph: Graph, sides: Sequence[UsedIn]) -> Markup:
    """What which of the configurations use, or how to name some."""
    if not graph.report.configurations:
        return muted(f"Ways of putting the code to use are told side by side: {FILE_NAME}, [analysis.configurations].")
    lines = [Markup("<h4>Configurations</h4>")]
    lines += [
        Markup("<p style='margin:0'>{}</p><p class='muted' style='margin:0 0 4px 10px'>{}</p>").format(
            link(f"side:{row}", one.words), one.size
        )
        for row, one in enumerate(sides)
    ]
    return Markup("").join(lines)


def _one(graph: Graph, row: int, one: Unused) -> Markup:
    heads = set(one.heads)
    keys = sorted(one.keys, key=lambda key: key not in heads)[:SHOWN_NODES]  # each in the order of the tree
    heading = Markup("<h4>{}</h4>").format(link(f"set:{row}", str(one.size)))
    parts = [heading, _nodes(graph, [key for key in keys if key in heads])]
    if rest := [key for key in keys if key not in heads]:
        parts += [Markup("<p style='margin:2px 0 0 0'>then</p>"), _nodes(graph, rest)]
    if len(one.keys) > SHOWN_NODES:
        more = len(one.keys) - SHOWN_NODES
        parts.append(Markup("<p class='muted' style='margin:0'>and {:,} more</p>").format(more))
    return Markup("").join(parts)


def _nodes(graph: Graph, keys: Sequence[int]) -> Markup:
    """Names as links under the folder that they lie in."""
    parts = []
    for folder, group in groupby(keys, key=lambda key: int(graph.parent[_file(graph, key)])):
        names = Markup(", ").join(link(f"node:{key}", _name(graph, folder, key)) for key in group)
        parts.append(Markup("<p class='muted' style='margin:0'>{}</p>").format(graph.path(folder)))
        parts.append(Markup("<p style='margin:0 0 0 10px'>{}</p>").format(names))
    return Markup("").join(parts)


def _file(graph: Graph, key: int) -> int:
    """The file that `key` lies in, itself without one."""
    return next((above for above in (key, *graph.ancestors(key)) if graph.kind(above) == "file"), key)


def _name(graph: Graph, folder: int, key: int) -> str:
    """`a.py > f`: from below the folder on."""
    chain = [key]
    while (above := int(graph.parent[chain[-1]])) != folder:
        chain.append(above)
    return " > ".join(graph.names[inner] for inner in reversed(chain))
