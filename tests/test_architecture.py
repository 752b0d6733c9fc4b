"""The import contracts and the permissions hold, and each of them catches what it is there for.

A contract that guards the wrong door is kept by everybody. So each one is broken on purpose, in a copy.
`docs/decisions/layers.md` says what each forbids and why.
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
from itertools import islice, takewhile, zip_longest
from pathlib import Path

import pytest

from tests.permissions import (
    LATE,
    NAME,
    NET,
    OPEN,
    RUN,
    SLOW,
    TEXT,
    UPWARD,
    Use,
    all_uses,
    permission,
    unused_permissions,
    uses,
    without_permission,
)

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
        ("src/cbvtool/tracking/marks.py", "import cbvtool.evolution", "cbvtool.tracking.marks -> cbvtool.evolution"),
    ],
    "qt": [
        ("src/cbvtool/session/session.py", "from qtpy.QtCore import QObject", "cbvtool.session.session -> qtpy"),
        ("src/cbvtool/drawing/renderer.py", "import qtpy", "cbvtool.drawing.renderer -> qtpy"),
        ("src/cbvtool/attic.py", "def late():\n    import qtpy", "cbvtool.attic -> qtpy"),
        ("plugins/age.py", "from qtpy import QtWidgets", "plugins.age -> qtpy"),
        ("plugins/busy.py", "def late():\n    from qtpy.QtGui import QPainter", "plugins.busy -> qtpy"),
        (
            "src/cbvtool/session/plugin_views/instance.py",
            "from qtpy.QtCore import QObject",
            "cbvtool.session.plugin_views.instance -> qtpy",
        ),
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
        ("plugins/busy.py", "from cbvtool.plots.plot import Plot", "plugins.busy -> cbvtool.plots.plot"),
        (
            "plugins/busy.py",
            "def late():\n    import cbvtool.view.plots.plot_canvas",
            "plugins.busy -> cbvtool.view.plots.plot_canvas",
        ),
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
        (
            "src/cbvtool/view/toolkit/theme.py",
            "def late():\n    import cbvtool.view.window.main_window",
            "cbvtool.view.toolkit.theme -> cbvtool.view.window.main_window",
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
        )
    ],
    "session-planning": [
        (
            "src/cbvtool/session/planning/steps.py",
            "import cbvtool.session.planning.judging",
            "cbvtool.session.planning.steps -> cbvtool.session.planning.judging",
        )
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
        )
    ],
    "language": [
        (
            "src/cbvtool/analysis/languages/kotlin.py",
            "import cbvtool.analysis.languages.java.uses",
            "cbvtool.analysis.languages.kotlin -> cbvtool.analysis.languages.java.uses",
        )
    ],
    "no-plugins": [
        ("src/cbvtool/extensions.py", "def late():\n    import plugins.age", "cbvtool.extensions -> plugins.age")
    ],
    "network": [
        ("src/cbvtool/plan/operations.py", "import socket", "cbvtool.plan.operations -> socket"),
        ("src/cbvtool/plan/operations.py", "import urllib.request", "cbvtool.plan.operations -> urllib"),
        ("src/cbvtool/attic.py", "def late():\n    from http.client import HTTPConnection", "cbvtool.attic -> http"),
        ("plugins/age.py", "import requests", "plugins.age -> requests"),
    ],
    "processes": [
        ("src/cbvtool/metrics/values.py", "import multiprocessing.pool", "cbvtool.metrics.values -> multiprocessing"),
        ("src/cbvtool/attic.py", "from concurrent.futures import ProcessPoolExecutor", "cbvtool.attic -> concurrent"),
    ],
    "by-name": [
        ("src/cbvtool/session/session.py", "import importlib", "cbvtool.session.session -> importlib"),
        ("src/cbvtool/attic.py", "from runpy import run_path", "cbvtool.attic -> runpy"),
        ("plugins/age.py", "from importlib import import_module", "plugins.age -> importlib"),
    ],
    "pickles": [
        ("src/cbvtool/formats/registry.py", "def late():\n    import pickle", "cbvtool.formats.registry -> pickle"),
        ("src/cbvtool/attic.py", "import shelve", "cbvtool.attic -> shelve"),
    ],
    "native": [("src/cbvtool/graph/tree.py", "from ctypes import CDLL", "cbvtool.graph.tree -> ctypes")],
    "files": [
        ("src/cbvtool/asking/search.py", "import tempfile", "cbvtool.asking.search -> tempfile"),
        ("src/cbvtool/attic.py", "def late():\n    from shutil import rmtree", "cbvtool.attic -> shutil"),
    ],
    "libraries": [
        ("src/cbvtool/graph/tree.py", "import scipy.sparse", "cbvtool.graph.tree -> scipy"),
        ("src/cbvtool/metrics/size/sloc.py", "import networkx", "cbvtool.metrics.size.sloc -> networkx"),
        ("src/cbvtool/plan/tasks.py", "def late():\n    import reportlab", "cbvtool.plan.tasks -> reportlab"),
        ("src/cbvtool/view/panels/source_panel.py", "import pygments", "cbvtool.view.panels.source_panel -> pygments"),
        ("src/cbvtool/attic.py", "from PIL import Image", "cbvtool.attic -> PIL"),
    ],
    "graph": [
        ("src/cbvtool/graph/tree.py", "import cbvtool.graph.records", "cbvtool.graph.tree -> cbvtool.graph.records")
    ],
    "trace": [
        (
            "src/cbvtool/trace/model/trace.py",
            "import cbvtool.trace.readers.source",
            "cbvtool.trace.model.trace -> cbvtool.trace.readers.source",
        )
    ],
    "mining": [
        ("src/cbvtool/mining/locate.py", "import cbvtool.mining.log", "cbvtool.mining.locate -> cbvtool.mining.log")
    ],
    "formats": [
        ("src/cbvtool/formats/rsf.py", "import cbvtool.formats.dot", "cbvtool.formats.rsf -> cbvtool.formats.dot")
    ],
    "asking": [
        (
            "src/cbvtool/asking/steps.py",
            "def late():\n    import cbvtool.asking.paths",
            "cbvtool.asking.steps -> cbvtool.asking.paths",
        )
    ],
    "plan": [
        (
            "src/cbvtool/plan/operations.py",
            "import cbvtool.plan.history",
            "cbvtool.plan.operations -> cbvtool.plan.history",
        ),
        ("src/cbvtool/plan/tasks.py", "import cbvtool.plan.export", "cbvtool.plan.tasks -> cbvtool.plan.export"),
        (
            "src/cbvtool/plan/export.py",
            "import cbvtool.plan.handing_over",
            "cbvtool.plan.export -> cbvtool.plan.handing_over",
        ),
        (
            "src/cbvtool/plan/recovery.py",
            "import cbvtool.plan.alternatives.merging",
            "cbvtool.plan.recovery -> cbvtool.plan.alternatives.merging",
        ),
    ],
    "history": [
        (
            "src/cbvtool/history/coupling.py",
            "import cbvtool.history.knowledge",
            "cbvtool.history.coupling -> cbvtool.history.knowledge",
        ),
        (
            "src/cbvtool/history/roster.py",
            "def late():\n    import cbvtool.history.people_table",
            "cbvtool.history.roster -> cbvtool.history.people_table",
        ),
    ],
    "plots": [
        ("src/cbvtool/plots/panes.py", "import cbvtool.plots.layers", "cbvtool.plots.panes -> cbvtool.plots.layers")
    ],
    "alignment": [
        (
            "src/cbvtool/trace/compare/alignment/pairing.py",
            "import cbvtool.trace.compare.alignment.gaps",
            "cbvtool.trace.compare.alignment.pairing -> cbvtool.trace.compare.alignment.gaps",
        )
    ],
    "resources": [
        (
            "src/cbvtool/trace/resources/cells.py",
            "import cbvtool.trace.resources.information",
            "cbvtool.trace.resources.cells -> cbvtool.trace.resources.information",
        )
    ],
    "ensemble": [
        (
            "src/cbvtool/trace/ensemble/runs.py",
            "import cbvtool.trace.ensemble.ensemble",
            "cbvtool.trace.ensemble.runs -> cbvtool.trace.ensemble.ensemble",
        )
    ],
    "timeline": [
        (
            "src/cbvtool/trace/timeline/warp.py",
            "import cbvtool.trace.timeline.bars",
            "cbvtool.trace.timeline.warp -> cbvtool.trace.timeline.bars",
        )
    ],
    "plugin": [
        ("src/cbvtool/plugin/events.py", "import cbvtool.plugin.view", "cbvtool.plugin.events -> cbvtool.plugin.view")
    ],
    "assessment": [
        (
            "src/cbvtool/assessment/prepared.py",
            "import cbvtool.assessment.after",
            "cbvtool.assessment.prepared -> cbvtool.assessment.after",
        )
    ],
    "session-alternatives": [
        (
            "src/cbvtool/session/alternatives/choosing.py",
            "import cbvtool.session.alternatives.weighing",
            "cbvtool.session.alternatives.choosing -> cbvtool.session.alternatives.weighing",
        )
    ],
    "alternatives": [
        (
            "src/cbvtool/plan/alternatives/copying.py",
            "import cbvtool.plan.alternatives.merging",
            "cbvtool.plan.alternatives.copying -> cbvtool.plan.alternatives.merging",
        )
    ],
    "drawing": [
        (
            "src/cbvtool/drawing/surface.py",
            "import cbvtool.drawing.renderer",
            "cbvtool.drawing.surface -> cbvtool.drawing.renderer",
        )
    ],
    "export": [
        ("src/cbvtool/export/pdf.py", "import cbvtool.export.html", "cbvtool.export.pdf -> cbvtool.export.html")
    ],
    "report": [
        (
            "src/cbvtool/report/gathered.py",
            "import cbvtool.report.page",
            "cbvtool.report.gathered -> cbvtool.report.page",
        )
    ],
    "apply": [
        (
            "src/cbvtool/apply/source.py",
            "import cbvtool.apply.python.moving",
            "cbvtool.apply.source -> cbvtool.apply.python.moving",
        ),
        ("src/cbvtool/apply/carry.py", "import cbvtool.apply.trial", "cbvtool.apply.carry -> cbvtool.apply.trial"),
    ],
    "apply-python": [
        (
            "src/cbvtool/apply/python/scan.py",
            "import cbvtool.apply.python.rewrite",
            "cbvtool.apply.python.scan -> cbvtool.apply.python.rewrite",
        )
    ],
    "apply-javascript": [
        (
            "src/cbvtool/apply/javascript/source.py",
            "import cbvtool.apply.javascript.modules",
            "cbvtool.apply.javascript.source -> cbvtool.apply.javascript.modules",
        )
    ],
    "apply-java": [
        (
            "src/cbvtool/apply/java/names.py",
            "import cbvtool.apply.java.access",
            "cbvtool.apply.java.names -> cbvtool.apply.java.access",
        )
    ],
    "assistants": [
        (
            "src/cbvtool/assistants/pages.py",
            "import cbvtool.assistants.nodes",
            "cbvtool.assistants.pages -> cbvtool.assistants.nodes",
        )
    ],
    "cli": [
        ("src/cbvtool/cli/query.py", "import cbvtool.cli.path", "cbvtool.cli.query -> cbvtool.cli.path"),
        ("src/cbvtool/cli/output.py", "import cbvtool.cli.reading", "cbvtool.cli.output -> cbvtool.cli.reading"),
    ],
}

# The rooms of cbvtool by layer, the lowest 0.
CONTRACTS = {contract["id"]: contract for contract in PROJECT["tool"]["importlinter"]["contracts"]}
LEVELS = {
    room.strip(): level
    for level, layer in enumerate(reversed(CONTRACTS["layers"]["layers"]))
    for room in layer.split("|")
}

# What tests/permissions.py must find, in several ways to say the same: (file, lines to add, kind, name).
UNALLOWED = [
    ("asking/search.py", "def _text(path):\n    with open(path) as file:\n        return file.read()", OPEN, "open"),
    ("plan/moved.py", "def _text(path):\n    return path.read_text()", OPEN, "read_text"),
    ("plan/tasks.py", "def _all(paths):\n    return [path.open('rb') for path in paths]", OPEN, "open"),
    ("graph/tree.py", "import os as _system\n_it = _system.open", OPEN, "os.open"),
    ("graph/lift.py", "from os import open as _open_it", OPEN, "os.open"),
    ("rules/cycles.py", "def _saved(path):\n    return np.load(path)", OPEN, "numpy.load"),
    ("layout/depth.py", "_all = map(open, [])", OPEN, "open"),
    ("attic.py", "def _write(path):\n    path.write_bytes(b'')", OPEN, "write_bytes"),
    ("mining/log.py", "import os\ndef _run():\n    os.system('git log')", RUN, "os.system"),
    ("mining/read.py", "from os import popen as _popen", RUN, "os.popen"),
    ("view/panels/panels.py", "from qtpy.QtCore import QProcess", RUN, "qtpy.QtCore.QProcess"),
    ("view/panels/place_links.py", "import urllib.request\n_get = urllib.request.urlopen", NET, "urllib.request"),
    ("view/panels/place_links.py", "from urllib import request", NET, "urllib.request"),
    ("view/toolkit/theme.py", "from qtpy.QtNetwork import QTcpSocket", NET, "qtpy.QtNetwork.QTcpSocket"),
    ("asking/table.py", "def _value(text):\n    return eval(text)", TEXT, "eval"),
    ("plugins/age.py", "exec('pass')", TEXT, "exec"),
    ("session/trail.py", "import importlib\n_late = importlib.import_module('json')", NAME, "importlib.import_module"),
    ("plugins/age.py", "def _late(name):\n    return __import__(name)", NAME, "__import__"),
    ("session/places.py", "import sys\n_late = getattr(sys, 'modules')", NAME, "sys.modules"),
    ("geometry/camera.py", "def _late():\n    import json", LATE, "json"),
    ("metrics/combine.py", "class _Late:\n    def get(self):\n        from json import loads", LATE, "json"),
    ("metrics/structure/reach.py", "from scipy.sparse import csr_array", SLOW, "scipy.sparse"),
    ("graph/networkx.py", "import networkx.algorithms", SLOW, "networkx.algorithms"),
    ("analysis/dividing.py", "import_module('cbvtool.session.session')", UPWARD, "cbvtool.session.session"),
    ("plugins/age.py", "_graph = 'cbvtool.graph'", UPWARD, "cbvtool.graph"),
]

# The 15 violations that an audit planted when the contracts saw but one of them: (file, lines, what a report names).
AUDITED = [
    ("geometry/camera.py", "import cbvtool.geometry.scene", "cbvtool.geometry.camera -> cbvtool.geometry.scene"),
    (
        "analysis/facts.py",
        "import cbvtool.analysis.languages.java",
        "cbvtool.analysis.facts -> cbvtool.analysis.languages.java",
    ),
    (
        "analysis/languages/kotlin.py",
        "import cbvtool.analysis.languages.java.uses",
        "cbvtool.analysis.languages.kotlin -> cbvtool.analysis.languages.java.uses",
    ),
    ("session/trail.py", "import cbvtool.session.session", "cbvtool.session.trail -> cbvtool.session.session"),
    (
        "view/toolkit/theme.py",
        "import cbvtool.view.window.main_window",
        "cbvtool.view.toolkit.theme -> cbvtool.view.window.main_window",
    ),
    (
        "view/toolkit/worker.py",
        "import cbvtool.view.window.main_window",
        "cbvtool.view.toolkit.worker -> cbvtool.view.window.main_window",
    ),
    ("graph/tree.py", "import scipy", "cbvtool.graph.tree -> scipy"),
    ("metrics/size/sloc.py", "import networkx", "cbvtool.metrics.size.sloc -> networkx"),
    (
        "session/session.py",
        "import importlib\nimportlib.import_module('cbvtool.view.toolkit.theme')",
        f"{UPWARD}: cbvtool.view.toolkit.theme",
    ),
    ("plugins/age.py", "import importlib\nimportlib.import_module('cbvtool.graph')", f"{UPWARD}: cbvtool.graph"),
    ("asking/search.py", "def _text(path):\n    return open(path).read()", f"{OPEN}: open"),
    ("plan/operations.py", "import socket", "cbvtool.plan.operations -> socket"),
    ("plan/operations.py", "import urllib.request", "cbvtool.plan.operations -> urllib"),
    ("mining/log.py", "import os\nos.system('git log')", f"{RUN}: os.system"),
    (
        "metrics/metric.py",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import cbvtool.geometry.scene",
        "cbvtool.metrics.metric -> cbvtool.geometry.scene",
    ),
]


def lint(folder: Path, *options: str) -> tuple[int, str]:
    """Exit status and report of import-linter on the copy of the project in `folder`, line breaks as spaces."""
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-logo", "--no-cache", *options]
    environment = os.environ | {"PYTHONPATH": str(folder / "src")}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    return done.returncode, " ".join((done.stdout + done.stderr).split())


def copied(folder: Path) -> Path:
    """`folder`, with a copy of everything that the contracts look at."""
    for name in ("src", "plugins"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of everything that the contracts look at."""
    return copied(tmp_path)


def plant(folder: Path, file: str, lines: str) -> None:
    """Add `lines` to a file of the copy in `folder`; one that is not there is made."""
    path = folder / file if file.startswith(("src/", "plugins/")) else folder / "src" / "cbvtool" / file
    path.parent.mkdir(exist_ok=True)
    with path.open("a", encoding="utf-8") as out:
        out.write(f"\n{lines}\n")


@pytest.fixture(scope="module")
def kept() -> str:
    """The report on the project as it is."""
    status, report = lint(ROOT)
    assert status == 0, report
    return report


def test_contracts_are_kept(kept: str) -> None:
    assert "0 broken" in kept


def test_every_contract_has_a_plant() -> None:
    """A new contract comes with the case that trips it."""
    assert CONTRACTS.keys() == PLANTS.keys()


def rows_of(text: str, head: str) -> list[tuple[str, str]]:
    """The first and the last cell of each row of the Markdown table in `text` that begins with `head`."""
    lines = text.partition(f"\n{head}")[2].splitlines()[2:]
    cells = [line.strip("| ").split(" | ") for line in takewhile(lambda line: line.startswith("|"), lines)]
    return [(row[0].strip("`"), row[-1].replace("`", "")) for row in cells]


def wrong_rooms(contributing: str) -> list[str]:
    """Where CONTRIBUTING's table of rooms, or its list of those beside each other, is not what `layers` says."""
    names = iter([name for name, _ in rows_of(contributing, "| room in `src/cbvtool/` |")])
    plain = " ".join(contributing.split())
    found = []
    for layer in reversed(CONTRACTS["layers"]["layers"]):
        rooms = sorted(room.strip() for room in layer.split("|"))
        if (told := sorted(islice(names, len(rooms)))) != rooms:
            found.append(f"{told} in the place of {rooms}")
        quoted = [f"`{room}`" for room in rooms]
        if rooms[1:] and " and ".join([", ".join(quoted[:-1]), quoted[-1]]) not in plain:
            found.append(f"{rooms} are not said to be beside each other")
    return [*found, *names]


def wrong_insides(design: str) -> list[tuple[tuple[str, str] | None, tuple[str, str] | None]]:
    """Rows of the design's table beside what the contracts inside rooms say, where they differ."""
    inside = {
        contract["containers"][0].removeprefix("cbvtool."): contract["name"].partition(": ")[2]
        for contract in CONTRACTS.values()
        if contract["type"] == "layers"
    }
    rooms = sorted(inside.keys() & LEVELS.keys(), key=lambda room: (LEVELS[room], room))
    pairs = zip_longest(rows_of(design, "| room | inside"), [(room, inside[room]) for room in rooms])
    return [(told, wanted) for told, wanted in pairs if told != wanted]


def test_the_tables_of_rooms_are_the_contracts() -> None:
    """CONTRIBUTING and docs/design.md name every room once, from the lowest to the highest layer."""
    assert wrong_rooms((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")) == []
    assert wrong_insides((ROOT / "docs" / "design.md").read_text(encoding="utf-8")) == []


def test_a_wrong_table_of_rooms_is_caught() -> None:
    """A room that is missing, named twice or out of order; one that is not said to be beside another."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    lines = text.splitlines(keepends=True)
    graph, mining = (
        next(at for at, line in enumerate(lines) if line.startswith(f"| `{r}` |")) for r in ("graph", "mining")
    )
    swapped = [*lines[:graph], lines[mining], lines[graph], *lines[mining + 1 :]]
    for changed in (
        [*lines[:graph], *lines[mining:]],
        [*lines[:mining], lines[graph], *lines[mining:]],
        swapped,
        [text.replace("`analysis` and `formats`", "`analysis`")],
    ):
        assert wrong_rooms("".join(changed))
    design = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
    row = next(line for line in design.splitlines(keepends=True) if line.startswith("| `history` |"))
    above = next(line for line in design.splitlines(keepends=True) if line.startswith("| `metrics` |"))
    for text in (
        design.replace(row, row + row),
        design.replace(row, ""),
        design.replace(above + row, row + above),
        design.replace(row, row.replace("<", ">", 1)),
    ):
        assert text != design
        assert wrong_insides(text)


def by_contract(report: str) -> dict[str, str]:
    """What a report says about each broken contract: id -> its part of the report."""
    said = report.partition("Broken contracts")[2]
    begins = {said.find(contract["name"]): name for name, contract in CONTRACTS.items() if contract["name"] in said}
    ends = [*sorted(begins)[1:], len(said)]
    return {begins[begin]: said[begin:end] for begin, end in zip(sorted(begins), ends, strict=True)}


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What is said about each contract when all of them are broken at once: a run takes seconds."""
    folder = copied(tmp_path_factory.mktemp("planted"))
    for plants in PLANTS.values():
        for file, line, _ in plants:
            plant(folder, file, line)
    status, report = lint(folder)
    assert status == 1, report
    return by_contract(report)


@pytest.mark.parametrize("contract", PLANTS)
def test_planted_violations_are_caught(kept: str, planted: dict[str, str], contract: str) -> None:
    """Each way around a contract is named in what is said about it."""
    said = planted.get(contract, "")
    missed = [name for _, _, name in PLANTS[contract] if f"- {name} (l." not in said]
    assert not missed, said
    assert not [name for _, _, name in PLANTS[contract] if name in kept]


def test_a_room_without_a_layer_is_caught(copy: Path) -> None:
    """The layers are exhaustive: a new room needs a place among them."""
    (copy / "src/cbvtool/attic.py").write_text('"""A room nobody thought of."""\n')
    status, report = lint(copy, "--contract", "layers")
    assert status == 1
    assert "attic" in report


def test_each_library_has_a_contract() -> None:
    """A new dependency is forbidden to all but those who are named. NumPy is everywhere."""
    contracts = [CONTRACTS[name] for name in ("libraries", "qt", "vtk", "binding", "git")]
    guarded = {_name(module) for contract in contracts for module in contract["forbidden_modules"]}
    providers = packages_distributions()
    covered = {name.lower() for module, names in providers.items() if module.lower() in guarded for name in names}
    needed = {_name(line) for line in PROJECT["project"]["dependencies"]}
    assert needed - covered == {"numpy"}


@pytest.fixture(scope="module")
def today() -> list[Use]:
    """What the sources do today that needs a permission."""
    return all_uses(ROOT, LEVELS)


def test_everything_is_permitted(today: list[Use]) -> None:
    """Who opens a file, starts a program, runs text, or imports late or by name stands in PERMISSIONS."""
    assert without_permission(today) == []


def test_no_permission_is_stale(today: list[Use]) -> None:
    """A permission that nobody uses is one that somebody will use without being asked."""
    assert unused_permissions(today) == []
    assert unused_permissions(use for use in today if use.kind != TEXT) == [
        (TEXT, "analysis/dividing.py"),
        (TEXT, "apply/source.py"),
    ]


def test_uses_without_permission_are_caught(copy: Path, today: list[Use]) -> None:
    """In files of other rooms, in new ones, under other names, as an argument: each of them is found."""
    before = {(use.file, use.kind, use.name) for use in today if permission(use) is None}
    for file, lines, kind, name in UNALLOWED:
        assert (file, kind, name) not in before
        plant(copy, file, lines)
    found = all_uses(copy, LEVELS, {file for file, *_ in UNALLOWED})
    after = {(use.file, use.kind, use.name) for use in found if permission(use) is None}
    assert {(file, kind, name) for file, _, kind, name in UNALLOWED} - after == set()


def test_what_is_ours_or_for_types_needs_no_permission() -> None:
    """`session.open` opens no file, and an import for types alone never happens."""
    text = (
        "from typing import TYPE_CHECKING\nimport re\nif TYPE_CHECKING:\n    import scipy\n"
        "re.compile('a')\nsession.open(project)\nself.read('open')\nname = 'cbvtool.graph'\n"
    )
    assert list(uses(text, "view/new.py", LEVELS)) == []


@pytest.fixture(scope="module")
def audited(tmp_path_factory: pytest.TempPathFactory) -> str:
    """All that is said when the audit's violations are planted: the contracts', and what has no permission."""
    folder = copied(tmp_path_factory.mktemp("audited"))
    for file, lines, _ in AUDITED:
        plant(folder, file, lines)
    found = all_uses(folder, LEVELS, {file for file, *_ in AUDITED})
    return " ".join([lint(folder)[1], *without_permission(found)])


@pytest.mark.parametrize("number", range(15))
def test_what_the_audit_planted_is_caught(kept: str, audited: str, number: int) -> None:
    """14 of these 15 passed every contract once."""
    file, _, name = AUDITED[number]
    contract = " -> " in name
    found = f"- {name} (l." if contract else name
    assert found in audited
    assert name not in kept
    if not contract:
        assert re.search(rf"{re.escape(file)}:\d+ {re.escape(name)}", audited)


# An excuse from ruff or mypy.
EXCUSE = re.compile(r"# (noqa\b(?:: [A-Z0-9, ]+\d)?|type: ignore(?:\[[a-z, -]+\])?)")


def without_reason(text: str) -> list[int]:
    """Lines of a source that excuse themselves from ruff or mypy and say no reason.

    It stands behind the excuse, or in a comment on the line before; of equal ones in a row, the first has it.
    """
    lines = ["", *text.splitlines()]
    reasoned: set[str] = set()  # of the line before
    found = []
    for number, line in enumerate(lines):
        excuses = EXCUSE.findall(line)
        if not excuses:
            reasoned = reasoned if not line else set()
            continue
        rest = line[line.rindex(excuses[-1]) + len(excuses[-1]) :]
        if len(rest.strip(" #-()")) > 3 or lines[number - 1].lstrip().startswith("#"):
            reasoned = set(excuses)
        elif not reasoned.issuperset(excuses):
            found.append(number)
    return found


def test_every_excuse_has_a_reason() -> None:
    """`noqa` and `type: ignore` say why. Tests may do without for types, which mypy does not look at there."""
    files = [path for folder in ("src", "plugins", "scripts") for path in (ROOT / folder).rglob("*.py")]
    found = {str(path.relative_to(ROOT)): without_reason(path.read_text(encoding="utf-8")) for path in files}
    assert {name: lines for name, lines in found.items() if lines} == {}


def test_an_excuse_without_a_reason_is_caught() -> None:
    text = (
        "import a  # noqa: E402\n"
        "b = 1  # type: ignore[arg-type]  # because\n"
        "c = 1  # type: ignore\n\n"
        "import d  # noqa: E402 - the path is set above\nimport e  # noqa: E402\n\nimport f  # noqa: E402\n"
        "g = 1\nimport h  # noqa: E402\n# Words of ours.\ni = 1  # noqa: S608\n"
    )
    assert without_reason(text) == [1, 3, 10]


def test_every_rule_left_out_has_a_reason() -> None:
    """Each rule that ruff is told to ignore has a comment beside it, or above it and its neighbours."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    lines = text.partition("\nignore = [\n")[2].partition("\n]\n")[0].splitlines()
    assert len([line for line in lines if line.strip().startswith('"')]) == len(
        PROJECT["tool"]["ruff"]["lint"]["ignore"]
    )
    reason = False
    for line in lines:
        bare = line.strip().startswith('"') and "#" not in line
        reason = reason if bare else line.strip().startswith("#")
        assert reason or not bare, line


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
    """Design 2: cli imports app only inside `open`."""
    assert run("import cbvtool.cli").main == set()


def test_analyze_and_its_workers_load_no_screen(run, tmp_path: Path) -> None:
    """Design 2: `analyze` loads no Qt, its workers neither Qt nor VTK."""
    loaded = run(command("analyze", ROOT / "src/cbvtool/metrics", "--jobs", 2, "-o", tmp_path / "graph.json"))
    assert loaded.main == set()
    assert loaded.workers
    assert not set().union(*loaded.workers)


def test_render_loads_vtk_but_no_qt(run, tmp_path: Path) -> None:
    """Design 2: `render` works without a window system."""
    loaded = run(
        command("render", ROOT / "src/cbvtool/metrics", "--jobs", 2, "-o", tmp_path / "out.png", "--size", "200x150")
    )
    assert loaded.main == {"VTK"}
    assert not set().union(*loaded.workers)


def test_dependencies_are_those_imported() -> None:
    """What src/ imports is what a user of the wheel gets, and what the lock is made from: nothing less or more."""
    imported = set()
    extras = {
        ROOT / "src/cbvtool" / name for name in ("assistants/server.py", "trace/ensemble/run_set.py")
    }  # mcp, pandas
    for path in set((ROOT / "src").rglob("*.py")) - extras:
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
