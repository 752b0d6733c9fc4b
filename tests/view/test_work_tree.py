"""What is saved in the open folder is shown by itself (NEW-24)."""

from __future__ import annotations

import gc
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from qtpy.QtCore import QTimer
from qtpy.QtWidgets import QApplication, QMessageBox

from cbvtool.cli import main
from cbvtool.project import open_project
from cbvtool.session.change import Change
from cbvtool.view.panels.findings_panel import FindingsPanel
from cbvtool.view.window import main_window
from cbvtool.view.window.main_window import MainWindow
from tests.test_project import git

NAMES = ("core/order.py", "core/price.py", "web/page.py")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    for name in NAMES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("def f():\n    pass\n")
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "first")
    return folder


@pytest.fixture
def window(new_window: Callable[[], MainWindow], root: Path, qtbot) -> MainWindow:
    window = new_window()
    window.opening.how = {"cache": False, "jobs": 1}
    with qtbot.waitSignal(window.canvas.stage.first_frame):
        window.session.open(open_project(root, cache=False, jobs=1))
    return window


def follow(window: MainWindow, qtbot) -> None:
    """Switch it on, and wait until it watches and has looked once."""
    looks: list[object] = []
    window.work_tree.looked.connect(lambda: looks.append(None))
    window.desk.do("follow")
    qtbot.waitUntil(lambda: bool(looks))


def test_what_is_saved_is_shown_and_nothing_else_changes(window: MainWindow, root: Path, qtbot) -> None:
    """NEW-24: selection, camera and plan stay; an addition, an edit, a deletion are seen."""
    session = window.session
    session.move([session.graph.key_of["core/price.py"]], session.graph.key_of["web"])
    session.set_view(selected=(session.graph.key_of["web/page.py"],))
    window.canvas.stage.look(window.canvas.stage.camera.with_(tilt=33.0))
    camera, done = window.canvas.stage.camera, session.history.done
    follow(window, qtbot)
    for act, there in (
        (lambda: (root / "core/new.py").write_text("def fresh():\n    pass\n"), lambda: "core/new.py" in ids(window)),
        (
            lambda: (root / "core/new.py").write_text("def again():\n    pass\n"),
            lambda: "core/new.py::again" in ids(window),
        ),
        ((root / "core/new.py").unlink, lambda: "core/new.py" not in ids(window)),
        (lambda: shutil.rmtree(root / "core"), lambda: "core" not in ids(window)),
    ):
        act()
        qtbot.waitUntil(there)
        assert [session.graph.ids[key] for key in session.view.selected] == ["web/page.py"]
        assert window.canvas.stage.camera == camera
        assert session.history.done == done
    assert session.history.refusals  # of what is gone


def ids(window: MainWindow) -> set[str]:
    return set(window.session.project.graph.key_of)


def test_a_checkout_is_one_step(window: MainWindow, root: Path, qtbot) -> None:
    """NEW-24: another branch is shown at once, history included."""
    git(root, "checkout", "-q", "-b", "other")
    for number in range(40):
        (root / f"core/m{number}.py").write_text("def g():\n    pass\n")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "many")
    git(root, "checkout", "-q", "main")
    follow(window, qtbot)
    seen: list[tuple[int, str]] = []

    def note(what: Change) -> None:
        if what == Change.DEPTH:
            seen.append((len(ids(window)), window.session.project.commit))

    window.session.subscribe(note)
    before = len(ids(window))
    git(root, "checkout", "-q", "other")
    qtbot.waitUntil(lambda: len(ids(window)) == before + 80)
    qtbot.waitUntil(lambda: not window.jobs.is_busy(window.work_tree))
    assert len(window.session.project.changes.sha) == 2
    assert len({nodes for nodes, _ in seen}) == 1


def test_what_does_not_differ_is_not_shown_again(window: MainWindow, root: Path, qtbot) -> None:
    follow(window, qtbot)
    project = window.session.project
    with qtbot.waitSignal(window.work_tree.looked):
        (root / "core/order.py").write_text((root / "core/order.py").read_text())
    assert window.session.project is project


def test_it_ends_where_the_folder_is_gone(window: MainWindow, root: Path, qtbot) -> None:
    follow(window, qtbot)
    root.rename(root.parent / "elsewhere")
    qtbot.waitUntil(lambda: not window.work_tree.is_on)
    assert "Following has ended" in window.message.text


def test_another_folder_is_followed_in_its_place(
    window: MainWindow, root: Path, tmp_path: Path, qtbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.py").write_text("x = 1\n")
    monkeypatch.setattr(window.documents, "ask_unsaved", lambda: int(QMessageBox.StandardButton.Discard))
    follow(window, qtbot)
    with qtbot.waitSignal(window.work_tree.looked):
        window.open(other)
    (root / "core/new.py").write_text("x = 1\n")
    (other / "b.py").write_text("x = 1\n")
    qtbot.waitUntil(lambda: "b.py" in ids(window))
    window.desk.do("follow")
    assert not window.work_tree.is_on
    qtbot.waitUntil(lambda: not window.jobs.running)


def test_findings_follow_what_is_saved(window: MainWindow, root: Path, qtbot) -> None:
    """NEW-24: a cycle that is saved is listed, and no more once it is undone; what was listed stays until then."""
    panel = window.desk.show(FindingsPanel)
    qtbot.waitUntil(lambda: panel.found is not None)

    def cycles() -> list[str]:
        qtbot.waitUntil(lambda: panel.found.graph is window.session.graph)
        return [line for line in panel.text.toPlainText().splitlines() if "depend on one another" in line]

    assert cycles() == []
    follow(window, qtbot)
    pages = [(root / name, (root / name).read_text()) for name in ("core/price.py", "web/page.py")]
    for (page, text), other in zip(pages, ("web.page", "core.price"), strict=True):
        page.write_text(f"import {other}\n\n\n{text}")
    qtbot.waitUntil(lambda: bool(cycles()))
    assert panel.kind.itemText(panel.kind.findData("cycle")).startswith("Cycle (")
    pages[0][0].write_text(pages[0][1])
    qtbot.waitUntil(lambda: not cycles())


def test_open_follow(
    root: Path, qapp: QApplication, new_window: Callable[[], MainWindow], monkeypatch: pytest.MonkeyPatch
) -> None:
    """NEW-24: `cbvtool open --follow` shows what is saved from the first moment on."""
    window = new_window()
    monkeypatch.setattr(main_window, "MainWindow", lambda _session: window)
    # Else a second request to quit is left over, and no event loop of a later test runs any more.
    qapp.setQuitOnLastWindowClosed(False)
    seen: list[str] = []

    def save() -> None:
        (root / "core/new.py").write_text("def fresh():\n    pass\n")

    def look() -> None:
        """What a user does: save a file once the window follows, and close it once that is shown."""
        if window.session.project is None or window.jobs.is_busy(window.opening):
            return
        if not seen:
            seen.append("follows" if window.work_tree.is_on else "does not follow")
            window.work_tree.looked.connect(save)
        elif not window.work_tree.is_on or "core/new.py::fresh" in ids(window):
            seen.append("ends")
            timer.stop()
            window.leave()
            qapp.quit()  # windows of other tests may still be there

    timer = QTimer()
    timer.setInterval(20)
    timer.timeout.connect(look)
    timer.start()
    try:
        assert main(["open", str(root), "--follow", "--no-cache", "--jobs", "1"]) == 0
    finally:
        gc.unfreeze()
        qapp.setQuitOnLastWindowClosed(True)
    assert seen == ["follows", "ends"]
