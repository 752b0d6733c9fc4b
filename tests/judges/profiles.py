"""Our readers of profiles against pstats and, where an interpreter with it is named, against Hatchet.

    python -m tests.judges.profiles [--samples FOLDER] [--hatchet PYTHON]

`FOLDER` is `hatchet/tests/data` of Hatchet's repository, `PYTHON` an interpreter that has `llnl-hatchet` (a wheel for
Python 3.11 on Linux). Compared are (name, value) of all nodes: of Caliper's regions, of HPCToolkit's frames by rank;
then the same through `united`, as means over the ranks. Of HPCToolkit's `allgather` (several roots, recursion) no
module may take more than its run, however modules are made.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import math
import pstats
import re
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from cbvtool.trace.ensemble.ensemble import united
from cbvtool.trace.ensemble.grouping import grouping_of
from cbvtool.trace.ensemble.groups import super_graph
from cbvtool.trace.ensemble.runs import runs_of
from cbvtool.trace.making.call_tree import call_pairs
from cbvtool.trace.model.profile import Profile, ProfileMetric
from cbvtool.trace.readers.caliper import OUTSIDE
from cbvtool.trace.readers.registry import read_traces

Found = Counter[tuple[str, float]]
CALI, HPC = "from_caliperreader", "from_hpctoolkit"
ALLGATHER = "hpctoolkit-allgather-database"
_LINE = re.compile(r"^\d+:")  # the line of the call, which Hatchet writes before the names of frames
# Hatchet's function, file, its metric, ours (name, inclusive, part), what ours is divided by.
CASES: list[tuple[str, str, str, tuple[str, bool, str], float]] = [
    (CALI, "caliper-example-cali/example-profile.cali", "Min time/rank", ("time.duration", True, "low"), 1e9),
    (CALI, "caliper-example-cali/example-profile.cali", "Max time/rank", ("time.duration", True, "high"), 1e9),
    (CALI, "caliper-example-cali/example-profile.cali", "Avg time/rank", ("time.duration", True, "mean"), 1e9),
    (CALI, "caliper-example-cali/example-profile.cali", "Total time", ("time.duration, all ranks", True, "mean"), 1e9),
    (CALI, "caliper-lulesh-cali/lulesh-annotation-profile.cali", "time", ("time.duration", False, "mean"), 1),
    (CALI, "caliper-lulesh-cali/lulesh-annotation-profile.cali", "count", ("count", False, "mean"), 1),
    *(
        (CALI, f"spotdb/{number}.cali", f"{which} time/rank", ("time.duration", True, part), 1e9)
        for number in range(4)
        for which, part in (("Min", "low"), ("Avg", "mean"), ("Max", "high"))
    ),
    (
        CALI,
        "caliper-sw4-cuda-activity-profile-cali/caliper_cuda_activity_profile_summary_v2.cali",
        "inclusive#scale#sum#cupti.host.duration",
        ("cupti.host.duration", True, "mean"),
        1,
    ),
    (HPC, "hpctoolkit-cpi-database", "time (inc)", ("CPUTIME", True, "by place"), 1e3),
    (HPC, ALLGATHER, "time (inc)", ("CPUTIME", True, "by place"), 1e3),
]


# Hatchet's function, file, its metric, our metric, whether inclusive, what ours is divided by.
UNITED: list[tuple[str, str, str, str, bool, float]] = [
    (HPC, "hpctoolkit-cpi-database", "time (inc)", "CPUTIME", True, 1e3),
    (HPC, ALLGATHER, "time (inc)", "CPUTIME", True, 1e3),
    (CALI, "caliper-lulesh-cali/lulesh-annotation-profile.cali", "time", "time.duration", False, 1),
    *((CALI, f"spotdb/{number}.cali", "Avg time/rank", "time.duration", True, 1e9) for number in range(4)),
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=Path)
    parser.add_argument("--hatchet", help="an interpreter with llnl-hatchet")
    given = parser.parse_args()
    for line in against_pstats():
        print(line)
    if given.samples and given.hatchet:
        for how, path, theirs, ours, factor in CASES:
            print(against_hatchet(given.hatchet, how, given.samples / path, theirs, ours, factor))
        for how, path, theirs, metric, inclusive, factor in UNITED:
            print(through_united(given.hatchet, how, given.samples / path, theirs, metric, inclusive, factor))
    if given.samples:
        print(modules_within_their_run(given.samples / ALLGATHER))


def against_pstats() -> Iterator[str]:
    """Functions and pairs of two programs whose statistics differ from what pstats reads."""
    for name, work in {"json": _json_work, "import": _import_work}.items():
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "run.pstats"
            profiler = cProfile.Profile()
            profiler.runcall(work)
            profiler.dump_stats(path)
            judge = pstats.Stats(str(path)).stats  # type: ignore[attr-defined]
            profile = _profile(path)
        functions = profile.functions
        keys = [(functions.file[f] or "~", int(functions.line[f]), functions.name[f]) for f in range(len(functions))]
        values = [metric.mean.tolist() for metric in profile.metrics]
        wrong = sum(
            not all(
                math.isclose(one, other, rel_tol=1e-9)
                for one, other in zip(
                    [values[which][node] for which in range(4)],
                    [judge[keys[f]][1], judge[keys[f]][0], *(1e9 * time for time in judge[keys[f]][2:4])],
                    strict=True,
                )
            )
            for node, f in enumerate(profile.function.tolist())
        )
        pairs = call_pairs(profile)
        found = {
            (keys[one], keys[other]): count
            for one, other, count in zip(pairs.caller, pairs.callee, pairs.metrics[0].mean.tolist(), strict=True)
        }
        expected = {(caller, callee): counts[0] for callee, row in judge.items() for caller, counts in row[4].items()}
        differ = sum(found.get(pair) != expected.get(pair) for pair in found.keys() | expected.keys())
        yield f"pstats, {name}: {len(judge):,} functions, {wrong} differ; {len(expected):,} pairs, {differ} differ"


def _json_work() -> None:
    for number in range(200):
        json.loads(json.dumps([{"a": number, "b": [1.5, None, "text"]}] * 5, indent=1))


def _import_work() -> None:
    source = Path(__file__).read_text(encoding="utf-8")
    for _ in range(20):
        compile(source, "x", "exec")
        sorted(source.split(), key=lambda word: (len(word), word))
    argparse.ArgumentParser(description=source).format_help()


def against_hatchet(python: str, how: str, path: Path, theirs: str, ours: tuple[str, bool, str], factor: float) -> str:
    """One line: how many values both have, and how many only one has."""
    command = [python, str(Path(__file__).with_name("hatchet_values.py")), how, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return f"{path.name}, {theirs}: Hatchet failed: {done.stderr.strip().splitlines()[-1][:80]}"
    expected: Found = Counter()
    for name, kind, values in json.loads(done.stdout):
        value = values[theirs]
        if not math.isnan(value) and (how == CALI or (kind == "PF" and value != 0)):
            expected[_LINE.sub("", name) if how == HPC else name, _rounded(value)] += 1
    profile = _profile(path)
    found: Found = Counter()
    metric = profile.metric(ours[0], inclusive=ours[1])
    for name, value in _values(profile, metric, ours[2]) if metric else ():
        if not math.isnan(value) and name != OUTSIDE and value != (0 if how == HPC else math.nan):
            found[name, _rounded(value / factor)] += 1
    both = sum((found & expected).values())
    place = path.name if path.name[0] not in "0123" else f"spotdb/{path.name}"
    mine, its = sum((found - expected).values()), sum((expected - found).values())
    return f"{place}, {theirs}: {both:,} values equal, {mine:,} only ours, {its:,} only Hatchet's"


def through_united(python: str, how: str, path: Path, theirs: str, metric: str, inclusive: bool, factor: float) -> str:
    """One line: values of an ensemble of one, means over ranks, beside Hatchet's sums over ranks."""
    command = [python, str(Path(__file__).with_name("hatchet_values.py")), how, str(path), "summed"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return f"united, {path.name}, {theirs}: Hatchet failed: {done.stderr.strip().splitlines()[-1][:80]}"
    expected: Found = Counter()
    for name, kind, values in json.loads(done.stdout):
        value = values[theirs]
        if not math.isnan(value) and value != 0 and (how == CALI or kind == "PF"):
            expected[_LINE.sub("", name) if how == HPC else name, _rounded(value)] += 1
    ensemble = united(runs_of([("run", _profile(path))]), metric)
    ranks = ensemble.ranks[0]
    count = 1 if ranks is None else len(ranks.inclusive)
    found: Found = Counter()
    for row, value in enumerate((ensemble.inclusive if inclusive else ensemble.exclusive)[0].tolist()):
        name = ensemble.functions.name[int(ensemble.function[row])]
        if not math.isnan(value) and value != 0 and name != OUTSIDE:
            found[name, _rounded(value * count / factor)] += 1
    both, mine, its = ((found & expected).total(), (found - expected).total(), (expected - found).total())
    place = path.name if path.name[0] not in "0123" else f"spotdb/{path.name}"
    return f"united, {place}, {theirs}: {both:,} values equal, {mine:,} only ours, {its:,} only Hatchet's"


def modules_within_their_run(path: Path) -> str:
    """One line: how many modules of a database with several roots and recursion take more than the run."""
    ensemble = united(runs_of([("run", _profile(path))]), "CPUTIME")
    whole = float(ensemble.totals[0])
    told = []
    for by in ("module", "file", "function"):
        modules = super_graph(ensemble, grouping_of(ensemble.functions, by, ""))
        beyond = int((np.nan_to_num(modules.inclusive[0]) > whole * (1 + 1e-12)).sum())
        own = float(np.nansum(modules.exclusive[0]))
        told.append(f"{len(modules):,} by {by}, {beyond} take more than the run, own times are {own / whole:.9f} of it")
    return f"{path.name}, {int((ensemble.parent < 0).sum())} roots: " + "; ".join(told)


def _values(profile: Profile, metric: ProfileMetric, part: str) -> Iterator[tuple[str, float]]:
    names = [profile.functions.name[f] for f in profile.function.tolist()]
    if part != "by place":
        yield from zip(names, getattr(metric, part).tolist(), strict=True)
    elif metric.by_place is not None:
        for row in metric.by_place.tolist():
            yield from zip(names, row, strict=True)


def _rounded(value: float) -> float:
    return float(f"{value:.9g}")


def _profile(path: Path) -> Profile:
    (part,) = read_traces(path)
    assert isinstance(part, Profile)
    return part


if __name__ == "__main__":
    main()
