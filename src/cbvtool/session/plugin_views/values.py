"""Values of parameters: those at the start, from text, from a document."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from cbvtool.errors import InputError
from cbvtool.plugin.parameters import (
    ChoiceParameter,
    FileParameter,
    NumberParameter,
    Parameter,
    SliderParameter,
    SwitchParameter,
    TextParameter,
    Value,
)
from cbvtool.regular_file import opened

MOST_BYTES = 16 * 2**20  # of the file of a parameter
_YES, _NO = ("1", "true", "yes", "on"), ("0", "false", "no", "off")


def default_of(parameter: Parameter) -> Value:
    """The value at the start; of a file its text, which is empty."""
    return "" if isinstance(parameter, FileParameter) else parameter.default


def fitting(parameter: Parameter, value: Any) -> Value:
    """The value, if the parameter can have it. Raises InputError with what it can have."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    match parameter:
        case SliderParameter():
            if number and (parameter.low <= value <= parameter.high or (parameter.zero and value == 0)):
                return float(value)
            zero = "0 or " if parameter.zero else ""
            raise InputError(f"{parameter.name} is {zero}a number from {parameter.low:g} to {parameter.high:g}.")
        case NumberParameter():
            if number and parameter.low <= value <= parameter.high and value == int(value):
                return int(value)
            raise InputError(f"{parameter.name} is a whole number from {parameter.low:,} to {parameter.high:,}.")
        case ChoiceParameter():
            options = [option for option, _ in parameter.options]
            if isinstance(value, str) and value in options:
                return value
            raise InputError(f"{parameter.name} is one of {', '.join(options)}.")
        case SwitchParameter():
            if isinstance(value, bool):
                return value
            raise InputError(f"{parameter.name} is yes or no.")
        case TextParameter():
            if isinstance(value, str) and len(value) <= parameter.longest:
                return value
            raise InputError(f"{parameter.name} is a text of at most {parameter.longest:,} characters.")
        case FileParameter():
            if isinstance(value, str) and len(value) <= MOST_BYTES:
                return value
            raise InputError(f"{parameter.name} is the text of a file.")


def from_text(parameter: Parameter, text: str) -> Value:
    """The value that somebody wrote; of a file its path. Raises InputError with what it can be."""
    if isinstance(parameter, SliderParameter | NumberParameter):
        try:
            return fitting(parameter, float(text))
        except ValueError:
            return fitting(parameter, None)
    if isinstance(parameter, SwitchParameter):
        folded = text.casefold()
        return fitting(parameter, True if folded in _YES else False if folded in _NO else None)
    if isinstance(parameter, FileParameter):
        return text_of_file(Path(text))
    return fitting(parameter, text)


def text_of_file(path: Path) -> str:
    """The text of a file that somebody chose, of at most `MOST_BYTES`. Raises InputError."""
    try:
        with opened(path) as file:
            data = file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}.") from error
    if len(data) > MOST_BYTES:
        raise InputError(f"{path} is larger than {MOST_BYTES / 2**20:,.0f} MB.")
    return data.decode("utf-8", "replace")


def set_from_text(parameters: Sequence[Parameter], written: Iterable[str]) -> dict[str, Value]:
    """Values from `name=value`, those of `--set`. Raises InputError: an unknown name lists those there are."""
    by_name, found = {parameter.name: parameter for parameter in parameters}, dict[str, Value]()
    for each in written:
        name, equals, text = each.partition("=")
        if name not in by_name:
            known = ", ".join(sorted(by_name)) or "none at all"
            raise InputError(f"There is no parameter {name!r}: the view has {known}.")
        if not equals:
            raise InputError(f"{each!r} sets nothing: write {name}=VALUE.")
        found[name] = from_text(by_name[name], text)
    return found


def values_of(parameters: Sequence[Parameter], data: Mapping[str, object]) -> dict[str, Value]:
    """A value for each parameter: from data that nobody vouches for where it fits, else the one at the start."""
    found = dict[str, Value]()
    for parameter in parameters:
        try:
            found[parameter.name] = fitting(parameter, data[parameter.name])
        except (KeyError, InputError):
            found[parameter.name] = default_of(parameter)
    return found


def kept_values(parameters: Sequence[Parameter], values: Mapping[str, Value]) -> dict[str, Value]:
    """What a document keeps: values that differ from those at the start, no texts of files."""
    return {
        each.name: values[each.name]
        for each in parameters
        if not isinstance(each, FileParameter) and values[each.name] != default_of(each)
    }
