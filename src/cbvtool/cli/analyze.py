"""`cbvtool analyze`."""

from __future__ import annotations

import argparse
import sys
import time
from functools import partial
from typing import TYPE_CHECKING

from cbvtool.cli.arguments import Command, add_means, place
from cbvtool.cli.output import DONE, SHORT, STDOUT, counted, print_line, progress, say, stdout_bytes
from cbvtool.cli.reading import means
from cbvtool.words import one_line

if TYPE_CHECKING:
    from cbvtool.project import Project


def add(command: Command) -> None:
    """Add the command."""
    added = command(
        "analyze",
        _run,
        "analyse a folder, print a summary, and write the graph on request",
        "cbvtool analyze ~/src/flask",
        "cbvtool analyze . -o graph.json.gz",
        "cbvtool analyze index.scip -o graph.graphml",
        "cbvtool analyze . --no-history -o - | jq '.nodes | length'",
    )
    added.add_argument(
        "path", type=place, metavar="PATH", help="folder with source code, or a graph file of any format"
    )
    added.add_argument(
        "-o",
        "--output",
        type=place,
        metavar="FILE",
        help="write the graph in the format of the ending: .json, .graphml, .dot, .csv or .rsf, .gz may follow; "
        "- = JSON to standard output, the summary then goes to standard error",
    )
    added.add_argument("--no-history", dest="history", action="store_false", help="do not read the git history")
    add_means(added)


def _run(chosen: argparse.Namespace) -> int:
    from cbvtool.formats import outputs, write_graph
    from cbvtool.formats.graph_json import graph_text
    from cbvtool.formats.replaceable import check_output
    from cbvtool.project import open_project

    to_stdout = chosen.output == STDOUT
    if chosen.output and not to_stdout:
        for file in outputs(chosen.output):
            check_output(file, chosen.path, "graph")
    start = time.monotonic()
    with progress() as shown, means(chosen) as how:
        early = partial(_stood, start) if getattr(chosen, "verbose", False) else None
        project = open_project(chosen.path, history=chosen.history, progress=shown, on_first=early, **how)
    seconds = time.monotonic() - start
    if to_stdout:
        stdout_bytes(graph_text(project.graph, project.history))
    elif chosen.output:
        write_graph(project.graph, chosen.output, project.history)
    print_line(_summary(project, seconds), sys.stderr if to_stdout else sys.stdout)
    return DONE


def _stood(start: float, project: Project) -> None:
    graph = project.graph
    what = "without calls" if any(graph.kind(key) == "function" for key in range(len(graph))) else "of imports alone"
    say(f"The graph {what} stood after {time.monotonic() - start:,.1f} s.")


def _summary(project: Project, seconds: float) -> str:
    from cbvtool.formats.summary import summary

    title = f"{project.name} ({project.path})"
    ending = [f"history       {_history(project)}", f"time          {seconds:,.1f} s"]
    return "\n".join(one_line(line) for line in (title, *summary(project.graph), *ending))


def _history(project: Project) -> str:
    changes = project.changes
    if changes is None:
        return "not read"
    if not changes.sha:
        return " ".join(changes.notes) or "none"
    by = f"{counted(len(changes.sha), 'commit')} by {counted(len(changes.authors), 'author')}"
    return " ".join((f"{by}, up to {project.commit[:SHORT]}.", *changes.notes))
