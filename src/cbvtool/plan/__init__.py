"""The plan: operations on the graph, their history, its compression, and what follows for the people who do it."""

from cbvtool.plan.clashes import Clash, clash_of, clashes, refusal_of
from cbvtool.plan.containment import CONTAINERS, can_hold, can_merge
from cbvtool.plan.describe import count_of, describe, label
from cbvtool.plan.history import Group, History, group, new_id, new_ids
from cbvtool.plan.interfaces import Form, interface_name
from cbvtool.plan.lower import (
    Refusal,
    Refused,
    Replayed,
    check,
    check_all,
    move_takers,
    pulled_out,
    replay,
    run,
    split_relations,
    split_takers,
)
from cbvtool.plan.operations import Create, Extract, Merge, Move, Operation, Remove, Rename, Split, with_nodes

__all__ = [
    "CONTAINERS",
    "Clash",
    "Create",
    "Extract",
    "Form",
    "Group",
    "History",
    "Merge",
    "Move",
    "Operation",
    "Refusal",
    "Refused",
    "Remove",
    "Rename",
    "Replayed",
    "Split",
    "can_hold",
    "can_merge",
    "check",
    "check_all",
    "clash_of",
    "clashes",
    "count_of",
    "describe",
    "group",
    "interface_name",
    "label",
    "move_takers",
    "new_id",
    "new_ids",
    "pulled_out",
    "refusal_of",
    "replay",
    "run",
    "split_relations",
    "split_takers",
    "with_nodes",
]
