"""Which functions stand out: the one that is selected, those of selected nodes, those that were searched for."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cbvtool.api import NO_FUNCTION, NO_NODE, Graph, NodeMap, Trace, ViewContext

from .state import TraceVisState

Mask = npt.NDArray[np.bool_]


def matching(trace: Trace, text: str) -> Mask:
    """bool[f]: the functions whose name or module holds the text, upper and lower case alike; none for no text."""
    sought = text.casefold()
    pairs = zip(trace.functions.name, trace.functions.module, strict=True)
    return np.array([bool(sought) and sought in f"{module}.{name}".casefold() for name, module in pairs], np.bool_)


def selected_functions(context: ViewContext) -> Mask:
    """bool[f]: the selected function, and those in the selected nodes, unless the root is among them."""
    trace, known = context.trace(), context.maps[0]
    if known is None or not context.selected:
        marked = np.zeros(len(trace.functions), np.bool_)
    else:
        marked = context.memo(_inside, context.graph, known, context.selected)
    if context.focus.function != NO_FUNCTION:
        marked = marked.copy()
        marked[context.focus.function] = True
    return marked


def _inside(graph: Graph, known: NodeMap, selected: tuple[int, ...]) -> Mask:
    tree = graph.tree
    if any(tree.depth[key] <= 0 for key in selected):  # all of it: nothing stands out
        return np.zeros(len(known), np.bool_)
    return np.where(known.node == NO_NODE, False, tree.below(selected)[known.node])


def found_functions(context: ViewContext, state: TraceVisState) -> Mask:
    """bool[f]: those that were searched for."""
    return context.memo(matching, context.trace(), state.search)
