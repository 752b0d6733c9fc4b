"""Memory that is free goes back to the system, also from between blocks in use (`make soak` watches the whole)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from qtpy.QtCore import QObject, QTimer

from cbvtool.view import memory

MIB = 2**20


def _taken() -> float:
    """MiB that this process has."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE") / MIB


def test_holes_are_given_back() -> None:
    give = memory.trim()
    if give is None:
        pytest.skip("not glibc")
    blocks = [b"x" * 100_000 for _ in range(2000)]  # small enough to lie on the heap
    kept = blocks[::50]
    blocks.clear()
    before = _taken()
    give()
    assert before - _taken() > 100
    assert len(kept) == 40


def test_it_is_done_now_and_then(qapp, monkeypatch: pytest.MonkeyPatch, qtbot) -> None:
    given: list[int] = []
    monkeypatch.setattr(memory, "EVERY", 1)
    monkeypatch.setattr(memory, "trim", lambda: lambda: given.append(1))
    parent = QObject()
    memory.give_back(parent)
    qtbot.waitUntil(lambda: len(given) > 2)
    assert parent.findChild(QTimer) is not None
