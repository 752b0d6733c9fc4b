"""`cbvtool trace info` and `cbvtool trace calls`."""

from __future__ import annotations

import argparse
import csv
import io
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from cbvtool.cli.arguments import add_format, add_output, add_reading, place
from cbvtool.cli.of_traces.trace_reading import (
    SAMPLED,
    TraceCommand,
    add_restrictions,
    add_trace,
    read_parts,
    read_restricted,
)
from cbvtool.cli.output import DONE, check_result, counted, progress, say, write_result
from cbvtool.cli.reading import means
from cbvtool.words import one_line

if TYPE_CHECKING:
    from pathlib import Path

    from cbvtool.graph import Graph
    from cbvtool.trace.model.trace import Trace
    from cbvtool.trace.readers.reader import Part

BY_FUNCTION = ("name", "file", "line", "count", "total_ns", "self_ns", "longest_ns")
BY_THREAD = ("process", "thread", "name", "calls", "functions", "start_ns", "end_ns", "cpu_ns")


def add(command: TraceCommand) -> None:
    """Add the commands."""
    added = command(
        "info",
        _info,
        "print what a trace or profile holds, and what was repaired or left out when it was read",
        "cbvtool trace info run.json",
        "cbvtool trace info run.cbvtrace --graph . --format json",
    )
    add_trace(added)
    added.add_argument(
        "--graph", type=place, metavar="PATH", help="folder or graph file: also tell which functions have a node in it"
    )
    add_format(added, "text", "json")
    add_output(added)
    add_reading(added)
    added = command(
        "calls",
        _calls,
        "list functions or threads with their calls and times",
        "cbvtool trace calls run.json",
        "cbvtool trace calls run.cbvtrace --by thread --window 1.5s..2s -o threads.csv",
    )
    add_trace(added)
    added.add_argument("--by", choices=("function", "thread"), default="function", help="default: function")
    add_restrictions(added)
    add_format(added, "csv")
    add_output(added)


# -- info ----------------------------------------------------------------------------------------------------------


def _info(chosen: argparse.Namespace) -> int:
    from cbvtool.trace.making.summary import summary

    check_result(chosen, "trace summary")
    parts = read_parts(chosen)
    graph, root = _graph(chosen)
    rows = []
    for part in parts:
        row = {"format": _format(chosen.path, part), **summary(part)}
        if graph is not None:
            row["mapping"] = _mapping(part, graph, root)
        rows.append(row)
    if chosen.format == "json":
        text = json.dumps(rows[0] if len(rows) == 1 else rows, indent=1) + "\n"
    else:
        text = "\n".join(_told(part, row) for part, row in zip(parts, rows, strict=True))
    write_result(chosen, text)
    return DONE


def _format(path: Path, part: Part) -> str:
    """What the file is; a trace in a folder of ours remembers what it came from."""
    from cbvtool.trace.readers.registry import reader_of
    from cbvtool.trace.readers.source import TraceSource

    reader = reader_of(TraceSource(path))
    return part.header.format if reader is None else reader.NAME


def _graph(chosen: argparse.Namespace) -> tuple[Graph | None, Path | None]:
    """The graph that was named, and the folder of its sources, if it is one."""
    if chosen.graph is None:
        return None, None
    from cbvtool.project import open_project

    with progress() as shown, means(chosen) as how:
        project = open_project(chosen.graph, history=False, progress=shown, **how)
    return project.graph, project.path if project.kind == "folder" else None


def _mapping(part: Part, graph: Graph, root: Path | None) -> dict[str, Any]:
    """How many functions and calls have a node, and why, or why not."""
    import numpy as np

    from cbvtool.trace.mapping.map_functions import map_functions
    from cbvtool.trace.model.trace import Trace

    found = map_functions(part.functions, graph, root)
    mapped = int(np.count_nonzero(found.mapped))
    calls = None
    if isinstance(part, Trace):
        counts = np.bincount(part.calls.function, minlength=len(found))
        with_node = int(counts[found.mapped].sum())
        calls = {"mapped": with_node, "unmapped": len(part.calls) - with_node}
    return {
        "functions": {"mapped": mapped, "unmapped": len(found) - mapped},
        "calls": calls,
        "found": dict(found.found()),
        "missed": dict(found.unmapped()),
    }


def _told(part: Part, row: Mapping[str, Any]) -> str:
    """The same for people."""
    what = f"a {'sampled ' if row['sampled'] else ''}{row['kind']}, format {row['format']}"
    lines = [f"{one_line(part.header.program) or 'A program'}: {what}"]
    if row["kind"] == "trace":
        seconds = row["span_ns"] / 1e9
        lines.append(
            f"{counted(row['calls'], 'call')} of {counted(row['functions'], 'function')} in "
            f"{counted(row['threads'], 'thread')}, {seconds:,.6f} s, {row['depth']:,} deep, {row['open']:,} still open"
        )
        if row["sampled"]:
            lines.append(SAMPLED)
    else:
        lines.append(f"{counted(row['functions'], 'function')}, {row['depth']:,} deep")
    for kind in ("repairs", "omissions"):
        lines += [f"{kind[:-1]}: {count:,} {one_line(name)}" for name, count in row[kind].items()]
    if "mapping" in row:
        mapping = row["mapping"]
        for of in ("functions", "calls"):
            if mapping[of] is not None:
                all_ = sum(mapping[of].values())
                lines.append(f"{mapping[of]['mapped']:,} of {all_:,} {of} have a node in the graph")
        lines += [f"  {count:,} {reason}" for reason, count in mapping["found"].items()]
        lines += [f"  without a node: {count:,} {reason}" for reason, count in mapping["missed"].items()]
    return "\n".join(lines) + "\n"


# -- calls ---------------------------------------------------------------------------------------------------------


def _calls(chosen: argparse.Namespace) -> int:
    from cbvtool.errors import InputError
    from cbvtool.trace.model.trace import Trace

    check_result(chosen, "table of calls")
    parts = read_restricted(chosen)
    if any(part.sampled for part in parts):
        say(SAMPLED)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    if chosen.by == "function":
        writer.writerow(BY_FUNCTION)
        writer.writerows(_functions(parts))
    else:
        traces = [part for part in parts if isinstance(part, Trace)]
        if not traces:
            raise InputError(f"{chosen.path} holds a profile, which has no threads.")
        writer.writerow(BY_THREAD)
        for trace in traces:
            writer.writerows(_threads(trace))
    write_result(chosen, text.getvalue())
    return DONE


def _functions(parts: list[Part]) -> list[tuple[Any, ...]]:
    """A row for each called function, the longest total time first. Adds up the figures of several runs."""
    from cbvtool.trace.making.flat import UNKNOWN, flat_figures, flat_of_profile
    from cbvtool.trace.model.trace import Trace
    from cbvtool.words import harmless

    found: dict[tuple[str, str, str, int], list[int]] = {}
    for part in parts:
        flat = flat_figures(part) if isinstance(part, Trace) else flat_of_profile(part)
        of = part.functions
        figures = zip(*(column.tolist() for column in (flat.count, flat.total, flat.own, flat.longest)), strict=True)
        keys = zip(of.name, of.module, of.file, of.line.tolist(), strict=True)
        for key, row in zip(keys, figures, strict=True):
            if row[0] == 0 or all(value == UNKNOWN for value in row):
                continue
            before = found.setdefault(key, [UNKNOWN] * 4)
            sums = [a if b == UNKNOWN else b if a == UNKNOWN else a + b for a, b in zip(before, row, strict=True)]
            found[key] = [*sums[:3], max(before[3], row[3])]
    rows = sorted(found.items(), key=lambda item: (-item[1][1], -item[1][0], item[0]))
    return [
        (harmless(name), harmless(file), line or "", *("" if value == UNKNOWN else value for value in row))
        for (name, _, file, line), row in rows
    ]


def _threads(trace: Trace) -> list[tuple[Any, ...]]:
    """A row for each thread; times since the begin of the trace."""
    from cbvtool.trace.making.flat import UNKNOWN, thread_figures
    from cbvtool.words import harmless

    threads, figures, begin = trace.threads, thread_figures(trace), trace.span[0]
    columns = (threads.process, threads.id, figures.calls, figures.functions, threads.first, threads.last, figures.cpu)
    rows = zip(threads.name, *(column.tolist() for column in columns), strict=True)
    return [
        (process, thread, harmless(name), calls, functions, first - begin, last - begin, "" if cpu == UNKNOWN else cpu)
        for name, process, thread, calls, functions, first, last, cpu in rows
    ]
