"""The lines that each recorded process wrote: its functions, threads and objects."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from cbvtool.budget import Budget
from cbvtool.regular_file import Unreadable, opened
from cbvtool.trace.making.builder import TraceBuilder

_MOST_LINES = 500_000_000  # bytes of the lines of a process
CUT_FUNCTIONS = "functions recorded no more after the limit"
CUT_CALLS = "calls cut by the limit or an exclusion (Python 3.12 and later tells the first of each place only)"
LOST = "chunks that could not be written"
BROKEN_LINES = "lines that could not be read"


@dataclass
class RecordedThread:
    number: int
    native: int = 0
    name: str = ""
    first: int = 2**63 - 1
    last: int = 0
    files: list[Path] = field(default_factory=list)


@dataclass
class RecordedProcess:
    stem: str
    pid: int = 0
    parent_pid: int = 0
    unix: int = 0
    began: int = 0
    python: str = ""
    parent: tuple[str, int] = ("", 0)  # stem and number of the fork
    functions: dict[int, tuple[str, str, str, int]] = field(default_factory=dict)
    texts: dict[int, str] = field(default_factory=dict)
    objects: dict[int, tuple[str, int, str]] = field(default_factory=dict)  # kind, id, name
    threads: dict[int, RecordedThread] = field(default_factory=dict)
    cost: int = 0
    ended: int = 0


def processes_of(folder: Path, builder: TraceBuilder, budget: Budget) -> list[RecordedProcess]:
    """The processes of a recording, in the order in which they began."""
    found = []
    for path in sorted(folder.iterdir()):
        if path.suffix == ".process":
            process = RecordedProcess(path.stem)
            try:
                for line in _lines(path, budget):
                    _read_line(process, line, builder)
            except (Unreadable, OSError):
                builder.repairs[BROKEN_LINES] += 1
            found.append(process)
    by_stem = {process.stem: process for process in found}
    for path in sorted(folder.iterdir(), key=lambda path: _segment(path.name)):
        if path.suffix == ".events":
            stem, _, rest = path.name.rpartition("-")
            number = rest.partition(".")[0]
            if stem in by_stem and number.isdecimal() and len(number) < 10:
                threads = by_stem[stem].threads
                threads.setdefault(int(number), RecordedThread(int(number))).files.append(path)
    return sorted(found, key=lambda process: process.began)


def _segment(name: str) -> tuple[str, int]:
    """Sorts the files of one thread: `STEM-2.events`, or `STEM-2.0.events` before `STEM-2.1.events`."""
    parts = name.split(".")
    return parts[0], int(parts[1]) if len(parts) == 3 and parts[1].isdecimal() and len(parts[1]) < 10 else -1


def _lines(path: Path, budget: Budget) -> Iterator[list[str]]:
    with opened(path) as file:
        size = 0
        for line in file:
            budget.spend(size=len(line))
            size += len(line)
            if size > _MOST_LINES:
                raise Unreadable("is too large")
            if line.endswith(b"\n"):  # the last one may have been cut off
                yield [_plain(part) for part in line[:-1].decode("utf-8", "replace").split("\t")]


def _plain(text: str) -> str:
    if "\\" not in text:
        return text
    parts = text.split("\\\\")
    return "\\".join(part.replace("\\t", "\t").replace("\\n", "\n").replace("\\r", "\r") for part in parts)


def _read_line(process: RecordedProcess, line: list[str], builder: TraceBuilder) -> None:
    try:
        match line:
            case ["process", _, pid, parent, unix, began, _, python, _, stem, fork]:
                process.pid, process.parent_pid = _number(pid), _number(parent)
                process.unix, process.began = _number(unix), _number(began)
                process.python, process.parent = python, (stem, _number(fork))
            case ["function", number, name, module, file, row]:
                process.functions[_number(number)] = name, module, file, _number(row)
            case ["thread", number, native, name, time]:
                thread = process.threads.setdefault(_number(number), RecordedThread(_number(number)))
                thread.native, thread.name = _number(native), name or thread.name
                thread.first, thread.last = min(thread.first, _number(time)), max(thread.last, _number(time))
            case ["text", number, text]:
                process.texts[_number(number)] = text
            case ["object", number, kind, key, name]:
                process.objects[_number(number)] = kind, _number(key), name
            case ["cost", cost]:
                process.cost = _number(cost)
            case ["cut", *_]:
                builder.omissions[CUT_FUNCTIONS] += 1
            case ["end", time, _, cut, lost]:
                process.ended = _number(time)
                for kind, count in ((CUT_CALLS, _number(cut)), (LOST, _number(lost))):
                    if count:
                        builder.omissions[kind] += count
            case ["start" | "stop", _]:
                pass
            case _:
                builder.repairs[BROKEN_LINES] += 1
    except ValueError:
        builder.repairs[BROKEN_LINES] += 1


def _number(text: str) -> int:
    number = int(text) if len(text) < 20 else -1
    if not 0 <= number < 2**63:
        raise ValueError(text)
    return number
