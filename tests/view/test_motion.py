"""CBV-6: changes of the layout glide, can be interrupted, and do not where that is not wanted or not smooth."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from qtpy.QtCore import QVariantAnimation

from cbvtool.geometry.scene import transition
from cbvtool.project import Project
from cbvtool.view.window.main_window import MainWindow


@pytest.fixture
def lively(new_window: Callable[[], MainWindow], shop: Project, qtbot) -> MainWindow:
    """A window on the sample project that moves."""
    window = new_window()
    with qtbot.waitSignal(window.canvas.stage.first_frame):
        window.session.open(shop)
    window.session.set_view(expanded=frozenset({window.session.graph.root}))
    window.settings.reduced_motion = False
    return window


def _angles(window: MainWindow, node: str) -> tuple[float, float]:
    """Where the segment of a node begins and ends in what is shown now, on its way or not."""
    shown = window.canvas.stage.shown
    assert shown is not None
    item = int(shown.tree.represent[shown.graph.key_of[node]])
    return float(shown.layout.a0[item]), float(shown.layout.a1[item])


def _middle(window: MainWindow, share: float = 0.5) -> None:
    """Be at that share of the time of the way, whatever the clock says."""
    glide = window.canvas.stage.findChild(QVariantAnimation, "glide")
    assert isinstance(glide, QVariantAnimation)
    assert glide.state() == QVariantAnimation.State.Running
    glide.pause()
    glide.setCurrentTime(round(share * glide.duration()))


def test_expanding_glides_and_comes_to_rest(lively: MainWindow, qtbot) -> None:
    stage, session = lively.canvas.stage, lively.session
    session.expand([session.graph.key_of["shop"]])
    _middle(lively, 0.3)
    assert stage.shown is not stage.scene
    assert not stage.is_still
    glide = stage.findChild(QVariantAnimation, "glide")
    assert isinstance(glide, QVariantAnimation)
    glide.resume()
    qtbot.waitUntil(lambda: stage.is_still)
    assert stage.shown is stage.scene


def test_a_second_change_continues_from_where_the_first_is(lively: MainWindow, qtbot) -> None:
    """A second E during the first: no jump."""
    stage, session = lively.canvas.stage, lively.session
    key_of = session.graph.key_of
    session.expand([key_of["shop"]])
    _middle(lively)
    before = _angles(lively, "tests")
    session.restrict(key_of["shop"])
    _middle(lively, 0.0)
    assert _angles(lively, "tests") == pytest.approx(before)
    glide = stage.findChild(QVariantAnimation, "glide")
    assert isinstance(glide, QVariantAnimation)
    glide.resume()
    qtbot.waitUntil(lambda: stage.is_still)
    assert stage.shown is stage.scene


def test_pointing_at_something_does_not_stop_the_way(lively: MainWindow, qtbot) -> None:
    session = lively.session
    session.expand([session.graph.key_of["shop"]])
    _middle(lively)
    before = _angles(lively, "tests")
    session.set_view(hovered=session.graph.key_of["tests"])
    assert _angles(lively, "tests") == before
    assert not lively.canvas.stage.is_still


def test_with_reduced_motion_nothing_glides(lively: MainWindow) -> None:
    lively.settings.reduced_motion = True
    lively.session.expand([lively.session.graph.key_of["shop"]])
    assert lively.canvas.stage.shown is lively.canvas.stage.scene


def test_a_huge_scene_fades_over_instead(lively: MainWindow, qtbot, monkeypatch: pytest.MonkeyPatch) -> None:
    stage, session = lively.canvas.stage, lively.session
    qtbot.waitUntil(lambda: stage.is_still)
    monkeypatch.setattr(transition, "MOST", 2)
    session.expand([session.graph.key_of["shop"]])
    assert stage.shown is stage.scene
    assert not stage.is_still
    qtbot.waitUntil(lambda: stage.is_still)
