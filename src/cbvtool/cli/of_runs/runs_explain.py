"""`cbvtool runs explain`: which parameter explains what differs among runs (CF-8)."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from cbvtool.cli.arguments import Command, add_format, add_output, node, whole
from cbvtool.cli.of_runs.reading import add_runs, add_values, call_paths, read_runs, super_graph_of, united_of
from cbvtool.cli.of_runs.tables import Row, RunTable, amount, as_csv, as_markdown, as_text, chance_text, path_end, words
from cbvtool.cli.output import DONE, check_result, counted, progress, write_result

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cbvtool.trace.ensemble.effects import RunEffect
    from cbvtool.trace.ensemble.parameters import RunParameter

FORMAT, VERSION = "cbvtool-runs-explain", 1
_COLUMNS = ("parameter", "strength", "least_at", "least", "most_at", "most", "chance")


def add(command: Command) -> None:
    """Add the command."""
    added = command(
        "explain",
        _run,
        "rank which parameter explains which part of the program; say what chance alone can do",
        "cbvtool runs explain profiles/ --parameters runs.csv",
        "cbvtool runs explain profiles/ --only threads --only solver --format json",
    )
    add_runs(added)
    add_values(added)
    added.add_argument(
        "--only", type=node, action="append", default=[], metavar="PARAMETER", help="this one; may be repeated"
    )
    added.add_argument("--limit", type=whole(1, 10**6), default=20, metavar="N", help="rows of text (default: 20)")
    add_format(added, "text", "json", "csv", "markdown")
    add_output(added)


def _run(chosen: argparse.Namespace) -> int:
    from cbvtool.trace.ensemble.effects import run_effects
    from cbvtool.trace.ensemble.parameters import parameters_of

    check_result(chosen, "table of runs")
    ensemble = united_of(chosen, read_runs(chosen.paths))
    parameters, modules = parameters_of(ensemble.parameters, chosen.only), super_graph_of(chosen, ensemble)
    with progress() as shown:
        tables = [
            _table(
                "Modules by themselves",
                "module",
                modules.name,
                run_effects(modules.exclusive, parameters),
                parameters,
                ensemble.unit,
            ),
            _table(
                "Call paths by themselves",
                "path",
                [" > ".join(path) for path in call_paths(ensemble)],
                run_effects(ensemble.exclusive, parameters, progress=shown),
                parameters,
                ensemble.unit,
            ),
        ]
    told = _Told(parameters, tables, len(ensemble))
    if chosen.format == "json":
        text = json.dumps(told.content(ensemble.metric, ensemble.unit), indent=1) + "\n"
    elif chosen.format == "csv":
        rows = [(name, *row) for name, table in zip(("modules", "paths"), tables, strict=True) for row in table.rows]
        text = as_csv(RunTable("", ("table", "name", *_COLUMNS), (), rows))
    else:
        write = as_text if chosen.format == "text" else as_markdown
        found = [RunTable(*table[:3], rows=told.beyond(table)) for table in tables]
        text = write(f"{len(ensemble):,}, what explains their {ensemble.metric}", told.notes(), found, chosen.limit)
    write_result(chosen, text)
    return DONE


class _Told:
    """What is told: the parameters, all tested pairs, and the number of runs."""

    def __init__(self, parameters: Sequence[RunParameter], tables: Sequence[RunTable], runs: int) -> None:
        self.parameters, self.tables, self.runs = parameters, tables, runs

    def beyond(self, table: RunTable) -> list[Row]:
        """The rows beyond chance; all where there is none."""
        from cbvtool.trace.ensemble.effects import CHANCE

        return [row for row in table.rows if row[-1] <= CHANCE] or list(table.rows)

    def notes(self) -> list[str]:
        """What is to be known about the tables."""
        from cbvtool.trace.ensemble.effects import CHANCE

        if not self.parameters:
            return ["No parameter differs among the runs, other than names of single runs: --parameters adds some."]
        found = [
            f"{one.name} stands also for {', '.join(one.also)}: they order the runs alike."
            for one in self.parameters
            if one.also
        ]
        for table in self.tables:
            count = sum(row[-1] <= CHANCE for row in table.rows)
            if count:
                found.append(
                    f"{table.title}: {counted(count, 'effect')} of {len(table.rows):,} tested are beyond chance."
                )
            else:
                few = f"beyond chance with {counted(self.runs, 'run')}"
                found.append(f"{table.title}: none of {len(table.rows):,} tested is {few}.")
        return found

    def content(self, metric: str, unit: str) -> dict[str, Any]:
        """For JSON."""
        parameters = [
            {"name": one.name, "also": list(one.also), "levels": list(one.levels) if one.levels else None}
            for one in self.parameters
        ]
        return {
            "format": FORMAT,
            "version": VERSION,
            "metric": metric,
            "unit": unit,
            "runs": self.runs,
            "parameters": parameters,
            **{
                name: [dict(zip(table.columns, row, strict=True)) for row in table.rows]
                for name, table in zip(("modules", "paths"), self.tables, strict=True)
            },
            "notes": self.notes(),
        }


def _table(
    title: str,
    column: str,
    names: Sequence[str],
    found: Sequence[RunEffect],
    parameters: Sequence[RunParameter],
    unit: str,
) -> RunTable:
    shown = amount(unit)
    rows = [
        (
            names[one.part],
            parameters[one.parameter].name,
            round(one.strength, 6),
            one.low,
            one.least,
            one.high,
            one.most,
            one.chance,
        )
        for one in found
    ]
    look = (path_end if column == "path" else words, words, _share, words, shown, words, shown, chance_text)
    return RunTable(title, (column, *_COLUMNS), look, rows)


def _share(cell: float) -> str:
    return f"{cell:.0%}"
