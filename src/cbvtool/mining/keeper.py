"""Interface for storing a history that was read, for the next run: bytes by key, in any place."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Sequence
from typing import Protocol

from cbvtool.mining.view_repository import ViewRepository

LARGEST = 250_000_000  # bytes of an entry; a larger one is not kept
_UNPACKED = 1_000_000_000  # bytes; an entry that claims more is damaged
FEW = 100  # with at most this many new commits, an entry is not rewritten: reading them again costs less


class Keeper(Protocol):
    """Stores entries whole or not at all, and may forget them at any time; on a fault, an entry counts as forgotten."""

    def get(self, key: bytes) -> bytes | None:
        """The entry of a key; None = there is none."""

    def put(self, key: bytes, data: bytes) -> None:
        """Store an entry; it replaces an earlier one with the same key."""


def entry_key(view: ViewRepository, what: str) -> bytes:
    """The key for data read from a repository. `what` says how it was read."""
    text = f"{what}\0{view.identity}\0{view.git_version}"
    return hashlib.blake2b(text.encode("utf-8", "surrogateescape"), digest_size=16).digest()


def keep(keeper: Keeper, key: bytes, data: bytes) -> None:
    """Store data as an entry, unless it is too large."""
    entry = packed(data)
    if len(entry) <= LARGEST:
        keeper.put(key, entry)


def joined_ids(ids: Sequence[str]) -> tuple[bytes, int]:
    """(ids of commits as bytes, digits of an id), the input of `parted_ids`."""
    return bytes.fromhex("".join(ids)), len(ids[0]) if ids else 0


def parted_ids(joined: bytes, width: int) -> tuple[str, ...]:
    """The ids from the output of `joined_ids`. Raises ValueError for an invalid width."""
    if width not in (40, 64):
        raise ValueError("it holds no ids of commits")
    text = joined.hex()
    return tuple([text[i : i + width] for i in range(0, len(text), width)])


def packed(data: bytes) -> bytes:
    """The data in compressed form, as an entry."""
    return zlib.compress(data, 1)


def unpacked(entry: bytes) -> bytes:
    """The data of an entry. Raises ValueError for a damaged one."""
    try:
        unpacking = zlib.decompressobj()
        data = unpacking.decompress(entry, _UNPACKED)
    except zlib.error as error:
        raise ValueError(str(error)) from error
    if not unpacking.eof or unpacking.unused_data:
        raise ValueError("it is cut off, or too large")
    return data
