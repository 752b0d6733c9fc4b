"""Near-identical parts against edit distances by the textbook (EX-5)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.errors import Cancelled
from cbvtool.trace.sequence import repeats as room
from cbvtool.trace.sequence.repeats import TooMuchMarked, repeats


def edits(one: list[int], other: list[int]) -> int:
    """The edit distance of two sequences."""
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        before, row[0] = row[0], i
        for j, b in enumerate(other, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (a != b))
    return row[-1]


@given(
    st.lists(st.integers(0, 3), min_size=1, max_size=60), st.data(), st.sampled_from([0.5, 0.75, 1.0]), st.booleans()
)
def test_what_is_found_is_as_similar_as_it_says(text: list[int], data: st.DataObject, least: float, runs: bool) -> None:
    """EX-5: parts do not overlap, hold the marked one, and need as many edits as told."""
    low = data.draw(st.integers(0, len(text) - 1))
    high = data.draw(st.integers(low + 1, len(text)))
    found = repeats(np.array(text, np.int32), low, high, least, runs)

    def part(a: int, b: int) -> list[int]:
        return [x for at, x in enumerate(text[a:b]) if not runs or at == 0 or text[a + at - 1] != x]

    marked = part(low, high)
    assert (found.low[1:] >= found.high[:-1]).all()
    assert (found.high > found.low).all()
    assert any(a <= low and high <= b for a, b in zip(found.low, found.high, strict=True))
    for a, b, count, share in zip(found.low, found.high, found.edits, found.similarity, strict=True):
        other = part(int(a), int(b))
        assert edits(marked, other) == count
        assert share == pytest.approx(1 - count / max(len(marked), len(other)))
        assert count <= (1 - least) * len(marked) + 1e-9


@pytest.mark.parametrize("long", [8, 63, 64, 65, 130, 700])
def test_planted_copies_are_found(long: int) -> None:
    """EX-5: three copies with some edits among noise, of lengths around those of words."""
    rng = np.random.default_rng(long)
    part = rng.integers(0, 50, long)
    changed = part.copy()
    changed[:: max(long // 3, 2)] = 99
    shorter = np.delete(part, slice(0, long, max(long // 2, 3)))
    noise = [rng.integers(100, 150, size) for size in (40, 300, 90, 20)]
    text = np.concatenate((noise[0], part, noise[1], changed, noise[2], shorter, noise[3])).astype(np.int32)
    found = repeats(text, 40, 40 + long, 0.5)
    assert found.low.tolist()[0] == 40
    assert len(found) == 3
    assert found.edits[0] == 0
    assert found.edits[1] == edits(part.tolist(), changed.tolist())
    assert found.edits[2] == long - len(shorter)


def test_runs_count_once() -> None:
    """EX-5: a loop that turned more often is the same part."""
    text = np.array([1, 2, 2, 2, 3, 9, 1, 2, 2, 2, 2, 2, 2, 3, 9, 9], np.int32)
    found = repeats(text, 0, 5, 1.0, runs=True)
    assert list(zip(found.low, found.high, strict=True)) == [(0, 5), (6, 14)]
    assert len(repeats(text, 0, 5, 1.0)) == 1


def test_too_much_is_refused_and_cancel_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """EX-5: one sentence; a search looks at Cancel."""
    text = np.arange(5_000, dtype=np.int32)
    with monkeypatch.context() as patched:
        patched.setattr(room, "_MOST_STEPS", 10_000)
        with pytest.raises(TooMuchMarked, match="3,000 calls are marked"):
            repeats(text, 0, 3_000)

    def stop(what: str, done: int, total: int) -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        repeats(text, 0, 100, progress=stop)
    assert len(repeats(text, 7, 7)) == 0


def test_no_more_than_a_thousand(monkeypatch: pytest.MonkeyPatch) -> None:
    """EX-5: the rest is said."""
    monkeypatch.setattr(room, "MOST", 10)
    found = repeats(np.tile(np.array([1, 2, 3], np.int32), 50), 0, 3)
    assert len(found) == 10
    assert found.more
