"""The part of Python's marshal format that files of pstats use, read without `marshal`, which trusts its input.

Source: Python/marshal.c, versions 0 to 5. Code objects and everything else that pstats does not write are refused.
"""

from __future__ import annotations

import math
import struct
from typing import Any

from cbvtool.budget import Budget
from cbvtool.trace.readers.source import UnreadableTrace

_REFERABLE = 0x80  # flag: the value is numbered for later references
_DEEPEST = 20
_NOTHING = object()  # ends a dict
_NOT_YET = object()  # a tuple whose items are being read
_CUT_OFF = "it is cut off"


def loads(data: bytes, budget: Budget) -> Any:
    """The value of a marshal file: None, bools, numbers, texts, bytes, tuples, lists and dicts of them.

    Raises UnreadableTrace for anything else, and for a file that is cut off or whose counts are more than it holds.
    """
    return _Values(data, budget).value(0)


class _Values:
    def __init__(self, data: bytes, budget: Budget) -> None:
        self._data, self._budget = data, budget
        self._at = self._unpaid = 0
        self._references: list[Any] = []
        self._interned: list[bytes] = []  # Python 2's

    def _bytes(self, count: int) -> bytes:
        if count < 0 or count > len(self._data) - self._at:
            raise UnreadableTrace(_CUT_OFF)
        self._at += count
        return self._data[self._at - count : self._at]

    def _int(self) -> int:
        return int(struct.unpack("<i", self._bytes(4))[0])

    def value(self, depth: int) -> Any:
        if depth > _DEEPEST:
            raise UnreadableTrace("its values lie in one another too deeply")
        self._unpaid += 1
        if self._unpaid == 4096:
            self._budget.spend(count=4096, size=4096 * 60)
            self._unpaid = 0
        kind = self._bytes(1)[0]
        sort = chr(kind & ~_REFERABLE)
        number = -1
        if kind & _REFERABLE:
            number = len(self._references)
            self._references.append(_NOT_YET)
        made = self._made(sort, depth)
        if number >= 0:
            self._references[number] = made
        return made

    def _made(self, sort: str, depth: int) -> Any:
        if sort in _CONSTANTS:
            return _CONSTANTS[sort]
        if sort == "i":
            return self._int()
        if sort == "I":
            return struct.unpack("<q", self._bytes(8))[0]
        if sort == "l":
            return self._long()
        if sort == "g":
            return struct.unpack("<d", self._bytes(8))[0]
        if sort == "f":
            return self._float_text(self._bytes(self._bytes(1)[0]))
        if sort in "stuaAzZR":
            return self._text(sort)
        if sort in "()[":
            return self._sequence(sort, depth)
        if sort == "{":
            return self._dict(depth)
        if sort == "r":
            return self._reference()
        raise UnreadableTrace("it holds values that statistics of a profile do not have")

    def _text(self, sort: str) -> Any:
        if sort == "R":
            number = self._int()
            if not 0 <= number < len(self._interned):
                raise UnreadableTrace("it refers to a text that is not there")
            return self._interned[number]
        data = self._bytes(self._bytes(1)[0] if sort in "zZ" else self._int())
        if sort == "s":
            return data
        if sort == "t" and b"\0" not in data:  # Python 2 wrote bytes so, Python 3 texts
            self._interned.append(data)
        return data.decode("utf-8", "replace")

    def _sequence(self, sort: str, depth: int) -> Any:
        count = self._bytes(1)[0] if sort == ")" else self._int()
        if not 0 <= count <= len(self._data) - self._at:
            raise UnreadableTrace(_CUT_OFF)
        items = [self._item(depth) for _ in range(count)]
        return items if sort == "[" else tuple(items)

    def _dict(self, depth: int) -> dict[Any, Any]:
        found: dict[Any, Any] = {}
        while (key := self.value(depth + 1)) is not _NOTHING:
            if not _is_key(key):
                raise UnreadableTrace("a dict in it has a key that cannot be one")
            found[key] = self._item(depth)
        return found

    def _item(self, depth: int) -> Any:
        item = self.value(depth + 1)
        if item is _NOTHING:
            raise UnreadableTrace("a value in it is missing")
        return item

    def _reference(self) -> Any:
        number = self._int()
        if not 0 <= number < len(self._references) or self._references[number] is _NOT_YET:
            raise UnreadableTrace("it refers to a value that is not there")
        return self._references[number]

    def _long(self) -> int:
        digits = self._int()
        count = abs(digits)
        if count > 10_000:
            raise UnreadableTrace("a number in it is absurdly long")
        value = 0
        for place, digit in enumerate(struct.unpack(f"<{count}H", self._bytes(2 * count))):
            value |= digit << (15 * place)
        return -value if digits < 0 else value

    def _float_text(self, text: bytes) -> float:
        try:
            return float(text)
        except ValueError:
            raise UnreadableTrace("it contains text where a number is expected") from None


def _is_key(key: Any) -> bool:
    """Plain values and short tuples of them. Tuples that share tuples could take forever to hash."""
    plain = str | bytes | int | float
    return isinstance(key, plain) or (
        isinstance(key, tuple) and len(key) < 5 and all(isinstance(k, plain) for k in key)
    )


_CONSTANTS = {"N": None, "T": True, "F": False, "0": _NOTHING, ".": Ellipsis, "S": StopIteration}


def finite(value: Any) -> float:
    """The value as a finite number. Raises UnreadableTrace."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise UnreadableTrace("its statistics contain something else where a number is expected")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise UnreadableTrace("a number of its statistics is not finite")
    return number
