"""Paths in words, for a terminal, and as JSON for tools."""

from __future__ import annotations

import json

from cbvtool.asking.listing import kind_words, places_of
from cbvtool.asking.paths import PathStep, ShortestPaths
from cbvtool.graph import Graph
from cbvtool.words import as_utf8, one_line

FORMAT, VERSION = "cbvtool-path", 1
SHOWN_PLACES = 3  # most sites listed for a step


def headline(graph: Graph, found: ShortestPaths) -> str:
    """The number of shortest chains, or that there is none."""
    source, target = (name_of(graph, key) for key in (found.source, found.target))
    if not found.length:
        return f"{source} does not reach {target}"
    chains = f"{found.total:,} shortest chain{'' if found.total == 1 else 's'}"
    length = f"{found.length:,} relation{'' if found.length == 1 else 's'}"
    return f"{source} reaches {target} by {chains} of {length}"


def step_words(graph: Graph, step: PathStep) -> str:
    """`a > f uses b > g (call, type)`."""
    return f"{name_of(graph, step.user)}  uses  {name_of(graph, step.used)}  ({', '.join(step_kinds(graph, step))})"


def step_kinds(graph: Graph, step: PathStep) -> tuple[str, ...]:
    """Kinds of the relations of a step, such as `call` or `deferred import`."""
    return tuple(dict.fromkeys(kind_words(graph, row) for row in step.rows))


def step_places(graph: Graph, step: PathStep) -> tuple[str, ...]:
    """`file:line` of all relations of a step."""
    return tuple(dict.fromkeys(place for row in step.rows for place in places_of(graph, row)))


def path_text(graph: Graph, found: ShortestPaths) -> str:
    """All listed chains, step by step, with sites."""
    lines = [headline(graph, found) + "."]
    for number, chain in enumerate(found.chains, 1):
        lines.append(f"{number}.")
        for step in chain:
            places = step_places(graph, step)
            more = f" and {len(places) - SHOWN_PLACES:,} more" if len(places) > SHOWN_PLACES else ""
            lines.append(f"   {step_words(graph, step)}  {', '.join(places[:SHOWN_PLACES])}{more}".rstrip())
    if len(found.chains) < found.total:
        lines.append(f"and {found.total - len(found.chains):,} more")
    return as_utf8("".join(f"{one_line(line)}\n" for line in lines))


def path_json(graph: Graph, found: ShortestPaths) -> str:
    """The listed chains as JSON, format `cbvtool-path`: for each step the two nodes, and its relations with sites."""
    content = {
        "format": FORMAT,
        "version": VERSION,
        "subject": graph.name,
        "source": graph.ids[found.source],
        "target": graph.ids[found.target],
        "length": found.length,
        "total": found.total,
        "chains": [
            [
                {
                    "user": graph.ids[step.user],
                    "used": graph.ids[step.used],
                    "relations": step_kinds(graph, step),
                    "sites": [
                        {"file": graph.files[file], "line": line}
                        for file, line in dict.fromkeys(site for row in step.rows for site in graph.edges.sites(row))
                    ],
                }
                for step in chain
            ]
            for chain in found.chains
        ],
    }
    return json.dumps(content, indent=1) + "\n"


def name_of(graph: Graph, key: int) -> str:
    """Names from below the root down to a node, on one line."""
    return one_line(graph.path(key))
