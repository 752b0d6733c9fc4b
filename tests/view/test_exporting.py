"""Pictures out of the window."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from pytestqt.qtbot import QtBot
from qtpy.QtCore import Qt, QTimer
from qtpy.QtWidgets import QApplication, QFileDialog, QPushButton

from cbvtool.drawing import offscreen
from cbvtool.errors import Cancelled
from cbvtool.export.size import LEAST, logical, readable
from cbvtool.geometry.camera import Camera
from cbvtool.progress import Progress
from cbvtool.view.commands.export_dialog import SORTS, ExportDialog, Wanted
from cbvtool.view.commands.exporting import same_view
from cbvtool.view.window.main_window import MainWindow
from tests.geometry.scenes import scene_of, shop


def saved(window: MainWindow, qtbot, file: Path, wanted: Wanted) -> Path:
    window.exporting.write(file, wanted)
    qtbot.waitUntil(lambda: not window.exporting.busy)
    assert window.status.last.text() == f"Saved {file.name}"
    return file


def test_a_picture_of_the_size_asked_for(window: MainWindow, qtbot, tmp_path: Path) -> None:
    """PNG of any size, in a thread, as the window shows it; the file appears whole."""
    wide, tall = window.canvas.stage.size
    with Image.open(saved(window, qtbot, tmp_path / "a.png", Wanted(".png", (wide, tall)))) as image:
        assert (image.format, image.size, image.mode) == ("PNG", (wide, tall), "RGB")
        plain = np.asarray(image)
    window.session.select([int(window.canvas.stage.scene.tree.key[3])])
    with Image.open(saved(window, qtbot, tmp_path / "a.png", Wanted(".png", (777, 1001)))) as image:
        assert image.size == (777, 1001)
    with Image.open(saved(window, qtbot, tmp_path / "b.png", Wanted(".png", (wide, tall)))) as image:
        assert (np.asarray(image) != plain).any(axis=2).mean() > 0.05  # what is selected stands out
    assert sorted(path.name for path in tmp_path.iterdir() if path.suffix == ".png") == ["a.png", "b.png"]


def test_transparent_and_without_words(window: MainWindow, qtbot, tmp_path: Path) -> None:
    """Nothing where the ground was, also where a legend would stand; the ring is opaque."""
    wanted = Wanted(".png", (600, 500), heading=False, legends=False, transparent=True)
    with Image.open(saved(window, qtbot, tmp_path / "a.png", wanted)) as image:
        assert image.mode == "RGBA"
        alpha = np.asarray(image)[:, :, 3]
    assert (alpha[:60, :60] == 0).all()
    assert (alpha[-60:, :120] == 0).all()
    assert alpha[250, 300] == 255


@pytest.mark.parametrize(("suffix", "begin"), [(".svg", b"<?xml"), (".pdf", b"%PDF-"), (".html", b"<!doctype html>")])
def test_the_other_formats(window: MainWindow, qtbot, tmp_path: Path, suffix: str, begin: bytes) -> None:
    file = saved(window, qtbot, tmp_path / f"shop{suffix}", Wanted(suffix, (900, 700)))
    assert file.read_bytes().startswith(begin)
    if suffix == ".svg":
        assert "<title>" in file.read_text()


def test_what_goes_wrong_is_said(window: MainWindow, qtbot, tmp_path: Path) -> None:
    window.exporting.write(tmp_path / "no" / "folder.svg", Wanted(".svg", (900, 700)))
    qtbot.waitUntil(lambda: not window.exporting.busy)
    assert "folder.svg cannot be written" in window.message.text


def test_it_can_be_cancelled(window: MainWindow, qtbot, tmp_path: Path) -> None:
    """The button in the status bar ends it between two tiles, and no file is left."""
    window.exporting.write(tmp_path / "large.png", Wanted(".png", (9000, 6000)))
    qtbot.waitUntil(lambda: "Drawing the picture" in window.status.work.text())
    assert window.status.cancel.isVisible()
    QtBot.mouseClick(window.status.cancel, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not window.exporting.busy)
    assert not window.status.cancel.isVisible()
    assert list(tmp_path.glob("*.png")) == []


def test_the_window_can_be_closed_meanwhile(window: MainWindow, qtbot, tmp_path: Path) -> None:
    window.exporting.write(tmp_path / "large.png", Wanted(".png", (9000, 6000)))
    window.close()
    assert not window.exporting.busy
    assert list(tmp_path.glob("*.png")) == []


# -- the dialog --------------------------------------------------------------------------------------------------


def answer(act: Callable[[ExportDialog], None]) -> None:
    """Do that in the dialog once it is there."""

    def look() -> None:
        dialog = QApplication.activeModalWidget()
        if isinstance(dialog, ExportDialog):
            act(dialog)
        else:
            QTimer.singleShot(10, look)

    QTimer.singleShot(0, look)


def test_export_view_asks_for_all_of_it(
    window: MainWindow, qtbot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """File > Export view...: one dialog for four formats; the chosen one is offered first the next time."""
    monkeypatch.setattr("cbvtool.view.toolkit.file_dialogs.may_replace", lambda *_: True)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", staticmethod(lambda *_a, **_k: (str(tmp_path / "shop"), "")))
    seen: list[str] = []

    def choose(dialog: ExportDialog) -> None:
        seen.append(dialog.sort.currentData())
        dialog.sort.setCurrentIndex(dialog.sort.findData(".svg"))
        dialog.size_choice.setCurrentIndex(dialog.size_choice.findData(0))
        dialog.wide.setValue(800)
        dialog.tall.setValue(600)
        QtBot.mouseClick(dialog.legends, Qt.MouseButton.LeftButton)
        [save] = [button for button in dialog.findChildren(QPushButton) if button.text() == "Save as..."]
        QtBot.mouseClick(save, Qt.MouseButton.LeftButton)

    for _ in range(2):
        answer(choose)
        window.actions_by_name["export_view"].trigger()
        qtbot.waitUntil(lambda: not window.exporting.busy)
    assert seen == [".png", ".svg"]
    assert window.settings.folder == tmp_path
    text = (tmp_path / "shop.svg").read_text()
    assert 'viewBox="0 0 ' in text
    assert ">Relations<" not in text


def test_cancelling_writes_nothing(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    """Escape in the dialog, and in the one for the file."""
    answer(lambda dialog: QtBot.keyClick(dialog, Qt.Key.Key_Escape))
    window.actions_by_name["save_picture"].trigger()
    monkeypatch.setattr(QFileDialog, "getSaveFileName", staticmethod(lambda *_a, **_k: ("", "")))
    answer(lambda dialog: dialog.accept())
    window.actions_by_name["save_picture"].trigger()
    assert not window.exporting.busy


def test_the_dialog_offers_what_a_format_can(qtbot) -> None:
    """A page has no size and no ground to leave out; own sizes only where they are asked for; everything is named."""
    dialog = ExportDialog((1200, 800))
    qtbot.addWidget(dialog)
    assert dialog.wanted == Wanted(".png", (1200, 800))
    dialog.size_choice.setCurrentIndex(2)
    assert dialog.wanted.pixels == (4800, 3200)
    assert not dialog.wide.isEnabled()
    dialog.size_choice.setCurrentIndex(3)
    assert dialog.wide.isEnabled()
    dialog.transparent.setChecked(True)
    dialog.sort.setCurrentIndex(dialog.sort.findData(".html"))
    assert not dialog.size_choice.isEnabled()
    assert not dialog.wide.isEnabled()
    assert dialog.wanted.transparent is False
    assert [dialog.sort.itemData(row) for row in range(dialog.sort.count())] == list(SORTS)
    for widget in (dialog.sort, dialog.size_choice, dialog.wide, dialog.tall):
        assert widget.accessibleName()
    for widget in (dialog.heading, dialog.legends, dialog.transparent, dialog.sort, dialog.size_choice, dialog.wide):
        assert widget.toolTip()


def test_as_in_the_window_is_as_fine_as_the_window(qtbot) -> None:
    """NEW-13: on a fine screen a picture has the pixels of the screen; the fields say what is chosen."""
    dialog = ExportDialog((700, 501), density=1.5)
    qtbot.addWidget(dialog)
    assert dialog.wanted.pixels == (1050, 752)
    dialog.size_choice.setCurrentIndex(1)
    assert dialog.wanted.pixels == (dialog.wide.value(), dialog.tall.value()) == (2100, 1504)
    assert logical(dialog.wanted.pixels, (700, 501))[1] == pytest.approx(3, abs=0.01)


# -- sizes -------------------------------------------------------------------------------------------------------


def test_another_shape_shows_no_less() -> None:
    """The corners of what is shown are inside of a picture of another shape, at the same place about its middle."""
    shown, camera = (1200, 800), Camera(tilt=40, azimuth=10, distance=3.5)
    for pixels in ((2400, 1600), (3000, 1000), (500, 2000)):
        size, scale = logical(pixels, shown)
        assert size[0] >= shown[0] - 1
        assert size[1] >= shown[1] - 1
        assert (round(size[0] * scale), round(size[1] * scale)) == pytest.approx(pixels, abs=2)
        for x, y in ((0, 0), (1200, 800), (300, 500)):
            point = camera.on_disc(x, y, *shown)
            seen = same_view(camera, shown, size).project(np.array([[*point, 0.0]]), *size)[0][0]
            np.testing.assert_allclose(seen - np.array(size) / 2, np.array([x, y]) - np.array(shown) / 2, atol=1e-6)


@pytest.mark.parametrize("pixels", [(640, 480), (500, 2000), (300, 200), (1600, 100)])
def test_letters_shrink_with_a_small_picture(pixels: tuple[int, int]) -> None:
    """Title and legends have room beside the view, in the shape that was asked for."""
    size, scale = readable(pixels)
    assert size[0] >= LEAST[0]
    assert size[1] >= LEAST[1]
    assert (size[0] * scale, size[1] * scale) == pytest.approx(pixels, abs=0.5)
    assert readable((800, 600)) == ((800, 600), 1)


def test_progress_may_end_a_picture() -> None:
    """Between two tiles, and the renderer is closed."""
    told: list[tuple[str, int, int]] = []

    def progress(what: str, done: int, total: int) -> None:
        told.append((what, done, total))
        if done == 2:
            raise Cancelled

    report: Progress = progress
    with pytest.raises(Cancelled):
        offscreen.picture(scene_of(shop()), offscreen.PictureOptions((1000, 600), 2), progress=report)
    assert [done for _, done, _ in told] == [0, 1, 2]
    assert {total for *_, total in told} == {12}
