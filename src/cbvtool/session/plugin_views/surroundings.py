"""What a view of a plugin looks at: its inputs, and what the views share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from cbvtool.geometry.colors import LIGHT, Theme
from cbvtool.graph import Graph
from cbvtool.plugin.view import Input, SubjectCode
from cbvtool.trace.mapping.node_map import NodeMap
from cbvtool.trace.mapping.own_graph import graph_of
from cbvtool.trace.model.focus import Focus
from cbvtool.trace.model.profile import Profile
from cbvtool.trace.model.trace import Functions, Trace

ViewInput = Trace | Profile | Graph


@dataclass(frozen=True, eq=False)
class ViewInputs:
    """What an instance was opened on.

    parts    in the order of `PluginView.takes`
    maps     function -> node of `graph`, for each; None for graphs, and until the map is known
    numbers  of each among the open traces, by which the shared focus names them; -1 = not among them
    graph    the design around them
    """

    parts: tuple[ViewInput, ...]
    maps: tuple[NodeMap | None, ...]
    numbers: tuple[int, ...]
    graph: Graph


@dataclass(frozen=True, eq=False)
class Surroundings:
    """What all views share: see `ViewContext`."""

    focus: Focus = field(default_factory=Focus)
    theme: Theme = LIGHT
    selected: tuple[int, ...] = ()
    hovered: int = -1
    code: SubjectCode | None = None


def kind_of(part: ViewInput) -> str:
    """The `Input.kind` that it is."""
    return "trace" if isinstance(part, Trace) else "profile" if isinstance(part, Profile) else "graph"


def why_not(takes: Sequence[Input], kinds: Sequence[str]) -> str:
    """Why a view cannot be opened on inputs of these kinds, in words; "" = it can."""
    for each in takes:
        there = sum(kind == each.kind for kind in kinds)
        most = there if each.most is None else each.most
        if not each.least <= there <= most:
            return f"it takes {_wanted(takes)}, not {there:,} {each.kind}{'' if there == 1 else 's'}"
    known = {each.kind for each in takes}
    for kind in kinds:
        if kind not in known:
            return f"it takes {_wanted(takes)}, no {kind}"
    return ""


def arranged(takes: Sequence[Input], parts: Sequence[ViewInput]) -> tuple[ViewInput, ...]:
    """The inputs in the order of the kinds that a view takes."""
    order = [each.kind for each in takes]
    return tuple(sorted(parts, key=lambda part: order.index(kind_of(part))))


def own_inputs(parts: Sequence[ViewInput]) -> ViewInputs:
    """Inputs without a repository: the graph around them is made from them. May raise Cancelled."""
    graphs = [part for part in parts if isinstance(part, Graph)]
    recorded = [part for part in parts if not isinstance(part, Graph)]
    numbers, count = [], 0
    for part in parts:
        numbers.append(count if isinstance(part, Trace) else -1)
        count += isinstance(part, Trace)
    if not recorded:
        return ViewInputs(tuple(parts), (None,) * len(parts), tuple(numbers), graphs[0])
    graph, whole = graph_of(recorded[0]) if len(recorded) == 1 else graph_of(_together(recorded))
    maps, begin = list[NodeMap | None](), 0
    for part in parts:
        if isinstance(part, Graph):
            maps.append(None)
            continue
        end = begin + len(part.functions)
        maps.append(NodeMap(whole.node[begin:end].copy(), whole.why[begin:end].copy(), whole.reasons))
        begin = end
    return ViewInputs(tuple(parts), tuple(maps), tuple(numbers), graph)


def _together(parts: Sequence[Trace | Profile]) -> Profile:
    """An empty profile with the functions of all, one after the other: what `graph_of` needs of them."""
    functions = [part.functions for part in parts]
    return Profile(
        parts[0].header,
        Functions(
            tuple(name for each in functions for name in each.name),
            tuple(name for each in functions for name in each.module),
            tuple(name for each in functions for name in each.file),
            np.concatenate([each.line for each in functions]),
        ),
        np.empty(0, np.uint32),
        np.empty(0, np.int32),
        np.empty(0, np.int32),
        (),
        np.empty(0, np.int32),
        (),
    )


def _wanted(takes: Sequence[Input]) -> str:
    def words(each: Input) -> str:
        if each.most == each.least:
            return f"{each.least} {each.kind}{'' if each.least == 1 else 's'}"
        if each.most is None:
            return f"{each.least} or more {each.kind}s"
        return f"{each.least} to {each.most} {each.kind}s"

    return " and ".join(words(each) for each in takes)
