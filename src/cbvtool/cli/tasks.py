"""`cbvtool tasks`."""

from __future__ import annotations

import argparse

from cbvtool.cli.arguments import Command, add_format, add_modules, add_output, add_reading, place
from cbvtool.cli.output import check_result, progress, say, write_result
from cbvtool.cli.reading import means, module_choice, open_plans, say_refusals
from cbvtool.cli.task_status import show_status
from cbvtool.errors import InputError

_ISSUES = ("github", "gitlab", "jira", "checklist")
_RULES = ("archunit", "import-linter", "dependency-cruiser")  # that hold once the plan is done
_HANDED_OVER = (*_ISSUES, *_RULES)


def add(command: Command) -> None:
    """Add the command."""
    added = command(
        "tasks",
        _run,
        "print the tasks that a plan amounts to",
        "cbvtool tasks plan.cbv",
        "cbvtool tasks plan.cbv --format csv -o tasks.csv",
        "cbvtool tasks plan.cbv --plan 'Plan 2' --expanded",
        "cbvtool tasks plan.cbv --format tracker -o issues.csv",
        "cbvtool tasks plan.cbv --format github -o issues.json",
        "cbvtool tasks plan.cbv --format import-linter -o .importlinter",
        "cbvtool tasks plan.cbv --status",
    )
    added.add_argument("path", type=place, metavar="FILE.cbv", help="document with a plan")
    added.add_argument("--plan", metavar="NAME", help="which plan of the document (default: the one that is shown)")
    added.add_argument(
        "--expanded", action="store_true", help="list every step, one refactoring each, in an order in which it builds"
    )
    added.add_argument("--status", action="store_true", help="say which tasks are done in the code, since which commit")
    added.add_argument("--at", metavar="COMMIT", help="with --status: at this commit (default: HEAD)")
    added.add_argument(
        "--since-commit",
        metavar="COMMIT",
        help="with --status: the plan was made on it (default: as the document says)",
    )
    add_format(added, "markdown", "csv", "json", "tracker", *_HANDED_OVER)
    add_output(added)
    add_modules(added)
    add_reading(added)


def _run(chosen: argparse.Namespace) -> int:
    from cbvtool.assessment.comparing import weigh
    from cbvtool.assessment.judged import Asked
    from cbvtool.assessment.modules import heading
    from cbvtool.assessment.rows import outcome
    from cbvtool.plan.document import read_document
    from cbvtool.plan.effort import USUAL, read_weights
    from cbvtool.plan.export import About, to_csv, to_json, to_markdown, to_tracker
    from cbvtool.plan.handing_over import trackers
    from cbvtool.plan.handing_over.kept_rules import FORMS
    from cbvtool.plan.tasks import task_list
    from cbvtool.rules import Rules, read_rules

    if chosen.status:
        return show_status(chosen)
    if chosen.at is not None or chosen.since_commit is not None:
        raise InputError("--at and --since-commit are for --status.")
    if chosen.format in _RULES and chosen.expanded:
        raise InputError(f"--format {chosen.format} is about the whole plan: leave --expanded out.")
    check_result(chosen, "rules file" if chosen.format in _RULES else "task list")
    if chosen.plan is not None:
        read_document(chosen.path).plan_named(chosen.plan)  # a typing error is told before the analysis begins
    with progress() as shown, means(chosen) as how:
        document, project = open_plans(chosen.path, progress=shown, **how)
    plan = document.plan if chosen.plan is None else document.plan_named(chosen.plan)
    rules, weights = None, USUAL
    if project.kind == "folder":
        try:
            rules, weights = read_rules(project.path), read_weights(project.path)
        except InputError as error:  # the list is worth having without them
            say(str(error))
        for note in (*(rules.notes if rules else ()), *weights.notes):
            say(note)
    history = plan.history(project.graph)
    about = About(document.name, plan.name, project.commit)
    if chosen.format in _RULES:
        kept = FORMS[chosen.format](history, about)
        for note in kept.notes:
            say(note)
        if not kept.text:
            raise InputError("The plan ends no dependency between folders that such a rule could name.")
        write_result(chosen, kept.text)
        return say_refusals(history)
    found = task_list(
        history, project.changes, project.code, rules=rules, weights=weights, annotations=plan.annotations, circles=True
    )
    modules = module_choice(chosen, document)
    asked = Asked(history.base, history.graph, project.changes, rules or Rules(), modules, history.base.root)
    assessed = weigh(plan.name, history, asked, lambda _history: found)
    words = heading(history.base, modules, history.base.root)
    about = about._replace(outcome=outcome(assessed.judgement, words))
    if chosen.format == "csv":
        text = to_csv(found, expanded=chosen.expanded)
    else:
        write = {
            "markdown": to_markdown,
            "json": to_json,
            "tracker": to_tracker,
            "github": trackers.to_github,
            "gitlab": trackers.to_gitlab,
            "jira": trackers.to_jira,
            "checklist": trackers.to_checklist,
        }[chosen.format]
        text = write(found, about, expanded=chosen.expanded)
    write_result(chosen, text)
    return say_refusals(history)
