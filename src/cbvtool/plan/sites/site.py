"""One place in the code that a plan makes wrong, or may make wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Certainty = Literal["must", "check"]
SiteKind = Literal[
    "import",
    "include",
    "copy",
    "inherit",
    "instantiate",
    "call",
    "perform",
    "type-use",
    "reference",
    "definition",
    "package",
    "add-import",
    "drop-import",
    "text",
    "relation",
]


@dataclass(frozen=True)
class Site:
    """One place that somebody has to change, or to look at.

    file       path as analysed, before the plan
    line       as analysed, counted from 1; None where a line is to be added
    after      the line behind which it is to be added, 0 = at the top; None where `line` is given
    kind       what stands there: the kind of the relation; `definition` (the renamed thing itself), `package` (a
               package or namespace line), `add-import` and `drop-import` (a line to add, to take out), `text` (a name
               in configuration, documentation or a string), `relation` (a kind that an imported graph brought along)
    certainty  `must` change, or `check` whether it must
    names      what is imported, used or named there; for `add-import` what the new line imports
    reason     why it is only to be checked, as a phrase; empty where it must change
    cause      index of the primitive that makes the change necessary
    more       how many sites to check were left out behind this one, being too many
    """

    file: str
    line: int | None
    kind: SiteKind
    certainty: Certainty
    after: int | None = None
    names: tuple[str, ...] = ()
    reason: str = ""
    cause: int = -1
    more: int = 0
