"""What an architect does to the target design. An operation names nodes by id and changes nothing itself.

Each class has a `row`: what is fixed for its kind. A field of type `Node` or `Nodes` holds ids; the others are plain
texts. Whoever tells kinds apart ends with `assert_never`, so that mypy names every place that a new operation needs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Annotated, Any, ClassVar, NamedTuple, assert_never, get_args, get_type_hints

from cbvtool.plan.interfaces import Form
from cbvtool.plan.task import Kind

Node = Annotated[str, "node"]
Nodes = tuple[Node, ...]


class Row(NamedTuple):
    """What is fixed for one kind of operation.

    op        its word in documents
    order     how it begins as an order: `Move` a to b
    label     how it begins after "Undo": `move of` a to b
    task      kind of the task that it makes
    minutes   estimated effort of that task, without its items, files and sites; see `effort.EXPLANATION`
    """

    op: str
    order: str
    label: str
    task: Kind
    minutes: int


@dataclass(frozen=True)
class Move:
    """Give nodes, with their subtrees, a new parent."""

    row: ClassVar = Row("move", "Move", "move of", "move", 10)
    nodes: Nodes
    target: Node


@dataclass(frozen=True)
class Create:
    """Make something empty (folder, package, file, class, interface); `node` is its new id, see `history.new_id`."""

    row: ClassVar = Row("create", "Create", "creation of", "create", 5)
    node: Node
    parent: Node
    name: str
    kind: str


@dataclass(frozen=True)
class Remove:
    """Take nodes out, with their subtrees and relations."""

    row: ClassVar = Row("remove", "Remove", "removal of", "remove", 10)
    nodes: Nodes


@dataclass(frozen=True)
class Rename:
    """Give a node another name."""

    row: ClassVar = Row("rename", "Rename", "rename of", "rename", 10)
    node: Node
    name: str


@dataclass(frozen=True)
class Merge:
    """Move all content of `source` into `target` and remove `source`."""

    row: ClassVar = Row("merge", "Merge", "merge of", "merge", 30)
    source: Node
    target: Node


@dataclass(frozen=True)
class Split:
    """Cut all dependencies source -> target (subtrees included) and lead them over a file.

    via    the file, a class or interface in one, or a container: then the file `name` in it, which is made if it is
           not there
    form   `invert`: the file holds an interface, which each file that used `target` imports, and each file that was
           used implements. `route`: it is a facade, which each file that used `target` imports, and which imports each
           file that was used.
    name   of the file where `via` is a container; empty = `interfaces.interface_name`

    Whatever the kinds of what is cut, one relation for each file is put in, with the sites of what is cut.
    """

    row: ClassVar = Row("split", "Split the dependency", "split of the dependency", "split", 90)
    source: Node
    target: Node
    via: Node
    form: Form = "invert"
    name: str = ""


@dataclass(frozen=True)
class Extract:
    """Pull out of `container` exactly the children that take part in relations with `partner`."""

    row: ClassVar = Row("extract", "Pull", "pull-out of", "pull out", 15)
    container: Node
    partner: Node
    target: Node


Operation = Create | Move | Rename | Remove | Extract | Merge | Split
KINDS: tuple[type[Operation], ...] = get_args(Operation)


def _node_fields(kind: type[Operation]) -> tuple[str, ...]:
    types = get_type_hints(kind, include_extras=True)
    return tuple(field.name for field in fields(kind) if types[field.name] in (Node, Nodes))


_NODE_FIELDS = {kind: _node_fields(kind) for kind in KINDS}


def nodes_of(operation: Operation) -> list[str]:
    """Ids of all nodes that `operation` names, in the order of its fields."""
    found: list[str] = []
    for name in _NODE_FIELDS[type(operation)]:
        value = getattr(operation, name)
        found += [value] if isinstance(value, str) else value
    return found


def creation(operation: Operation) -> Create | None:
    """The operation itself if it makes a node that it names; else None."""
    match operation:
        case Create():
            return operation
        case Move() | Rename() | Remove() | Extract() | Merge() | Split():
            return None
        case _:
            assert_never(operation)


def creations(operations: Iterable[Operation]) -> dict[str, Create]:
    """Those of `operations` that make a node, by its id."""
    return {made.node: made for made in map(creation, operations) if made is not None}


def with_nodes(operation: Operation, ids: Mapping[str, str]) -> Operation:
    """The same operation with other nodes: `ids` says which stands in place of which; the others stay."""
    changed: dict[str, Any] = {}  # a field is a node or several
    for name in _NODE_FIELDS[type(operation)]:
        value = getattr(operation, name)
        changed[name] = ids.get(value, value) if isinstance(value, str) else tuple(ids.get(one, one) for one in value)
    return replace(operation, **changed)
