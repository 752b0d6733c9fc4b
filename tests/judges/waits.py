"""Judges waits on public programs: python -m tests.judges.waits [--keep FOLDER] [--clones FOLDER] [web|leveldb ...]

Records two programs that contend, and says how much of their waiting time a release in the recording explains, by both
rules, and what the rest is:

web      flaskr, the blog of Flask's tutorial, served by waitress and read with requests (`waits_load.py`), from PyPI
leveldb  its benchmark `db_bench`, four threads that write and four that read, compiled here and recorded by uftrace

The checkouts come from GitHub, or from `flask` and `leveldb` in the folder of `--clones`. A recording in `--keep` is
used again. Cold times are of new processes, the compiled loops being there.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import socket
import subprocess
import sys
import tarfile
import time
import venv
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from cbvtool.trace.model.trace import Trace
from cbvtool.trace.readers.registry import read_traces
from cbvtool.trace.waits.correspondences import RULES, correspondences
from cbvtool.trace.waits.totals import LongWaits, explained, longest_waits

SOURCES = {"flask": ("pallets/flask", "3.1.3"), "leveldb": ("google/leveldb", "1.22")}
PACKAGES = ("flask==3.1.3", "waitress==3.0.2", "requests==2.32.5", "werkzeug==3.1.3", "jinja2==3.1.6", "urllib3==2.5.0")
SHOWN = ("flask", "werkzeug", "jinja2", "waitress", "click", "markupsafe", "itsdangerous", "blinker")
FLAGS = "-O1 -g -finstrument-functions -finstrument-functions-exclude-file-list=/usr/include,/usr/lib"
BENCHMARK = (
    "--db=db",
    "--benchmarks=fillrandom,readrandom",
    "--threads=4",
    "--num=500",
    "--value_size=400",
    "--write_buffer_size=65536",
    "--max_file_size=131072",
)
UFTRACE = (
    "uftrace",
    "record",
    "-d",
    "recording",
    "--nest-libcall",
    "-N",
    "^leveldb::Random::",
    "-A",
    "pthread_mutex_(lock|unlock)@arg1/x",
    "-A",
    "pthread_cond_(wait|signal|broadcast)@arg1/x,arg2/x",
    "-A",
    "pthread_join@arg1/x",
    "-A",
    "^(read|write|pread64|pwrite64)@arg1/d,arg2/x,arg3/u",
    "-R",
    "^(read|write|pread64|pwrite64)@retval/d",
)
MOST_ROWS = 6  # of what is not explained


@dataclass(frozen=True)
class Prepared:
    """A program that is ready to run: its command, what records it, its folder, and variables of its environment."""

    command: tuple[str, ...]
    recorder: tuple[str, ...]
    folder: Path
    settings: dict[str, str]


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("subjects", nargs="*", choices=[[], *PREPARE], default=[])
    parser.add_argument("--keep", type=Path, default=Path("out/judge-waits"))
    parser.add_argument("--clones", type=Path)
    given = parser.parse_args()
    least = 1.0
    for name in given.subjects or PREPARE:
        folder = (given.keep / name).resolve()
        recording = recorded(name, folder, given.clones)
        (trace,) = read_traces(recording)
        assert isinstance(trace, Trace)
        print(f"{name}: {len(trace.calls):,} calls, {len(trace.threads)} threads, {len(trace.table('waits')):,} waits")
        least = min(least, *(share(trace, rule) for rule in RULES))
        agreement(trace)
        cold(recording, folder)
    return int(least < 0.8)


def recorded(name: str, folder: Path, clones: Path | None) -> Path:
    """The recording of a subject; what is there already is taken."""
    out = folder / "recording"
    if out.exists():
        return out
    folder.mkdir(parents=True, exist_ok=True)
    made = PREPARE[name](folder, clones)
    for words, recorder in (("alone", ()), ("recorded", made.recorder)):
        begin = time.perf_counter()
        command, settings = [*recorder, *made.command], os.environ | made.settings
        with (folder / f"{words}.txt").open("w") as said:
            subprocess.run(command, cwd=made.folder, env=settings, check=True, stdout=said, stderr=said)
        print(f"{name}, {words}: {time.perf_counter() - begin:.1f} s")
    (made.folder / "recording").rename(out)
    return out


def source(name: str, folder: Path, clones: Path | None) -> Path:
    """The files of a public repository, at the commit in `SOURCES`."""
    where, commit = SOURCES[name]
    target = folder / f"{name}-source"
    if not target.exists():
        clone = clones / name if clones else folder / f"{name}-clone"
        if not clone.exists():
            address = f"https://github.com/{where}"
            subprocess.run(["git", "clone", "-q", "--depth", "1", "-b", commit, address, str(clone)], check=True)
        packed = folder / f"{name}.tar"
        subprocess.run(["git", "-C", str(clone), "archive", "-o", str(packed), commit], check=True)
        with tarfile.open(packed) as archive:
            archive.extractall(target, filter="data")
        packed.unlink()
    return target


def prepare_web(folder: Path, clones: Path | None) -> Prepared:
    """flaskr with an empty database in a folder of its own; in `sources` with the packages that it runs on."""
    code = folder / "code"
    python = folder / "environment/bin/python"
    if not code.exists():
        venv.create(python.parents[1], with_pip=True, symlinks=True)
        subprocess.run([str(python), "-m", "pip", "install", "-q", *PACKAGES], check=True)
        blog = source("flask", folder, clones) / "examples/tutorial/flaskr"
        installed = next(python.parents[1].glob("lib/python*/site-packages"))
        for package, to in (
            (blog, code),
            (blog, folder / "sources"),
            *((installed / each, folder / "sources") for each in SHOWN),
        ):
            shutil.copytree(package, to / package.name, ignore=shutil.ignore_patterns("__pycache__"))
    subprocess.run([str(python), "-m", "flask", "--app", "flaskr", "init-db"], cwd=code, check=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    load = str(Path(__file__).with_name("waits_load.py").resolve())
    recorder = (sys.executable, "-m", "cbvtool", "trace", "record", "-o", "recording", "--")
    return Prepared((str(python), load, port), recorder, code, {})


def prepare_leveldb(folder: Path, clones: Path | None) -> Prepared:
    """The benchmark of LevelDB, which tells uftrace of each of its functions."""
    built = folder / "built"
    if not (built / "db_bench").exists():
        where = str(source("leveldb", folder, clones))
        options = ["-DCMAKE_BUILD_TYPE=Release", "-DLEVELDB_BUILD_TESTS=OFF", "-DHAVE_SNAPPY=OFF"]
        flags = [f"-DCMAKE_CXX_FLAGS_RELEASE={FLAGS}"]
        subprocess.run(["cmake", "-S", where, "-B", str(built), *options, *flags], check=True, stdout=2)
        subprocess.run(["cmake", "--build", str(built), "--target", "db_bench", "-j", "2"], check=True, stdout=2)
    return Prepared(("./db_bench", *BENCHMARK), UFTRACE, built, {"LD_BIND_NOW": "1"})


PREPARE = {"web": prepare_web, "leveldb": prepare_leveldb}


def share(trace: Trace, rule: str) -> float:
    """Print the share of waiting time that a rule explains, and what the rest is, by kind of object."""
    found = correspondences(trace, "literal" if rule == "literal" else "default")
    part, whole = explained(trace, found)
    waits = longest_waits(trace, found, None)
    objects = trace.table("objects")
    time, count = Counter[str](), Counter[str]()
    for row in np.flatnonzero((waits.releasing < 0) & ~waits.open).tolist():
        thing = int(waits.object[row])
        kind = trace.strings[int(objects["kind"][thing])] if thing < len(objects) else "not recorded"
        time[kind] += int(waits.end[row] - waits.start[row])
        count[kind] += 1
    slept = f"; slept {time.pop('timer') / 1e6:.1f} ms besides" if "timer" in time else ""
    print(f"  {rule}: {part / max(whole, 1):.1%} of {whole / 1e9:.2f} s{slept}; open waits: {len(found.open)}")
    rest = ", ".join(f"{kind} {ns / 1e6:.1f} ms ({count[kind]:,})" for kind, ns in time.most_common(MOST_ROWS))
    print(f"    not explained: {rest or 'nothing'}")
    return part / max(whole, 1)


def agreement(trace: Trace) -> None:
    """Print of how much of the waiting time that both rules explain they name the same thread, and the same call."""
    one, other = (_by_row(trace, longest_waits(trace, correspondences(trace, rule), None)) for rule in RULES)
    both = (one[1] >= 0) & (other[1] >= 0)
    whole = max(int(one[0][both].sum()), 1)
    same = [int(one[0][both & (one[at] == other[at])].sum()) / whole for at in (1, 2)]
    print(f"  both rules name the same thread for {same[0]:.1%}, the same call for {same[1]:.1%} of the time")


def _by_row(trace: Trace, waits: LongWaits) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Time, releasing thread and release of each wait, by row of its table."""
    time, thread, call = np.zeros((3, len(trace.table("waits"))), np.int64)
    thread -= 1
    time[waits.row], thread[waits.row], call[waits.row] = waits.end - waits.start, waits.releasing, waits.release
    return time, thread, call


def cold(recording: Path, folder: Path) -> None:
    """Print the processor time of commands that each begin anew: the first picture holds all steps before it."""
    picture = str(folder / "first.png")
    for words, command in (
        ("read", ["info", str(recording)]),
        ("read and matched", ["waits", str(recording)]),
        ("first picture", ["render", "sync", str(recording), "-o", picture]),
    ):
        before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run([sys.executable, "-m", "cbvtool", "trace", *command], check=True, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        print(f"  {words}: {spent:.1f} s of the processor, {time.perf_counter() - begin:.1f} s")
    (trace,) = read_traces(recording)
    assert isinstance(trace, Trace)
    begin = time.process_time()
    correspondences(trace)
    print(f"  matched alone: {1000 * (time.process_time() - begin):.0f} ms of the processor")


if __name__ == "__main__":
    sys.exit(main())
