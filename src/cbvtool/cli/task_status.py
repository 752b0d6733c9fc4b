"""`cbvtool tasks --status`."""

from __future__ import annotations

import argparse

from cbvtool.cli.output import DONE, FINDINGS, check_result, progress, say, write_result
from cbvtool.cli.reading import means
from cbvtool.errors import InputError


def show_status(chosen: argparse.Namespace) -> int:
    """Say which tasks of a plan are done. Raises InputError."""
    from cbvtool.plan.document import read_document
    from cbvtool.plan.export import About
    from cbvtool.tracking import read_progress
    from cbvtool.tracking.listing import to_csv, to_json, to_markdown

    if chosen.format == "tracker" or chosen.expanded:
        raise InputError("--status tells of tasks as a whole: leave out --expanded and --format tracker.")
    check_result(chosen, "task list")
    document = read_document(chosen.path)
    plan = document.plan if chosen.plan is None else document.plan_named(chosen.plan)
    if not document.subject.is_dir():
        raise InputError(f"{document.subject}, which the plan is about, is no folder: --status needs its repository.")
    if chosen.dask is not None:
        raise InputError("Versions are read on this machine: leave --dask out.")
    with progress() as shown, means(chosen) as how:
        del how["executor"]
        found = read_progress(
            document.subject,
            plan,
            chosen.since_commit or document.commit_of(plan),
            at=chosen.at or "HEAD",
            progress=shown,
            **how,
        )
    for sentence in found.left_out:
        say(sentence)
    about = About(document.name, plan.name, found.commit)
    if chosen.format == "csv":
        text = to_csv(found)
    else:
        text = (to_json if chosen.format == "json" else to_markdown)(found, about)
    write_result(chosen, text)
    return DONE if found.is_done and not found.broken else FINDINGS
