"""Parquet out and in again (TR-1): equal values, portions, other programs' queries, damaged files."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cbvtool.budget import Budget, OverBudget
from cbvtool.errors import Cancelled, InputError
from cbvtool.trace.making.builder import TraceBuilder
from cbvtool.trace.making.profile_builder import ProfileBuilder
from cbvtool.trace.model.profile import Profile
from cbvtool.trace.model.table import Table
from cbvtool.trace.model.trace import Trace
from cbvtool.trace.store import parquet
from cbvtool.trace.store.parquet import is_parquet, read_parquet, write_parquet
from tests.trace.made import assert_same, profiles, traces


def again(part: Trace | Profile) -> Trace | Profile:
    with tempfile.TemporaryDirectory() as folder:
        write_parquet(part, Path(folder) / "new")
        return read_parquet(Path(folder) / "new")


@settings(max_examples=25)
@given(traces())
def test_a_trace_comes_back_equal(trace: Trace) -> None:
    assert_same(trace, again(trace))


@settings(max_examples=25)
@given(profiles())
def test_a_profile_comes_back_equal(profile: Profile) -> None:
    assert_same(profile, again(profile))


def shop(calls: int = 5) -> Trace:
    """main calls order, order calls pay; twice main on another thread."""
    made = TraceBuilder("test", Budget("The trace"))
    main, order, pay = (
        made.function(name, "shop", "shop.py", line) for line, name in enumerate(("main", "order", "pay"))
    )
    first, second = made.thread(7, 1), made.thread(7, 2)
    made.begin(first, main, 0)
    for number in range(calls):
        made.begin(first, order, 100 * number)
        made.begin(first, pay, 100 * number + 10)
        made.end(first, 100 * number + 40)
        made.end(first, 100 * number + 90)
    made.end(first, 100 * calls)
    made.begin(second, main, 5)
    return made.trace(made.build(), {"taxa": Table({"call": np.array([1], np.uint32)})})


def test_rows_are_written_in_portions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import pyarrow.parquet as pq

    monkeypatch.setattr(parquet, "PORTION", 4)
    trace = shop()
    write_parquet(trace, tmp_path / "shop")
    file = pq.ParquetFile(tmp_path / "shop" / "calls.parquet")
    assert [file.metadata.row_group(group).num_rows for group in range(3)] == [4, 4, 4]
    rows = pq.read_table(tmp_path / "shop" / "calls.parquet", partitioning=None).to_pydict()
    assert rows["parent"] == [-1, 0, 1, 0, 3, 0, 5, 0, 7, 0, 9, -1]
    assert rows["self"][:3] == [500 - 5 * 90, 60, 30]
    assert rows["name"][:3] == ["main", "order", "pay"]
    assert rows["open"] == [False] * 11 + [True]
    read = read_parquet(tmp_path / "shop")
    assert isinstance(read, Trace)
    assert_same(trace.calls, read.calls)
    assert_same(trace.tables["taxa"], read.tables["taxa"])


# The queries of docs/traces.md.
BUSIEST = """
    select name, count(*) as calls, sum(self) as self_ns from 'FOLDER/calls.parquet'
    group by name order by self_ns desc, name limit 10
"""
PAIRS = """
    select caller.name as caller, callee.name as callee, count(*) as calls
    from 'FOLDER/calls.parquet' callee join 'FOLDER/calls.parquet' caller on callee.parent = caller.row
    group by all order by calls desc, caller
"""
LONGEST = """
    select thread.id, call.name, "end" - start as ns, start from 'FOLDER/calls.parquet' call
    join 'FOLDER/threads.parquet' thread on call.thread = thread.thread
    where call.name = 'order' order by ns desc, start limit 2
"""


def test_the_queries_of_the_guide(tmp_path: Path) -> None:
    import duckdb

    write_parquet(shop(), tmp_path / "shop")

    def asked(query: str) -> list[tuple]:
        return duckdb.sql(query.replace("FOLDER", str(tmp_path / "shop"))).fetchall()

    assert asked(BUSIEST) == [("order", 5, 300), ("pay", 5, 150), ("main", 2, 50)]
    assert asked(PAIRS) == [("main", "order", 5), ("order", "pay", 5)]
    assert asked(LONGEST) == [(1, "order", 90, 0), (1, "order", 90, 100)]
    guide = " ".join((Path(__file__).parents[2] / "docs" / "traces.md").read_text(encoding="utf-8").split())
    for query in (BUSIEST, PAIRS, LONGEST):
        assert " ".join(query.split()).replace("FOLDER", "run") in guide


def test_a_folder_with_other_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match="has other files"):
        write_parquet(shop(), tmp_path)
    assert not is_parquet(tmp_path)


def test_a_folder_is_replaced_and_a_half_written_one_known(tmp_path: Path) -> None:
    write_parquet(shop(9), tmp_path)
    write_parquet(shop(1), tmp_path)
    read = read_parquet(tmp_path)
    assert isinstance(read, Trace)
    assert len(read.calls) == 4
    assert is_parquet(tmp_path)
    (tmp_path / "calls.parquet").unlink()
    with pytest.raises(InputError, match="not complete"):
        read_parquet(tmp_path)


def test_cancel_leaves_what_was_there(tmp_path: Path) -> None:
    def stop(what: str, done: int, total: int) -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        write_parquet(shop(), tmp_path, stop)
    assert not is_parquet(tmp_path)
    write_parquet(shop(2), tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(Cancelled):
        write_parquet(shop(), tmp_path, stop)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before  # all or nothing
    assert not list(tmp_path.parent.glob(".cbvtool-*"))
    write_parquet(shop(), tmp_path)
    with pytest.raises(Cancelled):
        read_parquet(tmp_path, progress=stop)
    with pytest.raises(OverBudget):
        read_parquet(tmp_path, Budget("Reading", count=3))


def refusal(folder: Path) -> str:
    """Why a folder is not read; empty = it is."""
    try:
        read_parquet(folder)
    except InputError as error:
        return str(error)
    return ""


FILES = ("calls", "functions", "threads", "resources", "strings", "taxa")


@settings(max_examples=40)
@given(
    st.sampled_from(FILES),
    st.integers(0, 10_000),
    st.sampled_from(["cut", "byte", "gone", "text"]),
    st.integers(0, 255),
)
def test_damaged_files_are_one_sentence(name: str, where: int, how: str, byte: int) -> None:
    with tempfile.TemporaryDirectory() as kept:
        folder = Path(kept) / "shop"
        write_parquet(shop(), folder)
        file = folder / f"{name}.parquet"
        data = bytearray(file.read_bytes())
        at = where % len(data)
        if how == "cut":
            file.write_bytes(data[:at])
        elif how == "byte":
            data[at] = byte
            file.write_bytes(data)
        elif how == "gone":
            file.unlink()
        else:
            file.write_text("no Parquet")
        said = refusal(folder)
    assert "\n" not in said
    assert said.endswith(".") == ("shop" in said) == bool(said)
    assert said or how == "byte"  # it may have been one that nobody misses


def test_lies_are_refused(tmp_path: Path) -> None:
    """Files that are Parquet and make no sense together."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    def changed(name: str, column: str, values: list) -> str:
        write_parquet(shop(1), tmp_path)
        table = pq.read_table(tmp_path / f"{name}.parquet", partitioning=None)
        at = table.schema.get_field_index(column)
        new = pa.array(values, table.schema.field(column).type)
        pq.write_table(table.set_column(at, table.schema.field(column), new), tmp_path / f"{name}.parquet")
        with pytest.raises(InputError) as raised:
            read_parquet(tmp_path)
        return str(raised.value)

    assert "not nested" in changed("calls", "depth", [0, 2, 1, 0])
    assert "not nested" in changed("calls", "depth", [1, 1, 2, 0])
    assert "not nested" in changed("calls", "start", [0, 95, 10, 5])
    assert "not there" in changed("calls", "function", [0, 9, 2, 0])
    assert "order of its threads" in changed("calls", "thread", [1, 1, 1, 0])
    assert "order of its threads" in changed("calls", "thread", [0, 0, 0, 7])
    assert "missing" in changed("calls", "end", [100, None, 40, 5])
    assert "texts" in changed("strings", "text", ["x"])


def test_a_profile_that_is_no_tree_is_refused(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    made = ProfileBuilder("test", Budget("The profile"))
    root = made.node(made.function("main"))
    made.node(made.function("order"), root)
    write_parquet(made.profile(), tmp_path)
    table = pq.read_table(tmp_path / "nodes.parquet")
    pq.write_table(table.set_column(1, "parent", pa.array([-1, 5], pa.int32())), tmp_path / "nodes.parquet")
    with pytest.raises(InputError, match="parent"):
        read_parquet(tmp_path)
