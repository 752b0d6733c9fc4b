"""Finds the nodes to which a name in a rule refers: an id, a glob of paths, or a regular expression for them.

`shop/core`        the node with this id or path, and its subtree
`shop/*/api`       a glob: `*` and `?` match anything but `/`, `**` any number of folders
`re:^shop/.*_v[0-9]`   a regular expression, which is searched in paths
`external:numpy`   an external package

Globs and expressions match files and folders, and include their subtrees; with `::` in them they also match nodes
inside files; external packages only with `external:` in them. Paths are those after the plan.
"""

from __future__ import annotations

import re
from functools import cached_property

import numpy as np
import numpy.typing as npt

from cbvtool.budget import Budget
from cbvtool.graph import EXTERNAL, Graph
from cbvtool.matching import Lines, Pattern, PatternError, compiled
from cbvtool.metrics.structure.users import of_kinds

Mask = npt.NDArray[np.bool_]
Keys = npt.NDArray[np.int64]

EXPRESSION, _OUTSIDE = "re:", f"{EXTERNAL}:"
LONGEST = 1_000  # characters of a pattern
_WILD = re.compile(r"\*\*/|/\*\*$|\*\*|\*|\?")
_GLOB = {"**/": "(?:.*/)?", "/**": "/.*", "**": ".*", "*": "[^/]*", "?": "[^/]"}


def is_pattern(name: str) -> bool:
    """Whether a name may refer to several nodes."""
    return name.startswith(EXPRESSION) or "*" in name or "?" in name


def pattern_of(name: str) -> Pattern | None:
    """The pattern for a name; None = the name is an id. Raises PatternError."""
    if len(name) > LONGEST:
        raise PatternError(f"it is longer than {LONGEST:,} characters")
    if name.startswith(EXPRESSION):
        return compiled(name.removeprefix(EXPRESSION))
    if not is_pattern(name):
        return None
    parts, at = [], 0
    for wild in _WILD.finditer(name):
        parts += [re.escape(name[at : wild.start()]), _GLOB[wild[0]]]
        at = wild.end()
    return compiled("".join(["^", *parts, re.escape(name[at:]), "$"]))


class NodeNames:
    """Resolves names in rules to nodes of one graph.

    budget   limit for the search
    """

    def __init__(self, graph: Graph, budget: Budget) -> None:
        self.graph = graph
        self._budget = budget
        self._known: dict[str, Keys] = {}

    def keys(self, name: str) -> Keys:
        """int64[]: the nodes to which `name` refers, ascending, without those below another of them.

        Raises OverBudget.
        """
        if name not in self._known:
            self._known[name] = self._found(name)
        return self._known[name]

    def mask(self, *names: str) -> Mask:
        """bool[n]: the nodes to which `names` refer, with their subtrees."""
        found = np.zeros(len(self.graph), np.bool_)
        for name in names:
            if len(keys := self.keys(name)):
                found |= self.graph.tree.below(keys)
        return found

    def _found(self, name: str) -> Keys:
        self._budget.spend(1)
        if (key := self.graph.key_of.get(name)) is not None:
            return np.array([key], np.int64)
        pattern = pattern_of(name)
        _, of_path, _ = self._inside if "::" in name else self._files
        if pattern is None:
            return np.array([of_path[name]] if name in of_path else [], np.int64)
        paths, _, lines = self._inside if "::" in name else self._files
        rows = pattern.rows(lines, self._budget.spend)
        found = np.sort(np.array([paths[row] for row in rows], np.int64))
        keys = found if _OUTSIDE in name else found[~of_kinds(self.graph, (EXTERNAL,))[found]]
        tree = self.graph.tree
        above = tree.below(keys)[np.maximum(self.graph.parent[keys], 0)] if len(keys) else np.empty(0, np.bool_)
        return keys[~above]

    @cached_property
    def _files(self) -> tuple[list[int], dict[str, int], Lines]:
        return self._texts(inside=False)

    @cached_property
    def _inside(self) -> tuple[list[int], dict[str, int], Lines]:
        return self._texts(inside=True)

    def _texts(self, *, inside: bool) -> tuple[list[int], dict[str, int], Lines]:
        """(keys; path -> key; the paths, ready to be searched) of all nodes, or without those inside files."""
        graph = self.graph
        kinds = np.array(graph.kind_names)[graph.kinds] if graph.kind_names else np.empty(0, np.str_)
        path: dict[int, str] = {graph.root: ""}
        within: set[int] = set()
        for key in graph.tree.order[1:].tolist():
            above = int(graph.parent[key])
            if above not in path:
                continue
            if kinds[key] == EXTERNAL:
                path[key] = graph.ids[key]
            elif above in within or kinds[above] == "file":
                if not inside:
                    continue
                within.add(key)
                path[key] = f"{path[above]}{'.' if above in within else '::'}{graph.names[key]}"
            else:
                path[key] = f"{path[above]}/{graph.names[key]}" if path[above] else graph.names[key]
        self._budget.spend(0, 0)
        del path[graph.root]
        keys = list(path)
        return keys, {text: key for key, text in reversed(path.items())}, Lines([path[key] for key in keys])
