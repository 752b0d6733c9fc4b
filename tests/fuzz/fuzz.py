"""Give the readers fuzzed inputs: `make fuzz`, or `python tests/fuzz/fuzz.py --reader dot --count 20000 --seed 1`.

Each reader runs in a process of its own, as many at a time as there are processors, under a limit of memory, with a
limit of processor time for each input. An input that makes it raise anything but InputError, or go over a limit, is
written to the folder `--out` and printed with its seed. The status is 1 if there was one.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from tests.fuzz.all_inputs import INPUTS, made  # noqa: E402 - the path is set above
from tests.fuzz.readers import tried  # noqa: E402

SECONDS = 20  # of processor time, for one input
MEMORY = 1_500_000_000  # bytes of address space of the process
FAST = Path("/dev/shm")  # where saving need not wait for a disk
GRACE = 15  # times as long may pass on the clock: the machine may be busy


def work(reader: str, seed: int, first: int, count: int) -> None:
    """In a process of its own: try the inputs from `first` on, and say so line by line."""
    import resource
    import signal
    import traceback
    import warnings

    warnings.simplefilter("error")  # silence means success

    def show(*words: object) -> None:
        print(*words, flush=True)

    tried_one = Path(tempfile.mkdtemp()) / f"a{INPUTS[reader][1]}"
    try:
        tried(reader, _written(tried_one, b""))  # imports what is needed, before memory is limited
    except Exception as error:
        show("raised", 0, type(error).__name__, "for an empty file")
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    slowest = 0.0
    counts = {"read": 0, "refused": 0}
    for number in range(first, first + count):
        data = made(reader, seed, number)
        show("try", number)
        begin = time.process_time()
        signal.setitimer(signal.ITIMER_PROF, SECONDS)  # whose signal ends the process
        try:
            counts[tried(reader, _written(tried_one, data))] += 1
        except Exception as error:
            signal.setitimer(signal.ITIMER_PROF, 0)
            where = traceback.extract_tb(error.__traceback__)[-1]
            said = f"{type(error).__name__} {os.path.basename(where.filename)}:{where.lineno} {str(error)[:200]!r}"
            show("raised", number, said)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        slowest = max(slowest, time.process_time() - begin)
        for beside in tried_one.parent.iterdir():
            if beside.is_file():
                beside.unlink()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    show("done", counts["read"], counts["refused"], f"{slowest:.2f}", f"{peak:.0f}")


def _written(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def run(reader: str, seed: int, count: int, out: Path) -> int:
    """Number of failures among `count` inputs; prints a line of figures."""
    first, failures, read, refused, slowest, peak = 0, 0, 0, 0, 0.0, 0.0
    environment = os.environ | {
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "QT_QPA_PLATFORM": "offscreen",
        "QT_LOGGING_RULES": "default.warning=false",
    }
    begin = time.monotonic()

    def fail(number: int, why: str) -> None:
        nonlocal failures
        failures += 1
        out.mkdir(parents=True, exist_ok=True)
        file = out / f"{reader}-{seed}-{number}{INPUTS[reader][1]}"
        file.write_bytes(made(reader, seed, number))
        print(f"FAILED {reader} seed {seed} input {number}: {why}\n    {file}", flush=True)

    while first < count:
        with tempfile.TemporaryDirectory(dir=FAST if FAST.is_dir() else None) as folder:
            command = [sys.executable, __file__, "--work", f"{reader} {seed} {first} {count - first}"]
            process = subprocess.Popen(
                command, stdout=subprocess.PIPE, text=True, env=environment | {"TMPDIR": folder, "HOME": folder}
            )
            assert process.stdout is not None
            at, ended = first, False
            killer = _Killer(process)
            for line in process.stdout:
                killer.postpone()
                word, *rest = line.split(maxsplit=2)
                if word == "try":
                    at = int(rest[0])
                elif word == "raised":
                    fail(int(rest[0]), rest[1].strip())
                elif word == "done":
                    ended = True
                    numbers = line.split()[1:]
                    read, refused = read + int(numbers[0]), refused + int(numbers[1])
                    slowest, peak = max(slowest, float(numbers[2])), max(peak, float(numbers[3]))
            status = process.wait()
            killer.stop()
            if not ended:
                fail(at, f"the process ended with status {status} (-27: over {SECONDS} s, -9: no end at all)")
                first = at + 1
            else:
                first = count
    print(
        f"{reader:<9} {count:>7,} inputs, seed {seed}: {read:,} read, {refused:,} refused, {failures} failed; slowest "
        f"{slowest:.2f} s, most memory {peak:.0f} MB, {time.monotonic() - begin:.0f} s on the clock",
        flush=True,
    )
    return failures


class _Killer:
    """Kills a process that says nothing for long, though it takes no processor time either."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self._timer = None
        self.postpone()

    def postpone(self) -> None:
        import threading

        if self._timer is not None and time.monotonic() - self._begin < GRACE:
            return
        self.stop()
        self._begin = time.monotonic()
        self._timer = threading.Timer(SECONDS * GRACE, self._process.kill)
        self._timer.daemon = True
        self._timer.start()

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()


def main() -> int:
    """Status 0 = no failure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reader", action="append", choices=sorted(INPUTS), help="default: all")
    parser.add_argument("--count", type=int, default=2_000, help="inputs for each reader")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=ROOT / "out" / "fuzz", help="folder for inputs that fail")
    parser.add_argument("--work", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.work:
        reader, *numbers = chosen.work.split()
        work(reader, *map(int, numbers))
        return 0
    with ThreadPoolExecutor(os.cpu_count()) as several:  # each waits for a process
        failures = several.map(
            lambda reader: run(reader, chosen.seed, chosen.count, chosen.out), chosen.reader or INPUTS
        )
        return 1 if sum(failures) else 0


if __name__ == "__main__":
    sys.exit(main())
