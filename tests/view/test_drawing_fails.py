"""An exception while the picture is drawn leaves the last good one, a sentence, and a traceback for a bug report."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator

import pytest
from qtpy.QtCore import QTimer, QVariantAnimation
from qtpy.QtGui import QImage, QPainter

from cbvtool.drawing import renderer
from cbvtool.geometry.overlay import furniture
from cbvtool.geometry.scene import scene as picture_pipeline
from cbvtool.geometry.scene import transition
from cbvtool.view.canvas import stage as canvas_stage
from cbvtool.view.canvas import text_layers
from cbvtool.view.canvas.phases import Phase
from cbvtool.view.commands.help.failures import KEPT, Failures
from cbvtool.view.toolkit.application import catch_exceptions
from cbvtool.view.window.main_window import MainWindow

STAGES = {
    "scene": (picture_pipeline.Pipeline, "scene"),
    "show": (renderer.Renderer, "show"),
    "ring": (renderer, "coarsen"),
    "rims": (renderer, "rims"),
    "frame": (renderer.Renderer, "_hasty"),
    "piece": (renderer.Renderer, "piece"),
    "names": (furniture, "labels"),
    "text": (text_layers, "headline_picture"),
    "marks": (canvas_stage, "paint_marks"),
    "overlay": (canvas_stage, "paint_overlay"),
}


@pytest.fixture
def said(window: MainWindow, qtbot) -> Iterator[MainWindow]:
    """A window whose exceptions become sentences, as those of the program do."""
    window.desk.say(f"Something went wrong inside cbvtool. {'The bar is as high as it will be. ' * 4}")
    qtbot.waitUntil(lambda: window.canvas.stage.is_still)
    undo = catch_exceptions(window.desk.say)
    yield window
    undo()


def picture(window: MainWindow) -> QImage:
    """What the canvas paints now."""
    image = QImage(window.canvas.size(), QImage.Format.Format_RGB32)
    image.fill(0)
    painter = QPainter(image)
    window.canvas.stage.paint(painter)
    painter.end()
    return image


def let_it_rest(window: MainWindow) -> None:
    """As many steps of its clock as a still picture needs, with paintings between them."""
    idle = window.canvas.stage.findChild(QTimer, "idle")
    assert isinstance(idle, QTimer)
    for _ in range(60):
        idle.timeout.emit()
        picture(window)


@pytest.mark.parametrize("stage", STAGES)
def test_the_last_good_picture_stays_and_the_next_one_comes(
    said: MainWindow, monkeypatch: pytest.MonkeyPatch, stage: str
) -> None:
    session, shown = said.session, said.canvas.stage
    good = picture(said)

    def fail(*_: object, **__: object) -> None:
        raise IndexError(f"the stage is 'out/of/order' at {stage}")

    with monkeypatch.context() as broken:
        broken.setattr(*STAGES[stage], fail)
        with contextlib.suppress(IndexError):  # where there is no scene, others miss it, too
            session.set_view(expanded=frozenset(range(len(session.graph))))
        let_it_rest(said)
        assert shown.phase is Phase.FAILED
        if stage != "piece":  # until then there were quick frames of the new picture, all of them whole
            assert picture(said) == good
        assert said.message.text.startswith("Something went wrong inside cbvtool (IndexError: the stage is")
        assert said.message.text.count(". ") == 0
        told = said.linking.diagnostics()
        assert f"in {fail.__name__}\n" in told
        assert f"IndexError: the stage is ... at {stage}" in told
        assert "out/of/order" not in told
    session.set_view(hovered=session.graph.key_of["tests"])
    session.set_view(hovered=-1)
    if stage == "scene":  # the state that could not be drawn is no change for those who have seen it
        session.set_view(beta=0.5)
    let_it_rest(said)
    assert shown.is_still
    assert shown.shown is shown.scene
    assert shown.scene is not None
    assert shown.scene.tree is session.scene().tree
    assert picture(said) != good
    shown.fit()  # what stands around the disc may have come after the first picture
    let_it_rest(said)
    after = picture(said)
    shown.refresh()
    shown.fit()
    let_it_rest(said)
    assert picture(said) == after, "what was drawn after the failure is what is drawn anyway"


def test_a_way_that_fails_ends_where_it_leads(said: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    """The end of a transition is the next state that can be drawn; it is drawn at once."""
    said.settings.reduced_motion = False

    def fail(*_: object) -> None:
        raise ZeroDivisionError("no way")

    monkeypatch.setattr(transition.Way, "at", fail)
    session, stage = said.session, said.canvas.stage
    session.set_view(expanded=frozenset(range(len(session.graph))))
    glide = stage.findChild(QVariantAnimation, "glide")
    assert isinstance(glide, QVariantAnimation)
    glide.setCurrentTime(glide.duration() // 2)
    assert "no way" in said.message.text
    let_it_rest(said)
    assert stage.is_still
    assert stage.shown is stage.scene
    assert stage.scene.tree is session.scene().tree


def test_the_last_few_failures_are_kept_of_jobs_as_well(said: MainWindow, qtbot) -> None:
    """Each once, however often it came in a row."""

    def fail(name: str) -> None:
        raise KeyError(name)

    def run(name: str) -> None:
        told: list[str] = []
        said.jobs.run(said, "Failing", lambda _: fail(name), lambda _: None, told.append)
        qtbot.waitUntil(lambda: bool(told))

    for number in range(KEPT + 3):
        run(f"/home/somebody/{number}")
    told = said.linking.diagnostics()
    assert told.count("in fail\n") == 1
    assert "KeyError: ..." in told
    assert "somebody" not in told
    for number in range(KEPT + 3):
        said.desk.part(Failures).handle(_record(ValueError(f"number {number}")))
    told = said.linking.diagnostics()
    assert [f"number {number}" in told for number in range(KEPT + 3)] == [False] * 3 + [True] * KEPT
    assert "KeyError" not in told


def _record(error: Exception) -> logging.LogRecord:
    return logging.LogRecord("", logging.ERROR, "", 0, "", (), (type(error), error, error.__traceback__))
