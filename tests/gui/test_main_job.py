"""Real mouse events drag a module to another package; its relations follow during the drag;
one drag is cancelled with Esc; undo, redo; the exported list holds the net moves only, with sites and files.
"""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
from qtpy.QtCore import QPoint
from qtpy.QtGui import QImage

from cbvtool.plan import Move
from cbvtool.plan.site_words import sites_in_files
from cbvtool.view.canvas.canvas import Canvas, Mode
from cbvtool.view.window.main_window import MainWindow
from tests.gui.hand import Hand, drag, key, place


def _parent(window: MainWindow, node: str) -> str:
    graph = window.session.graph
    return graph.ids[graph.parent[key(window, node)]]


def _pixels(canvas: Canvas) -> np.ndarray:
    """uint8[h, w, 4] of what the canvas shows."""
    image = canvas.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    bits = image.constBits()
    bits.setsize(image.sizeInBytes())
    return np.frombuffer(bytes(bits), np.uint8).reshape(image.height(), image.width(), 4)


def _free_and_fixed_ends(canvas: Canvas) -> tuple[np.ndarray, np.ndarray]:
    """Ends of the relations of what is dragged: at the pointer, and where they stay; float[c, 3] each."""
    assert canvas.stage.scene is not None
    curves, dragged = canvas.dragging.curves, canvas.stage.scene.drag
    assert curves is not None
    assert dragged is not None
    assert len(curves) > 0
    out = dragged.out[:, None]
    return np.where(out, curves[:, 0], curves[:, -1]), np.where(out, curves[:, -1], curves[:, 0])


def test_relations_follow_the_drag_and_esc_cancels_it(window: MainWindow, hand: Hand) -> None:
    """DND-1: it detaches, the layout closes up, its relations follow, Esc puts everything back."""
    session, canvas = window.session, window.canvas
    domain, order = key(window, "shop/domain"), key(window, "shop/domain/order.py")
    start = place(window, "shop/domain")
    hand.point(canvas, start)
    hand.press()
    hand.point(canvas, start + QPoint(4, 0))
    assert canvas.mode is Mode.NONE  # 6 pixels make a drag
    hand.point(canvas, start + QPoint(9, 0))
    hand.wait_until(lambda: canvas.mode is Mode.DRAG)
    assert session.view.drag is not None
    assert session.view.drag.keys == (domain,)
    assert canvas.stage.scene is not None
    assert canvas.stage.scene.tree.represent[order] == -1  # gone from the layout, with its subtree
    span = canvas.stage.scene.layout.a1[1:].max() - canvas.stage.scene.layout.a0[1:].min()
    assert span > 2 * np.pi - 0.05  # which has closed up

    end = place(window, "shop/ui")
    frames, still = [], []
    for spot in hand.glide(canvas, start, end, steps=6):
        hand.wait_until(lambda spot=spot: canvas.pointer == spot)
        free, fixed = _free_and_fixed_ends(canvas)
        pixels, _ = canvas.stage.camera.project(free, canvas.width(), canvas.height())
        assert np.abs(pixels - (spot.x(), spot.y())).max() < 1.0
        still.append(fixed)
        frames.append(_pixels(canvas))
    assert all(np.allclose(fixed, still[0], atol=1e-5) for fixed in still)
    changed = [int((a != b).any(axis=2).sum()) for a, b in pairwise(frames)]
    assert min(changed) > 500, changed
    hand.wait_until(lambda: session.view.drag is not None and session.view.drag.target == key(window, "shop/ui"))
    assert canvas.dragging.refusal is None

    hand.keys("Escape")
    hand.wait_until(lambda: session.view.drag is None)
    assert canvas.stage.scene.tree.represent[order] != -1
    hand.point(canvas, end + QPoint(12, 0))  # the button is still down
    hand.release()
    hand.wait_until(lambda: canvas.mode is Mode.NONE)
    assert session.history is not None
    assert not session.history.done
    assert not session.unsaved


def test_drop_undo_redo_and_export_of_the_net_moves(window: MainWindow, hand: Hand, tmp_path: Path) -> None:
    """DND-5: intermediate steps and what was taken back vanish from the task list."""
    session = window.session
    drag(window, hand, "shop/domain", "shop/ui")
    assert session.history is not None
    assert session.history.done[-1].operations == (Move(("shop/domain",), "shop/ui"),)
    assert window.actions_by_name["undo"].text() == "Undo move of domain to ui"

    hand.keys("ctrl+z")
    hand.wait_until(lambda: _parent(window, "shop/domain") == "shop")
    assert window.actions_by_name["redo"].text() == "Redo move of domain to ui"
    hand.keys("ctrl+shift+z")
    hand.wait_until(lambda: _parent(window, "shop/domain") == "shop/ui")

    # A detour: infrastructure goes to ui, and from there to services.
    drag(window, hand, "shop/infrastructure", "shop/ui")
    hand.click(window.canvas, place(window, "shop/ui"), twice=True)
    hand.wait_until(lambda: key(window, "shop/ui") in session.view.expanded)
    drag(window, hand, "shop/infrastructure", "shop/services")
    # There and back: nothing of it is left.
    drag(window, hand, "scripts", "tests")
    hand.click(window.canvas, place(window, "tests"), twice=True)
    hand.wait_until(lambda: key(window, "tests") in session.view.expanded)
    hand.point(window.canvas, place(window, "scripts"))
    _drag_outside(window, hand, "scripts")
    assert len(session.history.done) == 5

    file = tmp_path / "tasks.json"
    window.documents.export_to(file)
    tasks = json.loads(file.read_text())["tasks"]
    assert [task["kind"] for task in tasks] == ["move", "move"]
    moves = {tuple(task["nodes"]): (task["before"], task["after"]) for task in tasks}
    assert moves == {("shop/domain",): ("shop", "shop/ui"), ("shop/infrastructure",): ("shop", "shop/services")}
    for task in tasks:
        assert task["files"] == len({site["file"] for site in task["sites"] if site["certainty"] == "must"}) > 0
        assert all(site["line"] is None or site["line"] > 0 for site in task["sites"])
    window.documents.export_to(tmp_path / "tasks.md")
    text = (tmp_path / "tasks.md").read_text()
    for task in session.tasks():
        assert f"{sites_in_files(task.must)} must change" in text
    hand.wait_until(lambda: "2 tasks" in window.desk.panels["plan"].text.toPlainText())


def _drag_outside(window: MainWindow, hand: Hand, node: str) -> None:
    """Drop a segment just outside the rings: on the top level."""
    done = len(window.session.history.done)
    canvas = window.canvas
    start = place(window, node)
    pixels, _ = canvas.stage.camera.project(np.array([[0.0, 1.05, 0.0]]), canvas.width(), canvas.height())
    end = QPoint(*np.round(pixels[0]).astype(int).tolist())
    hand.point(canvas, start)
    hand.press()
    for _ in hand.glide(canvas, start, end, steps=4):
        pass
    root = window.session.graph.root
    hand.wait_until(lambda: window.session.view.drag is not None and window.session.view.drag.target == root)
    hand.release()
    hand.wait_until(lambda: len(window.session.history.done) == done + 1)
