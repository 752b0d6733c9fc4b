"""The values of a node as rich text: by what they are about, each with its rank among nodes of the same kind."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

import numpy as np
import numpy.typing as npt
from markupsafe import Markup

from cbvtool.graph import Graph
from cbvtool.metrics.metric import BEING_MEASURED, NOT_MEASURED, Column, Metric
from cbvtool.view.toolkit.plain import muted

SIZE, CODE, HISTORY, DEPENDENCIES, OTHER = "Size", "Code", "History", "Dependencies", "Other values"
GROUPS = (SIZE, CODE, HISTORY, DEPENDENCIES, OTHER)  # in the order in which they are shown
_GROUP_OF = {
    **dict.fromkeys(("sloc", "bytes", "leaves", "statements", "functions"), SIZE),
    **dict.fromkeys(("comment_share", "nl3", "nesting", "complexity", "parameters", "language", "unused"), CODE),
    **dict.fromkeys(("fan_in", "transitive_users", "fan_out", "transitive_uses", "instability"), DEPENDENCIES),
}
_RANKS = ("hot_spot_rank",)  # are ranks themselves
_PLURALS = {"class": "classes", "property": "properties", "library": "libraries", "directory": "directories"}


def group_of(metric: Metric) -> str:
    """What a metric is about, one of `GROUPS`."""
    return HISTORY if metric.history else _GROUP_OF.get(metric.name, OTHER)


def rank(column: Column, peers: npt.NDArray[np.intp], key: int, worse: str) -> tuple[int, int] | None:
    """The place of a node among `peers` (keys, itself included) that have a value, and how many these are.

    The most is first; where less is worse, the least. None: nothing stands out, because no peer has a value that would
    come after this one.
    """
    values = column[peers] if worse != "less" else -column[peers]
    mine = float(column[key]) if worse != "less" else -float(column[key])
    values = values[~np.isnan(values)]
    if not len(values) or not np.any(values < mine):
        return None
    return 1 + int(np.count_nonzero(values > mine)), len(values)


def values_html(
    graph: Graph, metrics: Iterable[Metric], values: Mapping[str, Column], key: int, pending: Collection[str]
) -> Markup:
    """Tables of the values of a node, one for each group; what is not measured is named below.

    values   metric name -> float64[n] by key
    pending  metrics that are still being measured
    """
    peers = np.flatnonzero(graph.kinds == graph.kinds[key])
    rows: dict[str, list[Markup]] = {group: [] for group in GROUPS}
    missing = []
    for metric in metrics:
        value = float("nan") if metric.name in pending else float(values[metric.name][key])
        shown = BEING_MEASURED if metric.name in pending else metric.show(value)
        if shown == NOT_MEASURED:
            missing.append(metric.label)
            continue
        placed = None
        if value == value and metric.names is None and metric.name not in _RANKS:
            placed = rank(values[metric.name], peers, key, metric.worse)
        rows[group_of(metric)].append(_row(metric.label, shown, value != value, placed, len(peers)))
    parts = [
        Markup("<h4>{}</h4><table cellspacing='0' width='100%'>{}</table>").format(group, Markup("").join(found))
        for group, found in rows.items()
        if found
    ]
    if len(peers) > 1:
        parts.append(
            muted(f"#1 has the most of {len(peers):,} {_plural(graph.kind(key))}, or the least where less is worse")
        )
    if missing:
        parts.append(muted(f"{NOT_MEASURED.capitalize()}: {', '.join(missing)}"))
    return Markup("").join(parts)


def _row(label: str, shown: str, is_muted: bool, placed: tuple[int, int] | None, count: int) -> Markup:
    style = Markup(" class='muted'") if is_muted else ""
    text = "" if placed is None else f"#{placed[0]:,}" + (f"\u00a0of\u00a0{placed[1]:,}" if placed[1] != count else "")
    return Markup(
        "<tr><td style='padding:2px 8px 2px 0' class='muted'>{}</td><td align='right'{}>{}</td>"
        "<td align='right' style='padding-left:8px' class='muted'>{}</td></tr>"
    ).format(
        label,
        style,
        shown.replace(" ", "\u00a0") if len(shown) <= _ONE_LINE else shown,
        Markup("<b>{}</b>").format(text) if placed is not None and placed[0] * 20 <= placed[1] else text,
    )


_ONE_LINE = 20  # characters that are kept on one line


def _plural(kind: str) -> str:
    return _PLURALS.get(kind, f"{kind}s")
