"""`cbvtool compare-traces`: what a run does more, less or slower than a reference, and which code did it (TD-9)."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import cbvtool
from cbvtool.cli.arguments import Command, add_format, add_output, node, place, share
from cbvtool.cli.of_traces.trace_reading import nanoseconds
from cbvtool.cli.output import DONE, FINDINGS, check_result, counted, progress, say, write_result
from cbvtool.cli.reading import read_file
from cbvtool.errors import InputError

if TYPE_CHECKING:
    from cbvtool.rules.promise import BrokenPromise
    from cbvtool.trace.compare.runs.causes import Cause, ChangedCode
    from cbvtool.trace.compare.runs.deviations import RunComparison, RunDeviation
    from cbvtool.trace.compare.runs.paths import CallPaths
    from cbvtool.trace.model.profile import Profile
    from cbvtool.trace.model.trace import Header

FORMAT, VERSION = "cbvtool-compare-traces", 1
MOST_RUNS = 1_000
_LARGEST_TABLE = 2**20  # bytes
_SHOWN = 20  # deviations of a kind in the text; the other formats hold them all
_WORDS = {
    "appeared": "called now, and was not before",
    "vanished": "called before, and is not now",
    "more-calls": "called more often",
    "fewer-calls": "called less often",
    "slower": "slower",
}


class _Told(NamedTuple):
    """What was found: deviations that are new, those that are accepted, with the cause of each, and all about them."""

    fresh: list[tuple[RunDeviation, Cause]]
    accepted: list[tuple[RunDeviation, Cause]]
    faster: list[RunDeviation]
    unused: list[ChangedCode]
    comparison: RunComparison
    notes: list[str]


def add(command: Command) -> None:
    """Add the command."""
    added = command(
        "compare-traces",
        _run,
        "compare recorded runs of two versions: a gate that fails when calls changed or became slower",
        "cbvtool compare-traces before after",
        "cbvtool compare-traces before after --repository . --format markdown",
        "cbvtool compare-traces before after --slower 20% --ignore '*/tests/*' --format junit -o runs.xml",
        "cbvtool compare-traces before after --baseline runs.baseline.json --update-baseline",
    )
    added.add_argument("reference", type=place, metavar="REF", help="a trace, or a folder of runs of one version")
    added.add_argument("path", type=place, metavar="TEST", help="the same of the version that is judged")
    added.add_argument(
        "--slower", type=share, default=0.1, metavar="SHARE", help="how much slower counts (10%%), from 8 runs a side"
    )
    added.add_argument(
        "--min-time", type=_time, default=0, metavar="TIME", help="judge functions that take so long by themselves"
    )
    added.add_argument(
        "--ignore", type=node, action="append", default=[], metavar="PATTERN", help="functions or files to leave out"
    )
    added.add_argument(
        "--repository", type=place, metavar="FOLDER", help="the source: tells which changed code is the cause"
    )
    added.add_argument("--commits", type=node, metavar="OLD..NEW", help="of the two, where recordings do not say")
    added.add_argument(
        "--same", type=place, metavar="FILE", help="functions that have another name now: a line `old, new` each"
    )
    added.add_argument("--baseline", type=place, metavar="FILE", help="deviations that are accepted for now")
    added.add_argument("--update-baseline", action="store_true", help="accept all there are now: write --baseline anew")
    add_format(added, "text", "markdown", "json", "sarif", "junit")
    add_output(added)


def _time(text: str) -> int:
    return nanoseconds(text, "ns")


def _run(chosen: argparse.Namespace) -> int:
    from cbvtool.formats.replaceable import check_output
    from cbvtool.trace.compare.runs.causes import causes, never_ran
    from cbvtool.trace.compare.runs.deviations import FEWEST_RUNS, compared
    from cbvtool.trace.compare.runs.paths import call_paths

    check_result(chosen, "comparison")
    if chosen.update_baseline:
        if chosen.baseline is None:
            raise InputError("--update-baseline needs --baseline FILE: where to write what is accepted.")
        check_output(chosen.baseline, chosen.path, "baseline")
    reference, test = _runs(chosen.reference), _runs(chosen.path)
    changed, renames, notes = _changed(chosen, reference[0].header, test[0].header)
    paths = call_paths(reference, test, renames, _same(chosen))
    found = compared(paths, slower=chosen.slower, min_time=chosen.min_time, ignored=tuple(chosen.ignore))
    if found.judged == 0:
        notes.append(
            f"Times are judged from {FEWEST_RUNS} runs a side; here are {len(reference):,} and {len(test):,}: "
            "only numbers of calls were compared (`cbvtool trace record --repeat 10`)."
        )
    elif found.clock == "wall":
        notes.append("Times are by the clock: `--cpu-time` when recording tells them apart from what else was running.")
    every = list(zip(found.deviations, causes(found.deviations, paths, changed), strict=True))
    faster = [one for one, _ in every if one.kind == "faster"]
    counting = [pair for pair in every if pair[0].kind != "faster"]
    accepted = _accepted(chosen, [one for one, _ in counting], paths)
    told = _Told(
        [pair for pair in counting if _entry(pair[0]) not in accepted],
        [pair for pair in counting if _entry(pair[0]) in accepted],
        faster,
        never_ran(paths, changed) if changed is not None else [],
        found,
        notes,
    )
    for note in notes:
        say(note)
    write_result(
        chosen,
        {"text": _text, "markdown": _markdown, "json": _json, "sarif": _sarif, "junit": _junit}[chosen.format](told),
    )
    return FINDINGS if told.fresh else DONE


def _runs(path: Path) -> list[Profile]:
    """The runs that were named, each folded: FOLDER/1, FOLDER/2, ... or one recording."""
    from cbvtool.trace.making.folding import folded
    from cbvtool.trace.model.trace import Trace

    numbered = (
        sorted((each for each in path.iterdir() if each.name.isdecimal()), key=lambda each: int(each.name))
        if path.is_dir()
        else []
    )
    if len(numbered) > MOST_RUNS:
        raise InputError(f"{path} holds more than {MOST_RUNS:,} runs.")
    found: list[Profile] = []
    for each in numbered or [path]:
        parts = read_file(each)
        traces = [part for part in parts if isinstance(part, Trace)]
        if not traces:
            raise InputError(f"{each} holds a profile: calls are compared where a whole trace was recorded.")
        if len(traces) > 1:
            say(f"{each} holds {len(traces):,} traces; this is the first one.")
        found.append(folded(traces[0]))
    return found


def _changed(
    chosen: argparse.Namespace, reference: Header, test: Header
) -> tuple[list[ChangedCode] | None, dict[str, str], list[str]]:
    """(what differs between the sources of the two, None = not known; renamed files; notes)."""
    from cbvtool.evolution.changed_functions import changed_code

    if chosen.repository is None:
        return None, {}, []
    old, _, new = chosen.commits.partition("..") if chosen.commits else (reference.commit, "", test.commit)
    if not old or not new:
        raise InputError("The recordings do not say of which commits they are: name them, --commits OLD..NEW.")
    notes = [
        f"The {name} was recorded with changes that are in no commit: causes may be missed."
        for name, header in (("reference", reference), ("test", test))
        if header.dirty and not chosen.commits
    ]
    with progress() as shown:
        code, renames = changed_code(chosen.repository, old, new, shown)
    return code, renames, notes


def _same(chosen: argparse.Namespace) -> dict[str, str]:
    """The user's pairs of functions. Raises InputError."""
    from cbvtool.regular_file import Unreadable, read_bytes
    from cbvtool.trace.compare.identity import identity_table

    if chosen.same is None:
        return {}
    try:
        text = read_bytes(str(chosen.same), _LARGEST_TABLE).decode("utf-8")
    except (Unreadable, UnicodeDecodeError) as reason:
        raise InputError(f"{chosen.same} cannot be read as a table of functions: {reason}.") from None
    return identity_table(text)


def _entry(one: RunDeviation) -> tuple[str, str, str]:
    """What a deviation is known by in a baseline: kind, name, the last parts of its path."""
    parts = one.file.replace("\\", "/").split("/")[-3:]
    return one.kind, one.function, "/".join(parts)


def _accepted(chosen: argparse.Namespace, found: list[RunDeviation], paths: CallPaths) -> set[tuple[str, str, str]]:
    from cbvtool.formats.atomic import replacing
    from cbvtool.regular_file import Unreadable, read_bytes
    from cbvtool.rules import baseline

    if chosen.baseline is None:
        return set()
    if chosen.update_baseline:
        with replacing(chosen.baseline) as file:
            file.write(baseline.to_text(map(_promise, found)).encode("utf-8", "backslashreplace"))
        say(f"{chosen.baseline} accepts {counted(len(found), 'deviation')}.")
        return {_entry(one) for one in found}
    try:
        text = read_bytes(str(chosen.baseline), baseline.LARGEST).decode("utf-8")
    except (Unreadable, UnicodeDecodeError) as reason:
        raise InputError(f"{chosen.baseline} is no baseline: {reason}.") from None
    return set(baseline.parse(text, str(chosen.baseline)))


def _promise(one: RunDeviation) -> BrokenPromise:
    from cbvtool.rules.promise import BrokenPromise

    kind, function, file = _entry(one)
    return BrokenPromise(kind, "compare-traces", function, file, ())


def _figures(one: RunDeviation) -> str:
    from cbvtool.trace.model.durations import duration

    if one.kind in ("slower", "faster"):
        change = f"{one.change:+.0%} ({one.low:+.0%} to {one.high:+.0%})"
        return f"{duration(round(one.reference))} to {duration(round(one.test))} by itself, {change}"
    return f"{one.reference:,.0f} to {one.test:,.0f} calls"


def _because(one: RunDeviation, cause: Cause) -> str:
    """The cause in words; empty where nothing is known."""
    if cause.changed is not None:
        hunk = cause.changed.hunk
        lines = f"{hunk.file}:{hunk.new or 1}"
        return (
            f"its own code was changed, {lines}"
            if cause.kind == "own code"
            else f"{cause.changed.name} above it was changed, {lines}"
        )
    if one.follows:
        return "its callers are called otherwise"
    return "no code on its call path was changed" if cause.kind == "code unchanged" else ""


def _lines(told: _Told, bullet: str) -> list[str]:
    from cbvtool.words import one_line

    lines = []
    for kind, words in _WORDS.items():
        group = [pair for pair in told.fresh if pair[0].kind == kind]
        if not group:
            continue
        lines += ["", f"{counted(len(group), 'function')} {words}"]
        for one, cause in group[:_SHOWN]:
            why = _because(one, cause)
            lines.append(
                one_line(f"{bullet}{one.function} ({one.file}:{one.line}): {_figures(one)}{'; ' + why if why else ''}")
            )
        if len(group) > _SHOWN:
            lines.append(f"{bullet}{len(group) - _SHOWN:,} more: --format json lists all")
    if told.faster:
        lines += ["", f"{counted(len(told.faster), 'function')} faster"]
        lines += [
            one_line(f"{bullet}{one.function} ({one.file}:{one.line}): {_figures(one)}") for one in told.faster[:_SHOWN]
        ]
    if told.unused:
        lines += ["", "Changed, and never called by the test"]
        lines += [one_line(f"{bullet}{one.name} ({one.file}:{one.hunk.new or 1})") for one in told.unused[:_SHOWN]]
    if told.comparison.noise:
        names = ", ".join(name for name, _ in told.comparison.noise[:5])
        lines += [
            "",
            f"Noise: called differently often by runs of one version: {names}"
            + (" and others" if len(told.comparison.noise) > 5 else ""),
        ]
    return lines


def _head(told: _Told) -> str:
    count = f"{counted(len(told.fresh), 'deviation')}" if told.fresh else "no deviation"
    return f"Compared: {count}" + (f", {len(told.accepted):,} accepted" if told.accepted else "")


def _text(told: _Told) -> str:
    from cbvtool.words import as_utf8

    return as_utf8("\n".join([_head(told), *_lines(told, "  "), ""]))


def _markdown(told: _Told) -> str:
    from cbvtool.words import as_utf8

    return as_utf8("\n".join([f"### {_head(told)}", *_lines(told, "- "), ""]))


def _json(told: _Told) -> str:
    content: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "clock": told.comparison.clock,
        "judged": told.comparison.judged,
        "deviations": [_row(one, cause) for one, cause in told.fresh],
        "accepted": len(told.accepted),
        "faster": [_row(one, None) for one in told.faster],
        "never_ran": [{"function": one.name, "file": one.file, "hunk": one.hunk._asdict()} for one in told.unused],
        "noise": [{"function": name, "file": file} for name, file in told.comparison.noise],
        "notes": told.notes,
    }
    return json.dumps(content, indent=1) + "\n"


def _row(one: RunDeviation, cause: Cause | None) -> dict[str, Any]:
    return {
        "kind": one.kind,
        "function": one.function,
        "file": one.file,
        "line": one.line,
        "path": list(one.path),
        "reference": one.reference,
        "test": one.test,
        **({"low": one.low, "high": one.high, "chance": one.chance} if one.kind in ("slower", "faster") else {}),
        "follows": one.follows,
        "cause": cause.kind if cause is not None else "unknown",
        "changed": cause.changed.name if cause is not None and cause.changed is not None else None,
        "hunk": cause.changed.hunk._asdict() if cause is not None and cause.changed is not None else None,
    }


def _complaints(told: _Told) -> list[Any]:
    from cbvtool.rules.gate_text import Complaint

    found = []
    for is_new, pairs in ((True, told.fresh), (False, told.accepted)):
        for one, cause in pairs:
            why = _because(one, cause)
            site = (one.file, one.line)
            if cause.changed is not None:
                site = (cause.changed.hunk.file, cause.changed.hunk.new)
            message = f"{one.function}: {_figures(one)}{'; ' + why if why else ''}"
            found.append(Complaint(_WORDS[one.kind], message, " ".join(_entry(one)), (site,), "", is_new))
    return found


def _sarif(told: _Told) -> str:
    from cbvtool.rules.gate_text import sarif

    return sarif(_complaints(told), cbvtool.__version__)


def _junit(told: _Told) -> str:
    from cbvtool.rules.gate_text import junit

    fresh = [one for one in _complaints(told) if one.is_new]
    return junit(fresh, "cbvtool compare-traces", "cbvtool.traces", "deviation", "calls and times")
