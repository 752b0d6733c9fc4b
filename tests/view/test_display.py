"""Without a display, or without Qt's libraries, `cbvtool open` ends with a sentence, not with a crash."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from cbvtool.view.display import why_no_window

HOME = Path(__file__).parents[2]


def _xcb(error: int) -> SimpleNamespace:
    def connect(name: object, screen: object) -> int:
        return 1

    return SimpleNamespace(
        xcb_connect=connect, xcb_connection_has_error=lambda connection: error, xcb_disconnect=lambda connection: None
    )


def test_no_display() -> None:
    assert "no display" in why_no_window({}, "linux")


@pytest.mark.parametrize(
    ("environment", "platform"),
    [
        ({"QT_QPA_PLATFORM": "offscreen"}, "linux"),
        ({"QT_QPA_PLATFORM": "minimal:option"}, "linux"),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "linux"),
        ({}, "darwin"),
        ({}, "win32"),
    ],
)
def test_other_platforms_are_left_to_qt(environment: dict[str, str], platform: str) -> None:
    assert why_no_window(environment, platform) == ""


def test_a_missing_library_is_named_with_the_packages() -> None:
    def load(name: str) -> object:
        raise OSError("libxcb-icccm.so.4: cannot open shared object file: No such file or directory")

    reason = why_no_window({"DISPLAY": ":0"}, "linux", load)
    assert "libxcb-icccm.so.4" in reason
    assert "libxcb-icccm4" in reason


@pytest.mark.parametrize(("error", "answers"), [(0, True), (1, False)])
def test_a_display_that_does_not_answer(error: int, answers: bool) -> None:
    reason = why_no_window({"DISPLAY": ":77"}, "linux", lambda name: _xcb(error))
    assert (reason == "") is answers
    assert answers or ":77" in reason


@pytest.mark.parametrize("display", ["", ":7777"])
def test_the_command_says_so(display: str) -> None:
    """In a process of its own, as Qt would end it: one sentence, status 2."""
    environment = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    environment.pop("QT_QPA_PLATFORM", None)
    environment |= {"PYTHONPATH": str(HOME / "src")} | ({"DISPLAY": display} if display else {})
    ended = subprocess.run(
        [sys.executable, "-m", "cbvtool", "open"], env=environment, capture_output=True, text=True, timeout=120
    )
    assert ended.returncode == 2
    assert "display" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert len(ended.stderr.strip().splitlines()) == 1
