"""`cbvtool evolution`."""

from __future__ import annotations

import argparse

from cbvtool.cli.arguments import Command, add_format, add_output, add_path, add_reading, moment, whole
from cbvtool.cli.of_history.reading import add_range, read_history
from cbvtool.cli.output import DONE, check_result, progress, say, write_result
from cbvtool.cli.reading import means
from cbvtool.errors import InputError

_VERSIONS, _MOST = 20, 50  # as in `evolution.sampling`, which --help does not load


def add(command: Command) -> None:
    """Add the command."""
    added = command(
        "evolution",
        _run,
        "measure the project at commits over its history: size, complexity, cycles, broken rules, hot spots of each "
        "module, and since which commit it is worse",
        "cbvtool evolution ~/src/flask",
        "cbvtool evolution . --versions 50 --since 5y",
        "cbvtool evolution . --level 2 --format csv -o evolution.csv",
    )
    add_path(added)
    added.add_argument(
        "--versions",
        type=whole(2, _MOST),
        default=_VERSIONS,
        metavar="N",
        help=f"at most N commits of the main line, evenly spread (default: {_VERSIONS}, at most {_MOST})",
    )
    add_range(added)
    added.add_argument(
        "--level", type=whole(0, 100), default=1, metavar="K", help="modules up to K levels deep (default: 1)"
    )
    add_format(added, "text", "csv", "json")
    add_output(added)
    add_reading(added)


def _run(chosen: argparse.Namespace) -> int:
    from cbvtool.evolution.reading import read_evolution
    from cbvtool.evolution.table import to_csv, to_json, to_text
    from cbvtool.history.hidden_names import without_names
    from cbvtool.history.roster import read_people
    from cbvtool.mining import is_bare_repository
    from cbvtool.rules import read_rules

    check_result(chosen, "evolution")
    if not chosen.path.is_dir():
        raise InputError(f"{chosen.path} is not a folder: name a folder in a git repository.")
    if chosen.dask is not None:
        raise InputError("Versions are read on this machine: leave --dask out.")
    changes = read_history(chosen)
    if read_people(chosen.path).hide_names:
        changes = without_names(changes)
    end = int(changes.time[-1])
    since, until = moment(chosen.since, end), moment(chosen.until, end, last=True)
    with progress() as shown, means(chosen) as how:
        del how["executor"]
        read = read_evolution(
            chosen.path,
            changes,
            most=chosen.versions,
            since=since,
            until=until,
            progress=shown,
            rules=None if is_bare_repository(chosen.path) else read_rules(chosen.path),
            **how,
        )
    for note in (*read.left_out, *read.rule_notes):
        say(note)
    if chosen.format == "csv":
        text = to_csv(read, chosen.level)
    else:
        text = (to_json if chosen.format == "json" else to_text)(read, chosen.level, changes)
    write_result(chosen, text)
    return DONE
