"""State machine of the picture on the canvas: from a change, by a quick frame, to the smooth one. No Qt, no clock.

`advance` maps a state and an event to the next state and the work to do, in that order. Stage does the work and reports
back: after work with several steps, it sends `MORE` or `DONE`. `docs/decisions/picture-phases.md` shows both tables;
tests/view/test_phases.py compares them.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Phase(Enum):
    """How far the picture has come since the last change."""

    EMPTY = "empty"  # there is no scene: only the ground is painted
    SHAPING = "shaping"  # a large scene, or the first one, is prepared in steps; the last picture stays meanwhile
    PREPARED = "prepared"  # preparation is done; the last picture stays until other events are handled
    MOVING = "moving"  # the next painting makes a quick frame
    HASTY = "hasty"  # the quick frame is shown
    NAMES = "names"  # names are being laid out for the still picture
    GLASS = "glass"  # blocks that hide the highlight are being looked for
    CAREFUL = "careful"  # names are painted as in the still picture; missing relations are drawn
    PIECES = "pieces"  # the smooth frame is drawn piece by piece
    STILL = "still"  # the picture is as good as it gets
    FAILED = "failed"  # the picture could not be drawn: the last good one stays until something changes

    @property
    def is_current(self) -> bool:
        """Whether a painting shows the latest scene and camera, smooth or not."""
        return self not in _BEHIND

    @property
    def is_careful(self) -> bool:
        """Whether names are painted as in the still picture."""
        return self in _CAREFUL


_BEHIND = frozenset({Phase.EMPTY, Phase.SHAPING, Phase.PREPARED, Phase.MOVING, Phase.FAILED})
_CAREFUL = frozenset({Phase.CAREFUL, Phase.PIECES, Phase.STILL})


class NameLayout(Enum):
    """How the names are laid out."""

    SETTLED = "settled"  # as in the still picture
    STALE = "stale"  # as in a still picture, but for former heights or colours; they stay until the picture rests
    UPRIGHT = "upright"  # quick to lay out, while the camera or segments move


class Event(Enum):
    """What happens to the picture."""

    CLEAR = "clear"  # the subject is closed
    CHANGE = "change"  # the frame is out of date
    LARGE_CHANGE = "large change"  # as CHANGE, with a preparation that takes as long as a frame
    TURN = "turn"  # the camera or segments move
    ALTER = "alter"  # heights or colours of segments change, but not their places
    SETTLE = "settle"  # names have been laid out as in the still picture
    PAINT = "paint"  # the canvas is being painted
    IDLE = "idle"  # a wait has ended
    MORE = "more"  # the ordered work did a step, or found one to do: order it again
    DONE = "done"  # the ordered work is finished
    FAIL = "fail"  # work has raised an exception


class Work(Enum):
    """Work for Stage. `SHAPE`, `LAY_OUT`, `LOOK_THROUGH`, `CATCH_UP` and `PIECE` report back with `MORE` or `DONE`."""

    BEGIN = "begin"  # send IDLE at once
    STEP = "step"  # send IDLE after other events are handled
    WAIT = "wait"  # send IDLE when nothing has changed for a while
    ASK = "ask"  # ask the canvas to paint
    SHAPE = "shape"  # do a step of shaping the ring for a quick frame
    PORTION = "portion"  # draw a portion of the relations for a quick frame
    QUICK_FRAME = "quick frame"  # draw the quick frame
    LAY_OUT = "lay out"  # lay the names out, unless they are settled
    LOOK_THROUGH = "look through"  # find blocks that hide the highlight, unless they are known
    WRITE = "write"  # let the next painting paint the names anew
    CATCH_UP = "catch up"  # do a step of the work for the smooth frame: ring, relations
    PIECE = "piece"  # draw a piece of the smooth frame


@dataclass(frozen=True)
class PictureState:
    """Phase of the picture and layout of the names, which change independently."""

    phase: Phase = Phase.EMPTY
    names: NameLayout = NameLayout.SETTLED


Step = tuple[Phase, tuple[Work, ...]]

# Transitions in every phase except EMPTY.
_ALWAYS: dict[Event, Step] = {
    Event.CLEAR: (Phase.EMPTY, ()),
    Event.CHANGE: (Phase.MOVING, (Work.ASK, Work.WAIT)),
    Event.LARGE_CHANGE: (Phase.SHAPING, (Work.BEGIN,)),
    Event.FAIL: (Phase.FAILED, (Work.ASK,)),
}

# Transitions between phases; an event that is not listed does not change the phase, and orders no work.
PHASES: dict[tuple[Phase, Event], Step] = {
    **{(phase, event): step for phase in Phase if phase is not Phase.EMPTY for event, step in _ALWAYS.items()},
    (Phase.EMPTY, Event.CHANGE): (Phase.EMPTY, (Work.ASK,)),
    (Phase.EMPTY, Event.LARGE_CHANGE): (Phase.SHAPING, (Work.BEGIN,)),
    (Phase.SHAPING, Event.IDLE): (Phase.SHAPING, (Work.SHAPE,)),
    (Phase.SHAPING, Event.MORE): (Phase.SHAPING, (Work.STEP,)),
    (Phase.SHAPING, Event.DONE): (Phase.PREPARED, (Work.PORTION, Work.STEP)),
    (Phase.PREPARED, Event.IDLE): (Phase.MOVING, (Work.ASK, Work.WAIT)),
    (Phase.MOVING, Event.PAINT): (Phase.HASTY, (Work.QUICK_FRAME,)),
    (Phase.MOVING, Event.IDLE): (Phase.HASTY, (Work.QUICK_FRAME, Work.STEP)),  # the canvas is hidden
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

# Transitions of the names. They order no work; the phase NAMES does.
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
