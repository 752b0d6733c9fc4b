"""Slow metrics in the window: chosen at once, measured in the background, drawn then (CBV-10)."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest

from cbvtool.errors import Cancelled
from cbvtool.geometry.state.view_state import Mapping
from cbvtool.metrics import METRICS
from cbvtool.metrics import values as metric_values
from cbvtool.metrics.metric import Column, Metric, Subject
from cbvtool.project import Project
from cbvtool.session import Session
from cbvtool.view.window.main_window import MainWindow


class Slow:
    """A metric that is measured when it is told to go on, or until it is stopped."""

    def __init__(self) -> None:
        self.started, self.go_on, self.stopped = threading.Event(), threading.Event(), threading.Event()
        self.threads: set[int] = set()
        self.metric = Metric("slow", "Slow one", "days", "more", "recompute", self.compute, "Takes long.", slow=True)

    def compute(self, subject: Subject) -> Column:
        self.threads.add(threading.get_ident())
        self.started.set()
        try:
            while not self.go_on.wait(0.01):
                subject.progress("counting", 1, 4)
        except Cancelled:
            self.stopped.set()
            raise
        return np.arange(len(subject.graph), dtype=np.float64)


@pytest.fixture
def slow() -> Iterator[Slow]:
    result = Slow()
    yield result
    result.go_on.set()


@pytest.fixture
def window(slow: Slow, settings, qtbot, shop: Project, monkeypatch: pytest.MonkeyPatch) -> MainWindow:
    """A window on the sample project, which counts as large, with one more metric; heights are source lines."""
    monkeypatch.setattr(metric_values, "LARGE", 0)
    settings.reduced_motion = True
    window = MainWindow(Session({**METRICS, "slow": slow.metric}), settings)
    monkeypatch.setattr(window.documents, "may_leave", lambda: True)
    qtbot.addWidget(window)
    window.show()
    with qtbot.waitSignal(window.canvas.stage.first_frame):
        window.session.open(shop)
    window.session.set_view(mapping=Mapping("sloc", "sloc", "nl3"))
    return window


def choose(window: MainWindow, variable: str, metric: str) -> None:
    """As a click in the Style panel does."""
    choice = window.desk.panels["style"]._choices[variable]
    choice.setCurrentIndex(choice.findData(metric))
    choice.activated.emit(choice.currentIndex())


def height(window: MainWindow) -> str:
    """The metric that is drawn as height."""
    scene = window.canvas.stage.scene
    assert scene is not None
    return scene.height_legend.metric.name


def test_a_slow_metric_does_not_block_the_window(window: MainWindow, slow: Slow, qtbot) -> None:
    """The old picture stays, the status bar says what is measured and how far; then the new one is drawn."""
    choose(window, "height", "slow")
    assert window.session.view.mapping.height == "slow"
    assert height(window) == "sloc"
    assert window.status.work.text() == "Measuring 'Slow one'"
    qtbot.waitUntil(lambda: window.status.work.text() == "Measuring 'Slow one' 25 %")
    assert window.status.cancel.isVisible()
    window.session.select([window.session.graph.key_of["shop"]])  # the window answers meanwhile
    window.session.select(())
    slow.go_on.set()
    qtbot.waitUntil(lambda: height(window) == "slow")
    assert not window.status.cancel.isVisible()
    assert threading.get_ident() not in slow.threads
    assert window.message.text == ""


def test_a_measurement_is_cancelled(window: MainWindow, slow: Slow, qtbot) -> None:
    """What is drawn is chosen again, and the panel says so."""
    choose(window, "height", "slow")
    qtbot.waitUntil(slow.started.is_set)
    window.status.cancel.click()
    qtbot.waitUntil(slow.stopped.is_set)
    qtbot.waitUntil(lambda: window.session.view.mapping.height == "sloc")
    assert window.desk.panels["style"]._choices["height"].currentData() == "sloc"
    assert not window.status.cancel.isVisible()
    assert window.message.text == ""


def test_choosing_something_else_ends_it(window: MainWindow, slow: Slow, qtbot) -> None:
    """Nobody waits for it any longer, so nobody measures it."""
    choose(window, "height", "slow")
    qtbot.waitUntil(slow.started.is_set)
    choose(window, "height", "bytes")
    assert height(window) == "bytes"
    assert not window.status.cancel.isVisible()
    qtbot.waitUntil(slow.stopped.is_set)
    assert window.session.view.mapping.height == "bytes"


def test_closing_does_not_wait_for_it(window: MainWindow, slow: Slow, qtbot) -> None:
    """It would go on for ever."""
    choose(window, "color", "slow")
    qtbot.waitUntil(slow.started.is_set)
    window.close()
    assert slow.stopped.is_set()


def test_a_step_of_the_plan_while_one_is_mapped(window: MainWindow, slow: Slow, qtbot) -> None:
    """The step is seen at once with the values from before it; the new ones are measured in the background."""
    slow.go_on.set()
    choose(window, "height", "slow")
    qtbot.waitUntil(lambda: height(window) == "slow")
    slow.go_on.clear()
    key_of, stage = window.session.graph.key_of, window.canvas.stage
    before = stage.scene.height_legend
    window.session.move([key_of["shop/domain"]], key_of["shop/ui"])
    assert stage.scene.graph is window.session.graph
    assert stage.scene.pending == ("slow",)
    assert stage.scene.height_legend.metric is before.metric
    qtbot.waitUntil(lambda: "Slow one" in window.status.work.text())
    slow.go_on.set()
    qtbot.waitUntil(lambda: stage.scene.pending == ())


def test_details_wait_in_silence(window: MainWindow, slow: Slow, qtbot) -> None:
    """Only what the picture waits for is told of; the picture comes before the details."""
    window.session.select([window.session.graph.key_of["shop"]])
    qtbot.waitUntil(slow.started.is_set)
    assert not window.status.cancel.isVisible()
    choose(window, "height", "transitive_users")
    qtbot.waitUntil(lambda: height(window) == "transitive_users")
    assert not slow.go_on.is_set(), "although the details still wait"
    assert "being measured" in window.desk.panels["details"].text.toPlainText()
    slow.go_on.set()
    qtbot.waitUntil(lambda: "being measured" not in window.desk.panels["details"].text.toPlainText())


def test_details_show_what_is_measured_so_far(window: MainWindow, slow: Slow, qtbot) -> None:
    """CBV-10: one slow metric keeps no other back; what is read stays in sight when more is known."""
    text = window.desk.panels["details"].text
    window.desk.panels["details"].setFixedHeight(120)
    window.session.select([window.session.graph.key_of["shop"]])
    text.verticalScrollBar().setValue(40)
    qtbot.waitUntil(slow.started.is_set)
    qtbot.waitUntil(lambda: text.toPlainText().count("being measured") == 1)
    assert not slow.go_on.is_set(), "although one is still measured"
    assert text.verticalScrollBar().value() == 40
    window.session.select([int(window.session.graph.children(window.session.graph.key_of["shop"])[0])])
    assert text.verticalScrollBar().value() == 0


def test_a_metric_that_fails_is_told_of(window: MainWindow, slow: Slow, qtbot, monkeypatch: pytest.MonkeyPatch) -> None:
    """One sentence, and what is drawn stays."""

    def fail(subject: Subject) -> Column:
        raise ValueError("no such luck")

    session = window.session
    session.metrics = {**session.metrics, "slow": replace(slow.metric, compute=fail)}
    choose(window, "height", "slow")
    qtbot.waitUntil(lambda: "no such luck" in window.message.text)
    assert session.view.mapping.height == "sloc"
    assert not window.status.cancel.isVisible()


def test_metrics_of_a_graph_are_in_the_menus(window: MainWindow, shop: Project) -> None:
    """NEW-3: they come and go with the graph; Details lists them."""
    window.desk.bring("style")
    graph = shop.graph.with_(values={**shop.graph.values, "salary": np.ones(len(shop.graph))})
    choices: Callable[[], int] = lambda: window.desk.panels["style"]._choices["height"].findData("salary")  # noqa: E731
    assert choices() == -1
    window.session.open(replace(shop, graph=graph))
    assert choices() >= 0
    choose(window, "height", "salary")
    assert height(window) == "salary"
    window.session.select([graph.root])
    assert "Salary" in window.desk.panels["details"].text.toPlainText()
    window.session.open(shop)
    assert choices() == -1
    assert height(window) == "change_frequency"
    window.session.select([graph.root])
    assert "Salary" not in window.desk.panels["details"].text.toPlainText()
