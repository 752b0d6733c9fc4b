"""The view in the form of documents and named views: with node ids, because keys are valid for one analysis only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from cbvtool.asking.search import filter_of
from cbvtool.assessment.modules import choice_of
from cbvtool.geometry.state.presets import as_data, of_data
from cbvtool.geometry.state.view_state import Mapping as MetricMapping
from cbvtool.geometry.state.view_state import ViewState, relation_filter
from cbvtool.graph import HIDDEN, Graph
from cbvtool.hierarchies import FOLDERS
from cbvtool.metrics.metric import Metric

NAMED, NOTES, PLACES = "named", "notes", "places"  # members of a document's view
_SWITCHES = ("guesses", "external", "mark_violations")
_ENDS = ("since", "until")
_MOST_PINNED = 8


def place_as_data(view: ViewState, graph: Graph) -> dict[str, Any]:
    """The place in the current hierarchy, with node ids."""
    return {
        "root": graph.ids[view.root],
        "expanded": sorted(graph.ids[key] for key in view.expanded),
        "hidden": sorted(graph.ids[key] for key in view.hidden),
    }


def place_of(data: Mapping[str, Any], graph: Graph) -> dict[str, Any]:
    """Fields of the view state for the place in `data`; nodes that do not exist (any more) are left out."""
    fields = dict[str, Any]()
    for name in ("expanded", "hidden"):
        if isinstance(ids := data.get(name), list):
            fields[name] = frozenset(graph.key_of[i] for i in ids if isinstance(i, str) and i in graph.key_of)
    if isinstance(root := data.get("root"), str) and root in graph.key_of:
        fields["root"] = graph.key_of[root]
    return fields


def hierarchy_of(data: Mapping[str, Any]) -> str:
    """The name of the hierarchy that a document, or a named view of it, shows."""
    return name if isinstance(name := data.get("hierarchy"), str) else FOLDERS


def left_of(data: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """The places in other hierarchies that a document keeps."""
    places = data.get(PLACES)
    return {} if not isinstance(places, dict) else {n: place for n, place in places.items() if isinstance(place, dict)}


def view_as_data(view: ViewState, graph: Graph) -> dict[str, Any]:
    """The part of the view that a document keeps, with node ids: keys are private to one analysis."""
    return {
        **place_as_data(view, graph),
        **({"hierarchy": view.hierarchy} if view.hierarchy else {}),
        "only": view.only,
        "mapping": as_data(view.mapping),
        "beta": view.beta,
        **{name: getattr(view, name) for name in _SWITCHES},
        "kinds_off": sorted(view.kinds_off),
        **({"kinds_on": sorted(HIDDEN - view.kinds_off)} if HIDDEN - view.kinds_off else {}),
        "filter": asdict(view.filter),
        **({} if view.tests else {"tests": False}),
        "modules": asdict(view.modules),
        **{name: end for name in _ENDS if (end := getattr(view, name)) is not None},
        **({"pinned": [list(span) for span in view.pinned]} if view.pinned else {}),
    }


def view_of(
    view: Mapping[str, Any], graph: Graph, metrics: Mapping[str, Metric], first: MetricMapping
) -> dict[str, Any]:
    """Fields of the view state from a document or a named view; nodes that do not exist (any more) are left out.

    first   style that supplies metrics which the document does not name
    """
    fields = place_of(view, graph)
    if isinstance(only := view.get("only"), str) and filter_of(only, metrics)[0] is not None:
        fields["only"] = only
    if isinstance(beta := view.get("beta"), int | float) and 0 <= beta <= 1:
        fields["beta"] = float(beta)
    fields |= {name: end if type(end := view.get(name)) is int else None for name in _ENDS}
    fields["pinned"] = _spans(view.get("pinned"))
    if "mapping" in view:
        fields["mapping"] = of_data(view["mapping"], metrics, first)
    fields |= {name: view[name] for name in _SWITCHES if isinstance(view.get(name), bool)}
    if isinstance(kinds := view.get("kinds_off"), list):
        # An older document does not know these kinds: they stay hidden unless it names them as shown.
        shown = on if isinstance(on := view.get("kinds_on"), list) else []
        fields["kinds_off"] = frozenset(
            kind for kind in (*kinds, *HIDDEN) if isinstance(kind, str) and kind not in shown
        )
    fields["tests"] = view.get("tests") is not False
    fields["modules"] = choice_of(view)
    if isinstance(chosen := view.get("filter"), dict):
        fields["filter"] = relation_filter(chosen)
    return fields


def _spans(found: object) -> tuple[tuple[int, int], ...]:
    """Those entries of a list that are time ranges."""
    if not isinstance(found, list):
        return ()
    pairs = [each for each in found if isinstance(each, list) and [type(end) for end in each] == [int, int]]
    return tuple((first, last) for first, last in pairs if first <= last)[:_MOST_PINNED]
