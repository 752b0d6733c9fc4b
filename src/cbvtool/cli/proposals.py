"""`cbvtool proposals`."""

from __future__ import annotations

import argparse

from cbvtool.cli.arguments import Command, add_format, add_modules, add_output, add_path, add_reading, node, whole
from cbvtool.cli.output import DONE, check_result, write_result
from cbvtool.cli.reading import open_into
from cbvtool.errors import InputError

KINDS = ("cycle", "move", "place", "cluster")
_CYCLES = 3  # of packages and files, the largest


def add(command: Command) -> None:
    """Add the command."""
    added = command(
        "proposals",
        _run,
        "propose steps of a plan that better a figure: end cycles, move files where they belong, group a flat folder",
        "cbvtool proposals ~/src/flask",
        "cbvtool proposals . src/billing.py",
        "cbvtool proposals . --kind cycle --format json -o proposals.json",
    )
    add_path(added)
    added.add_argument("nodes", nargs="*", type=node, metavar="NODE", help="files or definitions, or one folder")
    added.add_argument("--kind", nargs="+", action="extend", choices=KINDS, metavar="KIND", help=", ".join(KINDS))
    added.add_argument(
        "--seconds", type=whole(1, 3600), default=20, metavar="N", help="for each cycle, and for moves (default: 20)"
    )
    added.add_argument("--tests", action="store_true", help="also look at tests")
    add_format(added, "text", "json")
    add_output(added)
    add_modules(added)
    add_reading(added)


def _run(chosen: argparse.Namespace) -> int:
    from cbvtool.asking.nodes import node_named
    from cbvtool.assessment.judged import judged
    from cbvtool.cli.output import progress
    from cbvtool.findings.cycles import cycles
    from cbvtool.findings.finding import Examined
    from cbvtool.plan.containment import CONTAINERS
    from cbvtool.proposals.belongs import Home, belongs
    from cbvtool.proposals.best_moves import best_moves
    from cbvtool.proposals.breaking import broken_cycle
    from cbvtool.proposals.clusters import clusters
    from cbvtool.proposals.priced import priced
    from cbvtool.proposals.proposal import Proposal, distinct
    from cbvtool.proposals.written import to_json, to_text
    from cbvtool.rules import Rules, read_rules
    from cbvtool.session import Session
    from cbvtool.session.planning.judging import question
    from cbvtool.session.planning.steps import list_of_tasks

    check_result(chosen, "list of proposals")
    session = Session()
    open_into(session, chosen)
    assert session.project is not None
    graph, path = session.graph, session.project.path
    keys = tuple(node_named(graph, name) for name in chosen.nodes)
    is_folder = len(keys) == 1 and graph.kind(keys[0]) in CONTAINERS
    usual = ("cycle", "move") if not keys else ("cluster",) if is_folder else ("place",)
    kinds = chosen.kind or usual
    if "place" in kinds and not keys:
        raise InputError("Say which file, folder or definition a place is looked for: name it after PATH.")
    if "cluster" in kinds and not is_folder:
        raise InputError("To group the files of a folder, name one folder after PATH.")
    rules = read_rules(path) if path.is_dir() else Rules()
    found: list[Proposal] = []
    places: list[Home] = []
    with progress() as shown:
        session.rules = rules
        asked, history, project = question(session.state), session.history, session.project
        assert history is not None
        examined = Examined(
            graph, project.changes, rules, chosen.tests, progress=shown, modules=session.view.modules, base=history.base
        )
        if "cycle" in kinds:
            for one in cycles(examined, _CYCLES):
                found += broken_cycle(examined, one.nodes, seconds=chosen.seconds)
        if "move" in kinds:
            found += best_moves(examined, seconds=chosen.seconds)
        if "cluster" in kinds:
            found += clusters(examined, keys[0], session.history)
        if "place" in kinds:
            places = belongs(examined, keys)
        noted = session.annotations
        found = priced(
            distinct(found), judged(asked), history, lambda steps: list_of_tasks(steps, project, noted), shown
        )
    write_result(chosen, (to_json if chosen.format == "json" else to_text)(graph, found, places))
    return DONE
