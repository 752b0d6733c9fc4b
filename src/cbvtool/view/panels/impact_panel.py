"""Who is affected if this changes? Dependants by distance and kind of relation, tests apart, to take along (DND-10)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from itertools import groupby
from pathlib import Path

import numpy as np
import numpy.typing as npt
from markupsafe import Markup
from qtpy.QtCore import Qt
from qtpy.QtWidgets import QHBoxLayout, QMenu, QPushButton, QTreeWidget, QTreeWidgetItem, QVBoxLayout

from cbvtool.asking.impact import Dependants, counts_by_kind, impact
from cbvtool.asking.impact_export import Affected, affected, summary, to_csv, to_json, to_markdown
from cbvtool.asking.steps import Steps, steps
from cbvtool.errors import InputError
from cbvtool.formats.atomic import replacing
from cbvtool.graph import NO_DEPENDENCY, Graph
from cbvtool.progress import Progress
from cbvtool.session.change import Change
from cbvtool.view.desk import Desk
from cbvtool.view.panels.question_panel import QuestionPanel
from cbvtool.view.toolkit.drop_list import NumberField
from cbvtool.view.toolkit.file_dialogs import TABLES, ask_where
from cbvtool.view.toolkit.plain import Label, RichLabel, add_action, set_caption, set_cell_tooltip, set_tooltip
from cbvtool.view.toolkit.when_choice import WhenChoice
from cbvtool.words import one_line

EMPTY = (
    "Select what would change and press “Who is affected?” (W): its dependants are listed and highlighted by distance."
)
SHOWN = 2_000  # rows of nodes
SHOWN_STEPS = 5  # columns of the table of counts
FARTHEST = 30  # relations away
KEY_ROLE = int(Qt.ItemDataRole.UserRole)
Mask = npt.NDArray[np.bool_]


class ImpactPanel(QuestionPanel):
    """Asks with the relations that are shown; the picture highlights the answer."""

    NAME, TITLE = "impact", "Impact"

    FIELD, OTHER = "impact", "path"

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._asked: tuple[str, ...] = ()  # ids of what changes
        self._relations: Mask | None = None  # those that were asked about
        self._kinds_off: frozenset[str] = frozenset()
        self.when = WhenChoice(self._restricted)
        self.answer: Dependants | None = None
        self.says = Label(EMPTY, self)
        self.says.setWordWrap(True)
        self.ask_selected = QPushButton("Who is affected?", self)
        set_tooltip(self.ask_selected, "Ask about the selection (W)")
        self.ask_selected.clicked.connect(self._ask_selected)
        self.kinds = QPushButton("All kinds", self)
        set_tooltip(self.kinds, "Kinds of relations along which a change spreads")
        self._kinds_menu = QMenu(self.kinds)
        self.kinds.setMenu(self._kinds_menu)
        self.limit = NumberField(self)
        self.limit.setRange(0, FARTHEST)
        self.limit.setSpecialValueText("any distance")
        self.limit.setPrefix("up to ")
        self.limit.setSuffix(" away")
        self.limit.setAccessibleName("Distance")
        set_tooltip(self.limit, "Relations between what is affected and what changes")
        self.limit.valueChanged.connect(lambda _value: self._again(draw=True))
        self.export = QPushButton("Export...", self)
        set_tooltip(self.export, "What to change and to test again, as Markdown, CSV or JSON")
        self.export.clicked.connect(self._ask_file)
        self.end = QPushButton("Clear", self)
        set_tooltip(self.end, "End the question (Esc)")
        self.end.clicked.connect(self.clear)
        self.counts = RichLabel(self)
        self.counts.setContentsMargins(12, 8, 8, 8)
        self.counts.setAccessibleName("Affected nodes by kind of relation and distance")
        self.tree = QTreeWidget(self)
        self.tree.setAccessibleName("Affected nodes")
        self.tree.setHeaderLabels(["Affected", "Relations", "Places"])
        self.tree.setUniformRowHeights(True)
        self.tree.setTextElideMode(Qt.TextElideMode.ElideMiddle)  # files are told apart at the end of their paths
        self.tree.setColumnWidth(0, 420)
        self.tree.setColumnWidth(1, 130)
        self.tree.itemActivated.connect(lambda item, _column: self._reveal(item))
        self.tree.itemClicked.connect(lambda item, _column: self._reveal(item))
        row = QHBoxLayout()
        row.setContentsMargins(12, 4, 8, 4)
        row.addWidget(self.says, 1)
        self.kinds.setObjectName("menu")
        for button in (self.ask_selected, self.export, self.end):
            button.setObjectName("small")
        for part in (self.ask_selected, self.kinds, self.limit, self.export, self.end):
            row.addWidget(part)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addLayout(row)
        self.counts.setAlignment(Qt.Alignment(Qt.AlignmentFlag.AlignLeft) | Qt.AlignmentFlag.AlignTop)
        lists = QHBoxLayout()
        lists.setContentsMargins(0, 0, 0, 0)
        lists.addWidget(self.counts)
        lists.addWidget(self.tree, 1)
        column.addLayout(lists, 1)
        column.addStretch()
        self._offer()

    def ask(self, keys: tuple[int, ...]) -> None:
        """Who is affected if the nodes with these keys change."""
        ids = self.session.graph.ids
        self._asked = tuple(ids[key] for key in keys)
        self._again(draw=True)

    def follow(self, changes: frozenset[Change]) -> None:
        """Another subject ends the question; another plan or other relations let it be asked again."""
        if Change.PROJECT in changes:
            self._kinds_off = frozenset()
            self.when.reset()
            self.kinds.setText("All kinds")
            self.clear()
        if changes & {Change.PROJECT, Change.DEPTH, Change.PLAN}:
            self._fill_kinds()
        self.ask_selected.setEnabled(bool(self.session.view.selected))
        if self._has_ended(changes):
            return
        if self._asked and (
            changes & {Change.PLAN, Change.DEPTH} or self.session.scene().relations is not self._relations
        ):
            self._again()

    def clear(self) -> None:
        """End the question."""
        self.desk.jobs.drop(self)
        self._asked, self._relations, self.answer = (), None, None
        self._drawn = False
        self.tree.clear()
        self.says.setText(EMPTY)
        self._offer()
        self.session.set_view(impact=None)

    def export_to(self, file: Path) -> None:
        """Write the list in the format of the suffix. Raises InputError when it cannot be written."""
        project, found, graph = self.session.project, self.answer, self.session.graph
        assert project is not None
        assert found is not None
        if file.suffix == ".csv":
            text = to_csv(graph, found)
        else:
            write = to_json if file.suffix == ".json" else to_markdown
            text = write(graph, found, project.name, project.commit)
        with replacing(file) as stream:
            stream.write(text.encode())

    def _ask_selected(self) -> None:
        if self.session.view.selected:
            self.ask(tuple(self.session.topmost(self.session.view.selected)))

    def _again(self, *, draw: bool = False) -> None:
        """Ask about what is still there of what was asked about; with `draw`, the answer takes the place of another."""
        self._wanted |= draw
        if not self._asked:
            return
        graph = self.session.graph
        keys = tuple(graph.key_of[node] for node in self._asked if node in graph.key_of)
        if not keys:
            self.clear()
            return
        scene = self.session.scene()
        if scene.graph is not graph:
            return  # that of this graph is being made, and will be told of
        self._relations = scene.relations
        kinds = frozenset(graph.edges.kind_names) - self._kinds_off
        self._drawn = False
        self.says.setText("Looking for who is affected ...")
        self.desk.jobs.run(
            self,
            "Looking for who is affected",
            partial(_search, graph, self._relations, keys, kinds, self.limit.value(), self.when.counted),
            partial(self._show, graph),
            self._failed,
            cancelled=lambda: self._failed("The search was cancelled. Ask again, or limit kinds and distance."),
        )

    def _failed(self, sentence: str) -> None:
        self.says.setText(sentence)
        self._offer()

    def _show(self, graph: Graph, found: Dependants) -> None:
        self.answer = found
        names = [one_line(graph.path(key)) for key in found.changed]
        what = names[0] if len(names) == 1 else f"these {len(names):,} nodes"
        self.says.setText(f"If {what} changes: {summary(graph, found)}" + ("." if len(found) else ""))
        self.counts.show_html(_counts_html(graph, found))
        self.tree.clear()
        self.tree.addTopLevelItems(_items(graph, found))
        for row in range(self.tree.topLevelItemCount()):
            item = self.tree.topLevelItem(row)
            if item is not None and row == 0:
                item.setExpanded(True)
        self._offer()
        if self._wanted:
            self._draw(found)

    def _offer(self) -> None:
        """Show what can be done."""
        some = self.answer is not None and len(self.answer) > 0
        self.export.setEnabled(some)
        self.end.setEnabled(bool(self._asked))
        self.counts.setVisible(some)
        self.tree.setVisible(some)

    def _fill_kinds(self) -> None:
        self._kinds_menu.clear()
        for kind in self._kinds():
            action = add_action(self._kinds_menu, kind.replace("-", " ").capitalize())
            action.setCheckable(True)
            action.setChecked(kind not in self._kinds_off)
            action.toggled.connect(partial(self._set_kind, kind))
        self.when.add_to(self._kinds_menu)

    def _kinds(self) -> list[str]:
        """The kinds of relations that a change can spread over."""
        return [kind for kind in self.session.graph.edges.kind_names if kind not in NO_DEPENDENCY]

    def _set_kind(self, kind: str, counts: bool) -> None:
        self._kinds_off = self._kinds_off - {kind} if counts else self._kinds_off | {kind}
        self._restricted()

    def _restricted(self) -> None:
        left = len(set(self._kinds()) - self._kinds_off)
        told = "All kinds" if not self._kinds_off else f"{left} kind{'' if left == 1 else 's'}"
        set_caption(self.kinds, f"{told}, some imports" if self.when.is_restricted else told)
        self._again(draw=True)

    def _reveal(self, item: QTreeWidgetItem) -> None:
        """Select the node of this row, and expand the way to it."""
        if (key := item.data(0, KEY_ROLE)) is not None:
            self.desk.reveal(key)

    def _ask_file(self) -> None:
        project = self.session.project
        assert project is not None
        settings = self.desk.settings
        file = ask_where("Export the impact", settings.folder / f"{project.name}-impact.md", TABLES, self)
        if file is None:
            return
        try:
            self.export_to(file)
        except InputError as error:
            self.desk.say(str(error))
            return
        settings.folder = file.parent
        self.desk.note(f"Exported {file.name}")


def _search(
    graph: Graph,
    relations: Mask,
    keys: tuple[int, ...],
    kinds: frozenset[str],
    depth: int,
    when: Mapping[str, bool],
    progress: Progress,
) -> Dependants:
    progress("looking for who is affected", 0, 0)
    ways: Steps = steps(graph, relations, **when)
    return impact(graph, ways, keys, kinds=kinds, depth=depth, progress=progress)


def _counts_html(graph: Graph, found: Dependants) -> Markup:
    """A table: kinds of relations by distance."""
    table = counts_by_kind(graph, found)
    steps_ = min(int(found.distance.max(initial=0)), SHOWN_STEPS)
    more = "+" if int(found.distance.max(initial=0)) > SHOWN_STEPS else ""
    head = Markup("").join(
        Markup("<th align='right'>&nbsp;&nbsp;{}{}</th>").format(step, more if step == SHOWN_STEPS else "")
        for step in range(1, steps_ + 1)
    )
    rows = []
    for kind, counts in table.items():
        shown = [*counts[: SHOWN_STEPS - 1], sum(counts[SHOWN_STEPS - 1 :])] if len(counts) >= SHOWN_STEPS else counts
        cells = Markup("").join(Markup("<td align='right'>&nbsp;&nbsp;{:,}</td>").format(count) for count in shown)
        rows.append(Markup("<tr><td>{}</td>{}</tr>").format(kind, cells))
    table_html = Markup("<table><tr><th align='left'>Steps away</th>{}</tr>{}</table>")
    return table_html.format(head, Markup("").join(rows))


def _items(graph: Graph, found: Dependants) -> list[QTreeWidgetItem]:
    """By distance, then by file; tests last."""
    rows = list(affected(graph, found))
    parts = [row for row in rows if row.todo != "test"]
    top: list[QTreeWidgetItem] = []
    for distance, group in groupby(parts, key=lambda row: row.distance):
        top.append(_group(graph, "Directly affected" if distance == 1 else f"Affected {_far(distance)}", list(group)))
    if tests := [row for row in rows if row.todo == "test"]:
        top.append(_group(graph, "Tests to run again", tests))
    return top


def _group(graph: Graph, title: str, rows: list[Affected]) -> QTreeWidgetItem:
    top = QTreeWidgetItem([f"{title} ({len(rows):,})"])
    for file, group in groupby(sorted(rows[:SHOWN], key=lambda row: row.file), key=lambda row: row.file):
        inside = [_node(graph, row) for row in group]
        if len(inside) == 1 and graph.kind(int(inside[0].data(0, KEY_ROLE))) == "file":
            inside[0].setText(0, one_line(file))
            top.addChild(inside[0])
            continue
        above = QTreeWidgetItem([f"{one_line(file) or 'Outside of files'} ({len(inside):,})"])
        above.addChildren(inside)
        top.addChild(above)
    if len(rows) > SHOWN:
        top.addChild(QTreeWidgetItem([f"and {len(rows) - SHOWN:,} more: export the list to see all"]))
    return top


def _node(graph: Graph, row: Affected) -> QTreeWidgetItem:
    more = f"  +{len(row.places) - 1:,}" if len(row.places) > 1 else ""
    place = one_line(row.places[0]) + more if row.places else ""
    item = QTreeWidgetItem([one_line(graph.names[row.key]), ", ".join(row.words), place])
    set_cell_tooltip(item, 0, one_line(graph.path(row.key)))
    set_cell_tooltip(item, 2, "\n".join(map(one_line, row.places[:20])))
    item.setData(0, KEY_ROLE, row.key)
    return item


def _far(step: int) -> str:
    """Of something that is not affected directly."""
    return f"{step} steps away"
