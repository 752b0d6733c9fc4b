"""Entangled pairs: modules that use each other, both ways in many places."""

from __future__ import annotations

import numpy as np

from cbvtool.findings.finding import Examined, Finding
from cbvtool.graph.regroup import node_words

MOST = 10


def entangled(examined: Examined, most: int = MOST) -> list[Finding]:
    """Pairs of modules with dependencies both ways, by the places of the weaker way, most first."""
    lifted = examined.lifted(examined.module_of)
    rows = np.flatnonzero(lifted.of_edge >= 0)
    sites = np.bincount(lifted.of_edge[rows], examined.sites[rows], len(lifted.source)).astype(np.int64)
    n = len(examined.graph)
    code = lifted.source.astype(np.int64) * n + lifted.target
    back = np.searchsorted(code, lifted.target.astype(np.int64) * n + lifted.source)
    back = np.minimum(back, max(0, len(code) - 1))
    both = code[back] == lifted.target.astype(np.int64) * n + lifted.source if len(code) else np.zeros(0, np.bool_)
    pairs = np.flatnonzero(both & (lifted.source < lifted.target))
    weaker = np.minimum(sites[pairs], sites[back[pairs]])
    pairs = pairs[np.argsort(-weaker, kind="stable")][:most]
    whole, found = max(1, int(sites.sum())), []
    for row in pairs.tolist():
        there, again = int(sites[row]), int(sites[back[row]])
        one, other = int(lifted.source[row]), int(lifted.target[row])
        more, less = (row, int(back[row])) if there >= again else (int(back[row]), row)
        if there < again:
            one, other, there, again = other, one, again, there
        back_edges = np.flatnonzero(lifted.of_edge == less)
        names = [node_words(examined.graph, key) for key in (one, other)]
        found.append(
            Finding(
                "entangled",
                f"{names[0]} and {names[1]} use each other: {there:,} places one way, {again:,} back",
                (one, other),
                examined.places(back_edges),
                {"sites": there, "sites_back": again},
                2 * again / whole,
                tuple(np.flatnonzero((lifted.of_edge == more) | (lifted.of_edge == less)).tolist()),
            )
        )
    return found
