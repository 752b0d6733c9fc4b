"""`cbvtool compare-traces`: what a run does more, less or slower than a reference, and which code did it (TD-9)."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import cbvtool
from cbvtool.cli.arguments import Command, add_format, add_output, node, place, share
from cbvtool.cli.of_traces.trace_reading import nanoseconds, read_runs
from cbvtool.cli.output import DONE, FINDINGS, check_result, counted, progress, say, write_result
from cbvtool.errors import InputError

if TYPE_CHECKING:
    from cbvtool.rules.promise import BrokenPromise
    from cbvtool.trace.compare.runs.causes import Cause, ChangedCode
    from cbvtool.trace.compare.runs.crossed import Origin
    from cbvtool.trace.compare.runs.deviations import RunComparison, RunDeviation
    from cbvtool.trace.compare.runs.paths import CallPaths, CrossedPaths
    from cbvtool.trace.model.profile import Profile
    from cbvtool.trace.model.trace import Header

FORMAT, VERSION = "cbvtool-compare-traces", 1
_SHOWN = 20  # deviations of a kind in the text; the other formats hold them all
_WORDS = {
    "appeared": "called now, and was not before",
    "vanished": "called before, and is not now",
    "more-calls": "called more often",
    "fewer-calls": "called less often",
    "slower": "slower",
}


class _Told(NamedTuple):
    """What was found: deviations that are new, those that are accepted, with the cause of each, and all about them.

    origins  whether it was the new code or the new input, by function and kind; empty = the two were not crossed
    by       what was judged: "function", or each "path" of a function by itself
    """

    fresh: list[tuple[RunDeviation, Cause]]
    accepted: list[tuple[RunDeviation, Cause]]
    faster: list[RunDeviation]
    unused: list[ChangedCode]
    comparison: RunComparison
    notes: list[str]
    origins: dict[tuple[int, str], Origin]
    by: str

    @property
    def judged(self) -> str:
        """What one deviation is about."""
        return "call path" if self.by == "path" else "function"

    def origin(self, one: RunDeviation) -> Origin | None:
        """What a deviation comes from; None = not known."""
        return self.origins.get((one.common, one.kind))


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
        "--by", choices=("function", "path"), default="function", help="judge each function, or each of its call paths"
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
        "--functions", type=place, metavar="FILE", help="CSV reference,test: functions that have another name now"
    )
    crossed = added.add_argument_group("which caused it, the new code or the new input: give both")
    crossed.add_argument("--new-code", type=place, metavar="RUNS", help="the code of TEST on the input of REF")
    crossed.add_argument("--new-input", type=place, metavar="RUNS", help="the code of REF on the input of TEST")
    added.add_argument("--baseline", type=place, metavar="FILE", help="deviations that are accepted for now")
    added.add_argument("--update-baseline", action="store_true", help="accept all there are now: write --baseline anew")
    add_format(added, "text", "markdown", "json", "sarif", "junit")
    add_output(added)


def _time(text: str) -> int:
    return nanoseconds(text, "ns")


def _run(chosen: argparse.Namespace) -> int:
    from cbvtool.formats.replaceable import check_output
    from cbvtool.trace.compare.runs.causes import Cause, causes, never_ran
    from cbvtool.trace.compare.runs.crossed import origins
    from cbvtool.trace.compare.runs.deviations import FEWEST_RUNS, compared
    from cbvtool.trace.compare.runs.paths import missing_names

    check_result(chosen, "comparison")
    if chosen.update_baseline:
        if chosen.baseline is None:
            raise InputError("--update-baseline needs --baseline FILE: where to write what is accepted.")
        check_output(chosen.baseline, chosen.path, "baseline")
    if (chosen.new_code is None) != (chosen.new_input is None):
        raise InputError("--new-code and --new-input go together: the runs of each code on each input are needed.")
    table = _table(chosen.functions)
    reference, test = read_runs(chosen.reference), read_runs(chosen.path)
    changed, renames, notes = _changed(chosen, reference[0].header, test[0].header)
    paths, crossed = _paths(chosen, reference, test, renames, table)
    if chosen.by == "path":
        paths, crossed = paths.each_apart(), crossed.each_apart() if crossed is not None else None
    how = {"slower": chosen.slower, "min_time": chosen.min_time, "ignored": tuple(chosen.ignore)}
    found = compared(paths, **how)
    notes += [f"{name}, in {chosen.functions}, means no function that ran." for name in missing_names(paths, table)]
    if found.judged == 0:
        notes.append(
            f"Times are judged from {FEWEST_RUNS} runs a side; here are {len(reference):,} and {len(test):,}: "
            "only numbers of calls were compared (`cbvtool trace record --repeat 10`)."
        )
    elif found.clock == "wall":
        notes.append("Times are by the clock: `--cpu-time` when recording tells them apart from what else was running.")
    every = list(zip(found.deviations, causes(found.deviations, paths, changed), strict=True))
    by_origin: dict[tuple[int, str], Origin] = {}
    if crossed is not None:
        for one, origin in zip(found.deviations, origins(found.deviations, crossed, **how), strict=True):
            by_origin[one.common, one.kind] = origin
        by_input = {key for key, origin in by_origin.items() if origin.kind == "input"}
        every = [(one, Cause("input") if (one.common, one.kind) in by_input else cause) for one, cause in every]
    faster = [one for one, _ in every if one.kind == "faster"]
    counting = [pair for pair in every if pair[0].kind != "faster"]
    accepted = _accepted(chosen, [one for one, _ in counting], paths)
    told = _Told(
        [pair for pair in counting if _entry(pair[0], chosen.by) not in accepted],
        [pair for pair in counting if _entry(pair[0], chosen.by) in accepted],
        faster,
        never_ran(paths, changed) if changed is not None else [],
        found,
        notes,
        by_origin,
        chosen.by,
    )
    for note in notes:
        say(note)
    write_result(
        chosen,
        {"text": _text, "markdown": _markdown, "json": _json, "sarif": _sarif, "junit": _junit}[chosen.format](told),
    )
    return FINDINGS if told.fresh else DONE


def _table(path: Path | None) -> dict[str, str]:
    """The user's table of functions."""
    from cbvtool.regular_file import Unreadable, read_bytes
    from cbvtool.trace.compare.function_table import LARGEST, function_table

    if path is None:
        return {}
    try:
        return function_table(read_bytes(str(path), LARGEST).decode("utf-8"), str(path))
    except (Unreadable, UnicodeDecodeError) as reason:
        raise InputError(f"{path} is no table of functions: {reason}.") from None


def _paths(
    chosen: argparse.Namespace,
    reference: list[Profile],
    test: list[Profile],
    renames: dict[str, str],
    table: dict[str, str],
) -> tuple[CallPaths, CrossedPaths | None]:
    from cbvtool.trace.compare.runs.paths import call_paths, crossed_paths

    if chosen.new_code is None:
        return call_paths(reference, test, renames, table), None
    new_code, new_input = read_runs(chosen.new_code), read_runs(chosen.new_input)
    crossed = crossed_paths(reference, test, new_code, new_input, renames, table)
    return crossed.both, crossed


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


def _entry(one: RunDeviation, by: str) -> tuple[str, str, str]:
    """What a deviation is known by in a baseline: kind, name or names from the outermost caller on, end of the file."""
    parts = one.file.replace("\\", "/").split("/")[-3:]
    return one.kind, _named(one, by), "/".join(parts)


def _named(one: RunDeviation, by: str) -> str:
    return " > ".join(one.path) if by == "path" else one.function


def _accepted(chosen: argparse.Namespace, found: list[RunDeviation], paths: CallPaths) -> set[tuple[str, str, str]]:
    from cbvtool.formats.atomic import replacing
    from cbvtool.regular_file import Unreadable, read_bytes
    from cbvtool.rules import baseline

    if chosen.baseline is None:
        return set()
    if chosen.update_baseline:
        with replacing(chosen.baseline) as file:
            promises = (_promise(one, chosen.by) for one in found)
            file.write(baseline.to_text(promises).encode("utf-8", "backslashreplace"))
        say(f"{chosen.baseline} accepts {counted(len(found), 'deviation')}.")
        return {_entry(one, chosen.by) for one in found}
    try:
        text = read_bytes(str(chosen.baseline), baseline.LARGEST).decode("utf-8")
    except (Unreadable, UnicodeDecodeError) as reason:
        raise InputError(f"{chosen.baseline} is no baseline: {reason}.") from None
    return set(baseline.parse(text, str(chosen.baseline)))


def _promise(one: RunDeviation, by: str) -> BrokenPromise:
    from cbvtool.rules.promise import BrokenPromise

    kind, function, file = _entry(one, by)
    return BrokenPromise(kind, "compare-traces", function, file, ())


def _figures(one: RunDeviation) -> str:
    from cbvtool.trace.model.durations import duration

    if one.kind in ("slower", "faster"):
        change = f"{one.change:+.0%} ({one.low:+.0%} to {one.high:+.0%})"
        return f"{duration(round(one.reference))} to {duration(round(one.test))} by itself, {change}"
    return f"{one.reference:,.0f} to {one.test:,.0f} calls"


_ORIGINS = {
    "code": "the new code alone does so",
    "input": "the input: the old code does so, too",
    "both": "the new code and the new input do so, each alone",
    "together": "only the new code on the new input does so",
}


def _because(told: _Told, one: RunDeviation, cause: Cause) -> str:
    """The cause in words; empty where nothing is known."""
    origin = told.origin(one)
    return "; ".join(filter(None, (_ORIGINS[origin.kind] if origin else "", _of_code(one, cause))))


def _of_code(one: RunDeviation, cause: Cause) -> str:
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
        lines += ["", f"{counted(len(group), told.judged)} {words}"]
        for one, cause in group[:_SHOWN]:
            why = _because(told, one, cause)
            lines.append(_line(told, one, bullet) + (f"; {one_line(why)}" if why else ""))
        if len(group) > _SHOWN:
            lines.append(f"{bullet}{len(group) - _SHOWN:,} more: --format json lists all")
    if told.faster:
        lines += ["", f"{counted(len(told.faster), told.judged)} faster"]
        lines += [_line(told, one, bullet) for one in told.faster[:_SHOWN]]
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


def _line(told: _Told, one: RunDeviation, bullet: str) -> str:
    from cbvtool.words import one_line

    return one_line(f"{bullet}{_named(one, told.by)} ({one.file}:{one.line}): {_figures(one)}")


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
        "by": told.by,
        "clock": told.comparison.clock,
        "judged": told.comparison.judged,
        "deviations": [_row(told, one, cause) for one, cause in told.fresh],
        "accepted": len(told.accepted),
        "faster": [_row(told, one, None) for one in told.faster],
        "never_ran": [{"function": one.name, "file": one.file, "hunk": one.hunk._asdict()} for one in told.unused],
        "noise": [{"function": name, "file": file} for name, file in told.comparison.noise],
        "notes": told.notes,
    }
    return json.dumps(content, indent=1) + "\n"


def _row(told: _Told, one: RunDeviation, cause: Cause | None) -> dict[str, Any]:
    origin = told.origin(one)
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
        "crossed": {"caused_by": origin.kind, "new_code": origin.new_code, "new_input": origin.new_input}
        if origin is not None
        else None,
    }


def _complaints(told: _Told) -> list[Any]:
    from cbvtool.rules.gate_text import Complaint

    found = []
    for is_new, pairs in ((True, told.fresh), (False, told.accepted)):
        for one, cause in pairs:
            why = _because(told, one, cause)
            site = (one.file, one.line)
            if cause.changed is not None:
                site = (cause.changed.hunk.file, cause.changed.hunk.new)
            message = f"{_named(one, told.by)}: {_figures(one)}{'; ' + why if why else ''}"
            found.append(Complaint(_WORDS[one.kind], message, " ".join(_entry(one, told.by)), (site,), "", is_new))
    return found


def _sarif(told: _Told) -> str:
    from cbvtool.rules.gate_text import sarif

    return sarif(_complaints(told), cbvtool.__version__)


def _junit(told: _Told) -> str:
    from cbvtool.rules.gate_text import junit

    fresh = [one for one in _complaints(told) if one.is_new]
    return junit(fresh, "cbvtool compare-traces", "cbvtool.traces", "deviation", "calls and times")
