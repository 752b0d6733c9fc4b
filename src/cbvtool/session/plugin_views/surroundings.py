"""What a view of a plugin looks at: its inputs, and what the views share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from cbvtool.geometry.colors import LIGHT, Theme
from cbvtool.graph import Graph
from cbvtool.plugin.view import Input, SubjectCode
from cbvtool.trace.mapping.declared import declared_hierarchy
from cbvtool.trace.mapping.map_functions import map_functions
from cbvtool.trace.mapping.node_map import NodeMap
from cbvtool.trace.mapping.own_graph import graph_of
from cbvtool.trace.model.focus import Focus
from cbvtool.trace.model.profile import Profile
from cbvtool.trace.model.trace import Functions, Header, Trace
from cbvtool.versions import compared

ViewInput = Trace | Profile | Graph


@dataclass(frozen=True, eq=False)
class ViewInputs:
    """What an instance was opened on.

    parts    in the order of `PluginView.takes`
    maps     function -> node of `graph`, for each; None for graphs, and until the map is known
    numbers  of each among the open traces, by which the shared focus names them; -1 = not among them
    graph    the design around them
    names    of the files, as people know them; empty = not known
    before, before_name  as of `ViewContext`
    """

    parts: tuple[ViewInput, ...]
    maps: tuple[NodeMap | None, ...]
    numbers: tuple[int, ...]
    graph: Graph
    names: tuple[str, ...] = ()
    before: Graph | None = None
    before_name: str = ""


@dataclass(frozen=True, eq=False)
class ViewSurroundings:
    """What all views share: see `ViewContext`."""

    focus: Focus = field(default_factory=Focus)
    theme: Theme = LIGHT
    selected: tuple[int, ...] = ()
    hovered: int = -1
    code: SubjectCode | None = None
    against_rules: tuple[tuple[int, int], ...] = ()


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
    return "" if kinds or needs_nothing(takes) else f"it takes {_wanted(takes)}, and there is nothing"


def needs_nothing(takes: Sequence[Input]) -> bool:
    """Whether a view opens on the design that is shown, without any input."""
    return all(not each.least for each in takes) and any(each.kind == "graph" for each in takes)


def arranged(takes: Sequence[Input], parts: Sequence[ViewInput]) -> tuple[ViewInput, ...]:
    """The inputs in the order of the kinds that a view takes."""
    order = [each.kind for each in takes]
    return tuple(sorted(parts, key=lambda part: order.index(kind_of(part))))


def mapped_inputs(parts: Sequence[ViewInput], graph: Graph, root: Path | None) -> ViewInputs:
    """Inputs over a graph of the code that ran. root: the folder of its sources. May raise Cancelled."""
    maps = [None if isinstance(part, Graph) else map_functions(part.functions, graph, root) for part in parts]
    return ViewInputs(tuple(parts), tuple(maps), _numbers(parts), graph)


def _numbers(parts: Sequence[ViewInput]) -> tuple[int, ...]:
    """Numbers as a session gives them, where these parts alone are open: traces, then profiles."""
    recorded = [part for part in parts if not isinstance(part, Graph)]
    in_order = sorted(recorded, key=lambda part: isinstance(part, Profile))
    return tuple(-1 if isinstance(part, Graph) else in_order.index(part) for part in parts)


def own_inputs(parts: Sequence[ViewInput]) -> ViewInputs:
    """Inputs without a repository: the graph around them is made from them. May raise Cancelled."""
    graphs = [part for part in parts if isinstance(part, Graph)]
    recorded = [part for part in parts if not isinstance(part, Graph)]
    numbers = _numbers(parts)
    if not recorded:
        none = (None,) * len(parts)
        if len(graphs) != 2:
            return ViewInputs(tuple(parts), none, numbers, graphs[0])
        both = compared(graphs[0], graphs[1], "")
        return ViewInputs(tuple(parts), none, numbers, both.after, before=both.before)
    if len(recorded) == 1:
        graph, whole = graph_of(recorded[0])
        return ViewInputs(tuple(parts), tuple(whole if part in recorded else None for part in parts), numbers, graph)
    known: dict[tuple[str, str, str, int], int] = {}
    rows = [
        None
        if isinstance(part, Graph)
        else np.array([known.setdefault(one, len(known)) for one in _each(part.functions)], np.int64)
        for part in parts
    ]
    declared = {
        node: at for part in recorded if isinstance(part, Trace) for node, at in declared_hierarchy(part).items()
    }
    graph, whole = graph_of(_empty_profile(recorded[0].header, list(known)), declared)
    maps = [None if own is None else NodeMap(whole.node[own], whole.why[own], whole.reasons) for own in rows]
    return ViewInputs(tuple(parts), tuple(maps), numbers, graph)


def _each(functions: Functions) -> Iterator[tuple[str, str, str, int]]:
    """Name, module, file and line of each."""
    return zip(functions.name, functions.module, functions.file, functions.line.tolist(), strict=True)


def _empty_profile(header: Header, functions: Sequence[tuple[str, str, str, int]]) -> Profile:
    """What `graph_of` needs of functions: a profile without nodes."""
    name, module, file, line = zip(*functions, strict=True) if functions else ((), (), (), ())
    nothing = np.empty(0, np.int32)
    made = Functions(name, module, file, np.array(line, np.int32))
    return Profile(header, made, nothing.astype(np.uint32), nothing, nothing.copy(), (), nothing.copy(), ())


def _wanted(takes: Sequence[Input]) -> str:
    def words(each: Input) -> str:
        if each.most == each.least:
            return f"{each.least} {each.kind}{'' if each.least == 1 else 's'}"
        if each.most is None and not each.least:
            return f"any number of {each.kind}s"
        if each.most is None:
            return f"{each.least} or more {each.kind}s"
        return f"{each.least} to {each.most} {each.kind}s"

    return " and ".join(words(each) for each in takes)
