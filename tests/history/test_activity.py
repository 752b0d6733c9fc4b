"""Activity over time: every commit counts once, along the calendar (CBV-9)."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.history.activity import (
    NO_SUFFIX,
    OTHERS,
    TOP_FILES,
    WIDTHS,
    activity,
    bins,
    churn_weights,
    commit_weights,
    extent,
    groups,
    usual_extent,
)
from cbvtool.mining.changes import Changes
from cbvtool.mining.churn import Churn

DAY = 86_400
PATHS = ("README", "core/a.py", "core/b.py", "web/page.js", "web/style.CSS", "Makefile")


def at(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp())


def history(times: list[int], touches: list[tuple[int, int]], authors: list[int] | None = None) -> Changes:
    """Commits at `times`, and (commit, path) touches."""
    touches = sorted(touches)
    return Changes(
        sha=tuple(f"{row:040x}" for row in range(len(times))),
        time=np.array(sorted(times), np.int64),
        author=np.array(authors or [row % 3 for row in range(len(times))], np.int32),
        authors=("ada@example.org", "bob@example.org", "eve@example.org"),
        touch_commit=np.array([commit for commit, _ in touches], np.int32),
        touch_path=np.array([path for _, path in touches], np.int32),
        paths=PATHS,
    )


@st.composite
def histories(draw: st.DrawFn) -> Changes:
    times = draw(st.lists(st.integers(-(10**9), 4 * 10**9), min_size=1, max_size=30))
    pair = st.tuples(st.integers(0, len(times) - 1), st.integers(0, len(PATHS) - 1))
    return history(times, draw(st.lists(pair, max_size=60, unique=True)))


@given(histories(), st.sampled_from(["module", "author", "kind"]), st.integers(1, 200), st.integers(1, 8))
def test_every_commit_that_touches_a_file_counts_once(changes: Changes, by: str, most: int, named: int) -> None:
    """CBV-9: the bars add up to the commits, whatever they are stacked by; each bin has those of its time."""
    span = extent(changes)
    assert span is not None
    over = bins(*span, most)
    found = activity(changes, groups(changes, by, named), commit_weights(changes), over)
    touching = {int(commit) for commit in changes.touch_commit}
    for number in range(len(over)):
        first, last = over.edges[number], over.edges[number + 1]
        inside = [row for row in touching if first <= changes.time[row] < last]
        assert found.total[number] == pytest.approx(len(inside))
    assert found.total.sum() == pytest.approx(len(touching))
    assert len(found.groups) <= named + 1


@given(histories(), st.sampled_from(["module", "author", "kind"]))
def test_groups_agree_with_a_count_one_by_one(changes: Changes, by: str) -> None:
    """CBV-9: the group of a touch is its author, the top folder or the suffix of its file."""
    found = groups(changes, by, most=20)
    tops = [TOP_FILES, "core", "core", "web", "web", TOP_FILES]
    kinds = [NO_SUFFIX, ".py", ".py", ".js", ".css", NO_SUFFIX]
    for row, group in enumerate(found.of_touch.tolist()):
        path, commit = int(changes.touch_path[row]), int(changes.touch_commit[row])
        author = changes.name_of(int(changes.author[commit]))
        assert found.names[group] == {"module": tops[path], "kind": kinds[path], "author": author}[by]


def test_a_folder_that_holds_nearly_all_is_looked_into() -> None:
    """CBV-9: of a project whose code lies below `src/shop`, the modules are the folders in there."""
    changes = history([0], [(0, row) for row in range(len(PATHS))])
    inside = [f"src/shop/{name}/{part}.py" for name in ("core", "web", "db") for part in range(6)]
    paths = (*inside, "src/shop/app.py", "setup.py", "docs/api/index.md")
    changes = Changes(
        changes.sha,
        changes.time,
        changes.author,
        changes.authors,
        np.zeros(len(paths), np.int32),
        np.arange(len(paths), dtype=np.int32),
        paths,
    )
    assert groups(changes, "module").names == (
        "src/shop/core",
        "src/shop/web",
        "src/shop/db",
        "(files in src/shop)",
        TOP_FILES,
        "docs",
    )


def test_groups_without_a_name_are_others() -> None:
    changes = history([0, 1], [(0, 1), (0, 2), (0, 3), (1, 0), (1, 1), (1, 4)])
    found = groups(changes, "kind", most=1)
    assert found.names == (".py", OTHERS)
    assert np.bincount(found.of_touch).tolist() == [3, 3]


def test_lines_that_nobody_knows_count_as_none() -> None:
    """CBV-9: a binary file has -1 lines in both columns."""
    added, deleted = np.array([3, -1, 0], np.int32), np.array([2, -1, 7], np.int32)
    churn = Churn(added, deleted)
    assert churn_weights(churn).tolist() == [5, 0, 7]
    assert churn_weights(churn, np.array([True, True, False])).tolist() == [5, 0, 0]
    assert commit_weights(history([0, 1], [(0, 0), (0, 1), (1, 1)])).tolist() == [0.5, 0.5, 1.0]


@given(st.integers(-(10**11), 3 * 10**11), st.integers(0, 10**10), st.integers(1, 500))
def test_bins_follow_the_calendar(first: int, length: int, most: int) -> None:
    """CBV-9: bins cover the time without gaps, are at most as many as asked for, and begin with a unit."""
    last = min(first + length, 253_402_300_799)
    first = max(min(first, last), -62_135_596_800)
    over = bins(first, last, most)
    assert over.edges[0] <= first
    assert over.edges[-1] > last
    assert (np.diff(over.edges) > 0).all()
    assert len(over) <= most or over.width == WIDTHS[-1][2]
    for edge in over.edges[:3].tolist():
        if not -62_000_000_000 < edge < 253_000_000_000:
            continue
        moment = datetime.fromtimestamp(edge, UTC)
        if over.width == "week":
            assert moment.weekday() == 0
        if over.width in ("month", "quarter", "year"):
            assert moment.day == 1
        if over.width == "quarter":
            assert moment.month in (1, 4, 7, 10)
        if over.width.endswith("years"):
            assert moment.year % int(over.width.split()[0]) == 0


def test_bins_are_as_narrow_as_there_is_room() -> None:
    first, last = at("2020-01-01"), at("2020-12-31")
    assert [bins(first, last, most).width for most in (2, 4, 12, 60, 400)] == [
        "year",
        "quarter",
        "month",
        "week",
        "day",
    ]
    assert len(bins(first, last, 12)) == 12


def test_clocks_that_were_wrong_do_not_squeeze_the_rest() -> None:
    """CBV-9: commits of 1970 and 2099 are there, but the picture begins with the time of all others."""
    usual = [at("2020-01-01") + DAY * row for row in range(600)]
    changes = history([0, *usual, at("2099-01-01")], [(row, 0) for row in range(602)])
    assert extent(changes) == (0, at("2099-01-01"))
    first, last = usual_extent(changes) or (0, 0)
    assert at("2020-01-01") <= first <= at("2020-01-10")
    assert at("2021-08-01") <= last <= at("2021-09-30")
    assert usual_extent(history(usual, [])) == (usual[0], usual[-1])
    assert usual_extent(history([0, at("2099-01-01")], [])) == (0, at("2099-01-01"))
    assert usual_extent(Changes.none("no history")) is None


def test_dates_beyond_the_calendar_are_cut_off() -> None:
    changes = history([-(10**15), 10**15], [(0, 0), (1, 1)])
    span = extent(changes)
    assert span is not None
    assert span[0] < span[1]
    assert len(bins(*span, 50)) <= 50
