"""NEW-12: couplings that ignore the folders or have no relation in the code, against a plain count."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cbvtool.graph import Graph, GraphBuilder
from cbvtool.history.coupled_files import CouplingOptions
from cbvtool.history.ranking import WAYS, ranking
from tests.history.histories import history

PATHS = ("core/in/a.py", "core/in/b.py", "core/c.py", "web/d.py", "top.py")
EVERY = CouplingOptions(least=1, lift=0.0)


def shop(uses: list[tuple[int, int]]) -> Graph:
    """Files in folders of several levels, each with a function; relations between the functions."""
    builder = GraphBuilder("shop")
    for folder in ("core", "core/in", "web"):
        above, _, name = folder.rpartition("/")
        builder.add_node(folder, above, name, "folder")
    for path in PATHS:
        above, _, name = path.rpartition("/")
        values = {} if path == "top.py" else {"sloc": 1.0, "generated": float(path == "web/d.py")}
        builder.add_node(path, above, name, "file", file=path, values=values)
        builder.add_node(f"{path}::f", path, "f", "function", file=path, line=1)
    for source, target in dict.fromkeys(uses):
        builder.add_edge(builder.key(f"{PATHS[source]}::f"), builder.key(PATHS[target]), "call")
    return builder.freeze()


@given(
    st.lists(st.lists(st.integers(0, 4), max_size=4), max_size=8),
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=6),
    st.integers(0, 3),
)
def test_ways_are_those_found_pair_by_pair(commits: list[list[int]], uses: list[tuple[int, int]], level: int) -> None:
    """Across folders, without a relation in the code, or both; between files or folders of a level."""
    graph = shop(uses)
    found = ranking(graph, history(commits, PATHS), EVERY, level=level)

    def thing(path: str) -> str:
        return path if level == 0 else "/".join(path.split("/")[:-1][:level])

    def way_up(node: str) -> list[str]:
        parts = node.split("/") if node else []
        return ["/".join(parts[:count]) for count in range(len(parts), -1, -1)]

    related = {frozenset((thing(PATHS[s]), thing(PATHS[t]))) for s, t in uses}
    together: dict[frozenset[str], list[int]] = {}
    for row, paths in enumerate(commits):
        things = {thing(PATHS[path]) for path in paths}
        for pair in {frozenset((a, b)) for a in things for b in things if a != b}:
            together.setdefault(pair, []).append(row)
    shown = {way: set(found.rows(way).tolist()) for way in WAYS}
    seen = set()
    for row in range(len(found)):
        a, b = (graph.ids[key] for key in (int(found.found.first[row]), int(found.found.second[row])))
        pair = frozenset((a, b))
        seen.add(pair)
        assert found.commits(row).tolist() == together[pair][::-1]
        common = len(set(way_up(a)) & set(way_up(b)))
        apart = len(way_up(a)) + len(way_up(b)) - 2 * common
        assert found.apart[row] == apart
        assert found.related[row] == (pair in related)
        source = all(any(thing(path) == node for path in PATHS[:3]) for node in (a, b))
        across, unrelated = apart > 2, source and pair not in related
        assert [row in shown[way] for way in WAYS] == [across and unrelated, across, unrelated, True]
    assert seen == together.keys()


@given(st.lists(st.lists(st.integers(0, 4), max_size=4), max_size=8))
def test_what_usually_changes_with_a_selection(commits: list[list[int]]) -> None:
    """What changes with a folder: what is in it counts as one, and each other file by itself."""
    graph = shop([])
    folder = graph.key_of["core"]
    found = ranking(graph, history(commits, PATHS), EVERY, selected=(folder,))
    sets = [set(paths) for paths in commits if paths]
    with_it = [paths for paths in sets if paths & {0, 1, 2}]
    for row in range(len(found)):
        first, second = int(found.found.first[row]), int(found.found.second[row])
        assert folder in (first, second)
        other = PATHS.index(graph.ids[second if first == folder else first])
        both = [paths for paths in with_it if other in paths]
        assert found.found.both[row] == len(both) >= 2
        share = found.found.confidence if first == folder else found.found.back
        assert share[row] == len(both) / len(with_it)
    expected = {
        other
        for other in (3, 4)
        if (count := sum(other in paths for paths in with_it)) >= 2
        and count * len(sets) > len(with_it) * sum(other in paths for paths in sets)
    }
    assert len(found) == len(expected)
