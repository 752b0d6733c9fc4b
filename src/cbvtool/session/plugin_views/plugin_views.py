"""The part of a session that holds the open views of plugins, and what a document keeps of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from cbvtool.errors import InputError
from cbvtool.geometry.colors import BY_KIND, LIGHT, THEMES
from cbvtool.graph import Graph
from cbvtool.metrics.metric import Metric
from cbvtool.plugin.contributions import OverlayRelations, PluginOverlay
from cbvtool.plugin.laid_over import kinds_of
from cbvtool.plugin.states import must_be_small
from cbvtool.plugin.view import PluginView, ViewContext
from cbvtool.project import Project
from cbvtool.session.change import Change
from cbvtool.session.plugin_views.instance import ViewInstance
from cbvtool.session.plugin_views.memo import BoundedMemo
from cbvtool.session.plugin_views.overlays import overlay_metrics, overlay_relations
from cbvtool.session.plugin_views.project_text import ProjectText
from cbvtool.session.plugin_views.surroundings import ViewInputs, ViewSurroundings, arranged, kind_of, why_not
from cbvtool.session.plugin_views.values import kept_values
from cbvtool.session.state import State
from cbvtool.session.traces.traces import OpenProfile, OpenTrace, Traces
from cbvtool.trace.model.profile import Profile
from cbvtool.trace.model.trace import Trace

VIEWS = "views"  # a member of a document's view
MOST_VIEWS = 50  # of one document
MOST_INPUTS = 10_000  # of one view
Place = tuple[str, int]  # digest of a file, and the number of a trace or profile in it


@dataclass(frozen=True, eq=False)
class OpenedView:
    """An open view. name: `view:NAME:NUMBER`, by which its dock is known; places: of its inputs."""

    name: str
    number: int
    instance: ViewInstance
    places: tuple[Place, ...]


class PluginViews:
    """Opens views on what is open, and keeps those of a document that cannot be opened (yet) as they are.

    views   those that plugins offer, by name
    opened  by `OpenedView.name`
    report  is told of faults: the name of a view, and what it did
    beside  number of the trace that a view of two is opened on beside the one looked at; -1 = the first other one
    """

    def __init__(self, state: State, traces: Traces) -> None:
        self._state, self._traces = state, traces
        self.views: Mapping[str, PluginView[Any]] = {}
        self.report: Callable[[str, str], None] = lambda _view, _reason: None
        self.opened: dict[str, OpenedView] = {}
        self.beside = -1
        self._waiting: tuple[Any, ...] = ()
        self._memo = BoundedMemo()
        self._code_of: tuple[Project | None, ProjectText | None] = (None, None)
        self._laid: dict[str, Metric] = {}
        self._lying: tuple[PluginOverlay, Callable[[str], None], tuple[object, ...]] | None = None

    def offer(self, views: Mapping[str, PluginView[Any]], report: Callable[[str, str], None]) -> None:
        """These are the views there are."""
        self.views, self.report = views, report

    # -- commands and overlays ---------------------------------------------------------------------------------

    def context(self) -> ViewContext:
        """What commands and overlays look at: all that is open."""
        everything, around = self._everything(), self._around()
        before, called = self._before()
        return ViewContext(
            self._state.bare,
            tuple(_part(each) for each in everything),
            tuple(_map(each) for each in everything),
            around.focus,
            {},
            {},
            around.theme,
            self._memo,
            around.selected,
            around.hovered,
            around.code,
            before=before,
            before_name=called,
        )

    def lay_over(self, overlay: PluginOverlay, report: Callable[[str], None]) -> tuple[str, ...]:
        """Offer the columns of an overlay as metrics from now on; their names. Its relations are drawn alone."""
        made = overlay_metrics(overlay, self.context, report)
        self._laid |= made
        relations = overlay_relations(overlay, self.context, report)
        self._lying = (overlay, report, self._opened_parts()) if relations is not None else None
        self._state.lay_over(dict(self._laid), relations)
        if relations is not None:
            self._show_alone(relations)
        self._state.tell(Change.VIEW)
        return tuple(made)

    def _show_alone(self, relations: OverlayRelations) -> None:
        """In the colours of their kinds, the quiet kinds left out."""
        state, view = self._state, self._state.view
        kinds = dict(zip(kinds_of(relations), relations.kinds, strict=True))
        quiet = {kind for kind, name in kinds.items() if name in relations.quiet}
        state.view = replace(
            view,
            kinds_off=(view.kinds_off - kinds.keys()) | quiet,
            filter=replace(view.filter, evidence="overlay"),
            mapping=replace(view.mapping, relations=BY_KIND),
        )

    def _opened_parts(self) -> tuple[object, ...]:
        """What relations of an overlay are of: the nodes, and the recordings."""
        history = self._state.history
        return (None if history is None else history.base, *(_part(each) for each in self._everything()))

    def _lay_anew(self) -> None:
        """The relations of an overlay go or change with the recordings that they are of."""
        if self._lying is None or self._lying[2] == self._opened_parts():
            return
        overlay, report, _ = self._lying
        relations = overlay_relations(overlay, self.context, report) if self._state.is_open else None
        self._lying = None if relations is None else (overlay, report, self._opened_parts())
        self._state.lay_over(dict(self._laid), relations)
        self._state.tell(Change.VIEW)

    # -- opening -----------------------------------------------------------------------------------------------

    def begin(self, data: object) -> None:
        """Another document keeps these views; none is open. They open once their traces are, by `refresh`."""
        self.opened, self._laid, self._lying = {}, {}, None
        self._state.lay_over({})
        self._waiting = tuple(data[:MOST_VIEWS]) if isinstance(data, list) else ()

    def why_not(self, name: str) -> str:
        """Why a view cannot be opened on what is open now, for people; "" = it can."""
        view = self.views[name]
        chosen = self._chosen(view)
        reason = why_not(view.takes, [kind_of(part) for part, _ in chosen])
        if not reason and not chosen and not self._state.is_open:
            reason = "nothing is open"
        return f"{view.label} cannot be opened: {reason}" if reason else ""

    def open_view(self, name: str) -> OpenedView:
        """Open a view on what is looked at. Raises InputError where that is not what it takes."""
        if reason := self.why_not(name):
            raise InputError(f"{reason}.")
        chosen = self._chosen(self.views[name])
        return self._add(name, self._free(name), [place for _, place in chosen], {})

    def close(self, name: str) -> None:
        """Close an open view."""
        self.opened.pop(name, None)

    def _free(self, name: str) -> int:
        taken = {each.number for each in self.opened.values() if each.instance.view.name == name}
        return next(number for number in range(1, len(taken) + 2) if number not in taken)

    def _add(self, name: str, number: int, places: Sequence[Place], kept: Mapping[str, Any]) -> OpenedView:
        view = self.views[name]
        inputs = self._inputs(view, places)
        assert inputs is not None
        instance = ViewInstance(
            view,
            inputs,
            self._around(),
            lambda reason: self.report(name, reason),
            values=_mapping(kept.get("values")),
            data=_mapping(kept["state"]) if "state" in kept else None,
            follows=kept.get("follows") is not False,
        )
        made = OpenedView(f"view:{name}:{number}", number, instance, tuple(places))
        self.opened[made.name] = made
        return made

    def _chosen(self, view: PluginView[Any]) -> list[tuple[Trace | Profile, Place]]:
        """What it would be opened on: of each kind the one looked at first, then the others, as many as it takes."""
        known = self._parts()
        focus = self._traces.focus.trace
        in_order = sorted(range(len(known)), key=lambda row: (row != focus, row != self.beside))
        chosen = list[tuple[Trace | Profile, Place]]()
        for each in view.takes:
            fitting = [known[row] for row in in_order if kind_of(known[row][0]) == each.kind]
            taken = fitting[: each.most]
            chosen += [row for row in known if row in taken]
        return chosen

    def _parts(self) -> list[tuple[Trace | Profile, Place]]:
        """What is open, in the order of its numbers."""
        parts, count = list[tuple[Trace | Profile, Place]](), dict[str, int]()
        for each in self._everything():
            digest = each.file.digest
            count[digest] = count.get(digest, -1) + 1
            parts.append((_part(each), (digest, count[digest])))
        return parts

    def _everything(self) -> list[OpenTrace | OpenProfile]:
        return [*self._traces.opened, *self._traces.profiles]

    def _inputs(self, view: PluginView[Any], places: Sequence[Place]) -> ViewInputs | None:
        """The inputs at these places; None where one is not open."""
        known = {place: number for number, (_, place) in enumerate(self._parts())}
        if not self._state.is_open or any(place not in known for place in places):
            return None
        everything = self._everything()
        found = [everything[known[place]] for place in places]
        if why_not(view.takes, [kind_of(_part(each)) for each in found]):
            return None
        parts = arranged(view.takes, [_part(each) for each in found])
        at = {id(_part(each)): number for number, each in enumerate(everything)}
        numbers = tuple(at[id(part)] for part in parts)
        names = tuple(everything[n].file.path.stem for n in numbers)
        maps = tuple(_map(everything[n]) for n in numbers)
        before, called = self._before()
        return ViewInputs(parts, maps, numbers, self._state.bare, names, before, called)

    def _before(self) -> tuple[Graph | None, str]:
        """What the design that is shown is compared with, and what that is called."""
        state = self._state
        return state.bare_pair[0], "the code as it is" if state.compared is None else state.compared.name

    def _around(self) -> ViewSurroundings:
        view = self._state.view
        theme = THEMES.get(view.theme, LIGHT)
        project = self._state.project
        if project is not self._code_of[0]:
            self._code_of = (project, None if project is None else ProjectText(project))
        return ViewSurroundings(
            self._traces.focus, theme, view.selected, view.hovered, self._code_of[1], self._traces.pairs_against_rules
        )

    # -- following -----------------------------------------------------------------------------------------------

    def refresh(self) -> tuple[frozenset[str], tuple[OpenedView, ...], tuple[OpenedView, ...]]:
        """See what is open and looked at now: (names of views that look different, views opened, views gone).

        A view whose trace is closed goes, and comes again with the trace.
        """
        self._lay_anew()
        around = self._around()
        changed, gone = set[str](), list[OpenedView]()
        for name, each in list(self.opened.items()):
            inputs = self._inputs(each.instance.view, each.places)
            if inputs is None:
                self._waiting = (*self._waiting, self._entry(each))
                gone.append(self.opened.pop(name))
                continue
            before = each.instance.inputs
            if _seen(inputs) != _seen(before):
                each.instance.take_inputs(inputs)
                changed.add(name)
            if each.instance.look_around(around):
                changed.add(name)
        return frozenset(changed), tuple(self._open_waiting()), tuple(gone)

    def _open_waiting(self) -> list[OpenedView]:
        made, kept = list[OpenedView](), list[Any]()
        for entry in self._waiting:
            found = self._reopened(entry) if self.views and self._state.is_open else None
            if found is None:
                kept.append(entry)
            else:
                made.append(found)
        self._waiting = tuple(kept)
        return made

    def _reopened(self, entry: object) -> OpenedView | None:
        """The view that an entry of a document tells; None: it stays as it is."""
        if not isinstance(entry, dict) or not isinstance(name := entry.get("view"), str) or name not in self.views:
            return None
        places = _places(entry.get("inputs"))
        if places is None or self._inputs(self.views[name], places) is None:
            return None
        number = entry.get("number")
        wanted = number if isinstance(number, int) and 0 < number <= MOST_VIEWS else 0
        if not wanted or f"view:{name}:{wanted}" in self.opened:
            wanted = self._free(name)
        return self._add(name, wanted, places, entry)

    # -- keeping --------------------------------------------------------------------------------------------------

    def as_data(self) -> list[Any]:
        """What a document keeps: open views, and those that could not be opened."""
        return [*(self._entry(each) for each in self.opened.values()), *self._waiting]

    def _entry(self, each: OpenedView) -> dict[str, Any]:
        instance = each.instance
        return {
            "view": instance.view.name,
            "version": instance.view.version,
            "number": each.number,
            "inputs": [list(place) for place in each.places],
            "state": instance.data(),
            "values": kept_values(instance.view.parameters, instance.values),
            "follows": instance.follows,
        }


def _part(each: OpenTrace | OpenProfile) -> Trace | Profile:
    return each.trace if isinstance(each, OpenTrace) else each.profile


def _map(each: OpenTrace | OpenProfile) -> Any:
    if isinstance(each, OpenTrace):
        return None if each.laid is None else each.laid.map
    return each.map


def _mapping(data: object) -> Mapping[str, Any]:
    """Data of a document, if it is an object and not beyond all measure; else nothing."""
    try:
        must_be_small(data)
    except ValueError:
        return {}
    return data if isinstance(data, dict) else {}


def _seen(inputs: ViewInputs) -> tuple[object, ...]:
    """What may be another one while the view is open."""
    return inputs.graph, inputs.maps, inputs.numbers, inputs.before, inputs.before_name


def _places(data: object) -> tuple[Place, ...] | None:
    """The inputs that an entry names; None where it makes no sense."""
    if not isinstance(data, list) or len(data) > MOST_INPUTS:
        return None
    found = list[Place]()
    for each in data:
        if not (isinstance(each, list) and len(each) == 2 and isinstance(each[0], str) and isinstance(each[1], int)):
            return None
        found.append((each[0], each[1]))
    return tuple(found)
