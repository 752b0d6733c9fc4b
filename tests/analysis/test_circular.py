"""The memoised search in a graph with cycles, against a search that remembers nothing."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cbvtool.analysis.circular import Circular, Memo, Searches

Graph = list[list[int]]
_FAR = 1_000


def reached(graph: Graph, start: int) -> frozenset[int]:
    """What can be reached from `start`, itself included: the naive reference."""
    seen, todo = {start}, [start]
    while todo:
        for node in graph[todo.pop()]:
            if node not in seen:
                seen.add(node)
                todo.append(node)
    return frozenset(seen)


class Union:
    """Finds the same by asking memos for the neighbours; `kinds`: the memo that each node is asked of."""

    def __init__(self, graph: Graph, kinds: list[int], patient: bool) -> None:
        self.graph, self.kinds = graph, kinds
        self.searches = Searches()
        self.memos = [
            Circular[int, frozenset[int]](self.searches, _FAR, patient=patient),
            Circular[int, frozenset[int]](self.searches, _FAR),
        ]
        self.plain = Memo[int, frozenset[int]](self.searches)
        self.searched = 0

    def ask(self, node: int) -> frozenset[int]:
        if self.kinds[node] == 2:
            return self.plain.find(node, self.search)
        return self.memos[self.kinds[node]].find_or(frozenset(), node, self.search)

    def search(self, node: int) -> frozenset[int]:
        self.searched += 1
        return frozenset({node}).union(*map(self.ask, self.graph[node]))


@st.composite
def graphs(draw: st.DrawFn) -> tuple[Graph, list[int]]:
    """Up to seven nodes, any edges; each is of one of three memos, and a plain memo's search cannot meet itself."""
    size = draw(st.integers(1, 7))
    kinds = draw(st.lists(st.integers(0, 2), min_size=size, max_size=size))
    some = st.lists(st.integers(0, size - 1), max_size=4)
    graph = [[to for to in draw(some) if kinds[node] != 2 or kinds[to] != 2] for node in range(size)]
    return graph, kinds


@example(([[1, 3], [2, 0], [1], [2]], [0] * 4), [0], True)  # what hangs on 1 hangs on 0 once 1 has ended
@given(graphs(), st.lists(st.integers(0, 6), min_size=1, max_size=10), st.booleans())
def test_united_answers_are_those_of_a_search_without_memory(
    drawn: tuple[Graph, list[int]], asked: list[int], patient: bool
) -> None:
    """In any order of questions; whatever is kept is complete, and nothing is left over."""
    graph, kinds = drawn
    union = Union(graph, kinds, patient)
    for node in asked:
        node %= len(graph)
        assert union.ask(node) == reached(graph, node)
        assert not union.searches.lowest
        assert not union.searches.passing
        assert not any(memo._passing or memo._open for memo in union.memos)
        for memo in (*union.memos, union.plain):
            assert all(found == reached(graph, key) for key, found in memo.known.items())
        known = [*union.memos, union.plain][kinds[node]].known
        assert node in known  # the outermost answer is kept
        before = union.searched
        union.ask(node)
        assert union.searched == before


@given(st.lists(st.lists(st.integers(0, 6), max_size=4), min_size=1, max_size=7), st.integers(0, 6))
def test_first_answers_of_a_graph_without_cycles(drawn: Graph, goal: int) -> None:
    """Of ordered alternatives the first that leads to something: as by plain recursion, each node searched once."""
    graph = [[to for to in row if to > node and to < len(drawn)] for node, row in enumerate(drawn)]

    def plain(node: int) -> tuple[int, ...] | None:
        if node % 7 == goal:
            return (node,)
        return next(((node, *found) for to in graph[node] if (found := plain(to)) is not None), None)

    memo = Circular[int, tuple[int, ...] | None](Searches(), _FAR)
    searched: list[int] = []

    def search(node: int) -> tuple[int, ...] | None:
        searched.append(node)
        if node % 7 == goal:
            return (node,)
        return next(((node, *found) for to in graph[node] if (found := memo.find_or(None, to, search))), None)

    for node in reversed(range(len(graph))):
        assert memo.find_or(None, node, search) == plain(node)
    assert len(searched) == len(set(searched))


@pytest.mark.parametrize(("size", "most"), [(6, 6 * 6), (40, 40 * 40)])
def test_a_dense_circle_takes_no_exponential_time(size: int, most: int) -> None:
    """Of forty nodes that all lead to each other there are 40! ways; a patient memo goes few of them."""
    everything = list(range(size))
    union = Union([everything] * size, [0] * size, patient=True)
    for node in everything:
        assert union.ask(node) == frozenset(everything)
    assert union.searched <= most


def _chain(deepest: int) -> tuple[Circular[int, int], Callable[[int], int]]:
    memo = Circular[int, int](Searches(), deepest)

    def search(node: int) -> int:
        return 0 if node == 100 else 1 + memo.find_or(-1000, node + 1, search)

    return memo, search


def test_too_deep_is_cut_and_only_the_outermost_answer_is_kept() -> None:
    """What was found below it is found again from elsewhere, completely."""
    memo, search = _chain(10)
    assert memo.find_or(-1000, 0, search) < 0
    assert set(memo.known) == {0}
    assert memo.find_or(-1000, 95, search) == 5
    assert set(memo.known) == {0, *range(95, 101)}
    memo, search = _chain(101)
    assert memo.find_or(-1000, 0, search) == 100


def test_a_search_that_fails_leaves_nothing_behind() -> None:
    """A cancelled resolver may be asked again."""
    searches = Searches()
    memo, around = Circular[int, int](searches, patient=True), Memo[int, int](searches)

    def broken(node: int) -> int:
        if node == 3:
            raise TimeoutError
        return around.find(node, lambda key: memo.find_or(0, key + 1, broken)) + memo.find_or(0, 0, broken)

    with pytest.raises(TimeoutError):
        memo.find_or(0, 0, broken)
    left = (searches.lowest, searches.passing, memo.known, memo._open, memo._passing, around.known)
    assert not any(left)
