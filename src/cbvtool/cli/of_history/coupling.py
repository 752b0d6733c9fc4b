"""`cbvtool coupling`."""

from __future__ import annotations

import argparse
import sys

from cbvtool.cli.arguments import Command, add_format, add_output, add_path, whole
from cbvtool.cli.of_history.reading import add_most_files, add_range, coupling_choice, read_history
from cbvtool.cli.output import DONE, check_result, counted, print_line, write_result

_SHOWN = 50  # pairs in a table for people


def add(command: Command) -> None:
    """Add the command."""
    added = command(
        "coupling",
        _run,
        "list what changes together: pairs of files, or of folders, that are in the same commits",
        "cbvtool coupling ~/src/flask --least 5",
        "cbvtool coupling . --level 2 --since 1y",
        "cbvtool coupling . --ticket '[A-Z]+-[0-9]+' --format csv -o coupling.csv",
    )
    add_path(added)
    add_range(added)
    added.add_argument(
        "--level", type=whole(0, 100), default=0, metavar="K", help="pairs of folders K levels deep (default: of files)"
    )
    added.add_argument(
        "--least", type=whole(1, 10**9 - 1), default=1, metavar="N", help="pairs with at least N commits (default: 1)"
    )
    add_most_files(added)
    added.add_argument(
        "--ticket",
        metavar="PATTERN",
        help="commits in whose subject this regular expression finds the same text count as one",
    )
    added.add_argument("--limit", type=whole(1, 10**9 - 1), metavar="N", help=f"the first N only (text: {_SHOWN})")
    add_format(added, "text", "csv", "json")
    add_output(added)


def _run(chosen: argparse.Namespace) -> int:
    from cbvtool.history.change_sets import change_sets
    from cbvtool.history.coupling import couplings
    from cbvtool.history.coupling_table import to_csv, to_json, to_text
    from cbvtool.history.path_modules import modules_at

    check_result(chosen, "list of couplings")
    changes = read_history(chosen)
    choice = coupling_choice(chosen, changes)
    sets = change_sets(changes, choice)
    names, module = modules_at(changes.paths, chosen.level)
    found = couplings(sets, module, len(names))
    found = found.take(found.both >= chosen.least).ranked()
    limit = chosen.limit or (_SHOWN if chosen.format == "text" else len(found))
    write = {"text": to_text, "csv": to_csv, "json": to_json}[chosen.format]
    write_result(chosen, write(found.head(limit), names))
    if chosen.format == "text":
        left_out = f"; {counted(sets.bulk, 'commit')} with more than {choice.most:,} files left out"
        shown = f", the strongest {limit:,} shown" if len(found) > limit else ""
        what = "ticket or commit" if choice.ticket else "commit"
        said = f"{counted(len(found), 'pair')} in {counted(sets.count, what)}"
        print_line(f"{said}{shown}{left_out if sets.bulk else ''}", sys.stderr)
    return DONE
