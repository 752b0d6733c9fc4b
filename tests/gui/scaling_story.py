"""Does it scale? Five runs of one program on 27 to 343 ranks, asked in the window with mouse and keys (CF-3 to CF-6).

Told of public profiles of LULESH (`make judge-lulesh`) and of generated ones; the guide tells it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from cbvtool.view.panels.plugin_views.plugin_panel import PluginPanel
from cbvtool.view.window.main_window import MainWindow
from plugins.callflow.noise import noise_in
from tests.gui.callflow_hand import cells, click_box, click_row, headline, let_go, model_of, opened, settle, to_front
from tests.gui.hand import Hand
from tests.gui.looking import look

RANKS = (27, 64, 125, 216, 343)


@dataclass(frozen=True)
class ScalingRuns:
    """files: in the order of `RANKS`; table: of modules; top: the box of `main`; waits: call sites that explain it."""

    files: Sequence[Path]
    table: Path
    top: str
    waits: tuple[str, ...]


def tell_scaling_story(window: MainWindow, hand: Hand, qtbot: Any, runs: ScalingRuns) -> None:
    """Raises AssertionError where the window does not show it."""
    panel = opened(window, hand, qtbot, lambda: window.tracing.open_files(runs.files))
    panel.parameters.file_wanted.emit("table", runs.table)
    hand.wait_until(lambda: "MPI" in model_of(panel).graph.name)
    settle(panel, window, qtbot)
    look(panel, "scaling-opened")
    main_is_elapsed_time(panel, hand, runs)
    order_is_broken(panel, window, hand, qtbot)
    waiting_explains(panel, window, hand, qtbot, runs)


def main_is_elapsed_time(panel: PluginPanel, hand: Hand, runs: ScalingRuns) -> None:
    """The row of `main` among the call paths of its box; what it takes in each run stands in the table of runs."""
    click_box(panel, hand, runs.top)
    to_front(panel, hand, panel.tables["sites"])
    click_row(panel, hand, "sites", ("main",))
    hand.wait_until(lambda: panel.instance.state.site >= 0)
    to_front(panel, hand, panel.tables["runs"])
    heading = f"{runs.top} › main (s)"
    hand.wait_until(lambda: heading in cells(panel, "runs")[0])
    for each in cells(panel, "runs"):
        assert abs(float(each[heading]) / float(each["elapsed_time"]) - 1) <= 0.002, each
    let_go(panel, hand)


def order_is_broken(panel: PluginPanel, window: MainWindow, hand: Hand, qtbot: Any) -> None:
    """Of the whole run 216 ranks alone break the order; a click there takes that run as the target."""
    to_front(panel, hand, panel.tables["trend"])
    settle(panel, window, qtbot)
    hand.wait_until(lambda: any("breaks the trend" in each["What"] for each in cells(panel, "trend")))
    rows = cells(panel, "trend")
    assert [each["mpi.world.size"] for each in rows] == [str(each) for each in RANKS]
    assert [each["mpi.world.size"] for each in rows if "breaks the trend" in each["What"]] == ["216"]
    look(panel, "scaling-order")
    click_row(panel, hand, "trend", ("216",))
    hand.wait_until(lambda: panel.instance.values["target"] == 4)
    assert panel.instance.values["mode"] == "target"


def waiting_explains(panel: PluginPanel, window: MainWindow, hand: Hand, qtbot: Any, runs: ScalingRuns) -> None:
    """216 minus 125: MPI by itself is the change, what computes stays; its call sites, split, are those that wait."""
    to_front(panel, hand, panel.tables["runs"])
    click_row(panel, hand, "runs", (runs.files[2].stem,))
    hand.wait_until(lambda: panel.instance.values["target"] == 3)
    click_row(panel, hand, "runs", (runs.files[3].stem,), tick=True)
    hand.wait_until(lambda: (panel.instance.values["second"], panel.instance.values["mode"]) == (4, "difference"))
    assert headline(panel).startswith(f"{runs.files[3].stem} minus {runs.files[2].stem}: MPI -")
    to_front(panel, hand, panel.tables["noise"])
    rows = cells(panel, "noise")
    change = {each["Box"]: float(each["B minus A (s)"]) for each in rows}
    assert next(iter(change)) == "MPI"
    waits = change.pop("MPI")
    assert waits / (waits + sum(change.values())) > 0.9
    assert max(map(abs, change.values())) < 0.1 * abs(waits)
    assert {each["Verdict"] for each in rows} == {"no repeats to tell"}
    model = model_of(panel)
    assert not noise_in(panel.instance.context, model, model.graph.exclusive).is_known
    look(panel, "scaling-difference")
    click_box(panel, hand, "MPI")
    hand.keys("c")
    hand.wait_until(lambda: bool(panel.instance.state.splits) and model_of(panel) is not model)
    settle(panel, window, qtbot)
    graph = model_of(panel).graph
    parts = [row for row, name in enumerate(graph.name) if name.startswith("MPI › ")]
    apart = np.nan_to_num(graph.exclusive[3]) - np.nan_to_num(graph.exclusive[2])
    most = sorted(parts, key=lambda row: -abs(apart[row]))[: len(runs.waits)]
    assert tuple(graph.name[row].removeprefix("MPI › ") for row in most) == runs.waits
    assert all(wait in headline(panel) for wait in runs.waits[:2])
    look(panel, "scaling-split")
