"""Why does A reach B? The shortest chains of relations, step by step, with their places in the source (NEW-19)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
import numpy.typing as npt
from qtpy.QtCore import Qt
from qtpy.QtWidgets import QHBoxLayout, QMenu, QPushButton, QTreeWidget, QTreeWidgetItem, QVBoxLayout

from cbvtool.asking.path_text import headline, name_of, step_kinds
from cbvtool.asking.paths import Chain, ShortestPaths, by_modules, chain_nodes, shortest_paths
from cbvtool.asking.steps import steps
from cbvtool.graph import Graph
from cbvtool.progress import Progress
from cbvtool.session.change import Change
from cbvtool.view.desk import Desk
from cbvtool.view.panels.question_panel import QuestionPanel
from cbvtool.view.panels.source_panel import show_site
from cbvtool.view.toolkit.plain import Label, set_caption, set_cell_tooltip, set_tooltip
from cbvtool.view.toolkit.when_choice import WhenChoice
from cbvtool.words import one_line

EMPTY = (
    "Select two nodes and ask “How does A reach B?” (P), or one and choose “Paths from here to...” from its menu. "
    "The first one selected is A."
)
SHOWN_PLACES = 50  # of a step
GROUPED = 8  # chains from which on they are grouped by the modules that they pass
CHAINS_ROLE = int(Qt.ItemDataRole.UserRole)
KEYS_ROLE = CHAINS_ROLE + 1
SITE_ROLE = CHAINS_ROLE + 2


class PathsPanel(QuestionPanel):
    """Asks with the relations that are shown; the answer is drawn in the picture."""

    NAME, TITLE = "paths", "Paths"

    FIELD, OTHER = "path", "impact"

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._asked: tuple[str, str] | None = None  # ids of both ends
        self._relations: npt.NDArray[np.bool_] | None = None  # those that were asked about
        self.answer: ShortestPaths | None = None
        self.says = Label(EMPTY, self)
        self.says.setWordWrap(True)
        self.turn = QPushButton("Other direction", self)
        set_tooltip(self.turn, "How does B reach A?")
        self.turn.clicked.connect(self._turn)
        self.when = WhenChoice(self._restricted)
        self.imports = QPushButton("All imports", self)
        set_tooltip(self.imports, "Which imports chains may use")
        self.imports.setObjectName("menu")
        menu = QMenu(self.imports)
        self.when.add_to(menu)
        self.imports.setMenu(menu)
        self.all = QPushButton("All chains", self)
        set_tooltip(self.all, "Draw all shortest chains again")
        self.all.clicked.connect(self._draw_all)
        self.end = QPushButton("Clear", self)
        set_tooltip(self.end, "End the question (Esc)")
        self.end.clicked.connect(self.clear)
        self.tree = QTreeWidget(self)
        self.tree.setAccessibleName("Paths")
        self.tree.setHeaderLabels(["Chain", "Relations", "Places"])
        self.tree.setUniformRowHeights(True)
        self.tree.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.tree.setColumnWidth(0, 460)
        self.tree.setColumnWidth(1, 110)
        self.tree.currentItemChanged.connect(lambda item, _before: self._chosen(item))
        self.tree.itemClicked.connect(lambda item, _column: self._chosen(item))
        self.tree.itemActivated.connect(lambda item, _column: self._reveal(item))
        row = QHBoxLayout()
        row.setContentsMargins(12, 4, 8, 4)
        row.addWidget(self.says, 1)
        row.addWidget(self.imports)
        for button in (self.turn, self.all, self.end):
            button.setObjectName("small")
            row.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addLayout(row)
        column.addWidget(self.tree, 1)
        column.addStretch()
        self._offer()

    def ask(self, source: int, target: int) -> None:
        """How the node with key `source` reaches that with key `target`."""
        graph = self.session.graph
        if source == target:
            return
        self._asked = graph.ids[source], graph.ids[target]
        self._wanted = True
        self._find(source, target)

    def follow(self, changes: frozenset[Change]) -> None:
        """Another subject ends the question; another plan or other relations let it be asked again."""
        if Change.PROJECT in changes:
            self.clear()
        if self._asked is None or self._has_ended(changes):
            return
        key_of = self.session.graph.key_of
        if not all(node in key_of for node in self._asked):
            self.clear()
        elif changes & {Change.PLAN, Change.DEPTH} or self.session.scene().relations is not self._relations:
            self._find(*(key_of[node] for node in self._asked))

    def clear(self) -> None:
        """End the question."""
        self.desk.jobs.drop(self)
        self._asked = self._relations = self.answer = None
        self._drawn = False
        self.tree.clear()
        self.says.setText(EMPTY)
        self._offer()
        self.session.set_view(path=None)

    def _find(self, source: int, target: int) -> None:
        graph, scene = self.session.graph, self.session.scene()
        self._drawn = False
        self.says.setText("Looking for a path ...")
        self.tree.clear()
        if scene.graph is not graph:
            return  # that of this graph is being made, and will be told of
        self._relations = scene.relations
        self.desk.jobs.run(
            self,
            "Looking for a path",
            partial(_search, graph, self._relations, source, target, self.when.counted),
            partial(self._show, graph),
            self._failed,
            cancelled=lambda: self._failed("The search was cancelled. Ask again, or show fewer relations."),
        )

    def _restricted(self) -> None:
        """Ask again, over other imports."""
        set_caption(self.imports, "Some imports" if self.when.is_restricted else "All imports")
        key_of = self.session.graph.key_of if self._asked is not None else {}
        if self._asked is not None and all(node in key_of for node in self._asked):
            self._wanted = True
            self._find(*(key_of[node] for node in self._asked))

    def _failed(self, sentence: str) -> None:
        self.says.setText(sentence)
        self._offer()

    def _show(self, graph: Graph, found: ShortestPaths) -> None:
        self.answer = found
        more = found.total - len(found.chains)
        text = headline(graph, found) + "."
        if not found.length:
            text += " Try the other direction, or show more relations."
        self.says.setText(text + (f" The first {len(found.chains):,} are listed." if more else ""))
        self.tree.blockSignals(True)
        self.tree.addTopLevelItems(_items(graph, found.chains))
        if len(found.chains) == 1:
            self.tree.expandAll()
        self.tree.blockSignals(False)
        self._offer()
        if self._wanted:
            self._draw_all()

    def _offer(self) -> None:
        """Show what can be done."""
        self.turn.setEnabled(self._asked is not None)
        self.end.setEnabled(self._asked is not None)
        self.all.setEnabled(self.answer is not None and len(self.answer.chains) > 1)
        self.tree.setVisible(self.answer is not None and self.answer.length > 0)

    def _turn(self) -> None:
        if self._asked is not None:
            key_of = self.session.graph.key_of
            target, source = (key_of[node] for node in self._asked)
            self.ask(source, target)

    def _draw_all(self) -> None:
        found = self.answer
        self._draw(found if found is not None and found.length else None)

    def _chosen(self, item: QTreeWidgetItem | None) -> None:
        """Draw the chain of this row alone, or those that pass its modules."""
        if item is None or self.answer is None:
            return
        chains: tuple[Chain, ...] = item.data(0, CHAINS_ROLE)
        drawn = self.session.view.path
        if not isinstance(drawn, ShortestPaths) or drawn.chains != chains:
            self._draw(self.answer.only(*chains))

    def _reveal(self, item: QTreeWidgetItem) -> None:
        """Select the nodes of this row, and expand the way to them."""
        self.desk.reveal(*item.data(0, KEYS_ROLE))
        if (site := item.data(0, SITE_ROLE)) is not None:
            show_site(self.desk, *site, front=False)


def _search(
    graph: Graph,
    relations: npt.NDArray[np.bool_],
    source: int,
    target: int,
    when: Mapping[str, bool],
    progress: Progress,
) -> ShortestPaths:
    progress("looking for a path", 0, 0)
    return shortest_paths(graph, steps(graph, relations, **when), source, target, progress=progress)


def _items(graph: Graph, chains: Sequence[Chain]) -> list[QTreeWidgetItem]:
    """A row for each chain; many stand below the modules that they pass."""
    ways = by_modules(graph, chains)
    if len(chains) < GROUPED or len(ways) == len(chains) or len(ways) == 1:
        return [_chain_item(graph, chain) for chain in chains]
    found = []
    for way, members in ways.items():
        names = [graph.names[key] for key in way]
        told = [name if names.count(name) == 1 else name_of(graph, key) for name, key in zip(names, way, strict=True)]
        count = f"{len(members):,} chain{'' if len(members) == 1 else 's'}"
        top = QTreeWidgetItem([" → ".join(map(one_line, told)), count, ""])
        set_cell_tooltip(top, 0, " → ".join(one_line(graph.path(key)) for key in way))
        top.setData(0, CHAINS_ROLE, tuple(members))
        top.setData(0, KEYS_ROLE, way)
        top.addChildren([_chain_item(graph, chain) for chain in members])
        found.append(top)
    return found


def _chain_item(graph: Graph, chain: Chain) -> QTreeWidgetItem:
    """A row for a chain; below it one for each step, and below these the places."""
    nodes = chain_nodes(chain)
    names = [graph.names[key] for key in nodes]
    told = [name if names.count(name) == 1 else name_of(graph, key) for name, key in zip(names, nodes, strict=True)]
    top = _row(" → ".join(map(one_line, told)), "", "", chain, nodes)
    for step in chain:
        sites = list(dict.fromkeys(site for row in step.rows for site in graph.edges.sites(row)))
        places = [one_line(f"{graph.files[file]}:{line}") for file, line in sites]
        more = f"  +{len(places) - 1:,}" if len(places) > 1 else ""
        words = f"{name_of(graph, step.user)}  uses  {name_of(graph, step.used)}"
        item = _row(
            words,
            ", ".join(step_kinds(graph, step)),
            "".join(places[:1]) + more,
            chain,
            (step.user, step.used),
            *sites[:1],
        )
        if len(places) > 1:
            for place, site in list(zip(places, sites, strict=True))[:SHOWN_PLACES]:
                item.addChild(_row("", "", place, chain, (step.user,), site))
        top.addChild(item)
    return top


def _row(
    text: str, kinds: str, place: str, chain: Chain, keys: tuple[int, ...], site: tuple[int, int] | None = None
) -> QTreeWidgetItem:
    item = QTreeWidgetItem([text, kinds, place])
    set_cell_tooltip(item, 0, text)
    set_cell_tooltip(item, 2, place)
    item.setData(0, CHAINS_ROLE, (chain,))
    item.setData(0, KEYS_ROLE, keys)
    item.setData(0, SITE_ROLE, site)
    return item
