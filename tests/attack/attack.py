"""Hostile folders, kills and streams against the program itself: `make attack` (MINUTES, SEED, ONLY).

    python -m tests.attack.attack [--minutes N] [--seed N] [--only WORD ...] [--ways WAY ...] [--list]

Every case (see lab.py) is built in a temporary folder and attacked in several ways, each in a process of its own:

    analyze    `cbvtool analyze` to its end
    interrupt  the same, with SIGINT, SIGTERM or SIGKILL after a random while
    window     the window opens it, cancels after a while, and is closed

What must hold: no run takes over 20 s, no process over 1.5 GB; the exit status is the expected one, with one sentence
where it is not 0; nothing goes wrong "inside cbvtool"; an interrupted program is gone within 2 s; the window's loop
never rests for more than 200 ms, Cancel and closing take no more than 2 s; afterwards there is no process and no
temporary file left. Each line says the seconds, and the megabytes of the largest process.

With --minutes, cases and ways come in a random order until the time is over; the same seed gives the same order. A
machine that is busy with other things is slower: time in which a run waits for a processor that others have is not
counted, and neither is, for the window's loop, what holds up a small program that only sleeps.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import psutil

from tests.attack.lab import CASES, Case, Lab

HOME = Path(__file__).resolve().parents[2]
SECONDS, MEMORY = 20.0, 1_500_000_000  # of one run; bytes of one process
ENDING = 2.0  # seconds for Cancel, for closing, and for what a signal ends
PAUSE = 0.2  # seconds that the window's loop may rest
MARK = "CBVTOOL_ATTACK"  # variable by which we know our processes, whoever their parent is now
WAYS = ("analyze", "interrupt", "window")
_LOOK = 0.05
_OTHERS = 8  # attacks between two of the window, where time is limited
_INSIDE = re.compile(r"inside cbvtool|Traceback|Exception ignored|Error: ")


class Broken(Exception):
    """What did not hold."""


@dataclass
class Run:
    """One run of the program, as seen from outside."""

    process: psutil.Popen
    mark: str
    began: float = field(default_factory=time.monotonic)
    peak: int = 0
    seconds: float = 0.0
    waited: dict[int, float] = field(default_factory=dict)

    def watch(self, until: float) -> bool:
        """Look on until it ends, or the time `until`; whether it ended. Raises Broken beyond a limit of memory.

        What it had to wait for a processor that others used does not count.
        """
        while True:
            clock = time.monotonic() - self.began
            if self.process.poll() is not None:
                self.seconds = clock - sum(self.waited.values())
                return True
            self._measure()
            if self.peak > MEMORY:
                raise Broken(f"a process takes {self.peak / 1e6:,.0f} MB")
            self.seconds = clock - sum(self.waited.values())
            if self.began + self.seconds > until:
                return False
            time.sleep(_LOOK)

    def _measure(self) -> None:
        try:
            for one in (self.process, *self.process.children(recursive=True)):
                self.peak = max(self.peak, _peak(one.pid))
                self.waited[one.pid] = _waited(one.pid) or self.waited.get(one.pid, 0.0)
        except psutil.NoSuchProcess:
            pass

    def left(self) -> list[str]:
        """The processes that still run and were started by this run."""
        found = []
        for one in psutil.process_iter():
            try:
                if one.environ().get(MARK) == self.mark and one.status() != psutil.STATUS_ZOMBIE:
                    found.append(f"{one.pid} {' '.join(one.cmdline())[:80]}")
            except psutil.Error:
                continue
        return found

    def end(self) -> None:
        """Kill whatever is left."""
        for one in psutil.process_iter():
            try:
                if one.environ().get(MARK) == self.mark:
                    one.kill()
            except psutil.Error:
                continue
        self.process.wait()


def _peak(pid: int) -> int:
    """The most memory that the process ever held, in bytes."""
    try:
        found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    except OSError:
        return 0
    return int(found[1]) * 1024 if found else 0


def _waited(pid: int) -> float:
    """Seconds that a thread of the process, the one with most of it, was ready to run and others ran."""
    waited = 0
    with suppress(OSError):  # it, or one of its threads, has ended
        for file in Path(f"/proc/{pid}/task").glob("*/schedstat"):
            waited = max(waited, int(file.read_text().split()[1]))
    return waited / 1e9


@contextmanager
def running(folder: Path, *command: str, display: str = "") -> Iterator[Run]:
    """The program in `folder`, whose temporary files, settings and output lie there; killed in the end."""
    mark = uuid.uuid4().hex
    for name in ("tmp", "home"):
        shutil.rmtree(folder / name, ignore_errors=True)
        (folder / name).mkdir(mode=0o700)  # else Qt makes a folder of its own
    environment = os.environ | {
        f"XDG_{kind}_HOME": str(folder / "home") for kind in ("CONFIG", "DATA", "CACHE", "STATE")
    }
    environment |= {
        "TMPDIR": str(folder / "tmp"),
        "HOME": str(folder / "home"),
        "PYTHONPATH": str(HOME / "src"),
        MARK: mark,
        "XDG_RUNTIME_DIR": str(folder / "home"),
        "CBVTOOL_CACHE": "",
        "DISPLAY": display,
        "PYTHONSAFEPATH": "1",
    }
    environment.pop("QT_QPA_PLATFORM", None)
    environment.pop("WAYLAND_DISPLAY", None)
    with (folder / "out").open("wb") as out, (folder / "err").open("wb") as err:
        process = psutil.Popen(
            [sys.executable, *command],
            cwd=folder / "home",
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            start_new_session=True,
        )
    run = Run(process, mark)
    try:
        yield run
    finally:
        run.end()


def _analyze(folder: Path, case: Case) -> list[str]:
    """The command line of the program; what it is told to do."""
    main = "import sys; from cbvtool.cli import main; open('began', 'w').close(); sys.exit(main())"
    target = ["-o", str(folder / "graph.json"), "--no-cache", *case.arguments]
    return ["-c", main, "analyze", str(folder / "root"), *target]


def _nothing_left(run: Run, folder: Path, since: float) -> None:
    while left := run.left():
        if time.monotonic() - since > ENDING:
            raise Broken(f"still runs: {'; '.join(left)}")
        time.sleep(_LOOK)
    while files := sorted(file.name for file in (folder / "tmp").iterdir()):
        if time.monotonic() - since > ENDING:
            raise Broken(f"left in TMPDIR: {', '.join(files[:5])}")
        time.sleep(_LOOK)
    if parts := [file.name for file in folder.iterdir() if file.name.endswith(".part")]:
        raise Broken(f"left beside the output: {parts}")


def _said(folder: Path) -> tuple[str, str]:
    out, err = ((folder / name).read_text("utf-8", "replace") for name in ("out", "err"))
    if wrong := _INSIDE.search(err):
        raise Broken(f"said: {err[max(wrong.start() - 100, 0) :][-400:]}")
    return out, err


def analyze(case: Case, folder: Path, chance: random.Random, display: str) -> Run:
    """To its end."""
    with running(folder, *_analyze(folder, case)) as run:
        if not run.watch(run.began + SECONDS):
            raise Broken(f"takes longer than {SECONDS:g} s")
        ended = time.monotonic()
        out, err = _said(folder)
        status = run.process.returncode
        if status not in case.status:
            raise Broken(f"exit status {status}: {err[-300:]}")
        if status and (len(err.splitlines()) != 1 or not err.startswith("cbvtool: ")):
            raise Broken(f"not one sentence: {err[-300:]}")
        if not status and not isinstance(json.loads((folder / "graph.json").read_bytes()), dict):
            raise Broken("the graph is none")
        if not re.search(case.says, out + err):
            raise Broken(f"does not say {case.says!r}: {(out + err)[-600:]}")
        _nothing_left(run, folder, ended)
    return run


def interrupt(case: Case, folder: Path, chance: random.Random, display: str) -> Run:
    """Killed after a while."""
    number = chance.choice((signal.SIGINT, signal.SIGTERM, signal.SIGKILL))
    with running(folder, *_analyze(folder, case)) as run:
        while not (folder / "home" / "began").exists() and run.process.poll() is None:
            time.sleep(_LOOK)
        if not run.watch(run.began + run.seconds + chance.choice((0.1, 0.3, 1.0, 3.0)) * chance.random()):
            run.process.send_signal(number)
            sent = time.monotonic()
            if not run.watch(sent + ENDING):
                raise Broken(f"{number.name} does not end it within {ENDING:g} s")
            if _came_before(folder):
                return run
            _said(folder)
            status = run.process.returncode
            known = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGKILL: -9}[number]
            if status not in (known, *case.status):  # it may have been about to end
                raise Broken(f"exit status {status} after {number.name}")
            _nothing_left(run, folder, sent)
    return run


def _came_before(folder: Path) -> bool:
    """Whether the signal interrupted what calls the program (see `_analyze`), and nothing of the program itself."""
    said = (folder / "err").read_text("utf-8", "replace")
    return said.endswith("\nKeyboardInterrupt\n") and 'File "<string>"' in said and str(HOME / "src") not in said


def window(case: Case, folder: Path, chance: random.Random, display: str) -> Run:
    """Opened, cancelled and closed in the window."""
    script = str(Path(__file__).with_name("window.py"))
    with (
        running(folder, script, str(folder / "root"), str(folder / "told"), display=display) as run,
        _beating() as beat,
    ):
        if not run.watch(run.began + 3 * SECONDS):
            raise Broken(f"the window does not end within {3 * SECONDS:g} s: {_tail(folder)}")
        ended = time.monotonic()
        _said(folder)
        if run.process.returncode:
            raise Broken(f"the window ends with status {run.process.returncode}: {_tail(folder)}")
        told: dict[str, Any] = json.loads((folder / "told").read_text())
        run.seconds = told["pause"]
        if told["pause"] - beat.longest > PAUSE:
            raise Broken(
                f"the loop rested for {told['pause'] * 1000:.0f} ms (the machine {beat.longest * 1000:.0f} ms)"
            )
        for what in ("cancel", "close"):
            if told[what] > ENDING:
                raise Broken(f"{what} takes {told[what]:.1f} s")
        _nothing_left(run, folder, ended)
    return run


def _tail(folder: Path) -> str:
    return (folder / "err").read_text("utf-8", "replace")[-1500:]


class _Beat:
    """How long the machine itself holds up a program that only sleeps."""

    def __init__(self) -> None:
        self.longest = 0.0
        self.over = threading.Event()

    def run(self) -> None:
        """Beat until it is over."""
        while not self.over.is_set():
            begin = time.monotonic()
            time.sleep(0.01)
            self.longest = max(self.longest, time.monotonic() - begin - 0.01)


@contextmanager
def _beating() -> Iterator[_Beat]:
    beat = _Beat()
    thread = threading.Thread(target=beat.run)
    thread.start()
    try:
        yield beat
    finally:
        beat.over.set()
        thread.join()


@contextmanager
def _screen() -> Iterator[str]:
    """An X server of our own; empty without one."""
    if shutil.which("Xvfb") is None:
        yield ""
        return
    read, write = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", "1600x1000x24", "-nolisten", "tcp", "-noreset"],
        pass_fds=[write],
        stderr=subprocess.DEVNULL,
    )
    try:
        os.close(write)
        with os.fdopen(read) as told:
            yield f":{told.readline().strip()}"
    finally:
        server.terminate()
        server.wait()


def attack(case: Case, way: str, seed: int, display: str) -> tuple[Run | None, str]:
    """Build one case and attack it; the run, and what did not hold."""
    with tempfile.TemporaryDirectory(prefix="attack-") as name:
        folder = Path(name)
        case.build(Lab(folder, seed))
        try:
            return globals()[way](case, folder, random.Random(seed), display), ""
        except Broken as reason:
            return None, str(reason)
        finally:
            subprocess.run(["chmod", "-R", "u+rwX", name], check=False, stderr=subprocess.DEVNULL)
            subprocess.run(["rm", "-rf", name], check=False)  # deeper than Python's own can go
            folder.mkdir(exist_ok=True)


def main() -> int:
    """Exit status 0 when all held."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=0.0, help="end after so long (default: all once)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="+", default=[], metavar="WORD", help="cases with all of these in their names")
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=WAYS)
    parser.add_argument("--list", action="store_true")
    chosen = parser.parse_args()
    # A shell has what it starts in the background ignore Ctrl-C, and so would all that we start.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for module in sorted(Path(__file__).parent.glob("cases_*.py")):
        importlib.import_module(f"tests.attack.{module.stem}")
    cases = [case for case in CASES if all(word in case.name for word in chosen.only)]
    if chosen.list:
        print(*(case.name for case in cases), sep="\n")
        return 0
    todo = [(case, way) for case in cases for way in chosen.ways]
    if chosen.minutes:
        random.Random(chosen.seed).shuffle(todo)
        windows = iter([one for one in todo if one[1] == "window"])  # these take longest: one after some others
        others = [one for one in todo if one[1] != "window"]
        parts = [others[at : at + _OTHERS] for at in range(0, len(others), _OTHERS)] or [[]]
        todo = [one for part in parts for one in (*part, *islice(windows, 1))] + list(windows)
    end = time.monotonic() + chosen.minutes * 60 if chosen.minutes else float("inf")
    failed = done = 0
    with _screen() as display:
        for case, way in todo:
            if time.monotonic() > end:
                break
            if way == "window" and not display:
                continue
            run, trouble = attack(case, way, chosen.seed, display)
            done += 1
            failed += bool(trouble)
            figures = f"{run.seconds:6.2f} s {run.peak / 1e6:6,.0f} MB" if run else "FAILED            "
            print(f"{figures}  {way:9}  {case.name}{': ' if trouble else ''}{trouble}", flush=True)
    print(f"seed {chosen.seed}: {done} of {len(todo)} attacks, {failed} failed")
    return 1 if failed or not done else 0


if __name__ == "__main__":
    raise SystemExit(main())
