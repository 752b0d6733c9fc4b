"""Groups that follow from a metric of each file: its main author, its language, when it was changed last."""

from __future__ import annotations

import datetime

import numpy as np
import numpy.typing as npt

from cbvtool.errors import InputError
from cbvtool.graph import EXTERNAL, Graph, IntColumn
from cbvtool.metrics import METRICS, evaluate
from cbvtool.metrics.history.in_range import has_history
from cbvtool.metrics.metric import Subject
from cbvtool.mining.changes import Changes

GroupPath = tuple[str, ...]

OTHER = "(other)"  # the group of what belongs to none


def owners(graph: Graph, changes: Changes | None, keys: IntColumn) -> list[GroupPath]:
    """The main author of each file, over the whole history."""
    subject = Subject(graph, changes)
    if not has_history(subject):
        raise InputError(f"There is no git history of {graph.name} to tell owners by.")
    return _of_class(subject, "main_author", keys)


def languages(graph: Graph, changes: Changes | None, keys: IntColumn) -> list[GroupPath]:
    """The language of each file, or its suffix."""
    return _of_class(Subject(graph, changes), "language", keys)


def periods(graph: Graph, changes: Changes | None, keys: IntColumn) -> list[GroupPath]:
    """The year and the month of the last change of each file (UTC)."""
    column = evaluate("last_change", Subject(graph, changes))[keys]
    if np.isnan(column).all():
        raise InputError(f"There is no git history of {graph.name} to tell ages by.")

    def period(value: float) -> GroupPath:
        day = datetime.datetime.fromtimestamp(value, datetime.UTC)
        return str(day.year), f"{day.year}-{day.month:02}"

    return _apart(graph, keys, [(OTHER,) if value != value else period(value) for value in column.tolist()])


def _of_class(subject: Subject, metric: str, keys: IntColumn) -> list[GroupPath]:
    column: npt.NDArray[np.float64] = evaluate(metric, subject)[keys]
    table = METRICS[metric].names
    assert table is not None
    names = table(subject)
    groups: list[GroupPath] = [(OTHER,) if value != value else (names[int(value)],) for value in column.tolist()]
    return _apart(subject.graph, keys, groups)


def _apart(graph: Graph, keys: IntColumn, groups: list[GroupPath]) -> list[GroupPath]:
    """The same groups, but what lies outside the project stands beside them."""
    return [() if graph.kind(key) == EXTERNAL else path for key, path in zip(keys.tolist(), groups, strict=True)]
