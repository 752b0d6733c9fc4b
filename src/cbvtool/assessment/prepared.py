"""What is worked out once about a graph, so that a step from there is judged by what it changes alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from cbvtool.assessment import reach
from cbvtool.assessment.figures import Figures, Reach, cluster_factor, code_of, ends_of, modularity, tangles
from cbvtool.assessment.found import outside
from cbvtool.assessment.modules import ModuleChoice, modules_in
from cbvtool.assessment.places import Bools, Marks, NodePlaces, guarded, marks, places
from cbvtool.assessment.relations import Floats, Pairs, Rows, SureRelations, pairs, relations, summed
from cbvtool.graph import Confidence, Graph
from cbvtool.history.change_sets import change_sets, usual_choice
from cbvtool.history.coupling import file_couplings
from cbvtool.metrics.history.in_range import file_keys
from cbvtool.mining.changes import Changes
from cbvtool.plan.sites.impact import NAMING_KINDS
from cbvtool.rules import Rules, components
from cbvtool.rules import violations as broken_rules


@dataclass(frozen=True, eq=False)
class Coupled:
    """q pairs of files that changed together, and how often; keys of the base."""

    first: Rows
    second: Rows
    support: Rows


def coupled(base: Graph, changes: Changes | None) -> Coupled | None:
    """The files of a graph that changed together in its history; None without a history."""
    if changes is None or not changes.sha:
        return None
    key = file_keys(base, changes).astype(np.int64)
    found = file_couplings(change_sets(changes, usual_choice(changes)), len(changes.paths))
    first, second = key[found.first], key[found.second]
    known = (first >= 0) & (second >= 0)
    return Coupled(first[known], second[known], found.both[known].astype(np.int64))


@dataclass(frozen=True, eq=False)
class NamingRelations:
    """Relations of the base whose sites name their target by its place or name.

    row             int64[k]  in the edges of the base
    source, target  int64[k]  keys
    cut             bool[k]   the plan has cut it, or removed one of its ends
    pointer, site   int64[k+1], int64[s]: the sites of relation i are `site[pointer[i]:pointer[i + 1]]`
    hits            int64[t]  how many of the relations at each site must change
    """

    row: Rows
    source: Rows
    target: Rows
    cut: Bools
    pointer: Rows
    site: Rows
    hits: Rows

    def must_change(self, place: NodePlaces, cut: Bools, rows: slice | Bools = slice(None)) -> Bools:
        """bool: whether each of `rows` must change. It does where its user stays, and what it names is cut off, gone,
        or elsewhere; unless both lie in the same moved thing, in which they stay together.
        """
        source, target = self.source[rows], self.target[rows]
        anchor = place.anchor[target]
        elsewhere = (anchor >= 0) & (anchor != place.anchor[source])
        must: Bools = ~place.gone[source] & (cut[rows] | place.gone[target] | elsewhere)
        return must

    def sites_of(self, rows: npt.NDArray[np.int64]) -> Rows:
        """Sites of all these relations, one after the other."""
        counts = self.pointer[rows + 1] - self.pointer[rows]
        first = np.cumsum(counts) - counts
        found: Rows = self.site[np.repeat(self.pointer[rows] - first, counts) + np.arange(counts.sum())]
        return found


@dataclass(frozen=True, eq=False)
class Sums:
    """What Q and TurboMQ are made of; the columns by key of the module.

    inside, outward, inward  float64[n]  weight of the relations in a module, that start in it, and that end in it
    relations, weight        of all relations between files that lie in modules
    across                   relations whose ends are in different modules
    """

    inside: Floats
    outward: Floats
    inward: Floats
    relations: int
    weight: float
    across: int

    @property
    def turbo_mq(self) -> float:
        """Sum of the cluster factors."""
        return float(cluster_factor(self.inside, self.outward, self.inward).sum())


@dataclass(frozen=True, eq=False)
class PreparedGraph:
    """A graph as it is judged.

    files     pairs of files, as rules look at them
    atoms     pairs as modules look at them: the same, or of nodes where the restricted root lies in a file
    between   pairs of different modules
    coupled   None = there is no history
    leaf      bool[n]: leaves of the base that count for the disruption
    moved_leaves  how many of them are moved or removed
    closed    pairs of files in cycles, 0 where the rules allow cycles
    """

    base: Graph
    graph: Graph
    rules: Rules
    marks: Marks
    places: NodePlaces
    relations: SureRelations
    files: Pairs
    atoms: Pairs
    between: Pairs
    sums: Sums
    naming: NamingRelations
    coupled: Coupled | None
    leaf: Bools
    moved_leaves: int
    closed: int
    figures: Figures

    @cached_property
    def internal(self) -> float:
        """Weight of the relations inside modules."""
        return float(self.sums.inside.sum())

    @cached_property
    def expected(self) -> float:
        """Sum over modules of what leaves times what enters them."""
        return float(self.sums.outward @ self.sums.inward)

    @cached_property
    def by_columns(self) -> bool:
        """Whether each file tells by itself which rules it breaks, wherever it moves: no paths, chains or insides."""
        holds_files = self.marks.file | self.marks.folder
        return not self.rules.stated and all(holds_files[key] for key in guarded(self.graph, self.rules))

    @cached_property
    def denied(self) -> list[tuple[int, int]]:
        """The bits in `Marks.guards` of user and used, for each rule `deny` whose nodes are there."""
        bit = {self.graph.ids[key]: number for number, key in enumerate(guarded(self.graph, self.rules))}
        return [(bit[d.user], bit[d.used]) for d in self.rules.deny if d.user in bit and d.used in bit]

    @cached_property
    def reach(self) -> Reach:
        """Figures of the dependencies between files, which take longer than all the rest."""
        return reach.reach(self.files, self.counted(self.places, self.marks))

    @staticmethod
    def counted(place: NodePlaces, mark: Marks) -> npt.NDArray[np.int64]:
        """Keys of the files of the project, which `reach` counts."""
        return np.flatnonzero(mark.file & (place.item == np.arange(len(place.item))) & ~place.apart & ~place.gone)


def prepare(
    base: Graph,
    graph: Graph,
    rules: Rules,
    modules: ModuleChoice,
    *,
    root: int | None = None,
    fork: int | None = None,
    coupled: Coupled | None = None,
) -> PreparedGraph:
    """Work out what is needed to judge `graph`, to which a plan has led from `base`, and any step from there.

    root   key of the node the view is restricted to
    fork   see `modules_in`
    """
    mark = marks(base, graph, rules, modules_in(base, modules, base.root if root is None else root, fork))
    place = places(graph, mark)
    related = relations(graph)
    by_file = pairs_of(related, place.item)
    atoms = pairs_of(related, np.arange(len(graph))) if mark.fine else by_file
    source, target = ends_of(atoms.code)
    module = place.module.astype(np.int64)
    between = pairs(module[source], module[target], atoms.weight, atoms.count, atoms.running)
    sums = _sums(atoms, module, len(graph))
    naming = _naming(base, graph, place)
    leaf = np.zeros(len(graph), np.bool_)
    leaf[: len(base)] = np.diff(base.tree.child_ptr) == 0
    leaf[: len(base)] &= (base.tree.pos >= 0) & ~outside(base)
    empty = Figures(None, 0, 0, 0.0, 0.0, 0, None, 0, 0.0)
    found = PreparedGraph(
        base,
        graph,
        rules,
        mark,
        place,
        related,
        by_file,
        atoms,
        between,
        sums,
        naming,
        coupled,
        leaf,
        int(np.count_nonzero(leaf & (place.displaced | place.gone))),
        in_cycles(by_file) if rules.forbid_cycles else 0,
        empty,
    )
    tangled, largest = tangles(between.code[between.running > 0])
    together = None
    if coupled is not None:
        together = int(coupled.support[co_changes_across(coupled, place)].sum())
    figures = Figures(
        violations(found),
        tangled,
        largest,
        modularity(found.internal, found.expected, sums.weight),
        sums.turbo_mq,
        sums.across,
        together,
        int(np.count_nonzero(naming.hits)),
        share(found.moved_leaves, leaf),
    )
    return replace(found, figures=figures)


def share(count: int, leaf: Bools) -> float:
    """The disruption, for a number of leaves that are moved or removed."""
    return count / max(1, int(np.count_nonzero(leaf)))


def pairs_of(related: SureRelations, item: npt.NDArray[np.integer]) -> Pairs:
    """Relations summed by the files (or other items) of their ends."""
    item_of: Rows = item.astype(np.int64)
    ones = np.ones(len(related.row), np.int64)
    return pairs(
        item_of[related.source], item_of[related.target], related.weight, ones, related.running.astype(np.int64)
    )


def violations(prepared: PreparedGraph) -> int | None:
    """How many pairs of files break a rule, once for each, as `rules.violations` lists them; None without rules."""
    rules, found = prepared.rules, prepared.files
    if not rules:
        return None
    if not prepared.by_columns:
        return len(broken_rules(prepared.graph, rules))
    broken = breaks(*ends_of(found.code), prepared.places, prepared.denied)
    return int(broken[found.count > 0].sum()) + prepared.closed


def breaks(source: Rows, target: Rows, place: NodePlaces, denied: list[tuple[int, int]]) -> Rows:
    """int64[p]: how many rules about layers and `deny` each pair of files breaks."""
    low, high = place.layer[source], place.layer[target]
    broken = ((low >= 0) & (high >= 0) & (low > high)).astype(np.int64)
    for user, used in denied:
        broken += _has(place, source, user) & _has(place, target, used)
    return broken


def _has(place: NodePlaces, keys: Rows, bit: int) -> Bools:
    word: Bools = (place.guards[keys, bit // 64] >> np.uint64(bit % 64)) & np.uint64(1) > 0
    return word


def in_cycles(found: Pairs) -> int:
    """Pairs of files that lie in one cycle."""
    code = found.code[found.running > 0]
    if not len(code):
        return 0
    nodes, component = components(*ends_of(code))
    source, target = (component[np.searchsorted(nodes, ends)] for ends in ends_of(code))
    return int(np.count_nonzero(source == target))


def co_changes_across(coupled: Coupled, place: NodePlaces, rows: slice | Bools = slice(None)) -> Bools:
    """bool: which of `rows` are pairs of files in different modules."""
    first, second = place.module[coupled.first[rows]], place.module[coupled.second[rows]]
    across: Bools = (first != second) & (first >= 0) & (second >= 0)
    return across


def _sums(atoms: Pairs, module: Rows, n: int) -> Sums:
    source, target = (module[ends] for ends in ends_of(atoms.code))
    inside = (source >= 0) & (target >= 0)
    source, target, weight, count = source[inside], target[inside], atoms.weight[inside], atoms.count[inside]
    same = source == target
    return Sums(
        summed(source[same], weight[same], n),
        summed(source, weight, n),
        summed(target, weight, n),
        int(count.sum()),
        float(weight.sum()),
        int(count[~same].sum()),
    )


def _naming(base: Graph, graph: Graph, place: NodePlaces) -> NamingRelations:
    edges = base.edges
    kinds = np.array([kind in NAMING_KINDS for kind in edges.kind_names], np.bool_)
    sited = np.diff(edges.site_ptr) > 0
    named = kinds[edges.kind] if len(kinds) else np.zeros(len(edges), np.bool_)
    row = np.flatnonzero(named & sited & (edges.confidence != Confidence.GUESS))
    counts = np.diff(edges.site_ptr)[row]
    pointer = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    picked = np.repeat(edges.site_ptr[row] - pointer[:-1], counts) + np.arange(pointer[-1])
    site = np.unique(code_of(edges.site_file[picked], edges.site_line[picked]), return_inverse=True)
    source, target = edges.source[row].astype(np.int64), edges.target[row].astype(np.int64)
    cut = np.zeros(len(row), np.bool_)
    if graph.edges is not edges:
        cut = ~_has_relations(graph, source, target, [edges.kind_names[kind] for kind in edges.kind[row].tolist()])
    found = NamingRelations(
        row, source, target, cut, pointer, site[1].astype(np.int64), np.zeros(len(site[0]), np.int64)
    )
    hits = np.bincount(found.sites_of(np.flatnonzero(found.must_change(place, cut))), minlength=len(site[0]))
    return replace(found, hits=hits)


def _has_relations(graph: Graph, source: Rows, target: Rows, kinds: list[str]) -> Bools:
    """bool[k]: which relations (ends and kind) a graph has; at most one of a kind stands between two nodes."""
    edges = graph.edges
    number = {name: i for i, name in enumerate(edges.kind_names)}
    wanted = np.array([number.get(kind, len(number)) for kind in kinds], np.int64)
    ends = np.concatenate((code_of(edges.source, edges.target), code_of(source, target)))
    place = np.unique(ends, return_inverse=True)[1] * (len(number) + 1)
    return np.isin(place[len(edges) :] + wanted, place[: len(edges)] + edges.kind)
