"""What the commands about runs share: reading runs, and uniting them."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cbvtool.cli.arguments import Parser, node, place
from cbvtool.cli.output import counted, progress, say
from cbvtool.cli.reading import read_file
from cbvtool.errors import InputError

if TYPE_CHECKING:
    from cbvtool.trace.ensemble.ensemble import Ensemble
    from cbvtool.trace.ensemble.groups import SuperGraph
    from cbvtool.trace.ensemble.runs import ProfiledRun

MOST_RUNS = 20_000
LARGEST_TABLE = 64 << 20  # bytes
UNNAMED = "(unnamed)"


def add_runs(parser: Parser) -> None:
    """PATHS: profiles, traces, and folders of them."""
    parser.add_argument(
        "paths", type=place, nargs="+", metavar="RUN", help="a profile or trace, or a folder with one for each run"
    )


def add_values(parser: Parser) -> None:
    """--metric, --by, --table, --parameters, for `united_of` and `super_graph_of`."""
    parser.add_argument("--metric", type=node, metavar="NAME", help="what is compared (default: a time)")
    parser.add_argument(
        "--by",
        choices=("module", "file", "package", "function"),
        help="what modules are (default: module; function where no two modules are known)",
    )
    parser.add_argument(
        "--table", type=place, metavar="JSON", help='modules: {"solver": ["solve", "step_*"]}, or a CallFlow config'
    )
    parser.add_argument("--parameters", type=place, metavar="CSV", help="of the runs: run,threads,... (a row each)")


def read_runs(paths: Iterable[Path]) -> list[ProfiledRun]:
    """The runs in files and folders, in their order. Raises InputError."""
    from cbvtool.trace.ensemble.runs import runs_of

    return runs_of((name, part) for name, path in _named(paths) for part in read_file(path))


def _named(paths: Iterable[Path]) -> list[tuple[str, Path]]:
    """(name, path) of each run."""
    from cbvtool.trace.readers.recordings import is_trace

    found: list[tuple[str, Path]] = []
    for path in paths:
        if path.is_dir() and not is_trace(path):
            found += _inside(path)
        else:
            found.append((path.stem or path.resolve().name or UNNAMED, path))
        if len(found) > MOST_RUNS:
            raise InputError(f"More than {MOST_RUNS:,} runs were named.")
    return found


def _inside(folder: Path) -> list[tuple[str, Path]]:
    """The runs in a folder, numbers in their names by value; what is no run is left out and counted."""
    from cbvtool.trace.readers.recordings import recordings_in

    runs, others = recordings_in(folder)
    if others:
        say(f"{folder}: {counted(others, 'file')} left out, which cbvtool cannot read as runs.")
    numbers = all(each.stem.isdecimal() for each in runs)
    return [(f"{folder.name}/{each.stem}" if numbers else each.stem, each) for each in runs]


def united_of(chosen: argparse.Namespace, runs: Sequence[ProfiledRun]) -> Ensemble:
    """The ensemble of the runs, with the metric and the parameters that were chosen; what is odd is said."""
    from cbvtool.trace.ensemble.ensemble import united
    from cbvtool.trace.ensemble.parameters import parameter_table
    from cbvtool.trace.ensemble.runs import with_parameters

    if chosen.parameters is not None:
        table = parameter_table(text_of(chosen.parameters))
        unknown = table.keys() - {run.name for run in runs}
        if len(unknown) == len(table):
            raise InputError(f"{chosen.parameters} names no run that was read, such as {runs[0].name!r}.")
        if unknown:
            say(f"{chosen.parameters}: {counted(len(unknown), 'row')} name no run that was read.")
        runs = with_parameters(runs, table)
    with progress() as shown:
        found = united(runs, chosen.metric or "", shown)
    for what, count in found.repairs.items():
        say(f"{count:,} {what}.")
    return found


def super_graph_of(chosen: argparse.Namespace, ensemble: Ensemble) -> SuperGraph:
    """The modules of --by or --table."""
    from cbvtool.trace.ensemble.grouping import by_table, grouped, table_of
    from cbvtool.trace.ensemble.groups import super_graph

    if chosen.table is None:
        found = grouped(ensemble.functions, chosen.by or "module")
        if chosen.by is None and len(found.name) < 2:
            found = grouped(ensemble.functions, "function")
        return super_graph(ensemble, found)
    return super_graph(ensemble, by_table(ensemble.functions, table_of(text_of(chosen.table))))


def text_of(path: Path) -> str:
    """A table in UTF-8. Raises InputError."""
    from cbvtool.regular_file import Unreadable, read_bytes

    try:
        return read_bytes(str(path), LARGEST_TABLE).decode("utf-8")
    except (Unreadable, UnicodeDecodeError) as reason:
        raise InputError(f"{path} cannot be read: {reason}.") from None


def call_paths(ensemble: Ensemble) -> list[tuple[str, ...]]:
    """The names along each call path, the outermost first."""
    found: list[tuple[str, ...]] = []
    names = ensemble.functions.name
    for function, parent in zip(ensemble.function.tolist(), ensemble.parent.tolist(), strict=True):
        above = found[parent] if parent >= 0 else ()
        found.append((*above, names[function] or UNNAMED))
    return found
