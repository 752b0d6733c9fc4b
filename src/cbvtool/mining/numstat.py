"""Stage two of mining: the lines that commits added and deleted, by `git diff-tree --numstat`, in two processes.

A git that fails, mostly for contents that are not there, costs the commit on which it did: it wrote all commits before
that one, so another git goes on behind it, and no chunk is halved in search of the culprit.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Generator, Sequence
from pathlib import Path

from cbvtool.mining.churn import UNKNOWN
from cbvtool.mining.log import RENAME_LIMIT
from cbvtool.mining.view_repository import GitFailed, ViewRepository
from cbvtool.progress import Progress, silent

CHUNK = 2_000  # commits that one process is asked about
_PROCESSES = 2
_IN_A_ROW, _FAILURES, _SLOW = 20, 1_000, 5  # commits that may fail: in a row of a chunk, in all, because git was slow
_SECONDS = 60  # of the processor for a chunk: as many times as long as git may be silent
_MOST_LINES = 2**31 - 1
_LONGEST = 2_000_000  # bytes of an entry
_LOOK = 0.1  # seconds between two reports of progress
_OPTIONS = (
    "--stdin",
    "-r",
    "-M",
    f"-l{RENAME_LIMIT}",
    "--root",
    "--always",
    "--numstat",
    "-z",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
)

READING = repr((_OPTIONS, 1))  # what lines depend on beside git; another number where the parser finds something else

# (number of a commit, path in it -> lines added and deleted), -1 = unknown, as of a binary file. On any thread.
Take = Callable[[int, dict[bytes, tuple[int, int]]], None]


def read_numstat(
    view: ViewRepository, commits: Sequence[str], take: Take, progress: Progress = silent
) -> list[tuple[int, str]]:
    """Give `take` the lines of every file that the `commits` (full ids, no merges) changed.

    Returns the numbers of the commits that failed or were not asked about any more, each with what git said. Progress
    is told the commits read; what it raises ends git. Raises Cancelled once the view's processes are stopped.
    """
    reading = _Reading(view, commits, take)
    threads = [threading.Thread(target=reading.run, name="churn", daemon=True) for _ in range(_PROCESSES)]
    try:
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            progress("Counting lines", reading.done, len(commits))
            threads[0 if threads[0].is_alive() else -1].join(_LOOK)
    except BaseException:
        view.processes.stop()
        raise
    if reading.error is not None:
        raise reading.error
    progress("Counting lines", len(commits), len(commits))
    return sorted(reading.failed)


class _Reading:
    """The chunks, which threads take one after the other, the first commits first."""

    def __init__(self, view: ViewRepository, commits: Sequence[str], take: Take) -> None:
        self._view, self._commits, self._take = view, commits, take
        self._begin = 0  # of the next chunk
        self._slow = self._failures = 0  # commits that git failed on, without those that it was not asked about then
        self._lock = threading.Lock()
        self.done = 0
        self.failed: list[tuple[int, str]] = []
        self.error: BaseException | None = None

    def run(self) -> None:
        """Read chunks until none is left."""
        try:
            while self.error is None:
                with self._lock:
                    begin = self._begin
                    self._begin = end = min(begin + CHUNK, len(self._commits))
                if begin == end:
                    return
                self._read_chunk(begin, end)
        except BaseException as error:
            self.error = error

    def _read_chunk(self, begin: int, end: int) -> None:
        in_a_row = 0
        while begin < end:
            try:
                read = self._read(begin, end)
                reason = "git gave no answer" if read < end else ""
            except _Failed as failure:
                read, reason = failure.at, str(failure)
                self._slow += failure.slow
            self.done += read - begin
            in_a_row = in_a_row + 1 if read == begin else 1
            if read == end:
                return
            self._failures += 1
            hopeless = in_a_row >= _IN_A_ROW or self._failures >= _FAILURES or self._slow >= _SLOW
            begin = end if hopeless else read + 1
            self.failed += [(number, reason) for number in range(read, begin)]
            self.done += begin - read

    def _read(self, begin: int, end: int) -> int:
        """Read commits from `begin` on; the first one that was not read. Raises _Failed, which knows it, too."""
        with self._view.questions([sha.encode() for sha in self._commits[begin:end]]) as asked:
            parser = _Parser(self._commits, begin, self._take)
            seconds = self._view.silence * _SECONDS
            try:
                with contextlib.closing(self._output(asked, seconds)) as chunks:
                    for chunk in chunks:
                        parser.feed(chunk)
            except GitFailed as failure:
                raise _Failed(parser.failed_at(killed=failure.killed), str(failure), failure.slow) from failure
        return parser.end()

    def _output(self, asked: Path, seconds: float) -> Generator[bytes]:
        return self._view.stream("diff-tree", *_OPTIONS, reads=asked, seconds=seconds)


class _Failed(Exception):
    def __init__(self, at: int, message: str, slow: bool) -> None:
        super().__init__(message)
        self.at, self.slow = at, slow


class _Parser:
    """Takes the output of git in chunks of any length."""

    def __init__(self, commits: Sequence[str], begin: int, take: Take) -> None:
        self._commits, self._begin, self._take = commits, begin, take
        self._number = begin - 1  # of the commit whose entries are coming
        self._entries: dict[bytes, tuple[int, int]] = {}  # of that commit so far
        self._waiting: list[bytes] = []
        self._rest = b""

    def feed(self, chunk: bytes) -> None:
        """Take the next piece of output."""
        pieces = (self._rest + chunk).split(b"\0")
        self._rest = pieces.pop()
        if len(self._rest) > _LONGEST:
            raise GitFailed(f"an entry is larger than {_LONGEST / 1e6:g} MB", killed=True)
        pieces = self._waiting + pieces
        at, count = 0, len(pieces)
        while at < count:
            added, tab, others = pieces[at].partition(b"\t")
            if not tab:
                self._begin_commit(added.strip())
                at += 1
                continue
            deleted, _, path = others.partition(b"\t")
            last = at if path else at + 2  # a rename: its old and its new path follow
            if last >= count:
                break
            self._entries[path or pieces[last]] = _lines(added), _lines(deleted)
            at = last + 1
        self._waiting = pieces[at:]

    def failed_at(self, killed: bool) -> int:
        """The commit on which git gave up: the last one it named if nothing of it came, else the one after it.

        A git that was killed may have been in the middle of the last one.
        """
        if killed or not self._entries:
            return max(self._begin, self._number)
        return self.end()

    def end(self) -> int:
        """The first commit that was not read by a git that came to its end."""
        self._hand_over()
        return self._number + 1

    def _begin_commit(self, sha: bytes) -> None:
        self._hand_over()
        number = self._number + 1
        if number >= len(self._commits) or sha != self._commits[number].encode():
            raise GitFailed(f"git answered about {sha[:60]!r}, which was not the next commit", killed=True)
        self._number = number

    def _hand_over(self) -> None:
        if self._entries:
            self._take(self._number, self._entries)
            self._entries = {}


def _lines(text: bytes) -> int:
    return min(int(text), _MOST_LINES) if text.isdigit() else UNKNOWN
