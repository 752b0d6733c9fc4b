"""Checks whether a window can be shown at all, because otherwise Qt would end the whole process.

`python -m cbvtool.view.toolkit.display` prints the reason and ends with status 1 where no window can be shown.
"""

from __future__ import annotations

import ctypes
import importlib
import os
import socket
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

PACKAGES = (
    "libgl1 libglib2.0-0 libxkbcommon-x11-0 libxcb-icccm4 libxcb-image0 libxcb-keysyms1 libxcb-randr0 "
    "libxcb-render-util0 libxcb-shape0 libxcb-xinerama0 libxcb-xkb1 libdbus-1-3 libfontconfig1"
)  # Debian and Ubuntu
_PICTURE = "`cbvtool render` writes the picture to a file without a window"


def why_no_window(
    environment: Mapping[str, str] = os.environ, platform: str = sys.platform, load: Callable[[str], Any] = ctypes.CDLL
) -> str:
    """One sentence about why no window can be shown, and what to do; empty if a window seems possible.

    load   loads a shared library by name or path, or raises OSError
    """
    binding = environment.get("QT_API", "pyqt5")
    if binding.lower() != "pyqt5":
        return f"The window needs PyQt5, but QT_API is {binding}: unset QT_API."
    try:
        importlib.import_module("qtpy.QtWidgets")
        from qtpy.QtCore import QLibraryInfo
    except ImportError as error:
        return _missing(error)
    if not platform.startswith("linux") or environment.get("QT_QPA_PLATFORM", "xcb").split(":")[0] != "xcb":
        return ""
    if not environment.get("DISPLAY"):
        wayland = environment.get("WAYLAND_DISPLAY")
        if wayland and _answers(wayland, environment):
            return ""
        if wayland:
            return f"The Wayland display {wayland} does not answer: is the compositor running? {_PICTURE}."
        return f"There is no display, so no window can be opened: {_PICTURE}."
    plugin = Path(QLibraryInfo.location(QLibraryInfo.LibraryLocation.PluginsPath), "platforms", "libqxcb.so")
    try:
        load(str(plugin))
    except OSError as error:
        return _missing(error)
    try:
        xcb = load("libxcb.so.1")
    except OSError:
        return ""  # unknown here, so leave it to Qt
    xcb.xcb_connect.restype = ctypes.c_void_p
    connection = ctypes.c_void_p(xcb.xcb_connect(None, None))
    refused = bool(xcb.xcb_connection_has_error(connection))
    xcb.xcb_disconnect(connection)
    if refused:
        return (
            f"The display {environment['DISPLAY']} does not answer: is the X server running, and may you use it? "
            f"{_PICTURE}."
        )
    return ""


def prefer_wayland(environment: Mapping[str, str] = os.environ, platform: str = sys.platform) -> bool:
    """Whether Qt must be told to use Wayland: by default it uses X11 on Linux, which may be missing."""
    wayland = environment.get("WAYLAND_DISPLAY")
    chosen = environment.get("DISPLAY") or environment.get("QT_QPA_PLATFORM")
    return bool(platform.startswith("linux") and wayland and not chosen and _answers(wayland, environment))


def _answers(wayland: str, environment: Mapping[str, str]) -> bool:
    """Whether a compositor accepts connections at the socket of this name, which may also be an absolute path."""
    with socket.socket(socket.AF_UNIX) as client:
        try:
            client.connect(str(Path(environment.get("XDG_RUNTIME_DIR", ""), wayland)))
        except OSError:
            return False
    return True


def _missing(error: ImportError | OSError) -> str:
    return f"The window needs a library that is missing ({error}): install the packages {PACKAGES}."


if __name__ == "__main__":
    if reason := why_no_window():
        print(reason)
        raise SystemExit(1)
