"""One open view of a plugin: its state, what it needs, what it draws, and what follows from an event."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from cbvtool.errors import Cancelled, InputError, error_text
from cbvtool.plots.layers import Bars
from cbvtool.plots.plot import Hit, Plot, Viewport
from cbvtool.plugin.events import EventKind, ViewEvent
from cbvtool.plugin.parameters import Value
from cbvtool.plugin.parts import Layout, ViewPart, ViewTable, parts_of
from cbvtool.plugin.requests import Request, SetFocus, SetValue
from cbvtool.plugin.states import data_of, must_be_small
from cbvtool.plugin.view import Need, PluginView, ViewContext
from cbvtool.progress import Progress, silent
from cbvtool.session.plugin_views.drawn import must_be_drawable
from cbvtool.session.plugin_views.memo import BoundedMemo, UnfinishedError
from cbvtool.session.plugin_views.merged import merging, with_merged
from cbvtool.session.plugin_views.needs import NeedResults, make
from cbvtool.session.plugin_views.surroundings import ViewInputs, ViewSurroundings
from cbvtool.session.plugin_views.values import fitting, values_of
from cbvtool.trace.model.focus import Focus

T = TypeVar("T")
Report = Callable[[str], None]  # what a view did wrong, as the end of a sentence: "raised KeyError: 3"
MOST_ROUNDS = 100  # of needs that follow from results of needs, while somebody waits for all
_MOST_PARTS = 64


@dataclass(frozen=True)
class ViewFailure:
    """Stands where a part of a view cannot be shown: one sentence."""

    sentence: str


@dataclass(frozen=True)
class _Pressed:
    """What a drag that is broken off brings back."""

    state: Any
    values: Mapping[str, Value]
    focus: Focus


class ViewInstance:
    """A view on its inputs. No method raises what a plugin raises: it is reported, and said in the place of the view.

    view     what the plugin offers
    inputs   what it is opened on
    around   what it shares with other views
    values   of its parameters
    follows  whether it looks where the others look; else it has a focus of its own
    state    None = it could not start
    viewports  for what each canvas was drawn last: needs may depend on it, so ask for those that are `wanted` again
    """

    def __init__(
        self,
        view: PluginView[Any],
        inputs: ViewInputs,
        around: ViewSurroundings,
        report: Report,
        *,
        values: Mapping[str, object] | None = None,
        data: Mapping[str, Any] | None = None,
        follows: bool = True,
    ) -> None:
        self.view, self.inputs, self.around = view, inputs, around
        self.values: Mapping[str, Value] = values_of(view.parameters, values or {})
        self.follows = follows
        self.memo = BoundedMemo()
        self.needs = NeedResults()
        self.viewports: Mapping[str, Viewport] = {}
        self._merged: dict[str, tuple[Bars, ...]] = {}  # of each part, as it was drawn last
        self._report = report
        self._own_focus = Focus()
        self._failure = ""
        self._pressed: _Pressed | None = None
        self.state: Any = None
        self._follow_focus()
        self._begin(data)

    def _begin(self, data: Mapping[str, Any] | None) -> None:
        state = None if data is None else self._loaded(data)
        if state is None:
            state = self._asked(lambda: self.view.start(self.context))
        self.state = state

    def _loaded(self, data: Mapping[str, Any]) -> Any:
        """The state that a document kept; None = the view starts afresh."""
        try:
            must_be_small(data)
            return self.view.load(self.context, data)
        except ValueError:
            return None
        except Exception as error:
            self._report(f"raised {error_text(error)}")
            return None

    # -- what it is given ------------------------------------------------------------------------------------

    @property
    def context(self) -> ViewContext:
        """What the view may look at now."""
        inputs, around = self.inputs, self.around
        return ViewContext(
            inputs.graph,
            inputs.parts,
            inputs.maps,
            self._own_focus,
            self.values,
            self.needs.found,
            around.theme,
            self.memo,
            around.selected,
            around.hovered,
            around.code,
            self.viewports,
            around.against_rules,
            inputs.names,
            dict(self.needs.failed),
            inputs.before,
            inputs.before_name,
        )

    @property
    def focus(self) -> Focus:
        """Where it looks; `Focus.trace` counts its own inputs."""
        return self._own_focus

    @property
    def failure(self) -> str:
        """Why nothing can be shown of it; "" = nothing is wrong."""
        return self._failure

    def look_around(self, around: ViewSurroundings) -> bool:
        """Other views did something; True = it may look different now."""
        before, self.around = self.around, around
        focus = self._own_focus
        self._follow_focus()
        told = (before.theme, before.selected, before.hovered) != (around.theme, around.selected, around.hovered)
        told |= before.against_rules != around.against_rules
        return told or focus != self._own_focus

    def follow(self, follows: bool) -> None:
        """Look where the others look, or not."""
        self.follows = follows
        self._follow_focus()

    def look_at(self, focus: Focus) -> None:
        """Look elsewhere, whatever the others do; `Focus.trace` counts its inputs."""
        self._own_focus = focus

    def take_inputs(self, inputs: ViewInputs) -> None:
        """The graph is another one, or the map of an input is known by now; the inputs are the same."""
        self.inputs = inputs
        self._follow_focus()

    def set_value(self, name: str, value: object) -> None:
        """Give a parameter another value. Raises InputError for an unknown one, or a value that it cannot have."""
        for parameter in self.view.parameters:
            if parameter.name == name:
                self.values = {**self.values, name: fitting(parameter, value)}
                return
        raise InputError(f"There is no parameter {name!r}.")

    def _follow_focus(self) -> None:
        shared = self.around.focus
        if self.follows and shared.trace in self.inputs.numbers:
            self._own_focus = replace(shared, trace=self.inputs.numbers.index(shared.trace))

    # -- what it needs ---------------------------------------------------------------------------------------

    def wanted(self) -> tuple[Need, ...]:
        """Slow work that is to be begun; whoever makes it hands it to `needs`."""
        if self.state is None:
            return ()
        needs = self._asked(lambda: tuple(self.view.needs(self.context, self.state)))
        if needs is None:
            return ()
        for need in needs:
            if not isinstance(need, Need):
                self._fail(TypeError(f"a need is a Need, not {type(need).__name__}"))
                return ()
        return self.needs.declare(needs)

    def settle(self, progress: Progress = silent) -> bool:
        """Make all that is needed, at once, where nobody waits at a window; True = something was. Raises Cancelled."""
        for rounds in range(MOST_ROUNDS):
            wanted = self.wanted()
            if not wanted:
                return rounds > 0
            for need in wanted:
                try:
                    self.needs.take(need, make(need, progress))
                except Cancelled:
                    raise
                except InputError as error:
                    if self.needs.fail(need, str(error)):
                        self._report(f"could not make {need.name!r}: {error}")
                except Exception as error:
                    self.need_failed(need, error_text(error))
        return True

    def need_failed(self, need: Need, reason: str) -> None:
        """The work of a need raised something, in words."""
        if self.needs.fail(need, f"{need.what} failed: {reason}"):
            self._report(f"raised {reason} while it made {need.name!r}")

    # -- what it shows ---------------------------------------------------------------------------------------

    def layout(self) -> Layout:
        """Its parts; one, where it cannot say."""
        layout = None
        if self.state is not None:
            layout = self._asked(lambda: _checked_layout(self.view.layout(self.context, self.state)))
        return ViewPart("main") if layout is None else layout

    def draw(self, part: str, viewport: Viewport) -> Plot | ViewTable | ViewFailure:
        """A part of it."""
        if self.state is not None:
            kind = next((each.kind for each in parts_of(self.layout()) if each.name == part), "canvas")
            drawn = self._asked(lambda: self._drawn(part, kind, viewport))
            if drawn is not None:
                self._failure = ""
                if isinstance(drawn, Plot):
                    self._merged[part] = merging(drawn)
                if isinstance(drawn, Plot) and self.viewports.get(part) != viewport:
                    self.viewports = {**self.viewports, part: viewport}
                return drawn
        return ViewFailure(self._failure or f"The view {self.view.label} shows nothing here.")

    def draw_within(self, part: str, viewport: Viewport, seconds: float) -> Plot | ViewTable | ViewFailure | None:
        """The same; None = time was up, and whoever asks again gets further, since what was made is kept."""
        try:
            with self.memo.within(seconds):
                return self.draw(part, viewport)
        except UnfinishedError:
            return None

    def _drawn(self, part: str, kind: str, viewport: Viewport) -> Plot | ViewTable:
        return must_be_drawable(self.view.draw(self.context, self.state, part, viewport), kind)

    def tell(self, part: str, hit: Hit) -> tuple[str, ...]:
        """Lines of a tooltip; of a merged bar also for how many it stands, where the view does not say so."""
        if self.state is None:
            return ()
        lines = self._asked(lambda: self.view.tell(self.context, self.state, part, hit))
        told = () if lines is None else tuple(str(line) for line in lines)
        return with_merged(told, self._merged.get(part, ()), hit)

    # -- what happens ----------------------------------------------------------------------------------------

    @property
    def is_dragging(self) -> bool:
        """Whether a drag goes on, which ESC ends."""
        return self._pressed is not None

    def on(self, event: ViewEvent) -> tuple[bool, tuple[Request, ...]]:
        """(whether it is to be drawn anew, what else the host is to do). Focus in requests counts the open traces.

        ESC while something is dragged brings back what was before the press, and does not reach the view.
        """
        if self.state is None:
            return False, ()
        if event.kind is EventKind.KEY and event.key == "Escape" and self._pressed is not None:
            return True, self._back()
        if event.kind is EventKind.PRESS:
            self._pressed = _Pressed(self.state, self.values, self._own_focus)
        answer = self._asked(lambda: _checked_answer(self.view.on(self.context, self.state, event)))
        if event.kind in (EventKind.DROP, EventKind.CLICK, EventKind.DOUBLE):
            self._pressed = None
        if answer is None:
            return True, ()  # the sentence is to be seen
        state, requests = answer
        changed = state is not self.state
        self.state = state
        left = list[Request]()
        for request in requests:
            if isinstance(request, SetValue):
                changed |= self._set(request)
            elif isinstance(request, SetFocus):
                changed |= request.focus != self._own_focus
                self._own_focus = request.focus
                left.extend(self._shared())
            else:
                left.append(request)
        return changed, tuple(left)

    def _set(self, request: SetValue) -> bool:
        try:
            self.set_value(request.name, request.value)
        except InputError as error:
            self._report(f"asked for a value that cannot be: {error}")
            return False
        return True

    def _shared(self) -> tuple[SetFocus, ...]:
        """What the others are told of its focus."""
        numbers, own = self.inputs.numbers, self._own_focus
        if not self.follows or not 0 <= own.trace < len(numbers) or numbers[own.trace] < 0:
            return ()
        return (SetFocus(replace(own, trace=numbers[own.trace])),)

    def _back(self) -> tuple[Request, ...]:
        pressed, self._pressed = self._pressed, None
        assert pressed is not None
        self.state, self.values = pressed.state, pressed.values
        if pressed.focus == self._own_focus:
            return ()
        self._own_focus = pressed.focus
        return self._shared()

    # -- what is kept ----------------------------------------------------------------------------------------

    def data(self) -> dict[str, Any]:
        """Its state as plain JSON; empty for one that is no plain data."""
        if self.state is None:
            return {}
        try:
            return data_of(self.state)
        except (ValueError, TypeError) as error:
            self._report(f"has a state that cannot be kept: {error}")
            return {}

    # -- inside ----------------------------------------------------------------------------------------------

    def _asked(self, ask: Callable[[], T]) -> T | None:
        """What the view answers; None where it fails, which is reported."""
        try:
            return ask()
        except Cancelled:
            raise
        except Exception as error:
            self._fail(error)
            return None

    def _fail(self, error: Exception) -> None:
        self._failure = f"The view {self.view.label} failed: {error_text(error)}"
        self._report(f"raised {error_text(error)}")


def _checked_layout(layout: Layout) -> Layout:
    parts = parts_of(layout)
    if not 0 < len(parts) <= _MOST_PARTS:
        raise ValueError(f"a layout has from 1 to {_MOST_PARTS} parts, not {len(parts)}")
    for part in parts:
        if not isinstance(part, ViewPart) or part.kind not in ("canvas", "table"):
            raise ValueError("a part of a layout is a ViewPart of the kind canvas or table")
    if len({part.name for part in parts}) != len(parts):
        raise ValueError("two parts of the layout have one name")
    return layout


def _checked_answer(answer: object) -> tuple[Any, tuple[Request, ...]]:
    if not isinstance(answer, tuple) or len(answer) != 2 or not isinstance(answer[1], tuple):
        raise TypeError("on returns (state, requests)")
    for request in answer[1]:
        if not isinstance(request, Request):
            raise TypeError(f"a request is not a {type(request).__name__}")
    return answer
