"""The four questions of the guide, answered by ViewFusion on a recording of the sample town (VF-1 to VF-6)."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cbvtool.api import EventKind, Viewport, ViewTable
from cbvtool.project import open_project
from cbvtool.session.plugin_views.instance import ViewInstance
from cbvtool.session.plugin_views.surroundings import ViewSurroundings, mapped_inputs
from cbvtool.trace.readers.registry import read_traces
from plugins.viewfusion.view import ViewFusionView
from tests.plugin_views.test_viewfusion import cell_classes, layer, plot, say, scene_of

TOWN = Path(__file__).parents[2] / "sample_projects" / "town"
PROGRAM = "from town.gui.window import show_town; show_town([f'{n} ada 6 4 3' for n in range(60)])"


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> ViewInstance:
    """The view over the code of the town, on a run of it."""
    run = tmp_path_factory.mktemp("town") / "run"
    record = [sys.executable, "-m", "cbvtool", "trace", "record", "-o", str(run), "--"]
    subprocess.run([*record, sys.executable, "-B", "-c", PROGRAM], cwd=TOWN, check=True, capture_output=True)
    graph = open_project(TOWN, history=False).graph
    instance = ViewInstance(ViewFusionView(), mapped_inputs(read_traces(run), graph, TOWN), ViewSurroundings(), print)
    instance.settle()
    return instance


def named(instance: ViewInstance) -> dict[int, str]:
    """Cell -> the id of its node."""
    graph = instance.context.graph
    return {cell: graph.ids[int(key)] for cell, key in enumerate(scene_of(instance).prepared.tree.key)}


def files(instance: ViewInstance) -> dict[str, tuple[int, int, int]]:
    """File -> (calls, own time, deepest call)."""
    table = instance.draw("files", Viewport(800.0, 600.0))
    assert isinstance(table, ViewTable)
    columns = {column.name: np.asarray(column.values) for column in table.columns if column.kind != "text"}
    names = named(instance)
    return {
        names[int(item)]: (int(columns["Calls"][row]), int(columns["Own time"][row]), int(columns["Deepest"][row]))
        for row, item in enumerate(table.item)
    }


def test_packages_work_one_after_the_other(told: ViewInstance) -> None:
    """Which packages work when? While the town is shown, port comes before core, network after treemap."""
    scene, graph = scene_of(told), told.context.graph
    trace = scene.prepared.trace
    begin = int(trace.calls.start[list(trace.functions.name).index("show_town") == trace.calls.function][0])
    working: dict[str, list[int]] = {}
    for row in np.flatnonzero(trace.calls.start > begin).tolist():
        cell = int(scene.prepared.cell[trace.calls.function[row]])
        package = int(scene.packages.of_cell[cell])
        name = graph.names[int(scene.prepared.tree.key[scene.packages.cells[package]])]
        working.setdefault(name, []).append(row)
    assert max(working["port"]) < min(working["core"]) < min(working["treemap"]) < min(working["network"])
    legend = layer(plot(told), "legend texts").text
    assert {"gui", "core", "port", "network"} <= set(legend)


def test_a_file_of_a_high_package_lies_at_the_bottom_of_the_stack(told: ViewInstance) -> None:
    """Does any file belong elsewhere? The geometry in gui, which everybody calls, is the reddest."""
    found = files(told)
    deepest = max(figures[2] for figures in found.values())
    assert found["town/gui/triangle.py"][2] == deepest  # from 3.12 on not alone: comprehensions are no calls
    assert found["town/gui/window.py"][2] < deepest / 2


def test_a_file_is_an_outlier_by_calls_and_none_by_time(told: ViewInstance) -> None:
    """What is called far too often? Ids: 40 of 100 calls, 6 of 100 milliseconds; windows are the reverse."""
    found = files(told)
    calls, times = (sum(figures[of] for figures in found.values()) for of in (0, 1))
    most = max(found, key=lambda name: found[name][0])
    assert most == "town/entities/ids.py"
    assert found[most][1] / times < 0.5 * found[most][0] / calls
    assert found["town/gui/window.py"][1] / times > found["town/gui/window.py"][0] / calls


def test_blue_cells_never_ran(told: ViewInstance) -> None:
    """What did not run? The punched cards, and what they alone use."""
    names = named(told)
    blue_cells = {names[cell] for cell, word in cell_classes(told).items() if word == "blue"}
    assert {"town/port/punched.py", "town/entities/ids.py::Id.__eq__"} & blue_cells
    assert any(name.startswith("town/port/codes.py") for name in blue_cells)
    assert not any(name.startswith(("town/gui/triangle.py", "town/core/mesh.py")) for name in blue_cells)
    say(told, EventKind.TAP, key="Ctrl")
    told.state = replace(told.state, height=50, hover=(0.0, 450.0, 400.0))
    assert set(cell_classes(told).values()) == {"white", "colour"}
    told.state = replace(told.state, code=False, height=0, hover=None)
