"""The smallest cut of a cycle: the relations to remove so that no node depends on itself any more.

This is the minimum feedback arc set of a weighted directed graph. Small graphs are cut exactly: the cut is the smallest
set that meets every cycle, and cycles are generated as needed (A. Baharev et al., An exact method for the minimum
feedback arc set problem, 2021). For large graphs, a heuristic finds an order of the nodes with few relations against it
(P. Eades, X. Lin, W. F. Smyth, A fast and effective heuristic for the feedback arc set problem, 1993), and improves it
node by node.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import Any

import numpy as np
import numpy.typing as npt

from cbvtool.rules.cycles import components

Rows = npt.NDArray[np.int64]
Keys = npt.NDArray[np.integer[Any]]
Weights = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

_SECONDS = 2.0  # time limit for the exact cuts of all components together
_MOST_EXACT = 4000  # largest component, in relations, for which an exact cut is tried
_MOST_CYCLES = 400  # cycles generated between two solutions
_ROUNDS = 20  # rounds of improving an order


@dataclass(frozen=True, eq=False)
class Cut:
    """The relations to remove.

    rows    int64[k]  rows of the relations, ascending
    weight  sum of their weights
    exact   whether no lighter cut exists; otherwise it is the best one found in time
    held    whether relations that must be kept form cycles by themselves, which remain
    """

    rows: Rows
    weight: float
    exact: bool = True
    held: bool = False


def smallest_cut(
    source: Keys,
    target: Keys,
    weight: Weights,
    *,
    keep: Mask | None = None,
    first: Mask | None = None,
    seconds: float = _SECONDS,
    cancel: Callable[[], object] = lambda: None,
) -> Cut:
    """The lightest set of relations whose removal leaves no cycle.

    source, target  m ends; a relation from a node to itself is left out
    weight          float64[m], above 0: cost of removing each relation, for example the number of its sites
    keep            bool[m]: relations that must not be removed
    first           bool[m]: relations that may be removed without cost, but only as many as needed
    seconds         time limit for an exact cut, by the clock; after it, the best known cut is returned
    cancel          called now and then; if it raises, the work ends

    O(m), plus the solver, for components of up to 4,000 relations; O(n m) for larger ones.
    """
    m = len(source)
    kept = np.zeros(m, np.bool_) if keep is None else keep
    free = (np.zeros(m, np.bool_) if first is None else first) & ~kept
    nodes, ends = np.unique(np.concatenate((source, target)), return_inverse=True)
    a, b = ends[:m].astype(np.int64), ends[m:].astype(np.int64)
    blob, held = _held(len(nodes), a, b, kept)
    a, b = blob[a], blob[b]
    dear = np.flatnonzero((a != b) & ~free)
    cut, exact = np.empty(0, np.int64), True
    tangled = [*_tangled(a, b, dear)]
    if tangled:
        _load_solver()
    until = time.monotonic() + seconds
    for rows in tangled:
        cancel()
        found, sure = _cut_of(a[rows], b[rows], weight[rows], kept[rows], until, cancel)
        cut = np.concatenate((cut, rows[found]))
        exact &= sure
    cheap = np.flatnonzero((a != b) & free)
    if len(cheap):
        cut = np.concatenate((cut, _needed(a, b, np.setdiff1d(dear, cut), cheap[np.argsort(-weight[cheap])])))
    cut.sort()
    return Cut(cut, float(weight[cut].sum()), exact, held)


def _load_solver() -> None:
    """Load SciPy's solver, which takes a second on a busy machine: none of the time for an exact cut is spent on it."""
    import scipy.optimize
    import scipy.sparse.csgraph  # noqa: F401 -- loaded, not used here


def _held(n: int, source: Rows, target: Rows, kept: Mask) -> tuple[Rows, bool]:
    """(int64[n]: one number for all nodes that depend on each other by kept relations; whether there are any)."""
    number = np.arange(n)
    if not kept.any():
        return number, False
    nodes, component = components(source[kept], target[kept])
    number[nodes] = n + component
    number = np.unique(number, return_inverse=True)[1].astype(np.int64)
    return number, bool((np.bincount(component) > 1).any() and len(nodes))


def _tangled(source: Rows, target: Rows, rows: Rows) -> Iterator[Rows]:
    """`rows`, divided by strongly connected component, without relations between components."""
    if not len(rows):
        return
    nodes, component = components(source[rows], target[rows])
    ends = (component[np.searchsorted(nodes, end[rows])] for end in (source, target))
    of, to = ends
    inside = np.flatnonzero(of == to)
    order = inside[np.argsort(of[inside], kind="stable")]
    if len(order):
        yield from (rows[part] for part in np.split(order, np.flatnonzero(np.diff(of[order])) + 1))


def _cut_of(
    source: Rows, target: Rows, weight: Weights, kept: Mask, until: float, cancel: Callable[[], object]
) -> tuple[Rows, bool]:
    """(rows to remove, whether this is the lightest cut) of one component."""
    nodes, ends = np.unique(np.concatenate((source, target)), return_inverse=True)
    n, m = len(nodes), len(source)
    a, b = ends[:m], ends[m:]
    # A relation that must stay weighs more than all others together.
    heavy = np.where(kept, float(weight[~kept].sum()) + 1.0, weight)
    good = _by_order(n, a, b, heavy, cancel)
    if m > _MOST_EXACT:
        return good, False
    exact = _exact(n, a, b, weight, kept, float(heavy[good].sum()), until, cancel)
    return (good, False) if exact is None else (exact, True)


# -- exact -----------------------------------------------------------------------------------------------------------


def _exact(
    n: int,
    source: Rows,
    target: Rows,
    weight: Weights,
    kept: Mask,
    known: float,
    until: float,
    cancel: Callable[[], object],
) -> Rows | None:
    """The lightest rows that meet every cycle; None if time runs out.

    known  weight of a known cut
    """
    from scipy.optimize import Bounds, LinearConstraint, milp  # imported late: SciPy is slow to load
    from scipy.sparse import coo_array

    m = len(source)
    met: list[tuple[int, ...]] = []
    seen: set[tuple[int, ...]] = set()
    cut = np.empty(0, np.int64)
    while True:
        fresh = [cycle for cycle in _cycles_without(n, source, target, cut) if cycle not in seen]
        if not fresh:
            return cut
        cancel()
        left = until - time.monotonic()
        if left <= 0:
            return None
        seen.update(fresh)
        met += fresh
        lengths = [len(cycle) for cycle in met]
        place = (np.repeat(np.arange(len(met)), lengths), np.concatenate([*map(np.array, met)]))
        rows = coo_array((np.ones(sum(lengths)), place), shape=(len(met), m))
        solved = milp(
            weight,
            integrality=np.ones(m, np.int64),
            bounds=Bounds(0, np.where(kept, 0.0, 1.0)),
            constraints=LinearConstraint(rows.tocsr(), lb=1.0),
            options={"time_limit": left, "mip_rel_gap": 0.0},
        )
        if solved.x is None or solved.status != 0:
            return None
        cut = np.flatnonzero(solved.x > 0.5)
        assert weight[cut].sum() <= known + 1e-6 * max(1.0, known), "a set that meets some cycles outweighs one for all"


def _cycles_without(n: int, source: Rows, target: Rows, cut: Rows) -> list[tuple[int, ...]]:
    """Rows of short cycles in the relations without `cut`; each relation is in one of them, up to `_MOST_CYCLES`."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import dijkstra

    left = np.setdiff1d(np.arange(len(source)), cut)
    inside = [*_tangled(source, target, left)]
    if not inside:
        return []
    rows = np.concatenate(inside)
    row_of = dict(zip(zip(source[rows].tolist(), target[rows].tolist(), strict=True), rows.tolist(), strict=True))
    links = coo_array((np.ones(len(rows)), (source[rows], target[rows])), shape=(n, n)).tocsr()
    starts = np.unique(target[rows])
    _, before = dijkstra(links, indices=starts, unweighted=True, return_predecessors=True)
    at = {start: place for place, start in enumerate(starts.tolist())}
    found: dict[tuple[int, ...], None] = {}
    covered: set[int] = set()
    for row in rows.tolist():
        if row in covered:
            continue
        cycle, node, first = [row], int(source[row]), int(target[row])
        while node != first:
            earlier = int(before[at[first], node])
            cycle.append(row_of[earlier, node])
            node = earlier
        covered.update(cycle)
        found[tuple(sorted(cycle))] = None
        if len(found) >= _MOST_CYCLES:
            break
    return list(found)


# -- by an order -----------------------------------------------------------------------------------------------------


def _by_order(n: int, source: Rows, target: Rows, weight: Weights, cancel: Callable[[], object]) -> Rows:
    """Rows of relations against an order of the nodes, found by Eades, Lin and Smyth's heuristic, then improved."""
    out: list[list[tuple[int, float]]] = [[] for _ in range(n)]
    into: list[list[tuple[int, float]]] = [[] for _ in range(n)]
    for a, b, amount in zip(source.tolist(), target.tolist(), weight.tolist(), strict=True):
        out[a].append((b, amount))
        into[b].append((a, amount))
    place = _sifted(_eades(n, out, into), out, into, cancel)
    return np.flatnonzero(place[source] > place[target])


def _eades(n: int, out: list[list[tuple[int, float]]], into: list[list[tuple[int, float]]]) -> list[int]:
    """All nodes: sources first, sinks last, otherwise next the one with the most outgoing minus incoming weight."""
    going = [sum(amount for _, amount in each) for each in out]
    coming = [sum(amount for _, amount in each) for each in into]
    degree_out, degree_in = [len(each) for each in out], [len(each) for each in into]
    there = [True] * n
    heap = [(coming[node] - going[node], node) for node in range(n)]
    heapify(heap)
    sources = [node for node in range(n) if not degree_in[node]]
    sinks = [node for node in range(n) if not degree_out[node]]
    front: list[int] = []
    back: list[int] = []
    while len(front) + len(back) < n:
        if sinks:
            node, end = sinks.pop(), back
        elif sources:
            node, end = sources.pop(), front
        else:
            value, node = heappop(heap)
            if not there[node] or value != coming[node] - going[node]:
                continue
            end = front
        if not there[node]:
            continue
        there[node] = False
        end.append(node)
        for other, amount in out[node]:
            if there[other]:
                coming[other] -= amount
                degree_in[other] -= 1
                if not degree_in[other]:
                    sources.append(other)
                heappush(heap, (coming[other] - going[other], other))
        for other, amount in into[node]:
            if there[other]:
                going[other] -= amount
                degree_out[other] -= 1
                if not degree_out[other]:
                    sinks.append(other)
                heappush(heap, (coming[other] - going[other], other))
    return front + back[::-1]


def _sifted(
    order: list[int],
    out: list[list[tuple[int, float]]],
    into: list[list[tuple[int, float]]],
    cancel: Callable[[], object],
) -> Rows:
    """int64[n]: position of each node after moving each one to where the least weight runs backward."""
    order = list(order)
    place = {node: at for at, node in enumerate(order)}
    for _ in range(_ROUNDS):
        better = False
        for node in list(order):
            cancel()
            # Backward weight at this node, for each number of nodes before it.
            net = dict(out[node])
            for other, amount in into[node]:
                net[other] = net.get(other, 0.0) - amount
            steps = sorted((place[other] - (place[other] > place[node]), amount) for other, amount in net.items())
            cost, best, best_at = 0.0, 0.0, 0
            now, now_cost = place[node], None
            for at, amount in steps:
                if now_cost is None and at >= now:
                    now_cost = cost
                cost += amount
                if cost < best - 1e-9:
                    best, best_at = cost, at + 1
            if now_cost is None:
                now_cost = cost
            if best < now_cost - 1e-9:
                better = True
                order.pop(now)
                order.insert(best_at, node)
                for at in range(min(now, best_at), max(now, best_at) + 1):
                    place[order[at]] = at
        if not better:
            break
    result = np.empty(len(order), np.int64)
    result[order] = np.arange(len(order))
    return result


# -- at no cost ------------------------------------------------------------------------------------------------------


def _needed(source: Rows, target: Rows, there: Rows, offered: Rows) -> Rows:
    """Those of `offered`, tried in order, that would close a cycle with the acyclic relations `there`."""
    ways: dict[int, set[int]] = {}
    for a, b in zip(source[there].tolist(), target[there].tolist(), strict=True):
        ways.setdefault(a, set()).add(b)
    cut = []
    for row in offered.tolist():
        a, b = int(source[row]), int(target[row])
        seen, waiting = {b}, [b]
        while waiting and a not in seen:
            fresh = ways.get(waiting.pop(), set()) - seen
            seen |= fresh
            waiting += fresh
        if a in seen:
            cut.append(row)
        else:
            ways.setdefault(a, set()).add(b)
    return np.array(cut, np.int64)
