"""Texts about every item of a scene, for exported files, where the program shows no tooltips."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.geometry.overlay.furniture import plan_lines, sort_of, standing_for_lines
from cbvtool.geometry.scene.scene import Scene, item_values
from cbvtool.words import one_line

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ItemFacts:
    """Columns by item, v rows each.

    name         as written on the ring
    path         the names from the child of the root down to the item
    sort         kind of item, and its place in the source
    values       label of a metric -> its absolute value with the unit
    uses, used   number of relations that leave it and that enter it
    plan         sentences on what the plan does to it
    merged       lines on what a collapsed container stands for
    """

    name: list[str]
    path: list[str]
    sort: list[str]
    values: dict[str, list[str]]
    uses: Counts
    used: Counts
    plan: list[list[str]]
    merged: list[list[str]]

    def lines(self, item: int) -> list[str]:
        """The tooltip of an item as lines."""
        return [
            self.path[item],
            self.sort[item],
            *self.plan[item],
            *(f"{label}: {texts[item]}" for label, texts in self.values.items()),
            *self.merged[item],
            f"Uses {_relations(int(self.uses[item]))}, used by {_relations(int(self.used[item]))}",
        ]


def item_facts(scene: Scene) -> ItemFacts:
    """The facts of all items of `scene`, without metrics that are not measured yet."""
    graph, tree = scene.graph, scene.tree
    keys, slots = tree.key.tolist(), tree.slot.tolist()
    values = {}
    for variable in scene.variables.values():
        if not scene.values.takes_long(variable.metric.name):
            column = item_values(tree, variable.column, variable.metric).tolist()
            values[variable.metric.label] = [variable.metric.show(value) for value in column]
    uses, used = crossing(scene)
    return ItemFacts(
        ["(module)" if slot else one_line(graph.names[key]) for key, slot in zip(keys, slots, strict=True)],
        [one_line(graph.path(key)) + (" (module)" if slot else "") for key, slot in zip(keys, slots, strict=True)],
        [sort_of(scene, item) for item in range(len(keys))],
        values,
        uses,
        used,
        [plan_lines(scene, key) for key in keys],
        [standing_for_lines(scene, item) for item in range(len(keys))],
    )


def crossing(scene: Scene) -> tuple[Counts, Counts]:
    """int64[v] twice: relations that leave each item's subtree, and relations that enter it."""
    tree, lifted = scene.tree, scene.lifted
    result = []
    for inside, other in ((lifted.source, lifted.target), (lifted.target, lifted.source)):
        count = np.zeros(len(tree), np.int64)
        for above in tree.chain[inside].T:
            rows = np.flatnonzero((above >= 0) & ((other < above) | (other >= tree.end[above])))
            np.add.at(count, above[rows], lifted.count[rows])
        result.append(count)
    return result[0], result[1]


def _relations(count: int) -> str:
    return f"{count:,} relation" + ("" if count == 1 else "s")
