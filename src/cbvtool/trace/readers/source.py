"""What a reader is given: a file, packed or not, or a folder."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from io import BufferedReader
from pathlib import Path
from typing import cast

from cbvtool.regular_file import opened

HEAD = 65_536  # bytes by which a format is known
_GZIP = b"\x1f\x8b"
MOST_NAMES = 100_000  # of a folder


class UnreadableTrace(Exception):
    """A source is not what its beginning promised. Its text ends the sentence "X cannot be read: ..."."""


@dataclass(frozen=True, eq=False)
class TraceSource:
    """A file or folder that may hold traces.

    path  where it lies
    """

    path: Path

    @cached_property
    def is_folder(self) -> bool:
        """Whether it is a folder."""
        return self.path.is_dir()

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the entries of a folder, sorted; none for a file."""
        if not self.is_folder:
            return ()
        names = []
        for entry in self.path.iterdir():
            names.append(entry.name)
            if len(names) > MOST_NAMES:
                raise UnreadableTrace(f"it has more than {MOST_NAMES:,} entries")
        return tuple(sorted(names))

    @cached_property
    def packed(self) -> bool:
        """Whether the file is packed by gzip."""
        if self.is_folder:
            return False
        with opened(self.path) as file:
            return file.read(2) == _GZIP

    @cached_property
    def head(self) -> bytes:
        """The first bytes of the content, unpacked; nothing for a folder."""
        if self.is_folder:
            return b""
        parts, size = [], 0
        for part in self.blocks(HEAD):
            parts.append(part)
            size += len(part)
            if size >= HEAD:
                break
        return b"".join(parts)[:HEAD]

    def blocks(self, size: int = 1 << 22) -> Iterator[bytes]:
        """The content, unpacked, in blocks of at most `size` bytes. A packed file that was cut off ends there."""
        with opened(self.path) as file:
            content = cast(BufferedReader, gzip.GzipFile(fileobj=file)) if self.packed else file
            while True:
                try:
                    block = content.read1(size) if self.packed else content.read(size)
                except (EOFError, zlib.error, gzip.BadGzipFile):
                    return
                if not block:
                    return
                yield block
