"""`cbvtool trace aggregate`: resources along time in few areas, and which of them deviate (OC-2, OC-5)."""

from __future__ import annotations

import argparse
import csv
import io
import json
from typing import TYPE_CHECKING, Any

from cbvtool.cli.arguments import add_format, add_output, node, whole
from cbvtool.cli.of_traces.trace_reading import TraceCommand, add_trace, read_parts
from cbvtool.cli.output import DONE, check_result, progress, say, write_result
from cbvtool.errors import InputError
from cbvtool.words import harmless, one_line

if TYPE_CHECKING:
    from cbvtool.trace.resources.cells import ResourceCells
    from cbvtool.trace.resources.partition import Partition

Row = tuple[Any, ...]
COLUMNS = {
    "areas": ("resource", "start_ns", "end_ns", "resources", "slices", "state", "share", "loss"),
    "findings": ("resource", "start_ns", "end_ns", "seconds", "more", "less", "waits", "behind", "noise", "pattern"),
}


def add(command: TraceCommand) -> None:
    """Add the command."""
    added = command(
        "aggregate",
        _run,
        "tell in few areas what resources did along time, and which of them deviate",
        "cbvtool trace aggregate run.trace",
        "cbvtool trace aggregate run.trace --table findings --format csv",
        "cbvtool trace aggregate run --by module --slices 200 --p 0.05",
    )
    add_trace(added)
    added.add_argument("--table", choices=tuple(COLUMNS), help="this table alone; csv: areas")
    added.add_argument(
        "--by",
        choices=("function", "module", "package", "activity", "recorded"),
        default="function",
        help="what states are: the group of the innermost call, or the recorded state (default: function)",
    )
    added.add_argument(
        "--amount",
        choices=("time", "calls", "counters"),
        help="what is measured: time by state, calls that begin, values of counters (default: the first that FILE has)",
    )
    added.add_argument("--slices", type=whole(1, 1000), default=100, metavar="K", help="of the time (default: 100)")
    added.add_argument("--p", type=float, metavar="P", help="0 = every cell, 1 = one area; default: the clearest")
    added.add_argument("--groups", type=node, metavar="REGEX", help="groups by what it finds in names")
    added.add_argument("--limit", type=whole(1, 10**9 - 1), metavar="N", help="rows of a table (text: 20)")
    add_format(added, "text", "json", "csv")
    add_output(added)


def _run(chosen: argparse.Namespace) -> int:
    from cbvtool.trace.model.trace import Trace
    from cbvtool.trace.resources.cells import amount_of, cells_of
    from cbvtool.trace.resources.deviations import deviations
    from cbvtool.trace.resources.information import information_of
    from cbvtool.trace.resources.optima import first_optima
    from cbvtool.trace.resources.partition import best_partition

    check_result(chosen, "answer")
    if chosen.p is not None and not 0 <= chosen.p <= 1:
        raise InputError(f"--p is a number from 0 to 1, not {chosen.p:g}.")
    traces = [part for part in read_parts(chosen) if isinstance(part, Trace)]
    if not traces:
        raise InputError(f"{chosen.path} holds a profile, which has no times: nothing can be told along time.")
    if len(traces) > 1:
        say(f"The file holds {len(traces):,} traces; this is the first one.")
    trace = traces[0]
    amount = amount_of(trace, chosen.amount or "time", chosen.by)
    if chosen.amount is not None and amount.what != chosen.amount:
        raise InputError(f"{chosen.path} holds no {chosen.amount}; it has {amount.what}.")
    try:
        with progress() as shown:
            cells = cells_of(trace, amount, chosen.slices, pattern=chosen.groups or "", progress=shown)
        information = information_of(cells)
    except ValueError as error:
        raise InputError(str(error)) from None
    first = first_optima(information)
    partition = first.partitions[first.clearest] if chosen.p is None else best_partition(information, chosen.p)
    gain, loss = (
        part / (all_ or 1.0) for part, all_ in zip((partition.gain, partition.loss), information.whole, strict=True)
    )
    words = (f"{len(partition):,} areas: {gain:.1%} simpler, {loss:.1%} of the information lost.", *cells.notes)
    limit = chosen.limit or (20 if chosen.format == "text" else None)
    table = chosen.table or ("areas" if chosen.format == "csv" else None)
    told = {}
    if table in (None, "findings"):
        first_time = trace.span[0]
        told["findings"] = [
            (
                cells.tree.path(each.row),
                int(cells.edges[each.first]) - first_time,
                int(cells.edges[each.last + 1]) - first_time,
                each.seconds,
                each.more,
                each.less,
                each.waits,
                cells.tree.path(each.behind) if each.behind >= 0 else "",
                each.noise,
                each.pattern,
            )
            for each in deviations(cells)
        ][:limit]
    if table in (None, "areas"):
        told["areas"] = _areas(cells, partition, information.whole[1], trace.span[0])[:limit]
    write_result(chosen, {"json": _json, "csv": _csv, "text": _text}[chosen.format](told, words))
    return DONE


def _areas(cells: ResourceCells, partition: Partition, whole_loss: float, origin: int) -> list[Row]:
    from cbvtool.trace.resources.information import information_of, interval

    loss, tree = information_of(cells).loss, cells.tree
    found = []
    columns = (column.tolist() for column in (partition.row, partition.first, partition.last))
    for row, first, last in zip(*columns, strict=True):
        low, high = int(tree.first_leaf[row]), int(tree.first_leaf[tree.end[row]])
        amounts = cells.amount[low:high, first : last + 1].sum(axis=(0, 1))
        mode = int(amounts.argmax())
        share = cells.strength(float(amounts[mode]), high - low, first, last)
        state = cells.state[mode] if amounts[mode] > 0 else ""
        lost = float(loss[row, interval(cells.slices, first, last)]) / (whole_loss or 1.0)
        times = int(cells.edges[first]) - origin, int(cells.edges[last + 1]) - origin
        found.append((tree.path(row), *times, high - low, last - first + 1, state, round(share, 6), round(lost, 9)))
    return found


def _json(told: dict[str, list[Row]], words: tuple[str, ...]) -> str:
    tables = {name: [dict(zip(COLUMNS[name], row, strict=True)) for row in rows] for name, rows in told.items()}
    return json.dumps({"format": "cbvtool-aggregate", **tables, "notes": list(words)}, indent=1) + "\n"


def _csv(told: dict[str, list[Row]], words: tuple[str, ...]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for name, rows in told.items():
        writer.writerow(COLUMNS[name])
        for row in rows:
            writer.writerow(
                harmless(cell) if isinstance(cell, str) else int(cell) if isinstance(cell, bool) else cell
                for cell in row
            )
    return text.getvalue()


def _text(told: dict[str, list[Row]], words: tuple[str, ...]) -> str:
    lines = list(words)
    for name, rows in told.items():
        columns = COLUMNS[name]
        lines += ["", name.capitalize()]
        head = tuple(column.removesuffix("_ns").capitalize() for column in columns)
        cells = [head, *(tuple(map(_cell, columns, row)) for row in rows)]
        wide = [max(len(row[at]) for row in cells) for at in range(len(columns))]
        lines += ["  ".join(cell.ljust(size) for cell, size in zip(row, wide, strict=True)).rstrip() for row in cells]
        if not rows:
            lines.append("nothing")
    return "\n".join(lines) + "\n"


def _cell(column: str, value: Any) -> str:
    from cbvtool.trace.model.durations import duration

    if column.endswith("_ns"):
        return duration(value)
    if column in ("share", "loss"):
        return f"{value:.1%}"
    if isinstance(value, bool):
        return "yes" if value else ""
    return f"{value:,.4g}" if isinstance(value, float) else one_line(str(value))
