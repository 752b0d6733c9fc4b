"""The kinds of findings."""

from typing import Literal

Kind = Literal["violation", "cycle", "hot-spot", "god-file", "fat-package", "entangled", "unused"]
KINDS: tuple[Kind, ...] = ("violation", "cycle", "hot-spot", "god-file", "fat-package", "entangled", "unused")
