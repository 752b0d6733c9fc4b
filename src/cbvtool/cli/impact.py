"""`cbvtool impact`."""

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
from cbvtool.cli.reading import planned_at, relations, when
from cbvtool.errors import InputError


def add(command: Command) -> None:
    """Add the command."""
    added = command(
        "impact",
        _run,
        "list what depends on some nodes: what to change and what to test again if they change",
        "cbvtool impact ~/src/flask src/flask/app.py",
        "cbvtool impact graph.json app.py::Flask.run --depth 2",
        "cbvtool impact . core/order.py core/price.py --kind call inherit --format csv -o impact.csv",
    )
    add_path(added)
    added.add_argument(
        "nodes", nargs="+", type=node, metavar="NODE", help="what changes, with all in it: its id, or the end of that"
    )
    added.add_argument(
        "--kind", nargs="+", action="extend", metavar="KIND", help="follow only relations of these kinds (default: all)"
    )
    added.add_argument("--depth", type=whole(1, 1000), metavar="K", help="at most K relations away (default: all)")
    add_guesses(added, "over")
    add_when(added)
    add_format(added, "markdown", "csv", "json")
    add_output(added)
    add_reading(added)


def _run(chosen: argparse.Namespace) -> int:
    from cbvtool.asking.impact import impact
    from cbvtool.asking.impact_export import to_csv, to_json, to_markdown
    from cbvtool.asking.nodes import node_named
    from cbvtool.asking.steps import steps
    from cbvtool.graph import NO_DEPENDENCY

    check_result(chosen, "impact list")
    graph, commit = planned_at(chosen)
    keys = tuple(node_named(graph, name) for name in chosen.nodes)
    kinds = chosen.kind
    known_kinds = [kind for kind in graph.edges.kind_names if kind not in NO_DEPENDENCY]
    if kinds is not None and (unknown := [kind for kind in kinds if kind not in known_kinds]):
        known = ", ".join(known_kinds) or "none"
        if unknown[0] in graph.edges.kind_names:
            raise InputError(
                f"Relations of the kind {unknown[0]!r} are not dependencies; the kinds of dependencies are {known}."
            )
        raise InputError(f"There are no relations of the kind {unknown[0]!r}; there are {known}.")
    ways = steps(graph, relations(graph, guesses=chosen.guesses), **when(chosen))
    found = impact(graph, ways, keys, kinds=kinds, depth=chosen.depth or 0)
    if chosen.format == "csv":
        text = to_csv(graph, found)
    else:
        text = (to_markdown if chosen.format == "markdown" else to_json)(graph, found, graph.name, commit)
    write_result(chosen, text)
    return DONE
