"""The result of a query as a table for people, as CSV or as JSON."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Mapping, Sequence

from cbvtool.asking.search import Matches
from cbvtool.graph import Graph
from cbvtool.metrics.metric import Column, Metric
from cbvtool.words import harmless, one_line

FORMAT, VERSION = "cbvtool-query", 1
_GAP = "  "


def to_text(graph: Graph, found: Matches, metrics: Sequence[Metric], values: Mapping[str, Column]) -> str:
    """A table for people: metrics with their units, then kind and path."""
    header = [*(metric.label for metric in metrics), "Kind", "Path"]
    rows = [
        [*(metric.show(float(values[metric.name][key])) for metric in metrics), graph.kind(key), graph.ids[key]]
        for key in found.keys.tolist()
    ]
    table = [[one_line(cell) for cell in row] for row in (header, *rows)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = []
    for row in table:
        numbers = (cell.rjust(width) for cell, width in zip(row[:-2], widths, strict=False))
        lines.append(_GAP.join([*numbers, row[-2].ljust(widths[-2]), row[-1]]))
    return "".join(f"{line.rstrip()}\n" for line in lines)


def to_csv(graph: Graph, found: Matches, metrics: Sequence[Metric], values: Mapping[str, Column]) -> str:
    """One line for each match; missing values are empty."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    names = [metric.name for metric in metrics]
    writer.writerow(["id", "kind", *names])
    for key in found.keys.tolist():
        cells = [_plain(metric, float(values[metric.name][key])) for metric in metrics]
        texts = ["" if cell is None else harmless(cell) if isinstance(cell, str) else cell for cell in cells]
        writer.writerow([harmless(graph.ids[key]), harmless(graph.kind(key)), *texts])
    return text.getvalue()


def to_json(graph: Graph, found: Matches, metrics: Sequence[Metric], values: Mapping[str, Column], query: str) -> str:
    """The query and its matches with their values; a missing value is `null`."""
    matches = [
        {
            "id": graph.ids[key],
            "name": graph.names[key],
            "kind": graph.kind(key),
            "line": int(graph.line[key]) or None,
            "metrics": {metric.name: _plain(metric, float(values[metric.name][key])) for metric in metrics},
        }
        for key in found.keys.tolist()
    ]
    content = {"format": FORMAT, "version": VERSION, "query": query, "matches": matches}
    return json.dumps(content, indent=1, allow_nan=False) + "\n"


def _plain(metric: Metric, value: float) -> float | int | str | None:
    if not math.isfinite(value):
        return None
    if metric.names is not None:
        return metric.show(value)
    return int(value) if value.is_integer() else value
