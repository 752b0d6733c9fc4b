"""`cbvtool plugins`."""

from __future__ import annotations

import argparse

from cbvtool.cli.arguments import Command
from cbvtool.cli.output import DONE, FINDINGS, print_line
from cbvtool.words import one_line


def add(command: Command) -> None:
    """Add the command."""
    command("plugins", _run, "list the plugins, and what is wrong with those that are broken", "cbvtool plugins")


def _run(chosen: argparse.Namespace) -> int:
    from cbvtool.extensions import discover, plugin_folders

    registry, problems = discover()
    for plugin in registry.plugins:
        print_line(
            one_line(f"{plugin.name} {plugin.version}".rstrip() + f"  {', '.join(plugin.contributes) or 'nothing'}")
        )
        print_line(one_line(f"    from {plugin.origin}"))
    for problem in problems:
        print_line(one_line(f"{problem.plugin}  broken: {problem.reason}"))
        print_line(one_line(f"    from {problem.origin}"))
    if not registry.plugins and not problems:
        print_line("No plugins.")
    print_line(one_line(f"Your own plugins go to {plugin_folders()[0]}"))
    return FINDINGS if problems else DONE
