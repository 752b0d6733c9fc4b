"""States of views as plain data, and back from data that nobody vouches for."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar

import msgspec

S = TypeVar("S")

MOST_VALUES = 20_000  # in one state; each list or object counts as a value, and so does everything in it
MOST_LETTERS = 200_000  # of its texts together
DEEPEST = 12  # lists within lists
_LARGEST = 2**63


def state_of(kind: type[S], data: Mapping[str, Any]) -> S:
    """A state, which is a frozen dataclass of plain values, from the data of a document, checked by its annotations.

    Members that are missing have their defaults; those that the dataclass does not have are left out. Raises
    ValueError where a value has another type. Whether values make sense (they may name a call that does not exist) is
    for the view to check.
    """
    must_be_small(data)
    try:
        return msgspec.convert(dict(data), kind)
    except (msgspec.ValidationError, UnicodeError, RecursionError, OverflowError) as error:
        raise ValueError(str(error)) from error


def data_of(state: object) -> dict[str, Any]:
    """A state as plain JSON. Raises ValueError for one that is not numbers, texts, lists and objects, or too large."""
    if not is_dataclass(state) or isinstance(state, type):
        raise ValueError(f"a state is a frozen dataclass, not {type(state).__name__}")
    data: dict[str, Any] = _plain(state, 0)
    must_be_small(data)
    return data


def must_be_small(data: object) -> None:
    """Raise ValueError for data with more values or letters than any state needs, or nested deeper."""
    waiting, values, letters = [(data, 0)], 0, 0
    while waiting:
        value, deep = waiting.pop()
        values += 1
        if isinstance(value, str):
            letters += len(value)
        elif isinstance(value, float) and not math.isfinite(value):
            raise ValueError("a number that is not finite")
        elif isinstance(value, int) and abs(value) >= _LARGEST:
            raise ValueError("a number of more than 64 bits")
        elif isinstance(value, Mapping):
            letters += sum(len(name) for name in value)
            waiting.extend((inner, deep + 1) for inner in value.values())
        elif isinstance(value, list | tuple):
            if values + len(waiting) + len(value) > MOST_VALUES:
                raise ValueError(f"more than {MOST_VALUES:,} values")
            waiting.extend((inner, deep + 1) for inner in value)
        if values + len(waiting) > MOST_VALUES:
            raise ValueError(f"more than {MOST_VALUES:,} values")
        if letters > MOST_LETTERS:
            raise ValueError(f"texts of more than {MOST_LETTERS:,} letters")
        if deep > DEEPEST:
            raise ValueError(f"nested deeper than {DEEPEST}")


def _plain(value: object, deep: int) -> Any:
    if deep > DEEPEST:
        raise ValueError(f"nested deeper than {DEEPEST}")
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int) and abs(value) < _LARGEST:
        return int(value)
    if isinstance(value, float) and math.isfinite(value):
        return float(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: _plain(getattr(value, each.name), deep + 1) for each in fields(value)}
    if isinstance(value, Mapping) and all(isinstance(name, str) for name in value):
        return {name: _plain(inner, deep + 1) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner, deep + 1) for inner in value]
    if isinstance(value, frozenset | set):
        return sorted((_plain(inner, deep + 1) for inner in value), key=lambda each: (str(type(each)), each))
    raise ValueError(f"{type(value).__name__} is no plain value")
