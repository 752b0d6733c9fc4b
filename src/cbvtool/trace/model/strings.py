"""Many texts as two arrays: they can be memory-mapped, and one costs its bytes and eight more."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

NO_TEXT = 0  # the empty text is always the first one


@dataclass(frozen=True, eq=False)
class Strings:
    """s texts, of which the first is empty: text i is `data[ptr[i]:ptr[i + 1]]` in UTF-8.

    data  uint8[bytes]
    ptr   int64[s + 1]
    """

    data: npt.NDArray[np.uint8]
    ptr: npt.NDArray[np.int64]

    @staticmethod
    def of(texts: Iterable[str]) -> Strings:
        """The table of these texts, the first of which must be empty. What UTF-8 cannot say becomes `?`."""
        encoded = [text.encode("utf-8", "replace") for text in texts]
        if not encoded or encoded[0]:
            raise ValueError("the first text is the empty one")
        ptr = np.zeros(len(encoded) + 1, np.int64)
        np.cumsum([len(text) for text in encoded], out=ptr[1:])
        data = np.frombuffer(b"".join(encoded), np.uint8)
        ptr.flags.writeable = False
        return Strings(data, ptr)

    def __len__(self) -> int:
        return len(self.ptr) - 1

    def __getitem__(self, number: int) -> str:
        if not 0 <= number < len(self):
            raise IndexError(number)
        return bytes(self.data[self.ptr[number] : self.ptr[number + 1]]).decode("utf-8", "replace")

    def __iter__(self) -> Iterator[str]:
        return (self[number] for number in range(len(self)))


class Pool:
    """Texts that are being collected: each once, numbered in the order in which they came, after the empty one."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {"": NO_TEXT}

    def __len__(self) -> int:
        return len(self._numbers)

    def number(self, text: str) -> int:
        """The number of `text`, a new one if it was not seen yet."""
        return self._numbers.setdefault(text, len(self._numbers))

    def strings(self) -> Strings:
        """The texts collected so far."""
        return Strings.of(self._numbers)
