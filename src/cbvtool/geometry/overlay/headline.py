"""One sentence about the metric of the heights: which share of its total a few files hold."""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from cbvtool.asking.impact import is_test
from cbvtool.geometry.camera import Box
from cbvtool.geometry.colors import THEMES
from cbvtool.geometry.overlay.labels import Measure, rough_width
from cbvtool.geometry.overlay.legends import BODY, LINE, MARGIN, corners
from cbvtool.geometry.picture import Picture, Text
from cbvtool.geometry.scene.scene import Scene
from cbvtool.graph import REMOVED, Graph
from cbvtool.history.time_range import changes_words
from cbvtool.metrics.few_hold import few_hold
from cbvtool.metrics.metric import Metric
from cbvtool.metrics.structure.users import of_kinds

FloatColumn = npt.NDArray[np.float64]

_Asked = tuple[str, bool, int | None, int | None]

# Cache for each graph that is alive: (metric, whether tests count, range of time) -> (its column, the sentence found).
_KNOWN: WeakKeyDictionary[Graph, dict[_Asked, tuple[FloatColumn, str]]] = WeakKeyDictionary()


def headline(scene: Scene) -> str:
    """`5 of 1,006 files hold 31 % of the changes of the last six months`.

    Empty if no few files stand out, or the metric is not measured yet.
    """
    metric = scene.variables["height"].metric
    if metric.name in scene.pending:
        return ""
    known, column = _KNOWN.setdefault(scene.graph, {}), scene.variables["height"].column
    asked = metric.name, scene.state.tests, scene.state.since, scene.state.until
    if asked not in known or known[asked][0] is not column:
        known[asked] = column, _found(scene, metric)
    return known[asked][1]


def headline_picture(scene: Scene, width: int, height: int, measure: Measure = rough_width) -> Picture:
    """The sentence at the top left, for windows, which show no title.

    It takes as many lines as fit beside the height card.
    """
    theme = THEMES[scene.state.theme]
    return Picture(
        width,
        height,
        tuple(
            Text(line, MARGIN, MARGIN + BODY / 2 + number * LINE, BODY, theme.text, "left", halo=theme.halo)
            for number, line in enumerate(_lines(scene, width, height, measure))
        ),
    )


def headline_box(scene: Scene, width: int, height: int, measure: Measure = rough_width) -> list[Box]:
    """(x, y, width, height) in pixels of the sentence; empty list if there is none."""
    lines = _lines(scene, width, height, measure)
    if not lines:
        return []
    wide = max(measure(line, BODY, False) for line in lines)
    return [(MARGIN, MARGIN, wide, BODY * 1.4 + LINE * (len(lines) - 1))]


def _lines(scene: Scene, width: int, height: int, measure: Measure) -> list[str]:
    """The sentence, broken into lines that end before the card of heights."""
    left, top, wide, _ = corners(width, height, scene)[0]
    room = (left if wide and top < 2 * MARGIN else width) - 2 * MARGIN
    lines = list[str]()
    for word in headline(scene).split(" "):
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and measure(longer, BODY, False) <= room:
            lines[-1] = longer
        elif word:
            lines.append(word)
    return lines


def _found(scene: Scene, metric: Metric) -> str:
    graph = scene.graph
    if metric.combine not in ("sum", "union"):
        return ""
    files = of_kinds(graph, ("file",)) & (graph.parent != REMOVED)
    if not scene.state.tests:
        files &= ~is_test(graph)
    if metric.name == "change_frequency":
        what = changes_words((scene.state.since, scene.state.until))
    else:
        what = metric.label[:1].lower() + metric.label[1:]
    return few_hold(scene.variables["height"].column[files], what)
