"""How far changes reach between files: propagation cost, CCD, NCCD, and relations that run backwards."""

from __future__ import annotations

from math import log2
from typing import Any

import numpy as np
import numpy.typing as npt

from cbvtool.assessment.figures import Reach, code_of, ends_of
from cbvtool.assessment.relations import Pairs
from cbvtool.metrics.structure.reach import condensed, reached
from cbvtool.rules import components


def reach(found: Pairs, files: npt.NDArray[np.int64]) -> Reach:
    """The figures of the dependencies between `files` (keys, ascending); other ends do not count.

    Imports for a type checker alone lead nowhere when the program runs: they are left out, as cycles leave them out.
    """
    n = len(files)
    if not n:
        return Reach(0.0, 0, 0.0, 0)
    source, target = ends_of(found.code[found.running > 0])
    known = np.isin(source, files) & np.isin(target, files)
    user, used = np.searchsorted(files, source[known]), np.searchsorted(files, target[known])
    component, begin, end = condensed(n, user.astype(np.int32), used.astype(np.int32))
    ccd = int(np.bincount(component) @ reached(component, begin, end))
    return Reach(ccd / n**2, ccd, ccd / balanced_ccd(n), len(feedback(user, used)))


def balanced_ccd(n: int) -> float:
    """CCD of a balanced binary tree of n components: (n + 1) log2(n + 1) - n (Lakos 1996, section 4.12)."""
    return (n + 1) * log2(n + 1) - n


def feedback(source: npt.NDArray[Any], target: npt.NDArray[Any]) -> list[tuple[int, int]]:
    """A feedback arc set of a directed graph: without these arcs it has no cycle.

    By the heuristic of P. Eades, X. Lin and W. F. Smyth (A fast and effective heuristic for the feedback arc set
    problem, Information Processing Letters 47(6), 1993), in each strongly connected component: sinks go to the end of
    the order, sources to its beginning, else the node with the most arcs out less arcs in. O(nodes + arcs) for each
    degree.
    """
    codes = np.unique(code_of(source, target))
    if not len(codes):
        return []
    nodes, component = components(*ends_of(codes))
    ends = [np.searchsorted(nodes, end) for end in ends_of(codes)]
    inside = component[ends[0]] == component[ends[1]]
    arcs = list(zip(*(nodes[end[inside]].tolist() for end in ends), strict=True))
    place = {node: number for number, node in enumerate(_sequence(arcs))}
    return [(user, used) for user, used in arcs if place[user] > place[used]]


def _sequence(arcs: list[tuple[int, int]]) -> list[int]:
    """The order of Eades, Lin and Smyth."""
    out: dict[int, set[int]] = {}
    into: dict[int, set[int]] = {}
    for user, used in arcs:
        out.setdefault(user, set()).add(used)
        into.setdefault(used, set()).add(user)
        out.setdefault(used, set())
        into.setdefault(user, set())
    bins: dict[int, set[int]] = {}
    for node in out:
        bins.setdefault(len(out[node]) - len(into[node]), set()).add(node)
    most = max(bins, default=0)
    first: list[int] = []
    last: list[int] = []
    sinks = sorted((node for node in out if not out[node]), reverse=True)
    sources = sorted((node for node in out if out[node] and not into[node]), reverse=True)

    def take(node: int) -> None:
        nonlocal most
        bins[len(out[node]) - len(into[node])].discard(node)
        for other, theirs, ends in (
            *((used, into, sources) for used in out[node]),
            *((user, out, sinks) for user in into[node]),
        ):
            bins[len(out[other]) - len(into[other])].discard(other)
            theirs[other].discard(node)
            degree = len(out[other]) - len(into[other])
            bins.setdefault(degree, set()).add(other)
            most = max(most, degree)
            if not theirs[other]:
                ends.append(other)
        del out[node], into[node]

    while out:
        if sinks:
            if (node := sinks.pop()) in out:
                take(node)
                last.append(node)
        elif sources:
            if (node := sources.pop()) in out:
                take(node)
                first.append(node)
        else:
            while not bins.get(most):
                most -= 1
            node = next(iter(bins[most]))
            take(node)
            first.append(node)
    return first + last[::-1]
