"""Widgets need a place for Qt's run-time files, and tests must not touch what the user's cbvtool remembers."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from qtpy.QtCore import QSettings

from cbvtool.view.settings import Settings

# Qt complains when it is not set, and a complaint fails a test; needed before the application is made.
os.environ.setdefault("XDG_RUNTIME_DIR", tempfile.mkdtemp(prefix="cbvtool-runtime-"))


@pytest.fixture(autouse=True)
def _private_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"):
        folder = tmp_path / name.lower()
        folder.mkdir(mode=0o700)
        monkeypatch.setenv(name, str(folder))


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat))
