"""The figures after a step, from what it changes alone: no replay, and no look at what stays.

A step touches nodes (those it moves, renames, removes or makes, with all below them) and relations. Every figure is a
sum over pairs of files or modules, or over nodes; so what the touched ones gave before is taken out, and what they give
now is put in. Only the tangles of modules are found anew, where modules come to depend on one another or cease to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from cbvtool.assessment import reach
from cbvtool.assessment.change import StepChange, change, needs_replay
from cbvtool.assessment.figures import Figures, Judgement, cluster_factor, ends_of, modularity, tangles
from cbvtool.assessment.places import Bools, Marks, levels
from cbvtool.assessment.prepared import PreparedGraph, breaks, co_changes_across, in_cycles, prepare, share
from cbvtool.assessment.relations import Pairs, Rows, SureRelations, pairs, summed
from cbvtool.plan.lower import run
from cbvtool.plan.primitives import Primitive


def judge(prepared: PreparedGraph, primitives: Sequence[Primitive]) -> Judgement:
    """What a step from the prepared graph is worth; its `primitives` can be carried out there in this order.

    Where it changes what files depend on each other, both sides have their `Figures.reach`.
    """
    named = (*prepared.rules.layers, *(node for deny in prepared.rules.deny for node in (deny.user, deny.used)))
    if not prepared.by_columns or needs_replay(prepared.graph, named, primitives):
        follower = prepare(
            prepared.base,
            run(prepared.graph, primitives).graph,
            prepared.rules,
            prepared.marks.modules.choice,
            root=prepared.marks.modules.asked_root,
            fork=prepared.marks.modules.fork,
            coupled=prepared.coupled,
        )
        return compare(prepared, follower)
    return judge_change(prepared, change(prepared, primitives))


def judge_change(prepared: PreparedGraph, step: StepChange) -> Judgement:
    """The same for a step that is given as what it changes; of rules, it looks at layers,
    at `deny` between files and folders, and at cycles alone."""
    found = _After(prepared, step)
    after = found.figures()
    if not found.leads_elsewhere:
        return Judgement(prepared.figures, after)
    counted = prepared.counted(found.place, found.mark)
    return Judgement(
        replace(prepared.figures, reach=prepared.reach), replace(after, reach=reach.reach(found.files, counted))
    )


def compare(before: PreparedGraph, after: PreparedGraph) -> Judgement:
    """Two graphs side by side, with `Figures.reach` where their files depend on each other in different ways."""
    was, now = (found.files.code[found.files.running > 0] for found in (before, after))
    same = before.files is after.files or np.array_equal(was, now)
    if same:
        return Judgement(before.figures, after.figures)
    return Judgement(replace(before.figures, reach=before.reach), replace(after.figures, reach=after.reach))


@dataclass(frozen=True, eq=False)
class _Flow:
    """Pairs that a step touches: their ends, and what relates them."""

    source: Rows
    target: Rows
    weight: npt.NDArray[np.float64]
    count: Rows
    running: Rows


class _After:
    """The columns after a step, and the figures that follow from where they differ."""

    def __init__(self, prepared: PreparedGraph, step: StepChange) -> None:
        self._prepared = prepared
        self._step = step
        before, n = prepared.places, len(prepared.graph)
        self.mark = _marked(prepared.marks, step)
        self.place = before.copy(len(step.created))
        self._touched = self._settle()
        old = self._touched[self._touched < n]
        self._old = old
        place = self.place
        self._shifted = _mask(n, old[place.item[old] != before.item[old]])
        guards = (place.guards[old] != before.guards[old]).any(axis=1)
        elsewhere = (place.module[old] != before.module[old]) | (place.layer[old] != before.layer[old]) | guards
        self._elsewhere = _mask(n + len(step.created), old[elsewhere])
        self._cut = self._cut_relations()
        self.files, self._file_places = self._adjusted(prepared.files, before.item, place.item, self._shifted)
        if prepared.atoms is prepared.files:
            self._atoms, self._atom_places = self.files, self._file_places
        else:
            nodes = np.arange(n + len(step.created))
            gone = _mask(n, old[place.gone[old]])
            kept = np.where(place.gone, -1, nodes)
            self._atoms, self._atom_places = self._adjusted(prepared.atoms, nodes[:n], kept, gone)

    @property
    def leads_elsewhere(self) -> bool:
        """Whether other files depend on each other than before."""
        places, before = self._file_places, self._prepared.files
        was = np.zeros(len(places), np.bool_)
        known = places < len(before)
        was[known] = before.running[places[known]] > 0
        return bool((was != (self.files.running[places] > 0)).any())

    def figures(self) -> Figures:
        """The figures after the step."""
        prepared = self._prepared
        internal, expected, weight, turbo_mq, across = self._sums()
        tangled, largest = self._tangles()
        leaves = prepared.moved_leaves + self._leaves()
        return Figures(
            self._violations(),
            tangled,
            largest,
            modularity(internal, expected, weight),
            turbo_mq,
            across,
            self._co_change(),
            self._sites(),
            share(leaves, prepared.leaf),
        )

    # -- columns

    def _settle(self) -> npt.NDArray[np.int64]:
        """Find the places of all that the step touches; the result is their keys."""
        tree, step, n = self._prepared.graph.tree, self._step, len(self._prepared.graph)
        for key, parent in step.parent.items():
            self.place.parent[key] = parent
        tops = [key for key in dict.fromkeys((*step.parent, *step.names)) if key < n]
        parts = [tree.order[tree.pos[key] : tree.end[key]] for key in tops]
        created = np.arange(n, n + len(step.created))
        keys = np.concatenate((*parts, created)).astype(np.int64)
        keys = np.unique(keys) if len(tops) > 1 else keys
        for level in levels(self.place.parent, keys):
            self.place.settle(self.mark, level)
        return keys

    def _cut_relations(self) -> Bools:
        """bool[m]: relations of the graph that the step cuts or replaces."""
        related, edges = self._prepared.relations, self._prepared.graph.edges
        cut = np.zeros(len(related.row), np.bool_)
        number = {name: i for i, name in enumerate(edges.kind_names)}
        for source, target, kind in self._step.touched:
            rows = np.flatnonzero((related.source == source) & (related.target == target))
            cut[rows[edges.kind[related.row[rows]] == number.get(kind, -1)]] = True
        return cut

    def _adjusted(
        self, before: Pairs, old: npt.NDArray[Any], new: npt.NDArray[Any], shifted: Bools
    ) -> tuple[Pairs, Rows]:
        """Pairs after the step, and where they differ: relations of nodes that now count for another file, or none."""
        related, added = self._prepared.relations, self._step.added
        rows = self._cut
        if shifted.any():
            rows = rows | shifted[related.source] | shifted[related.target]
        if not rows.any() and not len(added.row):
            return before, np.empty(0, np.int64)
        out, stay = related.take(rows), related.take(rows & ~self._cut)
        ends = [
            (old[out.source], old[out.target], out, -1),
            (new[stay.source], new[stay.target], stay, 1),
            (new[added.source], new[added.target], added, 1),
        ]
        return before.plus(_summed(ends))

    def _flows(self, before: Pairs, after: Pairs, places: Rows) -> tuple[_Flow, _Flow]:
        """The pairs that the step touches, as they were and as they are."""
        source, target = ends_of(after.code)
        touched = self._elsewhere[source] | self._elsewhere[target]
        touched[places] = True
        rows = np.flatnonzero(touched)
        source, target = source[rows], target[rows]
        return (
            _Flow(source, target, *(_at(column, rows) for column in (before.weight, before.count, before.running))),
            _Flow(source, target, after.weight[rows], after.count[rows], after.running[rows]),
        )

    # -- figures

    def _sums(self) -> tuple[float, float, float, float, int]:
        """Weight inside modules, what chance expects, weight of all, TurboMQ, and relations across."""
        prepared = self._prepared
        sums, figures = prepared.sums, prepared.figures
        was, now = self._atom_flows
        source = np.concatenate((self._module_before[was.source], self.place.module[now.source])).astype(np.int64)
        target = np.concatenate((self._module_before[was.target], self.place.module[now.target])).astype(np.int64)
        weight, count = np.concatenate((-was.weight, now.weight)), np.concatenate((-was.count, now.count))
        inside = (source >= 0) & (target >= 0)
        source, target, weight, count = source[inside], target[inside], weight[inside], count[inside]
        modules, place = np.unique(np.concatenate((source, target)), return_inverse=True)
        start, end = place[: len(source)], place[len(source) :]
        same = start == end
        before = [_at(column, modules) for column in (sums.inside, sums.outward, sums.inward)]
        more = (
            summed(start[same], weight[same], len(modules)),
            *(summed(p, weight, len(modules)) for p in (start, end)),
        )
        after = [column + change for column, change in zip(before, more, strict=True)]
        return (
            prepared.internal + float(more[0].sum()),
            prepared.expected + float(after[1] @ after[2] - before[1] @ before[2]),
            sums.weight + float(weight.sum()),
            figures.turbo_mq + float((cluster_factor(*after) - cluster_factor(*before)).sum()),
            figures.across + int(count[~same].sum()),
        )

    @property
    def _module_before(self) -> npt.NDArray[np.int32]:
        before = self._prepared.places.module
        return np.concatenate((before, np.full(len(self._step.created), -1, np.int32)))

    @property
    def _atom_flows(self) -> tuple[_Flow, _Flow]:
        return self._flows(self._prepared.atoms, self._atoms, self._atom_places)

    def _tangles(self) -> tuple[int, int]:
        prepared = self._prepared
        was, now = self._atom_flows
        before, module = self._module_before, self.place.module
        more = _summed_flows(
            ((before[was.source], before[was.target], was, -1), (module[now.source], module[now.target], now, 1))
        )
        between, places = prepared.between.plus(more)
        if not ((between.running[places] > 0) != (_at(prepared.between.running, places) > 0)).any():
            return prepared.figures.tangled, prepared.figures.largest
        return tangles(between.code[between.running > 0])

    def _violations(self) -> int | None:
        prepared, step = self._prepared, self._step
        if prepared.figures.violations is None:
            return None
        was, now = self._flows(prepared.files, self.files, self._file_places)
        before = prepared.places.copy(len(step.created)) if step.created else prepared.places
        more = breaks(now.source, now.target, self.place, prepared.denied) @ (now.count > 0)
        less = breaks(was.source, was.target, before, prepared.denied) @ (was.count > 0)
        closed = 0
        if prepared.rules.forbid_cycles and self.leads_elsewhere:
            closed = in_cycles(self.files) - prepared.closed
        return prepared.figures.violations + int(more - less) + closed

    def _co_change(self) -> int | None:
        prepared = self._prepared
        coupled, figures = prepared.coupled, prepared.figures
        if coupled is None or figures.co_change is None:
            return None
        rows = self._elsewhere[coupled.first] | self._elsewhere[coupled.second]
        support = coupled.support[rows]
        more = co_changes_across(coupled, self.place, rows) @ support
        less = co_changes_across(coupled, prepared.places, rows) @ support
        return figures.co_change + int(more - less)

    def _sites(self) -> int:
        prepared, naming = self._prepared, self._prepared.naming
        before, after, old = prepared.places, self.place, self._old
        changed = _mask(len(prepared.graph), old[(after.anchor[old] != before.anchor[old]) | (after.gone[old])])
        cut = naming.cut
        for (source, target, kind), there in self._step.present.items():
            rows = (naming.source == source) & (naming.target == target)
            if rows.any():
                edges = prepared.base.edges
                number = {name: i for i, name in enumerate(edges.kind_names)}.get(kind, -1)
                rows &= edges.kind[naming.row] == number
                cut = np.where(rows, not there, cut)
        rows = changed[naming.source] | changed[naming.target] | (cut != naming.cut)
        number_of = np.flatnonzero(rows)
        flips = naming.must_change(after, cut, rows).astype(np.int64) - naming.must_change(before, naming.cut, rows)
        came, went = (naming.sites_of(number_of[flips == sign]) for sign in (1, -1))
        sites, place = np.unique(np.concatenate((came, went)), return_inverse=True)
        signs = np.concatenate((np.ones(len(came)), -np.ones(len(went))))
        more = np.rint(np.bincount(place, signs, len(sites))).astype(np.int64)
        hits = naming.hits[sites]
        return prepared.figures.estimate + int(np.count_nonzero(hits + more) - np.count_nonzero(hits))

    def _leaves(self) -> int:
        """How many more leaves are moved or removed."""
        old, before = self._old[self._prepared.leaf[self._old]], self._prepared.places
        now = self.place.displaced[old] | self.place.gone[old]
        return int(np.count_nonzero(now)) - int(np.count_nonzero(before.displaced[old] | before.gone[old]))


def _marked(mark: Marks, step: StepChange) -> Marks:
    mark = mark.longer(step.created)
    if not step.names:
        return mark
    renamed = mark.renamed.copy()
    for key, other in step.names.items():
        renamed[key] = other
    return replace(mark, renamed=renamed)


def _mask(n: int, keys: npt.NDArray[Any]) -> Bools:
    mask = np.zeros(n, np.bool_)
    mask[keys] = True
    return mask


def _at(column: npt.NDArray[Any], rows: Rows) -> npt.NDArray[Any]:
    """`column[rows]`, 0 past its end."""
    known = rows < len(column)
    found = np.zeros(len(rows), column.dtype)
    found[known] = column[rows[known]]
    return found


def _summed(ends: Sequence[tuple[npt.NDArray[Any], npt.NDArray[Any], SureRelations, int]]) -> Pairs:
    """Relations by the pairs of their ends, added or taken out."""
    return _summed_flows(
        [
            (source, target, _Flow(source, target, one.weight, np.ones(len(one.row), np.int64), one.running * 1), sign)
            for source, target, one, sign in ends
        ]
    )


def _summed_flows(ends: Sequence[tuple[npt.NDArray[Any], npt.NDArray[Any], _Flow, int]]) -> Pairs:
    """Pairs by the pairs of their ends, added or taken out."""
    source = np.concatenate([source for source, _, _, _ in ends]).astype(np.int64)
    target = np.concatenate([target for _, target, _, _ in ends]).astype(np.int64)
    return pairs(
        source,
        target,
        np.concatenate([sign * flow.weight for _, _, flow, sign in ends]),
        np.concatenate([sign * flow.count for _, _, flow, sign in ends]),
        np.concatenate([sign * flow.running for _, _, flow, sign in ends]),
    )
