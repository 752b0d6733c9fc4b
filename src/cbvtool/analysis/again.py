"""Reuse of relations that an earlier analysis resolved, while their inputs have not changed.

Files are resolved in groups (see `dividing`). The relations of a group depend on its own facts and on what all other
files of its language family offer to it. If both are unchanged, its earlier relations are reused: after an edit inside
a function, this holds as a rule for all groups but one. Otherwise the group is resolved again. The result is always
the same as without earlier relations.
"""

from __future__ import annotations

import hashlib
import os
import zlib
from array import array
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

import msgspec

from cbvtool.analysis.cache import Cache, fingerprint
from cbvtool.analysis.facts import FileFacts
from cbvtool.analysis.resolution import Folder, Outside, Place, Relations, Resolution

_unpacked = msgspec.msgpack.Decoder(tuple[bytes, list[Outside], list[str], set[str], set[Place]]).decode
_packed = msgspec.msgpack.Encoder().encode


class Earlier:
    """The results of earlier analyses of the folder `root`.

    contents  digests of the files; with their paths, these determine all facts
    """

    def __init__(self, memory: Cache, root: str, contents: Mapping[int, bytes]) -> None:
        self.memory, self.root, self.contents = memory, root, contents
        self.keys: set[bytes] = set()
        self.new: dict[bytes, bytes] = {}

    def family(
        self, name: str, folder: Folder, facts: Mapping[int, FileFacts], groups: Sequence[Sequence[int]]
    ) -> Family | None:
        """The files of one resolver in their `groups`.

        None if it is not known which inputs their relations depend on.
        """
        if not all(found.offered and row in self.contents for row, found in facts.items()):
            return None
        shared = hashlib.blake2b(fingerprint(), digest_size=16)
        shared.update(repr((name, folder.above, folder.include_paths, folder.source_roots)).encode())
        shared.update(os.fsencode("\0".join(folder.paths)))
        shared.update(repr(sorted(folder.linked.items())).encode("utf-8", "surrogateescape"))
        for row in sorted(facts):
            shared.update(b"%d " % row + facts[row].offered)
        keys = []
        for group in groups:
            own = shared.copy()
            for row in group:
                own.update(b"%d " % row + self.contents[row])
            keys.append(own.digest())
        self.keys.update((*keys, shared.digest()))
        return Family(self, shared.digest(), keys)

    def keep(self) -> None:
        """Write new results; they replace entries that this run did not ask for."""
        self.memory.keep_relations(self.root, self.keys, self.new)


class Family(NamedTuple):
    """Groups of files, each with its key in the cache in `keys`.

    `shared` is the key of the data that all groups share.
    """

    earlier: Earlier
    shared: bytes
    keys: Sequence[bytes]

    def known(self) -> dict[int, Resolution]:
        """The earlier results, by the rows of the groups."""
        data = self.earlier.memory.relations(self.earlier.root, self.keys)
        found: dict[int, Resolution] = {}
        for row, key in enumerate(self.keys):
            with suppress(KeyError, ValueError, zlib.error, msgspec.DecodeError):  # a damaged entry is resolved again
                found[row] = _unpack(data[key])
        return found

    def prepared(self) -> bytes:
        """The stored data that all groups share; empty = there is none."""
        data = self.earlier.memory.relations(self.earlier.root, [self.shared])
        with suppress(KeyError, zlib.error):
            return zlib.decompress(data[self.shared])
        return b""

    def add(self, row: int, found: Resolution) -> None:
        """Store the result of the group in that row."""
        with suppress(UnicodeEncodeError):
            self.earlier.new[self.keys[row]] = _pack(found)

    def add_prepared(self, data: bytes) -> None:
        """Store the data that all groups share."""
        self.earlier.new[self.shared] = zlib.compress(data, 1)


def _pack(found: Resolution) -> bytes:
    columns = found.relations.columns.tobytes()
    return zlib.compress(_packed((columns, found.outside, found.notes, found.packages, found.elsewhere)), 1)


def _unpack(data: bytes) -> Resolution:
    """The stored resolution. Raises an error of decompressing or decoding for damaged data."""
    columns, outside, notes, packages, elsewhere = _unpacked(zlib.decompress(data))
    found = Resolution(Relations(), outside, notes, packages, elsewhere)
    found.relations.columns = array("i", columns)
    return found
