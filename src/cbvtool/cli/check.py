"""`cbvtool check`."""

from __future__ import annotations

import argparse
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

import cbvtool
from cbvtool.cli.arguments import Command, add_format, add_modules, add_output, add_path, add_reading, place
from cbvtool.cli.output import DONE, FINDINGS, check_result, counted, progress, say, write_result
from cbvtool.cli.reading import module_choice, planned, planned_history
from cbvtool.errors import InputError

if TYPE_CHECKING:
    from cbvtool.assessment.version import AssessedVersion
    from cbvtool.rules import Rules
    from cbvtool.rules.promise import BrokenPromise


def add(command: Command) -> None:
    """Add the command."""
    added = command(
        "check",
        _run,
        "judge a code base, or a plan, by its rules: a gate that fails on new violations only",
        "cbvtool check .",
        "cbvtool check . --baseline rules.baseline.json --format sarif -o rules.sarif",
        "cbvtool check . --baseline rules.baseline.json --update-baseline",
        "cbvtool check . --contracts pyproject.toml --format junit -o rules.xml",
        "cbvtool check . --write-contracts .importlinter",
        "cbvtool check plan.cbv",
    )
    add_path(added)
    added.add_argument(
        "--contracts",
        type=place,
        metavar="FILE",
        help="contracts of import-linter (.importlinter, setup.cfg, pyproject.toml) in place of cbvtool.toml's rules",
    )
    added.add_argument("--baseline", type=place, metavar="FILE", help="violations that are accepted for now")
    added.add_argument("--update-baseline", action="store_true", help="accept all there are now: write --baseline anew")
    added.add_argument(
        "--write-contracts",
        type=place,
        metavar="FILE",
        help="write the rules as contracts of import-linter, as far as these can say the same, and judge nothing",
    )
    add_format(added, "text", "json", "sarif", "junit")
    add_output(added)
    add_modules(added)
    add_reading(added)


def _run(chosen: argparse.Namespace) -> int:
    from cbvtool.formats.atomic import replacing
    from cbvtool.formats.replaceable import check_output
    from cbvtool.rules import baseline, promise_text

    check_result(chosen, "check report")
    if chosen.write_contracts is not None:
        return _write_contracts(chosen)
    if chosen.update_baseline:
        if chosen.baseline is None:
            raise InputError("--update-baseline needs --baseline FILE: where to write what is accepted.")
        check_output(chosen.baseline, chosen.path, "baseline")
    accepted = () if chosen.baseline is None or chosen.update_baseline else _accepted(chosen.baseline)
    broken, there, notes, worth = _broken(chosen)
    for note in notes:
        say(note)
    if chosen.update_baseline:
        with replacing(chosen.baseline) as file:
            file.write(baseline.to_text(broken).encode("utf-8", "backslashreplace"))
        say(f"{chosen.baseline} accepts {counted(len({baseline.entry_of(one) for one in broken}), 'violation')}.")
        accepted = tuple(baseline.entry_of(one) for one in broken)
    found = baseline.compare(broken, accepted, there)
    text = {
        "text": lambda: promise_text.to_text(found, () if worth is None else (worth.line,)),
        "json": lambda: promise_text.to_json(found, notes, {} if worth is None else worth.as_data),
        "sarif": lambda: promise_text.to_sarif(found, cbvtool.__version__),
        "junit": lambda: promise_text.to_junit(found),
    }[chosen.format]()
    write_result(chosen, text)
    return FINDINGS if found.fresh else DONE


def _write_contracts(chosen: argparse.Namespace) -> int:
    from cbvtool.formats.atomic import replacing
    from cbvtool.formats.replaceable import check_output
    from cbvtool.rules.contracts.writing import written_contracts

    if chosen.contracts is not None or chosen.baseline is not None:
        raise InputError("--write-contracts writes the rules of cbvtool.toml: leave out --contracts and --baseline.")
    check_output(chosen.write_contracts, chosen.path, "contracts file")
    rules = _rules(chosen)
    written = written_contracts(planned(chosen), rules)
    for note in written.notes:
        say(note)
    if not written.text:
        raise InputError("No rule could be written as a contract.")
    with replacing(chosen.write_contracts) as file:
        file.write(written.text.encode())
    say(f"{chosen.write_contracts} holds {counted(written.text.count('[importlinter:contract:'), 'contract')}.")
    return DONE


def _broken(
    chosen: argparse.Namespace,
) -> tuple[list[BrokenPromise], Collection[str], list[str], AssessedVersion | None]:
    """(violations, names of all that is there, notes, what the code is worth: with rules of its own)."""
    if chosen.contracts is not None:
        from cbvtool.rules.contracts.checking import check_contracts
        from cbvtool.rules.contracts.contract_file import read_contracts

        file = read_contracts(chosen.contracts)
        graph = planned(chosen)
        with progress() as shown:
            checked = check_contracts(graph, file, shown)
        return list(checked.broken), checked.modules, list(checked.notes), None
    from cbvtool.assessment.version import assessed_version
    from cbvtool.config import FILE_NAME
    from cbvtool.rules.own_promises import broken_promises
    from cbvtool.rules.violations import judged_rules, unknown_nodes

    rules = _rules(chosen)
    history, project, document = planned_history(chosen)
    graph = history.graph
    judged = judged_rules(graph, rules)
    if faults := [one for one in judged.unmatched if one.is_fault]:
        others = f" (and {counted(len(faults) - 1, 'other name')} in the rules)" if len(faults) > 1 else ""
        raise InputError(f"{faults[0].words.rstrip('.')}{others}: mend it in {FILE_NAME}, or take it out.")
    notes = [*rules.notes, *unknown_nodes(graph, rules), *judged.notes]
    worth = assessed_version(history.base, graph, project.changes, rules, module_choice(chosen, document))
    return list(broken_promises(graph, judged.violations)), graph.key_of.keys(), notes, worth


def _rules(chosen: argparse.Namespace) -> Rules:
    from cbvtool.plan.document import read_document
    from cbvtool.rules import FILE_NAME, read_rules

    folder: Path = chosen.path
    if folder.suffix.lower() == ".cbv" and folder.is_file():
        folder = read_document(folder).subject
    if not folder.is_dir():
        raise InputError(f"{chosen.path} is no folder: its rules are not known; name a folder, a plan, or --contracts.")
    rules = read_rules(folder)
    if not rules:
        raise InputError(f"{folder} states no rules: write {FILE_NAME}, or name --contracts.")
    return rules


def _accepted(path: Path) -> tuple[tuple[str, str, str], ...]:
    from cbvtool.regular_file import Unreadable, read_bytes
    from cbvtool.rules.baseline import LARGEST, parse

    try:
        text = read_bytes(str(path), LARGEST).decode("utf-8")
    except UnicodeDecodeError:
        raise InputError(f"{path} is no baseline: it is not UTF-8 text.") from None
    except Unreadable as reason:
        raise InputError(f"{path} {reason}.") from None
    return parse(text, str(path))
