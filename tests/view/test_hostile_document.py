"""Issue "Trust" item 3: a document with a hostile filter opens in the window, which stays at hand meanwhile."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cbvtool.asking import search
from cbvtool.asking.names import DistinctNames
from cbvtool.errors import Cancelled
from cbvtool.geometry.scene import scene
from cbvtool.matching import Pattern
from cbvtool.plan.document import Document, write_document
from cbvtool.view.window.main_window import MainWindow

HOSTILE = "/a*a*a*a*a*a*a*a*!/"


@pytest.fixture(autouse=True)
def _nothing_is_known() -> None:
    """Of what tests before have found in the same names."""
    DistinctNames._of.cache_clear()


@pytest.fixture
def threads(monkeypatch: pytest.MonkeyPatch) -> set[int]:
    """The threads on which filters are evaluated."""
    found: set[int] = set()
    hidden_by = scene.hidden_by

    def noted(*inputs: Any) -> Any:
        found.add(threading.get_ident())
        return hidden_by(*inputs)

    monkeypatch.setattr(scene, "hidden_by", noted)
    return found


@pytest.fixture
def subject(tmp_path: Path) -> Path:
    folder = tmp_path / "subject"
    folder.mkdir()
    for row in range(30):
        (folder / f"{'a' * 100}{row}.py").write_text("x = 1\n")
    (folder / "ordinary.py").write_text("y = 1\n")
    return folder


def document_with(subject: Path, **view: Any) -> Path:
    path = subject.parent / "evil.cbv"
    write_document(Document(subject, "subject", "", view=view), path)
    return path


def test_a_hostile_filter_of_a_document(
    subject: Path, threads: set[int], new_window: Callable[[], MainWindow], qtbot
) -> None:
    """Audit H1: 200 bytes froze the window for ever."""
    window = new_window()
    window.opening.open(document_with(subject, only=HOSTILE))
    qtbot.waitUntil(lambda: window.session.is_open)
    session = window.session
    assert session.view.only == HOSTILE
    assert len(session.scene().filtered) == 31
    session.set_view(only="")
    session.set_view(only="/^ord.*y/")  # an ordinary one still finds
    qtbot.waitUntil(lambda: len(session.scene().filtered) == 30)
    assert threads
    assert threading.get_ident() not in threads


def test_a_hostile_filter_of_a_named_view(
    subject: Path, threads: set[int], new_window: Callable[[], MainWindow], qtbot
) -> None:
    path = document_with(subject)
    data = json.loads(path.read_text())
    data["view"] = {"named": [{"name": "Evil", "view": {"only": f"path:{HOSTILE}"}}]}
    path.write_text(json.dumps(data))
    window = new_window()
    window.opening.open(path)
    qtbot.waitUntil(lambda: window.session.is_open)
    session = window.session
    session.scene()
    (named,) = session.named
    session.show_named(named)
    qtbot.waitUntil(lambda: len(session.scene().filtered) == 31)
    assert threads
    assert threading.get_ident() not in threads


def test_a_filter_that_takes_too_long_hides_nothing_and_says_so(
    subject: Path, new_window: Callable[[], MainWindow], qtbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "LONGEST_SEARCH", -1)
    window = new_window()
    window.opening.open(document_with(subject, only=HOSTILE))
    qtbot.waitUntil(lambda: window.session.is_open)
    assert len(window.session.scene().filtered) == 0
    qtbot.waitUntil(lambda: window.message.text.startswith("The filter hides nothing. The search for /a*a*"))


class Slow:
    """Searches that go on until somebody cancels them, or lets them end."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.lasts = False
        self.cancelled = 0
        self.searched: list[int] = []
        rows = Pattern.rows

        def slow(pattern: Pattern, lines: Any, spend: Any = lambda count, size: None) -> list[int]:
            if pattern not in lines.found:
                self.searched.append(threading.get_ident())
                assert threading.get_ident() != self.window or not self.lasts
            while self.lasts and pattern not in lines.found:
                try:
                    spend(0, 0)
                except Cancelled:
                    self.cancelled += 1
                    raise
                time.sleep(0.005)
            return rows(pattern, lines, spend)

        self.window = threading.get_ident()
        monkeypatch.setattr(Pattern, "rows", slow)


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Slow:
    return Slow(monkeypatch)


@pytest.fixture
def filtered(subject: Path, new_window: Callable[[], MainWindow], qtbot) -> MainWindow:
    """A window with an ordinary filter that is a pattern."""
    window = new_window()
    window.opening.open(document_with(subject, only="/^ord.*y/"))
    qtbot.waitUntil(lambda: window.session.is_open and not window.opening.busy)
    assert len(window.session.scene().filtered) == 30
    return window


def test_a_step_of_the_plan_searches_on_no_thread_of_the_window(slow: Slow, filtered: MainWindow, qtbot) -> None:
    """What creates or renames makes other names; the filter is searched for in them elsewhere, and hides as before."""
    session, before = filtered.session, filtered.session.scene().filtered
    slow.lasts = True
    assert session.create(session.graph.root, "ordinarily") is None
    assert session.graph.names[-1] == "ordinarily"
    assert session.scene().filtered == before
    assert session.scene().unsearched
    assert session.is_late
    slow.lasts = False
    qtbot.waitUntil(lambda: not session.scene().unsearched)
    assert session.scene().filtered == before
    key = session.graph.key_of["ordinary.py"]
    assert session.rename(key, "other.py") is None
    qtbot.waitUntil(lambda: not session.scene().unsearched)
    assert session.scene().filtered == before | {key}
    assert slow.window not in slow.searched


def test_moving_searches_nothing_again(slow: Slow, filtered: MainWindow, qtbot) -> None:
    """The same names: what was found in them is known, and shown at once."""
    session, searched = filtered.session, len(slow.searched)
    assert session.create(session.graph.root, "new") is None
    qtbot.waitUntil(lambda: not session.scene().unsearched)
    assert len(slow.searched) == searched + 1
    assert session.move([session.graph.key_of["ordinary.py"]], len(session.graph) - 1) is None
    assert not session.scene().unsearched
    assert len(slow.searched) == searched + 1


def test_cancel_stops_the_pattern_of_a_filter(slow: Slow, filtered: MainWindow, qtbot) -> None:
    session, before = filtered.session, len(slow.searched)
    slow.lasts = True
    session.set_view(only="/a.*b/")
    qtbot.waitUntil(lambda: len(slow.searched) == before + 1)
    filtered.jobs.cancel()
    qtbot.waitUntil(lambda: not filtered.main_view.scene_making.busy)
    assert slow.cancelled == 1
    assert session.view.only == "/^ord.*y/"
    session.create(session.graph.root, "new")
    qtbot.waitUntil(lambda: len(slow.searched) == before + 2)
    filtered.jobs.cancel()
    qtbot.waitUntil(lambda: not filtered.main_view.scene_making.busy)
    assert slow.cancelled == 2
    assert session.view.only == ""  # nobody knows what it would hide now
    assert len(session.scene().filtered) == 0


def test_closing_stops_the_pattern_of_a_filter(slow: Slow, filtered: MainWindow, qtbot) -> None:
    before = len(slow.searched)
    slow.lasts = True
    filtered.session.set_view(only="/a.*b/")
    qtbot.waitUntil(lambda: len(slow.searched) > before)
    filtered.close()
    assert slow.cancelled == 1


def test_opening_is_cancelled_while_the_pattern_of_a_document_is_searched(
    slow: Slow, subject: Path, new_window: Callable[[], MainWindow], qtbot
) -> None:
    window = new_window()
    slow.lasts = True
    window.opening.open(document_with(subject, only=HOSTILE))
    qtbot.waitUntil(lambda: bool(slow.searched))
    window.jobs.cancel()
    qtbot.waitUntil(lambda: not window.opening.busy)
    assert slow.cancelled == 1


def test_a_step_waits_while_the_filter_is_searched(slow: Slow, filtered: MainWindow, qtbot) -> None:
    """One thread at a time makes pictures; the step is done when it is its turn."""
    session = filtered.session
    slow.lasts = True
    session.set_view(only="/a.*b/")
    qtbot.waitUntil(lambda: filtered.main_view.scene_making.busy)
    assert session.create(session.graph.root, "new") is None
    assert session.unsaved
    assert "new" not in session.graph.names
    slow.lasts = False
    qtbot.waitUntil(lambda: "new" in session.graph.names and not session.scene().unsearched)
