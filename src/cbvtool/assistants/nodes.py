"""Questions about nodes: what there is, and what fits a query."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated

import numpy as np
import numpy.typing as npt
from msgspec import Meta, Struct

from cbvtool.asking.expression import LONGEST, measures, parse
from cbvtool.asking.search import search
from cbvtool.assistants.pages import Answer, Limit, Offset, node_data, page, some
from cbvtool.assistants.snapshot import CodeSnapshot
from cbvtool.errors import InputError
from cbvtool.graph import EXTERNAL, REMOVED, Confidence, Graph
from cbvtool.metrics.values import Values

_MOST_FOLDERS, _MOST_NOTES = 40, 10
_OF_LINES = {"churn", "added_lines", "deleted_lines"}  # take a second reading of the history


class AskOverview(Struct, forbid_unknown_fields=True):
    """Nothing is asked."""


class AskNodes(Struct, forbid_unknown_fields=True):
    """What is to be found, in the language of `cbvtool query`."""

    query: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=LONGEST,
            description="words; /regular expression/; kind:class; path:src/a; comparisons such as complexity > 20; "
            "and, or, not, parentheses",
        ),
    ]
    limit: Limit = 20
    offset: Offset = 0


def overview(now: CodeSnapshot, asked: AskOverview) -> Answer:
    """How large the code base is, its languages, its largest folders, and what was not read."""
    return {**_counted(now.graph), "has_rules": bool(now.code.rules), "commits": _commits(now)}


def _commits(now: CodeSnapshot) -> int:
    return 0 if now.project.changes is None else len(now.project.changes.sha)


@lru_cache(maxsize=2)  # graphs are values compared by identity
def _counted(graph: Graph) -> Answer:
    report = graph.report
    edges = graph.edges
    sure = np.bincount(edges.confidence, minlength=len(Confidence))
    return {
        "nodes": dict(sorted(_by_name(graph.kind_names, graph.kinds[graph.parent != REMOVED]).items())),
        "relations": _by_name(edges.kind_names, edges.kind),
        "confidence": {kind.name.lower(): int(sure[kind]) for kind in Confidence},
        "languages": {share.name: {"files": share.files, "lines": share.lines} for share in report.languages},
        **some(_folders(graph), _MOST_FOLDERS, "folders"),
        "skipped_files": len(report.skipped),
        "files_with_syntax_errors": len(report.parse_errors),
        **some([*report.notes], _MOST_NOTES, "notes"),
    }


def _by_name(names: Sequence[str], numbers: npt.NDArray[np.integer]) -> dict[str, int]:
    """How often each name is among `numbers`, places in `names`; the most frequent first."""
    counts = Counter[str]()
    for name, count in zip(names, np.bincount(numbers, minlength=len(names)).tolist(), strict=True):
        counts[name] += count
    return {name: count for name, count in counts.most_common() if count}


def find_nodes(now: CodeSnapshot, asked: AskNodes) -> Answer:
    """The nodes that fit, the best first."""
    query = parse(asked.query, now.values.metrics)
    if query is None:
        raise InputError("The query is empty: name what to look for, such as 'kind:class Order'.")
    names = dict.fromkeys(name for name in measures(query) if name != "kind")
    if unread := names.keys() & _OF_LINES:
        raise InputError(f"{min(unread)} takes a second reading of the history, for which nobody here waits.")
    found = search(now.graph, query, now.values)

    def row(key: int) -> Answer:
        return {**node_data(now.graph, key), **_measured(now.values, list(names), key)}

    return page(found.keys.tolist(), asked.offset, asked.limit, row, "nodes")


def _measured(values: Values, names: list[str], key: int) -> Answer:
    measured: dict[str, float | str] = {}
    for name in names:
        value, metric = float(values[name][key]), values.metrics[name]
        if math.isfinite(value):
            measured[name] = metric.show(value) if metric.names is not None else round(value, 6)
    return {"metrics": measured} if measured else {}


def _folders(graph: Graph) -> list[Answer]:
    """Those directly below the root and one below these, with their files and lines of code."""
    is_file = np.array([kind == "file" for kind in graph.kind_names], np.bool_)[graph.kinds] & (graph.parent != REMOVED)
    files = graph.tree.subtree_sum(is_file.astype(np.float64))
    sloc = graph.values.get("sloc")
    lines = np.zeros(len(graph)) if sloc is None else graph.tree.subtree_sum(np.nan_to_num(sloc))
    rows = [
        key
        for key in graph.tree.order.tolist()
        if 1 <= graph.tree.depth[key] <= 2 and not is_file[key] and files[key] and graph.kind(key) != EXTERNAL
    ]
    return [{"id": graph.ids[key], "files": int(files[key]), "sloc": int(lines[key])} for key in rows]
