"""A rough, transparent estimate of effort: a sum that everybody can redo by hand, disagree with, and configure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from cbvtool.config import FILE_NAME, own_text, section_of, shown, unknown_keys
from cbvtool.errors import InputError
from cbvtool.plan.operations import KINDS
from cbvtool.plan.task import Kind

# Minutes. Not measured: round figures for somebody who knows the code and has tests that run within minutes.
# `relations` is the task of what is left of several operations.
BY_KIND: Mapping[Kind, float] = MappingProxyType(
    {kind.row.task: kind.row.minutes for kind in KINDS} | {"relations": 30}
)
MOST = 10_000  # minutes of one weight

_SECTION = "effort"
_PARTS = ("item", "file", "site", "check", "round_to")


@dataclass(frozen=True)
class Weights:
    """What the estimate consists of, in minutes.

    by_kind   for a task of each kind
    item      for each item beyond the first
    file      for each file to edit
    site      for each site to change
    check     for each site to check
    round_to  a task is rounded up to a multiple of this
    notes     one sentence each about what in the settings was not understood, and ignored
    """

    by_kind: Mapping[Kind, float] = field(default_factory=lambda: BY_KIND)
    item: float = 2.0
    file: float = 3.0
    site: float = 1.0
    check: float = 0.5
    round_to: float = 5.0
    notes: tuple[str, ...] = ()

    @property
    def explanation(self) -> str:
        """The formula with its figures, in words."""
        kinds = ", ".join(f"{kind} {minutes:g}" for kind, minutes in self.by_kind.items())
        return (
            f"The effort is an estimate by formula, not a measurement. Minutes per task: {kinds}; plus {self.item:g} "
            f"for each item beyond the first, {self.file:g} for each file to edit, {self.site:g} for each site to "
            f"change and {self.check:g} for each one to check; rounded up to {self.round_to:g}."
        )


USUAL = Weights()
EXPLANATION = USUAL.explanation


def read_weights(root: Path) -> Weights:
    """The weights that section `[effort]` of `cbvtool.toml` in the repository at `root` states; else the usual ones.

    Raises InputError, naming the file and the key, for a file that cannot be read or holds a wrong value.
    """
    text = own_text(root)
    return USUAL if text is None else parse_weights(text, str(root / FILE_NAME))


def parse_weights(text: str, name: str = FILE_NAME) -> Weights:
    """The weights in the text of a settings file; `name` is what messages call it. Raises InputError."""
    section = section_of(text, _SECTION, name)
    words = {kind.replace(" ", "_"): kind for kind in BY_KIND}
    by_kind = dict(BY_KIND)
    for word, kind in words.items():
        if word in section:
            by_kind[kind] = _minutes(section[word], word, name)
    parts = {part: _minutes(section[part], part, name) for part in _PARTS if part in section}
    if parts.get("round_to", 1) <= 0:
        raise InputError(f"{name}: {_SECTION}.round_to must be more than 0, not {shown(section['round_to'])}.")
    notes = unknown_keys(section, (*words, *_PARTS), _SECTION, name)
    return Weights(MappingProxyType(by_kind), notes=tuple(notes), **parts)


def _minutes(value: Any, key: str, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= MOST:
        raise InputError(f"{name}: {_SECTION}.{key} must be a number of minutes from 0 to {MOST}, not {shown(value)}.")
    return float(value)


def minutes(kind: Kind, items: int, files: int, sites: int, checks: int, weights: Weights = USUAL) -> int:
    """Estimated minutes of one task; see `Weights.explanation`."""
    exact = weights.by_kind[kind] + weights.item * max(0, items - 1)
    exact += weights.file * files + weights.site * sites + weights.check * checks
    return math.ceil(math.ceil(exact / weights.round_to) * weights.round_to)


def minutes_of_step(is_first: bool, kind: Kind, files: int, sites: int, checks: int, weights: Weights = USUAL) -> int:
    """Estimated minutes of a part of a task, rounded up to one: the first part bears what the task itself costs."""
    exact = weights.by_kind[kind] if is_first else weights.item
    return math.ceil(exact + weights.file * files + weights.site * sites + weights.check * checks)


def show(total: int) -> str:
    """Minutes for people: `25 min`, `3 h 20 min`."""
    hours, rest = divmod(total, 60)
    if not hours:
        return f"{rest} min"
    return f"{hours:,} h {rest} min" if rest else f"{hours:,} h"
