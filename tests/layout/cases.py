"""Subjects for the layout and everything after it: random graphs with weights and a view on them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from cbvtool.graph import REMOVED, Edges, Graph
from cbvtool.layout.radial import RadialLayout, radial_layout
from cbvtool.layout.visible import VisibleTree, visible_tree
from tests.graph.strategies import graphs


@dataclass(frozen=True, eq=False)
class Case:
    """A graph, what each of its nodes weighs itself, and what is shown of it."""

    graph: Graph
    weight: np.ndarray
    expanded: frozenset[int]
    root: int
    hidden: frozenset[int]

    def tree(self) -> VisibleTree:
        return visible_tree(self.graph, self.expanded, self.root, self.hidden, self.weight)

    def layout(self, tree: VisibleTree, **options: float) -> RadialLayout:
        return radial_layout(tree, self.weight, **options)


_WEIGHT = st.one_of(
    st.just(float("nan")), st.just(0.0), st.integers(1, 1000).map(float), st.floats(1e-3, 1e6), st.just(-1.0)
)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    graph = draw(graphs())
    keys = st.integers(0, len(graph) - 1)
    alive = np.flatnonzero(graph.parent != REMOVED).tolist()
    root = draw(st.one_of(st.just(graph.root), st.sampled_from(alive)))
    return Case(
        graph,
        np.array([draw(_WEIGHT) for _ in range(len(graph))]),
        draw(st.one_of(st.just(frozenset(range(len(graph)))), st.frozensets(keys))),
        root,
        draw(st.one_of(st.just(frozenset()), st.frozensets(keys, max_size=3))) - {root},
    )


def random_graph(leaves: int, relations: int, seed: int = 0, deepest: int = 6) -> Graph:
    """A tree of folders with `leaves` files of log-normal size, and relations between random files.

    The same numbers give the same graph. Folders branch at random; the first twelve lie below the root.
    """
    rng = np.random.default_rng(seed)
    folders = max(leaves // 8, 2)
    parent, depth = [-1], [0]
    for key in range(1, folders):
        above = 0
        while key > 12:
            above = int(rng.integers(0, key))
            if depth[above] < deepest - 1:
                break
        parent.append(above)
        depth.append(depth[above] + 1)
    count = folders + leaves
    sloc = np.full(count, np.nan)
    sloc[folders:] = np.ceil(rng.lognormal(4.0, 1.1, leaves))
    ends = rng.integers(folders, count, (relations, 2))
    ends = np.unique(ends[ends[:, 0] != ends[:, 1]], axis=0)
    rows = len(ends)
    names = ("", *(f"d{key}" for key in range(1, folders)), *(f"f{key}.py" for key in range(folders, count)))
    zeros = np.zeros(count)
    return Graph(
        name="random",
        ids=names,
        names=names,
        kinds=np.repeat([0, 1, 2], [1, folders - 1, leaves]),
        kind_names=("project", "folder", "file"),
        parent=np.concatenate((parent, rng.integers(1, folders, leaves))),
        file=zeros - 1,
        line=zeros,
        end_line=zeros,
        values={"sloc": sloc, "complexity": np.where(np.isnan(sloc), np.nan, rng.integers(1, 60, count))},
        edges=Edges(
            ends[:, 0],
            ends[:, 1],
            np.zeros(rows),
            1.0 + rng.integers(0, 5, rows),
            np.zeros(rows),
            np.zeros(rows),
            np.zeros(rows + 1),
            np.zeros(0),
            np.zeros(0),
            ("import",),
        ),
    )
