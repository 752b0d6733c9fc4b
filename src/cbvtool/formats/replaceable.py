"""Decides which files a result may replace, so that a mistyped `-o` does not cost a source file or a plan."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

from cbvtool.errors import InputError
from cbvtool.formats import registry
from cbvtool.formats.content import first_bytes

Sort = Literal[
    "graph",
    "PNG picture",
    "SVG picture",
    "PDF picture",
    "HTML page",
    "task list",
    "rules file",
    "answer",
    "impact list",
    "trace file",
    "trace summary",
    "table of calls",
    "table of callers",
    "table of waits",
    "list of untested files",
    "list of tests",
    "list of exclusions",
    "list of remaining calls",
    "list of duplicates",
    "list of findings",
    "list of proposals",
    "list of couplings",
    "list of people",
    "check report",
    "baseline",
    "comparison",
    "contracts file",
    "list of differences",
    "history",
    "list of hot spots",
    "list of paths",
    "list of unused code",
    "evolution",
    "list of functions",
    "report on a plan",
    "comparison of plans",
    "plan",
    "patch",
    "table of runs",
]

_BEGINS: dict[Sort, re.Pattern[bytes]] = {
    "graph": registry.MARK,
    "PNG picture": re.compile(rb"\x89PNG\r\n\x1a\n"),
    "SVG picture": re.compile(rb"<\?xml [^>]*\?>\s*<svg\b"),
    "PDF picture": re.compile(rb"%PDF-"),
    "HTML page": re.compile(rb"(?i)<!doctype html>"),
    "task list": re.compile(
        rb"##?#? .*: task list|number,kind,title,|title,description[,\r\n]|Summary,Issue Type,"
        rb'|\s*\{\s*"format"\s*:\s*"cbvtool-tasks"|\[(\s*\{\s*"title"|\]\s*$)'
    ),
    "rules file": re.compile(rb'(#|//) Holds once |\{\s*"forbidden": \['),
    "patch": re.compile(rb"diff --git "),
    "report on a plan": re.compile(rb'Plan .* on .*, commit |\s*\{\s*"format"\s*:\s*"cbvtool-applied"'),
    "comparison of plans": re.compile(rb'Plans compared: |\s*\{\s*"format"\s*:\s*"cbvtool-plan-comparison"'),
    "plan": re.compile(rb'(\xef\xbb\xbf)?\s*\{\s*"format"\s*:\s*"cbvtool-document"'),
    "impact list": re.compile(rb'# Impact of a change|what to do,distance,|\s*\{\s*"format"\s*:\s*"cbvtool-impact"'),
    "trace file": re.compile(rb'\s*\{\s*"(traceEvents|\$schema)"\s*:'),
    "trace summary": re.compile(
        rb'.*: a (sampled )?(trace|profile), format |\s*[\[{]\s*\{?\s*"format"\s*:\s*"\w+",\s*"kind"'
    ),
    "table of calls": re.compile(rb"name,file,line,count,|process,thread,name,calls,"),
    "table of callers": re.compile(
        rb'Callers and callees of |relation,name,file,line,count,|\s*\{\s*"format"\s*:\s*"cbvtool-callers"'
    ),
    "table of waits": re.compile(
        rb"Releases in the recording ended |No wait that ended |What the moment depended|An estimate: "
        rb'|waiting,releasing,|thread,function,object,|object,count,total_ns,|thread,start_ns,|thread,end_ns,|\s*\{\s*"format"\s*:\s*"cbvtool-waits"'
    ),
    "list of untested files": re.compile(
        rb' *Worth +Complexity |path,worth,complexity,|\s*\{\s*"format"\s*:\s*"cbvtool-untested"'
    ),
    "list of remaining calls": re.compile(
        rb"[\d,]+ (?:function|pair|call path)s? of |name,file,line,caller,"
        rb'|\s*\{\s*"format"\s*:\s*"cbvtool-remaining-calls"'
    ),
    "list of duplicates": re.compile(
        rb'[\d,]+ pairs? of functions with |similarity,shared,|\s*\{\s*"format"\s*:\s*"cbvtool-duplicates"'
    ),
    "list of findings": re.compile(rb'(?:# )?Findings in |\s*\{\s*"format"\s*:\s*"cbvtool-findings"'),
    "list of proposals": re.compile(rb'Proposals for |\s*\{\s*"format"\s*:\s*"cbvtool-proposals"'),
    "list of couplings": re.compile(rb'a,b,both,support,| *Both +Support |\s*\{\s*"format"\s*:\s*"cbvtool-coupling"'),
    "list of people": re.compile(
        rb'(module|author|team),commits,|(Module|Author|Team) .*Commits|\s*\{\s*"format"\s*:\s*"cbvtool-people"'
    ),
    "check report": re.compile(
        rb'\s*\{\s*"(format"\s*:\s*"cbvtool-check|\$schema"\s*:\s*"[^"]*sarif[^"]*)"'
        rb"|<\?xml [^>]*\?>\s*<testsuites>|Check: "
    ),
    "comparison": re.compile(
        rb'\s*\{\s*"(format"\s*:\s*"cbvtool-(compare-traces|runs-check)|\$schema"\s*:\s*"[^"]*sarif[^"]*)"'
        rb"|<\?xml [^>]*\?>\s*<testsuites>|(### )?Compared: |(# )?Runs: "
    ),
    "baseline": re.compile(rb'\s*\{\s*"format"\s*:\s*"cbvtool-baseline"'),
    "contracts file": re.compile(rb"\[importlinter\]"),
    "list of differences": re.compile(
        rb'.*: .* -> .*\n(nodes     |files        )|part,change,id,target,|\s*\{\s*"format"\s*:\s*"cbvtool-diff"'
    ),
    "history": re.compile(
        rb' +commits +added +deleted |path,commits,added,deleted,|\[(\s*\{\s*"path": "[^\n]*\s*"commits"|\]\s*$)'
    ),
    "list of hot spots": re.compile(rb' +rank +points +commits |rank,path,points,|\[(\s*\{\s*"rank"|\]\s*$)'),
    "list of paths": re.compile(rb'[^\n]* (?:reaches|does not reach) |\s*\{\s*"format"\s*:\s*"cbvtool-path"'),
    "list of unused code": re.compile(rb'[\d,]+ sets? of unused code|\s*\{\s*"format"\s*:\s*"cbvtool-unused"'),
    "evolution": re.compile(rb'date +commit +Files |commit,date,path,files,|\s*\{\s*"commits": \[\s*\{\s*"commit"'),
    "list of functions": re.compile(
        rb' +points +commits +complexity +line |points,commits,|\[(\s*\{\s*"points"|\]\s*$)'
    ),
    "table of runs": re.compile(rb'(?:# )?Runs: |(run|table),|\s*\{\s*"format"\s*:\s*"cbvtool-runs-'),
    "answer": re.compile(rb'(?:.*  )?Kind +Path\r?\n|id,kind\b|\s*\{\s*"format"\s*:\s*"cbvtool-query"'),
}


def check_output(output: Path, source: Path, sort: Sort) -> None:
    """Refuse, before any slow work, an output that cannot be written or would destroy other data.

    The input file is never replaced. Any other existing file is replaced only if it is empty or a result of the same
    sort. Raises InputError.
    """
    if output.is_dir():
        raise InputError(f"{output} is a folder: name a file in it.")
    if not output.parent.is_dir():
        raise InputError(f"{output} cannot be written: there is no folder {output.parent}.")
    if not output.is_file():
        return
    if source.exists() and output.samefile(source):
        raise InputError(f"{output} is what is read: choose another name for the result.")
    try:
        start = first_bytes(output)
    except OSError as error:
        raise InputError(f"{output} cannot be replaced: {error.strerror or error}.") from None
    if start and not _BEGINS[sort].match(start):
        raise InputError(f"{output} exists already and holds no {sort}: choose another name, or remove it first.")
