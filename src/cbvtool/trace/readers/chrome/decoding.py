"""JSON inside a trace that is not an event itself: arguments, and values beside the events."""

from __future__ import annotations

from typing import Any

import msgspec

MOST_TEXT = 1000  # letters of an argument that are kept
MOST_KEYS = 50  # arguments of a call


def decoded(raw: bytes) -> Any:
    """The value; None if it is no JSON."""
    try:
        return msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def shown(value: Any) -> str:
    """A value of arguments as text, cut off where it is long."""
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode("utf-8", "replace")
    return text if len(text) <= MOST_TEXT else text[: MOST_TEXT - 1] + "…"


def record(value: Any) -> dict[str, Any]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def arguments_of(raw: bytes) -> tuple[list[tuple[str, str]], list[str]] | None:
    """Names and values of arguments, and return values. None if it is no JSON.

    viztracer has them in `func_args` and `return_value`, uftrace in `arguments` and `retval`.
    """
    found = decoded(raw)
    if not isinstance(found, dict):
        return None
    returned = [shown(found.pop(key)) for key in ("return_value", "retval") if key in found]
    inner = found.pop("func_args", None)
    pairs = list(record(inner).items()) + list(found.items())
    if inner is not None and not isinstance(inner, dict):
        pairs.append(("func_args", inner))
    return [(name, shown(value)) for name, value in pairs[:MOST_KEYS]], returned
