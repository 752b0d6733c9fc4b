"""An offscreen OpenGL window. First it checks whether this machine can make one, because VTK crashes if it cannot.

On Linux this is VTK's EGL window, with or without a display, so that `render`, the window of the application and the
tests draw in the same way, without an X server. macOS and Windows always have OpenGL; there VTK uses its native window.
"""

from __future__ import annotations

import ctypes
import logging
import os
import sys
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import vtkmodules.vtkRenderingOpenGL2 as opengl  # also registers the OpenGL implementations of mappers, actors, ...
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonCore import vtkCommand, vtkLogger, vtkOutputWindow, vtkStringOutputWindow, vtkUnsignedCharArray
from vtkmodules.vtkRenderingCore import vtkRenderWindow

from cbvtool.errors import InputError

SMALL = (16, 16)  # px: size of a window that is not needed now
PACKAGES = "libegl1 libgl1 libgl1-mesa-dri"  # Debian and Ubuntu

LOG = logging.getLogger("cbvtool.vtk")
LOG.addHandler(logging.NullHandler())  # silent unless the application shows it

_EGL_NONE = 0x3038
_EGL_EXTENSIONS = 0x3055
_EGL_OPENGL_API = 0x30A2
_EGL_PLATFORM_DEVICE = 0x313F
_EGL_CONFIG = (0x3033, 0x0001, 0x3040, 0x0008, _EGL_NONE)  # surface type: pbuffer; renderable type: OpenGL
_EGL_CORE_3_2 = (0x3098, 3, 0x30FB, 2, 0x30FD, 1, _EGL_NONE)  # context version 3.2, core profile


def offscreen_window(*, depth: bool = True) -> vtkRenderWindow:
    """A VTK window that draws into memory.

    depth   draw with a depth buffer, so that things hide each other; without, later things cover earlier ones

    Raises InputError, naming the Debian packages, where OpenGL cannot be used.
    """
    listen_to_vtk()
    if not sys.platform.startswith("linux"):
        window = vtkRenderWindow()
    else:
        reason = missing_opengl()
        if reason:
            raise InputError(f"The 3D view needs OpenGL, but {reason}: install the packages {PACKAGES}.")
        window = opengl.vtkEGLRenderWindow()
    window.SetOffScreenRendering(True)
    _keep_few_buffers(window, depth=depth)
    return window


def _keep_few_buffers(window: Any, *, depth: bool) -> None:
    """Keep one colour buffer to draw in and one to read from: VTK makes seven, each as large as the window.

    In software rendering, buffers are plain memory, and all of it is written whenever the size changes.
    """
    window.SetMultiSamples(0)
    window.SetFrameBlitModeToNoBlit()  # nobody sees the surface of the window itself
    window.SetSize(*SMALL)
    window.Render()  # now there are buffers; they keep their kinds when the size changes
    read = window.GetDisplayFramebuffer()
    read.RemoveColorAttachment(1)  # for a second eye
    read.RemoveDepthAttachment()
    if not depth:
        window.GetRenderFramebuffer().RemoveDepthAttachment()


def resize(window: vtkRenderWindow, width: int, height: int) -> None:
    """Set the size of an offscreen window, in pixels."""
    if sys.platform.startswith("linux"):  # change only the size for drawing; nobody sees the window's own surface
        vtkRenderWindow.SetSize(window, width, height)
    else:
        window.SetSize(width, height)


def pixels_of(array: vtkUnsignedCharArray) -> npt.NDArray[np.uint8]:
    """uint8[p, channels]: a view, not a copy, of the pixels that VTK read from a window."""
    pixels: npt.NDArray[np.uint8] = vtk_to_numpy(array)  # type: ignore[no-untyped-call]  # VTK annotates none
    return pixels


@cache
def missing_opengl() -> str:
    """Why VTK cannot draw on this Linux machine, as half a sentence; empty if it can.

    Repeats the steps of VTK (library, display, configuration, context), because VTK itself crashes if one of them
    fails.
    """
    os.environ.setdefault("EGL_LOG_LEVEL", "fatal")  # Mesa explains its choices on stderr
    return probe_egl(ctypes.CDLL)


def probe_egl(load: Callable[[str], Any]) -> str:
    """As `missing_opengl`; `load` takes "libEGL.so.1" and returns the library, or raises OSError if it is missing."""
    try:
        egl = load("libEGL.so.1")
    except OSError:
        return "the library libEGL.so.1 is not installed"
    for name in ("eglGetProcAddress", "eglGetDisplay", "eglCreateContext"):
        getattr(egl, name).restype = ctypes.c_void_p
    egl.eglQueryString.restype = ctypes.c_char_p
    for display in _displays(egl):
        if display and egl.eglInitialize(ctypes.c_void_p(display), None, None):
            return "" if _has_context(egl, display) else "its OpenGL driver is older than OpenGL 3.2"
    return "no OpenGL driver is installed"


def _displays(egl: Any) -> list[int | None]:
    """The displays, in the order in which VTK tries them; VTK takes the first that it can initialise."""
    extensions = egl.eglQueryString(None, _EGL_EXTENSIONS) or b""
    needed = (b"EGL_EXT_device_base", b"EGL_EXT_platform_device", b"EGL_EXT_platform_base")
    found: list[int | None] = []
    if all(name in extensions for name in needed):
        pointer, integer = ctypes.c_void_p, ctypes.c_int
        query = ctypes.CFUNCTYPE(integer, integer, ctypes.POINTER(pointer), ctypes.POINTER(integer))(
            egl.eglGetProcAddress(b"eglQueryDevicesEXT")
        )
        display_of = ctypes.CFUNCTYPE(pointer, integer, pointer, pointer)(
            egl.eglGetProcAddress(b"eglGetPlatformDisplayEXT")
        )
        devices, count = (pointer * 16)(), integer(0)
        if query(16, devices, ctypes.byref(count)):
            found += [display_of(_EGL_PLATFORM_DEVICE, device, None) for device in devices[: count.value]]
    found.append(egl.eglGetDisplay(None))
    return found


def _has_context(egl: Any, display: int) -> bool:
    """Whether the initialised display can make an OpenGL 3.2 context. The display stays open, as VTK may share it."""
    handle, config, count = ctypes.c_void_p(display), ctypes.c_void_p(), ctypes.c_int(0)
    wanted = (ctypes.c_int * len(_EGL_CONFIG))(*_EGL_CONFIG)
    version = (ctypes.c_int * len(_EGL_CORE_3_2))(*_EGL_CORE_3_2)
    if not egl.eglBindAPI(_EGL_OPENGL_API):
        return False
    if not egl.eglChooseConfig(handle, wanted, ctypes.byref(config), 1, ctypes.byref(count)) or count.value == 0:
        return False
    context = egl.eglCreateContext(handle, config, None, version)
    if not context:
        return False
    egl.eglDestroyContext(handle, ctypes.c_void_p(context))
    return True


@cache
def listen_to_vtk() -> None:
    """Send VTK's messages to the log `cbvtool.vtk` instead of stderr (once per process)."""
    vtkLogger.SetStderrVerbosity(vtkLogger.VERBOSITY_OFF)
    window = vtkStringOutputWindow()
    levels = (
        (vtkCommand.ErrorEvent, logging.ERROR),
        (vtkCommand.WarningEvent, logging.WARNING),
        (vtkCommand.MessageEvent, logging.INFO),
    )
    for event, level in levels:
        window.AddObserver(event, _listener(level))
    vtkOutputWindow.SetInstance(window)


def _listener(level: int) -> Callable[[Any, str], None]:
    def hear(_window: Any, _event: str, text: str = "") -> None:
        LOG.log(level, "%s", text.strip())

    hear.CallDataType = "string0"  # type: ignore[attr-defined]  # VTK reads it to pass the text on
    return hear
