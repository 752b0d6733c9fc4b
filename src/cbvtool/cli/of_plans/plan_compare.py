"""`cbvtool plan compare`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from cbvtool.cli.arguments import Command, add_format, add_modules, add_output, add_reading, place
from cbvtool.cli.output import DONE, check_result, progress, say, write_result
from cbvtool.cli.reading import means, module_choice, open_plans

if TYPE_CHECKING:
    from cbvtool.plan.document import Document, Plan


def add(command: Command) -> None:
    """Add the command."""
    added = command(
        "compare",
        _run,
        "put two plans of a document side by side, or a plan and the code as it is: figures, tasks, effort",
        "cbvtool plan compare plan.cbv 'Plan 1' 'Plan 2'",
        "cbvtool plan compare plan.cbv 'Plan 2' as-is --format json",
    )
    added.add_argument("path", type=place, metavar="FILE.cbv", help="document with plans")
    added.add_argument("first", metavar="A", help="name of a plan, or as-is for the code without any")
    added.add_argument("second", metavar="B", help="the same")
    add_format(added, "text", "json")
    add_output(added)
    add_modules(added)
    add_reading(added)


def _run(chosen: argparse.Namespace) -> int:
    from cbvtool.assessment.comparing import compare_plans
    from cbvtool.assessment.comparison_text import to_json, to_text
    from cbvtool.plan.document import read_document
    from cbvtool.plan.export import About
    from cbvtool.rules import read_rules
    from cbvtool.session import Session
    from cbvtool.session.alternatives.weighing import weighing

    check_result(chosen, "comparison of plans")
    for name in (chosen.first, chosen.second):
        _plan(read_document(chosen.path), name)  # a typing error is told before the analysis begins
    with progress() as shown, means(chosen) as how:
        document, project = open_plans(chosen.path, progress=shown, **how)
        rules = read_rules(project.path) if project.kind == "folder" else None
        shown("Judging the plans", 0, 0)
        session = Session()
        session.open(project, document)
        session.rules = rules
        session.set_view(modules=module_choice(chosen, document))
        weighed = weighing(session.state)
        first = weighed(_plan(document, chosen.first), None)
        second = weighed(_plan(document, chosen.second), first.judged)
    for note in rules.notes if rules else ():
        say(note)
    found, about = compare_plans(first, second), About(document.name, "", project.commit)
    write_result(chosen, to_json(found, about) if chosen.format == "json" else to_text(found, about))
    return DONE


def _plan(document: Document, name: str) -> Plan:
    """The plan of that name; an empty one for the code as it is. Raises InputError."""
    from cbvtool.plan.alternatives.named_plans import AS_IS
    from cbvtool.plan.document import Plan

    if name == AS_IS and all(plan.name != AS_IS for plan in document.plans):
        return Plan(AS_IS)
    return document.plan_named(name)
