"""Who uses whom, as a matrix: of the visible level, or of what the selected node consists of."""

from __future__ import annotations

import numpy as np
from markupsafe import Markup
from qtpy.QtCore import Qt
from qtpy.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout

from cbvtool.asking.matrix import Mask, Matrix, Things, children_of, counted, matrix, members_of, subtrees_of
from cbvtool.assessment.modules import ModuleChoice
from cbvtool.assessment.places import module_column
from cbvtool.geometry.scene.scene import Scene
from cbvtool.graph import REMOVED
from cbvtool.progress import Progress
from cbvtool.rules import Rules, dependencies
from cbvtool.session.change import Change
from cbvtool.view.desk import Desk
from cbvtool.view.panels.matrix_view import MatrixView
from cbvtool.view.panels.panel import Panel
from cbvtool.view.panels.relations_panel import RelationsPanel
from cbvtool.view.toolkit.drop_list import DropList
from cbvtool.view.toolkit.plain import Label, RichLabel, link, set_tooltip
from cbvtool.view.toolkit.theme import look

SLOW = 20_000  # relations and nodes from which on the matrix is made in a worker
LEVEL, SELECTION, CYCLE, MODULES = "Visible level", "Selection", "Cycle", "Modules"
MEANING = (
    "A row uses a column. Relations below the diagonal have the colour of users, those above it that of the used, "
    "those in a cycle the colour of violations; the stronger, the more there are. A double click on a name opens the "
    "row, one on a cell lists its relations."
)
HIERARCHY, CYCLES = "Order of the hierarchy", "Cycles together"


def tangle_in(made: Matrix) -> int:
    """How many rows the largest cycle has: of modules, the tangle of the assessment."""
    return int(np.bincount(made.cycle[made.cycle >= 0], minlength=1).max())


class MatrixPanel(Panel):
    """Follows the view; what is selected in the matrix itself does not change what it shows."""

    NAME, TITLE = "matrix", "Matrix"
    TOGETHER = True

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._made_of: tuple[object, ...] = ()
        self._scope: tuple[int, ...] = ()  # what was selected elsewhere
        self._things: Things | None = None
        self._matrix: Matrix | None = None
        self._members: tuple[int, ...] = ()  # of the cycle that is shown
        self._cycle = -1  # the block of the order that was shown last
        self._awaits_cycle = False  # one is to be shown once the matrix is made
        self.scope = self._combo((LEVEL, SELECTION, CYCLE, MODULES), "What the rows and columns are")
        self.order = self._combo((HIERARCHY, CYCLES), "In which order they stand")
        self.count = RichLabel(self)
        self.count.setObjectName("muted")
        set_tooltip(self.count, MEANING)
        self.count.linkActivated.connect(lambda _link: self.next_cycle())
        self.fit = QPushButton("Fit", self)
        self.fit.setObjectName("small")
        set_tooltip(self.fit, "Show all of the matrix (Home)")
        self.fit.setAccessibleName("Show all of the matrix")
        self.view = MatrixView(self)
        self.view.chosen.connect(self._select)
        self.view.opened.connect(self._list)
        self.view.unfolded.connect(self._unfold)
        self.fit.clicked.connect(lambda _checked=False: self.view.fit())
        self.hint = Label("", self)
        self.hint.setObjectName("muted")
        self.hint.setWordWrap(True)
        self.hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        bar = QHBoxLayout()
        bar.setContentsMargins(12, 4, 8, 4)
        bar.setSpacing(8)
        bar.addWidget(self.scope)
        bar.addWidget(self.order)
        bar.addWidget(self.count, 1)
        bar.addWidget(self.fit)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(bar)
        layout.addWidget(self.view, 1)
        layout.addWidget(self.hint, 1)
        self.setMinimumSize(320, 150)
        self._show(None, None)

    def _combo(self, names: tuple[str, ...], tip: str) -> DropList:
        combo = DropList(self)
        combo.addItems(names)
        set_tooltip(combo, tip)
        combo.setAccessibleName(tip)
        combo.currentIndexChanged.connect(lambda _row: self._refresh())
        return combo

    def follow(self, changes: frozenset[Change]) -> None:
        """Show the matrix of the present view."""
        if self.session.view.drag is None:
            self._refresh()

    def restyle(self) -> None:
        """Take the colours of the other theme."""
        self.view.restyle(self.desk.settings.theme)
        self._say_count()

    def _refresh(self) -> None:
        if not self.session.is_open or not self.is_seen:
            return
        scene = self.session.scene()
        selected = self.session.view.selected
        if self._things is None or not np.isin(selected, self._things.key).all() or not selected:
            self._scope = selected
        scope = self.scope.currentText()
        own = {SELECTION: self._scope, CYCLE: self._members, MODULES: ()}.get(scope)
        by_cycles = self.order.currentText() == CYCLES
        choice = self.session.view.modules if scope in (CYCLE, MODULES) else None
        made_of = (scene.graph, scene.relations, scene.tree if own is None else None, own, by_cycles, scope, choice)
        values = (tuple, bool, str, ModuleChoice)
        if len(made_of) != len(self._made_of) or not all(
            a is b or (isinstance(b, values) and a == b) for a, b in zip(self._made_of, made_of, strict=True)
        ):
            self._made_of = made_of
            self._make(scene, own, by_cycles, scope)
        self._mark()

    def _make(self, scene: Scene, own: tuple[int, ...] | None, by_cycles: bool, scope: str) -> None:
        graph, relations, tree = scene.graph, scene.relations, scene.tree
        tops, base = self.session.topmost(own or ()), self.session.base
        rules, choice, root = self.session.rules or Rules(), self.session.view.modules, self.session.view.root
        root = root if root < len(base) else base.root

        def work(_progress: Progress) -> tuple[Things, Matrix] | None:
            if own is None:
                leaves = np.flatnonzero(tree.leaf)
                item = np.full(len(tree) + 1, -1, np.int32)  # the last row: of what is not shown
                item[leaves] = np.arange(len(leaves), dtype=np.int32)
                things = Things(tree.key[leaves], tree.slot[leaves], item[tree.represent])
            elif scope in (CYCLE, MODULES):
                module = module_column(base, graph, rules, choice, root)
                there = [key for key in own if key < len(graph) and graph.parent[key] != REMOVED]
                if scope == MODULES:
                    there = np.unique(module[module >= 0]).tolist()
                    return things_of(members_of(graph, there, module), dependencies(graph, type_checking=False))
                things = members_of(graph, there, module)
            elif len(tops) == 1:
                things = children_of(graph, tops[0], relations)
            else:
                things = subtrees_of(graph, tops)
            return things_of(things, relations)

        def things_of(things: Things, counting: Mask) -> tuple[Things, Matrix] | None:
            if len(things.key) < 2:
                return None
            return things, matrix(graph.edges, things, counting, by_cycles=by_cycles)

        def show(made: tuple[Things, Matrix] | None) -> None:
            self._show(*(made or (None, None)))

        if len(graph) + len(graph.edges) > SLOW:
            self.desk.jobs.run(self, "Counting relations", work, show, self.desk.say, cancelled=lambda: show(None))
        else:
            show(work(lambda *_: None))

    def _show(self, things: Things | None, made: Matrix | None) -> None:
        self._things, self._matrix = things, made
        self.view.show_matrix(self.session.graph if made is not None else None, made)
        self._mark()
        self.view.setVisible(made is not None)
        self.hint.setVisible(made is None)
        wanted = self.scope.currentText() == SELECTION
        no_cycle = 'Choose "Show in the matrix" at a cycle in the panel Findings.'
        self.hint.setText(
            "Select a folder or a file with several parts, or two nodes, to see who uses whom among them."
            if wanted
            else no_cycle
            if self.scope.currentText() == CYCLE
            else "There are fewer than two things to compare: expand a segment with E."
        )
        self.fit.setEnabled(made is not None)
        self._cycle = -1
        self._say_count()
        if self._awaits_cycle and made is not None:
            self._bring_cycle()

    def _mark(self) -> None:
        """Mark what is selected, or the row that it lies in."""
        selected, things = self.session.view.selected, self._things
        rows: set[int] = set()
        if things is not None and len(things.item_of) > max(selected, default=-1):  # else another graph's
            items = things.item_of[list(selected)]
            rows = set(things.key[items[items >= 0]].tolist())
        self.view.show_selected(frozenset(selected) | rows)

    def _say_count(self) -> None:
        """How much there is; what is in cycles has the colour of these cells."""
        if self._matrix is None:
            self.count.show_html(Markup(""))
            return
        made, ink = self._matrix, look(self.desk.settings.theme).warning
        cycles = int(made.cycle.max(initial=-1)) + 1
        told = f"{cycles:,} cycle{'' if cycles == 1 else 's'}"
        if self.scope.currentText() == MODULES and cycles:
            told += f", tangle {tangle_in(made):,}"
        last = (
            Markup("<span style='color: {}'>&#9632;</span> {}").format(ink, link("cycle:0", told))
            if cycles
            else "no cycle"
        )
        rows, relations = len(made), int(made.count.sum())
        self.count.show_html(Markup("{:,} rows, {:,} relations, {}").format(rows, relations, last))

    def next_cycle(self) -> None:
        """Show the next cycle: its rows stand together, in sight, with readable numbers."""
        self._bring_cycle()

    def show_cycle(self, keys: tuple[int, ...]) -> None:
        """Show the matrix of the members of a cycle alone, in an order that keeps them together."""
        self._members = keys
        self.order.setCurrentText(CYCLES)
        self.scope.setCurrentText(CYCLE)
        self._awaits_cycle = True
        self._refresh()

    def _bring_cycle(self) -> None:
        if self.order.currentText() != CYCLES:
            self._awaits_cycle = True
            self.order.setCurrentText(CYCLES)  # which makes it anew
            return
        self._awaits_cycle = False
        blocks = self._matrix.blocks if self._matrix is not None else ()
        if blocks:
            self._cycle = (self._cycle + 1) % len(blocks)
            self.view.show_block(*blocks[self._cycle])

    def _select(self, keys: tuple[int, ...], _cell: tuple[int, int] | None) -> None:
        self.session.select(keys)

    def _unfold(self, key: int) -> None:
        """Its parts in place of a row, as in the picture; its siblings again where it has been opened before."""
        graph, session = self.session.graph, self.session
        if self.scope.currentText() == LEVEL:
            session.toggle(key)
        elif len(graph.children(key)):
            self._scope = (key,)
            self.scope.setCurrentText(SELECTION)
            self._refresh()

    def _list(self, row: int, column: int) -> None:
        """Show the relations of a cell in the list."""
        if self._matrix is None or self._things is None:
            return
        graph, item_of = self.session.graph, self._things.item_of
        relations = counted(graph.edges, self.session.scene().relations)
        ends = [self._item(row), self._item(column)]
        rows = np.flatnonzero(
            relations & (item_of[graph.edges.source] == ends[0]) & (item_of[graph.edges.target] == ends[1])
        )
        self.desk.show(RelationsPanel).show_rows(int(self._matrix.key[row]), int(self._matrix.key[column]), rows)

    def _item(self, at: int) -> int:
        """The thing that stands at a position of the matrix."""
        assert self._matrix is not None
        assert self._things is not None
        same = (self._things.key == self._matrix.key[at]) & (self._things.own == self._matrix.own[at])
        return int(np.flatnonzero(same)[0])
