"""The library's door to many runs (CF-1, CF-8): files and tables in, columns out; pandas is an extra."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import cbvtool
from cbvtool.errors import InputError
from cbvtool.trace.store.writing import write_traces
from tests.trace.ensemble.made import profile

TABLE = {
    "run": ["a", "a", "a", "b", "b"],
    "path": ["app.main", "app.main > io.read", "app.main > io.read > io.wait", "app.main", "app.main > io.read"],
    "time": [1.0, 2.0, 4.0, 10.0, 20.0],
    "threads": [1, 1, 1, 2, 2],
}


def test_a_table_in_and_columns_out() -> None:
    """CF-1: times by themselves are summed along paths; what a run lacks is no row; a table out comes back in."""
    runs = cbvtool.runs(TABLE)
    assert repr(runs) == "RunSet(2 runs, 3 call paths, time)"
    values = runs.columns()
    rows = dict(zip(zip(values["run"], values["path"], strict=True), values["inclusive"].tolist(), strict=True))
    assert rows == {
        ("a", "app.main"): 7.0,
        ("a", "app.main > io.read"): 6.0,
        ("a", "app.main > io.read > io.wait"): 4.0,
        ("b", "app.main"): 30.0,
        ("b", "app.main > io.read"): 20.0,
    }
    assert values["threads"] == ["1", "1", "1", "2", "2"]
    assert values["module"] == ["app", "io", "io", "app", "io"]
    again = cbvtool.runs(values)
    np.testing.assert_array_equal(again.ensemble.exclusive, runs.ensemble.exclusive)
    assert again.columns("runs") | {"total": None} == {"run": ["a", "b"], "total": None, "threads": ["1", "2"]}
    assert again.columns("runs")["total"].tolist() == [7.0, 30.0]


def test_effects_of_parameters() -> None:
    """CF-8: waiting rises with the threads, reading does not."""
    rng = np.random.default_rng(2)
    rows = [
        (f"r{number}", path, time, 1 + number % 8)
        for number in range(40)
        for path, time in (("main > wait", (1 + number % 8) * rng.normal(100, 1)), ("main > read", rng.normal(500, 9)))
    ]
    runs = cbvtool.runs(dict(zip(("run", "path", "time", "threads"), zip(*rows, strict=True), strict=True)))
    told = runs.columns("effects")
    found = dict(zip(told["path"], zip(told["parameter"], told["beyond_chance"].tolist(), strict=True), strict=True))
    assert found == {"main > wait": ("threads", True), "main > read": ("threads", False)}
    assert told["strength"][0] > 0.9


def test_files_and_parameters(tmp_path: Path) -> None:
    for name, time in (("one", 5.0), ("two", 6.0)):
        write_traces(tmp_path / name, [profile({("app.main",): time})], "parquet")
    runs = cbvtool.runs(tmp_path, parameters={"two": {"size": 3}})
    assert runs.columns("runs")["run"] == ["one", "two"]
    assert runs.columns("runs")["size"] == ["", "3"]
    assert cbvtool.runs([tmp_path / "two", tmp_path / "one"]).ensemble.names == ("two", "one")


def test_pandas_is_asked_for_only_when_a_frame_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """A frame is made of the columns; without pandas a sentence says how to get it."""
    monkeypatch.setitem(sys.modules, "pandas", SimpleNamespace(DataFrame=lambda columns: ("frame", columns)))
    sort, columns = cbvtool.runs(TABLE).frame("runs")
    assert (sort, columns["run"]) == ("frame", ["a", "b"])
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(InputError, match="pandas is not installed"):
        cbvtool.runs(TABLE).frame()


def test_a_frame_out_comes_back_in() -> None:
    """CF-1: pandas in and out, the real one, which the environment of the tests has."""
    pandas = pytest.importorskip("pandas")
    runs = cbvtool.runs(pandas.DataFrame(TABLE))
    frame = runs.frame()
    assert list(frame.columns[:2]) == ["run", "threads"]
    assert frame.groupby("run")["exclusive"].sum().to_dict() == {"a": 7.0, "b": 30.0}
    np.testing.assert_array_equal(cbvtool.runs(frame).ensemble.exclusive, runs.ensemble.exclusive)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"time": None}, "no column 'time'"),
        ({"path": None}, "no column 'path'"),
        ({"time": [1.0]}, "differ in length"),
        ({"time": [1.0, 2.0, "much", 1.0, 1.0]}, "Row 3 of the table of runs has no number as time."),
    ],
)
def test_tables_that_say_no_runs(change: dict[str, object], sentence: str) -> None:
    table = {name: column for name, column in {**TABLE, **change}.items() if column is not None}
    with pytest.raises(InputError, match=sentence):
        cbvtool.runs(table)
    with pytest.raises(InputError, match="no table 'all'"):
        cbvtool.runs(TABLE).columns("all")
