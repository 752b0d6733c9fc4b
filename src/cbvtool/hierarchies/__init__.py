"""Hierarchies over the same leaves: by package, owner, language, age, or a table of the user's (CBV-13).

A hierarchy is named by a text, which views and documents keep: empty = folders, one of `GROUPINGS`, or `csv:FILE`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from cbvtool.errors import InputError
from cbvtool.graph import Graph, IntColumn
from cbvtool.graph.regroup import Regrouped, leaves, regroup
from cbvtool.hierarchies import classes, packages, table
from cbvtool.hierarchies.classes import OTHER, GroupPath
from cbvtool.mining.changes import Changes

FOLDERS = ""
CSV = "csv:"  # begins the name of a hierarchy that a table gives


@dataclass(frozen=True)
class Grouping:
    """A way to group files.

    label   for people
    kind    of its groups
    paths   graph, changes, the leaves -> the groups of each one, from the outermost. Raises InputError where there is
            nothing to group by
    joint   joins the names of groups that hold nothing but one another; empty = they stay apart
    empty   graph -> groups without a leaf; None = there are none
    """

    label: str
    kind: str
    paths: Callable[[Graph, Changes | None, IntColumn], list[GroupPath]]
    joint: str = ""
    empty: Callable[[Graph], list[GroupPath]] | None = None

    @property
    def is_of_folders(self) -> bool:
        """Whether each group is a folder, or one below each of several source roots: then a plan can be made in it."""
        return self.empty is not None


GROUPINGS = {
    "packages": Grouping("Packages", "package", packages.packages, ".", packages.empty_packages),
    "owners": Grouping("Owners", "owner", classes.owners),
    "languages": Grouping("Languages", "language", classes.languages),
    "age": Grouping("Age", "period", classes.periods),
}


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """The graph in a hierarchy.

    groups  path of each group -> its key
    notes   sentences about what did not fit
    """

    graph: Graph
    groups: Mapping[GroupPath, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def hierarchy(
    graph: Graph, changes: Changes | None, name: str, apart: Collection[GroupPath] = frozenset()
) -> Hierarchy:
    """`graph` in the hierarchy `name`.

    apart   paths of groups whose names are not joined with those of what they hold

    Raises InputError for an unknown name, a table that cannot be read, and where there is nothing to group by.
    """
    if name == FOLDERS:
        return Hierarchy(graph)
    if name.startswith(CSV):
        rows = table.read(Path(name.removeprefix(CSV)))
        keys = leaves(graph)
        paths, notes = table.paths(graph, keys, rows)
        return _ready(regroup(graph, keys, _with_containers(graph, keys, paths), "group"), notes)
    check(name)
    grouping = GROUPINGS[name]
    keys = leaves(graph)
    paths = grouping.paths(graph, changes, keys)
    if all(path == (OTHER,) for key, path in zip(keys.tolist(), paths, strict=True) if path):
        raise InputError(f"Nothing is known of the {grouping.label.lower()} in {graph.name}.")
    empty = [] if grouping.empty is None else grouping.empty(graph)
    placed = _with_containers(graph, keys, paths)
    return _ready(regroup(graph, keys, placed, grouping.kind, grouping.joint, empty, apart))


def is_of_folders(name: str) -> bool:
    """Whether what is planned in the hierarchy `name` can be said in folders."""
    return name == FOLDERS or (name in GROUPINGS and GROUPINGS[name].is_of_folders)


def check(name: str) -> None:
    """Raise InputError for an unknown name, and for a table that cannot be read."""
    if name.startswith(CSV):
        table.read(Path(name.removeprefix(CSV)))
    elif name != FOLDERS and name not in GROUPINGS:
        raise InputError(f"There is no hierarchy {name!r}; there are folders, {', '.join(GROUPINGS)} and csv:FILE.")


def label(name: str) -> str:
    """What a hierarchy is called for people."""
    if name.startswith(CSV):
        return Path(name).name.removeprefix(CSV)
    return GROUPINGS[name].label if name in GROUPINGS else "Folders"


def named(text: str) -> str:
    """The hierarchy name that `text` stands for, for example on a command line."""
    if text.startswith(CSV):
        return CSV + str(Path(text.removeprefix(CSV)).absolute())
    return FOLDERS if text == "folders" else text


def _with_containers(graph: Graph, keys: IntColumn, paths: Sequence[GroupPath]) -> list[GroupPath]:
    """The same paths, but a container goes where most of what is in it goes: nobody owns or dates a folder itself."""
    result, pos, end = list(paths), graph.tree.pos, graph.tree.end
    at = pos[keys]
    for row, key in enumerate(keys.tolist()):
        last = int(np.searchsorted(at, end[key]))
        inside = [path for path in paths[row + 1 : last] if path not in ((), (OTHER,))]
        if inside:
            result[row] = max(dict.fromkeys(inside), key=inside.count)
    return result


def _ready(made: Regrouped, notes: tuple[str, ...] = ()) -> Hierarchy:
    _ = made.graph.tree  # takes a while for a large graph, so it is done here, on whatever thread this is
    return Hierarchy(made.graph, made.groups, notes)
