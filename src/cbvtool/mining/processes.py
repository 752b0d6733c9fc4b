"""The programs that `mining` starts: limited in time and memory, stoppable from any thread, ended with cbvtool.

Each program runs in a session of its own, so that Ctrl-C in a terminal reaches only cbvtool. A thread reads the output
of the program into a queue, and callers wait for the queue, never for the program. So a program that hangs in the
kernel, beyond the reach of a signal, blocks that thread only.

A *guardian* covers ends of cbvtool that run no Python code, such as `kill -9`. It is a small shell that knows the
running programs and the temporary folder. It waits for the end of a pipe that only cbvtool holds; the system closes
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

if TYPE_CHECKING:  # slow to load, and not needed for folders without a history
    import subprocess

_CHUNK = 1 << 18  # bytes
_AHEAD = 8  # chunks read ahead
_LOOK = 0.1  # seconds between two checks for cancellation
_BUSY = 5  # the limit of silence by the clock is this many times that of processor time
_DYING = 1.0  # seconds to wait for a killed program; if it is still there, the guardian takes care of it
_COMPLAINT = 1 << 16  # bytes kept of a program's standard error
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
    """A program was stopped because it took too long, or wrote nothing for too long. The text says how long."""


class RunningProgram:
    """A running program and its output."""

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
        """Id of the process, and of the session and group that it leads."""
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        """Exit status, negative for a signal; None while it runs."""
        return self._process.returncode

    @property
    def complaint(self) -> str:
        """The beginning of its standard error; complete once `chunks` has ended."""
        return self._complaint.decode("utf-8", "replace")

    def poll(self) -> int | None:
        """The exit status if it has ended, else None."""
        return self._process.poll()

    def chunks(self, silence: float, seconds: float = math.inf) -> Generator[bytes]:
        """Its standard output, as it arrives; after the last chunk, `returncode` is known.

        silence  seconds of processor time after which a program that writes nothing is stopped; by the clock the limit
                 is longer, because the machine may be busy
        seconds  limit of processor time in total

        Raises Slow; raises Cancelled once the `Processes` are stopped, or the job of this thread is cancelled
        (`checkpoint`).
        """
        clock, work = time.monotonic(), self.seconds()
        while True:
            if self._stopped.is_set():
                raise Cancelled
            checkpoint()  # if it raises, `Processes.running` ends the program
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
        """Seconds of processor time so far; if the system does not report it, seconds by the clock."""
        try:
            times = Path(f"/proc/{self.pid}/stat").read_bytes().rpartition(b")")[2].split()
            return (int(times[11]) + int(times[12])) / os.sysconf("SC_CLK_TCK")
        except (OSError, ValueError, IndexError):
            return time.monotonic() - self._begin

    def _with_more(self, chunk: bytes) -> tuple[bytes, bool]:
        """The chunk joined with those already in the queue, because few large ones cost less.

        The second value says whether the output has ended.
        """
        pieces: list[bytes | None] = [chunk]
        with contextlib.suppress(queue.Empty):
            while pieces[-1] is not None:
                pieces.append(self._chunks.get_nowait())
        return b"".join(filter(None, pieces)), pieces[-1] is None

    def end(self) -> None:
        """Kill it if it still runs. Returns within two seconds in any case."""
        self._unwanted.set()
        self.kill()
        self._reap(_DYING)

    def kill(self) -> None:
        """Kill it and its children if it still runs; does not wait."""
        if self._process.poll() is None:
            with contextlib.suppress(OSError):  # it has ended meanwhile
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
        with pipe:  # read all of it, because a program blocks for ever once its pipe is full
            while said := pipe.read1(_CHUNK):  # type: ignore[attr-defined]  # as above
                self._complaint += said[: _COMPLAINT - len(self._complaint)]


class Processes:
    """The programs of one piece of work. `stop`, from any thread, ends them; after that, no new ones are started."""

    def __init__(self) -> None:
        self._programs = set[RunningProgram]()
        self._stopped = threading.Event()
        self._guardian: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    @contextlib.contextmanager
    def guarded(self, folder: Path) -> Generator[None]:
        """While this block runs, any end of cbvtool also ends the programs and removes `folder`."""
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
            with contextlib.suppress(OSError):  # the guardian was killed
                guardian.stdin.close()
            _wait(guardian, _DYING)

    @contextlib.contextmanager
    def running(self, start: Callable[[], subprocess.Popen[bytes]]) -> Generator[RunningProgram]:
        """The program that `start` starts, in a session of its own; leaving the block ends it.

        Raises Cancelled if `stop` was called.
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
        """The pipe by which a program reports its own id to the guardian, earlier than we could: see `limited`."""
        return self._guardian.stdin if self._guardian is not None else None

    def stop(self) -> None:
        """Kill all running programs and start no more. Does not wait."""
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
    """Enlarge the pipe to the size of one read, if the system allows it: fewer switches between processes."""
    try:
        import fcntl
    except ImportError:  # Windows
        return
    if pipe is not None and hasattr(fcntl, "F_SETPIPE_SZ"):  # Linux
        with contextlib.suppress(OSError):  # the user's limit for pipes is reached
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _CHUNK)


def limited(command: Sequence[str], memory: int, *, announced: bool = False, reads: str = os.devnull) -> list[str]:
    """The command with a limit of `memory` allocated bytes from its start; mapped files do not count.

    announced  the standard input is the guardian's pipe: the command writes its id there first, then reads another file
    reads      that other file

    Windows has no such limit.
    """
    if not os.path.exists(_SHELL):
        return list(command)
    tell = '(echo "+ $$" >&0) 2>/dev/null; exec <"$1"; ' if announced else ""
    start = 'ulimit -d "$0" 2>/dev/null; shift; exec "$@"'
    return [_SHELL, "-c", tell + start, str(memory // 1024), reads, *command]
