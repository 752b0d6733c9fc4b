"""The programs that `mining` starts: limited in time and memory, stopped from any thread, gone when cbvtool is gone.

Each runs in a session of its own, so that Ctrl-C in a terminal is cbvtool's to handle. Whoever waits for one waits for
a queue that a thread of its own fills, and never for the program itself: one that hangs in the system, beyond the
reach of a signal, costs that thread and nothing else.

A *guardian* covers the ends of cbvtool that no Python code sees, such as `kill -9`: a small shell that knows which
programs run and which folder is temporary. It waits for the end of a pipe that only cbvtool holds; the system closes
that pipe however cbvtool ends.
"""

from __future__ import annotations

import contextlib
import math
import os
import queue
import signal
import threading
import time
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING

from cbvtool.errors import Cancelled
from cbvtool.progress import checkpoint

if TYPE_CHECKING:  # it takes a while to load, and folders without a history do without
    import subprocess

_CHUNK = 1 << 18  # bytes
_AHEAD = 8  # chunks read before somebody asks for them
_LOOK = 0.1  # seconds between two looks at whether to stop
_BUSY = 5  # times as long by the clock as by the processor
_DYING = 1.0  # seconds that a killed program may take to be gone; one that the system holds is left to the guardian
_COMPLAINT = 1 << 16  # bytes kept of what a program complains about
_SHELL = "/bin/sh"
_GUARDIAN = """
trap '' HUP INT TERM
running=' '
while read -r what group; do
    case $what in
        +) running="$running$group " ;;
        -) left=' '
           for one in $running; do [ "$one" = "$group" ] || left="$left$one "; done
           running=$left ;;
    esac
done
for one in $running; do kill -9 "-$one"; done
[ -z "$1" ] || rm -rf -- "$1"
"""


class Slow(Exception):
    """A program was stopped because it took, or was silent for, too long. The text says how long."""


class RunningProgram:
    """A running program and what it writes."""

    def __init__(self, process: subprocess.Popen[bytes], stopped: threading.Event) -> None:
        self._process, self._stopped = process, stopped
        self._chunks = queue.Queue[bytes | None](_AHEAD)
        self._unwanted = threading.Event()
        self._complaint = bytearray()
        self._begin = time.monotonic()
        _enlarge(process.stdout)
        pumps = ((self._pump, process.stdout), (self._listen, process.stderr))
        self._pumps = [threading.Thread(target=pump, args=(pipe,), daemon=True) for pump, pipe in pumps]
        for pump in self._pumps:
            pump.start()

    @property
    def pid(self) -> int:
        """Number of the process, and of the session and the group that it leads."""
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        """Exit status, negative for a signal; None while it runs."""
        return self._process.returncode

    @property
    def complaint(self) -> str:
        """The beginning of what it wrote to standard error; complete once `chunks` is at its end."""
        return self._complaint.decode("utf-8", "replace")

    def poll(self) -> int | None:
        """The exit status if it has ended, else None."""
        return self._process.poll()

    def chunks(self, silence: float, seconds: float = math.inf) -> Generator[bytes]:
        """What it writes to standard output, as it comes; at the end `returncode` is known.

        silence  seconds of the processor after which a program that writes nothing is stopped; by the clock some more,
                 since the machine may be busy with other things
        seconds  of the processor, that it may take in all

        Raises Slow; Cancelled once the `Processes` are stopped, or the job of this thread is (`checkpoint`).
        """
        clock, work = time.monotonic(), self.seconds()
        while True:
            if self._stopped.is_set():
                raise Cancelled
            checkpoint()  # whoever waits for this program then ends it: see `Processes.running`
            try:
                chunk = self._chunks.get(timeout=_LOOK)
            except queue.Empty:
                if self.seconds() - work > silence or time.monotonic() - clock > silence * _BUSY:
                    self.end()
                    raise Slow(f"no answer for {time.monotonic() - clock:,.0f} seconds") from None
                continue
            if chunk is None:
                break
            chunk, over = self._with_more(chunk)
            yield chunk
            if over:
                break
            clock, work = time.monotonic(), self.seconds()
            if work > seconds:
                self.end()
                raise Slow(f"not done within {work:,.0f} seconds")
        self._reap(silence)

    def seconds(self) -> float:
        """Seconds of the processor that it took so far; by the clock where the system does not tell."""
        try:
            times = Path(f"/proc/{self.pid}/stat").read_bytes().rpartition(b")")[2].split()
            return (int(times[11]) + int(times[12])) / os.sysconf("SC_CLK_TCK")
        except (OSError, ValueError, IndexError):
            return time.monotonic() - self._begin

    def _with_more(self, chunk: bytes) -> tuple[bytes, bool]:
        """The chunk and those behind it that are there already: few large ones cost less. Whether that is all."""
        pieces: list[bytes | None] = [chunk]
        with contextlib.suppress(queue.Empty):
            while pieces[-1] is not None:
                pieces.append(self._chunks.get_nowait())
        return b"".join(filter(None, pieces)), pieces[-1] is None

    def end(self) -> None:
        """Kill it, unless it has ended. Returns within two seconds, whatever it does."""
        self._unwanted.set()
        self.kill()
        self._reap(_DYING)

    def kill(self) -> None:
        """Kill it and what it started, unless it has ended; does not wait."""
        if self._process.poll() is None:
            with contextlib.suppress(OSError):  # it ended meanwhile
                if hasattr(os, "killpg"):
                    os.killpg(self._process.pid, signal.SIGKILL)
                else:
                    self._process.kill()

    def _reap(self, seconds: float) -> None:
        _wait(self._process, seconds)
        for pump in self._pumps:
            pump.join(_DYING / 2)

    def _pump(self, pipe: IO[bytes]) -> None:
        with pipe:
            while chunk := pipe.read1(_CHUNK):  # type: ignore[attr-defined]  # a pipe is a BufferedReader
                self._hand_over(chunk)
        self._hand_over(None)

    def _hand_over(self, chunk: bytes | None) -> None:
        while not self._unwanted.is_set():
            with contextlib.suppress(queue.Full):
                self._chunks.put(chunk, timeout=_LOOK)
                return

    def _listen(self, pipe: IO[bytes]) -> None:
        with pipe:  # read to its end: a program waits for ever once the pipe of its warnings is full
            while said := pipe.read1(_CHUNK):  # type: ignore[attr-defined]  # as above
                self._complaint += said[: _COMPLAINT - len(self._complaint)]


class Processes:
    """The programs of one piece of work. `stop`, from any thread, ends them and refuses new ones."""

    def __init__(self) -> None:
        self._programs = set[RunningProgram]()
        self._stopped = threading.Event()
        self._guardian: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    @contextlib.contextmanager
    def guarded(self, folder: Path) -> Generator[None]:
        """While this lasts, the end of cbvtool, of whatever kind, ends the programs and removes `folder`."""
        if not os.path.exists(_SHELL):  # Windows
            yield
            return
        import subprocess

        command = [_SHELL, "-c", _GUARDIAN, "cbvtool-guardian", os.fspath(folder)]
        pipe, null = subprocess.PIPE, subprocess.DEVNULL
        guardian = subprocess.Popen(command, stdin=pipe, stdout=null, stderr=null, cwd="/", start_new_session=True)
        self._guardian = guardian
        try:
            yield
        finally:
            self._guardian = None
            assert guardian.stdin is not None
            with contextlib.suppress(OSError):  # it was killed
                guardian.stdin.close()
            _wait(guardian, _DYING)

    @contextlib.contextmanager
    def running(self, start: Callable[[], subprocess.Popen[bytes]]) -> Generator[RunningProgram]:
        """The program that `start` starts, in a session of its own; it is ended on leaving.

        Raises Cancelled once this is stopped.
        """
        if self._stopped.is_set():
            raise Cancelled
        program = RunningProgram(start(), self._stopped)
        self._programs.add(program)
        self._tell("+", program)
        try:
            if self._stopped.is_set():
                raise Cancelled
            yield program
        finally:
            program.end()
            self._programs.discard(program)
            self._tell("-", program)

    @property
    def guardian_pipe(self) -> IO[bytes] | None:
        """What a program tells the guardian of itself through, before anybody here could: see `limited`."""
        return self._guardian.stdin if self._guardian is not None else None

    def stop(self) -> None:
        """Kill what runs and start nothing more. Does not wait."""
        self._stopped.set()
        for program in tuple(self._programs):
            program.kill()

    def _tell(self, what: str, program: RunningProgram) -> None:
        if self._guardian is not None and self._guardian.stdin is not None:
            with contextlib.suppress(OSError, ValueError), self._lock:
                self._guardian.stdin.write(f"{what} {program.pid}\n".encode())
                self._guardian.stdin.flush()


def _wait(process: subprocess.Popen[bytes], seconds: float) -> None:
    from subprocess import TimeoutExpired

    with contextlib.suppress(TimeoutExpired):
        process.wait(seconds)


def _enlarge(pipe: IO[bytes] | None) -> None:
    """Have the pipe hold as much as is read at a time, where the system lets us: fewer turns of the processes."""
    try:
        import fcntl
    except ImportError:  # Windows
        return
    if pipe is not None and hasattr(fcntl, "F_SETPIPE_SZ"):  # Linux
        with contextlib.suppress(OSError):  # the user has many large ones
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _CHUNK)


def limited(command: Sequence[str], memory: int, *, announced: bool = False, reads: str = os.devnull) -> list[str]:
    """The command, which may allocate so many bytes, from its first moment on; files that it maps do not count.

    announced  its standard input is the guardian's pipe: it tells its number before it begins, and reads another file
    reads      that file

    Windows has no such limit.
    """
    if not os.path.exists(_SHELL):
        return list(command)
    tell = '(echo "+ $$" >&0) 2>/dev/null; exec <"$1"; ' if announced else ""
    start = 'ulimit -d "$0" 2>/dev/null; shift; exec "$@"'
    return [_SHELL, "-c", tell + start, str(memory // 1024), reads, *command]
