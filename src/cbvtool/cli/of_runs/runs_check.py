"""`cbvtool runs check REF TEST`: a gate that fails when TEST spends more than REF, beyond noise (CF-9)."""

from __future__ import annotations

import argparse
import json
import math
from typing import TYPE_CHECKING, NamedTuple

import cbvtool
from cbvtool.cli.arguments import Command, add_format, add_output, place, share
from cbvtool.cli.of_runs.reading import add_values, call_paths, read_runs, super_graph_of, united_of
from cbvtool.cli.of_runs.tables import RunTable, amount, as_markdown, as_text, chance_text, path_end, percent, words
from cbvtool.cli.output import DONE, FINDINGS, check_result, counted, write_result

if TYPE_CHECKING:
    from cbvtool.rules.gate_text import Complaint
    from cbvtool.trace.ensemble.ensemble import Ensemble
    from cbvtool.trace.ensemble.regressions import SlowerPart

FORMAT, VERSION = "cbvtool-runs-check", 1
_COLUMNS = ("kind", "name", "reference", "test", "percent", "chance")
_WHOLE = "(whole run)"


class _Slower(NamedTuple):
    """What takes more, and where its code stands: ("", 0) = not known."""

    kind: str
    name: str
    file: str
    line: int
    found: SlowerPart


def add(command: Command) -> None:
    """Add the command."""
    added = command(
        "check",
        _run,
        "a gate that fails when runs of TEST spend more than those of REF, beyond the noise of repeats",
        "cbvtool runs check before/ after/",
        "cbvtool runs check before/ after/ --slower 10% --by file --format junit -o runs.xml",
    )
    for name, attribute in (("REF", "reference"), ("TEST", "path")):
        added.add_argument(attribute, type=place, metavar=name, help="a folder of repeats: profiles or traces")
    added.add_argument(
        "--slower", type=share, default=0.05, metavar="SHARE", help="how much more counts (default: 5%%)"
    )
    add_values(added)
    add_format(added, "text", "markdown", "json", "sarif", "junit")
    add_output(added)


def _run(chosen: argparse.Namespace) -> int:
    chosen.paths = [chosen.reference, chosen.path]
    check_result(chosen, "comparison")
    reference, test = read_runs([chosen.reference]), read_runs([chosen.path])
    ensemble = united_of(chosen, [*reference, *test])
    found = _found(chosen, ensemble, len(reference))
    write = {"text": _text, "markdown": _text, "json": _json, "sarif": _sarif, "junit": _junit}[chosen.format]
    write_result(chosen, write(chosen, ensemble, len(reference), found))
    return FINDINGS if found else DONE


def _found(chosen: argparse.Namespace, ensemble: Ensemble, a: int) -> list[_Slower]:
    """The whole run, modules by themselves, call paths by themselves: each the largest first."""
    from cbvtool.trace.ensemble.regressions import regressions

    modules, functions = super_graph_of(chosen, ensemble), ensemble.functions
    whole = float(ensemble.totals[:a].mean())
    paths = call_paths(ensemble)
    found = []
    for kind, values in (
        ("run", ensemble.totals[:, None]),
        ("module", modules.exclusive),
        ("path", ensemble.exclusive),
    ):
        for one in regressions(values[:a], values[a:], whole, chosen.slower):
            if kind == "path":
                row = int(ensemble.function[one.part])
                name, site = " > ".join(paths[one.part]), (functions.file[row], functions.line[row])
            else:
                name, site = _WHOLE if kind == "run" else modules.name[one.part], ("", 0)
            found.append(_Slower(kind, name, *site, one))
    return found


def _head(ensemble: Ensemble, a: int, found: list[_Slower]) -> str:
    sides = f"{counted(a, 'run')} and {counted(len(ensemble) - a, 'run')} compared by {ensemble.metric}"
    return f"{sides}: {counted(len(found), 'regression') if found else 'no regression'} beyond noise"


def _text(chosen: argparse.Namespace, ensemble: Ensemble, a: int, found: list[_Slower]) -> str:
    shown = amount(ensemble.unit)
    rows = [
        (one.kind, one.name, one.found.reference, one.found.test, one.found.change, one.found.chance) for one in found
    ]
    table = RunTable("Takes more", _COLUMNS, (words, path_end, shown, shown, percent, chance_text), rows)
    write = as_text if chosen.format == "text" else as_markdown
    return write(_head(ensemble, a, found), [], [table], len(rows))


def _json(chosen: argparse.Namespace, ensemble: Ensemble, a: int, found: list[_Slower]) -> str:
    content = {
        "format": FORMAT,
        "version": VERSION,
        "metric": ensemble.metric,
        "unit": ensemble.unit,
        "slower": chosen.slower,
        "reference": list(ensemble.names[:a]),
        "test": list(ensemble.names[a:]),
        "regressions": [
            {
                "kind": one.kind,
                "name": one.name,
                "file": one.file,
                "line": int(one.line),
                "reference": one.found.reference,
                "test": one.found.test,
                "percent": one.found.change if math.isfinite(one.found.change) else None,
                "chance": one.found.chance,
            }
            for one in found
        ],
    }
    return json.dumps(content, indent=1) + "\n"


def _complaints(unit: str, found: list[_Slower]) -> list[Complaint]:
    from cbvtool.rules.gate_text import Complaint

    shown = amount(unit)
    return [
        Complaint(
            f"slower {one.kind}",
            f"{one.name}: {shown(one.found.reference)} to {shown(one.found.test)}, {percent(one.found.change)}",
            f"{one.kind} {one.name}",
            ((one.file or ".", int(one.line)),),
        )
        for one in found
    ]


def _sarif(chosen: argparse.Namespace, ensemble: Ensemble, a: int, found: list[_Slower]) -> str:
    from cbvtool.rules.gate_text import sarif

    return sarif(_complaints(ensemble.unit, found), cbvtool.__version__)


def _junit(chosen: argparse.Namespace, ensemble: Ensemble, a: int, found: list[_Slower]) -> str:
    from cbvtool.rules.gate_text import junit

    return junit(_complaints(ensemble.unit, found), "cbvtool runs check", "cbvtool.runs", "regression", "times")
