"""`cbvtool unused`."""

from __future__ import annotations

import argparse

from cbvtool.cli.arguments import Command, add_path, add_reading
from cbvtool.cli.output import DONE, FINDINGS, counted, print_line
from cbvtool.cli.reading import planned
from cbvtool.errors import InputError
from cbvtool.words import one_line


def add(command: Command) -> None:
    """Add the command."""
    added = command(
        "unused",
        _run,
        "list code that no entry point reaches, in sets that can be removed together",
        "cbvtool unused ~/src/flask",
        "cbvtool unused . --entry 'src/shop/api.py' 'plugins/' '*.py::handle_*'",
        "cbvtool unused . --entry '!tests/**'",
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
    add_reading(added)


def _run(chosen: argparse.Namespace) -> int:
    from cbvtool.metrics.structure.entry_points import ENTRY_POINTS, entry_points, patterns_of
    from cbvtool.metrics.structure.unused import unused

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
    lines = [f"{counted(len(found), 'set')} of unused code" + (", candidates for removal:" if found else ".")]
    for number, one in enumerate(found, 1):
        lines += ["", f"{number}. {one.size}"]
        lines += [f"   {graph.ids[key]}" for key in one.heads]
        lines += [f"   then {graph.ids[key]}" for key in one.keys if key not in set(one.heads)]
    lines += ["", f"Entry points that are built in: {' '.join(ENTRY_POINTS)}"]
    lines += [
        f"Entry points of your own: {' '.join(more)}" for more in [(*graph.report.entry_points, *chosen.entry)] if more
    ]
    print_line("\n".join(map(one_line, lines)))
    return FINDINGS if found else DONE


def _names_all(pattern: str) -> bool:
    """Whether every file, or every definition in every file, is an entry point by this pattern."""
    files, colons, names = pattern.partition("::")
    every_file = not files.strip("/*") and ("*" in files or not files)
    return every_file and not names.strip("*") and ("*" in names if colons else bool(files))
