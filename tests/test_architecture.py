"""The layers of DESIGN section 2: the import contracts hold, and each of them catches what it is there for.

A contract that guards the wrong door is kept by everybody. So each one is broken on purpose, in a copy.
"""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())

# Contract -> (file, line to add, what the report must name). A file that is not there is made.
PLANTS = {
    "layers": [
        ("src/cbvtool/graph/tree.py", "import cbvtool.metrics.metric", "cbvtool.graph.tree -> cbvtool.metrics.metric"),
        (
            "src/cbvtool/session/session.py",
            "import cbvtool.view.toolkit.theme",
            "cbvtool.session.session -> cbvtool.view.toolkit.theme",
        ),
        (
            "src/cbvtool/view/toolkit/theme.py",
            "def late():\n    import cbvtool.cli",
            "cbvtool.view.toolkit.theme -> cbvtool.cli",
        ),
        ("src/cbvtool/formats/atomic.py", "import cbvtool.analysis", "cbvtool.formats.atomic -> cbvtool.analysis"),
        ("src/cbvtool/mining/log.py", "import cbvtool.analysis", "cbvtool.mining.log -> cbvtool.analysis"),
        ("src/cbvtool/layout/depth.py", "import cbvtool.bundling", "cbvtool.layout.depth -> cbvtool.bundling"),
    ],
    "qt": [
        ("src/cbvtool/session/session.py", "from qtpy.QtCore import QObject", "cbvtool.session.session -> qtpy"),
        ("src/cbvtool/drawing/renderer.py", "import qtpy", "cbvtool.drawing.renderer -> qtpy"),
        ("src/cbvtool/attic.py", "def late():\n    import qtpy", "cbvtool.attic -> qtpy"),
        ("plugins/age.py", "from qtpy import QtWidgets", "plugins.age -> qtpy"),
    ],
    "vtk": [
        (
            "src/cbvtool/geometry/picture.py",
            "import vtkmodules.vtkCommonCore",
            "cbvtool.geometry.picture -> vtkmodules",
        ),
        ("src/cbvtool/view/canvas/stage.py", "import pyvista", "cbvtool.view.canvas.stage -> pyvista"),
        ("src/cbvtool/cli/open.py", "def late():\n    import pyvista", "cbvtool.cli.open -> pyvista"),
        ("src/cbvtool/attic.py", "import vtk", "cbvtool.attic -> vtk"),
    ],
    "binding": [
        ("src/cbvtool/view/toolkit/theme.py", "from PyQt5.QtGui import QColor", "cbvtool.view.toolkit.theme -> PyQt5"),
        ("src/cbvtool/app.py", "import PySide6", "cbvtool.app -> PySide6"),
    ],
    "git": [
        ("src/cbvtool/project.py", "from git import Repo", "cbvtool.project -> git"),
        ("src/cbvtool/plan/operations.py", "import subprocess", "cbvtool.plan.operations -> subprocess"),
        ("plugins/age.py", "import git", "plugins.age -> git"),
    ],
    "plugins": [
        ("plugins/age.py", "from cbvtool.graph import Graph", "plugins.age -> cbvtool.graph"),
        ("plugins/other/__init__.py", "import cbvtool", "plugins.other -> cbvtool"),
        ("plugins/other/deep.py", "from cbvtool.session import Session", "plugins.other.deep -> cbvtool.session"),
    ],
    "view": [
        (
            "src/cbvtool/view/toolkit/theme.py",
            "import cbvtool.view.canvas.stage",
            "cbvtool.view.toolkit.theme -> cbvtool.view.canvas.stage",
        ),
        (
            "src/cbvtool/view/panels/panel.py",
            "import cbvtool.view.commands.menus",
            "cbvtool.view.panels.panel -> cbvtool.view.commands.menus",
        ),
        (
            "src/cbvtool/view/commands/editing.py",
            "def late():\n    import cbvtool.view.window.status",
            "cbvtool.view.commands.editing -> cbvtool.view.window.status",
        ),
    ],
    "toolkit": [
        (
            "src/cbvtool/view/toolkit/worker.py",
            "from cbvtool.session import Session",
            "cbvtool.view.toolkit.worker -> cbvtool.session",
        ),
    ],
    "geometry": [
        (
            "src/cbvtool/geometry/camera.py",
            "import cbvtool.geometry.scene.scene",
            "cbvtool.geometry.camera -> cbvtool.geometry.scene.scene",
        ),
        (
            "src/cbvtool/geometry/scene/rings.py",
            "import cbvtool.geometry.overlay.labels",
            "cbvtool.geometry.scene.rings -> cbvtool.geometry.overlay.labels",
        ),
    ],
    "metrics": [
        (
            "src/cbvtool/metrics/size/sloc.py",
            "import cbvtool.metrics.history.commits",
            "cbvtool.metrics.size.sloc -> cbvtool.metrics.history.commits",
        ),
    ],
    "session": [
        (
            "src/cbvtool/session/trail.py",
            "import cbvtool.session.session",
            "cbvtool.session.trail -> cbvtool.session.session",
        ),
        (
            "src/cbvtool/session/viewing.py",
            "from cbvtool.session.planning import Planning",
            "cbvtool.session.viewing -> cbvtool.session.planning",
        ),
        (
            "src/cbvtool/session/session.py",
            "def late():\n    import cbvtool.session.follower",
            "cbvtool.session.session -> cbvtool.session.follower",
        ),
    ],
    "languages": [
        (
            "src/cbvtool/analysis/facts.py",
            "import cbvtool.analysis.languages.java.reader",
            "cbvtool.analysis.facts -> cbvtool.analysis.languages.java.reader",
        ),
    ],
    "language": [
        (
            "src/cbvtool/analysis/languages/kotlin.py",
            "import cbvtool.analysis.languages.java.uses",
            "cbvtool.analysis.languages.kotlin -> cbvtool.analysis.languages.java.uses",
        ),
    ],
    "no-plugins": [
        ("src/cbvtool/extensions.py", "def late():\n    import plugins.age", "cbvtool.extensions -> plugins.age"),
    ],
}


def lint(folder: Path, *options: str) -> tuple[int, str]:
    """Exit status and report of import-linter on the copy of the project in `folder`, line breaks as spaces."""
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-logo", "--no-cache", *options]
    environment = os.environ | {"PYTHONPATH": str(folder / "src")}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    return done.returncode, " ".join((done.stdout + done.stderr).split())


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of everything that the contracts look at."""
    for name in ("src", "plugins"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def test_contracts_are_kept() -> None:
    """DESIGN 2, issue item 1."""
    status, report = lint(ROOT)
    assert status == 0, report


def test_every_contract_has_a_plant() -> None:
    """A new contract comes with the case that trips it."""
    contracts = PROJECT["tool"]["importlinter"]["contracts"]
    assert {contract["id"] for contract in contracts} == PLANTS.keys()


@pytest.mark.parametrize("contract", PLANTS)
def test_planted_violations_are_caught(copy: Path, contract: str) -> None:
    """Each way around a contract is named in its report."""
    before = lint(copy, "--contract", contract)[1]
    for file, line, name in PLANTS[contract]:
        assert name not in before
        (copy / file).parent.mkdir(exist_ok=True)
        with (copy / file).open("a", encoding="utf-8") as out:
            out.write(f"\n{line}\n")
    status, report = lint(copy, "--contract", contract)
    missed = [name for _, _, name in PLANTS[contract] if name not in report]
    assert status == 1, report
    assert not missed, report


def test_a_room_without_a_layer_is_caught(copy: Path) -> None:
    """The layers are exhaustive: a new room needs a place among them."""
    (copy / "src/cbvtool/attic.py").write_text('"""A room nobody thought of."""\n')
    status, report = lint(copy, "--contract", "layers")
    assert status == 1
    assert "attic" in report


def crowded(source: Path) -> list[str]:
    """Folders below `source` with more than 25 files: nobody reads such a list."""
    folders = [folder for folder in (source, *source.rglob("*")) if folder.is_dir() and folder.name != "__pycache__"]
    counts = {folder: sum(file.is_file() for file in folder.iterdir()) for folder in folders}
    return [str(folder.relative_to(source)) for folder, count in counts.items() if count > 25]


def test_no_folder_is_crowded() -> None:
    """No folder of the source holds more than 25 files."""
    assert not crowded(ROOT / "src")


def test_a_crowded_folder_is_caught(copy: Path) -> None:
    for number in range(26):
        (copy / f"src/cbvtool/graph/more_{number}.py").touch()
    assert crowded(copy / "src") == ["cbvtool/graph"]


# What a process loads is recorded by an audit hook, which no way of importing gets around.
RECORDER = """
import os, sys
watched = {"qtpy", "PyQt5", "PySide6", "vtk", "vtkmodules", "pyvista"}
def record(event, arguments):
    if event == "import" and arguments[0].partition(".")[0] in watched:
        note(arguments[0])
def note(line):
    with open(os.path.join(os.environ["IMPORT_RECORD"], str(os.getpid())), "a") as file:
        file.write(line + "\\n")
note("worker" if "--multiprocessing-fork" in sys.orig_argv else "main")
sys.addaudithook(record)
"""


class Loaded:
    """Qt and VTK as the processes of one run loaded them: `main`, and one set for each of the `workers`."""

    def __init__(self, folder: Path) -> None:
        self.main: set[str] = set()
        self.workers: list[set[str]] = []
        for file in folder.iterdir():
            role, *names = file.read_text().splitlines()
            if role == "worker":
                self.workers.append(self._screens(names))
            else:
                self.main |= self._screens(names)

    @staticmethod
    def _screens(names: list[str]) -> set[str]:
        tops = {name.partition(".")[0] for name in names}
        return {("Qt" if re.search("(?i)qt|pyside", top) else "VTK") for top in tops}


@pytest.fixture
def run(tmp_path: Path):
    """Runs Python code in a fresh process; the result tells what it and its workers loaded."""
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(RECORDER)

    def run(code: str) -> Loaded:
        record = tmp_path / "record"
        record.mkdir()
        (tmp_path / "program.py").write_text(code)
        path = os.pathsep.join([str(tmp_path / "site"), str(ROOT / "src")])
        environment = os.environ | {"PYTHONPATH": path, "IMPORT_RECORD": str(record)}
        command = [sys.executable, str(tmp_path / "program.py")]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return Loaded(record)

    return run


def command(*arguments: object) -> str:
    """A program that runs one cbvtool command. Guarded, because spawned workers import it."""
    words = [str(argument) for argument in arguments]
    return f"from cbvtool.cli import main\nif __name__ == '__main__':\n    raise SystemExit(main({words!r}))\n"


def test_recorder_sees_workers_and_screens(run) -> None:
    """The next tests would notice: here a worker loads VTK and the main process Qt."""
    loaded = run(
        "from concurrent.futures import ProcessPoolExecutor\n"
        "from multiprocessing import get_context\n"
        "def work(): import vtkmodules.vtkCommonCore\n"
        "if __name__ == '__main__':\n"
        "    import qtpy.QtCore\n"
        "    with ProcessPoolExecutor(1, get_context('spawn')) as pool: pool.submit(work).result()\n"
    )
    assert loaded.main == {"Qt"}
    assert loaded.workers == [{"VTK"}]


def test_command_line_loads_no_screen(run) -> None:
    """DESIGN 2: cli imports app only inside `open`."""
    assert run("import cbvtool.cli").main == set()


def test_analyze_and_its_workers_load_no_screen(run, tmp_path: Path) -> None:
    """DESIGN 2: `analyze` loads no Qt, its workers neither Qt nor VTK."""
    loaded = run(command("analyze", ROOT / "src/cbvtool/metrics", "--jobs", 2, "-o", tmp_path / "graph.json"))
    assert loaded.main == set()
    assert loaded.workers
    assert not set().union(*loaded.workers)


def test_render_loads_vtk_but_no_qt(run, tmp_path: Path) -> None:
    """DESIGN 2: `render` works without a window system."""
    loaded = run(
        command("render", ROOT / "src/cbvtool/metrics", "--jobs", 2, "-o", tmp_path / "out.png", "--size", "200x150")
    )
    assert loaded.main == {"VTK"}
    assert not set().union(*loaded.workers)


def test_dependencies_are_those_imported() -> None:
    """What src/ imports is what a user of the wheel gets, and what the lock is made from: nothing less or more."""
    imported = set()
    for path in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                imported |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                imported.add(str(node.module).partition(".")[0])
    providers = packages_distributions()
    outside = imported - set(sys.stdlib_module_names) - {"cbvtool"}
    needed = {providers[name][0].lower() for name in outside} | {"pyqt5"}  # the binding stands behind QtPy
    assert {_name(line) for line in PROJECT["project"]["dependencies"]} == needed
    locked = (ROOT / "requirements" / "run.in").read_text().splitlines()
    assert needed <= {_name(line) for line in locked if line and not line.startswith("#")}


def _name(requirement: str) -> str:
    return re.split(r"[^\w.-]", requirement, maxsplit=1)[0].lower()
