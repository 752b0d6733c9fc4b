"""`cbvtool runs diff A B`: what B spends more or less than A, by module and by call path (CF-4)."""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from cbvtool.cli.arguments import Command, add_format, add_output, place, whole
from cbvtool.cli.of_runs.reading import add_values, call_paths, read_runs, super_graph_of, united_of
from cbvtool.cli.of_runs.tables import (
    Row,
    RunTable,
    amount,
    as_csv,
    as_markdown,
    as_text,
    number,
    path_end,
    percent,
    words,
)
from cbvtool.cli.output import DONE, check_result, counted, write_result

if TYPE_CHECKING:
    from cbvtool.trace.ensemble.differences import RunDifferences

FORMAT, VERSION = "cbvtool-runs-diff", 1
_COLUMNS = ("a", "b", "b_minus_a", "percent", "noise")
_TABLES = ("modules", "own", "paths")


def add(command: Command) -> None:
    """Add the command."""
    added = command(
        "diff",
        _run,
        "tell what B spends more or less than A (B minus A), by module and by call path",
        "cbvtool runs diff before.cali after.cali",
        "cbvtool runs diff before/ after/ --by file --format markdown",
    )
    for name in ("A", "B"):
        added.add_argument(
            name.lower(), type=place, metavar=name, help="a profile or trace, or a folder of repeats, which tell noise"
        )
    add_values(added)
    added.add_argument("--limit", type=whole(1, 10**6), default=20, metavar="N", help="rows of text (default: 20)")
    add_format(added, "text", "json", "csv", "markdown")
    add_output(added)


def _run(chosen: argparse.Namespace) -> int:
    from cbvtool.trace.ensemble.differences import run_differences

    chosen.paths = [chosen.a, chosen.b]
    check_result(chosen, "table of runs")
    sides = [read_runs([path]) for path in chosen.paths]
    ensemble = united_of(chosen, [*sides[0], *sides[1]])
    modules, a = super_graph_of(chosen, ensemble), len(sides[0])

    def rows(names: Sequence[str], values: Any) -> list[Row]:
        return _rows(names, run_differences(values[:a], values[a:]))

    shown = amount(ensemble.unit)
    look = (shown, shown, _signed(ensemble.unit), percent, _noise)
    found = [
        RunTable("Modules, inclusive", ("module", *_COLUMNS), (words, *look), rows(modules.name, modules.inclusive)),
        RunTable("Modules by themselves", ("module", *_COLUMNS), (words, *look), rows(modules.name, modules.exclusive)),
        RunTable(
            "Call paths by themselves",
            ("path", *_COLUMNS),
            (path_end, *look),
            rows([" > ".join(path) for path in call_paths(ensemble)], ensemble.exclusive),
        ),
    ]
    notes = [_counts(ensemble.names, a), *_told(sides, bool(ensemble.summarised.any()))]
    if chosen.format == "json":
        text = (
            json.dumps(
                {
                    "format": FORMAT,
                    "version": VERSION,
                    "metric": ensemble.metric,
                    "unit": ensemble.unit,
                    "a": list(ensemble.names[:a]),
                    "b": list(ensemble.names[a:]),
                    **{
                        name: [dict(zip(table.columns, row, strict=True)) for row in table.rows]
                        for name, table in zip(_TABLES, found, strict=True)
                    },
                    "notes": notes[1:],
                },
                indent=1,
            )
            + "\n"
        )
    elif chosen.format == "csv":
        text = as_csv(RunTable("", ("table", "name", *_COLUMNS), (), _all(found)))
    else:
        write = as_text if chosen.format == "text" else as_markdown
        text = write(f"B minus A, {ensemble.metric} in {ensemble.unit or 'no unit'}", notes, found, chosen.limit)
    write_result(chosen, text)
    return DONE


def _rows(names: Sequence[str], told: RunDifferences) -> list[Row]:
    found = []
    for row in (-abs(told.change)).argsort(kind="stable").tolist():
        first, second = number(told.first[row]), number(told.second[row])
        if not told.change[row] and first is second is None:
            continue
        share = float(told.change[row] / first) if first else None
        noise = None if math.isnan(told.chance[row]) else bool(told.is_noise[row])
        found.append((names[row], first, second, float(told.change[row]), share, noise))
    return found


def _all(tables: Sequence[RunTable]) -> list[Row]:
    return [(name, *row) for name, table in zip(_TABLES, tables, strict=True) for row in table.rows]


def _counts(names: Sequence[str], a: int) -> str:
    sides = (names[:a], names[a:])
    told = [side[0] if len(side) == 1 else f"{counted(len(side), 'run')} (means)" for side in sides]
    return f"A is {told[0]}, B is {told[1]}."


def _told(sides: Sequence[Sequence[object]], summarised: bool) -> list[str]:
    found = []
    if min(map(len, sides)) < 2:
        found.append("Noise is unknown: name folders of repeats for A and B.")
    if summarised:
        found.append("Of the ranks only lowest, mean and highest are known; means are compared.")
    return found


def _signed(unit: str) -> Any:
    show = amount(unit)
    return lambda cell: f"{'+' if cell > 0 else ''}{show(cell)}"


def _noise(cell: bool | None) -> str:
    return "within the noise" if cell else ""
