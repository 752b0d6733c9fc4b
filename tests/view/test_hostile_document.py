"""Issue "Trust" item 3: a document with a hostile filter opens in the window, which stays at hand meanwhile."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cbvtool.asking import search
from cbvtool.geometry.scene import scene
from cbvtool.plan.document import Document, write_document
from cbvtool.view.window.main_window import MainWindow

HOSTILE = "/a*a*a*a*a*a*a*a*!/"


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
