"""What commands about the history alone share: the history is read, and no source."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from cbvtool.cli.arguments import WHEN, Parser, date, moment, whole
from cbvtool.cli.output import progress, say
from cbvtool.errors import InputError

if TYPE_CHECKING:
    from cbvtool.history.change_sets import CouplingChoice
    from cbvtool.history.choosing import Choice
    from cbvtool.mining.changes import Changes

MOST_FILES = 30  # as in `history.change_sets`, which --help does not load


def add_range(parser: Parser) -> None:
    """--since and --until, for `time_range`."""
    parser.add_argument("--since", type=date, metavar="WHEN", help=f"commits from then on: {WHEN}")
    parser.add_argument("--until", type=date, metavar="WHEN", help="commits up to then, that day included: likewise")


def add_most_files(parser: Parser) -> None:
    """--most-files."""
    parser.add_argument(
        "--most-files",
        type=whole(1, 10**9 - 1),
        metavar="N",
        help=f"leave out commits that changed more than N files (default: {MOST_FILES}, or as cbvtool.toml says)",
    )


def time_range(chosen: argparse.Namespace, changes: Changes) -> tuple[int | None, int | None]:
    """(since, until): seconds since the epoch, both included; None = open."""
    end = int(changes.time[-1]) if len(changes.time) else None
    return moment(chosen.since, end), moment(chosen.until, end, last=True)


def coupling_choice(chosen: argparse.Namespace, changes: Changes) -> CouplingChoice:
    """The commits that couple what they touch: as the options say, else the project."""
    from dataclasses import replace

    from cbvtool.history.change_sets import usual_choice

    usual = usual_choice(changes, *time_range(chosen, changes))
    ticket = getattr(chosen, "ticket", None)
    return replace(usual, most=chosen.most_files or usual.most, ticket=usual.ticket if ticket is None else ticket)


def read_history(chosen: argparse.Namespace) -> Changes:
    """The history of the folder, graph file or document that was named.

    Raises InputError, with the reason, where there is none.
    """
    from cbvtool import mining
    from cbvtool.analysis.cache import keeper_in
    from cbvtool.cli.reading import open_plans
    from cbvtool.history.counting import changes_of_project
    from cbvtool.project import open_project

    keeper = keeper_in(True)
    with progress() as shown:
        if chosen.path.is_dir():
            changes = changes_of_project(chosen.path, mining.read_changes(chosen.path, progress=shown, keeper=keeper))
        elif chosen.path.suffix.lower() == ".cbv":
            found = open_plans(chosen.path, progress=shown)[1].changes
            changes = found or mining.Changes.none(f"{chosen.path} is about something without a history.")
        else:
            found = open_project(chosen.path, progress=shown).changes
            changes = found or mining.Changes.none(f"{chosen.path} holds no history.")
    if not changes.sha:
        raise InputError(" ".join(changes.notes) or f"{chosen.path} has no commits, so there is no history.")
    for note in changes.notes:
        say(note)
    return changes


def read_with_lines(chosen: argparse.Namespace) -> tuple[Changes, Choice]:
    """The same with the lines of a folder's history, and the choice that --since, --until and --without-bots make."""
    from cbvtool.cli.reading import counted_lines
    from cbvtool.history.choosing import Choice
    from cbvtool.mining.commit_kinds import BOTS

    history = read_history(chosen)
    changes = counted_lines(history, chosen.path) or history
    for note in changes.churn.notes if changes.churn else ():
        say(note)
    since, until = time_range(chosen, changes)
    return changes, Choice(since, until, with_bots=not chosen.without_bots, bots=changes.bots or BOTS)
