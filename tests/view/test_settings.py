"""Recent folders and remembered geometry."""

from __future__ import annotations

from pathlib import Path

from qtpy.QtCore import QByteArray, QSettings
from qtpy.QtWidgets import QMainWindow, QWidget

from cbvtool.view.commands.styles import read_styles
from cbvtool.view.toolkit.docks import Dock
from cbvtool.view.toolkit.settings import RECENT, Settings


def _again(tmp_path: Path) -> Settings:
    """As the next run sees it."""
    return Settings(QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat))


def test_recent_folders_the_latest_first(qapp, settings: Settings, tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("a", "b", "c")]
    for folder in folders:
        folder.mkdir()
        settings.add_recent(folder)
    settings.add_recent(folders[0])
    assert settings.recent == [folders[0], folders[2], folders[1]]
    assert _again(tmp_path).recent == settings.recent


def test_recent_folders_that_are_gone_are_left_out(qapp, settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "gone").mkdir()
    settings.add_recent(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert settings.recent == []


def test_one_recent_folder_survives_the_file(qapp, settings: Settings, tmp_path: Path) -> None:
    """An INI file gives a list of one back as a string."""
    settings.add_recent(tmp_path)
    settings.keep_window(QByteArray(b"g"), QByteArray(b"d"))
    assert _again(tmp_path).recent == [tmp_path]


def test_the_list_of_recent_folders_is_short(qapp, settings: Settings, tmp_path: Path) -> None:
    for number in range(RECENT + 3):
        (tmp_path / str(number)).mkdir()
        settings.add_recent(tmp_path / str(number))
    assert len(settings.recent) == RECENT


def test_window_theme_and_motion_are_remembered(qapp, settings: Settings, tmp_path: Path) -> None:
    assert settings.geometry is None
    assert settings.theme == "light"
    settings.theme = "dark"
    settings.reduced_motion = True
    settings.keep_window(QByteArray(b"geometry"), QByteArray(b"docks"))
    again = _again(tmp_path)
    assert again.theme == "dark"
    assert again.reduced_motion is True
    assert again.geometry == QByteArray(b"geometry")
    assert again.docks == QByteArray(b"docks")


def test_what_was_kept_under_earlier_names_is_still_there(qapp, qtbot, tmp_path: Path) -> None:
    """Presets, keys and the arrangement of the docks, of the time when the Style panel was called Look."""
    store = QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)
    store.setValue("looks", '[{"name": "mine", "mapping": {"height": "sloc"}}]')
    store.setValue("shortcuts", '{"save_look": ["F9"], "manage_looks": ["F8"], "fit": ["F7"]}')
    settings = Settings(store)
    assert [preset.label for preset in read_styles(settings.styles)] == ["mine"]
    assert settings.shortcuts == {"save_style": ["F9"], "manage_presets": ["F8"], "fit": ["F7"]}
    window = QMainWindow()
    qtbot.addWidget(window)
    assert Dock("Style", QWidget(), window).objectName() == "look"
    settings.styles = "[]"
    assert Settings(store).styles == "[]"
