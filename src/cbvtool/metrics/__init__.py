"""Metrics: a graph and its history become one value for every node. One metric per file."""

from __future__ import annotations

from collections.abc import Mapping
from threading import Lock
from types import MappingProxyType
from weakref import WeakKeyDictionary

import numpy as np

from cbvtool.errors import InputError
from cbvtool.graph import Graph
from cbvtool.metrics.history.added_lines import ADDED_LINES
from cbvtool.metrics.history.authors import AUTHORS
from cbvtool.metrics.history.change_frequency import CHANGE_FREQUENCY
from cbvtool.metrics.history.churn import CHURN
from cbvtool.metrics.history.commits import COMMITS
from cbvtool.metrics.history.deleted_lines import DELETED_LINES
from cbvtool.metrics.history.file_age import FILE_AGE
from cbvtool.metrics.history.fix_share import FIX_SHARE
from cbvtool.metrics.history.hot_spot_rank import HOT_SPOT_RANK
from cbvtool.metrics.history.hot_spots import HOT_SPOTS
from cbvtool.metrics.history.last_change import LAST_CHANGE
from cbvtool.metrics.history.main_author import MAIN_AUTHOR
from cbvtool.metrics.history.main_author_share import MAIN_AUTHOR_SHARE
from cbvtool.metrics.history.more_changes import MORE_CHANGES
from cbvtool.metrics.metric import Column, Metric, Subject
from cbvtool.metrics.size.bytes import BYTES
from cbvtool.metrics.size.comment_share import COMMENT_SHARE
from cbvtool.metrics.size.complexity import COMPLEXITY
from cbvtool.metrics.size.functions import FUNCTIONS
from cbvtool.metrics.size.nesting import NESTING
from cbvtool.metrics.size.nl3 import NL3
from cbvtool.metrics.size.parameters import PARAMETERS
from cbvtool.metrics.size.sloc import SLOC
from cbvtool.metrics.size.statements import STATEMENTS
from cbvtool.metrics.structure.fan_in import FAN_IN
from cbvtool.metrics.structure.fan_out import FAN_OUT
from cbvtool.metrics.structure.instability import INSTABILITY
from cbvtool.metrics.structure.kind import KIND
from cbvtool.metrics.structure.language import LANGUAGE
from cbvtool.metrics.structure.leaves import LEAVES
from cbvtool.metrics.structure.transitive_users import TRANSITIVE_USERS
from cbvtool.metrics.structure.transitive_uses import TRANSITIVE_USES
from cbvtool.metrics.structure.unused import UNUSED
from cbvtool.mining.changes import Changes

__all__ = ["METRICS", "Column", "Metric", "Subject", "evaluate", "file_history"]

# In the order of menus.
METRICS: Mapping[str, Metric] = MappingProxyType(
    {
        metric.name: metric
        for metric in (
            SLOC,
            BYTES,
            LEAVES,
            STATEMENTS,
            FUNCTIONS,
            COMMENT_SHARE,
            NL3,
            NESTING,
            COMPLEXITY,
            PARAMETERS,
            CHANGE_FREQUENCY,
            COMMITS,
            CHURN,
            ADDED_LINES,
            DELETED_LINES,
            FIX_SHARE,
            HOT_SPOTS,
            HOT_SPOT_RANK,
            AUTHORS,
            MAIN_AUTHOR,
            MAIN_AUTHOR_SHARE,
            LAST_CHANGE,
            MORE_CHANGES,
            FILE_AGE,
            FAN_IN,
            TRANSITIVE_USERS,
            FAN_OUT,
            TRANSITIVE_USES,
            INSTABILITY,
            UNUSED,
            KIND,
            LANGUAGE,
        )
    }
)
_HISTORY = (CHANGE_FREQUENCY, COMMITS, AUTHORS, LAST_CHANGE)


def evaluate(name: str, subject: Subject, metrics: Mapping[str, Metric] = METRICS) -> Column:
    """float64[n] by key, read-only: the metric `name` of every node; NaN = not measured.

    The columns used last are cached for each graph while it is alive: the same metric, changes and range cost nothing
    the second time.

    Raises InputError for a metric that does not exist, and any exception from the progress of `subject` (`Cancelled`).
    """
    if name not in metrics:
        raise InputError(f"there is no metric {name!r}; there are: {', '.join(metrics)}")
    metric = metrics[name]
    if metric.momentary:
        return _computed(metric, subject)
    # Changes are compared by identity, so that equal keys mean the same inputs. Built-in metrics without commits do not
    # depend on the time range, which the user may drag.
    range_ = (subject.since, subject.until, subject.pinned) if metric.history or name not in METRICS else ()
    inputs = (metric, subject.changes, *range_)
    with _guard:
        columns = _columns.setdefault(subject.graph, {})
        if (kept := columns.pop(inputs, None)) is not None:
            columns[inputs] = kept
            return kept
    column = _computed(metric, subject)
    with _guard:  # another thread may have computed the same column meanwhile
        columns[inputs] = column
        while len(columns) > _KEPT:
            del columns[next(iter(columns))]
    return column


def file_history(graph: Graph, changes: Changes) -> dict[str, Column]:
    """The history metrics of each file, to be stored in the graph: metric name -> float64[n].

    Only files have a value, because the values of a folder cannot be combined from those of its files.
    """
    subject = Subject(graph, changes)
    is_file = np.array([name == "file" for name in graph.kind_names])[graph.kinds]
    return {metric.name: np.where(is_file, evaluate(metric.name, subject), np.nan) for metric in _HISTORY}


_KEPT = 2 * len(METRICS)  # columns cached for one graph: those of two time ranges
# Cache for each graph that is alive; the column used most recently is the last one.
_columns: WeakKeyDictionary[Graph, dict[tuple[object, ...], Column]] = WeakKeyDictionary()
_guard = Lock()


def _computed(metric: Metric, subject: Subject) -> Column:
    column = np.asarray(metric.compute(subject), np.float64)
    if column.shape != (len(subject.graph),):
        raise ValueError(f"metric {metric.name!r} gave an array of shape {column.shape}, not ({len(subject.graph)},)")
    column = column.view()
    column.flags.writeable = False
    return column
