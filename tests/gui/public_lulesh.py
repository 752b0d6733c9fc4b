"""The same story on five public profiles of LULESH, which `make judge-lulesh` names in CBVTOOL_LULESH (FOLDER:MAP)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cbvtool.view.window.main_window import MainWindow
from tests.gui.hand import Hand
from tests.gui.scaling_story import RANKS, ScalingRuns, tell_scaling_story

pytestmark = pytest.mark.usefixtures("large")


def test_the_window_tells_the_story_of_lulesh(window: MainWindow, hand: Hand, qtbot) -> None:
    """CF-3 to CF-6: on 27 to 343 ranks, grouped by the module map of CallFlow's example."""
    folder, table = map(Path, os.environ["CBVTOOL_LULESH"].split(os.pathsep))
    files = [folder / f"{ranks}_cores.cali" for ranks in RANKS]
    waits = (
        "MPI_Allreduce from TimeIncrement",
        "MPI_Waitall from CalcForceForNodes",
        "MPI_Wait from CalcForceForNodes",
    )
    tell_scaling_story(window, hand, qtbot, ScalingRuns(files, table, "Lulesh", waits))
