"""Relations that were found before, taken again as long as nothing that they follow from has changed.

A group of files that are resolved together (see `dividing`) has the same relations as before if its own facts, and what
all others of its language family offer to it, are the same: after an edit inside a function as a rule all groups but
one. Else everything is resolved as if nothing were known. Either way the outcome is the one that it has from nothing.
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
    """What was resolved before in the folder `root`.

    contents  digests of the files, from which with their paths all facts follow
    """

    def __init__(self, memory: Cache, root: str, contents: Mapping[int, bytes]) -> None:
        self.memory, self.root, self.contents = memory, root, contents
        self.keys: set[bytes] = set()
        self.new: dict[bytes, bytes] = {}

    def family(
        self, name: str, folder: Folder, facts: Mapping[int, FileFacts], groups: Sequence[Sequence[int]]
    ) -> Family | None:
        """The files of one resolver in their `groups`; None where it is not known what their relations follow from."""
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
        """Write what is new in place of what nobody asked for."""
        self.memory.keep_relations(self.root, self.keys, self.new)


class Family(NamedTuple):
    """Groups of files, each by its row in `keys`; `shared` is the key of what they have in common."""

    earlier: Earlier
    shared: bytes
    keys: Sequence[bytes]

    def known(self) -> dict[int, Resolution]:
        """What was found before, by the rows of the groups."""
        data = self.earlier.memory.relations(self.earlier.root, self.keys)
        found: dict[int, Resolution] = {}
        for row, key in enumerate(self.keys):
            with suppress(KeyError, ValueError, zlib.error, msgspec.DecodeError):  # what is damaged is found again
                found[row] = _unpack(data[key])
        return found

    def prepared(self) -> bytes:
        """What was kept of what they have in common; empty = nothing."""
        data = self.earlier.memory.relations(self.earlier.root, [self.shared])
        with suppress(KeyError, zlib.error):
            return zlib.decompress(data[self.shared])
        return b""

    def add(self, row: int, found: Resolution) -> None:
        """Remember what was found in the group of that row."""
        with suppress(UnicodeEncodeError):
            self.earlier.new[self.keys[row]] = _pack(found)

    def add_prepared(self, data: bytes) -> None:
        """Remember what they have in common."""
        self.earlier.new[self.shared] = zlib.compress(data, 1)


def _pack(found: Resolution) -> bytes:
    columns = found.relations.columns.tobytes()
    return zlib.compress(_packed((columns, found.outside, found.notes, found.packages, found.elsewhere)), 1)


def _unpack(data: bytes) -> Resolution:
    """Raises what is raised for damaged data."""
    columns, outside, notes, packages, elsewhere = _unpacked(zlib.decompress(data))
    found = Resolution(Relations(), outside, notes, packages, elsewhere)
    found.relations.columns = array("i", columns)
    return found
