"""`cbvtool plan`: the commands below it."""

from __future__ import annotations

from cbvtool.cli.arguments import Command, commands_below
from cbvtool.cli.of_plans import plan_apply, plan_compare, plan_merge, plan_rebase


def add(command: Command) -> None:
    """Add the command and those below it."""
    added = command("plan", None, "work with the plans of a document", "cbvtool plan apply plan.cbv --to restructured")
    below = commands_below(added)
    for module in (plan_compare, plan_apply, plan_merge, plan_rebase):
        module.add(below)
