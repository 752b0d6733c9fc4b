"""Events of many threads, mixed as they were recorded, kept so that those of one thread can be had at once."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from types import TracebackType
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from cbvtool.trace.kernels import kernel
from cbvtool.trace.making.builder import ThreadEvents
from cbvtool.trace.making.matching import END

Array = npt.NDArray[Any]
IN_MEMORY = 256_000_000  # bytes, beyond which columns go to a temporary file


@kernel
def by_thread(
    thread: npt.NDArray[np.uint32],
    kind: npt.NDArray[np.uint8],
    first: npt.NDArray[np.int64],
    calls: npt.NDArray[np.int64],
    place: npt.NDArray[np.uint32],
) -> None:
    """Where each row stands when rows are grouped by thread, in their order.

    first  int64[threads + 1], zeros: gets where the rows of each thread begin
    calls  int64[threads]: the number of begins and spans is added
    """
    for row in range(len(thread)):
        first[thread[row] + 1] += 1
        calls[thread[row]] += kind[row] != END
    for row in range(1, len(first)):
        first[row] += first[row - 1]
    free = first[:-1].copy()
    for row in range(len(thread)):
        place[free[thread[row]]] = row
        free[thread[row]] += 1


@dataclass(frozen=True, eq=False)
class _Chunk:
    """Rows grouped by thread: those of thread i are `first[i]:first[i + 1]`. Columns: arrays, or places in a file."""

    first: npt.NDArray[np.int64]
    columns: tuple[Array | int | None, ...]


_DTYPES: tuple[np.dtype[Any], ...] = (
    np.dtype(np.uint8),
    np.dtype(np.uint32),
    *[np.dtype(np.int64)] * 2,
    np.dtype(np.uint32),
    np.dtype(np.int64),
)


class EventStore:
    """The events of threads 0, 1, ... in the order in which they came. Leaving its context gives up its file.

    calls      int64[threads], how many begins and spans each has
    counts     int64[threads], how many events each has
    in_memory  bytes that are kept in memory; the rest goes to a temporary file
    """

    def __init__(self, in_memory: int = IN_MEMORY) -> None:
        self.calls = self.counts = np.zeros(0, np.int64)
        self._chunks: list[_Chunk] = []
        self._left = in_memory
        self._file: IO[bytes] | None = None

    def __enter__(self) -> EventStore:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._chunks.clear()
        if self._file is not None:
            self._file.close()

    def add(self, threads: int, thread: Array, kind: Array, columns: tuple[Array | None, ...]) -> None:
        """Keep e events.

        threads  how many there are by now
        thread   uint32[e]
        kind     uint8[e], see `matching.match`
        columns  function uint32[e], time int64[e], finish int64[e], arguments uint32[e] or None, cpu int64[e] or None
        """
        if threads > len(self.calls):
            more = np.zeros(threads - len(self.calls), np.int64)
            self.calls, self.counts = np.concatenate((self.calls, more)), np.concatenate((self.counts, more))
        first, place = np.zeros(threads + 1, np.int64), np.empty(len(kind), np.uint32)
        by_thread(thread, kind, first, self.calls, place)
        self.counts += np.diff(first)
        grouped = [None if column is None else column[place] for column in (kind, *columns)]
        size = sum(column.nbytes for column in grouped if column is not None)
        self._left -= size
        if self._left >= 0:
            self._chunks.append(_Chunk(first, tuple(grouped)))
            return
        if self._file is None:
            self._file = tempfile.TemporaryFile()  # noqa: SIM115 -- closed by __exit__
        places: list[int | None] = []
        for column in grouped:
            places.append(None if column is None else self._file.seek(0, 2))
            if column is not None:
                self._file.write(column.data)
        self._chunks.append(_Chunk(first, tuple(places)))

    def events(self, thread: int) -> tuple[ThreadEvents, Array | None, Array | None]:
        """The events of a thread, their arguments and CPU times.

        None = no event has some; 0 and the least number of 64 bits = that one has none.
        """
        parts = [chunk for chunk in self._chunks if thread + 1 < len(chunk.first)]
        count = sum(int(chunk.first[thread + 1] - chunk.first[thread]) for chunk in parts)
        made: list[Any] = []
        for column, dtype in enumerate(_DTYPES):
            if column > 3 and all(chunk.columns[column] is None for chunk in parts):
                made.append(None)
                continue
            whole = np.empty(count, dtype)
            low = 0
            for chunk in parts:
                begin, end = chunk.first[thread : thread + 2].tolist()
                if begin < end:
                    self._fill(whole[low : low + end - begin], chunk.columns[column], begin, column)
                    low += end - begin
            made.append(whole)
        kind, function, time, finish, arguments, cpu = made
        return ThreadEvents(kind, function, time, finish), arguments, cpu

    def _fill(self, out: Array, source: Array | int | None, begin: int, column: int) -> None:
        if source is None:
            out[:] = 0 if column == 4 else np.iinfo(np.int64).min
        elif isinstance(source, int):
            assert self._file is not None
            self._file.seek(source + begin * out.itemsize)
            view = out.data.cast("B")
            while len(view):
                count = self._file.readinto(view)  # type: ignore[attr-defined]  # IO has no readinto, all such files have
                if not count:
                    raise OSError(None, "its temporary file was cut off")
                view = view[count:]
        else:
            out[:] = source[begin : begin + len(out)]
