"""How the program treats each kind of relation: as a dependency, as a use, shown or hidden.

Kinds are an open set. A kind that is not listed here counts as a dependency.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import numpy.typing as npt

from cbvtool.graph.graph import Edges, When

Mask = npt.NDArray[np.bool_]

CO_CHANGE = "co-change"
RUN_TIME_CALL = "run-time call"
# The source calls, refers to or makes the target, but does not name it: the target reaches the calling code only as an
# argument, by a registration or in a container filled elsewhere. A framework does not depend on what is given to it.
CALLS_BACK = "calls back"

OVERLAY = "overlay: "  # begins the kinds of relations that an overlay of a plugin lays over the picture: no uses

NO_USE = frozenset({CO_CHANGE})  # files that change together need not use each other
NO_DEPENDENCY = NO_USE | {RUN_TIME_CALL, CALLS_BACK}  # the source code of the source node does not ask for these
HIDDEN = frozenset({CALLS_BACK, CO_CHANGE})  # not shown until asked for
_LABELS = {CO_CHANGE: "changes together"}


def label_of_kind(kind: str) -> str:
    """What a kind of relations is called for people."""
    return _LABELS.get(kind, kind.removeprefix(OVERLAY).replace("-", " "))


def of_kinds(edges: Edges, kinds: Collection[str]) -> Mask:
    """bool[m]: the relations of one of these kinds."""
    rows = [row for row, kind in enumerate(edges.kind_names) if kind in kinds]
    found: Mask = np.isin(edges.kind, rows) if rows else np.zeros(len(edges), np.bool_)
    return found


def are_laid_over(edges: Edges) -> Mask:
    """bool[m]: the relations of overlays."""
    return of_kinds(edges, [kind for kind in edges.kind_names if kind.startswith(OVERLAY)])


def are_dependencies(edges: Edges, *, deferred: bool = True, type_checking: bool = True) -> Mask:
    """bool[m]: the relations that are dependencies: the one answer for rules, cycles, metrics, paths, impact and plans.

    deferred        include those that take effect only once a function runs
    type_checking   include those that only a type checker sees
    """
    counts = ~(of_kinds(edges, NO_DEPENDENCY) | are_laid_over(edges))
    if not deferred:
        counts &= edges.when != When.DEFERRED
    if not type_checking:
        counts &= edges.when != When.TYPE_CHECKING
    return counts


def are_uses(edges: Edges) -> Mask:
    """bool[m]: the relations by which the target is in use: dependencies, and what is called at run time."""
    return ~(of_kinds(edges, NO_USE) | are_laid_over(edges))
