"""An evolution as text, CSV and JSON."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Sequence

import numpy as np

from cbvtool.evolution.evolution import Evolution
from cbvtool.evolution.figures import FIGURES, ITEMS
from cbvtool.evolution.reading import ReadEvolution
from cbvtool.evolution.regressions import told
from cbvtool.graph import Graph
from cbvtool.metrics.history.last_change import day
from cbvtool.mining.changes import Changes
from cbvtool.words import one_line

COLUMNS = ("commit", "date", "path", *FIGURES)
_SHORT = 8
_BARS = "▁▂▃▄▅▆▇█"


def modules(graph: Graph, level: int) -> list[int]:
    """Keys of the project and of its folders and packages up to `level` deep that hold files, as in the ring."""
    inner = np.zeros(len(graph), np.bool_)
    if "file" in graph.kind_names:
        files = np.flatnonzero((graph.kinds == graph.kind_names.index("file")) & (graph.tree.depth >= 0))
        while len(files):
            files = np.unique(graph.parent[files])
            files = files[files >= 0]
            inner[files] = True
    return [key for key in graph.tree.order.tolist() if inner[key] and graph.tree.depth[key] <= level]


def to_csv(read: ReadEvolution, level: int) -> str:
    """A line for each commit and module: nothing where it was not there, or not measured; the project is `.`."""
    text, found = io.StringIO(), read.found
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row, commit in enumerate(found.commits):
        for key in modules(found.graph, level):
            cells = [_cell(found, name, row, key) for name in FIGURES]
            if any(cell != "" for cell in cells):
                writer.writerow((commit.sha, day(commit.time), found.graph.ids[key] or ".", *cells))
    return text.getvalue()


def to_json(read: ReadEvolution, level: int, changes: Changes | None) -> str:
    """The same with the regressions, and how much differs between the first commit and the last."""
    found = read.found
    ids = found.graph.ids
    content = {
        "commits": [{"commit": commit.sha, "date": day(commit.time)} for commit in found.commits],
        "modules": [
            {
                "path": ids[key] or ".",
                **{
                    name: [_whole(found.values[name][row, key]) for row in range(len(found.commits))]
                    for name in FIGURES
                },
            }
            for key in modules(found.graph, level)
        ],
        "differs": {sort: tally._asdict() for sort, tally in read.differs._asdict().items()},
        "regressions": [
            {
                "what": told(one, changes),
                "kind": "cycle" if one.kind in ITEMS else one.kind,
                "nodes": [ids[key] for key in one.nodes],
                "commit": one.commit.sha,
                "before": one.before.sha,
                "exact": one.exact,
            }
            for one in read.worse
        ],
    }
    return json.dumps(content, indent=1, allow_nan=False, ensure_ascii=False) + "\n"


def to_text(read: ReadEvolution, level: int, changes: Changes | None) -> str:
    """The project at each commit, its modules as sparklines, and what became worse."""
    found = read.found
    names = [name for name in FIGURES if name not in ("fan_in", "fan_out")]
    root = found.graph.root
    lines = [f"{'date':<12}{'commit':<{_SHORT + 2}}" + "".join(f"{FIGURES[name]:>17}" for name in names)]
    for row, commit in enumerate(found.commits):
        cells = (_cell(found, name, row, root) for name in names)
        numbers = "".join(f"{cell:>17,}" if cell != "" else f"{'-':>17}" for cell in cells)
        lines.append(f"{day(commit.time):<12}{commit.sha[:_SHORT]:<{_SHORT + 2}}{numbers}")
    below = [key for key in modules(found.graph, level) if key != root]
    if below:
        wide = max(max(len(found.graph.ids[key]) for key in below) + 2, 12)
        chosen = ("sloc", "complexity", "hot_spots")
        spark = len(found.commits) + 2
        lines += ["", f"{'module':<{wide}}" + "".join(f"{FIGURES[name]:<{max(spark, 14)}}" for name in chosen)]
        lines += [
            f"{one_line(found.graph.ids[key]):<{wide}}"
            + "".join(f"{sparkline(found.series(name, key).tolist()):<{max(spark, 14)}}" for name in chosen)
            for key in below
        ]
    lines += ["", f"From the first of these commits to the last: {read.differs.words}."]
    lines += ["", "What became worse:" if read.worse else "Nothing became worse between these commits."]
    lines += [f"- {one_line(told(one, changes))}" for one in read.worse]
    return "\n".join([*lines, ""])


def sparkline(values: Sequence[float]) -> str:
    """The values as blocks of eight heights from 0 to the largest; a dot where there is none."""
    top = max((value for value in values if not math.isnan(value)), default=0.0)
    return "".join(
        "·" if math.isnan(value) else _BARS[min(int(value / top * len(_BARS)), len(_BARS) - 1) if top > 0 else 0]
        for value in values
    )


def _cell(found: Evolution, name: str, row: int, key: int) -> int | str:
    value = _whole(found.values[name][row, key])
    return "" if value is None else value


def _whole(value: float) -> int | None:
    return None if math.isnan(value) else round(float(value))
