"""What calls and objects are called."""

from __future__ import annotations

from cbvtool.api import NO_OBJECT, Trace, function_title


def call_name(trace: Trace, row: int) -> str:
    """The function of a call; "" of none."""
    return function_title(trace.functions, int(trace.calls.function[row])) if 0 <= row < len(trace.calls) else ""


def object_name(trace: Trace, thing: int) -> str:
    """An object with its kind, by its name, or its number in its process."""
    objects = trace.table("objects")
    if not 0 <= thing < len(objects):
        return "an object that was not recorded" if thing != NO_OBJECT else ""
    name, kind = trace.strings[int(objects["name"][thing])], trace.strings[int(objects["kind"][thing])]
    number = hex(int(objects["id"][thing]))
    return f"{kind or 'object'} {name or number}"
