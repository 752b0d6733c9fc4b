"""The structure tree is a lazy model over the graph."""

from __future__ import annotations

import numpy as np
import pytest
from qtpy.QtCore import QModelIndex, QPoint, Qt
from qtpy.QtGui import QIcon

from cbvtool.graph import Graph, GraphBuilder
from cbvtool.view.panels.structure_model import PORTION, SHARE_ROLE, StructureModel, row_in_parent, share_of_siblings
from cbvtool.view.toolkit.drop_places import MIME


@pytest.fixture
def graph() -> Graph:
    builder = GraphBuilder("shop")
    builder.add_node("core", "", "core", "package")
    builder.add_node("core/a.py", "core", "a.py", "file", values={"sloc": 10})
    builder.add_node("core/b.py", "core", "b.py", "file", values={"sloc": 40})
    builder.add_node("ui", "", "ui", "package")
    builder.add_node("ui/c.py", "ui", "c.py", "file", values={"sloc": 5})
    builder.add_node("top.py", "", "top.py", "file")
    return builder.freeze()


@pytest.fixture
def model(graph: Graph, qtbot) -> StructureModel:
    result = StructureModel(lambda kind: QIcon())
    result.show(graph, graph.tree.subtree_sum(graph.values["sloc"]))
    return result


def _walk(model: StructureModel, index: QModelIndex) -> list[int]:
    found = [model.key_at(index)]
    for row in range(model.rowCount(index)):
        child = model.index(row, 0, index)
        assert model.parent(child) == index
        assert child.row() == row
        found += _walk(model, child)
    return found


def test_the_model_walks_the_graph_in_preorder(model: StructureModel, graph: Graph) -> None:
    assert _walk(model, model.index(0, 0)) == graph.tree.order.tolist()


def test_the_model_keeps_qts_rules_for_models(model: StructureModel, qtmodeltester) -> None:
    qtmodeltester.check(model)


def test_rows_are_the_places_among_the_children(graph: Graph) -> None:
    row = row_in_parent(graph)
    for key in range(len(graph)):
        for place, child in enumerate(graph.children(key).tolist()):
            assert row[child] == place
    assert row[graph.root] == 0


def test_removed_nodes_have_no_row(graph: Graph) -> None:
    parent = graph.parent.copy()
    gone = graph.key_of["core/a.py"]
    parent[gone] = -2
    without = graph.with_(parent=parent)
    assert row_in_parent(without)[gone] == -1
    assert row_in_parent(without)[graph.key_of["core/b.py"]] == 0


def test_bars_compare_siblings(graph: Graph, model: StructureModel) -> None:
    share = share_of_siblings(graph, graph.tree.subtree_sum(graph.values["sloc"]))
    assert share[graph.key_of["core"]] == 1.0
    assert share[graph.key_of["ui"]] == pytest.approx(0.1)
    assert share[graph.key_of["top.py"]] == 0.0
    assert share[graph.key_of["core/a.py"]] == pytest.approx(0.25)
    assert model.data(model.index_of(graph.key_of["core/a.py"]), SHARE_ROLE) == pytest.approx(0.25)


def test_check_boxes_say_what_is_hidden(graph: Graph, model: StructureModel) -> None:
    """CBV-7: hide and show subtrees in an indented tree."""
    model.show_hidden(frozenset({graph.key_of["core/a.py"], graph.key_of["ui"]}))

    def state(node: str) -> int:
        return model.data(model.index_of(graph.key_of[node]), int(Qt.ItemDataRole.CheckStateRole))

    assert state("core/a.py") == Qt.CheckState.Unchecked
    assert state("core/b.py") == Qt.CheckState.Checked
    assert state("core") == Qt.CheckState.PartiallyChecked
    assert state("") == Qt.CheckState.PartiallyChecked
    assert state("ui/c.py") == Qt.CheckState.Unchecked
    assert state("top.py") == Qt.CheckState.Checked


def test_a_click_on_a_check_box_is_reported(graph: Graph, model: StructureModel, qtbot) -> None:
    with qtbot.waitSignal(model.shown_changed) as told:
        index = model.index_of(graph.key_of["ui"])
        model.setData(index, Qt.CheckState.Unchecked, int(Qt.ItemDataRole.CheckStateRole))
    assert told.args == [graph.key_of["ui"], False]


def test_a_drag_from_the_tree_carries_ids(graph: Graph, model: StructureModel) -> None:
    data = model.mimeData([model.index_of(graph.key_of[node]) for node in ("core/a.py", "ui")])
    assert bytes(data.data(MIME).data()).split(b"\0") == [b"core/a.py", b"ui"]
    assert not model.flags(model.index_of(graph.root)) & Qt.ItemFlag.ItemIsDragEnabled


def test_a_hundred_thousand_nodes_cost_arrays_not_items(qtbot) -> None:
    """Structure stays usable on large trees: nothing is made per node before it is looked at."""
    count = 100_000
    builder = GraphBuilder("big")
    for number in range(count):
        builder.add_node(f"f{number}", "", f"f{number:06}", "file")
    graph = builder.freeze()
    model = StructureModel(lambda kind: QIcon())
    model.show(graph, np.ones(len(graph)))
    root = model.index(0, 0)
    last = model.index_of(graph.key_of[f"f{count - 1}"])
    assert model.rowCount(root) == count
    assert last == model.index(count - 1, 0, root)
    assert model.data(last) == "f099999"
    assert model.parent(last) == root


@pytest.fixture
def crowded(qtbot) -> StructureModel:
    """A folder with three and a half portions of files."""
    builder = GraphBuilder("crowd")
    builder.add_node("d", "", "d", "folder")
    for number in range(7 * PORTION // 2):
        builder.add_node(f"d/{number:06}", "d", f"{number:06}", "file")
    builder.add_node("d/000001/inner", "d/000001", "inner", "function")
    result = StructureModel(lambda kind: QIcon())
    result.show(builder.freeze())
    return result


def test_a_crowded_folder_is_listed_portion_by_portion(crowded: StructureModel) -> None:
    """Qt asks several questions about each row of an open container: 100,000 at once would hold the window up."""
    folder = crowded.index(0, 0, crowded.index(0, 0))
    sizes = [crowded.rowCount(folder)]
    while crowded.canFetchMore(folder):
        crowded.fetchMore(folder)
        sizes.append(crowded.rowCount(folder))
    assert sizes == [PORTION, 2 * PORTION, 3 * PORTION, 7 * PORTION // 2]
    assert not crowded.index(sizes[-1], 0, folder).isValid()
    assert not crowded.canFetchMore(QModelIndex())


def test_who_asks_for_a_node_finds_it_listed(crowded: StructureModel) -> None:
    """Selections and searches lead anywhere; asked for one after the other, few steps list all."""
    graph = crowded.graph
    assert graph is not None
    steps = []
    crowded.rowsInserted.connect(lambda _parent, first, last: steps.append((first, last)))
    for number in range(7 * PORTION // 2):
        index = crowded.index_of(graph.key_of[f"d/{number:06}"])
        assert crowded.index(number, 0, index.parent()) == index
    assert steps == [(PORTION, 2 * PORTION - 1), (2 * PORTION, 7 * PORTION // 2 - 1)]


def test_scrolling_down_lists_the_rest(crowded: StructureModel, window, qtbot) -> None:
    """In the panel: a folder of many files is open, and its last file can be scrolled to."""
    panel = window.desk.panels["structure"]
    assert crowded.graph is not None
    panel.show_graph(crowded.graph, None)
    model, tree = panel.model, panel.tree
    folder = model.index_of(crowded.graph.key_of["d"])
    tree.expand(folder)
    bar = tree.verticalScrollBar()
    shown = model.rowCount(folder)
    assert shown < 7 * PORTION // 2

    def all_are_listed() -> bool:
        bar.setValue(bar.maximum())
        return model.rowCount(folder) == 7 * PORTION // 2

    qtbot.waitUntil(all_are_listed)
    bar.setValue(bar.maximum())
    assert tree.indexAt(tree.viewport().rect().bottomLeft() - QPoint(0, 3)).row() in (-1, 7 * PORTION // 2 - 1)


def test_the_children_that_a_filter_leaves_are_found_once(
    crowded: StructureModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Qt asks for each row: to filter all children every time took time with their square."""
    graph = crowded.graph
    assert graph is not None
    left_out = frozenset(graph.key_of[f"d/{number:06}"] for number in range(0, PORTION, 2))
    crowded.show(graph, None, left_out)
    asked: list[int] = []
    children = Graph.children

    def counted(self: Graph, key: int) -> np.ndarray:
        asked.append(key)
        return children(self, key)

    monkeypatch.setattr(Graph, "children", counted)
    folder = crowded.index_of(graph.key_of["d"])
    keys = [crowded.key_at(crowded.index(row, 0, folder)) for row in range(crowded.rowCount(folder))]
    assert len(keys) == PORTION
    assert not left_out.intersection(keys)
    assert asked.count(graph.key_of["d"]) == 1
    crowded.show(graph, None)
    assert crowded.key_at(crowded.index(0, 0, crowded.index_of(graph.key_of["d"]))) == graph.key_of["d/000000"]
