"""Pictures of SyncTrace and ViewFusion for a review: both themes, 1x and 2x, and as seen without red or green.

Called by make_pictures.py --views. Drawn without a window, on recordings of the sample programs `mill` and `town`.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from cbvtool.session.plugin_views.instance import ViewInstance

HOME = Path(__file__).resolve().parents[1]
SIZE = (1440, 900)
TOWN = "from town.gui.window import show_town; show_town([f'{n} ada 6 4 3' for n in range(60)])"

# Machado, Oliveira and Fernandes, A physiologically-based model for simulation of color vision deficiency,
# IEEE TVCG 15(6), 2009, table 1: severity 1.0, on linear RGB.
DEFICIENCIES = {
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
}


def simulated(file: Path, deficiency: str) -> Path:
    """The picture as somebody sees it who has a colour vision deficiency, beside the original."""
    from PIL import Image

    with Image.open(file) as picture:
        value = np.asarray(picture.convert("RGB"), np.float64) / 255
    linear = np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)  # sRGB, IEC 61966-2-1
    seen = np.clip(linear @ np.array(DEFICIENCIES[deficiency]).T, 0, 1)
    shown = np.where(seen <= 0.0031308, seen * 12.92, 1.055 * seen ** (1 / 2.4) - 0.055)
    made = file.with_name(f"{file.stem}-{deficiency}.png")
    Image.fromarray(np.rint(255 * shown).astype(np.uint8)).save(made)
    return made


def review(out: Path) -> None:
    """Draw all of them."""
    with tempfile.TemporaryDirectory() as scratch:
        for name, view, program in (("mill", "sync", ["-B", "-m", "mill"]), ("town", "fusion", ["-B", "-c", TOWN])):
            recorded = Path(scratch) / name
            record = [sys.executable, "-m", "cbvtool", "trace", "record", "-o", str(recorded), "--", sys.executable]
            subprocess.run([*record, *program], check=True, cwd=HOME / "sample_projects" / name, capture_output=True)
            folder = HOME / "sample_projects" / name
            shoot(out, view, recorded, folder)
            if view == "sync":
                for state, values, do in (
                    ("compared", {"color": "object"}, compare),
                    ("merged", {}, point_at_merged),
                    ("what-if", {}, think_through),
                ):
                    shoot(out, view, recorded, folder, state, values, do)


def picture(instance: ViewInstance) -> Any:
    """What its canvas shows."""
    return instance.draw("main", instance.context.viewports["main"])


def compare(instance: ViewInstance) -> None:
    """Point at a wait whose object others wait for."""
    from cbvtool.api import EventKind, Hit, ViewEvent

    pairs = instance.context.found["waits"].pairs
    item = next(np.asarray(each.item) for each in picture(instance).layers if each.name == "curves")
    things = pairs.object[item]
    common = int(np.argmax(np.bincount(things[things >= 0])))
    instance.on(ViewEvent(EventKind.HOVER, "main", hit=Hit("curves", int(item[things == common][-1]))))


def point_at_merged(instance: ViewInstance) -> None:
    """Point at the thread with most aggregated paths."""
    from cbvtool.api import EventKind, ViewEvent

    def paths(pane: str) -> int:
        instance.on(ViewEvent(EventKind.HOVER, "main", pane, x=1.0, y=0.5))
        found = [each for each in picture(instance).layers if each.name == "gathered"]
        return len(found[0].ptr) if found else 0

    panes = [pane.name for pane in picture(instance).panes if pane.name.startswith(("ring", "main"))]
    paths(max(panes, key=paths))


def think_through(instance: ViewInstance) -> None:
    """Choose the change that saves most."""
    from cbvtool.api import EventKind, Hit, ViewEvent, ViewTable

    table = instance.draw("what-if", instance.context.viewports["main"])
    assert isinstance(table, ViewTable)
    instance.on(ViewEvent(EventKind.ROW, "what-if", hit=Hit("", int(table.item[0]))))


def shoot(
    out: Path,
    view: str,
    recorded: Path,
    folder: Path,
    state: str = "",
    values: Mapping[str, object] | None = None,
    do: Callable[[ViewInstance], None] = lambda _instance: None,
) -> None:
    """A view of a recording in each theme and at each scale; the light and dark ones also without red and green.

    state   of the view, in the files' names; values: of its parameters
    do      what is done in it before the picture is taken
    """
    from cbvtool.drawing.plot_files import write_picture
    from cbvtool.geometry.colors import THEMES
    from cbvtool.plots.filling import fill
    from cbvtool.plots.plot import Viewport
    from cbvtool.plots.to_picture import to_picture
    from cbvtool.session.plugin_views.rendering import render_whole, settled

    for name, theme in THEMES.items():
        instance = opened(view, recorded, folder, values)
        instance.look_around(replace(instance.around, theme=theme))
        for scale in (1.0, 2.0):
            sight = Viewport(float(SIZE[0]), float(SIZE[1]), scale, measure=_measure)
            settled(instance, partial(render_whole, instance, sight, theme))
            do(instance)
            plot = settled(instance, partial(render_whole, instance, sight, theme))
            file = out / f"{'-'.join(filter(None, (view, state, name)))}-{scale:.0f}x.png"
            write_picture(to_picture(fill(plot, sight)), file, theme.ground, scale)
            if scale == 1.0:
                for deficiency in DEFICIENCIES:
                    simulated(file, deficiency)


def opened(view: str, recorded: Path, folder: Path, values: Mapping[str, object] | None = None) -> ViewInstance:
    """The view of a recording over its code."""
    from cbvtool.extensions import discover
    from cbvtool.project import open_project
    from cbvtool.session.plugin_views.instance import ViewInstance
    from cbvtool.session.plugin_views.surroundings import ViewSurroundings, arranged, mapped_inputs
    from cbvtool.trace.readers.registry import read_traces

    found = discover(installed_plugins=())[0].views[view]
    project = open_project(folder, history=False)
    inputs = mapped_inputs(arranged(found.takes, read_traces(recorded)), project.graph, project.path)
    return ViewInstance(found, inputs, ViewSurroundings(), print, values=values)


def _measure(text: str, size: float, bold: bool) -> float:
    from cbvtool.drawing.pillow_painter import text_width

    return text_width(text, size, bold)
