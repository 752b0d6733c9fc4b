"""Boxes split into parts, and put together again (CF-4)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cbvtool.api import Menu, ModuleSplit, NodeModules, Request, Say, split_module

from .preparing import FlowModel
from .state import MOST_SPLITS, CallFlowState

Answer = tuple[CallFlowState, tuple[Request, ...]]
KEYS = {"e": "entry", "c": "site", "d": "callee"}
WORDS = {"entry": "entry function", "site": "call site", "callee": "callee"}
UNDO, UNDO_ALL = "u", "U"


def menu_of(state: CallFlowState, name: str) -> Menu:
    """What can be done with a box; the entries are the keys that do it."""
    entries = [(key, f"Split {name} by {WORDS[by]}  ({key.upper()})") for key, by in KEYS.items()]
    if state.splits:
        entries.append((UNDO, f"Undo the split of {state.splits[-1].module}  (U)"))
        entries.append((UNDO_ALL, "Undo all splits  (Shift+U)"))
    return Menu(tuple(entries))


def split_box(state: CallFlowState, model: FlowModel, by: str) -> Answer:
    """The selected box in parts; or why not."""
    if state.module not in model.graph.name:
        return state, (Say("Select a box to split it."),)
    if len(state.splits) == MOST_SPLITS:
        return state, (Say(f"There are {MOST_SPLITS} splits, which is the most."),)
    split = ModuleSplit(state.module, by)
    before = NodeModules(model.graph.name, model.graph.of_node.astype(np.int64))
    after = split_module(model.ensemble, before, split)
    if after is before:
        one = {"entry": "one entry function", "site": "one call site", "callee": "no callee within it"}[by]
        return state, (Say(f"{state.module} has {one}: it is not split."),)
    parts = len(np.unique(after.of_node)) - len(np.unique(before.of_node)) + 1
    return replace(state, splits=(*state.splits, split), site=-1, inside=None), (
        Say(f"{state.module} is split into {parts:,} by {WORDS[by]}; U undoes it."),
    )


def put_together(state: CallFlowState, *, everything: bool) -> Answer:
    """Without the last split, or any; what was split is selected again."""
    if not state.splits:
        return state, (Say("Nothing is split."),)
    kept = () if everything else state.splits[:-1]
    module = state.splits[len(kept)].module
    said = "All boxes are put together again." if everything else f"{module} is put together again."
    return replace(state, splits=kept, module=module, site=-1, inside=None), (Say(said),)
