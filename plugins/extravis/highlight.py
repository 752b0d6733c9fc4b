"""What stands out: calls of a pair, of a box, of selected nodes, infrequent ones (EX-4, TR-3)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cbvtool.api import ViewContext

from .scene import Scene, whole_figures
from .state import ExtraVisState

Mask = npt.NDArray[np.bool_]
Told = tuple[str, tuple[int, ...]]  # what it is, and its numbers: ("pair", (3,))
EMPHASES = (
    ("none", "Nothing"),
    ("rare", "Infrequent calls"),
    ("rules", "Calls against the rules"),
    ("differs", "Pairs of one trace alone"),
)


def highlight_in(context: ViewContext, state: ExtraVisState, scene: Scene) -> Told | None:
    """What the pointer is on, else what is selected, else what is emphasised; None = nothing."""
    if state.kind == "pair" and 0 <= state.at < len(scene.pairs):
        return "pair", (state.at,)
    if state.kind == "box" and 0 <= state.at < len(scene.icicle.key):
        return "box", (state.at,)
    if 0 <= state.pair < len(scene.pairs):
        return "pair", (state.pair,)
    if context.selected:
        boxes = context.memo(_boxes_of, scene, tuple(context.selected))
        if boxes:
            return "box", boxes
    emphasis = str(context.values["emphasis"])
    if emphasis == "rare":
        return "rare", (int(context.values["rare"]),)
    if emphasis == "rules":
        return "rules", ()
    if emphasis == "differs" and len(scene.lanes) == 2:
        return "differs", ()
    return None


def highlighted(context: ViewContext, scene: Scene, told: Told) -> Mask:
    """bool[i]: the identities that stand out; the same array for the same highlight."""
    kind, numbers = told
    if kind in {"rare", "differs"}:
        counts = [whole_figures(context, scene, number).count for number in range(len(scene.lanes))]
        return context.memo(_by_count, kind, numbers, *counts)
    if kind == "rules":
        return context.memo(_against_rules, scene, context.against_rules)
    return context.memo(_mask, scene, kind, numbers)


def _mask(scene: Scene, kind: str, numbers: tuple[int, ...]) -> Mask:
    pairs, shown = scene.pairs, scene.icicle
    found = np.zeros(len(pairs), np.bool_)
    for number in numbers:
        if kind == "pair":
            found[number] = True
        else:
            low, high = shown.first[number], shown.last[number]
            for end in (pairs.caller, pairs.callee):
                found |= (end >= low) & (end < high)
    return found


def _by_count(kind: str, numbers: tuple[int, ...], *counts: npt.NDArray[np.int64]) -> Mask:
    if kind == "rare":
        total = np.asarray(sum(counts))
        found: Mask = (total > 0) & (total <= numbers[0])
        return found
    differs: Mask = (counts[0] == 0) != (counts[-1] == 0)
    return differs


def _against_rules(scene: Scene, broken: tuple[tuple[int, int], ...]) -> Mask:
    """The identities in which a function calls another one against a rule (TR-3)."""
    found = np.zeros(len(scene.pairs), np.bool_)
    codes = np.array([caller << 32 | callee for caller, callee in broken], np.int64)
    for prepared, known in zip(scene.columns.prepared, scene.columns.identities, strict=True):
        sequence, node = prepared.sequence, prepared.node.astype(np.int64)
        bad = np.isin(node[sequence.caller] << 32 | node[sequence.callee], codes)
        one = known.of_call[bad[sequence.pair]]
        found[one[one >= 0]] = True
    return found


def _boxes_of(scene: Scene, keys: tuple[int, ...]) -> tuple[int, ...]:
    """The outermost boxes of selected nodes, or the columns that stand for what is inside of them."""
    shown, found = scene.icicle, set[int]()
    for key in keys:
        boxes = np.flatnonzero((shown.key == key) & ~shown.own)
        if len(boxes):
            found.add(int(boxes[0]))
        elif 0 <= key < len(shown.of_node) and shown.of_node[key] >= 0:
            found.add(int(shown.column[shown.of_node[key]]))
    return tuple(sorted(found))
