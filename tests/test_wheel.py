"""The wheel: it carries the bundled plugins in a package of their own, and finds them."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
GROUP = "cbvtool.plugins"


def _python(*arguments: str, **options) -> str:
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built without the network and unpacked."""
    folder = tmp_path_factory.mktemp("wheel")
    _python("-m", "hatchling", "build", "-t", "wheel", "-d", str(folder), cwd=ROOT)
    [wheel] = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "installed")
    return folder / "installed"


def test_wheel_holds_packages_and_plugins_only(installed: Path) -> None:
    version = PROJECT["version"]
    names = {"cbvtool", "cbvtool_docs", "cbvtool_plugins", f"cbvtool-{version}.dist-info"}
    assert {path.name for path in installed.iterdir()} == names
    assert {path.suffix for path in (installed / "cbvtool_docs").rglob("*") if path.is_file()} == {".md"}
    assert (installed / f"cbvtool-{version}.dist-info" / "licenses" / "LICENSE").is_file()
    ours = {path.relative_to(ROOT / "src") for path in (ROOT / "src" / "cbvtool").rglob("*.py")}
    ours |= {"cbvtool_plugins" / path.relative_to(ROOT / "plugins") for path in (ROOT / "plugins").rglob("*.py")}
    assert {path.relative_to(installed) for path in installed.rglob("*.py")} == ours
    assert not list(installed.rglob("*.pyc"))
    for name in ("scene.html", "scene.js", "scene.css"):
        assert (installed / "cbvtool" / "export" / name).is_file()


def test_every_bundled_plugin_has_an_entry_point() -> None:
    """A plugin added to plugins/ would otherwise be missing from the wheel, unnoticed."""
    folder = ROOT / "plugins"
    names = {path.stem for path in folder.glob("*.py")} | {path.parent.name for path in folder.glob("*/__init__.py")}
    assert PROJECT["entry-points"][GROUP] == {name: f"cbvtool_plugins.{name}" for name in names}


def test_installed_cbvtool_finds_its_plugins(installed: Path, tmp_path: Path) -> None:
    """Run from the unpacked wheel, far from the checkout."""
    environment = os.environ | {"PYTHONPATH": str(installed)}
    where = _python("-c", "import cbvtool; print(cbvtool.__file__)", cwd=tmp_path, env=environment)
    assert Path(where.strip()).is_relative_to(installed)
    listed = _python("-m", "cbvtool", "plugins", cwd=tmp_path, env=environment)
    for name in PROJECT["entry-points"][GROUP]:
        assert name in listed
    assert str(ROOT) not in listed
