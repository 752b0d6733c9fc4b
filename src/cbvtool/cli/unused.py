"""`cbvtool unused`."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from cbvtool.cli.arguments import Command, add_format, add_output, add_path, add_reading
from cbvtool.cli.output import DONE, FINDINGS, check_result, counted, write_result
from cbvtool.cli.reading import planned
from cbvtool.errors import InputError
from cbvtool.words import as_utf8, one_line

if TYPE_CHECKING:
    from cbvtool.graph import Configuration, Graph
    from cbvtool.metrics.structure.configurations import UsedIn
    from cbvtool.metrics.structure.unused import Unused

FORMAT, VERSION = "cbvtool-unused", 1
_SHOWN = 20  # nodes of one line of configurations


def add(command: Command) -> None:
    """Add the command."""
    added = command(
        "unused",
        _run,
        "list code that no entry point reaches, in sets that can be removed together",
        "cbvtool unused ~/src/flask",
        "cbvtool unused . --entry 'src/shop/api.py' 'plugins/' '*.py::handle_*'",
        "cbvtool unused . --entry '!tests/**'",
        "cbvtool unused . --configuration server=src/server.py --configuration tool='src/tool.py,plugins/'",
        "cbvtool unused . --format json -o unused.json",
    )
    add_path(added)
    added.add_argument(
        "--entry",
        nargs="+",
        action="extend",
        default=[],
        metavar="PATTERN",
        help="what else is used from outside: files as in a .gitignore, FILES::NAMES for definitions; ! takes it out",
    )
    added.add_argument(
        "--configuration",
        action="append",
        default=[],
        metavar="NAME=PATTERN[,...]",
        help="a way of putting the code to use, and all that is used from outside in it; several are told side "
        "by side, with those of cbvtool.toml",
    )
    add_format(added, "text", "json")
    add_output(added)
    add_reading(added)


def _run(chosen: argparse.Namespace) -> int:
    from cbvtool.metrics.structure.configurations import by_configuration
    from cbvtool.metrics.structure.entry_points import entry_points, patterns_of
    from cbvtool.metrics.structure.unused import unused

    check_result(chosen, "list of unused code")
    graph = planned(chosen)
    for pattern in chosen.entry:
        if not pattern:
            raise InputError("A pattern of --entry is empty: name what is used from outside, or leave it out.")
        if _names_all(pattern):
            raise InputError(f"The pattern {pattern!r} names everything, so nothing could be unused: name less.")
        try:
            entry_points(graph, (pattern,))
        except ValueError as error:
            raise InputError(f"{pattern!r} is not a pattern of entry points: {error}.") from None
    found = unused(graph, patterns_of(graph, chosen.entry))
    if found is None:
        raise InputError(f"No entry point is known in {chosen.path}: name what is used from outside with --entry.")
    configurations = _configurations(graph, chosen.configuration)
    try:
        sides = by_configuration(graph, configurations)
    except ValueError as error:
        raise InputError(f"The configurations cannot be told apart: {error}.") from None
    own = (*graph.report.entry_points, *chosen.entry)
    write_result(chosen, (_json if chosen.format == "json" else _text)(graph, found, own, sides))
    return FINDINGS if found else DONE


def _configurations(graph: Graph, given: Sequence[str]) -> list[Configuration]:
    """Those of the settings, and `NAME=PATTERN,PATTERN` as given, which take the place of others of the name."""
    from cbvtool.graph import Configuration

    found = {one.name: one for one in graph.report.configurations}
    for text in given:
        name, equals, patterns = text.partition("=")
        named = tuple(filter(None, patterns.split(",")))
        if not name or not equals or not named:
            raise InputError(f"{text!r} names no configuration: write NAME=PATTERN, with commas between patterns.")
        found[name] = Configuration(name, named)
    return list(found.values())


def _text(graph: Graph, found: Sequence[Unused], own: Sequence[str], sides: Sequence[UsedIn]) -> str:
    from cbvtool.metrics.structure.entry_points import ENTRY_POINTS

    lines = [f"{counted(len(found), 'set')} of unused code" + (", candidates for removal:" if found else ".")]
    for number, one in enumerate(found, 1):
        lines += ["", f"{number}. {one.size}"]
        lines += [f"   {graph.ids[key]}" for key in one.heads]
        lines += [f"   then {graph.ids[key]}" for key in one.keys if key not in set(one.heads)]
    lines += ["", f"Entry points that are built in: {' '.join(ENTRY_POINTS)}"]
    lines += [f"Entry points of your own: {' '.join(own)}"] if own else []
    for side in sides:
        lines += ["", f"{side.words}: {side.size}"]
        lines += [f"   {graph.ids[key]}" for key in side.keys[:_SHOWN]]
        lines += [f"   and {len(side.keys) - _SHOWN:,} more"] if len(side.keys) > _SHOWN else []
    return as_utf8("".join(f"{one_line(line)}\n" for line in lines))


def _json(graph: Graph, found: Sequence[Unused], own: Sequence[str], sides: Sequence[UsedIn]) -> str:
    content = {
        "format": FORMAT,
        "version": VERSION,
        "subject": graph.name,
        "entry_points": list(own),
        "sets": [
            {
                "sloc": one.sloc,
                "nodes": [graph.ids[key] for key in one.keys],
                "first": [graph.ids[key] for key in one.heads],
            }
            for one in found
        ],
        "used_in": [
            {"configurations": side.names, "sloc": side.sloc, "nodes": [graph.ids[key] for key in side.keys]}
            for side in sides
        ],
    }
    return json.dumps(content, indent=1, allow_nan=False) + "\n"


def _names_all(pattern: str) -> bool:
    """Whether every file, or every definition in every file, is an entry point by this pattern."""
    files, colons, names = pattern.partition("::")
    every_file = not files.strip("/*") and ("*" in files or not files)
    return every_file and not names.strip("*") and ("*" in names if colons else bool(files))
