"""`cbvtool plan rebase`."""

from __future__ import annotations

import argparse

from cbvtool.cli.arguments import Command, add_reading, place
from cbvtool.cli.output import DONE, FINDINGS, SHORT, counted, print_line, progress, say
from cbvtool.cli.reading import means, open_plans
from cbvtool.errors import InputError


def add(command: Command) -> None:
    """Add the command."""
    added = command(
        "rebase",
        _run,
        "put a plan on the commit that is checked out, if all its steps fit there",
        "cbvtool plan rebase plan.cbv",
        "cbvtool plan rebase plan.cbv --plan 'Plan 2' --force",
    )
    added.add_argument("path", type=place, metavar="FILE.cbv", help="document with plans")
    added.add_argument("--plan", metavar="NAME", help="which plan of the document (default: the one that is shown)")
    added.add_argument(
        "--force", action="store_true", help="also if steps do not fit any more: they are kept, and left out"
    )
    add_reading(added)


def _run(chosen: argparse.Namespace) -> int:
    from dataclasses import replace

    from cbvtool.plan.document import must_be_unchanged, read_document, write_document

    if chosen.plan is not None:
        read_document(chosen.path).plan_named(chosen.plan)  # a typing error is told before the analysis begins
    with progress() as shown, means(chosen) as how:
        document, project = open_plans(chosen.path, history=False, progress=shown, **how)
    if not project.commit:
        raise InputError(f"{document.subject} has no commit that a plan could be put on.")
    plan = document.plan if chosen.plan is None else document.plan_named(chosen.plan)
    refusals = plan.history(project.graph).refusals
    for refusal in refusals:
        say(f"A step does not fit commit {project.commit[:SHORT]}: {refusal.reason}")
    if refusals and not chosen.force:
        say(f"The plan stays on its commit: {counted(len(refusals), 'operation')} would be left out; see --force.")
        return FINDINGS
    plans = tuple(replace(one, commit=project.commit) if one is plan else one for one in document.plans)
    must_be_unchanged(chosen.path, document.digest)
    write_document(replace(document, plans=plans), chosen.path)
    print_line(f"The plan {plan.name!r} is on commit {project.commit[:SHORT]} now.")
    return DONE
