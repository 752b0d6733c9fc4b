"""Plant small faults in the source, one at a time, and see whether the tests notice: `make mutants COUNT=40 SEED=...`.

The faults are drawn by `--seed`, as a rule the id of the last commit that changed `src`. Each is planted in a copy of
the checkout. The test files that are nearest to the changed module run first; if they notice nothing, more of them do.
A test that fails without the fault as well does not count. A test that takes more than SECONDS of processor time
hangs, which counts as caught.

What is known is kept in `out/mutants/SEED.jsonl`, and the diffs of those that survived beside it; a run goes on where
the last one ended. `--only` tries some of them again. The status is 1 if fewer than 85 in 100 were caught.
"""

from __future__ import annotations

import argparse
import compileall
import contextlib
import difflib
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from tests.mutants.mutations import Mutation, Sites  # noqa: E402
from tests.mutants.nearest import Nearest  # noqa: E402

SECONDS = 90  # of processor time, for one test
ALL_SECONDS = 1800  # of processor time, for one process
CLOCK = 3600  # seconds on the clock for one set of tests: the machine may be busy
MEMORY = 12 << 30  # bytes of address space of each process
ENOUGH = 0.85  # share of the faults that tests are to catch


@dataclass(frozen=True)
class Result:
    """What became of one fault: the test that caught it and what it said; `caught_by` is empty for a survivor."""

    number: int
    place: str
    kind: str
    before: str
    after: str
    caught_by: str
    reason: str
    tried: int  # test files


def draw(source: Path, seed: str, count: int) -> list[tuple[str, Mutation]]:
    """`count` different faults in the Python files below `source`, as (path relative to it, fault).

    A file is drawn by its number of statements. The same seed and the same files give the same faults.
    """
    chance = random.Random(seed)
    paths = sorted(path.relative_to(source).as_posix() for path in source.rglob("*.py"))
    sites = {path: Sites((source / path).read_text(encoding="utf-8")) for path in paths}
    paths = [path for path in paths if len(sites[path])]
    weights = [sites[path].statements for path in paths]
    found: dict[tuple[str, Mutation], None] = {}
    while len(found) < count:
        path = chance.choices(paths, weights)[0]
        mutation = sites[path].choose(chance)
        if mutation is not None:
            found[path, mutation] = None
    return list(found)


def diff(path: str, old: str, new: str) -> str:
    """The change as a patch of the checkout."""
    before, after = (text.splitlines(keepends=True) for text in (old, new))
    return "".join(difflib.unified_diff(before, after, f"a/src/{path}", f"b/src/{path}"))


def last_commit() -> str:
    """The id of the last commit that changed `src`."""
    command = ["git", "log", "-1", "--format=%h", "--", "src"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def listed() -> list[str]:
    """The files of the checkout, relative to it: those that git tracks, and new ones that it does not ignore."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout
    return [name for name in os.fsdecode(names).split("\0") if os.path.lexists(ROOT / name) and name]


class Lab:
    """A copy of the checkout, in which faults are planted and tests run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "checkout"
        for name in listed():
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, self.folder / name, follow_symlinks=False)
        (self.folder / ".venv").symlink_to(ROOT / ".venv")
        self._log = folder / "log.jsonl"
        self._sound: set[str] = set()  # tests that pass without a fault
        self._broken: set[str] = set()  # and those that do not
        self._clock = int(time.time())
        compileall.compile_dir(str(self.folder / "src"), quiet=2)

    def write(self, path: str, text: str) -> None:
        """Change a source file. Its time is one that it never had: Python tells by it whether to compile anew."""
        self._clock += 1
        file = self.folder / "src" / path
        file.write_text(text, encoding="utf-8")
        os.utime(file, (self._clock, self._clock))

    def caught(self, path: str, old: str, new: str, tests: list[str]) -> tuple[str, str]:
        """(the test that notices the fault, what it said); two empty texts if none does."""
        while tests:
            self.write(path, new)
            try:
                name, reason = self._first_failure(tests)
            finally:
                self.write(path, old)
            if not name or self._passes(name):
                return name, reason
            self._broken.add(name)
            tests = tests[[name.startswith(test) for test in tests].index(True) :]
        return "", ""

    def _passes(self, name: str) -> bool:
        """Whether this test is sound as long as no fault is planted."""
        if name not in self._sound and not self._first_failure([name])[0]:
            self._sound.add(name)
        return name in self._sound

    def _first_failure(self, tests: list[str]) -> tuple[str, str]:
        """The first of these tests that fails, hangs or ends the process, and why."""
        self._log.write_text("")
        environment = os.environ | {
            "MUTANTS_LOG": str(self._log),
            "MUTANTS_SECONDS": str(SECONDS),
            "OPENBLAS_NUM_THREADS": "1",
            "PATH": f"{ROOT / '.venv' / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": f"{self.folder / 'src'}{os.pathsep}{self.folder}",
        }
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-x",
            "-q",
            "-p",
            "tests.mutants.watch",
            "-p",
            "no:cacheprovider",
            "-n0",
            *(f"--deselect={name}" for name in sorted(self._broken)),
            *tests,
        ]
        process = subprocess.Popen(
            command,
            cwd=self.folder,
            env=environment,
            start_new_session=True,
            preexec_fn=_limit,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            status = process.wait(CLOCK)
        except subprocess.TimeoutExpired:
            status = -signal.SIGALRM
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)  # an X server, workers of a process that ended badly
            process.wait()
        return self._told(status)

    def _told(self, status: int) -> tuple[str, str]:
        events = [json.loads(line) for line in self._log.read_text(encoding="utf-8").splitlines()]
        failed = next(((name, reason) for event, name, reason in events if event == "failed"), None)
        if failed is not None:
            return failed
        if status in (0, 5):  # 5: all tests were left out
            return "", ""
        begun = [name for event, name, _ in events if event == "begins"]
        return begun[-1] if begun else "pytest", f"the process ended with status {status}"


def _limit() -> None:
    os.nice(5)
    for what, limit in ((resource.RLIMIT_CPU, ALL_SECONDS), (resource.RLIMIT_AS, MEMORY), (resource.RLIMIT_CORE, 0)):
        resource.setrlimit(what, (limit, limit))


def main() -> int:
    """Draw the faults, try those that nothing is known about, print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", default="", help="the last commit that changed src")
    parser.add_argument("--only", type=int, nargs="+", help="numbers of faults, to be tried again")
    parser.add_argument("--near", type=int, default=6, help="test files that are tried first")
    parser.add_argument("--wide", type=int, default=24, help="test files that survivors are tried with, further ones")
    parser.add_argument("--tests", nargs="+", help="test files to try, in place of those that are nearest")
    parser.add_argument("--list", action="store_true", help="print the faults, try none")
    chosen = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # the copy goes, and so do the tests that run
    seed = chosen.seed or last_commit()
    faults = draw(ROOT / "src", seed, chosen.count)
    if chosen.list:
        for number, (path, mutation) in enumerate(faults, 1):
            print(
                number, f"{path}:{mutation.line}", mutation.kind, _short(mutation.before), "->", _short(mutation.after)
            )
        return 0
    out = ROOT / "out" / "mutants"
    out.mkdir(parents=True, exist_ok=True)
    kept = out / f"{seed}.jsonl"
    known = _read(kept, faults)
    numbers = chosen.only or [number for number in range(1, len(faults) + 1) if number not in known]
    nearest = Nearest(ROOT)
    with tempfile.TemporaryDirectory() as folder:
        lab = Lab(Path(folder))
        for number in numbers:
            path, mutation = faults[number - 1]
            old = (ROOT / "src" / path).read_text(encoding="utf-8")
            new = mutation.applied(old)
            files = chosen.tests or nearest.files(_module(path))[: chosen.near + chosen.wide]
            name, reason, tried = "", "", 0
            for part in [files] if chosen.tests else [files[: chosen.near], files[chosen.near :]]:
                if part and not name:
                    name, reason = lab.caught(path, old, new, part)
                    tried += len(part)
            place = f"{path}:{mutation.line}"
            known[number] = Result(number, place, mutation.kind, mutation.before, mutation.after, name, reason, tried)
            with kept.open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(known[number])) + "\n")
            patch = out / f"{seed}-{number}.diff"
            patch.unlink(missing_ok=True)
            if not name:
                patch.write_text(diff(path, old, new), encoding="utf-8")
            print(_row(known[number]), flush=True)
    return _summary(seed, len(faults), known)


def _read(kept: Path, faults: list[tuple[str, Mutation]]) -> dict[int, Result]:
    """What earlier runs found out, the last word on each fault; nothing of faults that are others by now."""
    known: dict[int, Result] = {}
    for line in kept.read_text(encoding="utf-8").splitlines() if kept.is_file() else []:
        result = Result(**json.loads(line))
        if result.number > len(faults):
            continue
        path, mutation = faults[result.number - 1]
        if (result.place, result.before, result.after) == (f"{path}:{mutation.line}", mutation.before, mutation.after):
            known[result.number] = result
    return known


def _module(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _short(text: str) -> str:
    line = " ".join(text.split())
    return f"`{line if len(line) <= 60 else line[:57] + '...'}`"


def _row(result: Result) -> str:
    end = f"{result.caught_by} ({_short(result.reason)})" if result.caught_by else f"SURVIVED {result.tried} test files"
    change = f"{_short(result.before)} -> {_short(result.after)}"
    return f"{result.number:>3}  {result.place}  {result.kind}: {change}  {end}"


def _summary(seed: str, count: int, known: dict[int, Result]) -> int:
    """Print the table and the share. The status of the program."""
    print(f"\n| # | module:line | fault | caught by |\n|---:|---|---|---|  seed {seed}")
    for number, result in sorted(known.items()):
        change = f"{result.kind}: {_short(result.before)} -> {_short(result.after)}".replace("|", "\\|")
        print(f"| {number} | {result.place} | {change} | {result.caught_by or '**survived**'} |")
    caught = sum(bool(result.caught_by) for result in known.values())
    share = caught / max(1, len(known))
    print(f"\nSeed {seed}: {caught} of {len(known)} caught ({share:.0%}), {count - len(known)} not tried")
    return int(caught < ENOUGH * len(known))


if __name__ == "__main__":
    sys.exit(main())
