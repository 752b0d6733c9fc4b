"""Slow work runs in a thread, with progress and cancel; the latest request wins."""

from __future__ import annotations

import threading
import time

import pytest
from qtpy.QtCore import QThread

from cbvtool.errors import InputError
from cbvtool.progress import Progress
from cbvtool.view.toolkit.worker import Worker


@pytest.fixture
def worker(qtbot):
    result = Worker()
    yield result
    result.stop()
    assert not result._running


def test_work_runs_elsewhere_and_reports_here(worker: Worker, qtbot) -> None:
    seen: dict[str, object] = {}
    here = QThread.currentThread()

    def work(progress: Progress) -> int:
        seen["thread"] = threading.get_ident()
        progress("counting", 1, 1)
        return 42

    def done(result: int) -> None:
        seen["result"] = result
        seen["back"] = QThread.currentThread()

    reports: list[tuple[str, int, int]] = []
    worker.progressed.connect(lambda *report: reports.append(report))
    worker.start(work, done, pytest.fail)
    qtbot.waitUntil(lambda: "result" in seen)
    assert seen["result"] == 42
    assert seen["thread"] != threading.get_ident()
    assert seen["back"] is here
    assert reports == [("counting", 1, 1)]
    assert not worker.busy


def test_cancel_stops_at_the_next_report(worker: Worker, qtbot) -> None:
    told: list[str] = []
    running = threading.Event()

    def work(progress: Progress) -> None:
        while True:
            running.set()
            progress("going round", 0, 0)
            time.sleep(0.001)

    worker.start(work, lambda _: told.append("done"), told.append, lambda: told.append("cancelled"))
    assert running.wait(60)
    worker.cancel()
    qtbot.waitUntil(lambda: told == ["cancelled"])


def test_what_is_cancelled_gives_no_result_though_it_is_done(worker: Worker, qtbot) -> None:
    """Whoever presses Cancel has not seen the result, which is on its way."""
    told: list[object] = []
    worker.start(lambda progress: "result", told.append, pytest.fail, lambda: told.append("cancelled"))
    assert worker._running[0].wait(60_000)
    worker.cancel()
    qtbot.waitUntil(lambda: not worker.busy)
    assert told == ["cancelled"]


def test_the_latest_request_wins(worker: Worker, qtbot) -> None:
    go = threading.Event()
    told: list[object] = []

    def slow(progress: Progress) -> str:
        go.wait(60)
        return "old"

    worker.start(slow, told.append, pytest.fail)
    worker.start(lambda progress: "new", told.append, pytest.fail)
    go.set()
    qtbot.waitUntil(lambda: told == ["new"])
    worker.stop()
    assert told == ["new"]


def test_a_failure_is_a_sentence(worker: Worker, qtbot) -> None:
    told: list[str] = []

    def refuse(progress: Progress) -> None:
        raise InputError("/nowhere does not exist.")

    worker.start(refuse, pytest.fail, told.append)
    qtbot.waitUntil(lambda: told == ["/nowhere does not exist."])


def test_a_fault_of_ours_is_a_sentence_too(worker: Worker, qtbot, caplog) -> None:
    told: list[str] = []
    worker.start(lambda progress: 1 // 0, pytest.fail, told.append)
    qtbot.waitUntil(lambda: bool(told))
    assert "ZeroDivisionError" in told[0]
    assert "Traceback" not in told[0]


def test_stop_leaves_no_thread_behind(qtbot) -> None:
    """Closing the window while work runs ends it."""
    worker = Worker()
    before = threading.active_count()
    started = threading.Event()

    def work(progress: Progress) -> None:
        while True:
            started.set()
            progress("working", 0, 0)
            time.sleep(0.001)

    worker.start(work, pytest.fail, pytest.fail)
    job = worker._current
    assert job is not None
    assert started.wait(60)
    worker.stop()
    assert not worker._running
    assert threading.active_count() <= before + 1  # Qt's thread may still be known to Python until it is collected


def test_after_the_end_nothing_is_begun(qtbot) -> None:
    """A timer that outlives the window must not leave it with a thread."""
    worker = Worker()
    told: list[object] = []
    worker.stop(for_good=False)
    worker.start(lambda progress: "again", told.append, pytest.fail)
    qtbot.waitUntil(lambda: told == ["again"])
    worker.stop()
    worker.start(lambda progress: "late", told.append, pytest.fail)
    assert not worker.busy
    assert not worker._running
