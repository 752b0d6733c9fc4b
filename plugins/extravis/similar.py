"""Parts of the sequence like the marked one (EX-5)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.api import Bars, Labels, Need, NeedProgress, Raster, Repeats, Segments, TooMuchMarked, ViewContext, repeats

from .palette import with_alpha
from .room import Room
from .scene import Scene
from .state import ExtraVisState, Part

Layers = list[Bars | Labels | Segments | Raster]
FOUND = "found"


@dataclass(frozen=True, eq=False)
class Similar:
    """What was found for a marked part; why: the sentence where it was not looked for."""

    mark: tuple[int, int]
    found: Repeats | None
    why: str = ""


def similar_needs(context: ViewContext, state: ExtraVisState, scene: Scene) -> tuple[Need, ...]:
    """The search for the marked part."""
    if state.mark is None or state.mark[0] >= scene.length:
        return ()
    least, runs = float(context.values["similarity"]) / 100.0, bool(context.values["runs"])
    of = (scene.lanes[0].identity, state.mark, least, runs)
    return (Need("similar", "looking for similar parts", make_similar, of),)


def make_similar(
    identity: npt.NDArray[np.int32], mark: tuple[int, int], least: float, runs: bool, progress: NeedProgress
) -> Similar:
    """`repeats`, as a need."""
    try:
        return Similar(mark, repeats(identity, *mark, least=least, runs=runs, progress=progress))
    except TooMuchMarked as error:
        return Similar(mark, None, f"{error}.")


def similar_in(context: ViewContext, state: ExtraVisState) -> Similar | None:
    """None where nothing is marked, or while the search goes on."""
    made: Similar | None = context.found.get("similar")
    return made if state.mark is not None and made is not None and made.mark == state.mark else None


def mark_layers(context: ViewContext, state: ExtraVisState, scene: Scene, room: Room, shown: Part) -> Layers:
    """Brackets right of the rows: the marked part, and those like it, paler the less they are."""
    if state.mark is None:
        return []
    similar = similar_in(context, state)
    parts = [(state.mark[0], state.mark[1], 1.0)]
    if similar is not None and similar.found is not None:
        found = similar.found
        parts = list(zip(found.low.tolist(), found.high.tolist(), found.similarity.tolist(), strict=True))
    x, y, width, height = room.marks
    low, high, share = np.array(parts).T
    scale = height / max(shown[1] - shown[0], 1e-9)
    top, bottom = y + (low - shown[0]) * scale, y + (high - shown[0]) * scale
    bottom = np.maximum(bottom, top + 2.0)
    seen = (bottom > y) & (top < y + height)
    top, bottom = np.clip(top, y, y + height), np.clip(bottom, y, y + height)
    theme = context.theme
    color = np.tile(np.array(theme.affected, np.uint8), (len(low), 1))
    color[:, 3] = np.rint(90 + 165 * np.clip((share - 0.5) * 2, 0, 1)).astype(np.uint8)
    color[low == state.mark[0]] = with_alpha(theme.accent, 255)
    item = np.flatnonzero(seen).astype(np.int32)
    layers = Layers(
        [
            Bars(
                name=FOUND,
                x0=np.full(len(item), x + 3.0),
                x1=np.full(len(item), x + width - 3.0),
                y0=top[seen],
                y1=np.maximum(bottom[seen] - 1.0, top[seen] + 1.0),
                color=color[seen],
                item=item,
            )
        ]
    )
    left = room.lanes[0][0]
    right = room.lanes[-1][0] + room.lanes[-1][2]
    edges = np.unique(np.concatenate((top[seen], bottom[seen])))
    edges = edges[(edges > y) & (edges < y + height)]
    if 0 < len(edges) <= 200:
        layers.append(
            Segments(
                name="found edges",
                x0=np.full(len(edges), left),
                x1=np.full(len(edges), right),
                y0=edges,
                y1=edges,
                color=with_alpha(theme.affected, 170),
                width=1.0,
                dashed=True,
            )
        )
    return layers
