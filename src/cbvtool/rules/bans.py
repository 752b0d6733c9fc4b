"""Rules as bans: nodes are divided into classes, and some classes must not use others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.errors import InputError
from cbvtool.graph import EXTERNAL, Graph
from cbvtool.metrics.structure.users import of_kinds
from cbvtool.rules.node_patterns import NodeNames
from cbvtool.rules.rule_kinds import (
    AcyclicRule,
    AllowedRule,
    ForbiddenRule,
    IndependenceRule,
    InterfaceRule,
    LayersRule,
    ProtectedRule,
    Rule,
    words_of,
)

Classes = npt.NDArray[np.int32]
Mask = npt.NDArray[np.bool_]
MOST_CLASSES = 2_000


@dataclass(frozen=True, eq=False)
class Ban:
    """Which relations are forbidden, by the classes of their ends.

    user, used  int32[n]: class of each node as dependant, and as dependency; -1 = not restricted
    forbidden   bool[a, b]: class a must not use class b
    words       (a, b) -> text of the prohibition
    through     whether chains may pass through nodes of other classes, too; otherwise only through those without one
    """

    user: Classes
    used: Classes
    forbidden: Mask
    words: Callable[[int, int], str]
    through: bool = False


def ban_of(rule: Rule, graph: Graph, names: NodeNames) -> Ban:
    """The ban that a rule of any kind but `acyclic` states. Raises InputError for too many modules, or OverBudget."""
    match rule:
        case LayersRule():
            return _layers(rule, graph, names)
        case ForbiddenRule():
            used = names.mask(*rule.used)
            return _one(names.mask(*rule.users) & ~used, used, words_of(rule))
        case AllowedRule():
            inside = names.mask(*rule.users)
            free = inside | names.mask(*rule.used)
            if not rule.external:
                free |= _outside(graph)
            return _one(inside, ~free, words_of(rule))
        case ProtectedRule():
            inside = names.mask(*rule.modules)
            return _one(~(inside | names.mask(*rule.users)), inside, words_of(rule))
        case InterfaceRule():
            return _interface(rule, graph, names)
        case IndependenceRule():
            modules, keys = _modules(rule.modules, graph, names)
            return Ban(
                modules,
                modules,
                ~np.eye(len(keys), dtype=np.bool_),
                lambda a, b: f"{graph.ids[keys[a]]} must not use {graph.ids[keys[b]]}: they are to be independent",
            )
        case AcyclicRule():
            raise ValueError("cycles are no ban")


def _one(users: Mask, used: Mask, words: str) -> Ban:
    """One class must not use another."""
    a, b = (np.where(mask, 0, -1).astype(np.int32) for mask in (users, used))
    return Ban(a, b, np.ones((1, 1), np.bool_), lambda a, b: words, through=True)


def _layers(rule: LayersRule, graph: Graph, names: NodeNames) -> Ban:
    flat = [(place, name) for place, side in enumerate(rule.layers) for name in side]
    tops = [(key, number) for number, (_, name) in enumerate(flat) for key in names.keys(name).tolist()]
    layer = _innermost(graph, tops)
    place = np.array([at for at, _ in flat], np.int64)
    higher = place[:, None] > place[None, :]
    beside = (place[:, None] == place[None, :]) & ~np.eye(len(flat), dtype=np.bool_)

    def words(a: int, b: int) -> str:
        why = "which is a higher layer" if place[a] != place[b] else "which is a layer beside it"
        return f"{flat[a][1]} must not use {flat[b][1]}, {why}"

    return Ban(layer, layer, higher | beside, words)


def _interface(rule: InterfaceRule, graph: Graph, names: NodeNames) -> Ban:
    modules, keys = _modules(rule.modules, graph, names)
    hidden = np.where(names.mask(*rule.public), -1, modules).astype(np.int32)
    # Dependants: a class for each module, and a last one for nodes outside of modules.
    user = np.where(modules < 0, len(keys), modules).astype(np.int32)
    forbidden = np.ones((len(keys) + 1, len(keys)), np.bool_)
    np.fill_diagonal(forbidden, False)
    words = words_of(rule)
    return Ban(user, hidden, forbidden, lambda a, b: words)


def _modules(patterns: tuple[str, ...], graph: Graph, names: NodeNames) -> tuple[Classes, list[int]]:
    """(module of each node, the innermost if nested, -1 = none; key of each module)."""
    keys = list(dict.fromkeys(key for name in patterns for key in names.keys(name).tolist()))
    if len(keys) > MOST_CLASSES:
        raise InputError(f"{', '.join(patterns)[:100]} are {len(keys):,} modules; at most {MOST_CLASSES:,} are judged.")
    return _innermost(graph, [(key, number) for number, key in enumerate(keys)]), keys


def _innermost(graph: Graph, tops: list[tuple[int, int]]) -> Classes:
    """int32[n]: the number paired with the nearest node of `tops` at or above each node, -1 = none."""
    found = np.full(len(graph), -1, np.int32)
    for key, number in sorted(tops, key=lambda top: int(graph.tree.depth[top[0]])):
        found[graph.subtree(key)] = number
    return found


def _outside(graph: Graph) -> Mask:
    """bool[n]: nodes that do not belong to the project."""
    return graph.tree.below(np.flatnonzero(of_kinds(graph, (EXTERNAL,))))
