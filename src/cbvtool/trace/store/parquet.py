"""Traces and profiles as a folder of Parquet files, for DuckDB, Polars and pandas; and back, equal to what was written.

A trace is `calls`, `functions`, `threads`, `resources`, `strings` and a file for each sparse table; a profile is
`nodes`, `functions`, `values` (by rank and thread) and, of a call graph, `pairs`. The metadata of
`calls` or `nodes` hold the header: a folder without either is not complete.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from cbvtool.budget import Budget
from cbvtool.errors import InputError
from cbvtool.formats.atomic import replacing_folder
from cbvtool.progress import Progress, silent
from cbvtool.regular_file import opened
from cbvtool.trace.making.call_tree import structure_faults
from cbvtool.trace.model.profile import CallPairs, Profile, ProfileMetric
from cbvtool.trace.model.strings import Strings
from cbvtool.trace.model.table import SCHEMAS, Table
from cbvtool.trace.model.trace import NO_CALL, Calls, Functions, Header, Resources, Threads, Trace
from cbvtool.trace.store.call_rows import end_rows, parents_and_self

PORTION = 1 << 18  # rows that are made, written and read at a time
VERSION = 1
_MARK = b"cbvtool"
_CALLS, _NODES = "calls", "nodes"
_FILE_NAME = re.compile(r"[a-z][a-z0-9_]{0,60}")
_OWN = {_CALLS, _NODES, "functions", "threads", "resources", "strings", "values", "pairs"}

Columns = Mapping[str, Any]
Add = Callable[[str], BinaryIO]  # opens a new file of that name in the folder


class _Damaged(Exception):
    """Why a folder cannot be read, as the end of a sentence."""


def is_parquet(folder: Path) -> bool:
    """Whether a folder looks like one that `write_parquet` made."""
    return any((folder / f"{name}.parquet").is_file() for name in (_CALLS, _NODES))


def write_parquet(part: Trace | Profile, folder: Path, progress: Progress = silent) -> None:
    """Write a folder of Parquet files, in portions, completely or not at all.

    Raises InputError if it has other files, or cannot be written, and what `progress` raises.
    """
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        if folder.is_dir() and any(entry.suffix != ".parquet" for entry in folder.iterdir()):
            raise InputError(f"{folder} has other files; choose an empty or a new folder for the Parquet files.")
    except (OSError, ValueError) as error:
        raise InputError(f"{folder} cannot be written: {getattr(error, 'strerror', None) or error}.") from error
    with replacing_folder(folder) as add:
        if isinstance(part, Trace):
            _write_trace(part, add, progress)
        else:
            _write_profile(part, add)


def read_parquet(folder: Path, budget: Budget | None = None, progress: Progress = silent) -> Trace | Profile:
    """The trace or profile in a folder that `write_parquet` made. Raises InputError, OverBudget and Cancelled."""
    import pyarrow as pa

    budget = budget or Budget(f"Reading {folder.name}")
    try:
        if (folder / f"{_CALLS}.parquet").is_file():
            return _read_trace(folder, budget, progress)
        if (folder / f"{_NODES}.parquet").is_file():
            return _read_profile(folder, budget)
        raise _Damaged("it is not complete: neither calls.parquet nor nodes.parquet is there")
    except _Damaged as error:
        raise InputError(f"{folder} cannot be read: {error}.") from error
    except FileNotFoundError as error:
        name = Path(str(error.filename)).name
        raise InputError(f"{folder} cannot be read: {name} is missing.") from error
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"{folder} cannot be read: {_short(error)}.") from error
    except (KeyError, ValueError, TypeError, IndexError, OverflowError, MemoryError) as error:
        raise InputError(f"{folder} cannot be read: its files are damaged ({_short(error)}).") from error


# -- traces --------------------------------------------------------------------------------------------------------


def _write_trace(trace: Trace, add: Add, progress: Progress) -> None:
    functions, threads, resources = trace.functions, trace.threads, trace.resources
    _write(add, "functions", _function_columns(functions))
    _write(
        add,
        "threads",
        {
            "thread": np.arange(len(threads), dtype=np.int32),
            "process": threads.process,
            "id": threads.id,
            "name": threads.name,
            "process_name": threads.process_name,
            "kind": threads.kind,
            "sampled": threads.sampled,
            "creator": threads.creator,
            "first": threads.first,
            "last": threads.last,
            "first_call": threads.ptr[:-1],
            "calls": np.diff(threads.ptr),
        },
    )
    _write(
        add,
        "resources",
        {
            "resource": np.arange(len(resources), dtype=np.int32),
            "name": resources.name,
            "kind": resources.kind,
            "parent": resources.parent,
            "thread": resources.thread,
        },
    )
    strings = trace.strings
    _write_portions(
        add,
        "strings",
        (
            {"number": np.arange(low, high), "text": [strings[number] for number in range(low, high)]}
            for low, high in _portions(len(strings))
        ),
    )
    files = _table_files(trace.tables)
    for name, table in trace.tables.items():
        _write_portions(
            add,
            files[name],
            (
                {column: _plain(values[low:high]) for column, values in table.columns.items()}
                for low, high in _portions(len(table))
            ),
        )
    said = {
        "kind": "trace",
        "header": asdict(trace.header),
        "tables": files,
        "repairs": dict(trace.repairs),
        "omissions": dict(trace.omissions),
        "cpu": trace.calls.cpu is not None,
    }
    _write_portions(add, _CALLS, _call_portions(trace, progress), said)


def _call_portions(trace: Trace, progress: Progress) -> Iterator[Columns]:
    """The calls in portions, with the columns that queries want: names, process, parent, own time."""
    calls, threads = trace.calls, trace.threads
    name, module, file = (
        _Words(texts) for texts in (trace.functions.name, trace.functions.module, trace.functions.file)
    )
    stack = np.zeros(int(calls.depth.max(initial=0)) + 1, np.int64)
    for low, high in _portions(len(calls)):
        progress("writing calls", low, len(calls))
        function = np.asarray(calls.function[low:high])
        parent, own = np.empty(high - low, np.int64), np.empty(high - low, np.int64)
        parents_and_self(calls.depth, calls.start, calls.end, calls.end_row, low, stack, parent, own)
        thread = trace.thread_of(np.arange(low, high)).astype(np.int32)
        first, last = np.searchsorted(trace.open_rows, [low, high])
        is_open = np.zeros(high - low, np.bool_)
        is_open[trace.open_rows[first:last].astype(np.int64) - low] = True
        columns = {
            "row": np.arange(low, high, dtype=np.uint32),
            "thread": thread,
            "process": threads.process[thread],
            "thread_id": threads.id[thread],
            "function": function,
            "name": name.of(function),
            "module": module.of(function),
            "file": file.of(function),
            "line": trace.functions.line[function],
            "start": np.asarray(calls.start[low:high]),
            "end": np.asarray(calls.end[low:high]),
            "depth": np.asarray(calls.depth[low:high]),
            "parent": parent,
            "self": own,
            "open": is_open,
        }
        if calls.cpu is not None:
            columns["cpu"] = np.asarray(calls.cpu[low:high])
        yield columns


def _read_trace(folder: Path, budget: Budget, progress: Progress) -> Trace:
    said = _said(folder, _CALLS, "trace")
    functions = _functions(_read(folder, "functions", budget))
    column = _read(folder, "threads", budget)
    threads_count = len(column["thread"])
    tables = said["tables"]
    if not isinstance(tables, dict):
        raise _Damaged("its list of tables is damaged")
    wanted = ["thread", "function", "start", "end", "depth", "open"] + (["cpu"] if said["cpu"] else [])
    calls = _read(folder, _CALLS, budget, wanted, progress)
    thread = calls["thread"]
    if len(thread) and (thread.min() < 0 or thread.max() >= threads_count or (np.diff(thread) < 0).any()):
        raise _Damaged("its calls do not stand in the order of its threads")
    ptr = np.searchsorted(thread, np.arange(threads_count + 1)).astype(np.int64)
    _must(calls, {"function": np.uint32, "start": np.int64, "end": np.int64, "open": np.bool_})
    if calls["depth"].dtype not in (np.uint16, np.uint32):
        raise _Damaged("its depths are of another type")
    if len(thread) and int(calls["function"].max()) >= len(functions):
        raise _Damaged("a call is of a function that is not there")
    end_row = np.empty(len(thread), np.uint32)
    deepest = int(calls["depth"].max(initial=0))
    if deepest > len(thread) or not end_rows(calls["depth"], calls["start"], calls["end"], ptr, deepest, end_row):
        raise _Damaged("its calls are not nested")
    cpu = calls.get("cpu")
    _must(column, {"process": np.int64, "id": np.int64, "creator": np.int64, "first": np.int64, "last": np.int64})
    _must(column, {"sampled": np.bool_})
    if ((column["creator"] < NO_CALL) | (column["creator"] >= len(thread))).any():
        raise _Damaged("a thread was created by a call that is not there")
    resources = _read(folder, "resources", budget)
    _must(resources, {"parent": np.int32, "thread": np.int32})
    parent, of = resources["parent"], resources["thread"]
    if ((parent < -1) | (parent >= np.arange(len(parent))) | (of < -1) | (of >= threads_count)).any():
        raise _Damaged("its resources are no tree over its threads")
    strings = _read(folder, "strings", budget)
    texts = list(strings["text"])
    if not texts or texts[0]:
        raise _Damaged("its texts are damaged")
    return Trace(
        _header(said),
        functions,
        Calls(calls["function"], calls["start"], calls["end"], calls["depth"], end_row, cpu),
        Threads(
            column["process"],
            column["id"],
            tuple(column["name"]),
            tuple(column["process_name"]),
            tuple(column["kind"]),
            column["sampled"],
            column["creator"],
            column["first"],
            column["last"],
            ptr,
        ),
        Resources(tuple(resources["name"]), tuple(resources["kind"]), resources["parent"], resources["thread"]),
        Strings.of(texts),
        np.flatnonzero(calls["open"]).astype(np.uint32),
        {str(name): _table(str(name), _read(folder, _checked(file), budget)) for name, file in tables.items()},
        _counts(said["repairs"]),
        _counts(said["omissions"]),
    )


# -- profiles ------------------------------------------------------------------------------------------------------


def _write_profile(profile: Profile, add: Add) -> None:
    _write(add, "functions", _function_columns(profile.functions))
    values = (
        {
            "metric": np.full(len(nodes), metric, np.int32),
            "rank": np.full(len(nodes), place[0], np.int64),
            "thread": np.full(len(nodes), place[1], np.int64),
            "place": np.full(len(nodes), row, np.int32),
            "node": nodes.astype(np.int32),
            "value": one.by_place[row][nodes],
        }
        for metric, one in enumerate(profile.metrics)
        if one.by_place is not None
        for row, place in enumerate(profile.places)
        for nodes in [np.flatnonzero(~np.isnan(one.by_place[row]))]
    )
    _write_portions(add, "values", values)
    if profile.pairs is not None:
        pairs = profile.pairs
        columns = {"caller": pairs.caller, "callee": pairs.callee}
        columns |= {
            f"{end}_name": _Words(profile.functions.name).of(rows)
            for end, rows in (("caller", pairs.caller), ("callee", pairs.callee))
        }
        _write(add, "pairs", columns | _metric_columns(pairs.metrics))
    function = profile.function
    texts = {name: _Words(getattr(profile.functions, name)).of(function) for name in ("name", "module", "file")}
    said = {
        "kind": "profile",
        "header": asdict(profile.header),
        "metrics": [_described(metric) for metric in profile.metrics],
        "pairs": None if profile.pairs is None else [_described(metric) for metric in profile.pairs.metrics],
        "places": [list(place) for place in profile.places],
        "sampled": profile.sampled,
        "repairs": dict(profile.repairs),
        "omissions": dict(profile.omissions),
    }
    nodes = {
        "node": np.arange(len(profile), dtype=np.int32),
        "parent": profile.parent,
        "end_row": profile.end_row,
        "function": function,
        **texts,
        "line": profile.functions.line[function],
        "site_file": profile.site_file,
        "site_line": profile.site_line,
    }
    _write(add, _NODES, nodes | _metric_columns(profile.metrics), said)


def _described(metric: ProfileMetric) -> dict[str, Any]:
    return {
        "name": metric.name,
        "unit": metric.unit,
        "inclusive": metric.inclusive,
        "by_place": metric.by_place is not None,
        "summarised": metric.summarised,
    }


def _metric_columns(metrics: tuple[ProfileMetric, ...]) -> dict[str, Any]:
    """Columns `NAME inclusive mean`, ... of each metric; a second one of that name has its number behind."""
    columns: dict[str, Any] = {}
    for number, metric in enumerate(metrics):
        for name in ("mean", "low", "high"):
            columns[_metric_column(metrics, number, name)] = getattr(metric, name)
    return columns


def _metric_column(metrics: Iterable[Any], number: int, which: str) -> str:
    names = [(one.name, one.inclusive) for one in metrics]
    name, inclusive = names[number]
    again = f" {number}" if names.index(names[number]) != number else ""
    return f"{name} {'inclusive' if inclusive else 'exclusive'} {which}{again}"


def _read_profile(folder: Path, budget: Budget) -> Profile:
    said = _said(folder, _NODES, "profile")
    functions = _functions(_read(folder, "functions", budget))
    nodes = _read(folder, _NODES, budget)
    _must(nodes, {"function": np.uint32, "parent": np.int32, "end_row": np.int32, "site_line": np.int32})
    count = len(nodes["function"])
    places = tuple((int(rank), int(thread)) for rank, thread in said["places"])
    metrics = _metrics(said["metrics"], nodes)
    values = _read(folder, "values", budget)
    for number, metric in enumerate(metrics):
        if not said["metrics"][number]["by_place"]:
            continue
        if len(places) * count > 2**31:
            raise _Damaged("it has too many ranks and threads")
        budget.spend(size=8 * len(places) * count)
        by_place = np.full((len(places), count), np.nan)
        mine = values["metric"] == number if len(values) else np.zeros(0, np.bool_)
        if mine.any():
            at, node = values["place"][mine], values["node"][mine]
            if min(at.min(), node.min()) < 0:
                raise _Damaged("a value belongs to no node")
            by_place[at, node] = values["value"][mine]
        object.__setattr__(metric, "by_place", by_place)
    pairs = None
    if said["pairs"] is not None:
        column = _read(folder, "pairs", budget)
        _must(column, {"caller": np.uint32, "callee": np.uint32})
        pairs = CallPairs(column["caller"], column["callee"], tuple(_metrics(said["pairs"], column)))
        most = max((int(rows.max(initial=0)) for rows in (pairs.caller, pairs.callee)), default=0)
        if len(pairs) and most >= len(functions):
            raise _Damaged("a pair is of a function that is not there")
    profile = Profile(
        _header(said),
        functions,
        nodes["function"],
        nodes["parent"],
        nodes["end_row"],
        tuple(nodes["site_file"]),
        nodes["site_line"],
        tuple(metrics),
        places,
        bool(said["sampled"]),
        _counts(said["repairs"]),
        _counts(said["omissions"]),
        pairs,
    )
    if found := structure_faults(profile):
        raise _Damaged(found[0])
    return profile


def _metrics(described: list[Any], columns: Columns) -> list[ProfileMetric]:
    none = np.empty(0)
    bare = [
        ProfileMetric(str(one["name"]), str(one["unit"]), bool(one["inclusive"]), none, none, none) for one in described
    ]
    found = []
    for number, (one, said) in enumerate(zip(bare, described, strict=True)):
        mean, low, high = (
            np.asarray(columns[_metric_column(bare, number, which)], np.float64) for which in ("mean", "low", "high")
        )
        found.append(
            ProfileMetric(one.name, one.unit, one.inclusive, mean, low, high, summarised=bool(said["summarised"]))
        )
    return found


# -- files ---------------------------------------------------------------------------------------------------------


class _Words:
    """Texts of a small table, as a dictionary column."""

    def __init__(self, texts: Iterable[str]) -> None:
        import pyarrow as pa

        self._texts = pa.array([_clean(text) for text in texts], pa.string())

    def of(self, rows: npt.NDArray[np.uint32]) -> Any:
        """The texts of these rows."""
        import pyarrow as pa

        return pa.DictionaryArray.from_arrays(pa.array(rows.astype(np.int32)), self._texts)


def _write(add: Add, name: str, columns: Columns, said: Mapping[str, Any] | None = None) -> None:
    _write_portions(add, name, [columns], said)


def _write_portions(add: Add, name: str, portions: Iterable[Columns], said: Mapping[str, Any] | None = None) -> None:
    """Write a file, one row group for each portion. No portion at all makes a file without columns."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    metadata = {_MARK: json.dumps({"version": VERSION, **(said or {})}).encode()}
    with add(f"{name}.parquet") as file:
        writer = None
        for columns in portions:
            arrays = {column: _array(values) for column, values in columns.items()}
            batch = pa.table(arrays)
            if writer is None:
                schema = batch.schema.with_metadata(metadata)
                writer = pq.ParquetWriter(file, schema, compression="zstd")
            writer.write_table(batch.replace_schema_metadata(metadata))
        if writer is None:
            writer = pq.ParquetWriter(file, pa.schema([], metadata=metadata))
        writer.close()


def _array(values: Any) -> Any:
    import pyarrow as pa

    if isinstance(values, np.ndarray):
        return pa.array(np.ascontiguousarray(values))
    if isinstance(values, list | tuple):
        return pa.array([_clean(text) for text in values], pa.string())
    return values


def _read(
    folder: Path, name: str, budget: Budget, wanted: list[str] | None = None, progress: Progress = silent
) -> dict[str, Any]:
    """The columns of a file: arrays of numbers, or lists of texts."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    with opened(folder / f"{name}.parquet") as source:
        file = pq.ParquetFile(source)
        rows = file.metadata.num_rows
        schema = file.schema_arrow
        columns: dict[str, list[Any]] = {column: [] for column in wanted or schema.names}
        done = 0
        if columns:
            for batch in file.iter_batches(PORTION, columns=list(columns), use_threads=False):
                budget.spend(count=batch.num_rows, size=batch.nbytes)
                progress(f"reading {name}", done, rows)
                done += batch.num_rows
                for column, parts in columns.items():
                    parts.append(_values(batch.column(column)))
    found: dict[str, Any] = {}
    for column, parts in columns.items():
        kind = schema.field(column).type
        if pa.types.is_string(kind) or pa.types.is_dictionary(kind):
            found[column] = [text for part in parts for text in part]
        else:
            found[column] = np.concatenate(parts) if parts else np.empty(0, kind.to_pandas_dtype())
    return found


def _values(column: Any) -> Any:
    """A column of a batch. Raises _Damaged for values that are missing."""
    import pyarrow as pa

    if column.null_count:
        raise _Damaged("a value is missing")
    if pa.types.is_string(column.type) or pa.types.is_dictionary(column.type):
        return column.to_pylist()
    return column.to_numpy(zero_copy_only=False)


def _said(folder: Path, name: str, kind: str) -> dict[str, Any]:
    """What the metadata of a file say."""
    import pyarrow.parquet as pq

    with opened(folder / f"{name}.parquet") as source:
        metadata = pq.read_schema(source).metadata or {}
    try:
        said = json.loads(metadata[_MARK])
    except (KeyError, ValueError, RecursionError):
        raise _Damaged(f"{name}.parquet was not written by cbvtool") from None
    if not isinstance(said, dict) or said.get("kind") != kind:
        raise _Damaged(f"{name}.parquet was not written by cbvtool")
    if said.get("version") != VERSION:
        raise _Damaged("it was written by another version of cbvtool")
    return said


def _header(said: Mapping[str, Any]) -> Header:
    given = dict(said["header"])
    given["arguments"] = tuple(str(argument) for argument in given["arguments"])
    given["parameters"] = {str(name): str(value) for name, value in given["parameters"].items()}
    return Header(**given)


def _counts(given: Any) -> dict[str, int]:
    return {str(name): int(count) for name, count in given.items()}


def _function_columns(functions: Functions) -> Columns:
    return {
        "function": np.arange(len(functions), dtype=np.uint32),
        "name": functions.name,
        "module": functions.module,
        "file": functions.file,
        "line": functions.line,
    }


def _functions(columns: Columns) -> Functions:
    _must(columns, {"line": np.int32})
    return Functions(tuple(columns["name"]), tuple(columns["module"]), tuple(columns["file"]), columns["line"])


def _must(columns: Columns, types: Mapping[str, Any]) -> None:
    """Raises _Damaged unless the columns are of these types."""
    for name, wanted in types.items():
        if np.asarray(columns[name]).dtype != wanted:
            raise _Damaged(f"its column {name} is of another type")


def _table(name: str, columns: Columns) -> Table:
    """A sparse table. Raises _Damaged for one that lacks a column of its schema, or holds texts."""
    schema = SCHEMAS.get(name, {})
    if not schema.keys() <= columns.keys() or any(not isinstance(column, np.ndarray) for column in columns.values()):
        raise _Damaged(f"its table {name} is damaged")
    _must(columns, schema)
    return Table(columns)


def _table_files(tables: Mapping[str, Table]) -> dict[str, str]:
    """The file of each sparse table: its name, where that can be one."""
    return {
        name: name if _FILE_NAME.fullmatch(name) and name not in _OWN else f"table_{number}__"
        for number, name in enumerate(tables)
    }


def _checked(file: object) -> str:
    if not isinstance(file, str) or not _FILE_NAME.fullmatch(file):
        raise _Damaged("its list of tables is damaged")
    return file


def _plain(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    if values.dtype.kind not in "iufb":
        raise InputError("A table of the trace has columns that are neither numbers nor yes or no: Parquet keeps none.")
    return np.asarray(values)


def _portions(count: int) -> Iterator[tuple[int, int]]:
    """Ranges of rows; an empty one for none, so that a file has its columns."""
    yield 0, min(PORTION, count)
    for low in range(PORTION, count, PORTION):
        yield low, min(low + PORTION, count)


def _clean(text: str) -> str:
    """The text as UTF-8 can hold it."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _short(error: object) -> str:
    text = " ".join(str(error).split()) or type(error).__name__
    return (text if len(text) <= 160 else text[:159] + "…").rstrip(".")
