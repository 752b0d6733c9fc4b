"""Parses `git log --raw -M -z` as it streams: the commits, and what each did to each path.

Merges show no difference (git's default): their changes are counted at the commits on the branch. Only changes made
*while* merging are missed, and a subtree that a merge moved.
"""

from __future__ import annotations

import contextlib
import math
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from cbvtool.budget import Budget, OverBudget
from cbvtool.mining.view_repository import GitFailed, ViewRepository
from cbvtool.progress import Progress, silent

ADD, MODIFY, DELETE, RENAME = range(4)
_EVENT = {ord("A"): ADD, ord("C"): ADD, ord("D"): DELETE, ord("R"): RENAME}  # all others (M, T) modify
_TEXTS = 3  # texts in a header: address, name and subject, each after a byte of its own
_TWO_PATHS = frozenset(b"RC")
_LATEST = 2**62  # a commit date may be any number
_HEADER = 1  # first byte of a commit; a raw entry begins with a colon or a line end

# Memory in bytes: limit for the history as a whole, and overhead of each item apart from its text.
_MEMORY = 900_000_000
_COMMIT, _EVENT_SIZE, _PATH, _AUTHOR = 350, 60, 200, 150
_LONGEST_ENTRY = 1_000_000  # longest path or header of a commit, in bytes
_LONGEST_SUBJECT = 200  # characters; a longer subject is cut

# git compares every file that a commit removed with every one that it added, in quadratic time. If the product of both
# numbers exceeds the square of this limit, it compares only files of equal content or equal name.
RENAME_LIMIT = 500
# Limit of processor time for inexact renames, as a multiple of the time for which git may be silent.
_INEXACT = 2
_COUNTED = 1.0  # seconds to wait for the number of commits after git has ended

_OPTIONS = (
    "--raw",
    "-z",
    f"-l{RENAME_LIMIT}",
    "--no-abbrev",
    "--format=%x01%H %ct %P%x02%aE%x02%aN%x02%s",
    "--encoding=UTF-8",
    "--no-ext-diff",
    "--no-textconv",
    "--no-show-signature",
    "--no-notes",
    "--no-color",
)
READING = repr((_OPTIONS, 1))  # inputs of a log apart from git; increase the number when the parser's results change
# Attempts, each of which continues where the one before failed. `--date-order` (no parent before all of its children;
# commit dates alone do not guarantee that) needs every commit, inexact renames need every content.
_EXACT = ("-M100%",)
_ATTEMPTS = (("--date-order", "-M"), ("-M",), _EXACT)


@dataclass(frozen=True, eq=False)
class Log:
    """c commits, parents before children, and k events in the order of their commits.

    sha           str[c]
    time          int64[c]  commit date, seconds since the epoch
    author        int32[c]  index into `authors`
    names         str[len(authors)]  name of each author in the newest commit
    subjects      str[c]    first line of the message, cut
    event         int8[k]   ADD, MODIFY, DELETE or RENAME
    event_commit  int32[k]  row of the commit, ascending
    event_path    int32[k]  index into `paths`
    event_new     int32[k]  index into `paths`: new path of a RENAME; otherwise the same as `event_path`
    paths         bytes[p]  every path that ever existed, as git stores it
    parent_ptr    int64[c+1] parents of commit i are `parent[parent_ptr[i]:parent_ptr[i + 1]]`, the first one first
    parent        int32[q]  row of each parent, -1 = missing
    exact_only    number of oldest commits for which only renames without edits could be found
    slow          whether that is because git took too long, not because contents are missing
    broken        message of git if the history breaks off; empty for a complete one
    """

    sha: tuple[str, ...]
    time: npt.NDArray[np.int64]
    author: npt.NDArray[np.int32]
    authors: tuple[str, ...]
    event: npt.NDArray[np.int8]
    event_commit: npt.NDArray[np.int32]
    event_path: npt.NDArray[np.int32]
    event_new: npt.NDArray[np.int32]
    paths: tuple[bytes, ...]
    parent_ptr: npt.NDArray[np.int64]
    parent: npt.NDArray[np.int32]
    exact_only: int = 0
    broken: str = ""
    names: tuple[str, ...] = ()
    slow: bool = False
    subjects: tuple[str, ...] = ()


def read_log(view: ViewRepository, progress: Progress = silent) -> Log:
    """The whole history up to `view.head`.

    A history with missing objects (a partial clone, a damaged repository) is read as far as possible. Progress gets the
    number of commits read, and the total once git has counted them; if it raises, git is ended.
    """
    return _read(view, (view.head,), progress)[0]


def read_newer(view: ViewRepository, known: str, progress: Progress = silent) -> tuple[Log, list[list[str]]]:
    """The log of the commits up to `view.head` that `known` (full id) does not reach, and the ids of their parents."""
    return _read(view, (view.head, f"^{known}"), progress)


def _read(view: ViewRepository, wanted: tuple[str, ...], progress: Progress) -> tuple[Log, list[list[str]]]:
    parser = LogParser(view.boundary)
    broken, complete, slow = "", 0, False
    with _counter(view, wanted) if progress is not silent else contextlib.nullcontext(lambda: 0) as total:
        for attempt in _ATTEMPTS:
            if slow and attempt != _EXACT:
                continue
            complete = len(parser.sha)
            try:
                seconds = math.inf if attempt == _EXACT else view.silence * _INEXACT
                output = view.stream("log", *_OPTIONS, *attempt, *wanted, "--", seconds=seconds)
                with contextlib.closing(output) as chunks:
                    for chunk in chunks:
                        parser.feed(chunk)
                        progress("Reading history", len(parser.sha), total())
            except OverBudget as reason:
                broken = str(reason).rstrip(".")
                parser.end_output(complete=False)
                break
            except GitFailed as failure:
                broken, slow = str(failure), slow or failure.slow
                parser.end_output(complete=not failure.killed)
            else:
                broken = ""
                break
    exact_only = 0 if attempt != _EXACT else len(parser.sha) - complete
    return replace(parser.log(exact_only, broken), slow=slow), parser.parents()


class LogParser:
    """Parses the output of git in chunks of any length and collects the commits, newest first.

    memory  approximate limit for all of it, in bytes
    """

    def __init__(self, boundary: frozenset[str] = frozenset(), memory: int = _MEMORY) -> None:
        self._budget = Budget("The history", size=memory)
        self.sha: dict[str, int] = {}
        self._boundary = boundary
        self._time = array("q")
        self._author = array("i")
        self._authors: dict[str, int] = {}
        self._names: list[str] = []
        self._parents: list[str] = []
        self._subjects: list[str] = []
        self._paths: dict[bytes, int] = {}
        self._event = array("b")
        self._event_commit = array("i")
        self._event_path = array("i")
        self._event_new = array("i")
        self._rest = b""
        self._waiting: list[bytes] = []
        self._row = -1  # row of the current commit; -1 = its entries do not count
        self._last_new = ""
        self._paths_before = 0  # number of paths before the last commit

    def feed(self, chunk: bytes) -> None:
        """Parse the next chunk of output. Raises OverBudget if the history is too large."""
        pieces = (self._rest + chunk).split(b"\0")
        self._rest = pieces.pop()
        if len(self._rest) > _LONGEST_ENTRY and self._rest[0] == _HEADER and self._rest.count(b"\2") >= _TEXTS:
            self._rest = self._rest[:_LONGEST_ENTRY]  # it is a subject, which would be cut anyway
        if len(self._rest) > _LONGEST_ENTRY:
            raise OverBudget(f"An entry of the history is larger than {_LONGEST_ENTRY / 1e6:g} MB.")
        pieces = self._waiting + pieces
        commits, events, paths = len(self.sha), len(self._event), len(self._paths)
        at, count = 0, len(pieces)
        while at < count:
            piece = pieces[at]
            if not piece:
                at += 1
                continue
            if piece[0] == _HEADER:
                self._begin_commit(piece)
                at += 1
                continue
            letter = piece[piece.rindex(b" ") + 1]
            last = at + (2 if letter in _TWO_PATHS else 1)
            if last >= count:
                break
            if self._row >= 0:
                # A copy (which git reports only on request) is a new file, not a new name of an old one.
                event = _EVENT.get(letter, MODIFY)
                new = self._paths.setdefault(pieces[last], len(self._paths))
                old = self._paths.setdefault(pieces[at + 1], len(self._paths)) if event == RENAME else new
                self._event.append(event)
                self._event_commit.append(self._row)
                self._event_path.append(old)
                self._event_new.append(new)
            at = last + 1
        self._waiting = pieces[at:]
        new = len(self._paths) - paths
        text = len(chunk) * new // max(count // 2, 1)  # approximate; the exact size would cost too much to compute
        rows = _COMMIT * (len(self.sha) - commits) + _EVENT_SIZE * (len(self._event) - events)
        self._budget.spend(size=rows + _PATH * new + min(text, len(chunk)))

    def end_output(self, complete: bool) -> None:
        """Prepare for output from its start.

        If the previous output was cut off (not `complete`), forget the last commit, which may lack entries. A git that
        stops with an error ends after a complete commit.
        """
        if self._last_new and not complete:
            row = self.sha.pop(self._last_new)
            begin = bisect_left(self._event_commit, row)
            for column in (self._event, self._event_commit, self._event_path, self._event_new):
                del column[begin:]
            while len(self._paths) > self._paths_before:
                self._paths.popitem()
            for per_commit in (self._time, self._author, self._parents, self._subjects):
                per_commit.pop()
        self._rest, self._waiting, self._row, self._last_new = b"", [], -1, ""

    def parents(self) -> list[list[str]]:
        """The ids of the parents of each commit, in the order of `log`."""
        return [ids.split() for ids in reversed(self._parents)]

    def log(self, exact_only: int = 0, broken: str = "") -> Log:
        """The commits read so far, reversed so that parents come before their children."""
        last = len(self.sha) - 1
        parents = self.parents()
        commit = last - np.array(self._event_commit, np.int32)[::-1]
        return Log(
            tuple(self.sha)[::-1],
            np.array(self._time, np.int64)[::-1],
            np.array(self._author, np.int32)[::-1],
            tuple(self._authors),
            np.array(self._event, np.int8)[::-1],
            commit.astype(np.int32),
            np.array(self._event_path, np.int32)[::-1],
            np.array(self._event_new, np.int32)[::-1],
            tuple(self._paths),
            np.cumsum([0, *map(len, parents)]),
            np.array([last - self.sha.get(sha, last + 1) for ids in parents for sha in ids], np.int32),
            exact_only,
            broken,
            names=tuple(self._names),
            subjects=tuple(reversed(self._subjects)),
        )

    def _begin_commit(self, header: bytes) -> None:
        numbers, _, who = header[1:].decode("utf-8", "replace").partition("\2")
        author, _, rest = who.partition("\2")
        name, _, subject = rest.partition("\2")
        subject = subject.rstrip("\n")[:_LONGEST_SUBJECT]
        sha, time, parents = numbers.split(" ", 2)
        self._row = -1
        if sha in self.sha:
            return
        author = author.strip()
        # Check before storing anything: if this raises, only complete commits must remain.
        text = len(author) + len(name) + _AUTHOR
        self._budget.spend(size=2 * len(parents) + len(subject) + (0 if author in self._authors else text))
        row = len(self.sha)
        self.sha[sha] = row
        self._time.append(max(-_LATEST, min(int(time or 0), _LATEST)))
        if author not in self._authors:  # the first name counts, because the log begins with the newest commit
            self._names.append(name.strip())
        self._author.append(self._authors.setdefault(author, len(self._authors)))
        self._parents.append(parents)
        self._subjects.append(subject)
        self._paths_before = len(self._paths)
        self._last_new = sha
        if sha not in self._boundary:  # without parents, it would seem to add every file
            self._row = row


@contextlib.contextmanager
def _counter(view: ViewRepository, wanted: tuple[str, ...]) -> Iterator[Callable[[], int]]:
    """A function that returns the number of commits; 0 until a second git, running beside the log, has counted them."""
    known = 0

    def total() -> int:
        nonlocal known
        if not known and program.poll() == 0:
            known = int(b"".join(program.chunks(_COUNTED)) or 0)
        return known

    with view.start("rev-list", "--count", *wanted, "--") as program:
        yield total
