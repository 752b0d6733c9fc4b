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
    """Raised where time is up: what was made is kept, so that the same again gets further. Views do not catch it."""


MOST_RESULTS = 1024  # a picture of 60 threads asks for some 200
MOST_BYTES = 384 * 2**20  # of the arrays in them
_DEEPEST = 4  # values within values in which arrays are looked for


class BoundedMemo:
    """`cbvtool.api.ViewMemo`: forgets what was asked for longest ago. Belongs to one view, on one thread."""

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
        """`function(*args, **kwargs)`, or what it gave for the same arguments."""
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
        # The arguments are kept as well: nothing else may come to lie where they did.
        self._kept[key] = ((function, args, kwargs), result, size)
        self._size += size
        while len(self._kept) > 1 and (len(self._kept) > self._most or self._size > self._room):
            self._size -= self._kept.popitem(last=False)[1][2]
        return result

    def __len__(self) -> int:
        return len(self._kept)

    def clear(self) -> None:
        """Forget all of it."""
        self._kept.clear()
        self._size = 0


def same(value: object) -> object:
    """A key that is equal for values that count as the same.

    What can be hashed is compared by `==` and its type, tuples by their values, all else by `is`: whoever keeps the
    key keeps the value as well.
    """
    if isinstance(value, tuple):
        return (type(value), *map(same, value))
    try:
        hash(value)
    except TypeError:
        return _Itself, id(value)
    return type(value), value


class _Itself:
    """Marks a key of something that is compared by `is`."""


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
