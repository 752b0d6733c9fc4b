"""`cbvtool mcp`."""

from __future__ import annotations

import argparse

from cbvtool.cli.arguments import Command, add_path, add_reading
from cbvtool.cli.output import DONE, progress, say
from cbvtool.cli.reading import means
from cbvtool.errors import InputError


def add(command: Command) -> None:
    """Add the command."""
    added = command(
        "mcp",
        _run,
        "answer the questions of a coding assistant, over the Model Context Protocol on standard input and output",
        "cbvtool mcp ~/src/flask",
        "cbvtool mcp plan.cbv",
    )
    add_path(added)
    add_reading(added)


def _run(chosen: argparse.Namespace) -> int:
    try:
        from cbvtool.assistants.server import serve
    except ImportError:
        raise InputError("The SDK of the protocol is not installed: pip install 'cbvtool[mcp]' brings it.") from None
    from cbvtool.assistants.snapshot import LiveCodeBase
    from cbvtool.assistants.tools import AssistantTools

    with means(chosen) as how:
        with progress() as shown:
            code = LiveCodeBase(chosen.path, how, shown)
        say(f"Answering questions about {code.now().graph.name} until standard input ends.")
        serve(AssistantTools(code, cache=how["cache"]))
    return DONE
