"""NEW-23, CBV-11: what a plan did to every node, on the picture and in words; scales of before."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

from cbvtool.export.files import write_drawing
from cbvtool.export.html import html
from cbvtool.geometry.camera import Camera
from cbvtool.geometry.overlay import furniture
from cbvtool.geometry.overlay.answer_legends import plan_rows, with_answers
from cbvtool.geometry.overlay.plan_marks import SIGNS, plan_marks
from cbvtool.geometry.picture import Polyline, Rect, Text
from cbvtool.geometry.scene.planned import Sort, planned_of
from cbvtool.geometry.scene.scene import Pipeline, Scene
from cbvtool.geometry.state.view_state import ViewState
from cbvtool.graph import REMOVED, Graph
from cbvtool.layout.depth import expanded_to
from cbvtool.plan import Create, Merge, Move, Operation, Remove, Rename, run
from tests.geometry.scenes import MAPPING, shop
from tests.plan.strategies import plans

PLAN = (
    Move(("api/part_2.py",), "web"),
    Create("plan:1", "", "new", "folder"),
    Move(("billing/part_3.py",), "plan:1"),
    Rename("core/part_0.py", "part_00.py"),
    Remove(("web/part_4.py",)),
)


def _scenes(*operations: Operation, **changes: object) -> tuple[Scene, Scene]:
    """(of the base, of the target) as a session has them."""
    base = shop()
    target = run(base, operations).graph
    state = ViewState(mapping=MAPPING, expanded=expanded_to(target, 9))
    state = replace(state, **changes)  # type: ignore[arg-type]  # fields of the state
    pipeline = Pipeline()
    after = pipeline.scene(target, None, state, planned=target, plan=(base, target))
    other = Pipeline(beside=pipeline)
    before = other.scene(base, None, replace(state, before=True), planned=base, plan=(base, target))
    return before, after


def _item(scene: Scene, node: str) -> int:
    return int(scene.tree.represent[scene.graph.key_of[node]])


@given(plans())
def test_changes_are_counted_where_they_are_and_where_they_were(planned: tuple[Graph, list[Operation]]) -> None:
    """Against a count by sets of every container."""
    base, target = planned[0], run(*planned).graph
    plan = planned_of(base, target)
    if plan is None:
        assert base is target
        return
    for key in plan.keys:
        assert plan.words(key)
    for above in range(len(target)):
        if target.parent[above] == REMOVED:
            assert plan.inside[above] == 0
            continue
        inside = set()
        for key in plan.keys:
            here = target.parent[key] != REMOVED and target.is_below(key, above) and key != above
            was = (key < len(base) and Sort.MOVED in plan.sorts(key)) or Sort.REMOVED in plan.sorts(key)
            if was:
                left = int(base.parent[key])
                while left >= 0 and target.parent[left] == REMOVED:
                    left = int(base.parent[left])
                here = here or (left >= 0 and target.is_below(left, above) and key != above)
            if here:
                inside.add(key)
        assert plan.inside[above] == len(inside)


def test_each_change_is_told_in_words() -> None:
    _, after = _scenes(*PLAN)
    plan, key = after.plan, after.graph.key_of
    assert plan is not None
    assert plan.words(key["api/part_2.py"]) == "Moved from api"
    assert plan.words(key["plan:1"]) == "New in the top level"
    assert plan.words(key["core/part_0.py"]) == "Renamed from part_0.py"
    assert plan.summary() == "2 moved, 1 renamed, 1 new, 1 removed"
    assert "part_2.py: moved from api to web" in list(plan.sentences())
    assert "part_4.py: removed from web" in list(plan.sentences())
    assert plan.will(key["api/part_2.py"]) == "Will be moved to web"
    assert plan.inside_words(key["web"]) == "2 planned changes inside"  # one came, one is removed
    assert plan.inside_words(key["api"]) == "1 planned change inside"
    assert "Moved from api" in furniture.tooltip_lines(after, _item(after, "api/part_2.py"))


def test_unmoved_segments_look_the_same_before_and_after() -> None:
    """Angles, colours and heights: the scales are those of the base."""
    before, after = _scenes(*PLAN)
    touched = {"api/part_2.py", "billing/part_3.py", "core/part_0.py", "web/part_4.py", "plan:1"}
    same = [node for node in before.graph.key_of if node not in touched and node]
    for node in same:
        old, new = _item(before, node), _item(after, node)
        assert before.layout.a0[old] == pytest.approx(after.layout.a0[new])
        assert before.layout.a1[old] == pytest.approx(after.layout.a1[new])
        if before.tree.leaf[old]:
            assert (before.color[old] == after.color[new]).all()
            assert before.height[old] == pytest.approx(after.height[new])
    assert after.color_legend.axis.pinned
    assert not before.color_legend.axis.pinned
    assert after.color_legend.maximum == before.color_legend.maximum


def test_the_scale_stays_when_the_largest_value_goes_and_when_a_larger_one_comes() -> None:
    closed = {"expanded": frozenset[int]()}
    before, after = _scenes(Merge("web", "billing"), **closed)
    assert after.color_legend.maximum == before.color_legend.maximum
    assert after.color_legend.axis.above == 1  # billing is larger than anything was, and drawn like the end
    assert after.color_legend.show(after.color_legend.maximum).startswith("≥")
    before, after = _scenes(Remove(("web/part_4.py", "billing/part_3.py")))
    assert after.color_legend.maximum == before.color_legend.maximum


def test_without_a_plan_nothing_is_pinned_or_marked() -> None:
    graph = shop()
    scene = Pipeline().scene(graph, None, ViewState(mapping=MAPPING), planned=graph, plan=(graph, graph))
    assert scene.plan is None
    assert scene.ghosts is None
    assert not scene.color_legend.axis.pinned
    assert not plan_marks(scene, Camera().fitted(900, 700), 900, 700).items
    assert "plan" not in with_answers({}, scene, 900, 700)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_ghosts_are_dashed_and_what_is_there_has_a_rim_and_a_sign(theme: str) -> None:
    before, after = _scenes(*PLAN, theme=theme)
    camera = Camera().fitted(1200, 900)
    assert after.ghosts is not None
    named = [after.ghosts.graph.names[key] for key in after.ghosts.key]
    assert sorted(named) == ["part_2.py", "part_3.py", "part_4.py"]
    items = plan_marks(after, camera, 1200, 900).items
    dashed = [item for item in items if isinstance(item, Polyline) and item.dashed and item.fill[3]]
    rims = [item for item in items if isinstance(item, Polyline) and not item.dashed and item.width == 2.0]
    assert len(dashed) == 3
    assert len(rims) == 4  # two moved, one renamed, one new
    assert sum(isinstance(item, Rect) for item in items) >= 4
    assert before.ghosts is not None
    coming = {before.ghosts.graph.names[key] for key in before.ghosts.key}
    assert coming == {"part_2.py", "new"}  # what lies in the new folder comes with it
    switched_off = replace(after, state=replace(after.state, planned=False))
    assert not plan_marks(switched_off, camera, 1200, 900).items


def test_signs_differ_in_form() -> None:
    """Never by colour alone."""
    assert len({SIGNS[sort] for sort in Sort}) == len(Sort) == 7


def test_a_collapsed_container_says_how_much_changes_inside() -> None:
    _, after = _scenes(*PLAN, expanded=frozenset())
    texts = {
        item.text for item in plan_marks(after, Camera().fitted(1200, 900), 1200, 900).items if isinstance(item, Text)
    }
    assert {"1", "2"} <= texts
    lines = furniture.tooltip_lines(after, _item(after, "web"))
    assert "2 planned changes inside" in lines


def test_the_legend_says_what_marks_and_scales_mean() -> None:
    before, after = _scenes(*PLAN)
    assert after.plan is not None
    assert before.plan is not None
    said = plan_rows(after, after.plan)
    assert ("rim", "2 moved, 1 renamed, 1 new, 1 removed") in said
    assert ("ghost", "where it was") in said
    assert ("", "scales as before the plan") in said
    assert ("ghost", "where it will be") in plan_rows(before, before.plan)


def test_an_empty_place_is_found_and_tells_what_became_of_what_was_there() -> None:
    before, after = _scenes(*PLAN)
    ghosts, key = after.ghosts, after.graph.key_of["api/part_2.py"]
    assert ghosts is not None
    row = ghosts.key.tolist().index(key)
    angle, radius = (ghosts.a0[row] + ghosts.a1[row]) / 2, (ghosts.r0[row] + ghosts.r1[row]) / 2
    assert ghosts.at(float(angle), float(radius)) == key
    assert ghosts.at(float(angle), 0.1) == -1
    assert furniture.ghost_lines(after, key)[1] == "Was here; now in web"
    assert furniture.ghost_lines(before, key)[1] == "Will be here after the plan"


def test_empty_places_do_not_cover_segments() -> None:
    _, after = _scenes(*PLAN)
    ghosts, layout = after.ghosts, after.layout
    assert ghosts is not None
    leaves = np.flatnonzero(after.tree.leaf)
    for a0, a1 in zip(ghosts.a0, ghosts.a1, strict=True):
        assert ((layout.a1[leaves] <= a0 + 1e-9) | (layout.a0[leaves] >= a1 - 1e-9)).all()


@pytest.mark.parametrize("suffix", [".svg", ".pdf", ".html"])
def test_exports_hold_the_marks(tmp_path: Path, suffix: str) -> None:
    _, after = _scenes(*PLAN)
    file = tmp_path / f"view{suffix}"
    write_drawing(after, file, title="shop")
    content = file.read_bytes()
    if suffix == ".svg":
        assert content.count(b"stroke-dasharray") >= 3
        assert b"Moved from api" in content
        assert b"scales as before the plan" in content
    elif suffix == ".html":
        assert b"Moved from api" in html(after, title="shop")
    else:
        plain = tmp_path / "plain.pdf"
        write_drawing(replace(after, state=replace(after.state, planned=False)), plain, title="shop")
        assert len(content) > len(plain.read_bytes())
