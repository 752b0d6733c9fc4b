"""Evolution: which commits are looked at, where nodes were, since when something is worse, functions of a file."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.analysis.facts import Definition, FileFacts
from cbvtool.evolution.evolution import fill_from_below
from cbvtool.evolution.functions import NamedLines, before_hunks, commits_of_functions, functions_in, touched
from cbvtool.evolution.regressions import bisected, joined
from cbvtool.evolution.sampling import sampled
from cbvtool.evolution.table import sparkline
from cbvtool.graph.tree import index_tree
from cbvtool.mining.patches import FilePatch, Hunk
from cbvtool.mining.versions import MainLineCommit


@given(st.integers(1, 200), st.integers(2, 50), st.integers(0, 220), st.integers(0, 220))
def test_samples_lie_in_the_range_and_hold_its_ends(count: int, most: int, since: int, until: int) -> None:
    """At most so many, ascending, with the first and the last of the range."""
    line = [MainLineCommit(f"{row:040}", row) for row in range(count)]
    rows = sampled(line, most, since, until)
    inside = [row for row in range(count) if since <= row <= until]
    assert len(rows) == min(len(inside), most)
    assert rows == sorted(set(rows))
    assert not inside or (rows[0], rows[-1]) == (inside[0], inside[-1])


@given(st.integers(0, 500), st.integers(1, 500), st.data())
def test_bisecting_finds_the_first(low: int, length: int, data: st.DataObject) -> None:
    """Of something that came and stayed, the very commit, in log2 steps."""
    high = low + length
    first = data.draw(st.integers(low + 1, high))
    asked = list[int]()

    def holds(row: int) -> bool:
        asked.append(row)
        return row >= first

    assert bisected(low, high, holds) == first
    assert len(asked) <= length.bit_length()


def test_members_are_joined_by_one_cycle() -> None:
    """Two of them in the same one; different ones do not count."""
    component = np.array([0, 1, 0, -1, -1], np.int32)
    assert joined(component, np.array([0, 2, 3], np.int32))
    assert not joined(component, np.array([0, 1, 3, 4], np.int32))


def test_a_later_folder_has_what_was_moved_into_it() -> None:
    """A folder that was not there has the sum of its children that were; one that was keeps its own."""
    tree = index_tree(np.array([-1, 0, 1, 1, 0], np.int32), np.arange(5))
    values = np.array([9.0, np.nan, 3.0, 4.0, np.nan])
    fill_from_below(tree, values, np.isnan(values))
    np.testing.assert_array_equal(values, [9.0, 7.0, 3.0, 4.0, np.nan])


def test_sparklines() -> None:
    """From 0 to the largest; a dot where the node was not there."""
    assert sparkline([float("nan"), 0.0, 5.0, 10.0]) == "·▁▅█"


def test_names_of_functions_are_those_of_nodes() -> None:
    """A second one of a name has `#2`, and what lies in it follows."""
    rows = (
        Definition(-1, "A", "class", 1, 9),
        Definition(0, "run", "function", 2, 3),
        Definition(0, "run", "function", 4, 8),
        Definition(2, "inner", "function", 5, 6),
    )
    found = functions_in(FileFacts(9, definitions=rows))
    assert [one.name for one in found] == ["A.run", "A.run#2", "A.run#2.inner"]


def test_lines_that_went_count_for_the_function_they_were_in() -> None:
    """Lines that came count in the version after, lines that went in the one before."""
    before, after = [NamedLines("f", 1, 5), NamedLines("g", 7, 9)], [NamedLines("f", 1, 4), NamedLines("g", 6, 8)]
    patch = FilePatch(3, b"b", b"a", (Hunk(3, 1, 2, 0),))
    assert commits_of_functions([patch], {b"a": after, b"b": before}) == {"f": {3}}


@given(st.lists(st.integers(0, 3), min_size=1, max_size=30), st.data())
def test_hunks_tell_where_functions_were(lengths: list[int], data: st.DataObject) -> None:
    """Where it is told without a look, it is where the lines really were: each line has a name of its own."""
    old = [f"line {row}" for row in range(1, len(lengths) + 1)]
    new, hunks, at = list[str](), list[Hunk](), 0
    while at < len(old):
        kind = data.draw(st.sampled_from(("keep", "keep", "keep", "add", "drop")))
        if kind == "add":
            count = data.draw(st.integers(1, 3))
            hunks.append(Hunk(at, 0, len(new) + 1, count))
            new += [f"new {len(new) + more}" for more in range(count)]
        elif kind == "drop":
            hunks.append(Hunk(at + 1, 1, len(new), 0))
            at += 1
            if at < len(old):
                new.append(old[at])
                at += 1
            continue
        if at < len(old):
            new.append(old[at])
            at += 1
    if not new:
        return
    first = data.draw(st.integers(1, len(new)))
    last = data.draw(st.integers(first, len(new)))
    told = before_hunks([NamedLines("f", first, last)], hunks)
    if told:
        (one,) = told
        kept = [line for line in new[first - 1 : last] if line.startswith("line")]
        assert [line for line in old[one.first - 1 : one.last] if line in new] == kept
        was = touched(told, [(hunk.old, hunk.old_count) for hunk in hunks])
        now = touched([NamedLines("f", first, last)], [(hunk.new, hunk.new_count) for hunk in hunks])
        assert bool(was or now) == (old[one.first - 1 : one.last] != new[first - 1 : last])
