"""The story of runs that do not scale in order, on generated profiles (CF-3 to CF-6). See `scaling_story`."""

from __future__ import annotations

from pathlib import Path

import pytest

from cbvtool.view.window.main_window import MainWindow
from tests.gui.hand import Hand
from tests.gui.scaling_story import ScalingRuns, tell_scaling_story
from tests.plugin_views.scaling_runs import TABLE, write_scaling_runs

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("large")]


def test_216_ranks_wait_less_and_compute_as_long(window: MainWindow, hand: Hand, qtbot, tmp_path: Path) -> None:
    """CF-3 to CF-6: main is elapsed_time, 216 breaks the order, difference and split lead to waiting in MPI."""
    files = write_scaling_runs(tmp_path)
    table = tmp_path / "modules.json"
    table.write_text(TABLE, "utf-8")
    waits = ("MPI_Allreduce from time_step", "MPI_Waitall from forces_all")
    tell_scaling_story(window, hand, qtbot, ScalingRuns(files, table, "Program", waits))
