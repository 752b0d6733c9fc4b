"""Start a program so that it is recorded."""

from __future__ import annotations

import contextlib
import json
import os
import platform
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import FrameType

from cbvtool.errors import InputError
from cbvtool.formats.atomic import replacing
from cbvtool.progress import Progress, silent
from cbvtool.regular_file import Unreadable, read_bytes
from cbvtool.trace.record.attended import Surroundings, run_attended
from cbvtool.trace.record.options import Recorded, RecordOptions
from cbvtool.trace.record.sitecustomize_text import SITECUSTOMIZE

HEADER = "recording.json"
OPTIONS = "options"
HOOK = "hook"
SEEDED = {"PYTHONHASHSEED": "0"}  # of repeated runs, unless the user has set one: else sets differ between runs
ENDED_EARLY = "Run {run} was ended by signal {signal}: no further one was recorded."
_LARGEST = 1_000_000  # bytes of a file of exclusions, and of the recorder
NOTHING_RECORDED = (
    "Nothing was recorded: {command} started no Python that reads PYTHONPATH (the options -I, -E and -S turn that off)."
)


def record(
    options: RecordOptions, command: Sequence[str], progress: Progress = silent, around: Surroundings | None = None
) -> Recorded:
    """Run `command` as often as asked, recorded.

    progress  gets "Recording", the number of the run and how many there are
    around    None = with the standard streams and in the folder of this process, which waits for it

    Raises InputError where nothing can be recorded or started, and what `progress` raises.
    """
    if not command:
        raise InputError("There is no program to record; write it behind `--`.")
    lines = option_lines(options, exclusions(options))
    make_folder(options.folder)
    runs = max(1, options.repeat)
    folders, warnings, status = [], [], 0
    for run in range(1, runs + 1):
        progress("Recording", run, runs)
        folder = options.folder / str(run) if options.repeat else options.folder
        given = {**(SEEDED if options.repeat else {}), **os.environ}
        surroundings = prepared(folder, options, lines, command, run if options.repeat else 0, given)
        if around is None:
            ended = run_waiting(command, surroundings)
        else:
            ended, warning = run_attended(command, surroundings, folder, around, progress)
            warnings += [warning] if warning else []
        status = status or ended
        folders.append(folder)
        if not has_processes(folder):
            warnings.append(NOTHING_RECORDED.format(command=command[0]))
            break
        if ended < 0 and run < runs and around is None:
            warnings.append(ENDED_EARLY.format(run=run, signal=-ended))
            break
        if around is not None and (around.stop.is_set() or warnings):
            break
    return Recorded(tuple(folders), status, tuple(warnings))


def prepared(
    folder: Path, options: RecordOptions, lines: str, command: Sequence[str], run: int, given: Mapping[str, str]
) -> dict[str, str]:
    """Prepare the folder of one run; returns the environment in which a program is recorded into it.

    lines  what `option_lines` gives
    run    its number, 0 = it is not repeated
    given  the environment that the program would have without us
    """
    about = header(options, command, run, time.time_ns())
    prepare(folder, lines, {**about, "hash_seed": given.get("PYTHONHASHSEED", "")})
    return environment(folder, given)


def has_processes(folder: Path) -> bool:
    """Whether a Python recorded anything into the folder."""
    return any(path.suffix == ".process" for path in folder.iterdir())


def exclusions(options: RecordOptions) -> tuple[str, ...]:
    """The patterns of functions that are not recorded. Raises InputError where their file cannot be read."""
    if options.exclude_file is None:
        return options.exclude
    try:
        text = read_bytes(str(options.exclude_file), _LARGEST).decode("utf-8", "replace")
    except Unreadable as error:
        raise InputError(f"The exclusions in {options.exclude_file} cannot be used: the file {error}.") from error
    return options.exclude + patterns_of(text)


def patterns_of(text: str) -> tuple[str, ...]:
    """The patterns in the text of a file of exclusions: one a line, without comments."""
    lines = (line.partition("#")[0].strip() for line in text.splitlines())
    return tuple(line for line in lines if line)


def option_lines(options: RecordOptions, exclude: Sequence[str]) -> str:
    """What the recorder reads of the options, `name<TAB>value`. Raises InputError where they contradict each other."""
    for name in ("repeat", "cpu_depth", "delay", "duration", "last", "sample", "limit", "arguments"):
        if getattr(options, name) < 0:
            raise InputError(f"--{name.replace('_', '-')} is {getattr(options, name)}; it must not be negative.")
    if options.sample and (options.limit or options.arguments or options.c_functions or options.last):
        raise InputError("--sample takes stacks, not calls: leave out --limit, --arguments, --c-functions and --last.")
    cpu_time = bool(options.repeat) if options.cpu_time is None else options.cpu_time
    values: dict[str, object] = {
        "cpu_time": int(cpu_time and not options.sample),
        "cpu_depth": options.cpu_depth,
        "delay": options.delay,
        "duration": options.duration,
        "paused": int(options.paused),
        "signal": _signal_number(options.signal),
        "last": options.last,
        "sample": options.sample,
        "limit": options.limit,
        "c_functions": int(options.c_functions),
        "objects": int(options.objects),
        "arguments": options.arguments,
    }
    lines = [f"{name}\t{value}" for name, value in values.items()]
    lines += [f"exclude\t{pattern}" for pattern in exclude if "\n" not in pattern and "\t" not in pattern]
    return "\n".join(lines) + "\n"


def _signal_number(name: str) -> int:
    if not name:
        return 0
    number = getattr(signal, name if name.startswith("SIG") else f"SIG{name}", None)
    if not isinstance(number, signal.Signals):
        raise InputError(f"There is no signal {name} on this system.")
    return int(number)


def header(options: RecordOptions, command: Sequence[str], run: int, began: int) -> dict[str, object]:
    """What is known of a run before it starts, for `recording.json`.

    began  ns since 1970
    """
    return {
        "version": 1,
        "program": command[0],
        "arguments": list(command[1:]),
        "commit": options.commit,
        "dirty": options.dirty,
        "run": run,
        "machine": f"{platform.node()}, {platform.machine()}, {platform.system()} {platform.release()}",
        "began": began,
        "hash_seed": os.environ.get("PYTHONHASHSEED", ""),
        "sampled": bool(options.sample),
        "last": options.last,
        "limit": options.limit,
        "sample": options.sample,
    }


def make_folder(folder: Path) -> None:
    """Make the folder of a recording. Raises InputError where there is something in it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        filled = any(folder.iterdir())
    except OSError as error:
        raise InputError(f"Nothing can be recorded into {folder}: {error.strerror or error}.") from error
    if filled:
        raise InputError(f"Nothing is recorded into {folder}: it is not empty. Name a new folder.")


def prepare(folder: Path, lines: str, about: Mapping[str, object]) -> None:
    """Write what the recorder reads, and the recorder itself, which the program finds by its environment."""
    recorder = read_bytes(str(Path(__file__).with_name("recorder.py")), _LARGEST)
    hook = folder / HOOK
    try:
        hook.mkdir(parents=True, exist_ok=True)
        for path, content in (
            (folder / OPTIONS, lines.encode("utf-8", "replace")),
            (folder / HEADER, json.dumps(about, indent=1).encode()),
            (hook / "cbvtool_recorder.py", recorder),
            (hook / "sitecustomize.py", SITECUSTOMIZE.encode()),
        ):
            with replacing(path) as file:
                file.write(content)
    except OSError as error:
        raise InputError(f"Nothing can be recorded into {folder}: {error.strerror or error}.") from error


def environment(folder: Path, given: Mapping[str, str]) -> dict[str, str]:
    """The environment in which every Python that is started records into the folder."""
    before = given.get("PYTHONPATH", "")
    hook = str((folder / HOOK).absolute())
    return {**given, "PYTHONPATH": os.pathsep.join(filter(None, (hook, before)))}


def run_waiting(command: Sequence[str], environment: Mapping[str, str], folder: Path | None = None) -> int:
    """Run the program in a folder (None = that of this process); returns its exit status, negative for a signal.

    Signals that would end this process are passed on to the program. Raises InputError where it cannot be started.
    """
    try:
        process = subprocess.Popen(list(command), env=dict(environment), cwd=folder)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"{command[0]} cannot be started: {reason}.") from error
    with _passing_on(process):
        return process.wait()


@contextlib.contextmanager
def _passing_on(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Ctrl-C reaches the program by itself; other signals that end us are sent to it."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def pass_on(number: int, frame: FrameType | None) -> None:
        process.send_signal(number)

    before = {signal.SIGINT: signal.signal(signal.SIGINT, signal.SIG_IGN)}
    for name in ("SIGTERM", "SIGHUP"):
        if sys.platform != "win32":
            number = getattr(signal, name)
            before[number] = signal.signal(number, pass_on)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
