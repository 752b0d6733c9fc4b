"""Without a display, or without Qt's libraries, `cbvtool open` ends with a sentence, not with a crash."""

from __future__ import annotations

import importlib
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from cbvtool.view.toolkit.display import prefer_wayland, why_no_window

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
        ({}, "darwin"),
        ({}, "win32"),
    ],
)
def test_other_platforms_are_left_to_qt(environment: dict[str, str], platform: str) -> None:
    assert why_no_window(environment, platform) == ""


@pytest.fixture
def compositor(tmp_path: Path) -> Iterator[dict[str, str]]:
    """Environment of a session whose only display is a Wayland compositor that accepts connections."""
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "wayland-5"))
        server.listen()
        yield {"XDG_RUNTIME_DIR": str(tmp_path), "WAYLAND_DISPLAY": "wayland-5"}


def test_wayland_alone(compositor: dict[str, str]) -> None:
    """Qt is told to use a compositor that answers, where there is no X server; one that does not answer is named."""
    assert why_no_window(compositor, "linux") == ""
    assert prefer_wayland(compositor, "linux")
    assert not prefer_wayland({**compositor, "DISPLAY": ":0"}, "linux")
    assert not prefer_wayland({**compositor, "QT_QPA_PLATFORM": "offscreen"}, "linux")
    gone = {**compositor, "WAYLAND_DISPLAY": "wayland-6"}
    assert "wayland-6" in why_no_window(gone, "linux")
    assert "cbvtool render" in why_no_window(gone, "linux")
    assert not prefer_wayland(gone, "linux")


def test_another_binding_is_refused() -> None:
    """The window is tried with PyQt5 alone; with PySide6 it ended in a segmentation fault."""
    assert why_no_window({"QT_API": "pyside6", "DISPLAY": ":0"}, "linux").endswith("unset QT_API.")


def test_a_library_that_qt_itself_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    """`import PyQt5.QtGui` fails without libGL: one sentence with the packages, not an error inside cbvtool."""

    def fail(name: str) -> object:
        raise ImportError("libGL.so.1: cannot open shared object file: No such file or directory")

    monkeypatch.setattr(importlib, "import_module", fail)
    reason = why_no_window({"DISPLAY": ":0"}, "linux")
    assert "libGL.so.1" in reason
    assert "libgl1" in reason


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
