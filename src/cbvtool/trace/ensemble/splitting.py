"""A module of the call graph split into parts, which tells more about it alone (CF-4; 004, 6.2).

Within a module a call belongs to the call by which the module was entered, above it. So does recursion, also where it
leads through other modules.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.trace.ensemble.ensemble import Ensemble
from cbvtool.trace.model.titles import function_title

Longs = npt.NDArray[np.int64]
ENTRY, SITE, CALLEE = SPLITS = ("entry", "site", "callee")


@dataclass(frozen=True)
class ModuleSplit:
    """What is split, and how.

    module  its name
    by      entry: a part for each function by which the module is entered
            site: one for each pair of such a function and its caller
            callee: one for each function that those call within the module; they stay under the name of the module
    """

    module: str
    by: str = ENTRY


@dataclass(frozen=True, eq=False)
class NodeModules:
    """Modules of the n nodes of an ensemble. name: str[g]; of_node: int64[n]."""

    name: tuple[str, ...]
    of_node: Longs


def split_all(ensemble: Ensemble, modules: NodeModules, splits: Sequence[ModuleSplit]) -> NodeModules:
    """All splits, one after the other; one of a module that there is not changes nothing."""
    for each in splits:
        modules = split_module(ensemble, modules, each)
    return modules


def split_module(ensemble: Ensemble, modules: NodeModules, split: ModuleSplit) -> NodeModules:
    """The modules with one of them split; the same object where that gives no second part."""
    if split.module not in modules.name:
        return modules
    number = modules.name.index(split.module)
    rows = np.flatnonzero(modules.of_node == number)
    parent = ensemble.parent.astype(np.int64)
    entry = entries(modules.of_node, parent)
    first = top_of(entry, parent)[rows]
    function = ensemble.function.astype(np.int64)
    if split.by == CALLEE:
        below = entry | entry[np.maximum(parent, 0)]
        second = top_of(below, parent)[rows]
        keys = np.stack((np.where(second == first, -1, function[second]), np.full(len(rows), -1)))
    else:
        above = parent[first]
        caller = np.where(above >= 0, function[np.maximum(above, 0)], -1)
        keys = np.stack((function[first], caller if split.by == SITE else np.full(len(rows), -1)))
    parts, begin, part = np.unique(keys, axis=1, return_index=True, return_inverse=True)
    if parts.shape[1] < 2:
        return modules
    place = np.empty(len(begin), np.int64)  # parts in the order of their first nodes
    place[np.argsort(begin, kind="stable")] = np.arange(len(begin))
    names = list(modules.name)
    own = [""] * len(begin)
    taken = set(names)
    for at, (called, caller) in zip(place.tolist(), parts.T.tolist(), strict=True):
        own[at] = _name(ensemble, split.module, called, caller)
    for at, name in enumerate(own):
        if name != split.module:
            own[at] = _free(name, taken)
            taken.add(own[at])
    of_node = modules.of_node.copy()
    of_node[rows] = len(names) + place[part.reshape(-1)]
    names[number] = ""  # without nodes: the part that keeps the name is another one
    return NodeModules((*names, *own), of_node)


def entries(of_node: Longs, parent: Longs) -> npt.NDArray[np.bool_]:
    """bool[n]: the node's caller is of another module, or there is none."""
    found: npt.NDArray[np.bool_] = (parent < 0) | (of_node[np.maximum(parent, 0)] != of_node)
    return found


def top_of(stops: npt.NDArray[np.bool_], parent: Longs) -> Longs:
    """int64[n]: the nearest node at or above each where it `stops`. Roots stop."""
    found = np.where(stops | (parent < 0), np.arange(len(parent)), parent)
    while True:
        further = found[found]
        if (further == found).all():
            return found
        found = further


def _name(ensemble: Ensemble, module: str, called: int, caller: int) -> str:
    if called < 0:
        return module
    name = f"{module} › {function_title(ensemble.functions, called)}"
    return name if caller < 0 else f"{name} from {function_title(ensemble.functions, caller)}"


def _free(name: str, taken: set[str]) -> str:
    """A name that no module has."""
    number = 2
    free = name
    while free in taken:
        free, number = f"{name} ({number})", number + 1
    return free
