"""Random graphs for property tests: any tree, any relations, any names, some nodes removed."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from cbvtool.graph import NO_PARENT, REMOVED, Edges, Graph, LanguageShare, Report, Skipped

# Quotes, line breaks, non-ASCII, NUL and names that are not UTF-8 (PEP 383) occur in real trees.
_SPECIAL = ["'", '"', "\\", "/", "\n", "\0", "ä", "语", "😀", "\udc80", "\udcff", "::", "#2", "", " ", "\u2028"]
names = st.one_of(st.text(max_size=6), st.lists(st.sampled_from(_SPECIAL), max_size=4).map("".join))
_FLOAT32 = st.floats(width=32, allow_nan=False, allow_infinity=False)
_VALUE = st.one_of(st.just(float("nan")), st.floats(allow_infinity=False), st.integers(0, 9).map(float))
_LINE = st.integers(0, 2**31 - 1)


@st.composite
def parents(draw: st.DrawFn, most: int = 12) -> np.ndarray:
    """int32[n]: a tree with root 0 whose keys are in no particular order."""
    count = draw(st.integers(1, most))
    above = [NO_PARENT] + [draw(st.integers(0, key - 1)) for key in range(1, count)]
    shuffled = [0, *draw(st.permutations(range(1, count)))]
    column = np.full(count, NO_PARENT, np.int32)
    for key, parent in enumerate(above):
        if parent != NO_PARENT:
            column[shuffled[key]] = shuffled[parent]
    return column


def removed(parent: np.ndarray, tops: set[int]) -> np.ndarray:
    """`parent` with the subtrees of `tops` removed, told by naive recursion."""

    def gone(key: int) -> bool:
        return key in tops or (parent[key] >= 0 and gone(int(parent[key])))

    return np.array([REMOVED if gone(key) else parent[key] for key in range(len(parent))], np.int32)


@st.composite
def edges(draw: st.DrawFn, nodes: int, files: int, most: int = 15) -> Edges:
    """Relations between any of `nodes` keys, with sites in any of `files` files."""
    node, kinds = st.integers(0, nodes - 1), ("import", "call", "co-change", "calls back")
    rows = draw(st.lists(st.tuples(node, node, st.integers(0, 3)), unique=True, max_size=most))
    site = st.tuples(st.integers(0, max(files - 1, 0)), st.integers(1, 2**31 - 1))
    sites = [draw(st.lists(site, max_size=3 if files else 0)) for _ in rows]
    flat = [place for places in sites for place in places]
    column = np.array(rows, np.int32).reshape(-1, 3)
    return Edges(
        source=column[:, 0],
        target=column[:, 1],
        kind=column[:, 2].astype(np.int16),
        weight=np.array([draw(_FLOAT32) for _ in rows], np.float32),
        confidence=np.array([draw(st.integers(0, 2)) for _ in rows], np.uint8),
        when=np.array([draw(st.integers(0, 2)) for _ in rows], np.uint8),
        site_ptr=np.cumsum([0, *map(len, sites)]),
        site_file=np.array([file for file, _ in flat], np.int32),
        site_line=np.array([n for _, n in flat], np.int32),
        kind_names=kinds,
    )


@st.composite
def graphs(draw: st.DrawFn, with_removed: bool = True) -> Graph:
    """Any graph that keeps the promises of `Graph`."""
    parent = draw(parents())
    count = len(parent)
    ids = ("", *draw(st.lists(names.filter(bool), unique=True, min_size=count - 1, max_size=count - 1)))
    files = tuple(draw(st.lists(names, unique=True, max_size=4)))
    kind_names = ("project", "folder", "file", "organisational unit")
    if with_removed and count > 1:
        parent = removed(parent, draw(st.sets(st.integers(1, count - 1), max_size=2)))
    metrics = draw(st.lists(names, unique=True, max_size=3))
    return Graph(
        name=draw(names),
        ids=ids,
        names=tuple(draw(names) for _ in range(count)),
        kinds=np.array([draw(st.integers(0, len(kind_names) - 1)) for _ in range(count)], np.int16),
        kind_names=kind_names,
        parent=parent,
        file=np.array([draw(st.integers(-1, len(files) - 1)) for _ in range(count)], np.int32),
        line=np.array([draw(_LINE) for _ in range(count)], np.int32),
        end_line=np.array([draw(_LINE) for _ in range(count)], np.int32),
        files=files,
        values={metric: np.array([draw(_VALUE) for _ in range(count)]) for metric in metrics},
        edges=draw(edges(count, len(files))),
        report=Report(
            draw(st.integers(0, 10)),
            tuple(Skipped(path, reason) for path, reason in draw(st.lists(st.tuples(names, names), max_size=2))),
            tuple(draw(st.lists(names, max_size=2))),
            tuple(draw(st.lists(names, max_size=2))),
            tuple(draw(st.lists(st.builds(LanguageShare, names, *[_LINE] * 5), max_size=2))),
            tuple(draw(st.lists(names, max_size=2))),
            tuple(draw(st.lists(_LINE, max_size=2))),
        ),
    )
