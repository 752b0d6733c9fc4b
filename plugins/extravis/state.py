"""The state of ExtraVis: plain values, kept by documents."""

from __future__ import annotations

from dataclasses import dataclass, replace

Part = tuple[float, float]  # rows of the sequence, with fractions
_MOST_TOGGLED = 5_000
_FAR = 2.0**40  # rows: no sequence is longer


@dataclass(frozen=True)
class ExtraVisState:
    """What users did in the view. Rows are places in the sequence of calls, from 0 on.

    shown     the rows that the sequence view shows; None = all
    part      the rows that are looked at: what the bundle view shows; None = all
    told      the window that other views were told last: absolute ns
    mark      the rows whose like is looked for; None = none
    toggled   ids of containers that are open or closed, unlike the level says
    pair      the selected pair of columns, by its number among those that are seen; -1 = none
    kind, at  what the pointer is on: "pair" or "box" and its number; "" and -1 = nothing
    dragging  a part is being chosen: coarse will do
    difference  the number of that between two recordings that was gone to last, -1 = none
    lane, row  the call that the pointer is on: of which trace, and its row; -1 = none
    """

    shown: Part | None = None
    part: tuple[int, int] | None = None
    told: tuple[int, int] | None = None
    mark: tuple[int, int] | None = None
    toggled: tuple[str, ...] = ()
    pair: int = -1
    kind: str = ""
    at: int = -1
    lane: int = 0
    row: int = -1
    dragging: bool = False
    difference: int = -1


def pointed(state: ExtraVisState, kind: str = "", at: int = -1, lane: int = 0, row: int = -1) -> ExtraVisState:
    """The pointer is on something else; the same state where it is not."""
    new = kind, at, lane, row
    if new == (state.kind, state.at, state.lane, state.row):
        return state
    return replace(state, kind=kind, at=at, lane=lane, row=row)


def usable(state: ExtraVisState) -> ExtraVisState:
    """A state from a document. Raises ValueError where it speaks of what no sequence has."""
    for rows in (state.shown, state.part, state.mark):
        if rows is not None and not 0 <= rows[0] < rows[1] <= _FAR:
            raise ValueError("rows that end before they begin, or lie beyond all sequences")
    if len(state.toggled) > _MOST_TOGGLED:
        raise ValueError("more containers than anybody toggles")
    return replace(state, pair=-1, kind="", at=-1, lane=0, row=-1, dragging=False, difference=-1)
