"""What the names of events say of a function: viztracer's and Hermes' hold file and line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, NamedTuple

UNNAMED = "(unnamed)"


class FunctionName(NamedTuple):
    """Qualified name, file and line of a function; empty and 0 where unknown."""

    name: str
    file: str = ""
    line: int = 0


def text_of(raw: bytes) -> str:
    """The text between the quotes of a JSON string. Escapes that mean nothing stay as they are."""
    text: str = raw.decode("utf-8", "replace")
    if "\\" in text:
        with suppress(ValueError):
            text = json.loads(f'"{text}"', strict=False)
            return text.encode("utf-8", "replace").decode("utf-8")  # halves of surrogate pairs
    return text


def function_name(text: str, known: Mapping[str, tuple[str, int]]) -> FunctionName:
    """The function of an event's name.

    known  file and line by name, as viztracer lists them

    `f (a.py:3)` is f in line 3 of a.py, and so is `a.py(3).f` of old versions.
    """
    if not text:
        return FunctionName(UNNAMED)
    if text.endswith(")"):
        if text in known:
            file, line = known[text]
            end = f" ({file}:{line})"
            if text.endswith(end):
                return FunctionName(text[: -len(end)], file, line)
        name, found, place = text[:-1].rpartition(" (")
        file, colon, number = place.rpartition(":")
        if found and colon and file and is_line(number):
            return FunctionName(name, file, int(number))
    file, found, rest = text.partition("(")
    number, closing, name = rest.partition(").")
    if found and closing and name and file.endswith(".py") and is_line(number):
        return FunctionName(name, file, int(number))
    return FunctionName(text)


def hermes_function(arguments: Any) -> FunctionName | None:
    """The function that the arguments of an event of Hermes describe; None for events of others."""
    if not isinstance(arguments, dict) or not {"url", "allocatedName", "name", "line"} <= arguments.keys():
        return None
    line = arguments.get("funcLine") or arguments["line"]
    number = int(line) if is_line(str(line)) else 0
    return FunctionName(str(arguments["name"]) or UNNAMED, str(arguments["url"] or ""), number)


def bundle_function(name: str) -> FunctionName:
    """The function of a stack frame of Hermes: `f(http://host/index.bundle:418874:4)`."""
    if name.endswith(")"):
        head, found, place = name[:-1].partition("(")
        rest, colon, column = place.rpartition(":")
        file, second, line = rest.rpartition(":")
        if found and head and colon and second and is_line(line) and is_line(column):
            return FunctionName(head, file, int(line))
    return FunctionName(name or UNNAMED)


def is_line(text: str) -> bool:
    """Whether it is the number of a line."""
    return 0 < len(text) < 10 and text.isascii() and text.isdigit()
