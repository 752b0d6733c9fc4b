"""`cbvtool runs`: its commands, each in a module of its own."""

from __future__ import annotations

from cbvtool.cli.arguments import Command, commands_below
from cbvtool.cli.of_runs import runs_check, runs_diff, runs_explain, runs_info, runs_similar, runs_trend


def add(command: Command) -> None:
    """Add the command and those below it."""
    added = command(
        "runs",
        None,
        "compare many runs of a program: what each spent where, and what differs among them",
        "cbvtool runs info profiles/",
        "cbvtool runs diff before.cali after.cali --by file",
    )
    below = commands_below(added)
    for module in (runs_info, runs_diff, runs_explain, runs_trend, runs_similar, runs_check):
        module.add(below)
