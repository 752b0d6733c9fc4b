"""What the linked views are about: the modules, or the call paths of the selected one; and which runs stand out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.api import (
    ModuleHierarchy,
    Theme,
    ValuesByRank,
    ViewContext,
    function_title,
    module_hierarchy,
    values_by_rank,
)

from .figures import Floats
from .palette import Colors, second_color, target_color
from .preparing import FlowModel, second_of, selected_module, target_of
from .state import CallFlowState

Longs = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class SeenGroups:
    """m modules, or call paths of one, with the values of r runs.

    title   whose they are
    name    str[m]
    module  int64[m]    row of the module
    site    int64[m]    row of a call path; -1 = they are modules
    group   int64[n]    of the nodes of the ensemble; -1 = none
    inclusive, exclusive  float64[r, m]
    """

    title: str
    name: tuple[str, ...]
    module: Longs
    site: Longs
    group: Longs
    inclusive: Floats
    exclusive: Floats

    def __len__(self) -> int:
        return len(self.name)

    def values(self, exclusive: bool) -> Floats:
        """float64[r, m]"""
        return self.exclusive if exclusive else self.inclusive


def hierarchy_in(context: ViewContext, state: CallFlowState, model: FlowModel) -> ModuleHierarchy:
    """The calls within the selected module; without one all."""
    return context.memo(_hierarchy, model, selected_module(state, model))


def seen_in(context: ViewContext, state: CallFlowState, model: FlowModel) -> SeenGroups:
    """The call paths of the selected module; without one the modules."""
    return context.memo(_seen, model, selected_module(state, model))


def ranks_in(context: ViewContext, model: FlowModel, seen: SeenGroups) -> ValuesByRank:
    """What ranks spent in each."""
    return context.memo(values_by_rank, model.ensemble, seen.group, len(seen))


def _hierarchy(model: FlowModel, module: int) -> ModuleHierarchy:
    of_node = model.graph.of_node
    return module_hierarchy(model.ensemble, of_node == module if module >= 0 else np.ones(len(of_node), np.bool_))


def _seen(model: FlowModel, module: int) -> SeenGroups:
    graph = model.graph
    if module < 0:
        rows = np.arange(len(graph))
        none = np.full(len(graph), -1)
        group = graph.of_node.astype(np.int64)
        return SeenGroups("Modules", graph.name, rows, none, group, graph.inclusive, graph.exclusive)
    tree = _hierarchy(model, module)
    functions = model.ensemble.functions
    names = tuple(function_title(functions, each) for each in tree.function.tolist())
    of = np.full(len(tree), module)
    return SeenGroups(graph.name[module], names, of, tree.site, tree.of_node, tree.inclusive, tree.exclusive)


def chosen_in(state: CallFlowState, model: FlowModel) -> Flags:
    """bool[r]: the runs that are selected; none, where none is."""
    found = np.zeros(len(model.ensemble), np.bool_)
    found[[run for run in state.runs if run < len(found)]] = True
    return found


def run_marks(context: ViewContext, state: CallFlowState, model: FlowModel) -> tuple[Colors, Longs]:
    """(uint8[r, 4], int64[r]): the colour of each run, and what lies above what: selected ones, B, the target."""
    theme, chosen = context.theme, chosen_in(state, model)
    color = np.tile(np.array(theme.other, np.uint8), (len(chosen), 1))
    above = np.zeros(len(chosen), np.int64)
    if chosen.any():
        color[~chosen, 3] = 110
        color[chosen] = theme.accent
        above[chosen] = 1
    if context.values["mode"] == "difference":
        color[second_of(context, model)] = second_color(theme)
        above[second_of(context, model)] = 2
    color[target_of(context, model)] = target_color(theme)
    above[target_of(context, model)] = 3
    return color, above


def key_of_marks(
    context: ViewContext, state: CallFlowState, model: FlowModel
) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """(word, colour) of the runs that stand out."""
    theme: Theme = context.theme
    found = [("target", target_color(theme))]
    if context.values["mode"] == "difference":
        found = [("A", target_color(theme)), ("B", second_color(theme))]
    if (chosen := int(chosen_in(state, model).sum())) > 0:
        found.append((f"{chosen:,} selected", theme.accent))
    return tuple(found)
