"""`cbvtool trace waits`: who waits for whom, what a moment depended on, what a change would save (ST-8, NEW-18)."""

from __future__ import annotations

import argparse
import csv
import io
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from cbvtool.cli.arguments import add_format, add_output, node, place, whole
from cbvtool.cli.of_traces.trace_reading import TraceCommand, add_trace, is_named, nanoseconds, read_parts
from cbvtool.cli.output import DONE, check_result, progress, say, write_result
from cbvtool.errors import InputError
from cbvtool.words import harmless, one_line

if TYPE_CHECKING:
    from cbvtool.trace.model.trace import Trace
    from cbvtool.trace.waits.correspondences import Correspondences
    from cbvtool.trace.waits.what_if import Estimate, WhatIf

Row = tuple[Any, ...]

COLUMNS = {
    "threads": ("waiting", "releasing", "count", "total_ns", "longest_ns", "object", "over_ns"),
    "waits": ("thread", "function", "object", "start_ns", "duration_ns", "releasing", "release", "released_ns", "open"),
    "objects": ("object", "count", "total_ns", "longest_ns", "threads", "holder", "held_ns"),
    "path": ("thread", "start_ns", "end_ns", "waited", "object"),
    "estimate": ("thread", "end_ns", "saved_ns"),
    "shorter": ("thread", "function", "object", "start_ns", "duration_ns", "saved_ns"),
}
_TITLES = {
    "threads": "Who waits for whom",
    "waits": "The longest waits",
    "objects": "Objects by the time they were waited for",
    "path": "What the moment depended on, the earliest first",
    "estimate": "Estimate: when threads would end",
    "shorter": "Estimate: waits that would be shorter",
}
_NAMES = {"waiting", "releasing", "thread", "function", "object", "release", "holder", "waited", "open"}


def add(command: TraceCommand) -> None:
    """Add the command."""
    added = command(
        "waits",
        _run,
        "tell who waits for whom, the longest waits and the objects that are waited for",
        "cbvtool trace waits run",
        "cbvtool trace waits run --table objects --format csv",
        "cbvtool trace waits run --critical-path MainThread@1.5s",
        "cbvtool trace waits run --what-if split=queue.py:12",
        "cbvtool trace waits run --what-if wait=MainThread@1.5s",
    )
    add_trace(added)
    added.add_argument("--table", choices=("threads", "waits", "objects"), help="this table alone; csv: threads")
    added.add_argument(
        "--critical-path", type=node, metavar="THREAD[@TIME]", help="what that moment of a thread (its end) depended on"
    )
    added.add_argument(
        "--what-if",
        type=node,
        metavar="CHANGE",
        help="estimate: split=OBJECT, without=OBJECT, wait=THREAD@TIME (that wait alone), or io (halved); csv: threads",
    )
    added.add_argument("--literal", action="store_true", help="match waits by the printed rule of SyncTrace")
    added.add_argument("--roles", type=place, metavar="CSV", help="more functions that wait, release, read or write")
    added.add_argument("--limit", type=whole(1, 10**9 - 1), metavar="N", help="rows of a table (text: 20)")
    add_format(added, "text", "json", "csv")
    add_output(added)


def _run(chosen: argparse.Namespace) -> int:
    from cbvtool.trace.model.trace import Trace
    from cbvtool.trace.waits.by_name import with_waits
    from cbvtool.trace.waits.correspondences import correspondences
    from cbvtool.trace.waits.own_roles import read_roles

    check_result(chosen, "table of waits")
    if sum(value is not None for value in (chosen.table, chosen.critical_path, chosen.what_if)) > 1:
        raise InputError("Choose one of --table, --critical-path and --what-if.")
    own = None if chosen.roles is None else read_roles(chosen.roles)
    traces = [part for part in read_parts(chosen) if isinstance(part, Trace)]
    if not traces:
        raise InputError(f"{chosen.path} holds a profile, which has no times: nothing tells who waited.")
    if len(traces) > 1:
        say(f"The file holds {len(traces):,} traces; this is the first one.")
    trace = with_waits(traces[0], own)
    with progress() as shown:
        found = correspondences(trace, "literal" if chosen.literal else "default", shown)
    told, words = _told(chosen, trace, found)
    write_result(chosen, {"json": _json, "csv": _csv, "text": _text}[chosen.format](told, words))
    return DONE


def _told(
    chosen: argparse.Namespace, trace: Trace, found: Correspondences
) -> tuple[dict[str, list[Row]], tuple[str, ...]]:
    """The tables by name, and sentences about them."""
    from cbvtool.trace.model.durations import duration
    from cbvtool.trace.waits.totals import asleep, explained
    from cbvtool.trace.waits.what_if import what_if

    names = _Names(trace)
    limit = chosen.limit or (20 if chosen.format == "text" else None)
    if chosen.critical_path is not None:
        return {"path": _path(chosen, trace, found, names)[: chosen.limit]}, ()
    if chosen.what_if is not None:
        estimate = what_if(trace, found, _change(chosen, names))
        first = trace.span[0]
        last = (trace.threads.last - first - estimate.threads).tolist()
        rows: list[Row] = [
            (names.thread(row), end, saved)
            for row, (end, saved) in enumerate(zip(last, estimate.threads.tolist(), strict=True))
        ]
        rows.sort(key=lambda row: (-row[2], row[0]))
        end = f"An estimate: {duration(estimate.end)} instead of {duration(estimate.before)}."
        told = {"estimate": rows[: chosen.limit]}
        if chosen.format != "csv":
            told["shorter"] = _shorter(trace, estimate, names, limit)
        return told, (end, *estimate.assumptions)
    table = chosen.table or ("threads" if chosen.format == "csv" else None)
    makers: dict[str, Callable[[Trace, Correspondences, _Names, int | None], list[Row]]]
    makers = {"threads": _threads, "waits": _waits, "objects": _objects}
    part, whole_time = explained(trace, found)
    words: tuple[str, ...] = (
        f"Releases in the recording ended {part / whole_time:.1%} of the waiting time, {duration(whole_time)} in all."
        if whole_time
        else "No wait for another thread that ended is known in this trace.",
    )
    slept = asleep(trace, found)
    if slept:
        words = (*words, f"Threads slept {duration(slept)} besides.")
    tables = {name: make(trace, found, names, limit) for name, make in makers.items() if table in (None, name)}
    return tables, words


class _Names:
    """What threads, functions and objects are called."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace

    def thread(self, row: int) -> str:
        """A thread's name, with its id where others have that name; "" = nobody."""
        if row < 0:
            return ""
        threads = self.trace.threads
        name, own = threads.name[row], str(int(threads.id[row]))
        if not name:
            return own
        return f"{name} ({own})" if name in threads.repeated_names else name

    def function(self, call: int) -> str:
        """That of a call; "" = none."""
        return "" if call < 0 else self.trace.functions.name[self.trace.calls.function[call]]

    def object(self, row: int) -> str:
        """Its name or id behind its kind; "" = unknown."""
        objects = self.trace.table("objects")
        if not 0 <= row < len(objects):
            return ""
        kind, name = (self.trace.strings[int(objects[column][row])] for column in ("kind", "name"))
        return f"{kind} {name or hex(int(objects['id'][row]))}".strip()


def _threads(trace: Trace, found: Correspondences, names: _Names, limit: int | None) -> list[Row]:
    from cbvtool.trace.waits.totals import wait_totals

    totals = wait_totals(trace, found)
    columns = (totals.waiting, totals.releasing, totals.object, totals.of_object)
    rows = zip(*(column[:limit].tolist() for column in columns), strict=True)
    figures = zip(*(column[:limit].tolist() for column in (totals.count, totals.total, totals.longest)), strict=True)
    return [
        (names.thread(one), names.thread(other), *sums, names.object(thing), over)
        for (one, other, thing, over), sums in zip(rows, figures, strict=True)
    ]


def _waits(trace: Trace, found: Correspondences, names: _Names, limit: int | None) -> list[Row]:
    from cbvtool.trace.waits.totals import longest_waits

    waits, first = longest_waits(trace, found, limit), trace.span[0]
    return [
        (
            names.thread(int(waits.thread[at])),
            names.function(int(waits.call[at])),
            names.object(int(waits.object[at])),
            int(waits.start[at]) - first,
            int(waits.end[at] - waits.start[at]),
            names.thread(int(waits.releasing[at])),
            names.function(int(waits.release[at])),
            int(waits.moment[at]) - first if waits.release[at] >= 0 else None,
            bool(waits.open[at]),
        )
        for at in range(len(waits))
    ]


def _shorter(trace: Trace, estimate: Estimate, names: _Names, limit: int | None) -> list[Row]:
    import numpy as np

    table, first = trace.table("waits"), trace.span[0]
    calls = table["call"][estimate.waits[:limit]].astype(np.int64)
    threads = trace.thread_of(calls).tolist()
    return [
        (
            names.thread(thread),
            names.function(call),
            names.object(int(table["object"][row])),
            int(table["start"][row]) - first,
            int(table["end"][row] - table["start"][row]),
            saved,
        )
        for thread, call, row, saved in zip(
            threads, calls.tolist(), estimate.waits.tolist(), estimate.saved.tolist(), strict=False
        )
    ]


def _objects(trace: Trace, found: Correspondences, names: _Names, limit: int | None) -> list[Row]:
    from cbvtool.trace.waits.totals import contended

    all_ = contended(trace, found)
    columns = (all_.object, all_.count, all_.total, all_.longest, all_.threads, all_.holder, all_.held)
    rows = zip(*(column[:limit].tolist() for column in columns), strict=True)
    return [(names.object(row), *figures, names.thread(holder), held) for row, *figures, holder, held in rows]


def _path(chosen: argparse.Namespace, trace: Trace, found: Correspondences, names: _Names) -> list[Row]:
    from cbvtool.trace.waits.critical_path import critical_path

    first = trace.span[0]
    thread, moment = _moment(chosen, trace, chosen.critical_path)
    steps = critical_path(trace, found, thread, int(trace.threads.last[thread]) if moment is None else moment)
    return [
        (
            names.thread(step.thread),
            step.start - first,
            step.end - first,
            names.function(int(found.waiting[step.row])) if step.row >= 0 else "",
            names.object(int(found.object[step.row])) if step.row >= 0 else "",
        )
        for step in steps
    ]


def _moment(chosen: argparse.Namespace, trace: Trace, text: str) -> tuple[int, int | None]:
    """(thread, ns of the trace; None = not said) of THREAD[@TIME]. Raises InputError."""
    name, at, time = text.rpartition("@")
    thread, moment = _thread_named(trace, text), None
    if thread is None and at:
        thread = _thread_named(trace, name)
        try:
            moment = trace.span[0] + nanoseconds(time, "ns")
        except argparse.ArgumentTypeError as error:
            raise InputError(f"{error}.") from None
    if thread is None:
        raise InputError(f"No thread of {chosen.path} is called {name or text}.")
    return thread, moment


def _thread_named(trace: Trace, name: str) -> int | None:
    return next((row for row in range(len(trace.threads)) if is_named(trace, row, [name])), None)


def _change(chosen: argparse.Namespace, names: _Names) -> WhatIf:
    from cbvtool.trace.waits.what_if import WhatIf

    text = chosen.what_if
    kind, equals, thing = text.partition("=")
    if text == "io":
        return WhatIf("io")
    if kind == "wait" and equals:
        return WhatIf("wait", wait=_wait_at(chosen, names.trace, thing))
    if kind not in ("split", "without") or not equals:
        raise InputError(f"A change is split=OBJECT, without=OBJECT, wait=THREAD@TIME or io, not {text}.")
    objects = names.trace.table("objects")
    called = [names.object(row) for row in range(len(objects))]
    fits = [row for row, name in enumerate(called) if name == thing or name.partition(" ")[2] == thing]
    fits = fits or [row for row, name in enumerate(called) if name.endswith(f" {thing}")]
    if len(fits) != 1:
        many = "Several objects are" if fits else "No object is"
        raise InputError(f"{many} called {thing}; `cbvtool trace waits --table objects` lists them.")
    return WhatIf("split" if kind == "split" else "without", fits[0])


def _wait_at(chosen: argparse.Namespace, trace: Trace, text: str) -> int:
    """The row of the table of waits in which a thread is at a moment: the one that began last. Raises InputError."""
    import numpy as np

    thread, moment = _moment(chosen, trace, text)
    if moment is None:
        raise InputError(f"Say when {text} waits, as in {text}@1.5s.")
    table = trace.table("waits")
    rows = np.flatnonzero((table["start"] <= moment) & (moment <= table["end"]) & (table["call"] < len(trace.calls)))
    rows = rows[trace.thread_of(table["call"][rows].astype(np.int64)) == thread]
    if not len(rows):
        raise InputError(
            f"{text.rpartition('@')[0]} waits for nothing then; `cbvtool trace waits` lists the longest waits."
        )
    return int(rows[np.argmax(table["start"][rows])])


def _csv(told: dict[str, list[Row]], words: tuple[str, ...]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for name, rows in told.items():
        writer.writerow(COLUMNS[name])
        for row in rows:
            writer.writerow(
                "" if cell is None else harmless(cell) if isinstance(cell, str) else int(cell) for cell in row
            )
    return text.getvalue()


def _json(told: dict[str, list[Row]], words: tuple[str, ...]) -> str:
    tables = {name: [dict(zip(COLUMNS[name], row, strict=True)) for row in rows] for name, rows in told.items()}
    return json.dumps({"format": "cbvtool-waits", **tables, "notes": list(words)}, indent=1) + "\n"


def _text(told: dict[str, list[Row]], words: tuple[str, ...]) -> str:
    lines = [*words] if words else []
    for name, rows in told.items():
        lines += ["", _TITLES[name]] if lines else [_TITLES[name]]
        columns = COLUMNS[name]
        head = tuple(column.removesuffix("_ns").capitalize() for column in columns)
        cells = [head, *(tuple(map(_cell, columns, row)) for row in rows)]
        wide = [max(len(row[at]) for row in cells) for at in range(len(columns))]
        for row in cells:
            padded = (
                cell.ljust(size) if column in _NAMES else cell.rjust(size)
                for cell, size, column in zip(row, wide, columns, strict=True)
            )
            lines.append("  ".join(padded).rstrip())
        if not rows:
            lines.append("nothing")
    return "\n".join(lines) + "\n"


def _cell(column: str, value: Any) -> str:
    from cbvtool.trace.model.durations import duration

    if column in ("releasing", "holder") and not value:
        return "nobody"
    if column == "object" and not value:
        return "unknown"
    if column == "open":
        return "still waits" if value else ""
    if value is None:
        return ""
    if column.endswith("_ns"):
        return duration(value)
    return f"{value:,}" if isinstance(value, int) else one_line(value)
