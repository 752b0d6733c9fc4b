"""What an architect does to the target design. An operation names nodes by id and changes nothing itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Move:
    """Give nodes, with their subtrees, a new parent."""

    nodes: tuple[str, ...]
    target: str


@dataclass(frozen=True)
class Create:
    """Make an empty container; `node` is `plan:<n>`, unique in the plan."""

    node: str
    parent: str
    name: str
    kind: str


@dataclass(frozen=True)
class Remove:
    """Take nodes out, with their subtrees and relations."""

    nodes: tuple[str, ...]


@dataclass(frozen=True)
class Rename:
    """Give a node another name."""

    node: str
    name: str


@dataclass(frozen=True)
class Merge:
    """Move all content of `source` into `target` and remove `source`."""

    source: str
    target: str


@dataclass(frozen=True)
class Split:
    """Cut all relations source -> target (subtrees included) and lead them over `via`.

    form `invert` (callback, interface): source -> via and target -> via; `route` (facade): source -> via,
    via -> target.
    """

    source: str
    target: str
    via: str
    form: Literal["invert", "route"] = "invert"


@dataclass(frozen=True)
class Extract:
    """Pull out of `container` exactly the children that take part in relations with `partner`."""

    container: str
    partner: str
    target: str


Operation = Move | Create | Remove | Rename | Merge | Split | Extract
