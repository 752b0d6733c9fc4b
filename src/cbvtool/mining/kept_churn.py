"""Cache of counted lines, by commit and path, so that git counts each commit only once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import msgspec
import numpy as np
import numpy.typing as npt

from cbvtool.mining.keeper import joined_ids, parted_ids, unpacked

_Ints = npt.NDArray[np.int32]


class _Entry(msgspec.Struct, array_like=True):
    """See `CountedLines`; columns as their bytes."""

    sha: bytes
    width: int
    names: tuple[bytes, ...]
    commit: bytes
    name: bytes
    added: bytes
    deleted: bytes


_entry_from = msgspec.msgpack.Decoder(_Entry).decode


@dataclass(frozen=True, eq=False)
class CountedLines:
    """Counted lines for k pairs (commit, path).

    sha     str[c]    full ids of the commits
    names   bytes[p]  paths as git stores them
    commit  int32[k]  index into `sha`
    name    int32[k]  index into `names`
    added, deleted  int32[k]  -1 = the file is binary
    """

    sha: tuple[str, ...]
    names: tuple[bytes, ...]
    commit: _Ints
    name: _Ints
    added: _Ints
    deleted: _Ints

    @staticmethod
    def none() -> CountedLines:
        """An empty cache."""
        empty = np.empty(0, np.int32)
        return CountedLines((), (), empty, empty, empty, empty)

    def of(self, sha: tuple[str, ...], names: tuple[bytes, ...], commit: _Ints, name: _Ints) -> _Ints:
        """int32[q]: row here for each pair, given as indices into other `sha` and `names`; -1 = unknown."""
        if not len(self.commit):
            return np.full(len(commit), -1, np.int32)
        commit_of, name_of = _index(self.sha, sha), _index(self.names, names)
        width = np.int64(len(names) + 1)
        mine = commit_of[self.commit] * width + name_of[self.name]
        mine[(commit_of[self.commit] < 0) | (name_of[self.name] < 0)] = -1
        order = np.argsort(mine, kind="stable")
        wanted = commit * width + name
        at = np.minimum(np.searchsorted(mine, wanted, sorter=order), len(mine) - 1)
        found = order[at]
        return np.where(mine[found] == wanted, found, -1).astype(np.int32)

    def with_more(self, more: CountedLines) -> CountedLines:
        """These and further counts; `more` replaces counts of the same commits."""
        row = {sha: i for i, sha in enumerate(self.sha)}
        name = {path: i for i, path in enumerate(self.names)}
        commit_of = np.array([row.setdefault(sha, len(row)) for sha in more.sha], np.int32)
        name_of = np.array([name.setdefault(path, len(name)) for path in more.names], np.int32)
        stays = ~np.isin(self.commit, commit_of)
        return CountedLines(
            tuple(row),
            tuple(name),
            np.concatenate((self.commit[stays], commit_of[more.commit])),
            np.concatenate((self.name[stays], name_of[more.name])),
            np.concatenate((self.added[stays], more.added)),
            np.concatenate((self.deleted[stays], more.deleted)),
        )

    def to_bytes(self) -> bytes:
        """The cache as bytes; `of_entry` reads them back from a stored entry."""
        columns = (self.commit, self.name, self.added, self.deleted)
        return msgspec.msgpack.encode(
            _Entry(*joined_ids(self.sha), self.names, *(column.tobytes() for column in columns))
        )

    @staticmethod
    def of_entry(entry: bytes | None) -> CountedLines:
        """The cache from a stored entry; empty if the entry is damaged."""
        try:
            found = _entry_from(unpacked(entry or b""))
            columns = [np.frombuffer(c, np.int32) for c in (found.commit, found.name, found.added, found.deleted)]
            sha = parted_ids(found.sha, found.width)
        except (ValueError, msgspec.DecodeError):
            return CountedLines.none()
        if len({len(column) for column in columns}) != 1:
            return CountedLines.none()
        lines = CountedLines(sha, found.names, *columns)
        limits = ((lines.commit, 0, len(lines.sha)), (lines.name, 0, len(lines.names)))
        counts = ((lines.added, -1, 2**31), (lines.deleted, -1, 2**31))
        fits = all(bool(((c >= low) & (c < high)).all()) for c, low, high in (*limits, *counts))
        return lines if fits else CountedLines.none()


def _index(mine: Sequence[str] | Sequence[bytes], theirs: Iterable[str | bytes]) -> npt.NDArray[np.int64]:
    """int64: index in `theirs` of each of `mine`; -1 = missing."""
    place = {text: i for i, text in enumerate(theirs)}
    return np.array([place.get(text, -1) for text in mine], np.int64)
