"""Metrics of a trace: how often and how long code ran in the time window, and which share of it ran (CBV-12)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np
import numpy.typing as npt

from cbvtool.graph import REMOVED, Graph
from cbvtool.metrics.combine import Column, largest, total
from cbvtool.metrics.metric import BEING_MEASURED, Metric, Subject
from cbvtool.trace.coverage.node_coverage import NodeCoverage
from cbvtool.trace.model.durations import duration
from cbvtool.trace.overlay.run_time import RunTime
from cbvtool.words import one_line

CALLS, SELF_TIME, TOTAL_TIME, COVERAGE = "run_time_calls", "self_time", "total_time", "coverage"
RUN_TIME = (CALLS, SELF_TIME, TOTAL_TIME)
NAMES = (*RUN_TIME, COVERAGE)  # in the order of menus
NO_CODE = "not recorded"


def run_time_metrics(
    run_time: RunTime | None, covered: NodeCoverage | None, *, seen: npt.NDArray[np.bool_] | None = None
) -> Mapping[str, Metric]:
    """The metrics of a time window.

    run_time  None = it is being computed
    covered   None = not known
    seen      bool[n]: nodes whose calls the recording could see; other nodes have no value instead of 0
    """
    waits = BEING_MEASURED if run_time is None and covered is None else NO_CODE
    sampled = run_time is not None and run_time.sampled
    of = " (samples)" if sampled else ""
    said = " Put together from samples: their number is no number of calls." if sampled else ""

    def own(values: npt.NDArray[np.int64] | None) -> Column | None:
        if values is None:
            return None
        return np.where(True if seen is None else seen, values.astype(np.float64), np.nan)

    unit = "ns" if run_time is None else run_time.unit
    timed, show = unit != "", partial(cost, unit)
    what = "time" if unit in ("", "ns") else one_line(unit)
    calls = own(None if run_time is None or not run_time.counted else run_time.calls)
    self_time = own(None if run_time is None or not timed else run_time.self_time)
    total_time = None if run_time is None or not timed else run_time.subtree_time.astype(np.float64)
    metrics = (
        Metric(
            CALLS,
            "Samples" if sampled else "Run-time calls",
            "samples" if sampled else "calls",
            "neither",
            "sum",
            partial(_summed, calls),
            f"How often code was called in the window of time, summed over what lies inside.{said}",
            missing=waits,
            momentary=True,
        ),
        Metric(
            SELF_TIME,
            f"Self {what}{of}",
            "",
            "more",
            "sum",
            partial(_summed, self_time),
            f"Time spent in code itself, without what it called, in the window of time.{said}",
            format=show,
            missing=waits,
            momentary=True,
        ),
        Metric(
            TOTAL_TIME,
            f"Total {what}{of}",
            "",
            "more",
            "recompute",
            partial(_passed, total_time, seen),
            "Time from call to return, with what was called, in the window of time; of a container from the outermost "
            f"calls of what lies inside, so that nothing counts twice.{said}",
            format=show,
            missing=waits,
            momentary=True,
        ),
        Metric(
            COVERAGE,
            f"Coverage{of}",
            "",
            "less",
            "recompute",
            partial(_share, covered),
            "How much of the code was run" + (f", in {covered.unit}." if covered is not None else "."),
            format=lambda value: f"{value:,.3g} %",
            missing=BEING_MEASURED if covered is None and run_time is None else NO_CODE,
            momentary=True,
        ),
    )
    return {metric.name: metric for metric in metrics}


def cost(unit: str, value: float) -> str:
    """A time in ns, or an amount in another unit of a profile, for people."""
    return duration(value) if unit in ("", "ns") else f"{value:,.0f} {one_line(unit)}"


def fitted(column: Column, size: int) -> Column:
    """float64[size]: a column of the plan's base graph, extended to nodes that the plan creates, without values."""
    return np.concatenate((column[:size], np.full(max(0, size - len(column)), np.nan)))


def _summed(own: Column | None, subject: Subject) -> Column:
    graph = subject.graph
    return _unknown(graph) if own is None else total(graph, fitted(own, len(graph)))


def _passed(time: Column | None, seen: npt.NDArray[np.bool_] | None, subject: Subject) -> Column:
    """For containers created by a plan or another hierarchy: the largest time inside, a lower bound of theirs."""
    graph = subject.graph
    if time is None:
        return _unknown(graph)
    size = min(len(time), len(graph))
    below = (
        graph.tree.subtree_sum(
            np.nan_to_num(fitted(np.where(True if seen is None else seen, np.ones(len(time)), 0.0), len(graph)))
        )
        > 0
    )
    known = np.where(below, fitted(time, len(graph)), np.nan)
    inside = largest(graph, known)
    known[size:] = inside[size:]
    return np.where(graph.parent == REMOVED, np.nan, known)


def _share(covered: NodeCoverage | None, subject: Subject) -> Column:
    """Percentage of the code in each subtree that ran; nodes that the plan creates have none."""
    graph = subject.graph
    if covered is None:
        return _unknown(graph)
    more = max(0, len(graph) - len(covered.measured))
    columns = [np.append(each[: len(graph)], np.zeros(more, np.int64)) for each in (covered.covered, covered.measured)]
    share = NodeCoverage(columns[0], columns[1], covered.unit).share(graph)
    return np.where(graph.parent == REMOVED, np.nan, 100 * share)


def _unknown(graph: Graph) -> Column:
    return np.full(len(graph), np.nan)
