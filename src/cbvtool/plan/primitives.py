"""The six smallest changes of a graph; every operation lowers to these.

`origin` is the index, within the plan, of the operation that a primitive comes from (-1 = none). It says
nothing about the change itself, so two primitives that differ in it alone are equal. Nor does `along`: the id of the
definition with which an import comes along to another file; empty for a relation that is changed for its own sake.
"""

from __future__ import annotations

from dataclasses import dataclass, field

SourceLine = tuple[str, int]  # (path of the file at analysis time, line counted from 1)


@dataclass(frozen=True)
class MoveTo:
    """Give `node`, with its subtree, the parent `parent`."""

    node: str
    parent: str
    origin: int = field(default=-1, compare=False)


@dataclass(frozen=True)
class CreateNode:
    """Append the new, empty node `node` below `parent`."""

    node: str
    parent: str
    name: str
    kind: str
    origin: int = field(default=-1, compare=False)


@dataclass(frozen=True)
class RemoveNode:
    """Take `node` out, with its subtree and every relation that ends in it."""

    node: str
    origin: int = field(default=-1, compare=False)


@dataclass(frozen=True)
class RenameNode:
    """Give `node` the name `name`."""

    node: str
    name: str
    origin: int = field(default=-1, compare=False)


@dataclass(frozen=True)
class AddEdge:
    """Let the relation source -> target of this kind stand with exactly these values, whatever stood there.

    `weight` is a float32 value; `confidence` and `when` are numbers of `Confidence` and `When`.
    """

    source: str
    target: str
    kind: str
    weight: float = 1.0
    confidence: int = 0
    when: int = 0
    sites: tuple[SourceLine, ...] = ()
    origin: int = field(default=-1, compare=False)
    along: str = field(default="", compare=False)


@dataclass(frozen=True)
class CutEdge:
    """Take the relation source -> target of this kind out."""

    source: str
    target: str
    kind: str
    origin: int = field(default=-1, compare=False)
    along: str = field(default="", compare=False)


Primitive = MoveTo | CreateNode | RemoveNode | RenameNode | AddEdge | CutEdge
