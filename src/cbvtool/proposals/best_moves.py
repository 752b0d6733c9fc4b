"""The moves that pay most: files that have more to do with another package, each judged as a step of a plan."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from cbvtool.asking.impact import is_test
from cbvtool.assessment.figures import Judgement
from cbvtool.assessment.gains import worth
from cbvtool.findings.finding import Examined
from cbvtool.graph.regroup import node_words
from cbvtool.proposals.attempt import PACKAGE_FILES, Attempt, without_clashes
from cbvtool.proposals.proposal import Judge, Proposal, betters, judge

MOST = 8  # moves
SECONDS = 20.0
_TRIED = 60  # in each round
_LEAST = 2.0  # how many times as much a file must have to do with the other package as with its own


def best_moves(examined: Examined, most: int = MOST, seconds: float = SECONDS) -> list[Proposal]:
    """One proposal for each move, the one that pays most first; greedy: each is chosen on the code as it is, and none
    touches a file of another.

    A move pays by the rules that it mends, then by the modules that leave cycles, then by what modularity gains, each
    for every place in the source that must change. What is told of it was recomputed on the whole graph after it.
    Raises what the progress of `examined` raises.
    """
    until = time.monotonic() + seconds
    judged = judge(examined)
    rated = []
    offered = list(candidates(examined))
    for number, (move, own, other) in enumerate(offered[: _TRIED * most]):
        examined.progress("trying moves", number, min(len(offered), _TRIED * most))
        if time.monotonic() > until:
            break
        judgement = judged.tried((move.operation(examined.graph),))
        if judgement is not None and betters(judgement):
            rated.append((_pays(judgement), -number, move, own, other))
    found: list[Proposal] = []
    taken: set[int] = set()
    for _, _, move, own, other in sorted(rated, key=lambda each: each[:2], reverse=True):
        if len(found) >= most:
            break
        if move.node in taken:
            continue
        if (proposal := _proposal(examined, judged, move, own, other)) is not None:
            taken.add(move.node)
            found.append(proposal)
    return found


def candidates(examined: Examined) -> Iterator[tuple[Attempt, int, int]]:
    """(move, places that tie the file to its own package, places that tie it to the other) of the files that have much
    more to do with another package than with their own; the largest difference first.
    """
    graph, package, n = examined.graph, examined.folder_of, len(examined.graph)
    lifted = examined.lifted(examined.file_of)
    there = lifted.of_edge >= 0
    sites = np.bincount(lifted.of_edge[there], examined.sites[there], len(lifted.source)).astype(np.int64)
    near = np.concatenate((lifted.source, lifted.target)).astype(np.int64)
    far = package[np.concatenate((lifted.target, lifted.source))].astype(np.int64)
    code, at = np.unique(near * n + far, return_inverse=True)
    ties = np.bincount(at, np.tile(sites, 2), len(code)).astype(np.int64)
    file, other = code // n, code % n
    is_own = package[file] == other
    own = np.zeros(n, np.int64)
    own[file[is_own]] = ties[is_own]
    tests = is_test(graph)
    rows = np.flatnonzero(~is_own & (ties >= _LEAST * own[file]) & (tests[file] == tests[other]))
    order = rows[np.lexsort((file[rows], own[file[rows]] - ties[rows]))]
    tied = {Attempt(int(file[row]), int(other[row])): int(ties[row]) for row in order.tolist()}
    for move in without_clashes(graph, (each for each in tied if graph.names[each.node] not in PACKAGE_FILES)):
        yield move, int(own[move.node]), tied[move]


def _pays(judgement: Judgement) -> tuple[float, float, float]:
    """Benefit beside disruption: what it is worth, for each place that must change."""
    cost = 1 + max(0, judgement.after.estimate - judgement.before.estimate)
    rules, cycles, _ = worth(judgement)
    return rules / cost, cycles / cost, (judgement.after.modularity - judgement.before.modularity) / cost


def _proposal(examined: Examined, judged: Judge, move: Attempt, own: int, other: int) -> Proposal | None:
    graph = examined.graph
    operations = (move.operation(examined.graph),)
    judgement = judged.recomputed(operations)
    if judgement is None or not betters(judgement):
        return None
    home, target = (node_words(graph, key) for key in (int(graph.parent[move.node]), move.target))
    reason = f"{other:,} places tie it to {target}, {own:,} to {home}"
    gains = worth(judgement)
    told = []
    if gains.rules > 0:
        told.append(f"{gains.rules:,.0f} broken rule{'' if gains.rules == 1 else 's'} less")
    if gains.cycles > 0:
        told.append(
            f"{judgement.after.tangled:,} {examined.module_noun} in cycles in place of {judgement.before.tangled:,}"
        )
    return Proposal(
        "move",
        f"Move {graph.names[move.node]} to {target}",
        "; ".join([reason, *told]),
        operations,
        judgement,
        ((move.node, move.target),),
    )
