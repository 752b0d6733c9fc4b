"""Steps of one plan copied to another: those that do not apply there are left out and named with the reason."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from cbvtool.plan.history import Group, History, new_ids
from cbvtool.plan.lower import check_all
from cbvtool.plan.operations import Operation, creations, nodes_of, with_nodes

MADE = "plan:"  # how the ids of nodes begin that a plan has made


@dataclass(frozen=True)
class StepLeftOut:
    """A step that was not copied, and why."""

    step: Group
    reason: str


@dataclass(frozen=True, eq=False)
class CopiedSteps:
    """What came of copying: the history with what was copied at its end, and what was left out."""

    history: History
    copied: tuple[Group, ...]
    left_out: tuple[StepLeftOut, ...]


def copy_steps(numbers: Collection[int], source: History, into: History) -> CopiedSteps:
    """Do steps of the plan `source` after those of the plan `into`, in the order that they have in `source`.

    numbers   indexes into `source.done`

    A gesture is copied whole or not at all. A node that it makes has the same id in both, unless `into` has given that
    id to something else; then it gets another one.
    """
    names = {node: made.name for node, made in creations(source.operations).items()}
    there = creations(into.operations)
    ids: dict[str, str] = {}
    copied, left_out = list[Group](), list[StepLeftOut]()
    known = {step.bare for step in into.done}
    for step in (step for number, step in enumerate(source.done) if number in numbers):
        made = creations(step.operations)
        if made and step.bare in known:
            left_out.append(StepLeftOut(step, "The plan has this step already."))
            continue
        fresh = new_ids(into)
        own = ids | {node: next(fresh) for node, creation in made.items() if there.get(node, creation) != creation}
        moved = renumbered(step, own)
        reason = _why_not(moved.operations, into, names, {new: old for old, new in own.items()})
        if reason is not None:
            left_out.append(StepLeftOut(step, reason))
            continue
        ids = own
        into = into.do(moved)
        copied.append(moved)
    return CopiedSteps(into, tuple(copied), tuple(left_out))


def renumbered(step: Group, ids: Mapping[str, str]) -> Group:
    """A step with other ids for nodes that plans made, and for the files that splits made in them."""
    if not ids:
        return step
    return replace(step, operations=tuple(_renumbered(operation, ids) for operation in step.operations))


def _renumbered(operation: Operation, ids: Mapping[str, str]) -> Operation:
    return with_nodes(operation, {node: other_id(node, ids.get) for node in nodes_of(operation)})


def other_id(node: str, other: Callable[[str], str | None]) -> str:
    """The id of a node where some nodes have `other` ones; a split calls what it makes in a container after that."""
    found = other(node)
    if found is not None:
        return found
    if not node.startswith(MADE):
        return node
    container, slash, name = node.removeprefix(MADE).rpartition("/")
    return f"{MADE}{other_id(container, other)}/{name}" if slash else node


def _why_not(
    operations: Sequence[Operation], into: History, names: Mapping[str, str], back: Mapping[str, str]
) -> str | None:
    """Why a step is not possible after `into`; None if it is."""
    reason = check_all(operations, into.graph)
    if reason is None:
        return None
    made = creations(operations)
    for node in (node for operation in operations for node in nodes_of(operation)):
        name = names.get(back.get(node, node))
        if name is not None and node not in made and node not in into.graph.key_of:
            return f"It needs {name}, which another step makes: copy that, too."
    return reason
