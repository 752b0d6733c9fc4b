"""Sparse tables of a trace: what is known of some calls only, or of none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
NO_ROW = 2**32 - 1  # in columns of calls: no call

# The tables that the program knows, with the columns of each. Times are ns, calls are rows of `Calls`, texts are
# numbers in `Trace.strings`, resources rows of `Trace.resources`, threads rows of `Trace.threads`, objects
# rows of `objects`. A set of objects is several rows that differ in `object` alone. A trace may hold other
# tables: they are kept.
SCHEMAS: Mapping[str, Mapping[str, npt.DTypeLike]] = MappingProxyType(
    {
        # what is waited for, released, read and written: `id` as recorded (an address, a number), `kind` such as "lock"
        "objects": {"process": np.int64, "id": np.int64, "kind": np.uint32, "name": np.uint32},
        # `all`: the call waits for all of its objects, not for any
        "waits": {"call": np.uint32, "object": np.uint32, "start": np.int64, "end": np.int64, "all": np.bool_},
        "releases": {"call": np.uint32, "object": np.uint32, "time": np.int64},
        # `bytes` is -1 where it is unknown
        "io": {
            "call": np.uint32,
            "object": np.uint32,
            "start": np.int64,
            "end": np.int64,
            "bytes": np.int64,
            "write": np.bool_,
        },
        # `kind` is a text: "flow", "spawn", "task", "resumption"
        "links": {
            "source": np.uint32,
            "target": np.uint32,
            "kind": np.uint32,
            "source_time": np.int64,
            "target_time": np.int64,
        },
        # one track is one (resource, name)
        "counters": {"resource": np.int32, "name": np.uint32, "time": np.int64, "value": np.float64},
        # marks and log lines; `thread` is -1 for those of a process or of all
        "instants": {"thread": np.int32, "call": np.uint32, "time": np.int64, "name": np.uint32, "text": np.uint32},
        # `nested`: it lies within another state of the same resource
        "states": {"resource": np.int32, "start": np.int64, "end": np.int64, "name": np.uint32, "nested": np.bool_},
        "arguments": {"call": np.uint32, "name": np.uint32, "value": np.uint32},
        "returns": {"call": np.uint32, "value": np.uint32},
        # the object whose method is called; where the call stands in the source
        "receivers": {"call": np.uint32, "object": np.uint32},
        "call_sites": {"call": np.uint32, "file": np.uint32, "line": np.int32},
    }
)


@dataclass(frozen=True, eq=False)
class Table:
    """r rows as read-only columns of equal length, by name, in an order that says nothing unless the schema does."""

    columns: Mapping[str, Array]

    def __post_init__(self) -> None:
        lengths = {len(column) for column in self.columns.values()}
        if len(lengths) > 1:
            raise ValueError(f"columns of different lengths: {sorted(lengths)}")
        for column in self.columns.values():
            column.flags.writeable = False
        object.__setattr__(self, "columns", MappingProxyType(dict(self.columns)))

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()))) if self.columns else 0

    def __getitem__(self, column: str) -> Array:
        return self.columns[column]

    def take(self, rows: Array) -> Table:
        """The rows of an index or mask, in that order."""
        return Table({name: column[rows] for name, column in self.columns.items()})

    @staticmethod
    def empty(name: str) -> Table:
        """A known table without rows."""
        return Table({column: np.empty(0, dtype) for column, dtype in SCHEMAS[name].items()})
