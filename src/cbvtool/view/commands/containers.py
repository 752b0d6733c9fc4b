"""The nodes of a graph as choices: where to move or merge something, or what to lead a dependency over."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from qtpy.QtGui import QIcon

from cbvtool.graph import Graph
from cbvtool.plan import CONTAINERS, Merge, Operation, can_merge, clash_of
from cbvtool.plan.containment import are_alike
from cbvtool.session.dragging.takers import hidden_beside
from cbvtool.view.toolkit.chooser import ChooserRow


def choices_of(graph: Graph, keys: Iterable[int], picture: Callable[[str], QIcon]) -> list[ChooserRow]:
    """Nodes to choose from, in this order.

    picture  of a kind of node
    """
    return [_choice(graph, key, picture, "") for key in keys]


def merge_targets(
    graph: Graph, keys: Sequence[int], picture: Callable[[str], QIcon], refusal: Callable[[Operation], str]
) -> list[ChooserRow]:
    """What `keys` could be merged into, what lies nearest first: nodes of their sort, and why some are refused.

    There may be thousands of files and classes: a clash of names in one of them is told once it is chosen.

    picture  of a kind of node
    refusal  of an operation: why it cannot be done; empty = it can
    """
    kinds, choices = {graph.kind(key) for key in keys}, []
    for key in sorted(graph.tree.order.tolist(), key=_farness(graph, keys)):
        if key in keys or not all(can_merge(kind, graph.kind(key)) for kind in kinds):
            continue
        if graph.kind(key) == "file" and not all(are_alike(graph, key, one) for one in keys):
            continue
        inside = next((one for one in keys if graph.is_below(key, one)), -1)
        why_not = refusal if graph.kind(key) in CONTAINERS else _clash(graph)
        merges = (Merge(graph.ids[one], graph.ids[key]) for one in keys if inside < 0)
        clash = next((reason for merge in merges if (reason := why_not(merge))), "")
        refused = f"It lies inside {graph.names[inside]}." if inside >= 0 else clash
        choices.append(_choice(graph, key, picture, refused))
    return choices


def _farness(graph: Graph, keys: Sequence[int]) -> Callable[[int], int]:
    """How far a node is from the first of `keys`: steps up to what holds both; siblings first. For a stable sort."""
    steps = {above: number for number, above in enumerate(graph.ancestors(keys[0]))} if keys else {}

    def farness(key: int) -> int:
        return next((steps[above] for above in graph.ancestors(key) if above in steps), len(steps))

    return farness


def _clash(graph: Graph) -> Callable[[Operation], str]:
    return lambda operation: clash_of(operation, graph) or ""


def split_targets(
    graph: Graph,
    keys: Iterable[int],
    ends: Sequence[int],
    picture: Callable[[str], QIcon],
    refusal: Callable[[int], str],
) -> list[ChooserRow]:
    """What a dependency between `ends` could be led over, of `keys`: a third node, or a folder, for a new file in it.

    What lies nearest to the last of `ends` comes first, from the container that it lies in; what is hidden comes last.

    refusal  of a container: why the new file cannot lie in it; empty = it can
    """
    steps = {above: number for number, above in enumerate(graph.ancestors(ends[-1]))}

    is_hidden = hidden_beside(ends, graph)

    def distance(key: int) -> tuple[bool, int, int, bool]:
        down, meet = next((at, above) for at, above in enumerate((key, *graph.ancestors(key))) if above in steps)
        return is_hidden(key), steps[meet], down, graph.kind(key) not in CONTAINERS

    return [
        _choice(graph, key, picture, refusal(key) if graph.kind(key) in CONTAINERS else "")
        for key in sorted(keys, key=distance)
    ]


def _choice(graph: Graph, key: int, picture: Callable[[str], QIcon], refused: str) -> ChooserRow:
    text = graph.path(key) if key != graph.root else f"{graph.name} (top level)"
    return ChooserRow(text, "", key, picture(graph.kind(key)), refused, name=graph.names[key])
