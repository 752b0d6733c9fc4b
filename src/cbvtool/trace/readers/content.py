"""The content of a source as a whole, and the numbers in it; each within limits."""

from __future__ import annotations

import math
import re

from cbvtool.budget import Budget
from cbvtool.trace.readers.source import TraceSource, UnreadableTrace

MOST_BYTES = 500_000_000
_WHOLE = re.compile(r"[+-]?\d{1,25}", re.ASCII)  # what is longer is no number that anybody measured
_DECIMAL = re.compile(r"[+-]?(?:\d{1,40}(?:\.\d{0,40})?|\.\d{1,40})(?:[eE][+-]?\d{1,4})?", re.ASCII)


def whole(source: TraceSource, budget: Budget, most: int = MOST_BYTES) -> bytes:
    """All of a file, unpacked. Raises UnreadableTrace beyond `most` bytes."""
    parts, size = [], 0
    for block in source.blocks():
        size += len(block)
        if size > most:
            raise UnreadableTrace(f"it is larger than {most / 1e6:g} MB")
        budget.spend(size=len(block))
        parts.append(block)
    return b"".join(parts)


def whole_number(text: str) -> int | None:
    """The whole number that `text` is; None = it is no number, or absurdly long."""
    return int(text) if _WHOLE.fullmatch(text) else None


def decimal(text: str) -> float | None:
    """The finite number that `text` is; None = it is no such number."""
    if not _DECIMAL.fullmatch(text):
        return None
    number = float(text)
    return number if math.isfinite(number) else None
