"""Runs of the sample program `weather`, recorded: one version twice, and one with a slower function (TD-13).

recorded_runs.py [TRIALS [RUNS]]: in each trial (20) RUNS of each of the three (10) are recorded alternately, then
compared as `cbvtool compare-traces` does. `Store.fill` is slowed down by a fifth of the processor time that it took.
Status 1 when more than one trial of 20 finds something between runs of one version, or fewer than 19 of 20 name the
slower function, or more than one names another.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

from cbvtool.trace.compare.runs.deviations import RunComparison, compared
from cbvtool.trace.compare.runs.paths import call_paths
from cbvtool.trace.making.folding import folded
from cbvtool.trace.model.profile import Profile
from cbvtool.trace.model.trace import Trace
from cbvtool.trace.readers.registry import read_traces
from cbvtool.trace.record.interleaved import RecordedVersion, record_interleaved
from cbvtool.trace.record.options import RecordOptions

SAMPLE = Path(__file__).parents[2] / "sample_projects" / "weather" / "weather"
PROGRAM = """\
import contextlib, io
from weather.__main__ import main
with contextlib.redirect_stdout(io.StringIO()):
    main("rain")
"""
SLOW = "Store.fill"
LINE = '        self._base.execute(_MAKE, {"last": 365 * 24 * 60 // EVERY - 1, "every": EVERY})\n'
SLOWER = f"""\
        from time import thread_time_ns
        begun = thread_time_ns()
{LINE.replace("{", "{{").replace("}", "}}")}\
        until = begun + {{factor}} * (thread_time_ns() - begun)
        while thread_time_ns() < until:
            pass
"""


def make_version(root: Path, name: str, factor: float = 1.0) -> RecordedVersion:
    """The sample program in a folder of its own, one function of it slower by this factor."""
    folder = root / name
    shutil.copytree(SAMPLE, folder / "weather", ignore=shutil.ignore_patterns("__pycache__"))
    if factor != 1.0:
        file = folder / "weather" / "store.py"
        before = file.read_text()
        assert LINE in before
        file.write_text(before.replace(LINE, SLOWER.format(factor=factor)))
    return RecordedVersion(name, folder)


def runs_in(folder: Path) -> list[Profile]:
    """The runs that were recorded into a folder."""
    found = [read_traces(each)[0] for each in sorted(folder.iterdir())]
    return [folded(trace) for trace in found if isinstance(trace, Trace)]


def recorded_trial(runs: int) -> tuple[RunComparison, RunComparison]:
    """What is found between runs of one version, and of one with a slower function."""
    with tempfile.TemporaryDirectory(prefix="cbvtool-") as folder:
        root = Path(folder)
        versions = [make_version(root, "reference"), make_version(root, "same"), make_version(root, "slower", 1.2)]
        command = [sys.executable, "-c", PROGRAM]
        record_interleaved(RecordOptions(root / "runs", repeat=runs), command, versions, Path.cwd())
        reference, *others = (runs_in(root / "runs" / version.name) for version in versions)
        same, slower = (compared(call_paths(reference, other)) for other in others)
    return same, slower


def main() -> int:
    """Print a line for each trial, then two."""
    trials, runs = ([int(word) for word in sys.argv[1:3]] + [20, 10][len(sys.argv) - 1 :])[:2]
    false, named, others = 0, 0, 0
    for trial in range(trials):
        begun = time.time()
        same, slower = recorded_trial(runs)
        found = {one.function for one in slower.deviations}
        false += bool(same.deviations)
        named += SLOW in found
        others += bool(found - {SLOW})
        told = ", ".join(f"{one.function} {one.kind} {one.change:+.0%}" for one in same.deviations) or "nothing"
        planted = ", ".join(f"{one.function} {one.kind} {one.change:+.0%}" for one in slower.deviations) or "nothing"
        print(
            f"trial {trial + 1}, {time.time() - begun:.0f} s, load {os.getloadavg()[0]:.1f}, {same.clock}, "
            f"{same.judged} functions: the same version: {told}; a slower one: {planted}",
            flush=True,
        )
    print(
        f"the same version, {trials} trials of {runs} + {runs} runs: {false} with a finding (asked: one of 20 at most)"
    )
    print(f"{SLOW} 20 % slower: named in {named} of {trials} (asked: 19 of 20), another function in {others}")
    return 1 if false > trials / 20 or named < 0.95 * trials or others > trials / 20 else 0


if __name__ == "__main__":
    sys.exit(main())
