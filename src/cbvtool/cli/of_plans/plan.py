"""`cbvtool plan`: the commands below it."""

from __future__ import annotations

from cbvtool.cli.arguments import Command, commands_below
from cbvtool.cli.of_plans import plan_apply


def add(command: Command) -> None:
    """Add the command and those below it."""
    added = command("plan", None, "work with the plans of a document", "cbvtool plan apply plan.cbv --to restructured")
    plan_apply.add(commands_below(added))
