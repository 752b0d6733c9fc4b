"""Name clashes: siblings that could not stand side by side on disk or in one scope."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.graph import Graph


@dataclass(frozen=True)
class Clash:
    """Several children of `parent` (a key) are called `name`; `nodes` are their keys."""

    parent: int
    name: str
    nodes: tuple[int, ...]

    def sentence(self, graph: Graph) -> str:
        """The clash in words."""
        return f"{graph.names[self.parent]} holds {len(self.nodes)} items called {self.name}."


def clashes(graph: Graph, base: Graph | None = None) -> list[Clash]:
    """Every clash in `graph`, in the order of parents.

    Judged on the target of a plan, never on the way to it: two files may swap their places. With `base`, clashes
    that the code has today (a function defined twice, say) are left out.
    """
    inner = np.flatnonzero(graph.parent >= 0) if base is None else _beside_newcomers(graph, base)
    together: dict[tuple[int, str], list[int]] = {}
    for key, parent in zip(inner.tolist(), graph.parent[inner].tolist(), strict=True):
        together.setdefault((parent, graph.names[key]), []).append(key)
    found = [Clash(parent, name, tuple(keys)) for (parent, name), keys in together.items() if len(keys) > 1]
    if base is not None:
        found = [clash for clash in found if not _stood_so(clash, base)]
    return sorted(found, key=lambda clash: (clash.parent, clash.name))


def _beside_newcomers(graph: Graph, base: Graph) -> npt.NDArray[np.intp]:
    """Keys of all children of every node that got a child, or a child with another name."""
    new = np.ones(len(graph), np.bool_)
    new[: len(base)] = graph.parent[: len(base)] != base.parent
    if graph.names is not base.names:
        new[[key for key, name in enumerate(base.names) if name != graph.names[key]]] = True
    gained = np.zeros(len(graph), np.bool_)
    gained[graph.parent[new & (graph.parent >= 0)]] = True
    return np.flatnonzero((graph.parent >= 0) & gained[graph.parent])


def _stood_so(clash: Clash, base: Graph) -> bool:
    return all(
        key < len(base) and base.parent[key] == clash.parent and base.names[key] == clash.name for key in clash.nodes
    )
