"""The state of CallFlow: plain values, kept by documents."""

from __future__ import annotations

from dataclasses import dataclass

MOST_LETTERS = 10_000  # of the name of a module
FAR = 1e9  # no place of a picture lies beyond


@dataclass(frozen=True)
class CallFlowState:
    """What is selected, and where the user looks.

    module  name of the selected module, "" = none
    site    row of the selected call path in the ensemble, -1 = none
    x, y    ranges of the picture that are seen; None = all
    """

    module: str = ""
    site: int = -1
    x: tuple[float, float] | None = None
    y: tuple[float, float] | None = None


def usable(state: CallFlowState) -> CallFlowState:
    """A state from a document. Raises ValueError where it looks at what no picture has."""
    for seen in (state.x, state.y):
        if seen is not None and not -FAR < seen[0] < seen[1] < FAR:
            raise ValueError("a range that ends before it begins, or lies beyond all pictures")
    if len(state.module) > MOST_LETTERS:
        raise ValueError("a name of a module that is too long")
    return state
