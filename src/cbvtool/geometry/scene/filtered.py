"""What a relation filter leaves of the relations that are shown, at the visible level (CBV-7, DND-6, DND-7)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from cbvtool.geometry.state.view_state import RelationFilter
from cbvtool.graph import Graph, LiftedEdges, lift
from cbvtool.graph.kinds import are_laid_over
from cbvtool.layout.visible import VisibleTree
from cbvtool.rules import Rules, breaking
from cbvtool.rules.dependencies import dependencies
from cbvtool.trace.overlay.calls_seen import calls_seen

Mask = npt.NDArray[np.bool_]
IntColumn = npt.NDArray[np.int32]

ECHO = 800  # relations that stand for all that a filter leaves out
FAINT, STRONG = 0.14, 0.85  # opacity of relations among siblings, and of those between the farthest ends


def sure_and_forbidden(graph: Graph, shown: Mask, confidence: int, violations: bool, rules: Rules) -> Mask:
    """bool[m]: those of `shown` that are sure enough and, with `violations`, break a rule.

    confidence   the least sure `Confidence` that is kept
    """
    kept = shown & (graph.edges.confidence <= confidence)
    return kept & breaking(graph, rules) if violations else kept


def standing_for(lifted: LiftedEdges, relations: Mask) -> Mask:
    """bool[m']: those of `lifted` that stand for one of `relations`, bool[m]."""
    result = np.zeros(len(lifted.source), np.bool_)
    rows = lifted.of_edge[relations]
    result[rows[rows >= 0]] = True
    return result


def by_ends(
    graph: Graph, tree: VisibleTree, lifted: LiftedEdges, shown: Mask, cycles: bool, distance: int
) -> tuple[LiftedEdges, Mask]:
    """(the relations between items that are kept, bool[m]: the relations of the graph that these stand for).

    cycles     only between items that depend on each other, directly or not
    distance   only between items that are at least so many steps apart in the hierarchy
    """
    kept = hierarchy_distance(tree, lifted.source, lifted.target) >= distance
    if cycles:
        depends = lift(graph.edges, tree.represent, shown & dependencies(graph, type_checking=False))
        kept &= in_cycles(lifted, depends, len(tree))
    rest = lifted.take(kept)
    return rest, shown & (rest.of_edge >= 0)


def by_evidence(graph: Graph, shown: Mask, evidence: str) -> Mask:
    """bool[m]: those of `shown` that are calls seen at run time alone (`run`), in the source alone (`source`), or laid
    over the picture by a plugin (`overlay`; all, where none is).
    """
    if evidence == "overlay":
        laid = are_laid_over(graph.edges)
        return shown & laid if laid.any() else shown
    seen = calls_seen(graph)
    return shown & (seen.only_run_time if evidence == "run" else seen.only_source)


def in_cycles(lifted: LiftedEdges, depends: LiftedEdges, items: int) -> Mask:
    """bool[m']: relations of `lifted` between two of the `items` in one strongly connected component of `depends`."""
    from scipy.sparse import coo_array  # late: it takes a while to load
    from scipy.sparse.csgraph import connected_components

    ones = np.ones(len(depends.source), np.int8)
    matrix = coo_array((ones, (depends.source, depends.target)), shape=(items, items))
    _, component = connected_components(matrix, directed=True, connection="strong")
    return np.equal(component[lifted.source], component[lifted.target])


def of_nodes(tree: VisibleTree, lifted: LiftedEdges, keys: tuple[int, ...], filter_: RelationFilter) -> LiftedEdges:
    """The relations of the subtrees of `keys`; with the mode "indirect" also those over which one comes farther."""
    limit = filter_.depth if filter_.mode == "indirect" else 1
    inside = subtree_items(tree, keys)
    kept = np.zeros(len(lifted.source), np.bool_)
    if filter_.direction != "in":
        kept |= _walked(lifted.source, lifted.target, inside, limit)
    if filter_.direction != "out":
        kept |= _walked(lifted.target, lifted.source, inside, limit)
    return lifted.take(kept)


def _walked(near: IntColumn, far: IntColumn, inside: Mask, limit: int) -> Mask:
    """bool[m']: relations on ways of at most `limit` (0 = any number) from the items `inside`, near end first."""
    reached, walked = inside.copy(), np.zeros(len(near), np.bool_)
    steps = 0
    while not limit or steps < limit:
        steps += 1
        onward = reached[near] & ~walked
        if not onward.any():
            break
        walked |= onward
        reached[far[onward]] = True
    return walked


def leaves_out(filter_: RelationFilter) -> bool:
    """Whether the filter may leave out relations."""
    return replace(filter_, direction="both", depth=2, crossing=False) != RelationFilter()


def echo(lifted: LiftedEdges) -> LiftedEdges:
    """At most `ECHO` of the relations, evenly: they show faintly what a filter leaves out."""
    count = len(lifted.source)
    if count <= ECHO:
        return lifted
    kept = np.zeros(count, np.bool_)
    kept[np.linspace(0, count - 1, ECHO).astype(np.int64)] = True
    return lifted.take(kept)


def item_of(tree: VisibleTree, key: int) -> int:
    """The item of `key`: its own segment when it is shown, also while expanded; else the one that stands for it."""
    own = np.flatnonzero((tree.key == key) & ~tree.slot)
    if len(own):
        return int(own[0])
    return int(tree.represent[key]) if key < len(tree.represent) else -1  # it is created by the plan


def subtree_items(tree: VisibleTree, keys: tuple[int, ...] | frozenset[int]) -> Mask:
    """bool[v]: the items of `keys` with all items below them."""
    mask = np.zeros(len(tree.key), bool)
    for key in keys:
        if (item := item_of(tree, key)) >= 0:
            mask[item : tree.end[item]] = True
    return mask


def hierarchy_distance(tree: VisibleTree, source: IntColumn, target: IntColumn) -> npt.NDArray[np.int64]:
    """int64[e]: steps in the tree from each source item to its target, over their least common ancestor (DND-7).

    2 = siblings.
    """
    by_level = tree.chain[:, ::-1]
    above = np.full((len(tree), tree.rings + 1), -1, np.int32)  # each item's ancestor at level 0, 1, ...
    for level in range(tree.rings + 1):
        rows = np.flatnonzero(tree.level == level)
        above[rows, : level + 1] = by_level[rows, tree.rings + 1 - level - 1 :]
    joint = np.zeros(len(source), np.int64)
    for level in range(1, tree.rings + 1):
        a, b = above[source, level], above[target, level]
        joint += (a == b) & (a >= 0)
    result: npt.NDArray[np.int64] = tree.level[source].astype(np.int64) + tree.level[target] - 2 * joint
    return result


def by_distance(tree: VisibleTree, source: IntColumn, target: IntColumn) -> npt.NDArray[np.float64]:
    """float64[e]: opacity of each relation, the stronger the farther apart its ends are in the hierarchy (DND-7)."""
    distance = hierarchy_distance(tree, source, target)
    least, most = int(distance.min(initial=2)), int(distance.max(initial=2))
    share = (distance - least) / max(most - least, 1)
    return FAINT + (STRONG - FAINT) * share
