"""Memory that is free goes back to the system, also from between blocks in use (`make soak` watches the whole)."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from qtpy.QtCore import QObject, QTimer

from cbvtool.drawing.gl import SMALL, offscreen_window
from cbvtool.drawing.renderer import Frame, Renderer
from cbvtool.geometry.camera import Camera
from cbvtool.view.toolkit import memory
from tests.geometry.scenes import scene_of, shop

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


@pytest.mark.parametrize("depth", [True, False])
def test_an_offscreen_window_has_few_buffers(depth: bool) -> None:
    """VTK would make seven, each as large as the window."""
    window = offscreen_window(depth=depth)
    drawn, read = window.GetRenderFramebuffer(), window.GetDisplayFramebuffer()
    assert (drawn.GetNumberOfColorAttachments(), read.GetNumberOfColorAttachments()) == (1, 1)
    assert (drawn.GetDepthAttachmentAsTextureObject() is not None) == depth
    assert read.GetDepthAttachmentAsTextureObject() is None
    window.Finalize()


def test_what_is_not_used_is_freed() -> None:
    """Where the relations were drawn, and the close-up once it is not seen; all looks as it did before."""
    far = Camera.fit(640, 400)
    near = Camera(0.0, 0.0).fitted(640, 400).zoomed_at(9.0, 320, 200, 640, 400)
    renderer = Renderer(640, 400)
    renderer.show(scene_of(shop()))

    def frames() -> list[Frame]:
        found = []
        for camera in (near, far):
            renderer.camera(camera)
            found.append(renderer.frame())
        return found

    before = frames()
    renderer.rest()
    assert renderer._close_up is not None, "it was used just now"
    assert renderer._whole._window.GetSize() != SMALL
    renderer.rest()
    assert renderer._close_up is None
    assert renderer._whole._window.GetSize() == SMALL
    after = frames()
    assert np.array_equal(before, after)
    assert not np.array_equal(*before)
    renderer.close()
