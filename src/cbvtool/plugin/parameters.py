"""What users can set of a view: the host makes the sliders and choices, and `--set` on the command line takes them.

help  a sentence for its tooltip; more: seldom set, so that it stands behind the button "More" and not in the row
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SliderParameter:
    """A number between `low` and `high`. log: equal steps are equal factors. zero: its left end means exactly 0."""

    name: str
    label: str
    low: float
    high: float
    default: float
    unit: str = ""
    log: bool = False
    zero: bool = False
    help: str = ""
    more: bool = False


@dataclass(frozen=True)
class NumberParameter:
    """A whole number between `low` and `high`."""

    name: str
    label: str
    low: int
    high: int
    default: int
    unit: str = ""
    help: str = ""
    more: bool = False


@dataclass(frozen=True)
class ChoiceParameter:
    """One of `options`, which are (value, label)."""

    name: str
    label: str
    options: tuple[tuple[str, str], ...]
    default: str
    help: str = ""
    more: bool = False


@dataclass(frozen=True)
class SwitchParameter:
    """Yes or no."""

    name: str
    label: str
    default: bool = False
    help: str = ""
    more: bool = False


@dataclass(frozen=True)
class TextParameter:
    """A line of text, at most `longest` characters."""

    name: str
    label: str
    default: str = ""
    longest: int = 200
    help: str = ""
    more: bool = False


@dataclass(frozen=True)
class FileParameter:
    """A file that the host reads within a budget: the value is its text. types: endings, such as ".csv"."""

    name: str
    label: str
    types: tuple[str, ...] = ()
    help: str = ""
    more: bool = False


Parameter = SliderParameter | NumberParameter | ChoiceParameter | SwitchParameter | TextParameter | FileParameter
Value = float | str | bool
