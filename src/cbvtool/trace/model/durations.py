"""Times of a trace for people: `35.2 ms`."""

from __future__ import annotations

_UNITS = (("s", 1e9), ("ms", 1e6), ("µs", 1e3))


def duration(nanoseconds: float) -> str:
    """A length of time in the largest unit that it fills, with three significant digits: `1.2 s`, `35.2 ms`, `0 s`."""
    size = abs(nanoseconds)
    if size == 0:
        return "0 s"
    if size >= 3600e9:
        return f"{nanoseconds / 3600e9:,.3g} h" if size < 3_600_000e9 else f"{nanoseconds / 3600e9:,.0f} h"
    if size >= 120e9:
        return f"{nanoseconds / 60e9:.3g} min"
    for unit, factor in _UNITS:
        if round(size / factor, 3) >= 1:
            return f"{_three(nanoseconds / factor)} {unit}"
    return f"{nanoseconds:.0f} ns"


def signed_duration(nanoseconds: float) -> str:
    """A difference of two times: `+35.2 ms`, `-1.2 s`, `0 s`."""
    return f"{'+' if nanoseconds > 0 else ''}{duration(nanoseconds)}"


def _three(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
