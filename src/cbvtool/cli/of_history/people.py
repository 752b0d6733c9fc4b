"""`cbvtool people`."""

from __future__ import annotations

import argparse
import sys

from cbvtool.cli.arguments import Command, add_format, add_output, add_path, place, whole
from cbvtool.cli.of_history.reading import add_most_files, add_range, coupling_choice, read_history
from cbvtool.cli.output import DONE, check_result, counted, print_line, say, write_result

_LEVEL = 2


def add(command: Command) -> None:
    """Add the command."""
    added = command(
        "people",
        _run,
        "list who knows which part of the code, which parts nobody knows any more, and whom to ask",
        "cbvtool people ~/src/flask --level 3",
        "cbvtool people . --since 2y --by author",
        "cbvtool people . --table people.csv --by team --format csv -o teams.csv",
        "cbvtool people . --hide-names",
    )
    add_path(added)
    add_range(added)
    added.add_argument(
        "--by", choices=("module", "author", "team"), default="module", help="what a row is about (default: module)"
    )
    added.add_argument(
        "--level",
        type=whole(0, 100),
        default=_LEVEL,
        metavar="K",
        help=f"modules are folders K levels deep; 0 = files (default: {_LEVEL})",
    )
    added.add_argument(
        "--table", type=place, metavar="FILE", help="CSV with rows author,team,left, beside [people] in cbvtool.toml"
    )
    added.add_argument("--quiet-days", type=whole(1, 100_000), metavar="N", help="days after which an author is quiet")
    added.add_argument("--hide-names", action="store_true", help="numbers in place of the names of people")
    add_most_files(added)
    add_format(added, "text", "csv", "json")
    add_output(added)


def _run(chosen: argparse.Namespace) -> int:
    from dataclasses import replace

    from cbvtool.history.change_sets import change_sets
    from cbvtool.history.hidden_names import without_names
    from cbvtool.history.path_modules import modules_at
    from cbvtool.history.people_table import PeopleInRange, table_of_authors, table_of_modules, table_of_teams
    from cbvtool.history.roster import PeopleSettings, read_people, roster, with_table

    check_result(chosen, "list of people")
    settings = read_people(chosen.path) if chosen.path.is_dir() else PeopleSettings()
    for note in settings.notes:
        say(note)
    if chosen.table is not None:
        settings = with_table(settings, chosen.table)
    if chosen.quiet_days is not None:
        settings = replace(settings, quiet_days=chosen.quiet_days)
    changes = read_history(chosen)
    known = roster(changes, settings)
    if chosen.hide_names or settings.hide_names:
        changes = without_names(changes)
    choice = replace(coupling_choice(chosen, changes), ticket="")
    people = PeopleInRange.of(changes, change_sets(changes, choice), known, choice.until)
    if chosen.by == "module":
        table = table_of_modules(people, *modules_at(changes.paths, chosen.level))
    else:
        table = table_of_authors(people) if chosen.by == "author" else table_of_teams(people)
    write_result(chosen, {"text": table.to_text, "csv": table.to_csv, "json": table.to_json}[chosen.format]())
    if chosen.format == "text":
        print_line(f"{counted(len(table.rows), chosen.by)}, {counted(len(people.sets.commit), 'commit')}", sys.stderr)
    return DONE
