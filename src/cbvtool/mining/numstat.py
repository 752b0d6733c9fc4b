"""Second stage of mining: lines added and deleted by commits, from `git diff-tree --numstat` in two processes.

If git fails, mostly because contents are missing, only the commit at which it failed is lost: all commits before it are
written, so that another git continues after it, and chunks need not be halved to find the culprit.
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

CHUNK = 2_000  # commits for one process
_PROCESSES = 2
# Most failing commits: in a row within a chunk, in total, because git was slow.
_IN_A_ROW, _FAILURES, _SLOW = 20, 1_000, 5
_SECONDS = 60  # processor time for a chunk, as a multiple of the time for which git may be silent
_MOST_LINES = 2**31 - 1
_LONGEST = 2_000_000  # longest entry, in bytes
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

# Inputs of the counts apart from git; increase the number when the parser's results change.
READING = repr((_OPTIONS, 1))

# (number of a commit, path in it -> lines added and deleted), -1 = unknown, as for a binary file. Called on any thread.
Take = Callable[[int, dict[bytes, tuple[int, int]]], None]


def read_numstat(
    view: ViewRepository, commits: Sequence[str], take: Take, progress: Progress = silent
) -> list[tuple[int, str]]:
    """Call `take` with the lines of every file that the `commits` (full ids, no merges) changed.

    Returns the commits that failed or were skipped, by number, each with git's message. Progress gets the number of
    commits read; if it raises, git is ended. Raises Cancelled once the view's processes are stopped.
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
    """The chunks; threads take one after the other, the first commits first."""

    def __init__(self, view: ViewRepository, commits: Sequence[str], take: Take) -> None:
        self._view, self._commits, self._take = view, commits, take
        self._begin = 0  # first commit of the next chunk
        self._slow = self._failures = 0  # how many commits git failed at, skipped ones left out
        self._lock = threading.Lock()
        self.done = 0
        self.failed: list[tuple[int, str]] = []
        self.error: BaseException | None = None

    def run(self) -> None:
        """Read chunks until none is left; runs in a thread."""
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
        """Read commits from `begin` on; returns the first one not read. Raises _Failed, which holds it, too."""
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
    """Parses the output of git in chunks of any length."""

    def __init__(self, commits: Sequence[str], begin: int, take: Take) -> None:
        self._commits, self._begin, self._take = commits, begin, take
        self._number = begin - 1  # number of the current commit
        self._entries: dict[bytes, tuple[int, int]] = {}  # entries of that commit so far
        self._waiting: list[bytes] = []
        self._rest = b""

    def feed(self, chunk: bytes) -> None:
        """Parse the next chunk of output."""
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
            last = at if path else at + 2  # a rename: old and new path follow
            if last >= count:
                break
            self._entries[path or pieces[last]] = _lines(added), _lines(deleted)
            at = last + 1
        self._waiting = pieces[at:]

    def failed_at(self, killed: bool) -> int:
        """The commit at which git failed: the last one it named, if no entry of it came; otherwise the next one.

        If git was killed, its last commit may be incomplete.
        """
        if killed or not self._entries:
            return max(self._begin, self._number)
        return self.end()

    def end(self) -> int:
        """The first commit not read, after git ended by itself."""
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
