"""The files of a recording that may be missing, half written, or something else."""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from cbvtool.budget import Budget
from cbvtool.regular_file import NotRegular, opened
from cbvtool.trace.readers.source import TraceSource, UnreadableTrace

_HEADER = struct.Struct("<8sIHBBQQH")  # magic, version, size of the header, order of bytes, class, two masks, depth
MAGIC = b"Ftrace!\0"
_LITTLE, _VERSION, _CLASS_64 = 1, 4, 2
_LARGEST_TEXT = 1 << 28  # bytes of a symbol file, of task.txt
_LONGEST_LINE = 1 << 20
MISSING = "files that are missing or cannot be read"


@dataclass(frozen=True)
class Info:
    """The file `info`: word size of the program in bytes, whether there is scheduling, and its lines by key."""

    word: int = 8
    lines: dict[str, list[str]] = field(default_factory=dict)

    def text(self, key: str) -> str:
        """The first line of that key."""
        return self.lines.get(key, [""])[0]


class Folder:
    """A recording's files. What cannot be read is counted, and has no content."""

    def __init__(self, source: TraceSource, budget: Budget, omissions: Counter[str]) -> None:
        self._source, self._budget, self._omissions = source, budget, omissions

    def names(self, suffix: str) -> list[str]:
        """Names of the files that end so."""
        return [name for name in self._source.names if name.endswith(suffix)]

    @cached_property
    def _there(self) -> frozenset[str]:
        return frozenset(self._source.names)

    def blocks(self, name: str, size: int = 1 << 25, most: int | None = None) -> Iterator[bytes]:
        """The content in blocks, up to `most` bytes. Links are not followed."""
        if name not in self._there:
            return
        try:
            with opened(self._source.path / name, follow=False) as file:
                done = 0
                while (most is None or done < most) and (block := file.read(size)):
                    self._budget.spend(size=0)
                    done += len(block)
                    yield block
        except (NotRegular, OSError):
            self._omissions[MISSING] += 1

    def lines(self, name: str) -> Iterator[str]:
        """The lines of a text file; very long ones are cut."""
        rest = b""
        for block in self.blocks(name, 1 << 20, _LARGEST_TEXT):
            lines = (rest + block).split(b"\n")
            rest = lines.pop()[:_LONGEST_LINE]
            for line in lines:
                yield line[:_LONGEST_LINE].decode("utf-8", "replace")
        if rest:
            yield rest.decode("utf-8", "replace")

    def size(self, name: str) -> int:
        """Bytes of a file, 0 if it cannot be read."""
        try:
            return (self._source.path / name).lstat().st_size
        except OSError:
            return 0

    def info(self) -> Info:
        """What `info` says; a recording that was killed has an empty one, or none.

        Raises UnreadableTrace for recordings of other machines or versions.
        """
        data = b"".join(self.blocks("info", 1 << 20, 1 << 24))
        if len(data) < _HEADER.size or data[:8] != MAGIC:
            self._omissions[MISSING] += 1
            return Info()
        _, version, size, order, word, *_ = _HEADER.unpack_from(data)
        if order != _LITTLE:
            raise UnreadableTrace("it was recorded on a machine with another order of bytes")
        if version != _VERSION:
            raise UnreadableTrace(f"it is of version {version}; only version {_VERSION} is known")
        lines: dict[str, list[str]] = {}
        for line in data[size:].decode("utf-8", "replace").split("\n")[:10_000]:
            key, colon, value = line.partition(":")
            if colon:
                lines.setdefault(key, []).append(value)
        return Info(8 if word == _CLASS_64 else 4, lines)
