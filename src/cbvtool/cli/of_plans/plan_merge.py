"""`cbvtool plan merge`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from cbvtool.cli.arguments import Command, add_output, place
from cbvtool.cli.output import DONE, FINDINGS, STDOUT, counted, say, stdout_bytes

if TYPE_CHECKING:
    from pathlib import Path

    from cbvtool.plan.document import Document


def add(command: Command) -> None:
    """Add the command."""
    added = command(
        "merge",
        _run,
        "merge what two people did with the plans of a document, also as git's merge driver",
        "cbvtool plan merge base.cbv ours.cbv theirs.cbv -o both.cbv",
        "cbvtool plan merge %O %A %B --place %P",
    )
    added.add_argument("base", type=place, metavar="BASE", help="document that both began with; empty = none")
    added.add_argument("path", type=place, metavar="OURS", help="document that is replaced by the result, without -o")
    added.add_argument("theirs", type=place, metavar="THEIRS", help="document whose changes are to come in")
    added.add_argument(
        "--place", type=place, metavar="PATH", help="where the document belongs, if not there: relative paths count so"
    )
    add_output(added)


def _run(chosen: argparse.Namespace) -> int:
    from cbvtool.formats.replaceable import check_output
    from cbvtool.plan.alternatives.merging import merge_documents
    from cbvtool.plan.document import read_document, to_text, write_document

    to = chosen.output or chosen.path
    if chosen.output not in (None, STDOUT):
        for path in (chosen.base, chosen.path, chosen.theirs):
            check_output(to, path, "plan")
    belongs = chosen.place
    base = _base(chosen.base, belongs)
    found = merge_documents(
        base, read_document(chosen.path, place=belongs), read_document(chosen.theirs, place=belongs)
    )
    if found.document is None:
        for conflict in found.conflicts:
            say(conflict.sentence)
        say(f"Nothing was merged: {counted(len(found.conflicts), 'conflict')}. Every file is as it was.")
        return FINDINGS
    if to == STDOUT:
        folder = (belongs or chosen.path).absolute().parent
        stdout_bytes([to_text(found.document, folder, {}).encode()])
    else:
        write_document(found.document, to, place=belongs)
    return DONE


def _base(path: Path, belongs: Path | None) -> Document | None:
    """The document that both began with; None for an empty file, which git gives where there was none."""
    from cbvtool.plan.document import read_document

    if path.is_file() and path.stat().st_size == 0:
        return None
    return read_document(path, place=belongs)
