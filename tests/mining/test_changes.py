"""Changes as plain columns."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.errors import InputError
from cbvtool.mining import Changes


@st.composite
def some_changes(draw: st.DrawFn) -> Changes:
    commits, authors, paths = (draw(st.integers(0, 5)) for _ in range(3))
    times = sorted(draw(st.lists(st.integers(-(2**62), 2**62), min_size=commits, max_size=commits)))
    who = draw(st.lists(st.integers(0, authors), min_size=commits, max_size=commits))
    rows = draw(st.lists(st.tuples(st.integers(0, commits), st.integers(0, paths)), max_size=6)) if commits else []
    rows = sorted({(c, p) for c, p in rows if c < commits and p < paths})
    touches = np.array(rows, np.int32).reshape(-1, 2)
    return Changes(
        sha=tuple(f"{i:040x}" for i in range(commits)),
        time=np.array(times, np.int64),
        author=np.array(who, np.int32),
        authors=tuple(f"{i}@x" for i in range(authors + 1)),
        touch_commit=touches[:, 0].copy(),
        touch_path=touches[:, 1].copy(),
        paths=tuple(f"ä {i}\udcff.py" for i in range(paths)),
        shallow=draw(st.booleans()),
        notes=tuple(draw(st.lists(st.text(), max_size=2))),
        head="a" * 40,
        names=tuple(f"Name {i}" for i in range(authors + 1)) if draw(st.booleans()) else (),
    )


@given(some_changes())
def test_there_and_back_through_json(changes: Changes) -> None:
    """Loading and saving loses nothing."""
    again = Changes.from_dict(json.loads(json.dumps(changes.to_dict())))
    for name in changes.__dataclass_fields__:
        one, other = getattr(changes, name), getattr(again, name)
        if isinstance(one, np.ndarray):
            assert one.dtype == other.dtype
            assert one.tolist() == other.tolist()
            assert not other.flags.writeable
        else:
            assert one == other


def test_people_have_names_not_addresses() -> None:
    """NEW-9: the name; where a history has none, the mail address without its domain and without a number before it."""
    columns = {"authors": ["ann@x.org", "1234+bob@users.noreply.github.com", "@", ""], "author_of": [0, 0]}
    changes = Changes.from_dict(GOOD | columns)
    assert [changes.name_of(author) for author in range(4)] == ["ann", "bob", "@", ""]
    named = Changes.from_dict(GOOD | columns | {"author_names": ["Ann Lee", " ", "At", "No one"]})
    assert [named.name_of(author) for author in range(4)] == ["Ann Lee", "bob", "At", "No one"]


GOOD = {
    "shas": ["a", "b"],
    "times": [1, 2],
    "author_of": [0, 0],
    "authors": ["x"],
    "touch_commit": [0, 1],
    "touch_path": [0, 0],
    "paths": ["p"],
    "shallow": False,
    "head": "b",
}


@pytest.mark.parametrize(
    "damage",
    [
        {"shas": ["a"]},
        {"times": [2, 1]},
        {"times": [1]},
        {"times": ["x", "y"]},
        {"times": [[1], [2]]},
        {"times": [1, 2**70]},
        {"author_of": [0, 1]},
        {"author_of": [0, -1]},
        {"touch_commit": [1, 0]},
        {"touch_commit": [0, 2]},
        {"touch_commit": [0]},
        {"touch_path": [0, 1]},
        {"touch_path": [0, 2**40]},
        {"paths": None},
        {"authors": 3},
        {"author_names": ["one", "two"]},
    ],
)
def test_damaged_history_is_refused(damage: dict[str, Any]) -> None:
    """One sentence, and the undamaged one is read."""
    Changes.from_dict(GOOD)
    with pytest.raises(InputError, match="the history cannot be read"):
        Changes.from_dict(GOOD | damage)


@pytest.mark.parametrize("missing", GOOD)
def test_missing_column_is_named(missing: str) -> None:
    """Bad input."""
    with pytest.raises(InputError, match=missing):
        Changes.from_dict({name: column for name, column in GOOD.items() if name != missing})
