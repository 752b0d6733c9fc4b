"""A Sankey diagram of boxes and flows: which column, where, and where each flow begins, bends and ends (CF-2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.trace.ensemble.sankey.layers import Ints, back_edges, layers
from cbvtool.trace.ensemble.sankey.ordering import FlowColumns, ordered
from cbvtool.trace.ensemble.sankey.placing import placed, scale_of

Floats = npt.NDArray[np.float64]
Longs = npt.NDArray[np.int64]
GAP = 14.0  # px below a box
BEND_GAP = 5.0  # px below a bend of a flow that passes a column
LOOP = 0.15  # of its height at most that flows of cycles take at the ends of a box
TINY = 1e-200  # values below it are taken for none
_LEAST = 1e-12  # of the largest value


@dataclass(frozen=True, eq=False)
class SankeyLayout:
    """g boxes and e flows, in px of a plane `columns` wide and `height` high.

    columns      how many; height: px; scale: px for one unit of value
    layer        int32[g]    column of each box
    top, size    float64[g]
    back         bool[e]     closes a cycle: it runs from its source back to the left; a self-call from a box to itself
    out_top, in_top    float64[e]  where the flow leaves its source, and reaches its target
    out_size, in_size  float64[e]
    bend_ptr     int64[e+1]  bends of each flow, from left to right
    bend_layer   int32[b]    the columns that it passes
    bend_top, bend_size  float64[b]
    """

    columns: int
    height: float
    scale: float
    layer: Ints
    top: Floats
    size: Floats
    back: npt.NDArray[np.bool_]
    out_top: Floats
    out_size: Floats
    in_top: Floats
    in_size: Floats
    bend_ptr: npt.NDArray[np.int64]
    bend_layer: Ints
    bend_top: Floats
    bend_size: Floats


def sankey(
    value: Floats, source: Ints, target: Ints, flow: Floats, height: float, gap: float = GAP, seed: int = 1
) -> SankeyLayout:
    """Lay out boxes of `value` float64[g] and flows float64[e] from source to target, in `height` px.

    What leaves or enters a box and is more than its value is drawn narrower, so that it fits; flows that close a cycle
    get a part of the box of their own. The same input gives the same layout. Below zero or missing is 0.
    """
    g, e = len(value), len(source)
    largest = max(float(np.nan_to_num(value).max(initial=0.0)), float(np.nan_to_num(flow).max(initial=0.0)))
    unit = largest if largest > TINY else 1.0
    value, flow = (_clean(each / unit) for each in (value, flow))
    back = back_edges(g, source, target)
    layer = layers(g, source, target, back)
    # Bends: one in each column that a flow passes.
    ahead = np.flatnonzero(~back)
    passes = np.zeros(e, np.int64)
    passes[ahead] = layer[target[ahead]] - layer[source[ahead]] - 1
    ptr = np.concatenate(([0], np.cumsum(passes)))
    of = np.repeat(np.arange(e), passes)
    bend_layer = (layer[source[of]] + 1 + np.arange(len(of)) - ptr[of]).astype(np.int32)
    columns = _pieces(np.concatenate((layer, bend_layer)), source, target, flow, ahead, ptr, g)
    whole = np.concatenate((value, flow[of]))
    apart = np.concatenate((np.full(g, gap), np.full(len(of), min(BEND_GAP, gap))))
    scale = scale_of(columns, whole, apart, height)
    size = whole * scale
    place = ordered(columns, seed)
    top = placed(columns, place, size, apart, height)
    middle = top + size / 2
    # Ends of flows, in the order of where they come from and go to, so that they do not cross at the box.
    has = passes > 0
    following = np.where(has, middle[np.minimum(g + ptr[:-1], len(middle) - 1)], middle[target]) if e else flow
    before = np.where(has, middle[np.clip(g + ptr[1:] - 1, 0, len(middle) - 1)], middle[source]) if e else flow
    out_top, out_size = _ends(source, flow * scale, following, back, top[:g], size[:g])
    in_top, in_size = _ends(target, flow * scale, before, back, top[:g], size[:g])
    return SankeyLayout(
        int(layer.max(initial=-1)) + 1,
        height,
        scale / unit,
        layer,
        top[:g],
        size[:g],
        back,
        out_top,
        out_size,
        in_top,
        in_size,
        ptr,
        bend_layer,
        top[g:],
        size[g:],
    )


def _clean(values: Floats) -> Floats:
    """Values that can be drawn: nothing missing, below zero or next to nothing."""
    known = np.nan_to_num(values)
    return np.where(known > _LEAST, known, 0.0)


def _pieces(layer: Ints, source: Ints, target: Ints, flow: Floats, ahead: Longs, ptr: Longs, g: int) -> FlowColumns:
    """Each flow as pieces from column to column."""
    left: list[int] = []
    right: list[int] = []
    weight: list[float] = []
    for edge in ahead.tolist():
        chain = [int(source[edge]), *range(g + int(ptr[edge]), g + int(ptr[edge + 1])), int(target[edge])]
        left += chain[:-1]
        right += chain[1:]
        weight += [float(flow[edge])] * (len(chain) - 1)
    return FlowColumns(layer, np.array(left, np.int32), np.array(right, np.int32), np.array(weight))


def _ends(
    box: Ints, size: Floats, towards: Floats, back: npt.NDArray[np.bool_], top: Floats, room: Floats
) -> tuple[Floats, Floats]:
    """Where flows touch their boxes on one side, and how high: by `towards`, those of cycles at the bottom."""
    e = len(box)
    found = size.copy()
    loops = np.bincount(box, np.where(back, size, 0.0), len(top))
    others = np.bincount(box, np.where(back, 0.0, size), len(top))
    for_loops = np.minimum(loops, room * LOOP)
    with np.errstate(divide="ignore", invalid="ignore"):
        narrow = np.minimum(np.nan_to_num((room - for_loops) / others, nan=1.0, posinf=1.0), 1.0)
        narrow_loops = np.nan_to_num(for_loops / loops, nan=1.0, posinf=1.0)
    found *= np.where(back, narrow_loops[box], narrow[box])
    order = np.lexsort((np.arange(e), towards, back, box))
    before = np.concatenate(([0.0], np.cumsum(found[order])))[:-1]
    first = np.searchsorted(box[order], box[order])
    at = np.empty(e)
    at[order] = before - before[first] if e else before
    return top[box] + at, found
