"""What plots cost: python tests/benchmarks/bench_plots.py [--rounds N]

A plot of 1600 x 900 pixels. Milliseconds of processor time, median of the rounds. Prints the table there.

fill     straight: 100,000 bars in 40 levels, each with its item; the same shaded, and as aggregates; bent: 33,000 bars
         in half a ring, while it moves (the nearest one for each pixel) and still (four samples for each pixel)
hover    a focus of 320 bars over 100,000 pale ones changes, until the widget has painted it; filling the focus alone
items    the same 100,000 rectangles painted one by one by QPainter, for comparison
"""

from __future__ import annotations

import argparse
import math
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("XDG_RUNTIME_DIR", tempfile.mkdtemp(prefix="cbvtool-runtime-"))
sys.path.insert(0, str(Path(__file__).parents[2]))

import numpy as np
from qtpy.QtCore import QRectF
from qtpy.QtGui import QColor, QImage, QPainter
from qtpy.QtWidgets import QApplication

from cbvtool.plots.filling import fill, warm_up
from cbvtool.plots.layers import Bars, Cushion
from cbvtool.plots.panes import BoxShape, Pane, SectorShape
from cbvtool.plots.plot import Plot, Viewport
from cbvtool.view.plots.plot_canvas import PlotCanvas

SIZE = (1600, 900)
LEVELS = 40
SIGHT = Viewport(*SIZE)
BOX = Pane("calls", BoxShape(0, 0, *SIZE), (0, 1), (0, LEVELS))
RING = Pane("calls", SectorShape(800, 880, 200, 860, math.pi, 2 * math.pi), (0, 1), (0, LEVELS))


def bars(count: int, name: str = "bars", share: float = 1.0) -> Bars:
    """Bars side by side in 40 levels; `share` of the width from the left."""
    wide = count // LEVELS
    x0 = np.tile(np.arange(wide) / wide * share, LEVELS)
    y0 = np.repeat(np.arange(LEVELS, dtype=np.float64), wide)
    color = np.random.default_rng(1).integers(60, 255, (len(x0), 4)).astype(np.uint8)
    color[:, 3] = 255
    item = np.arange(len(x0), dtype=np.int32)
    return Bars(name=name, pane="calls", x0=x0, x1=x0 + share / wide, y0=y0, y1=y0 + 1, color=color, item=item)


def median(act: Callable[[], object], rounds: int) -> float:
    """Processor milliseconds."""
    taken = []
    for _ in range(rounds):
        begun = time.process_time()
        act()
        taken.append(time.process_time() - begun)
    return 1000 * statistics.median(taken)


def one_by_one(layer: Bars) -> None:
    """As a painter of items does."""
    image = QImage(*SIZE, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    for x0, x1, y0, y1, color in zip(
        layer.x0.tolist(),
        layer.x1.tolist(),
        layer.y0.tolist(),
        layer.y1.tolist(),
        np.asarray(layer.color).tolist(),
        strict=True,
    ):
        painter.fillRect(QRectF(x0 * 1600, y0 * 22.5, (x1 - x0) * 1600, (y1 - y0) * 22.5), QColor(*color))
    painter.end()


def hover(rounds: int) -> tuple[float, float]:
    """(until it is painted, filling alone)."""
    pale, focus = bars(100_000), [bars(320, "focus", 0.1 + 0.01 * i) for i in range(rounds + 1)]
    shown = iter(focus)
    canvas = PlotCanvas("main", lambda sight: Plot((BOX,), (pale, next(shown))), animated=False)
    canvas.resize(*SIZE)
    canvas.show()
    QApplication.processEvents()
    canvas.picture()

    def move() -> None:
        canvas.refresh()
        canvas.ground.repaint()

    painted = median(move, rounds - 1)
    filled = median(lambda: fill(Plot((BOX,), (focus[0],)), SIGHT), rounds)
    canvas.close()
    return painted, filled


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    application = QApplication.instance() or QApplication([])
    begun = time.process_time()
    warm_up()
    print(f"compiling, or loading what was compiled: {time.process_time() - begun:.1f} s")
    many, bent = bars(100_000), bars(33_000)
    cases = {
        "100,000 bars": (many, BOX, SIGHT),
        "the same, shaded": (replace(many, shade=Cushion(at=0.3)), BOX, SIGHT),
        "the same, as aggregates": (replace(many, merged=np.full(100_000, 2, np.uint32)), BOX, SIGHT),
        "20,000 bars": (bars(20_000), BOX, SIGHT),
        "33,000 bent bars, moving": (bent, RING, replace(SIGHT, moving=True)),
        "33,000 bent bars, still": (bent, RING, SIGHT),
    }
    print("| | processor ms |\n| --- | ---: |")
    for name, (layer, pane, sight) in cases.items():
        plot = Plot((pane,), (layer,))
        print(f"| {name} | {median(lambda plot=plot, sight=sight: fill(plot, sight), rounds):.1f} |")  # type: ignore[misc]
    painted, filled = hover(rounds)
    print(f"| hover: focus of 320 bars over 100,000, until painted | {painted:.1f} |")
    print(f"| of which its bars are filled | {filled:.1f} |")
    print(f"| 100,000 rectangles by QPainter, one by one | {median(lambda: one_by_one(many), 3):.0f} |")
    del application


if __name__ == "__main__":
    main()
