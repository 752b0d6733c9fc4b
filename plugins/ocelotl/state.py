"""The state of Ocelotl: plain values, kept by documents."""

from __future__ import annotations

from dataclasses import dataclass, replace

from cbvtool.api import Trace, ViewContext

FAR = 2**62  # ns: no time of a trace lies beyond
MOST_LOOKS = 50  # that are remembered


@dataclass(frozen=True)
class Look:
    """What is looked at. window: absolute ns, None = all; resource: path of a resource, "" = all."""

    window: tuple[int, int] | None = None
    resource: str = ""


@dataclass(frozen=True)
class Region:
    """Leaves `top` to `bottom` (left out) and slices `first` to `last` of the model that is shown."""

    top: int
    bottom: int
    first: int
    last: int


@dataclass(frozen=True)
class OcelotlState:
    """What users did in the view.

    look      what is looked at now; told: the window that the other views were told last
    past      where the user was before, the latest last; future: where Back came from, the next one last
    moving    the window while a gesture goes on, absolute ns; None = it is that of `look`
    selected  the region whose figures are told; second: another one that it is compared with
    """

    look: Look = Look()
    told: tuple[int, int] | None = None
    past: tuple[Look, ...] = ()
    future: tuple[Look, ...] = ()
    moving: tuple[int, int] | None = None
    selected: Region | None = None
    second: Region | None = None


def look_of(context: ViewContext, state: OcelotlState) -> Look:
    """What is looked at: the window of this view, or the shared one if others have changed that since."""
    if context.focus.window == state.told:
        return state.look
    window = context.focus.window
    return replace(state.look, window=None if window is None else context.focus.within(context.trace().span))


def looked(context: ViewContext, state: OcelotlState, look: Look) -> OcelotlState:
    """The state that looks elsewhere, from which Back leads here."""
    here = look_of(context, state)
    if look == here:
        return replace(state, moving=None)
    past = (*state.past, here)[-MOST_LOOKS:]
    return replace(state, look=look, past=past, future=(), moving=None, selected=None, second=None)


def usable(trace: Trace, state: OcelotlState) -> OcelotlState:
    """A state from a document. Raises ValueError where it speaks of times that no trace has."""
    for look in (state.look, *state.past, *state.future):
        if look.window is not None and not -FAR < look.window[0] < look.window[1] < FAR:
            raise ValueError("a window that ends before it begins, or lies beyond all times")
    if len(state.past) > MOST_LOOKS or len(state.future) > MOST_LOOKS:
        raise ValueError("more places than are remembered")
    return replace(state, moving=None, selected=None, second=None)
