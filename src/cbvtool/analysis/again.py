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

import msgspec

from cbvtool.analysis.cache import Cache, fingerprint
from cbvtool.analysis.facts import FileFacts
from cbvtool.analysis.resolution import Folder, Outside, Place, Relations, Resolution

_unpacked = msgspec.msgpack.Decoder(tuple[bytes, list[Outside], list[str], set[str], set[Place]]).decode
_packed = msgspec.msgpack.Encoder().encode


class Earlier:
    """What was resolved before in the folder `root`.

    contents  of each file what stands for all its facts
    """

    def __init__(self, memory: Cache, root: str, contents: Mapping[int, bytes]) -> None:
        self._memory, self._root, self._contents = memory, root, contents
        self._keys: set[bytes] = set()
        self._new: dict[bytes, bytes] = {}

    def keys(
        self, name: str, folder: Folder, facts: Mapping[int, FileFacts], groups: Sequence[list[int]]
    ) -> list[bytes]:
        """What stands for all that the relations of each group follow from; nothing where that is not known."""
        if not all(found.offered and row in self._contents for row, found in facts.items()):
            return []
        shared = hashlib.blake2b(fingerprint(), digest_size=16)
        shared.update(repr((name, folder.above, folder.include_paths, folder.source_roots)).encode())
        shared.update(os.fsencode("\0".join(folder.paths)))
        for row in sorted(facts):
            shared.update(b"%d " % row + facts[row].offered)
        keys = []
        for group in groups:
            own = shared.copy()
            for row in group:
                own.update(b"%d " % row + self._contents[row])
            keys.append(own.digest())
        self._keys.update(keys)
        return keys

    def known(self, keys: Sequence[bytes]) -> dict[int, Resolution]:
        """What was found for those of `keys` that are known, by their rows."""
        data = self._memory.relations(self._root, keys)
        found: dict[int, Resolution] = {}
        for row, key in enumerate(keys):
            with suppress(KeyError, ValueError, zlib.error, msgspec.DecodeError):  # what is damaged is found again
                found[row] = _unpack(data[key])
        return found

    def add(self, key: bytes, found: Resolution) -> None:
        """Remember what was found for `key`."""
        with suppress(UnicodeEncodeError):
            self._new[key] = _pack(found)

    def keep(self) -> None:
        """Write what is new in place of what nobody asked for."""
        self._memory.keep_relations(self._root, self._keys, self._new)


def _pack(found: Resolution) -> bytes:
    columns = found.relations.columns.tobytes()
    return zlib.compress(_packed((columns, found.outside, found.notes, found.packages, found.elsewhere)), 1)


def _unpack(data: bytes) -> Resolution:
    """Raises what is raised for damaged data."""
    columns, outside, notes, packages, elsewhere = _unpacked(zlib.decompress(data))
    found = Resolution(Relations(), outside, notes, packages, elsewhere)
    found.relations.columns = array("i", columns)
    return found
