"""What counts as a module when a graph is assessed: the choice, and what it comes to in a graph."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from cbvtool.assessment.found import FoundModules, found_modules, outside
from cbvtool.graph import Graph
from cbvtool.graph.regroup import node_words

FOUND, CHILDREN, PACKAGES, LAYERS, DEPTH, MEMBERS = "found", "children", "packages", "layers", "depth", "members"
WAYS = {
    FOUND: "The modules of the product, as they are found",
    CHILDREN: "What lies directly in the restricted root",
    PACKAGES: "Folders and packages that hold files",
    LAYERS: "The layers of the rules",
    DEPTH: "Containers at a depth of the tree",
}
DEEPEST = 9  # levels to choose from


@dataclass(frozen=True)
class ModuleChoice:
    """Which containers are modules. Nothing outside the project is in one, and no module is finer than a file, unless
    the root lies in a file itself.

    by      `found`: those of the product (`found_modules`); `children` of the restricted root; `packages`: every folder
            or package is the module of the files directly in it; `layers` of the rules, the inner one where two are
            nested; `depth`: nodes `depth` levels below the restricted root, and what lies less deep for itself
    tests   whether files that are marked as tests count; the found modules never hold tests
    """

    by: str = FOUND
    depth: int = 2
    tests: bool = True


BEFORE = ModuleChoice(CHILDREN)  # the choice of documents that were written before there were found modules


@dataclass(frozen=True, eq=False)
class ModuleScheme:
    """What a choice comes to in a graph of n nodes.

    asked_root  key of the restricted root
    fork        see `modules_in`
    by          `children`, `packages`, `layers`, `depth` or `members`
    root        key of the node below which the modules lie
    depth       levels below `root`, for `children` and `depth`
    member      bool[n]: the modules themselves, for `members`
    apart       bool[n]: does not count, nor does what lies below
    """

    choice: ModuleChoice
    asked_root: int
    fork: int | None
    by: str
    root: int
    depth: int
    member: npt.NDArray[np.bool_] = field(repr=False)
    apart: npt.NDArray[np.bool_] = field(repr=False)


def modules_in(graph: Graph, choice: ModuleChoice, root: int, fork: int | None = None) -> ModuleScheme:
    """What `choice` comes to in `graph`, which no plan has changed, for the restricted root `root` (a key).

    fork   key of a container whose children are the modules, in place of those that were found
    """
    none = np.zeros(len(graph), np.bool_)
    apart = outside(graph)
    if choice.by == FOUND:
        product = found_modules(graph, root)
        by, depth = (CHILDREN, 1) if product.by == CHILDREN else (product.by, choice.depth)
        below = product.fork if by == CHILDREN else root
        if fork is not None:
            by, below, depth = CHILDREN, fork, 1
        return ModuleScheme(choice, root, fork, by, below, depth, product.member, apart | product.aside)
    if not choice.tests and "test" in graph.values:
        apart = apart | (np.nan_to_num(graph.values["test"]) > 0)
    depth = 1 if choice.by == CHILDREN else choice.depth
    return ModuleScheme(choice, root, None, choice.by, root, depth, none, apart)


_NOUNS = {PACKAGES: "packages", MEMBERS: "workspace members", LAYERS: "layers"}


def module_noun(modules: ModuleScheme) -> str:
    """What people call these modules, in the plural."""
    return _NOUNS.get(modules.by, "modules")


def heading(graph: Graph, choice: ModuleChoice, root: int, *, fork: int | None = None, by_calls: bool = False) -> str:
    """What the modules are, in a few words: `packages of src/flask`, `directly in src`.

    graph     that no plan has changed
    root      key of the restricted root
    fork      see `modules_in`
    by_calls  dependencies weigh the calls that went along them
    """
    where = _place(graph, root)
    if choice.by == FOUND and fork is not None:
        words = f"directly in {_place(graph, fork)}"
    elif choice.by == FOUND:
        words = _found_words(graph, found_modules(graph, root))
    else:
        words = {
            CHILDREN: f"directly in {where}",
            PACKAGES: "packages" if root == graph.root else f"packages of {where}",
            LAYERS: "layers",
        }.get(choice.by, f"depth {choice.depth} in {where}")
        words = words if choice.tests else f"{words}, without tests"
    return f"{words}, weighed by calls" if by_calls else words


def _found_words(graph: Graph, product: FoundModules) -> str:
    where = _place(graph, product.fork)
    return {PACKAGES: f"packages of {where}", MEMBERS: f"workspace members in {where}"}.get(
        product.by, f"directly in {where}"
    )


def _place(graph: Graph, key: int) -> str:
    return node_words(graph, key)


def choice_from(data: Any) -> ModuleChoice:
    """The choice that a document holds; what is unknown or makes no sense in it is left out."""
    standard = ModuleChoice()
    if not isinstance(data, dict):
        return BEFORE
    by, depth, tests = data.get("by"), data.get("depth"), data.get("tests")
    return ModuleChoice(
        by if isinstance(by, str) and by in WAYS else BEFORE.by,
        depth if type(depth) is int and 1 <= depth <= DEEPEST else standard.depth,
        tests if isinstance(tests, bool) else standard.tests,
    )


def choice_of(view: Mapping[str, Any]) -> ModuleChoice:
    """The choice in the view that a document keeps; a document without a view has made none."""
    return choice_from(view.get("modules")) if view else ModuleChoice()


def choice_named(text: str) -> ModuleChoice | None:
    """The choice that somebody types: `found`, `packages`, `children`, `layers`, `depth:3`; None = there is no such."""
    by, colon, depth = text.partition(":")
    if by == DEPTH and colon and depth.isascii() and depth.isdigit() and 1 <= int(depth) <= DEEPEST:
        return ModuleChoice(DEPTH, int(depth), tests=False)
    return ModuleChoice(by, tests=False) if by in WAYS and by != DEPTH and not colon else None
