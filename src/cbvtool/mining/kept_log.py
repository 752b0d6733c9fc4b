"""Cache of the log: the whole history is read once, after that only new commits.

A cached log belongs to one commit. For another commit (new commits, another branch, rewritten history), git reports
the commits that the cached one does not reach, and cached commits that the new one does not reach are dropped. The
output of git depends on its version, on the mail map, and on the boundary of a shallow clone. If one of these differs,
everything is read again.
"""

from __future__ import annotations

import heapq
from itertools import chain

import msgspec
import numpy as np
import numpy.typing as npt

from cbvtool.mining.keeper import FEW, Keeper, entry_key, joined_ids, keep, parted_ids, unpacked
from cbvtool.mining.log import READING, RENAME, Log, read_log, read_newer
from cbvtool.mining.view_repository import GitFailed, ViewRepository
from cbvtool.progress import Progress, silent

_Ints = npt.NDArray[np.int32]


class _Entry(msgspec.Struct, array_like=True):
    """See `Log`; columns as their bytes.

    stamp  other inputs of the log, apart from the commit and git
    """

    stamp: str
    sha: bytes
    width: int
    time: bytes
    author: bytes
    authors: tuple[str, ...]
    names: tuple[str, ...]
    subjects: tuple[str, ...]
    event: bytes
    event_commit: bytes
    event_path: bytes
    event_new: bytes
    paths: tuple[bytes, ...]
    parent_ptr: bytes
    parent: bytes


_entry_from = msgspec.msgpack.Decoder(_Entry).decode


def read_log_again(view: ViewRepository, keeper: Keeper | None, progress: Progress = silent) -> Log:
    """The result of `read_log`, with the help of the cache. An incomplete log is not stored."""
    if keeper is None:
        return read_log(view, progress)
    try:
        key, stamp = entry_key(view, READING), repr((view.mail_map, sorted(view.boundary)))
    except GitFailed:
        return read_log(view, progress)
    kept = _kept(keeper, key, stamp)
    log = None if kept is None else _up_to_date(view, kept, progress)
    new = len(log.sha) if log is not None else 0
    if log is None:
        log, kept = read_log(view, progress), None
    if not log.broken and not log.exact_only and (kept is None or abs(new - len(kept.sha)) > FEW):
        keep(keeper, key, to_bytes(log, stamp))
    return log


def _kept(keeper: Keeper, key: bytes, stamp: str) -> Log | None:
    data = keeper.get(key)
    if data is None:
        return None
    try:
        return from_bytes(unpacked(data), stamp)
    except ValueError:  # damaged, or for another mail map: it will be read and stored again
        return None


def _up_to_date(view: ViewRepository, kept: Log, progress: Progress) -> Log | None:
    """The log up to the head of the view; None = it must be read as a whole."""
    if kept.sha[-1] == view.head:
        return kept
    try:
        if view.commits_of([kept.sha[-1].encode()]) != [kept.sha[-1]]:
            return None  # git has removed it since the history was rewritten
    except GitFailed:
        return None
    newer, parents = read_newer(view, kept.sha[-1], progress)
    if newer.broken or newer.exact_only:
        return None
    return joined(kept, newer, parents, view.head)


def joined(kept: Log, newer: Log, parents: list[list[str]], head: str) -> Log | None:
    """The log of the commit `head`: reachable commits of `kept`, and those of `newer` with their `parents` (ids).

    Commits are in git's order (`--date-order`). None if the commits do not fit together.
    """
    count = len(kept.sha)
    row = {sha: i for i, sha in enumerate(chain(kept.sha, newer.sha))}
    if len(row) != count + len(newer.sha) or head not in row:
        return None
    missing = len(row)
    new_parents = np.array([row.get(sha, missing) for ids in parents for sha in ids], np.int32)
    new_parents[new_parents == missing] = -1
    parent = np.concatenate((kept.parent, new_parents))
    ptr = np.concatenate((kept.parent_ptr, kept.parent_ptr[-1] + np.cumsum(list(map(len, parents)), dtype=np.int64)))
    time = np.concatenate((kept.time, newer.time))
    there = np.ones(len(row), np.bool_)
    if not (new_parents == count - 1).any():  # the old head is not reached any more
        there = _reached(ptr, parent, row[head])
    order = _by_date(ptr, parent, time, there, row[head], count)
    return _taken(kept, newer, order, ptr, parent, time)


def _reached(ptr: npt.NDArray[np.int64], parent: _Ints, head: int) -> npt.NDArray[np.bool_]:
    """bool[c]: the commits that are reachable from `head`."""
    begin, ends = ptr.tolist(), parent.tolist()
    there = bytearray(len(begin) - 1)
    there[head] = 1
    waiting = [head]
    while waiting:
        at = waiting.pop()
        for other in ends[begin[at] : begin[at + 1]]:
            if other >= 0 and not there[other]:
                there[other] = 1
                waiting.append(other)
    return np.frombuffer(bytes(there), np.bool_)


def _by_date(
    ptr: npt.NDArray[np.int64],
    parent: _Ints,
    time: npt.NDArray[np.int64],
    there: npt.NDArray[np.bool_],
    head: int,
    old: int,
) -> _Ints:
    """int32: the commits in `there`, parents before children, otherwise by date.

    The first `old` rows are in this order already, apart from new children. As soon as no new commit is left, and none
    of the old ones was overtaken, the rest is kept as it is.
    """
    owner = np.repeat(np.arange(len(ptr) - 1), np.diff(ptr))
    counts = (parent >= 0) & there[owner]
    children = np.bincount(parent[counts], minlength=len(there))
    left = int(np.count_nonzero(there[old:]))
    rest = np.flatnonzero(there[:old])
    lowest, taken = old, 0  # lowest old row taken so far, and number of old rows taken
    newest_first: list[int] = []
    waiting = [(-int(time[head]), 0, head)]
    number = 0
    while waiting and (left or taken != len(rest) - int(np.searchsorted(rest, lowest))):
        _, _, at = heapq.heappop(waiting)
        newest_first.append(at)
        if at >= old:
            left -= 1
        else:
            lowest, taken = min(lowest, at), taken + 1
        for other in parent[ptr[at] : ptr[at + 1]].tolist():
            if other < 0:
                continue
            children[other] -= 1
            if not children[other]:
                number += 1
                heapq.heappush(waiting, (-int(time[other]), number, other))
    return np.concatenate((rest[: int(np.searchsorted(rest, lowest))], newest_first[::-1])).astype(np.int32)


def _taken(
    kept: Log, newer: Log, order: _Ints, ptr: npt.NDArray[np.int64], parent: _Ints, time: npt.NDArray[np.int64]
) -> Log:
    """Both logs as one, with commits in this order; `ptr`, `parent` and `time` are for both."""
    count = len(kept.sha) + len(newer.sha)
    place = np.full(count + 1, -1, np.int32)  # the last entry is for a missing parent
    place[order] = np.arange(len(order), dtype=np.int32)
    sizes = np.diff(ptr)[order]
    new_ptr = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    rows = np.repeat(ptr[order] - new_ptr[:-1], sizes) + np.arange(new_ptr[-1])
    path_of = {path: i for i, path in enumerate(kept.paths)}
    new_path = np.array([path_of.setdefault(path, len(path_of)) for path in newer.paths], np.int32)
    both = np.concatenate((kept.event_commit, newer.event_commit + np.int32(len(kept.sha))))
    commit = place[both]
    events = np.flatnonzero(commit >= 0)
    events = events[np.argsort(commit[events], kind="stable")]

    def column(name: str, table: _Ints | None = None) -> _Ints:
        added = getattr(newer, name)
        result: _Ints = np.concatenate((getattr(kept, name), added if table is None else table[added]))[events]
        return result

    authors, names, author = _authors(kept, newer, order)
    shas, subjects = kept.sha + newer.sha, kept.subjects + newer.subjects
    wanted = order.tolist()
    return Log(
        tuple([shas[i] for i in wanted]),
        time[order],
        author,
        authors,
        column("event").astype(np.int8),
        commit[events],
        column("event_path", new_path),
        column("event_new", new_path),
        tuple(path_of),
        new_ptr,
        place[parent[rows]],
        names=names,
        subjects=tuple([subjects[i] for i in wanted]),
    )


def _authors(kept: Log, newer: Log, order: _Ints) -> tuple[tuple[str, ...], tuple[str, ...], _Ints]:
    """(mail addresses, names, int32[c]) of the commits of both logs in this order: newest authors first."""
    known = dict(zip(kept.authors, kept.names, strict=True)) | dict(zip(newer.authors, newer.names, strict=True))
    number = {mail: i for i, mail in enumerate(known)}
    new = np.array([number[mail] for mail in newer.authors], np.int32)
    author = np.concatenate((kept.author, new[newer.author]))[order]
    found, first, of = np.unique(author[::-1], return_index=True, return_inverse=True)
    by_age = np.argsort(first)
    row = np.empty(len(found), np.int32)
    row[by_age] = np.arange(len(found), dtype=np.int32)
    mails, names = list(known), list(known.values())
    used = found[by_age].tolist()
    return tuple(mails[i] for i in used), tuple(names[i] for i in used), row[of.reshape(-1)][::-1]


def to_bytes(log: Log, stamp: str) -> bytes:
    """A log as bytes, for `from_bytes`."""
    return msgspec.msgpack.encode(
        _Entry(
            stamp,
            *joined_ids(log.sha),
            log.time.tobytes(),
            log.author.tobytes(),
            log.authors,
            log.names,
            log.subjects,
            log.event.tobytes(),
            log.event_commit.tobytes(),
            log.event_path.tobytes(),
            log.event_new.tobytes(),
            log.paths,
            log.parent_ptr.tobytes(),
            log.parent.tobytes(),
        )
    )


def from_bytes(data: bytes, stamp: str) -> Log:
    """The log that `to_bytes` wrote with the same stamp. Raises ValueError for any other bytes."""
    try:
        entry = _entry_from(data)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ValueError(str(error)) from error
    if entry.stamp != stamp:
        raise ValueError("it is of another mail map")
    log = Log(
        parted_ids(entry.sha, entry.width),
        np.frombuffer(entry.time, np.int64),
        np.frombuffer(entry.author, np.int32),
        entry.authors,
        np.frombuffer(entry.event, np.int8),
        np.frombuffer(entry.event_commit, np.int32),
        np.frombuffer(entry.event_path, np.int32),
        np.frombuffer(entry.event_new, np.int32),
        entry.paths,
        np.frombuffer(entry.parent_ptr, np.int64),
        np.frombuffer(entry.parent, np.int32),
        names=entry.names,
        subjects=entry.subjects,
    )
    if not _fits(log):
        raise ValueError("its columns do not fit one another")
    return log


def _fits(log: Log) -> bool:
    commits, events = len(log.sha), len(log.event)
    sizes = (len(log.time), len(log.author), len(log.subjects), len(log.parent_ptr) - 1) == (commits,) * 4
    lengths = (len(log.event_commit), len(log.event_path), len(log.event_new)) == (events,) * 3
    if not (commits and sizes and lengths and len(log.names) == len(log.authors)):
        return False
    steps = np.diff(log.parent_ptr)
    if log.parent_ptr[0] != 0 or log.parent_ptr[-1] != len(log.parent) or (steps < 0).any():
        return False
    children = np.repeat(np.arange(commits), steps)
    ranges = (
        (log.author, 0, len(log.authors)),
        (log.event, 0, RENAME + 1),
        (log.event_commit, 0, commits),
        (log.event_path, 0, len(log.paths)),
        (log.event_new, 0, len(log.paths)),
        (log.parent, -1, children),
    )
    within = all(bool(((column >= low) & (column < high)).all()) for column, low, high in ranges)
    return within and bool((np.diff(log.event_commit) >= 0).all())
