"""`cbvtool tasks`."""

from __future__ import annotations

import argparse

from cbvtool.cli.arguments import Command, add_format, add_output, add_reading, place
from cbvtool.cli.output import check_result, progress, write_result
from cbvtool.cli.reading import means, say_refusals


def add(command: Command) -> None:
    """Add the command."""
    added = command(
        "tasks",
        _run,
        "print the tasks that a plan amounts to",
        "cbvtool tasks plan.cbv",
        "cbvtool tasks plan.cbv --format csv -o tasks.csv",
    )
    added.add_argument("path", type=place, metavar="FILE.cbv", help="document with a plan")
    add_format(added, "markdown", "csv", "json")
    add_output(added)
    add_reading(added)


def _run(chosen: argparse.Namespace) -> int:
    from cbvtool.plan.export import to_csv, to_json, to_markdown
    from cbvtool.plan.tasks import tasks
    from cbvtool.project import open_document

    check_result(chosen, "task list")
    with progress() as shown, means(chosen) as how:
        document, project = open_document(chosen.path, progress=shown, **how)
    history = document.plan.history(project.graph)
    found = tasks(history, project.changes, project.code)
    if chosen.format == "csv":
        text = to_csv(found)
    else:
        write = to_markdown if chosen.format == "markdown" else to_json
        text = write(found, document.name, document.plan.name, project.commit)
    write_result(chosen, text)
    return say_refusals(history)
