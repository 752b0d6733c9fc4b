"""State machine of the picture on the canvas: from a change, by a quick frame, to the smooth one. No Qt, no clock.

`advance` maps a state and an event to the next state and the work to do, in that order. Stage does the work and reports
back: work that may take several steps is answered with `MORE` or `DONE`. `docs/decisions/picture-phases.md` draws
both tables; tests/view/test_phases.py compares them.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Phase(Enum):
    """How far the picture has come since the last change."""

    EMPTY = "empty"  # there is nothing to show: the ground alone is painted
    SHAPING = "shaping"  # a large scene, or the first one, is prepared in steps; the last picture stays meanwhile
    PREPARED = "prepared"  # all of that is done; the last picture stays until other events have had their turn
    MOVING = "moving"  # the next painting makes a quick frame
    HASTY = "hasty"  # the quick frame is seen
    NAMES = "names"  # names are laid out as in the still picture
    GLASS = "glass"  # what hides the highlight under the pointer is looked for
    CAREFUL = "careful"  # names are painted as in the still picture; relations catch up
    PIECES = "pieces"  # the smooth frame is drawn piece by piece
    STILL = "still"  # the picture is as good as it gets

    @property
    def is_current(self) -> bool:
        """Whether a painting shows the latest scene and camera, smooth or not."""
        return self not in _BEHIND

    @property
    def is_careful(self) -> bool:
        """Whether names are painted as in the still picture."""
        return self in _CAREFUL


_BEHIND = frozenset({Phase.EMPTY, Phase.SHAPING, Phase.PREPARED, Phase.MOVING})
_CAREFUL = frozenset({Phase.CAREFUL, Phase.PIECES, Phase.STILL})


class NameLayout(Enum):
    """How the names are laid out."""

    SETTLED = "settled"  # as in the still picture
    STALE = "stale"  # so, but for other heights or colours; they stay until the picture comes to rest
    UPRIGHT = "upright"  # quick to lay out, while the camera or segments move


class Event(Enum):
    """What happens to the picture."""

    CLEAR = "clear"  # the subject goes
    CHANGE = "change"  # the frame is out of date
    LARGE_CHANGE = "large change"  # the same, and its preparation takes as long as a frame
    TURN = "turn"  # the camera moves, or segments do
    ALTER = "alter"  # segments stay where they are, but not their heights or colours
    SETTLE = "settle"  # names have been laid out as in the still picture
    PAINT = "paint"  # the canvas is being painted
    IDLE = "idle"  # the time that was waited for is over
    MORE = "more"  # the work that was ordered has done a step, or found one to do: it is to be asked again
    DONE = "done"  # nothing is left of it


class Work(Enum):
    """What Stage is to do. `SHAPE`, `LAY_OUT`, `LOOK_THROUGH`, `CATCH_UP` and `PIECE` are answered."""

    BEGIN = "begin"  # IDLE at once
    STEP = "step"  # IDLE once other events have had their turn
    WAIT = "wait"  # IDLE once nothing has changed for a while
    ASK = "ask"  # ask the canvas to paint
    SHAPE = "shape"  # do a step of shaping the ring for a quick frame
    PORTION = "portion"  # draw a portion of the relations for it
    QUICK_FRAME = "quick frame"  # draw it
    LAY_OUT = "lay out"  # lay the names out, unless they are settled
    LOOK_THROUGH = "look through"  # find what hides the highlight, unless that is known
    WRITE = "write"  # let the next painting paint the names anew
    CATCH_UP = "catch up"  # do a step of what the smooth frame needs: ring, relations
    PIECE = "piece"  # draw a piece of it


@dataclass(frozen=True)
class PictureState:
    """Phase and names; the two go their ways side by side."""

    phase: Phase = Phase.EMPTY
    names: NameLayout = NameLayout.SETTLED


Step = tuple[Phase, tuple[Work, ...]]

# What may happen in every phase but EMPTY.
_ALWAYS: dict[Event, Step] = {
    Event.CLEAR: (Phase.EMPTY, ()),
    Event.CHANGE: (Phase.MOVING, (Work.ASK, Work.WAIT)),
    Event.LARGE_CHANGE: (Phase.SHAPING, (Work.BEGIN,)),
}

# What leads from phase to phase; an event that is not listed leaves the phase as it is, and orders no work.
PHASES: dict[tuple[Phase, Event], Step] = {
    **{(phase, event): step for phase in Phase if phase is not Phase.EMPTY for event, step in _ALWAYS.items()},
    (Phase.EMPTY, Event.CHANGE): (Phase.EMPTY, (Work.ASK,)),
    (Phase.EMPTY, Event.LARGE_CHANGE): (Phase.SHAPING, (Work.BEGIN,)),
    (Phase.SHAPING, Event.IDLE): (Phase.SHAPING, (Work.SHAPE,)),
    (Phase.SHAPING, Event.MORE): (Phase.SHAPING, (Work.STEP,)),
    (Phase.SHAPING, Event.DONE): (Phase.PREPARED, (Work.PORTION, Work.STEP)),
    (Phase.PREPARED, Event.IDLE): (Phase.MOVING, (Work.ASK, Work.WAIT)),
    (Phase.MOVING, Event.PAINT): (Phase.HASTY, (Work.QUICK_FRAME,)),
    (Phase.MOVING, Event.IDLE): (Phase.HASTY, (Work.QUICK_FRAME, Work.STEP)),  # nobody sees the canvas
    (Phase.HASTY, Event.IDLE): (Phase.NAMES, (Work.LAY_OUT,)),
    (Phase.NAMES, Event.IDLE): (Phase.NAMES, (Work.LAY_OUT,)),
    (Phase.NAMES, Event.MORE): (Phase.NAMES, (Work.STEP,)),
    (Phase.NAMES, Event.DONE): (Phase.GLASS, (Work.LOOK_THROUGH,)),
    (Phase.GLASS, Event.IDLE): (Phase.GLASS, (Work.LOOK_THROUGH,)),
    (Phase.GLASS, Event.MORE): (Phase.GLASS, (Work.STEP,)),
    (Phase.GLASS, Event.DONE): (Phase.CAREFUL, (Work.WRITE, Work.ASK, Work.STEP)),
    (Phase.CAREFUL, Event.IDLE): (Phase.CAREFUL, (Work.CATCH_UP,)),
    (Phase.CAREFUL, Event.MORE): (Phase.CAREFUL, (Work.STEP,)),
    (Phase.CAREFUL, Event.DONE): (Phase.PIECES, (Work.PIECE,)),
    (Phase.PIECES, Event.IDLE): (Phase.PIECES, (Work.PIECE,)),
    (Phase.PIECES, Event.MORE): (Phase.PIECES, (Work.STEP,)),
    (Phase.PIECES, Event.DONE): (Phase.STILL, (Work.ASK,)),
}

# The same for the names, which order no work: the phase NAMES does.
NAMES: dict[tuple[NameLayout, Event], NameLayout] = {
    (NameLayout.SETTLED, Event.TURN): NameLayout.UPRIGHT,
    (NameLayout.STALE, Event.TURN): NameLayout.UPRIGHT,
    (NameLayout.SETTLED, Event.ALTER): NameLayout.STALE,
    (NameLayout.STALE, Event.SETTLE): NameLayout.SETTLED,
    (NameLayout.UPRIGHT, Event.SETTLE): NameLayout.SETTLED,
}


def advance(state: PictureState, event: Event) -> tuple[PictureState, tuple[Work, ...]]:
    """The state after `event`, and the work to do in it, in that order."""
    phase, work = PHASES.get((state.phase, event), (state.phase, ()))
    return PictureState(phase, NAMES.get((state.names, event), state.names)), work
