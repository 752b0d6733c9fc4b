"""The steps of a plan as a list for people: what is done, undone, refused, or overtaken by the code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from cbvtool.graph import Graph
from cbvtool.plan import Create, Extract, Group, History, Merge, Move, Operation, Remove, Rename, Split
from cbvtool.plan.operations import nodes_of

OVERTAKEN = "the code is like this by now"


@dataclass(frozen=True)
class StepRow:
    """One step.

    label     "Move of billing.py to core"; the first is the code as it is
    done      else it was undone
    here      the plan stands behind it
    refused   why it, or a part of it, cannot be done on this code; empty = it can
    overtaken  it changes nothing, for somebody has done it in the code
    nodes     ids that it names
    note      what somebody noted about it
    """

    label: str
    done: bool
    here: bool
    refused: str = ""
    overtaken: bool = False
    nodes: tuple[str, ...] = ()
    note: str = ""

    @property
    def problem(self) -> str:
        """What is the matter with it, in words; empty = nothing."""
        return f"Left out: {self.refused}" if self.refused else f"Overtaken: {OVERTAKEN}" if self.overtaken else ""


def step_rows(history: History) -> list[StepRow]:
    """The code as it is today, the steps done, and those undone, the next to redo first."""
    count = len(history.done)
    rows = [StepRow("As it is today", True, count == 0)]
    reasons, first = {refusal.index: refusal.reason for refusal in history.refusals}, 0
    touched = set[str]()
    for number, group in enumerate(history.done, start=1):
        last = first + len(group.operations)
        refused = " ".join(dict.fromkeys(reasons[index] for index in range(first, last) if index in reasons))
        nodes = tuple(dict.fromkeys(node for operation in group.operations for node in nodes_of(operation)))
        overtaken = touched.isdisjoint(nodes) and (_is_so(group, history.base) or _gone(group, history.base))
        label = f"{group.label[:1].upper()}{group.label[1:]}"
        rows.append(StepRow(label, True, number == count, "" if overtaken else refused, overtaken, nodes, group.note))
        touched.update(nodes)
        first = last
    for group in reversed(history.undone):
        nodes = tuple(dict.fromkeys(node for operation in group.operations for node in nodes_of(operation)))
        rows.append(StepRow(f"{group.label[:1].upper()}{group.label[1:]}", False, False, nodes=nodes, note=group.note))
    return rows


def _is_so(group: Group, base: Graph) -> bool:
    """Whether the base is already what the step leads to."""
    return bool(group.operations) and all(_holds(operation, base) for operation in group.operations)


def _holds(operation: Operation, base: Graph) -> bool:
    key_of = base.key_of
    match operation:
        case Move(nodes, target):
            into = key_of.get(target, -1)
            return all(node in key_of and base.parent[key_of[node]] == into for node in nodes)
        case Rename(node, name):
            return node in key_of and base.names[key_of[node]] == name
        case Create() | Remove() | Merge() | Split() | Extract():
            return False
        case _:
            assert_never(operation)


def _gone(group: Group, base: Graph) -> bool:
    """Whether the step removes what is not there any more."""
    return bool(group.operations) and all(_removes_nothing(operation, base) for operation in group.operations)


def _removes_nothing(operation: Operation, base: Graph) -> bool:
    match operation:
        case Remove(nodes):
            return not any(node in base.key_of for node in nodes)
        case Create() | Move() | Rename() | Merge() | Split() | Extract():
            return False
        case _:
            assert_never(operation)


def summary(rows: list[StepRow]) -> str:
    """`1 left out, 2 overtaken`; empty when all is well."""
    refused, overtaken = (
        sum(map(bool, column)) for column in zip(*((r.refused, r.overtaken) for r in rows), strict=True)
    )
    said = [f"{refused:,} left out"] if refused else []
    return ", ".join(said + ([f"{overtaken:,} overtaken"] if overtaken else []))
