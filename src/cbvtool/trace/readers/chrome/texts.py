"""The distinct texts of a trace, and its threads, as the compiled scan numbers them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cbvtool.trace.readers.chrome.scan import TEXT_BYTES, TEXTS, THREADS, text_number, thread_number
from cbvtool.trace.readers.source import UnreadableTrace

_Bytes = npt.NDArray[np.uint8]
_Longs = npt.NDArray[np.int64]
MOST_BYTES = 1 << 30  # of distinct texts
KEPT_ARGUMENTS = 1 << 25  # bytes of distinct texts, beyond which arguments of calls are left out


def words_of(data: npt.NDArray[np.uint8]) -> npt.NDArray[np.int64]:
    """The eight bytes from each byte on, as a number: a view."""
    return np.ndarray((len(data) - 7,), np.int64, data.data, strides=(1,))


class Texts:
    """Texts as they stand in the file, without quotes; the first one is empty. See `scan.text_number`."""

    def __init__(self, counts: npt.NDArray[np.int64]) -> None:
        self._counts = counts
        self.data = np.empty(1 << 20, np.uint8)
        self.words = words_of(self.data)
        self.ptr = np.zeros((1 << 14) + 1, np.int64)
        self.hashes = np.zeros(1 << 14, np.int64)
        self.slots = np.full(1 << 15, -1, np.int32)
        text_number(self.words, 0, 0, self.data, self.words, self.ptr, self.hashes, self.slots, counts)

    @property
    def table(self) -> tuple[_Bytes, _Longs, _Longs, _Longs, npt.NDArray[np.int32]]:
        """What the scan takes."""
        return self.data, self.words, self.ptr, self.hashes, self.slots

    def __len__(self) -> int:
        return int(self._counts[TEXTS])

    def __getitem__(self, number: int) -> bytes:
        return self.data[self.ptr[number] : self.ptr[number + 1]].tobytes()

    def hold(self, part: bytes) -> bool:
        """Whether any of them contains it."""
        return part in self.data[: self._counts[TEXT_BYTES]].tobytes()

    def grow(self, size: int) -> None:
        """Make room for as many texts again, and for one of `size` bytes. Raises UnreadableTrace."""
        used, count = int(self._counts[TEXT_BYTES]), len(self)
        if used + size > MOST_BYTES:
            raise UnreadableTrace("its names take more than 1 GB")
        if 2 * (used + size) > len(self.data):
            data = np.empty(2 * (used + size) + 16, np.uint8)
            data[:used] = self.data[:used]
            self.data, self.words = data, words_of(data)
        if 2 * count >= len(self.hashes):
            room = 4 * len(self.hashes)
            self.ptr = np.concatenate((self.ptr, np.zeros(room + 1 - len(self.ptr), np.int64)))
            self.hashes = np.concatenate((self.hashes, np.zeros(room - len(self.hashes), np.int64)))
            self.slots = np.full(2 * room, -1, np.int32)
            mask = len(self.slots) - 1
            for number, slot in enumerate((self.hashes[:count] & mask).tolist()):
                while self.slots[slot] >= 0:
                    slot = (slot + 1) & mask
                self.slots[slot] = number


class ThreadKeys:
    """Process and thread of each thread, as numbers of the scan. See `scan.thread_number`."""

    def __init__(self, counts: npt.NDArray[np.int64]) -> None:
        self._counts = counts
        self.keys = np.zeros(1 << 10, np.int64)
        self.slots = np.full(1 << 10, -1, np.int32)

    def __len__(self) -> int:
        return int(self._counts[THREADS])

    def pairs(self) -> list[tuple[int, int]]:
        """(process, thread) of each."""
        keys = self.keys[: 2 * len(self)].tolist()
        return list(zip(keys[::2], keys[1::2], strict=True))

    def grow(self) -> None:
        """Make room for four times as many."""
        pairs = self.pairs()
        self.keys = np.zeros(4 * len(self.keys), np.int64)
        self.slots = np.full(len(self.keys), -1, np.int32)
        self._counts[THREADS] = 0
        for process, thread in pairs:
            thread_number(process, thread, self.keys, self.slots, self._counts)
