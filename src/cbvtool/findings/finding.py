"""One finding, and what all kinds of them look at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from cbvtool.asking.impact import is_test
from cbvtool.assessment.modules import PACKAGES, ModuleChoice, module_noun, modules_in
from cbvtool.assessment.places import module_column
from cbvtool.findings.kinds import Kind
from cbvtool.graph import EXTERNAL, REMOVED, Graph, LiftedEdges, lift
from cbvtool.metrics import Column, Subject, evaluate
from cbvtool.metrics.structure.users import of_kinds
from cbvtool.mining.changes import Changes
from cbvtool.progress import Progress, silent
from cbvtool.rules import Rules, dependencies, files

Mask = npt.NDArray[np.bool_]
IntColumn = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Finding:
    """Something worth a look.

    title    one line in words
    nodes    keys, what it is about first
    sites    (path, line) of the places in the source that make it so
    figures  what was measured, by name
    share    how much of the project it concerns, 0 to 1: what it is ranked by
    edges    rows of the relations that it is about; of a cycle those to cut
    around   rows of all relations of a cycle
    """

    kind: Kind
    title: str
    nodes: tuple[int, ...]
    sites: tuple[tuple[str, int], ...] = ()
    figures: Mapping[str, float | int | str | bool] = field(default_factory=dict)
    share: float = 0.0
    edges: tuple[int, ...] = ()
    around: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class Examined:
    """A code base as findings look at it.

    tests          whether files that are marked as tests count
    modules        what counts as a module; with `tests`, packages do
    base           the graph before the plan; None = there is no plan
    since, until   seconds since the epoch, of what is asked of the history; None = its last six months
    entries        patterns of entry points beside the built-in ones
    """

    graph: Graph
    changes: Changes | None = None
    rules: Rules = field(default_factory=Rules)
    tests: bool = False
    since: int | None = None
    until: int | None = None
    entries: tuple[str, ...] = ()
    progress: Progress = silent
    modules: ModuleChoice = field(default_factory=ModuleChoice)
    base: Graph | None = None

    def on(self, graph: Graph) -> Examined:
        """The same looked at after steps of a plan, with the same modules."""
        return replace(self, graph=graph, base=self.base or self.graph)

    def measured(self, metric: str) -> Column:
        """float64[n]: a metric in the range of time."""
        return evaluate(metric, Subject(self.graph, self.changes, self.since, self.until, self.progress))

    @cached_property
    def counts(self) -> Mask:
        """bool[n]: nodes of the project that are looked at."""
        graph = self.graph
        outside = graph.tree.below(np.flatnonzero(of_kinds(graph, (EXTERNAL,))))
        there: Mask = (graph.parent != REMOVED) & ~outside
        return there if self.tests else there & ~is_test(graph)

    @cached_property
    def files(self) -> npt.NDArray[np.int64]:
        """int64[f]: keys of the files that are looked at."""
        return np.flatnonzero(of_kinds(self.graph, ("file",)) & self.counts)

    @cached_property
    def file_of(self) -> IntColumn:
        """int32[n]: the file each node is or lies in; -1 = it is not looked at."""
        item = files(self.graph)
        is_file = np.zeros(len(self.graph), np.bool_)
        is_file[self.files] = True
        return np.where((item >= 0) & is_file[item], item, np.int32(-1))

    @cached_property
    def folder_of(self) -> IntColumn:
        """int32[n]: the folder or package that directly holds the file of each node; -1 = it is not looked at."""
        item = self.file_of
        return np.where(item >= 0, self.graph.parent[item], np.int32(-1)).astype(np.int32)

    @property
    def choice(self) -> ModuleChoice:
        """What counts as a module here."""
        return ModuleChoice(PACKAGES) if self.tests else replace(self.modules, tests=False)

    @cached_property
    def module_of(self) -> IntColumn:
        """int32[n]: the module of each node; -1 = it is in none."""
        base = self.base or self.graph
        return module_column(base, self.graph, self.rules, self.choice, base.root)

    @property
    def module_noun(self) -> str:
        """What people call modules here, in the plural."""
        base = self.base or self.graph
        return module_noun(modules_in(base, self.choice, base.root))

    @cached_property
    def sites(self) -> npt.NDArray[np.int64]:
        """int64[m]: number of sites of each relation, at least 1."""
        return np.maximum(np.diff(self.graph.edges.site_ptr), 1)

    def lifted(self, item_of: IntColumn) -> LiftedEdges:
        """The dependencies between items that take effect when the program runs."""
        return lift(self.graph.edges, item_of, dependencies(self.graph, type_checking=False))

    def places(self, rows: npt.NDArray[np.int64], most: int = 1000) -> tuple[tuple[str, int], ...]:
        """The distinct (path, line) of the relations in `rows`, in their order, `most` of them."""
        edges, found = self.graph.edges, dict[tuple[int, int], None]()
        for row in rows.tolist():
            found.update(dict.fromkeys(edges.sites(row)))
            if len(found) >= most:
                break
        paths = self.graph.files
        return tuple((paths[file], line) for file, line in list(found)[:most])

    def share_of(self, column: Column, keys: npt.NDArray[np.integer[Any]]) -> float:
        """How much of the sum over all files those of `keys` hold."""
        whole = float(np.nansum(column[self.files]))
        return float(np.nansum(column[keys])) / whole if whole > 0 else 0.0
