"""Break this cycle: a move that ends it, several moves, or interfaces in place of what the cheapest cut cuts."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from cbvtool.assessment.gains import worth
from cbvtool.findings.cycles import Tangle, cut_tangle, item_of, tangled
from cbvtool.findings.finding import Examined
from cbvtool.graph import REMOVED, Graph
from cbvtool.graph.regroup import node_words
from cbvtool.metrics.structure.users import of_kinds
from cbvtool.plan import Operation, Split, replay
from cbvtool.proposals.attempt import PACKAGE_FILES, Attempt, without_clashes
from cbvtool.proposals.proposal import BY_FILES, Judge, Proposal, betters, judge

MOST = 5  # proposals
SECONDS = 20.0
_MOST_TRIED = 400  # moves in a round
_MOST_ROUNDS = 12  # moves one after the other
_MOST_PAIRS = 100  # of files that interfaces are put between
_CUT_SECONDS = 1.0


def level_of(graph: Graph, members: tuple[int, ...]) -> str:
    """What a cycle of these nodes is one of: `files` or `modules`."""
    return "files" if bool(of_kinds(graph, ("file",))[list(members)].all()) else "modules"


def broken_cycle(
    examined: Examined, members: tuple[int, ...], most: int = MOST, seconds: float = SECONDS
) -> list[Proposal]:
    """Proposals that end the cycle of modules or files `members`, those that change the fewest places first, then
    those that make it smaller.

    Each was recomputed on the whole graph after it: it makes no other cycle and breaks no rule. Raises what the
    progress of `examined` raises.
    """
    until = time.monotonic() + seconds
    what = level_of(examined.graph, members)
    tangle = tangle_of(examined, members, what)
    if tangle is None:
        return []
    judged = judge(examined, BY_FILES if what == "files" else None)
    found = [*_single_moves(examined, judged, tangle, what, until, most)]
    ending = [ends(examined, one.operations, members, what) for one in found]
    if not any(ending):
        found += _several(examined, judged, tangle, what, until)
    found += _interfaces(examined, judged, tangle, what)
    ending += [ends(examined, one.operations, members, what) for one in found[len(ending) :]]
    order = sorted(range(len(found)), key=lambda at: (not ending[at], found[at].estimate, found[at].disruption))
    noun = "files" if what == "files" else examined.module_noun
    return [_told(found[at], ending[at], len(members), noun) for at in order][:most]


def ends(examined: Examined, operations: tuple[Operation, ...], members: tuple[int, ...], what: str) -> bool:
    """Whether none of `members` depends on itself over another any more after the operations: found anew."""
    after = examined.on(replay(examined.graph, operations))
    lifted = after.lifted(item_of(after, what))
    return not any(np.isin(members, items).any() for items, _ in tangled(lifted))


def tangle_of(examined: Examined, members: tuple[int, ...], what: str, seconds: float = _CUT_SECONDS) -> Tangle | None:
    """The strongly connected set with the most of `members`, with its cut; None = they are in no cycle."""
    lifted = examined.lifted(item_of(examined, what))
    shared = [(int(np.isin(items, members).sum()), items, rows) for items, rows in tangled(lifted)]
    count, items, rows = max(shared, key=lambda each: each[0], default=(0, None, None))
    if not count or items is None or rows is None:
        return None
    return cut_tangle(examined, lifted, items, rows, seconds)


def candidates(examined: Examined, tangle: Tangle, what: str) -> Iterator[Attempt]:
    """The moves of what the cut touches: users to what they use, and what is used to its users, most places first."""
    graph, edges = examined.graph, examined.graph.edges
    rows, weight = tangle.cut_edges, examined.sites
    pairs: dict[Attempt, int] = {}
    for row in rows.tolist():
        user, used = int(edges.source[row]), int(edges.target[row])
        files = int(examined.file_of[user]), int(examined.file_of[used])
        if what == "modules":
            homes = int(graph.parent[files[0]]), int(graph.parent[files[1]])
            moves = [Attempt(files[0], homes[1]), Attempt(files[1], homes[0])]
            moves = [move for move in moves if graph.names[move.node] not in PACKAGE_FILES]
        else:
            parts = [_part(graph, key, file) for key, file in zip((user, used), files, strict=True)]
            moves = [Attempt(part, files[1 - at]) for at, part in enumerate(parts) if part is not None]
        for move in moves:
            pairs[move] = pairs.get(move, 0) + int(weight[row])
    yield from without_clashes(graph, sorted(pairs, key=lambda each: (-pairs[each], each.node, each.target)))


def _part(graph: Graph, key: int, file: int) -> int | None:
    """The definition directly in `file` that is or holds `key`; None = it is the file itself."""
    while key != file and graph.parent[key] not in (file, REMOVED) and graph.parent[key] >= 0:
        key = int(graph.parent[key])
    return None if key == file else key


def _single_moves(
    examined: Examined, judged: Judge, tangle: Tangle, what: str, until: float, most: int
) -> Iterator[Proposal]:
    """The best moves that alone make the cycle smaller, or end it."""
    graph = examined.graph
    tried = []
    for number, move in enumerate(candidates(examined, tangle, what)):
        examined.progress("trying moves", number, 0)
        if number >= _MOST_TRIED or time.monotonic() > until:
            break
        judgement = judged.tried((move.operation(graph),))
        if judgement is not None and worth(judgement).cycles > 0 and betters(judgement):
            tried.append((worth(judgement), -judgement.after.estimate, -number, move))
    for _, _, _, move in sorted(tried, key=lambda each: each[:3], reverse=True)[:most]:
        if (proposal := _proposal(examined, judged, (move,), "")) is not None:
            yield proposal


def _several(examined: Examined, judged: Judge, tangle: Tangle, what: str, until: float) -> list[Proposal]:
    """Moves one after the other, each the one that leaves the smallest cycles, until it ends, or no move helps."""
    members = tuple(tangle.members.tolist())
    at, now, done = judged, examined, list[Attempt]()
    left: Tangle | None = tangle
    for _ in range(_MOST_ROUNDS):
        if left is None or time.monotonic() > until:
            break
        best = None
        before = left.cut_sites
        for number, move in enumerate(candidates(now, left, what)):
            now.progress(f"trying moves: step {len(done) + 1}", number, 0)
            if number >= _MOST_TRIED // 4 or time.monotonic() > until:
                break
            judgement = at.tried((move.operation(now.graph),))
            if judgement is None or not betters(judgement):
                continue
            rank = (worth(judgement)[:2], -judgement.after.estimate + judgement.before.estimate, worth(judgement).q)
            if best is None or rank > best[0]:
                best = rank, move
        if best is None:
            break
        following = at.after((best[1].operation(now.graph),))
        if following is None:
            break
        at, now = following, now.on(following.graph)
        left = tangle_of(now, members, what, 0.2)
        if left is not None and best[0][0] <= (0, 0) and left.cut_sites >= before:
            break
        done.append(best[1])
    proposal = _proposal(examined, judged, tuple(done), "") if len(done) > 1 else None
    return [] if proposal is None else [proposal]


def _interfaces(examined: Examined, judged: Judge, tangle: Tangle, what: str) -> Iterator[Proposal]:
    """An interface beside the user in place of each dependency of the cut, which then runs the other way."""
    graph, edges = examined.graph, examined.graph.edges
    rows = tangle.cut_edges
    pairs = dict.fromkeys(
        (int(examined.file_of[edges.source[row]]), int(examined.file_of[edges.target[row]])) for row in rows.tolist()
    )
    if not pairs or len(pairs) > _MOST_PAIRS or (what == "files" and any(graph.parent[a] < 0 for a, _ in pairs)):
        return
    operations = tuple(
        Split(graph.ids[user], graph.ids[used], graph.ids[int(graph.parent[user])], "invert") for user, used in pairs
    )
    judgement = judged.recomputed(operations)
    if judgement is None or not betters(judgement):
        return
    names = [(graph.names[user], graph.names[used]) for user, used in pairs]
    between = f"{names[0][0]} and {names[0][1]}" if len(names) == 1 else f"{len(names):,} pairs of files"
    yield Proposal(
        "break-cycle",
        f"Put an interface between {between}",
        f"turned round: {_of_cut(tangle)}",
        operations,
        judgement,
        (),
        tuple(rows.tolist()),
    )


def _of_cut(tangle: Tangle) -> str:
    dependencies = "1 dependency" if len(tangle.cut.rows) == 1 else f"{len(tangle.cut.rows):,} dependencies"
    lines = "1 line" if tangle.cut_sites == 1 else f"{tangle.cut_sites:,} lines"
    return f"the cheapest cut, {dependencies} in {lines}"


def _proposal(examined: Examined, judged: Judge, moves: tuple[Attempt, ...], reason: str) -> Proposal | None:
    """The moves as a proposal; None if what they promise does not hold when it is worked out anew."""
    graph = examined.graph
    operations = tuple(move.operation(graph) for move in moves)
    judgement = judged.recomputed(operations)
    if judgement is None or not betters(judgement):
        return None
    first = moves[0]
    title = f"Move {graph.names[first.node]} to {node_words(graph, first.target)}"
    if len(moves) > 1:
        title += f", and {len(moves) - 1:,} more move{'' if len(moves) == 2 else 's'}"
    return Proposal(
        "break-cycle", title, reason, operations, judgement, tuple((move.node, move.target) for move in moves)
    )


def _told(proposal: Proposal, is_end: bool, count: int, what: str) -> Proposal:
    before, after = proposal.judgement.before, proposal.judgement.after
    told = f"ends the cycle of {count:,} {what}"
    if not is_end:
        told = f"leaves {after.tangled:,} of {before.tangled:,} {what} in cycles, the largest of {after.largest:,}"
    return replace(proposal, reason=f"{told}; {proposal.reason}" if proposal.reason else told, ends=is_end)
