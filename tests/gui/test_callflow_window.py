"""CallFlow with real mouse and keys, in short: runs opened, a box, a target, a line round runs (CF-2 to CF-4)."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from qtpy.QtCore import QPoint

from cbvtool.api import locate
from cbvtool.view.window.main_window import MainWindow
from plugins.callflow.spreading import RUNS
from tests.gui.callflow_hand import click_box, click_row, headline, let_go, model_of, opened, to_front
from tests.gui.hand import Hand
from tests.trace.cali import S, cali_text
from tests.trace.ensemble.made import Paths

WAITS = (1.0, 1.1, 1.2, 6.0, 6.1)  # s of five runs: two of them wait long


def test_runs_are_opened_a_box_a_target_and_runs_are_chosen(
    window: MainWindow, hand: Hand, qtbot, tmp_path: Path
) -> None:
    """CF-2 to CF-4: a click selects a box, a row the target, [ the run before it, a line round marks runs."""
    files = []
    for number, waits in enumerate(WAITS, 1):
        paths: Paths = {("main",): S, ("main", "work"): 5 * S, ("main", "work", "MPI_Wait"): waits * S}
        files.append(tmp_path / f"run{number}.cali")
        files[-1].write_text(cali_text(paths, {"size": number}), "utf-8")
    panel = opened(window, hand, qtbot, lambda: window.tracing.open_files(files))
    assert headline(panel) == "MPI_Wait differs most: 1.05 s with size at most 2, 6.05 s with at least 4"
    click_box(panel, hand, "MPI_Wait")
    assert model_of(panel).ensemble.names == ("run1", "run2", "run3", "run4", "run5")
    hand.keys("bracketleft")
    hand.wait_until(lambda: (panel.instance.values["target"], panel.instance.values["mode"]) == (5, "target"))
    click_row(panel, hand, "runs", ("run4",))
    hand.wait_until(lambda: panel.instance.values["target"] == 4)
    assert headline(panel) == "run4 beside the median run: MPI_Wait +4.85 s"
    spread = panel.canvases["spread"]
    to_front(panel, hand, spread)
    spread.picture()
    squares = next(each for each in spread.plot.layers if each.name == RUNS)
    x, y = locate(spread.plot.pane(RUNS), (squares.x0 + squares.x1) / 2, (squares.y0 + squares.y1) / 2)
    left, right, top = round(float(x.min() + x.max()) / 2), round(float(x.max())) + 12, round(float(y.min())) - 12
    corners = [QPoint(left, top), QPoint(right, top), QPoint(right, spread.height()), QPoint(left, spread.height())]

    def reached(corner: QPoint) -> bool:
        return panel.instance.state.lasso.points[-2:] == (corner.x(), corner.y())

    hand.point(spread.ground, corners[0])
    hand.press()
    for corner in corners[1:]:
        hand.point(spread.ground, corner)
        hand.wait_until(partial(reached, corner))
    hand.release()
    hand.wait_until(lambda: panel.instance.state.runs == (3, 4))
    let_go(panel, hand)
