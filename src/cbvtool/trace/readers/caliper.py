"""Profiles of Caliper: `.cali` (through `caliper-reader`) and its JSON ("json-split").

A metric's name is a chain of operators and a base: `min#inclusive#sum#time.duration` is the lowest over ranks of the
sum over visits of the inclusive duration. So inclusive and exclusive metrics are told apart by their names, operators
over ranks become mean, lowest and highest, and values by `mpi.rank` are kept by rank.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from cbvtool.budget import Budget
from cbvtool.progress import Progress
from cbvtool.trace.making.profile_builder import NO_NODE, ProfileBuilder
from cbvtool.trace.readers.content import decimal, whole, whole_number
from cbvtool.trace.readers.lines import text_lines
from cbvtool.trace.readers.reader import Part
from cbvtool.trace.readers.source import TraceSource, UnreadableTrace

NAME = "caliper"
LABEL = "Caliper profile (.cali, JSON)"
OUTSIDE = "(outside of all regions)"
_PATHS = ("path", "source.function#callpath.address", "callpath.address")
_RANK, _THREADS = "mpi.rank", ("omp.thread.id", "thread", "pthread.id")
_OPERATORS = {"min", "max", "avg", "sum", "count", "scale", "percent_total"}
_TIMES = {"sec": 1e9, "s": 1e9, "msec": 1e6, "ms": 1e6, "usec": 1e3, "us": 1e3, "nsec": 1.0, "ns": 1.0}
_OVER_RANKS = {"min": 0, "avg": 1, "max": 2}
_DEEPEST = 2_000  # nodes above one another: the library copies the whole path for each
_MEMORY = 1_500_000_000
_PATH_SIZE, _NODE_SIZE = 16, 1_200  # bytes of memory of a node: for each node above it, and beside
DAMAGED = "damaged records"
NOT_MEASURED = "columns that measure nothing"


class _TooDeep(Exception):
    """A node of the metadata tree that lies within itself, or too deep."""


def sniff(source: TraceSource) -> bool:
    """Records of Caliper, or JSON with its four keys."""
    head = source.head.lstrip()
    if head.startswith(b"__rec="):
        return True
    return head.startswith(b"{") and b'"data"' in head[:4096] and _is_split(source)


def _is_split(source: TraceSource) -> bool:
    """Whether the keys of Caliper's JSON are there: they may stand behind much data."""
    wanted = {b'"columns"', b'"nodes"'}
    rest = b""
    for block in source.blocks(1 << 20):
        text = rest + block
        wanted -= {key for key in wanted if key in text}
        if not wanted:
            return True
        rest = text[-20:]
    return False


def read(source: TraceSource, budget: Budget, progress: Progress) -> list[Part]:
    """One profile."""
    progress("reading", 0, 0)
    reading = _Reading(ProfileBuilder(NAME, budget))
    if source.head.lstrip().startswith(b"__rec="):
        _read_cali(reading, text_lines(source, budget, progress), budget)
    else:
        _read_json(reading, whole(source, budget), budget)
    reading.made.describe(recorder="Caliper")
    if not len(reading.made):
        raise UnreadableTrace("it has no values")
    return [reading.profile()]


@dataclass(frozen=True)
class Meaning:
    """What a metric's name says.

    name       base, with the operator over visits where that is not a sum
    inclusive  whether regions below count, too
    over       operator over ranks: "min", "avg", "max", "sum"; empty = the value of one process
    """

    name: str
    inclusive: bool
    over: str


def meaning(name: str) -> Meaning | None:
    """What a metric is called, told apart; None for the bookkeeping of averages (`avg.sum#...`)."""
    *operators, base = name.split("#")
    if any(operator.startswith(("avg.", "scount", "variance.")) for operator in operators):
        return None
    inclusive = "inclusive" in operators or ".inclusive." in base or base.endswith("(inc)")
    operators = [operator for operator in operators if operator != "inclusive"]
    if any(operator not in _OPERATORS for operator in operators):
        return Meaning(name, inclusive, "")
    over = ""
    if len(operators) > 1 or (operators and name.startswith(f"{operators[0]}#inclusive#")):
        over = operators.pop(0) if len(operators) > 1 else ""
    inner = operators[-1] if operators else "sum"
    base = base.replace(".inclusive.", ".")
    return Meaning(base if inner == "sum" else f"{base} ({inner})", inclusive, over)


@dataclass
class _Reading:
    """Rows as they come: a path of regions, a place, and values by column."""

    made: ProfileBuilder
    meanings: dict[str, Meaning | None] = field(default_factory=dict)
    units: dict[str, str] = field(default_factory=dict)
    summaries: dict[tuple[int, str, bool, str], list[float]] = field(default_factory=dict)

    def row(self, node: int, values: Iterable[tuple[str, float]], place: tuple[int, int] | None) -> None:
        """The values of one record at a node."""
        for column, value in values:
            if column not in self.meanings:
                self.meanings[column] = meaning(column)
            said = self.meanings[column]
            if said is None:
                continue
            unit = self.units.get(column, "")
            value, unit = (value * _TIMES[unit], "ns") if unit in _TIMES else (value, unit)
            if said.name in ("count", "visits"):
                unit = "calls"
            if said.over in _OVER_RANKS:
                key = (node, said.name, said.inclusive, unit)
                self.summaries.setdefault(key, [math.nan] * 3)[_OVER_RANKS[said.over]] = value
            else:
                name = f"{said.name}, all ranks" if said.over == "sum" else said.name
                self.made.add(node, name, value, unit=unit, inclusive=said.inclusive, place=place)

    def path(self, regions: Iterable[str]) -> int:
        """The node of a path, outermost region first."""
        node = NO_NODE
        for region in regions:
            node = self.made.child(self.made.function(region), node)
        return node if node != NO_NODE else self.made.child(self.made.function(OUTSIDE))

    def profile(self) -> Any:
        for (node, name, inclusive, unit), (low, mean, high) in self.summaries.items():
            self.made.summarise(node, name, low, mean, high, unit=unit, inclusive=inclusive)
        return self.made.profile()


def _place(rank: int | None, thread: int | None) -> tuple[int, int] | None:
    """Rank and thread of a record; None = it says neither."""
    return None if rank is None and thread is None else (rank or 0, -1 if thread is None else thread)


# -- .cali ---------------------------------------------------------------------------------------------------------


def _read_cali(reading: _Reading, given: Iterator[str], budget: Budget) -> None:
    from caliperreader import CaliperStreamReader
    from caliperreader.readererror import ReaderError

    reader = CaliperStreamReader()
    reader.db = _metadata(budget)
    memory = Budget(budget.work, size=_MEMORY)
    measuring: dict[str, bool] = {}

    def record(found: Mapping[str, Any]) -> None:
        path: Any = next((found[key] for key in _PATHS if key in found), [])
        regions = [str(region) for region in (path if isinstance(path, list) else [path])]
        rank = whole_number(str(found.get(_RANK, "")))
        thread = next((whole_number(str(found[key])) for key in _THREADS if key in found), None)
        values = []
        for name, text in found.items():
            if name not in measuring:
                measuring[name] = _is_metric(name, reader.db.attributes.get(name))
                reading.units[name] = _unit(reader.db.attributes.get(name))
                reading.made.omissions[NOT_MEASURED] += not measuring[name] and name not in (*_PATHS, _RANK, *_THREADS)
            value = decimal(text) if measuring[name] and isinstance(text, str) else None
            if value is not None:
                values.append((name, value))
        if values:
            reading.row(reading.path(regions), values, _place(rank, thread))

    for number, line in enumerate(given):
        if not number % 256:
            budget.spend(count=256)
        if not line.strip():
            continue
        memory.spend(size=len(line))
        try:
            reader.read([line], record)
        except (ReaderError, *_FAULTS):
            reading.made.omissions[DAMAGED] += 1
    parameters = {str(key): str(value) for key, value in reader.globals.items()}
    reading.made.describe(parameters=parameters, program=parameters.get("executablepath", ""))
    if not reading.made.omissions[NOT_MEASURED]:
        del reading.made.omissions[NOT_MEASURED]


# What the library raises for records that make no sense; `StopIteration`: a backslash that ends the line.
_FAULTS: tuple[type[Exception], ...] = (
    _TooDeep,
    KeyError,
    ValueError,
    IndexError,
    AttributeError,
    TypeError,
    StopIteration,
    RuntimeError,
)


def _metadata(budget: Budget) -> Any:
    """The library's tree of metadata, that refuses nodes above themselves and counts what their paths take."""
    from caliperreader.metadatadb import MetadataDB, Node

    memory = Budget(budget.work, size=_MEMORY)
    depth: dict[int, int] = {}

    class Guarded(MetadataDB):  # type: ignore[misc] # the library has no types
        def import_node(self, node_id: int, attribute_id: int, data: str, parent_id: int = Node.CALI_INV_ID) -> None:
            deep = depth.get(parent_id, 0) + 1
            if node_id == parent_id or deep > _DEEPEST:
                raise _TooDeep
            memory.spend(size=_NODE_SIZE + _PATH_SIZE * deep)
            depth[node_id] = deep
            super().import_node(node_id, attribute_id, data, parent_id)

    return Guarded()


def _is_metric(name: str, attribute: Any) -> bool:
    """Whether a column of a `.cali` measures: by its properties, or by its name where old files have none."""
    if "#" in name and name not in _PATHS:
        return meaning(name) is None or "callpath" not in name
    if attribute is None:
        return False
    try:
        return bool(attribute.is_aggregatable()) or name == "count" or name.endswith(".duration")
    except _FAULTS:
        return False


def _unit(attribute: Any) -> str:
    try:
        found = attribute.get("attribute.unit")
    except _FAULTS:
        return ""
    return found if isinstance(found, str) else ""


# -- JSON ----------------------------------------------------------------------------------------------------------


class _Node(msgspec.Struct):
    label: str
    column: str = ""
    parent: int | None = None


class _Column(msgspec.Struct):
    is_value: bool = True
    unit: str = msgspec.field(default="", name="attribute.unit")


class _Split(msgspec.Struct):
    data: list[list[float | None]]
    columns: list[str]
    nodes: list[_Node]
    column_metadata: list[_Column] = []


def _read_json(reading: _Reading, data: bytes, budget: Budget) -> None:
    """`data` holds rows of numbers: values, or, in columns that are no values, rows of `nodes`."""
    try:
        split = msgspec.json.decode(data, type=_Split)
        extra = msgspec.json.decode(data, type=dict[str, msgspec.Raw])
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        raise UnreadableTrace(f"its JSON is not what Caliper writes ({_short(error)})") from None
    columns = split.columns
    described = split.column_metadata + [_Column()] * (len(columns) - len(split.column_metadata))
    for name, column in zip(columns, described, strict=False):
        reading.units[name] = column.unit
    path = next((columns.index(name) for name in _PATHS if name in columns), -1)
    rank = columns.index(_RANK) if _RANK in columns else -1
    thread = next((columns.index(name) for name in _THREADS if name in columns), -1)
    others = {path, rank, thread}
    values = [at for at, column in enumerate(described[: len(columns)]) if column.is_value and at not in others]
    if skipped := sum(at not in others and at not in values for at in range(len(columns))):
        reading.made.omissions[NOT_MEASURED] += skipped
    node_of = _json_nodes(reading, split.nodes)
    for number, row in enumerate(split.data):
        if not number % 4096:
            budget.spend(count=4096)
        if len(row) != len(columns):
            reading.made.omissions[DAMAGED] += 1
            continue
        at = _index(row[path]) if path >= 0 else None
        if path >= 0 and row[path] is not None and (at is None or not 0 <= at < len(split.nodes)):
            reading.made.omissions[DAMAGED] += 1
            continue
        node = reading.path([]) if at is None else node_of(at)
        if node == NO_NODE:
            reading.made.omissions[DAMAGED] += 1
            continue
        place = _place(_index(row[rank]) if rank >= 0 else None, _index(row[thread]) if thread >= 0 else None)
        reading.row(node, ((columns[at], v) for at in values if (v := row[at]) is not None), place)
    known = {"data", "columns", "nodes", "column_metadata"}
    parameters = {key: _short(bytes(raw).decode("utf-8", "replace").strip('"')) for key, raw in extra.items()}
    reading.made.describe(parameters={key: value for key, value in parameters.items() if key not in known})


def _json_nodes(reading: _Reading, nodes: list[_Node]) -> Callable[[int], int]:
    """From a row of `nodes` to the node of its path; `NO_NODE` for one whose parents make no tree."""
    made: dict[int, int] = {}

    def node_of(at: int) -> int:
        path: list[int] = []
        seen: set[int] = set()
        here: int | None = at
        while here is not None and here not in made:
            if here in seen or not 0 <= here < len(nodes):
                return NO_NODE
            seen.add(here)
            path.append(here)
            here = nodes[here].parent
        node = NO_NODE if here is None else made[here]
        for place in reversed(path):
            node = made[place] = reading.made.child(reading.made.function(nodes[place].label), node)
        return node

    return node_of


def _index(value: float | None) -> int | None:
    """A whole number that JSON may write with decimals."""
    return int(value) if value is not None and abs(value) < 2**62 and value == int(value) else None


def _short(thing: object) -> str:
    text = str(thing)
    return text if len(text) <= 200 else text[:199] + "…"
