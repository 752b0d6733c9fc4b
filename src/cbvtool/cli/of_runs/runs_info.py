"""`cbvtool runs info`: what each run was run with, and what it spent in its roots and modules (CF-1)."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from cbvtool.cli.arguments import Command, add_format, add_output, whole
from cbvtool.cli.of_runs.reading import UNNAMED, add_runs, add_values, read_runs, super_graph_of, united_of
from cbvtool.cli.of_runs.tables import RunTable, amount, as_csv, as_markdown, as_text, number, words
from cbvtool.cli.output import DONE, check_result, counted, write_result

if TYPE_CHECKING:
    from cbvtool.trace.ensemble.ensemble import Ensemble
    from cbvtool.trace.ensemble.groups import SuperGraph

FORMAT, VERSION = "cbvtool-runs-info", 1
_LONGEST = 24  # letters of a parameter in the text
_SHOWN = 4  # parameters in the text


def add(command: Command) -> None:
    """Add the command."""
    added = command(
        "info",
        _run,
        "list runs with their parameters, and what they spent in roots and modules: means over ranks",
        "cbvtool runs info profiles/",
        "cbvtool runs info *.cali --table modules.json --format json",
    )
    add_runs(added)
    add_values(added)
    added.add_argument("--limit", type=whole(1, 10**6), default=40, metavar="N", help="rows of text (default: 40)")
    add_format(added, "text", "json", "csv", "markdown")
    add_output(added)


def _run(chosen: argparse.Namespace) -> int:
    check_result(chosen, "table of runs")
    ensemble = united_of(chosen, read_runs(chosen.paths))
    modules = super_graph_of(chosen, ensemble)
    if chosen.format == "json":
        text = json.dumps(_content(ensemble, modules), indent=1) + "\n"
    elif chosen.format == "csv":
        text = as_csv(_long(ensemble, modules))
    else:
        write = as_text if chosen.format == "text" else as_markdown
        text = write(_head(ensemble), _notes(ensemble), _tables(ensemble, modules), chosen.limit)
    write_result(chosen, text)
    return DONE


def _head(ensemble: Ensemble) -> str:
    return f"{len(ensemble):,}, {ensemble.metric} in {ensemble.unit or 'no unit'}, means over ranks"


def _notes(ensemble: Ensemble) -> list[str]:
    count = int(ensemble.summarised.sum())
    return [f"Of {counted(count, 'run')} only lowest, mean and highest of the ranks are known."] if count else []


def _roots(ensemble: Ensemble, row: int) -> list[tuple[str, float, float]]:
    """(name, inclusive, exclusive) of the roots that a run has."""
    found = []
    for node in (ensemble.parent < 0).nonzero()[0].tolist():
        if number(ensemble.inclusive[row, node]) is not None:
            name = ensemble.functions.name[ensemble.function[node]] or UNNAMED
            found.append((name, float(ensemble.inclusive[row, node]), float(ensemble.exclusive[row, node])))
    return found


def _modules(modules: SuperGraph, row: int) -> list[tuple[str, float, float]]:
    return [
        (name, float(inclusive), float(exclusive))
        for name, inclusive, exclusive in zip(modules.name, modules.inclusive[row], modules.exclusive[row], strict=True)
        if number(inclusive) is not None
    ]


def _content(ensemble: Ensemble, modules: SuperGraph) -> dict[str, Any]:
    keys = ("name", "inclusive", "exclusive")
    runs = []
    for row, name in enumerate(ensemble.names):
        ranks = ensemble.ranks[row]
        runs.append(
            {
                "name": name,
                "parameters": dict(ensemble.parameters[row]),
                "unit": ensemble.unit,
                "ranks": None if ranks is None else len(ranks.inclusive),
                "summarised": bool(ensemble.summarised[row]),
                "roots": [dict(zip(keys, each, strict=True)) for each in _roots(ensemble, row)],
                "modules": [dict(zip(keys, each, strict=True)) for each in _modules(modules, row)],
            }
        )
    return {"format": FORMAT, "version": VERSION, "metric": ensemble.metric, "runs": runs, "notes": _notes(ensemble)}


def _long(ensemble: Ensemble, modules: SuperGraph) -> RunTable:
    rows = [
        (run, kind, *each)
        for row, run in enumerate(ensemble.names)
        for kind, parts in (("root", _roots(ensemble, row)), ("module", _modules(modules, row)))
        for each in parts
    ]
    shown = amount(ensemble.unit)
    return RunTable("", ("run", "kind", "name", "inclusive", "exclusive"), (words, words, words, shown, shown), rows)


def _tables(ensemble: Ensemble, modules: SuperGraph) -> list[RunTable]:
    import numpy as np

    from cbvtool.trace.ensemble.parameters import parameters_of

    told = [one.name for one in parameters_of(ensemble.parameters)]
    told = [name for name in told if all(len(each.get(name, "")) <= _LONGEST for each in ensemble.parameters)][:_SHOWN]
    shown = amount(ensemble.unit)
    runs = [
        (name, number(total), *(each.get(parameter, "") for parameter in told))
        for name, total, each in zip(ensemble.names, ensemble.totals, ensemble.parameters, strict=True)
    ]
    inclusive = modules.inclusive
    rows = [
        (
            name,
            int((~np.isnan(inclusive[:, at])).sum()),
            float(np.nanmin(inclusive[:, at])),
            float(np.nanmedian(inclusive[:, at])),
            float(np.nanmax(inclusive[:, at])),
            float(np.nanmedian(modules.exclusive[:, at])),
        )
        for at, name in enumerate(modules.name)
        if not np.isnan(inclusive[:, at]).all()
    ]
    rows.sort(key=lambda row: -row[3])
    return [
        RunTable("Runs", ("run", "total", *told), (words, shown, *(words,) * len(told)), runs),
        RunTable(
            "Modules",
            ("module", "runs", "lowest", "median", "highest", "by_itself"),
            (words, words, shown, shown, shown, shown),
            rows,
        ),
    ]
