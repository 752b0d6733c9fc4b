"""`cbvtool runs trend`: runs in the order of a parameter or of commits, their steps and breaks (CF-6)."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from cbvtool.cli.arguments import Command, add_format, add_output, node, whole
from cbvtool.cli.of_runs.reading import add_runs, add_values, read_runs, super_graph_of, united_of
from cbvtool.cli.of_runs.tables import Row, RunTable, amount, as_csv, as_markdown, as_text, chance_text, percent, words
from cbvtool.cli.output import DONE, check_result, counted, write_result
from cbvtool.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from cbvtool.trace.ensemble.ensemble import Ensemble
    from cbvtool.trace.ensemble.groups import SuperGraph

FORMAT, VERSION = "cbvtool-runs-trend", 1
WHOLE = "(whole run)"
_COLUMNS = ("part", "kind", "at", "before", "value", "percent", "chance")


def add(command: Command) -> None:
    """Add the command."""
    added = command(
        "trend",
        _run,
        "order runs by a parameter or by commits: where they step, and which runs break the trend",
        "cbvtool runs trend profiles/ --along mpi.world.size",
        "cbvtool runs trend nightly/ --along commit --format json",
    )
    add_runs(added)
    add_values(added)
    added.add_argument(
        "--along",
        type=node,
        required=True,
        metavar="PARAMETER",
        help="numbers by value, others (commits) in the order of the runs; equal ones are repeats",
    )
    added.add_argument("--limit", type=whole(1, 10**6), default=20, metavar="N", help="rows of text (default: 20)")
    add_format(added, "text", "json", "csv", "markdown")
    add_output(added)


def _run(chosen: argparse.Namespace) -> int:
    from cbvtool.trace.ensemble.trends import FEWEST_POSITIONS, means_of, run_positions

    check_result(chosen, "table of runs")
    ensemble = united_of(chosen, read_runs(chosen.paths))
    keys = [each.get(chosen.along, "") for each in ensemble.parameters]
    lacking = [name for name, key in zip(ensemble.names, keys, strict=True) if not key]
    if lacking:
        raise InputError(f"{lacking[0]} does not say its {chosen.along!r}: --parameters can.")
    position, count = run_positions(keys)
    labels = [keys[int((position == at).argmax())] for at in range(count)]
    rows = _found(ensemble, super_graph_of(chosen, ensemble), position, labels)
    totals, runs = means_of(ensemble.totals, position, count)
    shown = amount(ensemble.unit)
    order = RunTable(
        "Order",
        (chosen.along, "runs", "mean"),
        (words, words, shown),
        [(label, int(number), float(mean)) for label, number, mean in zip(labels, runs, totals, strict=True)],
    )
    found = RunTable("Steps and breaks", _COLUMNS, (words, words, words, shown, shown, percent, chance_text), rows)
    notes = (
        [f"{counted(count, 'position')} are too few: {FEWEST_POSITIONS} are needed."]
        if count < FEWEST_POSITIONS
        else []
    )
    if chosen.format == "json":
        text = (
            json.dumps(
                {
                    "format": FORMAT,
                    "version": VERSION,
                    "metric": ensemble.metric,
                    "unit": ensemble.unit,
                    "parameter": chosen.along,
                    "order": [dict(zip(("value", "runs", "mean"), row, strict=True)) for row in order.rows],
                    "found": [dict(zip(_COLUMNS, row, strict=True)) for row in rows],
                    "notes": notes,
                },
                indent=1,
            )
            + "\n"
        )
    elif chosen.format == "csv":
        text = as_csv(RunTable("", ("table", *_COLUMNS), (), [("found", *row) for row in rows]))
    else:
        write = as_text if chosen.format == "text" else as_markdown
        text = write(
            f"{len(ensemble):,} along {chosen.along}, {ensemble.metric} in {ensemble.unit or 'no unit'}",
            notes,
            [order, found],
            chosen.limit,
        )
    write_result(chosen, text)
    return DONE


def _found(ensemble: Ensemble, modules: SuperGraph, position: npt.NDArray[np.int64], labels: list[str]) -> list[Row]:
    """Steps and breaks of the whole run, then of the modules by themselves, the largest first."""
    import numpy as np

    from cbvtool.trace.ensemble.trends import run_trend

    totals = ensemble.totals
    rows: list[list[Row]] = [[], []]
    parts = [(WHOLE, totals), *zip(modules.name, np.nan_to_num(modules.exclusive).T, strict=True)]
    for name, values in parts:
        trend = run_trend(values, position, len(labels))
        kept = rows[name != WHOLE]
        kept += [
            (name, "step", labels[one.at], one.before, one.after, _change(one.before, one.after), one.chance)
            for one in trend.steps
        ]
        kept += [
            (name, "break", labels[one.at], one.expected, one.value, _change(one.expected, one.value), one.chance)
            for one in trend.breaks
        ]
    rows[1].sort(key=lambda row: -abs(row[4] - row[3]))
    return [*rows[0], *rows[1]]


def _change(before: float, after: float) -> float | None:
    return (after - before) / before if before else None
