"""`cbvtool plan apply`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from cbvtool.cli.arguments import Command, add_format, add_output, place, whole
from cbvtool.cli.output import DONE, FINDINGS, check_result, progress, say, write_result
from cbvtool.errors import InputError

if TYPE_CHECKING:
    from cbvtool.plan.document import Document


def add(command: Command) -> None:
    """Add the command."""
    added = command(
        "apply",
        _run,
        "carry a plan out on Python, Java, JavaScript and TypeScript: a commit for each task, as a branch or a patch",
        "cbvtool plan apply plan.cbv",
        "cbvtool plan apply plan.cbv --to restructured --tests 'python -m pytest -q'",
        "cbvtool plan apply plan.cbv --to restructured --tests 'mvn -q test'",
        "cbvtool plan apply plan.cbv --to plan.patch --keep-going",
    )
    added.add_argument("path", type=place, metavar="FILE.cbv", help="document with a plan")
    added.add_argument("--plan", metavar="NAME", help="which plan of the document (default: the one that is shown)")
    added.add_argument(
        "--to", metavar="BRANCH|FILE.patch", help="make this new branch, or write this patch (default: only try)"
    )
    added.add_argument(
        "--tests",
        metavar="COMMAND",
        help="consent to running code of the project: import each Python module, and run its tests by this command",
    )
    added.add_argument(
        "--tests-timeout", type=whole(1, 86_400), default=1_800, metavar="SECONDS", help="for the tests (default: 1800)"
    )
    added.add_argument("--keep-going", action="store_true", help="leave out tasks that cannot be carried out")
    added.add_argument(
        "--forward", action="store_true", help="leave modules under the old names that lead to the new ones"
    )
    added.add_argument("--jobs", type=whole(1, 1024), metavar="N", help="parse in N processes (default: one per core)")
    add_format(added, "text", "json")
    add_output(added)


def _run(chosen: argparse.Namespace) -> int:
    from cbvtool.apply.applying import Wish, apply_plan
    from cbvtool.apply.report import to_json, to_text
    from cbvtool.apply.sandbox import sandbox
    from cbvtool.formats.replaceable import check_output

    check_result(chosen, "report on a plan")
    document = _where_it_says(chosen.path)
    plan = document.plan if chosen.plan is None else document.plan_named(chosen.plan)
    to = chosen.to or ""
    if chosen.to is not None and not to:
        raise InputError("The name behind --to is empty: name a branch, or a file that ends in .patch.")
    is_patch = to.endswith((".patch", ".diff"))
    patch = Path(to) if is_patch else None
    if patch is not None:
        check_output(patch, chosen.path, "patch")
    wish = Wish(
        branch="" if is_patch else to,
        patch=patch,
        tests=chosen.tests or "",
        seconds=float(chosen.tests_timeout),
        keep_going=chosen.keep_going,
        forward=chosen.forward,
        jobs=chosen.jobs,
    )
    if wish.tests and (lacks := sandbox().lacks):
        say(lacks)
    with progress() as shown:
        found = apply_plan(document, plan, wish, shown)
    write_result(chosen, to_json(found, to) if chosen.format == "json" else to_text(found, to))
    return DONE if found.is_good else FINDINGS


def _where_it_says(file: Path) -> Document:
    """The document; a subject that seems to be elsewhere is named, but gets no branch. Raises InputError."""
    from cbvtool.plan.document import read_document
    from cbvtool.plan.moved import located

    document = read_document(file)
    if not document.subject.exists():
        _, found = located(document, file)
        raise InputError(found or f"{file} is about {document.subject}, which is not there: was it moved or renamed?")
    return document
