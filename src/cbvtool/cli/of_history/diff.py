"""`cbvtool diff`."""

from __future__ import annotations

import argparse
from pathlib import Path

from cbvtool.cli.arguments import Command, add_format, add_output, add_reading, place
from cbvtool.cli.output import DONE, SHORT, check_result, progress, say, write_result
from cbvtool.cli.reading import means
from cbvtool.errors import InputError


def add(command: Command) -> None:
    """Add the command."""
    added = command(
        "diff",
        _run,
        "list what differs between two versions: files, definitions and relations, moved files followed, and rules",
        "cbvtool diff 3.0.0 3.1.0 ~/src/flask",
        "cbvtool diff v1.2 HEAD src --format json -o diff.json",
        "cbvtool diff HEAD~20 HEAD",
    )
    for name, what in (("before", "A"), ("after", "B")):
        added.add_argument(
            name, type=_revision, metavar=what, help="tag, branch or commit id, with ~2 or ^ behind it if you like"
        )
    added.add_argument(
        "path", type=place, nargs="?", default=Path(), metavar="PATH", help="folder in a git repository, or a bare one"
    )
    add_format(added, "text", "csv", "json")
    add_output(added)
    add_reading(added)


def _run(chosen: argparse.Namespace) -> int:
    from cbvtool.mining import open_versions
    from cbvtool.rules import unknown_nodes
    from cbvtool.versions import analysed, listing, version_pair
    from cbvtool.versions.analysed import rules_of

    check_result(chosen, "list of differences")
    if not chosen.path.is_dir():
        what = "is a file" if chosen.path.exists() else "does not exist"
        raise InputError(f"{chosen.path} {what}: name a folder in a git repository.")
    if chosen.dask is not None:
        raise InputError("Versions are read on this machine: leave --dask out.")
    with progress() as shown, means(chosen) as how, open_versions(chosen.path) as versions:
        del how["executor"]
        before, after = (analysed(versions, name, progress=shown, **how) for name in (chosen.before, chosen.after))
        pair = version_pair(versions, before, after)
        rules = rules_of(versions, after.commit)
    for side in (before, after):
        for note in unknown_nodes(side.graph, rules):
            say(f"In {side.name}: {note}")
    found = pair.difference(rules)
    if chosen.format == "json":
        text = listing.to_json(found, before.commit, after.commit)
    elif chosen.format == "csv":
        text = listing.to_csv(found)
    else:
        names = (f"{one.name} ({one.commit[:SHORT]})" for one in (before, after))
        text = listing.to_text(found, f"{after.graph.name}: {' -> '.join(names)}")
    write_result(chosen, text)
    return DONE


def _revision(text: str) -> str:
    """A type of arguments: what a version is called. An empty one is a variable that was not set."""
    if not text:
        raise argparse.ArgumentTypeError("the version is empty: name a tag, a branch or a commit")
    return text
