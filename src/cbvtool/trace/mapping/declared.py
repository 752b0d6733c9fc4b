"""The hierarchy that a recording declares itself, as files in the Rigi Standard Format do (EX-5)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from cbvtool.graph import Graph, GraphBuilder
from cbvtool.trace.model.trace import Functions, Trace

Declared = Mapping[str, tuple[str, str]]  # node -> (parent or "", kind or "")
_DEEPEST = 4_000  # levels; what is deeper lies at the last one
_INSIDE = ("container", "class")  # kinds of nodes for which none is told: with others inside, and without


def declared_hierarchy(trace: Trace) -> Declared:
    """The table `hierarchy` of a trace, empty where it has none."""
    table = trace.tables.get("hierarchy")
    if table is None:
        return {}
    texts = [[trace.strings[int(number)] for number in table[name]] for name in ("node", "parent", "kind")]
    return {node: (parent, kind) for node, parent, kind in zip(*texts, strict=True) if node}


def declared_graph(name: str, declared: Declared, functions: Functions) -> tuple[Graph, npt.NDArray[np.int32]]:
    """(the hierarchy as a graph, int32[f] the node of each function, which has its name).

    Functions that are not declared lie below the root. A hierarchy that bites its tail is cut.
    """
    made = GraphBuilder(name)
    inside = {parent for parent, _ in declared.values() if parent}
    for node in declared:
        path, seen, at = [node], {node}, node
        while (at := declared.get(at, ("", ""))[0]) and at not in seen and at not in made and len(path) < _DEEPEST:
            path.append(at)
            seen.add(at)
        for each in reversed(path):
            if each not in made:
                parent, kind = declared.get(each, ("", ""))
                above = parent if parent in made and parent != each else ""
                made.add_node(each, above, _short(each, above), kind.lower() or _INSIDE[each not in inside])
    node_of = np.empty(len(functions), np.int32)
    for row, function in enumerate(functions.name):
        if function and function not in made:
            made.add_node(function, "", function, _INSIDE[1])
        node_of[row] = made.key(function)
    return made.freeze(), node_of


def _short(name: str, above: str) -> str:
    """A name without that of its container before it: `Figure` for `draw.Figure` in `draw`."""
    for mark in (".", "::", "/", ":"):
        if above and name.startswith(above + mark) and len(name) > len(above) + len(mark):
            return name[len(above) + len(mark) :]
    return name
