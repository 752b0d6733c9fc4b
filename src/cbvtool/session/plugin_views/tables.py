"""Tables of views as text, and as a plot where there is no table to show them in."""

from __future__ import annotations

import csv
import io
import json
import math

import numpy as np
import numpy.typing as npt

from cbvtool.geometry.colors import Theme
from cbvtool.plots.layers import Bars, Labels, Layer
from cbvtool.plots.plot import Plot, Viewport
from cbvtool.plugin.parts import ViewColumn, ViewTable
from cbvtool.trace.model.durations import duration, signed_duration
from cbvtool.words import harmless, one_line

FORMAT, VERSION = "cbvtool-view-table", 1  # of JSON
LONGEST = 300  # characters of a cell
ROW = 20.0  # logical pixels
_SIZE = 12.0
_TIMES = ("time", "change")
_GAP = 16.0
_MOST_SHARE = 0.5  # of the width, for one column


def heading(column: ViewColumn) -> str:
    """Name and unit of a column."""
    unit = "" if not column.unit or column.kind in _TIMES else f" ({column.unit})"
    return one_line(f"{column.name}{unit}")


def cell(column: ViewColumn, row: int) -> str:
    """What people read; a missing number is empty."""
    value = column.values[row]
    if column.kind == "text":
        words = one_line(str(value)[: LONGEST + 1])
        return words if len(words) <= LONGEST else f"{words[:LONGEST]}…"
    number = float(value)
    if column.kind == "time":
        return "" if number < 0 else duration(number)
    if math.isnan(number):
        return ""
    if column.kind == "change":
        return signed_duration(number)
    return f"{number:,.0f}" if number == int(number) or abs(number) >= 1e6 else f"{number:,.4g}"


def table_text(table: ViewTable) -> str:
    """Rows with tabs between the cells, times in ns: for other programs. The last line counts what is left out."""
    lines = ["\t".join(_raw_heading(column) for column in table.columns)]
    lines += ["\t".join(_raw(column, row) for column in table.columns) for row in range(len(table.item))]
    if not len(table.item) and table.empty:
        lines.append(one_line(table.empty))
    if table.more:
        lines.append(f"and {table.more:,} more")
    return "\n".join(lines) + "\n"


def table_csv(table: ViewTable) -> str:
    """The same as CSV: the rows alone, times in ns."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([_raw_heading(column) for column in table.columns])
    writer.writerows([_raw(column, row) for column in table.columns] for row in range(len(table.item)))
    return text.getvalue()


def table_json(table: ViewTable) -> str:
    """The same as JSON: columns, then rows of their cells; times in ns, what is missing is null."""
    columns = [
        {"name": column.name, "unit": "ns" if column.kind in _TIMES else column.unit, "kind": column.kind}
        for column in table.columns
    ]
    rows = [[_plain(column, row) for column in table.columns] for row in range(len(table.item))]
    content = {"format": FORMAT, "version": VERSION, "columns": columns, "rows": rows, "more": table.more}
    return json.dumps(content, indent=1) + "\n"


def _plain(column: ViewColumn, row: int) -> str | float | None:
    value = column.values[row]
    if column.kind == "text":
        return str(value)
    number = float(value)
    if math.isnan(number) or (column.kind == "time" and number < 0):
        return None
    return int(number) if number == int(number) else number


def table_plot(table: ViewTable, viewport: Viewport, theme: Theme) -> Plot:
    """The head of the table and as many rows as there is room for."""
    room = max(int(viewport.height // ROW) - 1, 0)
    count = len(table.item)
    rows = count if count + bool(table.more) <= room else max(room - 1, 0)
    rest = table.more + count - rows
    faint = np.isin(table.item[:rows], list(table.faint))
    x, layers = 8.0, list[Layer]()
    for number, column in enumerate(table.columns):
        texts = [heading(column), *(cell(column, row) for row in range(rows))]
        widest = max(viewport.measure(text, _SIZE, index == 0) for index, text in enumerate(texts))
        wide = min(widest, viewport.width * _MOST_SHARE)
        right = column.kind != "text"
        at = x + wide if right else x
        layers.append(_column(f"column {number}", texts, at, wide, right, theme, faint))
        if column.kind == "bar" and rows:
            layers.insert(0, _bars(f"bars {number}", column, rows, x, wide, theme))
        x += wide + _GAP
    if rest and count:
        layers.append(_note(f"and {rest:,} more", ROW * (rows + 1.5), theme))
    elif not count and table.empty:
        layers.append(_note(one_line(table.empty), ROW * 1.5, theme))
    return Plot((), tuple(layers))


def _column(
    name: str, texts: list[str], at: float, wide: float, right: bool, theme: Theme, faint: npt.NDArray[np.bool_]
) -> Labels:
    """Its head, then the cells, those of faint rows in grey."""
    color = np.tile(np.array(theme.text, np.uint8), (len(texts), 1))
    color[0] = theme.muted
    color[1:][faint] = theme.muted
    return Labels(
        name=name,
        x=np.full(len(texts), at),
        y=ROW * (np.arange(len(texts)) + 0.5),
        text=texts,
        color=color,
        size=_SIZE,
        anchor="right" if right else "left",
        room=np.full(len(texts), wide + 1.0),
    )


def _bars(name: str, column: ViewColumn, rows: int, x: float, wide: float, theme: Theme) -> Bars:
    values = np.nan_to_num(np.asarray(column.values[:rows], np.float64))
    top = float(values.max()) or 1.0
    y = ROW * (np.arange(rows) + 1.0)
    color = (*theme.accent[:3], 60)
    return Bars(
        name=name,
        x0=np.full(rows, x),
        x1=x + wide * np.clip(values / top, 0.0, 1.0),
        y0=y + 3.0,
        y1=y + ROW - 3.0,
        color=color,
    )


def _note(text: str, y: float, theme: Theme) -> Labels:
    return Labels(name="note", x=np.array([8.0]), y=np.array([y]), text=[text], color=theme.muted, size=_SIZE)


def _raw_heading(column: ViewColumn) -> str:
    unit = "ns" if column.kind in _TIMES else column.unit
    return _separable(f"{column.name} ({unit})" if unit else column.name)


def _raw(column: ViewColumn, row: int) -> str:
    value = column.values[row]
    if column.kind == "text":
        return _separable(str(harmless(str(value))))
    if column.kind == "time":
        return "" if int(value) < 0 else str(int(value))
    number = float(value)
    return "" if math.isnan(number) else f"{int(number)}" if number == int(number) else repr(number)


def _separable(text: str) -> str:
    return one_line(text.replace("\t", " "))
