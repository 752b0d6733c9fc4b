"""Metrics of people: the main team, how few people carry the code, the share of commits by inactive people."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from cbvtool.graph import REMOVED
from cbvtool.history.change_sets import IntColumn, change_sets, usual_choice
from cbvtool.history.identity import by_name
from cbvtool.history.knowledge import Knowledge, knowledge, quiet_authors, touches_above, touches_of
from cbvtool.history.people_table import unknown_roster
from cbvtool.history.roster import Roster
from cbvtool.metrics.classes import most_of
from cbvtool.metrics.combine import Column
from cbvtool.metrics.history.in_range import file_keys, has_history
from cbvtool.metrics.metric import Metric, Subject

BUS_FACTOR, QUIET_SHARE, MAIN_TEAM = "bus_factor", "quiet_share", "main_team"


def people_metrics(roster: Roster) -> Mapping[str, Metric]:
    """The metrics by name; that of teams only if teams are known."""
    metrics = [
        Metric(
            BUS_FACTOR,
            "Bus factor",
            "people",
            "less",
            "recompute",
            partial(_of_knowledge, lambda known, _subject: known.bus_factor.astype(np.float64)),
            "The fewest people who made most of the commits in the time range; by default in the whole history.",
            history=True,
        ),
        Metric(
            QUIET_SHARE,
            "Knowledge gone quiet",
            "%",
            "more",
            "recompute",
            partial(_of_knowledge, partial(_quiet_share, roster)),
            f"Share of commits by people who left, or made none in the last {roster.quiet_days:,} days of the history.",
            history=True,
        ),
    ]
    if roster.teams:
        metrics.append(
            Metric(
                MAIN_TEAM,
                "Main team",
                "",
                "neither",
                "most",
                partial(_main_team, roster),
                "The team that changed its files most often in the time range; by default in the whole history.",
                history=True,
                names=lambda _subject: roster.teams,
            )
        )
    return {metric.name: metric for metric in metrics}


def _touches(subject: Subject) -> tuple[IntColumn, IntColumn]:
    """(commit, file key): int32[r] each; only of commits with few files, as in the tables of people."""
    assert subject.changes is not None
    sets = change_sets(subject.changes, replace(usual_choice(subject.changes, subject.since, subject.until), ticket=""))
    commit, path = touches_of(sets)
    key = file_keys(subject.graph, subject.changes)[path]
    there = key >= 0
    there[there] &= subject.graph.parent[key[there]] != REMOVED
    return commit[there], key[there]


def _of_knowledge(value: Callable[[Knowledge, Subject], Column], subject: Subject) -> Column:
    """float64[n]: a value of the knowledge of each node with commits; NaN for others, such as parts of files."""
    n = len(subject.graph)
    if not has_history(subject):
        return np.full(n, np.nan)
    assert subject.changes is not None
    known = knowledge(by_name(subject.changes), *touches_above(subject.graph.tree, *_touches(subject)), n)
    return np.where(known.total > 0, value(known, subject), np.nan)


def _quiet_share(roster: Roster, known: Knowledge, subject: Subject) -> Column:
    changes = subject.changes
    assert changes is not None
    fits = roster if len(roster.left) == len(changes.authors) else unknown_roster(changes, roster)
    return 100.0 * known.share_of(quiet_authors(by_name(changes), fits.left, subject.until, fits.quiet_days))


def _main_team(roster: Roster, subject: Subject) -> Column:
    graph, changes = subject.graph, subject.changes
    if changes is None or not has_history(subject) or len(roster.team) != len(changes.authors):
        return np.full(len(graph), np.nan)
    commit, key = _touches(subject)
    team = roster.team[changes.author[commit]]
    known = team >= 0
    return most_of(graph.tree, key[known], team[known], np.ones(int(known.sum())))[0]
