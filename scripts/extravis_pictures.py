"""Pictures of ExtraVis: a session of the sample shop in both themes, a marked part, two sessions beside each other."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

HOME = Path(__file__).resolve().parents[1]
SIZE = (1440.0, 860.0)
FIRST = (
    "list",
    "buy tea 2 biscuits 1",
    "report",
    "list",
    "buy tea 1 biscuits 3 --coupon WELCOME",
    "list",
    "list",
    "buy biscuits 2 tea 4 --coupon WELCOME",
    "report",
)
SECOND = (*FIRST[:4], "buy tea 1 biscuits 3 mug 2", *FIRST[5:7], "report")


def extravis(out: Path, scratch: Path) -> None:
    """Take them."""
    one, other = (_recorded(scratch, name, visits) for name, visits in (("monday", FIRST), ("tuesday", SECOND)))
    _draw(out / "trace-extravis.png", (one,), "light", {}, "buy_items")
    _draw(out / "trace-extravis-dark.png", (one,), "dark", {"order": "calls", "color": "time"}, "")
    _draw(out / "trace-extravis-two.png", (one, other), "light", {"color": "differs"}, "")


def _recorded(scratch: Path, name: str, visits: tuple[str, ...]) -> Path:
    """A recording of what a customer did, in a copy of the shop."""
    shop, run = scratch / f"extravis-{name}" / "shop", scratch / f"extravis-{name}" / name
    shutil.copytree(HOME / "sample_projects" / "shop", shop, ignore=shutil.ignore_patterns("__pycache__"))
    program = f"from shop.ui.cli import main\nfor words in {visits!r}: main(words.split())"
    record = [sys.executable, "-m", "cbvtool", "trace", "record", "-o", str(run), "--", sys.executable, "-B", "-c"]
    subprocess.run([*record, program], cwd=shop, check=True, capture_output=True)
    return run


def _draw(file: Path, runs: tuple[Path, ...], theme: str, values: dict[str, object], marked: str) -> None:
    """Draw a view; `marked`: the first call of a function is marked, with all that follows from it."""
    from cbvtool.api import EventKind, Plot, Trace, ViewEvent, Viewport
    from cbvtool.drawing.plot_files import write_picture
    from cbvtool.extensions import discover
    from cbvtool.geometry.colors import THEMES
    from cbvtool.plots.filling import fill
    from cbvtool.plots.to_picture import to_picture
    from cbvtool.project import open_project
    from cbvtool.session.plugin_views.instance import ViewInstance
    from cbvtool.session.plugin_views.rendering import render_whole
    from cbvtool.session.plugin_views.surroundings import ViewSurroundings, mapped_inputs
    from cbvtool.trace.readers.registry import read_traces

    shop = runs[0].parent / "shop"
    traces = [read_traces(run)[0] for run in runs]
    view = discover([HOME / "plugins"], [])[0].views["extravis"]
    inputs = mapped_inputs(traces, open_project(shop, history=False).graph, shop)
    data: dict[str, object] = {}
    trace = traces[0]
    if marked and isinstance(trace, Trace):
        plain = ViewInstance(view, inputs, ViewSurroundings(), print, values=values)
        plain.settle()
        low, high = _rows(plain, trace, marked)
        data = {"mark": [low, high], "part": [low, high]}
    instance = ViewInstance(view, inputs, ViewSurroundings(theme=THEMES[theme]), print, values=values, data=data)
    instance.settle()
    if data:
        start = ViewEvent(EventKind.PRESS, "sequence", "rows", 300.0, low + 0.5, 300.0, 200.0)
        instance.on(ViewEvent(EventKind.DROP, "sequence", "rows", 300.0, high - 0.5, 300.0, 300.0, start=start))
        instance.settle()
    sight = Viewport(*SIZE)
    plot = render_whole(instance, sight, THEMES[theme])
    assert isinstance(plot, Plot)
    write_picture(to_picture(fill(plot, sight)), file, THEMES[theme].ground)


def _rows(instance: object, trace: object, function: str) -> tuple[int, int]:
    """The rows of the first call of a function and of all calls below it."""
    from typing import Any

    import numpy as np

    some: Any = instance
    from plugins.extravis.scene import scene_in

    scene = scene_in(some.context, some.state)
    assert scene is not None
    prepared = scene.columns.prepared[0]
    inside = prepared.trace if prepared.own is None else prepared.own.trace
    called = [inside.functions.name[prepared.functions(place)[1]] for place in range(len(prepared.sequence))]
    low = called.index(function)
    end = int(inside.calls.end_row[int(prepared.sequence.row[low])])
    return low, int(np.searchsorted(prepared.sequence.row, end))
