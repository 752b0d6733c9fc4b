"""Whether what a view draws can be painted: sizes of arrays, names of panes, rows of tables."""

from __future__ import annotations

import math
from dataclasses import fields, replace

import numpy as np

from cbvtool.plots.layers import Areas, Bands, Curves, Layer, Raster
from cbvtool.plots.panes import CANVAS
from cbvtool.plots.plot import Plot
from cbvtool.plugin.parts import MOST_ROWS, ViewColumn, ViewTable

_BY_ITEM = ("x", "y", "x0", "x1", "y0", "y1", "merged", "room", "text", "z", "angle")


def must_be_drawable(drawn: object, kind: str) -> Plot | ViewTable:
    """What a part of a kind shows; of a table with too many rows the first. Raises TypeError or ValueError."""
    if isinstance(drawn, Plot) and kind == "canvas":
        return _plot(drawn)
    if isinstance(drawn, ViewTable) and kind == "table":
        return _table(drawn)
    raise TypeError(f"draw returned a {type(drawn).__name__} for a part of the kind {kind}")


def _plot(plot: Plot) -> Plot:
    panes = {pane.name for pane in plot.panes}
    if len(panes) != len(plot.panes) or CANVAS in panes:
        raise ValueError("panes need names, each another one")
    names = {layer.name for layer in plot.layers}
    if len(names) != len(plot.layers):
        raise ValueError("two layers have one name")
    if plot.reveal is not None and not all(map(math.isfinite, plot.reveal)):
        raise ValueError("reveal names no place")
    for layer in plot.layers:
        if layer.pane != CANVAS and layer.pane not in panes:
            raise ValueError(f"the layer {layer.name!r} lies in a pane {layer.pane!r}, which there is not")
        _must_agree(layer)
    return plot


def _must_agree(layer: Layer) -> None:
    """Raise ValueError where the arrays of a layer are not of one length."""
    if isinstance(layer, Raster):
        if layer.image.ndim != 3 or layer.image.shape[2] != 4 or layer.image.dtype != np.uint8:
            raise ValueError(f"the image of {layer.name!r} is not uint8[h, w, 4]")
        if layer.item is not None and layer.item.shape != layer.image.shape[:2]:
            raise ValueError(f"items and image of {layer.name!r} differ in shape")
        return
    if isinstance(layer, Areas | Curves | Bands):
        count = len(layer.ptr) - 1
        points = len(layer.left) if isinstance(layer, Bands) else len(layer.points)
        if count < 0 or layer.ptr[0] != 0 or layer.ptr[-1] > points or bool((np.diff(layer.ptr) < 0).any()):
            raise ValueError(f"ptr of {layer.name!r} does not divide its points")
        if isinstance(layer, Bands) and len(layer.left) != len(layer.right):
            raise ValueError(f"the borders of {layer.name!r} differ in length")
    else:
        count = len(layer.x0) if hasattr(layer, "x0") else len(layer.x)
    names = {each.name for each in fields(layer)}
    for name in _BY_ITEM:
        values = getattr(layer, name) if name in names else None
        if values is not None and len(values) != count:
            raise ValueError(f"{name} of {layer.name!r} has {len(values):,} values for {count:,} items")
    if layer.item is not None and len(layer.item) != count:
        raise ValueError(f"item of {layer.name!r} has {len(layer.item):,} values for {count:,} items")
    if isinstance(layer.color, np.ndarray) and layer.color.shape != (count, 4):
        raise ValueError(f"colours of {layer.name!r} have the shape {layer.color.shape}, not {(count, 4)}")


def _table(table: ViewTable) -> ViewTable:
    rows = len(table.item)
    for column in table.columns:
        if not isinstance(column, ViewColumn) or len(column.values) != rows:
            raise ValueError("each column of a table has a value for each row")
        if column.kind not in ("text", "number", "time", "change", "bar"):
            raise ValueError(f"a column is text, number, time, change or bar, not {column.kind!r}")
    if rows <= MOST_ROWS:
        return table
    columns = tuple(replace(column, values=column.values[:MOST_ROWS]) for column in table.columns)
    return replace(table, columns=columns, item=table.item[:MOST_ROWS], more=table.more + rows - MOST_ROWS)
