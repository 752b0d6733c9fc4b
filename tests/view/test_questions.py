"""Relation modes, paths and impact in the window (CBV-7, DND-6, DND-7, DND-10, NEW-19, OC-4)."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from qtpy.QtCore import Qt
from qtpy.QtWidgets import QTreeWidgetItem

from cbvtool.drawing.emphasis import emphasis, item_of, merged_lines, relation_lines
from cbvtool.geometry.picture import Text
from cbvtool.geometry.state.view_state import RelationFilter
from cbvtool.plan.document import read_document
from cbvtool.project import Project
from cbvtool.rules import files, parse_rules, violations
from cbvtool.view.panels.impact_panel import EMPTY as NO_IMPACT
from cbvtool.view.panels.impact_panel import ImpactPanel
from cbvtool.view.panels.paths_panel import EMPTY as NO_PATH
from cbvtool.view.panels.paths_panel import PathsPanel
from cbvtool.view.window.main_window import MainWindow

NOTHING = frozenset[int]()


def paths(window: MainWindow) -> PathsPanel:
    panel = window.desk.panels["paths"]
    assert isinstance(panel, PathsPanel)
    return panel


def impact(window: MainWindow) -> ImpactPanel:
    panel = window.desk.panels["impact"]
    assert isinstance(panel, ImpactPanel)
    return panel


def run(window: MainWindow, *names: str) -> None:
    for name in names:
        window.actions_by_name[name].trigger()


def select(window: MainWindow, *nodes: str) -> None:
    window.session.select(window.session.graph.key_of[node] for node in nodes)


def rows(item: QTreeWidgetItem) -> list[QTreeWidgetItem]:
    return [child for n in range(item.childCount()) if (child := item.child(n)) is not None]


# -- modes ---------------------------------------------------------------------------------------------------------


def test_commands_set_the_filter(window: MainWindow) -> None:
    """DND-6: by key, by menu, and told by check marks; a direction that is on is switched off again."""
    view = window.session
    run(window, "of_selection", "incoming")
    assert view.view.filter == RelationFilter(mode="selection", direction="in")
    assert window.actions_by_name["of_selection"].isChecked()
    assert not window.actions_by_name["all_relations"].isChecked()
    run(window, "outgoing")
    assert view.view.filter.direction == "out"
    run(window, "outgoing", "indirect", "only_cycles", "only_violations", "crossing")
    assert view.view.filter == RelationFilter("indirect", cycles=True, violations=True, crossing=True)
    run(window, "all_relations", "only_cycles", "only_violations", "crossing")
    assert view.view.filter == RelationFilter()


def test_the_controls_follow_and_lead(window: MainWindow) -> None:
    """DND-6: the same in the Style panel, in both directions."""
    window.desk.raise_panel("style")
    controls = window.desk.panels["style"].relation_controls
    run(window, "indirect", "incoming", "crossing")
    assert controls.mode.currentData() == "indirect"
    assert controls.direction.currentData() == "in"
    assert controls.crossing.isChecked()
    assert controls.steps.isEnabled()
    controls.steps.setValue(0)
    controls.distance.setValue(4)
    controls.cycles.click()
    for choice, row in ((controls.confidence, 2), (controls.mode, 1)):
        choice.setCurrentIndex(row)
        choice.activated.emit(row)
    assert window.session.view.filter == RelationFilter("selection", 0, "in", True, False, 0, 4, True)
    assert not controls.steps.isEnabled()
    controls.reset.click()
    assert window.session.view.filter == RelationFilter()
    assert not controls.reset.isEnabled()
    for part in (controls.mode, controls.direction, controls.confidence, controls.steps, controls.distance):
        assert part.toolTip()
        assert part.accessibleName()


def test_only_violations_go_by_the_rules_of_the_subject(window: MainWindow) -> None:
    """CBV-7: what the Rules panel lists is what is drawn."""
    rules = window.session.rules
    assert rules is not None
    broken = violations(window.session.graph, rules)
    assert broken
    window.session.show_depth(9)
    run(window, "only_violations")
    scene = window.canvas.stage.scene
    assert scene is not None
    graph, file = scene.graph, {(v.source, v.target) for v in broken}
    drawn = np.flatnonzero(scene.relations)
    assert len(drawn)
    for row in drawn.tolist():
        ends = (int(graph.edges.source[row]), int(graph.edges.target[row]))
        assert any(graph.is_below(ends[0], a) and graph.is_below(ends[1], b) for a, b in file)
    window.session.rules = parse_rules("[rules]\n")
    window.session.set_view(beta=0.5)
    assert not window.session.scene().relations.any()


def test_a_filter_is_saved_with_the_view(window: MainWindow, tmp_path: Path, shop: Project) -> None:
    """CBV-7: and comes back with it."""
    chosen = RelationFilter("indirect", 3, "out", True, False, 1, 3, True)
    window.session.set_view(filter=chosen)
    file = tmp_path / "plan.cbv"
    window.session.save(file)
    window.session.set_view(filter=RelationFilter())
    window.session.open(shop, read_document(file), file)
    assert window.session.view.filter == chosen


def test_partners_of_the_selection_stand_out(window: MainWindow) -> None:
    """DND-6: in the direction that was chosen; users and used are told apart."""
    select(window, "shop/domain")
    scene = window.session.scene()
    inside = item_of(scene, window.session.graph.key_of["shop/domain"])
    lifted = scene.lifted
    for direction in ("both", "in", "out"):
        window.session.set_view(filter=RelationFilter(direction=direction))
        scene = window.session.scene()
        found = emphasis(scene, -1, -1, NOTHING, window.session.view.selected)
        users = set(lifted.source[lifted.target == inside].tolist()) if direction != "out" else set()
        used = set(lifted.target[lifted.source == inside].tolist()) if direction != "in" else set()
        assert found.users is not None
        assert found.used is not None
        assert set(np.flatnonzero(found.users).tolist()) == users
        assert set(np.flatnonzero(found.used).tolist()) == used
        assert found.relations is not None
        assert found.relations.sum() == len(users) + len(used)
    assert window.canvas.stage.scene is not None


def test_what_is_merged_says_so(window: MainWindow) -> None:
    """OC-4: a bundled relation names its pairs, a segment its neighbours that are too thin to part."""
    scene = window.session.scene()
    graph = scene.graph
    heaviest = int(np.argmax(scene.lifted.count))
    behind = np.flatnonzero(scene.lifted.of_edge == heaviest)
    file = files(graph)
    pairs = {(int(file[graph.edges.source[row]]), int(file[graph.edges.target[row]])) for row in behind}
    assert len(pairs) > 1
    said = relation_lines(scene, heaviest)
    start = said.index(f"Merges {len(pairs):,} pairs of files:")
    named = [line.strip().partition(" (")[0] for line in said[start + 1 : start + 4] if "→" in line]
    assert named
    assert set(named) <= {f"{graph.names[a]} → {graph.names[b]}" for a, b in pairs}
    count, names = merged_lines(scene, np.arange(1, 6))
    assert count.startswith("5 thin segments")
    assert names.endswith("and 2 more")
    renderer = window.canvas.stage.renderer
    assert renderer is not None
    assert all(len(renderer.drawn_with(item)) >= 1 for item in range(len(scene.tree)))
    assert window.canvas.stage.picking.lines_of(1)


# -- paths ---------------------------------------------------------------------------------------------------------


def test_why_does_one_reach_the_other(window: MainWindow, qtbot) -> None:
    """NEW-19: listed with kinds and places, drawn, cut down to one chain, and ended by Esc."""
    panel = paths(window)
    assert panel.says.text() == NO_PATH
    assert not window.actions_by_name["path"].isEnabled()
    select(window, "shop/ui", "shop/domain")
    run(window, "path")
    qtbot.waitUntil(lambda: panel.answer is not None)
    assert panel.answer is not None
    graph, answer = window.session.graph, panel.answer
    assert graph.is_below(answer.chains[0][0].user, graph.key_of["shop/ui"])
    assert graph.is_below(answer.chains[0][-1].used, graph.key_of["shop/domain"])
    assert window.session.view.path is answer
    assert f"{answer.total:,} shortest chain" in panel.says.text()
    assert panel.tree.topLevelItemCount() == len(answer.chains)
    top = panel.tree.topLevelItem(0)
    assert top is not None
    steps = rows(top)
    assert len(steps) == answer.length
    assert all(step.text(1) and ":" in step.text(2) for step in steps)
    scene = window.session.scene()
    found = emphasis(scene, -1, -1, NOTHING, window.session.view.selected)
    assert found.relations is not None
    assert set(np.flatnonzero(found.relations).tolist()) == set(scene.lifted.of_edge[answer.rows].tolist()) - {-1}
    assert found.items is not None
    assert not found.items.all(), "the rest fades"
    panel.tree.setCurrentItem(panel.tree.topLevelItem(panel.tree.topLevelItemCount() - 1))
    assert window.session.view.path is not None
    assert window.session.view.path.chains == (answer.chains[-1],)
    panel.tree.itemActivated.emit(steps[0], 0)
    assert set(window.session.view.selected) == {answer.chains[0][0].user, answer.chains[0][0].used}
    run(window, "escape")
    assert window.session.view.path is None
    assert window.session.view.selected, "the innermost thing first"
    assert panel.says.text() == NO_PATH
    window.session.set_view(kinds_off=frozenset(window.session.graph.edges.kind_names))
    window.session.set_view(kinds_off=frozenset())
    assert panel.answer is None, "what has ended is not asked again by itself"


def test_an_answer_that_gave_way_to_another_is_kept_and_not_drawn_again_by_itself(window: MainWindow, qtbot) -> None:
    """NEW-19, DND-10: one answer is drawn at a time; a click on a chain draws the other one again."""
    select(window, "shop/ui", "shop/domain")
    run(window, "path")
    panel = paths(window)
    qtbot.waitUntil(lambda: window.session.view.path is not None)
    run(window, "impact")
    qtbot.waitUntil(lambda: window.session.view.impact is not None)
    window.desk.raise_panel("paths")
    qtbot.waitUntil(lambda: panel.is_seen)
    answer = panel.answer
    assert answer is not None
    window.session.set_view(external=not window.session.view.external)
    qtbot.waitUntil(lambda: panel.answer is not answer)
    assert window.session.view.path is None
    assert window.session.view.impact is not None
    panel.tree.setCurrentItem(panel.tree.topLevelItem(0))
    assert window.session.view.path is not None
    assert window.session.view.impact is None


def test_no_path_and_the_other_direction(window: MainWindow, qtbot) -> None:
    """NEW-19: said, and the other direction is one click away."""
    select(window, "README.md", "shop/domain")
    run(window, "path")
    panel = paths(window)
    qtbot.waitUntil(lambda: panel.answer is not None)
    assert "does not reach" in panel.says.text()
    assert window.session.view.path is None
    assert panel.tree.isHidden()
    select(window, "shop/domain", "tests")
    panel.clear()
    run(window, "path")
    qtbot.waitUntil(lambda: panel.answer is not None)
    before = panel.answer
    panel.turn.click()
    qtbot.waitUntil(lambda: panel.answer is not before)
    assert panel.answer is not None
    assert before is not None
    assert (panel.answer.source, panel.answer.target) == (before.target, before.source)
    assert panel.answer.length > 0


def test_paths_from_here_to(window: MainWindow, qtbot, monkeypatch: pytest.MonkeyPatch) -> None:
    """NEW-19: the other end from a list of all nodes."""
    select(window, "shop/ui")
    wanted = window.session.graph.key_of["shop/domain"]

    def take(title: str, hint: str, choices: list, parent: object) -> int:
        assert wanted in {choice.value for choice in choices}
        assert window.session.view.selected[0] not in {choice.value for choice in choices}
        return wanted

    monkeypatch.setattr("cbvtool.view.commands.questions.choose", take)
    run(window, "path_to")
    qtbot.waitUntil(lambda: paths(window).answer is not None)
    assert window.session.view.path is not None
    assert window.session.view.path.target == wanted


def test_a_path_is_asked_again_with_other_relations_and_plans(window: MainWindow, qtbot, shop: Project) -> None:
    """NEW-19: the answer holds for what is shown; another subject ends the question."""
    select(window, "shop/ui", "shop/domain")
    run(window, "path")
    panel = paths(window)
    qtbot.waitUntil(lambda: panel.answer is not None)
    window.session.set_view(kinds_off=frozenset(window.session.graph.edges.kind_names))
    qtbot.waitUntil(lambda: panel.answer is not None and panel.answer.length == 0)
    window.session.set_view(kinds_off=frozenset())
    qtbot.waitUntil(lambda: panel.answer is not None and panel.answer.length > 0)
    assert window.session.remove([window.session.graph.key_of["shop/domain"]]) is None
    assert panel.says.text() == NO_PATH
    assert window.session.view.path is None
    window.session.undo()
    select(window, "shop/ui", "shop/domain")
    run(window, "path")
    qtbot.waitUntil(lambda: panel.answer is not None)
    window.session.open(replace(shop))
    assert panel.answer is None


# -- impact --------------------------------------------------------------------------------------------------------


def test_who_is_affected(window: MainWindow, qtbot) -> None:
    """DND-10: by distance and file, tests apart, lit up in the picture; a click reveals."""
    panel = impact(window)
    assert panel.says.text() == NO_IMPACT
    select(window, "shop/domain")
    before = window.session.scene().color
    run(window, "impact")
    qtbot.waitUntil(lambda: panel.answer is not None)
    assert panel.answer is not None
    answer = panel.answer
    assert window.session.view.impact is answer
    assert not np.array_equal(window.session.scene().color, before)
    titles = [panel.tree.topLevelItem(n).text(0) for n in range(panel.tree.topLevelItemCount())]
    assert titles[0].startswith("Directly affected (")
    assert titles[-1] == f"Tests to run again ({int(answer.test.sum()):,})"
    assert f"{len(answer):,} nodes" in panel.says.text()
    assert panel.counts.text().count("<tr>") > 1
    top = panel.tree.topLevelItem(0)
    assert top is not None
    leaf = top
    while leaf.childCount():
        leaf = rows(leaf)[0]
    panel.tree.itemClicked.emit(leaf, 0)
    key = leaf.data(0, int(Qt.ItemDataRole.UserRole))
    assert window.session.view.selected == (key,)
    assert key in answer.node
    run(window, "escape")
    assert window.session.view.impact is None


def test_impact_by_kind_and_depth(window: MainWindow, qtbot) -> None:
    """DND-10: fewer kinds and steps, fewer that are affected."""
    panel = impact(window)
    select(window, "shop/domain")
    run(window, "impact")
    qtbot.waitUntil(lambda: panel.answer is not None)
    whole = panel.answer
    assert whole is not None
    panel.limit.setValue(1)
    qtbot.waitUntil(lambda: panel.answer is not whole)
    direct = panel.answer
    assert direct is not None
    assert set(direct.distance.tolist()) == {1}
    assert len(direct) == int((whole.distance == 1).sum())
    for action in panel._kinds_menu.actions():
        action.setChecked(False)
    qtbot.waitUntil(lambda: panel.answer is not None and not len(panel.answer))
    assert "Nothing uses it" in panel.says.text()
    assert not panel.export.isEnabled()


def test_impact_is_taken_along(window: MainWindow, qtbot, tmp_path: Path) -> None:
    """DND-10: Markdown, CSV, JSON by the suffix, whole or not at all."""
    panel = impact(window)
    select(window, "shop/domain")
    run(window, "impact")
    qtbot.waitUntil(lambda: panel.answer is not None)
    for suffix, start in ((".md", "# Impact of a change"), (".csv", "what to do,"), (".json", "{")):
        panel.export_to(tmp_path / f"impact{suffix}")
        assert (tmp_path / f"impact{suffix}").read_text().startswith(start)
    data = json.loads((tmp_path / "impact.json").read_text())
    assert panel.answer is not None
    assert len(data["affected"]) == len(panel.answer)
    assert data["commit"]


def test_closing_during_a_question_leaves_no_thread(window: MainWindow) -> None:
    """The guards of the tests count threads."""
    select(window, "shop/ui", "shop/domain")
    run(window, "path", "impact")
    window.close()


def test_names_of_partners_are_enlarged_once_all_is_still(window: MainWindow, qtbot) -> None:
    """DND-6: and not while the pointer moves on: labels are laid out by then, not for every segment it passes."""
    stage = window.canvas.stage
    qtbot.waitUntil(lambda: stage.is_still)
    window.canvas.repaint()
    before = stage.text.names
    assert before is not None
    window.session.set_view(hovered=window.session.graph.key_of["shop/domain"])
    window.canvas.repaint()
    assert stage.text.names is before
    qtbot.waitUntil(lambda: stage.is_still)
    window.canvas.repaint()
    after = stage.text.names
    assert after is not None
    scene = stage.scene
    assert scene is not None
    partners = stage.standing_out.partners
    assert partners is not None
    names = set(scene.tree.key[partners].tolist())
    size = {item.key: item.size for item in before.items if isinstance(item, Text)}
    larger = {
        item.key
        for item in after.items
        if isinstance(item, Text) and item.key in names and item.size > size.get(item.key, 0)
    }
    assert larger


def test_imports_are_left_out_by_a_choice(window: MainWindow, qtbot) -> None:
    """Paths and impact alike; the button tells that some are left out."""
    panel = impact(window)
    select(window, "shop/domain")
    run(window, "impact")
    qtbot.waitUntil(lambda: panel.answer is not None)
    whole = panel.answer
    assert whole is not None
    offered = [action.text() for action in panel._kinds_menu.actions()]
    assert "Calls back" not in offered
    for action in panel._kinds_menu.actions():
        if "imports" in action.text().lower():
            action.setChecked(False)
    assert panel.kinds.text() == "All kinds, some imports"
    qtbot.waitUntil(lambda: panel.answer is not whole)
    assert panel.answer is not None
    graph = window.session.graph
    assert not graph.edges.when[panel.answer.row].any()
    paths_ = paths(window)
    menu = paths_.imports.menu()
    assert menu is not None
    assert [action.text() for action in menu.actions()] == offered[-2:]
    menu.actions()[0].setChecked(False)
    assert paths_.imports.text() == "Some imports"
