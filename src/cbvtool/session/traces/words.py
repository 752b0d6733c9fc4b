"""A trace in words: what ran, when, how much of it was recorded, and what had to be mended or left out."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from cbvtool.trace.mapping.node_map import NodeMap
from cbvtool.trace.model.durations import duration
from cbvtool.trace.model.profile import Profile
from cbvtool.trace.model.trace import Trace
from cbvtool.words import one_line

LONGEST_NAME = 60  # characters of a program
_MOST_KINDS = 4  # repairs or omissions that are told one by one


def title(trace: Trace | Profile, file_name: str) -> str:
    """What a list of traces calls it: the program, or the file."""
    program = one_line(_program(trace)).rpartition("/")[2] or one_line(file_name)
    run = f", run {trace.header.run:,}" if trace.header.run else ""
    return f"{shortened(program)}{run}"


def _program(trace: Trace | Profile) -> str:
    """What ran; of `python -m shop` and `python shop.py` not the interpreter."""
    program, arguments = trace.header.program, trace.header.arguments
    if not program.rpartition("/")[2].startswith("python") or not arguments:
        return program
    if arguments[0] == "-m" and len(arguments) > 1:
        return arguments[1]
    return program if arguments[0].startswith("-") else arguments[0]


def facts(trace: Trace | Profile) -> str:
    """How much there is of it: `1,204 calls · 3 threads · 2.1 s`; of a profile `120 functions · calls, time`."""
    if isinstance(trace, Profile):
        functions, measured = len(trace.functions), list(dict.fromkeys(metric.name for metric in trace.metrics))
        names = ", ".join(shortened(one_line(name)) for name in measured[:_MOST_KINDS])
        more = f", {len(measured) - _MOST_KINDS:,} more" if len(measured) > _MOST_KINDS else ""
        return f"{functions:,} {'function' if functions == 1 else 'functions'} · {names or 'nothing measured'}{more}"
    calls, threads = len(trace.calls), len(trace.threads)
    said = [
        f"{calls:,} {'call' if calls == 1 else 'calls'}",
        f"{threads:,} {'thread' if threads == 1 else 'threads'}",
        duration(trace.span[1] - trace.span[0]),
    ]
    return " · ".join(said)


def sentences(trace: Trace | Profile) -> list[str]:
    """What else is worth knowing, one sentence each."""
    header, said = trace.header, list[str]()
    if isinstance(trace, Profile) and trace.is_call_graph:
        said.append("It tells who called whom, not on which path: the total time of a folder is an estimate.")
    if isinstance(trace, Profile) and trace.places:
        said.append(f"Values are means over {len(trace.places):,} ranks and threads.")
    if trace.sampled:
        said.append("Put together from samples: the numbers are no call counts, and short calls are missing.")
    for verb, counts in (("Repaired", trace.repairs), ("Left out", trace.omissions)):
        if any(counts.values()):
            said.append(f"{verb}: {_kinds(counts)}.")
    if isinstance(trace, Trace) and (still := len(trace.open_rows)):
        said.append(f"{still:,} {'call was' if still == 1 else 'calls were'} still running at the end.")
    if header.arguments:
        said.append(f"Started with {shortened(one_line(' '.join(header.arguments)))}.")
    if (when := began(header.began)) is not None:
        said.append(f"Recorded on {when}.")
    if header.commit:
        state = " with changes" if header.dirty else ""
        said.append(f"Of commit {one_line(header.commit)[:10]}{state}.")
    if header.recorder or header.format:
        said.append(f"By {shortened(one_line(header.recorder or header.format))}.")
    return said


def mapped(known: NodeMap) -> str:
    """Which of the recorded functions belong to the code. It says nothing about how much of the code ran."""
    found, total = int(known.mapped.sum()), len(known)
    if not total:
        return "No function is named in it."
    if not found:
        return "None of its functions was found in this code."
    if found == total:
        return f"All {total:,} recorded functions belong to this code."
    return f"Of {total:,} recorded functions {found:,} belong to this code; the others ran outside of it."


def began(nanoseconds: int) -> str | None:
    """When a trace began, in UTC; None = unknown, or no date."""
    if nanoseconds <= 0:
        return None
    try:
        return datetime.fromtimestamp(nanoseconds // 10**9, UTC).strftime("%Y-%m-%d %H:%M UTC")
    except (ValueError, OverflowError, OSError):
        return None


def shortened(words: str) -> str:
    """At most `LONGEST_NAME` characters."""
    return words if len(words) <= LONGEST_NAME else f"{words[: LONGEST_NAME - 1]}…"


def _kinds(counts: Mapping[str, int]) -> str:
    ranked = sorted((row for row in counts.items() if row[1]), key=lambda row: -row[1])
    told = ", ".join(f"{count:,} {shortened(one_line(kind))}" for kind, count in ranked[:_MOST_KINDS])
    rest = sum(count for _, count in ranked[_MOST_KINDS:])
    return f"{told}, {rest:,} more" if rest else told
