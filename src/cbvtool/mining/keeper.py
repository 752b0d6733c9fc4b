"""What keeps the history that was read, for the next time: bytes by a key, in whatever place."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Sequence
from typing import Protocol

from cbvtool.mining.view_repository import ViewRepository

LARGEST = 250_000_000  # bytes of an entry; a larger one is not kept
_UNPACKED = 1_000_000_000  # bytes; whatever says that it holds more is damaged
FEW = 100  # new commits for which an entry is not written anew: reading them again costs less


class Keeper(Protocol):
    """Keeps entries whole or not at all, and may forget them at any time; a fault of it is like a forgotten entry."""

    def get(self, key: bytes) -> bytes | None:
        """The entry of a key; None = there is none."""

    def put(self, key: bytes, data: bytes) -> None:
        """Keep an entry, in place of another one of the key."""


def entry_key(view: ViewRepository, what: str) -> bytes:
    """The key of what was read of a repository. `what` says how it was read."""
    text = f"{what}\0{view.identity}\0{view.git_version}"
    return hashlib.blake2b(text.encode("utf-8", "surrogateescape"), digest_size=16).digest()


def keep(keeper: Keeper, key: bytes, data: bytes) -> None:
    """Keep some data as an entry, unless that would be too large."""
    entry = packed(data)
    if len(entry) <= LARGEST:
        keeper.put(key, entry)


def joined_ids(ids: Sequence[str]) -> tuple[bytes, int]:
    """(ids of commits as bytes, digits of each one), as `parted_ids` reads them."""
    return bytes.fromhex("".join(ids)), len(ids[0]) if ids else 0


def parted_ids(joined: bytes, width: int) -> tuple[str, ...]:
    """The ids again. Raises ValueError for a width that no ids have."""
    if width not in (40, 64):
        raise ValueError("it holds no ids of commits")
    text = joined.hex()
    return tuple([text[i : i + width] for i in range(0, len(text), width)])


def packed(data: bytes) -> bytes:
    """The data as an entry."""
    return zlib.compress(data, 1)


def unpacked(entry: bytes) -> bytes:
    """The data of an entry. Raises ValueError for one that is damaged."""
    try:
        unpacking = zlib.decompressobj()
        data = unpacking.decompress(entry, _UNPACKED)
    except zlib.error as error:
        raise ValueError(str(error)) from error
    if not unpacking.eof or unpacking.unused_data:
        raise ValueError("it is cut off, or too large")
    return data
