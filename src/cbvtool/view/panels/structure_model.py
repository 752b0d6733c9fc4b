"""The tree of the graph as a Qt item model: nothing is copied, an index carries the key of its node.

Of a container with very many children the first `PORTION` are rows; the others become rows as somebody scrolls there or
asks for the index of one of them. Qt asks some six questions about each row as soon as their container is open.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from qtpy.QtCore import QAbstractItemModel, QMimeData, QModelIndex, QObject, Qt, Signal
from qtpy.QtGui import QBrush, QFont, QIcon

from cbvtool.geometry.scene.planned import PlannedChanges, Sort, ghost_words
from cbvtool.graph import NO_PARENT, REMOVED, Graph
from cbvtool.graph.regroup import node_words
from cbvtool.view.toolkit.drop_places import MIME, mime_data
from cbvtool.view.toolkit.plain import tooltip
from cbvtool.words import one_line

PLAN_ROLE = int(Qt.ItemDataRole.UserRole) + 2  # Marked, or None
PORTION = 500  # rows of one container that come at once
SHARE_ROLE = int(Qt.ItemDataRole.UserRole) + 1  # float 0..1: size beside the largest sibling


@dataclass(frozen=True)
class Marked:
    """What a row says of the plan: what happened to its node, how much inside of it, and whether it is a ghost."""

    sorts: tuple[Sort, ...]
    inside: int = 0
    ghost: bool = False


def row_in_parent(graph: Graph, left_out: npt.NDArray[np.bool_] | None = None) -> npt.NDArray[np.int32]:
    """int32[n]: which child of its parent each key is, in sibling order; 0 for the root, -1 for removed nodes.

    left_out   bool[n]: subtrees that are not listed; they have -1
    """
    tree = graph.tree
    row = np.full(len(graph), -1, np.int32)
    row[tree.order[0]] = 0
    keys = tree.child_key[tree.pos[tree.child_key] >= 0]
    if left_out is not None:
        keys = keys[~left_out[keys]]
    above = graph.parent[keys]
    first = np.concatenate(([True], above[1:] != above[:-1])) if len(keys) else np.zeros(0, bool)
    starts = np.flatnonzero(first)
    row[keys] = np.arange(len(keys)) - np.repeat(starts, np.diff(np.append(starts, len(keys))))
    return row


def share_of_siblings(graph: Graph, size: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """float64[n]: `size` of each key as a share of the largest among its siblings; 0 where nothing was measured."""
    value = np.nan_to_num(size)
    largest = np.zeros(len(graph))
    keys = graph.tree.order[1:]
    np.maximum.at(largest, graph.parent[keys], value[keys])
    share = np.zeros(len(graph))
    most = largest[graph.parent[keys]]
    share[keys] = np.divide(value[keys], most, out=np.zeros(len(keys)), where=most > 0)
    return share


class StructureModel(QAbstractItemModel):
    """Root on top; a check box per node says whether its subtree is shown."""

    shown_changed = Signal(int, bool)  # key, whether it is to be shown

    def __init__(self, icon_of: Callable[[str], QIcon], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._icon_of = icon_of
        self.faint = QBrush(Qt.GlobalColor.gray)  # of what is not there any more
        self._icons: dict[str, QIcon] = {}
        self._graph: Graph | None = None
        self._row = np.empty(0, np.int32)
        self._share = np.empty(0)
        self._hidden: frozenset[int] = frozenset()
        self._hidden_places = np.empty(0, np.int32)  # in the preorder, ascending
        self._filtered: frozenset[int] = frozenset()
        self._left_out: npt.NDArray[np.bool_] | None = None  # bool[n]
        self._plan: PlannedChanges | None = None
        self._listed = dict[int, list[int]]()  # of containers with ghosts: keys, and n + key for each ghost
        self._ghost = dict[int, tuple[int, int]]()  # n + key of a ghost -> container, row
        self._kept: dict[int, npt.NDArray[np.int32]] = {}  # container -> its children, if some are left out
        self._rows: dict[int, int] = {}  # key of a container -> how many rows it has so far, if more than PORTION

    @property
    def graph(self) -> Graph | None:
        """The graph shown."""
        return self._graph

    def show(
        self,
        graph: Graph | None,
        size: npt.NDArray[np.float64] | None = None,
        filtered: frozenset[int] = frozenset(),
        plan: PlannedChanges | None = None,
    ) -> None:
        """Show another graph, without the subtrees of `filtered`; `size` float64[n] is drawn as small bars.

        plan   what led to the graph: its changes are marked, and where something was stands its ghost
        """
        self.beginResetModel()
        self._plan = plan if plan is not None and plan.target is graph else None
        self._graph, self._filtered = graph, filtered
        self._left_out = graph.tree.below(filtered) if graph is not None and filtered else None
        self._row = np.empty(0, np.int32) if graph is None else row_in_parent(graph, self._left_out)
        self._rows.clear()
        self._kept.clear()
        self._place_hidden()
        self._share = np.empty(0) if graph is None or size is None else share_of_siblings(graph, size)
        self._place_ghosts()
        self.endResetModel()

    def show_hidden(self, hidden: frozenset[int]) -> None:
        """Tell which keys are hidden."""
        if hidden == self._hidden:
            return
        self._hidden = hidden
        self._place_hidden()
        self.restyle()

    def _place_hidden(self) -> None:
        if self._graph is not None:
            keys = [key for key in self._hidden if key < len(self._graph)]
            self._hidden_places = np.sort(self._graph.tree.pos[keys])

    def _place_ghosts(self) -> None:
        """Where something was that the plan has moved or removed, behind what stood before it."""
        self._listed, self._ghost = {}, {}
        graph, plan = self._graph, self._plan
        if graph is None or plan is None:
            return
        base, size = plan.base, len(graph)
        gone = [key for key in plan.keys if set(plan.sorts(key)) & {Sort.MOVED, Sort.REMOVED}]
        for key in sorted(gone, key=lambda key: int(base.sibling_rank[key])):
            above = int(base.parent[key])
            if graph.parent[above] == REMOVED or self._row[above] < 0:
                continue  # what it lay in has a ghost, or is not listed
            rows = self._listed.setdefault(above, self._children(above).tolist())
            before = [
                row
                for row, other in enumerate(rows)
                if other >= size
                or (
                    other < len(base)
                    and base.parent[other] == above
                    and base.sibling_rank[other] < base.sibling_rank[key]
                )
            ]
            rows.insert(before[-1] + 1 if before else 0, size + key)
        if self._listed:
            self._row = self._row.copy()
        for above, rows in self._listed.items():
            for row, node in enumerate(rows):
                if node < size:
                    self._row[node] = row
                else:
                    self._ghost[node] = above, row

    def was_at(self, index: QModelIndex) -> int:
        """Key of what was in the place of a ghost, -1 = the index is no ghost."""
        assert self._graph is not None
        node = int(index.internalId()) if index.isValid() else -1
        return node - len(self._graph) if node in self._ghost else -1

    def container(self, node: int) -> int:
        """The node that a drop on this row is meant for: of a ghost, what it lies in."""
        return self._ghost[node][0] if node in self._ghost else node

    def _children(self, key: int) -> npt.NDArray[np.int32]:
        """Keys of the children that are listed."""
        assert self._graph is not None
        if self._left_out is None:
            return self._graph.children(key)
        found = self._kept.get(key)
        if found is None:  # Qt asks for each row
            children = self._graph.children(key)
            found = self._kept[key] = children[~self._left_out[children]]
        return found

    def _nodes(self, key: int) -> Sequence[int] | npt.NDArray[np.int32]:
        """The children that are listed, and the ghosts among them."""
        return self._listed[key] if key in self._listed else self._children(key)

    @property
    def listed(self) -> npt.NDArray[np.bool_]:
        """bool[n]: the nodes that are listed."""
        return self._row >= 0

    @property
    def filtered(self) -> frozenset[int]:
        """Keys of the subtrees that are not listed."""
        return self._filtered

    def restyle(self) -> None:
        """Icons or check marks have changed, the tree has not."""
        self._icons.clear()
        if self._graph is not None:
            root = self.index_of(self._graph.root)
            self.dataChanged.emit(root, root)
            self.layoutChanged.emit()

    def index_of(self, key: int) -> QModelIndex:
        """The index of the node with this key, which becomes a row if it was none; invalid for a removed one."""
        if self._graph is None or not 0 <= key < len(self._row) or self._row[key] < 0:
            return QModelIndex()
        row, above = int(self._row[key]), int(self._graph.parent[key])
        if above > NO_PARENT and row >= self._count(above):
            self._list_up_to(above, max(row + 1, 2 * self._count(above)))  # asked row by row, it is done seldom
        return self.createIndex(row, 0, key)

    def key_at(self, index: QModelIndex) -> int:
        """The key of the node at this index, -1 for an invalid one, and for a ghost."""
        node = int(index.internalId()) if index.isValid() else -1
        return -1 if node in self._ghost else node

    # What Qt asks for

    def index(self, row: int, column: int, parent: QModelIndex | None = None) -> QModelIndex:
        """The index of child `row` of `parent`."""
        if self._graph is None or column != 0 or row < 0:
            return QModelIndex()
        if parent is None or not parent.isValid():
            return self.createIndex(0, 0, self._graph.root) if row == 0 else QModelIndex()
        if (key := self.key_at(parent)) < 0:
            return QModelIndex()
        return self.createIndex(row, 0, int(self._nodes(key)[row])) if row < self._count(key) else QModelIndex()

    def parent(self, index: QModelIndex | None = None) -> QModelIndex:
        """The index of the parent of `index`."""
        if self._graph is None or index is None or not index.isValid():
            return QModelIndex()
        if (node := int(index.internalId())) in self._ghost:
            return self.index_of(self._ghost[node][0])
        above = int(self._graph.parent[node])
        return QModelIndex() if above <= NO_PARENT else self.index_of(above)

    def rowCount(self, parent: QModelIndex | None = None) -> int:
        """How many children of a node are rows."""
        if self._graph is None:
            return 0
        if parent is None or not parent.isValid():
            return 1
        key = self.key_at(parent)
        return 0 if key < 0 else self._count(key)

    def canFetchMore(self, parent: QModelIndex) -> bool:
        """Whether a node has children that are no rows yet."""
        if self._graph is None or not parent.isValid():
            return False
        key = self.key_at(parent)
        return key >= 0 and self._count(key) < len(self._nodes(key))

    def fetchMore(self, parent: QModelIndex) -> None:
        """Make the next portion of the children rows."""
        if self.canFetchMore(parent):
            key = self.key_at(parent)
            self._list_up_to(key, self._count(key) + PORTION)

    def _count(self, key: int) -> int:
        return min(len(self._nodes(key)), self._rows.get(key, PORTION))

    def _list_up_to(self, key: int, count: int) -> None:
        """Make the first `count` children rows, as far as there are so many."""
        before, after = self._count(key), min(count, len(self._nodes(key)))
        self.beginInsertRows(self.index_of(key), before, after - 1)
        self._rows[key] = after
        self.endInsertRows()

    def columnCount(self, parent: QModelIndex | None = None) -> int:
        """One column."""
        return 1

    def data(self, index: QModelIndex, role: int = int(Qt.ItemDataRole.DisplayRole)) -> Any:
        """Name, icon, check mark, share bar and the identity as tooltip."""
        if self._graph is None or not index.isValid():
            return None
        if (was := self.was_at(index)) >= 0:
            return self._ghost_data(was, role)
        key = self.key_at(index)
        if role == PLAN_ROLE:
            return self._marked(key)
        if role == Qt.ItemDataRole.AccessibleDescriptionRole and self._plan is not None:
            return "; ".join(self._plan.lines(key))
        if role == Qt.ItemDataRole.DisplayRole:
            return self._graph.names[key]
        if role == Qt.ItemDataRole.DecorationRole:
            kind = self._graph.kind(key)
            if kind not in self._icons:
                self._icons[kind] = self._icon_of(kind)
            return self._icons[kind]
        if role == Qt.ItemDataRole.ToolTipRole:
            planned = [] if self._plan is None else self._plan.lines(key)
            return tooltip("\n".join((one_line(node_words(self._graph, key)), *planned)))
        if role == Qt.ItemDataRole.CheckStateRole:
            return self._check_state(key)
        if role == SHARE_ROLE:
            return float(self._share[key]) if key < len(self._share) else 0.0
        return None

    def _marked(self, key: int) -> Marked | None:
        if self._plan is None or not (self._plan.sort[key] or self._plan.inside[key]):
            return None
        return Marked(tuple(self._plan.sorts(key)), int(self._plan.inside[key]))

    def _ghost_data(self, key: int, role: int) -> Any:
        """The same of the place where something was."""
        assert self._plan is not None
        base = self._plan.base
        said = ghost_words(self._plan, key)
        if role == Qt.ItemDataRole.DisplayRole:
            moved = Sort.MOVED in self._plan.sorts(key)
            target = self._plan.target
            return f"{base.names[key]} → {target.names[target.parent[key]]}" if moved else base.names[key]
        if role == Qt.ItemDataRole.FontRole:
            font = QFont()
            font.setItalic(True)
            return font
        if role == Qt.ItemDataRole.ForegroundRole:
            return self.faint
        if role == Qt.ItemDataRole.DecorationRole:
            return self._icon_of(base.kind(key))
        if role == Qt.ItemDataRole.ToolTipRole:
            return tooltip(f"{one_line(base.names[key])}\n{said}")
        if role == Qt.ItemDataRole.AccessibleDescriptionRole:
            return said
        if role == PLAN_ROLE:
            return Marked(tuple(self._plan.sorts(key)), ghost=True)
        return None

    def setData(self, index: QModelIndex, value: Any, role: int = int(Qt.ItemDataRole.EditRole)) -> bool:
        """A click on a check box."""
        if role != Qt.ItemDataRole.CheckStateRole or not index.isValid():
            return False
        self.shown_changed.emit(self.key_at(index), value == Qt.CheckState.Checked)
        return True

    def flags(self, index: QModelIndex) -> Qt.ItemFlags:
        """Everything can be chosen, checked and dragged."""
        if not index.isValid():
            return Qt.ItemFlags(Qt.ItemFlag.NoItemFlags)
        if self.key_at(index) < 0:
            return Qt.ItemFlags(Qt.ItemFlag.ItemIsEnabled)
        flags = Qt.ItemFlags(Qt.ItemFlag.ItemIsEnabled)
        flags |= Qt.ItemFlag.ItemIsSelectable
        flags |= Qt.ItemFlag.ItemIsUserCheckable
        if self._graph is not None and self.key_at(index) != self._graph.root:
            flags |= Qt.ItemFlag.ItemIsDragEnabled
        return flags

    def mimeTypes(self) -> list[str]:
        """What a drag from the tree carries."""
        return [MIME]

    def mimeData(self, indexes: list[QModelIndex]) -> QMimeData:  # type: ignore[override]  # Qt passes a list
        """The ids of the dragged nodes."""
        if self._graph is None:
            return QMimeData()
        return mime_data(self._graph.ids[self.key_at(index)] for index in indexes)

    def _check_state(self, key: int) -> Qt.CheckState:
        assert self._graph is not None
        above = [key, *self._graph.ancestors(key)]
        if not self._hidden.isdisjoint(above):
            return Qt.CheckState.Unchecked
        tree = self._graph.tree
        first, last = np.searchsorted(self._hidden_places, (tree.pos[key], tree.end[key]))
        return Qt.CheckState.PartiallyChecked if first < last else Qt.CheckState.Checked
