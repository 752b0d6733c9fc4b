"""What HPCToolkit calls a metric: name, unit and kind in one text, such as `CPUTIME (usec):Sum (I)`."""

from __future__ import annotations

import re

_KIND = re.compile(r"\s*\((?:I|E|X)\)\s*$")
_UNIT = re.compile(r"\s*\((sec|s|msec|ms|usec|us|nsec|ns)\)")
_NS = {"sec": 1e9, "s": 1e9, "msec": 1e6, "ms": 1e6, "usec": 1e3, "us": 1e3, "nsec": 1.0, "ns": 1.0}


def split_metric(text: str) -> tuple[str, str, float]:
    """(name, unit, factor to it). Times become ns; of others the unit is what is counted, which is the name."""
    text = _KIND.sub("", text)
    found = _UNIT.search(text)
    if found is None:
        return (text, "ns", 1e9) if text in ("CPUTIME", "REALTIME") else (text, "events", 1.0)
    return _UNIT.sub("", text), "ns", _NS[found[1]]
