"""`cbvtool path`."""

from __future__ import annotations

import argparse

from cbvtool.cli.arguments import (
    Command,
    add_format,
    add_guesses,
    add_output,
    add_path,
    add_reading,
    add_when,
    node,
    whole,
)
from cbvtool.cli.output import DONE, check_result, write_result
from cbvtool.cli.reading import planned, relations, when
from cbvtool.errors import InputError


def add(command: Command) -> None:
    """Add the command."""
    added = command(
        "path",
        _run,
        "tell why one node reaches another: the shortest chains of relations, with their places",
        "cbvtool path ~/src/flask src/flask/cli.py src/flask/json",
        "cbvtool path graph.json web core --most 5",
        "cbvtool path . web core --format json -o chains.json",
    )
    add_path(added)
    added.add_argument("source", type=node, metavar="A", help="where the chains begin: an id, or the end of one")
    added.add_argument("target", type=node, metavar="B", help="where they lead")
    added.add_argument("--most", type=whole(1, 100_000), default=20, metavar="N", help="list N chains (default: 20)")
    add_guesses(added, "over")
    add_when(added)
    add_format(added, "text", "json")
    add_output(added)
    add_reading(added)


def _run(chosen: argparse.Namespace) -> int:
    from cbvtool.asking.nodes import node_named
    from cbvtool.asking.path_text import path_json, path_text
    from cbvtool.asking.paths import shortest_paths
    from cbvtool.asking.steps import steps

    check_result(chosen, "list of paths")
    graph = planned(chosen)
    source, target = (node_named(graph, name) for name in (chosen.source, chosen.target))
    if source == target:
        raise InputError(f"Both ends are {graph.ids[source] or graph.name}.")
    ways = steps(graph, relations(graph, guesses=chosen.guesses), **when(chosen))
    found = shortest_paths(graph, ways, source, target, most=chosen.most)
    write_result(chosen, path_json(graph, found) if chosen.format == "json" else path_text(graph, found))
    return DONE
