"""`cbvtool report`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from cbvtool.cli.arguments import WHEN, Command, add_path, add_reading, date, moment, place, whole
from cbvtool.cli.output import DONE, STDOUT, progress, say
from cbvtool.cli.reading import means, open_plans
from cbvtool.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path


_LIMIT, _VERSIONS, _MOST = 10, 8, 50  # as in `report`, which --help does not load
_USUAL = "6m"
_REPORTS = (".html", ".pdf")


def add(command: Command) -> None:
    """Add the command."""
    added = command(
        "report",
        _run,
        "write a report for people who do not open the tool: one page (.html) that says what got worse and what "
        "mending it would take, with picture, rules, cycles, hot spots and plan",
        "cbvtool report ~/src/flask -o flask.html --since 2026-03-20",
        "cbvtool report plan.cbv -o plan.html --since v1.2",
        "cbvtool report . -o report.html --since report.html",
        "cbvtool report . -o sheets.pdf --since 1y",
    )
    add_path(added)
    added.add_argument(
        "-o", "--output", type=place, metavar="FILE", required=True, help="the page (.html), or the fact sheets (.pdf)"
    )
    added.add_argument("--sheets", type=place, metavar="FILE", help="write the fact sheets of modules (.pdf), too")
    added.add_argument(
        "--since",
        metavar="WHEN",
        default=_USUAL,
        help=f"compare with then (default: {_USUAL}): {WHEN}; a commit, branch or tag; or an earlier report",
    )
    added.add_argument(
        "--versions",
        type=whole(2, _MOST),
        default=_VERSIONS,
        metavar="N",
        help=f"look at N commits between then and now (default: {_VERSIONS}, at most {_MOST})",
    )
    added.add_argument(
        "--limit", type=whole(1, 10**9 - 1), default=_LIMIT, metavar="N", help=f"rows of a list (default: {_LIMIT})"
    )
    added.add_argument(
        "--preset", metavar="NAME", help="style of the picture (default: management, or that of the document)"
    )
    add_reading(added)


def _run(chosen: argparse.Namespace) -> int:
    from cbvtool.drawing.pillow_painter import font_files, text_width
    from cbvtool.export.files import SORTS
    from cbvtool.extensions import discover
    from cbvtool.formats.atomic import replacing
    from cbvtool.formats.replaceable import check_output
    from cbvtool.project import open_project
    from cbvtool.report.gathered import gather
    from cbvtool.report.page import page
    from cbvtool.report.sheet_pages import sheets

    files = _files(chosen)
    for file in files:
        check_output(file, chosen.path, SORTS[file.suffix.lower()])
    since = _since(chosen.since)
    registry, _ = discover()
    document = None
    with progress() as shown, means(chosen) as how:
        if chosen.path.suffix.lower() == ".cbv":
            document, project = open_plans(chosen.path, progress=shown, **how)
        else:
            project = open_project(chosen.path, progress=shown, **how)
        how = {name: value for name, value in how.items() if name != "executor"}
        changes = project.changes
        end = int(changes.time[-1]) if changes is not None and len(changes.time) else None
        one = gather(
            project,
            document,
            chosen.path if document else None,
            since=moment(since, end) if _is_day(since) else since,
            versions=chosen.versions,
            limit=chosen.limit,
            preset=chosen.preset,
            metrics=registry.metrics,
            progress=shown,
            **how,
        )
        shown("Writing the report", 0, 0)
        contents = [
            page(one, text_width) if file.suffix.lower() == ".html" else sheets(one, text_width, font_files())
            for file in files
        ]
    for name, content in zip(files, contents, strict=True):
        with replacing(name) as opened:
            opened.write(content)
    for reason in (one.no_trend, *(() if one.plan is None else one.plan.refusals)):
        if reason:
            say(reason)
    return DONE


def _files(chosen: argparse.Namespace) -> list[Path]:
    """What is to be written. Raises InputError for names that promise something else."""
    files = [file for file in (chosen.output, chosen.sheets) if file is not None]
    if chosen.output == STDOUT or chosen.output.suffix.lower() not in _REPORTS:
        raise InputError(f"{chosen.output} ends neither in .html nor in .pdf: a report is a page, or fact sheets.")
    if chosen.sheets is not None and (chosen.sheets.suffix.lower() != ".pdf" or chosen.output.suffix.lower() == ".pdf"):
        raise InputError("--sheets names a .pdf beside the .html of -o: name only one file of each.")
    return files


def _since(text: str) -> str:
    """The day, time ago, or commit that is meant; an earlier report stands for the commit that it is about."""
    from pathlib import Path

    from cbvtool.report.trend import commit_of_report

    if Path(text).suffix.lower() in _REPORTS and Path(text).is_file():
        return commit_of_report(Path(text))
    if not text:
        raise InputError("--since is empty: name a day or a commit, or leave it out.")
    return text


def _is_day(text: str) -> bool:
    try:
        date(text)
    except argparse.ArgumentTypeError:
        return False
    return True
