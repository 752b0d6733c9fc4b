"""The story "what changed in max_weight_matching": python scripts/difference_pictures.py REPO [OUT]

REPO: a clone of networkx with the tags networkx-2.8.8 and networkx-3.6.1. Both versions run one script and are
recorded. The window goes from opening to the changed lines as a hand would, takes pictures (OUT, or docs/images), and
says what each step cost: seconds, and seconds of the processor.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from photographer import Photographer

T = TypeVar("T")
HOME = Path(__file__).resolve().parents[1]
VERSIONS = ("networkx-2.8.8", "networkx-3.6.1")
PROGRAM = """\
import random
import sys

sys.path.insert(0, ".")
import networkx as nx

random.seed(7)
graph = nx.Graph()
for number in range(90):
    for other in random.sample(range(90), 5):
        if other != number:
            graph.add_edge(number, other, weight=random.randint(1, 30))
print(len(nx.max_weight_matching(graph)))
"""


def main() -> None:
    """Take them."""
    repository = Path(sys.argv[1]).resolve()
    out = Path(sys.argv[2] if len(sys.argv) > 2 else HOME / "docs" / "images").resolve()
    os.environ |= {"QT_QPA_PLATFORM": "offscreen", "QT_FONT_DPI": "96"}
    sys.path.insert(0, str(HOME / "src"))
    with tempfile.TemporaryDirectory() as scratch:
        os.environ |= {f"XDG_{name}_HOME": f"{scratch}/{name.lower()}" for name in ("CONFIG", "DATA", "CACHE")}
        runs = [recorded(repository, Path(scratch), version) for version in VERSIONS]
        from photographer import Photographer  # the platform is chosen above

        hand = Photographer(out, Path(scratch) / "settings.ini")
        hand.resize(1600, 1000)
        step("open the folder", lambda: hand.open(Path(scratch) / VERSIONS[1]))
        for run in runs:
            step(f"open {run.name}", partial(hand.open_trace, run))
        step("compare them", lambda: compare(hand))
        step("a new layer", lambda: hand.click_row("slower", "own code, backends.py", "_call_if_no_backends_installed"))
        hand.show_picture("union")
        at = step("what lies below it", lambda: click_on(hand, "max_weight_matching"))
        hand.take("trace-difference")
        step("its source, and what was changed", lambda: hand.press_over("union", "s", *at))
        hand.wait(lambda: not hand.window.jobs.running)
        hand.take("trace-difference-source")
        hand.close_view()
        for _ in runs:
            hand.do("close_trace")
        hand.close()


def recorded(repository: Path, scratch: Path, version: str) -> Path:
    """A recording of the program under one version, in a work tree of its own."""
    tree, run = scratch / version, scratch / f"{version}.run"
    subprocess.run(
        ["git", "-c", "advice.detachedHead=false", "clone", "--quiet", "--shared", str(repository), str(tree)],
        check=True,
    )
    subprocess.run(["git", "-c", "advice.detachedHead=false", "checkout", "--quiet", version], cwd=tree, check=True)
    command = [sys.executable, "-B", "-m", "cbvtool", "trace", "record", "--cpu-time", "-o", str(run), "--"]
    subprocess.run([*command, sys.executable, "-B", "-c", PROGRAM], cwd=tree, check=True, capture_output=True)
    return run


def compare(hand: Photographer) -> None:
    """Open the view, and wait until the causes are known."""
    hand.open_view("diff", own=True)
    needs = hand.panel.instance.needs
    hand.wait(lambda: "causes" in needs.found and not needs.making and not hand.window.jobs.running)
    hand.settle()


def click_on(hand: Photographer, name: str) -> tuple[float, float]:
    """Click the widest call path of a function in the picture of both in one; where that was, as shares of it."""
    difference, canvas = hand.panel.instance.needs.found["difference"], hand.panel.canvases["union"]
    from cbvtool.api import Bars, locate

    bars = next(layer for layer in canvas.plot.layers if isinstance(layer, Bars) and layer.name == "bars union")
    assert bars.item is not None
    named = [place for place, row in enumerate(bars.item.tolist()) if difference.name(row) == name]
    place = max(named, key=lambda place: float(bars.x1[place] - bars.x0[place]))
    pane = canvas.plot.pane("union")
    left, right = max(float(bars.x0[place]), pane.x[0]), min(float(bars.x1[place]), pane.x[1])
    middle = (left + right) / 2, float(bars.y0[place] + bars.y1[place]) / 2
    x, y = locate(pane, *middle)
    at = float(x) / canvas.ground.width(), float(y) / canvas.ground.height()
    hand.click_at("union", *at)
    return at


def step(what: str, do: Callable[[], T]) -> T:
    """Do it, and say what it cost."""
    begun, cost = time.monotonic(), _processor()
    done = do()
    print(f"{what}: {time.monotonic() - begun:.1f} s, {_processor() - cost:.1f} s of the processor")
    return done


def _processor() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


if __name__ == "__main__":
    main()
