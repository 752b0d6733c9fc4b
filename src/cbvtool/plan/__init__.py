"""The plan: operations on the graph, their history, its compression, and what follows for the people who do it."""

from cbvtool.plan.clashes import Clash, clashes
from cbvtool.plan.containment import can_hold
from cbvtool.plan.describe import describe, label
from cbvtool.plan.history import Group, History, group, new_id
from cbvtool.plan.lower import Refusal, Replayed, check, replay, run
from cbvtool.plan.operations import Create, Extract, Merge, Move, Operation, Remove, Rename, Split

__all__ = [
    "Clash",
    "Create",
    "Extract",
    "Group",
    "History",
    "Merge",
    "Move",
    "Operation",
    "Refusal",
    "Remove",
    "Rename",
    "Replayed",
    "Split",
    "can_hold",
    "check",
    "clashes",
    "describe",
    "group",
    "label",
    "new_id",
    "replay",
    "run",
]
