"""`cbvtool plan`: the commands below it."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from cbvtool.cli.arguments import Command, Parser, examples
from cbvtool.cli.of_plans import plan_apply


def add(command: Command) -> None:
    """Add the command and those below it."""
    added = command("plan", None, "work with the plans of a document", "cbvtool plan apply plan.cbv --to restructured")
    commands = added.add_subparsers(title="commands", metavar="COMMAND", required=True)

    def below(name: str, run: Callable[[argparse.Namespace], int], text: str, *shown: str) -> Parser:
        made: Parser = commands.add_parser(
            name,
            help=text,
            description=f"{text[:1].upper()}{text[1:]}.",
            epilog=examples(*shown),
            allow_abbrev=False,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        made.add_argument(
            "--verbose", action="store_true", default=argparse.SUPPRESS, help="show where an error comes from"
        )
        made.set_defaults(run=run)
        return made

    for module in (plan_apply,):
        module.add(below)
