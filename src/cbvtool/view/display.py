"""Whether a window can be shown at all: Qt ends the whole process when it cannot, so one looks before."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from qtpy.QtCore import QLibraryInfo

PACKAGES = (
    "libglib2.0-0 libxkbcommon-x11-0 libxcb-icccm4 libxcb-image0 libxcb-keysyms1 libxcb-randr0 libxcb-render-util0 "
    "libxcb-shape0 libxcb-xinerama0 libxcb-xkb1 libdbus-1-3 libfontconfig1"
)  # Debian and Ubuntu


def why_no_window(
    environment: Mapping[str, str] = os.environ,
    platform: str = sys.platform,
    load: Callable[[str], Any] = ctypes.CDLL,
) -> str:
    """One sentence about why no window can be shown, and what to do; empty if nothing speaks against it.

    load   loads a shared library by name or path, or raises OSError
    """
    if not platform.startswith("linux") or environment.get("QT_QPA_PLATFORM", "xcb").split(":")[0] != "xcb":
        return ""
    if not environment.get("DISPLAY"):
        if environment.get("WAYLAND_DISPLAY"):
            return ""
        return "There is no display, so no window can be opened: use `cbvtool render` to get a picture as a file."
    plugin = Path(QLibraryInfo.location(QLibraryInfo.LibraryLocation.PluginsPath), "platforms", "libqxcb.so")
    try:
        load(str(plugin))
    except OSError as error:
        return f"The window needs a library that is missing ({error}): install the packages {PACKAGES}."
    try:
        xcb = load("libxcb.so.1")
    except OSError:
        return ""  # Qt may know better
    xcb.xcb_connect.restype = ctypes.c_void_p
    connection = ctypes.c_void_p(xcb.xcb_connect(None, None))
    refused = bool(xcb.xcb_connection_has_error(connection))
    xcb.xcb_disconnect(connection)
    if refused:
        return f"The display {environment['DISPLAY']} does not answer: is the X server running, and may you use it?"
    return ""
