"""A trace or profile as a folder: a column a file, and `header.json`. Opened mapped: nothing is read until it is used.

docs/formats.md describes it. What this version does not know is kept: members of the header, tables, columns.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec import Meta, Struct

from cbvtool.errors import InputError
from cbvtool.formats.atomic import replacing_folder
from cbvtool.progress import Progress, silent
from cbvtool.regular_file import Unreadable, read_bytes
from cbvtool.trace.model.profile import Profile, ProfileMetric
from cbvtool.trace.model.strings import Strings
from cbvtool.trace.model.table import SCHEMAS, Table
from cbvtool.trace.model.trace import NO_CALL, Calls, Functions, Header, Resources, Threads, Trace
from cbvtool.trace.store.columns import Array, WrongColumn, read_column, write_column

FORMAT, VERSION = "cbvtool-trace", 1
HEADER = "header.json"
ENDING = ".cbvtrace"  # of folders, by custom; they are known by their content
_MOST_HEADER = 1 << 26  # bytes
_NAME = r"[A-Za-z_][\w-]{0,63}"  # of tables and columns
_OURS = re.compile(r"header\.json|[\w-]+(\.[\w-]+)*\.npy", re.ASCII)

_Name = Annotated[str, Meta(pattern=rf"^{_NAME}\Z")]
_Count = Annotated[int, Meta(ge=0, le=2**63 - 1)]
_Long = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]


class _StoredMetric(Struct):
    name: str
    unit: str
    inclusive: bool
    by_place: bool = False


class _Stored(Struct, kw_only=True):
    """`header.json`. The reader's name is `source`; `cpu`: calls have that column."""

    format: Literal["cbvtool-trace"]
    version: int
    kind: Literal["trace", "profile"]
    program: str = ""
    arguments: tuple[str, ...] = ()
    commit: str = ""
    dirty: bool | None = None
    hash_seed: str = ""
    run: _Long = 0
    machine: str = ""
    clock: str = ""
    began: _Long = 0
    source: str = ""
    recorder: str = ""
    parameters: dict[str, str] = {}
    repairs: dict[str, _Count] = {}
    omissions: dict[str, _Count] = {}
    cpu: bool = False
    tables: dict[_Name, tuple[_Name, ...]] = {}
    sampled: bool = False
    metrics: tuple[_StoredMetric, ...] = ()
    places: tuple[tuple[_Long, _Long], ...] = ()


_KNOWN = frozenset(_Stored.__struct_fields__)


# -- writing -------------------------------------------------------------------------------------------------------


def write_folder(path: Path, part: Trace | Profile, progress: Progress = silent) -> None:
    """Write a trace or profile as the folder `path`, completely or not at all.

    Replaces an empty folder, or one that holds nothing but a trace; one that is mapped stays readable to who has it
    open. Raises InputError, and what `progress` raises.
    """
    if reason := _why_not_replaceable(path):
        raise InputError(f"{path} cannot be replaced: {reason}; choose another name.")
    columns = dict(_columns(part))
    total, done = sum(column.nbytes for column in columns.values()), 0

    def advance(size: int) -> None:
        nonlocal done
        done += size
        progress("Writing the trace: bytes", done, total)

    with replacing_folder(path) as add:
        for name, column in columns.items():
            write_column(add, name, column, advance)
        with add(HEADER) as file:
            file.write(_header(part))


def _why_not_replaceable(path: Path) -> str:
    try:
        if not path.exists():
            return "" if path.parent.is_dir() else f"there is no folder {path.parent}"
        if not path.is_dir():
            return "it is a file"
        names = [entry.name for entry in path.iterdir()]
        strange = next((entry.name for entry in path.iterdir() if not _OURS.fullmatch(entry.name)), None)
        if strange is not None:
            return f"it holds {strange}, which is no part of a trace"
        if names and HEADER not in names:
            return f"it holds no trace, but {names[0]}"
    except (OSError, ValueError) as error:
        return getattr(error, "strerror", None) or str(error)
    return ""


def _header(part: Trace | Profile) -> bytes:
    header = part.header
    said = {known.name: getattr(header, known.name) for known in fields(header) if known.name != "unknown"}
    said["source"] = said.pop("format")
    said |= {"repairs": dict(part.repairs), "omissions": dict(part.omissions)}
    if isinstance(part, Trace):
        said |= {"cpu": part.calls.cpu is not None}
        said["tables"] = {name: list(table.columns) for name, table in part.tables.items()}
    else:
        metrics = [(metric.name, metric.unit, metric.inclusive, metric.by_place is not None) for metric in part.metrics]
        said |= {"sampled": part.sampled, "places": part.places}
        said["metrics"] = [_StoredMetric(*metric) for metric in metrics]
    kind = "trace" if isinstance(part, Trace) else "profile"
    said = {"format": FORMAT, "version": VERSION, "kind": kind} | said
    said |= {name: value for name, value in header.unknown.items() if name not in said}
    return msgspec.json.format(msgspec.json.encode(_sayable(msgspec.to_builtins(said))), indent=1)


def _sayable(value: Any) -> Any:
    """The same, with `?` for what UTF-8 cannot say."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, Mapping):
        return {_sayable(key): _sayable(item) for key, item in value.items()}
    return [_sayable(item) for item in value] if isinstance(value, list | tuple) else value


def _columns(part: Trace | Profile) -> Iterator[tuple[str, Array]]:
    """File name -> column."""
    functions = part.functions
    for name in ("name", "module", "file"):
        yield from _texts(f"functions.{name}", getattr(functions, name))
    yield "functions.line.npy", functions.line
    if isinstance(part, Profile):
        for name in ("function", "parent", "end_row", "site_line"):
            yield f"nodes.{name}.npy", getattr(part, name)
        yield from _texts("nodes.site_file", part.site_file)
        for number, metric in enumerate(part.metrics):
            for name in ("mean", "low", "high", "by_place"):
                if (column := getattr(metric, name)) is not None:
                    yield f"metrics.{number}.{name}.npy", column
        return
    for known in fields(Calls):
        if (column := getattr(part.calls, known.name)) is not None:
            yield f"calls.{known.name}.npy", column
    for what, rows in (("threads", part.threads), ("resources", part.resources)):
        for known in fields(rows):
            values = getattr(rows, known.name)
            if isinstance(values, tuple):
                yield from _texts(f"{what}.{known.name}", values)
            else:
                yield f"{what}.{known.name}.npy", values
    yield "strings.data.npy", part.strings.data
    yield "strings.ptr.npy", part.strings.ptr
    yield "open_rows.npy", part.open_rows
    for table_name, table in part.tables.items():
        for name, column in table.columns.items():
            if not (re.fullmatch(_NAME, table_name, re.ASCII) and re.fullmatch(_NAME, name, re.ASCII)):
                raise ValueError(f"a table or column cannot be called {table_name}, {name}")
            yield f"tables.{table_name}.{name}.npy", column


def _texts(name: str, texts: tuple[str, ...]) -> Iterator[tuple[str, Array]]:
    strings = Strings.of(("", *texts))
    yield f"{name}.data.npy", strings.data
    yield f"{name}.ptr.npy", strings.ptr[1:]


# -- reading -------------------------------------------------------------------------------------------------------


def is_trace_folder(path: Path) -> bool:
    """Whether the folder `path` says that it holds a trace or profile."""
    try:
        return FORMAT.encode() in read_bytes(str(path / HEADER), _MOST_HEADER)
    except (Unreadable, OSError, ValueError):
        return False


def open_folder(path: Path) -> Trace | Profile:
    """The trace or profile in a folder, mapped.

    Names, lengths, types and offsets are checked; rows of calls and tables are not, as that reads them all:
    `making.checking.faults` does. Raises InputError in one sentence.
    """
    try:
        said, unknown = _read_header(path)
        opened: Trace | Profile = (_open_trace if said.kind == "trace" else _open_profile)(path, said, unknown)
    except (WrongColumn, Unreadable, msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise InputError(f"{path} cannot be read: {_sentence(error)}.") from error
    except OSError as error:
        missing = f"{Path(str(error.filename)).name}: " if error.filename else ""
        raise InputError(f"{path} cannot be read: {missing}{error.strerror or error}.") from error
    return opened


def _sentence(error: Exception) -> str:
    if isinstance(error, msgspec.MsgspecError):
        return f"its {HEADER} is damaged: {error}".replace("\n", " ").rstrip(".")
    return f"its {HEADER} is damaged" if isinstance(error, RecursionError) else str(error)


def _read_header(path: Path) -> tuple[_Stored, dict[str, Any]]:
    try:
        data = read_bytes(str(path / HEADER), _MOST_HEADER)
    except Unreadable as error:
        raise WrongColumn(f"{HEADER} {error}") from error
    said = msgspec.json.decode(data)
    if not isinstance(said, dict) or said.get("format") != FORMAT:
        raise WrongColumn(f"its {HEADER} is not that of a trace")
    version = said.get("version")
    if isinstance(version, int) and version > VERSION:
        raise WrongColumn(
            f"it is in version {version} of its format, this cbvtool knows {VERSION}; install a newer one"
        )
    return msgspec.convert(said, _Stored), {name: value for name, value in said.items() if name not in _KNOWN}


def _told(said: _Stored, unknown: dict[str, Any]) -> Header:
    same = {
        known.name: getattr(said, known.name) for known in fields(Header) if known.name not in ("format", "unknown")
    }
    return Header(**same, format=said.source, unknown=unknown)


def _open_trace(path: Path, said: _Stored, unknown: dict[str, Any]) -> Trace:
    functions = _functions(path)
    function = read_column(path / "calls.function.npy", dtype=np.uint32)
    n = len(function)
    if n >= 2**32 - 1:
        raise WrongColumn("it has more calls than rows of 32 bits can number")
    depth = read_column(path / "calls.depth.npy", length=n)
    if depth.dtype not in (np.uint16, np.uint32):
        raise WrongColumn(f"calls.depth.npy holds {depth.dtype}")
    calls = Calls(
        _flat(function),
        read_column(path / "calls.start.npy", dtype=np.int64, length=n),
        read_column(path / "calls.end.npy", dtype=np.int64, length=n),
        depth,
        read_column(path / "calls.end_row.npy", dtype=np.uint32, length=n),
        read_column(path / "calls.cpu.npy", dtype=np.int64, length=n) if said.cpu else None,
    )
    threads = _threads(path, n)
    open_rows = _flat(read_column(path / "open_rows.npy", dtype=np.uint32))
    _need(not len(open_rows) or (int(open_rows[-1]) < n and bool((open_rows[1:] > open_rows[:-1]).all())), "open_rows")
    strings = Strings(
        _flat(read_column(path / "strings.data.npy", dtype=np.uint8)),
        _flat(read_column(path / "strings.ptr.npy", dtype=np.int64)),
    )
    ptr = strings.ptr
    _need(len(ptr) > 1 and ptr[0] == 0 and ptr[1] == 0 and int(ptr[-1]) == len(strings.data), "strings")
    return Trace(
        _told(said, unknown),
        functions,
        calls,
        threads,
        _resources(path, len(threads)),
        strings,
        open_rows,
        {name: _table(path, name, columns) for name, columns in said.tables.items()},
        said.repairs,
        said.omissions,
        path,
    )


def _flat(column: Array) -> Array:
    if column.ndim != 1:
        raise WrongColumn("a column has two dimensions")
    return column


def _need(right: bool, what: str) -> None:
    if not right:
        raise WrongColumn(f"{what} does not fit the rest")


def _strings(path: Path, name: str, length: int | None = None) -> tuple[str, ...]:
    data = _flat(read_column(path / f"{name}.data.npy", dtype=np.uint8))
    ptr = _flat(read_column(path / f"{name}.ptr.npy", dtype=np.int64, length=None if length is None else length + 1))
    _need(len(ptr) > 0 and ptr[0] == 0 and int(ptr[-1]) == len(data) and bool((ptr[1:] >= ptr[:-1]).all()), name)
    text, at = data.tobytes(), ptr.tolist()
    return tuple(text[low:high].decode("utf-8", "replace") for low, high in pairwise(at))


def _functions(path: Path) -> Functions:
    name = _strings(path, "functions.name")
    f = len(name)
    line = read_column(path / "functions.line.npy", dtype=np.int32, length=f)
    return Functions(name, _strings(path, "functions.module", f), _strings(path, "functions.file", f), line)


def _threads(path: Path, calls: int) -> Threads:
    name = _strings(path, "threads.name")
    t = len(name)
    texts = {column: _strings(path, f"threads.{column}", t) for column in ("process_name", "kind")}
    process, id, creator, first, last = (
        read_column(path / f"threads.{column}.npy", dtype=np.int64, length=t)
        for column in ("process", "id", "creator", "first", "last")
    )
    sampled = read_column(path / "threads.sampled.npy", dtype=np.bool_, length=t)
    ptr = read_column(path / "threads.ptr.npy", dtype=np.int64, length=t + 1)
    _need(ptr[0] == 0 and ptr[-1] == calls and bool((ptr[1:] >= ptr[:-1]).all()), "threads.ptr")
    _need(bool(((creator >= NO_CALL) & (creator < calls)).all()), "threads.creator")
    return Threads(process, id, name, sampled=sampled, creator=creator, first=first, last=last, ptr=ptr, **texts)


def _resources(path: Path, threads: int) -> Resources:
    name = _strings(path, "resources.name")
    r = len(name)
    parent = read_column(path / "resources.parent.npy", dtype=np.int32, length=r)
    thread = read_column(path / "resources.thread.npy", dtype=np.int32, length=r)
    _need(bool(((parent >= -1) & (parent < np.arange(r))).all()), "resources.parent")
    _need(bool(((thread >= -1) & (thread < threads)).all()), "resources.thread")
    return Resources(name, _strings(path, "resources.kind", r), parent, thread)


def _table(path: Path, name: str, columns: tuple[str, ...]) -> Table:
    schema: Mapping[str, npt.DTypeLike] = SCHEMAS.get(name, {})
    if missing := set(schema) - set(columns):
        raise WrongColumn(f"its table {name} has no column {min(missing)}")
    found: dict[str, Array] = {}
    for column in columns:
        length = len(next(iter(found.values()))) if found else None
        read = read_column(path / f"tables.{name}.{column}.npy", dtype=schema.get(column), length=length)
        found[column] = _flat(read)
    return Table(found)


def _open_profile(path: Path, said: _Stored, unknown: dict[str, Any]) -> Profile:
    functions = _functions(path)
    function = _flat(read_column(path / "nodes.function.npy", dtype=np.uint32))
    n = len(function)
    parent, end_row, site_line = (
        read_column(path / f"nodes.{column}.npy", dtype=np.int32, length=n)
        for column in ("parent", "end_row", "site_line")
    )
    rows = np.arange(n)
    _need(not n or int(function.max()) < len(functions), "nodes.function")
    _need(bool(((parent >= -1) & (parent < rows)).all()), "nodes.parent")
    _need(bool(((end_row > rows) & (end_row <= n)).all()), "nodes.end_row")
    below = np.flatnonzero(parent >= 0)
    _need(bool((end_row[below] <= end_row[parent[below]]).all()), "nodes.end_row")
    metrics = []
    for number, metric in enumerate(said.metrics):
        mean, low, high = (
            read_column(path / f"metrics.{number}.{column}.npy", dtype=np.float64, length=n)
            for column in ("mean", "low", "high")
        )
        by_place = None
        if metric.by_place:
            by_place = read_column(path / f"metrics.{number}.by_place.npy", dtype=np.float64, length=n)
            _need(by_place.shape == (len(said.places), n), f"metrics.{number}.by_place")
        metrics.append(ProfileMetric(metric.name, metric.unit, metric.inclusive, mean, low, high, by_place))
    return Profile(
        _told(said, unknown),
        functions,
        function,
        parent,
        end_row,
        _strings(path, "nodes.site_file", n),
        site_line,
        tuple(metrics),
        said.places,
        said.sampled,
        said.repairs,
        said.omissions,
    )
