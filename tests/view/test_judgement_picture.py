"""NEW-1: what a drop would be worth, as it is painted."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.assessment.rows import FigureRow, Verdict
from cbvtool.drawing.judgement_picture import card_picture, signs_picture, tinted
from cbvtool.geometry.camera import Camera
from cbvtool.geometry.colors import THEMES
from cbvtool.geometry.overlay.labels import labels, names_on
from cbvtool.geometry.picture import Rect, Text
from cbvtool.geometry.scene.scene import Pipeline, Scene
from cbvtool.geometry.state.view_state import ViewState
from cbvtool.project import Project

SIZE = (800, 600)
LIGHT = THEMES["light"]


def measured(text: str, size: float, bold: bool) -> float:
    return len(text) * size * (0.6 if bold else 0.55)


def row(name: str, before: str, after: str, verdict: Verdict, *, cost: bool = False) -> FigureRow:
    return FigureRow(name, before, after, verdict, "", cost)


ROWS = (
    row("violations", "5", "8", "worse"),
    row("largest tangle", "12", "9", "better"),
    row("TurboMQ", "2.5", "2.5", "same"),
    row("disruption", "0 %", "2 %", "worse", cost=True),
)


def texts(rows: tuple[FigureRow, ...] = ROWS, *, stale: bool = False) -> dict[str, Text]:
    picture = card_picture(rows, "Modules", None, (100, 100), SIZE, LIGHT, measured, stale=stale)
    return {item.text: item for item in picture.items if isinstance(item, Text)}


def test_better_and_worse_are_told_by_colour_and_sign() -> None:
    """NEW-1: green with +, red with −, what stays the same is faint, and what it costs has neither."""
    found = texts()
    assert found["8"].color == found["−"].color == LIGHT.worse
    assert found["9"].color == found["+"].color == LIGHT.better
    assert found["2.5"].color == found["TurboMQ"].color == LIGHT.muted
    assert found["2 %"].color == LIGHT.text
    assert abs(found["8"].y - found["−"].y) < 1 > abs(found["8"].y - found["violations"].y)
    assert abs(found["2 %"].y - found["−"].y) > 1 < abs(found["2 %"].y - found["+"].y)


def test_figures_of_another_target_are_faint() -> None:
    """NEW-1: no sign stands while the figures of this target are on their way, and no line moves."""
    before, stale = texts(), texts(stale=True)
    assert {item.color for item in stale.values()} == {LIGHT.muted}
    assert not {"+", "−"} & stale.keys()
    assert all(item.y == before[text].y for text, item in stale.items())


def test_lines_stay_where_they_are_whatever_the_target() -> None:
    """NEW-1: nothing jumps."""
    same = tuple(replace(each, after=each.before, verdict="same") for each in ROWS)
    names = [each.name for each in ROWS]
    assert [texts(same)[name].y for name in names] == [texts()[name].y for name in names]


@given(st.integers(0, SIZE[0]), st.integers(0, SIZE[1]), st.floats(0, 500), st.floats(0, 400), st.booleans())
def test_the_card_stays_inside(x: int, y: int, left: float, top: float, has_caption: bool) -> None:
    """NEW-1: beside the caption of the drag, inside the picture, not over the caption where there is room."""
    caption = Rect(left, top, 200, 45, (0, 0, 0, 0)) if has_caption else None
    picture = card_picture(ROWS, "Modules", caption, (x, y), SIZE, LIGHT, measured)
    card = next(item for item in picture.items if isinstance(item, Rect))
    assert card.x >= 0 <= card.y
    assert card.x + card.width <= SIZE[0]
    assert card.y + card.height <= SIZE[1]
    if caption is not None:
        assert card.y >= caption.y + caption.height or card.y + card.height <= caption.y


def test_no_figures_no_card() -> None:
    assert not card_picture((), "", None, (9, 9), SIZE, LIGHT, measured).items


@pytest.fixture
def scene(shop: Project) -> Scene:
    graph = shop.graph
    return Pipeline().scene(graph, shop.changes, ViewState(expanded=frozenset({graph.key_of["shop"]})))


def test_targets_are_tinted_by_gain_and_bear_signs(scene: Scene) -> None:
    """NEW-1: the better a target, the greener; the others fade; + and − on those that are wide enough."""
    key_of = scene.graph.key_of
    names = ("shop/domain", "shop/services", "shop/ui", "shop/infrastructure")
    gains = dict(zip((key_of[name] for name in names), (1.0, 0.2, -1.0, 0.0), strict=True))
    color = tinted(scene, gains, LIGHT).color.astype(float)
    item = {name: scene.tree.key.tolist().index(key_of[name]) for name in names}

    def away(name: str, goal: tuple[int, int, int, int]) -> float:
        return float(np.abs(color[item[name], :3] - np.array(goal[:3])).sum())

    assert away("shop/domain", LIGHT.better) < away("shop/services", LIGHT.better)
    assert away("shop/ui", LIGHT.worse) < away("shop/infrastructure", LIGHT.worse)
    assert (color[:, 3] == scene.color[:, 3]).all()
    signs = signs_picture(scene, gains, Camera.fit(*SIZE), SIZE, LIGHT).items
    told = sorted(item.text for item in signs if isinstance(item, Text))
    assert told == ["+", "+", "−"]
    assert not signs_picture(scene, {}, Camera.fit(*SIZE), SIZE, LIGHT).items
    assert np.array_equal(tinted(scene, {10**6: 1.0}, LIGHT).color[:, 3], scene.color[:, 3])


@pytest.mark.parametrize("expanded", [("shop",), ("shop", "shop/domain", "shop/ui")])
def test_names_are_written_for_the_tint_that_they_stand_on(shop: Project, expanded: tuple[str, ...]) -> None:
    """NEW-1, CBV-4: as if they had been laid out on it; straight names and bent ones, which are written by letters."""
    graph = shop.graph
    view = ViewState(expanded=frozenset(graph.key_of[name] for name in expanded))
    scene = Pipeline().scene(graph, shop.changes, view)
    below = tinted(scene, {graph.key_of["shop/domain"]: 1.0, graph.key_of["shop/ui"]: -0.5}, LIGHT)
    for moving in (False, True):
        before = labels(scene, Camera.fit(*SIZE), *SIZE, moving)
        wanted = labels(below, Camera.fit(*SIZE), *SIZE, moving)
        assert names_on(before, scene, below) == wanted
        assert moving or before != wanted


def test_a_long_heading_keeps_its_beginning_and_its_end() -> None:
    """NEW-1: what the figures are about may be a long path; the card is no wider for it than there is room."""
    long = f"No module changes; here: directly in core/src/{'main/java/' * 12}com/shop"
    picture = card_picture(ROWS, long, None, (100, 100), (500, 400), LIGHT, measured)
    heading = next(item for item in picture.items if isinstance(item, Text))
    assert heading.text.startswith("No module changes; here: di")
    assert heading.text.endswith("com/shop")
    card = next(item for item in picture.items if isinstance(item, Rect))
    assert card.x >= 0
    assert card.x + card.width <= 500
    assert measured(heading.text, 11.0, False) <= card.width
