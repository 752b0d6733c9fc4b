"""Results of pure functions, kept while their arguments stay the same."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from functools import lru_cache
from typing import Any, ParamSpec, TypeVar

import numpy as np

P = ParamSpec("P")
R = TypeVar("R")


class UnfinishedError(BaseException):
    """Raised when the time is up.

    Results made so far are kept, so that the next attempt gets further. Views do not catch it.
    """


MOST_RESULTS = 1024  # a picture of 60 threads asks for some 200
MOST_BYTES = 384 * 2**20  # of the arrays in them
_DEEPEST = 4  # levels of nested values that are searched for arrays


class BoundedMemo:
    """`cbvtool.api.ViewMemo`: drops the results used least recently. Belongs to one view, on one thread."""

    def __init__(self, results: int = MOST_RESULTS, size: int = MOST_BYTES) -> None:
        self._most, self._room = results, size
        self._kept: OrderedDict[object, tuple[object, Any, int]] = OrderedDict()
        self._size = 0
        self._until: float | None = None
        self._made = 0

    @contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """Raise UnfinishedError once so much processor time of this thread has gone; one result is made in any case."""
        self._until, self._made = time.thread_time() + seconds, 0
        try:
            yield
        finally:
            self._until = None

    def __call__(self, function: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
        """`function(*args, **kwargs)`, or its kept result for the same arguments."""
        key = (same(function), same(args), tuple((name, same(kwargs[name])) for name in sorted(kwargs)))
        found = self._kept.get(key)
        if found is not None:
            self._kept.move_to_end(key)
            result: R = found[1]
            return result
        if self._until is not None and self._made and time.thread_time() > self._until:
            raise UnfinishedError
        result = function(*args, **kwargs)
        self._made += 1
        size = array_bytes(result)
        # Keep the arguments, too, because a new object could otherwise get the identity of an old one.
        self._kept[key] = ((function, args, kwargs), result, size)
        self._size += size
        while len(self._kept) > 1 and (len(self._kept) > self._most or self._size > self._room):
            self._size -= self._kept.popitem(last=False)[1][2]
        return result

    def __len__(self) -> int:
        return len(self._kept)

    def clear(self) -> None:
        """Drop all results."""
        self._kept.clear()
        self._size = 0


def same(value: object) -> object:
    """A key that is equal for values that count as the same.

    Hashable values are compared by `==` and type, tuples by their items, all other values by `is`. Whoever stores the
    key must store the value as well.
    """
    if isinstance(value, tuple):
        return (type(value), *map(same, value))
    try:
        hash(value)
    except TypeError:
        return _Itself, id(value)
    return type(value), value


class _Itself:
    """Marks the key of a value that is compared by `is`."""


def array_bytes(value: object, deep: int = 0) -> int:
    """Bytes of the arrays in a value: in tuples, lists, objects and dataclasses, `_DEEPEST` deep."""
    if isinstance(value, np.ndarray):
        return value.nbytes
    if deep == _DEEPEST or value is None or isinstance(value, (str, bytes, int, float)):
        return 0
    inner: Iterable[object] = ()
    if isinstance(value, tuple | list):
        inner = value
    elif isinstance(value, Mapping):
        inner = value.values()
    elif is_dataclass(value):
        kind: Any = type(value)
        inner = [getattr(value, name) for name in _names(kind)]
    return sum(array_bytes(each, deep + 1) for each in inner)


@lru_cache(maxsize=1024)
def _names(kind: Any) -> tuple[str, ...]:
    """Names of the fields of a dataclass."""
    return tuple(each.name for each in fields(kind))
