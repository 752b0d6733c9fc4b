"""`cbvtool open`."""

from __future__ import annotations

import argparse
import os

from cbvtool.cli.arguments import Command, add_reading, place
from cbvtool.cli.reading import means
from cbvtool.errors import InputError


def add(command: Command) -> None:
    """Add the command."""
    added = command(
        "open",
        _run,
        "open the window",
        "cbvtool open",
        "cbvtool open ~/src/flask",
        "cbvtool open restructuring.cbv",
        "cbvtool open graph.graphml",
        "cbvtool open ~/src/flask --trace run.cbvtrace",
        "cbvtool open --trace profiles/",
        "cbvtool open ~/src/flask --compare 3.0.0",
        "cbvtool open ~/src/flask --follow",
    )
    added.add_argument(
        "path", nargs="?", type=place, metavar="PATH", help="folder, graph file or document (.cbv); none = start page"
    )
    added.add_argument(
        "--trace",
        type=place,
        metavar="FILE",
        help="lay this recording over the code, or all those in a folder; without PATH its functions are shown alone",
    )
    added.add_argument(
        "--compare", metavar="REV", help="mark what differs from this version: a tag, a branch or a commit id"
    )
    added.add_argument("--follow", action="store_true", help="show what is saved in the folder as soon as it is")
    add_reading(added)


def _run(chosen: argparse.Namespace) -> int:
    if chosen.path is not None and not os.path.exists(chosen.path):
        raise InputError(f"{chosen.path} does not exist.")
    if chosen.trace is not None and not os.path.exists(chosen.trace):
        raise InputError(f"{chosen.trace} does not exist.")
    if chosen.compare is not None and (chosen.path is None or not os.path.isdir(chosen.path) or not chosen.compare):
        raise InputError("--compare names a version of the folder PATH: name both.")
    from cbvtool import app  # the only command that needs Qt

    with means(chosen) as how:
        return app.main(
            chosen.path,
            trace=chosen.trace,
            compare=chosen.compare,
            follow=chosen.follow,
            verbose="verbose" in chosen,
            how=how,
        )
