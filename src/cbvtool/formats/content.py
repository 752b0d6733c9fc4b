"""What a file holds: unpacked, and as text. Bounded, whatever the file claims to be."""

from __future__ import annotations

import codecs
import gzip
import zlib
from io import BytesIO
from pathlib import Path

GZIP_MAGIC = b"\x1f\x8b"
_LEAST_LIMIT = 2**28  # bytes that a compressed file may always unpack to
_MOST_RATIO = 200  # beyond that; graphs as text shrink to between a fifth and a fiftieth
_PIECE = 2**20


class Damaged(Exception):
    """The reason why a file is not a graph, as the end of a sentence that also names the file."""


def read_content(path: Path) -> bytes:
    """The bytes of `path`, unpacked if they are a gzip file (told by content).

    Raises Damaged for one that is cut off, broken or unpacks to absurdly much, OSError as usual.
    """
    data = path.read_bytes()
    return unpacked(data) if data.startswith(GZIP_MAGIC) else data


def first_bytes(path: Path, most: int = 4096) -> bytes:
    """Up to `most` first bytes of what `path` holds, unpacked where that is possible. Raises OSError."""
    with path.open("rb") as file:
        start = file.read(most)
    if not start.startswith(GZIP_MAGIC):
        return start
    member = zlib.decompressobj(wbits=31)
    try:
        inside = member.decompress(start, most)
    except zlib.error:
        return start
    is_cut = len(start) < most and len(inside) < most and not member.eof
    return start if is_cut else inside


def unpacked(data: bytes) -> bytes:
    """What the gzip file `data`, of one or more members, holds. Raises Damaged."""
    limit = max(_LEAST_LIMIT, _MOST_RATIO * len(data))
    pieces: list[bytes] = []
    try:
        with gzip.GzipFile(fileobj=BytesIO(data)) as file:
            while piece := file.read(_PIECE):
                pieces.append(piece)
                if len(pieces) * _PIECE > limit:
                    raise Damaged(f"it unpacks to more than {_MOST_RATIO} times its size")
    except EOFError:
        raise Damaged("the compressed file is cut off") from None
    except (zlib.error, gzip.BadGzipFile) as error:
        raise Damaged(f"the compressed file is damaged ({error})") from None
    return b"".join(pieces)


def text_of(data: bytes) -> str:
    """`data` as text: UTF-8 or UTF-16 with a mark, else UTF-8, else Windows-1252 (what spreadsheets write).

    Bytes that are no UTF-8 inside a text that otherwise is become lone surrogates (PEP 383), as in names of files.
    Raises Damaged for what is no text.
    """
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", "replace")
    text = data.removeprefix(codecs.BOM_UTF8).decode("utf-8", "surrogateescape")
    if not text.isascii() and not any(c > "\x7f" and not "\udc80" <= c <= "\udcff" for c in text):
        text = data.decode("cp1252", "replace")
    if "\0" in text[:_PIECE]:
        raise Damaged("it is no text")
    return text
